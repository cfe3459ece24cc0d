//! What is left over the fitted windows: how large it is, and whether it is distributed like the noise.

use std::f64::consts::TAU;

use gradbody_math::Quat;

use crate::errors::{ErrorRow, MeanSquare};
use crate::experiment::Setup;
use crate::objective::{Fit, Sees, Sensor};
use crate::outcome::{AgainstNoise, Calibration, Residual};

/// What is left over the fitted windows.
pub(crate) struct Residuals {
    /// Its root mean square, of each position, orientation and other channel.
    pub(crate) rows: Vec<Residual>,
    /// Its distribution. None without measurements.
    pub(crate) calibration: Option<Calibration>,
}

/// The residuals of a fit at `x`.
pub(crate) fn residuals(setup: &Setup, fit: &Fit, x: &[f64]) -> Residuals {
    let rows = setup.error_rows();
    let predicted = fit.predictions(&fit.candidate(x));
    let mut squares = vec![MeanSquare::default(); rows.len()];
    let mut relative = Vec::new();
    for (window, predicted) in fit.windows.iter().zip(&predicted) {
        let Some(predicted) = predicted else { continue };
        for (k, predicted) in predicted.chunks(setup.columns.len()).enumerate() {
            let at = window.first + k + 1;
            let (measured, present) = fit.recordings[window.recording].sample(at, &fit.sensors);
            for (row, squares) in rows.iter().zip(&mut squares) {
                if let Some(error) = row.error(predicted, measured, present) {
                    squares.add(error);
                }
            }
            relative_to_noise(&fit.sensors, predicted, measured, present, &mut relative);
        }
    }
    let residual = |(row, squares): (ErrorRow, MeanSquare)| Residual {
        rms: squares.root(),
        unit: row.unit.to_owned(),
        noise: row.noise / row.size,
        name: row.name,
    };
    // A channel without measurements has no residual.
    let rows = rows.into_iter().zip(squares).filter(|(_, s)| s.count > 0).map(residual).collect();
    Residuals { rows, calibration: calibration(relative) }
}

/// How the residuals of a fit at `x` compare with the noise, or None if there are no more measured numbers than unknowns.
pub(crate) fn against_noise(fit: &Fit, x: &[f64]) -> Option<AgainstNoise> {
    let free = fit.n_terms().checked_sub(fit.n_free(x)).filter(|free| *free > 0)? as f64;
    Some(AgainstNoise {
        times: (2.0 * fit.misfit(x) / free).sqrt(),
        cost: 0.5 * free,
        estimated: fit.sensors.iter().any(|sensor| sensor.estimated),
    })
}

/// Appends the residuals of a sample in standard deviations of the noise: three for an orientation, about the world's
/// axes.
fn relative_to_noise(
    sensors: &[Sensor],
    predicted: &[f64],
    measured: &[f64],
    present: &[f64],
    out: &mut Vec<f64>,
) {
    let mut column = 0;
    for (sensor, present) in sensors.iter().zip(present) {
        let (found, wanted) = (&predicted[column..], &measured[column..]);
        column += sensor.columns();
        if *present <= 0.0 {
            continue;
        }
        let difference = found[0] - wanted[0];
        match sensor.sees {
            Sees::Orientation(_) => {
                let turn =
                    Quat::from_slice(&found[..4]) * Quat::from_slice(&wanted[..4]).conjugate();
                out.extend(turn.normalized().log().to_array().map(|x| x / sensor.noise));
            }
            Sees::Heading(_) => {
                out.push((difference - TAU * (difference / TAU).round()) / sensor.noise);
            }
            _ => out.push(difference / sensor.noise),
        }
    }
}

/// Distance between the quantiles that are compared, in standard deviations.
const STEP: f64 = 0.05;
/// The outermost quantile that is compared.
const OUTERMOST: f64 = 4.0;

