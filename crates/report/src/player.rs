//! Moving figures: layers of points, lines, discs and bodies that a small script plays on a canvas.
//!
//! Everything that moves on a page is a [`Player`], and `player.js` plays it: an [`Animation`](crate::Animation)
//! with one layer, the motions of a fit with a layer for each of measured, before and after.

use gradbody_draw::{DrawnShape, Round};
use maud::{Markup, PreEscaped, Render, html};
use serde_json::{Value, json};

/// The script, once for each page that has players.
pub(crate) const SCRIPT: &str = include_str!("player.js");

/// A motion to play, and its view.
pub(crate) struct Player<'a> {
    /// What it shows, for screen readers.
    pub(crate) title: String,
    /// What is written under it.
    pub(crate) caption: &'a str,
    /// The time of each frame [s].
    pub(crate) times: Vec<f64>,
    /// Playing speed to begin with; 1 is real time.
    pub(crate) speed: f64,
    /// The box that is drawn: from and to along x, y and z [m].
    pub(crate) bounds: [[f64; 2]; 3],
    /// How far the picture reaches to the right and up from its middle [m]; none: as far as the bounds in the view.
    pub(crate) reach: Option<[f64; 2]>,
    /// How far the view is turned about the vertical to begin with, and how far it looks down [rad].
    pub(crate) view: (f64, f64),
    /// Whether the reader can turn the view.
    pub(crate) turns: bool,
    /// Height of a level ground, drawn as a grid [m].
    pub(crate) ground: Option<f64>,
    /// Shapes that the bodies of every layer have, each given once.
    pub(crate) shapes: Vec<&'a DrawnShape>,
    /// From the back to the front.
    pub(crate) layers: Vec<Layer<'a>>,
}

/// Points that move, and what is drawn between them.
pub(crate) struct Layer<'a> {
    /// Its name, and the class of its key in the legend, where it can be hidden; empty for a layer that cannot.
    pub(crate) name: &'static str,
    /// Positions of all points in the world at each time [m].
    pub(crate) frames: Vec<&'a [[f64; 3]]>,
    /// Points that leave a path: which, its colour, and how long it stays [s].
    pub(crate) trails: Vec<(usize, String, f64)>,
    /// Lines through points.
    pub(crate) strokes: Vec<(Vec<Vec<usize>>, Look)>,
    /// Discs at points.
    pub(crate) dots: Vec<(Vec<usize>, Look)>,
    /// Poses of all bodies at each time: position [m] and quaternion (w, x, y, z).
    pub(crate) poses: Vec<&'a [Option<[f64; 7]>]>,
    /// How the outlines of shapes look.
    pub(crate) outline: Look,
}

/// How lines or discs look.
#[derive(Default)]
pub(crate) struct Look {
    /// A variable of the style sheet, such as `--c0`.
    pub(crate) colour: String,
    /// From 0, not seen, to 1.
    pub(crate) alpha: f64,
    /// Width of a line or radius of a disc [m].
    pub(crate) size: f64,
    /// Smallest size on the screen [pixels].
    pub(crate) least: f64,
    /// Lengths of dashes and gaps [pixels]; none for a line without gaps.
    pub(crate) dash: Vec<f64>,
}

impl Render for Player<'_> {
    fn render(&self) -> Markup {
        // Inside a script element only "<" could end it.
        let data = self.data().to_string().replace('<', "\\u003c");
        html! {
            figure.animation {
                (self.legend())
                canvas role="img" aria-label=(self.title) {}
                div.player {
                    button.play type="button" aria-label="play or pause" { "▶" }
                    input type="range" min="0" max="1" step="any" value="0" aria-label="time";
                    output {}
                    button.speed type="button" aria-label="playing speed" { (self.speed) "×" }
                }
                figcaption { (self.caption) }
                script type="application/json" { (PreEscaped(data)) }
            }
        }
    }
}

