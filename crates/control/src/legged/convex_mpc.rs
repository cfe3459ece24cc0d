//! Contact forces by convex model predictive control [Di Carlo et al. 2018].
//!
//! The robot is one rigid body whose orientation differs little from level. Its six coordinates are roll, pitch and yaw
//! and the position of its centre of mass, in heading axes; the forces u of the feet on the ground accelerate them by
//! w = G u + gravity, constant in each interval of the horizon. Footholds and headings along the horizon are taken from
//! the plan, so G is known and the motion is linear in u:
//!
//! velocity_k = velocity_0 + h Σ_{j<k} w_j,  position_k = position_0 + k h velocity_0 + h² Σ_{j<k} (k − j − ½) w_j.
//!
//! Squared differences from the command, weighted, are then a quadratic cost of u in which each coordinate has a fixed
//! matrix over pairs of intervals ([`ConvexMpc::pairs`]), so that the Hessian is the sum of a few products for each
//! pair of feet. Friction pyramids bound u.

use gradbody_math::{Mat3, Vec3};

use crate::{QpError, QpReport, QpSolver, QuadraticProgram, Side};

use super::error::{not_negative, positive};
use super::{ForceChooser, Gait, LEGS, LegPhase, LeggedError, Quadruped, Situation};

/// Coordinates of the body: roll, pitch, yaw, x, y, z.
const COORDINATES: usize = 6;
/// Bounds of a foot: four faces of the pyramid, and the range of the normal force.
const ROWS: usize = 5;

/// Options of the predictive control.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexMpcOptions {
    /// Number of intervals of the horizon.
    pub intervals: usize,
    /// Duration of an interval [s].
    pub interval: f64,
    /// Weight of squared errors of roll, pitch, yaw [1/rad²], x, y, z [1/m²].
    pub position_weights: [f64; COORDINATES],
    /// Weight of squared errors of their rates [s²/rad², s²/m²].
    pub velocity_weights: [f64; COORDINATES],
    /// Weight of squared forces beyond an equal share of the weight of the robot [1/N²].
    pub force_weight: f64,
    /// Coefficient of friction that is counted on, in each of two directions. A force at the edge of the pyramid needs
    /// √2 times as much.
    pub friction: f64,
    /// Largest normal force of a foot [N].
    pub most_force: f64,
}

impl ConvexMpcOptions {
    /// For a robot of this weight [N].
    pub fn for_weight(weight: f64) -> Self {
        ConvexMpcOptions {
            intervals: 10,
            interval: 0.05,
            position_weights: [5.0, 5.0, 2.0, 1.0, 1.0, 20.0],
            velocity_weights: [0.1, 0.1, 0.3, 1.0, 1.0, 0.2],
            force_weight: 1e-6,
            friction: 0.5,
            most_force: weight,
        }
    }

    /// Refuses options that are out of range.
    pub fn check(&self) -> Result<(), LeggedError> {
        positive("intervals", self.intervals as f64)?;
        positive("interval", self.interval)?;
        for k in 0..COORDINATES {
            not_negative("position_weights", self.position_weights[k])?;
            not_negative("velocity_weights", self.velocity_weights[k])?;
        }
        // Without it the Hessian is singular where more feet are on the ground than the motion needs.
        positive("force_weight", self.force_weight)?;
        not_negative("friction", self.friction)?;
        positive("most_force", self.most_force)
    }
}

/// Chooses contact forces by predictive control.
#[derive(Clone, Debug)]
pub struct ConvexMpc {
    robot: Quadruped,
    gait: Gait,
    options: ConvexMpcOptions,
    /// For each pair of intervals and each coordinate, the weight of the product of their accelerations.
    pairs: Vec<[f64; COORDINATES]>,
    /// Feet on the ground, interval by interval.
    steps: Vec<FootStep>,
    program: QuadraticProgram,
    solver: QpSolver,
    /// Active bounds of the last program, by interval, leg and row.
    sides: Vec<Side>,
    guess: Vec<Side>,
    report: QpReport,
}

/// A foot on the ground during an interval.
#[derive(Clone, Copy, Debug)]
struct FootStep {
    interval: usize,
    leg: usize,
    /// Angular acceleration that a force gives [rad/s²/N].
    turn: Mat3<f64>,
}

