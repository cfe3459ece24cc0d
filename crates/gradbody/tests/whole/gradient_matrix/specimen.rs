//! A mechanism for each joint kind, on which every number acts: a link on that joint, a second one on a
//! hinge, both about to touch something.

use gradbody::contact::{Cone, FrictionLaw, HuntCrossley, Lcp, Ncp};
use gradbody::contact::{ContactGradient, Solver};
use gradbody::dynamics::{JointStops, integrate};
use gradbody::math::{Force, Mat3, Transform, Vec3};
use gradbody::model::{
    ActuatorParams, ContactLaw, ContactPair, FrameId, JointId, JointSpec, Material, Model,
    ModelBuilder, ShapeKind, ShapeParams,
};
use gradbody::prelude::{Kinematics, Quat, kinematics, velocities};
use gradbody::sim::{Checkpointing, Input, Integrator, State, StepOptions};
use gradbody_check::Case;

use crate::support::models::random_inertia;
use crate::support::random::Random;

/// Every joint kind, with a name.
pub(crate) fn joints() -> Vec<(&'static str, JointSpec)> {
    let any = Vec3::new(0.5, -0.3, 0.8);
    let across = Vec3::new(0.8, 0.1, -0.4);
    vec![
        ("revolute x", JointSpec::revolute("base", Vec3::X)),
        ("revolute y", JointSpec::revolute("base", Vec3::Y)),
        ("revolute z", JointSpec::revolute("base", Vec3::Z)),
        ("revolute, any axis", JointSpec::revolute("base", any)),
        ("prismatic x", JointSpec::prismatic("base", Vec3::X)),
        ("prismatic y", JointSpec::prismatic("base", Vec3::Y)),
        ("prismatic z", JointSpec::prismatic("base", Vec3::Z)),
        ("prismatic, any axis", JointSpec::prismatic("base", any)),
        ("spherical", JointSpec::spherical("base")),
        ("planar", JointSpec::planar("base")),
        ("universal", JointSpec::universal("base", any, across)),
        ("free", JointSpec::free("base")),
    ]
}

/// A way to find what contacts do, and its derivative.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) name: &'static str,
    pub(crate) solver: Solver,
    pub(crate) gradient: ContactGradient,
    pub(crate) friction: FrictionLaw,
}

impl Way {
    /// Whether central differences see the same function, not its kinks.
    pub(crate) fn is_smooth(&self) -> bool {
        !self.solver.is_rigid() && self.friction != FrictionLaw::Hollars
    }
}

/// All of them.
pub(crate) fn ways() -> Vec<Way> {
    use ContactGradient::{Implicit, Unrolled};
    let way = |name, solver, gradient| Way { name, solver, gradient, friction: FrictionLaw::Brown };
    let compliant = |name, friction| Way { friction, ..way(name, Solver::HuntCrossley, Implicit) };
    let few = |warm_start, cone| Ncp { cone, sweeps: 4, tolerance: 0.0, rounds: 0, warm_start };
    let pyramid = Ncp { cone: Cone::Pyramid, ..Ncp::converged() };
    vec![
        way("none", Solver::Off, Implicit),
        way("NCP, implicit", Solver::Ncp(Ncp::converged()), Implicit),
        way("NCP pyramid, implicit", Solver::Ncp(pyramid), Implicit),
        way("NCP cold, unrolled", Solver::Ncp(few(false, Cone::Circular)), Unrolled),
        way("NCP warm, unrolled", Solver::Ncp(few(true, Cone::Circular)), Unrolled),
        way("NCP pyramid, unrolled", Solver::Ncp(few(true, Cone::Pyramid)), Unrolled),
        way("LCP, implicit", Solver::Lcp(Lcp { sides: 8 }), Implicit),
        compliant("Hunt-Crossley, Coulomb", FrictionLaw::Coulomb),
        compliant("Hunt-Crossley, Brown", FrictionLaw::Brown),
        compliant("Hunt-Crossley, Andersson", FrictionLaw::Andersson),
        compliant("Hunt-Crossley, Hollars", FrictionLaw::Hollars),
    ]
}

/// What limits and friction of the joints are, and who is at a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stops {
    /// All, softly.
    Soft,
    /// The hinge; both links touch.
    HardHinge,
    /// The joint in question; the second link touches.
    HardBase,
}

