//! Inertias: faults, repair, eigenvalues and log-Cholesky coordinates.

use gradbody_math::{Dual, Inertia, Mat3, Sym3, Vec3};
use gradbody_model::{
    InertiaFault, LogCholesky, check_inertia, nearest_consistent, principal_moments,
};
use proptest::prelude::*;

/// A few roundings of numbers of order one.
const ROUNDING: f64 = 1e-12;
/// Central differences with step 1e-6 in f64.
const FD_CENTRAL: f64 = 1e-8;

fn body(mass: f64, moments: [f64; 3]) -> Inertia<f64> {
    let [x, y, z] = moments;
    let com = Vec3::new(0.1, -0.2, 0.3);
    Inertia { mass, com, rotational: Sym3::diagonal(Vec3::new(x, y, z)) }
}

fn turned(inertia: &Inertia<f64>, rpy: [f64; 3]) -> Inertia<f64> {
    inertia.rotated(&Mat3::from_rpy(Vec3::from_f64(rpy)))
}

/// Mass, centre of mass, rotational inertia: the order of `LogCholesky::jacobian`.
fn ten_numbers<S: gradbody_math::Scalar>(inertia: &Inertia<S>) -> [S; 10] {
    let [cx, cy, cz] = inertia.com.to_array();
    let [xx, yy, zz, xy, xz, yz] = inertia.rotational.to_array();
    [inertia.mass, cx, cy, cz, xx, yy, zz, xy, xz, yz]
}

#[track_caller]
fn assert_near(a: &[f64], b: &[f64], tolerance: f64) {
    let scale = b.iter().fold(1e-300_f64, |m, x| m.max(x.abs()));
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= tolerance * scale, "{a:?} is not {b:?}");
    }
}

/// Distance of two rotational inertias as second moments of mass, in the sum of squares.
fn distance(a: &Inertia<f64>, b: &Inertia<f64>) -> f64 {
    let Sym3 { xx, yy, zz, xy, xz, yz } = a.rotational - b.rotational;
    let half_trace = 0.5 * (xx + yy + zz);
    let diagonal = [xx, yy, zz].map(|x| (half_trace - x).powi(2)).iter().sum::<f64>();
    (diagonal + 2.0 * (xy * xy + xz * xz + yz * yz)).sqrt()
}

// --- faults ------------------------------------------------------------------------------------

#[test]
fn real_bodies_have_no_fault() {
    let solid_box = body(2.0, [0.3, 0.4, 0.5]);
    let flat_plate = body(1.0, [0.1, 0.2, 0.3]);
    let thin_rod = body(1.0, [0.0, 1.0, 1.0]);
    let point = body(1.0, [0.0, 0.0, 0.0]);
    for inertia in [solid_box, flat_plate, thin_rod, point, Inertia::ZERO] {
        assert_eq!(check_inertia(&inertia), Ok(()));
        assert_eq!(check_inertia(&turned(&inertia, [0.3, -0.7, 1.9])), Ok(()));
    }
}

#[test]
fn rounding_is_not_a_fault() {
    // A plate whose file rounds to six digits, a rod that breaks equality by a float's rounding,
    // and the noise some files have in place of a point mass's zeros.
    for inertia in [
        body(1.0, [0.123_456, 0.234_567, 0.358_024]),
        body(1.0, [-1e-16, 1.0, 1.0]),
        body(1.0, [-1e-20, 0.0, 1e-18]),
    ] {
        assert_eq!(check_inertia(&inertia), Ok(()));
    }
}

#[test]
fn each_fault_is_named() {
    let nan = body(f64::NAN, [1.0; 3]);
    let infinite = body(1.0, [1.0, f64::INFINITY, 1.0]);
    let mut lost = body(1.0, [1.0; 3]);
    lost.com.y = f64::NAN;
    for inertia in [nan, infinite, lost] {
        assert_eq!(check_inertia(&inertia), Err(InertiaFault::NotFinite));
    }
    let negative = InertiaFault::NegativeMass(-2.0);
    assert_eq!(check_inertia(&body(-2.0, [1.0; 3])), Err(negative));
    let moment = InertiaFault::NegativeMoment(-0.25);
    assert_eq!(check_inertia(&body(1.0, [1.0, -0.25, 1.0])), Err(moment));
    let massless = InertiaFault::MasslessRotation { moment: 0.5 };
    assert_eq!(check_inertia(&body(0.0, [0.25, 0.5, 0.25])), Err(massless));
    let triangle = InertiaFault::BrokenTriangle { moments: [0.25, 0.5, 1.0], excess: 0.25 };
    assert_eq!(check_inertia(&body(1.0, [1.0, 0.25, 0.5])), Err(triangle));

    let fatal = [InertiaFault::NotFinite, negative, moment];
    assert!(fatal.iter().all(InertiaFault::is_fatal));
    assert!(![massless, triangle].iter().any(InertiaFault::is_fatal));
}