impl ConvexMpc {
    /// Control of a robot in a gait. Fails if an option is out of range.
    pub fn new(
        robot: &Quadruped,
        gait: &Gait,
        options: ConvexMpcOptions,
    ) -> Result<Self, LeggedError> {
        gait.check()?;
        options.check()?;
        let n = options.intervals;
        let feet = n * LEGS;
        let mut program = QuadraticProgram::default();
        program.reserve(3 * feet, ROWS * feet, (2 * ROWS - 1) * feet);
        Ok(ConvexMpc {
            robot: robot.clone(),
            gait: *gait,
            pairs: pair_weights(&options),
            options,
            steps: Vec::with_capacity(feet),
            program,
            solver: QpSolver::with_room(3 * feet, ROWS * feet),
            sides: vec![Side::Inside; ROWS * feet],
            guess: Vec::with_capacity(ROWS * feet),
            report: QpReport::default(),
        })
    }

    /// The program of the last choice: three forces for each foot on the ground, interval by interval.
    pub fn program(&self) -> &QuadraticProgram {
        &self.program
    }

    /// How the last program was solved.
    pub fn report(&self) -> QpReport {
        self.report
    }

    /// Forgets the last choice, which is a guess for the next one.
    pub fn forget(&mut self) {
        self.sides.fill(Side::Inside);
    }

    /// Sets up the program for a situation.
    pub fn set_up(&mut self, situation: &Situation) {
        self.find_steps(situation);
        self.program.reset(3 * self.steps.len());
        self.add_hessian();
        self.add_gradient(situation);
        self.add_bounds();
    }

    /// The feet on the ground along the horizon, and what their forces do.
    fn find_steps(&mut self, situation: &Situation) {
        self.steps.clear();
        for interval in 0..self.options.intervals {
            let middle = (interval as f64 + 0.5) * self.options.interval;
            let phase = situation.phase + middle / self.gait.period;
            let com = situation.command.path(middle);
            let inverse_inertia = self.robot.inverse_inertia(situation.command.turning * middle);
            for leg in 0..LEGS {
                let on_ground = match interval {
                    // The forces of the first interval act at once, on the feet that are on the ground now.
                    0 => situation.stance[leg],
                    _ => matches!(self.gait.leg(leg, phase), LegPhase::Stance { .. }),
                };
                if on_ground {
                    let lever = self.sole(situation, leg, middle) - com;
                    let turn = inverse_inertia * Mat3::skew(lever);
                    self.steps.push(FootStep { interval, leg, turn });
                }
            }
        }
    }

    /// Where a sole is on the ground after a time, from the present centre of mass.
    fn sole(&self, situation: &Situation, leg: usize, after: f64) -> Vec3<f64> {
        let touchdown = self.gait.time_to_touchdown(leg, situation.phase);
        if situation.stance[leg] && after < touchdown {
            return situation.feet_h[leg];
        }
        // Beyond the next foothold, every stride leads as far as the command says.
        let strides = ((after - touchdown).max(0.0) / self.gait.period).floor();
        situation.footholds_h[leg] + situation.command.path(strides * self.gait.period)
    }

    /// Adds G_iᵀ diag(pair weights) G_j for all pairs of feet on the ground, and the weight of forces.
    fn add_hessian(&mut self) {
        let inverse_mass_squared = 1.0 / (self.robot.mass * self.robot.mass);
        for (a, from) in self.steps.iter().enumerate() {
            for (b, to) in self.steps.iter().enumerate().skip(a) {
                let weights = &self.pairs[from.interval * self.options.intervals + to.interval];
                for i in 0..3 {
                    let column = from.turn.cols[i];
                    let weighted = Vec3::new(
                        column.x * weights[0],
                        column.y * weights[1],
                        column.z * weights[2],
                    );
                    let row = &mut self.program.hessian_row_mut(3 * a + i)[3 * b..3 * b + 3];
                    for (k, entry) in row.iter_mut().enumerate() {
                        *entry = weighted.dot(to.turn.cols[k]);
                    }
                    row[i] += weights[3 + i] * inverse_mass_squared;
                }
            }
            for i in 3 * a..3 * a + 3 {
                self.program.hessian_row_mut(i)[i] += self.options.force_weight;
            }
        }
    }

    /// Adds the slope of the cost at zero force: free motion against the command.
    fn add_gradient(&mut self, situation: &Situation) {
        for interval in 0..self.options.intervals {
            let pull = self.pull(situation, interval);
            let turning = Vec3::new(pull[0], pull[1], pull[2]);
            let in_interval = |step: &&FootStep| step.interval == interval;
            let feet = self.steps.iter().filter(in_interval).count();
            let share = self.robot.weight() / feet.max(1) as f64;
            let first = self.steps.iter().take_while(|step| step.interval < interval).count();
            for (place, step) in self.steps.iter().enumerate().skip(first).take(feet) {
                let slope = &mut self.program.gradient_mut()[3 * place..3 * place + 3];
                for (i, slope) in slope.iter_mut().enumerate() {
                    *slope = step.turn.cols[i].dot(turning) + pull[3 + i] / self.robot.mass;
                }
                slope[2] -= self.options.force_weight * share;
            }
        }
    }

