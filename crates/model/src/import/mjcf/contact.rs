//! The `contact` section: pairs of geoms that touch, and pairs of bodies that do not.

use std::collections::{HashMap, HashSet};

use super::assemble::Assembled;
use super::body::Body;
use super::defaults::ClassId;
use super::{Context, surface};
use crate::import::ImportError;
use crate::import::notes::Notes;
use crate::import::xml::{Element, did_you_mean};
use crate::{ContactLaw, ContactPair, ModelBuilder};

/// Adds all pairs.
pub(super) fn add(
    builder: &mut ModelBuilder,
    context: &Context<'_>,
    bodies: &[Body<'_>],
    assembled: &Assembled,
    notes: &mut Notes,
) -> Result<(), ImportError> {
    let names = bodies.iter().map(|b| b.name.clone());
    let frames: HashMap<String, _> = names.zip(assembled.frames.iter().copied()).collect();
    let Context { tree, defaults, timestep, .. } = context;
    let mut seen = HashSet::new();
    let pairs = tree.sections("contact").into_iter().flat_map(|section| tree.children(section));
    for pair in pairs {
        if pair.tag() == "exclude" {
            let first = *find(pair, "body1", "body", &frames)?;
            let second = *find(pair, "body2", "body", &frames)?;
            builder.contact_exclude(first, second);
            continue;
        }
        let first = *find(pair, "geom1", "geom", &assembled.shapes)?;
        let second = *find(pair, "geom2", "geom", &assembled.shapes)?;
        let settings = defaults.settings(pair, ClassId::MAIN)?;
        let condim = surface::condim(&settings)?;
        let material = surface::of_pair(&settings, condim, *timestep, notes)?;
        match (first, second) {
            (Some(first), Some(second)) if first == second => {
                notes.ignored(pair, "a geom does not touch itself");
            }
            (Some(a), Some(b)) if !seen.insert((a.min(b), a.max(b))) => {
                notes.ignored(pair, "a pair before it has the same geoms");
            }
            (Some(a), Some(b)) => {
                let resists_turning = condim >= 4;
                let pair = ContactPair { a, b, law: ContactLaw::Rigid, resists_turning };
                builder.contact_pair(pair, material);
            }
            _ => notes.ignored(pair, "one of its geoms is not simulated"),
        }
    }
    Ok(())
}

/// The item that an attribute refers to.
pub(super) fn find<'m, T>(
    element: Element<'_>,
    attribute: &str,
    kind: &str,
    known: &'m HashMap<String, T>,
) -> Result<&'m T, ImportError> {
    let name = element.required(attribute)?;
    known.get(name).ok_or_else(|| {
        let mut names: Vec<&str> = known.keys().map(String::as_str).collect();
        names.sort_unstable();
        let hint = did_you_mean(name, names.into_iter());
        element.attr_error(attribute, &format!("no such {kind}{hint}"))
    })
}
