//! Convex polyhedra.

use std::collections::{HashMap, HashSet};

use gradbody_math::Vec3;
use parry3d_f64::math::Vector;
use parry3d_f64::transformation::try_convex_hull;

/// A convex polyhedron.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    /// Corners.
    pub vertices: Vec<Vec3<f64>>,
    /// The corners of each face in order, counter-clockwise seen from outside. Coplanar faces are merged.
    pub faces: Vec<Vec<u32>>,
    /// The outward unit normal of each face.
    pub normals: Vec<Vec3<f64>>,
    radius: f64,
    centre: Vec3<f64>,
    half_sides: Vec3<f64>,
}

/// Why points have no hull.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HullError {
    /// A coordinate is infinite or not a number.
    #[error("a point has a coordinate that is not a finite number")]
    NotFinite,
    /// Fewer than four different points.
    #[error("a solid needs at least 4 different points")]
    TooFewPoints,
    /// All points lie in one plane, on one line or at one point.
    #[error("all points lie in one plane: there is no solid between them")]
    Flat,
    /// The algorithm failed; nearly flat sets of points may cause that.
    #[error("the convex hull could not be found; the points may be nearly in one plane")]
    NotFound,
}

/// Points closer than this are the same point. Like the tolerances below it is relative to half the longest side of the
/// bounding box; mesh files have numbers in single precision.
const SAME_POINT: f64 = 1e-7;
/// Points closer than this to a plane lie in it.
const SAME_PLANE: f64 = 2e-6;
/// Least thickness of a solid.
const THINNEST: f64 = 1e-5;

impl Hull {
    /// The convex hull of points.
    pub fn of_points(points: &[Vec3<f64>]) -> Result<Hull, HullError> {
        if points.iter().any(|p| !p.is_finite()) {
            return Err(HullError::NotFinite);
        }
        let Some(unit) = UnitBox::around(points) else { return Err(HullError::TooFewPoints) };
        let (scaled, originals) = unit.different_points(points);
        if scaled.len() < 4 {
            return Err(HullError::TooFewPoints);
        }
        if thickness(&scaled) < THINNEST {
            return Err(HullError::Flat);
        }
        let input: Vec<Vector> = scaled.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
        let (corners, triangles) = try_convex_hull(&input).map_err(|_| HullError::NotFound)?;
        let corners: Vec<Vec3<f64>> = corners.iter().map(|c| Vec3::new(c.x, c.y, c.z)).collect();
        let faces = merged_faces(&corners, &triangles).ok_or(HullError::NotFound)?;
        check_convex(&scaled, &corners, &faces)?;
        let original = |corner: &Vec3<f64>| originals.get(&bits(*corner)).map(|i| points[*i]);
        let vertices: Option<Vec<Vec3<f64>>> = corners.iter().map(original).collect();
        // Normals of the scaled corners: products of very large or small numbers would overflow.
        let normals = faces.iter().map(|face| normal(&corners, face)).collect();
        Ok(Hull::from_faces(vertices.ok_or(HullError::NotFound)?, faces, normals))
    }

    /// Keeps only the vertices that faces use.
    fn from_faces(
        vertices: Vec<Vec3<f64>>,
        mut faces: Vec<Vec<u32>>,
        normals: Vec<Vec3<f64>>,
    ) -> Hull {
        let used: HashSet<u32> = faces.iter().flatten().copied().collect();
        let mut renamed = HashMap::new();
        let mut kept = Vec::with_capacity(used.len());
        for (old, vertex) in vertices.into_iter().enumerate() {
            if used.contains(&(old as u32)) {
                renamed.insert(old as u32, kept.len() as u32);
                kept.push(vertex);
            }
        }
        for corner in faces.iter_mut().flatten() {
            *corner = renamed[corner];
        }
        let radius = kept.iter().map(|v| v.norm()).fold(0.0, f64::max);
        let farthest = |d: Vec3<f64>| {
            let farther = |a: Vec3<f64>, b: &Vec3<f64>| if b.dot(d) > a.dot(d) { *b } else { a };
            kept.iter().skip(1).fold(kept.first().copied().unwrap_or_default(), farther)
        };
        let ends = [Vec3::X, Vec3::Y, Vec3::Z].map(|d| [farthest(d), farthest(-d)]);
        // Divided first: sums of large numbers may overflow.
        let centre = ends.iter().flatten().fold(Vec3::ZERO, |sum, v| sum + *v * (1.0 / 6.0));
        let [x, y, z] = ends.map(|[high, low]| high * 0.5 - low * 0.5);
        let half_sides = Vec3::new(x.x, y.y, z.z);
        Hull { vertices: kept, faces, normals, radius, centre, half_sides }
    }

