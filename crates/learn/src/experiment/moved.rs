//! Joints that are moved along a measured path, whatever acts on them: channels that are `joint/J/motion`.
//!
//! A moved joint gets an armature so large that nothing changes its motion, and the force that accelerates it from
//! sample to sample as the path does. A step of time h = T/n with constant acceleration a moves the joint within a
//! sample by
//!
//! T ((1 − c) v + c v⁺),    v⁺ = v + a T,    c = (n + 1) / (2 n)
//!
//! for semi-implicit Euler, and with c = ½ for Runge-Kutta. With d the mean velocity of the path from the sample before,
//! and d⁺ that to the sample after, the velocity at a sample is v = c d + (1 − c) d⁺. For one semi-implicit step per
//! sample the path is followed exactly; else it is followed up to a smoothing over neighbouring samples.

use gradbody_experiment::{Experiment, ExperimentError, Scheme};
use gradbody_math::names::matches;
use gradbody_model::Model;
use gradbody_sim::State;

use super::setup::Setup;
use crate::objective::{Recording, Sees, columns_of};
use crate::quantity::{Given, Role, quantities};

/// Armature of a moved joint [kg, kg m²]: the weight of a robot of 100 kg moves it by 0.05 mm in 10 s.
const HEAVY: f64 = 1e9;
/// A joint whose own armature is at least this keeps it [kg, kg m²].
const HEAVY_ENOUGH: f64 = 1e6;

/// A moved joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moved {
    /// Its index in q.
    pub(crate) q: usize,
    /// Its index in v.
    pub(crate) v: usize,
    /// The column of its path among the measured numbers of a sample.
    column: usize,
}

/// How the steps of a sample turn accelerations into a motion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    /// Time from sample to sample T [s].
    period: f64,
    /// Share c of the new velocity in the motion of a sample.
    new: f64,
}

impl Steps {
    pub(super) fn of(experiment: &Experiment, period: f64) -> Self {
        let n = experiment.simulation.substeps.max(1) as f64;
        let new = match experiment.simulation.integrator {
            Scheme::Euler | Scheme::ImplicitDamping => 0.5 * (n + 1.0) / n,
            Scheme::Rk4 => 0.5,
        };
        Steps { period, new }
    }

    /// The velocity at sample `k` of a path of `samples`.
    fn velocity(self, path: &dyn Fn(usize) -> f64, samples: usize, k: usize) -> f64 {
        // Before its first sample and after its last one, the path goes on as beside them.
        let mean = |from: usize| {
            let from = from.min(samples.saturating_sub(2));
            (path(from + 1) - path(from)) / self.period
        };
        if samples < 2 {
            return 0.0;
        }
        self.new * mean(k.saturating_sub(1)) + (1.0 - self.new) * mean(k)
    }

    /// The acceleration of a moved joint from sample `k` to the next [m/s², rad/s²].
    pub(super) fn acceleration(self, path: &dyn Fn(usize) -> f64, samples: usize, k: usize) -> f64 {
        if k + 1 >= samples {
            return 0.0;
        }
        let [now, next] = [k, k + 1].map(|k| self.velocity(path, samples, k));
        (next - now) / self.period
    }
}

/// Makes the moved joints of an experiment so heavy that they follow their paths.
pub(super) fn make_heavy(
    model: &mut Model<f64>,
    experiment: &Experiment,
) -> Result<(), ExperimentError> {
    for (channel, joint) in moved_joints(model, experiment) {
        let wrong =
            |why: String| Err(ExperimentError::wrong(format!("channels.{channel}.is"), why));
        if experiment.change.period {
            return wrong(
                "a joint is moved by the clock of the data, so change.period cannot be fitted"
                    .into(),
            );
        }
        let name = model.topology.links[joint].joint.name.clone();
        let armature = format!("joint/{name}/armature");
        if experiment.change.parameters.iter().any(|pattern| matches(pattern, &armature)) {
            return wrong(format!(
                "joint \"{name}\" is moved along this path, so {armature} cannot be fitted; leave it out of \
                 change.parameters"
            ));
        }
        let force = format!("joint/{name}/force");
        if let Some((other, _)) = experiment.channels.iter().find(|(_, spec)| spec.is == force) {
            return wrong(format!(
                "joint \"{name}\" is moved along this path, so the force of channels.{other} would do nothing; leave \
                 one of them out"
            ));
        }
        let numbers = &mut model.params.joints[joint];
        if numbers.armature < HEAVY_ENOUGH {
            numbers.armature = HEAVY;
        }
        numbers.effort_limit = f64::INFINITY;
        (numbers.limit_lower, numbers.limit_upper) = (f64::NEG_INFINITY, f64::INFINITY);
    }
    Ok(())
}

