//! Which shapes may touch, whatever the order in which things are said.

use crate::support::scenes::{Scene, World, ball, shape};
use gradbody::contact::Candidates;
use gradbody::model::{ContactLaw, ContactPair, Material, ShapeId, ShapeKind};
use gradbody::prelude::*;

/// A tree with a ball on every link: a trunk, an arm and its hand, a leg; beside it a free body; and
/// two balls that are fixed to the world. Shapes are added in the order of `names`.
fn scene(names: &[&str]) -> ModelBuilder {
    let mut b = Scene::new(Material::with_friction(0.5)).builder;
    let hinge = |name: &str| JointSpec::revolute(format!("joint of {name}"), Vec3::Y);
    let free = |name: &str| JointSpec::free(format!("joint of {name}"));
    let trunk = b.link("trunk", FrameId::WORLD, free("trunk"), ball(0.1, 1.0)).unwrap();
    let arm = b.link("arm", trunk, hinge("arm"), ball(0.1, 1.0)).unwrap();
    let hand = b.link("hand", arm, hinge("hand"), ball(0.1, 1.0)).unwrap();
    let leg = b.link("leg", trunk, hinge("leg"), ball(0.1, 1.0)).unwrap();
    let other = b.link("other", FrameId::WORLD, free("other"), ball(0.1, 1.0)).unwrap();
    // A frame of its own on the hand: another body of the source, fixed to it.
    let finger = b.fixed("finger", hand, Transform::IDENTITY, ball(0.01, 0.1)).unwrap();
    for name in names {
        let frame = match *name {
            "trunk" => trunk,
            "arm" => arm,
            "hand" => hand,
            "finger" => finger,
            "leg" => leg,
            "other" => other,
            _ => FrameId::WORLD,
        };
        let params = shape([0.1, 0.0, 0.0], Material::with_friction(0.5));
        b.shape(*name, frame, ShapeKind::Sphere, params).unwrap();
    }
    b
}

const NAMES: [&str; 8] = ["trunk", "arm", "hand", "finger", "leg", "other", "wall", "floor"];

/// Both orders of shapes.
fn orders() -> [Vec<&'static str>; 2] {
    let backwards = NAMES.into_iter().rev().collect();
    [NAMES.to_vec(), backwards]
}

fn id(builder: &ModelBuilder, name: &str) -> ShapeId {
    builder.topology().shape(name).unwrap()
}

/// Names of the pairs that may touch, each sorted, all sorted.
fn touching(model: &Model<f64>) -> Vec<[String; 2]> {
    let candidates = Candidates::new(&model.topology);
    let n = model.topology.shapes.len();
    let name = |i: usize| model.topology.shapes[i].name.clone();
    let mut pairs = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            if candidates.rule(ShapeId::new(i), ShapeId::new(j)).is_some() {
                let mut pair = [name(i), name(j)];
                pair.sort();
                pairs.push(pair);
            }
        }
    }
    pairs.sort();
    pairs
}

fn touch(model: &Model<f64>, a: &str, b: &str) -> bool {
    let mut pair = [a.to_owned(), b.to_owned()];
    pair.sort();
    touching(model).contains(&pair)
}

#[test]
fn links_of_a_joint_shapes_of_a_link_and_what_is_fixed_do_not_touch() {
    for order in orders() {
        let model = scene(&order).build().unwrap();
        for (a, b) in [
            ("trunk", "arm"),
            ("arm", "hand"),
            ("arm", "finger"),
            ("trunk", "leg"),
            ("hand", "finger"),
            ("wall", "floor"),
        ] {
            assert!(!touch(&model, a, b), "{a} and {b}");
        }
        for (a, b) in [
            ("trunk", "hand"),
            ("trunk", "finger"),
            ("arm", "leg"),
            ("hand", "leg"),
            ("hand", "other"),
            ("trunk", "other"),
            ("trunk", "wall"),
            ("other", "floor"),
            ("finger", "floor"),
        ] {
            assert!(touch(&model, a, b), "{a} and {b}");
        }
        assert_eq!(touching(&model).len(), 8 * 7 / 2 - 6);
    }
}

#[test]
fn groups_decide_either_way_round() {
    for order in orders() {
        for (groups, with, touches) in [
            ((1, 1), (1, 1), true),
            ((2, 1), (1, 1), true),
            ((2, 4), (8, 2), true),
            ((2, 4), (4, 8), true),
            ((2, 4), (2, 4), false),
            ((0, 0), (1, 1), false),
            ((1, 1), (0, 0), false),
            ((0, 1), (1, 0), true),
        ] {
            for (a, b) in [("hand", "other"), ("other", "hand")] {
                let mut builder = scene(&order);
                for (name, group, with) in [(a, groups.0, with.0), (b, groups.1, with.1)] {
                    let shape = id(&builder, name);
                    builder.shape_mut(shape).collision_group = group;
                    builder.shape_mut(shape).collides_with = with;
                }
                let model = builder.build().unwrap();
                let said = touch(&model, "hand", "other");
                assert_eq!(said, touches, "{a} and {b}, groups {groups:?} with {with:?}");
            }
        }
    }
}

