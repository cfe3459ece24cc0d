//! The dual active-set method [Goldfarb and Idnani 1983].
//!
//! The solver keeps a point that is the minimum under those bounds that it counts as active, with multipliers that are
//! not negative. While some bound is violated, it moves towards that bound; a multiplier that reaches zero on the way
//! releases its bound. The cost grows with every full step, so no set of bounds comes twice and the method ends.

use gradbody_math::Scalar;

use super::factor::Factor;
use super::program::{QuadraticProgram, Side};
use super::working_set::{Active, Split, WorkingSet};

/// Why a program has no solution.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum QpError {
    /// A number is not finite.
    #[error("a number of the program is not finite")]
    NotFinite,
    /// A lower bound is above its upper bound, or a bound is not a number.
    #[error("the bounds of row {row} are crossed: lower {lower}, upper {upper}")]
    Bounds {
        /// The row.
        row: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// A row has an entry for an unknown that the program does not have.
    #[error("row {row} has an entry for unknown {unknown}; the program has {unknowns} unknowns")]
    Entry {
        /// The row.
        row: usize,
        /// The unknown, from 0.
        unknown: usize,
        /// How many there are.
        unknowns: usize,
    },
    /// The Hessian is not positive definite.
    #[error("the Hessian is not positive definite: pivot {0} is not positive")]
    NotPositive(usize),
    /// The guess of active bounds has the wrong length.
    #[error("{given} sides were given as a guess; the program has {needed} rows")]
    Guess {
        /// How many were given.
        given: usize,
        /// How many are needed.
        needed: usize,
    },
    /// The bounds contradict each other.
    #[error("the bounds contradict each other: row {0} cannot be satisfied together with others")]
    Infeasible(usize),
    /// The limit of iterations was reached.
    #[error("no minimum within {0} iterations")]
    Iterations(usize),
}

/// How a program was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QpReport {
    /// Bounds that came or went, those of the guess not counted.
    pub iterations: usize,
    /// Number of active bounds.
    pub active: usize,
    /// Largest violation of a bound.
    pub violation: f64,
    /// Largest entry of H x + g − Cᵀ λ.
    pub slope: f64,
}

/// Solves quadratic programs. Its buffers are kept, so that after the largest program nothing is allocated.
#[derive(Clone, Debug)]
pub struct QpSolver {
    /// A bound counts as violated from this share of 1 + |bound| on.
    pub tolerance: f64,
    /// Most iterations.
    pub most_iterations: usize,
    x: Vec<f64>,
    multipliers: Vec<f64>,
    sides: Vec<Side>,
    factor: Factor,
    set: WorkingSet,
    split: Split,
    /// The normal of a bound in the coordinates U x.
    normal: Vec<f64>,
    /// A direction, or the point, in those coordinates.
    moved: Vec<f64>,
    numbers: Vec<f64>,
}

impl Default for QpSolver {
    fn default() -> Self {
        QpSolver {
            tolerance: 1e-10,
            most_iterations: 1000,
            x: Vec::new(),
            multipliers: Vec::new(),
            sides: Vec::new(),
            factor: Factor::default(),
            set: WorkingSet::default(),
            split: Split::default(),
            normal: Vec::new(),
            moved: Vec::new(),
            numbers: Vec::new(),
        }
    }
}

impl QpSolver {
    /// A solver with room for so many unknowns and rows.
    pub fn with_room(unknowns: usize, rows: usize) -> Self {
        let mut solver = QpSolver::default();
        solver.factor.reserve(unknowns);
        let stride = unknowns.next_multiple_of(super::factor::BLOCK);
        solver.set.reserve(unknowns, stride);
        solver.split.reserve(unknowns, stride);
        for vector in [&mut solver.x, &mut solver.normal, &mut solver.moved, &mut solver.numbers] {
            vector.reserve(stride);
        }
        solver.multipliers.reserve(rows);
        solver.sides.reserve(rows);
        solver
    }

    /// The minimum that the last call found; empty if it found none, as multipliers and sides are then.
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// The multiplier λ of each row at the minimum: positive at a lower bound, negative at an upper one, and
    /// H x + g = Cᵀ λ.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// The active bound of each row at the minimum: a guess for a similar program.
    pub fn sides(&self) -> &[Side] {
        &self.sides
    }

    /// Finds the minimum. `guess` says which bounds are probably active, row by row; it is empty if nothing is known.
    /// A wrong guess costs time and changes the result by rounding only.
    pub fn solve(
        &mut self,
        program: &QuadraticProgram,
        guess: &[Side],
    ) -> Result<QpReport, QpError> {
        let found = self.find(program, guess);
        if found.is_err() {
            self.x.clear();
            self.multipliers.clear();
            self.sides.clear();
        }
        found
    }

