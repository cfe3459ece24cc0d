//! Trains a policy by SHAC and prints the curve.
//!
//! `cargo run --release -p gradbody-policy --example learn -- ENVIRONMENT SECONDS SEED [OPTION=VALUE…]`

use std::time::Instant;

use gradbody_env::Environment;
use gradbody_policy::{Evaluation, Learner, Shac, ShacOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "AntWithoutContactForces".into());
    let seconds: f64 = arguments.next().and_then(|x| x.parse().ok()).unwrap_or(30.0);
    let seed = arguments.next().and_then(|x| x.parse().ok()).unwrap_or(0);
    let environment =
        Environment::ALL.into_iter().find(|e| e.name() == name).ok_or("which environment?")?;
    let of = environment.describe();
    let mut options = serde_json::to_value(ShacOptions::default())?;
    for argument in arguments {
        let (key, value) = argument.split_once('=').ok_or("OPTION=VALUE")?;
        options[key] = serde_json::from_str(value)?;
    }
    let options: ShacOptions = serde_json::from_value(options)?;
    println!("{options:?}");
    let mut cheaper = of.clone();
    if std::env::var("CHEAP").is_ok() {
        cheaper.options = cheaper.options.with(gradbody_sim::Integrator::ImplicitDamping);
    }
    let mut learner: Shac<f32> = Shac::new(&cheaper, options, seed)?;
    let begin = Instant::now();
    let mut spent = 0.0;
    let (mut samples, mut last) = (0, 0.0);
    let limit: u64 = std::env::var("SAMPLES").ok().and_then(|x| x.parse().ok()).unwrap_or(u64::MAX);
    while spent < seconds && samples < limit {
        let now = Instant::now();
        let progress = learner.advance()?;
        spent += now.elapsed().as_secs_f64();
        samples += progress.samples;
        let every = if limit < u64::MAX { limit as f64 / 8.0 } else { seconds / 15.0 };
        let at = if limit < u64::MAX { samples as f64 } else { spent };
        if at - last >= every {
            last = at;
            let found = Evaluation::run::<f32>(learner.actor(), &of, 16, 9)?;
            let length = found.lengths.iter().sum::<usize>() as f64 / 16.0;
            print!(
                "{spent:6.1} s {samples:9} samples: {:8.1} ± {:6.1} ({length:.0} steps) ",
                found.mean(),
                found.deviation()
            );
            for (name, x) in &progress.details {
                print!(" | {name} {x:.3}");
            }
            println!();
        }
    }
    println!("{:.1} s with evaluations", begin.elapsed().as_secs_f64());
    Ok(())
}
