//! Shapes and listed pairs that are added to a finished model, for example one that was read from a file.

use gradbody_math::Transform;

use crate::validate::check_model;
use crate::{
    ContactLaw, ContactPair, FrameId, Material, Model, ModelError, PairId, Shape, ShapeId,
    ShapeKind, ShapeParams, Visual,
};

impl Model<f64> {
    /// Adds a collision shape fixed to a frame; `params.placement` is its pose in that frame. If the name is taken or a
    /// number is invalid, returns an error and changes nothing.
    pub fn add_shape(
        &mut self,
        name: &str,
        frame: FrameId,
        kind: ShapeKind,
        params: ShapeParams<f64>,
    ) -> Result<ShapeId, ModelError> {
        if self.topology.shape(name).is_some() {
            return Err(ModelError::DuplicateName { what: "shape", name: name.into() });
        }
        let pose: Transform<f64> = self.params.frames[frame.index()];
        self.topology.shapes.push(Shape {
            name: name.into(),
            frame,
            kind,
            collision_group: 1,
            collides_with: 1,
            law: ContactLaw::Rigid,
            resists_turning: false,
            friction_given: true,
            mesh_file: None,
        });
        let placement = pose * params.placement;
        self.params.shapes.push(ShapeParams { placement, ..params });
        if let Err(error) = check_model(self) {
            self.topology.shapes.pop();
            self.params.shapes.pop();
            return Err(error);
        }
        let id = ShapeId::new(self.topology.shapes.len() - 1);
        if !self.topology.visuals.is_empty() {
            self.topology.visuals.push(Visual::of_shape(id, None));
        }
        Ok(id)
    }

    /// Makes two shapes collide whatever the filters say, with a surface for the pair. If the shapes already are a pair
    /// or a number is invalid, returns an error and changes nothing.
    pub fn add_contact_pair(
        &mut self,
        pair: ContactPair,
        material: Material<f64>,
    ) -> Result<PairId, ModelError> {
        self.topology.contact_pairs.push(pair);
        self.params.pairs.push(material);
        if let Err(error) = check_model(self) {
            self.topology.contact_pairs.pop();
            self.params.pairs.pop();
            return Err(error);
        }
        Ok(PairId::new(self.topology.contact_pairs.len() - 1))
    }
}

#[cfg(test)]
mod tests {
    use gradbody_math::{Inertia, Sym3, Vec3};

    use super::*;
    use crate::{JointSpec, ModelBuilder};

    fn body() -> Model<f64> {
        let mut builder = ModelBuilder::new("body");
        let rotational = Sym3::diagonal(Vec3::new(0.02, 0.03, 0.04));
        let inertia = Inertia { mass: 1.5, com: Vec3::ZERO, rotational };
        let link = builder.link("body", FrameId::WORLD, JointSpec::free("root"), inertia).unwrap();
        let place = Transform::from_translation(Vec3::new(0.0, 0.0, 0.1));
        builder.frame("top", link, place).unwrap();
        builder.build().unwrap()
    }

    fn ball(radius: f64) -> ShapeParams<f64> {
        let placement = Transform::from_translation(Vec3::new(0.2, 0.0, 0.0));
        let size = Vec3::new(radius, 0.0, 0.0);
        ShapeParams { placement, size, material: Material::DEFAULT }
    }

    #[test]
    fn a_shape_is_placed_in_its_frame_and_a_refused_one_leaves_no_trace() {
        let mut model = body();
        let top = model.topology.frame("top").unwrap();
        let ball_id = model.add_shape("ball", top, ShapeKind::Sphere, ball(0.05)).unwrap();
        let placed = model.params.shapes[ball_id.index()].placement.pos;
        assert_eq!(placed, Vec3::new(0.2, 0.0, 0.1));
        for (name, radius) in [("ball", 0.05), ("other", -1.0), ("other", f64::NAN)] {
            model.add_shape(name, top, ShapeKind::Sphere, ball(radius)).expect_err(name);
            assert_eq!((model.topology.shapes.len(), model.params.shapes.len()), (1, 1));
        }
    }

    #[test]
    fn a_pair_is_listed_once() {
        let mut model = body();
        let top = model.topology.frame("top").unwrap();
        let a = model.add_shape("a", top, ShapeKind::Sphere, ball(0.05)).unwrap();
        let b = model.add_shape("b", FrameId::WORLD, ShapeKind::Sphere, ball(0.05)).unwrap();
        let pair = ContactPair { a, b, law: ContactLaw::Compliant, resists_turning: false };
        model.add_contact_pair(pair, Material::with_friction(-0.1)).expect_err("negative");
        model.add_contact_pair(pair, Material::with_friction(0.1)).unwrap();
        assert!(model.topology.param_id("contact/a-b/friction").is_ok());
        let other = ContactPair { a: b, b: a, ..pair };
        model.add_contact_pair(other, Material::DEFAULT).expect_err("the same shapes");
        assert_eq!((model.topology.contact_pairs.len(), model.params.pairs.len()), (1, 1));
    }
}
