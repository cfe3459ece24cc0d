//! The checker of gradients: an adjoint against dual numbers and against central differences, in
//! random directions.

use gradbody::contact::ContactGradient;
use gradbody::dynamics::{
    CoordinateCotangents, Kinematics, KinematicsCotangents, frame_pose, frame_pose_vjp, integrate,
    kinematics, kinematics_vjp, velocities,
};
use gradbody::math::{Dual, Motion, Scalar, Vec3};
use gradbody::model::{FrameId, Model, ParamId, Params};
use gradbody::sim::{
    Checkpointing, Failure, Gradient, GradientOptions, Input, LinearAbout, Loss, LossCotangents,
    Moment, NoTaps, Rollout, RolloutTrace, Sequence, Simulated, State, StateCotangents,
    StepOptions, rollout, rollout_vjp,
};

use super::random::Random;

/// A rollout to differentiate.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) model: Model<f64>,
    pub(crate) start: State<f64>,
    pub(crate) inputs: Vec<Input<f64>>,
    pub(crate) options: StepOptions<f64>,
    pub(crate) gradient: ContactGradient,
    pub(crate) checkpointing: Checkpointing,
}

/// A linear function of the last state, in local coordinates about where the plain rollout ends, and of
/// the pose of a frame there.
#[derive(Clone)]
pub(crate) struct Probe<S> {
    linear: LinearAbout<S>,
    /// The last frame, with the weights of its origin and of its x axis.
    frame: (FrameId, Vec3<S>, Vec3<S>),
}

impl<S: Scalar> Loss<S> for Probe<S> {
    fn cost(&mut self, at: &Moment<'_, S>) -> S {
        if !at.is_last() {
            return S::ZERO;
        }
        let mut kin = Kinematics::new(at.model);
        kinematics(at.model, &at.state.q, &mut kin);
        let (frame, pos, axis) = self.frame;
        let pose = frame_pose(at.model, &kin, frame);
        self.linear.cost(at) + pos.dot(pose.pos) + axis.dot(pose.rot.cols[0])
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, bar: S, bars: &mut LossCotangents<'_, S>) {
        if !at.is_last() {
            return;
        }
        self.linear.cost_vjp(at, bar, bars);
        let mut kin = Kinematics::new(at.model);
        kinematics(at.model, &at.state.q, &mut kin);
        velocities(at.model, &at.state.v, &mut kin);
        let mut kin_bar = KinematicsCotangents::new(at.model);
        let (frame, pos, axis) = self.frame;
        let turn = frame_pose(at.model, &kin, frame).rot.cols[0].cross(axis) * bar;
        let (q, v) = (&at.state.q, &at.state.v);
        frame_pose_vjp(at.model, &kin, frame, turn, pos * bar, &mut kin_bar, bars.params);
        let StateCotangents { q: q_bar, v: v_bar, .. } = &mut *bars.state;
        let out = CoordinateCotangents { q: q_bar, v: v_bar, params: bars.params };
        kinematics_vjp(at.model, q, v, &kin, &mut kin_bar, out);
    }
}

/// Parameters are changed in proportion to themselves, but by no less.
const LEAST_CHANGE: f64 = 0.1;

/// A change of everything a rollout depends on.
#[derive(Clone, Debug)]
pub(crate) struct Direction {
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) activation: Vec<f64>,
    pub(crate) control: Vec<Vec<f64>>,
    pub(crate) tau: Vec<Vec<f64>>,
    pub(crate) external: Vec<Vec<f64>>,
    pub(crate) params: Vec<(ParamId, f64)>,
    pub(crate) dt: f64,
}

/// What may be varied.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Part {
    Q,
    V,
    Activation,
    Control,
    Tau,
    External,
    Dt,
    /// Parameters of one kind: `joint/damping`.
    Params(String),
}

impl Case {
    pub(crate) fn cast<S: Scalar>(&self) -> (Model<S>, State<S>, Vec<Input<S>>, StepOptions<S>) {
        let inputs = self.inputs.iter().map(Input::cast).collect();
        (self.model.cast(), self.start.cast(), inputs, self.options.cast())
    }

    /// The parts that this case has, parameters by kind.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let mut parts = vec![Part::Q, Part::V, Part::Tau, Part::External, Part::Dt];
        if self.model.topology.na > 0 {
            parts.push(Part::Activation);
        }
        if !self.model.topology.actuators.is_empty() {
            parts.push(Part::Control);
        }
        let mut kinds: Vec<String> = Vec::new();
        for id in finite_params(&self.model) {
            let kind = kind_of(&self.model, id);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        parts.extend(kinds.into_iter().map(Part::Params));
        parts
    }

