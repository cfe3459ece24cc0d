//! Adjoints against dual numbers and central differences, for tests that set their own tolerances: `gradbody_check`
//! makes the rollouts, in the directions that are chosen here.

use std::error::Error;
use std::fmt;

use gradbody::dynamics::{
    CoordinateCotangents, Kinematics, KinematicsCotangents, frame_pose, frame_pose_vjp, kinematics,
    kinematics_vjp, velocities,
};
use gradbody::math::{Motion, Scalar, Vec3};
use gradbody::model::{FrameId, Model, ParamId};
use gradbody::sim::{
    Gradient, LinearAbout, Loss, LossCotangents, Moment, Sequence, Simulated, State,
    StateCotangents,
};
use gradbody_check::{Case, Group, ParamKind, Part, Stop, Unwatched};

use super::random::Random;

/// A linear function of the last state, in local coordinates about where the plain rollout ends, and of
/// the pose of a frame there.
#[derive(Clone)]
pub(crate) struct Probe {
    linear: LinearAbout<f64>,
    /// The last frame, with the weights of its origin and of its x axis.
    frame: (FrameId, Vec3<f64>, Vec3<f64>),
}

impl Probe {
    /// With random weights.
    pub(crate) fn random(case: &Case, random: &mut Random, end: &State<f64>) -> Self {
        let (nv, na) = (case.model.nv(), case.model.topology.na);
        let (q, v, activation) = (random.numbers(nv), random.numbers(nv), random.numbers(na));
        let last = FrameId::new(case.model.topology.frames.len() - 1);
        let frame = (last, random.vector(), random.vector());
        Probe { linear: LinearAbout { about: end.q.clone(), q, v, activation }, frame }
    }

    /// The frame and its weights in some number.
    fn frame<S: Scalar>(&self) -> (FrameId, Vec3<S>, Vec3<S>) {
        let (frame, pos, axis) = self.frame;
        (frame, pos.map(S::from_f64), axis.map(S::from_f64))
    }
}

impl gradbody_check::Probe for Probe {
    fn value<S: Scalar>(&self, model: &Model<S>, end: &State<S>) -> S {
        let mut kin = Kinematics::new(model);
        kinematics(model, &end.q, &mut kin);
        let (frame, pos, axis) = self.frame();
        let pose = frame_pose(model, &kin, frame);
        self.linear.cast().value(model, end) + pos.dot(pose.pos) + axis.dot(pose.rot.cols[0])
    }
}

impl<S: Scalar> Loss<S> for Probe {
    fn cost(&mut self, at: &Moment<'_, S>) -> S {
        let value = || gradbody_check::Probe::value(self, at.model, at.state);
        if at.is_last() { value() } else { S::ZERO }
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, bar: S, bars: &mut LossCotangents<'_, S>) {
        if !at.is_last() {
            return;
        }
        self.linear.cast().cost_vjp(at, bar, bars);
        let mut kin = Kinematics::new(at.model);
        kinematics(at.model, &at.state.q, &mut kin);
        velocities(at.model, &at.state.v, &mut kin);
        let mut kin_bar = KinematicsCotangents::new(at.model);
        let (frame, pos, axis) = self.frame();
        let turn = frame_pose(at.model, &kin, frame).rot.cols[0].cross(axis) * bar;
        let (q, v) = (&at.state.q, &at.state.v);
        frame_pose_vjp(at.model, &kin, frame, turn, pos * bar, &mut kin_bar, bars.params);
        let StateCotangents { q: q_bar, v: v_bar, .. } = &mut *bars.state;
        let out = CoordinateCotangents { q: q_bar, v: v_bar, params: bars.params };
        kinematics_vjp(at.model, q, v, &kin, &mut kin_bar, out);
    }
}

/// Where the plain rollout ends.
pub(crate) fn end(case: &Case) -> State<f64> {
    let run = case.world::<f64>(&[]).roll(&Unwatched, |_, _| {});
    run.expect("a motion that is finite").end
}

/// The gradient of a probe by the adjoint, in some number.
pub(crate) fn adjoint<S: Simulated>(case: &Case, mut probe: Probe) -> (Gradient<S>, Sequence<S>) {
    case.world(&[]).adjoint(&mut probe, &case.gradient_options())
}

