//! A quadruped thrown into the air, which moves its legs and cannot change its momentum.

use anyhow::{Context as _, bail};
use gradbody::dynamics::{Kinematics, frame_pose, total_mass};
use gradbody::math::Vec3;
use gradbody::model::Model;
use gradbody::sim::{
    Input, Integrator, NoTaps, State, StepOptions, StepScratch, StepTrace, Totals, step,
};

use super::Shown;
use crate::builtin;
use gradbody_report::{Figure, Plot, Section, Series, in_words};
use gradbody_view::{Recording, record};

const DT: f64 = 1e-3;
/// Velocity of the throw [m/s], and spin of the trunk in its own axes [rad/s].
const THROW: Vec3<f64> = Vec3 { x: 1.8, y: 0.0, z: 5.0 };
const SPIN: Vec3<f64> = Vec3 { x: 0.5, y: 5.6, z: 0.3 };
/// Height of the trunk at the start [m].
const HEIGHT: f64 = 0.41;
/// Angles of hip, thigh and calf, stretched and tucked [rad].
const STRETCHED: [f64; 3] = [0.0, 0.45, -0.9];
const TUCKED: [f64; 3] = [0.0, 1.35, -2.6];
/// When the legs are drawn in and stretched again: from, to [s].
const DRAW_IN: (f64, f64) = (0.10, 0.35);
const STRETCH: (f64, f64) = (0.70, 0.95);
/// Stiffness and damping with which motors follow the wanted angles [N m/rad, N m s/rad].
const KP: f64 = 120.0;
const KD: f64 = 4.0;
/// Steps from one moment of the motion that is shown to the next.
const FRAME_STEPS: usize = 5;

/// Observations at one time.
struct Sample {
    time: f64,
    /// Centre of mass, and its velocity.
    com: Vec3<f64>,
    velocity: Vec3<f64>,
    /// Angular momentum about the centre of mass.
    spin: Vec3<f64>,
    /// Height of a front foot [m].
    foot_height: f64,
    /// Angular velocity of the trunk [rad/s].
    trunk_spin: f64,
    energy: f64,
    /// Work of the motors so far [J].
    work: f64,
}

pub(super) fn experiment() -> anyhow::Result<Shown> {
    let model = builtin::model("laikago")?;
    let flight = Flight::simulate(&model)?;
    let laws = flight.laws(&model);
    let (slow, fast) = flight.slowest_and_fastest();
    let lines = vec![
        format!(
            "free fall for {:.2} s, {} steps of Runge-Kutta",
            flight.end(),
            flight.samples.len() - 1
        ),
        format!("centre of mass off its parabola: {:.1e} m at most", laws.parabola),
        format!(
            "angular momentum {:.3} N m s, changed by {:.1e} at most, while the trunk's spin went \
             from {slow:.1} to {fast:.1} rad/s",
            laws.spin_size, laws.spin_change
        ),
        format!("energy minus the motors' work changes by {:.1e} J at most", laws.energy),
    ];
    let section = Section {
        heading: "A robot dog that turns a somersault".into(),
        text: vec![
            "Laikago, a quadruped of 25 kg with twelve motors, is thrown up with a spin. In the air \
             its motors draw in the legs, and stretch them again before it comes down. Strong as \
             they are, they only pull at the robot itself: nothing they do can move its centre of \
             mass off the parabola, or change its angular momentum."
                .into(),
            "What they can change is the shape. With the legs drawn in the same angular momentum \
             turns the body faster, as it does a diver or a skater. The simulator does not contain these \
             laws; they follow because every joint's force acts on two bodies, equal and opposite."
                .into(),
        ],
        motion: Some(flight.motion),
        figures: vec![
            Figure::new(in_words(laws.parabola, 2), "m", "largest distance of the centre of mass from its parabola"),
            Figure::new(
                in_words(laws.spin_change, 2),
                "N m s",
                format!("largest change of the angular momentum of {} N m s", in_words(laws.spin_size, 3)),
            ),
            Figure::new(
                format!("{} → {}", in_words(slow, 2), in_words(fast, 2)),
                "rad/s",
                "spin of the trunk, slowest and fastest",
            ),
            Figure::new(in_words(laws.energy, 2), "J", "largest error of energy minus the motors' work"),
        ],
        plots: plots(&flight.samples, &model),
        ..Section::default()
    };
    Ok(Shown { section, lines })
}

