//! A quadruped dropped on the ground, whose motors hold a standing pose.

use anyhow::{Context as _, bail};
use gradbody::contact::exclude_overlaps;
use gradbody::dynamics::{Kinematics, total_mass};
use gradbody::math::{Quat, Vec3};
use gradbody::model::{FrameId, Material, Model, ShapeId};
use gradbody::sim::{Input, NoTaps, State, StepOptions, StepScratch, StepTrace, Totals, step};

use super::Shown;
use crate::builtin;
use gradbody_report::{Figure, Plot, Section, Series, in_words};
use gradbody_view::Recording;
use gradbody_view::record::{self, KnownMoment};

const DT: f64 = 1e-3;
const TIME: f64 = 2.0;
/// Angles of hip, thigh and calf that the motors hold [rad].
const STANDING: [f64; 3] = [0.0, 0.7, -1.4];
/// Height of the trunk at the start [m].
const HEIGHT: f64 = 0.65;
/// Orientation of the trunk at the start, as a rotation vector [rad], and its velocity [m/s].
const TILT: Vec3<f64> = Vec3 { x: 0.06, y: 0.12, z: 0.0 };
const SPEED: Vec3<f64> = Vec3 { x: 0.3, y: 0.0, z: 0.0 };
const FRICTION: f64 = 0.8;
/// Stiffness and damping with which motors hold their angles [N m/rad, N m s/rad].
const KP: f64 = 180.0;
const KD: f64 = 8.0;
/// Steps from one moment of the motion that is shown to the next.
const FRAME_STEPS: usize = 5;
/// In the order of the plots.
const FEET: [&str; 4] = ["FL_foot", "FR_foot", "RL_foot", "RR_foot"];
const FEET_NAMES: [&str; 4] = ["front left", "front right", "rear left", "rear right"];

/// Observations of one step.
struct Sample {
    time: f64,
    trunk_height: f64,
    /// Push of the ground on each foot, upwards [N].
    feet: [f64; 4],
    /// Push of the ground on the robot, upwards [N].
    push: f64,
    depth: f64,
    energy: f64,
    /// Work of the motors so far [J].
    work: f64,
}

pub(super) fn experiment() -> anyhow::Result<Shown> {
    let mut model = builtin::model("laikago")?;
    model.add_ground(0.0, Material::with_friction(FRICTION))?;
    for shape in &mut model.params.shapes {
        shape.material = Material::with_friction(FRICTION);
    }
    let landing = Landing::simulate(&mut model)?;
    let samples = &landing.samples;
    let weight = total_mass(&model) * model.params.gravity.norm();
    let hardest = samples.iter().map(|s| s.push).fold(0.0, f64::max);
    let depth = samples.iter().map(|s| s.depth).fold(0.0, f64::max);
    let touched = samples.iter().find(|s| s.push > 0.0).map_or(0.0, |s| s.time);
    let last = samples.last().context("no steps")?;
    // Error of the push at the end, relative to the weight.
    let off = (last.push / weight - 1.0).abs();
    let lost = samples[0].energy + last.work - last.energy;
    let lines = vec![
        format!(
            "touches the ground after {touched:.2} s, with up to {:.1} times its weight",
            hardest / weight
        ),
        format!("sinks into it by {:.1e} m at most, in steps of {} ms", depth, DT * 1e3),
        format!(
            "after {TIME} s the ground carries its weight of {weight:.1} N, with a relative error of {off:.1e}"
        ),
    ];
    let section = Section {
        heading: "The same dog lands on its feet".into(),
        text: vec![
            "This time there is a ground, and the dog falls on it, slightly turned and with some \
             speed. Its motors hold a standing pose, like springs with dampers, as strongly as they \
             can; they know nothing about the ground."
                .into(),
            "Contact is rigid: in each step the simulator finds, for all feet at once, the impulses \
             that keep them out of the ground, with friction inside Coulomb's cone. Impacts, sliding and \
             standing still are all the same problem; when the dog stands, the ground \
             carries its weight and nothing moves."
                .into(),
        ],
        motion: Some(landing.motion),
        figures: vec![
            Figure::new(in_words(hardest / weight, 2), "× weight", "hardest push of the ground"),
            Figure::new(in_words(depth * 1e3, 2), "mm", "deepest penetration of a foot"),
            Figure::new(in_words(off, 2), "", format!("relative error of the push of the ground after {TIME} s")),
            Figure::new(in_words(lost, 2), "J", "lost in impacts and sliding; the motors absorb the rest"),
        ],
        plots: plots(&landing.samples, weight),
        ..Section::default()
    };
    Ok(Shown { section, lines })
}

struct Landing {
    samples: Vec<Sample>,
    motion: Recording,
}

