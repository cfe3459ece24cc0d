//! Faces, edges and corners of a solid that face a direction.

use gradbody_math::{Scalar, Vec3};
use gradbody_model::Hull;

use super::solid::{Form, Solid, scaled};

/// How a surface is curved at a place; this decides which points move as the normal turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Round {
    /// Not curved: a fixed point of the body.
    Flat,
    /// A ball around a point of the core.
    Ball,
    /// A circle around z, at a fraction of the half length: a cylinder's rim or side.
    Rim,
    /// The surface of an ellipsoid.
    Ellipsoid,
}

/// A flat face.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    /// Its number in the solid.
    pub(super) id: usize,
    /// Its normal in fraction coordinates: see [`normal_of`].
    pub(super) covector: Vec3<f64>,
    /// Outward unit normal in the frame of a.
    pub(super) normal_a: Vec3<f64>,
}

/// A point of the surface, and the edge through it if there is one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    pub(super) round: Round,
    /// Position on the core, as a fraction; see [`Solid`].
    pub(super) fraction: Vec3<f64>,
    /// The vector from there to the other end of the edge, as a fraction.
    pub(super) edge: Option<Vec3<f64>>,
}

/// Number of corners that approximate a round cap for clipping.
pub(super) const RIM_CORNERS: usize = 16;

/// Sine of the tilt below which the corners of a cap stay fixed to the body, so that they do not rotate when a standing
/// cylinder vibrates. The deepest point is then between two corners, and a gap too large by at most (1 − cos 11.25°) ·
/// `UPRIGHT` = 2e-5 times the radius.
const UPRIGHT: f64 = 1e-3;

/// Edges whose angle to the tangent plane has a larger sine do not touch.
const EDGE_ALONG: f64 = 0.05;

/// An outward normal in the solid's own frame, not normalised, from its covector. Scaling a solid scales its normals
/// inversely, that is, by the products of the other two scales.
#[inline(always)]
pub(super) fn normal_of(form: Form<'_>, covector: Vec3<f64>, scale: Vec3<f64>) -> Vec3<f64> {
    match form {
        Form::Hull(_) | Form::Prism { .. } => {
            scaled(covector, Vec3::new(scale.y * scale.z, scale.x * scale.z, scale.x * scale.y))
        }
        _ => covector,
    }
}

