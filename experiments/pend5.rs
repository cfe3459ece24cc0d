//! Five links fall on the ground; the motion is compared with that of the Tiny Differentiable Simulator.
//!
//! The set-up is that simulator's own benchmark ([`crate::workloads::pend5`]), with 50 sweeps per step. Its cost is
//! the mean of all joint angles over 5000 steps.
//!
//! The contact point differs. We place it midway between the surfaces; that simulator places it at the lowest point of
//! the sphere, where the lever of friction is longer by half the penetration. So we run both: ours, and theirs with a
//! tap that moves the point.
//!
//! With their point all angles agree to 1.4e-12 rad up to step 875. Soon after, four spheres touch at once, and 50
//! sweeps do not converge. Our run with 50 sweeps stays within 4e-5 rad of the reference up to its last state, step
//! 1000; with 20 times as many sweeps the motion departs from there. The cost hardly changes: the sum of all angles is
//! the slope of the last link, which lies flat by then.

use std::fmt::Write as _;

use anyhow::{anyhow, bail};
use gradbody::contact::Contact;
use gradbody::model::Model;
use gradbody::sim::{Input, NoTaps, StepScratch, StepTrace, TapRecord, Taps, step};
use serde_json::{Value, json};

use super::data::{DataFile, DataFolder, number};
use super::{Findings, Prepared};
use crate::workloads::pend5::{self, DT, LINKS, STEPS, SWEEPS};
use gradbody_report::text::{Align, Table};
use gradbody_report::{Figure, Plot, Section, Series, in_words};
use gradbody_view::{Recording, record};

/// Enough sweeps to converge in every step of this motion.
const MANY_SWEEPS: u32 = 20 * SWEEPS;
/// The reference's cost: the mean of all angles over all steps.
const REFERENCE_COST: f64 = 0.002_141_635_722;
/// Agreement limit [rad]: rounding differences, amplified by a second of this motion.
const AGREE: f64 = 1e-9;
const FRAME_STEPS: usize = 10;

const FILE: DataFile = DataFile {
    path: "reference/tds_trajectories.csv",
    columns: &["workload", "step", "q0", "q1", "q2", "q3", "q4", "contacts"],
    source: "it contains the states, every 25 steps, of the five-link benchmark (workload pend5) of the Tiny \
             Differentiable Simulator, https://github.com/erwincoumans/tiny-differentiable-simulator \
             (NeuralSim, 2021), in f64",
};

/// A recorded state of the reference.
struct Reference {
    step: usize,
    q: [f64; LINKS],
    contacts: usize,
}

/// Reads the reference.
pub(super) fn prepare(data: &DataFolder) -> anyhow::Result<Prepared> {
    let mut reference = Vec::new();
    for (i, row) in data.rows(&FILE)?.iter().enumerate() {
        if row[0] == "pend5" {
            let number = |column: usize| number(&FILE, i, column, &row[column]);
            let mut q = [0.0; LINKS];
            for (k, q) in q.iter_mut().enumerate() {
                *q = number(2 + k)?;
            }
            let (step, contacts) = (number(1)? as usize, number(7)? as usize);
            reference.push(Reference { step, q, contacts });
        }
    }
    if reference.is_empty() {
        bail!("{}: no row with workload pend5", FILE.path);
    }
    if let Some(beyond) = reference.iter().find(|r| !(1..=STEPS).contains(&r.step)) {
        bail!("{}: step {} is not one of 1 to {STEPS}", FILE.path, beyond.step);
    }
    Ok(Box::new(move |_| experiment(&reference)))
}

/// Moves each contact point from midway between the surfaces to the lowest point of the sphere. The spheres come
/// before the plane, so shape a is the sphere.
struct AtSphere;

impl Taps<f64> for AtSphere {
    fn contacts(&mut self, _: &mut TapRecord, contacts: &mut [Contact<f64>]) {
        for contact in contacts {
            contact.point_w -= contact.normal_w * (0.5 * contact.gap);
        }
    }
}

/// A run: angles, contacts and solver residual after each step.
struct Run {
    q: Vec<[f64; LINKS]>,
    contacts: Vec<usize>,
    residual: Vec<f64>,
}

impl Run {
    fn simulate(
        model: &Model<f64>,
        sweeps: u32,
        taps: &mut impl Taps<f64>,
    ) -> anyhow::Result<Self> {
        let options = pend5::options(sweeps);
        let mut state = pend5::start(model);
        let input = Input::none(model);
        let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
        let mut run = Run { q: vec![], contacts: vec![], residual: vec![] };
        for _ in 0..STEPS {
            let report = step(model, &mut state, &input, &options, taps, &mut trace, &mut scratch);
            if report.diverged.is_some() {
                bail!("the simulation diverged at t = {} s", state.time);
            }
            run.q.push([0, 1, 2, 3, 4].map(|k| state.q[k]));
            run.contacts.push(report.contacts);
            run.residual.push(report.solved.residual);
        }
        Ok(run)
    }

