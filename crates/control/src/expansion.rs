//! The costs of a knot to second order.

use gradbody_model::LinkId;

use crate::Problem;
use crate::cost::ExpandWork;
use crate::dense::Dense;
use crate::knot_costs::{KnotCosts, KnotEnd};
use crate::knot_map::KnotMap;
use crate::quantity::Slope;

/// The costs of a knot to second order: those of the state at its end, and those of its start and its actions.
#[derive(Clone, Debug)]
pub(crate) struct Expansion {
    /// Gradient by the state at the end.
    pub(crate) x: Vec<f64>,
    /// Second derivatives by the state at the end.
    pub(crate) xx: Dense,
    /// Gradient by the state at the start, then by the actions: of costs of actions, of contact forces, and of what
    /// depends both on the state at the end and on actions.
    pub(crate) z: Vec<f64>,
    /// Second derivatives by these.
    pub(crate) zz: Dense,
    /// The links whose contact forces a cost is about.
    observed: Vec<LinkId>,
    /// The slope of one difference by the state at the start, then by the actions.
    slope: Vec<f64>,
}

impl Expansion {
    pub(crate) fn new(problem: &Problem) -> Self {
        let (n, all) = (problem.state_changes(), problem.state_changes() + problem.actions.len());
        Expansion {
            x: vec![0.0; n],
            xx: Dense::zero(n, n),
            z: vec![0.0; all],
            zz: Dense::zero(all, all),
            observed: problem.observed_links(),
            slope: vec![0.0; all],
        }
    }

    /// Expands the costs at `end`. `map` has the derivatives of the knot that ends there.
    pub(crate) fn write(
        &mut self,
        problem: &Problem,
        end: &KnotEnd,
        map: &KnotMap,
        costs: &mut KnotCosts,
        row: &mut Vec<(usize, f64)>,
    ) {
        let Expansion { x, xx, z, zz, observed, slope: by_knot } = self;
        x.fill(0.0);
        xx.fill(0.0);
        z.fill(0.0);
        zz.fill(0.0);
        let n = x.len();
        costs.each(problem, end, |index, share, at, bars, differences| {
            let mut work = ExpandWork { differences, bars, row };
            problem.costs[index].expand(at, share, &mut work, &mut |slope, first, second| {
                match slope {
                    Slope::State(row) => {
                        for (i, a) in row {
                            x[*i] += first * a;
                            for (j, b) in row {
                                xx.row_mut(*i)[*j] += second * a * b;
                            }
                        }
                    }
                    Slope::Action(k) => {
                        z[n + k] += first;
                        zz.row_mut(n + k)[n + k] += second;
                    }
                    Slope::ContactForce(link, axis) => {
                        let Some(place) = observed.iter().position(|l| *l == link) else { return };
                        add(map.forces.row(3 * place + axis), (first, second), z, zz);
                    }
                    Slope::StateAndActions(state, actions) => {
                        let (by_start, by_action) = by_knot.split_at_mut(n);
                        by_start.fill(0.0);
                        by_action.copy_from_slice(actions);
                        for (i, a) in state {
                            add_times(*a, map.by_state.row(*i), by_start);
                            add_times(*a, map.by_action.row(*i), by_action);
                        }
                        add(by_knot, (first, second), z, zz);
                    }
                }
            });
        });
    }
}

/// Adds the derivatives of a cost whose difference has this slope.
fn add(slope: &[f64], (first, second): (f64, f64), z: &mut [f64], zz: &mut Dense) {
    for (i, a) in slope.iter().enumerate() {
        z[i] += first * a;
        let row = zz.row_mut(i);
        row.iter_mut().zip(slope).for_each(|(to, b)| *to += second * a * b);
    }
}

fn add_times(factor: f64, from: &[f64], to: &mut [f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}
