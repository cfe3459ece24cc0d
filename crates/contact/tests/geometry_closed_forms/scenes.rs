//! Every pair under test, in random poses.

use std::sync::Arc;

use gradbody_contact::geometry::{FAR, Placed, Scratch, Touch, slots, touches};
use gradbody_math::{Scalar, Transform, Vec3};
use gradbody_model::{Outline, ShapeKind};

use crate::random::Random;

/// Two shapes in the world.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) kinds: [ShapeKind; 2],
    pub(crate) poses_w: [Transform<f64>; 2],
    pub(crate) sizes: [Vec3<f64>; 2],
}

impl Scene {
    /// Shape a (0) or b (1).
    pub(crate) fn shape(&self, i: usize) -> Placed<'_, f64> {
        Placed { kind: &self.kinds[i], pose_w: self.poses_w[i], size: self.sizes[i] }
    }

    /// Where the two touch.
    pub(crate) fn touches(&self) -> Vec<Touch<f64>> {
        touches_of(&self.shape(0), &self.shape(1))
    }

    /// The same with a and b exchanged.
    pub(crate) fn swapped(&self) -> Scene {
        let mut scene = self.clone();
        scene.kinds.reverse();
        scene.poses_w.reverse();
        scene.sizes.reverse();
        scene
    }
}

/// Where two shapes touch; there are as many places as announced.
pub(crate) fn touches_of<S: Scalar>(a: &Placed<'_, S>, b: &Placed<'_, S>) -> Vec<Touch<S>> {
    let mut out = Vec::new();
    touches(a, b, &mut Scratch::default(), &mut out);
    assert_eq!(out.len(), slots(a.kind, b.kind), "{:?}, {:?}", a.kind, b.kind);
    out
}

/// Whether a place is there.
pub(crate) fn is_there(touch: &Touch<f64>) -> bool {
    touch.gap < FAR
}

/// The smallest gap.
pub(crate) fn least_gap(touches: &[Touch<f64>]) -> f64 {
    touches.iter().fold(FAR, |least, touch| least.min(touch.gap))
}

/// A concave outline: an L with slanted sides and a notch. All of it is seen from the origin.
pub(crate) fn outline() -> ShapeKind {
    let corners = [[-1.0, -1.0], [0.2, -0.7], [1.2, -1.0], [1.0, 0.1], [0.1, 0.2], [-0.3, 1.1]];
    ShapeKind::Extrusion(Arc::new(Outline::new(corners.to_vec()).expect("simple")))
}

/// The points of a list, as a shape.
pub(crate) fn points(list: &[[f64; 3]]) -> ShapeKind {
    ShapeKind::Points(list.iter().map(|p| Vec3::from_f64(*p)).collect())
}

/// Every pair that has a formula, one way round.
pub(crate) fn pairs() -> Vec<[ShapeKind; 2]> {
    use ShapeKind::*;
    let point = || points(&[[0.3, -0.8, 0.5]]);
    vec![
        [Sphere, Plane],
        [Capsule, Plane],
        [Box, Plane],
        [Cylinder, Plane],
        [Ellipsoid, Plane],
        [outline(), Plane],
        [Sphere, Sphere],
        [Sphere, Capsule],
        [Capsule, Capsule],
        [Sphere, Box],
        [Sphere, Cylinder],
        [Sphere, outline()],
        [point(), Plane],
        [point(), Sphere],
        [point(), Capsule],
        [point(), Box],
        [point(), Cylinder],
        [point(), outline()],
    ]
}

/// Runs `test` on every pair in `count` random poses: apart, touching and deep inside each other.
pub(crate) fn for_each_scene(count: u64, mut test: impl FnMut(&Scene, &mut Random)) {
    for (i, kinds) in pairs().into_iter().enumerate() {
        let mut random = Random::new(1000 * i as u64);
        for _ in 0..count {
            let scene = Scene {
                kinds: kinds.clone(),
                poses_w: [random.pose(0.8), random.pose(0.8)],
                sizes: [random.vector(0.2, 1.0), random.vector(0.2, 1.0)],
            };
            test(&scene, &mut random);
        }
    }
}
