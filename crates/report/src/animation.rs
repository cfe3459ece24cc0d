//! Motions as stick figures that a small script plays on a canvas.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::html::escape;

/// A motion of points, and what is drawn between them. The reader can stop it, go to any time, and
/// turn the view.
#[derive(Clone, Debug)]
pub struct Animation {
    /// What it shows, for those who cannot see it.
    pub title: String,
    /// What is written under it.
    pub caption: String,
    /// Time between frames [s].
    pub frame_time: f64,
    /// Playing speed to begin with; 1 is real time.
    pub speed: f64,
    /// Positions of all points in the world [m], frame by frame.
    pub frames: Vec<Vec<[f64; 3]>>,
    /// Paths that points leave behind.
    pub trails: Vec<Trail>,
    /// Lines, drawn above the trails.
    pub strokes: Vec<Stroke>,
    /// Discs, drawn above the lines.
    pub dots: Vec<Dot>,
    /// Height of a level ground, drawn as a grid below the motion [m].
    pub ground: Option<f64>,
    /// How far the view is turned about the vertical to begin with, and how far it looks down
    /// [rad]; at zero x is to the right and z up.
    pub view: (f64, f64),
}

/// A line through points.
#[derive(Clone, Debug)]
pub struct Stroke {
    /// Which points of a frame, in order.
    pub points: Vec<usize>,
    /// Which of the page's colours.
    pub colour: usize,
    /// Width [m].
    pub width: f64,
    /// Drawn pale, as something behind.
    pub faint: bool,
}

/// A disc at a point.
#[derive(Clone, Copy, Debug)]
pub struct Dot {
    /// Which point of a frame.
    pub point: usize,
    /// Which of the page's colours.
    pub colour: usize,
    /// Radius [m].
    pub radius: f64,
}

/// The way a point has come.
#[derive(Clone, Copy, Debug)]
pub struct Trail {
    /// Which point of a frame.
    pub point: usize,
    /// Which of the page's colours.
    pub colour: usize,
    /// How long it stays [s].
    pub seconds: f64,
}

impl Animation {
    /// Writes it to the end of `html`.
    pub(super) fn write(&self, html: &mut String) {
        let title = escape(&self.title);
        // Inside a script element only "<" could end it.
        let data = self.data().to_string().replace('<', "\\u003c");
        let _ = writeln!(
            html,
            "<figure class=\"animation\">\n<canvas role=\"img\" aria-label=\"{title}\"></canvas>\n\
             <div class=\"player\"><button type=\"button\" class=\"play\" aria-label=\"play or \
             pause\"></button><input type=\"range\" min=\"0\" max=\"{}\" step=\"any\" value=\"0\" \
             aria-label=\"time\"><output></output><button type=\"button\" class=\"speed\" \
             aria-label=\"playing speed\"></button></div>\n<figcaption>{}</figcaption>\n\
             <script type=\"application/json\">{data}</script>\n</figure>",
            self.frames.len().saturating_sub(1),
            escape(&self.caption)
        );
    }

    fn data(&self) -> Value {
        // A tenth of a millimetre is less than a pixel.
        let rounded = |x: f64| (x * 1e4).round() / 1e4;
        let frame = |frame: &Vec<[f64; 3]>| -> Vec<f64> {
            frame.iter().flatten().map(|x| rounded(*x)).collect()
        };
        json!({
            "dt": self.frame_time,
            "speed": self.speed,
            "view": [self.view.0, self.view.1],
            "ground": self.ground,
            "frames": self.frames.iter().map(frame).collect::<Vec<_>>(),
            "trails": self.trails.iter().map(|t| json!([t.point, t.colour, t.seconds])).collect::<Vec<_>>(),
            "strokes": self.strokes.iter().map(|s| json!([s.points, s.colour, s.width, s.faint])).collect::<Vec<_>>(),
            "dots": self.dots.iter().map(|d| json!([d.point, d.colour, d.radius])).collect::<Vec<_>>(),
        })
    }
}
