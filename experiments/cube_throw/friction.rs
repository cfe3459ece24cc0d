//! Networks that correct the friction of each contact.

use gradbody::augment::{Augmentation, Blueprint, Kind, Mode, Reading, ReadingOptions};
use gradbody::neural::Damping;

/// How friction is corrected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Correction {
    /// Not at all.
    None,
    /// Each component of the friction force is multiplied by 1 plus the network's output.
    Free,
    /// −L² times the sliding velocity is added, which can only brake.
    Dissipative,
}

/// Scales of the network's inputs: typical speed [m/s], force [N] and depth [m].
const SPEED: f64 = 0.5;
const LOAD: f64 = 30.0;
const DEPTH: f64 = 1e-3;
/// Neurons of its layers.
const HIDDEN: [usize; 2] = [16, 16];

impl Correction {
    /// A network shared by all contacts, with relative velocity, normal force and penetration as inputs.
    pub(super) fn blueprint(self, seed: u64) -> Blueprint {
        if self == Correction::None {
            return Blueprint::default();
        }
        let read = |what: &str, scale: f64| {
            let site = format!("contact/*/{what}");
            Reading::With(ReadingOptions { site, previous: false, history: 0, mean: 0.0, scale })
        };
        let mut network = Augmentation::new("friction", ["contact/*/friction"], []);
        network.inputs = vec![
            read("sliding_velocity", SPEED),
            read("penetration_rate", SPEED),
            read("normal_force", LOAD),
            read("gap", DEPTH),
        ];
        network.network.hidden = HIDDEN.to_vec();
        network.initial.seed = seed;
        match self {
            Correction::Dissipative => network.kind = Kind::Dissipative(Damping::Isotropic),
            _ => {
                network.mode = Mode::Scale;
                network.initial.zero_last = true;
            }
        }
        Blueprint::default().with(network)
    }
}

#[cfg(test)]
mod tests {
    use gradbody::sim::State;

    use super::super::cube::Law;
    use super::super::errors::judge;
    use super::super::problem::{Problem, Stretch};
    use super::super::tosses::Toss;
    use super::Correction;

    /// The distance that a pushed cube slides on the table.
    fn way(correction: Correction, seed: u64) -> f64 {
        let law = Law::Compliant;
        let problem =
            Problem::new(law, law.numbers(), &correction.blueprint(seed)).expect("a problem");
        let at = |k: usize| {
            let mut state = State::neutral(&problem.model);
            state.q[0] = 0.3 * k as f64 / super::super::tosses::RATE;
            state.q[2] = 0.0533;
            state
        };
        let states: Vec<_> = (0..40).map(at).collect();
        let toss = Toss { name: "pushed".into(), states, touch: 0 };
        let fit = problem.fit(&[], Stretch::Whole, Default::default()).expect("a fit");
        let errors = judge(&problem, &fit.initial(), &[toss]).expect("it slides");
        errors[0].poses.last().map_or(0.0, |pose| pose[0])
    }

    #[test]
    fn a_dissipative_network_brakes_and_a_free_one_begins_as_nothing() {
        let plain = way(Correction::None, 0);
        assert!(plain > 0.01, "it slides {plain} m");
        assert_eq!(way(Correction::Free, 1), plain);
        for seed in 1..4 {
            let braked = way(Correction::Dissipative, seed);
            assert!(braked < plain, "{braked} m with the network, {plain} m without");
        }
    }
}