    fn find(&mut self, program: &QuadraticProgram, guess: &[Side]) -> Result<QpReport, QpError> {
        check(program, guess)?;
        let n = program.unknowns();
        self.factor.factorise(n, |row| program.hessian_row(row)).map_err(QpError::NotPositive)?;
        let stride = self.factor.stride();
        self.set.reset(n, stride);
        for vector in [&mut self.x, &mut self.moved, &mut self.normal] {
            vector.clear();
            vector.resize(stride, 0.0);
        }
        for (row, side) in guess.iter().enumerate() {
            self.hold(program, row, *side);
        }
        self.release_negative(program);
        let iterations = self.iterate(program)?;
        // The point of the final set once more, without the rounding errors of the way to it.
        self.minimum_under_set(program);
        self.x.truncate(n);
        Ok(self.report(program, iterations))
    }

    /// Adds a bound of the guess, unless it is infinite or its normal depends on those before.
    fn hold(&mut self, program: &QuadraticProgram, row: usize, side: Side) {
        let (lower, upper) = program.bounds(row);
        let finite = match side {
            Side::Inside => false,
            Side::Lower => lower.is_finite(),
            Side::Upper => upper.is_finite(),
        };
        if !finite {
            return;
        }
        self.set_normal(program, row, side);
        self.set.split(&self.normal, &mut self.split);
        if self.split.rest_squared > 0.0 {
            self.set.add(Active { row, side, multiplier: 0.0 }, &self.split);
        }
    }

    /// Moves to the minimum under the bounds of the guess, without those whose multiplier would be negative.
    fn release_negative(&mut self, program: &QuadraticProgram) {
        loop {
            self.minimum_under_set(program);
            let multiplier = |place: &usize| self.set.active[*place].multiplier;
            let least = (0..self.set.active.len())
                .min_by(|a, b| multiplier(a).total_cmp(&multiplier(b)))
                .filter(|place| multiplier(place) < 0.0);
            match least {
                Some(place) => self.set.remove(place),
                None => return,
            }
        }
    }

    /// Sets x and the multipliers to those of the minimum with equality at the active bounds.
    fn minimum_under_set(&mut self, program: &QuadraticProgram) {
        // In the coordinates y = U x the minimum without bounds is y₀ = −U⁻ᵀ g. With Dᵀ y = b, D = Q R, it is
        // y₀ + Q (R⁻ᵀ b − Qᵀ y₀), and the multipliers are R⁻¹ (R⁻ᵀ b − Qᵀ y₀).
        let n = program.unknowns();
        self.moved.fill(0.0);
        self.moved.iter_mut().zip(program.gradient()).for_each(|(y, g)| *y = -g);
        self.factor.solve_transposed(&mut self.moved, 0);
        let sought = self.set.active.iter().map(|a| bound(program, a.row, a.side).1);
        self.numbers.clear();
        self.numbers.extend(sought);
        self.set.solve_transposed(&mut self.numbers);
        self.set.components(&self.moved, &mut self.split.along);
        for (number, along) in self.numbers.iter_mut().zip(&self.split.along) {
            *number -= along;
        }
        self.set.add_combination(&self.numbers, &mut self.moved);
        self.set.solve(&mut self.numbers);
        for (active, multiplier) in self.set.active.iter_mut().zip(&self.numbers) {
            active.multiplier = *multiplier;
        }
        self.factor.solve(&mut self.moved);
        self.x[..n].copy_from_slice(&self.moved[..n]);
    }

    /// Adds violated bounds until there are none.
    fn iterate(&mut self, program: &QuadraticProgram) -> Result<usize, QpError> {
        let mut iterations = 0;
        while let Some((row, side)) = self.most_violated(program) {
            self.set_normal(program, row, side);
            let mut multiplier = 0.0;
            loop {
                iterations += 1;
                if iterations > self.most_iterations {
                    return Err(QpError::Iterations(self.most_iterations));
                }
                if self.advance(program, row, side, &mut multiplier)? {
                    break;
                }
            }
        }
        Ok(iterations)
    }

    /// Moves towards a violated bound until it holds (true) or until another bound must be released (false).
    fn advance(
        &mut self,
        program: &QuadraticProgram,
        row: usize,
        side: Side,
        multiplier: &mut f64,
    ) -> Result<bool, QpError> {
        self.set.split(&self.normal, &mut self.split);
        self.numbers.clear();
        self.numbers.extend_from_slice(&self.split.along);
        self.set.solve(&mut self.numbers);
        // How far until a multiplier of the set is zero.
        let mut release = None;
        let mut length = f64::INFINITY;
        for (place, (rate, active)) in self.numbers.iter().zip(&self.set.active).enumerate() {
            if *rate > 0.0 && active.multiplier / rate < length {
                (length, release) = (active.multiplier / rate, Some(place));
            }
        }
        // How far until the bound holds.
        let can_move = self.split.rest_squared > 0.0;
        if can_move {
            let (sign, sought) = bound(program, row, side);
            let missing = sought - sign * program.row_times(row, &self.x);
            let full = missing / self.split.rest_squared;
            if full <= length {
                (length, release) = (full, None);
            }
        } else if release.is_none() {
            return Err(QpError::Infeasible(row));
        }
        for (active, rate) in self.set.active.iter_mut().zip(&self.numbers) {
            active.multiplier -= length * rate;
        }
        *multiplier += length;
        if can_move {
            self.moved.copy_from_slice(&self.split.rest);
            self.factor.solve(&mut self.moved);
            self.x.iter_mut().zip(&self.moved).for_each(|(x, z)| *x += length * z);
        }
        match release {
            Some(place) => self.set.remove(place),
            None => {
                let active = Active { row, side, multiplier: *multiplier };
                self.set.add(active, &self.split);
            }
        }
        Ok(release.is_none())
    }

