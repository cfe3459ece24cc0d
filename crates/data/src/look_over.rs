//! Plausibility checks of data: what a person would notice in a plot.

use std::f64::consts::{PI, TAU};
use std::fmt;

use super::{Channel, DataSet, Dimension, TimeColumn, Trajectory};
use gradbody_math::names::list;

/// A likely mistake in the data.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    /// The trajectory.
    pub trajectory: String,
    /// The channel, if only one is affected.
    pub channel: Option<String>,
    /// The problem, and what to do.
    pub what: String,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.channel {
            Some(channel) => write!(f, "{}: channel \"{channel}\": {}", self.trajectory, self.what),
            None => write!(f, "{}: {}", self.trajectory, self.what),
        }
    }
}

/// Doubts in a readable form: the same doubt about several recordings or channels is listed once. If their numbers
/// differ, those of the first are shown.
pub fn fold(doubts: &[Doubt]) -> Vec<String> {
    /// A doubt, the recordings and channels it is about, and whether all have the same numbers.
    struct Group<'a> {
        first: &'a Doubt,
        recordings: Vec<&'a str>,
        channels: Vec<&'a str>,
        exactly: bool,
    }
    let mut groups: Vec<Group<'_>> = Vec::new();
    for doubt in doubts {
        let same = |g: &&mut Group<'_>| {
            g.first.channel == doubt.channel && kind(&g.first.what) == kind(&doubt.what)
        };
        match groups.iter_mut().find(same) {
            Some(group) => {
                group.recordings.push(&doubt.trajectory);
                group.exactly &= group.first.what == doubt.what;
            }
            None => groups.push(Group {
                first: doubt,
                recordings: vec![&doubt.trajectory],
                channels: doubt.channel.as_deref().into_iter().collect(),
                exactly: true,
            }),
        }
    }
    let mut folded: Vec<Group<'_>> = Vec::new();
    for group in groups {
        let same = |g: &&mut Group<'_>| {
            !group.channels.is_empty()
                && g.recordings == group.recordings
                && kind(&g.first.what) == kind(&group.first.what)
        };
        match folded.iter_mut().find(same) {
            Some(to) => {
                to.channels.extend(group.channels);
                to.exactly &= group.exactly && to.first.what == group.first.what;
            }
            None => folded.push(group),
        }
    }
    let words = |group: &Group<'_>| {
        let Group { first, recordings, channels, exactly } = group;
        let recordings = match recordings.len() {
            1 => first.trajectory.clone(),
            n => format!("in {n} recordings ({})", list(recordings.iter().copied())),
        };
        let quoted: Vec<String> = channels.iter().map(|name| format!("\"{name}\"")).collect();
        let channels = match quoted.len() {
            0 => String::new(),
            1 => format!("channel {}: ", quoted[0]),
            _ => format!("channels {}: ", list(quoted.iter().map(String::as_str))),
        };
        let like = if *exactly { "" } else { " (numbers are those of the first)" };
        format!("{recordings}: {channels}{}{like}", first.what)
    };
    folded.iter().map(words).collect()
}

/// A doubt without its numbers.
fn kind(what: &str) -> String {
    what.chars().filter(|c| !c.is_ascii_digit() && !matches!(c, '.' | '-' | 'e')).collect()
}

/// A position farther away than any robot in a room [m].
const FAR: f64 = 100.0;

/// Tolerance for the norm of a quaternion: values with few digits.
const NORM: f64 = 1e-3;

/// A value that stays the same for this many samples, and this fraction of the recording, is frozen.
const FROZEN: (usize, f64) = (25, 0.1);

/// Tolerance for a time step, relative to the median.
const UNEVEN: f64 = 0.2;

/// The fraction of samples that may repeat the previous one.
const REPEATED: f64 = 0.01;

/// A time between samples outside this range is doubted [s].
const PERIODS: (f64, f64) = (1e-5, 0.5);

/// An angle that swings to and fro over more than this is doubted if it is also fast [rad]: two turns.
const SWING: f64 = 2.0 * TAU;

/// An angle that swings to and fro over more than this is doubted at any speed [rad]: four turns.
const WIDE_SWING: f64 = 4.0 * TAU;

/// A joint that swings to and fro is seldom faster [rad/s].
const FAST_SWING: f64 = 40.0;

/// A joint is seldom faster [rad/s]: 3000 turns a minute.
const FAST: f64 = 314.0;

/// What the reader of the data was told. Doubts do not ask for it again.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Told<'a> {
    /// The time column and its unit; none if a rate was given.
    pub time: Option<&'a TimeColumn>,
    /// Channels whose jumps of a whole turn will be removed.
    pub unwrapped: &'a [&'a str],
}

/// All doubts about a set.
pub fn look_over(set: &DataSet) -> Vec<Doubt> {
    look_over_told(set, &Told::default())
}

