//! Worlds with contact: bodies of simple shapes, and one that steps them.

use super::models::quadruped;
use gradbody::dynamics::{frame_pose, momentum};
use gradbody::math::{Force, Inertia, Mat3, Quat, Sym3, Transform, Vec3};
use gradbody::model::{
    Activation, Actuator, ActuatorParams, FrameId, JointId, JointSpec, LinkId, Material, Model,
    ModelBuilder, ShapeId, ShapeKind, ShapeParams,
};
use gradbody::prelude::{Kinematics, kinematics, velocities};
use gradbody::sim::{
    Energy, Input, NoTaps, State, StepOptions, StepReport, StepScratch, StepTrace, step,
};

/// Acceleration of free fall [m/s²].
pub(crate) const G: f64 = 9.81;

/// No mass at all, for links between two joints.
pub(crate) const NOTHING: Inertia<f64> =
    Inertia { mass: 0.0, com: Vec3::ZERO, rotational: Sym3::ZERO };

/// A shape at the origin of its frame.
pub(crate) fn shape(size: [f64; 3], material: Material<f64>) -> ShapeParams<f64> {
    ShapeParams { placement: Transform::IDENTITY, size: Vec3::from_f64(size), material }
}

/// Puts bodies into a world.
pub(crate) struct Scene {
    pub(crate) builder: ModelBuilder,
    pub(crate) surface: Material<f64>,
}

impl Scene {
    /// An empty world whose shapes all have this surface.
    pub(crate) fn new(surface: Material<f64>) -> Self {
        Scene { builder: ModelBuilder::new("scene"), surface }
    }

    /// The same without gravity.
    pub(crate) fn weightless(surface: Material<f64>) -> Self {
        let mut scene = Scene::new(surface);
        scene.builder.gravity(Vec3::ZERO);
        scene
    }

    /// A plane through the origin, turned by `rot`.
    pub(crate) fn plane(&mut self, rot: Mat3<f64>) -> ShapeId {
        let mut params = shape([0.0; 3], self.surface);
        params.placement.rot = rot;
        self.builder.shape("ground", FrameId::WORLD, ShapeKind::Plane, params).unwrap()
    }

    /// The ground, z = 0.
    pub(crate) fn ground(&mut self) -> ShapeId {
        self.plane(Mat3::IDENTITY)
    }

    /// A free body with its one shape, both called `name`.
    pub(crate) fn body(
        &mut self,
        name: &str,
        kind: ShapeKind,
        size: [f64; 3],
        inertia: Inertia<f64>,
    ) -> ShapeId {
        let joint = JointSpec::free(format!("joint of {name}"));
        let frame = self.builder.link(name, FrameId::WORLD, joint, inertia).unwrap();
        self.builder.shape(name, frame, kind, shape(size, self.surface)).unwrap()
    }

    /// A free homogeneous ball.
    pub(crate) fn ball(&mut self, name: &str, radius: f64, mass: f64) -> ShapeId {
        self.body(name, ShapeKind::Sphere, [radius, 0.0, 0.0], ball(radius, mass))
    }

    /// A free homogeneous box.
    pub(crate) fn block(&mut self, name: &str, half: [f64; 3], mass: f64) -> ShapeId {
        self.body(name, ShapeKind::Box, half, block(half, mass))
    }

    /// Makes a shape's contacts resist turning.
    pub(crate) fn resist_turning(&mut self, shape: ShapeId) {
        self.builder.shape_mut(shape).resists_turning = true;
    }

    pub(crate) fn build(self) -> Model<f64> {
        self.builder.build().unwrap()
    }

    /// A world at time steps of `dt`.
    pub(crate) fn world(self, dt: f64) -> World {
        World::new(self.build(), dt)
    }
}

/// A homogeneous ball.
pub(crate) fn ball(radius: f64, mass: f64) -> Inertia<f64> {
    let i = 0.4 * mass * radius * radius;
    Inertia { mass, com: Vec3::ZERO, rotational: Sym3::diagonal(Vec3::new(i, i, i)) }
}

