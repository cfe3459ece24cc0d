//! The return while training goes on: one line that changes, with a small curve; without a terminal, a line for each
//! evaluation.

use std::io::{self, IsTerminal as _, Write as _};

use gradbody::train::{Point, Run};

use crate::progress::{self, ProgressBar};

/// Evaluations that the small curve has at most.
const WIDTH: usize = 32;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

pub(super) struct LiveCurve {
    bar: ProgressBar,
    is_terminal: bool,
    /// Points of the curve that were told.
    told: usize,
}

impl LiveCurve {
    pub(super) fn new() -> Self {
        let is_terminal = io::stderr().is_terminal();
        LiveCurve { bar: progress::spinner(), is_terminal, told: 0 }
    }

    /// Shows how far training has come.
    pub(super) fn show(&mut self, run: &Run) {
        let journal = run.journal();
        if self.is_terminal {
            self.bar.set_message(line(run));
            return;
        }
        for point in &journal.points[self.told.min(journal.points.len())..] {
            if let Some(evaluated) = point.evaluated {
                let (mean, seconds) = (short(evaluated.mean), point.seconds);
                // A line that cannot be printed is not an error.
                let _ = writeln!(
                    io::stderr(),
                    "{seconds:.1} s, {} samples: return {mean}",
                    many(point.samples)
                );
            }
        }
        self.told = journal.points.len();
    }

    pub(super) fn note(&self, note: &str) {
        self.bar.suspend(|| {
            let _ = writeln!(io::stderr(), "note: {note}");
        });
    }

    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// Time, samples, returns and the small curve.
fn line(run: &Run) -> String {
    let (journal, task) = (run.journal(), &run.setup().task);
    let now = &journal.now;
    let of = task.limits.seconds().map_or(String::new(), |seconds| format!(" of {seconds:.0}"));
    let samples = match task.limits.samples {
        Some(most) => format!("{} of {}", many(now.samples), many(most as u64)),
        None => many(now.samples),
    };
    let mean = |point: &Point| point.evaluated.map(|evaluated| evaluated.mean);
    let evaluated: Vec<f64> = journal.points.iter().filter_map(mean).collect();
    let last = evaluated.last().map_or(String::new(), |mean| format!(", return {}", short(*mean)));
    let noisy = journal.points.iter().rev().find_map(|point| point.noisy);
    let noisy = noisy.map_or(String::new(), |mean| format!(" ({} with noise)", short(mean)));
    let best = journal.best().map_or(String::new(), |(_, b)| format!(", best {}", short(b.mean)));
    let next = match evaluated.len() {
        0 | 1 => String::new(),
        _ => format!("  {}", sparkline(&evaluated)),
    };
    format!("{:.0}{of} s, {samples} samples{last}{noisy}{best}{next}", now.seconds)
}

/// The last evaluations as bars between the least and the largest of all.
fn sparkline(values: &[f64]) -> String {
    let (low, high) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
    let height = |x: &f64| match high > low {
        true => ((x - low) / (high - low) * (BARS.len() - 1) as f64).round() as usize,
        false => 0,
    };
    let from = values.len().saturating_sub(WIDTH);
    values[from..].iter().map(|x| BARS[height(x).min(BARS.len() - 1)]).collect()
}

/// A return in four digits.
fn short(x: f64) -> String {
    if x.abs() < 100.0 { format!("{x:.1}") } else { format!("{x:.0}") }
}

/// A large number of samples.
fn many(n: u64) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..1_000_000 => format!("{:.0}k", n as f64 / 1e3),
        _ => format!("{:.2}M", n as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::{many, sparkline};

    #[test]
    fn a_curve_is_drawn_between_its_least_and_its_largest() {
        assert_eq!(sparkline(&[0.0, 7.0, 3.5, 7.0]), "▁█▅█");
        assert_eq!(sparkline(&[2.0, 2.0]), "▁▁");
        assert_eq!(sparkline(&(0..100).map(f64::from).collect::<Vec<_>>()).chars().count(), 32);
        assert_eq!([many(12), many(12_345), many(1_234_567)], ["12", "12k", "1.23M"]);
    }
}
