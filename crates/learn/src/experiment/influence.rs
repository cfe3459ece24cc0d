//! Numbers of surfaces that an experiment sets or fits although they decide no contact, and the friction that acts.

use gradbody_contact::{Idle, Surfaces};
use gradbody_experiment::matching;
use gradbody_math::names::list;
use gradbody_model::{MaterialScalar, ParamId, ShapeId};

use super::ExperimentError;
use super::setup::Setup;

impl Setup {
    /// Whether any two shapes of the model can touch each other.
    pub(crate) fn shapes_may_touch(&self) -> bool {
        !self.surfaces().frictions().is_empty()
    }

    /// The friction that acts where shapes may touch.
    pub(super) fn friction_note(&self) -> Option<String> {
        let frictions = self.surfaces().frictions();
        (!frictions.is_empty())
            .then(|| format!("the friction that acts is {}", frictions.join("; ")))
    }

    /// Numbers that `model` gives or that `change.parameters` names, and that have no influence. Numbers of one pattern
    /// share a note.
    pub(super) fn idle_notes(&self) -> Vec<String> {
        let options = &self.experiment.model;
        let mut notes = Vec::new();
        if options.ground.is_some()
            && !options.set.contains_key(GROUND_FRICTION)
            && let Some((_, idle)) = self.idle(GROUND_FRICTION).pop()
        {
            notes.push(format!("model.ground.friction has no influence: {}", idle.why));
        }
        for pattern in options.set.keys() {
            let idle = self.idle(pattern);
            // Of a pattern, some numbers may be there only because they have the same name.
            if let Some((_, first)) = idle.first()
                && idle.len() == matching(&self.model.topology, pattern).len()
            {
                notes.push(format!("model.set.\"{pattern}\" has no influence: {}", first.why));
            }
        }
        for pattern in &self.experiment.change.parameters {
            let idle = self.idle(pattern);
            let Some((_, first)) = idle.first() else { continue };
            let names = list(idle.iter().map(|(name, _)| name.as_str()));
            let has = if idle.len() == 1 { "has" } else { "have" };
            notes.push(format!(
                "change.parameters: {names} {has} no influence at the start of the fit: {}",
                first.why
            ));
        }
        notes
    }

    /// Refuses to fit numbers that cannot have any influence, whatever the values of others.
    pub(super) fn check_influence(&self) -> Result<(), ExperimentError> {
        for pattern in &self.experiment.change.parameters {
            let idle = self.idle(pattern);
            let all = matching(&self.model.topology, pattern).len();
            if let Some((name, first)) = idle.iter().find(|(_, idle)| idle.always)
                && idle.iter().filter(|(_, idle)| idle.always).count() == all
            {
                let given =
                    |shape: ShapeId| self.model.topology.shapes[shape.index()].friction_given;
                let hint = match self.model.topology.param_id(name) {
                    Ok(ParamId::ShapeMaterial(shape, MaterialScalar::Friction))
                        if !given(shape) && self.experiment.model.ground.is_some() =>
                    {
                        "; fit the number that counts, or give this one in model.set"
                    }
                    _ => "",
                };
                let why = format!("{name} has no influence: {}{hint}", first.why);
                return Err(ExperimentError::wrong("change.parameters", why));
            }
        }
        Ok(())
    }

    /// The numbers of a pattern that have no influence, with their paths.
    fn idle(&self, pattern: &str) -> Vec<(String, Idle)> {
        let topology = &self.model.topology;
        let surfaces = self.surfaces();
        let ids = matching(topology, pattern).into_iter();
        ids.filter_map(|id| Some((topology.param_path(id), surfaces.idle(id)?))).collect()
    }

    fn surfaces(&self) -> Surfaces<'_> {
        Surfaces::new(&self.model, &self.options.contact.solver)
    }
}

const GROUND_FRICTION: &str = "shape/ground/friction";
