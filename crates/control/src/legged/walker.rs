//! Joint torques of a walking robot.

use gradbody_dynamics::{
    Kinematics, RneaWork, bias_forces, centre_of_mass, centre_of_mass_velocity, frame_pose,
    kinematics, point_jacobian, velocities,
};
use gradbody_math::{Motion, Vec3};
use gradbody_model::Model;
use gradbody_sim::State;

use super::error::{finite, not_negative};
use super::footholds::Travel;
use super::situation::turned;
use super::swing::Swing;
use super::{
    Command, FootholdRule, Gait, LEGS, LegPhase, LeggedError, Quadruped, Situation, SwingOptions,
};

/// Chooses the forces of the ground on the feet.
pub trait ForceChooser {
    /// Why there may be no choice.
    type Error;

    /// The forces on the feet in heading axes [N]; those of feet in the air do not count.
    fn choose(&mut self, situation: &Situation) -> Result<[Vec3<f64>; LEGS], Self::Error>;
}

/// How a robot walks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WalkerOptions {
    /// Time between two choices of forces [s].
    pub choice_interval: f64,
    /// Where feet are put.
    pub footholds: FootholdRule,
    /// How feet move there.
    pub swing: SwingOptions,
    /// Farthest that the place where the robot should be runs ahead of it [m].
    pub position_slack: f64,
    /// Farthest that the heading that it should have runs ahead of its own [rad].
    pub heading_slack: f64,
}

impl WalkerOptions {
    /// Refuses options that are out of range.
    pub fn check(&self) -> Result<(), LeggedError> {
        let WalkerOptions { choice_interval, footholds, swing, position_slack, heading_slack } =
            *self;
        not_negative("choice_interval", choice_interval)?;
        finite("footholds.speed_gain", footholds.speed_gain)?;
        not_negative("footholds.reach", footholds.reach)?;
        finite("swing.clearance", swing.clearance)?;
        not_negative("swing.stiffness", swing.stiffness)?;
        not_negative("swing.damping", swing.damping)?;
        not_negative("position_slack", position_slack)?;
        not_negative("heading_slack", heading_slack)
    }
}

impl Default for WalkerOptions {
    fn default() -> Self {
        WalkerOptions {
            choice_interval: 0.01,
            footholds: FootholdRule::default(),
            swing: SwingOptions::default(),
            position_slack: 0.05,
            heading_slack: 0.1,
        }
    }
}

/// A controller that walks as commanded: the forces of a [`ForceChooser`] for feet on the ground, a spring and a damper for
/// those in the air.
#[derive(Clone, Debug)]
pub struct Walker<'a, C> {
    /// What chooses the forces.
    pub chooser: C,
    model: &'a Model<f64>,
    robot: Quadruped,
    gait: Gait,
    options: WalkerOptions,
    /// Where the centre of mass should be, horizontally, and the heading that the trunk should have.
    place_w: Option<Place>,
    /// When forces were chosen last.
    chosen_at: f64,
    forces_h: [Vec3<f64>; LEGS],
    /// Where each foot left the ground, while it is in the air.
    left_w: [Option<Vec3<f64>>; LEGS],
    situation: Option<Situation>,
    kin: Kinematics<f64>,
    rnea: RneaWork<f64>,
    jacobian: Vec<Motion<f64>>,
    torques: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    position_w: Vec3<f64>,
    heading: f64,
    /// When it was moved last [s].
    time: f64,
}

impl<'a, C: ForceChooser> Walker<'a, C> {
    /// A controller of a robot. Fails if an option is out of range.
    pub fn new(
        model: &'a Model<f64>,
        robot: Quadruped,
        gait: Gait,
        options: WalkerOptions,
        chooser: C,
    ) -> Result<Self, LeggedError> {
        gait.check()?;
        options.check()?;
        Ok(Walker {
            chooser,
            model,
            robot,
            gait,
            options,
            place_w: None,
            chosen_at: f64::NEG_INFINITY,
            forces_h: [Vec3::ZERO; LEGS],
            left_w: [None; LEGS],
            situation: None,
            kin: Kinematics::new(model),
            rnea: RneaWork::new(model),
            jacobian: vec![Motion::ZERO; model.nv()],
            torques: vec![0.0; model.nv()],
        })
    }

    /// The situation of the last choice of forces, and that choice.
    pub fn last_choice(&self) -> Option<(&Situation, &[Vec3<f64>; LEGS])> {
        self.situation.as_ref().map(|situation| (situation, &self.forces_h))
    }

    /// Joint torques at a state, (nv); zero for the trunk. `time` must not go back.
    pub fn act(
        &mut self,
        state: &State<f64>,
        command: &Command,
        time: f64,
    ) -> Result<&[f64], C::Error> {
        kinematics(self.model, &state.q, &mut self.kin);
        velocities(self.model, &state.v, &mut self.kin);
        bias_forces(self.model, &self.kin, &mut self.rnea);
        let situation = self.observe(command, time);
        // Times are rounded, so an interval may seem a little shorter than it is.
        if time - self.chosen_at > self.options.choice_interval * (1.0 - 1e-6) {
            self.forces_h = self.chooser.choose(&situation)?;
            (self.chosen_at, self.situation) = (time, Some(situation));
        }
        self.torques.fill(0.0);
        for leg in 0..LEGS {
            self.drive_leg(leg, &situation);
        }
        Ok(&self.torques)
    }