struct Flight {
    samples: Vec<Sample>,
    motion: Recording,
}

/// Largest deviations from the laws of mechanics.
struct Laws {
    /// Of the centre of mass [m].
    parabola: f64,
    /// Of the angular momentum, and its size [N m s].
    spin_change: f64,
    spin_size: f64,
    /// Of energy minus work [J].
    energy: f64,
}

impl Flight {
    /// Simulates until the centre of mass is as high as at the start.
    fn simulate(model: &Model<f64>) -> anyhow::Result<Self> {
        let mut state = thrown(model);
        let mut input = Input::none(model);
        // Without contact, because the legs overlap when they fold.
        let options = StepOptions::new(DT).with(Integrator::Rk4).without_contact();
        let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
        let mut kin = Kinematics::new(model);
        let foot = model.topology.frame("FR_foot").context("no frame \"FR_foot\"")?;
        let mut samples = Vec::new();
        let (mut times, mut shown) = (Vec::new(), Vec::new());
        let mut done = 0.0;
        for i in 0.. {
            let time = i as f64 * DT;
            let Totals { energy, com, momentum, .. } = Totals::at(model, &state, &mut kin);
            samples.push(Sample {
                time,
                com,
                velocity: momentum.lin * total_mass(model).recip(),
                spin: momentum.ang,
                foot_height: frame_pose(model, &kin, foot).pos.z,
                trunk_spin: kin.bodies[0].ang_vel_w.norm(),
                energy: energy.total(),
                work: done,
            });
            if i % FRAME_STEPS == 0 {
                times.push(time);
                shown.push(state.q.clone());
            }
            if i > 1 && samples[i].com.z <= samples[0].com.z {
                break;
            }
            motors(model, time, &state, &mut input.tau);
            let before = state.q.clone();
            if step(model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch)
                .diverged
                .is_some()
            {
                bail!("the simulation diverged at t = {time} s");
            }
            // Torques are held during a step, so their work is torque times angle, exactly.
            for link in &model.topology.links[1..] {
                let (q, v) = (link.joint.q_start, link.joint.v_start);
                done += input.tau[v] * (state.q[q] - before[q]);
            }
        }
        let motion = Recording {
            title: "A quadruped thrown into the air turns a somersault".into(),
            caption: "In slow motion. Drag to turn the view.".into(),
            speed: Some(0.25),
            ..record::configurations(model, times, &[("dog", shown)])
        };
        Ok(Flight { samples, motion })
    }

    fn end(&self) -> f64 {
        self.samples.last().map_or(0.0, |s| s.time)
    }

    fn laws(&self, model: &Model<f64>) -> Laws {
        let start = &self.samples[0];
        let largest = |f: &dyn Fn(&Sample) -> f64| self.samples.iter().map(f).fold(0.0, f64::max);
        let parabola = parabola(&self.samples, model);
        Laws {
            parabola: largest(&|s| (s.com - parabola(s.time)).norm()),
            spin_change: largest(&|s| (s.spin - start.spin).norm()),
            spin_size: start.spin.norm(),
            energy: largest(&|s| (s.energy - s.work - start.energy).abs()),
        }
    }

    fn slowest_and_fastest(&self) -> (f64, f64) {
        let rates = || self.samples.iter().map(|s| s.trunk_spin);
        (rates().fold(f64::INFINITY, f64::min), rates().fold(0.0, f64::max))
    }
}

