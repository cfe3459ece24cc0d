//! A number gets the same bits alone and in every lane of every width: each operation of `Vector`
//! and each function of `Scalar`, on ordinary numbers and on all the awkward ones.

mod support;

use gradbody_math::{Dual, Element, Lanes, Scalar, Vector, Wide};
use proptest::prelude::*;
use support::{assert_same_bits, draws};

/// Numbers at the edges of the float types and of the functions' ranges.
const AWKWARD: [f64; 44] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    4.9e-324,
    -4.9e-324,
    1e-310,
    f32::MAX as f64,
    f32::MIN_POSITIVE as f64,
    1e-45,
    -1e-40,
    std::f64::consts::PI,
    -std::f64::consts::FRAC_PI_2,
    std::f64::consts::FRAC_PI_4,
    std::f64::consts::SQRT_2,
    std::f64::consts::LN_2,
    9_999.0,
    10_001.0,
    -12_345.678,
    16_777_215.0,
    16_777_217.0,
    -1e9,
    3e15,
    -7e22,
    1e300,
    88.7,
    -103.9,
    709.7,
    710.1,
    -745.1,
    -746.0,
    19.9,
    1e-9,
];

fn arguments() -> Vec<f64> {
    let mut all = AWKWARD.to_vec();
    all.extend(draws(60, -4.0..4.0));
    all.extend(draws(60, -1e5..1e5));
    all.extend(draws(80, any::<u64>()).into_iter().map(f64::from_bits));
    all
}

/// `f` on the arguments `V::LEN` at a time must give what it gives one at a time.
#[inline(never)]
fn compare<T: Vector, V: Vector>(
    name: &str,
    alone: &dyn Fn(T, T, T) -> T,
    lanes: &dyn Fn(V, V, V) -> V,
) {
    let x = arguments();
    let at = |i: usize, step: usize| x[(i * step) % x.len()];
    for start in 0..x.len() {
        // Three arguments that run through the list at different paces.
        let argument = |step: usize, skip: usize| V::from_fn(|i| at(start + i + skip, step));
        let got = lanes(argument(1, 0), argument(3, 1), argument(7, 2));
        for i in 0..V::LEN {
            let argument = |step: usize, skip: usize| T::splat(at(start + i + skip, step));
            let (a, b, c) = (argument(1, 0), argument(3, 1), argument(7, 2));
            let expected = alone(a, b, c).get(0);
            let what = || format!("{name}({:e}, {:e}, {:e})", a.get(0), b.get(0), c.get(0));
            if got.get(i).to_bits() != expected.to_bits() {
                assert_same_bits(got.get(i), expected, &what());
            }
        }
    }
}

/// An operation of three arguments, on any vector or any scalar.
macro_rules! operations {
    ($run:ident, $bound:ident, $constructor:expr; $($name:ident: |$x:ident, $y:ident, $z:ident| $result:expr;)*) => {
        fn $run<T: Vector, V: Vector>() {
            $(
                #[inline(never)]
                fn $name<S: $bound>($x: S, $y: S, $z: S) -> S {
                    let _ = ($y, $z);
                    $result
                }
                $constructor(stringify!($name), &$name, &$name);
            )*
        }
    };
}

operations! { exact_operations, Vector, compare::<T, V>;
    add: |x, y, z| S::add(x, y);
    sub: |x, y, z| S::sub(x, y);
    mul: |x, y, z| S::mul(x, y);
    div: |x, y, z| S::div(x, y);
    neg: |x, y, z| S::neg(x);
    mul_add: |x, y, z| S::mul_add(x, y, z);
    neg_mul_add: |x, y, z| S::neg_mul_add(x, y, z);
    abs: |x, y, z| S::abs(x);
    sqrt: |x, y, z| S::sqrt(x);
    round: |x, y, z| S::round(x);
    select_lt: |x, y, z| S::select_lt(x, y, z, x);
    select_le: |x, y, z| S::select_le(x, y, z, x);
    select_le_equal: |x, y, z| S::select_le(x, x, z, y);
    copysign: |x, y, z| S::copysign(x, y);
    exp2_int: |x, y, z| S::exp2_int(whole_exponent(x));
    split_mantissa: |x, y, z| S::split_exponent(positive_normal(x)).0;
    split_exponent: |x, y, z| S::split_exponent(positive_normal(x)).1;
}

