//! From the direction of largest separation to the places where two solids touch.
//!
//! The distance of two solids is the largest separation along any direction. So all candidates for the normal (faces,
//! pairs of edges, results of Newton's iteration on round surfaces) are compared by their separations, however they
//! were found.

use gradbody_math::{Scalar, Vec3};

use super::clip::{Clipper, Corner};
use super::features::{Face, Foot, RIM_CORNERS, normal_of};
use super::pair::Pair;
use super::place::{CornerPoint, FacePoint, Found, Place};
use super::solid::{Form, Solid, scaled};
use super::tangent::tangent;

/// A face is preferred unless a pair of edges is better by more than this, relative to the size of the smaller solid.
/// Otherwise a resting body could drop from four places to one because of a tiny tilt. The gap is then too small by at
/// most this much.
pub(super) const EDGE_SLACK: f64 = 1e-4;

/// The same where a face gives no more places than an edge: allows for rounding only.
const POINT_SLACK: f64 = 1e-9;

/// Points within this distance of a border count as inside, relative to the size of the smaller solid.
const BORDER_SLACK: f64 = 1e-9;

/// Edges count as parallel, and touch in two places, if the sine of their angle is smaller.
const PARALLEL: f64 = 1e-3;

/// The corner of a face can be the touching point only if the normals of the two faces have at least this cosine.
const LEAST_FACING: f64 = 0.5;

/// A direction that turned by less than this still faces the same features [rad].
const SAME_FEATURES: f64 = 1e-3;

/// How often a direction may turn to other features.
const MOST_ROUNDS: usize = 4;

impl Clipper {
    /// Adds the places where the solids touch to `out`, given a direction from a to b along which their separation is
    /// (nearly) largest.
    pub(super) fn places(&mut self, pair: &Pair<'_>, n: Vec3<f64>, out: &mut Vec<Found>) {
        f64::vectorised(
            #[inline(always)]
            || {
                let start = out.len();
                self.places_of_pieces(pair, n, out);
                for found in &mut out[start..] {
                    if let Place::Tangent(at) = &found.place {
                        let outer_a = pair.a.is_outer(&at.a, at.normal, found.at);
                        let outer_b = pair.b.is_outer(&at.b, -at.normal, found.at);
                        found.inner = !(outer_a && outer_b);
                    }
                }
            },
        )
    }

    #[inline(always)]
    fn places_of_pieces(&mut self, pair: &Pair<'_>, n: Vec3<f64>, out: &mut Vec<Found>) {
        let Some(mut n) = without_cuts(pair, n) else { return };
        for _ in 0..MOST_ROUNDS {
            if self.with_face(pair, n, out) {
                return;
            }
            let Some((found, a, b)) = self.without_face(pair, n) else { return };
            let Place::Tangent(tangent) = &found.place else { return };
            let turned = (tangent.normal - n).norm();
            // A direction that turned far may face other features.
            if turned < SAME_FEATURES {
                if !self.along_parallel_edges(pair, &found, a, b, out) {
                    out.push(found);
                }
                return;
            }
            n = tangent.normal;
        }
        out.extend(self.without_face(pair, n).map(|(found, ..)| found));
    }

    /// Finds the places over a face that is nearly perpendicular to `n`; returns false if there is no such face.
    #[inline(always)]
    fn with_face(&mut self, pair: &Pair<'_>, n: Vec3<f64>, out: &mut Vec<Found>) -> bool {
        let extended = extended(&pair.a, n) && extended(&pair.b, n);
        let slack = if extended { EDGE_SLACK } else { POINT_SLACK } * pair.length;
        let least = pair.separation(n) - slack;
        let face_a = pair.a.face(n).map(|f| (pair.separation(f.normal_a), f));
        let face_b = pair.b.face(-n).map(|f| (pair.separation(-f.normal_a), f));
        let of = |face: &Option<(f64, Face)>| face.map_or(f64::NEG_INFINITY, |(s, _)| s);
        // Prefers the first shape's face if both are nearly equal, so that the choice is stable.
        let prefers_a = of(&face_a) >= least.max(of(&face_b) - slack);
        let (face, on_b) = if prefers_a { (face_a, false) } else { (face_b, true) };
        let Some((s, face)) = face.filter(|(s, _)| *s >= least) else { return false };
        let start = out.len();
        self.over_face(pair, &face, on_b, out);
        // The nearest point must lie over the face, up to the slack.
        let nearest = out[start..].iter().map(|f| f.gap).fold(f64::INFINITY, f64::min);
        let over = nearest <= s + slack;
        if !over {
            out.truncate(start);
        }
        over
    }

