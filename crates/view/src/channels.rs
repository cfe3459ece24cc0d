//! The numbers that a plot can show, by name: coordinates, energies, contact, solver, controls and the mouse's pull.

use gradbody_model::{DofKind, JointKind, Topology};
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
        add(format!("control:{}", actuator.name), "");
    }
    all
}

/// What the channels are made of at a moment.
pub(crate) struct Known<'a> {
    pub(crate) state: &'a State<f64>,
    pub(crate) energy: Energy<f64>,
    pub(crate) account: &'a Account,
    pub(crate) contacts: usize,
    pub(crate) drag: &'a DragNumbers,
    pub(crate) input: &'a Input<f64>,
}

/// Writes the values of all channels.
pub(crate) fn values(known: &Known<'_>, out: &mut Vec<f32>) {
    let Known { state, energy, account, contacts, drag, input } = known;
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
    input.control.iter().for_each(|x| add(*x));
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