/// A homogeneous box of these half lengths.
pub(crate) fn block([x, y, z]: [f64; 3], mass: f64) -> Inertia<f64> {
    let moments = Vec3::new(y * y + z * z, x * x + z * z, x * x + y * y) * (mass / 3.0);
    Inertia { mass, com: Vec3::ZERO, rotational: Sym3::diagonal(moments) }
}

/// The rotation that inclines a plane by `angle`, so that it falls in the direction `heading` from
/// x.
pub(crate) fn inclined(angle: f64, heading: f64) -> Mat3<f64> {
    let axis = Vec3::new(-heading.sin(), heading.cos(), 0.0);
    Mat3::from_axis_sin_cos(axis, angle.sin_cos())
}

/// A body of 1 kg that slides any way and does not turn, a ball of 0.1 m, touching a plane that is
/// inclined by `angle` towards `heading`.
pub(crate) fn slider(angle: f64, heading: f64, friction: f64, dt: f64) -> World {
    let mut scene = Scene::new(Material::with_friction(friction));
    let rot = inclined(angle, heading);
    scene.plane(rot);
    let b = &mut scene.builder;
    let x = b.link("x", FrameId::WORLD, JointSpec::prismatic("x", Vec3::X), NOTHING).unwrap();
    let y = b.link("y", x, JointSpec::prismatic("y", Vec3::Y), NOTHING).unwrap();
    let z = b.link("z", y, JointSpec::prismatic("z", Vec3::Z), ball(0.1, 1.0)).unwrap();
    b.shape("foot", z, ShapeKind::Sphere, shape([0.1, 0.0, 0.0], scene.surface)).unwrap();
    let mut world = scene.world(dt);
    world.state.q.copy_from_slice(&(rot.cols[2] * 0.1).to_array());
    world
}

/// Boxes of 20 × 20 × 10 cm and 1 kg on each other.
pub(crate) fn stack(n: usize, dt: f64) -> World {
    let half = [0.1, 0.1, 0.05];
    let mut scene = Scene::new(Material::with_friction(0.6));
    scene.ground();
    (0..n).for_each(|i| {
        scene.block(&format!("box{i}"), half, 1.0);
    });
    let mut world = scene.world(dt);
    for i in 0..n {
        world.place(i, [0.0, 0.0, half[2] * (2 * i + 1) as f64], Quat::IDENTITY);
    }
    world
}

/// Angles of hip, thigh and calf of a standing quadruped [rad].
const STANCE: [f64; 3] = [0.0, 0.67, -1.25];

/// Laikago on the ground, with a servo on each joint that holds it where it is.
pub(crate) fn standing_quadruped() -> World {
    let mut model = quadruped();
    model.add_ground(0.0, Material::with_friction(0.8)).unwrap();
    let Model { topology, params } = &mut model;
    for (i, link) in topology.links.iter().enumerate().skip(1) {
        let name = format!("servo of {}", link.joint.name);
        let joint = JointId::new(i);
        topology.actuators.push(Actuator { name, joint, activation: Activation::Direct });
        params.actuators.push(ActuatorParams::position(220.0, 12.0));
    }
    model.check().unwrap();
    let mut world = World::new(model, 1e-3);
    for (i, q) in world.state.q[7..].iter_mut().enumerate() {
        *q = STANCE[i % 3];
    }
    world.input.control.copy_from_slice(&world.state.q[7..]);
    // The feet, balls of 26.5 mm, just touch.
    let kin = world.kinematics();
    let topology = &world.model.topology;
    let foot = |name: &str| topology.frame(name).expect("a foot");
    let lowest = ["FL_foot", "FR_foot", "RL_foot", "RR_foot"]
        .map(|name| frame_pose(&world.model, &kin, foot(name)).pos.z)
        .into_iter()
        .fold(f64::INFINITY, f64::min);
    world.state.q[2] += 0.0265 - lowest;
    world
}

