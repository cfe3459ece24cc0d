//! Adjoints against forward derivatives: ⟨ȳ, J dx⟩ = ⟨Jᵀ ȳ, dx⟩, for random trees of all joint kinds,
//! in the state, in whatever else a stage takes, and in every parameter. The same once more for
//! adjoints run on dual numbers, against second derivatives.

use std::cell::RefCell;

use gradbody_dynamics::*;
use gradbody_math::{
    Dual, Force, Inertia, Lanes, Mat3, Motion, Quat, Scalar, Sym3, Transform, Vec3,
};
use gradbody_model::{
    ActuatorParams, Axis, FrameId, JointId, JointKind, JointSpec, Model, ModelBuilder, ParamId,
    Params,
};

/// Rounding of two ways to the same number, relative to the sizes of what is summed.
const FIRST: f64 = 1e-12;
/// Forward second derivatives of logarithms and soft limits lose some digits more.
const SECOND: f64 = 1e-10;

/// What a stage may depend on.
#[derive(Clone)]
struct Inputs<S> {
    model: Model<S>,
    q: Vec<S>,
    v: Vec<S>,
    /// Whatever else the stage takes.
    extra: Vec<S>,
}

/// Cotangents of [`Inputs`]; a direction in them has the same shape but for the parameters.
struct Cotangents<S> {
    q: Vec<S>,
    v: Vec<S>,
    extra: Vec<S>,
    params: Params<S>,
}

impl<S: Scalar> Cotangents<S> {
    fn zero(x: &Inputs<S>) -> Self {
        let nv = x.model.nv();
        Cotangents {
            q: vec![S::ZERO; nv],
            v: vec![S::ZERO; nv],
            extra: vec![S::ZERO; x.extra.len()],
            params: x.model.params.zeros_like(),
        }
    }
}

/// A stage and its adjoint.
trait Stage {
    fn extra(&self, _model: &Model<f64>) -> usize {
        0
    }
    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S>;
    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S>;
}

/// Random numbers that are the same on every machine: splitmix64 [Steele, Lea, Flood 2014].
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn unit(&mut self) -> f64 {
        self.within(-1.0, 1.0)
    }

    fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.unit()).collect()
    }

    fn vector(&mut self) -> Vec3<f64> {
        Vec3::new(self.unit(), self.unit(), self.unit())
    }

    fn rotation(&mut self) -> Mat3<f64> {
        Quat::exp(self.vector()).to_mat3()
    }

    fn inertia(&mut self) -> Inertia<f64> {
        let [a, b, c] = [0, 1, 2].map(|_| self.within(0.02, 0.2));
        let principal = Sym3::diagonal(Vec3::new(a + b, a + c, b + c));
        Inertia {
            mass: self.within(0.5, 2.0),
            com: self.vector() * 0.3,
            rotational: principal.rotated(&self.rotation()),
        }
    }
}

const KINDS: [JointKind; 12] = [
    JointKind::Free,
    JointKind::Revolute(Axis::Any),
    JointKind::Spherical,
    JointKind::Prismatic(Axis::Any),
    JointKind::Universal,
    JointKind::Revolute(Axis::X),
    JointKind::Planar,
    JointKind::Revolute(Axis::Y),
    JointKind::Prismatic(Axis::X),
    JointKind::Revolute(Axis::Z),
    JointKind::Prismatic(Axis::Y),
    JointKind::Prismatic(Axis::Z),
];

/// A tree with every joint kind, `bounded` with limits, friction and ranges or without any of them.
fn random_tree(random: &mut Random, bounded: bool) -> Model<f64> {
    let mut robot = ModelBuilder::new("tree");
    robot.gravity(random.vector() * 9.0);
    let mut frames = vec![FrameId::WORLD];
    let shift = random.bits() as usize % KINDS.len();
    for i in 0..KINDS.len() {
        let kind = KINDS[(i + shift) % KINDS.len()];
        let parent = if i % 5 == 4 { random.bits() as usize % frames.len() } else { i };
        let mut joint = JointSpec::new(format!("joint{i}"), kind)
            .at(Transform::new(random.rotation(), random.vector() * 0.5));
        let params = &mut joint.params;
        let any = |random: &mut Random| (random.vector() + Vec3::Z).normalized_or(Vec3::Z);
        if matches!(kind, JointKind::Revolute(Axis::Any) | JointKind::Prismatic(Axis::Any)) {
            params.axis = any(random);
        }
        if kind == JointKind::Universal {
            params.axis = any(random);
            params.axis2 = (params.axis.cross(random.vector())).normalized_or(Vec3::X);
        }
        params.armature = random.within(0.1, 0.3);
        params.damping = random.within(0.1, 1.0);
        params.stiffness = random.within(0.5, 2.0);
        if kind.is_flat() {
            params.rest = random.unit();
        }
        if bounded {
            params.friction = random.within(0.1, 1.0);
            params.friction_velocity = random.within(0.2, 1.0);
            params.effort_limit = random.within(0.5, 2.0);
            if kind.is_flat() {
                params.limit_lower = random.within(-0.5, -0.2);
                params.limit_upper = random.within(0.2, 0.5);
                params.limit_stiffness = random.within(2.0, 5.0);
                params.limit_damping = random.within(0.2, 1.0);
                params.limit_softness = random.within(0.05, 0.2);
            }
        }
        let link = robot.link(format!("link{i}"), frames[parent], joint, random.inertia()).unwrap();
        let tip = Transform::new(random.rotation(), random.vector());
        robot.frame(format!("tip{i}"), link, tip).unwrap();
        frames.push(link);
        if kind.nv() == 1 {
            // Two on one joint, one of them with a state of its own.
            for integrates in [false, true] {
                let mut motor = ActuatorParams::motor(random.within(0.5, 2.0));
                motor.gain = random.within(0.5, 2.0);
                motor.bias = [random.unit(), random.unit(), random.unit()];
                if bounded {
                    (motor.control_lower, motor.control_upper) = (-0.5, random.within(0.1, 0.6));
                    (motor.activation_lower, motor.activation_upper) = (-0.4, 0.5);
                    (motor.force_lower, motor.force_upper) = (-0.8, random.within(0.5, 1.0));
                }
                let name = format!("motor{i}{integrates}");
                robot.actuator(name, JointId::new(i), integrates, motor).unwrap();
            }
        }
    }
    let at = Transform::new(random.rotation(), random.vector());
    robot.frame("camera", FrameId::WORLD, at).unwrap();
    robot.build().unwrap()
}

