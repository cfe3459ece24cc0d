//! Solves the quadratic programs of a trot, which `cargo reproduce trot` writes, by Clarabel, by OSQP and by gradbody, in
//! turn, and compares times and results.
//!
//! In this folder: `cargo run --release -- ../../../out/reproduce/trot/programs-walking.json [ROUNDS]`. OSQP needs CMake.

use std::hint::black_box;
use std::time::Instant;

use clarabel::algebra::CscMatrix as Sparse;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT};
use gradbody_control::{QpSolver, QuadraticProgram, Side};
use osqp::{CscMatrix, Problem, Settings};
use serde_json::Value;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("name the file of programs")?;
    let rounds: usize = args.next().map_or(Ok(5), |n| n.parse())?;
    let written: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let programs = written.iter().map(read).collect::<Option<Vec<_>>>();
    let programs = programs.ok_or("the file does not hold programs")?;
    let rows: usize = programs.iter().map(QuadraticProgram::rows).sum();
    let unknowns: usize = programs.iter().map(QuadraticProgram::unknowns).sum();
    let count = programs.len();
    println!(
        "{count} programs, {} unknowns and {} rows on average",
        unknowns / count,
        rows / count
    );
    let mut contestants: Vec<Contestant> = vec![
        Contestant::new("gradbody, from the last active bounds", Box::new(Own::warm())),
        Contestant::new("gradbody, without a guess", Box::new(Own::cold())),
        Contestant::new("Clarabel", Box::new(Clarabel)),
        Contestant::new("OSQP, new", Box::new(Osqp::new(false, 1e-3))),
        Contestant::new("OSQP, warm, 1e-3", Box::new(Osqp::new(true, 1e-3))),
        Contestant::new("OSQP, warm, 1e-5", Box::new(Osqp::new(true, 1e-5))),
    ];
    let prepared: Vec<Prepared> = programs.iter().map(Prepared::of).collect();
    let mut exact: Vec<Vec<f64>> = Vec::new();
    for round in 0..rounds {
        for (who, contestant) in contestants.iter_mut().enumerate() {
            contestant.solver.restart();
            for (k, (program, prepared)) in programs.iter().zip(&prepared).enumerate() {
                let begun = Instant::now();
                let x = black_box(contestant.solver.solve(black_box(program), prepared));
                contestant.note(k, begun.elapsed().as_secs_f64() * 1e6);
                if round > 0 {
                    continue;
                }
                if who == 0 {
                    exact.push(x.clone());
                }
                contestant.compare(program, &x, &exact[k]);
            }
        }
    }
    let first: f64 = contestants[0].least.iter().sum();
    println!("{:<40} {:>10} {:>8} {:>12} {:>12}", "", "µs", "ratio", "force error", "violation");
    for Contestant { name, least, error, violation, .. } in &contestants {
        let sum: f64 = least.iter().sum();
        let (mean, ratio) = (sum / count as f64, sum / first);
        println!("{name:<40} {mean:>10.1} {ratio:>8.1} {error:>10.1e} N {violation:>10.1e} N");
    }
    Ok(())
}

/// A program as it was written; an infinite bound is null.
fn read(written: &Value) -> Option<QuadraticProgram> {
    let numbers = |value: &Value| -> Option<Vec<f64>> {
        value.as_array()?.iter().map(Value::as_f64).collect()
    };
    let gradient = numbers(&written["gradient"])?;
    let mut program = QuadraticProgram::new(gradient.len());
    program.gradient_mut().copy_from_slice(&gradient);
    for (k, row) in written["hessian"].as_array()?.iter().enumerate() {
        program.hessian_row_mut(k).copy_from_slice(&numbers(row)?);
    }
    for row in written["rows"].as_array()? {
        let entry = |entry: &Value| Some((entry[0].as_u64()? as usize, entry[1].as_f64()?));
        let entries: Option<Vec<_>> = row["entries"].as_array()?.iter().map(entry).collect();
        let bound = |name: &str, none: f64| row[name].as_f64().unwrap_or(none);
        let (lower, upper) = (bound("lower", f64::NEG_INFINITY), bound("upper", f64::INFINITY));
        program.add_row(&entries?, lower, upper);
    }
    Some(program)
}

