//! Gradients by the names of parameters.

use crate::support::scenes::{Scene, World};
use gradbody::model::{Material, Selection};
use gradbody::prelude::*;
use gradbody::sim::{
    Constant, GradientOptions, LinearState, Rollout, RolloutTrace, Terminal, rollout_vjp,
};

/// A ball that slides on the ground, or flies over it.
fn gradient_by(height: f64, patterns: &[&str]) -> Result<Vec<f64>, String> {
    let World { model, mut state, .. } = {
        let mut scene = Scene::new(Material::with_friction(0.3));
        scene.ground();
        scene.ball("ball", 0.1, 1.0);
        scene.world(1e-2)
    };
    state.q[2] = height;
    state.v[0] = 1.0;
    let options = StepOptions::new(1e-2);
    let rolled = Rollout { model: &model, start: &state, steps: 5, options: &options };
    let mut loss = Terminal(LinearState {
        q_coefficients: vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        v_coefficients: vec![0.0; 6],
    });
    let (inputs, how) = (&mut Constant::none(&model), GradientOptions::default());
    let mut trace = RolloutTrace::new(&model);
    let gradient = rollout_vjp(&rolled, inputs, &mut loss, &mut NoTaps, &how, &mut trace);
    let gradient = gradient.checked().map_err(|e| e.to_string())?;
    let selection = Selection::of(&model, patterns).map_err(|e| e.to_string())?;
    gradient.with_respect_to(&model, &selection).map_err(|e| e.to_string())
}

#[test]
fn friction_of_a_sliding_ball_slows_it() {
    let by_friction = gradient_by(0.1, &["shape/ground/friction"]).unwrap();
    assert!(by_friction[0] < -1e-3, "{by_friction:?}");
}

#[test]
fn a_parameter_without_influence_is_named() {
    let message = gradient_by(1.0, &["shape/ground/friction", "link/ball/mass"]).unwrap_err();
    assert_eq!(
        message,
        "no influence on the loss of this rollout: link/ball/mass, shape/ground/friction"
    );
}

#[test]
fn an_unknown_name_gets_a_hint() {
    let message = gradient_by(1.0, &["link/ball/mas"]).unwrap_err();
    assert!(message.contains("did you mean \"link/ball/mass\""), "{message}");
}