fn random_inputs(random: &mut Random, bounded: bool, stage: &impl Stage) -> Inputs<f64> {
    let model = random_tree(random, bounded);
    let mut q = model.neutral();
    let dq: Vec<f64> = random.numbers(model.nv()).iter().map(|x| 1.5 * x).collect();
    integrate(&model, &mut q, &dq);
    let v = random.numbers(model.nv());
    let extra = random.numbers(stage.extra(&model));
    Inputs { model, q, v, extra }
}

/// A direction to move inputs in: all numbers, or one of its parts.
struct Direction {
    q: Vec<f64>,
    v: Vec<f64>,
    extra: Vec<f64>,
    params: Vec<(ParamId, f64)>,
}

impl Direction {
    fn none(x: &Inputs<f64>) -> Self {
        let zero = vec![0.0; x.model.nv()];
        Direction { q: zero.clone(), v: zero, extra: vec![0.0; x.extra.len()], params: vec![] }
    }

    fn random(x: &Inputs<f64>, random: &mut Random) -> Self {
        let nv = x.model.nv();
        Direction {
            q: random.numbers(nv),
            v: random.numbers(nv),
            extra: random.numbers(x.extra.len()),
            params: finite_params(&x.model).iter().map(|id| (*id, random.unit())).collect(),
        }
    }
}

fn finite_params(model: &Model<f64>) -> Vec<ParamId> {
    let ids = model.topology.param_ids();
    ids.into_iter().filter(|id| model.get(*id).is_finite()).collect()
}

/// The inputs as functions of the way along a direction.
fn along<S: Scalar>(x: &Inputs<S>, direction: &Direction) -> Inputs<Dual<S, 1>> {
    let moving = |x: S, rate: f64| Dual { re: x, eps: [S::from_f64(rate)] };
    let lift = |x: &[S], rates: &[f64]| -> Vec<Dual<S, 1>> {
        x.iter().zip(rates).map(|(x, rate)| moving(*x, *rate)).collect()
    };
    let mut params = x.model.params.map(Dual::constant);
    for (id, rate) in &direction.params {
        let now = params.get(*id);
        params.set(*id, now + moving(S::ZERO, *rate));
    }
    let model = Model { topology: x.model.topology.clone(), params };
    let mut q: Vec<_> = x.q.iter().map(|q| Dual::constant(*q)).collect();
    let still = vec![S::ZERO; x.v.len()];
    integrate(&model, &mut q, &lift(&still, &direction.q));
    Inputs { model, q, v: lift(&x.v, &direction.v), extra: lift(&x.extra, &direction.extra) }
}

/// All numbers of parameters, in a fixed order.
fn flat<S: Scalar>(params: &Params<S>) -> Vec<S> {
    let numbers = RefCell::new(vec![]);
    params.map(|x| {
        numbers.borrow_mut().push(x);
        x
    });
    numbers.into_inner()
}

/// ⟨a, b⟩ and the size of what it sums.
fn pair<S: Scalar>(pairs: impl Iterator<Item = (S, S)>) -> (S, f64) {
    pairs.fold((S::ZERO, 0.0), |(sum, size), (a, b)| {
        let product = if b == S::ZERO { S::ZERO } else { a * b };
        (sum + product, size + product.lane(0).abs())
    })
}

/// ⟨x̄, dx⟩ with dx the change of `moved`.
fn contract<S: Scalar>(
    bar: &Cotangents<S>,
    direction: &Direction,
    moved: &Inputs<Dual<S, 1>>,
) -> (S, f64) {
    let rates = |x: &[f64]| x.iter().map(|x| S::from_f64(*x)).collect::<Vec<_>>();
    let (q, v, extra) = (rates(&direction.q), rates(&direction.v), rates(&direction.extra));
    let params = flat(&moved.model.params);
    let state =
        bar.q.iter().zip(&q).chain(bar.v.iter().zip(&v)).chain(bar.extra.iter().zip(&extra));
    let bars = flat(&bar.params);
    assert!(
        bar.q.iter().chain(&bar.v).chain(&bar.extra).chain(&bars).all(|x| x.is_finite()),
        "a cotangent is not finite"
    );
    pair(state.map(|(a, b)| (*a, *b)).chain(bars.iter().zip(&params).map(|(a, b)| (*a, b.eps[0]))))
}