/// A solver and what it needed.
struct Contestant {
    name: &'static str,
    solver: Box<dyn Solver>,
    /// Least time of each program [µs].
    least: Vec<f64>,
    /// Largest difference of an unknown from the first contestant's, and largest violation of a bound [N].
    error: f64,
    violation: f64,
}

trait Solver {
    /// Forgets earlier programs.
    fn restart(&mut self) {}

    fn solve(&mut self, program: &QuadraticProgram, prepared: &Prepared) -> Vec<f64>;
}

impl Contestant {
    fn new(name: &'static str, solver: Box<dyn Solver>) -> Self {
        Contestant { name, solver, least: Vec::new(), error: 0.0, violation: 0.0 }
    }

    fn note(&mut self, k: usize, time: f64) {
        match self.least.get_mut(k) {
            Some(least) => *least = least.min(time),
            None => self.least.push(time),
        }
    }

    fn compare(&mut self, program: &QuadraticProgram, x: &[f64], exact: &[f64]) {
        for (x, exact) in x.iter().zip(exact) {
            self.error = self.error.max((x - exact).abs());
        }
        for row in 0..program.rows() {
            let (lower, upper) = program.bounds(row);
            let value = program.row_times(row, x);
            self.violation = self.violation.max(lower - value).max(value - upper);
        }
    }
}

/// The matrices in the columns that other solvers need; not timed.
struct Prepared {
    n: usize,
    /// The upper triangle of H, column by column.
    hessian: (Vec<usize>, Vec<usize>, Vec<f64>),
    /// C.
    rows: (Vec<usize>, Vec<usize>, Vec<f64>),
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// C x ≤ u and −C x ≤ −l for the finite bounds.
    one_sided: (Vec<usize>, Vec<usize>, Vec<f64>),
    limits: Vec<f64>,
}

impl Prepared {
    fn of(program: &QuadraticProgram) -> Self {
        let n = program.unknowns();
        let upper_triangle = (0..n).map(|column| {
            (0..=column).map(|row| (row, program.hessian_row(row)[column])).collect()
        });
        let mut one_sided: Vec<Vec<(usize, f64)>> = Vec::new();
        let mut limits = Vec::new();
        for row in 0..program.rows() {
            let (lower, upper) = program.bounds(row);
            if upper.is_finite() {
                one_sided.push(program.row(row).to_vec());
                limits.push(upper);
            }
            if lower.is_finite() {
                one_sided.push(program.row(row).iter().map(|(k, c)| (*k, -c)).collect());
                limits.push(-lower);
            }
        }
        let rows: Vec<Vec<(usize, f64)>> =
            (0..program.rows()).map(|row| program.row(row).to_vec()).collect();
        Prepared {
            n,
            hessian: columns(upper_triangle),
            rows: columns(by_column(n, &rows).into_iter()),
            lower: (0..program.rows()).map(|row| program.bounds(row).0).collect(),
            upper: (0..program.rows()).map(|row| program.bounds(row).1).collect(),
            one_sided: columns(by_column(n, &one_sided).into_iter()),
            limits,
        }
    }
}

fn by_column(n: usize, rows: &[Vec<(usize, f64)>]) -> Vec<Vec<(usize, f64)>> {
    let mut columns = vec![Vec::new(); n];
    for (row, entries) in rows.iter().enumerate() {
        entries.iter().for_each(|(k, factor)| columns[*k].push((row, *factor)));
    }
    columns
}

/// Compressed columns: where each begins, rows, numbers.
fn columns(all: impl Iterator<Item = Vec<(usize, f64)>>) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
    let (mut starts, mut rows, mut numbers) = (vec![0], Vec::new(), Vec::new());
    for column in all {
        rows.extend(column.iter().map(|(row, _)| *row));
        numbers.extend(column.iter().map(|(_, x)| *x));
        starts.push(rows.len());
    }
    (starts, rows, numbers)
}

