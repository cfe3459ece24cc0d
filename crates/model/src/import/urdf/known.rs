//! The elements and attributes that are read. Notes on everything else are added here and only here: the code that
//! reads an element need not look for anything else.

use std::collections::HashSet;

use crate::import::NoteKind;
use crate::import::notes::Notes;
use crate::import::xml::{Element, did_you_mean, shown};

/// The shapes; a geometry has one of them.
pub(super) const SHAPES: [&str; 5] = ["box", "sphere", "cylinder", "capsule", "mesh"];

/// The known attributes and contents of an element.
struct Rule {
    tag: &'static str,
    attributes: &'static [&'static str],
    /// Elements that can be inside it once.
    once: &'static [&'static str],
    /// Elements that can be inside it any number of times.
    often: &'static [&'static str],
}

/// The contents of an element without a rule are not checked, because none of it is read. Some elements listed here
/// have no physical meaning: materials, a link's type, and settings that keep readers from printing or from merging
/// links.
const RULES: [Rule; 28] = [
    rule(
        "robot",
        &["name", "version"],
        &[],
        &["link", "joint", "material", "transmission", "gazebo"],
    ),
    rule("link", &["name", "type"], &["inertial", "contact"], &["collision", "visual"]),
    rule("inertial", &[], &["origin", "mass", "inertia"], &[]),
    rule("mass", &["value"], &[], &[]),
    rule("inertia", &["ixx", "iyy", "izz", "ixy", "ixz", "iyz"], &[], &[]),
    rule("origin", &["xyz", "rpy"], &[], &[]),
    rule(
        "contact",
        &[],
        &[
            "lateral_friction",
            "spinning_friction",
            "rolling_friction",
            "restitution",
            "contact_erp",
            "contact_cfm",
            "stiffness",
            "damping",
        ],
        &[],
    ),
    rule("lateral_friction", &["value"], &[], &[]),
    rule("spinning_friction", &["value"], &[], &[]),
    rule("rolling_friction", &["value"], &[], &[]),
    rule("restitution", &["value"], &[], &[]),
    rule("contact_erp", &["value"], &[], &[]),
    rule("contact_cfm", &["value"], &[], &[]),
    rule("stiffness", &["value"], &[], &[]),
    rule("damping", &["value"], &[], &[]),
    rule("collision", &["name"], &["origin", "geometry"], &["material", "verbose"]),
    rule("geometry", &["name"], &SHAPES, &[]),
    rule("box", &["size"], &[], &[]),
    rule("sphere", &["radius"], &[], &[]),
    rule("cylinder", &["radius", "length"], &[], &[]),
    rule("capsule", &["radius", "length"], &[], &[]),
    rule("mesh", &["filename", "scale"], &[], &[]),
    rule(
        "joint",
        &["name", "type", "dont_collapse"],
        &[
            "origin",
            "parent",
            "child",
            "axis",
            "limit",
            "dynamics",
            "mimic",
            "calibration",
            "safety_controller",
        ],
        &[],
    ),
    rule("parent", &["link"], &[], &[]),
    rule("child", &["link"], &[], &[]),
    rule("axis", &["xyz"], &[], &[]),
    rule("limit", &["lower", "upper", "effort", "velocity"], &[], &[]),
    rule("dynamics", &["damping", "friction"], &[], &[]),
];

const fn rule(
    tag: &'static str,
    attributes: &'static [&'static str],
    once: &'static [&'static str],
    often: &'static [&'static str],
) -> Rule {
    Rule { tag, attributes, once, often }
}

/// Adds notes on everything that is not read.
pub(super) fn check(robot: Element<'_>, notes: &mut Notes) {
    let mut waiting = vec![robot];
    while let Some(element) = waiting.pop() {
        let tag = element.tag();
        let Some(rule) = RULES.iter().find(|r| r.tag == tag) else { continue };
        for (name, _) in element.attrs().filter(|(name, _)| !rule.attributes.contains(name)) {
            let hint = did_you_mean(name, rule.attributes.iter().copied());
            let name = shown(name);
            let what = format!("attribute \"{name}\" is unknown and not used{hint}");
            notes.ignored_kind(format!("<{tag}> {name}"), element, what);
        }
        if let Some(text) = element.text() {
            let what = format!("the text \"{}\" inside it is not used", shown(text));
            notes.ignored_kind(format!("text in <{tag}>"), element, what);
        }
        let first = waiting.len();
        let mut seen = HashSet::new();
        for child in element.children() {
            let name = child.tag();
            if !rule.once.contains(&name) && !rule.often.contains(&name) {
                let known: Vec<&str> = rule.once.iter().chain(rule.often).copied().collect();
                notes.unknown(child, name, &known);
                continue;
            }
            // There can be only one shape of any kind.
            let kind = if tag == "geometry" { "geometry" } else { name };
            if rule.once.contains(&name) && !seen.insert(kind) {
                let what = match tag {
                    "geometry" => "a second shape of one geometry is not used".to_owned(),
                    _ => format!("a second <{name}> of one {tag} is not used"),
                };
                notes.ignored_kind(format!("second {kind} in {tag}"), child, what);
                continue;
            }
            note_unused(child, notes);
            waiting.push(child);
        }
        waiting[first..].reverse();
    }
}

/// Elements that are known, but not simulated.
fn note_unused(element: Element<'_>, notes: &mut Notes) {
    let tag = element.tag();
    let (kind, what) = match tag {
        "transmission" => {
            (NoteKind::Ignored, "transmissions are not simulated; drive the joints themselves")
        }
        "gazebo" if only_friction(element) => return,
        "gazebo" => (NoteKind::Ignored, "what is for Gazebo alone is not simulated"),
        "calibration" | "safety_controller" => {
            (NoteKind::Assumed, "taken as a controller's concern, and not used")
        }
        _ => return,
    };
    notes.kind(kind, format!("<{tag}>"), element, what);
}

/// Whether a `<gazebo>` only gives a link's friction, which is read, and perhaps its colour.
fn only_friction(gazebo: Element<'_>) -> bool {
    let mut inside = gazebo.children().peekable();
    let mut links = gazebo.parent().into_iter().flat_map(|robot| robot.children_named("link"));
    inside.peek().is_some()
        && inside.all(|c| matches!(c.tag(), "mu1" | "mu2" | "material"))
        && links.any(|link| link.attr("name") == gazebo.attr("reference"))
}