/// The worst relative error of first and second derivatives at one place.
fn check_at(stage: &impl Stage, x: &Inputs<f64>, random: &mut Random, what: &str) -> [f64; 2] {
    let y = stage.forward(x);
    let y_bar = random.numbers(y.len());
    let bar = stage.back(x, &y_bar);
    // All together, each part alone, then each parameter alone.
    let whole = Direction::random(x, random);
    let mut probes = vec![("everything".to_owned(), Direction::random(x, random))];
    let part = |name: &str, part: Direction| (name.to_owned(), part);
    probes.push(part("q", Direction { q: whole.q.clone(), ..Direction::none(x) }));
    probes.push(part("v", Direction { v: whole.v.clone(), ..Direction::none(x) }));
    probes.push(part("extra", Direction { extra: whole.extra.clone(), ..Direction::none(x) }));
    for id in finite_params(&x.model) {
        let path = x.model.topology.param_path(id);
        probes.push((path, Direction { params: vec![(id, 1.0)], ..Direction::none(x) }));
    }
    let mut worst = [0.0_f64; 2];
    let mut whole_scale = 0.0;
    for (i, (name, direction)) in probes.iter().enumerate() {
        let moved = along(x, direction);
        let rates = stage.forward(&moved);
        let (forward, size) = pair(y_bar.iter().zip(&rates).map(|(a, b)| (*a, b.eps[0])));
        let (back, size_back) = contract(&bar, direction, &moved);
        assert!(forward.is_finite(), "{what}: forward in {name}");
        let error = (forward - back).abs();
        let scale = size.max(size_back);
        if i == 0 {
            assert!(forward != 0.0, "{what}: the probed derivative is zero");
            whole_scale = scale;
        }
        // A derivative that is zero may be rounding.
        let allowed = FIRST * scale + f64::EPSILON * whole_scale;
        assert!(error <= allowed, "{what}: {name}: forward {forward:e}, back {back:e}");
        if scale > 1e-6 * whole_scale {
            worst[0] = worst[0].max(error / scale);
        }
    }

    // ∂/∂s ∂/∂t ⟨ȳ, f⟩ along two directions, s by duals of the adjoint.
    let (s, t) = (&probes[0].1, &whole);
    let at_s = along(x, s);
    let at_st = along(&at_s, t);
    let rates = stage.forward(&at_st);
    let (forward, size) = pair(y_bar.iter().zip(&rates).map(|(a, b)| (*a, b.eps[0].eps[0])));
    let y_bar: Vec<_> = y_bar.iter().map(|y| Dual::constant(*y)).collect();
    let (back, size_back) = contract(&stage.back(&at_s, &y_bar), t, &at_st);
    let back = back.eps[0];
    let scale = size.max(size_back);
    let error = (forward - back).abs();
    assert!(error <= SECOND * scale, "{what}: second: forward {forward:e}, back {back:e}");
    worst[1] = error / scale;
    worst
}

/// Random trees, with limits and without.
fn check(name: &str, stage: &impl Stage) {
    let mut worst = [0.0_f64; 2];
    for seed in 0..6 {
        let mut random = Random(seed);
        let x = random_inputs(&mut random, seed % 2 == 0, stage);
        let errors = check_at(stage, &x, &mut random, &format!("{name}, seed {seed}"));
        for i in 0..2 {
            worst[i] = worst[i].max(errors[i]);
        }
    }
    println!("{name}: worst relative error {:.1e}, second {:.1e}", worst[0], worst[1]);
}

/// The value alone.
fn constant<S: Scalar>(x: S) -> S {
    S::from_lanes(|lane| x.lane(lane))
}

/// A zero whose derivative is that of a rotation: a turn about the world's axes.
fn turn_of<S: Scalar>(rot: &Mat3<S>) -> Vec3<S> {
    let still = Mat3 { cols: rot.cols.map(|c| c.map(constant)) };
    let change = *rot * still.transpose();
    let half = S::from_f64(0.5);
    Vec3::new(
        change.at(2, 1) - change.at(1, 2),
        change.at(0, 2) - change.at(2, 0),
        change.at(1, 0) - change.at(0, 1),
    ) * half
}

/// Takes the cotangent of [`turn_of`] back to a turn about the world's axes.
fn turn_of_vjp<S: Scalar>(rot: &Mat3<S>, bar: Vec3<S>) -> Vec3<S> {
    let still = Mat3 { cols: rot.cols.map(|c| c.map(constant)) };
    let change = *rot * still.transpose();
    // Qᵀ [ω] + [ω] Q = [(tr Q − Q) ω]
    let trace = change.at(0, 0) + change.at(1, 1) + change.at(2, 2);
    (bar * trace - change.transpose_mul(bar)) * S::from_f64(0.5)
}

fn triples<S: Scalar>(y: &[S]) -> impl Iterator<Item = Vec3<S>> {
    y.chunks_exact(3).map(Vec3::from_slice)
}

fn forces<S: Scalar>(y: &[S]) -> Vec<Force<S>> {
    y.chunks_exact(6).map(|y| Force::new(Vec3::from_slice(y), Vec3::from_slice(&y[3..]))).collect()
}

/// An adjoint that ends in poses and velocities, taken back to the state.
fn through_kinematics<S: Scalar>(
    x: &Inputs<S>,
    stage: impl FnOnce(&Kinematics<S>, &mut KinematicsCotangents<S>, &mut Cotangents<S>),
) -> Cotangents<S> {
    let kin = Kinematics::at(&x.model, &x.q, &x.v);
    let mut bar = KinematicsCotangents::new(&x.model);
    let mut out = Cotangents::zero(x);
    stage(&kin, &mut bar, &mut out);
    let Cotangents { q, v, params, .. } = &mut out;
    kinematics_vjp(&x.model, &x.q, &x.v, &kin, &mut bar, q, v, params);
    out
}

struct Poses;

