//! Reads the model that `[model]` names, and makes it differ from its file as the table says.

use std::collections::BTreeMap;
use std::path::Path;

use gradbody_contact::exclude_self_collisions;
use gradbody_math::names::{self, did_you_mean};
use gradbody_model::import::{Base, ImportOptions, Imported};
use gradbody_model::{
    Activation, Actuator, ActuatorParams, JointId, Material, Model, ParamId, Topology,
};

use crate::place_shapes::{add_pairs, add_shapes};
use crate::{BaseOption, ExperimentError, ModelOptions, Servo};

/// Reads a model file.
pub type LoadModel<'a> = &'a dyn Fn(&Path, &ImportOptions) -> Result<Imported, String>;

impl ModelOptions {
    /// The model as it was imported, and with the changes of the table. Relative paths start from `folder`.
    pub fn load(
        &self,
        folder: &Path,
        load: LoadModel<'_>,
    ) -> Result<(Imported, Model<f64>), ExperimentError> {
        let import = ImportOptions {
            base: match self.base {
                BaseOption::Auto => Base::Auto,
                BaseOption::Fixed => Base::Fixed,
                BaseOption::Free => Base::Free,
            },
            repair_inertia: self.repair_inertia,
            free_mimic: self.free_mimic,
            ..ImportOptions::default()
        };
        let beside = folder.join(&self.file);
        let path = if beside.exists() { &beside } else { Path::new(&self.file) };
        let imported = load(path, &import).map_err(ExperimentError::Model)?;
        let mut model = imported.model.clone();
        self.add_objects(&mut model)?;
        add_shapes(&mut model, self)?;
        if !self.self_collision {
            exclude_self_collisions(&mut model);
        }
        if let Some(ground) = self.ground {
            let mut material = Material::with_friction(ground.friction);
            material.restitution = ground.restitution;
            model
                .add_ground(ground.height, material)
                .map_err(|error| ExperimentError::Model(error.to_string()))?;
        }
        add_pairs(&mut model, self)?;
        add_servos(&mut model, &self.servos)?;
        set_numbers(&mut model, &self.set)?;
        model.check().map_err(|error| ExperimentError::wrong("model.set", error.to_string()))?;
        Ok((imported, model))
    }
}

/// Adds a position servo to each joint that a pattern matches: an actuator with the joint's name. The joint's limits are
/// the range of its control, the joint's effort limit is that of its force.
fn add_servos(
    model: &mut Model<f64>,
    servos: &BTreeMap<String, Servo>,
) -> Result<(), ExperimentError> {
    for (pattern, servo) in servos {
        let wrong =
            |why: String| ExperimentError::wrong(format!("model.servos.\"{pattern}\""), why);
        let joints = model.topology.links.iter().enumerate();
        let one_axis = joints.filter(|(_, link)| link.joint.kind.nv() == 1);
        let found: Vec<(usize, String)> = one_axis
            .filter(|(_, link)| names::matches(pattern, &link.joint.name))
            .map(|(index, link)| (index, link.joint.name.clone()))
            .collect();
        if found.is_empty() {
            let links = model.topology.links.iter();
            let hint = did_you_mean(pattern, links.map(|link| link.joint.name.as_str()));
            return Err(wrong(format!("no joint with one axis matches it{hint}")));
        }
        for (index, name) in found {
            if model.topology.actuator(&name).is_some() {
                return Err(wrong(format!("there already is an actuator \"{name}\"")));
            }
            let joint = &model.params.joints[index];
            let mut params = ActuatorParams::position(servo.stiffness, servo.damping);
            (params.force_lower, params.force_upper) = (-joint.effort_limit, joint.effort_limit);
            (params.control_lower, params.control_upper) = (joint.limit_lower, joint.limit_upper);
            let joint = JointId::new(index);
            model.params.actuators.push(params);
            model.topology.actuators.push(Actuator { name, joint, activation: Activation::Direct });
        }
    }
    Ok(())
}

