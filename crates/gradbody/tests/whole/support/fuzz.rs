//! Random scenes and states for the fuzzers: whatever touches whatever, however deep, at whatever speed.

use super::random::Random;
use gradbody::contact::{Cone, Detection, FrictionLaw, HuntCrossley, Lcp, Ncp, Solver};
use gradbody::dynamics::JointStops;
use gradbody::model::{ContactLaw, Material, ShapeKind, ShapeParams};
use gradbody::prelude::*;

/// What the scenes of a fuzzer are made of.
pub(crate) struct Recipe {
    /// Where the ground is.
    pub(crate) ground: fn(&mut Random) -> Transform<f64>,
    /// Whether half of the scenes have a second shape that stands still.
    pub(crate) posts: bool,
    /// The most bodies.
    pub(crate) bodies: usize,
    /// A shape and its size.
    pub(crate) shape: fn(&mut Random) -> (ShapeKind, Vec3<f64>),
    /// What it is made of.
    pub(crate) material: fn(&mut Random) -> Material<f64>,
    /// How far bodies are apart [m, rad].
    pub(crate) spread: f64,
    /// Whether a few sweeps start from the last step's impulses.
    pub(crate) warm_start: bool,
    /// Whether the first body hangs on the world by a hinge.
    pub(crate) held: bool,
    /// Whether a third of the scenes look for penetrating contacts only.
    pub(crate) penetrating: bool,
}

impl Recipe {
    /// The ground and bodies on it, free or chained to the one before.
    pub(crate) fn scene(&self, random: &mut Random) -> Model<f64> {
        let mut b = ModelBuilder::new("scene");
        let plane = ShapeParams {
            placement: (self.ground)(random),
            size: Vec3::ZERO,
            material: Material::DEFAULT,
        };
        b.shape("ground", FrameId::WORLD, ShapeKind::Plane, plane).unwrap();
        if self.posts && random.below(2) == 0 {
            self.add_shape(&mut b, FrameId::WORLD, "post".into(), random);
        }
        let mut last = FrameId::WORLD;
        for i in 0..1 + random.below(self.bodies) {
            let moment = random.within(1e-3, 0.1);
            let body = Inertia {
                mass: random.within(0.1, 5.0),
                com: random.vector() * 0.05,
                rotational: Sym3::diagonal(Vec3::new(moment, moment, moment)),
            };
            let held = self.held && i == 0;
            let chained = held || last != FrameId::WORLD && random.below(2) == 0;
            let (joint, on) = if chained {
                let mut hinge = JointSpec::revolute(format!("joint{i}"), random.direction());
                hinge.params.limit_lower = -0.5;
                hinge.params.limit_upper = 0.5;
                hinge.params.friction = random.within(0.0, 1.0);
                (hinge.at(Transform::from_translation(random.vector() * 0.3)), last)
            } else {
                (JointSpec::free(format!("joint{i}")), FrameId::WORLD)
            };
            last = b.link(format!("body{i}"), on, joint, body).unwrap();
            for k in 0..1 + random.below(2) {
                self.add_shape(&mut b, last, format!("shape{i}.{k}"), random);
            }
        }
        b.build().unwrap()
    }

    fn add_shape(&self, b: &mut ModelBuilder, frame: FrameId, name: String, random: &mut Random) {
        let (kind, size) = (self.shape)(random);
        let pos = if random.below(2) == 0 { Vec3::ZERO } else { random.vector() * 0.2 };
        let rot = if random.below(2) == 0 { Mat3::IDENTITY } else { random.rotation() };
        let material = (self.material)(random);
        let placement = Transform::new(rot, pos);
        let shape = b.shape(name, frame, kind, ShapeParams { placement, size, material }).unwrap();
        b.shape_mut(shape).resists_turning = random.below(3) == 0;
        if random.below(5) == 0 {
            b.shape_mut(shape).law = ContactLaw::Compliant;
        }
    }

    /// A third with every body at the same place, on the ground; a third at rest.
    pub(crate) fn start(&self, model: &Model<f64>, random: &mut Random) -> State<f64> {
        let mut state = State::neutral(model);
        if random.below(3) > 0 {
            let numbers = random.numbers(model.nv());
            let dq: Vec<f64> = numbers.iter().map(|x| self.spread * x).collect();
            integrate(model, &mut state.q, &dq);
        }
        if random.below(3) > 0 {
            let speed = 10.0_f64.powi(random.below(3) as i32 - 1);
            state.v.iter_mut().for_each(|v| *v = speed * random.unit());
        }
        state
    }

    /// Some time step, integrator, solver, friction law and stops.
    pub(crate) fn options(&self, model: &Model<f64>, random: &mut Random) -> StepOptions<f64> {
        let mut options = StepOptions::new([1e-4, 1e-3, 1e-2][random.below(3)]);
        options.integrator =
            [Integrator::ImplicitDamping, Integrator::SemiImplicitEuler, Integrator::Rk4]
                [random.below(3)];
        let warm_start = self.warm_start;
        options.contact.solver = match random.below(6) {
            0 => Solver::HuntCrossley,
            // Its cost grows with the cube of the contacts.
            1 if model.n_links() < 3 => Solver::Lcp(Lcp { sides: 4 }),
            2 => Solver::Ncp(Ncp {
                cone: Cone::Pyramid,
                tolerance: 0.0,
                rounds: 0,
                sweeps: 5,
                warm_start,
            }),
            _ => Solver::Ncp(Ncp::default()),
        };
        let laws = [
            FrictionLaw::Coulomb,
            FrictionLaw::Brown,
            FrictionLaw::Andersson,
            FrictionLaw::Hollars,
        ];
        options.contact.compliance = HuntCrossley { friction: laws[random.below(4)] };
        if self.penetrating && random.below(3) == 0 {
            options.contact.detection = Detection::Penetrating;
        }
        // Soft stops are springs too stiff for an explicit step.
        if random.below(2) == 0 || options.integrator != Integrator::ImplicitDamping {
            options.joint_stops = JointStops::Hard;
        }
        options
    }
}