    /// The corners of the feature opposite to a face, where they lie over it.
    #[inline(always)]
    fn over_face(&mut self, pair: &Pair<'_>, face: &Face, on_b: bool, out: &mut Vec<Found>) {
        let (owner, other) = if on_b { (&pair.b, &pair.a) } else { (&pair.a, &pair.b) };
        let normal = face.normal_a;
        owner.corners(face.id, Vec3::X, &mut self.fractions);
        let foot = self.fractions[0];
        // The corners of a round cap's polygon lie outside the cap, so that they enclose it.
        let around = match owner.form {
            Form::Cylinder => 1.0 / (std::f64::consts::PI / RIM_CORNERS as f64).cos(),
            _ => 1.0,
        };
        self.frame.clear();
        let outer = Vec3::new(around, around, 1.0);
        self.own_corners.clone_from(&self.fractions);
        // Loops in place of `extend`, whose closures a portable build would not compile for this machine's instructions.
        for fraction in &self.fractions {
            self.frame.push(owner.point(scaled(*fraction, outer)));
        }
        let (first, rest) = other.facing(-normal, &mut self.fractions);
        self.corners.clear();
        for (i, fraction) in self.fractions.iter().enumerate() {
            let (fraction, at) = (*fraction, other.point(*fraction));
            self.corners.push(Corner {
                fraction,
                at,
                round: if i == 0 { first } else { rest },
                cut: false,
            });
        }
        let (other_foot, other_covector) =
            (self.fractions.first().copied().unwrap_or_default(), plane_of(&self.fractions));
        let other_normal = normal_of(other.form, other_covector, other.scale);
        let other_normal = other.pose_a.vector(other_normal.normalized_or(Vec3::ZERO));
        // The sign of a covector is arbitrary here.
        let facing = other_normal.dot(normal).abs() > LEAST_FACING;
        let height = |at: Vec3<f64>| (at - owner.point(foot)).dot(normal) - other.radius;
        let mut deepest: Option<(f64, Corner)> = None;
        for corner in &self.corners {
            let height = height(corner.at);
            if deepest.is_none_or(|(least, _)| height.total_cmp(&least).is_lt()) {
                deepest = Some((height, *corner));
            }
        }
        self.clip(normal, BORDER_SLACK * pair.length);
        // A face of a piece may border on a cut in the same plane.
        let mut inner = false;
        if self.corners.is_empty() {
            // Only rounding places anything over the face.
            inner = matches!(owner.form, Form::Prism { .. });
            self.corners.extend(deepest.map(|(_, corner)| corner));
        }
        for corner in &self.corners {
            let under = |p: &Vec3<f64>| {
                let between = corner.at - *p;
                normal.neg_scale_add(between.dot(normal), between).norm()
            };
            let is_corner = |p: &Vec3<f64>| under(p) < 8.0 * BORDER_SLACK * pair.length;
            // The corners of a round cap's polygon are not corners of the solid.
            let owned = match owner.form {
                Form::Cylinder => None,
                _ if corner.cut && facing => self.frame.iter().position(is_corner),
                _ => None,
            };
            let place = match owned {
                Some(k) => Place::Corner(CornerPoint {
                    on_b,
                    covector: face.covector,
                    corner: self.own_corners[k],
                    other_covector,
                    other_foot,
                }),
                None => Place::Face(FacePoint {
                    on_b,
                    covector: face.covector,
                    foot,
                    fraction: corner.fraction,
                    round: corner.round,
                }),
            };
            out.push(Found { place, at: corner.at, gap: height(corner.at), inner });
        }
    }

