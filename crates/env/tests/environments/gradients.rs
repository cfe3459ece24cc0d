//! Gradients of returns beside central differences, in the air and in contact.

use gradbody_contact::{Ncp, Solver};
use gradbody_env::{Delay, Description, EnvBatch, Environment, Observed, RewardTerm};
use gradbody_math::random::Random;
use gradbody_model::Selection;
use gradbody_sim::Integrator;

use crate::support::action;

/// Step of the central differences, in units of an action, a metre or a radian.
const STEP: f64 = 1e-5;
/// Allows for third derivatives times the square of the step, and for rounding divided by it.
const FD_CENTRAL: f64 = 1e-7;

/// A batch of worlds that start from states of their own.
struct Case {
    name: String,
    worlds: EnvBatch<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    actions: Vec<f64>,
    horizon: usize,
}

const WORLDS: usize = 3;

impl Case {
    fn new(mut of: Description, steps_before: usize, horizon: usize) -> Self {
        of.options.contact.solver = Solver::Ncp(Ncp::converged());
        // A gradient keeps commands over its horizon.
        if let Some(commands) = &mut of.commands {
            commands.mean_time = f64::INFINITY;
        }
        let name = of.name.clone();
        let mut worlds: EnvBatch<f64> =
            EnvBatch::with_description(of, WORLDS, 4, Some(1)).expect("a batch");
        for step in 0..steps_before {
            let given: Vec<f64> = (0..WORLDS)
                .flat_map(|world| action(worlds.description(), world, step))
                .map(|x| 0.3 * x)
                .collect();
            worlds.step(&given).expect("a step");
        }
        let (q, v) = worlds.states();
        let of = worlds.description();
        let actions = (0..WORLDS)
            .flat_map(|world| (0..horizon).flat_map(move |step| action(of, world, 100 + step)))
            .map(|x| 0.5 * x)
            .collect();
        Case { name, q, v, actions, horizon, worlds }
    }

    fn returns(&mut self, v: &[f64], actions: &[f64]) -> Vec<f64> {
        self.worlds.set_states(&self.q, v).expect("states");
        let found = self.worlds.gradient(actions, 0.9).expect("a gradient");
        assert!(found.failures.iter().all(Option::is_none), "{}", self.name);
        found.returns
    }

    /// Compares slopes in a random direction of each world's actions and velocities.
    fn check(mut self) {
        let (v, actions) = (self.v.clone(), self.actions.clone());
        self.worlds.set_states(&self.q, &v).expect("states");
        let found = self.worlds.gradient(&actions, 0.9).expect("a gradient");
        assert_eq!(found.actions.len(), actions.len());
        let stepped = self.stepped(&v, &actions);
        let mut random = Random::new(9);
        let by_action = random.numbers(actions.len());
        let by_v = random.numbers(v.len());
        let mut moved = |da: f64, dv: f64| {
            let along = |x: &[f64], by: &[f64], d: f64| -> Vec<f64> {
                x.iter().zip(by).map(|(x, by)| by.mul_add(d, *x)).collect()
            };
            self.returns(&along(&v, &by_v, dv), &along(&actions, &by_action, da))
        };
        let central = |plus: Vec<f64>, minus: Vec<f64>| -> Vec<f64> {
            plus.iter().zip(&minus).map(|(p, m)| (p - m) / (2.0 * STEP)).collect()
        };
        let of_action = central(moved(STEP, 0.0), moved(-STEP, 0.0));
        let of_v = central(moved(0.0, STEP), moved(0.0, -STEP));
        for world in 0..WORLDS {
            let ours = found.returns[world];
            let near = 1e-9 * ours.abs().max(1.0);
            assert!((ours - stepped[world]).abs() < near, "{}: {ours}, {stepped:?}", self.name);
            let slope = |gradient: &[f64], by: &[f64]| -> f64 {
                let row = |x: &[f64]| {
                    let width = x.len() / WORLDS;
                    x[world * width..(world + 1) * width].to_vec()
                };
                row(gradient).iter().zip(row(by)).map(|(g, d)| g * d).sum()
            };
            for (what, ours, differences) in [
                ("actions", slope(&found.actions, &by_action), of_action[world]),
                ("velocities", slope(&found.start_v, &by_v), of_v[world]),
            ] {
                let far = (ours - differences).abs() / ours.abs().max(1.0);
                println!(
                    "{} world {world}, {what}: {ours:.9} {differences:.9} {far:.1e}",
                    self.name
                );
                assert!(far < FD_CENTRAL, "{}: {what}: {ours} is not {differences}", self.name);
            }
        }
    }

    /// Whether contacts change where the worlds end.
    fn touches(&mut self) -> bool {
        let (q, v) = (&self.q, &self.v);
        let of = self.worlds.description();
        let in_air = Description { options: of.options.without_contact(), ..of.clone() };
        let mut in_air: EnvBatch<f64> =
            EnvBatch::with_description(in_air, WORLDS, 4, Some(1)).expect("a batch");
        let [on_ground, in_air] = [&mut self.worlds, &mut in_air].map(|worlds| {
            worlds.set_states(q, v).expect("states");
            worlds.gradient(&self.actions, 0.9).expect("a gradient").end_q
        });
        on_ground != in_air
    }

