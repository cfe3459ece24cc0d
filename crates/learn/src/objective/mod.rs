//! The cost of a model's errors on recordings, with derivatives.
//!
//! A [`Recording`] is cut into [`Window`]s. Each window is rolled out from its start and compared with the values of
//! the [`Sensor`]s. The [`Unknowns`] are parameters, weights of networks, the period of the samples and, if they are
//! free, the starts of windows. Windows of one sample give one-step errors, and windows of whole recordings give
//! rollouts. In between, with free starts and a penalty on jumps between windows, the method is multiple shooting.
//!
//! A [`Fit`] is the cost as an [`Objective`]. Its gradient comes from the adjoint of batches of windows, its
//! Gauss-Newton matrix from dual numbers, window by window.

mod linearise;
mod loss;
mod noise_law;
mod recording;
mod roll;
mod secants;
mod sensor;
mod settle;
mod starts;
mod unknowns;
mod whole_windows;

use std::sync::Arc;

use gradbody_augment::{Bound, Plan};
use gradbody_dynamics::{difference, difference_vjp, integrate, integrate_vjp};
use gradbody_experiment::Prior;
use gradbody_model::Model;
use gradbody_sim::{
    Ensemble, GradientOptions, Simulation, State, StateCotangents, StepOptions, World,
    WorldGradient,
};
use rayon::prelude::*;

use gradbody_optimise::{Objective, Penalty, Quadratic};
use loss::WindowLoss;
pub use noise_law::NoiseLaw;
pub use recording::{Recording, Window, cut};
pub use secants::Secants;
pub(crate) use secants::coarse;
pub use sensor::{Observer, Sees, Sensor, columns_of, rows_of};
pub use starts::estimate_states;
pub(crate) use unknowns::possible;
pub use unknowns::{Unknown, Unknowns};

/// Relative changes below this of a cost whose windows settle on starts of their own say nothing: starts are settled to a
/// thousandth of a window's cost.
const ROUGH: f64 = 1e-5;

/// Windows that are rolled out together: as many as the widest vectors hold.
const SIDE_BY_SIDE: usize = 8;

/// A model to be fitted to recordings.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The model before the fit.
    pub model: Model<f64>,
    /// The networks. The plan may have none.
    pub plan: Arc<Plan>,
    /// Their weights: initial values if weights are unknowns, fixed values otherwise.
    pub weights: Vec<f64>,
    /// The unknowns.
    pub unknowns: Unknowns,
    /// The measured quantities.
    pub sensors: Vec<Sensor>,
    /// The recordings.
    pub recordings: Vec<Recording>,
    /// The windows that are rolled out.
    pub windows: Vec<Window>,
    /// The start of each window, estimated from the data. A free start is an unknown offset from it.
    pub starts: Vec<State<f64>>,
    /// How the model is stepped. The time step is the period divided by [`substeps`](Fit::substeps).
    pub options: StepOptions<f64>,
    /// Steps from a sample to the next.
    pub substeps: usize,
    /// How gradients are taken.
    pub gradient: GradientOptions,
    /// Over how large changes the Gauss-Newton matrix is taken. None for derivatives.
    pub secants: Option<Secants>,
    /// Standard deviations of a jump between windows, in position and in velocity. None if jumps cost nothing.
    pub jump: Option<(f64, f64)>,
    /// The factor of half the sum of squared network weights.
    pub weight_decay: f64,
    /// L1 and group-L1 penalties over the unknowns.
    pub penalties: Vec<Penalty>,
    /// The number of windows in a part, for methods that use minibatches.
    pub windows_in_part: usize,
    bounds: Vec<(f64, f64)>,
}

/// The model and the starts that a vector of unknowns stands for.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The model.
    pub model: Model<f64>,
    /// The weights of the networks.
    pub weights: Vec<f64>,
    /// The time step [s].
    pub dt: f64,
    /// Where the windows begin.
    pub starts: Vec<State<f64>>,
}