impl Player<'_> {
    /// Boxes that show and hide layers, if they have names.
    fn legend(&self) -> Markup {
        let names: Vec<&str> = self.layers.iter().map(|layer| layer.name).collect();
        if names.iter().all(|name| name.is_empty()) {
            return Markup::default();
        }
        html! {
            ul.legend {
                @for name in names {
                    li { label {
                        input type="checkbox" value=(name) checked;
                        svg viewBox="0 0 24 8" aria-hidden="true" {
                            path class={ "stick " (name) } d="M3 4H21" {}
                        }
                        (name)
                    } }
                }
            }
        }
    }

    /// The data that the script reads.
    fn data(&self) -> Value {
        let size = self.bounds.iter().map(|[low, high]| high - low).fold(0.0, f64::max);
        // A two-thousandth of the picture is less than a pixel.
        let unit = 10_f64.powf((size.max(1e-9) / 2000.0).log10().floor());
        let layers: Vec<Value> = self.layers.iter().map(|layer| layer.data(unit)).collect();
        let shapes: Vec<Value> = self.shapes.iter().map(|shape| outline(shape, unit)).collect();
        json!({
            "t": self.times,
            "speed": self.speed,
            "view": [self.view.0, self.view.1],
            "turns": self.turns,
            "bounds": self.bounds,
            "reach": self.reach,
            "ground": self.ground,
            "shapes": shapes,
            "layers": layers,
        })
    }
}

impl Layer<'_> {
    fn data(&self, unit: f64) -> Value {
        let frame = |frame: &&[[f64; 3]]| -> Vec<Value> {
            frame.iter().flatten().map(|x| rounded(*x, unit)).collect()
        };
        let number = |(i, x): (usize, f64)| rounded(x, if i < 3 { unit } else { TURN });
        let pose = |pose: &Option<[f64; 7]>| {
            pose.unwrap_or([f64::NAN; 7]).into_iter().enumerate().map(number)
        };
        let poses =
            |poses: &&[Option<[f64; 7]>]| -> Vec<Value> { poses.iter().flat_map(pose).collect() };
        let stroke = |(lines, look): &(Vec<Vec<usize>>, Look)| json!([lines, look.data()]);
        let dot = |(points, look): &(Vec<usize>, Look)| json!([points, look.data()]);
        json!({
            "frames": self.frames.iter().map(frame).collect::<Vec<_>>(),
            "trails": self.trails,
            "strokes": self.strokes.iter().map(stroke).collect::<Vec<_>>(),
            "dots": self.dots.iter().map(dot).collect::<Vec<_>>(),
            "poses": self.poses.iter().map(poses).collect::<Vec<_>>(),
            "outline": self.outline.data(),
        })
    }
}

impl Look {
    fn data(&self) -> Value {
        let Look { colour, alpha, size, least, dash } = self;
        json!({ "colour": colour, "alpha": alpha, "size": size, "least": least, "dash": dash })
    }
}

/// Rounding of the numbers of a quaternion: less than a pixel at the edge of the picture.
const TURN: f64 = 0.001;

/// A shape: its body, its lines as coordinates in a row, and its rounds as both ends and the radius.
fn outline(shape: &DrawnShape, unit: f64) -> Value {
    let unit = 0.1 * unit;
    let row = |points: &[[f64; 3]]| -> Vec<Value> {
        points.iter().flatten().map(|x| rounded(*x, unit)).collect()
    };
    let round = |round: &Round| {
        let mut numbers = row(&round.ends);
        numbers.push(rounded(round.radius, unit));
        numbers
    };
    let lines: Vec<_> = shape.lines.iter().map(|line| row(line)).collect();
    let rounds: Vec<_> = shape.rounds.iter().map(round).collect();
    json!([shape.body, lines, rounds])
}

/// Null if it is not finite.
fn rounded(x: f64, unit: f64) -> Value {
    if x.is_finite() { json!(short(x, unit)) } else { Value::Null }
}

/// A number rounded to a power of ten, so that it is written with few digits.
fn short(x: f64, unit: f64) -> f64 {
    let steps = (x / unit).round();
    // Division by a whole power gives the nearest short number, multiplication by its inverse does not.
    if unit < 1.0 { steps / (1.0 / unit).round() } else { steps * unit }
}
