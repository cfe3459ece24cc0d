//! Several things in one world: a ground, other robots.

use std::collections::HashSet;

use gradbody_math::{Transform, Vec3};

use crate::validate::check_model;
use crate::{
    Activation, ContactLaw, Form, FrameId, JointId, Keyframe, LinkId, Material, Model, ModelError,
    Shape, ShapeId, ShapeKind, ShapeParams, Visual,
};

/// Name of the shape that `add_ground` adds.
const GROUND: &str = "ground";

impl Model<f64> {
    /// Adds the half space below z = `height` [m], a fixed shape named `ground`. If the model already has a shape of
    /// that name, returns an error and changes nothing.
    ///
    /// The ground's friction acts on every shape whose own friction was not given: its file says nothing of it, and its
    /// number is still the default. Of a shape whose friction was given, the larger counts, its own or the ground's.
    pub fn add_ground(
        &mut self,
        height: f64,
        material: Material<f64>,
    ) -> Result<ShapeId, ModelError> {
        if self.topology.shape(GROUND).is_some() {
            return Err(ModelError::DuplicateName { what: "shape", name: GROUND.into() });
        }
        let mut scene = self.clone();
        for (shape, params) in scene.topology.shapes.iter_mut().zip(&scene.params.shapes) {
            // A program may have set the number before.
            shape.friction_given |= params.material.friction != Material::DEFAULT.friction;
        }
        scene.topology.shapes.push(Shape {
            name: GROUND.into(),
            frame: FrameId::WORLD,
            kind: ShapeKind::Plane,
            collision_group: 1,
            collides_with: 1,
            law: ContactLaw::Rigid,
            resists_turning: false,
            friction_given: true,
            mesh_file: None,
        });
        scene.params.shapes.push(ShapeParams {
            placement: Transform::from_translation(Vec3::new(0.0, 0.0, height)),
            size: Vec3::ZERO,
            material,
        });
        check_model(&scene)?;
        *self = scene;
        Ok(ShapeId::new(self.topology.shapes.len() - 1))
    }

    /// Adds all of another model to the same world, with `prefix` before every name but the world's. Its coordinates,
    /// actuators and so on come after those of this model. If two names then coincide, returns an error and changes
    /// nothing.
    ///
    /// - Gravity, time step and name stay this model's.
    /// - Collision groups keep their bits, so that the shapes of both models can touch.
    /// - Everything fixed to the world, such as a ground, is kept from both models. A frame that is excluded from
    ///   touching the world then touches nothing that is fixed to it.
    /// - A keyframe is a state of the whole: it is combined with the other model's keyframe of the same name, otherwise
    ///   with its first, and if there is none with its neutral pose at rest.
    pub fn append(&mut self, other: &Model<f64>, prefix: &str) -> Result<(), ModelError> {
        let mut scene = self.clone();
        scene.topology.keyframes = joined_keyframes(self, other);
        if !other.topology.visuals.is_empty() {
            scene.draw_shapes();
        }
        scene.append_links(other, prefix);
        scene.append_shapes(other, prefix);
        scene.append_visuals(other, prefix);
        scene.append_actuators(other, prefix);
        check_names(&scene)?;
        check_model(&scene)?;
        *self = scene;
        Ok(())
    }

    /// Links, joints and frames.
    fn append_links(&mut self, other: &Model<f64>, prefix: &str) {
        let Model { topology, params } = self;
        let first = topology.links.len();
        let moved = |link: Option<LinkId>| link.map(|l| LinkId::new(first + l.index()));
        for link in &other.topology.links {
            let mut link = link.clone();
            link.name.insert_str(0, prefix);
            link.joint.name.insert_str(0, prefix);
            link.parent = moved(link.parent);
            link.joint.q_start += topology.nq;
            link.joint.v_start += topology.nv;
            topology.links.push(link);
        }
        topology.nq += other.topology.nq;
        topology.nv += other.topology.nv;
        params.links.extend_from_slice(&other.params.links);
        params.joints.extend_from_slice(&other.params.joints);
        let frames = other.topology.frames.iter().zip(&other.params.frames);
        for (frame, placement) in frames.skip(1) {
            let mut frame = frame.clone();
            frame.name.insert_str(0, prefix);
            frame.link = moved(frame.link);
            topology.frames.push(frame);
            params.frames.push(*placement);
        }
    }