#[test]
fn excluded_frames_do_not_touch_whichever_is_said_first() {
    for order in orders() {
        for (a, b) in [("hand", "other"), ("other", "hand")] {
            let mut builder = scene(&order);
            let frame = |b: &ModelBuilder, name: &str| b.topology().frame(name).unwrap();
            let (x, y) = (frame(&builder, a), frame(&builder, b));
            builder.contact_exclude(x, y);
            let model = builder.build().unwrap();
            assert!(!touch(&model, "hand", "other"));
            assert!(touch(&model, "finger", "other"), "another body of the source");
            assert_eq!(touching(&model).len(), 8 * 7 / 2 - 6 - 1, "and nothing else changes");
        }
    }
}

#[test]
fn a_pair_of_its_own_touches_whatever_the_filters_say() {
    let surface = Material { restitution: 0.25, ..Material::with_friction(0.123) };
    for order in orders() {
        // Parent and child; one link; groups that do not match; excluded.
        for (a, b) in [("trunk", "arm"), ("hand", "finger"), ("leg", "other"), ("trunk", "other")] {
            for swap in [false, true] {
                let mut builder = scene(&order);
                let (x, y) = (id(&builder, a), id(&builder, b));
                builder.shape_mut(id(&builder, "leg")).collision_group = 0;
                builder.shape_mut(id(&builder, "leg")).collides_with = 0;
                let frame = |name: &str| builder.topology().frame(name).unwrap();
                let (trunk, other) = (frame("trunk"), frame("other"));
                builder.contact_exclude(trunk, other);
                let (first, second) = if swap { (y, x) } else { (x, y) };
                builder.contact_pair(
                    ContactPair {
                        a: first,
                        b: second,
                        law: ContactLaw::Compliant,
                        resists_turning: true,
                    },
                    surface,
                );
                let model = builder.build().unwrap();
                let candidates = Candidates::new(&model.topology);
                let rule = candidates.rule(x.min(y), x.max(y)).expect("they touch");
                assert_eq!(rule.law, ContactLaw::Compliant);
                assert!(rule.resists_turning);
                let pair = rule.pair.expect("a surface of its own");
                assert_eq!(model.params.pairs[pair.index()], surface);
            }
        }
    }
}

#[test]
fn of_two_shapes_the_softer_and_the_rougher_decide() {
    for order in orders() {
        for (a, b) in [("hand", "other"), ("other", "hand")] {
            let mut builder = scene(&order);
            let (x, y) = (id(&builder, a), id(&builder, b));
            builder.shape_mut(x).law = ContactLaw::Compliant;
            builder.shape_mut(y).resists_turning = true;
            let model = builder.build().unwrap();
            let rule = Candidates::new(&model.topology).rule(x.min(y), x.max(y)).unwrap();
            assert_eq!((rule.law, rule.resists_turning), (ContactLaw::Compliant, true));
            assert_eq!(rule.pair, None);
        }
    }
}

/// A ball that slides on the ground, its surface and the ground's of `rough`, the pair's own of 0.2
/// friction if it has one.
fn deceleration(ground_first: bool, rough: f64, own: Option<f64>) -> f64 {
    let mut scene = Scene::new(Material::with_friction(rough));
    let (ball, ground) = if ground_first {
        let ground = scene.ground();
        (scene.ball("ball", 0.1, 1.0), ground)
    } else {
        let ball = scene.ball("ball", 0.1, 1.0);
        (ball, scene.ground())
    };
    if let Some(friction) = own {
        let pair =
            ContactPair { a: ball, b: ground, law: ContactLaw::Rigid, resists_turning: false };
        scene.builder.contact_pair(pair, Material::with_friction(friction));
    }
    let mut world: World = scene.world(1e-3);
    world.place(0, [0.0, 0.0, 0.1], Quat::IDENTITY);
    world.throw(0, [5.0, 0.0, 0.0], [0.0; 3]);
    world.steps(10);
    (5.0 - world.velocity(0).x) / world.state.time / crate::support::scenes::G
}

#[test]
fn a_pair_of_its_own_has_its_own_friction() {
    for ground_first in [false, true] {
        let plain = deceleration(ground_first, 0.7, None);
        assert!((plain - 0.7).abs() < 1e-6, "{plain}");
        let own = deceleration(ground_first, 0.7, Some(0.2));
        assert!((own - 0.2).abs() < 1e-6, "{own}");
    }
}
