//! The model of a body on a table and of the robot tip that pushes it.
//!
//! The body is free in space. It rests on points 2 cm apart, each with a Hunt-Crossley force and friction. The tip, a
//! ball on two slides, touches its outline rigidly. The slides are so heavy that the body does not slow the tip down:
//! it follows its measured path.

use std::collections::BTreeMap;
use std::sync::Arc;

use gradbody::contact::Solver;
use gradbody::learn::experiment::{PairSpec, ShapeSpec};
use gradbody::math::{Inertia, Quat, Sym3, Transform, Vec3};
use gradbody::model::{
    ContactLaw, ContactPair, FrameId, JointSpec, Material, Model, ModelBuilder, Outline, ShapeId,
    ShapeKind, ShapeParams,
};
use gradbody::sim::{Input, Integrator, State, StepOptions};

use super::measured::{Body, PERIOD, Sample};

/// Time step, one per sample [s].
const DT: f64 = PERIOD;
/// Spacing of the points that the body rests on [m].
const GRID: f64 = 0.02;
/// Inertia of the tip's slides [kg].
const HEAVY: f64 = 1e6;
/// Mass of the tip and of its carrier [kg].
const SMALL: f64 = 1e-3;
/// Depth to which the body sinks into the table [m].
const SAG: f64 = 1e-3;
const GRAVITY: f64 = 9.81;
/// Published coefficients of friction, used before identification: body on table, and tip on body.
const TABLE_FRICTION: f64 = 0.14;
const TIP_FRICTION: f64 = 0.25;
/// Speed above which a point slides [m/s].
const SLIP_VELOCITY: f64 = 0.01;

/// The contacts of the points with the table.
pub(super) const TABLE: &str = "contact/ground-points";

/// Step options.
pub(super) fn options() -> StepOptions<f64> {
    StepOptions::new(DT).with(Integrator::SemiImplicitEuler).with_solver(Solver::default())
}

/// The model for one body.
pub(super) fn model(body: &Body) -> anyhow::Result<Model<f64>> {
    let Links { mut builder, tip, body: body_frame } = links(body)?;
    let half = 0.5 * body.thickness;
    let points = grid(&body.outline);
    let ground = builder.shape("ground", FrameId::WORLD, ShapeKind::Plane, ground())?;
    let ones = Vec3::new(1.0, 1.0, 1.0);
    let kind = ShapeKind::Points(points.iter().map(|p| Vec3::new(p[0], p[1], 0.0)).collect());
    let feet = builder.shape("points", body_frame, kind, at(-half, ones))?;
    let outline = ShapeKind::Extrusion(Arc::new(Outline::new(body.outline.clone())?));
    let side = builder.shape("body", body_frame, outline, at(0.0, Vec3::new(1.0, 1.0, half)))?;
    let ball = builder.shape("tip", tip, ShapeKind::Sphere, ball(body))?;
    let pair = |a, b, law| ContactPair { a, b, law, resists_turning: false };
    builder.contact_pair(pair(ground, feet, ContactLaw::Compliant), table(body));
    let tip_surface = Material::with_friction(TIP_FRICTION);
    builder.contact_pair(pair(ball, side, ContactLaw::Rigid), tip_surface);
    for shape in [ground, feet, side, ball] {
        disable(&mut builder, shape);
    }
    Ok(builder.build()?)
}

/// What a robot file can hold of [`model`]: the links, the table and the tip. [`shapes`] and [`pairs`] are the rest.
pub(super) fn file(body: &Body) -> anyhow::Result<Model<f64>> {
    let Links { mut builder, tip, .. } = links(body)?;
    let ground = builder.shape("ground", FrameId::WORLD, ShapeKind::Plane, ground())?;
    let ball = builder.shape("tip", tip, ShapeKind::Sphere, ball(body))?;
    for shape in [ground, ball] {
        disable(&mut builder, shape);
    }
    Ok(builder.build()?)
}

