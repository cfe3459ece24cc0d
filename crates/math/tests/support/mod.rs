//! What the tests share: numbers of every scalar type with made-up derivatives, comparison of
//! everything made of them, and a property runner that draws the same cases on every run.
#![allow(dead_code, unused_macros, unused_imports)] // each test file uses its part

pub(crate) mod dense;
pub(crate) mod double_double;

use gradbody_math::{
    ArticulatedInertia, Dual, Force, Inertia, Mat3, Motion, Quat, Scalar, Sym3, Transform, Vec3,
    Vector, Wide,
};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, TestRng, TestRunner};

/// A scalar that can be made from a float and taken apart again.
pub(crate) trait Sample: Scalar {
    /// A number whose first lane is `x`, whose other lanes differ a little, and whose derivatives
    /// are some function of `x`.
    fn sample(x: f64) -> Self;
    /// Every value and derivative of every lane.
    fn collect(self, parts: &mut Vec<f64>);
}

impl Sample for f64 {
    #[inline(never)]
    fn sample(x: f64) -> Self {
        x
    }
    #[inline(never)]
    fn collect(self, parts: &mut Vec<f64>) {
        parts.push(self);
    }
}

impl Sample for f32 {
    #[inline(never)]
    fn sample(x: f64) -> Self {
        x as f32
    }
    #[inline(never)]
    fn collect(self, parts: &mut Vec<f64>) {
        parts.push(f64::from(self));
    }
}

impl<V: Vector> Sample for Wide<V> {
    #[inline(never)]
    fn sample(x: f64) -> Self {
        Self::from_lanes(|i| x * (1.0 + 0.01 * i as f64))
    }
    #[inline(never)]
    fn collect(self, parts: &mut Vec<f64>) {
        parts.extend((0..V::LEN).map(|i| self.lane(i)));
    }
}

impl<S: Sample, const N: usize> Sample for Dual<S, N> {
    #[inline(never)]
    fn sample(x: f64) -> Self {
        let slope = |i: usize| S::sample((7.3 * x + i as f64).sin());
        Dual { re: S::sample(x), eps: core::array::from_fn(slope) }
    }
    #[inline(never)]
    fn collect(self, parts: &mut Vec<f64>) {
        self.re.collect(parts);
        for slope in self.eps {
            slope.collect(parts);
        }
    }
}

/// Anything made of scalars.
pub(crate) trait Parts {
    /// Every value and derivative of every lane of every component.
    fn parts(&self) -> Vec<f64>;
}

#[inline(never)]
fn parts_of<S: Sample>(components: impl IntoIterator<Item = S>) -> Vec<f64> {
    let mut parts = Vec::new();
    for component in components {
        component.collect(&mut parts);
    }
    parts
}

impl<S: Sample> Parts for S {
    #[inline(never)]
    fn parts(&self) -> Vec<f64> {
        parts_of([*self])
    }
}

macro_rules! parts {
    ($($type:ident: |$x:ident| $parts:expr;)*) => {$(
        impl<S: Sample> Parts for $type<S> {
            #[inline(never)]
            fn parts(&self) -> Vec<f64> {
                let $x = self;
                $parts
            }
        }
    )*};
}
parts! {
    Vec3: |v| parts_of(v.to_array());
    Mat3: |m| parts_of(m.to_rows().concat());
    Sym3: |m| parts_of(m.to_array());
    Quat: |q| parts_of(q.to_array());
    Transform: |t| [t.rot.parts(), t.pos.parts()].concat();
    Motion: |m| [m.ang.parts(), m.lin.parts()].concat();
    Force: |f| [f.ang.parts(), f.lin.parts()].concat();
    Inertia: |i| [i.mass.parts(), i.com.parts(), i.rotational.parts()].concat();
    ArticulatedInertia: |i| [i.ang.parts(), i.cross.parts(), i.lin.parts()].concat();
}

/// Fails unless all parts agree to `tolerance`, relative to the largest part (or absolute below 1).
#[track_caller]
#[inline(never)]
pub(crate) fn assert_close<P: Parts>(left: P, right: P, tolerance: f64) {
    let (left, right) = (left.parts(), right.parts());
    assert_eq!(left.len(), right.len());
    let size = left.iter().chain(&right).fold(1.0_f64, |size, x| size.max(x.abs()));
    for (i, (l, r)) in left.iter().zip(&right).enumerate() {
        let gap = (l - r).abs() / size;
        assert!(gap <= tolerance, "part {i}: {l} and {r} differ by {gap:e} of {size}");
    }
}

/// Fails unless every value and derivative is finite.
#[track_caller]
#[inline(never)]
pub(crate) fn assert_finite<P: Parts + std::fmt::Debug>(x: P) {
    assert!(x.parts().iter().all(|part| part.is_finite()), "{x:?}");
}

