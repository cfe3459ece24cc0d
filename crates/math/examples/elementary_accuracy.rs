//! Measures the elementary functions: the largest error in ulp against a reference with twice the
//! digits, and the time of a call.
//!
//! ```text
//! cargo run --release -p gradbody-math --example elementary_accuracy
//! ```

#[path = "../tests/support/double_double.rs"]
mod double_double;

use std::hint::black_box;
use std::time::Instant;

use double_double::DoubleDouble;
use gradbody_math::random::Random;
use gradbody_math::{Lanes, Scalar};

const SAMPLES: usize = 400_000;

fn main() {
    println!("largest error [ulp], {SAMPLES} random arguments a row, and where it is");
    accuracy_f64();
    accuracy_f32();
    println!(
        "\ntime [ns]: a call alone, the same where each waits for the last, and a lane's share"
    );
    println!(
        "{:8} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "", "std f64", "f64", "waiting", "f64 x8", "f32", "f32 x16"
    );
    speed();
}

/// Of either sign and of every size from 2^low to 2^high.
fn any_size(random: &mut Random, low: f64, high: f64) -> f64 {
    let size = random.between(low, high).exp2();
    if random.unit() < 0.5 { -size } else { size }
}

/// Prints the largest of `error(arguments)`.
fn report<A: std::fmt::Debug>(
    name: &str,
    mut draw: impl FnMut(&mut Random) -> A,
    error: impl Fn(&A) -> f64,
) {
    let mut arguments = Random::new(1);
    let (mut worst, mut at) = (0.0, None);
    for _ in 0..SAMPLES {
        let a = draw(&mut arguments);
        let e = error(&a);
        if e > worst || e.is_nan() {
            (worst, at) = (e, Some(a));
        }
    }
    println!("  {name:32} {worst:6.3}   at {at:?}");
}

fn accuracy_f64() {
    let dd = DoubleDouble::from;
    let sin_cos = |&x: &f64| {
        let ((s, c), (exact_s, exact_c)) = (Scalar::sin_cos(x), dd(x).sin_cos());
        exact_s.ulps_from(s).max(exact_c.ulps_from(c))
    };
    println!("f64");
    report("sin_cos, |x| < 4", |a| a.between(-4.0, 4.0), sin_cos);
    report("sin_cos, |x| < 1e5", |a| a.between(-1e5, 1e5), sin_cos);
    report("sin_cos, |x| < 2^24", |a| a.between(-16777216.0, 16777216.0), sin_cos);
    report("sin_cos, 2^24 < |x| < 2^29", |a| any_size(a, 24.0, 29.0), sin_cos);
    report(
        "sin_cos, near multiples of pi/2",
        |a| a.between(-65536.0, 65536.0).round() * std::f64::consts::FRAC_PI_2,
        sin_cos,
    );
    report("sin_cos, tiny to 1", |a| any_size(a, -900.0, 0.0), sin_cos);
    let exp = |&x: &f64| dd(x).exp().ulps_from(Scalar::exp(x));
    report("exp, |x| < 1", |a| a.between(-1.0, 1.0), exp);
    report("exp, −630 to 709", |a| a.between(-630.0, 709.0), exp);
    let ln = |&x: &f64| dd(x).ln().ulps_from(Scalar::ln(x));
    report("ln, 1/2 to 2", |a| a.between(0.5, 2.0), ln);
    report("ln, every size", |a| any_size(a, -1020.0, 1020.0).abs(), ln);
    let tanh = |&x: &f64| dd(x).tanh().ulps_from(Scalar::tanh(x));
    report("tanh, |x| < 1", |a| a.between(-1.0, 1.0), tanh);
    report("tanh, |x| < 20", |a| a.between(-20.0, 20.0), tanh);
    report("tanh, tiny to 1", |a| any_size(a, -900.0, 0.0), tanh);
    let atan2 = |&(y, x): &(f64, f64)| dd(y).atan2(dd(x)).ulps_from(Scalar::atan2(y, x));
    report("atan2, circle", |a| (a.between(-1.0, 1.0), a.between(-1.0, 1.0)), atan2);
    report(
        "atan2, every size",
        |a| (any_size(a, -200.0, 200.0), any_size(a, -200.0, 200.0)),
        atan2,
    );
    let powf = |&(x, p): &(f64, f64)| dd(x).powf(dd(p)).ulps_from(Scalar::powf(x, p));
    report(
        "powf, x to 1000, |p| < 10",
        |a| (any_size(a, -10.0, 10.0).abs(), a.between(-10.0, 10.0)),
        powf,
    );
    report(
        "powf, results to 1e±260",
        |a| {
            let x = any_size(a, -500.0, 500.0).abs();
            (x, a.between(-600.0, 600.0) / x.ln().abs().max(1.0))
        },
        powf,
    );
}