    /// No change.
    pub(crate) fn no_direction(&self) -> Direction {
        let steps = self.inputs.len();
        Direction {
            q: vec![0.0; self.model.nv()],
            v: vec![0.0; self.model.nv()],
            activation: vec![0.0; self.model.topology.na],
            control: vec![vec![0.0; self.model.topology.actuators.len()]; steps],
            tau: vec![vec![0.0; self.model.nv()]; steps],
            external: vec![vec![0.0; 6 * self.model.n_links()]; steps],
            params: Vec::new(),
            dt: 0.0,
        }
    }

    /// A random change of one part.
    pub(crate) fn direction(&self, part: &Part, random: &mut Random) -> Direction {
        let mut d = self.no_direction();
        let fill = |x: &mut Vec<f64>, random: &mut Random| {
            x.iter_mut().for_each(|x| *x = random.unit());
        };
        match part {
            Part::Q => fill(&mut d.q, random),
            Part::V => fill(&mut d.v, random),
            Part::Activation => fill(&mut d.activation, random),
            Part::Control => d.control.iter_mut().for_each(|x| fill(x, random)),
            Part::Tau => d.tau.iter_mut().for_each(|x| fill(x, random)),
            Part::External => d.external.iter_mut().for_each(|x| fill(x, random)),
            Part::Dt => d.dt = self.options.dt * random.unit(),
            Part::Params(kind) => {
                for id in finite_params(&self.model) {
                    if kind_of(&self.model, id) == *kind {
                        let value = self.model.params.get(id);
                        d.params.push((id, random.unit() * value.abs().max(LEAST_CHANGE)));
                    }
                }
            }
        }
        d
    }

    /// Where the plain rollout ends.
    pub(crate) fn end(&self) -> State<f64> {
        let (model, start, inputs, options) = self.cast::<f64>();
        let steps = inputs.len();
        let rolled = Rollout { model: &model, start: &start, steps, options: &options };
        let mut inputs = Sequence::new(&model, inputs);
        let mut trace = RolloutTrace::new(&model);
        let mut loss = self.probe(&mut Random::new(0), &start);
        rollout(&rolled, &mut inputs, &mut loss, &mut NoTaps, &mut trace).end
    }

    /// A random function of the end.
    pub(crate) fn probe<S: Scalar>(&self, random: &mut Random, end: &State<f64>) -> Probe<S> {
        let nv = self.model.nv();
        let mut numbers = |n: usize| (0..n).map(|_| S::from_f64(random.unit())).collect();
        let (q, v, activation) = (numbers(nv), numbers(nv), numbers(self.model.topology.na));
        let frame: Vec<S> = numbers(6);
        let last = FrameId::new(self.model.topology.frames.len() - 1);
        let frame = (last, Vec3::from_slice(&frame), Vec3::from_slice(&frame[3..]));
        let about = end.q.iter().map(|x| S::from_f64(*x)).collect();
        Probe { linear: LinearAbout { about, q, v, activation }, frame }
    }

    /// The gradient of a probe by the adjoint.
    pub(crate) fn adjoint<S: Simulated>(&self, mut loss: Probe<S>) -> (Gradient<S>, Sequence<S>) {
        let (model, start, inputs, options) = self.cast::<S>();
        let steps = inputs.len();
        let rolled = Rollout { model: &model, start: &start, steps, options: &options };
        let mut inputs = Sequence::new(&model, inputs);
        let mut trace = RolloutTrace::new(&model);
        let how = GradientOptions { contact: self.gradient, checkpointing: self.checkpointing };
        let gradient = rollout_vjp(&rolled, &mut inputs, &mut loss, &mut NoTaps, &how, &mut trace);
        (gradient, inputs)
    }

    /// The value of a probe after a change of `t` times a direction.
    pub(crate) fn moved<S: Simulated>(&self, loss: Probe<S>, d: &Direction, t: S) -> S {
        self.moved_along(loss, &[(d, t)])
    }

    /// The derivatives of a probe along up to `N` directions at once.
    pub(crate) fn duals<const N: usize>(
        &self,
        loss: Probe<Dual<f64, N>>,
        directions: &[Direction],
    ) -> [f64; N]
    where
        Dual<f64, N>: Simulated,
    {
        let t = |i: usize| Dual::<f64, N>::variable(0.0, i);
        let moves: Vec<_> = directions.iter().enumerate().map(|(i, d)| (d, t(i))).collect();
        self.moved_along(loss, &moves).eps
    }