/// What a [`Fit`] is made of.
#[derive(Clone, Debug)]
pub struct FitParts {
    /// See [`Fit::model`].
    pub model: Model<f64>,
    /// See [`Fit::plan`].
    pub plan: Arc<Plan>,
    /// See [`Fit::weights`].
    pub weights: Vec<f64>,
    /// See [`Fit::unknowns`].
    pub unknowns: Unknowns,
    /// See [`Fit::sensors`].
    pub sensors: Vec<Sensor>,
    /// See [`Fit::recordings`].
    pub recordings: Vec<Recording>,
    /// See [`Fit::windows`].
    pub windows: Vec<Window>,
    /// See [`Fit::starts`].
    pub starts: Vec<State<f64>>,
    /// How to step: see [`Fit`].
    pub options: StepOptions<f64>,
    /// See [`Fit::substeps`].
    pub substeps: usize,
}

impl Fit {
    /// A fit of independent windows, without penalties.
    pub fn new(parts: FitParts) -> Self {
        let FitParts { model, plan, weights, unknowns, sensors, recordings, .. } = parts;
        let FitParts { windows, starts, options, substeps, .. } = parts;
        let mut fit = Fit {
            model,
            plan,
            weights,
            unknowns,
            sensors,
            recordings,
            windows_in_part: windows.len(),
            windows,
            starts,
            options,
            substeps,
            gradient: GradientOptions::default(),
            secants: None,
            jump: None,
            weight_decay: 0.0,
            penalties: Vec::new(),
            bounds: Vec::new(),
        };
        fit.set_bounds();
        fit
    }

    /// Copies the bounds of the unknowns. Call it after changing them.
    pub fn set_bounds(&mut self) {
        let free = (f64::NEG_INFINITY, f64::INFINITY);
        let of = |u: &Unknown| (u.bounds.0 / u.scale, u.bounds.1 / u.scale);
        self.bounds = self.unknowns.named().map(of).collect();
        let bounded = self.bounds.iter().any(|b| *b != free);
        let n = self.len();
        if bounded {
            self.bounds.resize(n, free);
        } else {
            self.bounds.clear();
        }
    }

    /// The vector of unknowns before the fit.
    pub fn initial(&self) -> Vec<f64> {
        let mut x: Vec<f64> = self.unknowns.named().map(|u| u.initial / u.scale).collect();
        if self.unknowns.weights > 0 {
            x.extend(&self.weights);
        }
        x.resize(self.len(), 0.0);
        x
    }

    /// The model and the starts that a vector of unknowns stands for.
    pub fn candidate(&self, x: &[f64]) -> Candidate {
        let unknowns = &self.unknowns;
        let mut model = self.model.clone();
        let values = unknowns.values(x);
        unknowns
            .selection
            .apply(&mut model, &values[..unknowns.params.len()])
            .expect("an unknown for each selected number");
        let weights = match unknowns.weights {
            0 => self.weights.clone(),
            _ => x[unknowns.weights_range()].to_vec(),
        };
        let scale = unknowns.period.as_ref().map_or(1.0, |_| values[unknowns.params.len()]);
        let starts = self.starts.iter().enumerate().map(|(k, start)| {
            let mut start = start.clone();
            let at = unknowns.start_range(k);
            if !at.is_empty() {
                let (dq, dv) = x[at].split_at(model.nv());
                integrate(&model, &mut start.q, dq);
                start.v.iter_mut().zip(dv).for_each(|(v, dv)| *v += dv);
            }
            start
        });
        let starts = starts.collect();
        Candidate { model, weights, dt: self.options.dt * scale, starts }
    }

    fn options(&self, candidate: &Candidate) -> StepOptions<f64> {
        StepOptions { dt: candidate.dt, ..self.options }
    }

    /// Groups of windows that are rolled out together, as indices into [`Fit::windows`]. The windows of a group have
    /// similar lengths. With jumps, which depend on where a window ends, their lengths are equal.
    fn groups(&self, windows: &[usize]) -> Vec<Vec<usize>> {
        let mut ordered = windows.to_vec();
        ordered.sort_by_key(|k| self.windows[*k].length);
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for k in ordered {
            match groups.last_mut() {
                Some(group) if group.len() < SIDE_BY_SIDE && self.go_together(group[0], k) => {
                    group.push(k);
                }
                _ => groups.push(vec![k]),
            }
        }
        groups
    }