/// Every part of a case in a random direction. The order decides which random numbers each gets.
pub(crate) fn groups(case: &Case, random: &mut Random) -> Vec<Group> {
    /// Parameters are changed in proportion to themselves, but by no less.
    const LEAST_CHANGE: f64 = 0.1;
    let mut parts = Part::all(case);
    parts.sort_by_key(|part| match part {
        Part::Params { .. } => 2,
        Part::Activation | Part::Controls => 1,
        _ => 0,
    });
    let group = |part: Part| {
        let sizes = match &part {
            Part::TimeStep => vec![case.options.dt],
            Part::Params { selection, .. } => {
                let values = selection.values(&case.model).into_iter();
                values.map(|value| value.abs().max(LEAST_CHANGE)).collect()
            }
            part => vec![1.0; part.count(case)],
        };
        let direction = sizes.iter().map(|size| size * random.unit()).collect();
        Group { part, direction }
    };
    parts.into_iter().map(group).collect()
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
    let numbers = std::cell::RefCell::new(&mut all);
    params.map(|x| {
        numbers.borrow_mut().push(x);
        x
    });
    all.into_iter().map(|x| x.lane(lane)).collect()
}

/// The paths of a kind of parameters, without names: `joint/damping` of `joint/*/damping`.
pub(crate) fn without_names(paths: &str) -> String {
    let short = paths.replace("/*", "").replace("/roll|pitch|yaw", "/turn");
    short.trim_end_matches("/x|y|z").to_owned()
}

/// The same of one parameter.
pub(crate) fn kind_of(model: &Model<f64>, id: ParamId) -> String {
    without_names(&ParamKind::of(&model.topology, id).paths)
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

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Compared { part, adjoint, dual, differences, size } = self;
        write!(f, "{}: adjoint {adjoint}, dual {dual}, of {size}", part.name())?;
        differences.map_or(Ok(()), |slope| write!(f, ", differences {slope}"))
    }
}

impl Compared {
    /// Difference of adjoint and duals, relative to what was added up.
    pub(crate) fn relative_error(&self, floor: f64) -> f64 {
        (self.adjoint - self.dual).abs() / self.size.max(self.dual.abs()).max(floor)
    }

    /// Difference of duals and central differences, relative to what was added up.
    pub(crate) fn difference_error(&self, floor: f64) -> f64 {
        let differences = self.differences.expect("differences were asked for");
        (differences - self.dual).abs() / self.size.max(self.dual.abs()).max(floor)
    }
}

/// The longer step of central differences.
const STEP: f64 = 4e-6;

/// Compares adjoint and duals of each part of a case, and central differences if asked for.
pub(crate) fn compare_by(
    case: &Case,
    seed: u64,
    differences: bool,
) -> Result<Vec<Compared>, Box<dyn Error>> {
    let plain = case.world::<f64>(&[]).roll(&Unwatched, |_, _| {})?;
    let probe = Probe::random(case, &mut Random::new(seed), &plain.end);
    let (gradient, inputs) = adjoint(case, probe.clone());
    let gradient = gradient.checked()?;
    let groups = groups(case, &mut Random::new(seed));
    let duals = case.slopes(&probe, &groups, &Unwatched)?;
    let at = |group: &Group, t: f64| -> Result<f64, Stop> {
        let world = case.world(&[(group, t)]);
        let run = world.roll(&Unwatched, |_, _| {})?;
        Ok(gradbody_check::Probe::value(&probe, &world.model, &run.end))
    };
    let central = |group: &Group, step: f64| -> Result<f64, Stop> {
        Ok((at(group, step)? - at(group, -step)?) / (2.0 * step))
    };
    // Two steps, extrapolated to none: regularised friction curves sharply [Richardson 1911].
    let extrapolated = |group: &Group| -> Result<f64, Stop> {
        Ok((4.0 * central(group, 0.5 * STEP)? - central(group, STEP)?) / 3.0)
    };
    let compared = groups.into_iter().zip(duals).map(|(group, dual)| {
        let terms = group.terms(&case.model, &gradient, &inputs);
        Ok(Compared {
            adjoint: terms.iter().sum(),
            dual,
            differences: differences.then(|| extrapolated(&group)).transpose()?,
            size: terms.iter().map(|x| x.abs()).sum(),
            part: group.part,
        })
    });
    compared.collect()
}
