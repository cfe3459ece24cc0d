//! The friction of a ground under a robot whose file gives none.

use crate::support::golden::repository;
use gradbody::prelude::*;
use gradbody::sim::NoGradient;

/// Speed of the cube at the start [m/s], along x.
const SPEED: f64 = 3.0;
const STEPS: usize = 50;
const DT: f64 = 1e-3;

fn cube_on(friction: f64) -> Model<f64> {
    let path = repository().join("models/cube.urdf");
    let mut model = load(path, &ImportOptions::default()).unwrap().model;
    model.add_ground(0.0, Material::with_friction(friction)).unwrap();
    model
}

/// A cube that slides on the ground.
fn sliding(model: &Model<f64>) -> Simulation<'_, f64> {
    let mut world = Simulation::new(model, StepOptions::accurate_gradients(DT));
    world.state.q = vec![0.0, 0.0, 0.0524, 1.0, 0.0, 0.0, 0.0];
    world.state.v[0] = SPEED;
    world
}

#[test]
fn friction_of_the_ground_decides_how_a_cube_without_friction_slides() {
    for friction in [0.05, 0.3, 0.9] {
        let model = cube_on(friction);
        let mut world = sliding(&model);
        for _ in 0..STEPS {
            world.step();
        }
        let slower = (SPEED - world.state.v[0]) / (STEPS as f64 * DT) / 9.81;
        assert!((slower - friction).abs() < 1e-6, "{friction}: {slower}");
    }
}

#[test]
fn friction_of_the_ground_has_the_gradient_and_that_of_the_cube_none() {
    let gradient = |model: &Model<f64>| {
        let world = sliding(model);
        let mut loss = Terminal(StateCost::from_configuration(model, &world.state.clone()));
        world.gradient(STEPS, &mut loss).unwrap()
    };
    let found = gradient(&cube_on(0.4));
    let model = cube_on(0.4);
    let slope = found.by_name(&model, ["shape/ground/friction"]).unwrap()[0].1;
    let differences =
        (gradient(&cube_on(0.4 + 1e-6)).cost - gradient(&cube_on(0.4 - 1e-6)).cost) / 2e-6;
    assert!(
        slope < 0.0 && (slope - differences).abs() < 1e-6 * slope.abs(),
        "{slope}, {differences}"
    );
    let of_cube = found.by_name(&model, ["shape/cube/friction"]);
    assert_eq!(of_cube, Err(NoGradient::NoInfluence(vec!["shape/cube/friction".into()])));
}
