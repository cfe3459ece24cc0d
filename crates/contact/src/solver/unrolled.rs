//! The adjoint of sweeps, one by one in reverse order.
//!
//! A turn of a contact is w = b + R λ + G u, λ' = f(λ, w), u' = u + Gᵀ (λ' − λ). Its adjoint takes the cotangents of λ'
//! and u' to those of λ and u, and adds to those of b, R, G and of f's parameters.

use gradbody_math::{Mat3, Scalar, Sym3, Vec3};

use super::local_vjp::{Turn, answer_vjp, onto_disk_vjp, range_vjp, turning_vjp};
use super::ncp::{SHY, SINGULAR, Steps, determinant, least_response, prepare};
use super::tape::Sweep;
use super::{Cone, SolverWork, SweepTape};
use crate::problem::{ContactRows, Stretch};
use crate::{Problem, ProblemCotangents};

/// Buffers of the adjoint.
#[derive(Clone, Debug)]
pub(super) struct UnrolledWork<S> {
    /// u at the current turn, and its cotangent.
    u: Vec<S>,
    u_bar: Vec<S>,
    /// The impulses at the current turn.
    impulses: Vec<(Vec3<S>, Vec3<S>)>,
    joint_impulses: Vec<S>,
    /// Cotangents of the steps.
    steps: Vec<StepsBar<S>>,
    joint_steps: Vec<S>,
}

impl<S> Default for UnrolledWork<S> {
    fn default() -> Self {
        UnrolledWork {
            u: Vec::new(),
            u_bar: Vec::new(),
            impulses: Vec::new(),
            joint_impulses: Vec::new(),
            steps: Vec::new(),
            joint_steps: Vec::new(),
        }
    }
}

impl<S: Scalar> UnrolledWork<S> {
    /// The state at the end of the sweeps.
    fn begin(&mut self, problem: &Problem<S>) {
        let none = StepsBar {
            block: Mat3 { cols: [Vec3::ZERO; 3] },
            normal: S::ZERO,
            tangent: S::ZERO,
            tangents: [S::ZERO; 2],
            spin: S::ZERO,
            roll: S::ZERO,
        };
        let twist = |rows: &ContactRows<S>| rows.turning.map_or(Vec3::ZERO, |t| t.impulse);
        self.u.clear();
        self.u.extend_from_slice(&problem.u);
        self.u_bar.clear();
        self.u_bar.resize(problem.u.len(), S::ZERO);
        self.impulses.clear();
        self.impulses.extend(problem.contacts.iter().map(|rows| (rows.impulse, twist(rows))));
        self.joint_impulses.clear();
        self.joint_impulses.extend(problem.joints.iter().map(|row| row.impulse));
        self.steps.clear();
        self.steps.resize(problem.contacts.len(), none);
        self.joint_steps.clear();
        self.joint_steps.resize(problem.joints.len(), S::ZERO);
    }
}

/// Cotangents of [`Steps`].
#[derive(Clone, Copy, Debug)]
struct StepsBar<S> {
    block: Mat3<S>,
    normal: S,
    tangent: S,
    tangents: [S; 2],
    spin: S,
    roll: S,
}