    /// Distance of the farthest vertex from the origin.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// A point inside: the mean of the six vertices that reach farthest along the axes.
    pub fn centre(&self) -> Vec3<f64> {
        self.centre
    }

    /// Half the sides of the bounding box.
    pub fn half_sides(&self) -> Vec3<f64> {
        self.half_sides
    }
}

/// The bounding box's centre and half its longest side: in these units numbers are near one.
struct UnitBox {
    centre: Vec3<f64>,
    half: f64,
}

impl UnitBox {
    /// `None` unless there are two different points.
    fn around(points: &[Vec3<f64>]) -> Option<UnitBox> {
        let first = *points.first()?;
        let (mut low, mut high) = (first, first);
        for p in points {
            low = Vec3::new(low.x.min(p.x), low.y.min(p.y), low.z.min(p.z));
            high = Vec3::new(high.x.max(p.x), high.y.max(p.y), high.z.max(p.z));
        }
        // Halved first: the sum of two large numbers may overflow.
        let side = high * 0.5 - low * 0.5;
        let half = side.x.max(side.y).max(side.z);
        (half > 0.0).then_some(UnitBox { centre: high * 0.5 + low * 0.5, half })
    }

    /// One of each group of equal points, scaled, and the index of the original of each.
    fn different_points(&self, points: &[Vec3<f64>]) -> (Vec<Vec3<f64>>, HashMap<[u64; 3], usize>) {
        let mut seen = HashSet::new();
        let mut scaled = Vec::new();
        let mut originals = HashMap::new();
        for (i, p) in points.iter().enumerate() {
            let unit = (*p - self.centre).map(|x| x / self.half);
            let cell = unit.map(|x| (x / SAME_POINT).round() as i64);
            if seen.insert([cell.x, cell.y, cell.z]) {
                originals.insert(bits(unit), i);
                scaled.push(unit);
            }
        }
        (scaled, originals)
    }
}

fn bits(p: Vec3<f64>) -> [u64; 3] {
    // Adding zero turns minus zero into plus zero.
    [(p.x + 0.0).to_bits(), (p.y + 0.0).to_bits(), (p.z + 0.0).to_bits()]
}

/// The distance of the points from a plane through three of them that are far apart.
fn thickness(points: &[Vec3<f64>]) -> f64 {
    let first = points[0];
    let farthest = |measure: &dyn Fn(Vec3<f64>) -> f64| {
        let mut best = (first, 0.0);
        for p in points {
            let far = measure(*p);
            if far > best.1 {
                best = (*p, far);
            }
        }
        best
    };
    let (second, _) = farthest(&|p| (p - first).norm());
    let along = (second - first).normalized_or(Vec3::X);
    let (third, width) = farthest(&|p| (p - first).cross(along).norm());
    if width < THINNEST {
        return width;
    }
    let across = along.cross(third - first).normalized_or(Vec3::Z);
    farthest(&|p| (p - first).dot(across).abs()).1
}

/// The unit normal of a polygon [Newell].
fn normal(vertices: &[Vec3<f64>], face: &[u32]) -> Vec3<f64> {
    let at = |i: usize| vertices[face[i % face.len()] as usize];
    let origin = at(0);
    let mut sum = Vec3::ZERO;
    for i in 1..face.len() - 1 {
        sum += (at(i) - origin).cross(at(i + 1) - origin);
    }
    sum.normalized_or(Vec3::Z)
}

