//! How a small change of the start grows, step by step, and how long differences follow it.
//!
//! The derivative of the state after each step by the start, J, is seen in a few random directions u of
//! length one: the mean of n |J u|² over all directions is |J|² (Frobenius), n being the size of a state.

use gradbody::sim::State;
use rayon::prelude::*;

use super::case::Case;
use super::changed::Changes;
use super::compare::{AT_ONCE, Dual4};
use super::groups::Group;
use super::random::Random;
use super::watch::{Stop, Watch};

/// Dual rollouts, each of [`AT_ONCE`] directions.
const PASSES: usize = 2;
/// Directions in which differences are taken, too, and the steps of those.
const COMPARED: usize = 2;
const STEPS: [f64; 4] = [1e-5, 1e-6, 1e-7, 1e-8];
/// Differences that are off by more than this share no longer follow the duals.
const FOLLOW: f64 = 1e-2;

/// What was seen.
pub(super) struct Sensitivity {
    /// About |J| after each step.
    pub(super) norms: Vec<f64>,
    /// By what share the best differences are off, after each step.
    pub(super) errors: Vec<f64>,
    /// The first step from which on differences never follow the duals again.
    pub(super) lost_at: Option<usize>,
}

/// How many rollouts it takes, for a progress bar.
pub(super) const ROLLOUTS: u64 = (1 + PASSES + 2 * COMPARED * STEPS.len()) as u64;

/// Looks at a case.
pub(super) fn look(case: &Case, random: &mut Random, watch: &Watch) -> Result<Sensitivity, Stop> {
    let directions: Vec<Vec<Group>> =
        (0..PASSES * AT_ONCE).map(|_| Group::state_direction(&case.model, random)).collect();
    let mut states: Vec<State<f64>> = Vec::with_capacity(case.steps());
    case.roll::<f64>(&[], watch, |_, state| states.push(state.clone()))?;
    let passes: Vec<&[Vec<Group>]> = directions.chunks(AT_ONCE).collect();
    let followed: Result<Vec<Followed>, Stop> =
        passes.into_par_iter().map(|some| follow(case, some, &states, watch)).collect();
    let followed = followed?;
    let norms = (0..case.steps()).map(|k| {
        let squares: f64 = followed.iter().map(|pass| pass.squares[k]).sum();
        (squares / directions.len() as f64).sqrt()
    });
    let tangents = (0..COMPARED).map(|i| &followed[i / AT_ONCE].tangents[i % AT_ONCE]);
    let mut errors = vec![0.0_f64; case.steps()];
    for (groups, tangents) in directions.iter().zip(tangents) {
        let best = best_differences(case, groups, &states, tangents, watch)?;
        errors.iter_mut().zip(best).for_each(|(error, best)| *error = error.max(best));
    }
    let lost_at = match errors.iter().rposition(|error| *error <= FOLLOW) {
        Some(last) if last + 1 < errors.len() => Some(last + 1),
        Some(_) => None,
        None => Some(0),
    };
    Ok(Sensitivity { norms: norms.collect(), errors, lost_at })
}

/// What one dual rollout sees.
struct Followed {
    /// n Σ |J u|² over its directions, after each step.
    squares: Vec<f64>,
    /// J u of each direction, after each step.
    tangents: [Vec<Vec<f64>>; AT_ONCE],
}

/// Follows some directions, with duals.
fn follow(
    case: &Case,
    directions: &[Vec<Group>],
    states: &[State<f64>],
    watch: &Watch,
) -> Result<Followed, Stop> {
    let model = case.model.cast::<Dual4>();
    let changes: Vec<(&Group, Dual4)> = directions
        .iter()
        .enumerate()
        .flat_map(|(i, groups)| groups.iter().map(move |g| (g, Dual4::variable(0.0, i))))
        .collect();
    let mut seen = Followed { squares: Vec::new(), tangents: Default::default() };
    case.roll(&changes, watch, |k, state| {
        let way = Case::between(&model, &states[k].cast(), state);
        let squares = way.iter().flat_map(|x| x.eps).map(|e| e * e).sum::<f64>();
        seen.squares.push(way.len() as f64 * squares);
        for (i, tangents) in seen.tangents.iter_mut().enumerate() {
            tangents.push(way.iter().map(|x| x.eps[i]).collect::<Vec<f64>>());
        }
    })?;
    Ok(seen)
}

/// After each step, by what share differences are off in one direction, with the best of several steps.
fn best_differences(
    case: &Case,
    groups: &[Group],
    states: &[State<f64>],
    tangents: &[Vec<f64>],
    watch: &Watch,
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
            // Where nothing is left of a change there is nothing to follow.
            let error = if off == 0.0 { 0.0 } else { (off / size).sqrt() };
            best[k] = best[k].min(error);
        }
    }
    Ok(best)
}

impl Sensitivity {
    /// The largest of the norms, and its step.
    pub(super) fn peak(&self) -> (usize, f64) {
        let norms = self.norms.iter().copied().enumerate();
        norms.fold((0, 0.0), |most, at| if at.1 > most.1 { at } else { most })
    }

    /// The first step at which a change of the start has grown this many times.
    pub(super) fn first_above(&self, times: f64) -> Option<usize> {
        self.norms.iter().position(|norm| *norm > times)
    }
}
