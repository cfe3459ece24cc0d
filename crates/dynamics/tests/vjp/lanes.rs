//! Many worlds at once, whose states have nothing in common.

use gradbody_dynamics::{JointStops, integrate};
use gradbody_math::{Lanes, Scalar};

use crate::actuators::{LimitActivations, Motors};
use crate::check::flat;
use crate::configurations::{Integrate, LocalRate};
use crate::dynamics::{InverseDynamics, MassEntries, MassProduct};
use crate::energies::{Energies, Springs};
use crate::joint_forces::{Implicit, OwnForces};
use crate::kinematics::{Frames, LinkMotions, Poses};
use crate::stage::{Inputs, Stage};
use crate::trees::{Random, random_inputs};

/// Lanes that go different ways give what each gives alone.
fn check_lanes(name: &str, stage: &impl Stage) {
    type Four = Lanes<f64, 4>;
    let mut random = Random::new(11);
    let x = random_inputs(&mut random, true, stage);
    let alone: [Inputs<f64>; 4] = std::array::from_fn(|lane| {
        let mut x = x.clone();
        if lane == 0 {
            x.q = x.model.neutral();
            x.v.fill(0.0);
            x.extra.fill(0.0);
        } else {
            integrate(&x.model, &mut x.q, &random.numbers(x.v.len()));
            x.v = random.numbers(x.v.len());
            x.extra = random.numbers(x.extra.len());
        }
        x
    });
    let y_bar = random.numbers(stage.forward(&x).len());
    let lanes = |of: &dyn Fn(&Inputs<f64>) -> Vec<f64>| -> Vec<Four> {
        let numbers = alone.each_ref().map(of);
        (0..numbers[0].len()).map(|i| Four::from_lanes(|lane| numbers[lane][i])).collect()
    };
    let together = Inputs {
        model: x.model.cast::<Four>(),
        q: lanes(&|x| x.q.clone()),
        v: lanes(&|x| x.v.clone()),
        extra: lanes(&|x| x.extra.clone()),
    };
    let wide: Vec<Four> = y_bar.iter().map(|y| Four::from_f64(*y)).collect();
    let bar = stage.back(&together, &wide);
    for (lane, x) in alone.iter().enumerate() {
        let single = stage.back(x, &y_bar);
        let wide = |x: &[Four]| x.iter().map(|x| x.lane(lane)).collect::<Vec<_>>();
        assert_eq!(wide(&bar.q), single.q, "{name}, lane {lane}: q");
        assert_eq!(wide(&bar.v), single.v, "{name}, lane {lane}: v");
        assert_eq!(wide(&bar.extra), single.extra, "{name}, lane {lane}: extra");
        let params = flat(&single.params);
        assert_eq!(wide(&flat(&bar.params)), params, "{name}, lane {lane}: parameters");
    }
}

#[test]
fn lanes_go_their_own_ways() {
    check_lanes("kinematics", &Poses);
    check_lanes("rnea", &InverseDynamics);
    check_lanes("joint_forces", &OwnForces(JointStops::Soft));
    check_lanes("implicit_damping", &Implicit(JointStops::Soft));
    check_lanes("actuator_forces", &Motors);
    check_lanes("limit_activations", &LimitActivations);
    check_lanes("integrate", &Integrate);
    check_lanes("local_rate", &LocalRate);
    check_lanes("crba", &MassEntries);
    check_lanes("mass_product", &MassProduct);
    check_lanes("elastic_energy", &Springs);
    check_lanes("energies", &Energies);
    check_lanes("frames", &Frames);
    check_lanes("link_motions", &LinkMotions);
}