impl Stage for Poses {
    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let kin = Kinematics::at(&x.model, &x.q, &x.v);
        let bodies = kin.bodies.iter().flat_map(|b| {
            let turn = turn_of(&b.rot_wb);
            [turn, b.pos_w, b.offset_w, b.ang_vel_w, b.lin_vel_w, b.bias_ang_w, b.bias_lin_w]
        });
        bodies.chain(kin.axes_w.iter().copied()).flat_map(Vec3::to_array).collect()
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        through_kinematics(x, |kin, bar, _| {
            let mut y = triples(y_bar);
            let mut next = || y.next().unwrap();
            for (body, at) in bar.bodies.iter_mut().zip(&kin.bodies) {
                body.turn_w = turn_of_vjp(&at.rot_wb, next());
                body.pos_w = next();
                body.offset_w = next();
                body.ang_vel_w = next();
                body.lin_vel_w = next();
                body.bias_ang_w = next();
                body.bias_lin_w = next();
            }
            for axis in &mut bar.axes_w {
                *axis = next();
            }
        })
    }
}

#[test]
fn kinematics_back() {
    check("kinematics", &Poses);
}

/// Extra: qdd, then external forces.
struct InverseDynamics;

impl Stage for InverseDynamics {
    fn extra(&self, model: &Model<f64>) -> usize {
        model.nv() + 6 * model.n_links()
    }

    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let kin = Kinematics::at(&x.model, &x.q, &x.v);
        let (qdd, external) = x.extra.split_at(x.v.len());
        let mut work = RneaWork::new(&x.model);
        rnea(&x.model, &kin, qdd, &forces(external), &mut work);
        work.tau
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        through_kinematics(x, |kin, bar, out| {
            let (qdd, external) = x.extra.split_at(x.v.len());
            let (qdd_bar, external_bar) = out.extra.split_at_mut(x.v.len());
            let mut work = RneaVjpWork::new(&x.model);
            let external = forces(external);
            let params = &mut out.params;
            rnea_vjp(&x.model, kin, qdd, &external, y_bar, &mut work, bar, qdd_bar, params);
            for (i, external_bar) in external_bar.chunks_exact_mut(6).enumerate() {
                let Motion { ang, lin } = -work.motion_w(i);
                external_bar[..3].copy_from_slice(&ang.to_array());
                external_bar[3..].copy_from_slice(&lin.to_array());
            }
        })
    }
}

#[test]
fn inverse_dynamics_back() {
    check("rnea", &InverseDynamics);
}

struct OwnForces(JointStops);

impl Stage for OwnForces {
    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let mut tau = vec![S::ZERO; x.v.len()];
        joint_forces(&x.model, &x.q, &x.v, self.0, &mut tau);
        tau
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        let mut out = Cotangents::zero(x);
        let Cotangents { q, v, params, .. } = &mut out;
        joint_forces_vjp(&x.model, &x.q, &x.v, self.0, y_bar, q, v, params);
        out
    }
}

#[test]
fn joint_forces_back() {
    check("joint_forces, soft", &OwnForces(JointStops::Soft));
    check("joint_forces, hard", &OwnForces(JointStops::Hard));
}

/// Extra: the time step.
struct Implicit(JointStops);

impl Stage for Implicit {
    fn extra(&self, _: &Model<f64>) -> usize {
        1
    }

    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let mut tau = vec![S::ZERO; x.v.len()];
        let mut added = tau.clone();
        implicit_damping(&x.model, &x.q, &x.v, self.0, x.extra[0], &mut tau, &mut added);
        [tau, added].concat()
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        let mut out = Cotangents::zero(x);
        let (tau_bar, added_bar) = y_bar.split_at(x.v.len());
        let Cotangents { q, v, extra, params } = &mut out;
        let (dt, dt_bar) = (x.extra[0], &mut extra[0]);
        implicit_damping_vjp(
            &x.model, &x.q, &x.v, self.0, dt, tau_bar, added_bar, q, v, dt_bar, params,
        );
        out
    }
}

#[test]
fn implicit_damping_back() {
    check("implicit_damping, soft", &Implicit(JointStops::Soft));
    check("implicit_damping, hard", &Implicit(JointStops::Hard));
}

#[test]
fn friction_slope_at_all_speeds() {
    for speed in [0.0, 1e-12, 1e-5, 1e-4, 2e-3, 0.01, 0.099, 0.101, 1.0, 30.0] {
        let mut random = Random(7);
        let stage = Implicit(JointStops::Soft);
        let mut x = random_inputs(&mut random, true, &stage);
        for (k, v) in x.v.iter_mut().enumerate() {
            *v = if k % 2 == 0 { speed } else { -speed };
        }
        for joint in &mut x.model.params.joints {
            joint.friction_velocity = 1.0;
        }
        let y_bar = random.numbers(2 * x.v.len());
        let bar = stage.back(&x, &y_bar);
        let direction = Direction::random(&x, &mut random);
        let moved = along(&x, &direction);
        let rates = stage.forward(&moved);
        let (forward, size) = pair(y_bar.iter().zip(&rates).map(|(a, b)| (*a, b.eps[0])));
        let (back, _) = contract(&bar, &direction, &moved);
        // Near zero the forward derivative of tanh(x)/x cancels.
        let error = (forward - back).abs() / size;
        assert!(forward != 0.0 && error < FIRST, "speed {speed}: {forward:e}, {back:e}");
    }
}

