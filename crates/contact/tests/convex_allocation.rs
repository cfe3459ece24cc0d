//! Convex pairs allocate nothing once their buffers have grown.

#[path = "../../../tests/support/counting.rs"]
mod counting;

use std::sync::Arc;

use gradbody_contact::geometry::{Placed, Scratch, touches};
use gradbody_math::{Mat3, Transform, Vec3};
use gradbody_model::{Hull, Mesh, Outline, ShapeKind};

use counting::allocations;

#[test]
fn a_second_run_allocates_nothing() {
    let corners: Vec<_> =
        (0..8).map(|i| Vec3::new((i & 1) as f64, (i & 2) as f64, 0.3 * (i & 4) as f64)).collect();
    let hull = Hull::of_points(&corners).ok();
    let outline = Outline::new(vec![[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [0.0, 0.0]]).unwrap();
    let kinds = [
        ShapeKind::Capsule,
        ShapeKind::Box,
        ShapeKind::Cylinder,
        ShapeKind::Ellipsoid,
        ShapeKind::Mesh(Arc::new(Mesh { path: "".into(), hull })),
        ShapeKind::Extrusion(Arc::new(outline)),
    ];
    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
    let mut run = || {
        for a in &kinds {
            for b in &kinds {
                for i in 0..40 {
                    let angle = f64::from(i);
                    let rot = Mat3::from_rpy(Vec3::new(angle, 0.3 * angle, 0.7));
                    let pos = Vec3::new(0.3 * angle.sin(), 0.2 * angle.cos(), 0.05 * angle);
                    let (here, there) = (Transform::IDENTITY, Transform::new(rot, pos));
                    let size = Vec3::new(0.5, 0.4, 0.3);
                    out.clear();
                    touches::<f64>(
                        &Placed { kind: a, pose_w: here, size },
                        &Placed { kind: b, pose_w: there, size },
                        &mut scratch,
                        &mut out,
                    );
                }
            }
        }
    };
    run();
    assert_eq!(allocations(run), 0);
}