/// A model on its way through time.
pub(crate) struct World {
    pub(crate) model: Model<f64>,
    pub(crate) state: State<f64>,
    pub(crate) input: Input<f64>,
    pub(crate) options: StepOptions<f64>,
    pub(crate) trace: StepTrace<f64>,
    pub(crate) scratch: StepScratch<f64>,
}

impl World {
    pub(crate) fn new(model: Model<f64>, dt: f64) -> Self {
        World {
            state: State::neutral(&model),
            input: Input::none(&model),
            options: StepOptions::new(dt),
            trace: StepTrace::new(&model),
            scratch: StepScratch::new(&model),
            model,
        }
    }

    /// One step; the state it ends in is finite.
    pub(crate) fn step(&mut self) -> StepReport {
        let World { model, state, input, options, trace, scratch } = self;
        let report = step(model, state, input, options, &mut NoTaps, trace, scratch);
        assert_eq!(report.diverged, None, "at {} s", state.time);
        report
    }

    /// So many steps.
    pub(crate) fn steps(&mut self, n: usize) {
        for _ in 0..n {
            self.step();
        }
    }

    /// As many steps as fit in a time [s].
    pub(crate) fn run(&mut self, seconds: f64) {
        self.steps((seconds / self.options.dt).round() as usize);
    }

    fn q_start(&self, body: usize) -> usize {
        self.model.topology.links[body].joint.q_start
    }

    fn v_start(&self, body: usize) -> usize {
        self.model.topology.links[body].joint.v_start
    }

    /// Puts a free body somewhere.
    pub(crate) fn place(&mut self, body: usize, pos: [f64; 3], quat: Quat<f64>) {
        let q = self.q_start(body);
        self.state.q[q..q + 3].copy_from_slice(&pos);
        self.state.q[q + 3..q + 7].copy_from_slice(&quat.to_array());
    }

    /// Sets the velocity of a free body, and its angular velocity in its own axes.
    pub(crate) fn throw(&mut self, body: usize, velocity: [f64; 3], spin_b: [f64; 3]) {
        let v = self.v_start(body);
        self.state.v[v..v + 3].copy_from_slice(&velocity);
        self.state.v[v + 3..v + 6].copy_from_slice(&spin_b);
    }

    pub(crate) fn position(&self, body: usize) -> Vec3<f64> {
        Vec3::from_slice(&self.state.q[self.q_start(body)..])
    }

    pub(crate) fn velocity(&self, body: usize) -> Vec3<f64> {
        Vec3::from_slice(&self.state.v[self.v_start(body)..])
    }

    /// Angular velocity of a free body in its own axes.
    pub(crate) fn spin_b(&self, body: usize) -> Vec3<f64> {
        Vec3::from_slice(&self.state.v[self.v_start(body) + 3..])
    }

    /// Poses and velocities at the present state.
    pub(crate) fn kinematics(&self) -> Kinematics<f64> {
        let mut kin = Kinematics::new(&self.model);
        kinematics(&self.model, &self.state.q, &mut kin);
        velocities(&self.model, &self.state.v, &mut kin);
        kin
    }

    /// Energy at the present state.
    pub(crate) fn energy(&self) -> f64 {
        let kin = self.kinematics();
        Energy::of(&self.model, &kin, &self.state.q, &self.state.v).total()
    }

    /// Momentum at the present state, the angular part about the world's origin.
    pub(crate) fn momentum(&self) -> Force<f64> {
        let kin = self.kinematics();
        let Force { ang, lin } = momentum(&self.model, &kin);
        let com = gradbody::dynamics::centre_of_mass(&self.model, &kin);
        Force { ang: ang + com.cross(lin), lin }
    }

    /// Sum of the contact forces on a link in the last step.
    pub(crate) fn contact_force(&self, link: LinkId) -> Vec3<f64> {
        let mut sum = Vec3::ZERO;
        for contact in self.trace.contacts() {
            if contact.link_b == Some(link) {
                sum += contact.force_w;
            }
            if contact.link_a == Some(link) {
                sum -= contact.force_w;
            }
        }
        sum
    }
}
