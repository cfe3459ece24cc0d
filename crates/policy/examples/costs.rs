//! What learning pays for: updates of SAC, steps of worlds, and derivatives of steps. Least processor times of all threads
//! over repetitions, on Linux.
//!
//! ```text
//! RAYON_NUM_THREADS=1 cargo run --release -p gradbody-policy --example costs
//! ```

use std::error::Error;

use gradbody_env::{ActionChanges, ActionSlopes, EnvBatch, Environment, Transitions};
use gradbody_math::random::Random;
use gradbody_policy::{Learner, PolicyEnhancement, Ppo, PpoOptions, Sac, SacOptions};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Worlds of a call: those of a usual minibatch.
const WORLDS: usize = 256;

/// Least processor time of a call [s].
fn least(repetitions: usize, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..repetitions {
        let begin = processor_seconds()?;
        run()?;
        least = least.min(processor_seconds()? - begin);
    }
    Ok(least)
}

/// Time that all threads of this process have run [s].
fn processor_seconds() -> Result<f64> {
    let mut nanoseconds = 0.0;
    for task in std::fs::read_dir("/proc/self/task")? {
        let text = std::fs::read_to_string(task?.path().join("schedstat"))?;
        nanoseconds += text.split_whitespace().next().ok_or("no time")?.parse::<f64>()?;
    }
    Ok(1e-9 * nanoseconds)
}

fn main() -> Result<()> {
    println!("{WORLDS} worlds; microseconds a world");
    println!("environment               step f32  step f64  with adjoint f32  a direction f64");
    for environment in [
        Environment::HalfCheetah,
        Environment::Hopper,
        Environment::AntWithoutContactForces,
        Environment::Humanoid,
    ] {
        let of = environment.describe();
        let mut worlds: EnvBatch<f64> = EnvBatch::with_description(of.clone(), WORLDS, 0, None)?;
        let mut random = Random::new(1);
        for _ in 0..20 {
            worlds.step(&random.numbers(WORLDS * of.n_actions()))?;
        }
        let (q, v) = worlds.states();
        let actions = random.numbers(WORLDS * of.n_actions());
        let directions = random.numbers(WORLDS * of.n_actions());
        let (rewards_bar, observations_bar) =
            (vec![1.0; WORLDS], vec![0.1; WORLDS * of.n_observations()]);
        let mut single: EnvBatch<f32> = EnvBatch::with_description(of.clone(), WORLDS, 0, None)?;
        let mut double: EnvBatch<f64> = EnvBatch::with_description(of.clone(), WORLDS, 0, None)?;
        let mut transitions = Transitions::<f32>::new(of.clone(), WORLDS)?;
        single.set_states(&q, &v)?;
        double.set_states(&q, &v)?;
        let at =
            ActionChanges { q: &q, v: &v, actions: &actions, directions: &directions, count: 1 };
        let times = [
            least(20, || single.step(&actions).map(drop).map_err(Into::into))?,
            least(20, || double.step(&actions).map(drop).map_err(Into::into))?,
            least(20, || {
                transitions.forward(&q, &v, &actions)?;
                transitions.backward(&rewards_bar, &observations_bar)?;
                Ok(())
            })?,
            least(20, || ActionSlopes::find(&of, at).map(drop).map_err(Into::into))?,
        ];
        let [a, b, c, d] = times.map(|seconds| seconds * 1e6 / WORLDS as f64);
        println!("{:24}  {a:8.1}  {b:8.1}  {c:16.1}  {d:15.1}", of.name);
    }
    println!("\nmilliseconds an update of SAC, minibatch 256");
    for (name, environment) in
        [("HalfCheetah", Environment::HalfCheetah), ("Ant", Environment::AntWithoutContactForces)]
    {
        for hidden in [64, 128, 256] {
            let enhanced =
                (hidden == 256).then(|| PolicyEnhancement { samples: 64, ..Default::default() });
            for policy_enhancement in [None, enhanced] {
                let options = SacOptions {
                    hidden: vec![hidden, hidden],
                    samples: 40,
                    policy_enhancement,
                    ..Default::default()
                };
                let mut sac = Sac::<f32>::new(&environment.describe(), options)?;
                (0..26).try_for_each(|_| sac.advance().map(drop))?;
                let time = least(5, || sac.advance().map(drop).map_err(Into::into))?;
                let by = policy_enhancement.map_or("", |_| ", policy enhancement for 64 samples");
                println!("{name}, {hidden} × {hidden}{by}: {:.2}", time * 1e3 / 40.0);
                if enhanced.is_none() {
                    break;
                }
            }
        }
    }
    let mut ppo = Ppo::<f32>::new(&Environment::HalfCheetah.describe(), PpoOptions::default())?;
    let mut updates = 1;
    let time = least(5, || {
        updates = ppo.advance()?.updates;
        Ok(())
    })?;
    println!("\nan iteration of PPO, 2048 samples and {updates} updates: {:.0} ms", time * 1e3);
    Ok(())
}