    /// Whether a window is not much longer than another, so that the shorter need not run on for long.
    fn go_together(&self, shorter: usize, longer: usize) -> bool {
        let [shorter, longer] = [shorter, longer].map(|k| self.windows[k].length);
        if self.jump.is_some() { shorter == longer } else { 4 * longer <= 5 * shorter }
    }

    /// Runs `each` on a group of windows at a time. None if a window diverges.
    fn each_group<R: Send>(
        &self,
        candidate: &Candidate,
        windows: &[usize],
        each: impl Fn(&Ensemble, &[World<'_>], &WindowLoss<'_>, &Bound<f64>) -> Option<R> + Sync,
    ) -> Option<Vec<(Vec<usize>, R)>> {
        let networks = Bound::new(self.plan.clone(), candidate.weights.clone()).ok()?;
        let one = |group: &[usize]| self.one_group(candidate, group, &networks, &each);
        let found: Option<Vec<_>> = self
            .groups(windows)
            .into_par_iter()
            .map(|group| match one(&group) {
                Some(found) => Some(vec![(group, found)]),
                // A short window may have diverged after its own end, beside a longer one: try each alone.
                None => group.into_iter().map(|k| Some((vec![k], one(&[k])?))).collect(),
            })
            .collect();
        Some(found?.into_iter().flatten().collect())
    }

    fn one_group<R>(
        &self,
        candidate: &Candidate,
        group: &[usize],
        networks: &Bound<f64>,
        each: &impl Fn(&Ensemble, &[World<'_>], &WindowLoss<'_>, &Bound<f64>) -> Option<R>,
    ) -> Option<R> {
        let chosen: Vec<Window> = group.iter().map(|k| self.windows[*k]).collect();
        let loss = WindowLoss {
            sensors: &self.sensors,
            recordings: &self.recordings,
            windows: &chosen,
            substeps: self.substeps,
            next: group.iter().map(|k| self.next_start(candidate, *k)).collect(),
            jump: self.jump.filter(|_| self.unknowns.start > 0),
        };
        let inputs: Vec<Vec<_>> = chosen.iter().map(|w| self.inputs(w)).collect();
        let world = |(k, inputs)| {
            let &k: &usize = k;
            let inputs: &Vec<_> = inputs;
            World { model: &candidate.model, start: &candidate.starts[k], inputs }
        };
        let worlds: Vec<World<'_>> = group.iter().zip(&inputs).map(world).collect();
        let batch = Ensemble::new(loss.longest() * self.substeps, self.options(candidate))
            .with_gradient(self.gradient);
        each(&batch, &worlds, &loss, networks)
    }

    /// The inputs of each step of a window.
    fn inputs(&self, window: &Window) -> Vec<gradbody_sim::Input<f64>> {
        let all = &self.recordings[window.recording].inputs;
        if all.is_empty() {
            return Vec::new();
        }
        let of = &all[window.first..][..window.length];
        of.iter().flat_map(|input| std::iter::repeat_n(input, self.substeps)).cloned().collect()
    }

    /// The start of the next window, if it is joined to this one and jumps cost something.
    fn next_start<'a>(&self, candidate: &'a Candidate, window: usize) -> Option<&'a State<f64>> {
        let joined =
            self.windows[window].continues && self.jump.is_some() && self.unknowns.start > 0;
        candidate.starts.get(window + 1).filter(|_| joined)
    }

    /// Number of samples of a window that count.
    fn samples(&self, window: usize) -> usize {
        self.windows[window].length + usize::from(self.sees_first(window))
    }

    fn sees_first(&self, window: usize) -> bool {
        sees_first(&self.windows, window, self.unknowns.start > 0)
    }

