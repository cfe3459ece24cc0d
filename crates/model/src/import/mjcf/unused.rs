//! Notes on elements and attributes that would change the motion, but are not read, or not in full.
//!
//! There are no notes on what concerns only display or memory: `visual`, `statistic`, `size`, `custom`, cameras,
//! lights, images on surfaces, skins and `user` data.

use super::source::Tree;
use crate::import::notes::Notes;
use crate::import::xml::Element;

/// Element, attribute, its neutral value, and what happens instead. An element inside `default` counts like any other
/// with its tag.
const ATTRIBUTES: &[(&str, &str, &str, &str)] = &[
    ("compiler", "alignfree", "false", FREE_FRAME),
    ("freejoint", "align", "false", FREE_FRAME),
    ("body", "mocap", "false", "it stays where the file puts it"),
    ("body", "gravcomp", "0", "gravity acts on it in full"),
    ("joint", "actuatorgravcomp", "false", "there is no gravity compensation"),
    ("joint", "margin", "0", "limits begin at the ends of the range"),
    ("joint", "solreflimit", "", LIMIT),
    ("joint", "solimplimit", "", LIMIT),
    ("joint", "solreffriction", "", JOINT_FRICTION),
    ("joint", "solimpfriction", "", JOINT_FRICTION),
    ("joint", "springyield", "0", "springs do not yield"),
    ("geom", "solimp", "", CONTACT),
    ("geom", "solmix", "1", CONTACT),
    ("geom", "margin", "0", CONTACT),
    ("geom", "gap", "0", CONTACT),
    ("geom", "priority", "0", "both geoms of a contact have equal weight"),
    ("geom", "adhesion", "0", "nothing sticks"),
    ("geom", "surfacevel", "0", "surfaces stand still"),
    ("geom", "fluidshape", "none", MEDIUM),
    ("geom", "fluidcoef", "", MEDIUM),
    ("geom", "fitscale", "1", "shapes are not fitted to meshes"),
    ("mesh", "maxhullvert", "-1", "the hull has all its vertices"),
    ("pair", "solreffriction", "", CONTACT),
    ("pair", "solimp", "", CONTACT),
    ("pair", "margin", "0", CONTACT),
    ("pair", "gap", "0", CONTACT),
    ("pair", "adhesion", "0", "nothing sticks"),
    ("general", "actearly", "false", "a state acts from the next step on"),
    ("general", "actdim", "-1", "an actuator has one state or none"),
    ("general", "input", "", "an actuator's input is its control"),
    ("general", "velrange", "", "velocities are not limited"),
    ("general", "ffrange", "", "there are no feed-forward forces"),
    ("key", "time", "0", "states have no time"),
    ("key", "mpos", "", MOCAP),
    ("key", "mquat", "", MOCAP),
    ("key", "plastic", "", "springs do not yield"),
];

const CONTACT: &str = "contacts have their own settings";
const FREE_FRAME: &str = "coordinates are those of the body's own frame";
const JOINT_FRICTION: &str = "joint friction has its own settings";
const LIMIT: &str = "limits have their own settings";
const MEDIUM: &str = "fluid forces are not simulated";
const MOCAP: &str = "mocap bodies stay where the file puts them";

/// Adds notes on everything that is not used.
pub(super) fn note(tree: &Tree<'_>, notes: &mut Notes) {
    for (element, around) in tree.all() {
        note_attributes(element, around, notes);
        note_element(tree, element, around, notes);
    }
}

fn note_attributes(element: Element<'_>, around: &str, notes: &mut Notes) {
    // Some `joint` and `geom` elements are parts of constraints, tendons and sensors.
    if matches!(around, "equality" | "tendon" | "fixed" | "spatial" | "sensor") {
        return;
    }
    for (name, value) in element.attrs() {
        let is_this = |row: &&(&str, &str, &str, &str)| row.0 == element.tag() && row.1 == name;
        let Some((tag, _, neutral, what)) = ATTRIBUTES.iter().find(is_this) else { continue };
        if !same(value, neutral) {
            let kind = format!("{tag} {name}");
            notes.ignored_kind(kind, element, format!("{name} is not used: {what}"));
        }
    }
}

/// Whether a value is the neutral one, number by number.
fn same(value: &str, neutral: &str) -> bool {
    let Ok(number) = neutral.parse::<f64>() else { return value == neutral };
    value.split_whitespace().all(|word| word.parse() == Ok(number))
}

fn note_element(tree: &Tree<'_>, element: Element<'_>, around: &str, notes: &mut Notes) {
    let what = match (around, element.tag()) {
        ("equality", _) => "constraints are not simulated",
        ("tendon", _) => "tendons are not simulated",
        ("deformable", "flex") | (_, "flexcomp") => "soft bodies are not simulated",
        (_, "composite") => "composite bodies are not made",
        (_, "attach") => {
            "parts of other models are left out; load the file in MuJoCo and save it again, which \
             writes them out"
        }
        ("extension" | "body" | "geom", "plugin") => "plugins are not simulated",
        (_, "sensor") if !tree.children(element).is_empty() => {
            "sensors are not simulated; named sites are kept as frames"
        }
        _ => return,
    };
    notes.ignored(element, what);
}