    /// The place where edges, corners and round surfaces face each other, and the two feet.
    #[inline(always)]
    fn without_face(&mut self, pair: &Pair<'_>, n: Vec3<f64>) -> Option<(Found, Foot, Foot)> {
        pair.a.feet(n, &mut self.feet_a);
        pair.b.feet(-n, &mut self.feet_b);
        let mut best: Option<(f64, Found, Foot, Foot)> = None;
        for a in &self.feet_a {
            for b in &self.feet_b {
                let Some(found) = tangent(pair, n, *a, *b) else { continue };
                let Place::Tangent(at) = &found.place else { continue };
                let separation = pair.separation(at.normal);
                // If these are not the farthest points along the normal, their gap is too large.
                let score = separation - (found.gap - separation);
                let more =
                    |(most, ..): &(f64, Found, Foot, Foot)| score > most + 1e-12 * pair.length;
                if score.is_finite() && best.as_ref().is_none_or(more) {
                    best = Some((score, found, *a, *b));
                }
            }
        }
        best.map(|(_, found, a, b)| (found, a, b))
    }

    /// The two ends of the overlap of parallel edges, if there are such edges.
    #[inline(always)]
    fn along_parallel_edges(
        &self,
        pair: &Pair<'_>,
        found: &Found,
        a: Foot,
        b: Foot,
        out: &mut Vec<Found>,
    ) -> bool {
        let Place::Tangent(place) = &found.place else { return false };
        let n = place.normal;
        let edge_of = |solid: &Solid<'_>, foot: &Foot| {
            let edge = solid.pose_a.vector(scaled(foot.edge?, solid.scale));
            let length = edge.norm();
            (length > 0.0 && edge.dot(n).abs() < PARALLEL * length).then_some((edge, length))
        };
        for on_a in self.feet_a.iter().filter(|f| a.edge.is_none() || f.edge == a.edge) {
            for on_b in self.feet_b.iter().filter(|f| b.edge.is_none() || f.edge == b.edge) {
                let (Some((e, e_length)), Some((f, f_length))) =
                    (edge_of(&pair.a, on_a), edge_of(&pair.b, on_b))
                else {
                    continue;
                };
                if e.cross(f).norm() > PARALLEL * e_length * f_length {
                    continue;
                }
                // Start and end of b's edge as fractions of a's edge, then the overlap.
                let start = (pair.b.point(on_b.fraction) - pair.a.point(on_a.fraction)).dot(e)
                    / (e_length * e_length);
                let along = f.dot(e) / (e_length * e_length);
                let [t0, t1] = [-start / along, (1.0 - start) / along];
                let (low, high) = (t0.min(t1).max(0.0), t0.max(t1).min(1.0));
                if high - low <= 1e-6 || !(low + high).is_finite() {
                    continue;
                }
                let ends = [low, high].map(|t| {
                    let fraction = on_b.fraction + on_b.edge.unwrap_or_default() * t;
                    let end = Foot { fraction, edge: None, ..*on_b };
                    tangent(pair, n, *on_a, end).filter(|found| faces(found, n))
                });
                let [Some(first), Some(second)] = ends else { continue };
                out.extend([first, second]);
                return true;
            }
        }
        false
    }
}

/// A vector perpendicular to a polygon, of either sign; zero if the polygon has no area.
#[inline(always)]
fn plane_of(polygon: &[Vec3<f64>]) -> Vec3<f64> {
    let Some((first, rest)) = polygon.split_first() else { return Vec3::ZERO };
    let fan = rest.windows(2).map(|w| (w[0] - *first).cross(w[1] - *first));
    fan.fold(Vec3::ZERO, |sum, v| sum + v).normalized_or(Vec3::ZERO)
}

/// Whether the normal of a place is close to `n`. Deep inside, the end of an edge may have the opposite normal.
#[inline(always)]
fn faces(found: &Found, n: Vec3<f64>) -> bool {
    matches!(&found.place, Place::Tangent(place) if place.normal.dot(n) > 0.999)
}

/// Whether a solid can touch a face with normal `n` in more than one place.
#[inline(always)]
fn extended(solid: &Solid<'_>, n: Vec3<f64>) -> bool {
    match solid.form {
        Form::Point | Form::Ellipsoid => false,
        // Only if it lies on the face.
        Form::Segment => solid.pose_a.rot.cols[2].dot(n).abs() < 0.01,
        _ => true,
    }
}