#[test]
fn a_hidden_negative_moment_is_found() {
    // Every diagonal entry is positive; the eigenvalues of the xy block are 1 ± 2.
    let inertia =
        Inertia { mass: 1.0, com: Vec3::ZERO, rotational: Sym3::new(1.0, 1.0, 1.0, 2.0, 0.0, 0.0) };
    let Err(InertiaFault::NegativeMoment(moment)) = check_inertia(&inertia) else {
        panic!("{:?}", check_inertia(&inertia))
    };
    assert_near(&[moment], &[-1.0], ROUNDING);
}

#[test]
fn faults_say_what_is_wrong() {
    let text = |inertia| check_inertia(&inertia).unwrap_err().to_string();
    assert_eq!(text(body(-2.0, [1.0; 3])), "the mass, -2 kg, is negative");
    assert_eq!(
        text(body(1.0, [1.0, -0.021_346_75, 1.0])),
        "a principal moment of inertia, -0.02135 kg m², is negative"
    );
    assert_eq!(text(body(0.0, [1e-7; 3])), "a moment of inertia of 1e-7 kg m² without any mass");
    assert_eq!(
        text(body(1.0, [0.1, 0.2, 0.5])),
        "no body has the principal moments of inertia 0.1, 0.2 and 0.5 kg m²: the last is above \
         the sum of the others by 0.2"
    );
    assert_eq!(text(body(f64::NAN, [1.0; 3])), "the inertia has a number that is not finite");
    assert_eq!(
        LogCholesky::from_inertia(&body(1.0, [0.5, 0.5, 1.0])).unwrap_err().to_string(),
        "mass 1 kg and second moments 0, 0.5 and 0.5 kg m² must all be positive"
    );
}

// --- eigenvalues -------------------------------------------------------------------------------

#[test]
fn eigenvalues_of_closed_forms() {
    // [[2, 1, 1], [1, 2, 1], [1, 1, 2]] has 1, 1 and 4, the last along (1, 1, 1).
    let (moments, axes) = principal_moments(&Sym3::new(2.0, 2.0, 2.0, 1.0, 1.0, 1.0));
    assert_near(&moments.to_array(), &[1.0, 1.0, 4.0], ROUNDING);
    let along = axes.cols[2].to_array().map(|x| (x * 3.0_f64.sqrt()).abs());
    assert_near(&along, &[1.0; 3], ROUNDING);
    // Tridiagonal (2, −1): 2 − 2 cos(k π / 4).
    let (moments, _) = principal_moments(&Sym3::new(2.0, 2.0, 2.0, -1.0, 0.0, -1.0));
    let root = 2.0_f64.sqrt();
    assert_near(&moments.to_array(), &[2.0 - root, 2.0, 2.0 + root], ROUNDING);
    // A solid box in its own axes keeps its numbers exactly.
    let (moments, axes) = principal_moments(&Sym3::diagonal(Vec3::new(0.5, 0.3, 0.4)));
    assert_eq!(moments, Vec3::new(0.3, 0.4, 0.5));
    assert_eq!(axes.determinant(), 1.0);
    // Scale does not matter, and zero is nothing special.
    let (moments, _) =
        principal_moments(&Sym3::new(2e-200, 2e-200, 2e-200, 1e-200, 1e-200, 1e-200));
    assert_near(&moments.to_array(), &[1e-200, 1e-200, 4e-200], ROUNDING);
    assert_eq!(principal_moments(&Sym3::ZERO), (Vec3::ZERO, Mat3::IDENTITY));
}

fn entries() -> impl Strategy<Value = Sym3<f64>> {
    prop::array::uniform6(-1.0..1.0).prop_map(|[a, b, c, d, e, f]| Sym3::new(a, b, c, d, e, f))
}

