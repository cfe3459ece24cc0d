//! Many worlds of one structure, alone or in lanes.

use core::cell::{Cell, RefCell};

use gradbody::math::{Force, Scalar, Vec3};
use gradbody::model::Model;
use gradbody::sim::{Input, State};

/// Worlds of one structure with different numbers, and a state for each.
#[derive(Default)]
pub(crate) struct Worlds {
    pub(crate) models: Vec<Model<f64>>,
    pub(crate) states: Vec<State<f64>>,
    pub(crate) inputs: Vec<Input<f64>>,
}

impl Worlds {
    /// The worlds from `first` on, one in each lane of `S`.
    pub(crate) fn at<S: Scalar>(&self, first: usize) -> (Model<S>, State<S>, Input<S>) {
        let worlds = first..first + S::LANES;
        let pick = |of: &dyn Fn(usize) -> Vec<f64>| -> Vec<S> {
            let columns: Vec<Vec<f64>> = worlds.clone().map(of).collect();
            (0..columns[0].len()).map(|i| S::from_lanes(|lane| columns[lane][i])).collect()
        };
        let params = pick(&|world| params_of(&self.models[world]));
        let next = Cell::new(0);
        let model = Model {
            topology: self.models[first].topology.clone(),
            params: self.models[first].params.map(|_| params[next.replace(next.get() + 1)]),
        };
        let state = State {
            time: S::ZERO,
            q: pick(&|world| self.states[world].q.clone()),
            v: pick(&|world| self.states[world].v.clone()),
            activation: pick(&|world| self.states[world].activation.clone()),
            ..State::neutral(&model)
        };
        let forces = pick(&|world| {
            let flat = |f: &Force<f64>| [f.ang.to_array(), f.lin.to_array()].concat();
            self.inputs[world].external.iter().flat_map(flat).collect()
        });
        let force = |x: &[S]| Force::new(Vec3::from_slice(x), Vec3::from_slice(&x[3..]));
        let input = Input {
            control: pick(&|world| self.inputs[world].control.clone()),
            tau: pick(&|world| self.inputs[world].tau.clone()),
            external: forces.chunks(6).map(force).collect(),
            signals: vec![],
        };
        (model, state, input)
    }
}

/// Every parameter, in the order in which `map` visits them.
fn params_of(model: &Model<f64>) -> Vec<f64> {
    let list = RefCell::new(Vec::new());
    model.params.map(|x| {
        list.borrow_mut().push(x);
        x
    });
    list.into_inner()
}