    /// The value of a probe after changes of `t` times a direction, for each.
    pub(crate) fn moved_along<S: Simulated>(
        &self,
        mut loss: Probe<S>,
        moves: &[(&Direction, S)],
    ) -> S {
        let (mut model, mut start, mut inputs, mut options) = self.cast::<S>();
        for (d, t) in moves {
            self.apply(d, *t, &mut model, &mut start, &mut inputs, &mut options);
        }
        let steps = inputs.len();
        let rolled = Rollout { model: &model, start: &start, steps, options: &options };
        let mut inputs = Sequence::new(&model, inputs);
        let mut trace = RolloutTrace::new(&model);
        rollout(&rolled, &mut inputs, &mut loss, &mut NoTaps, &mut trace).cost
    }

    fn apply<S: Scalar>(
        &self,
        d: &Direction,
        t: S,
        model: &mut Model<S>,
        start: &mut State<S>,
        inputs: &mut [Input<S>],
        options: &mut StepOptions<S>,
    ) {
        let scaled = |x: &[f64]| -> Vec<S> { x.iter().map(|x| S::from_f64(*x) * t).collect() };
        let add = |to: &mut [S], x: &[f64]| {
            to.iter_mut().zip(scaled(x)).for_each(|(to, x)| *to += x);
        };
        if d.q.iter().any(|x| *x != 0.0) {
            integrate(model, &mut start.q, &scaled(&d.q));
        }
        add(&mut start.v, &d.v);
        add(&mut start.activation, &d.activation);
        for (k, input) in inputs.iter_mut().enumerate() {
            add(&mut input.control, &d.control[k]);
            add(&mut input.tau, &d.tau[k]);
            if input.external.is_empty() {
                input.external = vec![gradbody::math::Force::ZERO; model.n_links()];
            }
            for (force, x) in input.external.iter_mut().zip(d.external[k].chunks(6)) {
                let x = scaled(x);
                force.ang += Vec3::from_slice(&x[..3]);
                force.lin += Vec3::from_slice(&x[3..]);
            }
        }
        for (id, x) in &d.params {
            let value = model.params.get(*id) + S::from_f64(*x) * t;
            model.params.set(*id, value);
        }
        options.dt += S::from_f64(d.dt) * t;
    }

    /// The directional derivative from a gradient.
    pub(crate) fn along<S: Scalar>(
        &self,
        gradient: &Gradient<S>,
        inputs: &Sequence<S>,
        d: &Direction,
    ) -> S {
        self.terms(gradient, inputs, d).into_iter().fold(S::ZERO, |sum, x| sum + x)
    }

    /// The products that sum up to the directional derivative.
    pub(crate) fn terms<S: Scalar>(
        &self,
        gradient: &Gradient<S>,
        inputs: &Sequence<S>,
        d: &Direction,
    ) -> Vec<S> {
        let mut terms = Vec::new();
        let mut add = |a: &[S], b: &[f64]| {
            terms.extend(a.iter().zip(b).map(|(a, b)| *a * S::from_f64(*b)));
        };
        add(&gradient.start.q, &d.q);
        add(&gradient.start.v, &d.v);
        add(&gradient.start.activation, &d.activation);
        add(&[gradient.dt], &[d.dt]);
        for (k, bar) in inputs.bars.iter().enumerate() {
            add(&bar.control, &d.control[k]);
            add(&bar.tau, &d.tau[k]);
            for (Motion { ang, lin }, x) in bar.external.iter().zip(d.external[k].chunks(6)) {
                add(&ang.to_array(), &x[..3]);
                add(&lin.to_array(), &x[3..]);
            }
        }
        if !d.params.is_empty() {
            terms.extend(param_terms(&self.model.cast(), &gradient.params, &d.params));
        }
        terms
    }
}

/// All numbers of a gradient in one world, in some order; those of parameters without a value are
/// left out.
pub(crate) fn all_numbers<S: Scalar>(
    gradient: &Gradient<S>,
    inputs: &Sequence<S>,
    lane: usize,
) -> Vec<f64> {
    let Gradient { start, params, dt, .. } = gradient;
    let mut all: Vec<S> = [&start.q[..], &start.v, &start.activation, &[*dt]].concat();
    for bar in &inputs.bars {
        all.extend(bar.control.iter().chain(&bar.tau));
        for Motion { ang, lin } in &bar.external {
            all.extend(ang.to_array());
            all.extend(lin.to_array());
        }
    }
    all.extend(numbers(params));
    all.into_iter().map(|x| x.lane(lane)).collect()
}

/// A gradient with respect to parameters times a change of some of them.
pub(crate) fn along_params<S: Scalar>(
    model: &Model<S>,
    bar: &Params<S>,
    changes: &[(ParamId, f64)],
) -> S {
    param_terms(model, bar, changes).into_iter().fold(S::ZERO, |sum, x| sum + x)
}

