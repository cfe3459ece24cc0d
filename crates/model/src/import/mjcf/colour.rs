//! Colours of geoms: their own, or those of their materials.
//!
//! As in MuJoCo, a geom's own colour counts unless it is the default grey, then that of its material. A material with a
//! texture that is made by a rule has the first colour of that texture; images are not read. Colours have no physical
//! meaning: what is wrong with them is noted, and never an error.

use std::collections::HashMap;

use super::defaults::{ClassId, Defaults, Settings};
use super::source::Tree;
use crate::import::notes::Notes;
use crate::import::xml::{did_you_mean, shown};
use crate::import::{ImportError, NoteKind};

/// The colour of a geom without one.
const GREY: [f32; 4] = [0.5, 0.5, 0.5, 1.0];

/// The colours of materials by name.
#[derive(Default)]
pub(super) struct Materials<'a>(HashMap<&'a str, [f32; 4]>);

impl<'a> Materials<'a> {
    /// Reads the `asset` sections.
    pub(super) fn read(
        tree: &'a Tree<'_>,
        defaults: &Defaults<'a>,
        notes: &mut Notes,
    ) -> Result<Self, ImportError> {
        let sections = tree.sections("asset").into_iter();
        let assets: Vec<_> = sections.flat_map(|section| tree.children(section)).collect();
        let mut textures = HashMap::new();
        for element in assets.iter().filter(|asset| asset.tag() == "texture") {
            let builtin = element.attr("builtin").is_some_and(|rule| rule != "none");
            if let (true, Some(name)) = (builtin, element.attr("name")) {
                let first = element.vec3("rgb1").ok().flatten();
                textures.insert(name, first.map_or([0.8; 3], |rgb| rgb.to_array()));
            }
        }
        let mut colours = HashMap::new();
        for element in assets.into_iter().filter(|asset| asset.tag() == "material") {
            let settings = defaults.settings(element, ClassId::MAIN)?;
            let Some(name) = element.attr("name") else { continue };
            let mut colour = rgba(&settings, [1.0; 4]).unwrap_or_else(|problem| {
                note(problem, notes);
                GREY
            });
            if let Some(texture) = settings.attr("texture").and_then(|name| textures.get(name)) {
                for (c, t) in colour.iter_mut().zip(texture) {
                    *c *= t.clamp(0.0, 1.0) as f32;
                }
            }
            colours.insert(name, colour);
        }
        Ok(Materials(colours))
    }

    /// The colour of a geom; `None` if the file gives it none.
    pub(super) fn of_geom(&self, geom: &Settings<'a>, notes: &mut Notes) -> Option<[f32; 4]> {
        match rgba(geom, GREY) {
            Ok(GREY) => {}
            Ok(own) => return Some(own),
            Err(problem) => note(problem, notes),
        }
        let name = geom.attr("material")?;
        let colour = self.0.get(name).copied();
        if colour.is_none() {
            let mut names: Vec<&str> = self.0.keys().copied().collect();
            names.sort_unstable();
            let hint = did_you_mean(name, names.into_iter());
            let what = format!("no material is named \"{}\"{hint}", shown(name));
            note(geom.error(what), notes);
        }
        colour
    }
}

fn rgba(settings: &Settings<'_>, default: [f32; 4]) -> Result<[f32; 4], ImportError> {
    let rgba = settings.array::<4>("rgba")?;
    Ok(rgba.map_or(default, |rgba| rgba.map(|c| c.clamp(0.0, 1.0) as f32)))
}

fn note(problem: ImportError, notes: &mut Notes) {
    notes.push(crate::import::Note {
        kind: NoteKind::Assumed,
        file: problem.file,
        line: problem.line.unwrap_or(1),
        element: problem.element,
        what: format!("drawn without its colour: {}", problem.message),
    });
}