    /// The cost of the first sample of a window, or zero if that sample does not count. Adds its
    /// derivatives by the start and the model to `back`.
    fn first_samples(
        &self,
        candidate: &Candidate,
        window: usize,
        back: Option<(&mut StateCotangents<f64>, &mut gradbody_model::Params<f64>)>,
    ) -> f64 {
        if !self.sees_first(window) {
            return 0.0;
        }
        let Window { recording, first, .. } = self.windows[window];
        let (measured, present) = self.recordings[recording].sample(first, &self.sensors);
        let mut observer = Observer::new(&candidate.model, &self.sensors);
        let (model, state) = (&candidate.model, &candidate.starts[window]);
        let cost = observer.cost(&self.sensors, model, state, measured, present);
        if let Some(to) = back {
            observer.cost_vjp(&self.sensors, model, state, (measured, present), 1.0, to);
        }
        cost
    }

    /// The cost of priors and weight decay.
    pub fn beliefs_cost(&self, x: &[f64]) -> f64 {
        self.beliefs(x, None)
    }

    /// The cost of priors and weight decay. Adds its gradient to `gradient`.
    fn beliefs(&self, x: &[f64], mut gradient: Option<&mut [f64]>) -> f64 {
        let mut cost = 0.0;
        for (k, unknown) in self.unknowns.named().enumerate() {
            if let Some(Prior { mean, sigma }) = unknown.prior {
                let error = (x[k] * unknown.scale - mean) / sigma;
                cost += 0.5 * error * error;
                if let Some(g) = gradient.as_deref_mut() {
                    g[k] += error * unknown.scale / sigma;
                }
            }
        }
        for k in self.unknowns.weights_range() {
            cost += 0.5 * self.weight_decay * x[k] * x[k];
            if let Some(g) = gradient.as_deref_mut() {
                g[k] += self.weight_decay * x[k];
            }
        }
        cost
    }

    /// The cost of some windows, without priors and weight decay; infinite if one diverges. `wholes` says whether windows may
    /// count as wholes.
    fn cost_of(&self, candidate: &Candidate, windows: &[usize], wholes: bool) -> f64 {
        let found = self.each_group(candidate, windows, |batch, worlds, loss, networks| {
            let ran = batch.run_with::<f64>(worlds, loss, networks).ok()?;
            ran.into_iter().map(|world| Some(world.ok()?.cost)).collect::<Option<Vec<f64>>>()
        });
        let Some(groups) = found else { return f64::INFINITY };
        let first = |k: &usize| self.first_samples(candidate, *k, None);
        if wholes && self.counts_wholes() {
            let each = groups.iter().flat_map(|(group, costs)| group.iter().zip(costs));
            return each.map(|(k, cost)| self.whole(*k, cost + first(k)).0).sum();
        }
        let sums = groups.iter().map(|(_, costs)| costs.iter().sum::<f64>());
        sums.sum::<f64>() + windows.iter().map(first).sum::<f64>()
    }

    /// Adds the gradient of some windows, times `share`. Returns their cost, infinite if one diverges.
    fn gradient_of(&self, x: &[f64], windows: &[usize], share: f64, gradient: &mut [f64]) -> f64 {
        let candidate = &self.candidate(x);
        let found = self.each_group(candidate, windows, |batch, worlds, loss, networks| {
            let ran = batch.gradients_with::<f64>(worlds, loss, networks).ok()?;
            ran.into_iter().collect::<Result<Vec<_>, _>>().ok()
        });
        let Some(groups) = found else { return f64::INFINITY };
        let mut cost = 0.0;
        for (group, worlds) in groups {
            for (k, world) in group.into_iter().zip(worlds) {
                cost += self.add_window(candidate, k, world, x, share, gradient);
            }
        }
        cost
    }