    /// Shapes, listed pairs and excludes; the frames must already be there.
    fn append_shapes(&mut self, other: &Model<f64>, prefix: &str) {
        let Model { topology, params } = self;
        let first_frame = topology.frames.len() - other.topology.frames.len();
        let frame = |f: FrameId| match f {
            FrameId::WORLD => f,
            _ => FrameId::new(first_frame + f.index()),
        };
        let first = topology.shapes.len();
        for shape in &other.topology.shapes {
            let mut shape = shape.clone();
            shape.name.insert_str(0, prefix);
            shape.frame = frame(shape.frame);
            topology.shapes.push(shape);
        }
        params.shapes.extend_from_slice(&other.params.shapes);
        for pair in &other.topology.contact_pairs {
            let mut pair = *pair;
            pair.a = ShapeId::new(first + pair.a.index());
            pair.b = ShapeId::new(first + pair.b.index());
            topology.contact_pairs.push(pair);
        }
        params.pairs.extend_from_slice(&other.params.pairs);
        let excludes = other.topology.contact_excludes.iter();
        topology.contact_excludes.extend(excludes.map(|(a, b)| (frame(*a), frame(*b))));
    }

    /// Visuals; the frames and shapes must already be there.
    fn append_visuals(&mut self, other: &Model<f64>, prefix: &str) {
        let topology = &mut self.topology;
        let first_frame = topology.frames.len() - other.topology.frames.len();
        let first_shape = topology.shapes.len() - other.topology.shapes.len();
        let moved = |shape: usize| ShapeId::new(first_shape + shape);
        if other.topology.visuals.is_empty() && !topology.visuals.is_empty() {
            let shapes = (0..other.topology.shapes.len()).map(moved);
            topology.visuals.extend(shapes.map(|shape| Visual::of_shape(shape, None)));
        }
        for visual in &other.topology.visuals {
            let mut visual = visual.clone();
            match &mut visual.form {
                Form::Shape(shape) => *shape = moved(shape.index()),
                Form::Figure(figure) => {
                    figure.name.insert_str(0, prefix);
                    if figure.frame != FrameId::WORLD {
                        figure.frame = FrameId::new(first_frame + figure.frame.index());
                    }
                }
            }
            topology.visuals.push(visual);
        }
    }

    /// Actuators; the joints must already be there.
    fn append_actuators(&mut self, other: &Model<f64>, prefix: &str) {
        let Model { topology, params } = self;
        let first = topology.links.len() - other.topology.links.len();
        for actuator in &other.topology.actuators {
            let mut actuator = actuator.clone();
            actuator.name.insert_str(0, prefix);
            actuator.joint = JointId::new(first + actuator.joint.index());
            if let Activation::Integrator { index } = &mut actuator.activation {
                *index += topology.na;
            }
            topology.actuators.push(actuator);
        }
        topology.na += other.topology.na;
        params.actuators.extend_from_slice(&other.params.actuators);
    }
}

/// Checks that names are unique in their list.
fn check_names(model: &Model<f64>) -> Result<(), ModelError> {
    let topology = &model.topology;
    let lists: [(&'static str, Vec<&String>); 5] = [
        ("link", topology.links.iter().map(|l| &l.name).collect()),
        ("joint", topology.links.iter().map(|l| &l.joint.name).collect()),
        ("frame", topology.frames.iter().map(|f| &f.name).collect()),
        ("shape", topology.shapes.iter().map(|s| &s.name).collect()),
        ("actuator", topology.actuators.iter().map(|a| &a.name).collect()),
    ];
    for (what, names) in lists {
        let mut seen = HashSet::new();
        if let Some(name) = names.into_iter().find(|name| !seen.insert(*name)) {
            return Err(ModelError::DuplicateName { what, name: name.clone() });
        }
    }
    Ok(())
}

/// A keyframe for every name that one of the models has.
fn joined_keyframes(a: &Model<f64>, b: &Model<f64>) -> Vec<Keyframe> {
    let (of_a, of_b) = (&a.topology.keyframes, &b.topology.keyframes);
    let is_new = |key: &&Keyframe| of_a.iter().all(|k| k.name != key.name);
    let names = of_a.iter().chain(of_b.iter().filter(is_new)).map(|key| &key.name);
    let joined = |name: &String| {
        let (a, b) = (state_named(a, name), state_named(b, name));
        Keyframe {
            name: name.clone(),
            q: [a.q, b.q].concat(),
            v: [a.v, b.v].concat(),
            activation: [a.activation, b.activation].concat(),
            control: [a.control, b.control].concat(),
        }
    };
    names.map(joined).collect()
}

/// The keyframe of this name, else the first, else the neutral pose at rest.
fn state_named(model: &Model<f64>, name: &str) -> Keyframe {
    let topology = &model.topology;
    let keys = &topology.keyframes;
    let key = keys.iter().find(|key| key.name == name).or(keys.first());
    key.cloned().unwrap_or_else(|| Keyframe {
        name: name.to_owned(),
        q: model.neutral(),
        v: vec![0.0; topology.nv],
        activation: vec![0.0; topology.na],
        control: vec![0.0; topology.actuators.len()],
    })
}
