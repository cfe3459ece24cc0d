//! Estimates states from the data: configurations that match the sensors, and velocities from how these change.

use gradbody_dynamics::{difference, integrate};
use gradbody_experiment::Estimate;
use gradbody_math::Dual;
use gradbody_model::Model;
use gradbody_sim::State;
use nalgebra::{DMatrix, DVector};

use super::sensor::{Observer, Sees, Sensor, rows_of};
use super::{NoiseLaw, Recording, outliers};

/// Maximum number of steps to a configuration.
const ROUNDS: usize = 50;
/// Damping of a step, relative to the largest diagonal of the matrix.
const LEAST_DAMPING: f64 = 1e-9;
/// With more damping, steps are too short to matter.
const MOST_DAMPING: f64 = 1e9;

/// Estimates the state at each sample of a recording, with `period` [s] between samples. The search starts from
/// `guess`, and coordinates that no sensor sees keep its values.
pub fn estimate_states(
    model: &Model<f64>,
    sensors: &[Sensor],
    recording: &Recording,
    period: f64,
    guess: &State<f64>,
    estimate: &Estimate,
) -> Vec<State<f64>> {
    let dual: Model<Dual<f64, 1>> = model.cast();
    let mut observer = Observer::new(&dual, sensors);
    let mut q = guess.q.clone();
    let robust = sensors.iter().any(|sensor| sensor.law != NoiseLaw::Gaussian);
    let without_outliers = robust.then(|| Recording {
        measured: outliers::without(sensors, recording),
        ..recording.clone()
    });
    let recording = without_outliers.as_ref().unwrap_or(recording);
    let configurations: Vec<Vec<f64>> = (0..recording.samples)
        .map(|k| {
            let (measured, present) = recording.sample(k, sensors);
            settle(model, &dual, &mut observer, sensors, measured, present, &mut q);
            q.clone()
        })
        .collect();
    (0..recording.samples)
        .map(|k| {
            let mut state = guess.clone();
            state.time = recording.begin + k as f64 * period;
            state.q.clone_from(&configurations[k]);
            smooth(model, &configurations, k, period, estimate.reach, robust, &mut state);
            let (measured, present) = recording.sample(k, sensors);
            let mut column = 0;
            for (sensor, present) in sensors.iter().zip(present) {
                if let Sees::Velocity(v) = sensor.sees
                    && *present > 0.0
                {
                    state.v[v] = measured[column];
                }
                column += sensor.columns();
            }
            state
        })
        .collect()
}

/// Moves a configuration to match the sensors. Minimises the squares of the errors, whatever the noise law: a sample has
/// hardly more measured values than coordinates, so that none of them can be told to be an outlier.
///
/// This is the Levenberg-Marquardt method: a step is taken only if it reduces the errors.
fn settle(
    model: &Model<f64>,
    dual: &Model<Dual<f64, 1>>,
    observer: &mut Observer<Dual<f64, 1>>,
    sensors: &[Sensor],
    measured: &[f64],
    present: &[f64],
    q: &mut [f64],
) {
    let cast =
        |from: &[f64]| -> Vec<Dual<f64, 1>> { from.iter().map(|x| Dual::constant(*x)).collect() };
    let (measured, present) = (cast(measured), {
        // Velocities say nothing about the configuration.
        let of =
            |(p, s): (&f64, &Sensor)| if matches!(s.sees, Sees::Velocity(_)) { 0.0 } else { *p };
        cast(&present.iter().zip(sensors).map(of).collect::<Vec<_>>())
    });
    let mut state = State::neutral(dual);
    let mut look = |q: &[f64], along: Option<usize>| -> Vec<Dual<f64, 1>> {
        state.q = cast(q);
        if let Some(k) = along {
            let mut dq = vec![Dual::constant(0.0); model.nv()];
            dq[k].eps[0] = 1.0;
            integrate(dual, &mut state.q, &dq);
        }
        observer.errors(sensors, dual, &state, &measured, &present).to_vec()
    };
    let cost = |errors: &[Dual<f64, 1>]| errors.iter().map(|e| e.re * e.re).sum::<f64>();
    let (nv, rows) = (model.nv(), rows_of(sensors));
    let mut damping = LEAST_DAMPING;
    let mut best = cost(&look(q, None));
    for _ in 0..ROUNDS {
        let mut jacobian = DMatrix::zeros(rows, nv);
        let mut errors = DVector::zeros(rows);
        for k in 0..nv {
            for (row, error) in look(q, Some(k)).iter().enumerate() {
                errors[row] = error.re;
                jacobian[(row, k)] = error.eps[0];
            }
        }
        let normal = jacobian.tr_mul(&jacobian);
        let size = normal.diagonal().max();
        if size <= 0.0 {
            return;
        }
        let downhill = -jacobian.tr_mul(&errors);
        loop {
            // The damping also holds coordinates that no sensor sees.
            let mut damped = normal.clone();
            (0..nv).for_each(|k| damped[(k, k)] += damping * size);
            let Some(factors) = damped.cholesky() else { return };
            let step = factors.solve(&downhill);
            if step.amax() < 1e-12 {
                return;
            }
            let mut trial = q.to_vec();
            integrate(model, &mut trial, step.as_slice());
            let found = cost(&look(&trial, None));
            if found < best {
                q.copy_from_slice(&trial);
                best = found;
                damping = (damping * 0.01).max(LEAST_DAMPING);
                break;
            }
            damping *= 100.0;
            if damping > MOST_DAMPING {
                return;
            }
        }
    }
}

