//! Measures times on a machine that also runs other programs.

use std::time::{Duration, Instant};

/// Smallest number of repetitions.
const REPETITIONS: usize = 5;

/// Microseconds per world.
pub(crate) struct Figure {
    pub(crate) min: f64,
    pub(crate) median: f64,
    /// Worlds per call.
    pub(crate) lanes: usize,
}

/// Calls `f` repeatedly with 0 to `inputs` − 1, in batches of about half a millisecond, for at least `time`. A figure
/// is the time of a batch divided by its calls.
#[inline(always)]
pub(crate) fn calls(
    time: Duration,
    worlds: usize,
    inputs: usize,
    mut f: impl FnMut(usize),
) -> Figure {
    let mut batch = 1;
    let mut run = |batch: usize| {
        let start = Instant::now();
        for i in 0..batch {
            f(i % inputs);
        }
        start.elapsed()
    };
    while run(batch) < Duration::from_micros(500) {
        batch *= 2;
    }
    let start = Instant::now();
    let mut figures = Vec::new();
    while start.elapsed() < time || figures.len() < REPETITIONS {
        figures.push(run(batch).as_secs_f64() * 1e6 / (batch * worlds) as f64);
    }
    figures.sort_by(f64::total_cmp);
    Figure { min: figures[0], median: figures[figures.len() / 2], lanes: worlds }
}

/// How a sequence of steps is timed.
#[derive(Clone, Copy)]
pub(crate) struct Stretch {
    /// Number of steps.
    pub(crate) steps: usize,
    /// Steps per timed chunk.
    pub(crate) chunk: usize,
}

/// Repeats the same sequence of steps for at least `time`; `restart` puts it back to its beginning. Interruptions
/// lengthen different chunks in different repetitions, so the sum of the shortest time of each chunk is the undisturbed
/// time of the sequence, even if every repetition was disturbed.
#[inline(always)]
pub(crate) fn stretch<W>(
    time: Duration,
    worlds: usize,
    Stretch { steps, chunk }: Stretch,
    world: &mut W,
    restart: impl Fn(&mut W),
    mut step: impl FnMut(&mut W, usize),
) -> Figure {
    let per_step = 1e6 / (steps * worlds) as f64;
    let mut shortest = vec![f64::INFINITY; steps.div_ceil(chunk)];
    let mut figures = Vec::new();
    let start = Instant::now();
    while start.elapsed() < time || figures.len() < REPETITIONS {
        restart(world);
        let mut whole = 0.0;
        for (i, shortest) in shortest.iter_mut().enumerate() {
            let start = Instant::now();
            for k in i * chunk..((i + 1) * chunk).min(steps) {
                step(world, k);
            }
            let took = start.elapsed().as_secs_f64();
            whole += took;
            *shortest = shortest.min(took);
        }
        figures.push(whole * per_step);
    }
    figures.sort_by(f64::total_cmp);
    Figure {
        min: shortest.iter().sum::<f64>() * per_step,
        median: figures[figures.len() / 2],
        lanes: worlds,
    }
}
