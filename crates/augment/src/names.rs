//! The names of all sites of a model: `gradbody sites` lists them, and blueprints refer to them.

use gradbody_contact::Candidates;
use gradbody_math::names;
use gradbody_model::{DofKind, JointScalar, Link, LinkId, Model, ParamId, ShapeId};

use crate::{BlueprintError, ContactSignal, Pair, Signal};

/// A named quantity of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// Its name.
    pub name: String,
    /// The quantity.
    pub signal: Signal,
    /// Its unit; empty for a pure number.
    pub unit: &'static str,
}

const XYZ: [&str; 3] = ["x", "y", "z"];
const RPY: [&str; 3] = ["roll", "pitch", "yaw"];

/// Every site of a model, including external signals with these names. Contacts of all shapes are `contact/*`; those of
/// two shapes are `contact/SHAPE-SHAPE`.
pub fn sites(model: &Model<f64>, signals: &[String]) -> Vec<Site> {
    let mut sites = vec![Site { name: "time".into(), signal: Signal::Time, unit: "s" }];
    let mut add = |name: String, signal, unit| sites.push(Site { name, signal, unit });
    for (k, name) in signals.iter().enumerate() {
        add(format!("signal/{name}"), Signal::User(k), "");
    }
    for link in &model.topology.links {
        joint_sites(link, &mut add);
    }
    for id in model.topology.param_ids() {
        if is_site(model, id) {
            add(model.topology.param_path(id), Signal::Param(id), param_unit(model, id));
        }
    }
    for id in model.topology.link_ids() {
        link_sites(&model.topology.links[id.index()].name, id, &mut add);
    }
    contact_sites("*", Pair(None), &mut add);
    for (a, b) in candidates(model) {
        let name = |id: ShapeId| &model.topology.shapes[id.index()].name;
        contact_sites(&format!("{}-{}", name(a), name(b)), Pair(Some((a, b))), &mut add);
    }
    sites
}