impl Stops {
    pub(crate) const ALL: [Stops; 3] = [Stops::Soft, Stops::HardHinge, Stops::HardBase];

    pub(crate) fn are_hard(self) -> bool {
        self != Stops::Soft
    }
}

/// The integrators.
pub(crate) const INTEGRATORS: [Integrator; 3] =
    [Integrator::SemiImplicitEuler, Integrator::ImplicitDamping, Integrator::Rk4];

/// Time step [s].
const DT: f64 = 0.01;

/// Steps of a rollout.
const STEPS: usize = 4;

/// How far joints are beyond their limits at the start [rad or m].
const BEYOND: f64 = 0.01;

/// Of each kind's numbers: those with which contacts neither hold everything still nor are on a kink.
const SEEDS: [u64; 12] = [177, 78, 79, 80, 81, 82, 83, 84, 185, 186, 87, 188];

const FOOT_RADIUS: f64 = 0.05;
const BLOCK: [f64; 3] = [0.06, 0.08, 0.05];

/// The mechanism of joint kind number `kind`, to be rolled out in some way.
pub(crate) fn case(
    kind: usize,
    spec: &JointSpec,
    stops: Stops,
    integrator: Integrator,
    way: &Way,
) -> Case {
    let (model, start) = mechanism(kind, spec, stops);
    let inputs = inputs(&model, kind);
    let mut options = StepOptions::new(DT).with(integrator).with_solver(way.solver);
    options.contact.compliance = HuntCrossley { friction: way.friction };
    // Stops without rigid contacts are solved by sweeps that end at a tolerance.
    let mut gradient = way.gradient;
    if stops.are_hard() {
        options.joint_stops = JointStops::Hard;
        if !way.solver.is_rigid() {
            gradient = ContactGradient::Unrolled;
        }
    }
    Case { model, start, inputs, options, gradient, checkpointing: Checkpointing::EveryStep }
}

/// The model, and a state in which it is about to touch ground and table.
pub(crate) fn mechanism(kind: usize, spec: &JointSpec, stops: Stops) -> (Model<f64>, State<f64>) {
    let mut random = Random::new(SEEDS[kind]);
    let mut model = without_places(kind, spec, stops, &mut random);
    let mut state = State::neutral(&model);
    let sign = |random: &mut Random| [-1.0, 1.0][random.below(2)];
    let dq: Vec<f64> =
        (0..model.nv()).map(|_| sign(&mut random) * random.within(0.1, 0.4)).collect();
    integrate(&model, &mut state.q, &dq);
    state.v.iter_mut().for_each(|v| *v = sign(&mut random) * random.within(0.4, 1.0));
    // One near the lower end of its range, the next near the upper.
    let ends = [0.118, -0.118];
    for (i, activation) in state.activation.iter_mut().enumerate().skip(1) {
        *activation = ends[(i + kind) % 2];
    }
    let push = place_planes(&mut model, &state, stops, &mut random);
    set_limits(&mut model, &state, stops, kind, push);
    model.check().expect("a usable model");
    (model, state)
}

