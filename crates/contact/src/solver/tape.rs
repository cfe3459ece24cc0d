//! What sweeps did, to walk them back.

use gradbody_math::{Scalar, Vec3};

use super::local_vjp::Turn;
use crate::Problem;

/// A record of sweeps: the impulse and velocity of each row when it was its turn. Written by
/// [`Solver::impulses`](super::Solver::impulses) if it was asked to; empty otherwise.
#[derive(Clone, Debug)]
pub struct SweepTape<S> {
    records: bool,
    pub(super) attempts: Vec<Attempt<S>>,
    pub(super) sweeps: Vec<Sweep<S>>,
    /// Contacts and turning rows in the order they had their turn.
    pub(super) turns: Vec<Turn<S>>,
    pub(super) joints: Vec<(S, S)>,
}

/// Sweeps from one start on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt<S> {
    /// 1 in lanes that go on with the impulses of the attempt before, 0 where they began anew.
    pub(super) kept: S,
    /// Its first sweep.
    pub(super) first: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Sweep<S> {
    pub(super) live: S,
    /// Whether contacts had their turn in falling order.
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
    /// From now on sweeps are recorded, or not.
    pub fn record(&mut self, records: bool) {
        self.records = records;
    }

    /// Forgets everything.
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
