//! Measured and predicted motion: the bodies as they move, errors of positions and orientations, and each channel with its
//! residual.

use gradbody_learn::outcome::{Figures, FitOutcome, Motion, MotionChannel, PoseError};
use maud::{Markup, html};

use crate::clip::{Clip, clip};
use crate::motion::{Shown, recording};
use crate::number::{axis, number, readable};
use crate::players::Players;
use crate::{Plot, Series};

/// Points of all lines of the page together, about; many motions have fewer each.
const ALL_POINTS: usize = 400_000;
/// How far a line before may lead away from the others, in widths of those.
const ROOM: f64 = 1.0;

/// The motions, one of which a reader chooses; none without.
pub(super) fn section(outcome: &FitOutcome, players: &mut Players) -> Option<Markup> {
    let motions = &outcome.motions;
    let lines = |motion: &Motion| 5 * motion.channels.len() + 2 * motion.errors.len();
    let lines = motions.iter().map(lines).sum::<usize>().max(1);
    let points = (ALL_POINTS / lines).clamp(120, 800);
    let sections = html! {
        @if motions.len() > 1 {
            p.choose { label { "Motion " select {
                @for (i, motion) in motions.iter().enumerate() { option value=(i) { (name(motion)) } }
            } } }
        }
        @for motion in motions {
            div.motion {
                h3 { (name(motion)) }
                (body(outcome, motion, points, players))
            }
        }
    };
    (!motions.is_empty()).then_some(sections)
}

/// The channels beside the moving bodies, which stay in sight while one scrolls.
fn body(outcome: &FitOutcome, motion: &Motion, points: usize, players: &mut Players) -> Markup {
    let Figures { measured, before, after, effects } = &motion.figures;
    let recording = recording(&Shown {
        scene: &outcome.scene,
        times: &motion.t,
        layers: &[("after", after), ("measured", measured), ("before", before)],
        effects: effects.as_ref(),
        motions: outcome.motions.len(),
    });
    html! {
        div.motion-body.beside[recording.is_some()] {
            @if let Some(recording) = &recording { (players.player(recording, &motion.name, "")) }
            div.plots {
                @for error in &motion.errors { (pose_error(motion, error, points)) }
                @for channel in &motion.channels { (figure(motion, channel, points)) }
            }
        }
    }
}

/// The distance from the measured position, or the angle from the measured orientation.
fn pose_error(motion: &Motion, error: &PoseError, points: usize) -> Plot {
    let largest = error.after.iter().flatten().copied().fold(0.0, f64::max);
    let (unit, factor) = readable(&error.unit, largest);
    let line = |of: &[Option<f64>]| -> Vec<(f64, f64)> {
        let value = |i: usize| of.get(i).copied().flatten().map_or(f64::NAN, |x| factor * x);
        motion.t.iter().enumerate().map(|(i, t)| (*t, value(i))).collect()
    };
    let [before, after] = [&error.before, &error.after].map(|of| line(of));
    let ys = |line: &[(f64, f64)]| line.iter().map(|p| p.1).collect::<Vec<_>>().into_iter();
    let clip = clip(ys(&after).chain([0.0]), ys(&before), ROOM);
    let caption = clip.as_ref().and_then(|clip| clip.beyond).map_or(String::new(), |value| {
        format!("The error before the fit leaves the picture, up to {} {unit}.", number(value, 3))
    });
    Plot::new(format!("{}, error", error.name), "time [s]", axis("error", unit))
        .size(520.0, 220.0)
        .y_limits(clip.as_ref().and_then(Clip::limits))
        .max_points(points)
        .follows_time()
        .shows_values()
        .caption(caption)
        .line(Series::new("before", before).dashed().paint("before"))
        .line(Series::new("after", after).paint("after"))
}

fn name(motion: &Motion) -> String {
    match motion.part.as_str() {
        "" => motion.name.clone(),
        part => format!("{} ({part})", motion.name),
    }
}

/// A channel and its residual.
fn figure(motion: &Motion, channel: &MotionChannel, points: usize) -> Markup {
    let ([values, left_over], caption) = plots(motion, channel, points);
    html! {
        figure.plot {
            h3 { (channel.name) }
            (values.legend())
            (values.drawing())
            (left_over.drawing())
            @if !caption.is_empty() { figcaption { (caption) } }
        }
    }
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
