//! The cube and the table under several contact laws, and the parameters that can be identified for each.

use gradbody::contact::Solver;
use gradbody::math::Vec3;
use gradbody::model::{Material, Model};
use gradbody::sim::StepOptions;

use super::tosses::RATE;
use gradbody_cli::builtin;

/// Gravity as it appears in these data, whose lengths are two per cent short [m/s²].
pub(super) const GRAVITY: f64 = 9.61;
/// Initial value of the radius of edges and corners [m]. A rounded cube is modelled as a cube smaller by the radius on
/// all sides, on a table higher by the radius.
pub(super) const ROUNDED: f64 = 1e-3;

/// An identifiable number and the parameters it stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number {
    pub(super) name: &'static str,
    /// Paths of the parameters; all change by the same factor.
    pub(super) paths: &'static [&'static str],
    /// Largest factor by which it may shrink or grow.
    pub(super) range: f64,
}

macro_rules! numbers {
    ($($constant:ident = $name:literal within $range:literal: [$($path:literal),+];)+) => {
        $(const $constant: Number = Number { name: $name, paths: &[$($path),+], range: $range };)+
    };
}

numbers! {
    GRAVITY_NUMBER = "gravity" within 1.1: ["gravity/z"];
    INERTIA = "inertia" within 2.0: ["link/cube/inertia/xx", "link/cube/inertia/yy", "link/cube/inertia/zz"];
    SIDE = "side" within 1.1: ["shape/cube/size/x", "shape/cube/size/y", "shape/cube/size/z"];
    ROUNDING = "rounding" within 10.0: ["shape/ground/placement/z"];
    FRICTION = "friction" within 20.0: ["shape/cube/friction", "shape/cube/static_friction"];
    RESTITUTION = "restitution" within 8.0: ["shape/cube/restitution"];
    STIFFNESS = "stiffness" within 1e4: ["shape/cube/stiffness"];
    DAMPING = "damping" within 1e4: ["shape/cube/damping"];
    SLIP_VELOCITY = "slip velocity" within 30.0: ["shape/cube/slip_velocity"];
}

/// The contact law between cube and table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Law {
    /// Rigid, with Coulomb's friction.
    Rigid(Solver),
    /// Compliant, after Hunt and Crossley.
    Compliant,
}

impl Law {
    /// Simulation steps per frame.
    pub(super) fn substeps(self) -> usize {
        match self {
            Law::Rigid(_) => 5,
            Law::Compliant => 10,
        }
    }

    pub(super) fn options(self) -> StepOptions<f64> {
        let solver = match self {
            Law::Rigid(solver) => solver,
            Law::Compliant => Solver::HuntCrossley,
        };
        StepOptions::new(1.0 / (RATE * self.substeps() as f64)).with_solver(solver)
    }

    /// The identifiable numbers of this law.
    pub(super) fn numbers(self) -> Vec<Number> {
        let body = [GRAVITY_NUMBER, INERTIA, SIDE, ROUNDING, FRICTION];
        let more: &[Number] = match self {
            Law::Rigid(_) => &[RESTITUTION],
            Law::Compliant => &[STIFFNESS, DAMPING, SLIP_VELOCITY],
        };
        body.iter().chain(more).copied().collect()
    }
}

/// The published cube with the authors' own friction and restitution. The table's material is chosen so that the
/// cube's alone determines the contact.
pub(super) fn scene() -> anyhow::Result<Model<f64>> {
    let mut model = builtin::model("cube")?;
    let surface = Material { restitution: 0.125, ..Material::with_friction(0.18) };
    for shape in &mut model.params.shapes {
        shape.material = surface;
    }
    // The smaller stiffness and position gain of two surfaces count; of all other numbers, the larger.
    let yielding = Material {
        friction: 0.0,
        static_friction: 0.0,
        slip_velocity: 1e-9,
        restitution: 0.0,
        stiffness: 1e12,
        damping: 0.0,
        ..surface
    };
    model.add_ground(ROUNDED, yielding)?;
    model.params.gravity = Vec3::new(0.0, 0.0, -GRAVITY);
    Ok(model)
}
