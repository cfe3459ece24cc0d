//! Forces on links of worlds.

use gradbody_env::{EnvBatch, Environment, LinkForce};

/// Steps of 4 ms keep momentum to about this share, since bodies turn within a step.
const OF_A_STEP: f64 = 1e-4;

/// A robot in flight gains the momentum of a push: its force times its duration.
#[test]
fn a_push_gives_its_momentum() {
    let (force, worlds) = (30.0, 3);
    let mut of = Environment::LaikagoWalk.describe();
    of.start.q[2] = 5.0;
    let (n_actions, seconds) = (of.n_actions(), of.seconds_per_step());
    let link = of.model.topology.links.iter().position(|link| link.name == "trunk");
    let link = gradbody_model::LinkId::new(link.expect("the robot has a trunk"));
    let momentum = |pushes: Vec<LinkForce>| -> f64 {
        let mut batch: EnvBatch<f64> =
            EnvBatch::with_description(of.clone(), worlds, 1, Some(1)).expect("worlds");
        batch.set_forces(pushes).expect("a push");
        batch.step(&vec![0.0; worlds * n_actions]).expect("a step");
        let (q, v) = batch.states();
        let (nq, nv) = (of.model.nq(), of.model.nv());
        let last = worlds - 1;
        let state = gradbody_sim::State {
            q: q[last * nq..].to_vec(),
            v: v[last * nv..].to_vec(),
            ..gradbody_sim::State::neutral(&of.model)
        };
        let mut kin = gradbody_dynamics::Kinematics::new(&of.model);
        gradbody_sim::Totals::at(&of.model, &state, &mut kin).momentum.lin.y
    };
    let push = LinkForce { link, force_w: [0.0, force, 0.0] };
    let gained = momentum(vec![push]) - momentum(vec![]);
    let expected = force * seconds;
    assert!((gained - expected).abs() < OF_A_STEP * expected, "{gained} N s of {expected}");
}

#[test]
fn a_push_that_is_not_finite_is_refused() {
    let mut batch: EnvBatch<f64> =
        EnvBatch::new(Environment::Hopper, 1, 0, Some(1)).expect("a world");
    let link = gradbody_model::LinkId::new(0);
    let told = |batch: &mut EnvBatch<f64>, link, force_w| {
        batch.set_forces(vec![LinkForce { link, force_w }]).expect_err("refused").to_string()
    };
    assert_eq!(
        told(&mut batch, link, [0.0, f64::NAN, 0.0]),
        "world 0: the force along axis 1 is NaN; it must be finite"
    );
    assert_eq!(
        told(&mut batch, gradbody_model::LinkId::new(99), [0.0; 3]),
        "environment Hopper: the model has no link 99"
    );
}
