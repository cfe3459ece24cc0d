//! The threads that many worlds are spread over.

/// All threads of the machine, or some of one's own.
#[derive(Debug, Default)]
pub(crate) struct Threads(Option<rayon::ThreadPool>);

/// The system does not start threads.
#[derive(Debug, thiserror::Error)]
#[error("the system does not start {threads} threads: {source}")]
pub struct NoThreads {
    /// How many were asked for.
    pub threads: usize,
    source: rayon::ThreadPoolBuildError,
}

impl Threads {
    /// `threads` threads of one's own, at least one.
    pub(crate) fn of_its_own(threads: usize) -> Result<Self, NoThreads> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
        Ok(Threads(Some(pool.map_err(|source| NoThreads { threads, source })?)))
    }

    /// Runs something there.
    pub(crate) fn enter<R: Send>(&self, run: impl FnOnce() -> R + Send) -> R {
        match &self.0 {
            Some(pool) => pool.install(run),
            None => run(),
        }
    }
}