/// An integer that is an exponent of normal numbers of the lanes' type.
fn whole_exponent<V: Vector>(x: V) -> V {
    let (low, high) = if V::EPSILON > 1e-10 { (-126.0, 127.0) } else { (-1022.0, 1023.0) };
    V::from_fn(|i| if x.get(i).is_nan() { low } else { x.get(i).round().clamp(low, high) })
}

fn positive_normal<V: Vector>(x: V) -> V {
    let (low, high) = if V::EPSILON > 1e-10 {
        (f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX))
    } else {
        (f64::MIN_POSITIVE, f64::MAX)
    };
    V::from_fn(|i| if x.get(i).is_nan() { low } else { x.get(i).abs().clamp(low, high) })
}

/// As [`compare`] for functions of scalars.
fn compare_scalars<T: Vector, V: Vector>(
    name: &str,
    alone: &dyn Fn(Wide<T>, Wide<T>, Wide<T>) -> Wide<T>,
    lanes: &dyn Fn(Wide<V>, Wide<V>, Wide<V>) -> Wide<V>,
) {
    type Function<'a, S> = &'a dyn Fn(S, S, S) -> S;
    fn inner<V: Vector>(f: Function<'_, Wide<V>>) -> impl Fn(V, V, V) -> V {
        move |x, y, z| {
            let wrap = |v: V| Wide::from_lanes(|i| v.get(i));
            let result = f(wrap(x), wrap(y), wrap(z));
            V::from_fn(|i| result.lane(i))
        }
    }
    compare::<T, V>(name, &inner(alone), &inner(lanes));
}

operations! { functions, Scalar, compare_scalars::<T, V>;
    sin: |x, y, z| x.sin_cos().0;
    cos: |x, y, z| x.sin_cos().1;
    atan2: |x, y, z| x.atan2(y);
    exp: |x, y, z| x.exp();
    ln: |x, y, z| x.ln();
    ln_positive: |x, y, z| x.abs().ln();
    tanh: |x, y, z| x.tanh();
    powf: |x, y, z| x.abs().powf(y);
    powf_any: |x, y, z| x.powf(y);
    powi: |x, y, z| x.powi(5) + x.powi(-3);
    min: |x, y, z| x.min(y);
    max: |x, y, z| x.max(y);
    clamp: |x, y, z| x.clamp(y, z);
    signum: |x, y, z| x.signum();
    squared: |x, y, z| x.squared();
    recip: |x, y, z| x.recip();
    expression: |x, y, z| (x * y - z / x + -y).mul_add(x, z.neg_mul_add(y, x));
}

macro_rules! widths {
    ($($name:ident: $real:ident, $n:literal;)*) => {$(
        #[test]
        fn $name() {
            exact_operations::<$real, <$real as Element<$n>>::Vector>();
            functions::<$real, <$real as Element<$n>>::Vector>();
        }
    )*};
}
widths! {
    four_f64: f64, 4;
    eight_f64: f64, 8;
    sixteen_f64: f64, 16;
    four_f32: f32, 4;
    eight_f32: f32, 8;
    sixteen_f32: f32, 16;
}

/// Vectors that no build names for its lanes, but that make up wider ones.
#[test]
fn arrays() {
    exact_operations::<f64, [f64; 3]>();
    functions::<f64, [f64; 3]>();
    exact_operations::<f32, [[f32; 2]; 3]>();
    functions::<f32, [[f32; 2]; 3]>();
}

/// `f64` as a scalar goes the same way as the vector of one lane.
#[test]
fn plain_floats() {
    for x in arguments() {
        let y = x * 0.37 + 0.1;
        let wide = (Wide::<f64>::from_f64(x), Wide::<f64>::from_f64(y));
        let same = |name: &str, alone: f64, wide: Wide<f64>| {
            assert_same_bits(alone, wide.lane(0), &format!("{name}({x:e}, {y:e})"));
        };
        same("sin", Scalar::sin_cos(x).0, wide.0.sin_cos().0);
        same("exp", Scalar::exp(x), wide.0.exp());
        same("ln", Scalar::ln(x), wide.0.ln());
        same("tanh", Scalar::tanh(x), wide.0.tanh());
        same("atan2", Scalar::atan2(x, y), wide.0.atan2(wide.1));
        same("powf", Scalar::powf(x, y), wide.0.powf(wide.1));
        same("sqrt", Scalar::sqrt(x), wide.0.sqrt());
    }
}

