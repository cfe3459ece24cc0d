//! What the data say about the parameters: standard deviations, and combinations that the data do not determine.

use gradbody_experiment::Prior;
use gradbody_optimise::{Arrow, Objective as _};
use nalgebra::{DMatrix, DVectorView, Dyn, SymmetricEigen};

use crate::objective::{Fit, Unknown};
use crate::outcome::Undetermined;
use crate::run::Done;

/// A combination of parameters is not determined if one standard deviation is more than this, relative to their size.
const UNTOLD: f64 = 0.5;

/// The information of data and priors about the named unknowns, relative to their sizes. Everything else is free.
pub(crate) struct Known<'a> {
    names: Vec<&'a str>,
    /// Value of each unknown divided by its number in the vector.
    scales: Vec<f64>,
    sizes: Vec<f64>,
    priors: Vec<Option<Prior>>,
    eigen: SymmetricEigen<f64, Dyn>,
}

/// Why there are no uncertainties.
pub(crate) const INTERRUPTED: &str = "the fit is not finished";
const NO_DERIVATIVES: &str = "the motion, or its derivatives, are not finite in some window";
const TOO_FEW: &str = "there are no more measured numbers than unknowns";

impl<'a> Known<'a> {
    /// What the data say about the unknowns of a finished stage, or why that cannot be computed.
    pub(crate) fn of(fit: &'a Fit, done: &Done) -> Result<Self, &'static str> {
        let free = fit.n_terms().checked_sub(fit.n_free(&done.x)).filter(|free| *free > 0);
        let free = free.ok_or(TOO_FEW)?;
        let hessian = fit.quadratic(&done.x).ok_or(NO_DERIVATIVES)?.hessian;
        // Errors may exceed the given noise, so uncertainties are scaled by the errors that were found. A sample in
        // several overlapping windows carries no more information than in one.
        let misfit = fit.misfit(&done.x) * fit.overlap();
        let excess = (2.0 * misfit / free as f64).sqrt().max(1e-12);
        Known::new(&hessian, fit, &done.x, excess).ok_or(NO_DERIVATIVES)
    }

    /// None if the information is not finite. `excess` is the ratio of errors to noise.
    fn new(hessian: &Arrow, fit: &'a Fit, x: &[f64], excess: f64) -> Option<Self> {
        let n = fit.unknowns.named().count();
        let information =
            hessian.global_information().filter(|m| m.iter().all(|x| x.is_finite()))?;
        let mut information = without_weights(information, n);
        // The information of priors does not depend on how well the model fits.
        let priors: Vec<f64> = fit
            .unknowns
            .named()
            .map(|u| u.prior.map_or(0.0, |p| (u.scale / p.sigma).powi(2)))
            .collect();
        for (k, prior) in priors.iter().enumerate() {
            information[(k, k)] -= prior;
        }
        information /= excess * excess;
        for (k, prior) in priors.iter().enumerate() {
            information[(k, k)] += prior;
        }
        let sizes: Vec<f64> = x[..n].iter().map(|x| x.abs().max(1.0)).collect();
        let scaled = DMatrix::from_fn(n, n, |i, k| information[(i, k)] * sizes[i] * sizes[k]);
        Some(Known {
            names: fit.unknowns.named().map(|u| u.name.as_str()).collect(),
            scales: fit.unknowns.named().map(|u| u.scale).collect(),
            sizes,
            priors: fit.unknowns.named().map(|u| u.prior).collect(),
            eigen: SymmetricEigen::new(scaled),
        })
    }

    /// Standard deviations, None for parameters that the data do not determine.
    pub(crate) fn sigmas(&self) -> Vec<Option<f64>> {
        let sigma = |k: usize| {
            let mut variance = 0.0;
            for (value, direction) in self.directions() {
                let share = direction[k] * direction[k];
                if value <= f64::MIN_POSITIVE || 1.0 / value > UNKNOWN {
                    // A direction that is not determined at all only affects the parameters in it.
                    if share > 1e-6 {
                        return None;
                    }
                    continue;
                }
                variance += share / value;
            }
            let sigma = variance.sqrt() * self.sizes[k] * self.scales[k];
            let added = |prior: &Prior| sigma < AS_BEFORE * prior.sigma;
            self.priors[k].as_ref().is_none_or(added).then_some(sigma)
        };
        (0..self.names.len()).map(sigma).collect()
    }

    fn directions(&self) -> impl Iterator<Item = (f64, DVectorView<'_, f64>)> {
        let values = self.eigen.eigenvalues.iter().copied();
        values.zip(self.eigen.eigenvectors.column_iter())
    }

    /// Combinations that the data do not determine.
    pub(crate) fn undetermined(&self) -> Vec<Undetermined> {
        let mut found = Vec::new();
        for (value, direction) in self.directions() {
            let reach = 1.0 / value.max(1e-300).sqrt();
            if reach < UNTOLD {
                continue;
            }
            let shares = self.names.iter().zip(direction.iter());
            let mut parameters: Vec<(String, f64)> =
                shares.map(|(name, share)| ((*name).to_owned(), *share)).collect();
            parameters.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
            parameters.retain(|(_, share)| share.abs() > 0.1);
            found.push(Undetermined { reach, parameters });
        }
        found.sort_by(|a, b| b.reach.total_cmp(&a.reach));
        found
    }
}

/// The information about the first `n` numbers when the others, weights of networks, are free: a Schur complement.
///
/// All numbers are scaled by their own information. Combinations of weights that nothing depends on are left out, and
/// information that is no more than rounding becomes zero.
fn without_weights(information: DMatrix<f64>, n: usize) -> DMatrix<f64> {
    let named = information.view((0, 0), (n, n)).into_owned();
    let w = information.nrows() - n;
    if w == 0 || n == 0 {
        return named;
    }
    let size = |i: usize| information[(i, i)].max(f64::MIN_POSITIVE).sqrt();
    let relative = DMatrix::from_fn(n + w, n + w, |i, k| information[(i, k)] / size(i) / size(k));
    let weights = SymmetricEigen::new(relative.view((n, n), (w, w)).into_owned());
    let with = weights.eigenvectors.tr_mul(&relative.view((n, 0), (w, n)));
    let mut left = relative.view((0, 0), (n, n)).into_owned();
    for (value, row) in weights.eigenvalues.iter().zip(with.row_iter()) {
        if *value > DEPENDENT * weights.eigenvalues.max() {
            left -= row.transpose() * row / *value;
        }
    }
    let mut left = SymmetricEigen::new(left);
    left.eigenvalues.iter_mut().filter(|value| **value < ROUNDING).for_each(|value| *value = 0.0);
    let left = left.recompose();
    DMatrix::from_fn(n, n, |i, k| left[(i, k)] * size(i) * size(k))
}

/// Eigenvalues of the weights' information below this share of the largest count as zero.
const DEPENDENT: f64 = 1e-12;
/// Rounding error of a difference of numbers near 1.
const ROUNDING: f64 = 1e-9;

/// Above this variance, relative to its squared size, nothing is known about a parameter.
const UNKNOWN: f64 = 1e8;

/// A parameter whose standard deviation exceeds this many times its size was not found.
const NOT_FOUND: f64 = 3.0;
/// Data that leave this share of a prior's standard deviation have added nothing to it.
const AS_BEFORE: f64 = 0.99;

/// The standard deviation of a parameter, or None if it is so large that the data do not determine the parameter: larger
/// than three times its size (its value before or after the fit, whichever is larger), or than that of values anywhere
/// between its bounds.
pub(crate) fn if_determined(unknown: &Unknown, fitted: f64, sigma: f64) -> Option<f64> {
    let size = unknown.scale.max(fitted.abs());
    let (lower, upper) = unknown.bounds;
    // The standard deviation of a uniform distribution.
    let anywhere = (upper - lower) / 12_f64.sqrt();
    (sigma <= NOT_FOUND * size && sigma < anywhere).then_some(sigma)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gradbody_augment::{Blueprint, bind};
    use gradbody_math::{Inertia, Sym3, Vec3};
    use gradbody_model::{FrameId, JointSpec, ModelBuilder, Selection};
    use gradbody_sim::{State, StepOptions};

    use super::*;
    use crate::objective::{FitParts, NoiseLaw, Recording, Sees, Sensor, Unknowns, cut};

    /// The inverse of the result is a block of the whole inverse: the variance when weights are free.
    #[test]
    fn weights_that_are_free_take_knowledge_from_parameters() {
        let a = DMatrix::from_fn(7, 5, |i, k| ((3 * i + 5 * k) % 7) as f64 - 2.0 + 0.1 * i as f64);
        let information = a.tr_mul(&a);
        let whole = information.clone().try_inverse().unwrap();
        let left = without_weights(information, 2).try_inverse().unwrap();
        for (i, k) in [(0, 0), (0, 1), (1, 1)] {
            assert!((left[(i, k)] / whole[(i, k)] - 1.0).abs() < 1e-6, "{left} {whole}");
        }
    }

    /// Two pendulums, of which a sensor sees one. The start of the other is seen by no sensor.
    fn half_seen() -> Fit {
        let rod = Inertia {
            mass: 1.0,
            com: Vec3::new(0.0, 0.0, -0.5),
            rotational: Sym3::diagonal(Vec3::new(0.08, 0.08, 0.002)),
        };
        let mut b = ModelBuilder::new("two pendulums");
        for name in ["seen", "hidden"] {
            let mut joint = JointSpec::revolute(name, Vec3::Y);
            joint.params.damping = 0.05;
            b.link(format!("{name} rod"), FrameId::WORLD, joint, rod).unwrap();
        }
        let model = b.build().unwrap();
        let samples = 40;
        let measured = (0..samples).map(|k| 0.5 * (0.08 * f64::from(k)).cos()).collect();
        let samples = samples as usize;
        let recordings = vec![Recording {
            name: "swing".into(),
            begin: 0.0,
            measured,
            present: vec![1.0; samples],
            inputs: Vec::new(),
            samples,
        }];
        let selection = Selection::of(&model, ["joint/*/damping", "link/seen rod/com/z"]).unwrap();
        let mut unknowns = Unknowns::of(&model, selection);
        unknowns.start = 2 * model.nv();
        let mut start = State::neutral(&model);
        start.q.copy_from_slice(&[0.5, 0.3]);
        let mut options = StepOptions::new(0.02);
        options.contact.solver = gradbody_contact::Solver::Off;
        Fit::new(FitParts {
            plan: Arc::new(bind(&Blueprint::default(), &model, &options.contact).unwrap()),
            weights: Vec::new(),
            unknowns,
            sensors: vec![Sensor {
                name: "seen".into(),
                sees: Sees::Position(0, 0),
                noise: 0.01,
                estimated: false,
                law: NoiseLaw::Gaussian,
            }],
            windows: cut(&recordings, samples - 1, samples - 1, 3),
            recordings,
            starts: vec![start],
            options,
            substeps: 1,
            model,
        })
    }

    /// A stage that ended where it began.
    fn at_start(fit: &Fit) -> Done {
        Done {
            ended: String::new(),
            remarks: Vec::new(),
            x: fit.initial(),
            cost: 0.0,
            before: None,
            iterations: 0,
            window_gradients: 0,
        }
    }

    #[test]
    fn a_start_that_no_sensor_sees_leaves_the_uncertainties_of_parameters() {
        let fit = half_seen();
        let known = Known::of(&fit, &at_start(&fit)).unwrap();
        let sigmas: Vec<_> = known.names.iter().copied().zip(known.sigmas()).collect();
        assert_eq!(sigmas.len(), 3, "{sigmas:?}");
        for (name, sigma) in &sigmas {
            // Only a parameter of the pendulum that nothing sees is not determined.
            assert_eq!(sigma.is_none(), *name == "joint/hidden/damping", "{sigmas:?}");
        }
        let undetermined = known.undetermined();
        assert_eq!(undetermined[0].parameters[0].0, "joint/hidden/damping", "{undetermined:?}");
    }

    /// In any units, and however well the data determine another weight.
    #[test]
    fn a_parameter_that_a_weight_stands_for_is_not_known() {
        for size in [1.0, 1e12] {
            let rows = [4.0, 6.0, 0.0, 6.0, 9.0, 0.0, 0.0, 0.0, 1e6];
            let information = size * DMatrix::from_row_slice(3, 3, &rows);
            assert_eq!(without_weights(information, 1)[(0, 0)], 0.0);
        }
    }

    /// `0.26 ± 233 kg` is not a result. Small numbers whose scale is known are: `0.001 ± 0.003 m` of a centre of mass.
    #[test]
    fn a_deviation_far_beyond_the_size_of_a_parameter_is_none() {
        let unknown = |name: &str, scale: f64, bounds: (f64, f64)| Unknown {
            name: name.into(),
            initial: scale,
            scale,
            bounds,
            prior: None,
        };
        let mass = unknown("link/cube/mass", 0.37, (1e-9, f64::INFINITY));
        assert_eq!(if_determined(&mass, 0.260983, 233.382), None);
        assert_eq!(if_determined(&mass, 0.260983, 0.4), Some(0.4));
        let com = unknown("link/cube/com/x", 0.1, (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(if_determined(&com, 0.001, 0.003), Some(0.003));
        assert_eq!(if_determined(&com, 0.001, 1.5), None);
        // A coefficient of restitution is between 0 and 1, whatever the data say.
        let restitution = unknown("shape/cube/restitution", 0.5, (0.0, 1.0));
        assert_eq!(if_determined(&restitution, 0.5, 0.1), Some(0.1));
        assert_eq!(if_determined(&restitution, 0.5, 0.3), None);
        assert_eq!(if_determined(&mass, 0.3, f64::NAN), None);
    }

    /// The damping of the pendulum that nothing sees is known from its prior alone, that of the other from the data.
    #[test]
    fn data_that_add_nothing_to_a_prior_determine_nothing() {
        let mut fit = half_seen();
        for unknown in &mut fit.unknowns.params {
            unknown.prior = Some(Prior { mean: unknown.initial, sigma: 10.0 });
        }
        let known = Known::of(&fit, &at_start(&fit)).unwrap();
        for (name, sigma) in known.names.iter().zip(known.sigmas()) {
            assert_eq!(sigma.is_none(), *name == "joint/hidden/damping", "{name}: {sigma:?}");
        }
    }
}