    /// What can be seen of the robot now, and where it should be and put its feet.
    fn observe(&mut self, command: &Command, time: f64) -> Situation {
        let (model, kin, robot) = (self.model, &self.kin, &self.robot);
        let com_w = centre_of_mass(model, kin);
        let com_velocity_w = centre_of_mass_velocity(model, kin);
        let trunk = &kin.bodies[robot.trunk.index()];
        let rpy = trunk.rot_wb.to_rpy();
        let heading = rpy.z;
        let phase = self.gait.phase(time);
        let stance: [bool; LEGS] =
            std::array::from_fn(|leg| matches!(self.gait.leg(leg, phase), LegPhase::Stance { .. }));
        let feet_h = robot.feet.map(|foot| {
            let sole_w = frame_pose(model, kin, foot.frame).pos - Vec3::Z * foot.radius;
            turned(sole_w - com_w, -heading)
        });
        let lowest = feet_h.iter().map(|foot| foot.z).fold(f64::INFINITY, f64::min);
        let on_ground = |leg: &usize| stance[*leg];
        let count = (0..LEGS).filter(on_ground).count();
        let ground = match count {
            0 => lowest,
            _ => (0..LEGS).filter(on_ground).map(|leg| feet_h[leg].z).sum::<f64>() / count as f64,
        };
        let place = self.place_w.get_or_insert(Place { position_w: com_w, heading, time });
        place.follow(command, com_w, heading, time, &self.options);
        let position_error = turned(place.position_w - com_w, -heading);
        let velocity_h = turned(com_velocity_w, -heading);
        let travel = Travel { command: *command, velocity_h, height: -ground };
        Situation {
            phase,
            stance,
            tilt: [rpy.x, rpy.y],
            height: -ground,
            velocity_h,
            angular_velocity_h: turned(trunk.ang_vel_w, -heading),
            position_error_h: [position_error.x, position_error.y],
            heading_error: wrapped(place.heading - heading),
            command: *command,
            feet_h,
            footholds_h: self.options.footholds.next(robot, &self.gait, phase, &travel),
        }
    }

    /// Sets the torques of a leg.
    fn drive_leg(&mut self, leg: usize, situation: &Situation) {
        let (model, kin) = (self.model, &self.kin);
        let foot = self.robot.feet[leg];
        let Some(link) = model.topology.frames[foot.frame.index()].link else { return };
        let heading = kin.bodies[self.robot.trunk.index()].rot_wb.to_rpy().z;
        let centre_w = frame_pose(model, kin, foot.frame).pos;
        let (point_w, force_w) = match self.gait.leg(leg, situation.phase) {
            LegPhase::Stance { .. } => {
                self.left_w[leg] = None;
                // The foot pushes the ground with the opposite of the force that the ground shall push it with.
                let force_w = turned(self.forces_h[leg], heading) * -1.0;
                (centre_w - Vec3::Z * foot.radius, force_w)
            }
            LegPhase::Swing { passed } => {
                let com_w = centre_of_mass(model, kin);
                let hold_w = com_w + turned(situation.footholds_h[leg], heading);
                let swing = Swing {
                    from_w: *self.left_w[leg].get_or_insert(centre_w),
                    to_w: hold_w + Vec3::Z * foot.radius,
                    duration: self.gait.swing_time(),
                    clearance: self.options.swing.clearance,
                };
                let body = &kin.bodies[link.index()];
                let velocity_w = body.ang_vel_w.cross_add(centre_w - body.pos_w, body.lin_vel_w);
                (centre_w, swing.force(passed, centre_w, velocity_w, &self.options.swing))
            }
        };
        point_jacobian(model, kin, link, point_w, &mut self.jacobian);
        for &k in &self.robot.joints[leg] {
            self.torques[k] = self.rnea.tau[k] + self.jacobian[k].lin.dot(force_w);
        }
    }
}

impl Place {
    /// Moves on as commanded, but not far from the robot.
    fn follow(
        &mut self,
        command: &Command,
        com_w: Vec3<f64>,
        heading: f64,
        time: f64,
        options: &WalkerOptions,
    ) {
        let passed = time - self.time;
        self.time = time;
        self.heading += command.turning * passed;
        let ahead = wrapped(self.heading - heading);
        self.heading = heading + ahead.clamp(-options.heading_slack, options.heading_slack);
        let ahead_w = self.position_w + command.velocity(heading) * passed - com_w;
        let length = ahead_w.x.hypot(ahead_w.y);
        // At a length of zero this is 1 too.
        let scale = (options.position_slack / length).min(1.0);
        self.position_w = com_w + Vec3::new(ahead_w.x * scale, ahead_w.y * scale, 0.0);
    }
}

/// An angle from −π to π.
fn wrapped(angle: f64) -> f64 {
    let turn = std::f64::consts::TAU;
    angle - turn * (angle / turn).round()
}
