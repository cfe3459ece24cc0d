//! The model as measured, before and after, in a player: sticks, and the outlines of its shapes.
//!
//! The view is chosen so that the motion is seen from its broad side; it can be turned.

use std::f64::consts::FRAC_PI_2;

use gradbody_draw::{DrawnShape, Posture};
use gradbody_learn::outcome::{Figures, Motion};

use crate::clip::clip;
use crate::player::{Layer, Look, Player};

/// Frames that are kept at most; the script moves smoothly between them.
const MAX_FRAMES: usize = 600;
/// Numbers of a layer that are kept, about; a robot with many bodies has fewer frames.
const MAX_NUMBERS: usize = 40_000;
/// A direction with less than this share of the greatest spread is flat.
const FLAT: f64 = 0.02;

/// A motion that takes less is played slowly, so that it can be followed [s].
const SHORT: f64 = 1.5;

type Frames = [Posture];

/// The player of a motion; none if there is nothing to draw.
pub(crate) fn player(motion: &Motion) -> Option<Player<'_>> {
    let figures = &motion.figures;
    let layers =
        [("measured", &figures.measured), ("before", &figures.before), ("after", &figures.after)];
    let layers: Vec<(&'static str, &Frames)> = layers
        .into_iter()
        .map(|(name, frames)| (name, frames.as_slice()))
        .filter(|(_, frames)| points(frames).any(|p| p.iter().all(|x| x.is_finite())))
        .collect();
    let shapes: Vec<&DrawnShape> = figures.shapes.iter().collect();
    if figures.sticks.is_empty() && shapes.is_empty() || motion.t.is_empty() {
        return None;
    }
    // What was measured or, in a plan, what was found last.
    let core = layers.iter().position(|(name, _)| *name == "measured");
    let core = core.unwrap_or(layers.len().checked_sub(1)?);
    let bounds = bounds(&layers, core, figures)?;
    let view = View::of(points(layers[core].1));
    // Bodies with shapes have depth, whatever the plane they move in.
    let turns = !view.flat || !shapes.is_empty();
    let kept = kept(motion, &layers);
    let time = |i: &usize| motion.t.get(*i).copied().filter(|t| t.is_finite()).unwrap_or(0.0);
    let times: Vec<f64> = kept.iter().map(time).collect();
    let lasts = times.last()? - times.first()?;
    Some(Player {
        title: format!("moving figures of {}", motion.name),
        caption: if turns { "Drag to turn the view, double-click to turn it back." } else { "" },
        speed: if lasts < SHORT { 0.25 } else { 1.0 },
        times,
        bounds,
        reach: None,
        view: (view.turn, view.tilt),
        turns,
        ground: figures.ground.filter(|height| height.is_finite()),
        shapes,
        layers: layers.iter().map(|(name, frames)| layer(name, frames, &kept, motion)).collect(),
    })
}

fn points(frames: &Frames) -> impl Iterator<Item = &[f64; 3]> {
    frames.iter().flat_map(|frame| &frame.points)
}

/// Sticks and joints at their ends, and the outlines of shapes: what was measured is broad and pale, so that the rest is
/// seen on it.
fn layer<'a>(
    name: &'static str,
    frames: &'a Frames,
    kept: &[usize],
    motion: &'a Motion,
) -> Layer<'a> {
    let sticks: Vec<Vec<usize>> = motion.figures.sticks.iter().map(|(a, b)| vec![*a, *b]).collect();
    let mut joints = sticks.concat();
    joints.sort_unstable();
    joints.dedup();
    // The width of sticks and the radius of joints are in pixels, whatever the size of the robot.
    let look = |colour: &str, alpha: f64, least: f64| Look {
        colour: colour.into(),
        alpha,
        least,
        ..Look::default()
    };
    let dashed = |look: Look| Look { dash: vec![6.0, 6.0], ..look };
    let (strokes, dots, outline) = match name {
        "measured" => (look("--c1", 0.3, 11.0), vec![], look("--c1", 0.3, 6.0)),
        "before" => (
            dashed(look("--quiet", 0.9, 2.5)),
            vec![(joints, look("--quiet", 0.9, 3.0))],
            dashed(look("--quiet", 0.7, 1.5)),
        ),
        _ => {
            (look("--c0", 1.0, 3.5), vec![(joints, look("--c0", 1.0, 4.5))], look("--c0", 1.0, 1.8))
        }
    };
    let frame = |i: &usize| frames.get(*i);
    Layer {
        name,
        frames: kept.iter().map(|i| frame(i).map_or(&[][..], |f| &f.points)).collect(),
        trails: vec![],
        strokes: vec![(sticks, strokes)],
        dots,
        poses: kept.iter().map(|i| frame(i).map_or(&[][..], |f| &f.poses)).collect(),
        outline,
    }
}

