//! Finds where windows begin for given global unknowns, each window by itself.
//!
//! The cost of a window with impacts has kinks and jumps along its start, and several minima: which corner of a body hits
//! first may depend on less than the noise. So with secants a window does not take the part of a common step that a model of all
//! windows predicts for it. It tries eight points at a time, in lanes: parts of that step, then steps of
//! Levenberg-Marquardt with different damping, then random points as far away as the data leave open. A window whose
//! errors stay far above the noise begins again from other points near its measured start. Without secants it only goes half
//! of its part of a step, or none, where its cost would rise.

use gradbody_math::random::Random;
use gradbody_sim::{Kernel, Simulated, run_widest};
use nalgebra::{Cholesky, DMatrix, DVector};
use rayon::prelude::*;

use super::Fit;
use super::linearise::{cost_of, weigh};
use super::roll::Roll;
use super::secants::{self, Secants};
use super::whole_windows::Explained;

/// Parts of the step from the old start to the predicted one.
const PARTS: [f64; 8] = [0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5];
/// Shares of the diagonal that are added to the Gauss-Newton matrix.
const DAMPING: [f64; 8] = [1e-9, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0];
/// Random points that are tried together.
const DRAWS: usize = 8;
/// Steps from one point, at most.
const ROUNDS: usize = 4;
/// A window is settled if a round reduces its cost by less than this share.
const SETTLED: f64 = 1e-3;
/// A window begins again if its cost is above this multiple of what noise explains.
const EXCESS: f64 = 1.35;
/// How often it does, at most.
const RESTARTS: u64 = 2;
/// Seed of the random points.
const SEED: u64 = 0x5e771e;

impl Fit {
    /// Finds starts with low costs for the global unknowns of `to`, each window by itself. `from` has starts that are good
    /// for its own global unknowns, and `to` those that a step predicts. False if windows cannot be treated apart.
    /// Each `attempt` draws other random points.
    pub(super) fn settle(&self, from: &[f64], to: &mut [f64], attempt: u64) -> bool {
        if self.unknowns.start == 0 || self.jump.is_some() {
            return false;
        }
        let Some(found) = run_widest::<f64, _>(Settling { fit: self, from, to, attempt }) else {
            return false;
        };
        for (window, own) in found.into_iter().enumerate() {
            to[self.unknowns.start_range(window)].copy_from_slice(&own);
        }
        true
    }
}

struct Settling<'a> {
    fit: &'a Fit,
    from: &'a [f64],
    to: &'a [f64],
    attempt: u64,
}

impl Kernel for Settling<'_> {
    type Output = Option<Vec<Vec<f64>>>;

    fn run<S: Simulated>(self) -> Self::Output {
        let Settling { fit, from, to, attempt } = self;
        let [before, after] = [from, to].map(|x| Roll::<S>::new(fit, &|k| S::from_f64(x[k])));
        let rolls = (before?, after?);
        let one = |(before, roll): &mut (Roll<S>, Roll<S>), window: usize| {
            let range = fit.unknowns.start_range(window);
            let (old, predicted) = (&from[range.clone()], &to[range]);
            let start = Start { fit, roll, window, attempt };
            match &fit.secants {
                Some(secants) => start.settle(secants, old, predicted),
                None => start.shorten(before, old, predicted),
            }
        };
        let all = (0..fit.windows.len()).into_par_iter();
        Some(all.map_init(|| rolls.clone(), one).collect())
    }
}

/// The start of a window that is sought.
struct Start<'a, S> {
    fit: &'a Fit,
    roll: &'a mut Roll<S>,
    window: usize,
    attempt: u64,
}

/// A start and its cost.
struct Point {
    own: Vec<f64>,
    cost: f64,
}

