//! Measured and predicted motion: figures that move, and each channel with what is left over.

use std::fmt::Write as _;

use gradbody::learn::outcome::{Motion, MotionChannel, Outcome};

use super::clip::{Clip, clip};
use super::figures;
use super::number::{axis, number};
use gradbody_report::{Plot, Series, escape};

/// Points of all lines of the page together, about; many motions have fewer each.
const ALL_POINTS: usize = 400_000;
/// How far a line before may lead away from the others, in widths of those.
const ROOM: f64 = 1.0;

/// The motions, one of which a reader chooses; empty without.
pub(super) fn section(outcome: &Outcome) -> String {
    if outcome.motions.is_empty() {
        return String::new();
    }
    let mut html = String::new();
    let shown = || outcome.motions.iter();
    if outcome.motions.len() > 1 {
        html.push_str("<p class=\"choose\"><label>Motion <select>");
        for (i, motion) in shown().enumerate() {
            let _ = write!(html, "<option value=\"{i}\">{}</option>", escape(&name(motion)));
        }
        html.push_str("</select></label></p>\n");
    }
    let lines = 5 * shown().map(|motion| motion.channels.len()).sum::<usize>().max(1);
    let points = (ALL_POINTS / lines).clamp(120, 800);
    for motion in shown() {
        let _ = writeln!(html, "<div class=\"motion\">\n<h3>{}</h3>", escape(&name(motion)));
        // Beside the figures, which stay in sight while one scrolls through the channels.
        let player = figures::player(motion);
        let class = if player.is_empty() { "" } else { " beside" };
        let _ = write!(html, "<div class=\"motion-body{class}\">\n{player}<div class=\"plots\">\n");
        for channel in &motion.channels {
            write_channel(&mut html, motion, channel, points);
        }
        html.push_str("</div>\n</div>\n</div>\n");
    }
    html
}

fn name(motion: &Motion) -> String {
    match motion.part.as_str() {
        "" => motion.name.clone(),
        part => format!("{} ({part})", motion.name),
    }
}

fn write_channel(html: &mut String, motion: &Motion, channel: &MotionChannel, points: usize) {
    let ([values, left_over], caption) = plots(motion, channel, points);
    let _ = writeln!(html, "<figure class=\"plot\">\n<h3>{}</h3>", escape(&channel.name));
    values.write_legend(html);
    values.write_svg(html);
    left_over.write_svg(html);
    if !caption.is_empty() {
        let _ = writeln!(html, "<figcaption>{}</figcaption>", escape(&caption));
    }
    html.push_str("</figure>\n");
}

/// The values and below them the residuals, and what a reader should know of both.
fn plots(motion: &Motion, channel: &MotionChannel, points: usize) -> ([Plot; 2], String) {
    let MotionChannel { name, unit, measured, before, after } = channel;
    // What is missing is a gap.
    let value = |of: &[Option<f64>], i: usize| of.get(i).copied().flatten().unwrap_or(f64::NAN);
    let line = |of: &dyn Fn(usize) -> f64| -> Vec<(f64, f64)> {
        motion.t.iter().enumerate().map(|(i, t)| (*t, of(i))).collect()
    };
    let residual = |of: &[Option<f64>], i: usize| value(of, i) - value(measured, i);
    let measured_line = line(&|i| value(measured, i));
    let [before_line, after_line] = [before, after].map(|of| line(&|i| value(of, i)));
    let [before_left, after_left] = [before, after].map(|of| line(&|i| residual(of, i)));

    let ys = |line: &[(f64, f64)]| line.iter().map(|p| p.1).collect::<Vec<_>>().into_iter();
    let values_clip = clip(ys(&measured_line), ys(&before_line).chain(ys(&after_line)), ROOM);
    let left_clip = clip(ys(&after_left), ys(&before_left).chain([0.0]), ROOM);

    let plot = |title: String, y: String, height: f64, clip: &Option<Clip>| {
        Plot::new(title, "time [s]", y)
            .size(520.0, height)
            .y_limits(clip.as_ref().and_then(Clip::limits))
            .max_points(points)
            .follows_time()
            .shows_values()
    };
    let values = plot(name.clone(), axis("value", unit), 250.0, &values_clip)
        .line(Series::new("measured", measured_line).dots().paint("measured"))
        .line(Series::new("before", before_line).dashed().paint("before"))
        .line(Series::new("after", after_line).paint("after"));
    let left_over = plot(format!("{name}, residual"), axis("residual", unit), 170.0, &left_clip)
        .line(Series::new("before − measured", before_left).dashed().paint("before"))
        .line(Series::new("after − measured", after_left).paint("after"));
    let margin = values.needed_margin().max(left_over.needed_margin());
    let caption = match [values_clip, left_clip].map(|clip| clip.and_then(|clip| clip.beyond)) {
        [Some(value), _] => {
            format!("A prediction leaves the picture, up to {} {unit}.", number(value, 3))
        }
        [None, Some(value)] => {
            format!("A residual leaves the picture, up to {} {unit}.", number(value, 3))
        }
        [None, None] => String::new(),
    };
    ([values.margin(margin), left_over.margin(margin)], caption)
}
