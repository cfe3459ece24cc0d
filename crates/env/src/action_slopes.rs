//! How a step of an environment changes with its action, in chosen directions.
//!
//! The step runs in dual numbers of vector lanes: a world in each lane, a direction at a time. Each direction costs about
//! as much as two or three steps, however many numbers an observation has.

use gradbody_contact::{Ncp, Solver};
use gradbody_math::{Dual, Scalar};
use gradbody_model::Model;
use gradbody_sim::{
    DualKernel, Input, Simulated, State, StepOptions, StepScratch, StepTrace, run_widest_duals,
    step,
};

use crate::error::{check_finite, check_size};
use crate::medium::Around;
use crate::reward::progress;
use crate::{Description, EnvError, Seen, SeenWork, observe, reward_terms};

/// Derivatives of one step of the environment along directions of the action.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActionSlopes {
    /// Of the observation after the step, (worlds, directions, n_observations).
    pub observations: Vec<f64>,
    /// Of the reward, (worlds, directions).
    pub rewards: Vec<f64>,
    /// Whether the world diverged, (worlds): its slopes are then zeros.
    pub failed: Vec<bool>,
}

/// Where steps begin, under which actions, and which directions these change in. The number of worlds is that of the
/// rows.
#[derive(Clone, Copy, Debug)]
pub struct ActionChanges<'a> {
    /// Configurations, (worlds, nq).
    pub q: &'a [f64],
    /// Velocities, (worlds, nv).
    pub v: &'a [f64],
    /// Actions, (worlds, actions).
    pub actions: &'a [f64],
    /// Directions, (worlds, directions, actions).
    pub directions: &'a [f64],
    /// Number of directions.
    pub count: usize,
}

impl ActionSlopes {
    /// Computes them in double precision. Contacts are solved to the last digit, since derivatives of sweeps that stop
    /// early are inaccurate. Runs on all threads, with the same bits on any number of them. Fails for
    /// environments with commands or late actions.
    pub fn find(of: &Description, at: ActionChanges<'_>) -> Result<ActionSlopes, EnvError> {
        of.check_alone()?;
        let (nq, nv, nu) = (of.model.nq(), of.model.nv(), of.n_actions());
        let worlds = at.q.len().checked_div(nq).unwrap_or(0);
        check_size("configurations", "(worlds, nq)", at.q.len(), worlds * nq)?;
        check_size("velocities", "(worlds, nv)", at.v.len(), worlds * nv)?;
        check_size("actions", "(worlds, actions)", at.actions.len(), worlds * nu)?;
        let shape = "(worlds, directions, actions)";
        check_size("directions", shape, at.directions.len(), worlds * at.count * nu)?;
        check_finite("the number of the action with index", at.actions, worlds)?;
        Ok(run_widest_duals(Follow { of, at, worlds }))
    }
}

struct Follow<'a> {
    of: &'a Description,
    at: ActionChanges<'a>,
    worlds: usize,
}

/// What a thread needs for one group of worlds after another.
struct Buffers<S> {
    state: State<S>,
    input: Input<S>,
    trace: StepTrace<S>,
    scratch: StepScratch<S>,
    work: SeenWork<S>,
    action: Vec<S>,
    observation: Vec<S>,
    terms: Vec<S>,
}

impl<S: Scalar> Buffers<S> {
    fn new(of: &Description, model: &Model<S>) -> Self {
        Buffers {
            state: State::neutral(model),
            input: Input::none(model),
            trace: StepTrace::new(model).for_integrator(model, of.options.integrator),
            scratch: StepScratch::new(model),
            work: SeenWork::new(of, model),
            action: vec![S::ZERO; of.n_actions()],
            observation: vec![S::ZERO; of.n_observations()],
            terms: vec![S::ZERO; of.reward.len()],
        }
    }
}

/// The slopes of a group of worlds.
struct Group {
    observations: Vec<f64>,
    rewards: Vec<f64>,
    failed: Vec<bool>,
}

