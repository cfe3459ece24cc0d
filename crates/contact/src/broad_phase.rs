//! The broad phase: which pairs of shapes are near each other.
//!
//! Every shape but a plane is enclosed in a ball, grown by how far the shape can move in a step. The balls are sorted
//! by their least x and swept: each is tested against those that begin before it ends. All of this is in plain numbers,
//! over all lanes at once: a pair that is near in one world is examined in all.

use gradbody_math::{Scalar, Vec3};
use gradbody_model::ShapeId;

use crate::Rule;

/// A ball around a shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball<S> {
    /// Centre in the world [m].
    pub(crate) centre_w: Vec3<S>,
    /// Radius, including how far the shape can move in a step [m].
    pub(crate) radius: S,
    /// That distance alone [m].
    pub(crate) reach: S,
}

/// The extent of a shape along x.
#[derive(Clone, Copy, Debug)]
struct Extent {
    from: f64,
    to: f64,
    shape: ShapeId,
}

/// Initial capacity for pairs, per shape; a step with more has to allocate.
const PAIRS_PER_SHAPE: usize = 32;

/// Buffers of the sweep.
#[derive(Clone, Debug)]
pub(crate) struct BroadPhase {
    extents: Vec<Extent>,
    /// Pairs that are near and may touch.
    pub(crate) near: Vec<Near>,
}

/// Two shapes that are near each other, a before b, and how they touch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    pub(crate) a: ShapeId,
    pub(crate) b: ShapeId,
    pub(crate) rule: Rule,
}

impl BroadPhase {
    /// Buffers for this many shapes.
    pub(crate) fn new(shapes: usize) -> Self {
        BroadPhase {
            extents: Vec::with_capacity(shapes),
            near: Vec::with_capacity(PAIRS_PER_SHAPE * shapes),
        }
    }

    /// Finds the pairs of shapes whose balls overlap and that have a rule. `balls` has one ball for each shape.
    #[inline(always)]
    pub(crate) fn sweep<S: Scalar>(
        &mut self,
        shapes: &[ShapeId],
        balls: &[Ball<S>],
        rule: impl Fn(ShapeId, ShapeId) -> Option<Rule>,
    ) {
        self.near.clear();
        self.extents.clear();
        for shape in shapes {
            let ball = &balls[shape.index()];
            let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
            for lane in 0..S::LANES {
                let (x, r) = (ball.centre_w.x.lane(lane), ball.radius.lane(lane));
                from = from.min(x - r);
                to = to.max(x + r);
            }
            self.extents.push(Extent { from, to, shape: *shape });
        }
        self.extents.sort_unstable_by(|a, b| a.from.total_cmp(&b.from));
        for i in 0..self.extents.len() {
            let first = self.extents[i];
            for second in &self.extents[i + 1..] {
                if second.from > first.to {
                    break;
                }
                let (a, b) = (first.shape.min(second.shape), first.shape.max(second.shape));
                if overlap(&balls[a.index()], &balls[b.index()])
                    && let Some(rule) = rule(a, b)
                {
                    self.near.push(Near { a, b, rule });
                }
            }
        }
    }
}

/// Whether two balls overlap in any lane. NaN counts as apart.
#[inline(always)]
fn overlap<S: Scalar>(a: &Ball<S>, b: &Ball<S>) -> bool {
    let reach = a.radius + b.radius;
    let apart = (a.centre_w - b.centre_w).norm_squared() - reach * reach;
    apart.select_le(S::ZERO, S::ONE, S::ZERO).any()
}
