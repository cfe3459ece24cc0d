//! The backward pass: the best small change of the actions of each knot, as a function of the change of its state.
//!
//! With the derivatives `[A B]` of knots and costs to second order, from the last knot to the first,
//!
//! ```text
//!   Q = l_zz + [A B]ᵀ (l_xx + V) [A B],      du = k + K dx minimises Q(dx, du) within the bounds,
//!   V = [1; K]ᵀ Q [1; K]
//! ```
//!
//! Actions at a bound do not answer to the state [Tassa, Mansard, Todorov 2014].

use crate::box_qp::BoxMinimum;
use crate::dense::{Dense, dot};
use crate::expansion::Expansion;
use crate::knot_map::KnotMap;
use crate::{PlannedMotion, Problem};

/// How the actions of a knot should change.
#[derive(Clone, Debug)]
pub struct Gains {
    /// k: the change of each action.
    pub(crate) step: Vec<f64>,
    /// K: how much each action changes with the state, (actions × state changes).
    pub(crate) by_state: Dense,
}

impl Gains {
    pub(crate) fn new(problem: &Problem) -> Self {
        let n = problem.actions.len();
        Gains { step: vec![0.0; n], by_state: Dense::zero(n, problem.state_changes()) }
    }

    /// Number of actions.
    pub fn actions(&self) -> usize {
        self.step.len()
    }

    /// How much an action changes with the state: 2 nv + na numbers, those of the configuration in local coordinates.
    pub fn by_state(&self, action: usize) -> &[f64] {
        self.by_state.row(action)
    }
}

/// How much the cost should fall if the actions take the share α of their changes: `α first + α² second`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Promise {
    first: f64,
    second: f64,
    /// Whether the cost has no slope at all: nothing that the actions do changes it.
    pub(crate) flat: bool,
}

/// Why a pass has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoPass {
    /// The second derivatives by the actions of some knot are not positive: more damping is needed.
    NotPositive,
    /// A derivative is not finite, or the derivatives of the rest of the motion grow beyond all numbers.
    NotFinite,
}

impl Promise {
    /// The fall for the share α.
    pub(crate) fn fall(&self, length: f64) -> f64 {
        length * (self.first + length * self.second)
    }
}

/// Buffers of [`backward`], with the names of the formulas.
#[derive(Clone, Debug)]
pub(crate) struct RiccatiWork {
    /// Gradient and second derivatives of what the rest of the motion costs: V_x and V_xx.
    v_x: Vec<f64>,
    v_xx: Dense,
    /// V_xx B.
    v_b: Dense,
    q_uu: Dense,
    q_ux: Dense,
    q_u: Vec<f64>,
    /// A + B K: how the end of a knot changes with its start when the actions answer.
    closed: Dense,
    v_closed: Dense,
    left: Dense,
    right: Dense,
    /// Q_uu with damping, what is added to its diagonal, and how far the actions of a knot are from their bounds.
    damped: Dense,
    damping: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    minimum: BoxMinimum,
    /// l_z + l_zu k.
    z: Vec<f64>,
    /// The mean curvature of each action in this pass.
    mean: Vec<f64>,
    /// The mean curvature of each action in the last pass, which damping is measured in.
    pub(crate) curvature: Vec<f64>,
    /// The square of the size of each action.
    sizes_squared: Vec<f64>,
}

impl RiccatiWork {
    pub(crate) fn new(problem: &Problem) -> Self {
        let (n, m) = (problem.state_changes(), problem.actions.len());
        RiccatiWork {
            v_x: vec![0.0; n],
            v_xx: Dense::zero(n, n),
            v_b: Dense::zero(n, m),
            q_uu: Dense::zero(m, m),
            q_ux: Dense::zero(m, n),
            q_u: vec![0.0; m],
            closed: Dense::zero(n, n),
            v_closed: Dense::zero(n, n),
            left: Dense::zero(2 * m, n),
            right: Dense::zero(2 * m, n),
            damped: Dense::zero(m, m),
            damping: vec![0.0; m],
            lower: vec![0.0; m],
            upper: vec![0.0; m],
            minimum: BoxMinimum::new(m),
            z: vec![0.0; n + m],
            mean: vec![0.0; m],
            curvature: problem.actions.scales().iter().map(|scale| scale.powi(-2)).collect(),
            sizes_squared: problem.actions.scales().iter().map(|scale| scale.powi(2)).collect(),
        }
    }
}

/// The curvature of an action, in units of its size, is at least this share of the largest. So an action that changes
/// nothing for now is still damped.
const LEAST_SHARE: f64 = 1e-9;

