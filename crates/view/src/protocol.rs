//! What the page and the session say to each other.
//!
//! **From the session to the page.** Text messages are objects with one key: `{"scene": …}` (see [`Scene`](gradbody_draw::Scene))
//! when a page connects and after the model was read anew, `{"settings": …}` ([`Settings`]) when a page connects and
//! whenever one changes, and `{"refused": "why"}` just before a connection is closed because of a message. A page gets
//! the scene first, then the settings, then frames.
//!
//! Binary messages are frames ([`Frame`]), numbers in little endian:
//!
//! ```text
//!   u32 0x47425631 ("GBV1"), u32 n_worlds, u32 n_bodies (the world is body 0), u32 n_contacts, u32 n_channels,
//!   u32 flags (1: the newest moment, 2: paused), u32 n_q, u32 n_u
//!   f64 time [s], f64 true real-time factor, f64 energy [J] of the followed world,
//!   f64 first time of the history [s], f64 last time of the history [s]
//!   f32 poses    [n_worlds][n_bodies][7]   position [m] and quaternion (w, x, y, z), each world at its own origin
//!   f32 contacts [n_contacts][8]           point [m], force [N], state (0 touches, 1 sticks, 2 slides), world
//!   f32 channels [n_channels]              in the order of `settings.channels`, of the followed world; NaN if unknown
//!   f32 q        [n_q]                     positions of the followed world
//!   f32 u        [n_u]                     controls of its actuators
//!   f32 drag     [8]                       state (0 none, 1 pulls, 2 pulls as hard as it may), body,
//!                                          the held point [m], force [N]; all in the world
//! ```
//!
//! The header has 72 bytes, so all arrays of f32 are aligned. The force of a contact is the solver's own, impulse
//! divided by time step, as it acts on the body that moves (of two moving bodies on the one whose shape has the higher
//! number); only contacts of the followed world are sent. Every frame has all channels, so a page can plot the past of
//! any of them.
//!
//! **From the page to the session.** Text messages are [`Request`]s, objects with one key. A page answers every frame
//! with `{"taken": 1}` once it has drawn it. The session sends at most 60 frames a second, and leaves frames out
//! while two are not taken; the simulation never waits. An unknown request, or one that cannot be done, is answered by
//! `settings.error`, which the next request that succeeds clears. A message of more than 1 MB, or one that is not JSON,
//! closes the connection.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

/// The first four bytes of a frame, as a number.
pub const MAGIC: u32 = 0x4742_5631;

/// Bytes before the arrays of a frame.
const HEADER: usize = 72;

/// The longest message that a page may send [bytes].
pub const LONGEST_MESSAGE: usize = 1 << 20;

/// How many frames may be on their way to a page.
pub const FRAMES_ON_THE_WAY: usize = 2;

/// A request of a page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Go on, or pause. Going on from an earlier moment forgets what came after it.
    Play(bool),
    /// Pause, and take this many steps from the moment shown; negative: show that many kept moments earlier.
    Step(i32),
    /// How many seconds are simulated in one second, 1/32 to 8.
    Speed(f64),
    /// Pause, and show the kept moment nearest to this time [s].
    Seek(f64),
    /// Go to the start (null) or to a keyframe, with time 0 and an empty history.
    Reset(Option<String>),
    /// Follow this world.
    Follow(usize),
    /// Pull a body of the followed world; repeated while the mouse moves.
    Drag(Drag),
    /// Let go.
    Release(bool),
    /// Set a number of the configuration of the followed world. The joint's velocity becomes zero.
    Joint {
        /// Index among the positions.
        q: usize,
        /// The new value [rad or m].
        value: f64,
    },
    /// Set the control of an actuator in all worlds, until it is changed again.
    Actuator {
        /// Index of the actuator.
        index: usize,
        /// The control.
        value: f64,
    },
    /// Set a number of the model, by its path.
    Parameter {
        /// The path, as `link/trunk/mass`.
        name: String,
        /// The new value.
        value: f64,
    },
    /// Acceleration of free fall [m/s²].
    Gravity([f64; 3]),
    /// The solver of contacts, one of `settings.solvers`.
    Solver(String),
    /// Time step [s].
    TimeStep(f64),
    /// A frame was drawn.
    Taken(IgnoredAny),
    /// Which channels a page wants; it gets all.
    Channels(IgnoredAny),
    /// A request that does not exist; never sent by a page.
    #[serde(skip)]
    Unknown(String),
}