/// Takes the cotangents of impulses in `bars` back through the recorded sweeps to everything they depend on, including
/// G and the initial impulses.
pub(super) fn unrolled_vjp<S: Scalar>(
    cone: Cone,
    problem: &Problem<S>,
    tape: &SweepTape<S>,
    work: &mut SolverWork<S>,
    bars: &mut ProblemCotangents<S>,
) {
    assert!(
        !tape.attempts.is_empty(),
        "the sweeps must be recorded to be unrolled: see SweepTape::record"
    );
    bars.of_factors = true;
    bars.triples.clear();
    bars.triples.resize(problem.triples.len(), Vec3::ZERO);
    bars.singles.clear();
    bars.singles.resize(problem.singles.len(), S::ZERO);
    S::vectorised(
        #[inline(always)]
        || {
            prepare(problem, &mut work.ncp);
            let SolverWork { ncp, unrolled, .. } = work;
            unrolled.begin(problem);
            let mut walk = Walk {
                cone,
                problem,
                steps: &ncp.contacts,
                joint_steps: &ncp.joints,
                work: unrolled,
                bars,
                turns: tape.turns.len(),
                joints: tape.joints.len(),
            };
            let mut sweeps = tape.sweeps.len();
            for attempt in tape.attempts.iter().rev() {
                while sweeps > attempt.first {
                    sweeps -= 1;
                    walk.sweep_back(&tape.sweeps[sweeps], &tape.turns, &tape.joints);
                }
                walk.keep(attempt.kept);
            }
            walk.start_back();
            walk.steps_back();
        },
    );
}

struct Walk<'a, S> {
    cone: Cone,
    problem: &'a Problem<S>,
    steps: &'a [Steps<S>],
    joint_steps: &'a [S],
    work: &'a mut UnrolledWork<S>,
    bars: &'a mut ProblemCotangents<S>,
    /// Number of records left.
    turns: usize,
    joints: usize,
}