/// The box that is drawn: the layer that matters most, and of the others and the ground what is not far from it.
fn bounds(layers: &[(&str, &Frames)], core: usize, figures: &Figures) -> Option<[[f64; 2]; 3]> {
    let others = || layers.iter().enumerate().filter(|(k, _)| *k != core).map(|(_, layer)| layer);
    let core = layers.get(core)?;
    let radii = radii(&figures.shapes);
    let along = |frames: &Frames, axis: usize| -> Vec<f64> {
        let mut all: Vec<f64> = points(frames).map(|point| point[axis]).collect();
        for frame in frames {
            let bodies = frame.poses.iter().zip(&radii).filter_map(|(pose, r)| Some(((*pose)?, r)));
            all.extend(bodies.flat_map(|(pose, r)| [pose[axis] - r, pose[axis] + r]));
        }
        all
    };
    let mut bounds = [[0.0; 2]; 3];
    for (axis, bound) in bounds.iter_mut().enumerate() {
        let mut others: Vec<f64> = others().flat_map(|(_, frames)| along(frames, axis)).collect();
        others.extend(figures.ground.filter(|_| axis == 2));
        let clip = clip(along(core.1, axis).into_iter(), others.into_iter(), 0.5)?;
        *bound = [clip.low, clip.high];
    }
    Some(bounds)
}

/// How far the shapes of each body reach from its origin [m].
fn radii(shapes: &[DrawnShape]) -> Vec<f64> {
    let mut radii: Vec<f64> = vec![];
    for shape in shapes {
        let Some(body) = shape.body else { continue };
        if radii.len() <= body {
            radii.resize(body + 1, 0.0);
        }
        let norm = |p: &[f64; 3]| p.iter().map(|x| x * x).sum::<f64>().sqrt();
        let lines = shape.lines.iter().flatten().map(norm);
        let rounds = shape.rounds.iter();
        let rounds = rounds.flat_map(|round| round.ends.map(|end| norm(&end) + round.radius));
        radii[body] = lines.chain(rounds).filter(|r| r.is_finite()).fold(radii[body], f64::max);
    }
    radii
}

/// Which frames are shown: all, or as many as are kept at most, evenly from the first to the last.
fn kept(motion: &Motion, layers: &[(&str, &Frames)]) -> Vec<usize> {
    let longest = layers.iter().map(|(_, frames)| frames.len()).max().unwrap_or(0);
    let frames = layers.iter().flat_map(|(_, frames)| frames.iter());
    let numbers = frames.map(|frame| 3 * frame.points.len() + 7 * frame.poses.len());
    let most = (MAX_NUMBERS / numbers.max().unwrap_or(0).max(1)).clamp(60, MAX_FRAMES);
    let n = motion.t.len().min(longest);
    match n.saturating_sub(1) {
        last if n > most => (0..most).map(|i| (i * last).div_ceil(most - 1).min(last)).collect(),
        _ => (0..n).collect(),
    }
}

/// From where the motion is seen.
struct View {
    /// About the vertical [rad]: at zero x is to the right.
    turn: f64,
    /// How far it looks down [rad].
    tilt: f64,
    /// Whether all of the motion lies in the plane of the picture.
    flat: bool,
}

