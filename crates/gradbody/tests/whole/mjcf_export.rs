//! A model that was written as MJCF and read back moves as it did, whatever its joints: also those
//! that the format does not have, and links without mass that give their joints away.

use std::path::Path;

use crate::support::compare::Comparison;
use crate::support::golden::repository;
use crate::support::models::random_tree;
use crate::support::random::Random;
use gradbody::dynamics::{CrbaWork, JointStops, bias_forces, crba, joint_forces};
use gradbody::model::export;
use gradbody::model::import::from_text;
use gradbody::prelude::*;

/// Rounding of poses, amplified by the conditioning of trees of 20 links: 1e-14 is seen.
const ROUNDING: f64 = 1e-12;

/// Mass matrix, bias forces, what joints do by themselves, and accelerations, one after the other.
fn dynamics(model: &Model<f64>, q: &[f64], v: &[f64], tau: &[f64]) -> [Vec<f64>; 4] {
    let mut kin = Kinematics::new(model);
    kinematics(model, q, &mut kin);
    velocities(model, v, &mut kin);
    let mut mass = CrbaWork::new(model);
    crba(model, &kin, &mut mass);
    let n = model.nv();
    let matrix = (0..n * n).map(|k| mass.mass_matrix.at(k / n, k % n)).collect();
    let mut bias = RneaWork::new(model);
    bias_forces(model, &kin, &mut bias);
    let mut own = vec![0.0; n];
    joint_forces(model, q, v, JointStops::Soft, &mut own);
    let mut work = AbaWork::new(model);
    let all: Vec<f64> = own.iter().zip(tau).map(|(own, tau)| own + tau).collect();
    aba(model, &kin, &all, &[], &mut work);
    [matrix, bias.tau, own, work.qdd]
}

/// Links as a file has them: what hangs on a link right behind it.
fn order(model: &Model<f64>) -> Vec<usize> {
    let links = &model.topology.links;
    let mut waiting: Vec<usize> =
        (0..links.len()).rev().filter(|i| links[*i].parent.is_none()).collect();
    let mut order = Vec::new();
    while let Some(i) = waiting.pop() {
        order.push(i);
        let hangs = |j: &usize| links[*j].parent.is_some_and(|p| p.index() == i);
        waiting.extend((0..links.len()).rev().filter(hangs));
    }
    order
}

fn compare(model: &Model<f64>, random: &mut Random, comparison: &mut Comparison) {
    let text = export::mjcf(model).expect("written").text;
    let back = from_text(&text, Path::new("written.xml"), &ImportOptions::default());
    let back = back.unwrap_or_else(|e| panic!("{e}\n{text}")).model;
    let joints = order(model).into_iter().map(|i| &model.topology.links[i].joint);
    let (mut places_q, mut places_v) = (Vec::new(), Vec::new());
    for joint in joints {
        places_q.extend(joint.q_range());
        places_v.extend(joint.v_range());
    }
    let reordered = |x: &[f64], places: &[usize]| places.iter().map(|i| x[*i]).collect::<Vec<_>>();
    for _ in 0..3 {
        let q = random.configuration(model);
        let (v, tau) = (random.numbers(model.nv()), random.numbers(model.nv()));
        let [matrix, vectors @ ..] = dynamics(model, &q, &v, &tau);
        let [q, v, tau] =
            [(&q, &places_q), (&v, &places_v), (&tau, &places_v)].map(|(x, p)| reordered(x, p));
        let [matrix_back, vectors_back @ ..] = dynamics(&back, &q, &v, &tau);
        let n = model.nv();
        let entries = places_v.iter().flat_map(|i| places_v.iter().map(move |j| i * n + j));
        let name = &model.topology.name;
        let matrix: Vec<f64> = entries.map(|k| matrix[k]).collect();
        comparison.check("mass matrix", name, ROUNDING, &matrix_back, &matrix);
        let names = ["bias forces", "joint forces", "accelerations"];
        for ((what, there), back) in names.into_iter().zip(&vectors).zip(&vectors_back) {
            comparison.check(what, name, ROUNDING, back, &reordered(there, &places_v));
        }
    }
}

#[test]
fn trees_with_every_kind_of_joint_move_as_before() {
    let mut comparison = Comparison::default();
    for seed in 0..20 {
        let mut model = random_tree(seed, 1 + seed as usize);
        let mut random = Random::new(seed + 50);
        for joint in &mut model.params.joints {
            joint.damping = random.within(0.1, 2.0);
            joint.friction = random.within(0.1, 1.0);
            joint.stiffness = [0.0, random.within(1.0, 20.0)][random.below(2)];
        }
        compare(&model, &mut random, &mut comparison);
        // The same where some links have no mass: their frames of their own are no longer there.
        model.topology.frames.retain(|frame| !frame.name.starts_with("tip"));
        let links = model.topology.links.len();
        model.params.frames.truncate(links + 1);
        for (i, joint) in model.params.joints.iter_mut().enumerate().filter(|(i, _)| i % 3 == 1) {
            joint.armature = 0.2;
            model.params.links[i] = gradbody::math::Inertia::ZERO;
        }
        model.params.frames.fill(gradbody::math::Transform::IDENTITY);
        compare(&model, &mut random, &mut comparison);
    }
    comparison.finish("MJCF and back", 400);
}

#[test]
fn our_models_move_as_before() {
    let mut comparison = Comparison::default();
    let entries = std::fs::read_dir(repository().join("models")).expect("models");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let is_model = |path: &std::path::PathBuf| {
        path.extension().is_some_and(|ending| ending == "urdf" || ending == "xml")
    };
    for path in paths.filter(is_model) {
        let model = load(&path, &ImportOptions::default()).unwrap_or_else(|e| panic!("{e}")).model;
        compare(&model, &mut Random::new(7), &mut comparison);
    }
    comparison.finish("MJCF and back", 200);
}