proptest! {
    #[test]
    fn eigenvectors_rebuild_the_matrix(m in entries()) {
        let (moments, axes) = principal_moments(&m);
        prop_assert!(moments.x <= moments.y && moments.y <= moments.z);
        prop_assert!((axes.determinant() - 1.0).abs() < ROUNDING);
        let rebuilt = Sym3::diagonal(moments).rotated(&axes);
        assert_near(&rebuilt.to_array(), &m.to_array(), ROUNDING);
    }
}

// --- repair ------------------------------------------------------------------------------------

#[test]
fn a_repair_moves_only_the_second_moment_at_fault() {
    // Second moments (0.4, 0.3, −0.1) in kg m²; the nearest has (0.4, 0.3, 0.4e-6).
    let repaired = nearest_consistent(&body(1.0, [0.2, 0.3, 0.7]));
    let tiny = 0.4e-6;
    let expected = body(1.0, [0.3 + tiny, 0.4 + tiny, 0.7]);
    assert_near(&ten_numbers(&repaired), &ten_numbers(&expected), ROUNDING);
}

#[test]
fn a_repair_of_the_mass_keeps_the_rest() {
    let sound = body(-1.0, [0.3, 0.4, 0.5]);
    let repaired = nearest_consistent(&sound);
    assert!(repaired.mass > 0.0 && repaired.mass < 1e-6);
    assert_eq!((repaired.com, repaired.rotational), (sound.com, sound.rotational));
}

#[test]
fn only_a_frame_stays_only_a_frame() {
    assert_eq!(nearest_consistent(&Inertia::ZERO), Inertia::ZERO);
}

#[test]
fn a_point_mass_gains_an_extent_too_small_to_matter() {
    let repaired = nearest_consistent(&body(2.0, [0.0; 3]));
    let largest = repaired.rotational.to_array().into_iter().fold(0.0, f64::max);
    assert!(largest > 0.0 && largest < 1e-11);
    assert!(LogCholesky::from_inertia(&repaired).is_ok());
}

fn any_numbers() -> impl Strategy<Value = Inertia<f64>> {
    (-1.0..3.0, prop::array::uniform3(-1.0..1.0), entries())
        .prop_map(|(mass, com, rotational)| Inertia { mass, com: Vec3::from_f64(com), rotational })
}

proptest! {
    #[test]
    fn any_numbers_can_be_repaired(given in any_numbers()) {
        let repaired = nearest_consistent(&given);
        prop_assert_eq!(check_inertia(&repaired), Ok(()));
        prop_assert!(LogCholesky::from_inertia(&repaired).is_ok());
        prop_assert_eq!(nearest_consistent(&repaired), repaired);
        prop_assert_eq!(repaired.com, given.com);
        if given.mass > 0.0 {
            prop_assert_eq!(repaired.mass, given.mass);
        }
    }

    #[test]
    fn no_possible_inertia_is_nearer_than_the_repaired_one(
        given in any_numbers(),
        other in coordinates(),
    ) {
        // The floor on the extent may cost a part in a million of the size.
        let repaired = nearest_consistent(&given);
        let slack = 1e-5 * (1.0 + distance(&given, &Inertia::ZERO));
        let nearest = distance(&given, &repaired);
        prop_assert!(nearest <= distance(&given, &other.to_inertia()) + slack);
        // Also not on the way from the repaired one to any other.
        let mut near = repaired;
        let step = (other.to_inertia().rotational - repaired.rotational).map(|x| 0.01 * x);
        near.rotational = repaired.rotational + step;
        prop_assert!(nearest <= distance(&given, &near) + slack);
    }

    #[test]
    fn possible_inertias_are_left_alone(theta in prop::array::uniform10(-0.8..0.8)) {
        // Coordinates so near zero that no extent is below a thousandth of another.
        let inertia = LogCholesky(theta).to_inertia();
        prop_assert_eq!(nearest_consistent(&inertia), inertia);
    }
}

// --- log-Cholesky coordinates ------------------------------------------------------------------

fn coordinates() -> impl Strategy<Value = LogCholesky<f64>> {
    prop::array::uniform10(-2.0..2.0).prop_map(LogCholesky)
}

