//! The cost of windows as the loss of a rollout, several windows side by side.

use gradbody_dynamics::{difference, difference_vjp};
use gradbody_math::Scalar;
use gradbody_model::Model;
use gradbody_sim::{BatchLoss, Loss, LossCotangents, Moment, State, in_lanes};

use super::sensor::{Observer, Sensor, columns_of};
use super::{Recording, Window};

/// The loss of windows: the errors at their samples, and the jump to the start of the next one.
pub(super) struct WindowLoss<'a> {
    pub(super) sensors: &'a [Sensor],
    pub(super) recordings: &'a [Recording],
    pub(super) windows: &'a [Window],
    pub(super) substeps: usize,
    /// For each window, the start of the next one if they are joined.
    pub(super) next: Vec<Option<&'a State<f64>>>,
    /// Standard deviations of a jump between windows, in position and in velocity.
    pub(super) jump: Option<(f64, f64)>,
}

impl WindowLoss<'_> {
    /// The length of the longest window [samples].
    pub(super) fn longest(&self) -> usize {
        self.windows.iter().map(|w| w.length).max().unwrap_or(0)
    }
}

impl BatchLoss for WindowLoss<'_> {
    type Loss<S: Scalar> = SideBySide<S>;

    fn for_worlds<S: Scalar>(&self, model: &Model<S>, worlds: &[usize]) -> SideBySide<S> {
        let (columns, n) = (columns_of(self.sensors), self.sensors.len());
        let longest = self.longest();
        let mut measured = Vec::with_capacity(longest * columns);
        let mut present = Vec::with_capacity(longest * n);
        let of = |world: usize, sample: usize| {
            let window = &self.windows[world];
            let within = sample <= window.length;
            let recording = &self.recordings[window.recording];
            within.then(|| recording.sample(window.first + sample, self.sensors))
        };
        for sample in 1..=longest {
            for k in 0..columns {
                measured.push(in_lanes(worlds, |w| of(w, sample).map_or(0.0, |(m, _)| m[k])));
            }
            for k in 0..n {
                present.push(in_lanes(worlds, |w| of(w, sample).map_or(0.0, |(_, p)| p[k])));
            }
        }
        let number = |f: &dyn Fn(&State<f64>) -> f64, world: usize| self.next[world].map_or(0.0, f);
        let jump = self.jump.map(|(position, velocity)| Jump {
            q: (0..model.nq())
                .map(|k| {
                    let neutral = model.neutral()[k].lane(0);
                    in_lanes(worlds, |w| self.next[w].map_or(neutral, |s| s.q[k]))
                })
                .collect(),
            v: (0..model.nv()).map(|k| in_lanes(worlds, |w| number(&|s| s.v[k], w))).collect(),
            weights: [position, velocity].map(|sigma| {
                in_lanes(worlds, |w| if self.next[w].is_some() { 1.0 / sigma } else { 0.0 })
            }),
            dq: vec![S::ZERO; model.nv()],
            unused: vec![S::ZERO; model.nv()],
        });
        SideBySide {
            sensors: self.sensors.to_vec(),
            observer: Observer::new(model, self.sensors),
            measured,
            present,
            substeps: self.substeps,
            jump,
        }
    }
}

/// The loss of several windows, one in each lane.
pub(super) struct SideBySide<S> {
    sensors: Vec<Sensor>,
    observer: Observer<S>,
    measured: Vec<S>,
    present: Vec<S>,
    substeps: usize,
    jump: Option<Jump<S>>,
}

/// Where the next window begins.
struct Jump<S> {
    q: Vec<S>,
    v: Vec<S>,
    weights: [S; 2],
    dq: Vec<S>,
    unused: Vec<S>,
}

impl<S: Scalar> SideBySide<S> {
    /// The sample at a moment, counted from the first after the start. None between samples.
    fn sample(&self, at: &Moment<'_, S>) -> Option<usize> {
        (at.step + 1).is_multiple_of(self.substeps).then(|| (at.step + 1) / self.substeps - 1)
    }
}

impl<S: Scalar> Loss<S> for SideBySide<S> {
    fn cost(&mut self, at: &Moment<'_, S>) -> S {
        let mut sum = S::ZERO;
        if let Some(k) = self.sample(at) {
            let (columns, n) = (columns_of(&self.sensors), self.sensors.len());
            let (measured, present) = (&self.measured[k * columns..], &self.present[k * n..]);
            sum = self.observer.cost(&self.sensors, at.model, at.state, measured, present);
        }
        if at.is_last()
            && let Some(jump) = &mut self.jump
        {
            difference(at.model, &jump.q, &at.state.q, &mut jump.dq);
            let half = S::from_f64(0.5);
            for (k, dq) in jump.dq.iter().enumerate() {
                sum += (*dq * jump.weights[0]).squared() * half;
                sum += ((at.state.v[k] - jump.v[k]) * jump.weights[1]).squared() * half;
            }
        }
        sum
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, bar: S, bars: &mut LossCotangents<'_, S>) {
        if let Some(k) = self.sample(at) {
            let (columns, n) = (columns_of(&self.sensors), self.sensors.len());
            let sample = (&self.measured[k * columns..], &self.present[k * n..]);
            let to = (&mut *bars.state, &mut *bars.params);
            self.observer.cost_vjp(&self.sensors, at.model, at.state, sample, bar, to);
        }
        if at.is_last()
            && let Some(jump) = &mut self.jump
        {
            difference(at.model, &jump.q, &at.state.q, &mut jump.dq);
            for (k, dq) in jump.dq.iter_mut().enumerate() {
                *dq = *dq * jump.weights[0].squared() * bar;
                let dv = at.state.v[k] - jump.v[k];
                bars.state.v[k] += dv * jump.weights[1].squared() * bar;
            }
            let (from, to) = (&jump.q, &at.state.q);
            difference_vjp(at.model, from, to, &jump.dq, &mut jump.unused, &mut bars.state.q);
        }
    }
}
