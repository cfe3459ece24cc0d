//! Recordings of motions: simulated now, or made of states that are known.

pub use gradbody_draw::poses;
use gradbody_draw::{Scene, add_poses};
use gradbody_dynamics::Kinematics;
use gradbody_math::text::number;
use gradbody_model::Model;
use gradbody_sim::{Input, State, StepOptions, Taps, Totals};

use crate::channels::{self, Known};
use crate::contacts;
use crate::history::Account;
use crate::protocol::ContactNumbers;
use crate::recording::{Layer, Recording, Track};
use crate::stage::Subject;
use crate::world::World;

/// Moments that a simulated recording keeps of a second.
const A_SECOND: f64 = 60.0;
/// A difference that rounding of times makes [steps].
const ROUNDING: f64 = 1e-6;

/// A state that is known, and what acted on it.
#[derive(Clone, Debug)]
pub struct KnownMoment {
    /// The state, with its time.
    pub state: State<f64>,
    /// What acts from then on.
    pub input: Input<f64>,
}

/// Writes a recording of one motion, moment by moment.
struct Writer<'m> {
    model: &'m Model<f64>,
    kin: Kinematics<f64>,
    recording: Recording,
    values: Vec<f32>,
    poses: Vec<f32>,
}

impl<'m> Writer<'m> {
    fn new(model: &'m Model<f64>) -> Self {
        let track = |channel| Track { channel, layer: Some(0), values: Vec::new() };
        let recording = Recording {
            title: model.topology.name.clone(),
            scene: Scene::of(model),
            tracks: channels::channels(&model.topology).into_iter().map(track).collect(),
            ..Recording::default()
        };
        let kin = Kinematics::new(model);
        Writer { model, kin, recording, values: Vec::new(), poses: Vec::new() }
    }

    fn add(
        &mut self,
        state: &State<f64>,
        input: &Input<f64>,
        account: &Account,
        contacts: Vec<ContactNumbers>,
    ) {
        let Writer { model, kin, recording, values, poses } = self;
        let energy = Totals::at(model, state, kin).energy;
        add_poses(kin, poses);
        let (drag, points) = ([0.0; 8], contacts.len());
        let known = Known { model, state, energy, account, contacts: points, drag: &drag, input };
        channels::values(&known, values);
        for (track, value) in recording.tracks.iter_mut().zip(&*values) {
            track.values.push(*value);
        }
        recording.times.push(state.time);
        recording.contacts.push(contacts);
    }

    fn finish(self, name: &str) -> Recording {
        let Writer { mut recording, poses, .. } = self;
        // A pull by the mouse is never recorded.
        recording
            .tracks
            .retain(|t| !matches!(t.channel.name.as_str(), "energy/pull" | "pull/force"));
        recording.layers.push(Layer { name: name.into(), poses, ..Layer::default() });
        recording
    }
}

/// Simulates for some seconds. `tell` is called after each step with the number of steps so far, and says whether to go
/// on. If the motion diverges, the recording ends there, and a mark and the caption say so.
pub fn simulated(subject: &Subject, seconds: f64, mut tell: impl FnMut(u64) -> bool) -> Recording {
    let Subject { model, start, control, tau, options } = subject;
    let mut world = World::new(model, start.clone(), control, tau);
    let mut writer = Writer::new(model);
    let mut account = Account::default();
    let mut found = Vec::new();
    writer.add(&world.state, &world.input, &account, Vec::new());
    let steps = (seconds / options.dt - ROUNDING).ceil().max(1.0) as u64;
    let mut end = None;
    for k in 1..=steps {
        if let Err(link) = world.step(model, options) {
            let name = &model.topology.links[link.index()].name;
            end = Some(format!("The motion of link \"{name}\" is not finite after step {k}."));
            break;
        }
        // A product, so that rounding does not accumulate.
        world.state.time = start.time + k as f64 * options.dt;
        let before = (k - 1) as f64 * options.dt * A_SECOND + ROUNDING;
        let now = k as f64 * options.dt * A_SECOND + ROUNDING;
        account.contact_work += world.trace.problem().energy();
        if now.floor() > before.floor() || k == steps {
            account.contact_force = contacts::from_the_fixed(&world.trace).to_array();
            account.residual = world.report.solved.residual;
            account.sweeps = world.report.solved.sweeps;
            contacts::numbers(&world.trace, 0, &mut found);
            writer.add(&world.state, &world.input, &account, found.clone());
        }
        if !tell(k) {
            break;
        }
    }
    let mut recording = writer.finish("simulated");
    let solver = crate::stage::solver_name(&options.contact.solver);
    recording.caption = format!(
        "Simulated in steps of {} s with the contact solver {solver}.{}",
        number(options.dt),
        end.map_or(String::new(), |end| format!(" {end}"))
    );
    recording
}

/// States that are known. Where it is said how to `step`, contacts are those of one step from each state; the caption says
/// so.
pub fn known(
    model: &Model<f64>,
    moments: &[KnownMoment],
    mut step: Option<(&StepOptions<f64>, &mut dyn Taps<f64>)>,
    name: &str,
) -> Recording {
    let mut writer = Writer::new(model);
    let start = State::neutral(model);
    let mut world = World::new(model, start, &Input::none(model).control, &vec![0.0; model.nv()]);
    let mut found = Vec::new();
    for KnownMoment { state, input } in moments {
        let mut account = Account::default();
        found.clear();
        if let Some((options, taps)) = &mut step {
            world.go_to(state);
            world.state.contact.clear();
            world.input.copy_from(input);
            if world.step_with(model, options, &mut **taps).is_ok() {
                account.contact_force = contacts::from_the_fixed(&world.trace).to_array();
                account.residual = world.report.solved.residual;
                account.sweeps = world.report.solved.sweeps;
                contacts::numbers(&world.trace, 0, &mut found);
            }
        }
        writer.add(state, input, &account, found.clone());
    }
    let mut recording = writer.finish(name);
    recording.tracks.retain(|t| t.channel.name != "energy/contact");
    match step {
        Some((options, _)) => {
            recording.caption = format!(
                "Contacts and their forces are those of one simulated step of {} s from each recorded state.",
                number(options.dt)
            );
        }
        None => {
            recording.contacts.clear();
            let told = |t: &Track| {
                !t.channel.name.starts_with("contact/") && !t.channel.name.starts_with("solver/")
            };
            recording.tracks.retain(told);
        }
    }
    recording
}

/// Configurations at some times, of which nothing else is known. Of several motions, given by name, the first one is drawn as it
/// is, and the others as ghosts.
pub fn configurations(
    model: &Model<f64>,
    times: Vec<f64>,
    motions: &[(&str, Vec<Vec<f64>>)],
) -> Recording {
    let layer = |(k, (name, motion)): (usize, &(&str, Vec<Vec<f64>>))| Layer {
        name: (*name).to_owned(),
        ghost: k > 0,
        colour: None,
        poses: poses(model, motion.iter().map(Vec::as_slice)),
    };
    Recording {
        title: model.topology.name.clone(),
        scene: Scene::of(model),
        times,
        layers: motions.iter().enumerate().map(layer).collect(),
        ..Recording::default()
    }
}

/// Indices of at most `most` of `count` moments, evenly chosen, with the first and the last.
pub fn evenly(count: usize, most: usize) -> Vec<usize> {
    if count <= most || most < 2 {
        return (0..count).collect();
    }
    (0..most).map(|k| k * (count - 1) / (most - 1)).collect()
}