    /// Sets `normal` to U⁻ᵀ n, where n points from the bound to where it holds.
    fn set_normal(&mut self, program: &QuadraticProgram, row: usize, side: Side) {
        let (sign, _) = bound(program, row, side);
        self.normal.fill(0.0);
        let mut first = program.unknowns();
        for (k, factor) in program.row(row) {
            self.normal[*k] += sign * factor;
            first = first.min(*k);
        }
        self.factor.solve_transposed(&mut self.normal, first);
    }

    /// The bound that is violated most, of those that are violated at all.
    fn most_violated(&self, program: &QuadraticProgram) -> Option<(usize, Side)> {
        let mut worst = (self.tolerance, None);
        for row in 0..program.rows() {
            let value = program.row_times(row, &self.x);
            let (lower, upper) = program.bounds(row);
            for (missing, limit, side) in
                [(lower - value, lower, Side::Lower), (value - upper, upper, Side::Upper)]
            {
                let violation = missing / (1.0 + limit.abs());
                if violation > worst.0 && !self.is_active(row) {
                    worst = (violation, Some((row, side)));
                }
            }
        }
        worst.1
    }

    /// A bound that holds to rounding is not sought again.
    fn is_active(&self, row: usize) -> bool {
        self.set.active.iter().any(|active| active.row == row)
    }

    fn report(&mut self, program: &QuadraticProgram, iterations: usize) -> QpReport {
        self.multipliers.clear();
        self.multipliers.resize(program.rows(), 0.0);
        self.sides.clear();
        self.sides.resize(program.rows(), Side::Inside);
        for Active { row, side, multiplier } in &self.set.active {
            let (sign, _) = bound(program, *row, *side);
            self.multipliers[*row] = sign * multiplier;
            self.sides[*row] = *side;
        }
        let (x, slope) = (&self.x, &mut self.moved);
        f64::vectorised(
            #[inline(always)]
            || program.slope(x, slope),
        );
        let mut violation = 0.0_f64;
        for (row, multiplier) in self.multipliers.iter().enumerate() {
            let (lower, upper) = program.bounds(row);
            let value = program.row_times(row, x);
            violation = violation.max(lower - value).max(value - upper);
            if *multiplier != 0.0 {
                program.row(row).iter().for_each(|(k, factor)| slope[*k] -= multiplier * factor);
            }
        }
        let slope = slope[..x.len()].iter().fold(0.0_f64, |most, s| most.max(s.abs()));
        QpReport { iterations, active: self.set.active.len(), violation, slope }
    }
}

/// A bound as sign · C x ≥ b: its sign and b.
fn bound(program: &QuadraticProgram, row: usize, side: Side) -> (f64, f64) {
    let (lower, upper) = program.bounds(row);
    match side {
        Side::Upper => (-1.0, -upper),
        Side::Inside | Side::Lower => (1.0, lower),
    }
}

fn check(program: &QuadraticProgram, guess: &[Side]) -> Result<(), QpError> {
    let n = program.unknowns();
    let finite = |numbers: &[f64]| numbers.iter().all(|x| x.is_finite());
    let rows = (0..n).all(|k| finite(&program.hessian_row(k)[k..]));
    let entries = |row: usize| program.row(row).iter().all(|(_, factor)| factor.is_finite());
    if !(rows && finite(program.gradient()) && (0..program.rows()).all(entries)) {
        return Err(QpError::NotFinite);
    }
    for row in 0..program.rows() {
        if let Some((unknown, _)) = program.row(row).iter().find(|(unknown, _)| *unknown >= n) {
            return Err(QpError::Entry { row, unknown: *unknown, unknowns: n });
        }
        let (lower, upper) = program.bounds(row);
        let possible = lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY;
        if !possible {
            return Err(QpError::Bounds { row, lower, upper });
        }
    }
    if !(guess.is_empty() || guess.len() == program.rows()) {
        return Err(QpError::Guess { given: guess.len(), needed: program.rows() });
    }
    Ok(())
}
