//! The numbers that a plot can show, by name: coordinates, energies, contact, solver, controls and the mouse's pull.

use gradbody_model::{Activation, DofKind, JointKind, Model, Topology};
use gradbody_sim::{Energy, Input, State};

use crate::history::Account;
use crate::protocol::{Channel, DragNumbers};

/// The channels of a model, in the order of [`values`].
pub(crate) fn channels(topology: &Topology) -> Vec<Channel> {
    let mut all = Vec::new();
    let mut add = |name: String, unit: &str| all.push(Channel { name, unit: unit.to_owned() });
    let positions = topology.links.iter().flat_map(|link| position_units(link.joint.kind));
    for (name, unit) in topology.position_names().iter().zip(positions) {
        add(format!("q:{name}"), unit);
    }
    let velocities = topology.links.iter().flat_map(|link| link.joint.kind.dofs());
    for (name, dof) in topology.velocity_names().iter().zip(velocities) {
        add(format!("v:{name}"), if *dof == DofKind::Angular { "rad/s" } else { "m/s" });
    }
    for name in ["kinetic", "gravitational", "elastic", "total", "pull", "contact"] {
        add(format!("energy/{name}"), "J");
    }
    for axis in ["x", "y", "z"] {
        add(format!("contact/force/{axis}"), "N");
    }
    add("contact/points".into(), "");
    add("solver/residual".into(), "m/s");
    add("solver/sweeps".into(), "");
    add("pull/force".into(), "N");
    for actuator in &topology.actuators {
        add(format!("actuator:{}", actuator.name), "");
    }
    for actuator in &topology.actuators {
        add(format!("control:{}", actuator.name), "");
    }
    all
}

/// What the channels are made of at a moment.
pub(crate) struct Known<'a> {
    pub(crate) model: &'a Model<f64>,
    pub(crate) state: &'a State<f64>,
    pub(crate) energy: Energy<f64>,
    pub(crate) account: &'a Account,
    pub(crate) contacts: usize,
    pub(crate) drag: &'a DragNumbers,
    pub(crate) input: &'a Input<f64>,
}

/// Writes the values of all channels.
pub(crate) fn values(known: &Known<'_>, out: &mut Vec<f32>) {
    let Known { model, state, energy, account, contacts, drag, input } = known;
    let Account { contact_force, residual, sweeps, drag_work, contact_work } = account;
    out.clear();
    let mut add = |x: f64| out.push(x as f32);
    state.q.iter().chain(&state.v).for_each(|x| add(*x));
    let Energy { kinetic, gravitational, elastic } = *energy;
    let energies = [kinetic, gravitational, elastic, energy.total(), *drag_work, *contact_work];
    energies.iter().chain(contact_force).for_each(|x| add(*x));
    add(*contacts as f64);
    add(*residual);
    add(f64::from(*sweeps));
    let [fx, fy, fz] = [drag[5], drag[6], drag[7]].map(f64::from);
    add((fx * fx + fy * fy + fz * fz).sqrt());
    actuator_forces(model, state, input).for_each(&mut add);
    input.control.iter().for_each(|x| add(*x));
}

/// The force or torque of each actuator before the gear, as [`gradbody_model::ActuatorParams`] says.
fn actuator_forces<'a>(
    model: &'a Model<f64>,
    state: &'a State<f64>,
    input: &'a Input<f64>,
) -> impl Iterator<Item = f64> + use<'a> {
    let actuators = model.topology.actuators.iter().zip(&model.params.actuators);
    actuators.zip(&input.control).map(|((actuator, numbers), control)| {
        let joint = &model.topology.links[actuator.joint.index()].joint;
        let u = match actuator.activation {
            Activation::Direct => control.max(numbers.control_lower).min(numbers.control_upper),
            Activation::Integrator { index } => state.activation[index],
        };
        let (q, v) = (state.q[joint.q_start], state.v[joint.v_start]);
        let [constant, position, velocity] = numbers.bias;
        let force = numbers.gain * u + constant + numbers.gear * (position * q + velocity * v);
        force.max(numbers.force_lower).min(numbers.force_upper)
    })
}

fn position_units(kind: JointKind) -> &'static [&'static str] {
    match kind {
        JointKind::Revolute(_) => &["rad"],
        JointKind::Prismatic(_) => &["m"],
        JointKind::Universal => &["rad"; 2],
        JointKind::Planar => &["m", "m", "rad"],
        JointKind::Spherical => &[""; 4],
        JointKind::Free => &["m", "m", "m", "", "", "", ""],
    }
}
