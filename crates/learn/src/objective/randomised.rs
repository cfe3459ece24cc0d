//! Starts beside the start of a window, for derivatives that are means over them.
//!
//! An impact a moment sooner or later changes the derivative of what follows by jumps, so that a derivative at one start
//! says little about its neighbours. The mean over starts that the measurements cannot tell apart describes the cost at
//! the scale of the noise: randomised smoothing [Duchi, Bartlett and Wainwright 2012].

use gradbody_dynamics::integrate;
use gradbody_math::Dual;
use gradbody_math::random::Random;
use gradbody_model::Model;
use gradbody_sim::State;

use super::Fit;
use super::sensor::Observer;

/// Starts beside each window's own.
const STARTS: u64 = 7;

/// Offsets of starts, within the noise of the measurements.
#[derive(Clone, Debug)]
pub struct Randomised {
    /// Standard deviations of the offsets (dq, dv) of each window.
    deviations: Vec<Vec<f64>>,
}

impl Randomised {
    /// Offsets of `spread` standard deviations of the noise. Velocities are as uncertain as a line through `reach`
    /// samples on either side leaves them.
    pub fn around(fit: &Fit, spread: f64, reach: usize) -> Self {
        let dual: Model<Dual<f64, 1>> = fit.model.cast();
        let mut observer = Observer::new(&dual, &fit.sensors);
        let reach = reach.max(1) as f64;
        // σ/√(Σ t²) of the times of these samples.
        let times = (reach * (reach + 1.0) * (2.0 * reach + 1.0) / 3.0).sqrt();
        let period = fit.options.dt * fit.substeps as f64;
        let of = |start: &State<f64>| {
            let nv = fit.model.nv();
            let mut deviations = vec![0.0; 2 * nv];
            for k in 0..nv {
                let seen = seen(fit, &dual, &mut observer, start, k);
                deviations[k] = if seen > 0.0 { spread / seen } else { 0.0 };
                deviations[nv + k] = deviations[k] / (times * period);
            }
            deviations
        };
        Randomised { deviations: fit.starts.iter().map(of).collect() }
    }

    /// The offsets (dq, dv) of the starts beside that of a window, the same at every call.
    pub(super) fn offsets(&self, window: usize) -> Vec<Vec<f64>> {
        let deviations = &self.deviations[window];
        let draw = |start: u64| {
            let mut random = Random::derived(0, &[window as u64, start]);
            deviations.iter().map(|sigma| sigma * random.normal()).collect()
        };
        (0..STARTS).map(draw).collect()
    }
}

/// How much the sensors see of a change along coordinate `k`, in standard deviations of their noise.
fn seen(
    fit: &Fit,
    model: &Model<Dual<f64, 1>>,
    observer: &mut Observer<Dual<f64, 1>>,
    start: &State<f64>,
    k: usize,
) -> f64 {
    let mut state: State<Dual<f64, 1>> = start.cast();
    let mut dq = vec![Dual::constant(0.0); model.nv()];
    dq[k].eps[0] = 1.0;
    integrate(model, &mut state.q, &dq);
    let mut measured = Vec::new();
    let value: State<Dual<f64, 1>> = start.cast();
    observer.predict(&fit.sensors, model, &value, &mut measured);
    let present = vec![Dual::constant(1.0); fit.sensors.len()];
    let errors = observer.errors(&fit.sensors, model, &state, &measured, &present);
    errors.iter().map(|error| error.eps[0] * error.eps[0]).sum::<f64>().sqrt()
}
