//! Losses: what they are, and that their cotangents are the derivatives that dual numbers find.

use gradbody_dynamics::{Kinematics, frame_pose, integrate};
use gradbody_math::random::{Random, SplitMix64};
use gradbody_math::{Dual, Inertia, Mat3, Scalar, Sym3, Transform, Vec3};
use gradbody_model::{ActuatorParams, FrameId, JointSpec, Model, ModelBuilder, Selection};
use gradbody_sim::{
    ControlCost, Energy, EnergyCost, FramePosition, Input, InputCotangents, LinearState, Loss,
    LossCotangents, Mean, Moment, State, StateCost, StateCotangents, StateTarget, Target, Terminal,
    TooFewTargets,
};

/// Roundings of the way back against those of the way forward, relative to the terms summed.
const ROUNDING: f64 = 1e-12;

const STEPS: usize = 4;

fn vector(random: &mut Random<SplitMix64>) -> Vec3<f64> {
    Vec3::new(random.signed(), random.signed(), random.signed())
}

fn placement(random: &mut Random<SplitMix64>) -> Transform<f64> {
    Transform::new(Mat3::from_rpy(vector(random)), vector(random))
}

/// Every kind of joint, in two branches, with springs and motors.
fn robot() -> Model<f64> {
    let mut random = Random::split_mix(7);
    let mut robot = ModelBuilder::new("all joints");
    robot.gravity(Vec3::new(1.0, -2.0, -9.0));
    let mut parents = [FrameId::WORLD; 2];
    let joints = [
        JointSpec::free("free"),
        JointSpec::revolute("any hinge", Vec3::new(0.5, -1.0, 2.0)),
        JointSpec::spherical("spherical"),
        JointSpec::prismatic("any slide", Vec3::new(0.3, 1.0, -0.7)),
        JointSpec::universal("universal", Vec3::new(1.0, 0.2, 0.1), Vec3::new(-0.3, 1.0, 0.4)),
        JointSpec::planar("planar"),
        JointSpec::revolute("hinge", Vec3::Y),
        JointSpec::prismatic("slide", Vec3::X),
    ];
    for (i, mut joint) in joints.into_iter().enumerate() {
        joint.params.armature = 0.2 + 0.1 * random.signed();
        joint.params.stiffness = 3.0 + random.signed();
        if joint.kind.is_flat() {
            joint.params.rest = random.signed();
        }
        let inertia = Inertia {
            mass: 2.0 + random.signed(),
            com: vector(&mut random) * 0.3,
            rotational: Sym3::new(0.5, 0.6, 0.7, 0.01, -0.02, 0.03),
        };
        let name = format!("link {i}");
        let joint = joint.at(placement(&mut random));
        parents[i % 2] = robot.link(name, parents[i % 2], joint, inertia).unwrap();
    }
    robot.frame("tip", parents[1], placement(&mut random)).unwrap();
    for name in ["hinge", "slide"] {
        let joint = robot.topology().joint(name).unwrap();
        let motor = ActuatorParams {
            gear: 2.0,
            gain: 3.0,
            bias: [0.0; 3],
            control_lower: -1.0,
            control_upper: 1.0,
            activation_lower: -1.0,
            activation_upper: 1.0,
            force_lower: -9.0,
            force_upper: 9.0,
        };
        robot.actuator(name, joint, false, motor).unwrap();
    }
    robot.build().unwrap()
}

fn random_state(random: &mut Random<SplitMix64>, model: &Model<f64>) -> State<f64> {
    let mut state = State::neutral(model);
    integrate(model, &mut state.q, &random.numbers(model.nv()));
    state.v = random.numbers(model.nv());
    state
}

fn random_input(random: &mut Random<SplitMix64>, model: &Model<f64>) -> Input<f64> {
    let mut input = Input::none(model);
    input.control = random.numbers(input.control.len());
    input.tau = random.numbers(input.tau.len());
    input
}

/// The losses under test, each with what it depends on: q, v, input, parameters.
const LOSSES: [(&str, [bool; 4]); 10] = [
    ("state", [true, true, false, false]),
    ("trajectory", [true, true, false, false]),
    ("linear", [true, true, false, false]),
    ("mean of q", [true, false, false, false]),
    ("control", [false, false, true, false]),
    ("frame", [true, false, false, true]),
    ("frame trajectory", [true, false, false, true]),
    ("energy", [true, true, false, true]),
    ("terminal energy", [true, true, false, true]),
    ("sum", [true, true, true, true]),
];

