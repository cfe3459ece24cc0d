//! The `keyframe` section: named states.

use super::actuator::Columns;
use super::assemble::Assembled;
use super::names;
use super::source::Tree;
use crate::import::ImportError;
use crate::import::notes::Notes;
use crate::import::xml::Element;
use crate::{JointKind, Keyframe, ModelBuilder};

/// Name of the state that every file has: its own pose, at rest.
pub(crate) const FILE_POSE: &str = "qpos0";

/// Adds the pose of the file first, then all named states.
pub(super) fn add(
    builder: &mut ModelBuilder,
    tree: &Tree<'_>,
    assembled: &Assembled,
    columns: &Columns,
    notes: &mut Notes,
) -> Result<(), ImportError> {
    let topology = builder.topology();
    let pose = Keyframe {
        name: FILE_POSE.into(),
        q: assembled.q.clone(),
        v: vec![0.0; topology.nv],
        activation: vec![0.0; topology.na],
        control: vec![0.0; topology.actuators.len()],
    };
    let sections = tree.sections("keyframe");
    let keys: Vec<_> = sections.into_iter().flat_map(|section| tree.children(section)).collect();
    let names = names::all("key", 0, keys.iter().copied())?;
    let mut keyframes = vec![pose.clone()];
    for (key, name) in keys.into_iter().zip(names) {
        let mut keyframe = Keyframe { name, ..pose.clone() };
        if let Some(q) = numbers(key, "qpos", pose.q.len())? {
            keyframe.q = q;
            normalise(&mut keyframe.q, builder);
        }
        if let Some(v) = numbers(key, "qvel", pose.v.len())? {
            keyframe.v = v;
        }
        columns.select(key, "act", &mut keyframe.activation, notes)?;
        columns.select(key, "ctrl", &mut keyframe.control, notes)?;
        keyframes.push(keyframe);
    }
    for keyframe in keyframes {
        builder.keyframe(keyframe);
    }
    Ok(())
}

/// Exactly `count` numbers, if the attribute is present.
pub(super) fn numbers(
    key: Element<'_>,
    name: &str,
    count: usize,
) -> Result<Option<Vec<f64>>, ImportError> {
    let Some(numbers) = key.numbers(name)? else { return Ok(None) };
    if numbers.len() == count {
        return Ok(Some(numbers));
    }
    let s = if count == 1 { "" } else { "s" };
    let problem = format!("expected {count} number{s}, found {}", numbers.len());
    Err(key.attr_error(name, &problem))
}

/// Normalises the quaternions.
fn normalise(q: &mut [f64], builder: &ModelBuilder) {
    for link in &builder.topology().links {
        let quat = match link.joint.kind {
            JointKind::Spherical => &mut q[link.joint.q_range()],
            JointKind::Free => &mut q[link.joint.q_range()][3..],
            _ => continue,
        };
        quat.copy_from_slice(&gradbody_math::Quat::from_slice(quat).normalized().to_array());
    }
}