/// [`look_over`], for data that were read as `told`.
pub fn look_over_told(set: &DataSet, told: &Told<'_>) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    for trajectory in &set.trajectories {
        let mut doubt = |channel: Option<&str>, what: Option<String>| {
            doubts.extend(what.map(|what| Doubt {
                trajectory: trajectory.name.clone(),
                channel: channel.map(str::to_owned),
                what,
            }));
        };
        for channel in &trajectory.channels {
            let known: Vec<f64> =
                channel.values.iter().copied().filter(|x| x.is_finite()).collect();
            let name = Some(channel.name.as_str());
            let degrees = degrees(channel, &known, &trajectory.t);
            if degrees.is_none() && !told.unwrapped.contains(&channel.name.as_str()) {
                doubt(name, jumps(channel, &known));
            }
            doubt(name, degrees);
            doubt(name, degrees_per_second(channel, &known));
            doubt(name, millimetres(channel, &known));
            doubt(name, frozen(&known));
        }
        for (prefix, norm) in quaternions(trajectory) {
            doubt(
                None,
                Some(format!("the quaternion \"{prefix}\" has a norm of {norm:.4}, not 1")),
            );
        }
        doubt(None, repeated(trajectory));
        doubt(None, uneven(trajectory));
        doubt(None, period(trajectory, told));
    }
    doubts
}

/// Times in another unit than declared.
fn period(trajectory: &Trajectory, told: &Told<'_>) -> Option<String> {
    let mut steps: Vec<f64> = trajectory.t.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_by(f64::total_cmp);
    let usual = *steps.get(steps.len() / 2)?;
    let (least, most) = PERIODS;
    if (least..=most).contains(&usual) {
        return None;
    }
    let advice = match told.time {
        // The numbers of the file suggest the unit: robots are sampled every 0.5 ms to 0.5 s.
        Some(time) if time.unit().is_ok_and(|unit| unit.to_si == 1.0) && usual > most => {
            let (unit, name) = match usual {
                step if step <= 500.0 => ("ms", "milliseconds"),
                step if step <= 500e3 => ("us", "microseconds"),
                _ => ("ns", "nanoseconds"),
            };
            format!(
                "are its times {name}? Then set time = {{ column = \"{}\", unit = \"{unit}\" }}",
                time.column
            )
        }
        Some(time) => format!("is \"{}\" the unit of column \"{}\"?", time.unit, time.column),
        None => "is the rate right [Hz]?".to_owned(),
    };
    Some(format!("samples are {} s apart; {advice}", four_digits(usual)))
}

/// Angles in degrees that are declared as radians.
fn degrees(channel: &Channel, known: &[f64], t: &[f64]) -> Option<String> {
    let is_radians = channel.unit.dimension == Dimension::Angle && channel.unit.to_si == 1.0;
    let (least, most) = range(known)?;
    if !is_radians || most - least <= 2.0 * TAU {
        return None;
    }
    // A rotating arm may reach such values in radians, but not with steps of more than half a turn, except for jumps by
    // a whole turn; and its radians are not round numbers.
    let steps = || known.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    let wide = steps().filter(|step| *step > PI && (step - TAU).abs() > 1.0).count();
    let jumps_by_360 = steps().any(|step| (step - 360.0).abs() < 36.0);
    let round = known.iter().all(|x| (4.0 * x).fract() == 0.0);
    (jumps_by_360 || round || wide * 100 > known.len() || swings(channel, known, t)).then(|| {
        format!(
            "it goes from {least:.4} to {most:.4} rad; are these degrees? Then set unit = \"deg\""
        )
    })
}

/// True if an angle goes to and fro over several turns, as no joint does and degrees do. Jumps by a whole turn are not
/// motion.
fn swings(channel: &Channel, known: &[f64], t: &[f64]) -> bool {
    let moved = |pair: &[f64]| {
        let step = pair[1] - pair[0];
        if (step.abs() - TAU).abs() < 1.0 { 0.0 } else { step }
    };
    let (mut rise, mut fall, mut here, mut least, mut most) = (0.0, 0.0, 0.0, 0.0_f64, 0.0_f64);
    for step in known.windows(2).map(moved) {
        here += step;
        (least, most) = (least.min(here), most.max(here));
        if step > 0.0 { rise += step } else { fall -= step }
    }
    let to_and_fro = |reach: f64| rise > reach && fall > reach && most - least > reach;
    let mut rates: Vec<f64> = channel
        .values
        .windows(2)
        .zip(t.windows(2))
        .map(|(pair, t)| moved(pair).abs() / (t[1] - t[0]))
        .filter(|rate| rate.is_finite())
        .collect();
    rates.sort_by(f64::total_cmp);
    // One sample in twenty may be an outlier.
    let usual_peak = rates.get(rates.len() * 19 / 20).copied().unwrap_or(0.0);
    to_and_fro(WIDE_SWING) || to_and_fro(SWING) && usual_peak > FAST_SWING
}

/// Angular velocities in degrees per second that are declared as radians per second.
fn degrees_per_second(channel: &Channel, known: &[f64]) -> Option<String> {
    let is_radians =
        channel.unit.dimension == Dimension::AngularVelocity && channel.unit.to_si == 1.0;
    let (least, most) = range(known)?;
    (is_radians && least.abs().max(most.abs()) > FAST).then(|| {
        format!(
            "it goes from {least:.4} to {most:.4} rad/s; are these degrees per second? Then set unit = \"deg/s\""
        )
    })
}

