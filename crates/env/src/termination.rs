//! When a state is healthy.

use gradbody_math::Scalar;

use crate::{Condition, Description, Seen, SeenWork};

/// 1 in each lane whose state meets all conditions, else 0. Reads `work` as [`SeenWork::look`] left it.
pub fn healthy<S: Scalar>(of: &Description, at: &Seen<'_, S>, work: &SeenWork<S>) -> S {
    let mut all = S::ONE;
    for condition in &of.healthy {
        match *condition {
            Condition::Within { q, low, high } => {
                let x = at.state.q[q];
                let below = x.select_le(S::from_f64(high), all, S::ZERO);
                all = S::from_f64(low).select_le(x, below, S::ZERO);
            }
            Condition::Between { q, low, high } => {
                all = between(at.state.q[q], low, high, all);
            }
            Condition::Bounded { from, limit } => {
                for x in at.state.q[from..].iter().chain(&at.state.v) {
                    all = between(*x, -limit, limit, all);
                }
            }
            Condition::Upright { least } => {
                let up = work.kin.bodies[0].rot_wb.cols[2].z;
                all = S::from_f64(least).select_le(up, all, S::ZERO);
            }
        }
    }
    all
}

/// `all` where `low < x < high`, else zero.
fn between<S: Scalar>(x: S, low: f64, high: f64, all: S) -> S {
    let below = x.select_lt(S::from_f64(high), all, S::ZERO);
    S::from_f64(low).select_lt(x, below, S::ZERO)
}
