//! Checks the gradients of motions with contact: robots that stand, land, slide and lie, over 1, 5 and 50 steps.
//!
//! ```sh
//! cargo run --release -p gradbody-check --example contact_matrix -- 3 boxes models/ant.xml models/laikago.urdf
//! ```
//! writes a row a motion; the first number is that of the random poses of each model. `cargo xtask contact` does so for
//! all models that have contact, Gymnasium's own files among them.

#[path = "../tests/support/motions.rs"]
mod motions;

use std::process::ExitCode;

use gradbody_check::{Case, Compared, Outcome, Unwatched, Verdict, check};
use gradbody_sim::{Input, StepOptions};

const STEPS: [usize; 3] = [1, 5, 50];

/// A step with a larger residual counts as unsolved; its derivative has no meaning [m/s].
const SOLVED: f64 = 1e-9;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(poses) = args.next().and_then(|n| n.parse().ok()) else {
        eprintln!("usage: contact_matrix POSES MODEL...");
        return ExitCode::from(2);
    };
    println!(
        "| model | motion | steps | adjoint and duals | residual [m/s] | growth | groups that do not agree |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut sum = Sum::default();
    for file in args {
        let motions = match motions::motions(&file, poses) {
            Ok(motions) => motions,
            Err(error) => {
                eprintln!("error: {error}");
                return ExitCode::FAILURE;
            }
        };
        for motion in &motions {
            for steps in STEPS {
                let mut options = StepOptions::accurate_gradients(motion.dt);
                // Differences cannot see when within a step an impact begins.
                options.contact.impact_times = false;
                let inputs = vec![Input::none(&motion.model); steps];
                let case = Case::new(motion.model.clone(), motion.start.clone(), inputs, options);
                let what = format!("| {} | {} | {steps}", motions::name(&file), motion.name);
                match check(&case, 0, &Unwatched) {
                    Ok(outcome) => sum.add(&what, &outcome),
                    Err(stop) => {
                        println!("{what} | {stop} | | | |");
                        sum.stopped += 1;
                    }
                }
            }
        }
    }
    let Sum { cases, stopped, unsolved, wrong, differ, sensitive, shares, kinks, unshown } = sum;
    println!();
    println!(
        "{cases} motions, {unsolved} with a step whose contacts are not solved; {stopped} more diverge. In the others:"
    );
    println!("- adjoint and duals differ in {wrong}, by more than the motion makes rounding grow;");
    println!("- they differ by rounding in {sensitive};");
    println!("- differences differ from both, without a kink, in {differ};");
    println!("- how supports share a load decides in {shares};");
    println!(
        "- {kinks} groups of numbers are at a kink: the table has the slopes below and above, which differ;"
    );
    println!("- of {unshown} kinks the slopes to both sides are not known.");
    if wrong + differ + stopped + unshown > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Numbers of motions.
#[derive(Default)]
struct Sum {
    cases: usize,
    stopped: usize,
    unsolved: usize,
    wrong: usize,
    differ: usize,
    sensitive: usize,
    shares: usize,
    /// Number of groups at a kink, and of those among them without slopes to both sides.
    kinks: usize,
    unshown: usize,
}

impl Sum {
    /// Counts a motion and prints its row.
    fn add(&mut self, what: &str, outcome: &Outcome<'_>) {
        let with = |verdict| outcome.groups.iter().filter(move |g| g.verdict == verdict).count();
        let any = |verdict| usize::from(with(verdict) > 0);
        self.cases += 1;
        if outcome.plain.residual > SOLVED {
            self.unsolved += 1;
        } else {
            self.wrong += usize::from(with(Verdict::Differ) + with(Verdict::NotFinite) > 0);
            self.differ += any(Verdict::DifferencesDiffer);
            self.sensitive += any(Verdict::TooSensitive);
            self.shares += any(Verdict::LoadShares);
            self.kinks += with(Verdict::Kink);
            let kinks = outcome.groups.iter().filter(|g| g.verdict == Verdict::Kink);
            self.unshown += kinks.filter(|g| sides(g).is_none()).count();
        }
        let worst = outcome.groups.iter().fold(0.0_f64, |worst, g| worst.max(g.error));
        let growth = outcome.sensitivity.norms.iter().fold(0.0_f64, |most, x| most.max(*x));
        let agrees = |verdict| matches!(verdict, Verdict::Agree | Verdict::NoInfluence);
        let others = outcome.groups.iter().filter(|group| !agrees(group.verdict));
        let others: Vec<_> = others
            .map(|g| match (g.verdict, sides(g)) {
                (Verdict::Kink, Some([below, above])) => {
                    format!("{} (Kink: {below:.3e}, {above:.3e})", g.name)
                }
                (Verdict::DifferencesDiffer, _) => format!(
                    "{} (DifferencesDiffer: {:.6e}, {:.6e} ± {:.0e})",
                    g.name, g.dual, g.differences.slope, g.differences.spread
                ),
                (verdict, _) => format!("{} ({verdict:?})", g.name),
            })
            .collect();
        println!(
            "{what} | {worst:.0e} | {:.0e} | {growth:.0e} | {} |",
            outcome.plain.residual,
            others.join(", ")
        );
    }
}

/// The slopes below and above a kink by one-sided differences, if they differ.
fn sides(group: &Compared) -> Option<[f64; 2]> {
    let sides = group.differences.kink.unwrap_or(group.differences.sides);
    Some(sides).filter(|[below, above]| below != above)
}
