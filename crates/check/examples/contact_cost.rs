//! What contact costs and how well it is solved: robots that stand, land, slide and lie, from given and random poses.
//!
//! ```sh
//! cargo run --release -p gradbody-check --example contact_cost -- 5 boxes models/ant.xml models/laikago.urdf
//! ```
//! writes two rows a model: by at most 100 sweeps alone, until a sweep changes less than 1e-8 m/s, and by the default
//! solver. The first number is that of the random poses of each model. `cargo xtask contact` does so for all models that
//! have contact.

#[path = "../tests/support/motions.rs"]
mod motions;

use std::process::ExitCode;
use std::time::Instant;

use gradbody_contact::{Ncp, Solver};
use gradbody_sim::{Simulation, StepOptions};

/// Length of each motion [s].
const LENGTH: f64 = 0.5;

/// A step with a larger residual counts as unsolved [m/s].
const SOLVED: f64 = 1e-10;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(poses) = args.next().and_then(|n| n.parse().ok()) else {
        eprintln!("usage: contact_cost POSES MODEL...");
        return ExitCode::from(2);
    };
    println!(
        "| model | solver | steps with contact | contacts | sweeps | rounds, most | worst residual [m/s] | above {SOLVED:.0e} | µs a step |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let default = Ncp::default();
    let alone = Ncp { rounds: 0, tolerance: 1e-8, ..default };
    for file in args {
        let motions = match motions::motions(&file, poses) {
            Ok(motions) => motions,
            Err(error) => {
                eprintln!("error: {error}");
                return ExitCode::FAILURE;
            }
        };
        for (name, solver) in [("sweeps alone", alone), ("default", default)] {
            let mut sum = Sum::default();
            for motion in &motions {
                let options = StepOptions::new(motion.dt).with_solver(Solver::Ncp(solver));
                let mut world =
                    Simulation::new(&motion.model, options).from_state(motion.start.clone());
                for _ in 0..(LENGTH / motion.dt) as usize {
                    sum.step(&mut world);
                }
            }
            let Sum { steps, contacts, sweeps, rounds, most, worst, unsolved, seconds } = sum;
            let mean = |x: usize| x as f64 / steps.max(1) as f64;
            println!(
                "| {} | {name} | {steps} | {:.1} | {:.1} | {:.2}, {most} | {worst:.0e} | {unsolved} | {:.2} |",
                motions::name(&file),
                mean(contacts),
                mean(sweeps),
                mean(rounds),
                1e6 * seconds / steps.max(1) as f64,
            );
        }
    }
    ExitCode::SUCCESS
}

/// Sums over the steps in which something presses.
#[derive(Default)]
struct Sum {
    steps: usize,
    contacts: usize,
    sweeps: usize,
    rounds: usize,
    /// Most rounds of a step.
    most: u32,
    worst: f64,
    unsolved: usize,
    seconds: f64,
}

impl Sum {
    fn step(&mut self, world: &mut Simulation<'_, f64>) {
        let start = Instant::now();
        let report = world.step();
        let seconds = start.elapsed().as_secs_f64();
        let pressing = world.contacts().iter().filter(|c| c.force_w.norm() > 0.0).count();
        if pressing == 0 {
            return;
        }
        let solved = report.solved;
        self.steps += 1;
        self.contacts += pressing;
        self.sweeps += solved.sweeps as usize;
        self.rounds += solved.rounds as usize;
        self.most = self.most.max(solved.rounds);
        self.worst = self.worst.max(solved.residual);
        // NaN too.
        let is_solved = solved.residual <= SOLVED;
        self.unsolved += usize::from(!is_solved);
        self.seconds += seconds;
    }
}