/// The loss of a name, in any scalar. Its targets are constants.
fn make<S: Scalar>(name: &str, model: &Model<f64>) -> Box<dyn Loss<S>> {
    let mut random = Random::split_mix(99);
    let tip = model.topology.frame("tip").unwrap();
    let cast_model: Model<S> = model.cast();
    let number = |x: f64| S::from_f64(x);
    let cast = |x: Vec<f64>| -> Vec<S> { x.into_iter().map(number).collect() };
    let mut states = (0..STEPS).map(|_| {
        let state = random_state(&mut random, model);
        StateTarget { q: cast(state.q), v: cast(state.v) }
    });
    let weights = |seed: u64, n: usize| cast(Random::split_mix(seed).numbers(n));
    let points = [[0.3, -0.2, 0.5], [0.1, 0.2, 0.3], [-0.5, 0.5, 0.25], [1.0, 0.0, 0.1]];
    match name {
        "state" => {
            let target = Target::Constant(states.next().unwrap());
            let mut cost = StateCost::new(&cast_model, number(0.7), number(0.3), target);
            cost.q_weights = weights(1, model.nv());
            Box::new(cost)
        }
        "trajectory" => {
            let target = Target::PerStep(states.collect());
            Box::new(StateCost::new(&cast_model, number(0.7), number(0.3), target))
        }
        "linear" => Box::new(LinearState {
            q_coefficients: weights(2, model.nq()),
            v_coefficients: weights(3, model.nv()),
        }),
        "mean of q" => Box::new(LinearState::mean_of_q(&cast_model)),
        "control" => Box::new(ControlCost { control: number(0.4), tau: number(0.9) }),
        "frame" => {
            let target = Target::Constant(Vec3::from_f64(points[0]));
            Box::new(FramePosition::new(&cast_model, tip, number(1.3), target))
        }
        "frame trajectory" => {
            let target = Target::PerStep(points.map(Vec3::from_f64).to_vec());
            Box::new(FramePosition::new(&cast_model, tip, number(1.3), target))
        }
        "energy" => Box::new(EnergyCost::new(
            &cast_model,
            number(0.01),
            Target::PerStep(cast(vec![1.0, 2.0, 3.0, 4.0])),
        )),
        "terminal energy" => {
            let target = Target::Constant(number(-3.0));
            Box::new(Terminal(EnergyCost::new(&cast_model, number(0.01), target)))
        }
        "sum" => {
            let some = ["state", "energy", "control"].map(|name| make::<S>(name, model));
            let list: Vec<Box<dyn Loss<S>>> = some.into();
            Box::new((Mean(list), Terminal(make::<S>("frame", model))))
        }
        _ => unreachable!("no loss {name}"),
    }
}

/// The cotangents of a loss at a moment, into zeros.
struct Bars {
    state: StateCotangents<f64>,
    input: InputCotangents<f64>,
    params: gradbody_model::Params<f64>,
}

impl Bars {
    fn zero(model: &Model<f64>) -> Self {
        Bars {
            state: StateCotangents::zero(model),
            input: InputCotangents::zero(model),
            params: model.params.zeros_like(),
        }
    }

    fn add(&mut self, loss: &mut impl Loss<f64>, at: &Moment<'_, f64>, cost_bar: f64) {
        let Bars { state, input, params } = self;
        let (contact_forces, contact_points) = (&mut Vec::new(), &mut Vec::new());
        let mut bars = LossCotangents { state, input, params, contact_forces, contact_points };
        loss.cost_vjp(at, cost_bar, &mut bars);
    }

    /// Flat: q, v, input, parameters.
    fn groups(&self, selection: &Selection, model: &Model<f64>) -> [Vec<f64>; 4] {
        let input = [&self.input.control[..], &self.input.tau].concat();
        let params = selection.gradient(model, &self.params);
        [self.state.q.clone(), self.state.v.clone(), input, params]
    }
}

type D = Dual<f64, 1>;

