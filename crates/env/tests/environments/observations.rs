//! The adjoint of observations, and of single rewards, beside central differences.

use gradbody_contact::Contact;
use gradbody_dynamics::integrate;
use gradbody_env::{
    Description, Environment, Observed, Seen, SeenCotangents, SeenWork, observe, observe_vjp,
    progress, reward_terms, reward_vjp,
};
use gradbody_math::Vec3;
use gradbody_math::random::Random;
use gradbody_sim::{Simulation, State, StateCotangents};

const STEP: f64 = 1e-6;
/// Forces are hundreds of newtons, with eight digits left after a difference.
const FD_CENTRAL: f64 = 1e-7;

/// A moment that a direction may change.
struct Moved {
    state: State<f64>,
    action: Vec<f64>,
    command: Vec<f64>,
    contacts: Vec<Contact<f64>>,
}

/// A robot that has fallen to the ground, or swum, for a while.
fn moment(of: &Description, random: &mut Random) -> Moved {
    let mut world = Simulation::new(&of.model, of.options);
    world.state.q.copy_from_slice(&of.start.q);
    for (v, u) in world.state.v.iter_mut().zip(random.numbers(of.model.nv())) {
        *v = u;
    }
    if let Some(goal) = of.start.goal {
        world.state.v[goal.v..goal.v + 2].fill(0.0);
    }
    world.run((0.6 / of.options.dt) as usize).expect("a finite motion");
    let action = random.numbers(of.n_actions()).iter().map(|u| 0.3 * u).collect();
    let command = random.numbers(of.n_commands());
    Moved { contacts: world.contacts().to_vec(), state: world.state.clone(), action, command }
}

/// A direction of all that a moment is made of.
struct Direction {
    q: Vec<f64>,
    v: Vec<f64>,
    action: Vec<f64>,
    forces: Vec<f64>,
    points: Vec<f64>,
}

impl Direction {
    fn new(of: &Description, at: &Moved, random: &mut Random) -> Self {
        let contacts = 3 * at.contacts.len();
        Direction {
            q: random.numbers(of.model.nv()),
            v: random.numbers(of.model.nv()),
            action: random.numbers(of.n_actions()),
            forces: random.numbers(contacts),
            points: random.numbers(contacts),
        }
    }

    fn go(&self, of: &Description, at: &Moved, by: f64) -> Moved {
        let mut moved = Moved {
            state: at.state.clone(),
            action: at.action.clone(),
            command: at.command.clone(),
            contacts: at.contacts.clone(),
        };
        let dq: Vec<f64> = self.q.iter().map(|d| d * by).collect();
        integrate(&of.model, &mut moved.state.q, &dq);
        moved.state.v.iter_mut().zip(&self.v).for_each(|(v, d)| *v += d * by);
        moved.action.iter_mut().zip(&self.action).for_each(|(a, d)| *a += d * by);
        for (k, contact) in moved.contacts.iter_mut().enumerate() {
            contact.force_w += Vec3::from_slice(&self.forces[3 * k..]) * by;
            contact.point_w += Vec3::from_slice(&self.points[3 * k..]) * by;
        }
        moved
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The slope along a direction, of cotangents that `back` writes.
fn slope(
    of: &Description,
    at: &Moved,
    along: &Direction,
    back: impl FnOnce(&Seen<'_, f64>, &mut SeenWork<f64>, &mut SeenCotangents<'_, f64>),
) -> f64 {
    let model = &of.model;
    let mut state = StateCotangents::zero(model);
    let mut action = vec![0.0; of.n_actions()];
    let mut params = model.params.zeros_like();
    let (mut forces, mut points) = (Vec::new(), Vec::new());
    let Moved { state: seen_state, action: acted, command, contacts } = at;
    let seen = Seen { model, state: seen_state, action: acted, command, contacts };
    let mut work = SeenWork::new(of, model);
    work.look(of, &seen);
    let mut bars = SeenCotangents {
        state: &mut state,
        action: &mut action,
        params: &mut params,
        contact_forces: &mut forces,
        contact_points: &mut points,
    };
    back(&seen, &mut work, &mut bars);
    let flat = |of: &[Vec3<f64>]| of.iter().flat_map(|x| x.to_array()).collect::<Vec<f64>>();
    dot(&state.q, &along.q)
        + dot(&state.v, &along.v)
        + dot(&action, &along.action)
        + dot(&flat(&forces), &along.forces)
        + dot(&flat(&points), &along.points)
}

fn check(of: &Description, what: &str, ours: f64, differences: f64) {
    let far = (ours - differences).abs() / ours.abs().max(1.0);
    println!("{} {what}: {ours:.9} {differences:.9} {far:.1e}", of.name);
    assert!(far < FD_CENTRAL, "{}: {what}: {ours} is not {differences}", of.name);
}

#[test]
fn adjoints_of_observations_and_rewards_agree_with_central_differences() {
    for environment in Environment::ALL {
        let of = environment.describe();
        let mut random = Random::new(21);
        for _ in 0..3 {
            let at = moment(&of, &mut random);
            let reads_forces =
                of.observation.iter().any(|part| matches!(part, Observed::ContactForces { .. }));
            assert!(!reads_forces || !at.contacts.is_empty(), "{} is in the air", of.name);
            let along = Direction::new(&of, &at, &mut random);
            let weights = random.numbers(of.n_observations());
            let seen = |moved: &Moved| {
                let Moved { state, action, command, contacts } = moved;
                let mut work = SeenWork::new(&of, &of.model);
                let seen = Seen { model: &of.model, state, action, command, contacts };
                work.look(&of, &seen);
                let mut observation = vec![0.0; of.n_observations()];
                observe(&of, &seen, &work, &mut observation);
                let mut terms = vec![0.0; of.reward.len()];
                reward_terms(&of, &seen, 0.3, &work, &mut terms);
                [dot(&observation, &weights), terms.iter().sum(), progress(&of, &seen, &work)]
            };
            let (plus, minus) = (seen(&along.go(&of, &at, STEP)), seen(&along.go(&of, &at, -STEP)));
            let central = |k: usize| (plus[k] - minus[k]) / (2.0 * STEP);
            let ours = slope(&of, &at, &along, |seen, work, bars| {
                observe_vjp(&of, seen, &weights, work, bars);
            });
            check(&of, "observation", ours, central(0));
            let ours = slope(&of, &at, &along, |seen, work, bars| {
                reward_vjp(&of, seen, 0.0, 1.0, work, bars);
            });
            check(&of, "progress", ours, central(2));
            // The term of the rate is a constant times the change of the position.
            let rate = of.reward.iter().find_map(|term| match term {
                gradbody_env::RewardTerm::Forward { weight, .. } => {
                    Some(weight / of.seconds_per_step())
                }
                _ => None,
            });
            let ours = slope(&of, &at, &along, |seen, work, bars| {
                reward_vjp(&of, seen, 1.0, rate.unwrap_or(0.0), work, bars);
            });
            check(&of, "reward", ours, central(1));
        }
    }
}
