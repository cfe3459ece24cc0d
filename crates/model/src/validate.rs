//! Validation of a model's numbers. Everything that the simulation could not compute with is refused here, so that no
//! later stage has to check.

use std::collections::HashSet;

use gradbody_math::{Mat3, Transform, Vec3};

use crate::{
    Axis, JointKind, JointParams, JointScalar, MaterialScalar, Model, ModelError, PairId, ParamId,
    Shape, ShapeKind, Topology, check_inertia,
};

/// Tolerance for the unit length of an axis, and for the orthonormality of a frame's axes: far above rounding, far
/// below anything intended.
const UNIT: f64 = 1e-9;

/// Sine of the angle below which the axes of a universal joint are parallel.
const PARALLEL: f64 = 1e-6;

/// Fails if an axis is not of length one, or a joint kind contradicts its axis.
pub(crate) fn check_axes(
    joint: &str,
    kind: JointKind,
    params: &JointParams<f64>,
) -> Result<(), ModelError> {
    check_directions(joint, kind, params)?;
    let impossible = |problem: &str| {
        Err(ModelError::Impossible { what: format!("joint \"{joint}\""), problem: problem.into() })
    };
    let is_unit = |a: &Vec3<f64>| (a.norm() - 1.0).abs() <= UNIT;
    if let Some(Vec3 { x, y, z }) = used_axes(kind, params).iter().find(|a| !is_unit(a)) {
        return impossible(&format!("its axis ({x}, {y}, {z}) is not of length one"));
    }
    let problem = match kind {
        JointKind::Revolute(axis) | JointKind::Prismatic(axis) => match axis {
            Axis::X if params.axis != Vec3::X => "its kind is x, but its axis is not",
            Axis::Y if params.axis != Vec3::Y => "its kind is y, but its axis is not",
            Axis::Z if params.axis != Vec3::Z => "its kind is z, but its axis is not",
            _ => return Ok(()),
        },
        JointKind::Universal if params.axis.cross(params.axis2).norm() < PARALLEL => {
            "its two axes are parallel"
        }
        _ => return Ok(()),
    };
    impossible(problem)
}

/// Fails if an axis has no direction; any nonzero length is allowed.
fn check_directions(
    joint: &str,
    kind: JointKind,
    params: &JointParams<f64>,
) -> Result<(), ModelError> {
    let has_direction = |a: &Vec3<f64>| a.norm() > 0.0 && a.norm().is_finite();
    match used_axes(kind, params).iter().find(|a| !has_direction(a)) {
        Some(&Vec3 { x, y, z }) => Err(ModelError::ZeroAxis { joint: joint.to_owned(), x, y, z }),
        None => Ok(()),
    }
}

/// The axes that a joint of this kind has.
fn used_axes(kind: JointKind, params: &JointParams<f64>) -> Vec<Vec3<f64>> {
    match kind {
        JointKind::Revolute(_) | JointKind::Prismatic(_) => vec![params.axis],
        JointKind::Universal => vec![params.axis, params.axis2],
        JointKind::Spherical | JointKind::Planar | JointKind::Free => vec![],
    }
}

/// Fails if the model has a number that cannot be simulated.
pub(crate) fn check_model(model: &Model<f64>) -> Result<(), ModelError> {
    // Pair names, which are part of paths, require valid pairs.
    check_pairs(model)?;
    for id in model.topology.param_ids() {
        check_number(model, id)?;
    }
    let impossible = |what: String, problem: String| Err(ModelError::Impossible { what, problem });
    for (link, inertia) in model.topology.links.iter().zip(&model.params.links) {
        if let Err(fault) = check_inertia(inertia)
            && fault.is_fatal()
        {
            return impossible(format!("link \"{}\"", link.name), fault.to_string());
        }
    }
    for (link, joint) in model.topology.links.iter().zip(&model.params.joints) {
        let what = || format!("joint \"{}\"", link.joint.name);
        check_range(what, "limit", joint.limit_lower, joint.limit_upper)?;
        let kind = link.joint.kind;
        check_directions(&link.joint.name, kind, joint)?;
        let has_range = joint.limit_lower.is_finite() || joint.limit_upper.is_finite();
        if !kind.is_flat() && (has_range || joint.rest != 0.0) {
            let problem = format!("a {} joint has no range and no rest position", kind.name());
            return impossible(what(), problem);
        }
        check_pose(what, &joint.placement)?;
    }
    for (frame, placement) in model.topology.frames.iter().zip(&model.params.frames) {
        check_pose(|| format!("frame \"{}\"", frame.name), placement)?;
    }
    for (shape, params) in model.topology.shapes.iter().zip(&model.params.shapes) {
        check_pose(|| format!("shape \"{}\"", shape.name), &params.placement)?;
        check_points(shape)?;
    }
    for (actuator, p) in model.topology.actuators.iter().zip(&model.params.actuators) {
        let what = || format!("actuator \"{}\"", actuator.name);
        check_range(what, "control", p.control_lower, p.control_upper)?;
        check_range(what, "activation", p.activation_lower, p.activation_upper)?;
        check_range(what, "force", p.force_lower, p.force_upper)?;
    }
    match model.topology.timestep {
        Some(dt) if !(dt > 0.0 && dt.is_finite()) => {
            impossible("timestep".into(), format!("{dt} is not a positive time"))
        }
        _ => Ok(()),
    }
}

/// The allowed values of a number.
enum Allowed {
    Finite,
    NotNegative,
    Positive,
    /// From 0 to 1.
    Fraction,
    /// May be infinite: the end of a range.
    Bound,
    /// May be infinite: no limit.
    Limit,
}