/// Where the centre of mass must be, from its place and velocity at the start.
fn parabola(samples: &[Sample], model: &Model<f64>) -> impl Fn(f64) -> Vec3<f64> + use<> {
    let Sample { com, velocity, .. } = samples[0];
    let gravity = model.params.gravity;
    move |t| com + velocity * t + gravity * (0.5 * t * t)
}

/// The state just after the throw.
fn thrown(model: &Model<f64>) -> State<f64> {
    let mut state = State::neutral(model);
    state.q[2] = HEIGHT;
    state.v[..3].copy_from_slice(&THROW.to_array());
    state.v[3..6].copy_from_slice(&SPIN.to_array());
    for (i, link) in model.topology.links[1..].iter().enumerate() {
        state.q[link.joint.q_start] = STRETCHED[i % 3];
    }
    state
}

/// Motor torques that follow the wanted angles, within the effort limits.
fn motors(model: &Model<f64>, time: f64, state: &State<f64>, tau: &mut [f64]) {
    let tucked = smooth_step(time, DRAW_IN) - smooth_step(time, STRETCH);
    let legs = model.topology.links.iter().zip(&model.params.joints).skip(1);
    for (i, (link, params)) in legs.enumerate() {
        let wanted = STRETCHED[i % 3] + tucked * (TUCKED[i % 3] - STRETCHED[i % 3]);
        let (q, v) = (state.q[link.joint.q_start], state.v[link.joint.v_start]);
        let torque = KP * (wanted - q) - KD * v;
        tau[link.joint.v_start] = torque.clamp(-params.effort_limit, params.effort_limit);
    }
}

/// From 0 to 1 during an interval of time, smooth at its ends.
fn smooth_step(time: f64, (from, to): (f64, f64)) -> f64 {
    let x = ((time - from) / (to - from)).clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

fn plots(samples: &[Sample], model: &Model<f64>) -> Vec<Plot> {
    let over_time = |f: &dyn Fn(&Sample) -> f64| -> Vec<(f64, f64)> {
        samples.iter().map(|s| (s.time, f(s))).collect()
    };
    let parabola = parabola(samples, model);
    let start = &samples[0];
    let height = Plot::new("Height", "time [s]", "height [m]")
        .line(Series::new("centre of mass", over_time(&|s| s.com.z)))
        .line(Series::new("a front foot", over_time(&|s| s.foot_height)))
        .line(Series::new("parabola", over_time(&|s| parabola(s.time).z)).dashed())
        .follows_time()
        .caption(
            "The feet go their own ways as the body turns and the legs move; the centre of mass \
             stays on the parabola of a stone thrown the same way.",
        );
    let spin = Plot::new("Angular momentum and spin", "time [s]", "[N m s], [rad/s]")
        .line(Series::new("angular momentum [N m s]", over_time(&|s| s.spin.norm())))
        .line(Series::new("spin of the trunk [rad/s]", over_time(&|s| s.trunk_spin)))
        .follows_time()
        .caption(
            "The legs are drawn in between 0.10 and 0.35 s and stretched from 0.70 s on: the spin \
             follows, the angular momentum does not.",
        );
    let change = |axis: usize| over_time(&|s| s.spin[axis] - start.spin[axis]);
    let conserved = Plot::new("Change of the angular momentum", "time [s]", "change [N m s]")
        .line(Series::new("about x", change(0)))
        .line(Series::new("about y", change(1)))
        .line(Series::new("about z", change(2)))
        .follows_time()
        .caption("The same on a scale that shows the error of the integration.");
    let energy = Plot::new("Energy", "time [s]", "energy [J]")
        .line(Series::new("kinetic and potential", over_time(&|s| s.energy - start.energy)))
        .line(Series::new("work of the motors", over_time(&|s| s.work)).dashed())
        .line(Series::new("their difference", over_time(&|s| s.energy - start.energy - s.work)))
        .follows_time()
        .caption(
            "Counted from the start. The motors speed the legs up and draw them in against the pull \
             of the turn, which takes work; slowing and stretching them gives most of it back.",
        );
    vec![height, spin, conserved, energy]
}