    /// The largest difference of an angle from the reference's [rad].
    fn error(&self, reference: &Reference) -> f64 {
        largest_difference(&self.q[reference.step - 1], &reference.q)
    }

    fn cost(&self) -> f64 {
        self.q.iter().flatten().sum::<f64>() / (STEPS * LINKS) as f64
    }
}

fn largest_difference(a: &[f64; LINKS], b: &[f64; LINKS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn experiment(reference: &[Reference]) -> anyhow::Result<Findings> {
    let model = pend5::model()?;
    let at_sphere = Run::simulate(&model, SWEEPS, &mut AtSphere)?;
    let converged = Run::simulate(&model, MANY_SWEEPS, &mut AtSphere)?;
    let midway = Run::simulate(&model, SWEEPS, &mut NoTaps)?;
    let first_contact = at_sphere.contacts.iter().position(|n| *n > 0).map_or(STEPS, |i| i + 1);
    let agree_until = reference
        .iter()
        .take_while(|r| at_sphere.error(r) < AGREE)
        .last()
        .ok_or_else(|| anyhow!("the runs differ from the first step on"))?;
    let largest = reference
        .iter()
        .take_while(|r| r.step <= agree_until.step)
        .map(|r| at_sphere.error(r))
        .fold(0.0, f64::max);

    let mut table = Table::new(&[
        ("step", Align::Right),
        ("contacts", Align::Right),
        ("at the sphere", Align::Right),
        (&format!("{MANY_SWEEPS} sweeps"), Align::Right),
        ("midway", Align::Right),
    ]);
    let mut rows = Vec::new();
    for r in reference.iter().filter(|r| r.step % 200 == 0 || r.step + 50 > first_contact) {
        let errors = [&at_sphere, &converged, &midway].map(|run| run.error(r));
        let [a, b, c] = errors.map(|e| format!("{e:.1e}"));
        table.row(vec![r.step.to_string(), r.contacts.to_string(), a, b, c]);
        rows.push(json!({
            "step": r.step, "contacts": r.contacts,
            "at_sphere": errors[0], "at_sphere_converged": errors[1], "midway": errors[2],
        }));
    }
    let mut text = String::from(
        "five links on the ground: largest angle difference from the reference [rad], with the contact \
         point\nat the sphere's lowest point, as in the reference, and midway between the surfaces, as in \
         gradbody\n\n",
    );
    table.write(&mut text);
    let costs = [&at_sphere, &converged, &midway].map(Run::cost);
    let _ = write!(
        text,
        "\nwith the reference's point the runs agree to {largest:.1e} rad up to step {}; then {} \
         spheres touch at once\ncost: reference {REFERENCE_COST}, at the sphere {:.9}, with \
         {MANY_SWEEPS} sweeps {:.9}, midway {:.9}\n",
        agree_until.step,
        at_sphere.contacts[agree_until.step..].iter().take(50).max().unwrap_or(&0),
        costs[0],
        costs[1],
        costs[2]
    );
    let json = json!({
        "experiment": "pend5",
        "first_contact_step": first_contact,
        "agree_until_step": agree_until.step,
        "largest_difference_until_then": largest,
        "differences": rows,
        "cost": {
            "reference": REFERENCE_COST, "at_sphere": costs[0],
            "at_sphere_converged": costs[1], "midway": costs[2],
        },
        "largest_residual": residuals(&at_sphere, &converged),
    });
    let section = Section {
        heading: "Five links on the ground".into(),
        text: vec![
            format!(
                "The benchmark of the Tiny Differentiable Simulator: a chain of five links falls, and \
                 the spheres at its joints hit the ground from step {first_contact} on. Two programs that \
                 compute the same in f64 should agree to rounding. These two do, up to step {}.",
                agree_until.step
            ),
            "This needs the contact point of that simulator, the lowest point of the sphere. gradbody's \
             own point is midway between the two surfaces, where the lever of friction is shorter by half \
             the penetration. The difference is less than a millimetre, but the next impacts amplify it."
                .into(),
            "When four spheres hit the ground at once, fifty sweeps do not converge. With fifty sweeps \
             gradbody stays near the reference; with twenty times as many its motion departs. The cost \
             hardly changes: it is the mean slope of the last link, which lies flat by then."
                .into(),
        ],
        motion: Some(motion(&model, &at_sphere)),
        figures: vec![
            Figure::new(in_words(largest, 2), "rad", format!("largest difference up to step {}", agree_until.step)),
            Figure::new(first_contact.to_string(), "", "step of the first contact"),
            Figure::new(in_words(costs[0], 4), "rad", "mean angle over 5000 steps, at the sphere"),
            Figure::new(in_words(REFERENCE_COST, 4), "rad", "the reference's mean angle"),
        ],
        plots: plots(reference, &at_sphere, &converged, &midway),
        ..Section::default()
    };
    Ok(Findings {
        title: "A chain falls on the ground".into(),
        lead: "The same benchmark in two simulators, step by step.".into(),
        sections: vec![section],
        text,
        json,
    })
}

/// The largest residual of the contact velocities after the sweeps [m/s].
fn residuals(fifty: &Run, many: &Run) -> Value {
    let largest = |run: &Run| run.residual.iter().fold(0.0_f64, |m, r| m.max(*r));
    json!({ "at_sphere": largest(fifty), "at_sphere_converged": largest(many) })
}

fn plots(reference: &[Reference], at_sphere: &Run, converged: &Run, midway: &Run) -> Vec<Plot> {
    let error = |run: &Run| -> Vec<(f64, f64)> {
        reference.iter().map(|r| (r.step as f64 * DT, run.error(r).max(1e-17))).collect()
    };
    let errors =
        Plot::new("Difference from the reference", "time [s]", "largest of an angle [rad]")
            .logarithmic()
            .line(Series::new("contact at the sphere", error(at_sphere)))
            .line(Series::new("contact midway", error(midway)))
            .caption(
                "Until the first contact both runs are the same and differ from the reference by rounding only.",
            );
    let between: Vec<(f64, f64)> = (0..2 * reference.last().map_or(0, |r| r.step))
        .take(STEPS)
        .map(|i| {
            ((i + 1) as f64 * DT, largest_difference(&at_sphere.q[i], &converged.q[i]).max(1e-17))
        })
        .collect();
    let sweeps = Plot::new("Are fifty sweeps enough?", "time [s]", "largest angle difference [rad]")
        .logarithmic()
        .line(Series::new("fifty sweeps from twenty times as many", between))
        .caption(
            "Our run with fifty sweeps and with a thousand. The two are the same until four spheres hit \
             the ground at once; the residual of fifty sweeps there then grows.",
        );
    let steps = reference.last().map_or(0, |r| r.step);
    let angles = |k: usize| -> Vec<(f64, f64)> {
        at_sphere.q[..steps].iter().enumerate().map(|(i, q)| ((i + 1) as f64 * DT, q[k])).collect()
    };
    let of_reference = |k: usize| -> Vec<(f64, f64)> {
        reference.iter().map(|r| (r.step as f64 * DT, r.q[k])).collect()
    };
    let joints = Plot::new("Angles", "time [s]", "angle [rad]")
        .line(Series::new("first joint", angles(0)))
        .line(Series::new("second", angles(1)))
        .line(Series::new("last", angles(4)))
        .line(Series::new("reference, first", of_reference(0)).dashed())
        .line(Series::new("second", of_reference(1)).dashed())
        .line(Series::new("last", of_reference(4)).dashed())
        .follows_time();
    let slope = |q: &[f64; LINKS]| q.iter().sum::<f64>();
    let ours = at_sphere.q[..steps].iter().enumerate();
    let theirs = reference.iter().map(|r| (r.step as f64 * DT, slope(&r.q)));
    let slopes = Plot::new("Slope of the last link", "time [s]", "sum of all angles [rad]")
        .line(Series::new("ours", ours.map(|(i, q)| ((i + 1) as f64 * DT, slope(q))).collect()))
        .line(Series::new("reference, every 25 steps", theirs.collect()).dashed())
        .follows_time()
        .caption("The cost is a fifth of its mean over 5000 steps.");
    vec![errors, joints, sweeps, slopes]
}

fn motion(model: &Model<f64>, run: &Run) -> Recording {
    let shown: Vec<Vec<f64>> =
        run.q[..1500].iter().step_by(FRAME_STEPS).map(|q| q.to_vec()).collect();
    let times = (0..shown.len()).map(|i| DT * (i * FRAME_STEPS) as f64).collect();
    Recording {
        title: "A chain of five links falls on the ground".into(),
        caption: "The first one and a half seconds, in slow motion. Drag to turn the view.".into(),
        speed: Some(0.25),
        ..record::configurations(model, times, &[("chain", shown)])
    }
}
