//! One simulated world: its state, and what a step needs and leaves.

use gradbody_model::{LinkId, Model};
use gradbody_sim::{
    Input, NoTaps, State, StepOptions, StepReport, StepScratch, StepTrace, Taps, step,
};

/// A simulation whose model may change between steps.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) state: State<f64>,
    pub(crate) input: Input<f64>,
    pub(crate) trace: StepTrace<f64>,
    pub(crate) report: StepReport,
    /// Whether the trace is of the step that led to this state.
    pub(crate) stepped: bool,
    scratch: StepScratch<f64>,
}

impl World {
    pub(crate) fn new(model: &Model<f64>, state: State<f64>, control: &[f64], tau: &[f64]) -> Self {
        let input = Input { control: control.to_vec(), tau: tau.to_vec(), ..Input::none(model) };
        World {
            state,
            input,
            trace: StepTrace::new(model),
            report: StepReport::default(),
            stepped: false,
            scratch: StepScratch::new(model),
        }
    }

    /// New buffers, after the structure of the model changed (whose friction counts is structure).
    pub(crate) fn structure_changed(&mut self, model: &Model<f64>) {
        self.trace = StepTrace::new(model);
        self.scratch = StepScratch::new(model);
        self.stepped = false;
    }

    /// Takes a step. If a link's motion is then not finite, returns the link and keeps the state before.
    pub(crate) fn step(
        &mut self,
        model: &Model<f64>,
        options: &StepOptions<f64>,
    ) -> Result<(), LinkId> {
        self.step_with(model, options, &mut NoTaps)
    }

    /// Takes a step with taps.
    pub(crate) fn step_with(
        &mut self,
        model: &Model<f64>,
        options: &StepOptions<f64>,
        taps: &mut dyn Taps<f64>,
    ) -> Result<(), LinkId> {
        let World { state, input, trace, scratch, .. } = self;
        self.report = step(model, state, input, options, taps, trace, scratch);
        self.stepped = true;
        match self.report.diverged {
            Some(link) => {
                self.back();
                Err(link)
            }
            None => Ok(()),
        }
    }

    /// Goes back to the state before the last step.
    pub(crate) fn back(&mut self) {
        self.state.copy_from(self.trace.start());
        self.state.contact.clear();
        self.stepped = false;
    }

    /// Puts it into another state.
    pub(crate) fn go_to(&mut self, state: &State<f64>) {
        self.state.copy_from(state);
        self.stepped = false;
    }
}