fn moved(x: &[f64], by: &[f64]) -> Vec<D> {
    x.iter().zip(by).map(|(x, by)| Dual { re: *x, eps: [*by] }).collect()
}

/// The derivative of a loss along a direction of (q, v, input, parameters).
fn slope(
    name: &str,
    model: &Model<f64>,
    step: usize,
    state: &State<f64>,
    input: &Input<f64>,
    selection: &Selection,
    along: &[Vec<f64>; 4],
) -> f64 {
    let mut dual_model: Model<D> = model.cast();
    selection.apply(&mut dual_model, &moved(&selection.values(model), &along[3])).unwrap();
    let mut dual_state: State<D> = state.cast();
    integrate(&dual_model, &mut dual_state.q, &moved(&vec![0.0; model.nv()], &along[0]));
    dual_state.v = moved(&state.v, &along[1]);
    let mut dual_input = Input::none(&dual_model);
    let (control, tau) = along[2].split_at(input.control.len());
    dual_input.control = moved(&input.control, control);
    dual_input.tau = moved(&input.tau, tau);
    let at = Moment {
        model: &dual_model,
        step,
        steps: STEPS,
        state: &dual_state,
        input: &dual_input,
        contacts: &[],
    };
    make::<D>(name, model).cost(&at).eps[0]
}

#[test]
fn cotangents_are_the_derivatives_of_dual_numbers() {
    let model = robot();
    let selection = Selection::all(&model);
    let mut random = Random::split_mix(3);
    for (name, depends) in LOSSES {
        let mut loss = make::<f64>(name, &model);
        for round in 0..8 {
            let step = if name.starts_with("terminal") { STEPS - 1 } else { round % STEPS };
            let state = random_state(&mut random, &model);
            let input = random_input(&mut random, &model);
            let at = Moment {
                model: &model,
                step,
                steps: STEPS,
                state: &state,
                input: &input,
                contacts: &[],
            };
            let mut bars = Bars::zero(&model);
            let cost_bar = 1.0 + 0.5 * random.signed();
            bars.add(&mut loss, &at, cost_bar);
            let groups = bars.groups(&selection, &model);
            for (k, group) in groups.iter().enumerate() {
                let mut along = groups.clone().map(|g| vec![0.0; g.len()]);
                along[k] = random.numbers(group.len());
                let expected =
                    cost_bar * slope(name, &model, step, &state, &input, &selection, &along);
                let terms = group.iter().zip(&along[k]).map(|(bar, along)| bar * along);
                let (sum, size) = terms.fold((0.0, 0.0), |(s, a), t| (s + t, a + f64::abs(t)));
                let error = (sum - expected).abs();
                assert!(error <= ROUNDING * size, "{name} {round} {k}: {sum} is not {expected}");
                if depends[k] {
                    assert!(size > 1e-3, "{name} {round} {k}: a test of nothing");
                } else {
                    assert_eq!(size, 0.0, "{name} {round} {k}");
                }
            }
        }
    }
}

#[test]
fn cotangents_are_added_and_buffers_do_not_remember() {
    let model = robot();
    let selection = Selection::all(&model);
    let mut random = Random::split_mix(4);
    for (name, _) in LOSSES {
        let state = random_state(&mut random, &model);
        let input = random_input(&mut random, &model);
        let step = STEPS - 1;
        let at = Moment {
            model: &model,
            step,
            steps: STEPS,
            state: &state,
            input: &input,
            contacts: &[],
        };
        let other = random_state(&mut random, &model);
        let elsewhere = Moment { state: &other, step: 1, ..at };
        let mut loss = make::<f64>(name, &model);
        let mut first = Bars::zero(&model);
        first.add(&mut loss, &at, 1.0);
        let cost = loss.cost(&at);

        loss.cost(&elsewhere);
        Bars::zero(&model).add(&mut loss, &elsewhere, 2.0);
        let mut again = Bars::zero(&model);
        again.add(&mut loss, &at, 1.0);
        assert_eq!(loss.cost(&at), cost, "{name}");
        let once = first.groups(&selection, &model);
        assert_eq!(again.groups(&selection, &model), once, "{name}");

        again.add(&mut loss, &at, 1.0);
        for (twice, once) in
            again.groups(&selection, &model).iter().flatten().zip(once.iter().flatten())
        {
            assert!((twice - 2.0 * once).abs() <= ROUNDING * (1.0 + once.abs()), "{name}");
        }
    }
}

