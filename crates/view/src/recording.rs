//! A motion with everything that is drawn, and its bytes.
//!
//! A recording in a page is base64 of zlib of these bytes: u32 (little endian) the length of the header, the header
//! (JSON), zeros up to a multiple of 4, then the arrays. The header:
//!
//! ```text
//!   { "title", "caption", "scene": Scene, "worlds": 1, "speed": 1,
//!     "layers":   [{ "name", "ghost": bool, "colour": [r, g, b, a] | null }],
//!     "channels": [{ "name", "unit", "layer": name | null }],
//!     "plots":    [[name of a channel, …], …]        which are open at first
//!     "marks":    [{ "t", "text" }],
//!     "arrows":   [{ "name", "unit", "layer": name, "text" }],
//!     "trails":   [{ "layer": name, "body", "point": [x, y, z], "seconds" }],
//!     "effects":  [{ "name", "network", "unit", "kind": "along" | "about" | "mark" }],
//!     "changes":  [{ "name", "network", "unit", "site": index of an effect | null }],
//!     "arrays":   { NAME: { "offset", "type", "shape" } } }
//! ```
//!
//! A page with several recordings of one scene has the scene apart, as base64 of zlib of its JSON, and recordings without.
//! The first layer is no ghost; contacts and effects are its. Offsets count bytes from the first byte of the arrays. All
//! numbers are little endian, f32 or u32:
//!
//! | name | type | shape | |
//! |---|---|---|---|
//! | `t` | f32 | [n] | times [s] |
//! | `poses/LAYER` | f32 | [n, 1, bodies, 7] | position [m], quaternion (w, x, y, z), rounded to multiples of 2⁻²⁰; all zero where not known |
//! | `contact_counts` | u32 | [n] | number of contacts at each time |
//! | `contacts` | f32 | [all contacts, 8] | as in a frame: see [`protocol`](crate::protocol) |
//! | `channels` | f32 | [n, channels] | NaN where not known |
//! | `arrows/NAME` | f32 | [n, bodies, 3] | at the centres of mass of bodies, in the world |
//! | `effect_counts` | u32 | [n] | number of effects of networks at each time |
//! | `effects` | f32 | [all effects, 8] | index of the effect, body, point in the body [m], vector in its axes |
//! | `changes` | f32 | [n, changes, 2] | a quantity before a network changed it, and the change |

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use gradbody_draw::{EffectSite, EffectTrack, Effects, Scene};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::protocol::{Channel, ContactNumbers};

/// A motion that can be played.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Its title.
    pub title: String,
    /// What should be known of it, in a sentence or two.
    pub caption: String,
    /// What is drawn.
    pub scene: Scene,
    /// Times, growing [s].
    pub times: Vec<f64>,
    /// Motions of the same scene, drawn together. The first one is no ghost, and contacts are its.
    pub layers: Vec<Layer>,
    /// The contacts at each time; empty if they are not known at any time.
    pub contacts: Vec<Vec<ContactNumbers>>,
    /// Numbers for plots.
    pub tracks: Vec<Track>,
    /// Times worth to be found again.
    pub marks: Vec<Mark>,
    /// Vectors at bodies.
    pub arrows: Vec<Arrows>,
    /// The plots that are open at first, as names of channels.
    pub plots: Vec<Vec<String>>,
    /// Paths that points leave behind.
    pub trails: Vec<Trail>,
    /// Where networks act on the first layer.
    pub effects: Option<Effects>,
    /// Playing speed to begin with; None is real time.
    pub speed: Option<f64>,
}

/// The recent path of a point of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trail {
    /// The layer.
    pub layer: usize,
    /// The body.
    pub body: usize,
    /// The point in the body [m].
    pub point: [f64; 3],
    /// How long it stays [s].
    pub seconds: f64,
}

/// A motion among several.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    /// Its name.
    pub name: String,
    /// Whether it is drawn transparent.
    pub ghost: bool,
    /// The colour of all of it; None for the scene's own colours.
    pub colour: Option<[f32; 4]>,
    /// Poses, (times, bodies, 7). All seven numbers are zero where a pose is not known.
    pub poses: Vec<f32>,
}

/// A number over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Its name and unit.
    pub channel: Channel,
    /// The layer that it belongs to.
    pub layer: Option<usize>,
    /// A value for each time; NaN where it is not known.
    pub values: Vec<f32>,
}

/// A time with a text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mark {
    /// When [s].
    pub t: f64,
    /// What is there.
    pub text: String,
}

/// A vector at the centre of mass of each body over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrows {
    /// Its name.
    pub name: String,
    /// The unit of its length.
    pub unit: String,
    /// The layer whose bodies carry it.
    pub layer: usize,
    /// What it means, in a sentence.
    pub text: String,
    /// The vectors in the world, (times, bodies, 3).
    pub vectors: Vec<f32>,
}

impl Layer {
    /// A ghost of what was measured, in the colour that reports give it.
    pub fn measured(poses: Vec<f32>) -> Self {
        let colour = Some([0.847, 0.333, 0.106, 1.0]);
        Layer { name: "measured".into(), ghost: true, colour, poses }
    }

    /// A ghost of what was before a fit or a search, in the colour that reports give it.
    pub fn before(poses: Vec<f32>) -> Self {
        let colour = Some([0.357, 0.4, 0.459, 1.0]);
        Layer { name: "before".into(), ghost: true, colour, poses }
    }
}

impl Recording {
    /// The bytes of the recording, compressed.
    pub fn encode(&self) -> Vec<u8> {
        self.encoded(Some(&self.scene))
    }

