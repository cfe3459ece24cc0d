//! What a person should know of an experiment before it is run.

use super::Starts;
use super::setup::{Part, Setup};
use crate::objective::Fit;
use crate::responses::range;
use gradbody_data::fold;
use gradbody_data::suggest::list;
use gradbody_optimise::Objective as _;

impl Setup {
    /// What looks odd in the data, and what is not done as asked for, a sentence each.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = fold(&self.doubts);
        notes.extend(self.unused_note());
        notes.extend(self.limit_notes());
        notes.extend(self.window_note());
        notes.extend(self.horizon_notes());
        notes.extend(self.too_few_note());
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

    /// Of joints that were measured beyond their limits: there the model meets a stop that the robot has not.
    fn limit_notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (link, joint) in self.model.topology.links.iter().zip(&self.model.params.joints) {
            let (lower, upper) = (joint.limit_lower, joint.limit_upper);
            let name = format!("joint/{}/position", link.joint.name);
            let Some((low, high)) = range(self, &name) else { continue };
            // As far as noise may go.
            let slack = 0.02 * (high - low);
            if low < lower - slack || high > upper + slack {
                notes.push(format!(
                    "joint \"{}\" was measured from {low:.3} to {high:.3}, but in the model it ends at {lower:.3} and \
                     {upper:.3}: change the limits, or how the channel is read",
                    link.joint.name
                ));
            }
        }
        notes
    }

    fn window_note(&self) -> Option<String> {
        let asked = self.experiment.objective.window?;
        let longest = self.part(Part::Train).iter().map(|r| r.samples).max()?;
        (asked > longest.saturating_sub(1)).then(|| {
            format!(
                "objective.window = {asked}, but the longest recording has {longest} samples: windows are whole recordings"
            )
        })
    }

    /// Of parts that are too short to be predicted as far as asked for; of those that are as short, one.
    fn horizon_notes(&self) -> Vec<String> {
        let options = &self.experiment.prediction;
        let given = options.warm_up.max(1);
        let mut short: Vec<(usize, Vec<String>)> = Vec::new();
        for part in Part::ALL {
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

    /// Of the first stage that has more unknowns than numbers were measured.
    fn too_few_note(&self) -> Option<String> {
        let weights = self.plan.initial_weights();
        let parameters = self.fit(Part::Train, None).ok();
        let networks = (!weights.is_empty()).then(|| self.fit(Part::Train, Some(&weights)).ok());
        let few = |fit: &Fit| fit.n_terms() < fit.len();
        let fit = [parameters, networks.flatten()].into_iter().flatten().find(few)?;
        let starts = match self.experiment.change.starts {
            Starts::Free => format!(", the starts of {} windows", fit.windows.len()),
            Starts::Measured => String::new(),
        };
        let weights = match fit.unknowns.weights {
            0 => String::new(),
            n => format!(", {n} weights"),
        };
        Some(format!(
            "{} unknowns ({} parameters{weights}{starts}) for {} measured numbers: the data cannot tell them all; longer \
             windows have fewer starts",
            fit.len(),
            fit.unknowns.named().count(),
            fit.n_terms()
        ))
    }
}
