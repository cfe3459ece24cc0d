//! The robot on its ground.

use std::path::Path;

use anyhow::Context as _;
use gradbody::model::import::{Base, ImportOptions, from_text};
use gradbody::model::{Material, Model, ShapeKind};
use gradbody::sim::State;
use gradbody_control::legged::{ConvexMpcOptions, Foot, Gait, LEGS, Quadruped, WalkerOptions};

/// Coefficient of friction between feet and ground.
pub(super) const FRICTION: f64 = 0.8;
/// The simulator's default step [s].
pub(super) const DT: f64 = 1e-3;

const TRUNK: &str = "trunk";
const FEET: [&str; LEGS] = ["FL_foot", "FR_foot", "RL_foot", "RR_foot"];
/// Height of the trunk's origin and angles of hip, thigh and calf in the stance.
const HEIGHT: f64 = 0.409;
const ANGLES: [f64; 3] = [0.0, 0.7, -1.4];

/// Laikago, how it walks, and how it stands at first.
pub(super) struct Laikago {
    pub(super) model: Model<f64>,
    pub(super) robot: Quadruped,
    pub(super) gait: Gait,
    pub(super) walking: WalkerOptions,
    pub(super) mpc: ConvexMpcOptions,
    pub(super) stance: Vec<f64>,
}

impl Laikago {
    pub(super) fn on_ground() -> anyhow::Result<Self> {
        let text = include_str!("../../models/laikago.urdf");
        let options = ImportOptions { base: Base::Free, ..ImportOptions::default() };
        let mut model = from_text(text, Path::new("laikago.urdf"), &options)?.model;
        let surface = Material::with_friction(FRICTION);
        model.params.shapes.iter_mut().for_each(|shape| shape.material = surface);
        model.add_ground(0.0, surface)?;
        let mut stance = vec![0.0, 0.0, HEIGHT, 1.0, 0.0, 0.0, 0.0];
        stance.extend(ANGLES.repeat(LEGS));
        let trunk = model.topology.link(TRUNK).context("the robot has no trunk")?;
        let feet: Vec<Foot> =
            FEET.iter().map(|name| foot(&model, name)).collect::<anyhow::Result<_>>()?;
        let feet = feet.try_into().ok().context("the robot does not have four feet")?;
        let robot = Quadruped::new(&model, trunk, feet, &stance)?;
        let mpc = ConvexMpcOptions::for_weight(robot.weight());
        Ok(Laikago {
            model,
            robot,
            gait: Gait::trot(0.5, 0.5),
            walking: WalkerOptions::default(),
            mpc,
            stance,
        })
    }

    /// At rest in the stance.
    pub(super) fn start(&self) -> State<f64> {
        let mut state = State::neutral(&self.model);
        state.q.copy_from_slice(&self.stance);
        state
    }
}

/// A foot and the ball around it.
fn foot(model: &Model<f64>, name: &str) -> anyhow::Result<Foot> {
    let frame = model.topology.frame(name).with_context(|| format!("no frame {name}"))?;
    let is_ball =
        |shape: &gradbody::model::Shape| shape.frame == frame && shape.kind == ShapeKind::Sphere;
    let ball = model.topology.shapes.iter().position(is_ball);
    let ball = ball.with_context(|| format!("no ball around {name}"))?;
    Ok(Foot { frame, radius: model.params.shapes[ball].size.x })
}