    fn encoded(&self, scene: Option<&Scene>) -> Vec<u8> {
        let mut arrays = Arrays::default();
        let (n, bodies) = (self.times.len(), self.scene.bodies.len());
        arrays.floats("t", &[n], self.times.iter().map(|t| *t as f32));
        for layer in &self.layers {
            let poses = layer.poses.iter().map(|x| (x * FINE).round() / FINE);
            arrays.floats(&format!("poses/{}", layer.name), &[n, 1, bodies, 7], poses);
        }
        if !self.contacts.is_empty() {
            let counts = self.contacts.iter().map(|contacts| contacts.len() as u32);
            let total = counts.clone().sum::<u32>() as usize;
            arrays.add("contact_counts", "u32", &[n], counts.flat_map(u32::to_le_bytes));
            arrays.floats(
                "contacts",
                &[total, 8],
                self.contacts.iter().flatten().flatten().copied(),
            );
        }
        let row = |k: usize| self.tracks.iter().map(move |track| track.values[k]);
        arrays.floats("channels", &[n, self.tracks.len()], (0..n).flat_map(row));
        for arrow in &self.arrows {
            let vectors = arrow.vectors.iter().copied();
            arrays.floats(&format!("arrows/{}", arrow.name), &[n, bodies, 3], vectors);
        }
        if let Some(effects) = &self.effects {
            add_effects(&mut arrays, n, effects);
        }
        let header = self.header(scene, arrays.list).to_string();
        let mut bytes = (header.len() as u32).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes.extend(arrays.bytes);
        compressed(&bytes)
    }

    /// The text that a page holds.
    pub fn text(&self) -> String {
        STANDARD.encode(self.encode())
    }

    /// The text without the scene, for a page that has it once for several recordings.
    pub fn text_without_scene(&self) -> String {
        STANDARD.encode(self.encoded(None))
    }

    /// The text of the scene alone.
    pub fn scene_text(&self) -> String {
        STANDARD.encode(compressed(json!(self.scene).to_string().as_bytes()))
    }

    fn header(&self, scene: Option<&Scene>, arrays: Map<String, Value>) -> Value {
        let name = |layer: usize| self.layers.get(layer).map(|layer| layer.name.as_str());
        let layer = |l: &Layer| json!({ "name": l.name, "ghost": l.ghost, "colour": l.colour });
        let channel = |t: &Track| {
            let layer = t.layer.and_then(name);
            json!({ "name": t.channel.name, "unit": t.channel.unit, "layer": layer })
        };
        let arrow = |a: &Arrows| json!({ "name": a.name, "unit": a.unit, "layer": name(a.layer), "text": a.text });
        let trail = |t: &Trail| json!({ "layer": name(t.layer), "body": t.body, "point": t.point, "seconds": t.seconds });
        let change = |t: &EffectTrack| json!({ "name": t.name, "network": t.network, "unit": t.unit, "site": t.site });
        let sites: &[EffectSite] = self.effects.as_ref().map_or(&[], |effects| &effects.sites);
        let changes: &[EffectTrack] = self.effects.as_ref().map_or(&[], |effects| &effects.tracks);
        json!({
            "title": self.title,
            "caption": self.caption,
            "scene": scene,
            "worlds": 1,
            "speed": self.speed.unwrap_or(1.0),
            "layers": self.layers.iter().map(layer).collect::<Vec<_>>(),
            "channels": self.tracks.iter().map(channel).collect::<Vec<_>>(),
            "plots": self.plots,
            "marks": self.marks,
            "arrows": self.arrows.iter().map(arrow).collect::<Vec<_>>(),
            "trails": self.trails.iter().map(trail).collect::<Vec<_>>(),
            "effects": sites,
            "changes": changes.iter().map(change).collect::<Vec<_>>(),
            "arrays": arrays,
        })
    }
}

/// Poses are rounded to multiples of one over this: half a micrometre, and they take two thirds of the room.
const FINE: f32 = (1 << 20) as f32;

/// Adds the effects at `n` times; there are none where the motion has diverged.
fn add_effects(arrays: &mut Arrays, n: usize, Effects { moments, tracks, .. }: &Effects) {
    let at = |k: usize| moments.get(k).map_or(&[][..], Vec::as_slice);
    let counts = (0..n).map(|k| at(k).len() as u32);
    let total = counts.clone().sum::<u32>() as usize;
    arrays.add("effect_counts", "u32", &[n], counts.flat_map(u32::to_le_bytes));
    let effects = (0..n).flat_map(at).flat_map(|effect| {
        let ([x, y, z], [a, b, c]) = (effect.point, effect.vector);
        [effect.site as f32, effect.body as f32, x, y, z, a, b, c]
    });
    arrays.floats("effects", &[total, 8], effects);
    let value = |of: &[f32], k: usize| of.get(k).copied().unwrap_or(f32::NAN);
    let row = |k: usize| {
        tracks.iter().flat_map(move |track| [value(&track.before, k), value(&track.change, k)])
    };
    arrays.floats("changes", &[n, tracks.len(), 2], (0..n).flat_map(row));
}

/// Arrays one after another, and where they are.
#[derive(Default)]
struct Arrays {
    list: Map<String, Value>,
    bytes: Vec<u8>,
}

impl Arrays {
    fn floats(&mut self, name: &str, shape: &[usize], values: impl Iterator<Item = f32>) {
        self.add(name, "f32", shape, values.flat_map(f32::to_le_bytes));
    }

    fn add(&mut self, name: &str, kind: &str, shape: &[usize], bytes: impl Iterator<Item = u8>) {
        let about = json!({ "offset": self.bytes.len(), "type": kind, "shape": shape });
        self.bytes.extend(bytes);
        self.list.insert(name.to_owned(), about);
    }
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}
