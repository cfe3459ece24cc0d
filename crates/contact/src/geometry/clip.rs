//! Clipping of polygons: the part of one polygon that lies over another.

use gradbody_math::Vec3;

use super::features::{Foot, Round};

/// A corner of a polygon on the second solid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    /// Position as a fraction of its solid's size.
    pub(super) fraction: Vec3<f64>,
    /// Position in the frame of a [m].
    pub(super) at: Vec3<f64>,
    /// The curvature of the surface there.
    pub(super) round: Round,
    /// Whether clipping created it.
    pub(super) cut: bool,
}

/// Buffers of polygons and edges.
#[derive(Default)]
pub(super) struct Clipper {
    /// Fractions of the polygon that is being read.
    pub(super) fractions: Vec<Vec3<f64>>,
    /// The clipping polygon, in the frame of a [m], and as fractions of its solid.
    pub(super) frame: Vec<Vec3<f64>>,
    pub(super) own_corners: Vec<Vec3<f64>>,
    /// The polygon to clip; afterwards what is left of it.
    pub(super) corners: Vec<Corner>,
    spare: Vec<Corner>,
    /// Points and edges of the two solids.
    pub(super) feet_a: Vec<Foot>,
    pub(super) feet_b: Vec<Foot>,
}

impl Clipper {
    /// Clips `corners` by the prism over `frame` along `normal`; points within `slack` [m] of it count as inside
    /// [Sutherland, Hodgman 1974].
    #[inline(always)]
    pub(super) fn clip(&mut self, normal: Vec3<f64>, slack: f64) {
        let n = self.frame.len();
        if n < 3 {
            return;
        }
        let middle = self.frame.iter().fold(Vec3::ZERO, |sum, p| sum + *p) * (1.0 / n as f64);
        for i in 0..n {
            let (start, end) = (self.frame[i], self.frame[(i + 1) % n]);
            let across = normal.cross(end - start).normalized_or(Vec3::ZERO);
            // A mirrored solid has its corners in reverse order.
            let inward = if (middle - start).dot(across) < 0.0 { -across } else { across };
            if inward != Vec3::ZERO {
                self.cut(start, inward, slack);
            }
        }
        self.remove_doubles(slack);
    }

    #[inline(always)]
    fn cut(&mut self, start: Vec3<f64>, inward: Vec3<f64>, slack: f64) {
        let inside = |c: &Corner| (c.at - start).dot(inward);
        self.spare.clear();
        for i in 0..self.corners.len() {
            let (here, next) = (self.corners[i], self.corners[(i + 1) % self.corners.len()]);
            let (from, to) = (inside(&here), inside(&next));
            if from >= -slack {
                self.spare.push(here);
            }
            if (from < -slack && to > slack) || (from > slack && to < -slack) {
                self.spare.push(between(&here, &next, from / (from - to)));
            }
        }
        std::mem::swap(&mut self.corners, &mut self.spare);
    }

    #[inline(always)]
    fn remove_doubles(&mut self, slack: f64) {
        let mut kept = 0;
        for i in 0..self.corners.len() {
            let corner = self.corners[i];
            if self.corners[..kept].iter().all(|c| (c.at - corner.at).norm() > 4.0 * slack) {
                self.corners[kept] = corner;
                kept += 1;
            }
        }
        self.corners.truncate(kept);
    }
}

/// The point at the fraction `part` of the way from one corner to another.
#[inline(always)]
fn between(here: &Corner, next: &Corner, part: f64) -> Corner {
    Corner {
        fraction: here.fraction + (next.fraction - here.fraction) * part,
        at: here.at + (next.at - here.at) * part,
        // Between points of a round cap lies its flat interior; along a side or segment the curvature stays the same.
        round: if here.round == next.round { here.round } else { Round::Flat },
        cut: true,
    }
}
