//! Stick figures as measured, before and after, in a player.
//!
//! The view is chosen so that the motion is seen from its broad side; it can be turned.

use std::f64::consts::FRAC_PI_2;

use gradbody_learn::outcome::Motion;

use super::clip::clip;
use crate::player::{Layer, Look, Player};

/// Frames that are kept at most; the script moves smoothly between them.
const MAX_FRAMES: usize = 600;
/// A direction with less than this share of the greatest spread is flat.
const FLAT: f64 = 0.02;

/// A motion that takes less is played slowly, so that it can be followed [s].
const SHORT: f64 = 1.5;

type Frames = [Vec<[f64; 3]>];

/// The player of a motion; none if there is nothing to draw.
pub(super) fn player(motion: &Motion) -> Option<Player<'_>> {
    let figures = &motion.figures;
    let layers =
        [("measured", &figures.measured), ("before", &figures.before), ("after", &figures.after)];
    let layers: Vec<(&'static str, &Frames)> = layers
        .into_iter()
        .map(|(name, frames)| (name, frames.as_slice()))
        .filter(|(_, frames)| frames.iter().flatten().any(|p| p.iter().all(|x| x.is_finite())))
        .collect();
    if figures.sticks.is_empty() || motion.t.is_empty() {
        return None;
    }
    let bounds = bounds(&layers)?;
    let view = View::of(layers.first()?.1);
    let kept = kept(motion, &layers);
    let time = |i: &usize| motion.t.get(*i).copied().filter(|t| t.is_finite()).unwrap_or(0.0);
    let times: Vec<f64> = kept.iter().map(time).collect();
    let lasts = times.last()? - times.first()?;
    Some(Player {
        title: format!("moving stick figures of {}", motion.name),
        caption: if view.flat {
            ""
        } else {
            "Drag to turn the view, double-click to turn it back."
        },
        speed: if lasts < SHORT { 0.25 } else { 1.0 },
        times,
        bounds,
        reach: None,
        view: (view.turn, view.tilt),
        turns: !view.flat,
        ground: None,
        layers: layers.iter().map(|(name, frames)| layer(name, frames, &kept, motion)).collect(),
    })
}

/// Sticks, and joints at their ends: what was measured is broad and pale, so that the rest is seen on it.
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
    let (strokes, dots) = match name {
        "measured" => (look("--c1", 0.3, 11.0), vec![]),
        "before" => {
            let dashed = Look { dash: vec![6.0, 6.0], ..look("--quiet", 0.9, 2.5) };
            (dashed, vec![(joints, look("--quiet", 0.9, 3.0))])
        }
        _ => (look("--c0", 1.0, 3.5), vec![(joints, look("--c0", 1.0, 4.5))]),
    };
    Layer {
        name,
        frames: kept.iter().map(|i| frames.get(*i).map_or([].as_slice(), Vec::as_slice)).collect(),
        trails: vec![],
        strokes: vec![(sticks, strokes)],
        dots,
    }
}

/// The box that is drawn: what was measured, and of the predictions what is not far from it.
fn bounds(layers: &[(&str, &Frames)]) -> Option<[[f64; 2]; 3]> {
    let (core, others) = layers.split_first()?;
    let along = |frames: &Frames, axis: usize| -> Vec<f64> {
        frames.iter().flatten().map(|point| point[axis]).collect()
    };
    let mut bounds = [[0.0; 2]; 3];
    for (axis, bound) in bounds.iter_mut().enumerate() {
        let others: Vec<f64> = others.iter().flat_map(|(_, frames)| along(frames, axis)).collect();
        let clip = clip(along(core.1, axis).into_iter(), others.into_iter(), 0.5)?;
        *bound = [clip.low, clip.high];
    }
    Some(bounds)
}

/// Which frames are shown: all, or as many as are kept at most, evenly from the first to the last.
fn kept(motion: &Motion, layers: &[(&str, &Frames)]) -> Vec<usize> {
    let longest = layers.iter().map(|(_, frames)| frames.len()).max().unwrap_or(0);
    let n = motion.t.len().min(longest);
    match n.saturating_sub(1) {
        last if n > MAX_FRAMES => {
            (0..MAX_FRAMES).map(|i| (i * last).div_ceil(MAX_FRAMES - 1).min(last)).collect()
        }
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
    fn of(frames: &Frames) -> View {
        let points: Vec<&[f64; 3]> =
            frames.iter().flatten().filter(|p| p.iter().all(|x| x.is_finite())).collect();
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
    use super::View;

    #[test]
    fn a_motion_is_seen_from_its_broad_side() {
        let swing = |direction: [f64; 3]| -> Vec<Vec<[f64; 3]>> {
            (0..50)
                .map(|i| 0.1 * f64::from(i))
                .map(|t| {
                    vec![
                        [0.0; 3],
                        [direction[0] * t.sin(), direction[1] * t.sin(), direction[2] * t.cos()],
                    ]
                })
                .collect()
        };
        let along_y = View::of(&swing([0.0, 1.0, 1.0]));
        assert!((along_y.turn.abs() - std::f64::consts::FRAC_PI_2).abs() < 1e-9 && along_y.flat);
        let diagonal = View::of(&swing([1.0, 1.0, 1.0]));
        assert!((diagonal.turn - std::f64::consts::FRAC_PI_4).abs() < 1e-9 && diagonal.tilt == 0.0);
        let level: Vec<Vec<[f64; 3]>> =
            (0..50).map(f64::from).map(|t| vec![[t.cos(), t.sin(), 0.3]]).collect();
        assert_eq!(View::of(&level).tilt, std::f64::consts::FRAC_PI_2);
        assert_eq!(View::of(&[vec![[f64::NAN; 3]]]).turn, 0.0);
        assert_eq!(View::of(&[]).turn, 0.0);
    }
}
