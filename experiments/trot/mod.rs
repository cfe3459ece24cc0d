//! Laikago trots by convex model predictive control, and a network learns to imitate it.

mod course;
mod robot;
mod walk;

use rayon::prelude::*;

use crate::{Findings, Prepared};
use course::{Course, PUSH, Purpose};
use gradbody_control::ConvexMpc;
use robot::Laikago;

const SEED: u64 = 1;

pub(super) fn prepare(quick: bool) -> Prepared {
    Box::new(move |_| {
        let env = |name: &str, x: f64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(x);
        let mut laikago = Laikago::on_ground()?;
        let l = &mut laikago;
        l.gait.period = env("PERIOD", 0.5);
        l.gait.stance_share = env("DUTY", 0.5);
        l.mpc.interval = env("H", 0.05);
        l.mpc.force_weight = env("R", 1e-6);
        let names = ["ROLL", "PITCH", "YAW", "X", "Y", "Z"];
        for c in 0..6 {
            l.mpc.position_weights[c] = env(&format!("Q{}", names[c]), l.mpc.position_weights[c]);
            l.mpc.velocity_weights[c] = env(&format!("V{}", names[c]), l.mpc.velocity_weights[c]);
        }
        l.walking.footholds.speed_gain = env("FOOT", 0.1);
        l.walking.swing.stiffness = env("KP", 1200.0);
        l.walking.swing.damping = env("KD", 40.0);
        l.walking.swing.clearance = env("CLEAR", 0.08);
        l.walking.position_slack = env("SLACK", 0.05);
        let n = if quick { 4 } else { env("N", 50.0) as u64 };
        let push = env("PUSH", PUSH);
        let begun = std::time::Instant::now();
        let runs: Vec<_> = (0..2 * n).into_par_iter().map(|i| {
            let mut course = Course::random(SEED, Purpose::HeldOut, i % n, 20.0);
            if i >= n { course = course.pushed(SEED, i % n, push); }
            let mpc = ConvexMpc::new(&laikago.robot, &laikago.gait, laikago.mpc.clone());
            walk::walk(&laikago, &course, mpc, false).map(|(walked, mpc)| (course, walked, mpc.report()))
        }).collect::<anyhow::Result<_>>()?;
        for (i, (_, walked, report)) in runs.iter().enumerate() {
            if i < 6 || walked.fall.is_some() {
                println!("{i} {:?} {:.2} s stride {:.3?} all {:.3?} tilt {:.3} height {:.3?} {report:?}", walked.fall, walked.seconds, walked.stride_errors, walked.errors, walked.tilt, walked.height);
            }
        }
        for (name, part) in [("free", &runs[..n as usize]), ("pushed", &runs[n as usize..])] {
            let falls = part.iter().filter(|r| r.1.fall.is_some()).count();
            let mean = |f: &dyn Fn(&walk::Walked) -> f64| part.iter().map(|r| f(&r.1)).sum::<f64>() / n as f64;
            println!("{name}: {falls} falls of {n}; stride errors {:.4} {:.4} {:.4}; tilt {:.3}", mean(&|w| w.stride_errors[0]), mean(&|w| w.stride_errors[1]), mean(&|w| w.stride_errors[2]), mean(&|w| w.tilt));
        }
        println!("{:.1} s", begun.elapsed().as_secs_f64());
        Ok(Findings { title: "Trot".into(), lead: String::new(), sections: vec![], text: String::new(), json: serde_json::json!({}) })
    })
}