/// Friction that is zero has a derivative.
#[test]
fn zero_friction_is_felt() {
    let mut random = Random(3);
    let soft = OwnForces(JointStops::Soft);
    let x = random_inputs(&mut random, false, &soft);
    assert!(x.model.params.joints.iter().all(|j| j.friction == 0.0));
    let bar = soft.back(&x, &random.numbers(x.v.len()));
    assert!(bar.params.joints.iter().all(|j| j.friction != 0.0));
    let soft = Implicit(JointStops::Soft);
    let x = random_inputs(&mut random, false, &soft);
    let bar = soft.back(&x, &random.numbers(2 * x.v.len()));
    assert!(bar.params.joints.iter().all(|j| j.friction != 0.0));
}

#[test]
fn limits_take_their_share() {
    let mut random = Random(0);
    let stage = OwnForces(JointStops::Soft);
    let x = random_inputs(&mut random, true, &stage);
    let bar = stage.back(&x, &random.numbers(x.v.len()));
    let joints = &bar.params.joints;
    assert!(
        joints.iter().any(|j| j.limit_lower != 0.0) && joints.iter().any(|j| j.limit_upper != 0.0)
    );
    // Without a range nothing comes to it, and nothing is not a number.
    let x = random_inputs(&mut random, false, &stage);
    let bar = stage.back(&x, &random.numbers(x.v.len()));
    for joint in &bar.params.joints {
        let of_limits = [joint.limit_lower, joint.limit_upper, joint.limit_softness];
        assert_eq!(of_limits, [0.0; 3]);
        assert_eq!([joint.limit_stiffness, joint.limit_damping, joint.effort_limit], [0.0; 3]);
    }
}

/// Extra: commanded forces, controls, activations.
struct Motors;

impl Motors {
    fn split<'a, S: Scalar>(&self, x: &'a Inputs<S>) -> [&'a [S]; 3] {
        let (tau, rest) = x.extra.split_at(x.v.len());
        let (control, activation) = rest.split_at(x.model.topology.actuators.len());
        [tau, control, activation]
    }
}

impl Stage for Motors {
    fn extra(&self, model: &Model<f64>) -> usize {
        model.nv() + model.topology.actuators.len() + model.topology.na
    }

    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let [tau, control, activation] = self.split(x);
        let mut tau = tau.to_vec();
        let mut rate = vec![S::ZERO; activation.len()];
        actuator_forces(&x.model, &x.q, &x.v, control, activation, &mut tau, &mut rate);
        [tau, rate].concat()
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        let mut out = Cotangents::zero(x);
        let [tau, control, activation] = self.split(x);
        let nv = x.v.len();
        let mut tau_bar = y_bar[..nv].to_vec();
        let mut sums = vec![S::ZERO; nv];
        let (commanded_bar, rest) = out.extra.split_at_mut(nv);
        let (control_bar, activation_bar) = rest.split_at_mut(control.len());
        let bar = ActuatorCotangents {
            q: &mut out.q,
            v: &mut out.v,
            control: control_bar,
            activation: activation_bar,
            params: &mut out.params,
        };
        let (q, v, rate_bar) = (&x.q, &x.v, &y_bar[nv..]);
        actuator_forces_vjp(
            &x.model,
            q,
            v,
            control,
            activation,
            tau,
            &mut sums,
            &mut tau_bar,
            rate_bar,
            bar,
        );
        commanded_bar.copy_from_slice(&tau_bar);
        out
    }
}

#[test]
fn actuator_forces_back() {
    check("actuator_forces", &Motors);
    // Every kind of bound is met somewhere.
    let mut random = Random(0);
    let mut met = [false; 8];
    for _ in 0..10 {
        let x = random_inputs(&mut random, true, &Motors);
        let y_bar = random.numbers(x.v.len() + x.model.topology.na);
        let bar = Motors.back(&x, &y_bar).params;
        for a in &bar.actuators {
            let ends = [
                a.control_lower,
                a.control_upper,
                a.activation_lower,
                a.activation_upper,
                a.force_lower,
                a.force_upper,
                a.gear,
            ];
            for (met, end) in met.iter_mut().zip(ends) {
                *met |= end != 0.0;
            }
        }
        met[7] |= bar.joints.iter().any(|j| j.effort_limit != 0.0);
    }
    assert_eq!(met, [true; 8]);
}

/// Extra: activations.
struct LimitActivations;

impl Stage for LimitActivations {
    fn extra(&self, model: &Model<f64>) -> usize {
        model.topology.na
    }

    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let mut activation = x.extra.clone();
        limit_activations(&x.model, &mut activation);
        activation
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        let mut out = Cotangents::zero(x);
        out.extra.copy_from_slice(y_bar);
        limit_activations_vjp(&x.model, &x.extra, &mut out.extra, &mut out.params);
        out
    }
}

#[test]
fn limit_activations_back() {
    check("limit_activations", &LimitActivations);
}

/// Extra: dq.
struct Integrate;

impl Stage for Integrate {
    fn extra(&self, model: &Model<f64>) -> usize {
        model.nv()
    }

    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let mut q = x.q.clone();
        integrate(&x.model, &mut q, &x.extra);
        let still: Vec<S> = q.iter().map(|q| constant(*q)).collect();
        let mut change = vec![S::ZERO; x.v.len()];
        difference(&x.model, &still, &q, &mut change);
        change
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        let mut out = Cotangents::zero(x);
        // The change is zero in value; its derivatives to second order are those of `difference`.
        let mut q = x.q.clone();
        integrate(&x.model, &mut q, &x.extra);
        let still: Vec<S> = q.iter().map(|q| constant(*q)).collect();
        let mut unused = vec![S::ZERO; x.v.len()];
        difference_vjp(&x.model, &still, &q, y_bar, &mut unused, &mut out.q);
        integrate_vjp(&x.model, &x.extra, &mut out.q, &mut out.extra);
        out
    }
}

