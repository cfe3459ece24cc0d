//! Parameters of a single world of a batch.

use gradbody_math::{Inertia, Sym3, Transform, Vec3};
use gradbody_model::{FrameId, JointSpec, Model, ModelBuilder, Selection};
use gradbody_sim::{Batch, BatchError, NoInputs, Precision, StepOptions};

const WORLDS: usize = 19;

/// Two bodies on hinges whose axes are tilted.
fn arm() -> Model<f64> {
    let mut builder = ModelBuilder::new("arm");
    let inertia = Inertia {
        mass: 1.0,
        com: Vec3::new(0.3, 0.0, 0.1),
        rotational: Sym3::diagonal(Vec3::new(0.1, 0.2, 0.3)),
    };
    let hinge = |name: &str| JointSpec::revolute(name, Vec3::new(0.0, 1.0, 0.0));
    let mut frame = FrameId::WORLD;
    for (name, x) in [("upper", 0.0), ("lower", 0.5)] {
        let placement = Transform {
            rot: gradbody_math::Mat3::from_rpy(Vec3::new(0.3, 0.2, 0.1)),
            pos: Vec3::new(x, 0.0, 0.0),
        };
        frame = builder.link(name, frame, hinge(name).at(placement), inertia).unwrap();
    }
    builder.build().unwrap()
}

fn ends<T: Precision>(batch: &mut Batch<T>) -> Vec<u64> {
    let (mut q, mut v) = (vec![0.2; WORLDS * 2], vec![0.1; WORLDS * 2]);
    batch.write_states(&q, &v).unwrap();
    batch.rollout(20, &NoInputs).unwrap();
    batch.read_states(&mut q, &mut v).unwrap();
    q.iter().chain(&v).map(|x| x.to_bits()).collect()
}

/// The selection has angles, which are set together: they must not be rounded again in other worlds.
fn check<T: Precision>() {
    let model = arm();
    let masses = Selection::of(&model, ["link/*/mass"]).unwrap();
    let angles = Selection::of(&model, ["joint/lower/placement/roll", "gravity/z"]).unwrap();
    let of = |world: usize| {
        let x = world as f64;
        ([1.0 + 0.1 * x, 2.0 - 0.05 * x], [0.3 + 0.01 * x, -9.0 - 0.1 * x])
    };
    let mut together: Batch<T> = Batch::new(&model, WORLDS, StepOptions::new(1e-2));
    let of_masses: Vec<f64> = (0..WORLDS).flat_map(|world| of(world).0).collect();
    let of_angles: Vec<f64> = (0..WORLDS).flat_map(|world| of(world).1).collect();
    together.set_params(&masses, &of_masses).unwrap();
    together.set_params(&angles, &of_angles).unwrap();
    let expected = ends(&mut together);
    let mut one_by_one: Batch<T> = Batch::new(&model, WORLDS, StepOptions::new(1e-2));
    let untouched = ends(&mut one_by_one);
    // In any order, and more than once.
    for round in 0..3 {
        for k in 0..WORLDS {
            let world = (k * 7 + round) % WORLDS;
            let (mass, angle) = of(world);
            let other = mass.map(|x| x + f64::from(2 - round as u8));
            one_by_one.set_params_of(world, &masses, &other).unwrap();
            one_by_one.set_params_of(world, &angles, &angle).unwrap();
        }
    }
    assert_eq!(ends(&mut one_by_one), expected);
    // Invalid values change nothing, also where nothing was set before.
    let refused = one_by_one.set_params_of(3, &masses, &[-1.0, 1.0]).unwrap_err();
    assert!(matches!(refused, BatchError::Params { world: 3, .. }), "{refused}");
    assert_eq!(ends(&mut one_by_one), expected);
    let mut fresh: Batch<T> = Batch::new(&model, WORLDS, StepOptions::new(1e-2));
    fresh.set_params_of(3, &masses, &[-1.0, 1.0]).unwrap_err();
    assert_eq!(ends(&mut fresh), untouched);
    fresh.set_params_of(WORLDS, &masses, &[1.0, 1.0]).unwrap_err();
    fresh.set_params_of(0, &masses, &[1.0]).unwrap_err();
    // Only the world itself changes.
    fresh.set_params_of(3, &masses, &[1.5, 1.0]).unwrap();
    let changed = ends(&mut fresh);
    for (k, (a, b)) in changed.iter().zip(&untouched).enumerate() {
        assert_eq!(a != b, k / 2 % WORLDS == 3, "number {k}");
    }
}

#[test]
fn parameters_of_one_world_are_set_as_those_of_all() {
    check::<f64>();
    check::<f32>();
}
