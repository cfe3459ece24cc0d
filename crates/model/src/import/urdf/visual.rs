//! What a URDF shows: `<visual>` and `<material>`.
//!
//! A visual that cannot be read is left out with a note, and is never an error: the robot moves in the same way without it.

use std::collections::HashMap;

use super::Link;
use super::elements::{geometry, origin};
use crate::import::mesh::MeshFiles;
use crate::import::notes::Notes;
use crate::import::xml::Element;
use crate::import::{ImportError, NoteKind};
use crate::{Figure, FrameId, ModelBuilder};

/// The colours of materials by name.
pub(super) struct Colours<'a>(HashMap<&'a str, [f32; 4]>);

impl<'a> Colours<'a> {
    /// Those of the robot's own materials, then those of materials that visuals define, the first of each name.
    pub(super) fn of(robot: Element<'a>) -> Self {
        let visuals = robot.children_named("link").flat_map(|link| link.children_named("visual"));
        let inside = visuals.flat_map(|visual| visual.children_named("material"));
        let mut colours = HashMap::new();
        for material in robot.children_named("material").chain(inside) {
            if let (Some(name), Ok(Some(colour))) = (material.attr("name"), own_colour(material)) {
                colours.entry(name).or_insert(colour);
            }
        }
        Colours(colours)
    }

    /// The colour of a visual.
    fn of_visual(&self, visual: Element<'_>) -> Result<Option<[f32; 4]>, ImportError> {
        let Some(material) = visual.child("material") else { return Ok(None) };
        let own = own_colour(material)?;
        Ok(own.or_else(|| self.0.get(material.attr("name")?).copied()))
    }
}

/// The colour that a material defines.
fn own_colour(material: Element<'_>) -> Result<Option<[f32; 4]>, ImportError> {
    let Some(color) = material.child("color") else { return Ok(None) };
    let Some(rgba) = color.numbers("rgba")? else { return Ok(None) };
    let (rgb, opacity) = match rgba[..] {
        [r, g, b] => ([r, g, b], 1.0),
        [r, g, b, a] => ([r, g, b], a),
        _ => return Err(color.attr_error("rgba", "expected 4 numbers")),
    };
    let [r, g, b] = rgb.map(|c| c.clamp(0.0, 1.0) as f32);
    Ok(Some([r, g, b, opacity.clamp(0.0, 1.0) as f32]))
}

/// Adds the visuals of a link.
pub(super) fn figures(
    link: &Link<'_>,
    frame: FrameId,
    builder: &mut ModelBuilder,
    colours: &Colours<'_>,
    meshes: &mut MeshFiles,
    notes: &mut Notes,
) {
    for visual in link.element.children_named("visual") {
        match figure(visual, link.name, frame, meshes) {
            Ok(Some(figure)) => {
                let colour = colours.of_visual(visual).unwrap_or_else(|problem| {
                    note(problem, "drawn without its colour", visual, notes);
                    None
                });
                builder.figure(figure, colour);
            }
            Ok(None) => {}
            Err(problem) => note(problem, "not drawn", visual, notes),
        }
    }
}

fn figure(
    visual: Element<'_>,
    link: &str,
    frame: FrameId,
    meshes: &mut MeshFiles,
) -> Result<Option<Figure>, ImportError> {
    let Some(read) = geometry(visual, |address| meshes.unread_at_address(address))? else {
        return Ok(None);
    };
    let name = visual.attr("name").filter(|name| !name.is_empty()).unwrap_or(link);
    Ok(Some(Figure {
        name: name.to_owned(),
        frame,
        kind: read.kind,
        placement: origin(visual)?,
        size: read.size,
        mesh_file: read.mesh_file,
    }))
}

fn note(problem: ImportError, what: &str, visual: Element<'_>, notes: &mut Notes) {
    let mut note = visual.note(NoteKind::Assumed, format!("{what}: {}", problem.message));
    note.line = problem.line.unwrap_or(note.line);
    note.element = problem.element;
    notes.push(note);
}