#[test]
fn costs_are_as_documented() {
    let model = robot();
    let mut random = Random::split_mix(5);
    let state = random_state(&mut random, &model);
    let input = random_input(&mut random, &model);
    let at = Moment {
        model: &model,
        step: 2,
        steps: STEPS,
        state: &state,
        input: &input,
        contacts: &[],
    };
    let near = |a: f64, b: f64| assert!((a - b).abs() <= ROUNDING * b.abs(), "{a} is not {b}");
    let kin = Kinematics::at(&model, &state.q, &state.v);
    let tip = model.topology.frame("tip").unwrap();

    let point = Vec3::new(-0.5, 0.5, 0.25);
    let distance = (frame_pose(&model, &kin, tip).pos - point).norm();
    near(make::<f64>("frame trajectory", &model).cost(&at), 1.3 * distance * distance);

    let energy = Energy::of(&model, &kin, &state.q, &state.v).total();
    near(make::<f64>("energy", &model).cost(&at), 0.01 * (energy - 3.0).powi(2));

    let squares = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    let effort = 0.4 * squares(&input.control) + 0.9 * squares(&input.tau);
    near(make::<f64>("control", &model).cost(&at), effort);

    let mean = state.q.iter().sum::<f64>() / model.nq() as f64;
    near(make::<f64>("mean of q", &model).cost(&at), mean);

    // From the target by dq and dv.
    let (dq, dv) = (random.numbers(model.nv()), random.numbers(model.nv()));
    let target = StateTarget::from(&state);
    let mut away = state.clone();
    integrate(&model, &mut away.q, &dq);
    away.v.iter_mut().zip(&dv).for_each(|(v, dv)| *v += dv);
    let mut cost = StateCost::new(&model, 0.7, 0.3, Target::Constant(target));
    assert!(cost.cost(&at) < 1e-30, "the squares of roundings");
    near(cost.cost(&Moment { state: &away, ..at }), 0.7 * squares(&dq) + 0.3 * squares(&dv));
}

#[test]
fn wrappers_say_when_and_sums_add() {
    let model = robot();
    let mut random = Random::split_mix(6);
    let state = random_state(&mut random, &model);
    let input = random_input(&mut random, &model);
    let at = |step| Moment {
        model: &model,
        step,
        steps: STEPS,
        state: &state,
        input: &input,
        contacts: &[],
    };
    let [mut frame, mut energy, mut control] =
        ["frame", "terminal energy", "control"].map(|name| make::<f64>(name, &model));
    let over_all = |loss: &mut dyn Loss<f64>| (0..STEPS).map(|k| loss.cost(&at(k))).sum::<f64>();
    let at_end = frame.cost(&at(STEPS - 1));
    assert_eq!(over_all(&mut Terminal(&mut frame)), at_end);
    assert_eq!(over_all(&mut frame), 4.0 * at_end);
    assert_eq!(over_all(&mut Mean(&mut frame)), at_end);
    for step in 0..STEPS {
        let sum = frame.cost(&at(step)) + energy.cost(&at(step)) + control.cost(&at(step));
        assert_eq!((&mut frame, &mut energy, &mut control).cost(&at(step)), sum);
        assert_eq!(vec![&mut frame, &mut energy, &mut control].cost(&at(step)), sum);
    }
    assert_eq!(Vec::<Box<dyn Loss<f64>>>::new().cost(&at(0)), 0.0);
}

#[test]
fn a_trajectory_that_is_too_short_is_noticed() {
    let target = Target::PerStep(vec![0.0, 1.0]);
    assert_eq!((target.at(1), target.at(2)), (Some(&1.0), None));
    assert_eq!(target.check(2), Ok(()));
    let error = target.check(3).unwrap_err();
    assert_eq!(error, TooFewTargets { given: 2, steps: 3 });
    assert!(error.to_string().starts_with("2 targets for a rollout of 3 steps"), "{error}");
    assert_eq!(Target::Constant(1.0).check(1000), Ok(()));
}
