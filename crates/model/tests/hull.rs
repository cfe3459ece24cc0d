//! Convex hulls: the right solid, and an error for everything that is none.

use gradbody_math::Vec3;
use gradbody_math::random::Random;
use gradbody_model::{Hull, HullError};

fn cube(half: f64) -> Vec<Vec3<f64>> {
    let ends = [-half, half];
    let mut corners = Vec::new();
    for x in ends {
        for y in ends {
            for z in ends {
                corners.push(Vec3::new(x, y, z));
            }
        }
    }
    corners
}

/// Numbers in [−1, 1) that are the same every time.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut random = Random::new(seed);
    move || random.signed()
}

/// Every face looks outwards, nothing lies outside, and Euler's formula holds.
fn assert_solid(hull: &Hull, points: &[Vec3<f64>]) {
    let edges: usize = hull.faces.iter().map(Vec::len).sum();
    assert_eq!(edges % 2, 0);
    assert_eq!(hull.vertices.len() + hull.faces.len(), edges / 2 + 2);
    assert_eq!(hull.normals.len(), hull.faces.len());
    for (face, normal) in hull.faces.iter().zip(&hull.normals) {
        assert!((normal.norm() - 1.0).abs() < 1e-12);
        let corner = hull.vertices[face[0] as usize];
        for p in points {
            assert!((*p - corner).dot(*normal) < 1e-5, "{p:?} is outside");
        }
    }
    assert!(hull.vertices.iter().all(|v| points.contains(v)), "a vertex is not one of the points");
}

#[test]
fn a_cube_has_six_square_faces() {
    for half in [1.0, 1e-3, 1e4] {
        let points = cube(half);
        let hull = Hull::of_points(&points).unwrap();
        assert_eq!(hull.vertices.len(), 8);
        assert_eq!(hull.faces.len(), 6);
        assert!(hull.faces.iter().all(|f| f.len() == 4));
        assert_solid(&hull, &points);
    }
}

#[test]
fn points_inside_and_on_faces_are_dropped() {
    let mut points = cube(1.0);
    let mut next = random(3);
    points.extend((0..200).map(|_| Vec3::new(next(), next(), next()) * 0.99));
    points.extend((0..50).map(|_| Vec3::new(1.0, 0.9 * next(), 0.9 * next())));
    points.extend(cube(1.0));
    let hull = Hull::of_points(&points).unwrap();
    assert_eq!((hull.vertices.len(), hull.faces.len()), (8, 6));
    assert_solid(&hull, &points);
}

#[test]
fn random_clouds_give_solids() {
    for seed in 1..40 {
        let mut next = random(seed);
        let count = 4 + (seed as usize) * 7;
        let points: Vec<_> =
            (0..count).map(|_| Vec3::new(next(), 0.1 * next(), 3.0 * next() + 5.0)).collect();
        let hull = Hull::of_points(&points).unwrap();
        assert_solid(&hull, &points);
    }
}

#[test]
fn a_grid_and_a_prism_have_merged_faces() {
    let mut points = Vec::new();
    for i in 0..6 {
        for j in 0..6 {
            for k in 0..6 {
                points.push(Vec3::new(f64::from(i) * 0.1, f64::from(j) * 0.1, f64::from(k) * 0.1));
            }
        }
    }
    let hull = Hull::of_points(&points).unwrap();
    assert_eq!(hull.faces.len(), 6);
    let prism: Vec<_> = (0..64)
        .map(|i| {
            let (sin, cos) = (f64::from(i / 2) * std::f64::consts::TAU / 32.0).sin_cos();
            // Single precision, as in a file.
            Vec3::new(f64::from(cos as f32), f64::from(sin as f32), f64::from(i % 2))
        })
        .collect();
    let hull = Hull::of_points(&prism).unwrap();
    assert_eq!((hull.vertices.len(), hull.faces.len()), (64, 34));
    assert_solid(&hull, &prism);
}

#[test]
fn what_is_no_solid_is_refused() {
    let p = Vec3::new;
    let refused = |points: &[Vec3<f64>]| Hull::of_points(points).unwrap_err();
    assert_eq!(refused(&[]), HullError::TooFewPoints);
    assert_eq!(refused(&cube(1.0)[..3]), HullError::TooFewPoints);
    assert_eq!(refused(&[p(1.0, 2.0, 3.0); 9]), HullError::TooFewPoints);
    let line: Vec<_> = (0..9).map(|i| p(1.0, 2.0, 0.5) * f64::from(i)).collect();
    assert_eq!(refused(&line), HullError::Flat);
    let plane: Vec<_> = (0..25).map(|i| p(f64::from(i % 5), f64::from(i / 5), 0.3)).collect();
    assert_eq!(refused(&plane), HullError::Flat);
    let mut broken = cube(1.0);
    for bad in [f64::NAN, f64::INFINITY] {
        broken[2].y = bad;
        assert_eq!(refused(&broken), HullError::NotFinite);
    }
}

#[test]
fn nothing_panics() {
    for seed in 1..3000 {
        let mut next = random(seed);
        let count = (seed % 23) as usize;
        let step = [0.0, 0.5, 0.25, 1e-7, 1e-9][seed as usize % 5];
        let flat = [1.0, 1e-4, 1e-6, 1e-12, 0.0][seed as usize / 5 % 5];
        let scale = [1.0, 1e-150, 1e150, 1e300, 1e-300][seed as usize / 25 % 5];
        let mut coordinate = || {
            let x = next();
            if step > 0.0 { (x / step).round() * step } else { x }
        };
        let points: Vec<_> = (0..count)
            .map(|_| Vec3::new(coordinate(), coordinate(), flat * coordinate()) * scale)
            .collect();
        if let Ok(hull) = Hull::of_points(&points) {
            assert!(hull.normals.iter().all(|n| (n.norm() - 1.0).abs() < 1e-9));
        }
    }
}