/// The shapes of the body, as an experiment file has them.
pub(super) fn shapes(body: &Body) -> BTreeMap<String, ShapeSpec> {
    let half = 0.5 * body.thickness;
    let on_body = ShapeSpec { link: "body".into(), only_pairs: true, ..ShapeSpec::default() };
    let feet = grid(&body.outline).iter().map(|p| [p[0], p[1], 0.0]).collect();
    let side = ShapeSpec {
        outline: Some(body.outline.clone()),
        half_height: Some(half),
        ..on_body.clone()
    };
    let feet = ShapeSpec { points: Some(feet), position: [0.0, 0.0, -half], ..on_body };
    BTreeMap::from([("body".into(), side), ("points".into(), feet)])
}

/// The pairs of shapes that touch, as an experiment file has them.
pub(super) fn pairs() -> Vec<PairSpec> {
    let pair = |a: &str, b: &str, friction, compliant| PairSpec {
        shapes: [a.into(), b.into()],
        friction,
        compliant,
        resists_turning: false,
    };
    vec![pair("ground", "points", TABLE_FRICTION, true), pair("tip", "body", TIP_FRICTION, false)]
}

/// The numbers of the table's surface that [`pairs`] do not have, by their paths.
pub(super) fn surface(body: &Body) -> Vec<(String, f64)> {
    let table = table(body);
    let numbers = [
        ("slip_velocity", table.slip_velocity),
        ("stiffness", table.stiffness),
        ("damping", table.damping),
        ("exponent", table.exponent),
    ];
    numbers.map(|(name, value)| (format!("{TABLE}/{name}"), value)).to_vec()
}

/// The links of the model in a builder, and the frames of two of them.
struct Links {
    builder: ModelBuilder,
    tip: FrameId,
    body: FrameId,
}

fn links(body: &Body) -> anyhow::Result<Links> {
    let mut builder = ModelBuilder::new("push");
    builder.gravity(Vec3::new(0.0, 0.0, -GRAVITY));
    let slide = |name: &str, axis| {
        let mut joint = JointSpec::prismatic(name, axis);
        joint.params.armature = HEAVY;
        joint
    };
    let small = Inertia {
        mass: SMALL,
        com: Vec3::ZERO,
        rotational: Sym3::diagonal(Vec3::new(1e-9, 1e-9, 1e-9)),
    };
    let rail = builder.link("rail", FrameId::WORLD, slide("tip_x", Vec3::X), small)?;
    let tip = builder.link("tip", rail, slide("tip_y", Vec3::Y), small)?;
    let plate = body.mass * body.thickness.powi(2) / 12.0;
    let inertia = Inertia {
        mass: body.mass,
        com: Vec3::ZERO,
        // A flat body: each axis in its plane has half the vertical moment, plus that of the thickness.
        rotational: Sym3::diagonal(Vec3::new(
            0.5 * body.moment + plate,
            0.5 * body.moment + plate,
            body.moment,
        )),
    };
    let body = builder.link("body", FrameId::WORLD, JointSpec::free("body"), inertia)?;
    Ok(Links { builder, tip, body })
}

/// A shape at this height of its link.
fn at(z: f64, size: Vec3<f64>) -> ShapeParams<f64> {
    let placement = Transform::from_translation(Vec3::new(0.0, 0.0, z));
    ShapeParams { placement, size, material: Material::DEFAULT }
}

fn ground() -> ShapeParams<f64> {
    at(0.0, Vec3::ZERO)
}

/// The ball of the tip.
fn ball(body: &Body) -> ShapeParams<f64> {
    at(0.5 * body.thickness, Vec3::new(body.tip_radius, 0.0, 0.0))
}

/// Disables all contacts of a shape except those of listed pairs.
fn disable(builder: &mut ModelBuilder, shape: ShapeId) {
    builder.shape_mut(shape).collides_with = 0;
    builder.shape_mut(shape).collision_group = 0;
}

