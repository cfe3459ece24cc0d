//! Corners at the same place become one. Files often have a corner of its own for each triangle.

use std::collections::HashMap;

use gradbody_math::Vec3;

use crate::mesh::Surface;

/// Steps of the grid on which corners are put, along the longest side of a mesh. Finer differences cannot be seen, and
/// short numbers compress well.
const STEPS: f64 = 16_384.0;

/// The surface with corners on a fine grid, each place once, and without triangles that have no area there. Corners
/// that are not finite, and the triangles at them, are left out.
pub(crate) fn welded(surface: Surface) -> Surface {
    let corners = snapped(&surface.corners);
    let mut known: HashMap<[u64; 3], u32> = HashMap::with_capacity(corners.len() / 2);
    let mut whole = Surface::default();
    let mut places = Vec::with_capacity(corners.len());
    for corner in corners {
        // Zero has one sign here.
        let key = corner.to_array().map(|x| (x + 0.0).to_bits());
        places.push(*known.entry(key).or_insert_with(|| {
            whole.corners.push(corner);
            (whole.corners.len() - 1) as u32
        }));
    }
    for triangle in surface.triangles {
        let corner = |k: u32| places.get(k as usize).copied();
        let [Some(a), Some(b), Some(c)] = triangle.map(corner) else { continue };
        let finite = [a, b, c].iter().all(|k| whole.corners[*k as usize].is_finite());
        if a != b && b != c && c != a && finite {
            whole.triangles.push([a, b, c]);
        }
    }
    whole
}

/// Points on a grid whose steps are a power of two, at least 16384 along the longest side.
pub(crate) fn snapped(points: &[Vec3<f64>]) -> Vec<Vec3<f64>> {
    let finite = points.iter().filter(|point| point.is_finite());
    let Some(&first) = finite.clone().next() else { return points.to_vec() };
    let (mut low, mut high) = (first, first);
    for point in finite {
        low = Vec3::new(low.x.min(point.x), low.y.min(point.y), low.z.min(point.z));
        high = Vec3::new(high.x.max(point.x), high.y.max(point.y), high.z.max(point.z));
    }
    let side = high - low;
    let longest = side.x.max(side.y).max(side.z);
    if !(longest > 1e-30 && longest < 1e30) {
        return points.to_vec();
    }
    let step = (longest / STEPS).log2().floor().exp2();
    points.iter().map(|point| point.map(|x| (x / step).round() * step)).collect()
}