/// Extra: a change of `to`, taken at zero.
struct Difference {
    to: Vec<f64>,
}

impl Stage for Difference {
    fn extra(&self, model: &Model<f64>) -> usize {
        model.nv()
    }

    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let mut to: Vec<S> = self.to.iter().map(|q| S::from_f64(*q)).collect();
        integrate(&x.model, &mut to, &x.extra);
        let mut change = vec![S::ZERO; x.v.len()];
        difference(&x.model, &x.q, &to, &mut change);
        change
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        let mut out = Cotangents::zero(x);
        let mut to: Vec<S> = self.to.iter().map(|q| S::from_f64(*q)).collect();
        integrate(&x.model, &mut to, &x.extra);
        let mut to_bar = vec![S::ZERO; x.v.len()];
        difference_vjp(&x.model, &x.q, &to, y_bar, &mut out.q, &mut to_bar);
        integrate_vjp(&x.model, &x.extra, &mut to_bar, &mut out.extra);
        out
    }
}

/// Extra: local coordinates.
struct LocalRate;

impl Stage for LocalRate {
    fn extra(&self, model: &Model<f64>) -> usize {
        model.nv()
    }

    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let mut rate = vec![S::ZERO; x.v.len()];
        local_rate(&x.model, &x.extra, &x.v, &mut rate);
        rate
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        let mut out = Cotangents::zero(x);
        local_rate_vjp(&x.model, &x.extra, &x.v, y_bar, &mut out.extra, &mut out.v);
        out
    }
}

#[test]
fn integrate_back() {
    check("integrate", &Integrate);
    check("local_rate", &LocalRate);
}

/// Turns of all sizes, from none to just under half a revolution, and both sides of where series begin.
const TURNS: [f64; 10] = [0.0, 1e-160, 1e-9, 1e-5, 0.0099, 0.0101, 0.499, 0.501, 2.0, 3.1];

#[test]
fn turns_of_all_sizes() {
    let mut worst = [0.0_f64; 2];
    for (seed, size) in TURNS.into_iter().enumerate() {
        let mut random = Random(seed as u64);
        let what = format!("turn {size}");
        let mut note = |errors: [f64; 2]| {
            for i in 0..2 {
                worst[i] = worst[i].max(errors[i]);
            }
        };
        let turn = |random: &mut Random, nv: usize| -> Vec<f64> {
            let direction = random.numbers(nv);
            let last = &direction[nv - 3..];
            let norm = last.iter().map(|x| x * x).sum::<f64>().sqrt();
            direction.iter().map(|x| x / norm * size).collect()
        };
        // A chain of one free joint: only its last three numbers are a turn of this size.
        let model = {
            let mut robot = ModelBuilder::new("free");
            let mut joint = JointSpec::free("root");
            joint.params.stiffness = 1.5;
            robot.link("body", FrameId::WORLD, joint, random.inertia()).unwrap();
            robot.build().unwrap()
        };
        let at = |dq: &[f64]| {
            let mut q = model.neutral();
            integrate(&model, &mut q, dq);
            q
        };
        let nv = model.nv();
        let inputs = |q: Vec<f64>, extra: Vec<f64>, random: &mut Random| Inputs {
            model: model.clone(),
            q,
            v: random.numbers(nv),
            extra,
        };
        let any = at(&random.numbers(nv));
        let dq = turn(&mut random, nv);
        let x = inputs(any.clone(), dq.clone(), &mut random);
        note(check_at(&Integrate, &x, &mut random, &format!("integrate, {what}")));
        note(check_at(&LocalRate, &x, &mut random, &format!("local_rate, {what}")));
        let mut to = any.clone();
        integrate(&model, &mut to, &dq);
        let x = inputs(any, vec![0.0; nv], &mut random);
        note(check_at(&Difference { to }, &x, &mut random, &format!("difference, {what}")));
        let mut q = at(&dq);
        let x = inputs(q.clone(), vec![], &mut random);
        let spring = OwnForces(JointStops::Soft);
        note(check_at(&spring, &x, &mut random, &format!("spring, {what}")));
        // Neither the length nor the sign of a quaternion matters.
        for k in 3..7 {
            q[k] *= -1.7;
        }
        let x = inputs(q, vec![], &mut random);
        note(check_at(&spring, &x, &mut random, &format!("long quaternion, {what}")));
        if size > 1e-100 {
            note(check_at(&Springs, &x, &mut random, &format!("energy, {what}")));
        }
    }
    println!("turns: worst relative error {:.1e}, second {:.1e}", worst[0], worst[1]);
}

#[test]
fn difference_back() {
    let mut worst = [0.0_f64; 2];
    for seed in 0..6 {
        let mut random = Random(seed);
        let x = random_inputs(&mut random, false, &Poses);
        let mut to = x.q.clone();
        integrate(&x.model, &mut to, &random.numbers(x.v.len()));
        let x = Inputs { extra: vec![0.0; x.v.len()], ..x };
        let errors = check_at(&Difference { to }, &x, &mut random, "difference");
        for i in 0..2 {
            worst[i] = worst[i].max(errors[i]);
        }
    }
    println!("difference: worst relative error {:.1e}, second {:.1e}", worst[0], worst[1]);
}

struct MassEntries;

