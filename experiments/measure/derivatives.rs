//! Times the derivatives of a step with respect to its start and its controls, as matrices.

use std::hint::black_box;
use std::time::Duration;

use gradbody::sim::{
    InputColumns, LinearPath, LinearStep, LinearWork, NoTaps, StepScratch, StepTrace,
    linearise_step, step,
};

use super::clock::{Figure, calls};
use super::stepping::Settled;

pub(super) const FUNCTION: &str = "linearise_step";

/// Scenes whose steps are linearised, where they have come to rest.
pub(super) const SCENES: [&str; 2] = ["laikago_stand", "ant_stand"];

/// The standing quadruped one metre higher, where nothing touches.
pub(super) const IN_THE_AIR: &str = "laikago_air";

/// How far `laikago_air` is above the ground of `laikago_stand` [m].
const LIFT: f64 = 1.0;

/// The measured times of a state.
pub(super) struct Linearised {
    /// A step and its derivatives.
    pub(super) both: Figure,
    /// The derivatives alone, from the trace of a step.
    pub(super) alone: f64,
    /// Rows and columns of the matrices.
    pub(super) size: [usize; 2],
    /// Whether they come from formulas for whole matrices.
    pub(super) analytical: bool,
}

/// Linearises the same step again and again.
pub(super) fn linearised(settled: &Settled, lifted: bool, time: Duration) -> Linearised {
    let (model, mut start, input, options) = settled.scene.cast::<f64>(&settled.state);
    if lifted {
        start.q[2] += LIFT;
    }
    let mut state = start.clone();
    let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
    let mut work = LinearWork::new(&model);
    let mut out = LinearStep::new(&model, InputColumns::Controls);
    let mut path = LinearPath::Analytical;
    let mut run = |with_step: bool| {
        if with_step {
            state.copy_from(&start);
            step(&model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
        }
        path = linearise_step(&model, &trace, &mut NoTaps, &mut scratch, &mut work, &mut out);
        black_box(&mut out);
    };
    let both = calls(time, 1, 1, |_| run(true));
    let alone = calls(time, 1, 1, |_| run(false)).min;
    let size = [out.states(), out.states() + out.inputs()];
    Linearised { both, alone, size, analytical: path == LinearPath::Analytical }
}
