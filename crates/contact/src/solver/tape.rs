//! A record of sweeps, to differentiate them in reverse.

use gradbody_math::{Scalar, Vec3};

use super::local_vjp::Turn;
use crate::Problem;

/// A record of sweeps: the impulse and velocity of each row at its turn. Written by
/// [`Solver::impulses`](super::Solver::impulses) if recording is on; empty otherwise.
#[derive(Clone, Debug)]
pub struct SweepTape<S> {
    records: bool,
    pub(super) attempts: Vec<Attempt<S>>,
    pub(super) sweeps: Vec<Sweep<S>>,
    /// Contacts and turning rows in the order of their turns.
    pub(super) turns: Vec<Turn<S>>,
    pub(super) joints: Vec<(S, S)>,
}

/// The sweeps of one attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt<S> {
    /// 1 in lanes that continue from the impulses of the previous attempt, 0 where they start anew.
    pub(super) kept: S,
    /// Index of its first sweep.
    pub(super) first: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Sweep<S> {
    pub(super) live: S,
    /// Whether the contacts were swept in descending order.
    pub(super) backwards: bool,
}

impl<S> Default for SweepTape<S> {
    fn default() -> Self {
        SweepTape {
            records: false,
            attempts: Vec::new(),
            sweeps: Vec::new(),
            turns: Vec::new(),
            joints: Vec::new(),
        }
    }
}

impl<S: Scalar> SweepTape<S> {
    /// Turns recording on or off.
    pub fn record(&mut self, records: bool) {
        self.records = records;
    }

    /// Whether recording is on.
    pub(super) fn records(&self) -> bool {
        self.records
    }

    /// Removes all records.
    pub(super) fn clear(&mut self) {
        self.attempts.clear();
        self.sweeps.clear();
        self.turns.clear();
        self.joints.clear();
    }

    #[inline(always)]
    pub(super) fn begin_attempt(&mut self, problem: &Problem<S>) {
        if self.records {
            let first = self.attempts.is_empty();
            let kept = if first { S::ONE } else { S::ONE - problem.live };
            self.attempts.push(Attempt { kept, first: self.sweeps.len() });
        }
    }

    #[inline(always)]
    pub(super) fn begin_sweep(&mut self, live: S, backwards: bool) {
        if self.records {
            self.sweeps.push(Sweep { live, backwards });
        }
    }

    #[inline(always)]
    pub(super) fn contact(&mut self, impulse: Vec3<S>, velocity: Vec3<S>) {
        if self.records {
            self.turns.push(Turn { impulse, velocity });
        }
    }

    #[inline(always)]
    pub(super) fn joint(&mut self, impulse: S, velocity: S) {
        if self.records {
            self.joints.push((impulse, velocity));
        }
    }
}
