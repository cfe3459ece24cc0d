//! The end of a knot in one world, and the costs there.

use gradbody_contact::Contact;
use gradbody_dynamics::{Kinematics, kinematics, velocities};
use gradbody_math::{Scalar, Vec3};
use gradbody_sim::{LossCotangents, Moment, State};

use crate::Problem;
use crate::quantity::{At, QuantityBars};

/// The end of a knot, in one world.
#[derive(Clone, Debug)]
pub(crate) struct KnotEnd {
    /// The knot, from 0.
    pub(crate) knot: usize,
    /// The state there.
    pub(crate) state: State<f64>,
    /// The actions in the knot.
    pub(crate) actions: Vec<f64>,
    /// The sum of the forces of all contacts on each link in the last step of the knot [N], (n_links).
    pub(crate) contact_forces: Vec<Vec3<f64>>,
}

impl KnotEnd {
    pub(crate) fn new(problem: &Problem) -> Self {
        KnotEnd {
            knot: 0,
            state: State::neutral(&problem.model),
            actions: vec![0.0; problem.actions.len()],
            contact_forces: vec![Vec3::ZERO; problem.model.n_links()],
        }
    }

    /// Reads a world of a moment, and returns whether a knot ends there.
    pub(crate) fn read<S: Scalar>(
        &mut self,
        problem: &Problem,
        at: &Moment<'_, S>,
        lane: usize,
    ) -> bool {
        self.knot = at.step / problem.steps;
        if !(at.step + 1).is_multiple_of(problem.steps) {
            return false;
        }
        let KnotEnd { state, actions, .. } = self;
        problem.actions.read(at.input, lane, actions);
        let all = |to: &mut Vec<f64>, from: &[S]| {
            to.clear();
            to.extend(from.iter().map(|x| x.lane(lane)));
        };
        state.time = at.state.time.lane(lane);
        all(&mut state.q, &at.state.q);
        all(&mut state.v, &at.state.v);
        all(&mut state.activation, &at.state.activation);
        self.sum_contact_forces(at.contacts, |force| force.map(|x| x.lane(lane)));
        true
    }

    /// Sums the forces of all contacts on each link. `read` takes a force out of its scalar.
    pub(crate) fn sum_contact_forces<S>(
        &mut self,
        contacts: &[Contact<S>],
        read: impl Fn(Vec3<S>) -> Vec3<f64>,
    ) where
        S: Scalar,
    {
        self.contact_forces.fill(Vec3::ZERO);
        for contact in contacts {
            let force = read(contact.force_w);
            for (link, sign) in [(contact.link_b, 1.0), (contact.link_a, -1.0)] {
                if let Some(link) = link {
                    self.contact_forces[link.index()] += force * sign;
                }
            }
        }
    }
}

/// Evaluates the costs at the end of a knot.
#[derive(Clone, Debug)]
pub(crate) struct KnotCosts {
    kin: Kinematics<f64>,
    /// Those of parameters are summed over all calls of [`KnotCosts::sum_vjp`].
    pub(crate) bars: QuantityBars,
    differences: Vec<f64>,
}

impl KnotCosts {
    pub(crate) fn new(problem: &Problem) -> Self {
        KnotCosts {
            kin: Kinematics::new(&problem.model),
            bars: QuantityBars::new(problem),
            differences: Vec::new(),
        }
    }

    /// Calls `each` with the index of every cost that counts there, its share, and where it is taken.
    pub(crate) fn each(
        &mut self,
        problem: &Problem,
        end: &KnotEnd,
        mut each: impl FnMut(usize, f64, &At<'_>, &mut QuantityBars, &mut Vec<f64>),
    ) {
        let KnotCosts { kin, bars, differences } = self;
        let KnotEnd { knot, state, actions, contact_forces } = end;
        let model = &problem.model;
        let mut has_kin = false;
        for (index, cost) in problem.costs.iter().enumerate() {
            let share = cost.share(problem, *knot);
            if share == 0.0 {
                continue;
            }
            if cost.quantity.needs_kinematics() && !has_kin {
                kinematics(model, &state.q, kin);
                velocities(model, &state.v, kin);
                has_kin = true;
            }
            let at = At { model, state, kin, actions, contact_forces };
            each(index, share, &at, bars, differences);
        }
    }

    /// The sum of the costs.
    pub(crate) fn sum(&mut self, problem: &Problem, end: &KnotEnd) -> f64 {
        let mut sum = 0.0;
        self.each(problem, end, |index, share, at, _, differences| {
            sum += share * problem.costs[index].value(at, differences);
        });
        sum
    }

    /// The sum of the costs; adds its gradient to the cotangents of the step that ends there, but for parameters.
    pub(crate) fn sum_vjp(
        &mut self,
        problem: &Problem,
        end: &KnotEnd,
        moment: &Moment<'_, f64>,
        to: &mut LossCotangents<'_, f64>,
    ) -> f64 {
        self.bars.clear();
        let mut sum = 0.0;
        self.each(problem, end, |index, share, at, bars, differences| {
            sum += share * problem.costs[index].value_vjp(at, share, differences, bars);
            bars.finish(at);
        });
        let add = |to: &mut [f64], from: &[f64]| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        };
        add(&mut to.state.q, &self.bars.q);
        add(&mut to.state.v, &self.bars.v);
        add(&mut to.state.activation, &self.bars.activation);
        problem.actions.read_vjp(&self.bars.actions, to.input);
        let forces = &self.bars.contact_forces;
        if forces.iter().any(|force| *force != Vec3::ZERO) {
            let on = |link: Option<gradbody_model::LinkId>| {
                link.map_or(Vec3::ZERO, |link| forces[link.index()])
            };
            let bars = moment.contacts.iter().map(|c| on(c.link_b) - on(c.link_a));
            to.contact_forces.clear();
            to.contact_forces.extend(bars);
        }
        sum
    }
}
