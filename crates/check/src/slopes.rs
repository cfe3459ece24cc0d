//! Derivatives by dual numbers: many directions in one rollout, one direction in each lane.

use gradbody_math::{Dual, Scalar};
use gradbody_model::Model;
use gradbody_sim::{DualKernel, LinearAbout, Simulated, State, run_widest_duals};
use rayon::prelude::*;

use crate::case::Case;
use crate::group::Group;
use crate::watch::{Stop, Watch};

/// A function of a model and of the last state of its motion, for any scalar type.
pub trait Probe: Sync {
    /// Its value.
    fn value<S: Scalar>(&self, model: &Model<S>, end: &State<S>) -> S;
}

impl Probe for LinearAbout<f64> {
    fn value<S: Scalar>(&self, model: &Model<S>, end: &State<S>) -> S {
        self.cast().value(model, end)
    }
}

impl Case {
    /// The derivative of a probe in the direction of each group, by dual numbers.
    pub fn slopes(
        &self,
        probe: &impl Probe,
        groups: &[Group],
        watch: &dyn Watch,
    ) -> Result<Vec<f64>, Stop> {
        let slopes: Result<Vec<_>, Stop> = groups
            .par_chunks(directions_at_once())
            .map(|groups| run_widest_duals(Slopes { case: self, probe, groups, watch }))
            .collect();
        Ok(slopes?.into_iter().flatten().collect())
    }
}

/// Number of directions that one rollout of dual numbers follows.
pub(crate) fn directions_at_once() -> usize {
    struct Lanes;
    impl DualKernel for Lanes {
        type Output = usize;
        fn run<S: Simulated>(self) -> usize
        where
            Dual<S, 1>: Simulated,
        {
            S::LANES
        }
    }
    run_widest_duals(Lanes)
}

/// Zero, which moves with the direction that this lane follows.
pub(crate) fn variable_in_lane<S: Simulated>(lane: usize) -> Dual<S, 1> {
    Dual { re: S::ZERO, eps: [S::from_lanes(|l| if l == lane { 1.0 } else { 0.0 })] }
}

/// The derivative of a probe by each of a few groups.
struct Slopes<'a, P> {
    case: &'a Case,
    probe: &'a P,
    groups: &'a [Group],
    watch: &'a dyn Watch,
}

impl<P: Probe> DualKernel for Slopes<'_, P> {
    type Output = Result<Vec<f64>, Stop>;

    fn run<S: Simulated>(self) -> Self::Output
    where
        Dual<S, 1>: Simulated,
    {
        let Slopes { case, probe, groups, watch } = self;
        let changes: Vec<(&Group, Dual<S, 1>)> = (groups.iter().enumerate())
            .map(|(lane, group)| (group, variable_in_lane(lane)))
            .collect();
        let world = case.world(&changes);
        let run = world.roll(watch, |_, _| {})?;
        let [slope] = probe.value(&world.model, &run.end).eps;
        Ok((0..groups.len()).map(|lane| slope.lane(lane)).collect())
    }
}
