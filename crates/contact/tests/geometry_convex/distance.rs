//! Distance and penetration, against directions and against parry.

use gradbody_contact::geometry::{FAR, Scratch, touches};
use gradbody_math::{Quat, Transform, Vec3};
use gradbody_model::ShapeKind;
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query;

use crate::places::{HERE, SLACK, at, deepest, near, separation, turned};
use crate::random::Random;
use crate::samples::{Sample, cuboid, pairs, sample};

#[test]
fn distance_and_penetration_are_those_of_parry() {
    let mut all = Vec::new();
    for (name_a, name_b) in pairs() {
        let mut random = Random::new(7);
        for round in 0..60 {
            let (a, b) = (sample(name_a, &mut random), sample(name_b, &mut random));
            let pose_a = random.pose(0.2);
            let pose_b = random.pose([0.2, 0.6, 1.5][round % 3]);
            for fault in faults(&a, &pose_a, &b, &pose_b) {
                all.push(format!("{name_a}, {name_b}, number {round}: {fault}"));
            }
        }
    }
    assert!(all.is_empty(), "{} faults:\n{}", all.len(), all.join("\n"));
}

/// Faces, edges and axes in line, touching exactly or nearly: what algorithms of this kind fear.
#[test]
fn shapes_in_line_touch_where_they_should() {
    let mut all = Vec::new();
    let eighth = std::f64::consts::FRAC_PI_4;
    for (name_a, name_b) in pairs() {
        let mut random = Random::new(29);
        for round in 0..120 {
            let (mut a, mut b) = (sample(name_a, &mut random), sample(name_b, &mut random));
            if round % 2 == 0 {
                (a.size, b.size) = (Vec3::new(0.5, 0.5, 0.5), Vec3::new(0.5, 0.5, 0.5));
            }
            let mut turn = || eighth * (4.0 * random.uniform()).round();
            let pose_a = turned([turn(), turn(), turn()], [0.0; 3]);
            let mut pose_b = turned([turn(), turn(), turn()], [0.0; 3]);
            // Along an axis or a diagonal, to the distance where the gap along it is this.
            let mut whole = || (1.4 * random.uniform()).round();
            let way = Vec3::new(whole(), whole(), whole()).normalized_or(Vec3::Z);
            let gap = [0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3, -0.1][round % 10];
            pose_b.pos = way * (gap - separation(&a, &pose_a, &b, &pose_b, way));
            for fault in faults(&a, &pose_a, &b, &pose_b) {
                all.push(format!("{name_a}, {name_b}, number {round}, {gap}: {fault}"));
            }
        }
    }
    assert!(all.is_empty(), "{} faults:\n{}", all.len(), all.join("\n"));
}

#[test]
fn exchanged_shapes_touch_alike() {
    let mut off_by = Vec::new();
    for (name_a, name_b) in pairs() {
        let mut random = Random::new(13);
        for round in 0..30 {
            let (a, b) = (sample(name_a, &mut random), sample(name_b, &mut random));
            let (pose_a, pose_b) = (random.pose(0.2), random.pose(0.8));
            let there = deepest(&near(&a, &pose_a, &b, &pose_b));
            let back = deepest(&near(&b, &pose_b, &a, &pose_a));
            let gap = (there.gap - back.gap).abs();
            // Deep inside there may be several ways out, nearly as long.
            let normal = (there.normal_w + back.normal_w).norm();
            if gap > SLACK || (there.gap > 0.0 && normal > 1e-2) {
                off_by.push(format!("{name_a}, {name_b}, {round}: {there:?} {back:?}"));
            }
        }
    }
    assert!(off_by.is_empty(), "{} differ:\n{}", off_by.len(), off_by.join("\n"));
}

