//! The slopes that the README's gradient program prints are right.

use crate::support::golden::repository;
use gradbody::prelude::*;

#[test]
fn masses_of_a_dropped_robot_matter_as_differences_say() {
    let path = repository().join("models/laikago.urdf");
    let mut model = load(path, &ImportOptions::default()).unwrap().model;
    model.add_ground(0.0, Material::with_friction(0.8)).unwrap();
    let mut start = State::neutral(&model);
    start.q = [vec![0.0, 0.0, 0.55, 1.0, 0.0, 0.0, 0.0], [0.0, 0.7, -1.4].repeat(4)].concat();
    let gradient = |model: &Model<f64>| {
        let options = StepOptions::accurate_gradients(1e-3);
        let world = Simulation::new(model, options).from_state(start.clone());
        let mut loss = Terminal(StateCost::from_configuration(model, &start));
        world.gradient(200, &mut loss).unwrap()
    };
    let found = gradient(&model);
    assert!(found.residual < 1e-9, "{}", found.residual);
    for name in ["link/trunk/mass", "link/FL_calf/mass"] {
        let slope = found.by_name(&model, [name]).unwrap()[0].1;
        let one = Selection::of(&model, [name]).unwrap();
        let cost = |change: f64| {
            let mut changed = model.clone();
            one.apply(&mut changed, &[one.values(&model)[0] + change]).unwrap();
            gradient(&changed).cost
        };
        let differences = (cost(1e-6) - cost(-1e-6)) / 2e-6;
        assert!((slope - differences).abs() < 1e-4 * slope.abs(), "{name}: {slope}, {differences}");
    }
}