/// Merges triangles in one plane to polygons; `None` if the triangles do not enclose a solid.
fn merged_faces(corners: &[Vec3<f64>], triangles: &[[u32; 3]]) -> Option<Vec<Vec<u32>>> {
    let mut of_edge = HashMap::new();
    for (t, [a, b, c]) in triangles.iter().enumerate() {
        for edge in [(*a, *b), (*b, *c), (*c, *a)] {
            if of_edge.insert(edge, t).is_some() {
                return None;
            }
        }
    }
    let area = |t: usize| {
        let [a, b, c] = triangles[t].map(|i| corners[i as usize]);
        (b - a).cross(c - a).norm_squared()
    };
    // The largest first, since its plane is the most accurate.
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|a, b| area(*b).total_cmp(&area(*a)));
    let mut taken = vec![false; triangles.len()];
    let mut faces = Vec::new();
    for seed in order {
        if taken[seed] {
            continue;
        }
        let (up, origin) =
            (normal(corners, &triangles[seed]), corners[triangles[seed][0] as usize]);
        let in_plane = |t: usize| {
            let off = |i: &u32| (corners[*i as usize] - origin).dot(up).abs();
            triangles[t].iter().all(|i| off(i) < SAME_PLANE)
        };
        taken[seed] = true;
        let mut members = vec![seed];
        let mut next = 0;
        while let Some(&t) = members.get(next) {
            next += 1;
            let [a, b, c] = triangles[t];
            for back in [(b, a), (c, b), (a, c)] {
                let other = *of_edge.get(&back)?;
                if !taken[other] && in_plane(other) {
                    taken[other] = true;
                    members.push(other);
                }
            }
        }
        match outline(triangles, &members) {
            Some(face) => faces.push(face),
            None => faces.extend(members.iter().map(|t| triangles[*t].to_vec())),
        }
    }
    // Sorted like the triangles, so that the order does not depend on areas that differ only by rounding.
    faces.sort();
    Some(faces)
}

/// The loop of edges around triangles; `None` if there are several.
fn outline(triangles: &[[u32; 3]], members: &[usize]) -> Option<Vec<u32>> {
    let mut edges = HashSet::new();
    for [a, b, c] in members.iter().map(|t| triangles[*t]) {
        edges.extend([(a, b), (b, c), (c, a)]);
    }
    let mut after = HashMap::new();
    for &(a, b) in edges.iter().filter(|(a, b)| !edges.contains(&(*b, *a))) {
        if after.insert(a, b).is_some() {
            return None;
        }
    }
    let first = *after.keys().min()?;
    let mut face = vec![first];
    let mut at = *after.get(&first)?;
    while at != first {
        face.push(at);
        if face.len() > after.len() {
            return None;
        }
        at = *after.get(&at)?;
    }
    (face.len() == after.len()).then_some(face)
}

/// Checks that no point lies outside a face, and that the faces point outwards.
fn check_convex(
    points: &[Vec3<f64>],
    corners: &[Vec3<f64>],
    faces: &[Vec<u32>],
) -> Result<(), HullError> {
    /// Maximum number of pairs of points and faces to test; for larger hulls only the corners are tested.
    const MOST: usize = 100_000_000;
    let asked = if points.len().saturating_mul(faces.len()) < MOST { points } else { corners };
    for face in faces {
        let (up, origin) = (normal(corners, face), corners[face[0] as usize]);
        let outside = asked.iter().any(|p| (*p - origin).dot(up) > THINNEST);
        let inside = asked.iter().any(|p| (*p - origin).dot(up) < -0.1 * THINNEST);
        if outside || !inside {
            return Err(HullError::NotFound);
        }
    }
    if faces.len() < 4 { Err(HullError::NotFound) } else { Ok(()) }
}