    /// The returns as steps give them, one after another.
    fn stepped(&mut self, v: &[f64], actions: &[f64]) -> Vec<f64> {
        self.worlds.set_states(&self.q, v).expect("states");
        let nu = self.worlds.description().n_actions();
        let mut returns = vec![0.0; WORLDS];
        for step in 0..self.horizon {
            let of_step: Vec<f64> = (0..WORLDS)
                .flat_map(|world| {
                    let first = (world * self.horizon + step) * nu;
                    actions[first..first + nu].to_vec()
                })
                .collect();
            let out = self.worlds.step(&of_step).expect("a step");
            for (sum, reward) in returns.iter_mut().zip(&out.rewards) {
                *sum += 0.9_f64.powi(step as i32) * reward;
            }
        }
        returns
    }
}

/// Nothing ends, so that steps go past bad states as gradients do.
fn endless(environment: Environment) -> Description {
    Description { terminates: false, ..environment.describe() }
}

#[test]
fn gradients_of_short_horizons_agree_with_central_differences() {
    for environment in Environment::ALL {
        Case::new(endless(environment), 0, 3).check();
    }
}

#[test]
fn gradients_of_late_actions_agree_with_central_differences() {
    for environment in [Environment::HalfCheetah, Environment::LaikagoCommands] {
        let mut of = endless(environment);
        of.delay = Delay { least: 0, most: 3 };
        let case = Case::new(of, 5, 4);
        let delays = case.worlds.situations().delays.clone();
        assert!(delays.iter().any(|delay| *delay != delays[0]), "{delays:?}");
        case.check();
    }
}

#[test]
fn gradients_in_contact_agree_with_central_differences() {
    for environment in [Environment::HalfCheetah, Environment::Hopper, Environment::Walker2d] {
        let mut case = Case::new(endless(environment), 30, 3);
        assert!(case.touches(), "{}", environment.name());
        case.check();
    }
}

#[test]
fn contact_costs_have_the_right_gradient() {
    for integrator in [Integrator::Rk4, Integrator::ImplicitDamping] {
        check_contact_costs(integrator);
    }
}

fn check_contact_costs(integrator: Integrator) {
    let mut of = endless(Environment::Ant);
    of.options.integrator = integrator;
    for term in &mut of.reward {
        if let RewardTerm::Contact { weight, limit, .. } = term {
            (*weight, *limit) = (1e-3, f64::INFINITY);
        }
    }
    of.observation.retain(|part| !matches!(part, Observed::ContactForces { .. }));
    let mut case = Case::new(of, 30, 2);
    assert!(case.worlds.outcome().terms.iter().skip(2).step_by(4).any(|cost| *cost < 0.0));
    assert!(case.touches());
    case.check();
}

#[test]
fn gradients_by_parameters_agree_with_central_differences() {
    let mut cheetah = Case::new(endless(Environment::HalfCheetah), 30, 3);
    check_params(&mut cheetah, &["link/torso/mass", "joint/back_shin/stiffness"]);
    // The position of a humanoid is that of its centre of mass, which masses change.
    let mut humanoid = Case::new(endless(Environment::Humanoid), 0, 2);
    check_params(&mut humanoid, &["link/torso/mass", "link/right_forearm/mass"]);
}

fn check_params(case: &mut Case, names: &[&str]) {
    let (q, v, actions) = (case.q.clone(), case.v.clone(), case.actions.clone());
    let model = case.worlds.description().model.clone();
    let selection = Selection::of(&model, names).expect("parameters");
    let values = selection.values(&model);
    let by = Random::new(3).numbers(WORLDS * values.len());
    let mut at = |d: f64| {
        let moved: Vec<f64> = (0..by.len()).map(|k| values[k % values.len()] + by[k] * d).collect();
        case.worlds.set_params(&selection, &moved).expect("parameters");
        case.worlds.set_states(&q, &v).expect("states");
        case.worlds.gradient_with_params(&actions, 0.9, &selection).expect("a gradient")
    };
    let (found, plus, minus) = (at(0.0), at(STEP), at(-STEP));
    for world in 0..WORLDS {
        let row = world * values.len()..(world + 1) * values.len();
        let products = found.params[row.clone()].iter().zip(&by[row]).map(|(bar, by)| bar * by);
        let ours: f64 = products.sum();
        let differences = (plus.returns[world] - minus.returns[world]) / (2.0 * STEP);
        let far = (ours - differences).abs() / ours.abs().max(1.0);
        println!("{} world {world}, parameters: {ours:.9} {differences:.9} {far:.1e}", case.name);
        assert!(ours != 0.0 && far < FD_CENTRAL, "{ours} is not {differences}");
    }
}