/// Angles that jump by a whole turn.
fn jumps(channel: &Channel, known: &[f64]) -> Option<String> {
    if channel.unit.dimension != Dimension::Angle {
        return None;
    }
    let jump = |pair: &&[f64]| ((pair[1] - pair[0]).abs() - TAU).abs() < 1.0;
    match known.windows(2).filter(jump).count() {
        0 => None,
        1 => Some("the angle jumps by a whole turn once; set unwrap = true".to_owned()),
        n => Some(format!("the angle jumps by a whole turn {n} times; set unwrap = true")),
    }
}

/// Millimetres that are declared as metres.
fn millimetres(channel: &Channel, known: &[f64]) -> Option<String> {
    let is_metres = channel.unit.dimension == Dimension::Length && channel.unit.to_si == 1.0;
    let (least, most) = range(known)?;
    (is_metres && least.abs().max(most.abs()) >= FAR).then(|| {
        format!(
            "it goes from {least:.4} to {most:.4} m; are these millimetres? Then set unit = \"mm\""
        )
    })
}

/// A sensor that does not respond.
fn frozen(known: &[f64]) -> Option<String> {
    let first = known.first()?;
    if known.len() > 2 && known.iter().all(|x| x == first) {
        return Some(format!("its value is always {first}"));
    }
    let longest = known.chunk_by(|a, b| a == b).map(<[f64]>::len).max().unwrap_or(0);
    let (samples, part) = FROZEN;
    (longest >= samples && longest as f64 >= part * known.len() as f64)
        .then(|| format!("its value does not change for {longest} of {} samples", known.len()))
}

/// Quaternions whose norm is not one: their names without the last letter, and the norm farthest from one.
fn quaternions(trajectory: &Trajectory) -> Vec<(&str, f64)> {
    let part = |prefix: &str, letter: char| {
        let is =
            |c: &&Channel| c.name.strip_prefix(prefix) == Some(letter.encode_utf8(&mut [0; 4]));
        trajectory.channels.iter().find(is).filter(|c| c.unit.dimension == Dimension::Number)
    };
    let mut found = Vec::new();
    for channel in &trajectory.channels {
        let Some(prefix) = channel.name.strip_suffix('w') else { continue };
        let (Some(w), Some(x), Some(y), Some(z)) =
            (part(prefix, 'w'), part(prefix, 'x'), part(prefix, 'y'), part(prefix, 'z'))
        else {
            continue;
        };
        let parts = [w, x, y, z];
        let norm = |k: usize| {
            let square = |c: &Channel| c.values.get(k).map_or(f64::NAN, |x| x * x);
            parts.iter().map(|c| square(c)).sum::<f64>().sqrt()
        };
        let norms = (0..trajectory.t.len()).map(norm).filter(|norm| norm.is_finite());
        let off = |norm: &f64| (norm - 1.0).abs();
        let worst = norms.max_by(|a, b| off(a).total_cmp(&off(b)));
        found.extend(worst.filter(|norm| off(norm) > NORM).map(|norm| (prefix, norm)));
    }
    found
}

/// Samples that were written twice.
fn repeated(trajectory: &Trajectory) -> Option<String> {
    let n = trajectory.t.len();
    let same = |k: usize| {
        let mut channels = trajectory.channels.iter();
        !trajectory.channels.is_empty()
            && channels.all(|c| c.values.get(k - 1).is_some_and(|x| Some(x) == c.values.get(k)))
    };
    // A slow motion repeats samples now and then; permanently frozen channels are reported one by one.
    match (1..n).filter(|k| same(*k)).count() {
        few if few as f64 <= REPEATED * n as f64 => None,
        all if all + 1 == n => None,
        some => Some(format!("{some} of {n} samples repeat the previous one in every channel")),
    }
}

/// Times that are not evenly spaced.
fn uneven(trajectory: &Trajectory) -> Option<String> {
    let mut steps: Vec<f64> = trajectory.t.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_by(f64::total_cmp);
    let usual = *steps.get(steps.len() / 2)?;
    let odd = steps.iter().filter(|step| (*step - usual).abs() > UNEVEN * usual).count();
    let (least, most) = (steps.first()?, steps.last()?);
    (odd > 0).then(|| {
        format!(
            "the rate is irregular: samples are {:.4} to {:.4} ms apart, mostly {:.4} ms ({odd} of {} are not); resample \
             it",
            least * 1e3,
            most * 1e3,
            usual * 1e3,
            steps.len()
        )
    })
}

/// A number to four significant digits.
fn four_digits(x: f64) -> f64 {
    format!("{x:.3e}").parse().unwrap_or(x)
}

fn range(known: &[f64]) -> Option<(f64, f64)> {
    let mut values = known.iter().copied();
    let first = values.next()?;
    Some(values.fold((first, first), |(least, most), x| (least.min(x), most.max(x))))
}
