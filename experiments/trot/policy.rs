//! The network that replaces the quadratic program: what it sees, and what its outputs mean.

use std::convert::Infallible;

use gradbody::math::Vec3;
use gradbody::neural::{Activation, Network, NetworkError, NetworkTrace};
use gradbody_control::legged::{ConvexMpcOptions, ForceChooser, LEGS, Quadruped, Situation};

/// Numbers that the network sees: everything in a situation that the quadratic program depends on.
pub(super) const INPUTS: usize = 41;
/// Three forces for each foot.
pub(super) const OUTPUTS: usize = 3 * LEGS;

/// The network 41-192-192-12.
pub(super) fn network() -> Result<Network, NetworkError> {
    Network::perceptron(&[INPUTS, 192, 192, OUTPUTS], Activation::Elu)
}

/// How a situation becomes inputs and outputs become forces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaling {
    height: f64,
    home_b: [Vec3<f64>; LEGS],
    /// Force of an output of 1 [N]: what a foot carries in a trot.
    force: f64,
    friction: f64,
    most_force: f64,
}

impl Scaling {
    pub(super) fn of(robot: &Quadruped, mpc: &ConvexMpcOptions) -> Self {
        Scaling {
            height: robot.height,
            home_b: robot.home_b,
            force: 0.5 * robot.weight(),
            friction: mpc.friction,
            most_force: mpc.most_force,
        }
    }

    /// The inputs, each divided by a typical size.
    pub(super) fn inputs(&self, s: &Situation) -> [f64; INPUTS] {
        let mut inputs = [0.0; INPUTS];
        let mut next = 0;
        let mut put = |numbers: &[f64], size: f64| {
            numbers.iter().for_each(|x| {
                inputs[next] = x / size;
                next += 1;
            });
        };
        put(&s.tilt, 0.1);
        put(&[s.height - self.height], 0.02);
        put(&s.velocity_h.to_array(), 0.5);
        put(&s.angular_velocity_h.to_array(), 0.5);
        put(&s.position_error_h, 0.05);
        put(&[s.heading_error], 0.1);
        put(&[s.command.forwards, s.command.sideways, s.command.turning], 0.5);
        put(&s.stance.map(|on_ground| if on_ground { 1.0 } else { -1.0 }), 1.0);
        let angle = std::f64::consts::TAU * s.phase;
        put(&[angle.sin(), angle.cos()], 1.0);
        for leg in 0..LEGS {
            put(&(s.feet_h[leg] - self.home_b[leg]).to_array(), 0.1);
            let hold = s.footholds_h[leg] - self.home_b[leg];
            put(&[hold.x, hold.y], 0.1);
        }
        inputs
    }

    /// The outputs that stand for forces.
    pub(super) fn outputs(&self, forces_h: &[Vec3<f64>; LEGS]) -> [f64; OUTPUTS] {
        let mut outputs = [0.0; OUTPUTS];
        for (to, force) in outputs.as_chunks_mut::<3>().0.iter_mut().zip(forces_h) {
            *to = (*force * (1.0 / self.force)).to_array();
        }
        outputs
    }

    /// The forces that outputs stand for, moved into the friction pyramids.
    fn forces(&self, outputs: &[f64], stance: &[bool; LEGS]) -> [Vec3<f64>; LEGS] {
        std::array::from_fn(|leg| {
            if !stance[leg] {
                return Vec3::ZERO;
            }
            let force = Vec3::from_slice(&outputs[3 * leg..]) * self.force;
            let normal = force.z.clamp(0.0, self.most_force);
            let edge = self.friction * normal;
            Vec3::new(force.x.clamp(-edge, edge), force.y.clamp(-edge, edge), normal)
        })
    }
}

/// Chooses forces by the network.
#[derive(Clone, Debug)]
pub(super) struct Policy<'a> {
    network: &'a Network,
    weights: &'a [f64],
    scaling: Scaling,
    trace: NetworkTrace<f64>,
}

impl<'a> Policy<'a> {
    pub(super) fn new(network: &'a Network, weights: &'a [f64], scaling: Scaling) -> Self {
        Policy { network, weights, scaling, trace: NetworkTrace::new(network) }
    }
}

impl ForceChooser for Policy<'_> {
    type Error = Infallible;

    fn choose(&mut self, situation: &Situation) -> Result<[Vec3<f64>; LEGS], Infallible> {
        let inputs = self.scaling.inputs(situation);
        self.network.forward(self.weights, &inputs, &[], &mut self.trace);
        Ok(self.scaling.forces(self.trace.outputs(), &situation.stance))
    }
}
