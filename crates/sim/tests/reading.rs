//! Numbers that are read of a batch's worlds after a rollout.

use gradbody_math::{Inertia, Sym3, Vec3};
use gradbody_model::{FrameId, JointSpec, Material, Model, ModelBuilder, ShapeKind, ShapeParams};
use gradbody_sim::{
    Batch, BatchError, BatchReader, GroupEnd, NoInputs, NoTaps, Simulated, StepOptions,
};

/// Reads height, vertical velocity and the sum of the vertical contact forces on the ball, which is the first of the two bodies.
struct Heights;

impl BatchReader for Heights {
    type Buffers<S: Simulated> = ();

    fn width(&self) -> usize {
        3
    }

    fn buffers<S: Simulated>(&self, _: &Model<S>) {}

    fn read<S: Simulated>(&self, end: &GroupEnd<'_, S>, (): &mut (), row: &mut [S]) {
        let force = end.contacts.iter().map(|contact| -contact.force_w.z).sum();
        row.copy_from_slice(&[end.state.q[2], end.state.v[2], force]);
    }
}

/// A ball of 1 kg above a ground.
fn ball() -> Model<f64> {
    let mut builder = ModelBuilder::new("ball");
    let inertia = Inertia {
        mass: 1.0,
        com: Vec3::ZERO,
        rotational: Sym3::diagonal(Vec3::new(0.1, 0.1, 0.1)),
    };
    let frame = builder.link("ball", FrameId::WORLD, JointSpec::free("free"), inertia).unwrap();
    let params = ShapeParams {
        placement: gradbody_math::Transform::IDENTITY,
        size: Vec3::new(0.1, 0.0, 0.0),
        material: Material::with_friction(0.5),
    };
    builder.shape("ball", frame, ShapeKind::Sphere, params).unwrap();
    let mut model = builder.build().unwrap();
    model.add_ground(0.0, Material::with_friction(0.5)).unwrap();
    model
}

#[test]
fn rows_are_those_of_the_worlds_and_reading_changes_no_bit() {
    const WORLDS: usize = 19;
    let model = ball();
    let (nq, nv) = (model.nq(), model.nv());
    let mut q = vec![0.0; WORLDS * nq];
    for (world, q) in q.chunks_mut(nq).enumerate() {
        // The first worlds lie on the ground, the others fall.
        q[2] = 0.1 + 0.05 * world.saturating_sub(3) as f64;
        q[3] = 1.0;
    }
    let mut rows = vec![f64::NAN; WORLDS * 3];
    let ends = [false, true].map(|reads| {
        let mut batch: Batch<f64> = Batch::new(&model, WORLDS, StepOptions::new(1e-3));
        batch.write_states(&q, &vec![0.0; WORLDS * nv]).unwrap();
        if reads {
            batch.rollout_reading(0, &NoInputs, &NoTaps, &Heights, &mut rows).unwrap();
            let begin = rows.chunks(3).zip(q.chunks(nq)).all(|(row, q)| row == [q[2], 0.0, 0.0]);
            assert!(begin, "the present state, without contacts");
            batch.rollout_reading(50, &NoInputs, &NoTaps, &Heights, &mut rows).unwrap();
        } else {
            batch.rollout(50, &NoInputs).unwrap();
        }
        let (mut q, mut v) = (vec![0.0; WORLDS * nq], vec![0.0; WORLDS * nv]);
        batch.read_states(&mut q, &mut v).unwrap();
        (q, v)
    });
    assert_eq!(ends[0], ends[1]);
    let (q, v) = &ends[1];
    for (world, row) in rows.chunks(3).enumerate() {
        assert_eq!(row[..2], [q[world * nq + 2], v[world * nv + 2]]);
        let weight = if world <= 3 { 9.81 } else { 0.0 };
        assert!((row[2] - weight).abs() < 1e-6, "world {world} feels {} N", row[2]);
    }
}

#[test]
fn rows_of_a_wrong_size_are_refused() {
    let mut batch: Batch<f64> = Batch::new(&ball(), 2, StepOptions::new(1e-3));
    let refused = batch.rollout_reading(1, &NoInputs, &NoTaps, &Heights, &mut [0.0; 5]);
    assert_eq!(refused, Err(BatchError::Array { part: "rows", given: 5, needed: 6 }));
}
