//! Gaps are distances, and the touching points lie on the surfaces.

use gradbody_contact::geometry::{Placed, slots};
use gradbody_math::Vec3;
use gradbody_model::ShapeKind;

use crate::oracle::{contains, in_polygon, scaled, separation};
use crate::random::Random;
use crate::scenes::{for_each_scene, is_there, least_gap, pairs, points, touches_of};

const ROUNDING: f64 = 1e-12;
/// How far beside a surface a point is looked at.
const BESIDE: f64 = 1e-7;

/// The normal separates the shapes by the gap, and no other direction by more: that is what a
/// signed distance of convex shapes is, apart or inside each other.
#[test]
fn the_least_gap_is_the_signed_distance() {
    for_each_scene(200, |scene, random| {
        let (a, b) = (scene.shape(0), scene.shape(1));
        if matches!(b.kind, ShapeKind::Extrusion(_)) {
            return; // Concave: see below.
        }
        let touches = scene.touches();
        let gap = least_gap(&touches);
        let nearest = touches.iter().find(|touch| touch.gap == gap).expect("a place");
        let along = separation(&a, &b, nearest.normal_w);
        assert!((along - gap).abs() < ROUNDING, "{gap} but {along} along the normal: {scene:#?}");
        for i in 0..300 {
            // Anywhere, and close to the normal.
            let spread = [1.0, 0.1, 0.01][i % 3];
            let other = random.direction() * spread + nearest.normal_w * (1.0 - spread);
            let along = separation(&a, &b, other.normalized_or(Vec3::Z));
            assert!(along < gap + ROUNDING, "{gap} but {along} along {other:?}: {scene:#?}");
        }
    });
}

/// Distance of a point from an extrusion, by points spread over its border.
fn sampled_distance(extrusion: &Placed<'_, f64>, point_w: Vec3<f64>) -> f64 {
    let ShapeKind::Extrusion(outline) = extrusion.kind else { unreachable!() };
    let p = extrusion.pose_w.rot.transpose_mul(point_w - extrusion.pose_w.pos);
    let scale = |c: &[f64; 2]| [c[0] * extrusion.size.x, c[1] * extrusion.size.y];
    let corners: Vec<_> = outline.corners.iter().map(scale).collect();
    let mut border_sq = f64::MAX;
    for i in 0..corners.len() {
        let ([x0, y0], [x1, y1]) = (corners[i], corners[(i + 1) % corners.len()]);
        for k in 0..=2000 {
            let t = f64::from(k) / 2000.0;
            let (dx, dy) = (x0 + t * (x1 - x0) - p.x, y0 + t * (y1 - y0) - p.y);
            border_sq = border_sq.min(dx * dx + dy * dy);
        }
    }
    let over_cap = p.z.abs() - extrusion.size.z;
    let in_outline = in_polygon(&corners, [p.x, p.y]);
    if in_outline && over_cap <= 0.0 {
        return -border_sq.sqrt().min(-over_cap);
    }
    let aside_sq = if in_outline { 0.0 } else { border_sq };
    (aside_sq + over_cap.max(0.0).powi(2)).sqrt()
}

#[test]
fn the_gap_to_an_extrusion_is_that_to_its_sampled_border() {
    let (mut inside, mut outside) = (0, 0);
    for_each_scene(300, |scene, _| {
        let (a, b) = (scene.shape(0), scene.shape(1));
        if !matches!(b.kind, ShapeKind::Extrusion(_)) {
            return;
        }
        let (center_w, radius) = match a.kind {
            ShapeKind::Points(list) => (a.pose_w.point(scaled(list[0].to_array(), a.size)), 0.0),
            _ => (a.pose_w.pos, a.size.x),
        };
        let distance = sampled_distance(&b, center_w);
        let touches = scene.touches();
        let first = if radius > 0.0 { least_gap(&touches) } else { touches[0].gap };
        let got = first + radius;
        // Samples are up to 1.2 mm apart.
        let spacing: f64 = 6e-4;
        let error = spacing.min(spacing * spacing / distance.abs().max(1e-12));
        assert!((got - distance).abs() < error + ROUNDING, "{got}, sampled {distance}: {scene:#?}");
        *(if distance < 0.0 { &mut inside } else { &mut outside }) += 1;
    });
    assert!(inside > 50 && outside > 50, "{inside} inside, {outside} outside");
}

/// Half a gap from the point towards either shape is its surface.
#[test]
fn the_point_is_midway_between_the_surfaces() {
    for_each_scene(200, |scene, _| {
        let touches = scene.touches();
        let least = least_gap(&touches);
        for touch in touches.iter().filter(|touch| is_there(touch)) {
            for (i, away) in [(0, touch.normal_w), (1, -touch.normal_w)] {
                let shape = scene.shape(i);
                let surface_w = touch.point_w - away * (0.5 * touch.gap);
                let outwards = match (shape.kind, &scene.kinds[1 - i]) {
                    (ShapeKind::Points(list), _) => {
                        let point_w = shape.pose_w.point(scaled(list[0].to_array(), shape.size));
                        assert!((surface_w - point_w).norm() < ROUNDING, "{touch:?}: {scene:#?}");
                        continue;
                    }
                    // The upper end's ball reaches down into the capsule.
                    (ShapeKind::Capsule, ShapeKind::Plane) if touch.gap > least => continue,
                    // At corners and rims, not all of them the lowest, and at sharp ones, the way
                    // out is away from the middle.
                    (_, ShapeKind::Plane) if touches.len() > 2 => surface_w - shape.pose_w.pos,
                    (ShapeKind::Extrusion(_), _) => surface_w - shape.pose_w.pos,
                    _ => away,
                };
                let outside = contains(&shape, surface_w + outwards * BESIDE);
                let inside = contains(&shape, surface_w - outwards * BESIDE);
                assert!(inside && !outside, "{touch:?} is not on shape {i}: {scene:#?}");
            }
        }
    });
}

#[test]
fn points_touch_one_by_one() {
    let list = [[0.3, -0.8, 0.5], [0.0, 0.0, 0.0], [-0.4, 0.9, -1.2]];
    let mut random = Random::new(7);
    for [kind, solid] in pairs() {
        if !matches!(kind, ShapeKind::Points(_)) {
            continue;
        }
        let (pose_w, size) = (random.pose(0.5), random.vector(0.2, 1.0));
        let b = Placed { kind: &solid, pose_w: random.pose(0.5), size: random.vector(0.2, 1.0) };
        let together = touches_of(&Placed { kind: &points(&list), pose_w, size }, &b);
        assert_eq!(together.len(), list.len());
        for (point, touch) in list.iter().zip(together) {
            let alone = touches_of(&Placed { kind: &points(&[*point]), pose_w, size }, &b)[0];
            assert_eq!((touch.gap, touch.point_w), (alone.gap, alone.point_w));
        }
    }
    for other in [ShapeKind::Ellipsoid, points(&list)] {
        assert_eq!(slots(&points(&list), &other), 0);
        assert_eq!(slots(&other, &points(&list)), 0);
    }
    assert_eq!(slots(&ShapeKind::Plane, &ShapeKind::Plane), 0);
}