/// In f32 the functions of f64 are reference enough.
fn accuracy_f32() {
    let ulps = |exact: f64, x: f32| {
        let size = (exact.abs() as f32).max(f32::MIN_POSITIVE);
        let ulp = f64::from(f32::from_bits(size.to_bits() + 1)) - f64::from(size);
        (f64::from(x) - exact).abs() / ulp
    };
    let sin_cos = |&x: &f32| {
        let (s, c) = Scalar::sin_cos(x);
        ulps(f64::from(x).sin(), s).max(ulps(f64::from(x).cos(), c))
    };
    println!("f32");
    report("sin_cos, |x| < 4", |a| a.between(-4.0, 4.0) as f32, sin_cos);
    report("sin_cos, |x| < 1e4", |a| a.between(-1e4, 1e4) as f32, sin_cos);
    report("sin_cos, every size", |a| any_size(a, -126.0, 127.0) as f32, sin_cos);
    let exp = |&x: &f32| ulps(f64::from(x).exp(), Scalar::exp(x));
    report("exp, −103 to 88", |a| a.between(-103.0, 88.0) as f32, exp);
    let ln = |&x: &f32| ulps(f64::from(x).ln(), Scalar::ln(x));
    report("ln, 1/2 to 2", |a| a.between(0.5, 2.0) as f32, ln);
    report("ln, every size", |a| any_size(a, -149.0, 127.0).abs() as f32, ln);
    let tanh = |&x: &f32| ulps(f64::from(x).tanh(), Scalar::tanh(x));
    report("tanh, |x| < 10", |a| a.between(-10.0, 10.0) as f32, tanh);
    let atan2 = |&(y, x): &(f32, f32)| ulps(f64::from(y).atan2(f64::from(x)), Scalar::atan2(y, x));
    report("atan2, circle", |a| (a.between(-1.0, 1.0) as f32, a.between(-1.0, 1.0) as f32), atan2);
    let powf = |&(x, p): &(f32, f32)| ulps(f64::from(x).powf(f64::from(p)), Scalar::powf(x, p));
    report(
        "powf, x to 1000, |p| < 10",
        |a| (any_size(a, -10.0, 10.0).abs() as f32, a.between(-10.0, 10.0) as f32),
        powf,
    );
}

/// The functions as one-argument ones, whose results stay in 0.1 … 1.1 when fed to themselves.
trait Function {
    const NAME: &'static str;
    fn ours<S: Scalar>(x: S) -> S;
    fn std(x: f64) -> f64;
}

macro_rules! function {
    ($type:ident, $name:literal, |$x:ident| $ours:expr, $std:expr) => {
        struct $type;
        impl Function for $type {
            const NAME: &'static str = $name;
            #[inline(always)]
            fn ours<S: Scalar>($x: S) -> S {
                $ours
            }
            #[inline(always)]
            fn std($x: f64) -> f64 {
                $std
            }
        }
    };
}
function!(
    SinCos,
    "sin_cos",
    |x| {
        let (s, c) = x.sin_cos();
        s + c
    },
    {
        let (s, c) = x.sin_cos();
        s + c
    }
);
function!(Exp, "exp", |x| x.exp(), x.exp());
function!(Ln, "ln", |x| x.ln(), x.ln());
function!(Tanh, "tanh", |x| x.tanh(), x.tanh());
function!(Atan2, "atan2", |x| x.atan2(S::ONE), x.atan2(1.0));
function!(Powf, "powf", |x| x.powf(S::from_f64(1.5)), x.powf(1.5));

fn speed() {
    row::<SinCos>();
    row::<Exp>();
    row::<Ln>();
    row::<Tanh>();
    row::<Atan2>();
    row::<Powf>();
}

fn row<F: Function>() {
    println!(
        "{:8} {:10.2} {:10.2} {:10.2} {:10.2} {:10.2} {:10.2}",
        F::NAME,
        time(|| over::<f64>(F::std)),
        time(|| over::<f64>(F::ours)),
        time(waiting::<F>),
        time(|| over::<Lanes<f64, 8>>(F::ours)),
        time(|| over::<f32>(F::ours)),
        time(|| over::<Lanes<f32, 16>>(F::ours)),
    );
}

/// Number of worlds a timed call serves.
const WORLDS: usize = 4096;

/// Calls `f` on that many numbers, `S::LANES` at a time.
#[inline(always)]
fn over<S: Scalar>(f: impl Fn(S) -> S) {
    let mut x = S::from_lanes(|i| 0.3 + 0.01 * i as f64);
    let step = S::from_f64(1e-4);
    for _ in 0..WORLDS / S::LANES {
        black_box(f(black_box(x)));
        x += step;
    }
}

fn waiting<F: Function>() {
    let mut x = black_box(0.7_f64);
    for _ in 0..WORLDS {
        x = F::ours(x).abs().clamp(0.1, 1.1);
    }
    black_box(x);
}

/// The best of many runs, per world.
fn time(run: impl Fn()) -> f64 {
    let once = || {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e9 / WORLDS as f64
    };
    (0..400).map(|_| once()).fold(f64::INFINITY, f64::min)
}
