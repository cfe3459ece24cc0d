//! Motions as stick figures that a small script plays on a canvas.

use maud::{Markup, Render};

use super::player::{Layer, Look, Player};

/// A motion of points, and what is drawn between them. The reader can stop it, go to any time, and
/// turn the view.
#[derive(Clone, Debug)]
pub struct Animation {
    /// What it shows, for screen readers.
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

/// The recent path of a point.
#[derive(Clone, Copy, Debug)]
pub struct Trail {
    /// Which point of a frame.
    pub point: usize,
    /// Which of the page's colours.
    pub colour: usize,
    /// How long it stays [s].
    pub seconds: f64,
}

impl Render for Animation {
    fn render(&self) -> Markup {
        // Rounded, so that 0.15 s is not written as 0.15000000000000002.
        let time = |i: usize| (i as f64 * self.frame_time * 1e6).round() / 1e6;
        let colour = |colour: usize| format!("--c{colour}");
        let stroke = |stroke: &Stroke| {
            let alpha = if stroke.faint { 0.4 } else { 1.0 };
            let (size, least) = (stroke.width, 1.5);
            let colour = colour(stroke.colour);
            (vec![stroke.points.clone()], Look { colour, alpha, size, least, dash: vec![] })
        };
        let dot = |dot: &Dot| {
            let (colour, size, least) = (colour(dot.colour), dot.radius, 2.0);
            (vec![dot.point], Look { colour, alpha: 1.0, size, least, dash: vec![] })
        };
        let trail = |trail: &Trail| (trail.point, colour(trail.colour), trail.seconds);
        let bounds = self.bounds();
        let player = Player {
            title: self.title.clone(),
            caption: &self.caption,
            times: (0..self.frames.len()).map(time).collect(),
            speed: self.speed,
            bounds,
            reach: Some(self.reach(bounds)),
            view: self.view,
            turns: true,
            ground: self.ground,
            shapes: vec![],
            layers: vec![Layer {
                name: "",
                frames: self.frames.iter().map(Vec::as_slice).collect(),
                trails: self.trails.iter().map(trail).collect(),
                strokes: self.strokes.iter().map(stroke).collect(),
                dots: self.dots.iter().map(dot).collect(),
                poses: vec![],
                outline: Look::default(),
            }],
        };
        player.render()
    }
}

impl Animation {
    /// The box that holds all points and the ground.
    fn bounds(&self) -> [[f64; 2]; 3] {
        let mut bounds = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
        let mut widen = |axis: usize, x: f64| {
            let [low, high] = bounds[axis];
            bounds[axis] = [low.min(x), high.max(x)];
        };
        for point in self.frames.iter().flatten() {
            point.iter().enumerate().for_each(|(axis, x)| widen(axis, *x));
        }
        self.ground.into_iter().for_each(|height| widen(2, height));
        bounds
    }

    /// The size of the picture, such that all of the motion fits at every turn about the vertical.
    fn reach(&self, bounds: [[f64; 2]; 3]) -> [f64; 2] {
        /// Smaller motions are not enlarged [m].
        const LEAST: f64 = 0.1;
        let [x, y, z] = bounds.map(|[low, high]| high - low);
        let up = 0.5 * z.max(LEAST);
        // Seen from above the ground reaches below the motion.
        let below = if self.ground.is_some() { 0.5 * y * self.view.1.sin().abs() } else { 0.0 };
        [0.5 * x.hypot(y).max(LEAST), up + below]
    }
}
