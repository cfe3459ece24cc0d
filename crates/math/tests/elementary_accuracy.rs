//! The elementary functions are as accurate as documented: dense and random arguments against a
//! reference with twice the digits (for f64) and against f64 (for f32).

mod support;

use gradbody_math::Scalar;
use support::double_double::DoubleDouble;
use support::{check, draws};

/// Documented bounds [ulp of the exact value].
const SIN_COS_ULPS: f64 = 1.0;
const EXP_ULPS: f64 = 1.05;
const LN_ULPS: f64 = 1.0;
const TANH_ULPS: f64 = 2.0;
const ATAN2_ULPS: f64 = 1.0;
const POWF_ULPS: f64 = 1.2;

/// Arguments spread evenly and at random over an interval.
fn sweep(low: f64, high: f64) -> Vec<f64> {
    let even = (0..=20_000).map(|i| low + (high - low) * f64::from(i) / 20_000.0);
    even.chain(draws(5_000, low..high)).collect()
}

/// Arguments of every size from 2^low to 2^high and of both signs.
fn sizes(low: f64, high: f64) -> Vec<f64> {
    sweep(low, high).into_iter().flat_map(|e| [e.exp2(), -e.exp2()]).collect()
}

#[track_caller]
fn assert_f64(exact: DoubleDouble, got: f64, bound: f64, at: impl std::fmt::Debug) {
    let error = exact.ulps_from(got);
    assert!(error <= bound, "{got:e} is {error:.3} ulp off at {at:?}");
}

#[track_caller]
fn assert_f32(exact: f64, got: f32, bound: f64, at: impl std::fmt::Debug) {
    let size = (exact.abs() as f32).max(f32::MIN_POSITIVE);
    let ulp = f64::from(f32::from_bits(size.to_bits() + 1)) - f64::from(size);
    let error = (f64::from(got) - exact).abs() / ulp;
    assert!(error <= bound, "{got:e} is {error:.3} ulp off at {at:?}");
}

#[test]
fn sine_and_cosine() {
    let quarters = (-40_000..40_000).map(|n| f64::from(n) * std::f64::consts::FRAC_PI_2);
    let arguments = [
        sweep(-4.0, 4.0),
        sweep(-1e5, 1e5),
        sweep(-16_777_216.0, 16_777_216.0),
        sizes(24.0, 29.0), // the exact reduction
        sizes(-900.0, 0.0),
        quarters.collect(),
    ];
    for x in arguments.concat() {
        let ((sin, cos), exact) = (Scalar::sin_cos(x), DoubleDouble::from(x).sin_cos());
        assert_f64(exact.0, sin, SIN_COS_ULPS, x);
        assert_f64(exact.1, cos, SIN_COS_ULPS, x);
    }
    for x in [sweep(-4.0, 4.0), sweep(-1.01e4, 1.01e4), sizes(-140.0, 127.0)].concat() {
        let (sin, cos) = Scalar::sin_cos(x as f32);
        let exact = f64::from(x as f32).sin_cos();
        assert_f32(exact.0, sin, SIN_COS_ULPS, x);
        assert_f32(exact.1, cos, SIN_COS_ULPS, x);
    }
}

#[test]
fn sine_and_cosine_of_huge_angles() {
    // From mpmath with 400 digits: sin(x), cos(x), rounded to f64. The last four are the angles
    // that come closest to a multiple of π/2 among all f64 and in their binades.
    for (x, sin, cos) in HUGE_ANGLES {
        let got = Scalar::sin_cos(x);
        assert_f64(DoubleDouble::from(sin), got.0, 1.5, x);
        assert_f64(DoubleDouble::from(cos), got.1, 1.5, x);
        assert_eq!(Scalar::sin_cos(-x), (-got.0, got.1));
    }
}

