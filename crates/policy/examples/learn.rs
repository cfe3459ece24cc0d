//! Trains a policy and prints how its return grows: samples, seconds, return.
//!
//! ```text
//! cargo run --release -p gradbody-policy --example learn -- ALGORITHM ENVIRONMENT SAMPLES SEED [OPTIONS]
//! cargo run --release -p gradbody-policy --example learn -- sac HalfCheetah 200000 0 '{"updates-per-sample": 0.5}'
//! ```
//! OPTIONS are those of the algorithm as JSON. Returns are means over ten episodes of the policy without noise.

use std::error::Error;
use std::time::Instant;

use gradbody_env::Environment;
use gradbody_policy::{
    Evaluation, Learner, Mbpo, MbpoOptions, Ppo, PpoOptions, Sac, SacOptions, Shac, ShacOptions,
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Evaluations over the whole training.
const EVALUATIONS: u64 = 10;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [algorithm, name, samples, seed, rest @ ..] = &arguments[..] else {
        return Err("needs ALGORITHM ENVIRONMENT SAMPLES SEED [OPTIONS]".into());
    };
    let environment = Environment::named(name).ok_or("no such environment")?.describe();
    let (samples, seed): (u64, u64) = (samples.parse()?, seed.parse()?);
    let options = rest.first().map_or("{}", |text| text.as_str());
    let mut learner: Box<dyn Learner> = match algorithm.as_str() {
        "ppo" => {
            let options = PpoOptions { seed, ..serde_json::from_str(options)? };
            Box::new(Ppo::<f32>::new(&environment, options)?)
        }
        "sac" => {
            let options = SacOptions { seed, ..serde_json::from_str(options)? };
            Box::new(Sac::<f32>::new(&environment, options)?)
        }
        "mbpo" => {
            let options = MbpoOptions { seed, ..serde_json::from_str(options)? };
            Box::new(Mbpo::<f32>::new(&environment, options)?)
        }
        "shac" => {
            let options = ShacOptions { seed, ..serde_json::from_str(options)? };
            Box::new(Shac::<f32>::new(&environment.clone().without_forces(), options)?)
        }
        other => return Err(format!("no algorithm is called {other}").into()),
    };
    let begin = Instant::now();
    let (mut done, mut judged, mut recent) = (0, 0, Vec::new());
    println!("samples  seconds  return  deviation  in training  details");
    while done < samples {
        let progress = learner.advance()?;
        done += progress.samples;
        recent.extend(progress.returns);
        if done * EVALUATIONS / samples > judged {
            judged = done * EVALUATIONS / samples;
            let seconds = begin.elapsed().as_secs_f64();
            let seen = match algorithm.as_str() {
                "shac" => environment.clone().without_forces(),
                _ => environment.clone(),
            };
            let found = Evaluation::run::<f64>(learner.actor(), &seen, 10, 1_000 + seed)?;
            let mean = recent.iter().sum::<f64>() / recent.len().max(1) as f64;
            recent.clear();
            let details: Vec<String> =
                progress.details.iter().map(|(name, x)| format!("{name} {x:.4}")).collect();
            println!(
                "{done:7}  {seconds:7.1}  {:7.1}  {:7.1}  {mean:7.1}  {}",
                found.mean(),
                found.deviation(),
                details.join(", ")
            );
        }
    }
    Ok(())
}