/// The surface between table and points: a linear spring with roughly critical damping, and friction.
fn table(body: &Body) -> Material<f64> {
    let each = body.mass * GRAVITY / grid(&body.outline).len() as f64;
    let stiffness = each / SAG;
    Material {
        slip_velocity: SLIP_VELOCITY,
        stiffness,
        damping: 2.0 * (GRAVITY / SAG).sqrt() * stiffness / GRAVITY,
        exponent: 1.0,
        ..Material::with_friction(TABLE_FRICTION)
    }
}

/// The points of a grid around the centre that lie under the body.
fn grid(outline: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let reach = outline.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
    let n = (reach / GRID).ceil() as i32;
    let all =
        (-n..=n).flat_map(|i| (-n..=n).map(move |j| [GRID * f64::from(i), GRID * f64::from(j)]));
    all.filter(|p| is_inside(outline, *p)).collect()
}

fn is_inside(outline: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
    let next = outline.iter().cycle().skip(1);
    let crosses = |(a, b): &(&[f64; 2], &[f64; 2])| {
        (a[1] > y) != (b[1] > y) && x < (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) + a[0]
    };
    outline.iter().zip(next).filter(crosses).count() % 2 == 1
}

/// The state at rest with body and tip as in a sample.
pub(super) fn start(model: &Model<f64>, body: &Body, sample: &Sample) -> State<f64> {
    let mut state = State::neutral(model);
    state.q[..2].copy_from_slice(&sample.tip);
    let (depth, tilt) = rest(&grid(&body.outline));
    let turn = Quat::exp(Vec3::new(0.0, 0.0, sample.yaw)) * Quat::exp(tilt);
    let [x, y] = sample.position;
    state.q[2..5].copy_from_slice(&[x, y, 0.5 * body.thickness - depth]);
    state.q[5..].copy_from_slice(&turn.to_array());
    state
}

/// The depth and tilt at which the support points, all of one stiffness, carry the body: the resultant of their forces
/// passes through the centre of mass.
fn rest(points: &[[f64; 2]]) -> (f64, Vec3<f64>) {
    // Depth at a point: depth + a x + b y. Sums of the normal equations.
    let sum = |f: fn(f64, f64) -> f64| points.iter().map(|[x, y]| f(*x, *y)).sum::<f64>();
    let column = |a, b, c| Vec3::new(a, b, c);
    let (n, x, y) = (points.len() as f64, sum(|x, _| x), sum(|_, y| y));
    let (xx, xy, yy) = (sum(|x, _| x * x), sum(|x, y| x * y), sum(|_, y| y * y));
    let [one, of_x, of_y] = [column(n, x, y), column(x, xx, xy), column(y, xy, yy)];
    let load = column(SAG * n, 0.0, 0.0);
    let determinant = one.dot(of_x.cross(of_y));
    let found = |with: Vec3<f64>, beside: Vec3<f64>| load.dot(with.cross(beside)) / determinant;
    (found(of_x, of_y), Vec3::new(-found(one, of_x), found(of_y, one), 0.0))
}

/// The forces on the tip's slides that move the tip to its next measured position in each step, starting from rest [N].
pub(super) fn forces(tip: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut before = [0.0; 2];
    let force = |pair: &[[f64; 2]]| {
        [0, 1].map(|k| {
            let velocity = (pair[1][k] - pair[0][k]) / DT;
            let change = velocity - std::mem::replace(&mut before[k], velocity);
            // The first slide carries the second.
            let inertia = HEAVY + if k == 0 { 2.0 } else { 1.0 } * SMALL;
            inertia * change / DT
        })
    };
    tip.windows(2).map(force).collect()
}

/// The same forces as inputs.
pub(super) fn inputs(model: &Model<f64>, tip: &[[f64; 2]]) -> Vec<Input<f64>> {
    let input = |force: [f64; 2]| {
        let mut input = Input::none(model);
        input.tau[..2].copy_from_slice(&force);
        input
    };
    forces(tip).into_iter().map(input).collect()
}