#[test]
fn shapes_out_of_reach_have_no_places() {
    let (a, b) = (cuboid(0.1, 0.1, 0.1), cuboid(0.1, 0.2, 0.1));
    let egg = Sample { kind: ShapeKind::Ellipsoid, size: Vec3::new(0.1, 0.2, 0.3) };
    let mut scratch = Scratch::default();
    scratch.set_reach(0.01);
    for b in [&b, &egg] {
        let mut out = Vec::new();
        touches::<f64>(&a.placed(&HERE), &b.placed(&at(0.22, 0.0, 0.0)), &mut scratch, &mut out);
        assert!(out.iter().all(|t| t.gap == FAR));
        out.clear();
        touches::<f64>(&a.placed(&HERE), &b.placed(&at(0.205, 0.0, 0.0)), &mut scratch, &mut out);
        assert!(out.iter().any(|t| t.gap < 0.0051));
    }
}

/// What is wrong with the places of two shapes, against directions and against parry.
fn faults(a: &Sample, pose_a: &Transform<f64>, b: &Sample, pose_b: &Transform<f64>) -> Vec<String> {
    let mut faults = Vec::new();
    let all = near(a, pose_a, b, pose_b);
    if all.is_empty() {
        return vec!["no place".into()];
    }
    // A face may be taken although edges are better by the slack, relative to the smaller solid: half the longest side
    // of a box.
    let extent = |s: &Sample| s.size.x.max(s.size.y).max(s.size.z);
    let length = match (&a.kind, &b.kind) {
        (ShapeKind::Box, ShapeKind::Box) => extent(a).min(extent(b)),
        _ => 0.5,
    };
    let ours = deepest(&all);
    if (ours.normal_w.norm() - 1.0).abs() > 1e-12 {
        faults.push(format!("normal {:?}", ours.normal_w));
    }
    // The normal separates as much as the gap says.
    let along = separation(a, pose_a, b, pose_b, ours.normal_w);
    if along > ours.gap + 1e-9 || along < ours.gap - SLACK * length {
        faults.push(format!("gap {} but {along} along the normal", ours.gap));
    }
    // No direction near the normal separates more.
    let mut random = Random::new(5);
    for reach in [1e-1, 1e-2, 1e-3].into_iter().cycle().take(300) {
        let n = (ours.normal_w + random.vec3() * reach).normalized_or(Vec3::X);
        let other = separation(a, pose_a, b, pose_b, n);
        if other > ours.gap + SLACK * length {
            faults.push(format!("gap {} but {other} nearby ({reach})", ours.gap));
            break;
        }
    }
    let ((shape_a, turn_a), (shape_b, turn_b)) = (a.parry(), b.parry());
    let (place_a, place_b) = (parry_pose(pose_a) * turn_a, parry_pose(pose_b) * turn_b);
    let theirs = query::contact(&place_a, &*shape_a, &place_b, &*shape_b, 10.0);
    let Ok(Some(theirs)) = theirs else { return faults };
    let ellipsoid = [&a.kind, &b.kind].contains(&&ShapeKind::Ellipsoid);
    let tolerance = if ellipsoid { 4e-3 } else { 1e-6 + SLACK * length };
    // What parry's normal does separate by. Of the many ways out of a deep penetration of an
    // ellipsoid, one nearly as short will do.
    let n = Vec3::new(theirs.normal1.x, theirs.normal1.y, theirs.normal1.z);
    let possible = separation(a, pose_a, b, pose_b, n);
    let slack = if ellipsoid { tolerance + 0.01 * possible.abs() } else { tolerance };
    let worse = ours.gap < possible - slack;
    if worse || (theirs.dist > 0.0 && (ours.gap - theirs.dist).abs() > tolerance) {
        faults.push(format!("gap {}, parry's is {}", ours.gap, theirs.dist));
    }
    faults
}

fn parry_pose(pose: &Transform<f64>) -> Pose {
    let q = Quat::from_mat3(&pose.rot);
    let rotation = Rotation::from_xyzw(q.x, q.y, q.z, q.w);
    Pose::from_parts(Vector::new(pose.pos.x, pose.pos.y, pose.pos.z), rotation)
}
