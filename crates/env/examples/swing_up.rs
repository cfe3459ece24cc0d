//! Can an n-link pendulum reach the highest point? Plans found by following the gradient of the return say so.
//!
//! ```sh
//! cargo run --release -p gradbody-env --example swing_up
//! ```

use gradbody_env::{EnvBatch, EnvError, Environment};
use gradbody_math::random::Random;

const WORLDS: usize = 16;
const STEPS: usize = 100;
const ITERATIONS: i32 = 600;

fn main() -> Result<(), EnvError> {
    println!("{:>5} {:>12} {:>12}", "links", "return [m²]", "of the most");
    for environment in Environment::ALL {
        if !environment.name().starts_with("Pendulum") {
            continue;
        }
        let mut worlds: EnvBatch<f64> = EnvBatch::new(environment, WORLDS, 0, None)?;
        let links = worlds.description().n_actions();
        let (best, most) = (best_return(&mut worlds)?, (links * links) as f64 / 2.0);
        println!("{links:>5} {best:>12.3} {:>12.3}", best / most);
    }
    Ok(())
}

/// The largest return of plans that begin with random actions, each improved by Adam. An action is the tanh of what is
/// changed, and slopes have length one.
fn best_return(worlds: &mut EnvBatch<f64>) -> Result<f64, EnvError> {
    let row = STEPS * worlds.description().n_actions();
    let mut random = Random::new(1);
    let mut x: Vec<f64> = (0..WORLDS * row).map(|_| 0.3 * random.normal()).collect();
    let (mut mean, mut square) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    let mut best = f64::NEG_INFINITY;
    for iteration in 1..=ITERATIONS {
        let actions: Vec<f64> = x.iter().map(|x| x.tanh()).collect();
        let found = worlds.gradient(&actions, 1.0)?;
        best = found.returns.iter().copied().fold(best, f64::max);
        for world in 0..WORLDS {
            let of_world = world * row..(world + 1) * row;
            let squares = found.actions[of_world.clone()].iter().map(|g| g * g).sum::<f64>();
            let length = squares.sqrt().max(f64::MIN_POSITIVE);
            for k in of_world {
                let slope = found.actions[k] / length * (1.0 - actions[k] * actions[k]);
                mean[k] = 0.9 * mean[k] + 0.1 * slope;
                square[k] = 0.99 * square[k] + 0.01 * slope * slope;
                let (m, s) = (1.0 - 0.9_f64.powi(iteration), 1.0 - 0.99_f64.powi(iteration));
                x[k] += 0.05 * (mean[k] / m) / ((square[k] / s).sqrt() + 1e-6);
            }
        }
    }
    Ok(best)
}