fn param_terms<S: Scalar>(model: &Model<S>, bar: &Params<S>, changes: &[(ParamId, f64)]) -> Vec<S> {
    let mut varied: Model<Dual<S, 1>> =
        Model { topology: model.topology.clone(), params: model.params.map(Dual::constant) };
    for (id, x) in changes {
        let change = Dual { re: S::ZERO, eps: [S::from_f64(*x)] };
        let value = varied.params.get(*id) + change;
        varied.params.set(*id, value);
    }
    let (left, right) = (numbers(bar), numbers(&varied.params.map(|x| x.eps[0])));
    // An infinite limit has no derivative, and zero times it none either.
    let changed = left.into_iter().zip(right).filter(|(_, b)| *b != S::ZERO);
    changed.map(|(a, b)| a * b).collect()
}

/// All numbers, in some order.
fn numbers<S: Scalar>(params: &Params<S>) -> Vec<S> {
    let list = std::cell::RefCell::new(Vec::new());
    params.map(|x| {
        list.borrow_mut().push(x);
        x
    });
    list.into_inner()
}

/// Parameters that have a derivative.
pub(crate) fn finite_params(model: &Model<f64>) -> Vec<ParamId> {
    let ids = model.topology.param_ids();
    ids.into_iter().filter(|id| model.params.get(*id).is_finite()).collect()
}

/// `joint/damping` of `joint/knee/damping`.
pub(crate) fn kind_of(model: &Model<f64>, id: ParamId) -> String {
    let path = model.topology.param_path(id);
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["gravity", ..] => "gravity".into(),
        [list, _, rest @ ..] => {
            let rest = match rest {
                [quantity, "x" | "y" | "z"] => (*quantity).to_string(),
                [quantity, "roll" | "pitch" | "yaw"] => format!("{quantity}/turn"),
                ["inertia", ..] => "inertia".to_string(),
                rest => rest.join("/"),
            };
            format!("{list}/{rest}")
        }
        _ => path,
    }
}

/// What comparing a part has given.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    pub(crate) part: Part,
    pub(crate) adjoint: f64,
    pub(crate) dual: f64,
    pub(crate) differences: Option<f64>,
    /// The sum of the sizes of what the adjoint adds up.
    pub(crate) size: f64,
}

impl Compared {
    /// Difference of adjoint and duals, relative to `scale` or the derivative itself.
    pub(crate) fn error(&self, scale: f64) -> f64 {
        (self.adjoint - self.dual).abs() / self.dual.abs().max(scale)
    }

    /// The same, relative to what was added up.
    pub(crate) fn relative_error(&self, floor: f64) -> f64 {
        (self.adjoint - self.dual).abs() / self.size.max(self.dual.abs()).max(floor)
    }

    /// Difference of duals and central differences, relative to what was added up.
    pub(crate) fn difference_error(&self, floor: f64) -> f64 {
        let differences = self.differences.expect("differences were asked for");
        (differences - self.dual).abs() / self.size.max(self.dual.abs()).max(floor)
    }
}

/// Step of central differences.
const STEP: f64 = 1e-6;

/// Compares adjoint, duals and central differences for each part of a case.
pub(crate) fn compare(case: &Case, seed: u64) -> Result<Vec<Compared>, Failure> {
    compare_by(case, seed, true)
}

/// Compares adjoint and duals, and central differences if asked for.
pub(crate) fn compare_by(
    case: &Case,
    seed: u64,
    differences: bool,
) -> Result<Vec<Compared>, Failure> {
    const AT_ONCE: usize = 8;
    let mut random = Random::new(seed);
    let end = case.end();
    let (gradient, inputs) = case.adjoint::<f64>(case.probe(&mut Random::new(seed), &end));
    let gradient = gradient.checked()?;
    let parts = case.parts();
    let directions: Vec<Direction> = parts.iter().map(|p| case.direction(p, &mut random)).collect();
    let mut out = Vec::new();
    for (parts, directions) in parts.chunks(AT_ONCE).zip(directions.chunks(AT_ONCE)) {
        let probe = case.probe(&mut Random::new(seed), &end);
        let duals = case.duals::<AT_ONCE>(probe, directions);
        for ((part, d), dual) in parts.iter().zip(directions).zip(duals) {
            let terms = case.terms(&gradient, &inputs, d);
            let at = |t: f64| case.moved(case.probe::<f64>(&mut Random::new(seed), &end), d, t);
            let differences = differences.then(|| (at(STEP) - at(-STEP)) / (2.0 * STEP));
            let adjoint = terms.iter().sum();
            let size = terms.iter().map(|x| x.abs()).sum();
            out.push(Compared { part: part.clone(), adjoint, dual, differences, size });
        }
    }
    Ok(out)
}