/// Fails unless two numbers have the same bits, or are both NaN.
#[track_caller]
pub(crate) fn assert_same_bits(left: f64, right: f64, what: &str) {
    let same = left.to_bits() == right.to_bits() || (left.is_nan() && right.is_nan());
    assert!(same, "{what}: {left:e} and {right:e} differ");
}

/// Runs `law` on `cases` draws, the same ones on every run.
pub(crate) fn check<T: Strategy>(cases: u32, strategy: T, law: impl Fn(T::Value)) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let algorithm = config.rng_algorithm;
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(algorithm));
    let outcome = runner.run(&strategy, |case| {
        law(case);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// `count` numbers from −2 to 2.
pub(crate) fn numbers(count: usize) -> impl Strategy<Value = Vec<f64>> {
    proptest::collection::vec(-2.0..2.0_f64, count)
}

/// One draw of a strategy, for tests that need no shrinking.
pub(crate) fn draws<T: Strategy>(count: usize, strategy: T) -> Vec<T::Value> {
    let mut runner = TestRunner::deterministic();
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

/// Three numbers from `x`, of which a scalar makes what it can.
#[inline(never)]
pub(crate) fn vec3<S: Sample>(x: &[f64]) -> Vec3<S> {
    Vec3::new(S::sample(x[0]), S::sample(x[1]), S::sample(x[2]))
}

/// A rotation from four numbers; any will do, being too short is made up for.
#[inline(never)]
pub(crate) fn quat<S: Sample>(x: &[f64]) -> Quat<S> {
    let w = if x[0] < 0.0 { x[0] - 0.3 } else { x[0] + 0.3 };
    Quat::new(S::sample(w), S::sample(x[1]), S::sample(x[2]), S::sample(x[3])).normalized()
}

/// A pose from seven numbers.
#[inline(never)]
pub(crate) fn pose<S: Sample>(x: &[f64]) -> Transform<S> {
    Transform::new(quat(x).to_mat3(), vec3(&x[4..]))
}

/// A matrix from nine numbers.
#[inline(never)]
pub(crate) fn mat3<S: Sample>(x: &[f64]) -> Mat3<S> {
    Mat3::from_cols(vec3(x), vec3(&x[3..]), vec3(&x[6..]))
}

/// A symmetric matrix from six numbers.
#[inline(never)]
pub(crate) fn sym3<S: Sample>(x: &[f64]) -> Sym3<S> {
    let [a, b, c, d, e, f] = core::array::from_fn(|i| S::sample(x[i]));
    Sym3::new(a, b, c, d, e, f)
}

/// A motion from six numbers.
#[inline(never)]
pub(crate) fn motion<S: Sample>(x: &[f64]) -> Motion<S> {
    Motion::new(vec3(x), vec3(&x[3..]))
}

/// A force from six numbers.
#[inline(never)]
pub(crate) fn force<S: Sample>(x: &[f64]) -> Force<S> {
    Force::new(vec3(x), vec3(&x[3..]))
}

/// The inertia of a body, from ten numbers.
#[inline(never)]
pub(crate) fn inertia<S: Sample>(x: &[f64]) -> Inertia<S> {
    // A sum of squares is positive definite and meets the triangle inequality when built from
    // point masses.
    let (a, b) = (vec3(&x[4..]), vec3(&x[7..]));
    let ball = Sym3::diagonal(Vec3::new(S::ONE, S::ONE, S::ONE));
    Inertia {
        mass: S::sample(x[0].abs() + 0.1),
        com: vec3(&x[1..]),
        rotational: ball.add_point_mass(S::ONE, a).add_point_mass(S::ONE, b),
    }
}

/// An inertia that is not that of a rigid body: two bodies, of which one gives way.
#[inline(never)]
pub(crate) fn articulated<S: Sample>(x: &[f64]) -> ArticulatedInertia<S> {
    let mut sum = ArticulatedInertia::from(inertia::<S>(x));
    let other = ArticulatedInertia::from(inertia::<S>(&x[10..]));
    let f = other.force_from_angular(Vec3::Z);
    sum += other.release(f, f.ang.z.recip());
    sum
}

/// Makes a test of each law, run on each kind of scalar (few, for these compile slowly):
/// `on_every_scalar! { law: count of numbers it takes; … }`.
macro_rules! on_every_scalar {
    ($($law:ident: $count:expr;)*) => {$(
        #[test]
        fn $law() {
            use gradbody_math::{Dual, Lanes};
            crate::support::check(48, crate::support::numbers($count), |x| {
                laws::$law::<f64>(&x);
                laws::$law::<f32>(&x);
                laws::$law::<Lanes<f64, 4>>(&x);
                laws::$law::<Dual<f64, 1>>(&x);
            });
        }
    )*};
}
pub(crate) use on_every_scalar;
