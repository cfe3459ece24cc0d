//! The threads that worlds are spread over.

/// All threads of the machine, or a separate pool.
#[derive(Debug, Default)]
pub(crate) struct Threads(Option<rayon::ThreadPool>);

/// The system cannot start threads.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {threads} threads: {source}")]
pub struct NoThreads {
    /// Number of threads requested.
    pub threads: usize,
    source: rayon::ThreadPoolBuildError,
}

impl Threads {
    /// A separate pool of `threads` threads, at least one.
    pub(crate) fn of_its_own(threads: usize) -> Result<Self, NoThreads> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
        Ok(Threads(Some(pool.map_err(|source| NoThreads { threads, source })?)))
    }

    /// Runs `run`, which spreads this many parts over the threads it runs on: a single part on the caller's.
    pub(crate) fn enter_for<R: Send>(&self, parts: usize, run: impl FnOnce() -> R + Send) -> R {
        if parts <= 1 { run() } else { self.enter(run) }
    }

    /// Runs `run` on these threads.
    pub(crate) fn enter<R: Send>(&self, run: impl FnOnce() -> R + Send) -> R {
        let Some(pool) = &self.0 else { return run() };
        let mut run = Some(run);
        let mut result = None;
        install(pool, &mut || result = run.take().map(|run| run()));
        result.expect("the pool has run it")
    }
}

/// Compiled once, in this crate, for whatever is run.
fn install(pool: &rayon::ThreadPool, run: &mut (dyn FnMut() + Send)) {
    pool.install(run);
}