impl<S: Scalar> Walk<'_, S> {
    /// Adjoint of one sweep.
    #[inline(always)]
    fn sweep_back(&mut self, sweep: &Sweep<S>, turns: &[Turn<S>], joints: &[(S, S)]) {
        let n = self.problem.contacts.len();
        for turn in (0..n).rev() {
            let i = if sweep.backwards { n - 1 - turn } else { turn };
            if self.problem.contacts[i].turning.is_some() {
                self.turns -= 1;
                self.turning_back(i, sweep.live, &turns[self.turns]);
            }
            self.turns -= 1;
            self.contact_back(i, sweep.live, &turns[self.turns]);
        }
        for i in (0..self.problem.joints.len()).rev() {
            self.joints -= 1;
            self.joint_back(i, sweep.live, joints[self.joints]);
        }
    }

    #[inline(always)]
    fn contact_back(&mut self, i: usize, live: S, turn: &Turn<S>) {
        let rows = &self.problem.contacts[i];
        let at = Place { coordinates: rows.coordinates, factors: rows.factors };
        let step = self.work.impulses[i].0 - turn.impulse;
        let felt = self.push_back(at, step);
        let whole = self.bars.contacts[i].impulse + felt;
        let answer = answer_vjp(self.cone, rows, &self.steps[i], turn, whole * live);
        self.velocity_back(at, answer.velocity);
        let bar = &mut self.bars.contacts[i];
        let kept = whole * (S::ONE - live) - felt;
        bar.impulse = answer.velocity.scale_add(rows.cfm, answer.impulse + kept);
        bar.free += answer.velocity;
        bar.cfm += answer.velocity.dot(turn.impulse);
        bar.friction += answer.friction;
        let [xy, xz, yz] = answer.coupling;
        bar.delassus.xy += xy;
        bar.delassus.xz += xz;
        bar.delassus.yz += yz;
        let steps = &mut self.work.steps[i];
        // The sticking answer is λ − B w.
        let Vec3 { x, y, z } = turn.velocity;
        steps.block.cols[0] = answer.stick.neg_scale_add(x, steps.block.cols[0]);
        steps.block.cols[1] = answer.stick.neg_scale_add(y, steps.block.cols[1]);
        steps.block.cols[2] = answer.stick.neg_scale_add(z, steps.block.cols[2]);
        steps.normal += answer.normal_step;
        match self.cone {
            Cone::Circular => steps.tangent += answer.tangent_steps[0],
            Cone::Pyramid => {
                steps.tangents[0] += answer.tangent_steps[0];
                steps.tangents[1] += answer.tangent_steps[1];
            }
        }
        self.work.impulses[i].0 = turn.impulse;
    }

    #[inline(always)]
    fn turning_back(&mut self, i: usize, live: S, turn: &Turn<S>) {
        let rows = &self.problem.contacts[i];
        let Some(turning) = &rows.turning else { return };
        let at = Place { coordinates: rows.coordinates, factors: turning.factors };
        let step = self.work.impulses[i].1 - turn.impulse;
        let felt = self.push_back(at, step);
        let whole = self.bars.contacts[i].turning.impulse + felt;
        let normal = self.work.impulses[i].0.x;
        let answer =
            turning_vjp(turning, &self.steps[i], turn, normal, whole * live, onto_disk_vjp);
        self.velocity_back(at, answer.velocity);
        self.bars.contacts[i].impulse.x += answer.normal;
        let bar = &mut self.bars.contacts[i].turning;
        bar.impulse = answer.impulse + whole * (S::ONE - live) - felt;
        bar.free += answer.velocity;
        bar.torsional += answer.torsional;
        bar.rolling += answer.rolling;
        self.work.steps[i].spin += answer.spin_step;
        self.work.steps[i].roll += answer.roll_step;
        self.work.impulses[i].1 = turn.impulse;
    }

    #[inline(always)]
    fn joint_back(&mut self, i: usize, live: S, (impulse, velocity): (S, S)) {
        let row = &self.problem.joints[i];
        let step = self.work.joint_impulses[i] - impulse;
        let coordinates = row.coordinates.of(&self.problem.coordinates);
        let factors = row.factors.of(&self.problem.singles);
        let factors_bar = row.factors.of_mut(&mut self.bars.singles);
        let mut felt = S::ZERO;
        for ((k, g), g_bar) in coordinates.iter().zip(factors).zip(factors_bar.iter_mut()) {
            let k = *k as usize;
            felt = g.mul_add(self.work.u_bar[k], felt);
            *g_bar = step.mul_add(self.work.u_bar[k], *g_bar);
            self.work.u[k] = g.neg_mul_add(step, self.work.u[k]);
        }
        let whole = self.bars.joints[i].impulse + felt;
        let inverse = self.joint_steps[i];
        let free = velocity.neg_mul_add(inverse, impulse);
        let [free_bar, lower, upper] = range_vjp(free, row.lower, row.upper, whole * live);
        let velocity_bar = -(inverse * free_bar);
        for ((k, g), g_bar) in coordinates.iter().zip(factors).zip(factors_bar.iter_mut()) {
            let k = *k as usize;
            *g_bar = velocity_bar.mul_add(self.work.u[k], *g_bar);
            self.work.u_bar[k] = g.mul_add(velocity_bar, self.work.u_bar[k]);
        }
        let bar = &mut self.bars.joints[i];
        bar.impulse = free_bar + whole * (S::ONE - live) - felt;
        bar.free += velocity_bar;
        bar.lower += lower;
        bar.upper += upper;
        self.work.joint_steps[i] = velocity.neg_mul_add(free_bar, self.work.joint_steps[i]);
        self.work.joint_impulses[i] = impulse;
    }

    /// Adjoint of u' = u + Gᵀ step: returns the cotangent of the step.
    #[inline(always)]
    fn push_back(&mut self, at: Place, step: Vec3<S>) -> Vec3<S> {
        let coordinates = at.coordinates.of(&self.problem.coordinates);
        let factors = at.factors.of(&self.problem.triples);
        let factors_bar = at.factors.of_mut(&mut self.bars.triples);
        let mut felt = Vec3::ZERO;
        for ((k, g), g_bar) in coordinates.iter().zip(factors).zip(factors_bar) {
            let k = *k as usize;
            felt = g.scale_add(self.work.u_bar[k], felt);
            *g_bar = step.scale_add(self.work.u_bar[k], *g_bar);
            self.work.u[k] -= g.dot(step);
        }
        felt
    }

    /// Adjoint of w = … + G u.
    #[inline(always)]
    fn velocity_back(&mut self, at: Place, bar: Vec3<S>) {
        let coordinates = at.coordinates.of(&self.problem.coordinates);
        let factors = at.factors.of(&self.problem.triples);
        let factors_bar = at.factors.of_mut(&mut self.bars.triples);
        for ((k, g), g_bar) in coordinates.iter().zip(factors).zip(factors_bar) {
            let k = *k as usize;
            *g_bar = bar.scale_add(self.work.u[k], *g_bar);
            self.work.u_bar[k] += g.dot(bar);
        }
    }

    /// Drops the cotangents in lanes that did not continue from the previous attempt.
    #[inline(always)]
    fn keep(&mut self, kept: S) {
        for bar in &mut self.bars.contacts {
            bar.impulse = bar.impulse * kept;
            bar.turning.impulse = bar.turning.impulse * kept;
        }
        self.bars.joints.iter_mut().for_each(|bar| bar.impulse *= kept);
        self.work.u_bar.iter_mut().for_each(|bar| *bar *= kept);
    }

    /// The impulses of a warm start were added to u too.
    #[inline(always)]
    fn start_back(&mut self) {
        for i in 0..self.problem.contacts.len() {
            let rows = &self.problem.contacts[i];
            let (impulse, twist) = self.work.impulses[i];
            let at = Place { coordinates: rows.coordinates, factors: rows.factors };
            let felt = self.push_back(at, impulse);
            self.bars.contacts[i].impulse += felt;
            if let Some(turning) = &rows.turning {
                let at = Place { coordinates: rows.coordinates, factors: turning.factors };
                let felt = self.push_back(at, twist);
                self.bars.contacts[i].turning.impulse += felt;
            }
        }
        for i in 0..self.problem.joints.len() {
            let row = &self.problem.joints[i];
            let impulse = self.work.joint_impulses[i];
            let coordinates = row.coordinates.of(&self.problem.coordinates);
            let factors = row.factors.of(&self.problem.singles);
            let factors_bar = row.factors.of_mut(&mut self.bars.singles);
            for ((k, g), g_bar) in coordinates.iter().zip(factors).zip(factors_bar) {
                let u_bar = self.work.u_bar[*k as usize];
                *g_bar = impulse.mul_add(u_bar, *g_bar);
                let bar = &mut self.bars.joints[i].impulse;
                *bar = g.mul_add(u_bar, *bar);
            }
        }
    }

    /// From the steps to the Delassus matrix, then to G and R.
    #[inline(always)]
    fn steps_back(&mut self) {
        for (i, rows) in self.problem.contacts.iter().enumerate() {
            let (steps, bar) = (&self.steps[i], &self.work.steps[i]);
            let coupling = self.bars.contacts[i].delassus;
            let mut delassus = steps_vjp(rows, steps, bar);
            delassus.xy += coupling.xy;
            delassus.xz += coupling.xz;
            delassus.yz += coupling.yz;
            self.bars.contacts[i].cfm += delassus.xx + delassus.yy + delassus.zz;
            gram_vjp(
                rows.factors.of(&self.problem.triples),
                &delassus,
                rows.factors.of_mut(&mut self.bars.triples),
            );
            if let Some(turning) = &rows.turning {
                let squared = |x: S| -(x * x);
                let spin = bar.spin * squared(steps.spin);
                let roll = bar.roll * squared(steps.roll);
                let Vec3 { y, z, .. } = turning.delassus;
                let of_y = z.select_le(y, roll, S::ZERO);
                let mut diagonal = Sym3::ZERO;
                (diagonal.xx, diagonal.yy, diagonal.zz) = (spin, of_y, roll - of_y);
                gram_vjp(
                    turning.factors.of(&self.problem.triples),
                    &diagonal,
                    turning.factors.of_mut(&mut self.bars.triples),
                );
            }
        }
        for (i, row) in self.problem.joints.iter().enumerate() {
            let inverse = self.joint_steps[i];
            let delassus = -(self.work.joint_steps[i] * inverse * inverse);
            let factors = row.factors.of(&self.problem.singles);
            for (g, g_bar) in factors.iter().zip(row.factors.of_mut(&mut self.bars.singles)) {
                *g_bar = (*g + *g).mul_add(delassus, *g_bar);
            }
        }
    }
}

