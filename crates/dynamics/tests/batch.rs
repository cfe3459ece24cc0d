//! The batch entry points give each world the bits it has alone, on whatever vectors this build and
//! this machine have. `cargo xtask test` runs this in a portable build too.

use std::path::Path;

use gradbody_dynamics::{
    AbaWork, CrbaWork, Kinematics, RneaWork, aba, batch, crba, integrate, kinematics, rnea,
    velocities,
};
use gradbody_math::random::{Random, SplitMix64};
use gradbody_math::{Scalar, WidestLanes};
use gradbody_model::Model;
use gradbody_model::import::{Base, ImportOptions, load};

/// A quadruped that is free to fly.
fn quadruped() -> Model<f64> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/laikago.urdf");
    let options = ImportOptions { base: Base::Free, ..ImportOptions::default() };
    load(&path, &options).unwrap_or_else(|error| panic!("{error}")).model
}

fn configuration(model: &Model<f64>, random: &mut Random<SplitMix64>) -> Vec<f64> {
    let mut q = model.neutral();
    integrate(model, &mut q, &random.numbers(model.nv()));
    q
}

#[test]
fn worlds_of_a_batch_have_the_bits_of_one_alone() {
    batch_is_one_by_one::<f64>("f64");
    batch_is_one_by_one::<f32>("f32");
}

fn batch_is_one_by_one<T: Scalar + WidestLanes>(name: &str) {
    let model = quadruped();
    let alone: Model<T> = model.cast();
    let nv = model.nv();
    // Fewer worlds than lanes, as many, and some left over.
    for count in [1, 7, 16, 37] {
        let mut random = Random::split_mix(count as u64);
        let states: Vec<Vec<f64>> =
            (0..count).map(|_| configuration(&model, &mut random)).collect();
        let (q, v, tau) = (states.concat(), random.numbers(count * nv), random.numbers(count * nv));
        let mut qdd = vec![f64::NAN; count * nv];
        batch::forward_dynamics::<T>(&model, &q, &v, &tau, &mut qdd);
        let mut force = vec![f64::NAN; count * nv];
        batch::inverse_dynamics::<T>(&model, &q, &v, &tau, &mut force);
        let mut mass = vec![f64::NAN; count * nv * nv];
        batch::mass_matrices::<T>(&model, &q, &mut mass);

        let cast = |x: &[f64]| -> Vec<T> { x.iter().map(|x| T::from_f64(*x)).collect() };
        let back = |x: &[T]| -> Vec<f64> { x.iter().map(|x| x.lane(0)).collect() };
        for world in 0..count {
            let of_world = world * nv..(world + 1) * nv;
            let place = format!("{name}: world {world} of {count}");
            let mut kin = Kinematics::new(&alone);
            kinematics(&alone, &cast(&states[world]), &mut kin);
            velocities(&alone, &cast(&v[of_world.clone()]), &mut kin);
            let tau = cast(&tau[of_world.clone()]);
            let mut work = AbaWork::new(&alone);
            aba(&alone, &kin, &tau, &[], &mut work);
            assert_eq!(qdd[of_world.clone()], back(&work.qdd), "{place}: forward dynamics");
            let mut work = RneaWork::new(&alone);
            rnea(&alone, &kin, &tau, &[], &mut work);
            assert_eq!(force[of_world], back(&work.tau), "{place}: inverse dynamics");
            let mut work = CrbaWork::new(&alone);
            crba(&alone, &kin, &mut work);
            let entries = (0..nv).flat_map(|i| (0..nv).map(move |j| (i, j)));
            let entries: Vec<T> = entries.map(|(i, j)| work.mass_matrix.at(i, j)).collect();
            let of_world = world * nv * nv..(world + 1) * nv * nv;
            assert_eq!(mass[of_world], back(&entries), "{place}: mass matrix");
        }
    }
}
