//! How a small change of the start grows, step by step, and how long differences follow it.
//!
//! J is the derivative of the state after each step with respect to the start. It is sampled in a few random directions
//! u of length one: the mean of n |J u|² over all directions is |J|² (Frobenius), where n is the size of a state.

use gradbody_math::Dual;
use gradbody_sim::{DualKernel, Simulated, State, run_widest_duals};
use rayon::prelude::*;

use crate::case::Case;
use crate::changed::Changes;
use crate::group::Group;
use crate::slopes::{directions_at_once, variable_in_lane};
use crate::watch::{Stop, Watch};
use crate::world::between;
use gradbody_math::random::{Random, SplitMix64};

/// Directions that are followed.
const DIRECTIONS: usize = 8;
/// Directions in which differences are taken, too, and the steps of those.
const COMPARED: usize = 2;
const STEPS: [f64; 4] = [1e-5, 1e-6, 1e-7, 1e-8];
/// Differences that are off by more than this share no longer follow the duals.
const FOLLOW: f64 = 1e-2;

/// How a small change of the start grows through time.
#[derive(Clone, Debug)]
pub struct Sensitivity {
    /// Estimate of |J| after each step, (steps). J is the derivative of the state with respect to the start.
    pub norms: Vec<f64>,
    /// Relative error of the best differences after each step, (steps).
    pub errors: Vec<f64>,
    /// The first step from which on differences never follow the duals again.
    pub lost_at: Option<usize>,
}

/// Number of rollouts, for a progress bar.
pub(crate) fn rollouts() -> usize {
    1 + DIRECTIONS.div_ceil(directions_at_once()) + 2 * COMPARED * STEPS.len()
}

/// Measures the sensitivity of a case.
pub(crate) fn look(
    case: &Case,
    random: &mut Random<SplitMix64>,
    watch: &dyn Watch,
) -> Result<Sensitivity, Stop> {
    let directions: Vec<Vec<Group>> =
        (0..DIRECTIONS).map(|_| Group::state_direction(&case.model, random)).collect();
    let mut states: Vec<State<f64>> = Vec::with_capacity(case.steps());
    case.world::<f64>(&[]).roll(watch, |_, state| states.push(state.clone()))?;
    let followed: Result<Vec<Vec<Followed>>, Stop> = directions
        .par_chunks(directions_at_once())
        .map(|directions| run_widest_duals(Follow { case, directions, states: &states, watch }))
        .collect();
    let followed: Vec<Followed> = followed?.into_iter().flatten().collect();
    let norms = (0..case.steps()).map(|k| {
        let square = |tangent: &Vec<f64>| tangent.iter().map(|x| x * x).sum::<f64>();
        let squares: f64 = followed.iter().map(|Followed(ways)| square(&ways[k])).sum();
        let size = followed[0].0[k].len() as f64;
        (size * squares / directions.len() as f64).sqrt()
    });
    let tangents = followed.iter().take(COMPARED).map(|Followed(ways)| ways);
    let mut errors = vec![0.0_f64; case.steps()];
    for (groups, tangents) in directions.iter().zip(tangents) {
        let best = best_differences(case, groups, &states, tangents, watch)?;
        errors.iter_mut().zip(best).for_each(|(error, best)| *error = error.max(best));
    }
    let lost_at = match errors.iter().rposition(|error| *error <= FOLLOW) {
        Some(last) if last + 1 < errors.len() => Some(last + 1),
        Some(_) => None,
        None => (!errors.is_empty()).then_some(0),
    };
    Ok(Sensitivity { norms: norms.collect(), errors, lost_at })
}

/// J u of one direction u, after each step.
struct Followed(Vec<Vec<f64>>);

/// Follows some directions, with duals: a direction a lane.
struct Follow<'a> {
    case: &'a Case,
    directions: &'a [Vec<Group>],
    states: &'a [State<f64>],
    watch: &'a dyn Watch,
}

impl DualKernel for Follow<'_> {
    type Output = Result<Vec<Followed>, Stop>;

    fn run<S: Simulated>(self) -> Self::Output
    where
        Dual<S, 1>: Simulated,
    {
        let Follow { case, directions, states, watch } = self;
        let changes: Vec<(&Group, Dual<S, 1>)> = (directions.iter().enumerate())
            .flat_map(|(lane, groups)| groups.iter().map(move |g| (g, variable_in_lane(lane))))
            .collect();
        let mut followed: Vec<Followed> =
            directions.iter().map(|_| Followed(Vec::with_capacity(states.len()))).collect();
        let world = case.world(&changes);
        world.roll(watch, |k, state| {
            let way = between(&world.model, &states[k].cast(), state);
            for (lane, Followed(ways)) in followed.iter_mut().enumerate() {
                ways.push(way.iter().map(|x| x.eps[0].lane(lane)).collect());
            }
        })?;
        Ok(followed)
    }
}

/// Relative error of differences in one direction after each step, with the best of several step sizes.
fn best_differences(
    case: &Case,
    groups: &[Group],
    states: &[State<f64>],
    tangents: &[Vec<f64>],
    watch: &dyn Watch,
) -> Result<Vec<f64>, Stop> {
    let by = |t: f64| -> Changes<'_> { groups.iter().map(|group| (group, t)).collect() };
    let worlds: Vec<Changes<'_>> = STEPS.into_iter().flat_map(|h| [by(h), by(-h)]).collect();
    let found = case.roll_changed(&worlds, states, watch)?;
    let mut best = vec![f64::INFINITY; states.len()];
    for (h, pair) in STEPS.into_iter().zip(found.chunks(2)) {
        // A rollout that diverges has no differences from there on.
        let (up, down) = (&pair[0].ways, &pair[1].ways);
        for (k, (up, down)) in up.iter().zip(down).enumerate() {
            let (mut off, mut size) = (0.0, 0.0);
            for ((up, down), slope) in up.iter().zip(down).zip(&tangents[k]) {
                off += ((up - down) / (2.0 * h) - slope).powi(2);
                size += slope * slope;
            }
            // A change that has vanished cannot be followed.
            let error = if off == 0.0 { 0.0 } else { (off / size).sqrt() };
            best[k] = best[k].min(error);
        }
    }
    Ok(best)
}

impl Sensitivity {
    /// The largest of the norms, and its step.
    pub(crate) fn peak(&self) -> (usize, f64) {
        let norms = self.norms.iter().copied().enumerate();
        norms.fold((0, 0.0), |most, at| if at.1 > most.1 { at } else { most })
    }

    /// The first step at which a change of the start has grown this many times.
    pub(crate) fn first_above(&self, times: f64) -> Option<usize> {
        self.norms.iter().position(|norm| *norm > times)
    }
}
