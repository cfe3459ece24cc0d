//! Names: those of the file, and stable ones for elements without a name.
//!
//! An element without a name is named by its kind and its number in MuJoCo's order: `body3`, `joint5`, `geom7`. Names
//! must be unique within a kind only; a body and a joint may share one.

use std::collections::{HashMap, HashSet};

use super::body::Body;
use crate::import::ImportError;
use crate::import::xml::Element;

/// The names of one kind that are in use.
#[derive(Default)]
pub(super) struct Taken(HashSet<String>);

impl Taken {
    /// Takes a name, or the first free one of `name_2`, `name_3` and so on.
    pub(super) fn free(&mut self, name: String) -> String {
        let mut free = name.clone();
        let mut number = 2;
        while !self.0.insert(free.clone()) {
            free = format!("{name}_{number}");
            number += 1;
        }
        free
    }

    /// Takes a name if it is free.
    pub(super) fn claim(&mut self, name: &str) -> bool {
        self.0.insert(name.to_owned())
    }
}

/// The name that an element has in the file.
pub(super) fn given(element: Element<'_>) -> Option<&str> {
    element.attr("name").filter(|name| !name.is_empty())
}

/// A name for each element: its own, which must be unique, or `kind` and its index, counted from `first`.
pub(super) fn all<'a>(
    kind: &str,
    first: usize,
    elements: impl Iterator<Item = Element<'a>> + Clone,
) -> Result<Vec<String>, ImportError> {
    let mut taken = Taken::default();
    let mut lines: HashMap<&str, u32> = HashMap::new();
    for element in elements.clone() {
        let Some(name) = given(element) else { continue };
        if let Some(line) = lines.insert(name, element.line()) {
            return Err(element.error(format!("another {kind} has this name (line {line})")));
        }
        taken.claim(name);
    }
    let name = |(i, element): (usize, Element<'a>)| match given(element) {
        Some(name) => name.to_owned(),
        None => taken.free(format!("{kind}{}", first + i)),
    };
    Ok(elements.enumerate().map(name).collect())
}

/// Names all bodies, joints and geoms.
pub(super) fn assign(bodies: &mut [Body<'_>]) -> Result<(), ImportError> {
    let in_world = bodies.iter().skip(1).map(|b| b.element);
    if let Some(body) = in_world.clone().find(|e| given(*e) == Some("world")) {
        return Err(body.error("only the world itself has this name"));
    }
    let body_names = all("body", 1, in_world)?;
    let joints = bodies.iter().flat_map(|b| b.joints.iter().map(|j| j.element));
    let joint_names = all("joint", 0, joints)?;
    let geoms = bodies.iter().flat_map(|b| b.geoms.iter().map(|g| g.element));
    let geom_names = all("geom", 0, geoms)?;
    bodies[0].name = "world".into();
    for (body, name) in bodies[1..].iter_mut().zip(body_names) {
        body.name = name;
    }
    for (joint, name) in bodies.iter_mut().flat_map(|b| &mut b.joints).zip(joint_names) {
        joint.name = name;
    }
    for (geom, name) in bodies.iter_mut().flat_map(|b| &mut b.geoms).zip(geom_names) {
        geom.name = name;
    }
    Ok(())
}