impl View {
    /// The plane of the largest spread, with up still up: the direction across it that points move in most
    /// is to the right.
    fn of<'a>(points: impl Iterator<Item = &'a [f64; 3]>) -> View {
        let points: Vec<&[f64; 3]> = points.filter(|p| p.iter().all(|x| x.is_finite())).collect();
        let n = (points.len() as f64).max(1.0);
        let mean = |axis: usize| points.iter().map(|p| p[axis]).sum::<f64>() / n;
        let mean = [mean(0), mean(1), mean(2)];
        let moment = |a: usize, b: usize| {
            points.iter().map(|p| (p[a] - mean[a]) * (p[b] - mean[b])).sum::<f64>() / n
        };
        // Principal directions of the horizontal part: tan 2φ = 2 Sxy / (Sxx − Syy).
        let (xx, yy, xy, zz) = (moment(0, 0), moment(1, 1), moment(0, 1), moment(2, 2));
        let mut turn = 0.5 * (2.0 * xy).atan2(xx - yy);
        let (half, root) = (0.5 * (xx + yy), (0.5 * (xx - yy)).hypot(xy));
        let [major, minor, up] = [half + root, half - root, zz].map(|s| s.max(0.0).sqrt());
        let flat_below = FLAT * major.max(up);
        // Without a horizontal direction of its own: x to the right.
        if !turn.is_finite() || major <= flat_below || major - minor <= 1e-9 * major {
            turn = 0.0;
        }
        match (minor <= flat_below, up <= flat_below) {
            (true, _) => View { turn, tilt: 0.0, flat: true },
            (false, true) => View { turn: 0.0, tilt: FRAC_PI_2, flat: true },
            // Off the axes, so that depth can be seen; from above what is spread on the ground.
            (false, false) if up < minor => View { turn: turn - 0.3, tilt: 0.8, flat: false },
            (false, false) => View { turn: turn - 0.3, tilt: 0.25, flat: false },
        }
    }
}

#[cfg(test)]
mod tests {
    use gradbody_draw::{DrawnShape, Posture};
    use gradbody_learn::outcome::{Figures, Motion};
    use maud::Render as _;

    use super::{View, player};

    #[test]
    fn a_motion_is_seen_from_its_broad_side() {
        let swing = |[x, y, z]: [f64; 3]| -> Vec<[f64; 3]> {
            (0..50)
                .map(|i| 0.1 * f64::from(i))
                .flat_map(|t| [[0.0; 3], [x * t.sin(), y * t.sin(), z * t.cos()]])
                .collect()
        };
        let along_y = View::of(swing([0.0, 1.0, 1.0]).iter());
        assert!((along_y.turn.abs() - std::f64::consts::FRAC_PI_2).abs() < 1e-9 && along_y.flat);
        let diagonal = View::of(swing([1.0, 1.0, 1.0]).iter());
        assert!((diagonal.turn - std::f64::consts::FRAC_PI_4).abs() < 1e-9 && diagonal.tilt == 0.0);
        let level: Vec<[f64; 3]> =
            (0..50).map(f64::from).map(|t| [t.cos(), t.sin(), 0.3]).collect();
        assert_eq!(View::of(level.iter()).tilt, std::f64::consts::FRAC_PI_2);
        assert_eq!(View::of([[f64::NAN; 3]].iter()).turn, 0.0);
        assert_eq!(View::of([].iter()).turn, 0.0);
    }

    /// A box that falls: the picture has room for its corners and the ground, and each edge is written once.
    #[test]
    fn shapes_are_given_once_and_fit_into_the_picture() {
        let posture = |z: f64| Posture {
            points: vec![[0.0, 0.0, z]; 2],
            poses: vec![Some([0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0])],
        };
        let fall: Vec<Posture> = (0..9).map(|k| posture(1.0 - 0.1 * f64::from(k))).collect();
        let mut measured = fall.clone();
        measured[3].poses[0] = None;
        let edge = DrawnShape {
            body: Some(0),
            lines: vec![vec![[0.1, 0.0, 0.0], [0.0, 0.0, 0.1]]],
            rounds: vec![],
        };
        let motion = Motion {
            name: "fall".into(),
            part: "test".into(),
            t: (0..9).map(f64::from).collect(),
            channels: vec![],
            errors: vec![],
            figures: Figures {
                shapes: vec![edge],
                ground: Some(0.0),
                measured,
                before: fall.clone(),
                after: fall,
                ..Figures::default()
            },
        };
        let player = player(&motion).expect("a player");
        let [x, _, z] = player.bounds;
        assert!((x[0] + 0.1).abs() < 1e-12 && (x[1] - 0.1).abs() < 1e-12, "{x:?}");
        assert!(z[0] == 0.0 && (z[1] - 1.1).abs() < 1e-12, "{z:?}");
        let page = player.render().into_string();
        assert_eq!(page.matches("[0.1,0.0,0.0,0.0,0.0,0.1]").count(), 1, "{page}");
        assert_eq!(page.matches("[null,null,null,null,null,null,null]").count(), 1, "{page}");
        assert_eq!(page.matches("0.0,0.0,0.7,1.0,0.0,0.0,0.0").count(), 2, "{page}");
    }
}