/// Writes the gains of all knots. `damping` adds that share of each action's mean curvature to its second derivative.
pub(crate) fn backward(
    problem: &Problem,
    motion: &PlannedMotion,
    maps: &[KnotMap],
    expansions: &[Expansion],
    damping: f64,
    work: &mut RiccatiWork,
    gains: &mut [Gains],
) -> Result<Promise, NoPass> {
    let m = problem.actions.len();
    let mut promise = Promise { flat: true, ..Promise::default() };
    work.damping.iter_mut().zip(&work.curvature).for_each(|(to, mean)| *to = damping * mean);
    work.mean.fill(0.0);
    work.v_x.fill(0.0);
    work.v_xx.fill(0.0);
    for knot in (0..problem.knots).rev() {
        let (map, costs) = (&maps[knot], &expansions[knot]);
        work.by_actions(map, costs);
        for k in 0..m {
            work.mean[k] += work.q_uu.row(k)[k] / problem.knots as f64;
        }
        if !work.q_u.iter().chain(work.q_uu.entries()).all(|x| x.is_finite()) {
            return Err(NoPass::NotFinite);
        }
        promise.flat &= work.q_u.iter().all(|slope| *slope == 0.0);
        let actions = &motion.actions[knot * m..][..m];
        best_change(problem, actions, work, &mut gains[knot])?;
        let step = &gains[knot].step;
        let slope: f64 = step.iter().zip(&work.q_u).map(|(k, q)| k * q).sum();
        let bend: f64 = (0..m).map(|i| step[i] * dot(work.q_uu.row(i), step)).sum();
        promise.first -= slope;
        promise.second -= 0.5 * bend;
        work.value(map, costs, &gains[knot]);
        if !work.v_x.iter().all(|x| x.is_finite()) {
            return Err(NoPass::NotFinite);
        }
    }
    let most = (work.mean.iter().zip(&work.sizes_squared)).map(|(mean, size)| mean * size);
    let most = most.fold(0.0, f64::max);
    // Where no action changes anything, curvatures stay as they were.
    if most > 0.0 {
        let means = work.mean.iter().zip(&work.sizes_squared);
        for (curvature, (mean, size)) in work.curvature.iter_mut().zip(means) {
            *curvature = mean.max(LEAST_SHARE * most / size);
        }
    }
    Ok(promise)
}

/// du = k + K dx minimises Q with damping, within the bounds.
fn best_change(
    problem: &Problem,
    actions: &[f64],
    work: &mut RiccatiWork,
    gains: &mut Gains,
) -> Result<(), NoPass> {
    let RiccatiWork { q_uu, q_ux, q_u, damped, damping, lower, upper, minimum, .. } = work;
    damped.copy_from(q_uu);
    for (k, u) in actions.iter().enumerate() {
        damped.row_mut(k)[k] += damping[k];
        lower[k] = problem.actions.lower[k] - u;
        upper[k] = problem.actions.upper[k] - u;
    }
    minimum.find(damped, q_u, lower, upper).map_err(|_| NoPass::NotPositive)?;
    let Gains { step, by_state } = gains;
    step.copy_from_slice(&minimum.x);
    by_state.fill(0.0);
    for k in &minimum.free {
        let row = by_state.row_mut(*k).iter_mut();
        row.zip(q_ux.row(*k)).for_each(|(to, q)| *to = -q);
    }
    minimum.solve_rows(by_state);
    Ok(())
}

impl RiccatiWork {
    /// Adds the costs at the end of the knot to V, and writes Q_u, Q_uu and Q_ux.
    fn by_actions(&mut self, map: &KnotMap, costs: &Expansion) {
        let RiccatiWork { v_x, v_xx, v_b, q_uu, q_ux, q_u, .. } = self;
        let n = v_x.len();
        v_x.iter_mut().zip(&costs.x).for_each(|(to, x)| *to += x);
        v_xx.add(&costs.xx);
        q_u.copy_from_slice(&costs.z[n..]);
        map.by_action.add_transposed_times(v_x, q_u);
        v_b.set_product(v_xx, &map.by_action);
        for i in 0..q_uu.rows() {
            let (by_x, by_u) = costs.zz.row(n + i).split_at(n);
            q_ux.row_mut(i).copy_from_slice(by_x);
            q_uu.row_mut(i).copy_from_slice(by_u);
        }
        q_uu.add_symmetric_product(&map.by_action, v_b);
        q_ux.add_transposed_product(v_b, &map.by_state);
    }

    /// Writes V at the start of the knot. With the closed loop A + B K its second derivatives are [1; K]ᵀ l_zz [1; K] +
    /// (A + B K)ᵀ V_xx (A + B K): no large numbers are subtracted, as in formulas with fewer products, so that errors stay
    /// of the size of rounding. They may still make the smallest curvatures negative.
    fn value(&mut self, map: &KnotMap, costs: &Expansion, gains: &Gains) {
        let RiccatiWork { v_x, v_xx, v_b, closed, v_closed, left, right, z, .. } = self;
        let Gains { step, by_state: k } = gains;
        let (n, m) = (v_x.len(), step.len());
        closed.copy_from(&map.by_state);
        closed.add_product(&map.by_action, k);
        v_closed.set_product(v_xx, closed);
        // (V_x + V_xx B k)ᵀ (A + B K), and the costs of actions and contact forces: (l_z + l_zu k)ᵀ [1; K].
        for i in 0..n {
            v_x[i] += dot(v_b.row(i), step);
        }
        for (k, slope) in z.iter_mut().enumerate() {
            *slope = costs.z[k] + dot(&costs.zz.row(k)[n..], step);
        }
        let (by_x, by_u) = z.split_at_mut(n);
        k.add_transposed_times(by_u, by_x);
        closed.add_transposed_times(v_x, by_x);
        v_x.copy_from_slice(by_x);
        // l_xx + Kᵀ (l_uu K + l_ux) + l_xu K.
        for i in 0..n {
            v_xx.row_mut(i).copy_from_slice(&costs.zz.row(i)[..n]);
        }
        for i in 0..m {
            let (by_x, by_u) = costs.zz.row(n + i).split_at(n);
            left.row_mut(i).copy_from_slice(k.row(i));
            left.row_mut(m + i).copy_from_slice(by_x);
            right.row_mut(m + i).copy_from_slice(k.row(i));
            right.row_mut(i).copy_from_slice(by_x);
            for (l, factor) in by_u.iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
                let row = right.row_mut(i);
                row.iter_mut().zip(k.row(l)).for_each(|(to, k)| *to += factor * k);
            }
        }
        v_xx.add_symmetric_product(left, right);
        v_xx.add_symmetric_product(closed, v_closed);
    }
}
