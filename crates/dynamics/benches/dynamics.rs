//! `cargo bench -p gradbody-dynamics`: the algorithms on the Laikago quadruped.
//! `cargo measure` measures the same on more models, in the form peers are measured in.

use std::path::Path;

use divan::{Bencher, black_box, counter::ItemsCount};
use gradbody_dynamics::{
    AbaWork, CrbaWork, Kinematics, MassFactors, RneaWork, aba, crba, factorise, integrate,
    kinematics, rnea, velocities,
};
use gradbody_math::{Dual, Lanes, Scalar};
use gradbody_model::Model;
use gradbody_model::import::{ImportOptions, from_text};

fn main() {
    divan::main();
}

struct Setup<S> {
    model: Model<S>,
    q: Vec<S>,
    v: Vec<S>,
    u: Vec<S>,
}

fn laikago<S: Scalar>() -> Setup<S> {
    let text = include_str!("../../../models/laikago.urdf");
    let imported = from_text(text, Path::new("laikago.urdf"), &ImportOptions::default());
    let model: Model<S> = imported.expect("a model of this repository").model.cast();
    let mut at = 0.0;
    let mut some = |n: usize| -> Vec<S> {
        let mut next = || {
            at += 1.0;
            f64::sin(at)
        };
        (0..n).map(|_| S::from_lanes(|_| next())).collect()
    };
    let (dq, v, u) = (some(model.nv()), some(model.nv()), some(model.nv()));
    let mut q = model.neutral();
    integrate(&model, &mut q, &dq);
    Setup { model, q, v, u }
}

/// A benchmark's time is that of all its lanes; the item count makes the rate one per world.
macro_rules! on_every_scalar {
    ($($name:ident => $body:expr;)*) => {$(
        #[divan::bench(types = [
            f64, f32, Lanes<f64, 8>, Lanes<f32, 16>, Dual<f64, 1>, Dual<f64, 6>,
        ])]
        fn $name<S: Scalar>(bencher: Bencher) {
            let run: fn(&Setup<S>, Bencher) = $body;
            run(&laikago::<S>(), bencher.counter(ItemsCount::new(S::LANES)));
        }
    )*};
}

on_every_scalar! {
    forward_kinematics => |s, bencher| {
        let mut kin = Kinematics::new(&s.model);
        bencher.bench_local(|| kinematics(&s.model, black_box(&s.q), &mut kin));
    };
    forward_dynamics => |s, bencher| {
        let mut kin = Kinematics::new(&s.model);
        let mut work = AbaWork::new(&s.model);
        bencher.bench_local(|| {
            kinematics(&s.model, black_box(&s.q), &mut kin);
            velocities(&s.model, &s.v, &mut kin);
            aba(&s.model, &kin, &s.u, &[], &mut work);
        });
    };
    inverse_dynamics => |s, bencher| {
        let mut kin = Kinematics::new(&s.model);
        let mut work = RneaWork::new(&s.model);
        bencher.bench_local(|| {
            kinematics(&s.model, black_box(&s.q), &mut kin);
            velocities(&s.model, &s.v, &mut kin);
            rnea(&s.model, &kin, &s.u, &[], &mut work);
        });
    };
    mass_matrix => |s, bencher| {
        let mut kin = Kinematics::new(&s.model);
        let mut work = CrbaWork::new(&s.model);
        bencher.bench_local(|| {
            kinematics(&s.model, black_box(&s.q), &mut kin);
            crba(&s.model, &kin, &mut work);
        });
    };
    mass_matrix_factorised => |s, bencher| {
        let mut kin = Kinematics::new(&s.model);
        let mut work = CrbaWork::new(&s.model);
        let mut factors = MassFactors::new(&s.model);
        bencher.bench_local(|| {
            kinematics(&s.model, black_box(&s.q), &mut kin);
            crba(&s.model, &kin, &mut work);
            factorise(&work.mass_matrix, &mut factors);
        });
    };
}