    /// Adds the gradient of a window. Returns its cost.
    fn add_window(
        &self,
        candidate: &Candidate,
        window: usize,
        mut found: WorldGradient,
        x: &[f64],
        share: f64,
        gradient: &mut [f64],
    ) -> f64 {
        let unknowns = &self.unknowns;
        let to = (&mut found.start, &mut found.params);
        let cost = found.cost + self.first_samples(candidate, window, Some(to));
        let (cost, weight) = self.whole(window, cost);
        let share = share * weight;
        let by_params = unknowns.selection.gradient(&candidate.model, &found.params);
        for (k, (bar, unknown)) in by_params.into_iter().zip(&unknowns.params).enumerate() {
            gradient[k] += share * bar * unknown.scale;
        }
        if let Some(period) = &unknowns.period {
            gradient[unknowns.params.len()] += share * found.dt * self.options.dt * period.scale;
        }
        for (k, bar) in unknowns.weights_range().zip(&found.weights) {
            gradient[k] += share * bar;
        }
        let model = &candidate.model;
        let nv = model.nv();
        let at = unknowns.start_range(window);
        if !at.is_empty() {
            let mut dq_bar = vec![0.0; nv];
            integrate_vjp(model, &x[at.start..][..nv], &mut found.start.q, &mut dq_bar);
            for k in 0..nv {
                gradient[at.start + k] += share * dq_bar[k];
                gradient[at.start + nv + k] += share * found.start.v[k];
            }
        }
        // The end of this window is compared with the start of the next one.
        if let (Some(next), Some((sigma_q, sigma_v))) =
            (self.next_start(candidate, window), self.jump)
        {
            let at = unknowns.start_range(window + 1);
            let mut dq = vec![0.0; nv];
            difference(model, &next.q, &found.end.q, &mut dq);
            dq.iter_mut().for_each(|dq| *dq /= sigma_q * sigma_q);
            let (mut from_bar, mut unused) = (vec![0.0; nv], vec![0.0; nv]);
            difference_vjp(model, &next.q, &found.end.q, &dq, &mut from_bar, &mut unused);
            let mut dq_bar = vec![0.0; nv];
            integrate_vjp(model, &x[at.start..][..nv], &mut from_bar, &mut dq_bar);
            for k in 0..nv {
                gradient[at.start + k] += share * dq_bar[k];
                let dv = (found.end.v[k] - next.v[k]) / (sigma_v * sigma_v);
                gradient[at.start + nv + k] -= share * dv;
            }
        }
        cost
    }

    /// Number of errors at the samples that windows are compared with. Missing values have none.
    pub fn n_errors(&self) -> usize {
        n_errors(&self.sensors, &self.recordings, &self.windows, self.unknowns.start > 0)
    }

    /// Mean number of windows that a sample is in, over samples that are in any. Above 1 if windows overlap.
    pub fn overlap(&self) -> f64 {
        let mut often: Vec<Vec<u32>> =
            self.recordings.iter().map(|recording| vec![0; recording.samples]).collect();
        for (k, w) in self.windows.iter().enumerate() {
            let from = w.first + usize::from(!self.sees_first(k));
            often[w.recording][from..=w.first + w.length].iter_mut().for_each(|n| *n += 1);
        }
        let (sum, seen) = often
            .iter()
            .flatten()
            .filter(|n| **n > 0)
            .fold((0_u64, 0_u64), |(sum, seen), n| (sum + u64::from(*n), seen + 1));
        sum as f64 / seen.max(1) as f64
    }

    /// The cost of errors and jumps, without priors and weight decay.
    pub fn misfit(&self, x: &[f64]) -> f64 {
        if self.counts_wholes() {
            // What windows really cost, not how they count in the search.
            let all: Vec<usize> = (0..self.windows.len()).collect();
            return self.cost_of(&self.candidate(x), &all, false);
        }
        (self.cost(x) - self.beliefs_cost(x)).max(0.0)
    }

    /// Number of unknowns that could move: not held by equal bounds, and not held at zero by a penalty.
    pub fn n_free(&self, x: &[f64]) -> usize {
        let mut free: Vec<bool> = (0..self.len())
            .map(|k| self.bounds.get(k).is_none_or(|(lower, upper)| lower < upper))
            .collect();
        for group in self.penalties.iter().flat_map(|penalty| &penalty.groups) {
            if group.iter().all(|&k| x[k] == 0.0) {
                group.iter().for_each(|&k| free[k] = false);
            }
        }
        free.into_iter().filter(|free| *free).count()
    }

