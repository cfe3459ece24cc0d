//! Meshes with fewer triangles, by collapsing edges.
//!
//! Each corner remembers the planes of the triangles that it stands for, as a quadric: the sum of squared distances to
//! them, weighted by area. The edge whose end can be moved to one point at the least cost goes first [Garland and
//! Heckbert, "Surface simplification using quadric error metrics", 1997]. Open edges have a plane of their own, upright
//! on their triangle, so that borders stay.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use gradbody_math::{Sym3, Vec3};

use crate::mesh::Surface;

/// The weight of the planes at open edges, beside those of triangles.
const BORDER: f64 = 10.0;
/// The least cosine between a triangle's normals before and after its corner moves: no triangle may turn over.
const LEAST_TURN: f64 = 0.2;

/// The surface with at most `most` triangles, or more if it cannot be simplified further.
pub(crate) fn simplify(surface: Surface, most: usize) -> Surface {
    if surface.triangles.len() <= most {
        return surface;
    }
    let mut collapse = Collapse::new(surface);
    while collapse.left > most {
        let Some(edge) = collapse.edges.pop() else { break };
        collapse.try_edge(&edge);
    }
    let mut simple = collapse.finished();
    simple.snap();
    simple
}

/// The sum of squared distances to planes: xᵀ A x + 2 bᵀ x + c.
#[derive(Clone, Copy, Default)]
struct Quadric {
    a: Sym3<f64>,
    b: Vec3<f64>,
    c: f64,
}

impl Quadric {
    /// The plane through a point with a unit normal, and its weight.
    fn of_plane(normal: Vec3<f64>, point: Vec3<f64>, weight: f64) -> Self {
        let Vec3 { x, y, z } = normal;
        let away = -normal.dot(point);
        let [xx, yy, zz, xy, xz, yz] =
            [x * x, y * y, z * z, x * y, x * z, y * z].map(|p| p * weight);
        let a = Sym3::new(xx, yy, zz, xy, xz, yz);
        Quadric { a, b: normal * (away * weight), c: away * away * weight }
    }

    fn plus(&self, other: &Quadric) -> Quadric {
        let (p, q) = (&self.a, &other.a);
        let a =
            Sym3::new(p.xx + q.xx, p.yy + q.yy, p.zz + q.zz, p.xy + q.xy, p.xz + q.xz, p.yz + q.yz);
        Quadric { a, b: self.b + other.b, c: self.c + other.c }
    }

    fn at(&self, x: Vec3<f64>) -> f64 {
        x.dot(self.times(x)) + 2.0 * self.b.dot(x) + self.c
    }

    fn times(&self, v: Vec3<f64>) -> Vec3<f64> {
        let a = &self.a;
        Vec3::new(
            a.xx * v.x + a.xy * v.y + a.xz * v.z,
            a.xy * v.x + a.yy * v.y + a.yz * v.z,
            a.xz * v.x + a.yz * v.y + a.zz * v.z,
        )
    }

    /// The point of least cost, if the planes determine one.
    fn lowest(&self) -> Option<Vec3<f64>> {
        let a = &self.a;
        let columns =
            [Vec3::new(a.xx, a.xy, a.xz), Vec3::new(a.xy, a.yy, a.yz), Vec3::new(a.xz, a.yz, a.zz)];
        let [x, y, z] = columns;
        let determinant = x.dot(y.cross(z));
        let trace = a.xx + a.yy + a.zz;
        // Planes that are nearly parallel determine a point far away.
        if determinant <= 1e-6 * trace * trace * trace {
            return None;
        }
        let r = -self.b;
        let point = Vec3::new(r.dot(y.cross(z)), x.dot(r.cross(z)), x.dot(y.cross(r)));
        Some(point * (1.0 / determinant)).filter(|p| p.is_finite())
    }
}

/// An edge that may be collapsed to a point. It is out of date once one of its ends has changed.
struct Edge {
    cost: f64,
    ends: [u32; 2],
    changes: [u32; 2],
    point: Vec3<f64>,
}

impl PartialEq for Edge {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Edge {}

impl PartialOrd for Edge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Edge {
    /// The cheapest is the greatest; ends decide between equals, so that the result is always the same.
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then_with(|| other.ends.cmp(&self.ends))
    }
}

struct Collapse {
    corners: Vec<Vec3<f64>>,
    quadrics: Vec<Quadric>,
    /// How often each corner has changed; `u32::MAX` if it is gone.
    changes: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    gone: Vec<bool>,
    /// The triangles at each corner, and some that are gone.
    around: Vec<Vec<u32>>,
    edges: BinaryHeap<Edge>,
    /// Number of triangles that are left.
    left: usize,
}

