//! A live simulation in a thread of its own: it takes requests, keeps pace with real time, and publishes what pages show.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gradbody_draw::{Scene, add_poses};
use gradbody_dynamics::Kinematics;
use gradbody_math::Vec3;
use gradbody_sim::Totals;
use tokio::sync::watch;

use crate::channels::{self, Known};
use crate::drag;
use crate::files::Files;
use crate::pace::Pace;
use crate::parameters;
use crate::protocol::{Frame, Parameter, Request, Settings};
use crate::shown::{Shown, text};
use crate::stage::{SOLVERS, Stage, Subject};

/// Time between frames [s].
const FRAME: Duration = Duration::from_micros(16_600);
/// Time between looks at the files of the model.
const LOOK: Duration = Duration::from_millis(500);
/// Time that the thread sleeps at most while it plays; shorter than a frame, so that the pace is even.
const NAP: Duration = Duration::from_millis(4);
/// Time that steps may take before requests are looked at.
const TURN: Duration = Duration::from_millis(8);
/// Speeds that a page can ask for.
const SPEEDS: [f64; 2] = [1.0 / 32.0, 8.0];

/// Reads the model; called again when one of its files has changed.
pub type Load = Box<dyn FnMut() -> Result<Loaded, String> + Send>;

/// What was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What to simulate.
    pub subject: Subject,
    /// The files it came from, which are watched.
    pub files: Vec<PathBuf>,
    /// Notes for the page.
    pub notes: Vec<String>,
}

/// How a session begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SessionOptions {
    /// Number of worlds.
    pub worlds: usize,
    /// Whether time goes on at once.
    pub playing: bool,
}

/// A running session. It ends when this and all copies of `requests` are dropped.
#[derive(Debug)]
pub struct Session {
    /// Where pages send their requests.
    pub requests: mpsc::Sender<Request>,
    /// What pages show.
    pub shown: watch::Receiver<Shown>,
    /// Name of the model.
    pub name: String,
    thread: JoinHandle<()>,
}

impl Session {
    /// Reads the model and starts the thread.
    pub fn start(mut load: Load, options: SessionOptions) -> Result<Self, String> {
        let loaded = load()?;
        let name = loaded.subject.model.topology.name.clone();
        let (requests, inbox) = mpsc::channel();
        let (publish, shown) = watch::channel(Shown::default());
        let mut director = Director::new(loaded, load, options, publish);
        director.publish(Instant::now());
        let thread = std::thread::Builder::new().name("session".into());
        let thread = thread.spawn(move || director.run(&inbox));
        let thread = thread.map_err(|e| format!("no thread for the simulation: {e}"))?;
        Ok(Session { requests, shown, name, thread })
    }

    /// Waits until the thread has ended. All copies of `requests` must be dropped before.
    pub fn join(self) {
        let Session { requests, thread, .. } = self;
        drop(requests);
        // A panic of the thread was reported when it happened.
        let _ = thread.join();
    }
}

struct Director {
    stage: Stage,
    load: Load,
    files: Files,
    notes: Vec<String>,
    playing: bool,
    speed: f64,
    pace: Pace,
    error: Option<String>,
    message: Option<String>,
    /// The sliders, until numbers of the model change.
    sliders: Option<Vec<Parameter>>,
    publish: watch::Sender<Shown>,
    settings: Option<Settings>,
    scene_changed: bool,
    settings_changed: bool,
    frame_changed: bool,
    last_frame: Instant,
    kin: Kinematics<f64>,
    poses: Vec<f32>,
    values: Vec<f32>,
}

impl Director {
    fn new(
        loaded: Loaded,
        load: Load,
        options: SessionOptions,
        publish: watch::Sender<Shown>,
    ) -> Self {
        let Loaded { subject, files, notes } = loaded;
        let now = Instant::now();
        let stage = Stage::new(subject, options.worlds);
        Director {
            kin: Kinematics::new(&stage.model),
            stage,
            load,
            files: Files::new(files),
            notes,
            playing: options.playing,
            speed: 1.0,
            pace: Pace::new(now),
            error: None,
            message: None,
            sliders: None,
            publish,
            settings: None,
            scene_changed: true,
            settings_changed: true,
            frame_changed: true,
            last_frame: now,
            poses: Vec::new(),
            values: Vec::new(),
        }
    }

