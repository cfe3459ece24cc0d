//! The solver against closed forms and against the conditions of a minimum.

use gradbody_math::random::Random;

use super::{QpError, QpSolver, QuadraticProgram, Side};

/// Conditions of a minimum hold to this share of the size of their terms.
const KKT: f64 = 1e-9;

/// ½ |x − target|² without bounds.
fn distance_to(target: &[f64]) -> QuadraticProgram {
    let mut program = QuadraticProgram::new(target.len());
    for (k, x) in target.iter().enumerate() {
        program.hessian_row_mut(k)[k] = 1.0;
        program.gradient_mut()[k] = -x;
    }
    program
}

/// A random Hessian of the given least eigenvalue, and a random gradient.
fn random_cost(random: &mut Random, n: usize, least: f64) -> QuadraticProgram {
    let rows = n + 2;
    let a: Vec<f64> = random.numbers(rows * n);
    let mut program = QuadraticProgram::new(n);
    for i in 0..n {
        for j in i..n {
            let sum: f64 = (0..rows).map(|k| a[k * n + i] * a[k * n + j]).sum();
            program.hessian_row_mut(i)[j] = sum + if i == j { least } else { 0.0 };
        }
    }
    let scale = 10.0;
    random.numbers(n).iter().zip(program.gradient_mut()).for_each(|(x, g)| *g = scale * x);
    program
}

/// At the minimum every bound holds, a multiplier belongs to a bound that holds with equality and has its sign, and
/// Hx + g = Cᵀ λ.
#[track_caller]
fn assert_minimum(program: &QuadraticProgram, solver: &QpSolver) {
    let n = program.unknowns();
    let mut slope = vec![0.0; n];
    program.slope(solver.x(), &mut slope);
    let mut size = program.gradient().iter().fold(1.0_f64, |most, g| most.max(g.abs()));
    for row in 0..program.rows() {
        let ((lower, upper), value) = (program.bounds(row), program.row_times(row, solver.x()));
        assert!(value >= lower - KKT * (1.0 + lower.abs()), "{value} below {lower}");
        assert!(value <= upper + KKT * (1.0 + upper.abs()), "{value} above {upper}");
        let multiplier = solver.multipliers()[row];
        match solver.sides()[row] {
            Side::Inside => assert!(multiplier == 0.0),
            Side::Lower => {
                assert!(multiplier >= -KKT && (value - lower).abs() < KKT * (1.0 + lower.abs()));
            }
            Side::Upper => {
                assert!(multiplier <= KKT && (value - upper).abs() < KKT * (1.0 + upper.abs()));
            }
        }
        for (k, factor) in program.row(row) {
            slope[*k] -= factor * multiplier;
            size = size.max((factor * multiplier).abs());
        }
    }
    let largest = slope.iter().fold(0.0_f64, |most, s| most.max(s.abs()));
    assert!(largest < KKT * size, "slope {largest} of {size}");
}

#[test]
fn a_point_is_moved_to_the_nearest_one_of_a_box() {
    let target = [3.0, -2.0, 0.25, 1.0];
    let mut program = distance_to(&target);
    (0..4).for_each(|k| program.add_row(&[(k, 1.0)], -1.0, 1.0));
    let mut solver = QpSolver::default();
    solver.solve(&program, &[]).expect("a minimum");
    let expected = [1.0, -1.0, 0.25, 1.0];
    for (x, expected) in solver.x().iter().zip(expected) {
        assert!((x - expected).abs() < 1e-14, "{x}");
    }
    let expected = [-2.0, 1.0, 0.0, 0.0];
    for (multiplier, expected) in solver.multipliers().iter().zip(expected) {
        assert!((multiplier - expected).abs() < 1e-14, "{multiplier}");
    }
}

/// The nearest point of a face of a friction pyramid is the projection on its plane.
#[test]
fn a_force_is_moved_to_the_face_of_its_friction_pyramid() {
    let friction = 0.5;
    let mut program = distance_to(&[3.0, 0.0, 2.0]);
    for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)] {
        program.add_row(&[(axis, sign), (2, -friction)], f64::NEG_INFINITY, 0.0);
    }
    let mut solver = QpSolver::default();
    let report = solver.solve(&program, &[]).expect("a minimum");
    // (3, 2) projected on the direction (½, 1)/|(½, 1)|.
    let normal = (3.0 * friction + 2.0) / (friction * friction + 1.0);
    for (x, expected) in solver.x().iter().zip([friction * normal, 0.0, normal]) {
        assert!((x - expected).abs() < 1e-14, "{x} {expected}");
    }
    assert_eq!(report.active, 1);
}