/// Fits a parabola to the configurations around sample `k`, and takes position and velocity from it. With `outliers`,
/// samples far from the parabola count little.
fn smooth(
    model: &Model<f64>,
    all: &[Vec<f64>],
    k: usize,
    period: f64,
    reach: usize,
    outliers: bool,
    state: &mut State<f64>,
) {
    let around = match outliers {
        // As many samples at the ends of a recording too, so that an outlier is in the minority.
        true => {
            let first = k.saturating_sub(reach).min(all.len().saturating_sub(2 * reach + 1));
            first..(first + 2 * reach + 1).min(all.len())
        }
        false => k.saturating_sub(reach)..(k + reach + 1).min(all.len()),
    };
    let degree = 2.min(around.len() - 1);
    let mut design = DMatrix::zeros(around.len(), degree + 1);
    let mut moved = DMatrix::zeros(around.len(), model.nv());
    let mut dq = vec![0.0; model.nv()];
    for (row, i) in around.enumerate() {
        let t = (i as f64 - k as f64) * period;
        (0..=degree).for_each(|p| design[(row, p)] = t.powi(p as i32));
        difference(model, &all[k], &all[i], &mut dq);
        dq.iter().enumerate().for_each(|(c, x)| moved[(row, c)] = *x);
    }
    let fit = match outliers && design.nrows() > degree + 2 {
        true => robust_fit(&design, &moved),
        false => design.svd(true, true).solve(&moved, 0.0).ok(),
    };
    if let Some(fit) = fit {
        if reach > 0 {
            let shift: Vec<f64> = fit.row(0).iter().copied().collect();
            integrate(model, &mut state.q, &shift);
        }
        if degree > 0 {
            state.v.iter_mut().enumerate().for_each(|(c, v)| *v = fit[(1, c)]);
        }
    }
}

/// Rounds of reweighting.
const REWEIGHTED: usize = 20;
/// The constant of Cauchy's weights, for 95 % efficiency with normal noise.
const CAUCHY: f64 = 2.385;

/// The least absolute deviations, refined by Cauchy's weights, for each column of `y`: samples that stray from the
/// others count little. The scale of a column is the median of its deviations.
fn robust_fit(design: &DMatrix<f64>, y: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let mut fit = DMatrix::zeros(design.ncols(), y.ncols());
    for (c, y) in y.column_iter().enumerate() {
        let mut weights = DVector::from_element(design.nrows(), 1.0);
        for round in 0..REWEIGHTED {
            let weighted = DMatrix::from_fn(design.nrows(), design.ncols(), |i, k| {
                design[(i, k)] * weights[i]
            });
            let target = DVector::from_fn(design.nrows(), |i, _| y[i] * weights[i]);
            let found = weighted.svd(true, true).solve(&target, 0.0).ok()?;
            let off = (y - design * &found).abs();
            fit.set_column(c, &found);
            let mut sizes: Vec<f64> = off.iter().copied().collect();
            sizes.sort_by(f64::total_cmp);
            // Three numbers of the parabola bring the deviations of that many samples near zero.
            let median = sizes[(sizes.len() + design.ncols()) / 2];
            let scale = 1.4826 * median.max(f64::MIN_POSITIVE);
            // A weight multiplies a row, so it is the root of the usual one.
            weights = off.map(|off| match round < REWEIGHTED / 2 {
                true => (off / scale).max(1e-3).powf(-0.5),
                false => (1.0 + (off / (CAUCHY * scale)).powi(2)).powf(-0.5),
            });
        }
    }
    Some(fit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nine samples of a parabola with small errors, one of them far off: at the beginning, where it matters most.
    #[test]
    fn an_outlier_at_the_start_hardly_moves_the_estimate() {
        let design = DMatrix::from_fn(9, 3, |i, k| (0.01 * i as f64).powi(k as i32));
        let noise = [0.7, -1.1, 0.4, 0.2, -0.6, 1.3, -0.3, -0.9, 0.5];
        for outlier in 0..4 {
            let mut y = DMatrix::from_fn(9, 1, |i, _| {
                let t = 0.01 * i as f64;
                0.3 + 2.0 * t - 4.9 * t * t + 1e-3 * noise[i]
            });
            let usual = design.clone().svd(true, true).solve(&y, 0.0).unwrap();
            y[(outlier, 0)] += 0.2;
            let fit = robust_fit(&design, &y).unwrap();
            let moved = [(fit[0] - usual[0]).abs(), (fit[1] - usual[1]).abs()];
            assert!(moved[0] < 3e-3 && moved[1] < 0.15, "sample {outlier}: {moved:?}");
            let naive = design.clone().svd(true, true).solve(&y, 0.0).unwrap();
            assert!((naive[1] - usual[1]).abs() > 0.5, "the outlier matters: {naive}");
        }
    }
}