    fn run(mut self, inbox: &Receiver<Request>) {
        let mut looked = Instant::now();
        self.pace.restart(Instant::now(), self.speed);
        loop {
            match inbox.recv_timeout(self.rest()) {
                Ok(request) => self.take(request),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            while let Ok(request) = inbox.try_recv() {
                self.take(request);
            }
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                if self.files.changed() {
                    self.reload();
                }
            }
            if self.playing {
                self.advance();
            }
            let now = Instant::now();
            if now - self.last_frame >= FRAME {
                self.publish(now);
            }
        }
    }

    /// How long to wait for a request.
    fn rest(&mut self) -> Duration {
        let now = Instant::now();
        let dt = self.stage.options.dt;
        let to_frame = (self.last_frame + FRAME).saturating_duration_since(now);
        let idle = !self.frame_changed && !self.settings_changed && !self.scene_changed;
        match self.playing {
            true if self.pace.due(now, dt) >= dt => Duration::ZERO,
            true => NAP.min(to_frame),
            false if idle => LOOK,
            false => to_frame,
        }
    }

    /// Takes the steps that are due, for as long as a turn lasts.
    fn advance(&mut self) {
        let begin = Instant::now();
        let dt = self.stage.options.dt;
        while self.pace.due(Instant::now(), dt) >= dt {
            self.frame_changed = true;
            if let Err(error) = self.stage.step() {
                self.fail(error);
                return;
            }
            self.pace.stepped(dt);
            if begin.elapsed() > TURN {
                return;
            }
        }
    }

    /// Pauses, and says why.
    fn fail(&mut self, error: String) {
        self.pause();
        self.error = Some(error);
    }

    fn pause(&mut self) {
        self.playing = false;
        self.stage.keep();
        self.settings_changed = true;
        self.frame_changed = true;
    }

    fn take(&mut self, request: Request) {
        let quiet = matches!(request, Request::Drag(_)) && self.message.is_none();
        self.message = None;
        let error_before = self.error.clone();
        match self.perform(request) {
            Ok(()) => self.error = None,
            Err(error) => self.error = Some(error),
        }
        self.frame_changed = true;
        self.settings_changed |= !quiet || self.error != error_before;
    }

    fn perform(&mut self, request: Request) -> Result<(), String> {
        let stage = &mut self.stage;
        match request {
            Request::Play(true) => {
                if !self.playing {
                    self.playing = true;
                    self.pace.restart(Instant::now(), self.speed);
                }
                Ok(())
            }
            Request::Play(false) => {
                self.pause();
                Ok(())
            }
            Request::Step(n) => {
                self.pause();
                self.step(n)
            }
            Request::Speed(speed) => {
                let [least, most] = SPEEDS;
                if !(least..=most).contains(&speed) {
                    return Err(format!("a speed of {speed} is not between 1/32 and 8"));
                }
                self.speed = speed;
                self.pace.restart(Instant::now(), speed);
                Ok(())
            }
            Request::Seek(time) => {
                self.pause();
                self.stage.seek(time);
                Ok(())
            }
            Request::Reset(keyframe) => stage.reset(keyframe.as_deref()),
            Request::Follow(world) => stage.follow(world),
            Request::Drag(drag) => stage.hold(drag),
            Request::Release(_) => {
                stage.release();
                Ok(())
            }
            Request::Joint { q, value } => stage.set_joint(q, value),
            Request::Actuator { index, value } => stage.set_control(index, value),
            Request::Parameter { name, value } => {
                stage.set_parameter(&name, value)?;
                self.sliders = None;
                self.scene_changed |= is_drawn(&name);
                Ok(())
            }
            Request::Gravity(gravity) => {
                stage.model.params.gravity = Vec3::from_f64(gravity);
                Ok(())
            }
            Request::Solver(name) => {
                self.sliders = None;
                stage.set_solver(&name)
            }
            Request::TimeStep(dt) => stage.set_time_step(dt),
            Request::Taken(_) | Request::Channels(_) => Ok(()),
            Request::Unknown(why) => Err(format!("this request is not understood: {why}")),
        }
    }

    fn step(&mut self, n: i32) -> Result<(), String> {
        if n < 0 {
            self.stage.back(n.unsigned_abs() as usize);
            return Ok(());
        }
        for _ in 0..n.min(MOST_STEPS) {
            self.stage.step()?;
        }
        self.stage.keep();
        Ok(())
    }