    /// The slope of the cost in the accelerations of an interval, at zero force.
    fn pull(&self, situation: &Situation, interval: usize) -> [f64; COORDINATES] {
        let h = self.options.interval;
        let mut pull = [0.0; COORDINATES];
        for k in interval + 1..=self.options.intervals {
            let time = k as f64 * h;
            let errors = self.free_errors(situation, time);
            let lever = h * h * (k as f64 - interval as f64 - 0.5);
            for c in 0..COORDINATES {
                let (position, velocity) = errors[c];
                pull[c] += self.options.position_weights[c] * lever * position
                    + self.options.velocity_weights[c] * h * velocity;
            }
        }
        pull
    }

    /// Free motion minus commanded motion after a time: of each coordinate and of its rate.
    fn free_errors(&self, situation: &Situation, time: f64) -> [(f64, f64); COORDINATES] {
        let Situation { command, velocity_h, angular_velocity_h, position_error_h, .. } = situation;
        let path = command.path(time);
        let velocity = command.velocity(command.turning * time);
        let fallen = self.robot.gravity * time;
        let [roll, pitch] = situation.tilt;
        let spin = angular_velocity_h;
        [
            (roll + time * spin.x, spin.x),
            (pitch + time * spin.y, spin.y),
            (time * (spin.z - command.turning) - situation.heading_error, spin.z - command.turning),
            (time * velocity_h.x - path.x - position_error_h[0], velocity_h.x - velocity.x),
            (time * velocity_h.y - path.y - position_error_h[1], velocity_h.y - velocity.y),
            (
                situation.height + time * velocity_h.z - 0.5 * fallen * time - self.robot.height,
                velocity_h.z - fallen,
            ),
        ]
    }

    /// Adds the friction pyramids, and the guess of their active faces.
    fn add_bounds(&mut self) {
        let ConvexMpcOptions { friction, most_force, .. } = self.options;
        self.guess.clear();
        for (place, step) in self.steps.iter().enumerate() {
            let z = 3 * place + 2;
            for axis in [3 * place, 3 * place + 1] {
                for sign in [1.0, -1.0] {
                    let entries = [(axis, sign), (z, -friction)];
                    self.program.add_row(&entries, f64::NEG_INFINITY, 0.0);
                }
            }
            self.program.add_row(&[(z, 1.0)], 0.0, most_force);
            let known = ROWS * (LEGS * step.interval + step.leg);
            self.guess.extend_from_slice(&self.sides[known..known + ROWS]);
        }
    }

    /// Remembers the active bounds as a guess for the next program.
    fn remember(&mut self) {
        self.sides.fill(Side::Inside);
        for (step, sides) in self.steps.iter().zip(self.solver.sides().chunks(ROWS)) {
            let known = ROWS * (LEGS * step.interval + step.leg);
            self.sides[known..known + ROWS].copy_from_slice(sides);
        }
    }
}

impl ForceChooser for ConvexMpc {
    type Error = QpError;

    fn choose(&mut self, situation: &Situation) -> Result<[Vec3<f64>; LEGS], QpError> {
        self.set_up(situation);
        self.report = self.solver.solve(&self.program, &self.guess)?;
        self.remember();
        let mut forces_h = [Vec3::ZERO; LEGS];
        let first = self.steps.iter().enumerate().filter(|(_, step)| step.interval == 0);
        for (place, step) in first {
            forces_h[step.leg] = Vec3::from_slice(&self.solver.x()[3 * place..]);
        }
        Ok(forces_h)
    }
}

/// For intervals i and j and each coordinate: Σ_{k>i,j} position weight h⁴ (k−i−½)(k−j−½) + velocity weight h².
fn pair_weights(options: &ConvexMpcOptions) -> Vec<[f64; COORDINATES]> {
    let ConvexMpcOptions { intervals: n, interval: h, .. } = *options;
    let mut pairs = Vec::with_capacity(n * n);
    for i in 0..n {
        for j in 0..n {
            let lever = |k: usize, from: usize| k as f64 - from as f64 - 0.5;
            let later = i.max(j) + 1..=n;
            let count = later.clone().count() as f64;
            let moments: f64 = later.map(|k| lever(k, i) * lever(k, j)).sum();
            pairs.push(std::array::from_fn(|c| {
                options.position_weights[c] * h.powi(4) * moments
                    + options.velocity_weights[c] * h * h * count
            }));
        }
    }
    pairs
}
