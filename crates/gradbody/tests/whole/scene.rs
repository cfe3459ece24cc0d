//! Robots that share a world without touching move as each would alone.

use crate::support::models::{quadruped, random_tree};
use crate::support::random::Random;
use gradbody::model::Material;
use gradbody::prelude::*;

/// Accelerations under these forces at the joints.
fn accelerations(model: &Model<f64>, state: &State<f64>, tau: &[f64]) -> Vec<f64> {
    let mut kin = Kinematics::new(model);
    kinematics(model, &state.q, &mut kin);
    velocities(model, &state.v, &mut kin);
    let mut work = AbaWork::new(model);
    aba(model, &kin, tau, &[], &mut work);
    work.qdd
}

fn joined(a: &[f64], b: &[f64]) -> Vec<f64> {
    [a, b].concat()
}

#[test]
fn two_robots_in_one_world_move_as_each_alone() {
    let mut random = Random::new(3);
    for seed in 0..4 {
        let first = quadruped();
        let mut second = random_tree(seed, 12);
        second.params.gravity = first.params.gravity;
        let mut both = first.clone();
        both.append(&second, "other ").expect("no name is taken");
        both.add_ground(-9.0, Material::default()).expect("there is none");

        let mut state = |model: &Model<f64>| {
            let mut state = State::neutral(model);
            state.q = random.configuration(model);
            state.v = random.numbers(model.nv());
            state
        };
        let (a, b) = (state(&first), state(&second));
        let mut whole = State::neutral(&both);
        (whole.q, whole.v) = (joined(&a.q, &b.q), joined(&a.v, &b.v));
        let (tau_a, tau_b) = (random.numbers(first.nv()), random.numbers(second.nv()));

        // Nothing of the one enters the other: the numbers are the same to the last bit.
        let alone = joined(&accelerations(&first, &a, &tau_a), &accelerations(&second, &b, &tau_b));
        assert_eq!(accelerations(&both, &whole, &joined(&tau_a, &tau_b)), alone, "seed {seed}");
    }
}