/// Where a body is pulled to.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Drag {
    /// The body, counted as in the scene (0 is the world, which cannot be pulled).
    pub body: usize,
    /// The point that is held, in the body [m].
    pub point: [f64; 3],
    /// Where to, in the world [m].
    pub target: [f64; 3],
}

/// Everything that a page shows besides the motion.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Settings {
    /// Whether time goes on.
    pub playing: bool,
    /// Wanted seconds of simulation a second.
    pub speed: f64,
    /// Time step [s].
    pub time_step: f64,
    /// The solver of contacts.
    pub solver: String,
    /// All solvers.
    pub solvers: Vec<String>,
    /// Acceleration of free fall [m/s²].
    pub gravity: [f64; 3],
    /// Number of worlds.
    pub worlds: usize,
    /// The world that is followed.
    pub followed: usize,
    /// The channels of a frame, in order.
    pub channels: Vec<Channel>,
    /// The indices of the channels that a frame has: all.
    pub shown: Vec<usize>,
    /// Numbers of the model that have a slider; others can be set by their path.
    pub parameters: Vec<Parameter>,
    /// Names of the positions.
    pub q_names: Vec<String>,
    /// The largest force with which the mouse can pull [N].
    pub drag_limit: f64,
    /// What went wrong; shown until it is null.
    pub error: Option<String>,
    /// News that is no error, such as a model that was read anew.
    pub message: Option<String>,
}

/// A number that is known at every moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Channel {
    /// As `q:hip_1`, `energy/total`, `contact/force/z`.
    pub name: String,
    /// Its unit; empty if it has none.
    pub unit: String,
}

/// A number of the model, with a slider.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// Its path.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Its unit; empty if it has none.
    pub unit: String,
    /// Lower end of the slider.
    pub lowest: f64,
    /// Upper end of the slider.
    pub highest: f64,
}

/// A point of contact, as in a frame: point, force, state, world.
pub type ContactNumbers = [f32; 8];

/// The mouse's pull, as in a frame: state, body, held point, force.
pub type DragNumbers = [f32; 8];

/// What a frame holds.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Number of worlds.
    pub worlds: usize,
    /// Number of bodies, with the world.
    pub bodies: usize,
    /// Whether this is the newest moment.
    pub newest: bool,
    /// Whether time stands.
    pub paused: bool,
    /// Time [s].
    pub time: f64,
    /// Seconds that were simulated a second, lately.
    pub factor: f64,
    /// Energy of the followed world [J].
    pub energy: f64,
    /// First and last time that can be shown [s].
    pub history: [f64; 2],
    /// Poses, (worlds × bodies × 7).
    pub poses: &'a [f32],
    /// Contacts.
    pub contacts: &'a [ContactNumbers],
    /// Channels.
    pub channels: &'a [f32],
    /// Positions of the followed world.
    pub q: &'a [f64],
    /// Controls of its actuators.
    pub u: &'a [f64],
    /// The pull.
    pub drag: DragNumbers,
}

impl Frame<'_> {
    /// The bytes of the message.
    pub fn encode(&self) -> Vec<u8> {
        debug_assert_eq!(self.poses.len(), self.worlds * self.bodies * 7);
        let Frame { poses, contacts, channels, q, u, drag, .. } = self;
        let floats =
            poses.len() + 8 * contacts.len() + channels.len() + q.len() + u.len() + drag.len();
        let mut bytes = Vec::with_capacity(HEADER + 4 * floats);
        let flags = u32::from(self.newest) | u32::from(self.paused) << 1;
        let counts = [self.worlds, self.bodies, contacts.len(), channels.len()];
        bytes.extend(MAGIC.to_le_bytes());
        bytes.extend(counts.iter().flat_map(|n| (*n as u32).to_le_bytes()));
        let more = [flags, q.len() as u32, u.len() as u32];
        bytes.extend(more.iter().flat_map(|n| n.to_le_bytes()));
        let [first, last] = self.history;
        let numbers = [self.time, self.factor, self.energy, first, last];
        bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
        let floats = poses.iter().chain(contacts.iter().flatten()).chain(*channels).copied();
        let joints = q.iter().chain(*u).map(|x| *x as f32);
        let all = floats.chain(joints).chain(drag.iter().copied());
        bytes.extend(all.flat_map(f32::to_le_bytes));
        bytes
    }
}