impl Solid<'_> {
    /// −1 if the solid's scale mirrors it, else 1.
    #[inline(always)]
    fn handedness(&self) -> f64 {
        if self.scale.x * self.scale.y * self.scale.z < 0.0 { -1.0 } else { 1.0 }
    }

    /// The face whose normal is closest to `direction_a`; `None` if there are no flat faces. Cuts between the pieces of
    /// an extrusion are not faces.
    pub(super) fn face(&self, direction_a: Vec3<f64>) -> Option<Face> {
        f64::vectorised(
            #[inline(always)]
            || {
                let d = self.own(direction_a);
                let mut best: Option<(f64, usize, Vec3<f64>)> = None;
                let mut offer = |id: usize, covector: Vec3<f64>, normal: Vec3<f64>| {
                    let unit = normal.normalized_or(Vec3::ZERO);
                    let facing = unit.dot(d);
                    if unit != Vec3::ZERO && best.is_none_or(|(most, ..)| facing > most) {
                        best = Some((facing, id, covector));
                    }
                };
                let side = self.handedness();
                let up = Vec3::new(0.0, 0.0, if d.z < 0.0 { -1.0 } else { 1.0 });
                let cap = usize::from(d.z < 0.0);
                match self.form {
                    Form::Box => {
                        let axis =
                            (0..3).fold(0, |m, i| if d[i].abs() > d[m].abs() { i } else { m });
                        let mut normal = Vec3::ZERO;
                        normal[axis] = if d[axis] < 0.0 { -1.0 } else { 1.0 };
                        offer(2 * axis + usize::from(d[axis] < 0.0), normal, normal);
                    }
                    Form::Cylinder => offer(cap, up, up),
                    Form::Hull(hull) => {
                        for (id, m) in hull.normals.iter().enumerate() {
                            let m = *m * side;
                            offer(id, m, normal_of(self.form, m, self.scale));
                        }
                    }
                    Form::Prism { outline, piece } => {
                        // z is never mirrored, since both ends exist.
                        offer(cap, up * side, up);
                        for (i, start) in piece.iter().enumerate() {
                            let end = piece[(i + 1) % piece.len()];
                            if outline.is_side(*start, end) {
                                let m = outward(
                                    outline.corners[*start as usize],
                                    outline.corners[end as usize],
                                );
                                let m = m * side;
                                offer(2 + i, m, normal_of(self.form, m, self.scale));
                            }
                        }
                    }
                    Form::Point | Form::Segment | Form::Ellipsoid => return None,
                }
                let (_, id, covector) = best?;
                let normal = normal_of(self.form, covector, self.scale).normalized_or(Vec3::Z);
                Some(Face { id, covector, normal_a: self.pose_a.vector(normal) })
            },
        )
    }

    /// Whether `direction_a` is the normal of a cut between pieces of an extrusion, and not also that of a side in line
    /// with the cut.
    pub(super) fn faces_cut(&self, direction_a: Vec3<f64>) -> bool {
        let Form::Prism { outline, piece } = self.form else { return false };
        let (d, side) = (self.own(direction_a), self.handedness());
        let (mut cut, mut face) = (false, false);
        for i in 0..piece.len() {
            let (start, end) = (piece[i], piece[(i + 1) % piece.len()]);
            let m = outward(outline.corners[start as usize], outline.corners[end as usize]) * side;
            let normal = normal_of(self.form, m, self.scale).normalized_or(Vec3::ZERO);
            if normal.dot(d) > 0.999 {
                *(if outline.is_side(start, end) { &mut face } else { &mut cut }) = true;
            }
        }
        cut && !face
    }

    /// Whether the foot is on the surface of the whole extrusion, not only of this piece, and no part of the extrusion
    /// lies beyond it along `direction_a`. The foot touches at `at_a`.
    pub(super) fn is_outer(&self, foot: &Foot, direction_a: Vec3<f64>, at_a: Vec3<f64>) -> bool {
        let Form::Prism { outline, piece } = self.form else { return true };
        let own = self.own(direction_a);
        if own.x.abs() + own.y.abs() < 1e-6 {
            return true; // On a cap.
        }
        // In fraction coordinates, d · (q − p) is how much farther q reaches than p.
        let d = scaled(own, self.scale);
        let at = |i: u32| outline.corners[i as usize];
        let here = [foot.fraction.x, foot.fraction.y];
        let corner = piece.iter().find(|i| at(**i) == here);
        let along_rim = foot.edge.filter(|e| e.x != 0.0 || e.y != 0.0);
        if let (Some(corner), None) = (corner, along_rim) {
            let n = outline.corners.len() as u32;
            let (before, after) = (at((corner + n - 1) % n), at((corner + 1) % n));
            let (into, on) = (outward(before, here), outward(here, after));
            let turns_outwards = into.x * on.y > into.y * on.x;
            let farther = |[x, y]: [f64; 2]| {
                let (x, y) = (x - here[0], y - here[1]);
                d.x * x + d.y * y > 1e-6 * d.norm() * x.hypot(y)
            };
            return turns_outwards && !farther(before) && !farther(after);
        }
        // On the rim of a cap: the nearest side or cut.
        let touching = self.pose_a.inverse().point(at_a);
        let here = [touching.x / self.scale.x, touching.y / self.scale.y];
        let mut best = (f64::INFINITY, true);
        for (k, start) in piece.iter().enumerate() {
            let end = piece[(k + 1) % piece.len()];
            let ([x, y], [x1, y1]) = (at(*start), at(end));
            let (edge, from) = ([x1 - x, y1 - y], [here[0] - x, here[1] - y]);
            let share = (edge[0] * from[0] + edge[1] * from[1]) / edge[0].hypot(edge[1]).powi(2);
            let share = share.clamp(0.0, 1.0);
            let apart = (from[0] - share * edge[0]).hypot(from[1] - share * edge[1]);
            if apart < best.0 {
                best = (apart, outline.is_side(*start, end));
            }
        }
        best.1
    }

    /// The corners of a face in order, as fractions. Those of a round cap begin with the one along `d`, in the solid's
    /// own frame.
    pub(super) fn corners(&self, id: usize, d: Vec3<f64>, out: &mut Vec<Vec3<f64>>) {
        out.clear();
        match self.form {
            Form::Box => {
                let (axis, end) = (id / 2, if id.is_multiple_of(2) { 1.0 } else { -1.0 });
                for (u, v) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)] {
                    let mut corner = Vec3::ZERO;
                    corner[axis] = end;
                    corner[(axis + 1) % 3] = u;
                    corner[(axis + 2) % 3] = v;
                    out.push(corner);
                }
            }
            Form::Cylinder => {
                let end = if id == 0 { 1.0 } else { -1.0 };
                let first = Vec3::new(d.x, d.y, 0.0);
                // If no point is clearly deepest, use points fixed to the body.
                let first = if first.norm() > UPRIGHT { first } else { Vec3::X };
                let first = first.normalized_or(Vec3::X);
                for i in 0..RIM_CORNERS {
                    let angle = i as f64 * (std::f64::consts::TAU / RIM_CORNERS as f64);
                    let (sin, cos) = angle.sin_cos();
                    let (x, y) = (first.x * cos - first.y * sin, first.x * sin + first.y * cos);
                    out.push(Vec3::new(x, y, end));
                }
            }
            Form::Hull(hull) => {
                out.extend(hull.faces[id].iter().map(|i| hull.vertices[*i as usize]));
            }
            Form::Prism { outline, piece } => {
                let corner = |i: usize, z: f64| {
                    let [x, y] = outline.corners[piece[i % piece.len()] as usize];
                    Vec3::new(x, y, z)
                };
                match id {
                    0 | 1 => {
                        let z = if id == 0 { 1.0 } else { -1.0 };
                        out.extend((0..piece.len()).map(|i| corner(i, z)));
                    }
                    _ => {
                        let i = id - 2;
                        let ends = [(i, -1.0), (i + 1, -1.0), (i + 1, 1.0), (i, 1.0)];
                        out.extend(ends.map(|(i, z)| corner(i, z)));
                    }
                }
            }
            Form::Point | Form::Segment | Form::Ellipsoid => {}
        }
    }

    /// The face, edge or point that reaches farthest along `direction_a`: the fractions of its corners, and the
    /// curvature of the surface at the first of them and at the others.
    pub(super) fn facing(
        &self,
        direction_a: Vec3<f64>,
        out: &mut Vec<Vec3<f64>>,
    ) -> (Round, Round) {
        f64::vectorised(
            #[inline(always)]
            || {
                let d = self.own(direction_a);
                out.clear();
                match self.form {
                    Form::Point => {
                        out.push(Vec3::ZERO);
                        (Round::Ball, Round::Ball)
                    }
                    Form::Segment => {
                        out.extend([-Vec3::Z, Vec3::Z]);
                        (Round::Ball, Round::Ball)
                    }
                    Form::Ellipsoid => {
                        out.push(self.support(d));
                        (Round::Ellipsoid, Round::Ellipsoid)
                    }
                    Form::Cylinder => {
                        let across = Vec3::new(d.x, d.y, 0.0).norm();
                        if d.z.abs() > across {
                            self.corners(usize::from(d.z < 0.0), d, out);
                            let deepest = if across > UPRIGHT { Round::Rim } else { Round::Flat };
                            (deepest, Round::Flat)
                        } else {
                            let side = self.support(d);
                            out.extend([-1.0, 1.0].map(|z| Vec3::new(side.x, side.y, z)));
                            (Round::Rim, Round::Rim)
                        }
                    }
                    Form::Box => {
                        if let Some(face) = self.face(direction_a) {
                            self.corners(face.id, d, out);
                        }
                        (Round::Flat, Round::Flat)
                    }
                    Form::Hull(hull) => {
                        self.corners(self.face_at_farthest(hull, d), d, out);
                        (Round::Flat, Round::Flat)
                    }
                    Form::Prism { outline, piece } => {
                        let deepest = self.support(d);
                        let mut best = (d.z.abs(), usize::from(d.z < 0.0));
                        for i in 0..piece.len() {
                            let [p, q] = [piece[i], piece[(i + 1) % piece.len()]]
                                .map(|k| outline.corners[k as usize]);
                            let has_deepest = [p, q].contains(&[deepest.x, deepest.y]);
                            let m = outward(p, q) * self.handedness();
                            let normal =
                                normal_of(self.form, m, self.scale).normalized_or(Vec3::ZERO);
                            if has_deepest && normal.dot(d) > best.0 {
                                best = (normal.dot(d), 2 + i);
                            }
                        }
                        self.corners(best.1, d, out);
                        (Round::Flat, Round::Flat)
                    }
                }
            },
        )
    }

    /// Of the faces at the farthest vertex, the one whose normal is closest to `d`.
    fn face_at_farthest(&self, hull: &Hull, d: Vec3<f64>) -> usize {
        let deepest = self.support(d);
        let at_deepest = |face: &[u32]| face.iter().any(|i| hull.vertices[*i as usize] == deepest);
        let mut best = (f64::NEG_INFINITY, 0);
        for (id, m) in hull.normals.iter().enumerate() {
            let normal = normal_of(self.form, *m * self.handedness(), self.scale);
            let facing = normal.normalized_or(Vec3::ZERO).dot(d);
            if facing > best.0 && at_deepest(&hull.faces[id]) {
                best = (facing, id);
            }
        }
        best.1
    }

    /// The points and edges of the surface that may touch something in direction `direction_a`, edges first.
    pub(super) fn feet(&self, direction_a: Vec3<f64>, out: &mut Vec<Foot>) {
        f64::vectorised(
            #[inline(always)]
            || {
                let d = self.own(direction_a);
                let fraction = self.support(d);
                out.clear();
                match self.form {
                    Form::Point => out.push(Foot { round: Round::Ball, fraction, edge: None }),
                    Form::Ellipsoid => {
                        out.push(Foot { round: Round::Ellipsoid, fraction, edge: None })
                    }
                    Form::Segment | Form::Cylinder => {
                        let round = if matches!(self.form, Form::Segment) {
                            Round::Ball
                        } else {
                            Round::Rim
                        };
                        if d.z.abs() < EDGE_ALONG && self.scale.z != 0.0 {
                            let edge = Some(Vec3::new(0.0, 0.0, -2.0 * fraction.z));
                            out.push(Foot { round, fraction, edge });
                        }
                        out.push(Foot { round, fraction, edge: None });
                    }
                    Form::Box => {
                        for axis in 0..3 {
                            if d[axis].abs() < EDGE_ALONG && self.scale[axis] != 0.0 {
                                let mut edge = Vec3::ZERO;
                                edge[axis] = -2.0 * fraction[axis];
                                out.push(Foot { round: Round::Flat, fraction, edge: Some(edge) });
                            }
                        }
                        out.push(Foot { round: Round::Flat, fraction, edge: None });
                    }
                    Form::Hull(hull) => {
                        for face in &hull.faces {
                            let at =
                                face.iter().position(|i| hull.vertices[*i as usize] == fraction);
                            let Some(at) = at else { continue };
                            // The edge that starts here; each edge starts here in exactly one face.
                            let next = hull.vertices[face[(at + 1) % face.len()] as usize];
                            self.offer_edge(fraction, next, d, out);
                        }
                        out.push(Foot { round: Round::Flat, fraction, edge: None });
                    }
                    Form::Prism { outline, piece } => {
                        let corner = |i: usize| outline.corners[piece[i % piece.len()] as usize];
                        let here = [fraction.x, fraction.y];
                        if let Some(at) = (0..piece.len()).find(|i| corner(*i) == here) {
                            for [x, y] in [corner(at + 1), corner(at + piece.len() - 1)] {
                                self.offer_edge(fraction, Vec3::new(x, y, fraction.z), d, out);
                            }
                        }
                        let across = Vec3::new(fraction.x, fraction.y, -fraction.z);
                        self.offer_edge(fraction, across, d, out);
                        out.push(Foot { round: Round::Flat, fraction, edge: None });
                    }
                }
            },
        )
    }

    /// Adds an edge if it is nearly perpendicular to `d`.
    #[inline(always)]
    fn offer_edge(&self, from: Vec3<f64>, to: Vec3<f64>, d: Vec3<f64>, out: &mut Vec<Foot>) {
        let edge = to - from;
        let unit = scaled(edge, self.scale).normalized_or(Vec3::ZERO);
        if unit != Vec3::ZERO && unit.dot(d).abs() < EDGE_ALONG {
            out.push(Foot { round: Round::Flat, fraction: from, edge: Some(edge) });
        }
    }
}

/// The outward normal of a side of a counter-clockwise polygon.
#[inline(always)]
fn outward(start: [f64; 2], end: [f64; 2]) -> Vec3<f64> {
    Vec3::new(end[1] - start[1], start[0] - end[0], 0.0)
}
