//! Parts of XML text: names, numbers, and elements with attributes only.

use std::collections::HashSet;
use std::fmt::Write;

use gradbody_math::{Mat3, Quat, Transform, Vec3};

use super::ExportError;

/// An element under construction: its tag and attributes.
pub(super) struct Tag {
    text: String,
}

impl Tag {
    /// An element without attributes.
    pub(super) fn new(tag: &str) -> Self {
        Tag { text: format!("<{tag}") }
    }

    /// Adds an attribute with a name, a path or similar text.
    pub(super) fn name(mut self, attribute: &str, value: &str) -> Result<Self, ExportError> {
        let value = escaped(value)?;
        let _ = write!(self.text, " {attribute}=\"{value}\"");
        Ok(self)
    }

    /// Adds an attribute with a keyword of the format.
    pub(super) fn word(mut self, attribute: &str, value: &str) -> Self {
        let _ = write!(self.text, " {attribute}=\"{value}\"");
        self
    }

    /// Adds an attribute of numbers, which read back exactly.
    pub(super) fn numbers(mut self, attribute: &str, values: &[f64]) -> Self {
        let digits: Vec<String> = values.iter().map(|x| format!("{x:?}")).collect();
        let _ = write!(self.text, " {attribute}=\"{}\"", digits.join(" "));
        self
    }

    /// Adds a number, unless it is the reader's default.
    pub(super) fn number_unless(self, default: f64, attribute: &str, value: f64) -> Self {
        if value == default { self } else { self.numbers(attribute, &[value]) }
    }

    /// Adds `pos` and `quat`, as far as they are needed.
    pub(super) fn pose(self, pose: &Transform<f64>) -> Self {
        let placed = match pose.pos == Vec3::ZERO {
            true => self,
            false => self.numbers("pos", &pose.pos.to_array()),
        };
        match pose.rot == Mat3::IDENTITY {
            true => placed,
            false => placed.numbers("quat", &Quat::from_mat3(&pose.rot).to_array()),
        }
    }

    /// The element without contents.
    pub(super) fn alone(self) -> String {
        self.text + "/>"
    }

    /// The opening tag; the contents follow.
    pub(super) fn open(self) -> String {
        self.text + ">"
    }
}

/// Digits that read back as the same numbers.
pub(super) fn spaced(v: Vec3<f64>) -> String {
    format!("{:?} {:?} {:?}", v.x, v.y, v.z)
}

/// Takes `name`, with a number if it is already taken.
pub(super) fn unused(taken: &mut HashSet<String>, name: &str) -> String {
    let mut candidate = name.to_owned();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{name}_{number}");
        number += 1;
    }
    candidate
}

/// A name as the value of an attribute.
pub(super) fn escaped(name: &str) -> Result<String, ExportError> {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '"' => text.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(text, "&#{};", c as u32);
            }
            '\0'..'\u{20}' | '\u{fffe}' | '\u{ffff}' => {
                return Err(ExportError::Name { name: name.to_owned() });
            }
            c => text.push(c),
        }
    }
    Ok(text)
}