    /// Number of terms in the cost: errors, and jumps between windows. Priors are not counted.
    pub fn n_terms(&self) -> usize {
        let joined = self.jump.is_some() && self.unknowns.start > 0;
        let jumps = self.windows.iter().filter(|w| joined && w.continues).count();
        self.n_errors() + jumps * 2 * self.model.nv()
    }

    /// The predicted values of each window after its start, (samples, columns). None for a window that diverges.
    pub fn predictions(&self, candidate: &Candidate) -> Vec<Option<Vec<f64>>> {
        let options = self.options(candidate);
        (0..self.windows.len())
            .into_par_iter()
            .map(|k| {
                let window = &self.windows[k];
                let inputs = self.inputs(window);
                let mut taps = Bound::new(self.plan.clone(), candidate.weights.clone()).ok()?;
                let mut world = Simulation::new(&candidate.model, options)
                    .from_state(candidate.starts[k].clone());
                let mut observer = Observer::new(&candidate.model, &self.sensors);
                let none = gradbody_sim::Input::none(&candidate.model);
                let mut seen = Vec::new();
                for step in 0..window.length * self.substeps {
                    world.input.copy_from(inputs.get(step).unwrap_or(&none));
                    if world.step_with(taps.as_taps()).diverged.is_some() {
                        return None;
                    }
                    if (step + 1).is_multiple_of(self.substeps) {
                        observer.predict(&self.sensors, world.model, &world.state, &mut seen);
                    }
                }
                Some(seen)
            })
            .collect()
    }
}

/// Whether the first sample of a window counts: the start is free, and the sample is not the end of the window before.
fn sees_first(windows: &[Window], window: usize, free_starts: bool) -> bool {
    let counted = window > 0 && windows[window - 1].continues;
    free_starts && !counted
}

/// Number of errors at the samples that windows are compared with. Missing values have none.
pub(crate) fn n_errors(
    sensors: &[Sensor],
    recordings: &[Recording],
    windows: &[Window],
    free_starts: bool,
) -> usize {
    let rows: Vec<usize> = sensors.iter().map(Sensor::rows).collect();
    let of = |(k, w): (usize, &Window)| -> usize {
        let from = usize::from(!sees_first(windows, k, free_starts));
        let there = |k: usize| {
            let (_, present) = recordings[w.recording].sample(k, sensors);
            let rows = present.iter().zip(&rows).filter(|(p, _)| **p > 0.0);
            rows.map(|(_, rows)| *rows).sum::<usize>()
        };
        (w.first + from..=w.first + w.length).map(there).sum()
    };
    windows.iter().enumerate().map(of).sum()
}

impl Objective for Fit {
    fn len(&self) -> usize {
        self.unknowns.start_range(self.windows.len()).start
    }

    fn cost(&self, x: &[f64]) -> f64 {
        let all: Vec<usize> = (0..self.windows.len()).collect();
        self.cost_of(&self.candidate(x), &all, true) + self.beliefs(x, None)
    }

    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let all: Vec<usize> = (0..self.windows.len()).collect();
        self.gradient_of(x, &all, 1.0, gradient) + self.beliefs(x, Some(gradient))
    }

    fn quadratic(&self, x: &[f64]) -> Option<Quadratic> {
        self.linearise(x)
    }

    fn settle_blocks(&self, from: &[f64], to: &mut [f64], attempt: u64) -> bool {
        (attempt > 0 || self.counts_wholes()) && self.settle(from, to, attempt)
    }

    fn resolution(&self) -> f64 {
        if self.counts_wholes() { ROUGH } else { 0.0 }
    }

    fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }

    fn parts(&self) -> usize {
        self.windows.len().div_ceil(self.windows_in_part.max(1)).max(1)
    }

    fn part_gradient(&self, part: usize, x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        // Every n-th window, so that each part has windows of all recordings.
        let windows: Vec<usize> = (part..self.windows.len()).step_by(self.parts()).collect();
        let share = self.windows.len() as f64 / windows.len().max(1) as f64;
        share * self.gradient_of(x, &windows, share, gradient) + self.beliefs(x, Some(gradient))
    }

    fn penalties(&self) -> &[Penalty] {
        &self.penalties
    }
}