fn without_places(kind: usize, spec: &JointSpec, stops: Stops, random: &mut Random) -> Model<f64> {
    let mut b = ModelBuilder::new(format!("specimen {kind}"));
    b.gravity(Vec3::new(0.3, -0.4, -9.7));
    let surfaces = Surfaces::of(stops);
    let plane =
        |material| ShapeParams { placement: Transform::IDENTITY, size: Vec3::ZERO, material };
    let ground =
        b.shape("ground", FrameId::WORLD, ShapeKind::Plane, plane(surfaces.ground)).unwrap();
    let table = b.shape("table", FrameId::WORLD, ShapeKind::Plane, plane(surfaces.ground)).unwrap();

    let mut base = spec.clone();
    base.placement = Transform::new(random.rotation(), random.vector() * 0.3);
    set_joint(&mut base, random);
    base.params.effort_limit = 2.6;
    // Friction that holds, if it is a constraint.
    base.params.friction = if stops == Stops::HardHinge && kind % 2 == 1 { 30.0 } else { 0.3 };
    let base = b.link("base", FrameId::WORLD, base, random_inertia(random)).unwrap();
    let mut hinge = JointSpec::revolute("hinge", random.direction());
    hinge.placement = Transform::new(random.rotation(), random.vector() * 0.2);
    set_joint(&mut hinge, random);
    hinge.params.effort_limit = 50.0;
    let arm = b.link("arm", base, hinge, random_inertia(random)).unwrap();

    let placed = |pos, random: &mut Random| Transform::new(random.rotation(), pos);
    let foot = ShapeParams {
        placement: placed(Vec3::new(0.1, 0.05, -0.2), random),
        size: Vec3::new(FOOT_RADIUS, 0.0, 0.0),
        material: surfaces.foot,
    };
    let foot = b.shape("foot", base, ShapeKind::Sphere, foot).unwrap();
    let block = ShapeParams {
        placement: placed(Vec3::new(0.05, 0.02, -0.25), random),
        size: Vec3::from_f64(BLOCK),
        material: surfaces.foot,
    };
    let block = b.shape("block", arm, ShapeKind::Box, block).unwrap();
    for (shape, group) in [(ground, 1), (foot, 1), (table, 2), (block, 4)] {
        b.shape_mut(shape).collision_group = group;
        b.shape_mut(shape).collides_with = group;
        b.shape_mut(shape).resists_turning = true;
    }
    let pair = ContactPair { a: table, b: block, law: ContactLaw::Rigid, resists_turning: true };
    b.contact_pair(pair, surfaces.pair);

    let servo = ActuatorParams {
        gear: 1.2,
        gain: 3.0,
        bias: [0.1, -0.5, -0.2],
        control_lower: -0.7,
        control_upper: 0.7,
        activation_lower: -0.5,
        activation_upper: 0.5,
        force_lower: -2.0,
        force_upper: 2.0,
    };
    let narrow = ActuatorParams { activation_lower: -0.12, activation_upper: 0.12, ..servo };
    b.actuator("servo", JointId::new(1), false, servo).unwrap();
    b.actuator("winch", JointId::new(1), true, servo).unwrap();
    b.actuator("drive", JointId::new(1), true, narrow).unwrap();
    if spec.kind.nv() == 1 {
        b.actuator("motor", JointId::new(0), false, servo).unwrap();
    }
    let tip = Transform::new(random.rotation(), random.vector() * 0.4);
    b.frame("tip", arm, tip).unwrap();
    b.build().expect("a model")
}

fn set_joint(spec: &mut JointSpec, random: &mut Random) {
    let p = &mut spec.params;
    p.armature = random.within(0.01, 0.1);
    p.damping = random.within(0.1, 1.0);
    p.friction = 0.3;
    p.friction_velocity = random.within(0.5, 1.0);
    p.stiffness = random.within(1.0, 10.0);
    if spec.kind.is_flat() {
        p.rest = 0.2 * random.unit();
        p.limit_stiffness = random.within(50.0, 100.0);
        p.limit_damping = random.within(0.5, 2.0);
        p.limit_softness = 0.01;
    }
}

struct Surfaces {
    ground: Material<f64>,
    foot: Material<f64>,
    pair: Material<f64>,
}

impl Surfaces {
    fn of(stops: Stops) -> Self {
        let foot = Material {
            friction: 0.3,
            torsional_friction: 0.02,
            rolling_friction: 0.01,
            static_friction: 0.5,
            slip_velocity: 0.25,
            restitution: if stops == Stops::Soft { 0.4 } else { 0.0 },
            position_gain: 0.2,
            velocity_gain: 0.9,
            cfm: 0.05,
            stiffness: 20_000.0,
            damping: 20_000.0,
            exponent: 1.5,
        };
        // No number is the foot's: where two are equal, which counts is a kink.
        let ground = Material {
            friction: 0.2,
            torsional_friction: 0.015,
            rolling_friction: 0.012,
            static_friction: 0.3,
            slip_velocity: 0.2,
            restitution: 0.0,
            position_gain: 0.25,
            velocity_gain: 0.8,
            cfm: 0.03,
            stiffness: 30_000.0,
            damping: 10_000.0,
            exponent: 1.4,
        };
        let restitution = if stops == Stops::HardBase { 0.3 } else { 0.0 };
        let pair = Material { friction: 0.4, static_friction: 0.6, restitution, cfm: 0.04, ..foot };
        Surfaces { ground, foot, pair }
    }
}

