//! A kernel on the widest vectors of the machine, and a stage entered through `vectorised`, give
//! the bits of the plain run. In a portable build (`RUSTFLAGS="-C target-cpu=x86-64"`) this goes
//! through the instructions found at run time.

mod support;

use gradbody_math::{Dual, Isa, Kernel, Lanes, Mat3, Quat, Scalar, Transform, Vec3, run_widest};
use support::{assert_same_bits, draws};

/// Some of everything: functions, branches, rotations.
#[inline(always)]
fn stage<S: Scalar>(x: S, y: S) -> S {
    let q = Quat::exp(Vec3::new(x, y, x * y));
    let pose = Transform::new(q.to_mat3() * Mat3::from_rpy(Vec3::new(y, x, y)), q.log());
    let p = pose.inverse().point(Vec3::new(x, S::ONE, y));
    let soft = (p.x * S::from_f64(3.0)).tanh() + p.y.exp() + (p.z.squared() + S::ONE).ln();
    let big = (x * S::from_f64(1e9)).sin_cos().0; // beyond the short reduction
    soft.select_lt(big, p.norm(), soft.abs().powf(y)) + soft.atan2(big) * q.norm_squared().sqrt()
}

/// Applies [`stage`] to each pair of numbers, as many at a time as a scalar holds.
struct Batch<'a> {
    x: &'a [f64],
    y: &'a [f64],
    out: &'a mut [f64],
}

impl Kernel for Batch<'_> {
    type Output = usize;
    #[inline(always)]
    fn run<S: Scalar>(self) -> usize {
        let blocks = self.x.chunks(S::LANES).zip(self.y.chunks(S::LANES));
        for ((x, y), out) in blocks.zip(self.out.chunks_mut(S::LANES)) {
            S::vectorised(
                #[inline(always)]
                || {
                    let load = |from: &[f64]| S::from_lanes(|i| from[i.min(from.len() - 1)]);
                    let result = stage(load(x), load(y));
                    for (i, out) in out.iter_mut().enumerate() {
                        *out = result.lane(i);
                    }
                },
            );
        }
        S::LANES
    }
}

/// Not a multiple of any width, so that the last block is partly empty.
const COUNT: usize = 203;

fn inputs() -> (Vec<f64>, Vec<f64>) {
    draws(COUNT, (-3.0..3.0_f64, -3.0..3.0_f64)).into_iter().unzip()
}

#[test]
fn the_widest_vectors_give_the_bits_of_the_plain_run() {
    let (x, y) = inputs();
    let mut out = vec![0.0; COUNT];
    let lanes = run_widest::<f64, _>(Batch { x: &x, y: &y, out: &mut out });
    for i in 0..COUNT {
        assert_same_bits(out[i], stage(x[i], y[i]), "f64");
    }
    let lanes_f32 = run_widest::<f32, _>(Batch { x: &x, y: &y, out: &mut out });
    for i in 0..COUNT {
        assert_same_bits(out[i], stage(x[i] as f32, y[i] as f32).into(), "f32");
    }
    let widest = match (Isa::Avx512.is_available(), Isa::Avx2.is_available()) {
        (true, _) => 8,
        (false, true) => 4,
        (false, false) => 1,
    };
    assert_eq!((lanes, lanes_f32), (widest, if widest == 1 { 1 } else { 2 * widest }));
}

#[test]
fn a_vectorised_stage_gives_the_bits_of_the_plain_run() {
    fn law<S: Scalar>(x: &[f64], y: &[f64], plain: impl Fn(f64, f64) -> f64) {
        for (x, y) in x.chunks_exact(S::LANES).zip(y.chunks_exact(S::LANES)) {
            let (sx, sy) = (S::from_lanes(|i| x[i]), S::from_lanes(|i| y[i]));
            let result = S::vectorised(
                #[inline(always)]
                || stage(sx, sy),
            );
            for i in 0..S::LANES {
                assert_same_bits(result.lane(i), plain(x[i], y[i]), "vectorised");
            }
        }
    }
    let (x, y) = inputs();
    let plain = stage::<f64>;
    law::<f64>(&x, &y, plain);
    law::<Lanes<f64, 8>>(&x, &y, plain);
    law::<Dual<Lanes<f64, 4>, 1>>(&x, &y, plain);
    let plain = |x: f64, y: f64| f64::from(stage(x as f32, y as f32));
    law::<f32>(&x, &y, plain);
    law::<Lanes<f32, 16>>(&x, &y, plain);
}

#[test]
fn wider_instructions_include_narrower_ones() {
    assert!(Isa::Float.is_available());
    assert!(Isa::Avx2.is_available() || !Isa::Avx512.is_available());
}
