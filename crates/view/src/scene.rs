//! The scene of a model.

use gradbody_draw::seven;
use gradbody_math::Quat;
use gradbody_model::{Hull, Model, ShapeKind};
use serde::Serialize;
use serde_json::{Value, json};

/// Everything that does not move by itself.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Scene(Value);

impl Scene {
    pub(crate) fn of(model: &Model<f64>, notes: &[String]) -> Self {
        let (topology, params) = (&model.topology, &model.params);
        let mut bodies = vec!["world".to_owned()];
        bodies.extend(topology.links.iter().map(|link| link.name.clone()));
        let mut ground = None;
        let mut meshes = Vec::new();
        let mut geometries = Vec::new();
        for (shape, numbers) in topology.shapes.iter().zip(&params.shapes) {
            let link = topology.frames[shape.frame.index()].link;
            let kind = match &shape.kind {
                ShapeKind::Sphere => "sphere",
                ShapeKind::Capsule => "capsule",
                ShapeKind::Cylinder => "cylinder",
                ShapeKind::Box => "box",
                ShapeKind::Ellipsoid => "ellipsoid",
                ShapeKind::Plane => {
                    if link.is_none() {
                        ground = Some(numbers.placement.pos.z);
                        continue;
                    }
                    "plane"
                }
                ShapeKind::Mesh(_) => "mesh",
                ShapeKind::Extrusion(_) => "extrusion",
                ShapeKind::Points(_) => "points",
            };
            let hull = match &shape.kind {
                ShapeKind::Mesh(mesh) => mesh.hull.as_ref(),
                _ => None,
            };
            let mesh = hull.map(|hull| {
                meshes.push(triangles(hull));
                meshes.len() - 1
            });
            geometries.push(json!({
                "name": shape.name,
                "body": link.map_or(0, |link| link.index() + 1),
                "role": "collision",
                "kind": kind,
                "size": numbers.size.to_array(),
                "pose": seven(&numbers.placement),
                "colour": null,
                "mesh": mesh,
                "outline": match &shape.kind {
                    ShapeKind::Extrusion(outline) => Some(outline.corners.clone()),
                    _ => None,
                },
                "points": match &shape.kind {
                    ShapeKind::Points(points) => Some(points.iter().map(|p| p.to_array()).collect::<Vec<_>>()),
                    _ => None,
                },
                "missing": matches!(&shape.kind, ShapeKind::Mesh(_)) && mesh.is_none(),
            }));
        }
        let joints =
            topology.links.iter().zip(&params.joints).enumerate().map(|(k, (link, joint))| {
                let (lower, upper) = (joint.limit_lower, joint.limit_upper);
                json!({
                    "name": link.joint.name, "body": k + 1, "kind": link.joint.kind.name(),
                    "axis": joint.axis.to_array(), "anchor": [0.0, 0.0, 0.0],
                    "q": link.joint.q_start, "v": link.joint.v_start,
                    "nq": link.joint.kind.nq(), "nv": link.joint.kind.nv(),
                    "limits": (lower.is_finite() && upper.is_finite()).then_some([lower, upper]),
                })
            });
        let masses = params.links.iter().enumerate().map(|(k, inertia)| {
            json!({
                "body": k + 1, "mass": inertia.mass, "centre": inertia.com.to_array(),
                "half": [0.05, 0.05, 0.05], "turn": Quat::<f64>::from_mat3(&gradbody_math::Mat3::IDENTITY).to_array(),
            })
        });
        let actuators =
            topology.actuators.iter().zip(&params.actuators).map(|(actuator, numbers)| {
                let (lower, upper) = (numbers.control_lower, numbers.control_upper);
                let range = (lower.is_finite() && upper.is_finite()).then_some([lower, upper]);
                json!({ "name": actuator.name, "range": range })
            });
        let keyframes: Vec<&String> = topology.keyframes.iter().map(|key| &key.name).collect();
        Scene(json!({
            "name": topology.name, "bodies": bodies, "geometries": geometries, "meshes": meshes,
            "joints": joints.collect::<Vec<_>>(), "masses": masses.collect::<Vec<_>>(),
            "actuators": actuators.collect::<Vec<_>>(), "keyframes": keyframes, "ground": ground, "notes": notes,
        }))
    }
}

fn triangles(hull: &Hull) -> Value {
    let positions: Vec<f32> =
        hull.vertices.iter().flat_map(|p| p.to_array().map(|x| x as f32)).collect();
    let fans = hull.faces.iter().flat_map(|face| {
        (1..face.len().saturating_sub(1)).flat_map(|k| [face[0], face[k], face[k + 1]])
    });
    let triangles: Vec<u32> = fans.collect();
    let bytes = |words: Vec<[u8; 4]>| crate::base64::encode(&words.concat());
    json!({
        "positions": bytes(positions.iter().map(|x| x.to_le_bytes()).collect()),
        "triangles": bytes(triangles.iter().map(|x| x.to_le_bytes()).collect()),
    })
}