impl MassEntries {
    fn crba<S: Scalar>(&self, x: &Inputs<S>, kin: &Kinematics<S>) -> CrbaWork<S> {
        let mut work = CrbaWork::new(&x.model);
        crba(&x.model, kin, &mut work);
        work
    }
}

impl Stage for MassEntries {
    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let kin = Kinematics::at(&x.model, &x.q, &x.v);
        let mass_matrix = self.crba(x, &kin).mass_matrix;
        let nv = x.v.len();
        (0..nv)
            .flat_map(|i| (0..=i).map(move |j| (i, j)))
            .map(|(i, j)| mass_matrix.at(i, j))
            .collect()
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        through_kinematics(x, |kin, bar, out| {
            let crba = self.crba(x, kin);
            let mut mass_matrix_bar = MassMatrix::new(&x.model);
            let mut y = y_bar.iter();
            for i in 0..x.v.len() {
                for j in 0..=i {
                    *mass_matrix_bar.at_mut(i, j) = *y.next().unwrap();
                }
            }
            let mut work = CrbaVjpWork::new(&x.model);
            // Twice, to see that nothing stays in the buffers.
            let mut dry = (KinematicsCotangents::new(&x.model), x.model.params.zeros_like());
            let (dry_bar, dry_params) = (&mut dry.0, &mut dry.1);
            crba_vjp(&x.model, kin, &crba, &mass_matrix_bar, &mut work, dry_bar, dry_params);
            crba_vjp(&x.model, kin, &crba, &mass_matrix_bar, &mut work, bar, &mut out.params);
        })
    }
}

/// xᵀ M y with constant x and y.
struct MassProduct;

impl MassProduct {
    fn vectors<S: Scalar>(&self, nv: usize) -> [Vec<S>; 2] {
        let mut random = Random(99);
        [0, 1].map(|_| random.numbers(nv).iter().map(|x| S::from_f64(*x)).collect())
    }
}

impl Stage for MassProduct {
    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let kin = Kinematics::at(&x.model, &x.q, &x.v);
        let [a, b] = self.vectors(x.v.len());
        let mut product = b.clone();
        MassEntries.crba(x, &kin).mass_matrix.mul(&b, &mut product);
        vec![a.iter().zip(&product).fold(S::ZERO, |sum, (a, b)| a.mul_add(*b, sum))]
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        through_kinematics(x, |kin, bar, out| {
            let [a, b] = self.vectors(x.v.len());
            let a: Vec<S> = a.iter().map(|a: &S| *a * y_bar[0]).collect();
            let mut work = MassProductWork::new(&x.model);
            mass_product_vjp(&x.model, kin, &a, &b, &mut work, bar, &mut out.params);
        })
    }
}

#[test]
fn mass_matrix_back() {
    check("crba", &MassEntries);
    check("mass_product", &MassProduct);
}

struct Springs;

impl Stage for Springs {
    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        vec![elastic_energy(&x.model, &x.q)]
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        let mut out = Cotangents::zero(x);
        elastic_energy_vjp(&x.model, &x.q, y_bar[0], &mut out.q, &mut out.params);
        out
    }
}

struct Energies;

impl Stage for Energies {
    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let kin = Kinematics::at(&x.model, &x.q, &x.v);
        let com = centre_of_mass(&x.model, &kin);
        let kinetic = kinetic_energy(&x.model, &kin, &x.v);
        vec![kinetic, gravitational_energy(&x.model, &kin), com.x, com.y, com.z]
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        through_kinematics(x, |kin, bar, out| {
            let (v_bar, params) = (&mut out.v, &mut out.params);
            kinetic_energy_vjp(&x.model, kin, &x.v, y_bar[0], bar, v_bar, params);
            gravitational_energy_vjp(&x.model, kin, y_bar[1], bar, params);
            centre_of_mass_vjp(&x.model, kin, Vec3::from_slice(&y_bar[2..]), bar, params);
        })
    }
}

#[test]
fn energies_back() {
    check("elastic_energy", &Springs);
    check("energies and centre of mass", &Energies);
}

struct Frames;

impl Stage for Frames {
    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let kin = Kinematics::at(&x.model, &x.q, &x.v);
        let frames = (1..x.model.topology.frames.len()).map(FrameId::new);
        frames
            .flat_map(|frame| {
                let pose = frame_pose(&x.model, &kin, frame);
                let Motion { ang, lin } = frame_velocity(&x.model, &kin, frame);
                [turn_of(&pose.rot), pose.pos, ang, lin]
            })
            .flat_map(Vec3::to_array)
            .collect()
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        through_kinematics(x, |kin, bar, out| {
            let params = &mut out.params;
            for (frame, y) in y_bar.chunks_exact(12).enumerate() {
                let frame = FrameId::new(frame + 1);
                let mut y = triples(y);
                let (turn, pos) = (y.next().unwrap(), y.next().unwrap());
                let turn = turn_of_vjp(&frame_pose(&x.model, kin, frame).rot, turn);
                frame_pose_vjp(&x.model, kin, frame, turn, pos, bar, params);
                let velocity_bar = Force::new(y.next().unwrap(), y.next().unwrap());
                frame_velocity_vjp(&x.model, kin, frame, velocity_bar, bar, params);
            }
        })
    }
}

#[test]
fn frames_back() {
    check("frames", &Frames);
}

/// Extra: the velocities at which links move.
struct LinkMotions;

