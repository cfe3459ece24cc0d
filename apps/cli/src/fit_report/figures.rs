//! Stick figures as measured, before and after, for the script that plays them.
//!
//! The view is chosen so that the motion is seen from its broad side; it can be turned.

use std::f64::consts::FRAC_PI_2;
use std::fmt::Write as _;

use gradbody::learn::outcome::Motion;
use serde_json::{Value, json};

use super::clip::clip;
use gradbody_report::escape;

/// Frames that are kept at most; the script moves smoothly between them.
const MAX_FRAMES: usize = 600;
/// A direction with less than this share of the greatest spread is flat.
const FLAT: f64 = 0.02;

type Frames = [Vec<[f64; 3]>];

/// The player of a motion; empty if there is nothing to draw.
pub(super) fn player(motion: &Motion) -> String {
    let figures = &motion.figures;
    let layers =
        [("measured", &figures.measured), ("before", &figures.before), ("after", &figures.after)];
    let layers: Vec<(&str, &Frames)> = layers
        .into_iter()
        .map(|(name, frames)| (name, frames.as_slice()))
        .filter(|(_, frames)| frames.iter().flatten().any(|p| p.iter().all(|x| x.is_finite())))
        .collect();
    if figures.sticks.is_empty() || motion.t.is_empty() {
        return String::new();
    }
    let Some(bounds) = bounds(&layers) else { return String::new() };
    let core = layers.first().map_or([].as_slice(), |(_, frames)| frames);
    let view = View::of(core);

    // Inside a script element only "<" could end it.
    let data = data(motion, &layers, bounds, &view).to_string().replace('<', "\\u003c");
    let mut html = String::from("<figure class=\"player-box\">\n<ul class=\"legend\">");
    for (name, _) in &layers {
        let _ = write!(
            html,
            "<li><label><input type=\"checkbox\" value=\"{name}\" checked>\
             <svg viewBox=\"0 0 24 8\" aria-hidden=\"true\"><path class=\"stick {name}\" d=\"M3 4H21\"/></svg>\
             {name}</label></li>"
        );
    }
    let hint = if view.flat { "" } else { "Drag to turn the view, double-click to turn it back." };
    let _ = writeln!(
        html,
        "</ul>\n<canvas role=\"img\" aria-label=\"moving stick figures of {}\"></canvas>\n\
         <div class=\"player\"><button type=\"button\" class=\"play\" aria-label=\"play or pause\">▶</button>\
         <input type=\"range\" min=\"0\" max=\"1\" step=\"any\" value=\"0\" aria-label=\"time\">\
         <output></output><button type=\"button\" class=\"speed\" aria-label=\"playing speed\">1×</button></div>\n\
         <figcaption>{hint}</figcaption>\n<script type=\"application/json\">{data}</script>\n</figure>",
        escape(&motion.name)
    );
    html
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

fn data(motion: &Motion, layers: &[(&str, &Frames)], bounds: [[f64; 2]; 3], view: &View) -> Value {
    let longest = layers.iter().map(|(_, frames)| frames.len()).max().unwrap_or(0);
    let n = motion.t.len().min(longest);
    let kept: Vec<usize> = match n.saturating_sub(1) {
        last if n > MAX_FRAMES => {
            (0..MAX_FRAMES).map(|i| (i * last).div_ceil(MAX_FRAMES - 1).min(last)).collect()
        }
        _ => (0..n).collect(),
    };
    let size = bounds.iter().map(|[low, high]| high - low).fold(0.0, f64::max);
    // A two-thousandth of the picture is less than a pixel.
    let unit = 10_f64.powf((size.max(1e-9) / 2000.0).log10().floor());
    let rounded = |x: f64| if x.is_finite() { json!(short(x, unit)) } else { Value::Null };
    let frame = |frames: &Frames, i: usize| -> Vec<Value> {
        frames.get(i).into_iter().flatten().flatten().map(|x| rounded(*x)).collect()
    };
    let layer = |(name, frames): &(&str, &Frames)| {
        let frames: Vec<Vec<Value>> = kept.iter().map(|i| frame(frames, *i)).collect();
        json!({ "name": name, "frames": frames })
    };
    let time = |i: &usize| motion.t.get(*i).copied().filter(|t| t.is_finite()).unwrap_or(0.0);
    json!({
        "t": kept.iter().map(time).collect::<Vec<_>>(),
        "sticks": motion.figures.sticks,
        "layers": layers.iter().map(layer).collect::<Vec<_>>(),
        "bounds": bounds,
        "view": [view.turn, view.tilt],
        "flat": view.flat,
    })
}

/// A number rounded to a power of ten, so that it is written with few digits.
fn short(x: f64, unit: f64) -> f64 {
    let steps = (x / unit).round();
    // Division by a whole power gives the nearest short number, multiplication by its inverse does not.
    if unit < 1.0 { steps / (1.0 / unit).round() } else { steps * unit }
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
