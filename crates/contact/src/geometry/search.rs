//! The direction of largest separation of two solids, by GJK and EPA.

use gradbody_math::{Scalar, Vec3};
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};
use parry3d_f64::shape::SupportMap;

use super::pair::Pair;
use super::solid::{Form, Solid};

/// Buffers of the search.
#[derive(Default)]
pub(super) struct Search {
    simplex: VoronoiSimplex,
    epa: EPA,
}

/// The core of a solid in the frame of a, scaled by the pair's size, since the tolerances of the algorithms are
/// absolute.
struct Core<'a> {
    solid: &'a Solid<'a>,
    unit: f64,
    /// Shrinks the solid towards the origin of its frame by this factor.
    part: f64,
}

impl SupportMap for Core<'_> {
    fn local_support_point(&self, dir: Vector) -> Vector {
        // A portable build does not compile the algorithms that call this for the instructions of this machine.
        f64::vectorised(
            #[inline(always)]
            || {
                let p = self.solid.support_point(Vec3::new(dir.x, dir.y, dir.z));
                let origin = self.solid.pose_a.pos;
                let p = (p - origin).scale_add(self.part, origin);
                Vector::new(p.x, p.y, p.z) * self.unit
            },
        )
    }

    /// The pose is the identity: solids know their own pose.
    fn support_point(&self, _pose: &Pose, dir: Vector) -> Vector {
        self.local_support_point(dir)
    }
}

impl Search {
    /// A unit vector from a to b along which the separation is largest, to the accuracy of the search; `None` if the
    /// solids are farther apart than `reach` [m].
    pub(super) fn direction(&mut self, pair: &Pair<'_>, reach: f64) -> Option<Vec3<f64>> {
        f64::vectorised(
            #[inline(always)]
            || self.best_direction(pair, reach),
        )
    }

    #[inline(always)]
    fn best_direction(&mut self, pair: &Pair<'_>, reach: f64) -> Option<Vec3<f64>> {
        let between = pair.b.centre() - pair.a.centre();
        let unit = 1.0 / pair.length;
        let [a, b] = [&pair.a, &pair.b].map(|solid| Core { solid, unit, part: 1.0 });
        let start = between.normalized_or(Vec3::Z);
        let first = CsoPoint::from_shapes(&Pose::IDENTITY, &a, &b, vector(start));
        // Larger numbers overflow in the algorithms' own arithmetic.
        let reasonable = |v: Vector| v.is_finite() && v.length() < 1e12;
        let mut best = Best { pair, direction: start, separation: pair.separation(start) };
        if !reasonable(first.orig1) || !reasonable(first.orig2) || best.separation > reach {
            return (best.separation <= reach).then_some(best.direction);
        }
        self.simplex.reset(first);
        let apart = (reach + pair.a.radius + pair.b.radius) * unit;
        let pose = Pose::IDENTITY;
        match closest_points(&pose, &a, &b, apart, true, &mut self.simplex) {
            GJKResult::ClosestPoints(on_a, on_b, dir) => {
                best.offer(on_b - on_a);
                best.offer(dir);
                best.offer(-dir);
                // Too close for the points to determine a direction.
                if (on_b - on_a).length() < 1e-6 {
                    self.expand(&a, &b, &mut best);
                }
            }
            GJKResult::NoIntersection(dir) | GJKResult::Proximity(dir) => {
                best.offer(dir);
                best.offer(-dir);
            }
            GJKResult::Intersection => {
                if !self.shrink(&a, &b, start, &mut best) {
                    self.expand(&a, &b, &mut best);
                }
            }
        }
        (best.separation <= reach).then_some(best.direction)
    }

    /// The direction out of a shallow penetration of an ellipsoid: the one in which a smaller ellipsoid is apart, which
    /// is close to the exact one. Newton's iteration does the rest. Expanding a polytope into a round shape would take
    /// long.
    #[inline(always)]
    fn shrink(
        &mut self,
        a: &Core<'_>,
        b: &Core<'_>,
        start: Vec3<f64>,
        best: &mut Best<'_>,
    ) -> bool {
        const PART: f64 = 0.9;
        let round = |core: &Core<'_>| matches!(core.solid.form, Form::Ellipsoid);
        if !round(a) && !round(b) {
            return false;
        }
        let [a, b] = [a, b].map(|c| Core { part: if round(c) { PART } else { 1.0 }, ..*c });
        let pose = Pose::IDENTITY;
        self.simplex.reset(CsoPoint::from_shapes(&pose, &a, &b, vector(start)));
        let found = closest_points(&pose, &a, &b, f64::MAX, true, &mut self.simplex);
        let GJKResult::ClosestPoints(on_a, on_b, _) = found else { return false };
        if (on_b - on_a).length() < 1e-3 {
            return false;
        }
        best.offer(on_b - on_a);
        true
    }

    /// The direction out of a penetration.
    #[inline(always)]
    fn expand(&mut self, a: &Core<'_>, b: &Core<'_>, best: &mut Best<'_>) {
        let found = self.epa.closest_points(&Pose::IDENTITY, a, b, &self.simplex);
        if let Some((on_a, on_b, normal)) = found {
            best.offer(normal);
            best.offer(-normal);
            best.offer(on_a - on_b);
        }
        // EPA may have found one of the longer ways out: also try the axes of the solids.
        for solid in [a.solid, b.solid] {
            for axis in solid.pose_a.rot.cols.map(vector) {
                best.offer(axis);
                best.offer(-axis);
            }
        }
    }
}

fn vector(v: Vec3<f64>) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// The best direction so far.
struct Best<'a> {
    pair: &'a Pair<'a>,
    direction: Vec3<f64>,
    separation: f64,
}

impl Best<'_> {
    #[inline(always)]
    fn offer(&mut self, direction: Vector) {
        let length = direction.length();
        if !(length > 1e-200 && length < 1e200) {
            return;
        }
        let unit = direction / length;
        let direction = Vec3::new(unit.x, unit.y, unit.z);
        let separation = self.pair.separation(direction);
        if separation > self.separation {
            (self.direction, self.separation) = (direction, separation);
        }
    }
}