#[test]
fn exponential() {
    for x in [sweep(-1.0, 1.0), sweep(-630.0, 709.7), sizes(-100.0, 0.0)].concat() {
        assert_f64(DoubleDouble::from(x).exp(), Scalar::exp(x), EXP_ULPS, x);
    }
    for x in [sweep(-1.0, 1.0), sweep(-104.0, 88.7), sizes(-100.0, 0.0)].concat() {
        assert_f32(f64::from(x as f32).exp(), Scalar::exp(x as f32), EXP_ULPS, x);
    }
    // Subnormal results are rounded once: at most half a unit there, beside the relative error.
    for x in sweep(-745.2, -708.0) {
        let unit = f64::from_bits(1);
        let error = (Scalar::exp(x) - x.exp()).abs();
        assert!(error <= unit + 4.0 * f64::EPSILON * x.exp(), "{x}");
    }
}

#[test]
fn logarithm() {
    let positive = sizes(-1021.0, 1023.9).into_iter().filter(|x| *x > 0.0);
    for x in sweep(0.4, 2.5).into_iter().chain(sweep(0.9999, 1.0001)).chain(positive) {
        assert_f64(DoubleDouble::from(x).ln(), Scalar::ln(x), LN_ULPS, x);
    }
    for x in (1..200_u64).map(|i| f64::from_bits(i * i * i * 0x0000_0001_1234_5678)) {
        let error = (Scalar::ln(x) - x.ln()).abs() / x.ln().abs(); // subnormal
        assert!(error <= 2.0 * f64::EPSILON, "{x:e}");
    }
    let positive = sizes(-149.0, 127.9).into_iter().filter(|x| *x > 0.0);
    for x in sweep(0.4, 2.5).into_iter().chain(positive) {
        assert_f32(f64::from(x as f32).ln(), Scalar::ln(x as f32), LN_ULPS, x);
    }
}

#[test]
fn hyperbolic_tangent() {
    for x in [sweep(-1.0, 1.0), sweep(-25.0, 25.0), sizes(-900.0, 0.0)].concat() {
        let got = Scalar::tanh(x);
        assert_f64(DoubleDouble::from(x).tanh(), got, TANH_ULPS, x);
        assert!(got.abs() <= 1.0, "{x}");
    }
    for x in [sweep(-1.0, 1.0), sweep(-12.0, 12.0), sizes(-100.0, 0.0)].concat() {
        assert_f32(f64::from(x as f32).tanh(), Scalar::tanh(x as f32), TANH_ULPS, x);
    }
}

#[test]
fn arctangent() {
    let square = draws(40_000, (-1.0..1.0, -1.0..1.0));
    let far = draws(10_000, (-200.0..200.0_f64, -200.0..200.0_f64));
    let far = far.into_iter().map(|(a, b)| (a.exp2(), -b.exp2()));
    for (y, x) in square.into_iter().chain(far) {
        let exact = DoubleDouble::from(y).atan2(DoubleDouble::from(x));
        assert_f64(exact, Scalar::atan2(y, x), ATAN2_ULPS, (y, x));
        let (y, x) = (y.clamp(-1e30, 1e30) as f32, x.clamp(-1e30, 1e30) as f32);
        let exact = f64::from(y).atan2(f64::from(x));
        assert_f32(exact, Scalar::atan2(y, x), ATAN2_ULPS, (y, x));
    }
    // The ends of the range, where sides are scaled before they are divided.
    for size in [1e-320, 1e-308, 1e-280, 1e-270, 1e300, 1e308] {
        for (y, x) in draws(200, (0.01..1.0, -1.0..1.0)) {
            let (y, x): (f64, f64) = (y * size, x * size);
            let error = (Scalar::atan2(y, x) - y.atan2(x)).abs();
            assert!(error <= 1e-15, "{y:e} {x:e}: {error:e}");
        }
    }
}

