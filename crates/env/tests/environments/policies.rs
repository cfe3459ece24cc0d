//! Gradients of returns with respect to a policy's weights.

use gradbody_contact::{Ncp, Solver};
use gradbody_env::{
    Acting, Delay, Description, EnvBatch, EnvError, Environment, Policy, PolicyInLanes, Returns,
    Situations,
};
use gradbody_math::Scalar;
use gradbody_math::random::Random;
use gradbody_model::Selection;
use gradbody_sim::{Batch, Checkpointing, GradientOptions, NoTaps, Simulated};

const STEP: f64 = 1e-6;
const FD_CENTRAL: f64 = 1e-7;
const WORLDS: usize = 3;
const HORIZON: usize = 4;

/// The action is `scale tanh(W o)`, with a noise that depends on the world and the step.
#[derive(Debug)]
struct Linear {
    weights: Vec<f64>,
    scale: f64,
}

struct LinearInLanes<S> {
    weights: Vec<S>,
    bars: Vec<S>,
    scale: S,
}

fn noise<S: Scalar>(worlds: &[usize], step: usize, k: usize) -> S {
    S::from_lanes(|lane| {
        0.1 * Random::derived(5, &[worlds[lane] as u64, step as u64, k as u64]).signed()
    })
}

impl Policy for Linear {
    type InLanes<S: Simulated> = LinearInLanes<S>;

    fn make<S: Simulated>(&self) -> LinearInLanes<S> {
        let weights: Vec<S> = self.weights.iter().map(|w| S::from_f64(*w)).collect();
        LinearInLanes {
            bars: vec![S::ZERO; weights.len()],
            weights,
            scale: S::from_f64(self.scale),
        }
    }
}

impl<S: Scalar> PolicyInLanes<S> for LinearInLanes<S> {
    fn act(&mut self, worlds: &[usize], step: usize, observation: &[S], action: &mut [S]) {
        let rows = self.weights.chunks(observation.len());
        for (k, (to, row)) in action.iter_mut().zip(rows).enumerate() {
            let sum: S = row.iter().zip(observation).map(|(w, o)| *w * *o).sum();
            *to = self.scale * (sum + noise(worlds, step, k)).tanh();
        }
    }

    fn act_vjp(
        &mut self,
        worlds: &[usize],
        step: usize,
        observation: &[S],
        action_bar: &[S],
        observation_bar: &mut [S],
    ) {
        let n = observation.len();
        for (k, bar) in action_bar.iter().enumerate() {
            let row = &self.weights[k * n..(k + 1) * n];
            let sum: S = row.iter().zip(observation).map(|(w, o)| *w * *o).sum();
            let tanh = (sum + noise(worlds, step, k)).tanh();
            let sum_bar = *bar * self.scale * tanh.neg_mul_add(tanh, S::ONE);
            for i in 0..n {
                self.bars[k * n + i] += sum_bar * observation[i];
                observation_bar[i] += sum_bar * row[i];
            }
        }
    }

    fn begin_back(&mut self) {
        self.bars.fill(S::ZERO);
    }

    fn numbers_bar(&self) -> &[S] {
        &self.bars
    }
}

/// Commands, and delays of 0, 1, 2 … steps.
fn situations(of: &Description) -> Situations {
    let mut made = Situations::new(of, WORLDS);
    let mut random = Random::new(31);
    made.commands = random.numbers(made.commands.len());
    made.given = random.numbers(made.given.len());
    for (world, delay) in made.delays.iter_mut().enumerate() {
        *delay = world % (of.delay.most + 1);
    }
    made
}

/// Returns of all worlds, and the gradients with respect to the weights.
fn returns(
    of: &Description,
    (q, v): &(Vec<f64>, Vec<f64>),
    policy: &Linear,
    checkpointing: Checkpointing,
) -> (Vec<f64>, Vec<f64>) {
    let how = GradientOptions { checkpointing, ..GradientOptions::default() };
    let mut batch: Batch<f64> = Batch::new(&of.model, WORLDS, of.options).with_gradient(how);
    batch.write_states(q, v).expect("states");
    let situations = situations(of);
    let made = Acting::new(of, policy, WORLDS, HORIZON).expect("a policy that sees the state");
    let made = made.in_situations(&situations).expect("situations of these worlds");
    let acting = &made;
    batch.forward(HORIZON * of.frame_skip, &acting, &NoTaps).expect("a rollout");
    let loss = Returns { of, discount: 0.97, commands: &situations.commands };
    let found = batch.backward(&acting, &NoTaps, &loss, &Selection::none()).expect("a gradient");
    assert!(found.failures.iter().all(Option::is_none), "{}", of.name);
    (found.costs, found.inputs)
}

#[test]
fn gradients_by_weights_agree_with_central_differences() {
    for environment in [
        Environment::HalfCheetah,
        Environment::Hopper,
        Environment::AntWithoutContactForces,
        Environment::Reacher,
        Environment::LaikagoWalk,
        Environment::LaikagoCommands,
        Environment::Pendulum3,
    ] {
        check(environment.describe());
    }
    for environment in [Environment::Hopper, Environment::LaikagoCommands] {
        check(Description { delay: Delay { least: 0, most: 2 }, ..environment.describe() });
    }
}

fn check(mut of: Description) {
    of.options.contact.solver = Solver::Ncp(Ncp::converged());
    let start = EnvBatch::<f64>::with_description(of.clone(), WORLDS, 8, Some(1))
        .expect("a batch")
        .states();
    let mut random = Random::new(12);
    let weights = random.numbers(of.n_observations() * of.n_actions());
    let by = random.numbers(weights.len());
    let scale = 0.5 * of.actions.high[0];
    let at = |d: f64, checkpointing| {
        let weights = weights.iter().zip(&by).map(|(w, by)| 0.3 * w + d * by).collect();
        returns(&of, &start, &Linear { weights, scale }, checkpointing)
    };
    let (costs, bars) = at(0.0, Checkpointing::StoreAll);
    for checkpointing in [Checkpointing::EveryStep, Checkpointing::Revolve { snapshots: 3 }] {
        let again = at(0.0, checkpointing);
        assert_eq!((&costs, &bars), (&again.0, &again.1), "{}", of.name);
    }
    let (plus, minus) = (at(STEP, Checkpointing::StoreAll).0, at(-STEP, Checkpointing::StoreAll).0);
    for world in 0..WORLDS {
        let row = bars.chunks(by.len()).nth(world).expect("a row for each world");
        let ours: f64 = row.iter().zip(&by).map(|(bar, by)| bar * by).sum();
        let differences = (plus[world] - minus[world]) / (2.0 * STEP);
        let far = (ours - differences).abs() / ours.abs().max(1.0);
        println!("{} world {world}: {ours:.9} {differences:.9} {far:.1e}", of.name);
        assert!(far < FD_CENTRAL, "{}: {ours} is not {differences}", of.name);
    }
}

#[test]
fn a_policy_in_the_loop_that_would_see_forces_is_refused() {
    let policy = Linear { weights: Vec::new(), scale: 1.0 };
    let of = Environment::Ant.describe();
    let refused = Acting::new(&of, &policy, 1, 1).expect_err("contact forces");
    assert!(matches!(refused, EnvError::Description { .. }), "{refused}");
}
