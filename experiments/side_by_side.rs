//! Independent jobs side by side, each on one thread: for long fits, which alone would not keep all cores busy.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does every job, as many at a time as there are threads, and returns what they found, in the order of the jobs. After an
/// error no further job begins.
pub(super) fn side_by_side<T: Sync, R: Send>(
    jobs: &[T],
    run: impl Fn(&T) -> anyhow::Result<R> + Sync,
) -> anyhow::Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let work = || -> anyhow::Result<Vec<(usize, R)>> {
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        let mut found = Vec::new();
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(k) else { return Ok(found) };
            match one_thread.install(|| run(job)) {
                Ok(result) => found.push((k, result)),
                Err(error) => {
                    next.store(jobs.len(), Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
    };
    let workers = rayon::current_num_threads().min(jobs.len());
    let found: anyhow::Result<Vec<Vec<(usize, R)>>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let joined = workers.into_iter().map(|worker| match worker.join() {
            Ok(found) => found,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect()
    });
    let mut found: Vec<(usize, R)> = found?.into_iter().flatten().collect();
    found.sort_by_key(|(k, _)| *k);
    Ok(found.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_their_jobs_or_an_error() {
        let jobs: Vec<u64> = (0..100).collect();
        let doubled = side_by_side(&jobs, |job| {
            assert_eq!(rayon::current_num_threads(), 1);
            Ok(2 * job)
        });
        assert_eq!(
            doubled.expect("no job fails"),
            jobs.iter().map(|job| 2 * job).collect::<Vec<_>>()
        );
        let failed = side_by_side(&jobs, |job| match job {
            7 => anyhow::bail!("job 7"),
            job => Ok(*job),
        });
        assert_eq!(failed.expect_err("one fails").to_string(), "job 7");
        assert!(side_by_side(&[], |job: &u64| Ok(*job)).expect("nothing to do").is_empty());
    }
}