#[test]
fn random_programs_have_the_conditions_of_a_minimum() {
    let mut random = Random::new(11);
    let mut solver = QpSolver::default();
    let (mut active, mut warm, mut cold) = (0, 0, 0);
    for round in 0..300 {
        let n = 1 + random.below(40);
        let least = [1.0, 1e-3, 1e-6][round % 3];
        let mut program = random_cost(&mut random, n, least);
        // Through the origin or around it, so that a feasible point exists.
        for _ in 0..random.below(3 * n + 1) {
            let entries: Vec<(usize, f64)> =
                (0..1 + random.below(4)).map(|_| (random.below(n), random.signed())).collect();
            let (lower, upper) = (-random.unit(), random.unit());
            match random.below(4) {
                0 => program.add_row(&entries, lower, f64::INFINITY),
                1 => program.add_row(&entries, f64::NEG_INFINITY, 0.0),
                _ => program.add_row(&entries, lower, upper),
            }
        }
        cold += solver.solve(&program, &[]).expect("a minimum").iterations;
        assert_minimum(&program, &solver);
        active += solver.sides().iter().filter(|side| **side != Side::Inside).count();
        let (x, sides) = (solver.x().to_vec(), solver.sides().to_vec());
        // From the right guess nothing is left to do; from a wrong one the result is the same.
        warm += solver.solve(&program, &sides).expect("a minimum").iterations;
        assert_minimum(&program, &solver);
        let wrong: Vec<Side> = (0..program.rows())
            .map(|_| [Side::Inside, Side::Lower, Side::Upper][random.below(3)])
            .collect();
        solver.solve(&program, &wrong).expect("a minimum");
        assert_minimum(&program, &solver);
        for (a, b) in solver.x().iter().zip(&x) {
            assert!((a - b).abs() < 1e-7 * (1.0 + b.abs()), "{a} {b}");
        }
    }
    assert!(active > 1000, "only {active} bounds were active");
    assert!(
        cold > 1000 && warm < 10,
        "{cold} iterations without a guess, {warm} with the right one"
    );
}

/// At the tip of a pyramid five bounds meet in three unknowns; some rows are there twice, and some are equations.
#[test]
fn degenerate_programs_are_solved() {
    let mut random = Random::new(5);
    let mut solver = QpSolver::default();
    let mut tips = 0;
    for _ in 0..200 {
        let feet = 1 + random.below(6);
        let mut program = random_cost(&mut random, 3 * feet, 1e-4);
        for foot in 0..feet {
            let [x, y, z] = [3 * foot, 3 * foot + 1, 3 * foot + 2];
            // Upward forces cost, so that many feet are at the tip of their pyramid.
            program.gradient_mut()[z] += 5.0;
            for twice in 0..2 {
                let scale = 1.0 + f64::from(twice);
                for (axis, sign) in [(x, 1.0), (x, -1.0), (y, 1.0), (y, -1.0)] {
                    let entries = [(axis, sign * scale), (z, -0.6 * scale)];
                    program.add_row(&entries, f64::NEG_INFINITY, 0.0);
                }
                program.add_row(&[(z, 1.0)], 0.0, 3.0);
            }
        }
        if random.below(2) == 0 {
            program.add_row(&[(0, 1.0), (2, 0.3)], 0.0, 0.0);
        }
        let report = solver.solve(&program, &[]).expect("a minimum");
        assert_minimum(&program, &solver);
        assert!(report.violation < KKT && report.slope < 1e-7, "{report:?}");
        tips += (0..feet).filter(|foot| solver.x()[3 * foot + 2].abs() < 1e-12).count();
    }
    assert!(tips > 100, "only {tips} feet were at the tip");
}

#[test]
fn what_has_no_solution_is_an_error() {
    let mut solver = QpSolver::default();
    let mut program = distance_to(&[0.0, 0.0]);
    program.add_row(&[(0, 1.0), (1, 1.0)], 1.0, f64::INFINITY);
    program.add_row(&[(0, 1.0)], f64::NEG_INFINITY, 0.25);
    program.add_row(&[(1, 1.0)], f64::NEG_INFINITY, 0.25);
    assert!(matches!(solver.solve(&program, &[]), Err(QpError::Infeasible(_))));
    assert!(solver.x().is_empty() && solver.multipliers().is_empty() && solver.sides().is_empty());
    assert_eq!(solver.solve(&program, &[Side::Lower]), Err(QpError::Guess { given: 1, needed: 3 }));
    let mut program = distance_to(&[0.0, 0.0]);
    program.add_row(&[(0, 1.0)], 1.0, -1.0);
    assert_eq!(
        solver.solve(&program, &[]),
        Err(QpError::Bounds { row: 0, lower: 1.0, upper: -1.0 })
    );
    let mut program = distance_to(&[0.0, 0.0]);
    program.hessian_row_mut(1)[1] = -1.0;
    assert_eq!(solver.solve(&program, &[]), Err(QpError::NotPositive(1)));
    let mut program = distance_to(&[0.0, 0.0]);
    program.add_row(&[(0, 1.0), (2, 1.0)], 0.0, 1.0);
    assert_eq!(
        solver.solve(&program, &[]),
        Err(QpError::Entry { row: 0, unknown: 2, unknowns: 2 })
    );
    let mut program = distance_to(&[0.0, f64::NAN]);
    assert_eq!(solver.solve(&program, &[]), Err(QpError::NotFinite));
    program.reset(2);
    assert_eq!(solver.solve(&program, &[]), Err(QpError::NotPositive(0)));
}