#[test]
fn any_lt_and_any_ne_see_every_lane() {
    fn law<V: Vector>() {
        assert!(!V::any_lt(V::ZERO, V::ZERO));
        assert!(!V::any_lt(V::splat(f64::NAN), V::ONE));
        assert!(!V::any_ne(V::ZERO, V::splat(-0.0)));
        assert!(V::any_ne(V::splat(f64::NAN), V::splat(f64::NAN)));
        for lane in 0..V::LEN {
            let one_below = V::from_fn(|i| if i == lane { -1.0 } else { 1.0 });
            assert!(V::any_lt(one_below, V::ZERO));
            assert!(!V::any_lt(V::ONE, one_below));
            assert!(V::any_ne(V::ONE, one_below));
            assert!(!V::any_ne(one_below, one_below));
        }
    }
    law::<f64>();
    law::<f32>();
    law::<<f64 as Element<4>>::Vector>();
    law::<<f64 as Element<8>>::Vector>();
    law::<<f64 as Element<16>>::Vector>();
    law::<<f32 as Element<4>>::Vector>();
    law::<<f32 as Element<8>>::Vector>();
    law::<<f32 as Element<16>>::Vector>();
}

#[test]
fn exponents_are_split_and_joined() {
    fn law<V: Vector>(lowest: i32, highest: i32) {
        for e in lowest..=highest {
            let power = V::exp2_int(V::splat(f64::from(e)));
            let (mantissa, exponent) = V::split_exponent(V::mul(power, V::splat(1.625)));
            for i in 0..V::LEN {
                assert_eq!(power.get(i), f64::from(e).exp2());
                assert_eq!((mantissa.get(i), exponent.get(i)), (1.625, f64::from(e)));
            }
        }
    }
    law::<f64>(-1022, 1023);
    law::<<f64 as Element<8>>::Vector>(-1022, 1023);
    law::<<f64 as Element<4>>::Vector>(-1022, 1023);
    law::<f32>(-126, 127);
    law::<<f32 as Element<8>>::Vector>(-126, 127);
    law::<<f32 as Element<16>>::Vector>(-126, 127);
}

/// Derivatives, too, are the same bits alone and in lanes.
#[test]
fn derivatives() {
    fn f<S: Scalar>(x: S, y: S) -> S {
        let (s, c) = (x * y).sin_cos();
        (s.atan2(c) + y.exp().tanh()) / (x.squared() + S::ONE).sqrt() + y.abs().powf(c)
    }
    let x: Vec<f64> = draws(64, -3.0..3.0);
    for block in x.chunks(8) {
        let lanes = Dual::<Lanes<f64, 8>, 2>::variable(Scalar::from_lanes(|i| block[i]), 0);
        let y = Dual::variable(lanes.re * Scalar::from_f64(0.7), 1);
        let got = f(lanes, y);
        for i in 0..8 {
            let alone = Dual::<f64, 2>::variable(block[i], 0);
            let expected = f(alone, Dual::variable(block[i] * 0.7, 1));
            assert_same_bits(got.re.lane(i), expected.re, "value");
            for k in 0..2 {
                assert_same_bits(got.eps[k].lane(i), expected.eps[k], "derivative");
            }
        }
    }
}

/// The bits of every function on fixed arguments, as one number: what a native build, a portable
/// build and any other machine must reproduce. Changing a function changes it, knowingly.
#[test]
fn fingerprint() {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut take = |x: f64| {
        let bits = if x.is_nan() { 0 } else { x.to_bits() };
        hash = (hash ^ bits).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(17);
    };
    for i in 0..20_000_u64 {
        // Of every exponent from 2⁻³² to 2³¹, and of both signs.
        let mantissa = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = |m: u64, e: u64| f64::from_bits((m & !(0x7ff << 52)) | ((991 + e % 64) << 52));
        let (x, y) = (bits(mantissa, i), bits(mantissa.rotate_left(29), i / 64));
        let (sin, cos) = Scalar::sin_cos(x);
        let (x1, y1) = (x as f32, y as f32);
        let (sin1, cos1) = Scalar::sin_cos(x1);
        for value in [sin, cos, Scalar::exp(x), Scalar::ln(x.abs()), Scalar::tanh(x)] {
            take(value);
        }
        for value in [sin1, cos1, Scalar::exp(x1), Scalar::ln(x1.abs()), Scalar::tanh(x1)] {
            take(value.into());
        }
        take(Scalar::atan2(x, y));
        take(Scalar::powf(x.abs(), y));
        take(Scalar::atan2(x1, y1).into());
        take(Scalar::powf(x1.abs(), y1).into());
    }
    assert_eq!(hash, 0x5c3a_90dd_9768_b4fa, "{hash:#018x}");
}