    fn reload(&mut self) {
        match (self.load)() {
            Ok(Loaded { subject, files, notes }) => {
                let kept = self.stage.replace(subject);
                self.files = Files::new(files);
                self.notes = notes;
                self.sliders = None;
                self.kin = Kinematics::new(&self.stage.model);
                self.error = None;
                self.message = Some(match kept {
                    true => "the model file changed and was read again".into(),
                    false => "the model file changed: other joints, so it starts anew".into(),
                });
            }
            Err(error) => {
                self.error = Some(format!("the changed model cannot be read: {error}"));
            }
        }
        self.scene_changed = true;
        self.settings_changed = true;
        self.frame_changed = true;
        self.pace.restart(Instant::now(), self.speed);
    }

    fn publish(&mut self, now: Instant) {
        self.last_frame = now;
        let scene = std::mem::take(&mut self.scene_changed).then(|| {
            let mut scene = Scene::of(&self.stage.model);
            scene.notes.splice(0..0, self.notes.iter().cloned());
            text("scene", &scene)
        });
        let settings = std::mem::take(&mut self.settings_changed).then(|| self.settings());
        let settings = settings.filter(|new| self.settings.as_ref() != Some(new));
        let settings = settings.map(|new| {
            let message = text("settings", &new);
            self.settings = Some(new);
            message
        });
        let frame = std::mem::take(&mut self.frame_changed).then(|| self.frame(now));
        if scene.is_none() && settings.is_none() && frame.is_none() {
            return;
        }
        self.publish.send_modify(|shown| {
            if let Some(new) = scene {
                shown.scene = (shown.scene.0 + 1, new);
            }
            if let Some(new) = settings {
                shown.settings = (shown.settings.0 + 1, new);
            }
            if let Some(new) = frame {
                shown.frame = (shown.frame.0 + 1, new.into());
            }
        });
    }

    fn settings(&mut self) -> Settings {
        let Director { stage, playing, speed, sliders, .. } = self;
        let stage = &*stage;
        let Stage { model, options, worlds, followed, .. } = stage;
        let channels = channels::channels(&model.topology);
        Settings {
            playing: *playing,
            speed: *speed,
            time_step: options.dt,
            solver: stage.solver().into(),
            solvers: SOLVERS.map(String::from).to_vec(),
            gravity: model.params.gravity.to_array(),
            worlds: worlds.len(),
            followed: *followed,
            shown: (0..channels.len()).collect(),
            channels,
            parameters: sliders
                .get_or_insert_with(|| parameters::sliders(model, &options.contact.solver))
                .clone(),
            q_names: model.topology.position_names(),
            drag_limit: drag::largest_limit(model),
            error: self.error.clone(),
            message: self.message.clone(),
        }
    }

    fn frame(&mut self, now: Instant) -> Vec<u8> {
        let Director { stage, kin, poses, values, .. } = self;
        if !self.playing && stage.drag.is_some() {
            stage.pull();
        }
        let Stage { model, worlds, followed, accounts, contacts, .. } = &*stage;
        poses.clear();
        let mut energy = None;
        for (k, world) in worlds.iter().enumerate() {
            let totals = Totals::at(model, &world.state, kin);
            if k == *followed {
                energy = Some(totals.energy);
            }
            add_poses(kin, poses);
        }
        let drag = stage.drag_numbers();
        let world = &worlds[*followed];
        let Some(energy) = energy else { return Vec::new() };
        let known = Known {
            state: &world.state,
            energy,
            account: &accounts[*followed],
            contacts: contacts.len(),
            drag: &drag,
            input: &world.input,
            model,
        };
        channels::values(&known, values);
        let [first, last] = stage.history.span();
        let factor = if self.playing { self.pace.factor(now) } else { 0.0 };
        let frame = Frame {
            worlds: worlds.len(),
            bodies: model.n_links() + 1,
            newest: stage.is_newest(),
            paused: !self.playing,
            time: stage.time(),
            factor,
            energy: energy.total(),
            history: [first, last.max(stage.time())],
            poses,
            contacts,
            channels: values,
            q: &world.state.q,
            u: &world.input.control,
            drag,
        };
        frame.encode()
    }
}

/// Whether a number of the model changes how it is drawn.
fn is_drawn(path: &str) -> bool {
    let parts = ["/placement/", "/size/", "/axis", "/com/", "/inertia/", "/limit_", "/control/"];
    parts.iter().any(|part| path.contains(part))
}

/// Steps that one request can take.
const MOST_STEPS: i32 = 1000;