impl Collapse {
    fn new(surface: Surface) -> Self {
        let Surface { corners, triangles } = surface;
        let count = corners.len();
        let mut quadrics = vec![Quadric::default(); count];
        let mut around = vec![Vec::new(); count];
        // Each edge of each triangle, with the triangle's normal; equal edges are neighbours once sorted.
        let mut edges: Vec<([u32; 2], u32, Vec3<f64>)> = Vec::with_capacity(3 * triangles.len());
        for (t, triangle) in triangles.iter().enumerate() {
            let [a, b, c] = triangle.map(|k| corners[k as usize]);
            let upright = (b - a).cross(c - a);
            let twice = upright.norm();
            let normal = upright * (1.0 / twice.max(f64::MIN_POSITIVE));
            let plane = Quadric::of_plane(normal, a, 0.5 * twice);
            for (k, corner) in triangle.iter().enumerate() {
                quadrics[*corner as usize] = quadrics[*corner as usize].plus(&plane);
                around[*corner as usize].push(t as u32);
                edges.push((sorted(*corner, triangle[(k + 1) % 3]), t as u32, normal));
            }
        }
        edges.sort_unstable_by_key(|(ends, triangle, _)| (*ends, *triangle));
        for same in edges.chunk_by(|a, b| a.0 == b.0) {
            let [(ends, _, normal)] = same else { continue };
            let [a, b] = ends.map(|end| corners[end as usize]);
            let wall = normal.cross(b - a);
            let length = wall.norm();
            if length > 0.0 {
                let weight = BORDER * length * length;
                let plane = Quadric::of_plane(wall * (1.0 / length), a, weight);
                for end in ends {
                    quadrics[*end as usize] = quadrics[*end as usize].plus(&plane);
                }
            }
        }
        edges.dedup_by_key(|(ends, ..)| *ends);
        let mut collapse = Collapse {
            quadrics,
            changes: vec![0; count],
            gone: vec![false; triangles.len()],
            left: triangles.len(),
            edges: BinaryHeap::new(),
            corners,
            triangles,
            around,
        };
        let list: Vec<Edge> = edges.iter().map(|(ends, ..)| collapse.edge(*ends)).collect();
        collapse.edges = list.into();
        collapse
    }

    fn edge(&self, ends: [u32; 2]) -> Edge {
        let [i, j] = ends.map(|end| end as usize);
        let together = self.quadrics[i].plus(&self.quadrics[j]);
        let (a, b) = (self.corners[i], self.corners[j]);
        let candidates = [together.lowest(), Some((a + b) * 0.5), Some(a), Some(b)];
        // A lowest point that is far from the edge comes from planes that hardly cross.
        let near = |p: &Vec3<f64>| (*p - a).norm() + (*p - b).norm() <= 3.0 * (b - a).norm();
        let costs = candidates.into_iter().flatten().filter(near).map(|p| (together.at(p), p));
        let (cost, point) = costs.min_by(|p, q| p.0.total_cmp(&q.0)).unwrap_or((f64::MAX, a));
        // Among those that cost nothing, short edges go first.
        let length = (b - a).norm_squared();
        Edge {
            cost: cost.max(0.0) + 1e-9 * length * length,
            ends,
            changes: [self.changes[i], self.changes[j]],
            point,
        }
    }

    /// Collapses an edge, unless it is out of date or a triangle would turn over.
    fn try_edge(&mut self, edge: &Edge) {
        let [i, j] = edge.ends;
        let now = [self.changes[i as usize], self.changes[j as usize]];
        if now != edge.changes
            || self.turns_over(i, j, edge.point)
            || self.turns_over(j, i, edge.point)
        {
            return;
        }
        self.corners[i as usize] = edge.point;
        self.quadrics[i as usize] = self.quadrics[i as usize].plus(&self.quadrics[j as usize]);
        self.changes[j as usize] = u32::MAX;
        self.changes[i as usize] += 1;
        let moved = std::mem::take(&mut self.around[j as usize]);
        let mut kept = std::mem::take(&mut self.around[i as usize]);
        kept.retain(|t| !self.gone[*t as usize]);
        for t in moved {
            let triangle = &mut self.triangles[t as usize];
            if self.gone[t as usize] {
                continue;
            }
            if triangle.contains(&i) {
                self.gone[t as usize] = true;
                self.left -= 1;
                continue;
            }
            for corner in triangle.iter_mut().filter(|corner| **corner == j) {
                *corner = i;
            }
            kept.push(t);
        }
        kept.retain(|t| !self.gone[*t as usize]);
        let others = kept.iter().flat_map(|t| self.triangles[*t as usize]);
        let mut others: Vec<u32> = others.filter(|corner| *corner != i).collect();
        others.sort_unstable();
        others.dedup();
        self.around[i as usize] = kept;
        for other in others {
            let edge = self.edge(sorted(i, other));
            self.edges.push(edge);
        }
    }

    /// Whether a triangle at corner i, but not at j, would turn over if i moved.
    fn turns_over(&self, i: u32, j: u32, to: Vec3<f64>) -> bool {
        self.around[i as usize].iter().any(|t| {
            let triangle = &self.triangles[*t as usize];
            if self.gone[*t as usize] || triangle.contains(&j) {
                return false;
            }
            let place = |corner: u32| self.corners[corner as usize];
            let normal = |[a, b, c]: [Vec3<f64>; 3]| (b - a).cross(c - a);
            let before = normal(triangle.map(place));
            if before == Vec3::ZERO {
                return false;
            }
            let after = normal(triangle.map(|corner| if corner == i { to } else { place(corner) }));
            before.dot(after) <= LEAST_TURN * before.norm() * after.norm()
        })
    }

    fn finished(self) -> Surface {
        let left = self.triangles.into_iter().zip(self.gone).filter(|(_, gone)| !gone);
        Surface { corners: self.corners, triangles: left.map(|(triangle, _)| triangle).collect() }
    }
}

fn sorted(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