impl<S: Simulated> Start<'_, S> {
    /// Without secants: the predicted start, or if the window's cost would rise, half of the way to it or none. `before` has
    /// the old global unknowns.
    fn shorten(mut self, before: &mut Roll<S>, old: &[f64], predicted: &[f64]) -> Vec<f64> {
        let (fit, samples) = (self.fit, self.samples());
        let was = before.columns(fit, self.window, 1, &|k, _| old[k]);
        let was = cost_of(&fit.sensors, samples, was.as_slice());
        let mut best = Point { own: predicted.to_vec(), cost: f64::INFINITY };
        self.offer(vec![predicted.to_vec()], &mut best);
        if best.cost > was {
            let half = old.iter().zip(predicted).map(|(old, new)| 0.5 * (old + new)).collect();
            self.offer(vec![half, old.to_vec()], &mut best);
        }
        best.own
    }

    /// With secants.
    fn settle(mut self, secants: &Secants, old: &[f64], predicted: &[f64]) -> Vec<f64> {
        let part = |part: &f64| {
            let both = old.iter().zip(predicted);
            both.map(|(old, new)| old + part * (new - old)).collect()
        };
        let mut best = Point { own: predicted.to_vec(), cost: f64::INFINITY };
        self.offer(PARTS.iter().map(part).collect(), &mut best);
        let open = &secants.starts[self.window];
        let place = [self.window as u64, self.attempt, best.cost.to_bits()];
        let mut random = Random::derived(SEED, &place);
        self.descend(&mut best, &mut random);
        let Explained { noise, outliers } = self.fit.explained(self.window);
        for restart in 0..RESTARTS {
            if best.cost - outliers <= EXCESS * noise {
                break;
            }
            // Around the measured start, then around the best one so far.
            let measured = vec![0.0; best.own.len()];
            let centre = if restart == 0 { &measured } else { &best.own };
            let draw = |_| {
                let both = centre.iter().zip(open);
                both.map(|(centre, open)| centre + open * random.normal()).collect()
            };
            let draws = (0..DRAWS).map(draw).collect();
            let mut other = Point { own: centre.clone(), cost: f64::INFINITY };
            self.offer(draws, &mut other);
            self.descend(&mut other, &mut random);
            if other.cost < best.cost {
                best = other;
            }
        }
        best.own
    }

    /// Goes down from a point by steps of Levenberg-Marquardt and random ones.
    fn descend(&mut self, best: &mut Point, random: &mut Random) {
        for _ in 0..ROUNDS {
            let before = best.cost;
            let Some((mut errors, mut jacobian)) =
                secants::of_start(self.fit, self.roll, self.window, &best.own)
            else {
                return;
            };
            weigh(&self.fit.sensors, self.samples(), &mut errors, &mut jacobian);
            let information = jacobian.tr_mul(&jacobian);
            let downhill = -jacobian.tr_mul(&errors);
            let damped = |damping: &f64| Cholesky::new(ridged(&information, *damping));
            let predicted = damped(&DAMPING[0])
                .map_or(f64::INFINITY, |factors| 0.5 * downhill.dot(&factors.solve(&downhill)));
            if predicted < SETTLED * before {
                return;
            }
            let own = DVector::from_column_slice(&best.own);
            let step =
                |damping| Some((&own + damped(damping)?.solve(&downhill)).as_slice().to_vec());
            self.offer(DAMPING.iter().filter_map(step).collect(), best);
            if best.cost >= before
                && let Some(factors) = damped(&DAMPING[0])
            {
                let draw = |_| {
                    let mut draw = DVector::from_fn(own.len(), |_, _| random.normal());
                    factors.l_dirty().tr_solve_lower_triangular_mut(&mut draw);
                    (&own + draw).as_slice().to_vec()
                };
                self.offer((0..DRAWS).map(draw).collect(), best);
            }
            // Where the errors follow their secants, another round would find little more.
            let decrease = before - best.cost;
            if decrease < SETTLED * before || (predicted - decrease).abs() < SETTLED * before {
                return;
            }
        }
    }

    /// Takes the point with the lowest cost, if it is lower than that of `best`.
    fn offer(&mut self, points: Vec<Vec<f64>>, best: &mut Point) {
        let (fit, samples) = (self.fit, self.samples());
        let errors =
            self.roll.columns(fit, self.window, points.len(), &|k, column| points[column][k]);
        for (own, errors) in points.into_iter().zip(errors.column_iter()) {
            let cost = cost_of(&fit.sensors, samples, errors.as_slice());
            if cost < best.cost {
                *best = Point { own, cost };
            }
        }
    }

    fn samples(&self) -> usize {
        self.fit.samples(self.window)
    }
}

/// A matrix with a share of its diagonal added.
fn ridged(matrix: &DMatrix<f64>, share: f64) -> DMatrix<f64> {
    let mut ridged = matrix.clone();
    let least = 1e-9 * matrix.diagonal().max();
    for k in 0..matrix.nrows() {
        ridged[(k, k)] += share * matrix[(k, k)].max(least);
    }
    ridged
}