impl Landing {
    fn simulate(model: &mut Model<f64>) -> anyhow::Result<Self> {
        let mut state = dropped(model);
        exclude_overlaps(model, &state.q);
        let model = &*model;
        let mut input = Input::none(model);
        let options = StepOptions::new(DT);
        let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
        let mut kin = Kinematics::new(model);
        let frame = |name: &str| model.topology.frame(name).context("no such foot");
        let feet: Vec<FrameId> = FEET.iter().map(|name| frame(name)).collect::<Result<_, _>>()?;
        let (mut samples, mut moments) = (Vec::new(), Vec::new());
        let mut done = 0.0;
        for i in 0..=(TIME / DT).round() as usize {
            let energy = Totals::at(model, &state, &mut kin).energy.total();
            motors(model, &state, &mut input.tau);
            if i % FRAME_STEPS == 0 {
                moments.push(KnownMoment { state: state.clone(), input: input.clone() });
            }
            let before = state.clone();
            let report =
                step(model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
            if report.diverged.is_some() {
                bail!("the simulation diverged at t = {} s", before.time);
            }
            let mut sample = Sample {
                time: i as f64 * DT,
                trunk_height: before.q[2],
                feet: [0.0; 4],
                push: 0.0,
                depth: 0.0,
                energy,
                work: done,
            };
            for contact in trace.contacts() {
                let frame = |shape: ShapeId| model.topology.shapes[shape.index()].frame;
                // The ground is the last shape, so it is b; its force on a foot is minus that of a.
                if contact.link_b.is_none() {
                    sample.push -= contact.force_w.z;
                    sample.depth = sample.depth.max(-contact.gap);
                    if let Some(foot) = feet.iter().position(|f| *f == frame(contact.id.a)) {
                        sample.feet[foot] -= contact.force_w.z;
                    }
                }
            }
            samples.push(sample);
            for link in &model.topology.links[1..] {
                let (q, v) = (link.joint.q_start, link.joint.v_start);
                done += input.tau[v] * (state.q[q] - before.q[q]);
            }
        }
        let motion = Recording {
            title: "A quadruped falls on the ground and stands".into(),
            caption: "In slow motion. Arrows are the forces of the ground on the feet: with a disc where a foot sticks, \
                      with a ring where it slides. Drag to turn the view."
                .into(),
            speed: Some(0.25),
            // The plots beside it are the report's own.
            tracks: Vec::new(),
            ..record::known(model, &moments, Some((&options, &mut NoTaps)), "dog")
        };
        Ok(Landing { samples, motion })
    }
}

/// The start: above the ground, in the standing pose.
fn dropped(model: &Model<f64>) -> State<f64> {
    let mut state = State::neutral(model);
    state.q[2] = HEIGHT;
    state.q[3..7].copy_from_slice(&Quat::exp(TILT).to_array());
    state.v[..3].copy_from_slice(&SPEED.to_array());
    for (i, link) in model.topology.links[1..].iter().enumerate() {
        state.q[link.joint.q_start] = STANDING[i % 3];
    }
    state
}

/// Motor torques that hold the standing pose, within the effort limits.
fn motors(model: &Model<f64>, state: &State<f64>, tau: &mut [f64]) {
    let legs = model.topology.links.iter().zip(&model.params.joints).skip(1);
    for (i, (link, params)) in legs.enumerate() {
        let (q, v) = (state.q[link.joint.q_start], state.v[link.joint.v_start]);
        let torque = KP * (STANDING[i % 3] - q) - KD * v;
        tau[link.joint.v_start] = torque.clamp(-params.effort_limit, params.effort_limit);
    }
}

fn plots(samples: &[Sample], weight: f64) -> Vec<Plot> {
    let over_time = |f: &dyn Fn(&Sample) -> f64| -> Vec<(f64, f64)> {
        samples.iter().map(|s| (s.time, f(s))).collect()
    };
    let height = Plot::new("Height of the trunk", "time [s]", "height [m]")
        .line(Series::new("trunk", over_time(&|s| s.trunk_height)))
        .follows_time()
        .caption(
            "It falls, bends its knees and comes to rest, a little below the height that ideal servos would hold.",
        );
    let feet = FEET_NAMES.iter().enumerate().fold(
        Plot::new("Push of the ground on each foot", "time [s]", "force [N]").follows_time(),
        |plot, (foot, name)| plot.line(Series::new(*name, over_time(&|s| s.feet[foot]))),
    );
    let feet = feet.caption(
        "Upwards, averaged over each step of a millisecond: impacts are spikes, because a rigid foot \
         stops within one step.",
    );
    let total = Plot::new("Push of the ground", "time [s]", "force [N]")
        .logarithmic()
        .line(Series::new("on all feet", over_time(&|s| s.push)))
        .line(Series::new("weight", over_time(&|_| weight)).dashed())
        .follows_time()
        .caption("Upwards. At rest it is the weight.");
    let start = &samples[0];
    let energy = Plot::new("Energy", "time [s]", "energy [J]")
        .line(Series::new("kinetic and potential", over_time(&|s| s.energy - start.energy)))
        .line(Series::new("work of the motors", over_time(&|s| s.work)).dashed())
        .line(Series::new("lost to the ground", over_time(&|s| s.work + start.energy - s.energy)))
        .follows_time()
        .caption(
            "Counted from the start. The motors absorb most of the fall's energy, as dampers do; the difference of \
             the first two lines was lost where feet hit the ground or slid on it.",
        );
    vec![height, feet, total, energy]
}