/// A direction that does not cross a cut between two pieces of an extrusion: deep inside, the normal of the piece's
/// best face. `None` if the solids only face each other across the cut.
#[inline(always)]
fn without_cuts(pair: &Pair<'_>, n: Vec3<f64>) -> Option<Vec3<f64>> {
    if !pair.a.faces_cut(n) && !pair.b.faces_cut(-n) {
        return Some(n);
    }
    if pair.separation(n) >= 0.0 {
        return None;
    }
    let mut best = (f64::NEG_INFINITY, n);
    for (solid, sign) in [(&pair.a, 1.0), (&pair.b, -1.0)] {
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            for d in [axis, -axis] {
                let Some(face) = solid.face(solid.pose_a.vector(d)) else { continue };
                let out = face.normal_a * sign;
                let separation = pair.separation(out);
                if separation > best.0 {
                    best = (separation, out);
                }
            }
        }
    }
    Some(best.1)
}

/// Keeps at most `most` places: the deepest, and those far from it and from each other. The order does not change.
/// Places nearly as deep as the deepest (`NEARLY`) take precedence over all others, which may be far from touching.
/// Within each class, each unit of depth is worth `DEPTH_COUNTS` units of distance. Differences below `HAIR` count as
/// equal, and the first of equal places is taken, so that a resting body that vibrates keeps its places. `length` [m]
/// is the size of the smaller solid.
#[inline(always)]
pub(super) fn keep_spread(found: &mut Vec<Found>, most: usize, length: f64) {
    const NEARLY: f64 = 1e-2;
    const DEPTH_COUNTS: f64 = 10.0;
    const HAIR: f64 = 1e-5;
    let tolerance = HAIR * length;
    let most = most.min(MOST_PLACES);
    if found.len() <= most {
        return;
    }
    let deeper = |i: usize, j: usize| found[i].gap < found[j].gap - tolerance;
    let deepest = (0..found.len()).fold(0, |m, i| if deeper(i, m) { i } else { m });
    let above = |place: &Found| place.gap - found[deepest].gap;
    let mut chosen = [deepest; MOST_PLACES];
    for count in 1..most {
        let mut best = (false, f64::NEG_INFINITY, 0);
        for (i, place) in found.iter().enumerate() {
            let apart = chosen[..count].iter().map(|k| (found[*k].at - place.at).norm());
            let nearest = apart.fold(f64::INFINITY, f64::min);
            let worth = nearest - DEPTH_COUNTS * above(place);
            let near = above(place) < NEARLY * length;
            let better =
                (near && !best.0) || (near == best.0 && worth > best.1 + DEPTH_COUNTS * tolerance);
            if better && !chosen[..count].contains(&i) {
                best = (near, worth, i);
            }
        }
        chosen[count] = best.2;
    }
    chosen[..most].sort_unstable();
    for k in 0..most {
        found[k] = found[chosen[k]];
    }
    found.truncate(most);
}

/// The largest number of places of any pair.
pub(super) const MOST_PLACES: usize = 8;

/// Removes places that are on the surface of a piece, but not of the whole shape. Deep inside there may be no others,
/// or none as deep: then they stay.
#[inline(always)]
pub(super) fn remove_inner(found: &mut Vec<Found>) {
    let outer = found.iter().filter(|f| !f.inner).map(|f| f.gap).fold(f64::INFINITY, f64::min);
    found.retain(|f| !f.inner || f.gap < outer);
}

/// Removes places that another piece of the same shape has already given.
#[inline(always)]
pub(super) fn remove_doubles(found: &mut Vec<Found>, tolerance: f64) {
    let mut kept = 0;
    for i in 0..found.len() {
        let here = found[i];
        let same =
            |f: &Found| (f.at - here.at).norm() < tolerance && (f.gap - here.gap).abs() < tolerance;
        if !found[..kept].iter().any(same) {
            found[kept] = here;
            kept += 1;
        }
    }
    found.truncate(kept);
}
