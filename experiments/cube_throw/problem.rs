//! The fit of the cube's numbers and of a network's weights to tosses.

use std::sync::Arc;

use anyhow::Context as _;
use gradbody::augment::{Blueprint, Bound, Plan, bind};
use gradbody::learn::objective::{Fit, FitParts, NoiseLaw, Unknowns, Window};
use gradbody::model::{FrameId, Model, Selection};

use super::cube::{Law, Number, scene};
use super::factors::Factors;
use super::tosses::{Toss, recording, sensors};

/// A contact law with its identifiable numbers and networks.
#[derive(Clone)]
pub(super) struct Problem {
    pub(super) model: Model<f64>,
    pub(super) law: Law,
    pub(super) numbers: Vec<Number>,
    pub(super) plan: Arc<Plan>,
    pub(super) weights: Vec<f64>,
    frame: FrameId,
}

/// Which frames of a toss are simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stretch {
    /// All.
    Whole,
    /// Up to this number of frames after the first touch.
    Impact(usize),
    /// The frames of `Impact(impact)`, then windows of `window` frames from measured states while the cube moves.
    Everything { impact: usize, window: usize },
}

impl Problem {
    pub(super) fn new(
        law: Law,
        numbers: Vec<Number>,
        networks: &Blueprint,
    ) -> anyhow::Result<Self> {
        let model = scene()?;
        let plan = Arc::new(bind(networks, &model, &law.options().contact)?);
        let frame =
            model.topology.frame("cube").context("the model of the cube has no frame \"cube\"")?;
        Ok(Problem { weights: plan.initial_weights(), model, law, numbers, plan, frame })
    }

    /// The parameters of a fit, from the logarithms of factors and the weights.
    pub(super) fn numbers_of(&self, z: &[f64]) -> anyhow::Result<Vec<f64>> {
        let fit = self.fit(&[], Stretch::Whole, NoiseLaw::Gaussian)?;
        Ok(Factors::new(&fit, &self.numbers).spread(z))
    }

    /// The fit to stretches of tosses.
    pub(super) fn fit(
        &self,
        tosses: &[Toss],
        stretch: Stretch,
        noise: NoiseLaw,
    ) -> anyhow::Result<Fit> {
        let paths = self.numbers.iter().flat_map(|number| number.paths);
        let mut unknowns = Unknowns::of(&self.model, Selection::of(&self.model, paths)?);
        unknowns.weights = self.weights.len();
        let networks = Bound::new(self.plan.clone(), self.weights.clone())?;
        let (mut windows, mut starts) = (Vec::new(), Vec::new());
        for (recording, toss) in tosses.iter().enumerate() {
            for (first, length) in stretch.of(toss) {
                let start = if first == 0 { Some(toss.start()) } else { toss.state(first) };
                let Some(mut start) = start else { continue };
                networks.begin(&mut start);
                starts.push(start);
                windows.push(Window { recording, first, length, continues: false });
            }
        }
        Ok(Fit::new(FitParts {
            model: self.model.clone(),
            plan: self.plan.clone(),
            weights: self.weights.clone(),
            unknowns,
            sensors: sensors(self.frame, noise),
            recordings: tosses.iter().map(recording).collect(),
            windows,
            starts,
            options: self.law.options(),
            substeps: self.law.substeps(),
        }))
    }
}

impl Stretch {
    /// First frame and number of frames of each window.
    fn of(self, toss: &Toss) -> Vec<(usize, usize)> {
        let whole = toss.states.len() - 1;
        match self {
            Stretch::Whole => vec![(0, whole)],
            Stretch::Impact(frames) => vec![(0, (toss.touch + frames).min(whole))],
            Stretch::Everything { impact, window } => {
                let later = (toss.touch + impact / 2..toss.last_motion()).step_by(window / 2);
                let later =
                    later.filter(|first| first + window <= whole).map(|first| (first, window));
                Stretch::Impact(impact).of(toss).into_iter().chain(later).collect()
            }
        }
    }
}