impl DualKernel for Follow<'_> {
    type Output = ActionSlopes;

    fn run<S: Simulated>(self) -> ActionSlopes
    where
        Dual<S, 1>: Simulated,
    {
        let Follow { of, worlds, .. } = self;
        let model: Model<Dual<S, 1>> = of.model.cast();
        let mut options: StepOptions<f64> = of.options;
        if let Solver::Ncp(_) = options.contact.solver {
            options = options.with_solver(Solver::Ncp(Ncp::converged()));
        }
        let options: StepOptions<Dual<S, 1>> = options.cast();
        let firsts: Vec<usize> = (0..worlds).step_by(S::LANES).collect();
        let found = each_in_order(
            &firsts,
            || Buffers::new(of, &model),
            |buffers, first| self.group(first, &model, &options, buffers),
        );
        let mut all = ActionSlopes::default();
        for group in found {
            all.observations.extend(group.observations);
            all.rewards.extend(group.rewards);
            all.failed.extend(group.failed);
        }
        all
    }
}

impl Follow<'_> {
    fn group<S: Scalar>(
        &self,
        first: usize,
        model: &Model<Dual<S, 1>>,
        options: &StepOptions<Dual<S, 1>>,
        buffers: &mut Buffers<Dual<S, 1>>,
    ) -> Group
    where
        Dual<S, 1>: Simulated,
    {
        let Follow { of, at, worlds } = self;
        let here = S::LANES.min(worlds - first);
        let world = |lane: usize| (first + lane).min(worlds - 1);
        let (nq, nv, nu, width) =
            (of.model.nq(), of.model.nv(), of.n_actions(), of.n_observations());
        let mut group = Group {
            observations: vec![0.0; here * at.count * width],
            rewards: vec![0.0; here * at.count],
            failed: vec![false; here],
        };
        let constant = |numbers: &[f64], width: usize, k: usize| {
            Dual::<S, 1>::from_lanes(|lane| numbers[world(lane) * width + k])
        };
        for direction in 0..at.count {
            let Buffers { state, input, trace, scratch, work, action, observation, terms } =
                buffers;
            state.time = Dual::ZERO;
            state.activation.fill(Dual::ZERO);
            state.memory.clear();
            state.contact.clear();
            (0..nq).for_each(|k| state.q[k] = constant(at.q, nq, k));
            (0..nv).for_each(|k| state.v[k] = constant(at.v, nv, k));
            for k in 0..nu {
                let slope = S::from_lanes(|lane| {
                    at.directions[(world(lane) * at.count + direction) * nu + k]
                });
                action[k] = Dual { eps: [slope], ..constant(at.actions, nu, k) };
            }
            let seen = Seen { model, state, action, command: &[], contacts: &[] };
            work.look(of, &seen);
            let before = progress(of, &seen, work);
            let mut around = Around(of.medium.as_ref());
            for _ in 0..of.frame_skip {
                input.clear();
                for (k, to) in input.control.iter_mut().enumerate() {
                    let (centre, scale) = (of.actions.centre[k], of.actions.scale[k]);
                    *to = action[k].mul_add(Dual::from_f64(scale), Dual::from_f64(centre));
                }
                step(model, state, input, options, &mut around, trace, scratch);
            }
            let seen = Seen { model, state, action, command: &[], contacts: trace.contacts() };
            work.look(of, &seen);
            observe(of, &seen, work, observation);
            reward_terms(of, &seen, before, work, terms);
            let reward = terms.iter().fold(Dual::ZERO, |sum, term| sum + *term);
            for lane in 0..here {
                let row = lane * at.count + direction;
                let to = &mut group.observations[row * width..(row + 1) * width];
                to.iter_mut().zip(&*observation).for_each(|(to, x)| *to = x.eps[0].lane(lane));
                group.rewards[row] = reward.eps[0].lane(lane);
                let finite = to.iter().all(|x| x.is_finite()) && group.rewards[row].is_finite();
                group.failed[lane] |= !finite;
            }
        }
        for lane in (0..here).filter(|lane| group.failed[*lane]) {
            let rows = lane * at.count..(lane + 1) * at.count;
            group.observations[rows.start * width..rows.end * width].fill(0.0);
            group.rewards[rows].fill(0.0);
        }
        group
    }
}

/// Runs `run` on each item, and returns the results in the order of the items.
fn each_in_order<B, R: Send>(
    items: &[usize],
    buffers: impl Fn() -> B + Sync + Send,
    run: impl Fn(&mut B, usize) -> R + Sync + Send,
) -> Vec<R> {
    use rayon::prelude::*;
    match items {
        [one] => vec![run(&mut buffers(), *one)],
        many => many.par_iter().map_init(buffers, |buffers, item| run(buffers, *item)).collect(),
    }
}