/// The position of a contact's rows.
#[derive(Clone, Copy)]
struct Place {
    coordinates: Stretch,
    factors: Stretch,
}

/// The adjoint of G Gᵀ.
#[inline(always)]
fn gram_vjp<S: Scalar>(factors: &[Vec3<S>], bar: &Sym3<S>, factors_bar: &mut [Vec3<S>]) {
    let Sym3 { xx, yy, zz, xy, xz, yz } = *bar;
    for (g, g_bar) in factors.iter().zip(factors_bar) {
        g_bar.x += (g.x + g.x).mul_add(xx, xy.mul_add(g.y, xz * g.z));
        g_bar.y += (g.y + g.y).mul_add(yy, xy.mul_add(g.x, yz * g.z));
        g_bar.z += (g.z + g.z).mul_add(zz, xz.mul_add(g.x, yz * g.y));
    }
}

/// The adjoint of computing steps from a block of the Delassus matrix: its cotangent, with each off-diagonal number
/// counted once.
#[inline(always)]
fn steps_vjp<S: Scalar>(rows: &ContactRows<S>, steps: &Steps<S>, bar: &StepsBar<S>) -> Sym3<S> {
    let Sym3 { xx, yy, zz, yz, .. } = rows.delassus;
    let trace = xx + yy + zz;
    let shy = trace.mul_add(S::from_f64(SHY), S::from_f64(1e-30));
    let mut shy_bar = S::ZERO;
    // The inverse of the block: −B B̄ B.
    let block = steps.block.to_mat3();
    let through = block * bar.block * block;
    let at = |i: usize, j: usize| -through.at(i, j);
    let mut out = Sym3::new(
        at(0, 0),
        at(1, 1),
        at(2, 2),
        at(0, 1) + at(1, 0),
        at(0, 2) + at(2, 0),
        at(1, 2) + at(2, 1),
    );
    let alike = (trace * S::from_f64(1.0 / 3.0)).powi(3);
    let volume = determinant(&rows.delassus);
    let diagonal = out.xx + out.yy + out.zz;
    shy_bar += volume.select_lt(alike * S::from_f64(SINGULAR), diagonal, S::ZERO);
    // 1/max(x, shy); where they are equal, x counts.
    let mut reciprocal = |x: S, inverse: S, bar: S| {
        let through = -(bar * inverse * inverse);
        let of_x = shy.select_le(x, through, S::ZERO);
        shy_bar += through - of_x;
        of_x
    };
    let moves = least_response(trace).select_lt(xx, S::ONE, S::ZERO);
    out.xx += reciprocal(xx, steps.normal, bar.normal) * moves;
    out.yy += reciprocal(yy, steps.tangents[0], bar.tangents[0]);
    out.zz += reciprocal(zz, steps.tangents[1], bar.tangents[1]);
    let half = S::from_f64(0.5);
    let apart = (yy - zz) * half;
    let spread = apart.squared() + yz.squared();
    let root = spread.sqrt();
    let tangent_bar = reciprocal((yy + zz) * half + root, steps.tangent, bar.tangent);
    let safe = S::ZERO.select_lt(root, root, S::ONE);
    let by_root = S::ZERO.select_lt(root, tangent_bar / safe, S::ZERO);
    let apart_bar = by_root * apart * half;
    out.yy += tangent_bar.mul_add(half, apart_bar);
    out.zz += tangent_bar.mul_add(half, -apart_bar);
    out.yz = by_root.mul_add(yz, out.yz);
    let trace_bar = shy_bar * S::from_f64(SHY);
    out.xx += trace_bar;
    out.yy += trace_bar;
    out.zz += trace_bar;
    out
}
