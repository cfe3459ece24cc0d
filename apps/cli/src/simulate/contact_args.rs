//! Options of `simulate` and `check` about contact.

use std::io::{self, Write as _};

use clap::{Args, ValueEnum};
use gradbody::contact::{
    Cone, FrictionLaw, Lcp, Ncp, Solver, exclude_overlaps, exclude_self_collisions,
};
use gradbody::dynamics::JointStops;
use gradbody::model::import::Format;
use gradbody::model::{FrameId, Material, Model, ModelError};
use gradbody::sim::StepOptions;

use crate::usage::Usage;

const HEADING: &str = "Contact";
const SOLVING: &str = "Contact solver";

/// Arguments about contact.
#[derive(Args, Debug)]
pub(crate) struct ContactArgs {
    #[command(flatten)]
    ground: GroundArgs,
    /// Coefficient of friction of all shapes and of the ground. Without it a shape has its file's coefficient, else 1,
    /// and the ground of --ground has 0; two shapes that touch use the larger one.
    #[arg(long, value_name = "MU", allow_negative_numbers = true, value_parser = not_negative,
          help_heading = HEADING)]
    friction: Option<f64>,
    /// Which bodies of a robot collide with each other.
    #[arg(long, value_enum, default_value_t = SelfCollision::Auto, help_heading = HEADING)]
    self_collision: SelfCollision,
    /// Keep joints exactly within their ranges, and let joint friction stick; without this, both are forces.
    #[arg(long, help_heading = HEADING)]
    hard_stops: bool,
    /// The contact law and its solver.
    #[arg(long, value_enum, default_value_t = SolverArg::Ncp, help_heading = SOLVING)]
    solver: SolverArg,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..),
          help_heading = SOLVING, help = sweeps_help())]
    sweeps: Option<u32>,
    #[arg(long, value_name = "V", allow_negative_numbers = true, value_parser = not_negative,
          help_heading = SOLVING, help = tolerance_help())]
    tolerance: Option<f64>,
    /// ncp: the shape of the friction cone [default: circular].
    #[arg(long, value_enum, help_heading = SOLVING)]
    cone: Option<ConeArg>,
    /// ncp: do not start each step from the impulses of the previous one.
    #[arg(long, help_heading = SOLVING)]
    no_warm_start: bool,
    /// hunt-crossley: how friction depends on speed [default: brown].
    #[arg(long, value_enum, help_heading = SOLVING)]
    friction_law: Option<FrictionLawArg>,
}

/// The argument that adds a ground.
#[derive(Args, Debug)]
pub(crate) struct GroundArgs {
    /// Add a ground: the plane z = HEIGHT, 0 if no height is given. An MJCF usually has one.
    #[arg(long, value_name = "HEIGHT", num_args = 0..=1, default_missing_value = "0",
          allow_negative_numbers = true, value_parser = height, help_heading = HEADING)]
    ground: Option<f64>,
}

fn sweeps_help() -> String {
    let most = Ncp::default().sweeps;
    format!(
        "ncp: solve by sweeps over all contacts alone, at most this many a step [default: a few sweeps, then Newton's method, or {most} sweeps of very many contacts]"
    )
}