/// Sets parameters by paths or patterns; paths come last, so that they take precedence.
fn set_numbers(model: &mut Model<f64>, set: &BTreeMap<String, f64>) -> Result<(), ExperimentError> {
    let (patterns, paths): (Vec<_>, Vec<_>) =
        set.iter().partition(|(path, _)| names::is_pattern(path));
    for (pattern, value) in patterns {
        let ids = matching(&model.topology, pattern);
        if ids.is_empty() {
            let what = format!("model.set.\"{pattern}\"");
            return Err(ExperimentError::wrong(what, "no parameter matches it"));
        }
        ids.into_iter().for_each(|id| give(model, id, *value));
    }
    for (path, value) in paths {
        let id = (model.topology.param_id(path))
            .map_err(|error| ExperimentError::wrong("model.set", error.to_string()))?;
        give(model, id, *value);
    }
    Ok(())
}

fn give(model: &mut Model<f64>, id: ParamId, value: f64) {
    model.set(id, value);
    model.topology.note_friction_given(id);
}

/// The parameters that match a path or pattern.
pub fn matching(topology: &Topology, pattern: &str) -> Vec<ParamId> {
    if !names::is_pattern(pattern) {
        return topology.param_id(pattern).into_iter().collect();
    }
    let all = topology.param_ids().into_iter();
    all.filter(|id| names::matches(pattern, &topology.param_path(*id))).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use gradbody_model::{Model, import};

    use crate::ModelOptions;

    fn load(options: &str) -> Result<(import::Imported, Model<f64>), String> {
        let options: ModelOptions = toml::from_str(options).map_err(|error| error.to_string())?;
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
        let load = |path: &Path, options: &import::ImportOptions| {
            import::load(path, options).map_err(|error| error.to_string())
        };
        let loaded = options.check().and_then(|()| options.load(&models, &load));
        loaded.map_err(|error| error.to_string())
    }

    fn with_servos(servos: &str) -> Result<Vec<(String, f64, f64)>, String> {
        let (_, model) = load(&format!("file = 'arm7.urdf'\n[servos]\n{servos}"))?;
        let actuators = model.topology.actuators.iter().zip(&model.params.actuators);
        Ok(actuators
            .map(|(actuator, params)| {
                (actuator.name.clone(), params.control_upper, params.force_upper)
            })
            .collect())
    }

    #[test]
    fn servos_have_the_names_and_limits_of_their_joints() {
        let servos = with_servos("'*2' = { stiffness = 30, damping = 1 }").expect("a joint");
        let [(name, range, effort)] = &servos[..] else { panic!("{servos:?}") };
        assert!(name.ends_with('2') && *range > 0.0 && *effort > 0.0, "{servos:?}");
    }

    #[test]
    fn objects_are_free_bodies_with_shapes() {
        let options = "file = 'arm7.urdf'\n[objects]\nball = { ball = 0.03, mass = 0.1 }\n\
                       brick = { box = [0.2, 0.1, 0.05], mass = 2, friction = 0.7, restitution = 0.1 }";
        let (_, model) = load(options).expect("objects");
        let link = model.topology.link("brick").expect("a link");
        let inertia = &model.params.links[link.index()];
        assert!((inertia.rotational.xx - 2.0 * (0.01 + 0.0025) / 12.0).abs() < 1e-15);
        let shape = model.topology.shape("ball").expect("a shape");
        assert!(!model.topology.shapes[shape.index()].friction_given);
        assert_eq!(model.params.shapes[shape.index()].size.x, 0.03);
        let refused = |object: &str| {
            load(&format!("file = 'arm7.urdf'\n[objects]\nx = {{ {object} }}"))
                .expect_err("refused")
        };
        assert!(refused("mass = 1").contains("model.objects.x: give either ball"));
        assert!(refused("ball = 1, mass = 0").contains("model.objects.x.mass"));
        assert!(refused("ball = 1, mass = 1, restitution = 2").contains("restitution"));
    }

    #[test]
    fn impossible_servos_are_refused() {
        let refused = |servos: &str| with_servos(servos).expect_err("refused");
        assert!(refused("elbo = { stiffness = 1 }").contains("no joint with one axis matches"));
        let twice = refused("'*' = { stiffness = 1 }\n'*2' = { stiffness = 1 }");
        assert!(twice.contains("there already is an actuator"), "{twice}");
        let negative = refused("'*2' = { stiffness = -1 }");
        assert!(negative.contains("model.servos.\"*2\""), "{negative}");
    }
}