/// Our own solver.
struct Own {
    solver: QpSolver,
    guess: Vec<Side>,
    warm: bool,
}

impl Own {
    fn warm() -> Self {
        Own { solver: QpSolver::default(), guess: Vec::new(), warm: true }
    }

    fn cold() -> Self {
        Own { solver: QpSolver::default(), guess: Vec::new(), warm: false }
    }
}

impl Solver for Own {
    fn restart(&mut self) {
        self.guess.clear();
    }

    fn solve(&mut self, program: &QuadraticProgram, _: &Prepared) -> Vec<f64> {
        // Intervals shift along the horizon; between neighbouring programs of the same size they mostly agree.
        let guess = if self.guess.len() == program.rows() { &self.guess[..] } else { &[] };
        self.solver.solve(program, guess).expect("a minimum");
        if self.warm {
            self.guess.clear();
            self.guess.extend_from_slice(self.solver.sides());
        }
        self.solver.x().to_vec()
    }
}

/// Clarabel: an interior-point method, new for each program.
struct Clarabel;

impl Solver for Clarabel {
    fn solve(&mut self, program: &QuadraticProgram, prepared: &Prepared) -> Vec<f64> {
        let matrix =
            |rows: usize, (starts, places, numbers): &(Vec<usize>, Vec<usize>, Vec<f64>)| {
                Sparse::new(rows, prepared.n, starts.clone(), places.clone(), numbers.clone())
            };
        let settings = DefaultSettingsBuilder::default().verbose(false).build().expect("settings");
        let count = prepared.limits.len();
        let cones = [NonnegativeConeT(count)];
        let mut solver = DefaultSolver::new(
            &matrix(prepared.n, &prepared.hessian),
            program.gradient(),
            &matrix(count, &prepared.one_sided),
            &prepared.limits,
            &cones,
            settings,
        )
        .expect("a program");
        solver.solve();
        solver.solution.x.clone()
    }
}

/// OSQP: alternating directions. Warm, it keeps its memory while the size of the program stays.
struct Osqp {
    warm: bool,
    tolerance: f64,
    kept: Option<(usize, Problem)>,
}

impl Osqp {
    fn new(warm: bool, tolerance: f64) -> Self {
        Osqp { warm, tolerance, kept: None }
    }
}

impl Solver for Osqp {
    fn restart(&mut self) {
        self.kept = None;
    }

    fn solve(&mut self, program: &QuadraticProgram, prepared: &Prepared) -> Vec<f64> {
        let matrix =
            |rows: usize, (starts, places, numbers): &(Vec<usize>, Vec<usize>, Vec<f64>)| {
                CscMatrix {
                    nrows: rows,
                    ncols: prepared.n,
                    indptr: starts.clone().into(),
                    indices: places.clone().into(),
                    data: numbers.clone().into(),
                }
            };
        let hessian = matrix(prepared.n, &prepared.hessian);
        let same = self.kept.take().filter(|(n, _)| self.warm && *n == prepared.n);
        let mut problem = match same {
            Some((_, mut problem)) => {
                problem.update_P(hessian);
                problem.update_lin_cost(program.gradient());
                problem
            }
            None => {
                let settings = Settings::default()
                    .verbose(false)
                    .eps_abs(self.tolerance)
                    .eps_rel(self.tolerance)
                    .max_iter(100_000);
                let rows = matrix(prepared.lower.len(), &prepared.rows);
                Problem::new(
                    hessian,
                    program.gradient(),
                    rows,
                    &prepared.lower,
                    &prepared.upper,
                    &settings,
                )
                .expect("a program")
            }
        };
        let x = problem.solve().x().expect("a minimum").to_vec();
        self.kept = Some((prepared.n, problem));
        x
    }
}
