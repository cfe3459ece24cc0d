//! A model and its dynamics as one JSON object, for other programs.
//!
//! Numbers have all their digits. An infinite one (the end of an unlimited range) is `null`, because JSON has no
//! infinity.

use gradbody::dynamics::total_mass;
use gradbody::math::Quat;
use gradbody::model::Model;
use gradbody::model::import::Imported;
use serde_json::{Map, Value, json};

use super::dynamics::Dynamics;
use super::parts::note_kind;
use super::surfaces;
use crate::state_args::Start;

/// The object that `inspect --json` prints.
pub(super) fn object(
    imported: &Imported,
    start: &Start,
    dynamics: &Dynamics,
    with_params: bool,
) -> Value {
    let model = &imported.model;
    let topology = &model.topology;
    let poses: Map<String, Value> = dynamics
        .poses
        .iter()
        .map(|(name, pose)| {
            let quaternion = Quat::from_mat3(&pose.rot).to_array();
            let value = json!({ "position": pose.pos.to_array(), "quaternion": quaternion });
            (name.clone(), value)
        })
        .collect();
    let notes = imported.report.notes.iter().map(|note| {
        json!({
            "kind": note_kind(note.kind),
            "file": note.file.display().to_string(),
            "line": note.line,
            "element": note.element,
            "what": note.what,
        })
    });
    let mut object = json!({
        "model": topology.name,
        "nq": topology.nq,
        "nv": topology.nv,
        "names": topology.velocity_names(),
        "position_names": topology.position_names(),
        "mass": plain_zero(total_mass(model)),
        "joints": joints(model),
        "actuators": topology.actuators.iter().map(|a| &a.name).collect::<Vec<_>>(),
        "shapes": surfaces::shapes(model),
        "contact_pairs": surfaces::pairs(model),
        "q": start.state.q,
        "v": start.state.v,
        "tau": start.tau,
        "M": dynamics.mass_matrix,
        "bias": dynamics.bias,
        "qdd": dynamics.qdd,
        "passive": dynamics.passive,
        "qdd_passive": dynamics.qdd_passive,
        "com": dynamics.com.to_array(),
        "kinetic": plain_zero(dynamics.energy.kinetic),
        "potential": dynamics.energy.gravitational,
        "elastic": dynamics.energy.elastic,
        "momentum": {
            "linear": dynamics.momentum.lin.to_array(),
            "angular": dynamics.momentum.ang.to_array(),
        },
        "poses": poses,
        "report": notes.collect::<Vec<_>>(),
    });
    if with_params {
        let ids = topology.param_ids();
        let params: Map<String, Value> =
            ids.iter().map(|id| (topology.param_path(*id), model.get(*id).into())).collect();
        object["params"] = params.into();
    }
    object
}

/// Turns −0, the sum of no terms, into 0.
fn plain_zero(x: f64) -> f64 {
    x + 0.0
}

fn joints(model: &Model<f64>) -> Vec<Value> {
    let links = &model.topology.links;
    let parent = |i: usize| links[i].parent.map(|p| links[p.index()].name.as_str());
    let joint = |i: usize| {
        let link = &links[i];
        json!({
            "name": link.joint.name,
            "kind": link.joint.kind.name(),
            "link": link.name,
            "parent": parent(i),
            "q_start": link.joint.q_start,
            "v_start": link.joint.v_start,
            "limit_lower": model.params.joints[i].limit_lower,
            "limit_upper": model.params.joints[i].limit_upper,
        })
    };
    (0..links.len()).map(joint).collect()
}
