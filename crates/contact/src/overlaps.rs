//! Shapes of a robot that overlap by design.
//!
//! Robot files approximate links by shapes that often overlap even where no joint connects them: a hip inside the
//! trunk, a calf inside the cover of the knee. Collisions between them are not meaningful. The configuration at rest
//! shows which shapes these are.

use gradbody_dynamics::{Kinematics, kinematics, velocities};
use gradbody_model::{FrameId, JointKind, LinkId, Model, ShapeId, Topology};

use crate::{CollideOptions, CollideWork, Collisions, Detection, collide};

/// Excludes collisions between bodies of one robot that overlap at `q`: adds them to `Topology::contact_excludes`, and
/// returns the added pairs, in order.
///
/// A robot is a set of links connected by joints; bodies fixed to the world belong to every robot that stands on them.
/// Shapes of the world's own frame, such as a ground, belong to no robot. Listed pairs of shapes
/// (`Topology::contact_pairs`) still collide.
pub fn exclude_overlaps(model: &mut Model<f64>, q: &[f64]) -> Vec<(FrameId, FrameId)> {
    let mut kin = Kinematics::new(model);
    kinematics(model, q, &mut kin);
    velocities(model, &vec![0.0; model.nv()], &mut kin);
    let mut found = Collisions::new(model);
    let options =
        CollideOptions { dt: 0.0, detection: Detection::Penetrating, all_compliant: false };
    collide(model, &kin, &options, &mut CollideWork::new(model), &mut found);
    let topology = &model.topology;
    let frame = |shape: ShapeId| topology.shapes[shape.index()].frame;
    let mut pairs: Vec<_> = found
        .contacts
        .iter()
        .filter(|c| !is_pair_of_its_own(topology, c.id.a, c.id.b))
        .map(|c| (frame(c.id.a).min(frame(c.id.b)), frame(c.id.a).max(frame(c.id.b))))
        .filter(|(a, b)| of_one_robot(topology, *a, *b))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    model.topology.contact_excludes.extend(&pairs);
    pairs
}

/// Excludes all collisions between bodies of the same robot, as [`exclude_overlaps`] defines it.
pub fn exclude_self_collisions(model: &mut Model<f64>) {
    let topology = &mut model.topology;
    let mut frames: Vec<FrameId> = topology.shapes.iter().map(|shape| shape.frame).collect();
    frames.sort_unstable();
    frames.dedup();
    for (i, a) in frames.iter().enumerate() {
        for b in &frames[i + 1..] {
            if of_one_robot(topology, *a, *b) && !topology.contact_excludes.contains(&(*a, *b)) {
                topology.contact_excludes.push((*a, *b));
            }
        }
    }
}

fn is_pair_of_its_own(topology: &Topology, a: ShapeId, b: ShapeId) -> bool {
    topology
        .contact_pairs
        .iter()
        .any(|pair| (pair.a, pair.b) == (a, b) || (pair.b, pair.a) == (a, b))
}

fn of_one_robot(topology: &Topology, a: FrameId, b: FrameId) -> bool {
    if a == FrameId::WORLD || b == FrameId::WORLD {
        return false;
    }
    let root =
        |frame: FrameId| topology.frames[frame.index()].link.map(|link| root(topology, link));
    let stands = |root: LinkId| topology.links[root.index()].joint.kind != JointKind::Free;
    match (root(a), root(b)) {
        (Some(a), Some(b)) => a == b,
        (Some(root), None) | (None, Some(root)) => stands(root),
        (None, None) => false,
    }
}

/// The root link of a link's tree.
fn root(topology: &Topology, mut link: LinkId) -> LinkId {
    while let Some(parent) = topology.links[link.index()].parent {
        link = parent;
    }
    link
}

#[cfg(test)]
mod tests {
    use gradbody_math::{Inertia, Sym3, Transform, Vec3};
    use gradbody_model::{
        FrameId, JointSpec, Material, Model, ModelBuilder, ShapeKind, ShapeParams,
    };

    use super::{exclude_overlaps, exclude_self_collisions};

    fn ball(mass: f64) -> Inertia<f64> {
        let rotational = Sym3::diagonal(Vec3::new(0.1, 0.1, 0.1));
        Inertia { mass, com: Vec3::ZERO, rotational }
    }

    /// A chain of hinges with a ball of 0.1 m at each, `spacing` apart, on a base with a ball.
    fn chain(spacing: f64, free: bool) -> Model<f64> {
        let mut robot = ModelBuilder::new("chain");
        let params = |material| ShapeParams {
            placement: Transform::IDENTITY,
            size: Vec3::new(0.1, 0.0, 0.0),
            material,
        };
        let mut frame = match free {
            true => robot.link("base", FrameId::WORLD, JointSpec::free("root"), ball(1.0)).unwrap(),
            false => robot.frame("base", FrameId::WORLD, Transform::IDENTITY).unwrap(),
        };
        robot.shape("base", frame, ShapeKind::Sphere, params(Material::DEFAULT)).unwrap();
        for name in ["one", "two", "three"] {
            let place = Transform::from_translation(Vec3::new(spacing, 0.0, 0.0));
            let joint = JointSpec::revolute(name, Vec3::Z).at(place);
            frame = robot.link(name, frame, joint, ball(1.0)).unwrap();
            robot.shape(name, frame, ShapeKind::Sphere, params(Material::DEFAULT)).unwrap();
        }
        let mut model = robot.build().unwrap();
        model.add_ground(0.0, Material::DEFAULT).unwrap();
        model
    }

    fn named(model: &Model<f64>, pairs: &[(FrameId, FrameId)]) -> Vec<String> {
        let name = |f: &FrameId| model.topology.frames[f.index()].name.clone();
        pairs.iter().map(|(a, b)| format!("{}-{}", name(a), name(b))).collect()
    }

    #[test]
    fn what_overlaps_never_collides_and_the_ground_still_does() {
        // Links two joints apart overlap; neighbours are already excluded by the joint between them.
        let mut model = chain(0.09, true);
        let neutral = model.neutral();
        let added = exclude_overlaps(&mut model, &neutral);
        assert_eq!(named(&model, &added), ["base-two", "one-three"]);
        assert_eq!(model.topology.contact_excludes, added);
        assert!(exclude_overlaps(&mut model, &neutral).is_empty(), "nothing is left");

        let mut model = chain(0.15, true);
        assert!(exclude_overlaps(&mut model, &neutral).is_empty());
        // Folded back on itself: the second lies on the base, the third beside it.
        let mut q = model.neutral();
        q[7] = core::f64::consts::PI;
        let added = exclude_overlaps(&mut model, &q);
        assert_eq!(named(&model, &added), ["base-two", "base-three"]);
    }

    #[test]
    fn a_base_fixed_to_the_world_belongs_to_its_robot() {
        let mut model = chain(0.15, false);
        let neutral = model.neutral();
        let added = exclude_overlaps(&mut model, &neutral);
        assert_eq!(named(&model, &added), ["base-one"], "no joint's parent in the filter's sense");
        exclude_self_collisions(&mut model);
        assert_eq!(model.topology.contact_excludes.len(), 6, "every two of four bodies, once");
        assert!(model.topology.contact_excludes.iter().all(|(a, _)| *a != FrameId::WORLD));
    }
}