/// The same coordinates, each a variable of its own.
fn as_variables(theta: &LogCholesky<f64>) -> LogCholesky<Dual<f64, 10>> {
    LogCholesky(std::array::from_fn(|i| Dual::variable(theta.0[i], i)))
}

#[test]
fn coordinates_are_those_of_pinocchio() {
    // pinocchio.LogCholeskyParameters(p).toInertia(), Pinocchio 4.1.0
    let theta = LogCholesky([0.35, -1.2, -0.9, -1.5, 0.07, -0.11, 0.13, 0.4, -0.2, 0.6]);
    let expected = Inertia {
        mass: 2.0137527074704766,
        com: Vec3::new(0.4, -0.2, 0.6),
        rotational: Sym3::new(
            0.4574963351812761,
            0.3268421767983951,
            0.5838208245340635,
            -0.028514488998630932,
            -0.058412765335238814,
            0.049426186052894366,
        ),
    };
    assert_near(&ten_numbers(&theta.to_inertia()), &ten_numbers(&expected), ROUNDING);
}

#[test]
fn no_coordinates_without_mass_or_extent() {
    let point = body(1.0, [0.0; 3]);
    let flat = body(1.0, [0.1, 0.2, 0.3 + 1e-12]);
    for inertia in [Inertia::ZERO, point, flat] {
        let fault = LogCholesky::from_inertia(&inertia).unwrap_err();
        assert!(matches!(fault, InertiaFault::NoExtent { .. }), "{fault:?}");
        assert!(!fault.is_fatal());
    }
    let broken = LogCholesky::from_inertia(&body(1.0, [0.1, 0.2, 0.5])).unwrap_err();
    assert!(matches!(broken, InertiaFault::BrokenTriangle { .. }));
}

proptest! {
    #[test]
    fn any_coordinates_are_a_possible_inertia(theta in prop::array::uniform10(-5.0..5.0)) {
        prop_assert_eq!(check_inertia(&LogCholesky(theta).to_inertia()), Ok(()));
    }

    #[test]
    fn coordinates_round_trip(theta in coordinates()) {
        let inertia = theta.to_inertia();
        let again = LogCholesky::from_inertia(&inertia).unwrap();
        assert_near(&ten_numbers(&again.to_inertia()), &ten_numbers(&inertia), ROUNDING);
        // Long thin bodies lose digits in their shortest extent.
        assert_near(&again.0, &theta.0, 1e-8);
    }

    #[test]
    fn jacobian_agrees_with_duals(theta in coordinates()) {
        let jacobian = theta.jacobian();
        let duals = ten_numbers(&as_variables(&theta).to_inertia());
        for (row, dual) in jacobian.iter().zip(duals) {
            assert_near(row, &dual.eps, ROUNDING);
            prop_assert!(row.iter().any(|x| *x != 0.0));
        }
        for k in 0..10 {
            prop_assert!(jacobian.iter().any(|row| row[k] != 0.0), "column {} is zero", k);
        }
    }

    #[test]
    fn jacobian_agrees_with_finite_differences(theta in coordinates()) {
        let step = 1e-6;
        let jacobian = theta.jacobian();
        for k in 0..10 {
            let at = |sign: f64| {
                let mut moved = theta;
                moved.0[k] += sign * step;
                ten_numbers(&moved.to_inertia())
            };
            let (ahead, behind) = (at(1.0), at(-1.0));
            let slope: [f64; 10] = std::array::from_fn(|i| (ahead[i] - behind[i]) / (2.0 * step));
            let column = jacobian.map(|row| row[k]);
            let scale = ahead.iter().chain(&column).fold(1.0_f64, |m, x| m.max(x.abs()));
            for (a, b) in column.iter().zip(slope) {
                prop_assert!((a - b).abs() <= FD_CENTRAL * scale, "column {}: {} {}", k, a, b);
            }
        }
    }
}

#[test]
fn jacobian_differentiates_too() {
    // The Jacobian runs on duals: its derivative by α of the mass row is 4 m.
    let theta = as_variables(&LogCholesky([0.3, -1.0, -0.5, 0.1, 0.2, 0.3, -0.4, 0.0, 1.0, 2.0]));
    let slope = theta.jacobian()[0][0];
    assert_near(&[slope.eps[0]], &[2.0 * slope.re], ROUNDING);
}
