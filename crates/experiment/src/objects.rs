//! `[model.objects]`: free bodies that the robot can touch.

use gradbody_math::{Inertia, Sym3, Transform, Vec3};
use gradbody_model::{
    FrameId, JointSpec, Material, Model, ModelBuilder, ModelError, ShapeKind, ShapeParams,
};
use serde::{Deserialize, Serialize};

use crate::{ExperimentError, ModelOptions};

/// A solid ball or box that moves freely. Its link, joint and shape have its name.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ObjectSpec {
    /// Its mass [kg].
    pub mass: f64,
    /// The radius of a ball [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ball: Option<f64>,
    /// The sides of a box [m].
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    pub sides: Option<[f64; 3]>,
    /// Coefficient of friction. Without it, that of what it touches counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Coefficient of restitution.
    #[serde(default)]
    pub restitution: f64,
    /// Whether torsional and rolling friction act on it.
    #[serde(default)]
    pub resists_turning: bool,
}

impl ModelOptions {
    /// Refuses objects with impossible numbers.
    pub(crate) fn check_objects(&self) -> Result<(), ExperimentError> {
        for (name, object) in &self.objects {
            let wrong = |key: &str, why: &str| {
                Err(ExperimentError::wrong(format!("model.objects.{name}{key}"), why.to_owned()))
            };
            if name.is_empty() {
                return wrong("\"\"", "an object needs a name");
            }
            let positive = |x: &f64| *x > 0.0 && x.is_finite();
            let not_negative = |x: f64| x >= 0.0 && x.is_finite();
            if !positive(&object.mass) {
                return wrong(".mass", "a positive number is needed [kg]");
            }
            match (object.ball, object.sides) {
                (Some(radius), None) if !positive(&radius) => {
                    return wrong(".ball", "a positive radius is needed [m]");
                }
                (None, Some(sides)) if !sides.iter().all(positive) => {
                    return wrong(".box", "three positive sides are needed [m]");
                }
                (Some(_), None) | (None, Some(_)) => {}
                _ => return wrong("", "give either ball = radius or box = [sides]"),
            }
            if object.friction.is_some_and(|friction| !not_negative(friction)) {
                return wrong(".friction", "a number that is not negative is needed");
            }
            if !(0.0..=1.0).contains(&object.restitution) {
                return wrong(".restitution", "a number from 0 to 1 is needed");
            }
        }
        Ok(())
    }

    /// Adds the objects to a model.
    pub(crate) fn add_objects(&self, model: &mut Model<f64>) -> Result<(), ExperimentError> {
        for (name, object) in &self.objects {
            let added = object.model(name).and_then(|object| model.append(&object, ""));
            added.map_err(|error| {
                ExperimentError::wrong(format!("model.objects.{name}"), error.to_string())
            })?;
        }
        Ok(())
    }
}

impl ObjectSpec {
    /// A model of the object alone.
    fn model(&self, name: &str) -> Result<Model<f64>, ModelError> {
        let (kind, size, rotational) = match (self.ball, self.sides) {
            (Some(radius), _) => {
                let moment = 0.4 * radius * radius;
                (ShapeKind::Sphere, Vec3::new(radius, 0.0, 0.0), Vec3::new(moment, moment, moment))
            }
            (_, sides) => {
                let [x, y, z] = sides.unwrap_or([0.0; 3]).map(|side| side * side / 12.0);
                let half = Vec3::from_slice(&sides.unwrap_or([0.0; 3])) * 0.5;
                (ShapeKind::Box, half, Vec3::new(y + z, x + z, x + y))
            }
        };
        let inertia = Inertia {
            mass: self.mass,
            com: Vec3::ZERO,
            rotational: Sym3::diagonal(rotational * self.mass),
        };
        let mut builder = ModelBuilder::new(name);
        let frame = builder.link(name, FrameId::WORLD, JointSpec::free(name), inertia)?;
        let mut material = self.friction.map_or(Material::DEFAULT, Material::with_friction);
        material.restitution = self.restitution;
        let params = ShapeParams { placement: Transform::IDENTITY, size, material };
        let shape = builder.shape(name, frame, kind, params)?;
        let shape = builder.shape_mut(shape);
        shape.friction_given = self.friction.is_some();
        shape.resists_turning = self.resists_turning;
        builder.build()
    }
}
