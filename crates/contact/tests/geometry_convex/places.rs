//! Where two shapes are put, the places where they touch, and what these must be.

use gradbody_contact::geometry::{FAR, Placed, Scratch, Touch, slots, touches};
use gradbody_math::{Mat3, Scalar, Transform, Vec3};

use crate::samples::Sample;

pub(crate) const HERE: Transform<f64> = Transform::IDENTITY;

pub(crate) fn at(x: f64, y: f64, z: f64) -> Transform<f64> {
    Transform::from_translation(Vec3::new(x, y, z))
}

pub(crate) fn turned(rpy: [f64; 3], pos: [f64; 3]) -> Transform<f64> {
    Transform::new(Mat3::from_rpy(Vec3::from_f64(rpy)), Vec3::from_f64(pos))
}

pub(crate) fn touch<S: Scalar>(a: &Placed<'_, S>, b: &Placed<'_, S>) -> Vec<Touch<S>> {
    let mut out = Vec::new();
    touches(a, b, &mut Scratch::default(), &mut out);
    assert_eq!(out.len(), slots(a.kind, b.kind));
    out
}

/// The places that are there.
pub(crate) fn near(
    a: &Sample,
    pose_a: &Transform<f64>,
    b: &Sample,
    pose_b: &Transform<f64>,
) -> Vec<Touch<f64>> {
    let mut out = touch(&a.placed(pose_a), &b.placed(pose_b));
    out.retain(|t| t.gap < 0.5 * FAR);
    out
}

pub(crate) fn deepest<S: Scalar>(all: &[Touch<S>]) -> Touch<S> {
    *all.iter().min_by(|x, y| x.gap.lane(0).total_cmp(&y.gap.lane(0))).unwrap()
}

pub(crate) fn separation(
    a: &Sample,
    pose_a: &Transform<f64>,
    b: &Sample,
    pose_b: &Transform<f64>,
    n: Vec3<f64>,
) -> f64 {
    let point = |s: &Sample, pose: &Transform<f64>, d: Vec3<f64>| {
        pose.point(s.support(pose.rot.transpose_mul(d)))
    };
    (point(b, pose_b, -n) - point(a, pose_a, n)).dot(n)
}

/// A face may be taken though an edge is better by a hair.
pub(crate) const SLACK: f64 = 1e-4;

/// Gaps, and normals from a to b.
pub(crate) fn assert_all(places: &[Touch<f64>], count: usize, gap: f64, normal: Vec3<f64>) {
    assert_eq!(places.len(), count, "{places:#?}");
    for place in places {
        assert!((place.gap - gap).abs() < 1e-9, "{place:?}");
        assert!((place.normal_w - normal).norm() < 1e-9, "{place:?}");
    }
}
