//! Numbers of the model that a page can change, and the changes.

use gradbody_contact::{Solver, Surfaces};
use gradbody_math::text::number;
use gradbody_model::{JointScalar, MaterialScalar, Model, ParamId, check_inertia};

use crate::protocol::Parameter;

/// Sliders that a page gets at most; any other number can be set by its path.
const MOST_SLIDERS: usize = 400;

/// The sliders of a model: masses, what joints resist with, and the friction that acts.
pub(crate) fn sliders(model: &Model<f64>, solver: &Solver) -> Vec<Parameter> {
    let surfaces = Surfaces::new(model, solver);
    let acts = |id: &ParamId| slider(*id).is_some() && surfaces.idle(*id).is_none();
    let ids = model.topology.param_ids().into_iter().filter(acts).take(MOST_SLIDERS);
    ids.filter_map(|id| {
        let (unit, top) = slider(id)?;
        let value = model.get(id);
        // A slider leads to four times the number there is, or to its usual largest value.
        let highest = if value > 0.0 { (4.0 * value).max(top.min(value * 100.0)) } else { top };
        let name = model.topology.param_path(id);
        Some(Parameter { name, value, unit: unit.into(), lowest: 0.0, highest })
    })
    .collect()
}

/// The unit of a number with a slider, and a usual largest value.
fn slider(id: ParamId) -> Option<(&'static str, f64)> {
    Some(match id {
        ParamId::Mass(_) => ("kg", 1.0),
        ParamId::Joint(_, JointScalar::Damping) => ("N m s/rad", 1.0),
        ParamId::Joint(_, JointScalar::Friction) => ("N m", 1.0),
        ParamId::Joint(_, JointScalar::Stiffness) => ("N m/rad", 10.0),
        ParamId::ShapeMaterial(_, MaterialScalar::Friction)
        | ParamId::PairMaterial(_, MaterialScalar::Friction) => ("", 2.0),
        ParamId::ShapeMaterial(_, MaterialScalar::Restitution)
        | ParamId::PairMaterial(_, MaterialScalar::Restitution) => ("", 1.0),
        _ => return None,
    })
}

/// What a change means for a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Changed {
    /// A number.
    Number,
    /// Which number of two surfaces counts.
    Structure,
}

/// Sets a number. A model that would then be impossible stays as it is, and the error says why.
pub(crate) fn set(model: &mut Model<f64>, path: &str, value: f64) -> Result<Changed, String> {
    let id = model.topology.param_id(path).map_err(|unknown| unknown.to_string())?;
    let before = model.get(id);
    model.set(id, value);
    let mut problem = model.check().err().map(|e| e.to_string());
    for (link, inertia) in model.topology.links.iter().zip(&model.params.links) {
        if let Err(fault) = check_inertia(inertia) {
            problem.get_or_insert(format!("link \"{}\": {fault}", link.name));
        }
    }
    if let Some(problem) = problem {
        model.set(id, before);
        return Err(format!("{path} = {}: {problem}", number(value)));
    }
    let given = |model: &Model<f64>| -> Vec<bool> {
        model.topology.shapes.iter().map(|shape| shape.friction_given).collect()
    };
    let old = given(model);
    model.topology.note_friction_given(id);
    Ok(if given(model) == old { Changed::Number } else { Changed::Structure })
}