fn allowed(model: &Model<f64>, id: ParamId) -> Allowed {
    match id {
        ParamId::Mass(_) => Allowed::NotNegative,
        ParamId::ShapeMaterial(_, number) | ParamId::PairMaterial(_, number) => match number {
            // The force law divides by the one; with a zero exponent it would begin with a jump.
            MaterialScalar::SlipVelocity | MaterialScalar::Exponent => Allowed::Positive,
            MaterialScalar::Restitution
            | MaterialScalar::PositionGain
            | MaterialScalar::VelocityGain => Allowed::Fraction,
            MaterialScalar::Friction
            | MaterialScalar::TorsionalFriction
            | MaterialScalar::RollingFriction
            | MaterialScalar::StaticFriction
            | MaterialScalar::Cfm
            | MaterialScalar::Stiffness
            | MaterialScalar::Damping => Allowed::NotNegative,
        },
        ParamId::ShapeSize(shape, _) => match model.topology.shapes[shape.index()].kind {
            // Scales, which may mirror.
            ShapeKind::Mesh(_) | ShapeKind::Points(_) => Allowed::Finite,
            _ => Allowed::NotNegative,
        },
        ParamId::Joint(_, scalar) => match scalar {
            JointScalar::Armature
            | JointScalar::Damping
            | JointScalar::Friction
            | JointScalar::LimitStiffness
            | JointScalar::LimitDamping => Allowed::NotNegative,
            // The forces divide by these.
            JointScalar::FrictionVelocity | JointScalar::LimitSoftness => Allowed::Positive,
            JointScalar::LimitLower | JointScalar::LimitUpper => Allowed::Bound,
            JointScalar::EffortLimit => Allowed::Limit,
            JointScalar::Stiffness | JointScalar::Rest => Allowed::Finite,
        },
        ParamId::Actuator(_, i) if i >= 5 => Allowed::Bound,
        _ => Allowed::Finite,
    }
}

fn check_number(model: &Model<f64>, id: ParamId) -> Result<(), ModelError> {
    let value = model.get(id);
    let what = || model.topology.param_path(id);
    let allowed = allowed(model, id);
    let may_be_infinite = matches!(allowed, Allowed::Bound | Allowed::Limit);
    if value.is_nan() || (value.is_infinite() && !may_be_infinite) {
        return Err(ModelError::NotFinite { what: what() });
    }
    let problem = match allowed {
        Allowed::NotNegative | Allowed::Limit if value < 0.0 => format!("{value} is negative"),
        Allowed::Positive if value <= 0.0 => format!("{value} is not positive"),
        Allowed::Fraction if !(0.0..=1.0).contains(&value) => {
            format!("{value} is not between 0 and 1")
        }
        _ => return Ok(()),
    };
    Err(ModelError::Impossible { what: what(), problem })
}

fn check_range(
    what: impl Fn() -> String,
    range: &str,
    lower: f64,
    upper: f64,
) -> Result<(), ModelError> {
    if lower <= upper {
        return Ok(());
    }
    let problem = format!("{range} lower ({lower}) is above upper ({upper})");
    Err(ModelError::Impossible { what: what(), problem })
}

/// Checks that each pair has two existing shapes, and that no two pairs have the same shapes or name.
fn check_pairs(model: &Model<f64>) -> Result<(), ModelError> {
    let Topology { contact_pairs, shapes, .. } = &model.topology;
    let impossible = |what: String, problem: String| Err(ModelError::Impossible { what, problem });
    let (pairs, surfaces) = (contact_pairs.len(), model.params.pairs.len());
    if pairs != surfaces {
        let problem = format!("{pairs} pairs, but {surfaces} surfaces for them");
        return impossible("contact pairs".into(), problem);
    }
    let (mut names, mut seen) = (HashSet::new(), HashSet::new());
    for (i, pair) in contact_pairs.iter().enumerate() {
        let (a, b) = (pair.a.min(pair.b), pair.a.max(pair.b));
        if b.index() >= shapes.len() {
            let problem = format!("there is no shape {}, only {}", b.index(), shapes.len());
            return impossible(format!("contact pair {i}"), problem);
        }
        let name = model.topology.pair_name(PairId::new(i));
        if a == b {
            let problem = "a shape does not touch itself".into();
            return impossible(format!("contact pair \"{name}\""), problem);
        }
        if !names.insert(name.clone()) {
            return Err(ModelError::DuplicateName { what: "contact pair", name });
        }
        if !seen.insert((a, b)) {
            let problem = "its shapes are already a pair".into();
            return impossible(format!("contact pair \"{name}\""), problem);
        }
    }
    Ok(())
}

/// The points of a shape are not parameters, but must be finite, too.
fn check_points(shape: &Shape) -> Result<(), ModelError> {
    match &shape.kind {
        ShapeKind::Points(points) if !points.iter().all(|p| p.is_finite()) => {
            Err(ModelError::NotFinite { what: format!("shape \"{}\": its points", shape.name) })
        }
        _ => Ok(()),
    }
}

/// Roll, pitch and yaw do not depend on every entry of a rotation: check the matrix itself.
fn check_pose(what: impl Fn() -> String, pose: &Transform<f64>) -> Result<(), ModelError> {
    let error = pose.rot.transpose() * pose.rot - Mat3::IDENTITY;
    let orthonormal = error.to_rows().as_flattened().iter().all(|x| x.abs() <= UNIT);
    if orthonormal && pose.rot.determinant() > 0.0 {
        return Ok(());
    }
    let problem = "its orientation is not a rotation".to_owned();
    Err(ModelError::Impossible { what: what(), problem })
}
