//! Problems that the tests share.

use std::path::Path;

use gradbody_model::import::{Base, ImportOptions, load};
use gradbody_model::{Activation, Actuator, ActuatorParams, JointId, Material, Model};
use gradbody_sim::{Input, NoTaps, State, StepOptions, StepScratch, StepTrace, step};

use crate::{Actions, Problem};

/// A robot of `models/`.
pub(super) fn robot(file: &str, base: Base) -> Model<f64> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(file);
    let options = ImportOptions { base, ..ImportOptions::default() };
    load(&path, &options).expect("the models are valid").model
}

/// A robot on a ground at height 0.
pub(super) fn on_ground(mut model: Model<f64>) -> Model<f64> {
    let surface = Material::with_friction(0.8);
    model.params.shapes.iter_mut().for_each(|shape| shape.material = surface);
    model.add_ground(0.0, surface).expect("no shape is called so yet");
    model
}

/// A problem without costs, that begins at the neutral state.
pub(super) fn problem(model: Model<f64>, dt: f64, knots: usize, steps: usize) -> Problem {
    Problem {
        start: State::neutral(&model),
        options: StepOptions::accurate_gradients(dt),
        knots,
        steps,
        actions: Actions::of(&model),
        costs: Vec::new(),
        model,
    }
}

/// The joint angles in which a Laikago stands.
pub(super) fn stance() -> Vec<f64> {
    [0.0, 0.7, -1.4].repeat(4)
}

/// A Laikago that has come to rest on its legs, and the torques that hold it.
pub(super) fn standing_laikago() -> (Model<f64>, State<f64>, Vec<f64>) {
    let model = on_ground(robot("laikago.urdf", Base::Free));
    let mut input = Input::none(&model);
    let state = settle(&model, (0.409, &stance()), &mut input, |state, input| {
        for (k, angle) in stance().into_iter().enumerate() {
            input.tau[6 + k] = 300.0 * (angle - state.q[7 + k]) - 4.0 * state.v[6 + k];
        }
    });
    (model, state, input.tau[6..].to_vec())
}

/// A Laikago with position servos that has come to rest.
pub(super) fn servo_laikago() -> (Model<f64>, State<f64>) {
    let mut model = on_ground(robot("laikago.urdf", Base::Free));
    for index in 1..model.n_links() {
        let joint = &model.params.joints[index];
        let mut servo = ActuatorParams::position(150.0, 4.0);
        (servo.force_lower, servo.force_upper) = (-joint.effort_limit, joint.effort_limit);
        (servo.control_lower, servo.control_upper) = (joint.limit_lower, joint.limit_upper);
        model.params.actuators.push(servo);
        let name = model.topology.links[index].joint.name.clone();
        let (joint, activation) = (JointId::new(index), Activation::Direct);
        model.topology.actuators.push(Actuator { name, joint, activation });
    }
    let mut input = Input::none(&model);
    let state = settle(&model, (0.409, &stance()), &mut input, |_, input| {
        input.control.copy_from_slice(&stance());
    });
    (model, state)
}

/// The joint angles in which a Laikago lies on its folded legs.
pub(super) fn folded() -> Vec<f64> {
    [0.0, 1.5, -2.6].repeat(4)
}

/// A [`servo_laikago`] that has come to rest on its folded legs.
pub(super) fn lying(model: &Model<f64>) -> State<f64> {
    let mut input = Input::none(model);
    settle(model, (0.22, &folded()), &mut input, |_, input| {
        input.control.copy_from_slice(&folded());
    })
}

/// The state a second after a Laikago was put to a height and joint angles.
fn settle(
    model: &Model<f64>,
    (height, angles): (f64, &[f64]),
    input: &mut Input<f64>,
    hold: impl Fn(&State<f64>, &mut Input<f64>),
) -> State<f64> {
    let mut state = State::neutral(model);
    state.q[2] = height;
    state.q[7..].copy_from_slice(angles);
    let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
    let options = StepOptions::new(1e-3);
    for _ in 0..1000 {
        hold(&state, input);
        step(model, &mut state, input, &options, &mut NoTaps, &mut trace, &mut scratch);
    }
    state.time = 0.0;
    state
}
