//! Warnings about an experiment before it is run.

use std::ops::RangeInclusive;

use super::Starts;
use super::setup::{DataPart, Setup};
use crate::objective::{NoiseLaw, Recording, n_errors, outliers};
use crate::responses::range;
use gradbody_data::fold;
use gradbody_data::process::Split;
use gradbody_math::names::list;

/// Fewer outliers of a channel than this are not told.
const FEW: usize = 3;
/// Nor are they if so small a share of its samples seem to be outliers, or so many that they are something else.
const OUTLIERS: RangeInclusive<f64> = 0.001..=0.25;

impl Setup {
    /// One sentence for each oddity in the data, and for each setting that cannot be followed.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = fold(&self.doubts);
        notes.extend(self.unused_note());
        notes.extend(self.left_out_note());
        notes.extend(self.limit_notes());
        notes.extend(self.friction_note());
        notes.extend(self.idle_notes());
        notes.extend(self.outliers_note());
        notes.extend(self.window_note());
        notes.extend(self.horizon_notes());
        notes.extend(self.too_few_note());
        notes.extend(self.held_out_note());
        notes
    }

    fn unused_note(&self) -> Option<String> {
        let (columns, are) = match self.unused.len() {
            0 => return None,
            1 => ("the column", "is"),
            _ => ("the columns", "are"),
        };
        let names = list(self.unused.iter().map(String::as_str));
        Some(format!(
            "{columns} {names} {are} not used; what acts on the robot must be among [channels]"
        ))
    }

    /// Recordings that fractions of a sum below one leave out. A split by name says itself which they are.
    fn left_out_note(&self) -> Option<String> {
        let Some(Split::Fractions(_)) = self.experiment.data.split else { return None };
        let used: usize = DataPart::ALL.iter().map(|part| self.part(*part).len()).sum();
        let names = list(self.left_out.iter().map(String::as_str));
        match self.left_out.len() {
            0 => None,
            1 => Some(format!("the recording {names} is in no part of the split and is not used")),
            n => Some(format!(
                "{n} recordings ({names}) are in no part of the split and are not used; {used} are"
            )),
        }
    }

    /// Joints that were measured beyond their limits, where the model hits a stop that the robot does not have.
    fn limit_notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (link, joint) in self.model.topology.links.iter().zip(&self.model.params.joints) {
            let (lower, upper) = (joint.limit_lower, joint.limit_upper);
            let name = format!("joint/{}/position", link.joint.name);
            let Some((low, high)) = range(self, &name) else { continue };
            // Noise may exceed the limits a little.
            let slack = 0.02 * (high - low);
            if low < lower - slack || high > upper + slack {
                notes.push(format!(
                    "joint \"{}\" was measured from {low:.3} to {high:.3}, but its limits in the model are {lower:.3} and \
                     {upper:.3}: change the limits, or the channel's unit or scale",
                    link.joint.name
                ));
            }
        }
        notes
    }

    /// Channels with outliers that count by their square. Only those whose noise is given are looked at.
    fn outliers_note(&self) -> Option<String> {
        let recordings = self.part(DataPart::Train);
        let share = |index: usize| -> Option<(&str, f64)> {
            let sensor = &self.sensors[index];
            if sensor.law != NoiseLaw::Gaussian || sensor.estimated {
                return None;
            }
            let of = |recording: &Recording| outliers(&self.sensors, recording, index).len();
            let found: usize = recordings.iter().map(of).sum();
            let samples: usize = recordings.iter().map(|recording| recording.samples).sum();
            let share = found as f64 / samples.max(1) as f64;
            (found >= FEW && OUTLIERS.contains(&share)).then_some((sensor.name.as_str(), share))
        };
        let found: Vec<(&str, f64)> = (0..self.sensors.len()).filter_map(share).collect();
        let most = found.iter().fold(0.0, |most: f64, (_, share)| most.max(*share));
        (!found.is_empty()).then(|| {
            format!(
                "{}: up to {:.1} % of the samples are more than six standard deviations of their noise away from where the \
                 samples before and after them are. If they are outliers, give their channels a loss that leaves outliers \
                 out, loss = {{ tukey = 7 }}; if they are not, the noise is larger than it says",
                list(found.iter().map(|(name, _)| *name)),
                100.0 * most
            )
        })
    }

    fn window_note(&self) -> Option<String> {
        let asked = self.experiment.objective.window?;
        let longest = self.part(DataPart::Train).iter().map(|r| r.samples).max()?;
        (asked > longest.saturating_sub(1)).then(|| {
            format!(
                "objective.window = {asked}, but the longest recording has {longest} samples: windows are whole recordings"
            )
        })
    }

    /// Parts whose recordings are shorter than the prediction asked for. Parts of equal length share a note.
    fn horizon_notes(&self) -> Vec<String> {
        let options = &self.experiment.prediction;
        let given = options.warm_up.max(1);
        let mut short: Vec<(usize, Vec<String>)> = Vec::new();
        for part in DataPart::ALL {
            let Some(longest) = self.part(part).iter().map(|r| r.samples).max() else { continue };
            let most = longest.saturating_sub(given);
            if most > 0 && options.horizon.is_none_or(|asked| asked <= most) {
                continue;
            }
            let name = format!("\"{}\"", part.name());
            match short.iter_mut().find(|(samples, _)| *samples == longest) {
                Some((_, parts)) => parts.push(name),
                None => short.push((longest, vec![name])),
            }
        }
        let note = |(longest, parts): (usize, Vec<String>)| {
            let parts = match parts.len() {
                1 => format!("the part {}", parts[0]),
                _ => format!("the parts {}", parts.join(", ")),
            };
            match (longest.saturating_sub(given), options.horizon) {
                (most @ 1.., Some(asked)) => format!(
                    "prediction.horizon = {asked}, but recordings of {parts} have {longest} samples at most: {most} are \
                     predicted after the first {given}"
                ),
                _ => format!(
                    "nothing of {parts} is predicted: prediction.warm-up = {given}, and recordings have {longest} \
                     samples at most"
                ),
            }
        };
        short.into_iter().map(note).collect()
    }

    /// A warning if all recordings are used for training.
    fn held_out_note(&self) -> Option<String> {
        let held_out = [DataPart::Validation, DataPart::Test].map(|part| self.part(part).len());
        (held_out == [0, 0]).then(|| {
            "no recording is held out: errors are on the training data, and do not show how well new motion is \
             predicted; with several recordings, give [data] a split"
                .to_owned()
        })
    }

    /// A warning about the first stage that has more unknowns than measured numbers.
    fn too_few_note(&self) -> Option<String> {
        let windows = self.windows(DataPart::Train).ok()?;
        let named = self.unknowns().ok()?.named().count();
        let free = self.experiment.change.starts == Starts::Free;
        let nv = self.model.nv();
        let joined = free && self.experiment.objective.jump.is_some();
        let jumps = windows.iter().filter(|w| joined && w.continues).count();
        let measured =
            n_errors(&self.sensors, self.part(DataPart::Train), &windows, free) + jumps * 2 * nv;
        let starts = if free { windows.len() * 2 * nv } else { 0 };
        let in_all = |weights: usize| named + weights + starts;
        let weights = [0, self.plan.n_weights()].into_iter().find(|w| measured < in_all(*w))?;
        let started = match free {
            true => format!(", the starts of {} windows", windows.len()),
            false => String::new(),
        };
        let with = match weights {
            0 => String::new(),
            n => format!(", {n} weights"),
        };
        let advice = if free { "; longer windows have fewer starts" } else { "" };
        Some(format!(
            "{} unknowns ({named} parameters{with}{started}) for {measured} measured numbers: the data cannot determine \
             them all{advice}",
            in_all(weights),
        ))
    }
}