#[test]
fn power() {
    let moderate = draws(20_000, (-10.0..10.0_f64, -10.0..10.0));
    let moderate = moderate.into_iter().map(|(e, p)| (e.exp2(), p));
    let extreme = draws(20_000, (-500.0..500.0_f64, -600.0..600.0));
    let extreme = extreme.into_iter().map(|(e, y)| (e.exp2(), y / e.abs().max(1.0)));
    for (x, p) in moderate.clone().chain(extreme) {
        let exact = DoubleDouble::from(x).powf(DoubleDouble::from(p));
        assert_f64(exact, Scalar::powf(x, p), POWF_ULPS, (x, p));
    }
    for (x, p) in moderate {
        let (x, p) = (x as f32, p as f32);
        let exact = f64::from(x).powf(f64::from(p));
        assert_f32(exact, Scalar::powf(x, p), POWF_ULPS, (x, p));
    }
}

#[test]
fn std_agrees() {
    // The platform's own functions, as a reference that is not ours.
    check(500, (-700.0..700.0_f64, -9.0..9.0_f64), |(x, y)| {
        let near = |ours: f64, std: f64| {
            assert!((ours - std).abs() <= 4.0 * f64::EPSILON * std.abs(), "{ours:e} and {std:e}");
        };
        near(Scalar::sin_cos(x).0, x.sin());
        near(Scalar::sin_cos(x).1, x.cos());
        near(Scalar::exp(x), x.exp());
        near(Scalar::ln(x.abs()), x.abs().ln());
        near(Scalar::tanh(y), y.tanh());
        near(Scalar::atan2(x, y), x.atan2(y));
        near(Scalar::powf(x.abs(), y), x.abs().powf(y));
    });
}

/// x, sin x, cos x.
const HUGE_ANGLES: [(f64, f64, f64); 29] = [
    (16777217.5, 0.5696098830629779, 0.8219151909515852),
    (100000000.1, 0.8907067401903517, -0.45457837935770473),
    (123456789012.75, -0.7390201824843392, -0.6736832860334402),
    (1000000000000001.0, 0.03188912928092011, -0.9994914123861719),
    (9007199254740994.0, -0.1272965508935216, 0.9918647025328672),
    (1.152921504606847e+18, -0.8306492176372546, -0.5567960822766417),
    (1e+22, -0.8522008497671888, 0.523214785395139),
    (3.333333333333333e+29, 0.5120167744583884, -0.8589754494007543),
    (1.2676506002282305e+30, -0.5143124353388299, 0.8576028911191018),
    (1e+100, -0.3806377310050287, 0.9247242387519338),
    (1.7e+200, 0.9828469412593143, -0.1844231277720072),
    (8.98846567431158e+307, 0.563127779850884, -0.826369834614148),
    (1.7976931348623157e+308, 0.004961954789184062, -0.9999876894265599),
    (9.797961223300468e+174, 0.9805331400815863, 0.19635366358116202),
    (2.203265022698901e+289, -0.7752425719586885, 0.6316636404154331),
    (1.2277214232355903e+200, 0.983666720851879, -0.17999939524484965),
    (1.1540070016146246e+194, 0.6535247762932026, 0.7569051240221059),
    (1.6334567537235897e+265, -0.31676448469809265, -0.9485042230975842),
    (1.4884283347786975e+177, 0.592870004524465, -0.8052981793939192),
    (1.8714073719842947e+228, -0.10584674851791608, -0.9943824545054005),
    (1.1851992345465855e+265, 0.8557211720524651, 0.5174372190915101),
    (4.296615373880849e+129, -0.8173395800727468, 0.576156238225801),
    (6.279661541398181e+53, 0.09680019796555182, 0.9953038338486545),
    (9.439574899671563e+53, 0.6626307706346485, 0.7489462342572608),
    (3.5249663985115086e+168, 0.6346916595117387, -0.7727654866427688),
    (5.319372648326541e+255, 1.0, -4.687165924254628e-19),
    (1.0638745296653083e+256, -9.374331848509255e-19, -1.0),
    (3.576149729694266e+39, -1.0, -1.8208566377382172e-18),
    (2.1277490593306166e+256, 1.874866369701851e-18, 1.0),
];
