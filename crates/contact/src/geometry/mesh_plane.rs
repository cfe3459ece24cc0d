//! Mesh and plane.

use gradbody_math::{Scalar, Vec3};
use gradbody_model::{Hull, ShapeKind};

use super::ball::Ball;
use super::pair::in_world;
use super::solid::scaled;
use super::sphere_plane::ball_plane_vjp;
use super::touches_vjp::Bars;
use super::{Placed, PlacedCotangents, Scratch, Touch};

/// Touches of a mesh on a plane: enough for a round foot to stand on.
pub(super) const MESH_POINTS: usize = 8;

/// Vertices higher than this above the lowest one are left out. It is relative to the extent of the vertices.
const BAND: f64 = 0.05;

/// Heights and distances that differ by less than this are equal, relative to the same extent, and the first of equal
/// vertices is taken: a resting foot that vibrates keeps its touches. If more vertices are low than there are touches,
/// the gap of the lowest may be too large by this much.
const HAIR: f64 = 1e-5;

/// The lowest vertices of the hull against the plane, spread apart. The mesh is a.
#[inline(always)]
pub(super) fn mesh_plane<S: Scalar>(
    mesh: &Placed<'_, S>,
    plane: &Placed<'_, S>,
    scratch: &mut Scratch,
    out: &mut Vec<Touch<S>>,
) {
    let ShapeKind::Mesh(shape) = mesh.kind else { return };
    let Some(hull) = &shape.hull else { return };
    choose_in_all(hull, mesh, plane, &mut scratch.vertices);
    let up = plane.pose_w.rot.cols[2];
    for k in 0..MESH_POINTS {
        let (fraction, present) = chosen_vertex::<S>(hull, &scratch.vertices, k);
        let point = mesh.pose_w.point(scaled(fraction, mesh.size));
        let gap = (point - plane.pose_w.pos).dot(up);
        let pick = |here: S, none: S| S::ZERO.select_lt(present, here, none);
        let middle = up.neg_scale_add(gap * S::from_f64(0.5), point);
        let none = Touch::none();
        out.push(Touch {
            point_w: Vec3::new(
                pick(middle.x, none.point_w.x),
                pick(middle.y, none.point_w.y),
                pick(middle.z, none.point_w.z),
            ),
            normal_w: -up,
            gap: pick(gap, none.gap),
        });
    }
}

/// Adjoint of [`mesh_plane`]; chooses the vertices again.
#[inline(always)]
pub(super) fn mesh_plane_vjp<S: Scalar>(
    mesh: &Placed<'_, S>,
    plane: &Placed<'_, S>,
    scratch: &mut Scratch,
    bars: Bars<'_, S>,
    mesh_bar: &mut PlacedCotangents<S>,
    plane_bar: &mut PlacedCotangents<S>,
) {
    let ShapeKind::Mesh(shape) = mesh.kind else { return };
    let Some(hull) = &shape.hull else { return };
    if bars.are_zero() {
        return;
    }
    choose_in_all(hull, mesh, plane, &mut scratch.vertices);
    for k in 0..MESH_POINTS {
        let (fraction, present) = chosen_vertex::<S>(hull, &scratch.vertices, k);
        let bar = bars.at(k).where_positive(present);
        let lever_w = mesh.pose_w.vector(scaled(fraction, mesh.size));
        let point = Ball::of_point(mesh.pose_w.pos + lever_w);
        let bar_w = ball_plane_vjp(point, plane, &bar, plane_bar).center_w;
        mesh_bar.add_point(lever_w, bar_w);
        mesh_bar.size += scaled(fraction, mesh.pose_w.rot.transpose_mul(bar_w));
    }
}

/// Vertex number `k` of each world's choice, as a fraction; the second number is positive where there is one.
#[inline(always)]
fn chosen_vertex<S: Scalar>(hull: &Hull, chosen: &[u32], k: usize) -> (Vec3<S>, S) {
    let vertex = |lane: usize| hull.vertices.get(chosen[lane * MESH_POINTS + k] as usize);
    let at = |lane: usize| vertex(lane).copied().unwrap_or_default();
    let fraction = Vec3::new(
        S::from_lanes(|l| at(l).x),
        S::from_lanes(|l| at(l).y),
        S::from_lanes(|l| at(l).z),
    );
    (fraction, S::from_lanes(|l| if vertex(l).is_some() { 1.0 } else { 0.0 }))
}

/// Chooses the vertices in every world.
#[inline(always)]
fn choose_in_all<S: Scalar>(
    hull: &Hull,
    mesh: &Placed<'_, S>,
    plane: &Placed<'_, S>,
    chosen: &mut Vec<u32>,
) {
    chosen.clear();
    for lane in 0..S::LANES {
        choose(hull, mesh, plane, lane, chosen);
    }
}

/// Adds the indices of one world's vertices in ascending order, padded with `u32::MAX`.
fn choose<S: Scalar>(
    hull: &Hull,
    mesh: &Placed<'_, S>,
    plane: &Placed<'_, S>,
    lane: usize,
    chosen: &mut Vec<u32>,
) {
    f64::vectorised(
        #[inline(always)]
        || {
            let pose = in_world(&plane.pose_w, lane).inverse() * in_world(&mesh.pose_w, lane);
            let size = mesh.size.map(|x| x.lane(lane));
            let at = |i: u32| pose.point(scaled(hull.vertices[i as usize], size));
            let count = hull.vertices.len() as u32;
            let (mut low, mut high, mut farthest) = (f64::INFINITY, f64::NEG_INFINITY, 0.0_f64);
            for i in 0..count {
                let p = at(i);
                (low, high) = (low.min(p.z), high.max(p.z));
                farthest = farthest.max((p - at(0)).norm());
            }
            let extent = farthest.max(high - low);
            let (band, hair) = (low + BAND * extent, HAIR * extent);
            let lowest = (0..count).find(|i| at(*i).z <= low + hair).unwrap_or(0);
            let start = chosen.len();
            chosen.push(lowest);
            while chosen.len() < start + MESH_POINTS {
                let mut best = (0.0, u32::MAX);
                for i in (0..count).filter(|i| at(*i).z <= band) {
                    let p = at(i);
                    let near = chosen[start..].iter().map(|k| {
                        let between = p - at(*k);
                        between.x * between.x + between.y * between.y
                    });
                    let near = near.fold(f64::INFINITY, f64::min).sqrt();
                    if near > best.0 + hair {
                        best = (near, i);
                    }
                }
                if best.1 == u32::MAX {
                    break;
                }
                chosen.push(best.1);
            }
            chosen[start..].sort_unstable();
            chosen.resize(start + MESH_POINTS, u32::MAX);
        },
    )
}
