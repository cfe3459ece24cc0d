//! What is replaced is gone, whole.

use std::sync::Arc;

use crate::support::{STEPS, Scene, augmented};
use gradbody_augment::{Blueprint, Bound, Mode, bind};
use gradbody_contact::{Ncp, Solver};
use gradbody_model::Model;
use gradbody_sim::{Integrator, State, StepScratch, StepTrace, step};

/// With damping taken implicitly, too: nothing is left of the damping, the spring and the limits of a joint
/// whose passive torque a network replaces.
#[test]
fn a_replaced_torque_leaves_nothing_of_the_joints_own() {
    for integrator in [Integrator::ImplicitDamping, Integrator::Rk4] {
        let scene = Scene::new("ncp", Solver::Ncp(Ncp::default()), integrator);
        let mut blueprint = augmented("joint/arm/passive_torque", &["joint/arm/velocity"]);
        blueprint.augmentations[0].mode = Mode::Replace;
        let mut bare = scene.model.clone();
        let arm = &mut bare.params.joints[1];
        (arm.damping, arm.stiffness, arm.friction) = (0.0, 0.0, 0.0);
        (arm.limit_stiffness, arm.limit_damping) = (0.0, 0.0);
        let (replaced, alone) =
            (run(&scene, &blueprint, &scene.model), run(&scene, &blueprint, &bare));
        for (a, b) in replaced.v.iter().zip(&alone.v) {
            assert!((a - b).abs() < 1e-13, "{:?} is not {:?}", replaced.v, alone.v);
        }
    }
}

fn run(scene: &Scene, blueprint: &Blueprint, model: &Model<f64>) -> State<f64> {
    let plan = Arc::new(bind(blueprint, model, &scene.options.contact).unwrap());
    let mut bound = Bound::new(plan.clone(), plan.initial_weights()).unwrap();
    let mut state = scene.start.clone();
    bound.begin(&mut state);
    let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
    for _ in 0..STEPS {
        step(model, &mut state, &scene.input, &scene.options, &mut bound, &mut trace, &mut scratch);
    }
    state
}
