//! Friction of contacts as a candidate: a network that can only brake.
//!
//! It adds −g v to the force of each contact, where v is the sliding velocity and g = scale·L² ≥ 0. L, the network's
//! output, is a softplus. So the training can begin with L the same for all inputs and g the best constant damping,
//! which has a slope; at L = 0 it would have none.

use gradbody_augment::{Augmentation, Kind};
use gradbody_neural::{Activation, Damping, NetworkTrace};

use crate::experiment::Setup;
use crate::judge::Predictor;
use crate::outcome::Response;
use crate::responses::range;

/// The input that the force depends on, whatever else its damping depends on.
pub(super) const SPEED: &str = "sliding_speed";

/// The damping constants [N s/m] that are tried first: from 10⁻⁶ to 10⁶.
const DECADES: i32 = 6;

/// Softplus at zero, where the training begins.
const AT_ZERO: f64 = core::f64::consts::LN_2;

/// Below this number softplus is practically zero: there is no force.
const SILENT: f64 = -60.0;

/// Whether networks at a site are dissipative.
pub(super) fn brakes(site: &str) -> bool {
    site.starts_with("contact/") && site.ends_with("/friction")
}

/// The contact that a site belongs to, as in `contact/*`; None for other sites.
pub(super) fn contact_of(site: &str) -> Option<&str> {
    let rest = site.strip_prefix("contact/")?;
    Some(&site[.."contact/".len() + rest.find('/')?])
}

/// Makes a candidate network dissipative.
pub(super) fn make_dissipative(augmentation: &mut Augmentation) {
    augmentation.kind = Kind::Dissipative(Damping::Isotropic);
    augmentation.network.output_activation = Activation::Softplus;
}

/// Weights of a network without a force. The bias of the output comes last.
pub(super) fn silence(weights: &mut [f64]) {
    weights.fill(0.0);
    if let Some(bias) = weights.last_mut() {
        *bias = SILENT;
    }
}

/// The output scale with which the training begins at the constant damping of the least cost. `cost` is that of a bias,
/// for a network without other weights and with an output scale of one.
pub(super) fn best_scale(mut cost: impl FnMut(f64) -> f64) -> f64 {
    let tried = (-2 * DECADES..=2 * DECADES).map(|half| 10.0_f64.powf(0.5 * f64::from(half)));
    let mut best = (f64::INFINITY, 1.0);
    for damping in tried {
        let found = cost(bias_of(damping));
        if found < best.0 {
            best = (found, damping);
        }
    }
    best.1 / (AT_ZERO * AT_ZERO)
}

/// The bias of a constant damping > 0 with an output scale of one: its softplus is √damping.
fn bias_of(damping: f64) -> f64 {
    let l = damping.sqrt();
    // ln(e^l − 1), without overflow.
    l + (-(-l).exp_m1()).ln()
}

/// The force along the sliding velocity, over that velocity and over each other input that was kept. The first is drawn
/// to both sides. The others are drawn at the largest speed in the data.
pub(super) fn responses(
    setup: &Setup,
    by: &Predictor,
    site: &str,
    kept: &[String],
) -> Vec<Response> {
    const POINTS: usize = 61;
    let Some((name, network, weights)) = by.plan.networks().next() else { return Vec::new() };
    let Some(of) = setup.experiment.augmentation.first() else { return Vec::new() };
    let weights = &by.weights[weights];
    let mut trace = NetworkTrace::new(network);
    let speed = speed_of(site);
    let fastest = range(setup, &speed).map_or(1.0, |(_, high)| high);
    // The force at a speed, with one more input at a value, and all other inputs at zero.
    let mut force = |at: f64, other: Option<(&str, f64)>| {
        let input = |reading: &gradbody_augment::Reading| {
            let (mean, scale) = reading.scaling();
            match other {
                Some((input, x)) if reading.site() == input => (x - mean) / scale,
                _ if reading.site() == speed => (at.abs() - mean) / scale,
                _ => 0.0,
            }
        };
        let inputs: Vec<f64> = of.inputs.iter().map(input).collect();
        network.forward(weights, &inputs, &[], &mut trace);
        -of.output_scale * trace.outputs()[0].powi(2) * at
    };
    let mut response = |input: &str, (from, to): (f64, f64), along: bool| {
        let step = (to - from) / (POINTS - 1) as f64;
        let x: Vec<f64> = (0..POINTS).map(|p| from + step * p as f64).collect();
        let y = x
            .iter()
            .map(|x| if along { force(*x, None) } else { force(fastest, Some((input, *x))) });
        let y = y.collect();
        Response {
            network: name.to_owned(),
            input: input.to_owned(),
            output: site.to_owned(),
            x,
            y,
        }
    };
    let mut responses = vec![response(&speed, (-fastest, fastest), true)];
    for input in kept.iter().filter(|input| **input != speed) {
        let ends = range(setup, input).unwrap_or((-1.0, 1.0));
        responses.push(response(input, ends, false));
    }
    responses
}

/// The sliding speed at the contacts of a site.
pub(super) fn speed_of(site: &str) -> String {
    format!("{}/{SPEED}", contact_of(site).unwrap_or("contact/*"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_training_begins_at_the_damping_of_the_least_cost() {
        let softplus = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
        for damping in [1e-6_f64, 0.1, 10.0, 1e6] {
            let scale = best_scale(|bias| (softplus(bias).powi(2).ln() - damping.ln()).abs());
            let begins = scale * softplus(0.0).powi(2);
            assert!((begins / damping - 1.0).abs() < 1e-9, "{begins} for {damping}");
        }
    }

    #[test]
    fn sites_of_contacts_are_told_from_others() {
        assert!(brakes("contact/*/friction") && brakes("contact/foot-ground/friction"));
        assert!(!brakes("contact/*/friction_coefficient") && !brakes("joint/a/friction"));
        assert_eq!(contact_of("contact/a-b/gap"), Some("contact/a-b"));
        assert_eq!(contact_of("joint/a/velocity"), None);
    }
}