fn joint_sites(link: &Link, add: &mut impl FnMut(String, Signal, &'static str)) {
    let joint = &link.joint;
    let name = |what: &str, suffix: &str| match suffix {
        "" => format!("joint/{}/{what}", joint.name),
        _ => format!("joint/{}/{what}/{suffix}", joint.name),
    };
    let dofs = joint.kind.dofs();
    if joint.kind.is_flat() {
        for (k, suffix) in joint.kind.position_suffixes().iter().enumerate() {
            let signal = Signal::Position { q: joint.q_start + k, v: joint.v_start + k };
            let unit = if dofs[k] == DofKind::Angular { "rad" } else { "m" };
            add(name("position", suffix), signal, unit);
        }
    }
    type Of = fn(usize) -> Signal;
    let quantities: [(&str, Of, [&'static str; 2]); 5] = [
        ("velocity", Signal::Velocity, ["rad/s", "m/s"]),
        ("actuator_force", Signal::ActuatorForce, ["N m", "N"]),
        ("passive_torque", Signal::PassiveForce, ["N m", "N"]),
        ("acceleration", Signal::Acceleration, ["rad/s²", "m/s²"]),
        ("end_velocity", Signal::EndVelocity, ["rad/s", "m/s"]),
    ];
    for (what, of, units) in quantities {
        for (k, suffix) in joint.kind.velocity_suffixes().iter().enumerate() {
            let unit = units[if dofs[k] == DofKind::Angular { 0 } else { 1 }];
            add(name(what, suffix), of(joint.v_start + k), unit);
        }
    }
}

fn link_sites(name: &str, link: LinkId, add: &mut impl FnMut(String, Signal, &'static str)) {
    type Of = fn(LinkId, usize) -> Signal;
    let quantities: [(&str, [&str; 3], Of, &'static str); 8] = [
        ("position", XYZ, Signal::LinkPosition, "m"),
        ("orientation", RPY, Signal::LinkOrientation, "rad"),
        ("velocity", XYZ, Signal::LinkVelocity, "m/s"),
        ("spin", XYZ, Signal::LinkSpin, "rad/s"),
        ("force", XYZ, Signal::Force, "N"),
        ("torque", XYZ, Signal::Torque, "N m"),
        ("local_force", XYZ, Signal::LocalForce, "N"),
        ("local_torque", XYZ, Signal::LocalTorque, "N m"),
    ];
    for (what, axes, of, unit) in quantities {
        for (k, axis) in axes.into_iter().enumerate() {
            add(format!("link/{name}/{what}/{axis}"), of(link, k), unit);
        }
    }
}

fn contact_sites(name: &str, pair: Pair, add: &mut impl FnMut(String, Signal, &'static str)) {
    use ContactSignal::*;
    let quantities = [
        ("gap", Gap, "m"),
        ("penetration_rate", Rate, "m/s"),
        ("sliding_velocity/x", Slide(0), "m/s"),
        ("sliding_velocity/y", Slide(1), "m/s"),
        ("sliding_speed", Speed, "m/s"),
        ("point/x", Point(0), "m"),
        ("point/y", Point(1), "m"),
        ("point/z", Point(2), "m"),
        ("normal/x", Normal(0), ""),
        ("normal/y", Normal(1), ""),
        ("normal/z", Normal(2), ""),
        ("friction_coefficient", Coefficient, ""),
        ("restitution", Restitution, ""),
        ("normal_force", NormalForce, "N"),
        ("friction/x", Friction(0), "N"),
        ("friction/y", Friction(1), "N"),
    ];
    for (what, signal, unit) in quantities {
        add(format!("contact/{name}/{what}"), Signal::Contact(pair, signal), unit);
    }
}

/// Whether a number of the model can change from step to step. Angles of placements cannot change by themselves,
/// infinite numbers not at all; the numbers of surfaces change as those of contacts.
fn is_site(model: &Model<f64>, id: ParamId) -> bool {
    let angle = |k: u8| k >= 3;
    match id {
        ParamId::JointPlacement(_, k)
        | ParamId::FramePlacement(_, k)
        | ParamId::ShapePlacement(_, k)
            if angle(k) =>
        {
            false
        }
        ParamId::PairMaterial(..) | ParamId::ShapeMaterial(..) | ParamId::FramePlacement(..) => {
            false
        }
        _ => model.get(id).is_finite(),
    }
}

fn param_unit(model: &Model<f64>, id: ParamId) -> &'static str {
    use JointScalar::*;
    match id {
        ParamId::Gravity(_) => "m/s²",
        ParamId::Mass(_) => "kg",
        ParamId::Com(..)
        | ParamId::JointPlacement(..)
        | ParamId::ShapePlacement(..)
        | ParamId::ShapeSize(..) => "m",
        ParamId::Inertia(..) => "kg m²",
        ParamId::Joint(joint, of) => {
            let dofs = model.topology.links[joint.index()].joint.kind.dofs();
            let turns = dofs.contains(&DofKind::Angular);
            let slides = dofs.contains(&DofKind::Linear);
            let [angular, linear] = match of {
                Armature => ["kg m²", "kg"],
                Damping | LimitDamping => ["N m s/rad", "N s/m"],
                Friction | EffortLimit => ["N m", "N"],
                FrictionVelocity => ["rad/s", "m/s"],
                Stiffness | LimitStiffness => ["N m/rad", "N/m"],
                Rest | LimitLower | LimitUpper | LimitSoftness => ["rad", "m"],
            };
            match (turns, slides) {
                (true, true) => "SI",
                (true, false) => angular,
                _ => linear,
            }
        }
        _ => "",
    }
}

/// Pairs of shapes that may touch.
fn candidates(model: &Model<f64>) -> Vec<(ShapeId, ShapeId)> {
    let filter = Candidates::new(&model.topology);
    let n = model.topology.shapes.len();
    let all = (0..n).flat_map(|a| (a + 1..n).map(move |b| (ShapeId::new(a), ShapeId::new(b))));
    all.filter(|(a, b)| filter.rule(*a, *b).is_some()).collect()
}

/// Sites by name.
pub(crate) struct Names {
    sites: Vec<Site>,
}

/// Groups of a link's sites whose members' names do not begin with the group's name: the suffix of the group's name,
/// and the prefixes of its members' names after that of the link.
pub const GROUPS: [(&str, [&str; 2]); 4] = [
    ("/wrench", ["/force", "/torque"]),
    ("/local_wrench", ["/local_force", "/local_torque"]),
    ("/pose", ["/position", "/orientation"]),
    ("/motion", ["/velocity", "/spin"]),
];

impl Names {
    pub(crate) fn new(model: &Model<f64>, signals: &[String]) -> Self {
        let mut sites = sites(model, signals);
        // Contacts are the same in either order of their shapes.
        let mut turned = Vec::new();
        for site in &sites {
            if let Signal::Contact(Pair(Some((a, b))), _) = site.signal {
                let name = |id: ShapeId| &model.topology.shapes[id.index()].name;
                let (there, back) =
                    (format!("{}-{}", name(a), name(b)), format!("{}-{}", name(b), name(a)));
                turned.push(Site { name: site.name.replacen(&there, &back, 1), ..site.clone() });
            }
        }
        sites.extend(turned);
        Names { sites }
    }

    /// The name of a signal.
    pub(crate) fn name(&self, signal: Signal) -> &str {
        self.sites.iter().find(|s| s.signal == signal).map_or("?", |s| &s.name)
    }

    /// The sites with this name, or in the group with this name, in order.
    pub(crate) fn resolve(
        &self,
        augmentation: &str,
        name: &str,
    ) -> Result<Vec<Signal>, BlueprintError> {
        if let Some(site) = self.sites.iter().find(|s| s.name == name) {
            return Ok(vec![site.signal]);
        }
        let members = |group: &str| -> Vec<Signal> {
            let has =
                |s: &&Site| s.name.strip_prefix(group).is_some_and(|rest| rest.starts_with('/'));
            self.sites.iter().filter(has).map(|s| s.signal).collect()
        };
        let is_whole = name.split('/').count() >= 3;
        let mut found = if is_whole { members(name) } else { Vec::new() };
        for (group, of) in GROUPS {
            if let Some(link) = name.strip_suffix(group).filter(|n| n.starts_with("link/")) {
                found = of.iter().flat_map(|of| members(&format!("{link}{of}"))).collect();
            }
        }
        if found.is_empty() {
            return Err(BlueprintError::Unknown {
                augmentation: augmentation.to_owned(),
                name: name.to_owned(),
                hint: self.nearest(name),
            });
        }
        Ok(found)
    }

    /// The texts that `*` matches in a pattern, in the order of the sites.
    pub(crate) fn captures(&self, pattern: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for site in &self.sites {
            for capture in names::captures(pattern, &site.name) {
                if capture != "*" && !found.iter().any(|f| f == capture) {
                    found.push(capture.to_owned());
                }
            }
        }
        // Contacts in one order of their shapes only.
        if pattern.starts_with("contact/*") {
            let names = self.sites.iter().filter_map(|s| match s.signal {
                Signal::Contact(Pair(Some(_)), _) => Some(&s.name),
                _ => None,
            });
            let first: Vec<&String> = names.collect();
            let half = first.len() / 2;
            found.retain(|f| first[..half].iter().any(|n| n.starts_with(&format!("contact/{f}/"))));
        }
        found
    }

    pub(crate) fn nearest(&self, name: &str) -> Option<String> {
        let beginnings = self.sites.iter().filter_map(|s| s.name.rsplit_once('/'));
        let beginnings = beginnings.map(|(group, _)| group.to_owned());
        let links = self.sites.iter().filter_map(|s| s.name.strip_suffix("/force/x"));
        let groups = links.flat_map(|link| GROUPS.map(|(group, _)| format!("{link}{group}")));
        let all = self.sites.iter().map(|s| s.name.clone()).chain(beginnings).chain(groups);
        let all: Vec<String> = all.collect();
        names::nearest(name, all.iter().map(String::as_str)).map(str::to_owned)
    }

    /// The pattern most similar to one that matches nothing: that of a site, with a star at the same position.
    pub(crate) fn nearest_pattern(&self, pattern: &str) -> Option<String> {
        let at = pattern.split('/').position(|part| part.contains('*'))?;
        let star = pattern.split('/').nth(at)?;
        let starred = |name: &str| {
            let mut parts: Vec<&str> = name.split('/').collect();
            *parts.get_mut(at)? = star;
            Some(parts.join("/"))
        };
        let groups = self.sites.iter().filter_map(|s| s.name.rsplit_once('/').map(|(g, _)| g));
        let known = self.sites.iter().map(|s| s.name.as_str()).chain(groups).filter_map(starred);
        let known: Vec<String> = known.filter(|name| !self.captures(name).is_empty()).collect();
        names::nearest(pattern, known.iter().map(String::as_str)).map(str::to_owned)
    }
}