/// Puts ground and table where foot and block move towards them. Gives the hinge's direction that moves
/// the block away.
fn place_planes(
    model: &mut Model<f64>,
    state: &State<f64>,
    stops: Stops,
    random: &mut Random,
) -> f64 {
    let mut kin = Kinematics::new(model);
    kinematics(model, &state.q, &mut kin);
    velocities(model, &state.v, &mut kin);
    let [mut ground_gap, mut table_gap] = [5e-4, -3e-4];
    match stops {
        Stops::Soft => {}
        Stops::HardHinge => [ground_gap, table_gap] = [-4e-4, 5e-4],
        Stops::HardBase => ground_gap = 0.03,
    }
    let mut away = 0.0;
    for (plane, shape, link, gap) in [(0, 2, 0, ground_gap), (1, 3, 1, table_gap)] {
        let body = &kin.bodies[link];
        let placement = &model.params.shapes[shape].placement;
        let lever = body.rot_wb * placement.pos;
        let centre = body.pos_w + lever;
        let velocity = body.lin_vel_w + body.ang_vel_w.cross(lever);
        let against = velocity.normalized_or(Vec3::Z) * -1.0;
        let normal = (against + random.vector() * 0.4).normalized_or(Vec3::Z);
        let rot = body.rot_wb * placement.rot;
        let reach = if shape == 2 {
            FOOT_RADIUS
        } else {
            (0..3).map(|i| BLOCK[i] * rot.cols[i].dot(normal).abs()).sum()
        };
        let pos = centre - normal * (reach + gap);
        let turn = Vec3::Z.cross(normal);
        let rot = if turn.norm() > 1e-9 {
            let angle = turn.norm().atan2(normal.z);
            Quat::exp(turn.normalized_or(Vec3::X) * angle).to_mat3()
        } else {
            Mat3::IDENTITY
        };
        model.params.shapes[plane].placement = Transform::new(rot, pos);
        if link == 1 {
            let axis = body.ang_vel_w - kin.bodies[0].ang_vel_w;
            away = axis.cross(lever).dot(normal) * state.v[model.nv() - 1];
        }
    }
    away.signum()
}

fn set_limits(model: &mut Model<f64>, state: &State<f64>, stops: Stops, kind: usize, push: f64) {
    let hinge = state.q[model.nq() - 1];
    let far = 1.0;
    let params = &mut model.params.joints;
    (params[1].limit_lower, params[1].limit_upper) = if stops == Stops::HardBase {
        (hinge - far, hinge + far)
    } else if push > 0.0 {
        (hinge + BEYOND, hinge + far)
    } else {
        (hinge - far, hinge - BEYOND)
    };
    let joint = &model.topology.links[0].joint;
    if !joint.kind.is_flat() {
        return;
    }
    let q = &state.q[joint.q_range()];
    let (low, high) =
        (q.iter().copied().fold(far, f64::min), q.iter().copied().fold(-far, f64::max));
    (params[0].limit_lower, params[0].limit_upper) = if stops == Stops::HardHinge {
        (low - far, high + far)
    } else if high - low > 3.0 * BEYOND {
        (low + BEYOND, high - BEYOND)
    } else if kind.is_multiple_of(2) {
        (low + BEYOND, high + far)
    } else {
        (low - far, high - BEYOND)
    };
}

fn inputs(model: &Model<f64>, kind: usize) -> Vec<Input<f64>> {
    let mut random = Random::new(900 + kind as u64);
    let controls = [0.9, -0.9, 0.3, -0.2];
    let input = |step: usize, random: &mut Random| {
        let mut input = Input::none(model);
        for (i, control) in input.control.iter_mut().enumerate() {
            *control = controls[(step + i) % controls.len()];
        }
        // The narrow one goes on to its end.
        input.control[2] = if (kind + 1).is_multiple_of(2) { 0.5 } else { -0.5 };
        input.tau = random.numbers(model.nv());
        if step == 0 {
            input.tau[0] = 6.0;
        }
        if step % 2 == 1 {
            let force = |random: &mut Random| Force::new(random.vector(), random.vector());
            input.external = (0..model.n_links()).map(|_| force(random)).collect();
        }
        input
    };
    (0..STEPS).map(|step| input(step, &mut random)).collect()
}
