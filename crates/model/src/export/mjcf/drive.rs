//! Actuators and named states.

use super::super::ExportError;
use super::super::xml::{Tag, unused};
use super::tree::Tree;
use super::{Names, range};
use crate::{Activation, ActuatorParams, JointKind, Keyframe, Model};

/// The elements of the `actuator` section; `joints` has the name of each joint.
pub(super) fn actuators(
    model: &Model<f64>,
    joints: &[String],
    notes: &mut Vec<String>,
) -> Result<Vec<String>, ExportError> {
    let topology = &model.topology;
    let mut names = Names::default();
    let mut elements = Vec::new();
    for (actuator, params) in topology.actuators.iter().zip(&model.params.actuators) {
        let ActuatorParams { gear, bias, control_lower, control_upper, .. } = *params;
        let name = names.take("actuator", &actuator.name, notes);
        let mut tag = Tag::new("general").name("name", &name)?;
        tag = tag.name("joint", &joints[actuator.joint.index()])?;
        tag = tag.number_unless(1.0, "gear", gear).number_unless(1.0, "gainprm", gain(params));
        if bias != [0.0; 3] {
            tag = tag.word("biastype", "affine").numbers("biasprm", &bias);
        }
        tag = range(tag, "ctrlrange", [control_lower, control_upper]);
        tag = range(tag, "forcerange", [params.force_lower, params.force_upper]);
        if let Activation::Integrator { .. } = actuator.activation {
            tag = tag.word("dyntype", "integrator");
            tag = range(tag, "actrange", [params.activation_lower, params.activation_upper]);
        }
        elements.push(tag.alone());
    }
    Ok(elements)
}

/// Force per unit of control. If the gain is exactly minus the position term, a reader takes a positive velocity term
/// as a damping ratio; the next floating-point number avoids this.
fn gain(params: &ActuatorParams<f64>) -> f64 {
    let [_, position, velocity] = params.bias;
    let is_ratio = params.gain != 0.0 && params.gain == -position && velocity > 0.0;
    if is_ratio { params.gain.next_up() } else { params.gain }
}

/// The elements of the `keyframe` section: all states except the one that a reader creates itself.
pub(super) fn keyframes(
    model: &Model<f64>,
    tree: &Tree,
    notes: &mut Vec<String>,
) -> Result<Vec<String>, ExportError> {
    let topology = &model.topology;
    let order = tree.order();
    let joint = |link: &crate::LinkId| &topology.links[link.index()].joint;
    let mut taken = std::collections::HashSet::new();
    let mut elements = Vec::new();
    let mut lost = 0;
    for (i, key) in topology.keyframes.iter().enumerate() {
        if i == 0 && is_file_pose(model, key, tree) {
            continue;
        }
        if !fits(model, key) {
            lost += 1;
            continue;
        }
        let q: Vec<f64> = order.iter().flat_map(|l| &key.q[joint(l).q_range()]).copied().collect();
        let v: Vec<f64> = order.iter().flat_map(|l| &key.v[joint(l).v_range()]).copied().collect();
        let activation: Vec<f64> = topology
            .actuators
            .iter()
            .filter_map(|a| match a.activation {
                Activation::Integrator { index } => key.activation.get(index).copied(),
                Activation::Direct => None,
            })
            .collect();
        let mut tag = Tag::new("key");
        let name = if key.name.is_empty() { "key" } else { &key.name };
        tag = tag.name("name", &unused(&mut taken, name))?;
        for (attribute, numbers) in
            [("qpos", &q), ("qvel", &v), ("act", &activation), ("ctrl", &key.control)]
        {
            let says = attribute == "qpos" || numbers.iter().any(|x| *x != 0.0);
            if says && !numbers.is_empty() {
                tag = tag.numbers(attribute, numbers);
            }
        }
        elements.push(tag.alone());
    }
    if lost > 0 {
        notes.push(format!("keyframes that do not fit this model are not written ({lost})"));
    }
    Ok(elements)
}

/// Whether a state has the model's sizes and only valid numbers.
fn fits(model: &Model<f64>, key: &Keyframe) -> bool {
    let topology = &model.topology;
    let counts = [
        (&key.q, topology.nq),
        (&key.v, topology.nv),
        (&key.activation, topology.na),
        (&key.control, topology.actuators.len()),
    ];
    counts.iter().all(|(x, count)| x.len() == *count && x.iter().all(|x| x.is_finite()))
}

/// Whether a reader obtains this state from the poses of the bodies.
fn is_file_pose(model: &Model<f64>, key: &Keyframe, tree: &Tree) -> bool {
    if tree.reference.is_none() {
        return false;
    }
    let unturned = model.topology.links.iter().all(|link| {
        let turns = link.joint.kind == JointKind::Spherical;
        !turns || key.q[link.joint.q_range()] == [1.0, 0.0, 0.0, 0.0]
    });
    // The poses of the bodies do not rotate a separate ball joint.
    let balls = tree.bodies.iter().flat_map(|b| &b.parts).any(|part| part.suffix == "_ball");
    let rest = [&key.v, &key.activation, &key.control];
    unturned && !balls && rest.iter().all(|numbers| numbers.iter().all(|x| *x == 0.0))
}