impl Stage for LinkMotions {
    fn extra(&self, model: &Model<f64>) -> usize {
        model.nv()
    }

    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let kin = Kinematics::at(&x.model, &x.q, &x.v);
        let mut motions = vec![Motion::ZERO; x.model.n_links()];
        link_motions(&x.model, &kin, &x.extra, &mut motions);
        motions.iter().flat_map(|m| [m.ang, m.lin]).flat_map(Vec3::to_array).collect()
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        through_kinematics(x, |kin, bar, out| {
            let mut motions = vec![Motion::ZERO; x.model.n_links()];
            link_motions(&x.model, kin, &x.extra, &mut motions);
            let mut forces = forces(y_bar);
            let extra = &mut out.extra;
            link_motions_vjp(&x.model, kin, &x.extra, &motions, &mut forces, bar, extra);
        })
    }
}

#[test]
fn link_motions_back() {
    check("link_motions", &LinkMotions);
}

/// x · F u = u · Fᵀ x, and F Fᵀ = M⁻¹.
#[test]
fn impulse_response_is_the_way_back() {
    let mut worst = 0.0_f64;
    for seed in 0..6 {
        let mut random = Random(seed);
        let Inputs { model, q, v, .. } = random_inputs(&mut random, false, &Poses);
        let nv = model.nv();
        let kin = Kinematics::at(&model, &q, &v);
        let mut work = AbaWork::new(&model);
        aba(&model, &kin, &random.numbers(nv), &[], &mut work);
        let mut response = Response::new(&model);
        response.prepare(&work);
        let (x, u) = (random.numbers(nv), random.numbers(nv));
        let (before_v, before_u) = (random.numbers(nv), random.numbers(nv));
        let (mut fu, mut fx) = (before_v.clone(), before_u.clone());
        velocity_change(&model, &kin, &work, &mut response, &u, &mut fu);
        impulse_response(&model, &kin, &work, &mut response, &x, &mut fx);
        for k in 0..nv {
            fu[k] -= before_v[k];
            fx[k] -= before_u[k];
        }
        let (forward, size) = pair(x.iter().copied().zip(fu.iter().copied()));
        let (back, _) = pair(u.iter().copied().zip(fx.iter().copied()));
        let error = (forward - back).abs() / size;
        assert!(forward != 0.0 && error < FIRST, "seed {seed}: {forward:e}, {back:e}");
        worst = worst.max(error);

        let mut product = vec![0.0; nv];
        velocity_change(&model, &kin, &work, &mut response, &fx, &mut product);
        let mut mass = CrbaWork::new(&model);
        crba(&model, &kin, &mut mass);
        let mut again = vec![0.0; nv];
        mass.mass_matrix.mul(&product, &mut again);
        for k in 0..nv {
            let error = (again[k] - x[k]).abs();
            assert!(error < 1e-10, "seed {seed}: M F Fᵀ x is {}, x is {}", again[k], x[k]);
        }
    }
    println!("impulse_response: worst relative error {worst:.1e}");
}

/// Lanes that go different ways give what each gives alone.
fn check_lanes(name: &str, stage: &impl Stage) {
    type Four = Lanes<f64, 4>;
    let mut random = Random(11);
    let x = random_inputs(&mut random, true, stage);
    let alone: [Inputs<f64>; 4] = std::array::from_fn(|lane| {
        let mut x = x.clone();
        if lane == 0 {
            x.q = x.model.neutral();
            x.v.fill(0.0);
            x.extra.fill(0.0);
        } else {
            integrate(&x.model, &mut x.q, &random.numbers(x.v.len()));
            x.v = random.numbers(x.v.len());
            x.extra = random.numbers(x.extra.len());
        }
        x
    });
    let y_bar = random.numbers(stage.forward(&x).len());
    let lanes = |of: &dyn Fn(&Inputs<f64>) -> Vec<f64>| -> Vec<Four> {
        let numbers = alone.each_ref().map(of);
        (0..numbers[0].len()).map(|i| Four::from_lanes(|lane| numbers[lane][i])).collect()
    };
    let together = Inputs {
        model: x.model.cast::<Four>(),
        q: lanes(&|x| x.q.clone()),
        v: lanes(&|x| x.v.clone()),
        extra: lanes(&|x| x.extra.clone()),
    };
    let wide: Vec<Four> = y_bar.iter().map(|y| Four::from_f64(*y)).collect();
    let bar = stage.back(&together, &wide);
    for (lane, x) in alone.iter().enumerate() {
        let single = stage.back(x, &y_bar);
        let wide = |x: &[Four]| x.iter().map(|x| x.lane(lane)).collect::<Vec<_>>();
        assert_eq!(wide(&bar.q), single.q, "{name}, lane {lane}: q");
        assert_eq!(wide(&bar.v), single.v, "{name}, lane {lane}: v");
        assert_eq!(wide(&bar.extra), single.extra, "{name}, lane {lane}: extra");
        let params = flat(&single.params);
        assert_eq!(wide(&flat(&bar.params)), params, "{name}, lane {lane}: parameters");
    }
}

#[test]
fn lanes_go_their_own_ways() {
    check_lanes("kinematics", &Poses);
    check_lanes("rnea", &InverseDynamics);
    check_lanes("joint_forces", &OwnForces(JointStops::Soft));
    check_lanes("implicit_damping", &Implicit(JointStops::Soft));
    check_lanes("actuator_forces", &Motors);
    check_lanes("limit_activations", &LimitActivations);
    check_lanes("integrate", &Integrate);
    check_lanes("local_rate", &LocalRate);
    check_lanes("crba", &MassEntries);
    check_lanes("mass_product", &MassProduct);
    check_lanes("elastic_energy", &Springs);
    check_lanes("energies", &Energies);
    check_lanes("frames", &Frames);
    check_lanes("link_motions", &LinkMotions);
}