/// The distribution of residuals in standard deviations of the noise, beside a normal one. None without residuals.
fn calibration(mut relative: Vec<f64>) -> Option<Calibration> {
    relative.retain(|x| x.is_finite());
    if relative.is_empty() {
        return None;
    }
    relative.sort_by(f64::total_cmp);
    let n = relative.len() as f64;
    let within = |limit: f64| relative.iter().filter(|x| x.abs() <= limit).count() as f64 / n;
    let steps = (OUTERMOST / STEP).round() as i32;
    let quantiles = (-steps..=steps).filter_map(|k| {
        let normal = f64::from(k) * STEP;
        // The residuals are at the shares ½/n, 1½/n, …
        let place = n * share_below(normal) - 0.5;
        let low = place.floor();
        if low < 0.0 || place > n - 1.0 {
            return None;
        }
        let at = |k: f64| relative[(k as usize).min(relative.len() - 1)];
        Some((normal, at(low) + (place - low) * (at(low + 1.0) - at(low))))
    });
    Some(Calibration {
        quantiles: quantiles.collect(),
        within: [within(1.0), within(2.0)],
        count: relative.len(),
    })
}

/// The share of a standard normal distribution below x: ½ plus the integral of its density from 0, by Simpson's rule.
fn share_below(x: f64) -> f64 {
    const PIECES: u32 = 100;
    let h = x / f64::from(PIECES);
    let density = |k: u32| (-0.5 * (h * f64::from(k)).powi(2)).exp() / TAU.sqrt();
    let weight = |k: u32| match k {
        0 | PIECES => 1.0,
        k if k % 2 == 1 => 4.0,
        _ => 2.0,
    };
    0.5 + h / 3.0 * (0..=PIECES).map(|k| weight(k) * density(k)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use gradbody_math::Vec3;
    use gradbody_math::random::Random;
    use gradbody_model::FrameId;

    use super::*;
    use crate::objective::NoiseLaw;

    /// Tabulated values.
    #[test]
    fn shares_of_a_normal_distribution() {
        for (x, share) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (-1.959_963_984_540_054, 0.025),
            (4.0, 0.999_968_328_758_167),
        ] {
            assert!((share_below(x) - share).abs() < 1e-9, "{x}: {}", share_below(x));
        }
    }

    #[test]
    fn residuals_like_the_noise_lie_on_the_line() {
        let mut random = Random::new(7);
        let noise: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        let same = calibration(noise.clone()).unwrap();
        for (normal, found) in same.quantiles.iter().filter(|(normal, _)| normal.abs() < 2.5) {
            assert!((normal - found).abs() < 0.1, "{normal}: {found}");
        }
        assert!((same.within[0] - 0.6827).abs() < 0.01, "{:?}", same.within);
        assert!((same.within[1] - 0.9545).abs() < 0.01, "{:?}", same.within);
        // Three times the noise, and a model that is off to one side.
        let more = calibration(noise.iter().map(|x| 3.0 * x + 1.0).collect()).unwrap();
        for (normal, found) in more.quantiles.iter().filter(|(normal, _)| normal.abs() < 2.5) {
            assert!((3.0 * normal + 1.0 - found).abs() < 0.3, "{normal}: {found}");
        }
        assert!(calibration(vec![f64::NAN]).is_none());
        assert_eq!(calibration(vec![0.3]).unwrap().quantiles, [(0.0, 0.3)]);
    }

    /// A turn of an orientation and one of a heading, by either sign of the quaternion and beyond a whole turn.
    #[test]
    fn residuals_are_counted_in_standard_deviations_of_the_noise() {
        let sensor = |sees: Sees, noise: f64| Sensor {
            name: String::new(),
            sees,
            noise,
            estimated: false,
            law: NoiseLaw::Gaussian,
        };
        let frame = FrameId::WORLD;
        let sensors = [
            sensor(Sees::Place(frame, 0), 0.01),
            sensor(Sees::Orientation(frame), 0.1),
            sensor(Sees::Heading(frame), 0.5),
        ];
        let turned = Quat::exp(Vec3::new(0.2, 0.0, -0.3)).to_array().map(|x| -x);
        let predicted = [&[1.03][..], &turned, &[TAU + 1.0]].concat();
        let measured = [1.0, 1.0, 0.0, 0.0, 0.0, 0.5];
        let mut found = Vec::new();
        relative_to_noise(&sensors, &predicted, &measured, &[1.0; 3], &mut found);
        for (found, wanted) in found.iter().zip([3.0, 2.0, 0.0, -3.0, 1.0]) {
            assert!((found - wanted).abs() < 1e-9, "{found} for {wanted}");
        }
        assert_eq!(found.len(), 5);
        found.clear();
        relative_to_noise(&sensors, &predicted, &measured, &[1.0, 0.0, 0.0], &mut found);
        assert_eq!(found.len(), 1);
    }
}