fn tolerance_help() -> String {
    let least = Ncp::default().tolerance;
    format!("ncp: sweeps end when velocities change by less than this [m/s] [default: {least:e}]")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SelfCollision {
    /// Those the file allows; in a URDF, all but those that overlap at the start.
    Auto,
    /// All but those next to each other at a joint.
    All,
    /// None.
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SolverArg {
    /// Rigid, with Coulomb's circular friction cone; solved by sweeps over the contacts.
    Ncp,
    /// Rigid, with a friction cone of 16 sides; solved exactly, for few contacts.
    Lcp,
    /// Compliant: forces that grow with the penetration; needs small steps.
    HuntCrossley,
    /// None: bodies pass through each other.
    Off,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ConeArg {
    /// Friction is the same in all directions.
    Circular,
    /// A square pyramid: up to 1.4 times as strong along its diagonals.
    Pyramid,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FrictionLawArg {
    /// Smooth, with a bump at the onset of sliding (Brown and McPhee 2016).
    Brown,
    /// Constant at any speed but zero; chatters.
    Coulomb,
    /// Smooth, by an exponential (Andersson et al. 2007).
    Andersson,
    /// Piecewise (Hollars).
    Hollars,
}

fn height(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    number.ok_or_else(|| "this is not a height in metres".into())
}

fn not_negative(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(x) if x.is_finite() && x >= 0.0 => Ok(x),
        Ok(x) if x.is_finite() => Err("this must not be negative".into()),
        _ => Err("this is not a finite number".into()),
    }
}

impl GroundArgs {
    /// Adds the ground, if one was asked for.
    pub(crate) fn add(&self, model: &mut Model<f64>) -> Result<(), Usage> {
        if let Some(height) = self.ground {
            if model.topology.shapes.is_empty() {
                let problem = "--ground: this model has no collision shapes, so nothing touches it";
                return Err(Usage(problem.into()));
            }
            let ground = model.add_ground(height, Material::with_friction(0.0));
            let ground = ground.map_err(|error| match error {
                ModelError::DuplicateName { .. } => {
                    Usage("--ground: this model has a shape named \"ground\" already".into())
                }
                error => Usage(format!("--ground: {error}")),
            })?;
            // The friction of this ground is not given: the larger one counts, which is that of the robot's shape.
            model.topology.shapes[ground.index()].friction_given = false;
        }
        Ok(())
    }
}

impl SolverArg {
    /// Whether it finds the forces of rigid contacts.
    pub(crate) fn is_rigid(self) -> bool {
        matches!(self, SolverArg::Ncp | SolverArg::Lcp)
    }
}

impl ContactArgs {
    /// Refuses options that the chosen solver does not use.
    pub(crate) fn check(&self) -> Result<(), Usage> {
        let ncp = self.solver == SolverArg::Ncp;
        let compliant = self.solver == SolverArg::HuntCrossley;
        for (flag, given, useful, with) in [
            ("--sweeps", self.sweeps.is_some(), ncp, "ncp"),
            ("--tolerance", self.tolerance.is_some(), ncp, "ncp"),
            ("--cone", self.cone.is_some(), ncp, "ncp"),
            ("--no-warm-start", self.no_warm_start, ncp, "ncp"),
            ("--friction-law", self.friction_law.is_some(), compliant, "hunt-crossley"),
        ] {
            if given && !useful {
                let solver = self.solver.to_possible_value();
                let solver = solver.as_ref().map_or("", |v| v.get_name());
                return Err(Usage(format!("{flag} works with --solver {with}, not {solver}")));
            }
        }
        Ok(())
    }

    /// Whether a ground is added.
    pub(super) fn adds_ground(&self) -> bool {
        self.ground.ground.is_some()
    }

    /// Adds the ground and changes the surfaces.
    pub(crate) fn prepare(&self, model: &mut Model<f64>) -> Result<(), Usage> {
        self.ground.add(model)?;
        if let Some(friction) = self.friction {
            let shapes = model.params.shapes.iter_mut().map(|shape| &mut shape.material);
            for material in shapes.chain(&mut model.params.pairs) {
                material.friction = friction;
                material.static_friction = friction;
            }
        }
        Ok(())
    }

    /// Decides which bodies of a robot can collide, from the positions at the start.
    pub(crate) fn filter_self_collisions(&self, model: &mut Model<f64>, format: Format, q: &[f64]) {
        match (self.self_collision, format) {
            _ if self.solver == SolverArg::Off => {}
            (SelfCollision::None, _) => exclude_self_collisions(model),
            (SelfCollision::Auto, Format::Urdf) => {
                let pairs = exclude_overlaps(model, q);
                tell_overlaps(model, &pairs);
            }
            _ => {}
        }
    }

    /// Applies these arguments to the options of a step.
    pub(crate) fn apply(&self, options: &mut StepOptions<f64>) {
        let default = Ncp::default();
        options.contact.solver = match self.solver {
            SolverArg::Off => Solver::Off,
            SolverArg::HuntCrossley => Solver::HuntCrossley,
            SolverArg::Lcp => Solver::Lcp(Lcp::default()),
            SolverArg::Ncp => Solver::Ncp(Ncp {
                cone: match self.cone {
                    Some(ConeArg::Pyramid) => Cone::Pyramid,
                    Some(ConeArg::Circular) | None => Cone::Circular,
                },
                sweeps: self.sweeps.unwrap_or(default.sweeps),
                tolerance: self.tolerance.unwrap_or(default.tolerance),
                // With --sweeps, sweeps alone.
                rounds: if self.sweeps.is_some() { 0 } else { default.rounds },
                warm_start: !self.no_warm_start,
            }),
        };
        options.contact.compliance.friction = match self.friction_law {
            Some(FrictionLawArg::Coulomb) => FrictionLaw::Coulomb,
            Some(FrictionLawArg::Andersson) => FrictionLaw::Andersson,
            Some(FrictionLawArg::Hollars) => FrictionLaw::Hollars,
            Some(FrictionLawArg::Brown) | None => FrictionLaw::Brown,
        };
        if self.hard_stops {
            options.joint_stops = JointStops::Hard;
        }
    }

    /// The same, with contacts solved to the last digit unless --sweeps or --tolerance is given.
    pub(crate) fn apply_converged(&self, options: &mut StepOptions<f64>) {
        self.apply(options);
        if let Solver::Ncp(ncp) = &mut options.contact.solver
            && self.sweeps.is_none()
            && self.tolerance.is_none()
        {
            *ncp = Ncp { cone: ncp.cone, ..Ncp::converged() };
        }
    }

    /// What to try when a run with contacts has diverged.
    pub(crate) fn hint(&self) -> &'static str {
        match self.solver {
            SolverArg::HuntCrossley => {
                "try a smaller --dt, a softer surface (--set shape/NAME/stiffness=…) or --solver ncp"
            }
            SolverArg::Ncp | SolverArg::Lcp => {
                "try a smaller --dt or another --integrator; if bodies start inside each other, \
                 try another start or --self-collision none"
            }
            SolverArg::Off => "try a smaller --dt or another --integrator",
        }
    }
}

/// Says on stderr which bodies do not collide because they overlap at the start.
fn tell_overlaps(model: &Model<f64>, pairs: &[(FrameId, FrameId)]) {
    const SHOWN: usize = 6;
    if pairs.is_empty() {
        return;
    }
    let name = |frame: &FrameId| &model.topology.frames[frame.index()].name;
    let mut list: Vec<String> =
        pairs.iter().take(SHOWN).map(|(a, b)| format!("{} and {}", name(a), name(b))).collect();
    if pairs.len() > SHOWN {
        list.push(format!("{} more pairs", pairs.len() - SHOWN));
    }
    // A note that cannot be printed is not an error.
    let _ = writeln!(
        io::stderr(),
        "note: these bodies overlap at the start and never collide: {}; see --self-collision",
        list.join(", ")
    );
}
