//! A loss that is one number.

use gradbody::dynamics::{difference, difference_vjp};
use gradbody::sim::{Loss, LossCotangents, Moment};

/// One number of the last state.
pub(crate) struct Component {
    pub(crate) coordinate: usize,
    pub(crate) of_velocity: bool,
}

impl Loss<f64> for Component {
    fn cost(&mut self, at: &Moment<'_, f64>) -> f64 {
        let mut dq = vec![0.0; at.model.nv()];
        difference(at.model, &at.model.neutral(), &at.state.q, &mut dq);
        match (at.is_last(), self.of_velocity) {
            (false, _) => 0.0,
            (true, true) => at.state.v[self.coordinate],
            (true, false) => dq[self.coordinate],
        }
    }

    fn cost_vjp(&mut self, at: &Moment<'_, f64>, bar: f64, bars: &mut LossCotangents<'_, f64>) {
        if !at.is_last() {
            return;
        }
        if self.of_velocity {
            bars.state.v[self.coordinate] += bar;
            return;
        }
        let mut dq_bar = vec![0.0; at.model.nv()];
        dq_bar[self.coordinate] = bar;
        let mut unused = vec![0.0; at.model.nv()];
        let (neutral, q) = (at.model.neutral(), &at.state.q);
        difference_vjp(at.model, &neutral, q, &dq_bar, &mut unused, &mut bars.state.q);
    }
}