/// The channels that move joints, and the indices of the joints.
fn moved_joints(model: &Model<f64>, experiment: &Experiment) -> Vec<(String, usize)> {
    let all = quantities(model, &[]);
    let joint_of = |is: &str| match all.iter().find(|quantity| quantity.name == is)?.role {
        Role::Given(Given::JointMotion(joint)) => Some(joint.index()),
        _ => None,
    };
    let channels = experiment.channels.iter();
    channels.filter_map(|(name, spec)| Some((name.clone(), joint_of(&spec.is)?))).collect()
}

impl Setup {
    /// Puts the moved joints of a state at sample `k` of a recording: where the path is, as fast as it moves.
    pub(crate) fn place_moved(&self, recording: &Recording, k: usize, state: &mut State<f64>) {
        let columns = columns_of(&self.sensors);
        let steps = Steps::of(&self.experiment, self.period);
        for moved in &self.moved {
            let path = |sample: usize| recording.measured[sample * columns + moved.column];
            state.v[moved.v] = steps.velocity(&path, recording.samples, k);
            state.q[moved.q] = recording.measured[k * columns + moved.column];
        }
    }

    /// The moved joints of a setup whose sensors are known.
    pub(super) fn find_moved(&mut self) {
        let all = quantities(&self.model, &[]);
        let is_motion = |name: &str| {
            let role = all.iter().find(|quantity| quantity.name == name).map(|q| q.role);
            matches!(role, Some(Role::Given(Given::JointMotion(_))))
        };
        let (mut column, mut moved) = (0, Vec::new());
        for sensor in &self.sensors {
            if let Sees::Position(q, v) = sensor.sees
                && is_motion(&sensor.name)
            {
                moved.push(Moved { q, v, column });
            }
            column += sensor.columns();
        }
        self.moved = moved;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Follows the forces as the integrators do, and returns the largest distance from the path.
    fn strays(steps: Steps, n: usize, path: &dyn Fn(usize) -> f64, samples: usize) -> f64 {
        let (mut x, mut v) = (path(0), steps.velocity(path, samples, 0));
        let h = steps.period / n as f64;
        let mut most: f64 = 0.0;
        for k in 0..samples - 1 {
            let a = steps.acceleration(path, samples, k);
            for _ in 0..n {
                v += a * h;
                x += v * h;
            }
            most = most.max((x - path(k + 1)).abs());
        }
        most
    }

    #[test]
    fn a_moved_joint_follows_its_path() {
        let path =
            |k: usize| 0.03 * (0.1 * k as f64).sin() + if k.is_multiple_of(2) { 1e-7 } else { 0.0 };
        let steps = |new| Steps { period: 4e-3, new };
        assert!(strays(steps(1.0), 1, &path, 200) < 1e-12, "one step per sample");
        // Within the smoothing of neighbouring samples: c (1 − c) of a second difference, 3e-4 m here.
        let four = strays(steps(0.5 * 5.0 / 4.0), 4, &path, 200);
        assert!(four > 1e-9 && four < 1e-4, "{four}");
    }

    #[test]
    fn short_paths_do_not_move() {
        let steps = Steps { period: 0.1, new: 1.0 };
        assert_eq!(steps.velocity(&|_| 1.0, 1, 0), 0.0);
        assert_eq!(steps.acceleration(&|_| 1.0, 1, 0), 0.0);
        assert_eq!(steps.acceleration(&|k| k as f64, 2, 1), 0.0);
    }
}
