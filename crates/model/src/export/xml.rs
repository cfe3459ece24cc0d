//! Pieces of XML text: names, numbers, and elements of attributes alone.

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

    /// With an attribute that is a name, a path or the like.
    pub(super) fn name(mut self, attribute: &str, value: &str) -> Result<Self, ExportError> {
        let value = escaped(value)?;
        let _ = write!(self.text, " {attribute}=\"{value}\"");
        Ok(self)
    }

    /// With an attribute that is a word of the format's own.
    pub(super) fn word(mut self, attribute: &str, value: &str) -> Self {
        let _ = write!(self.text, " {attribute}=\"{value}\"");
        self
    }

    /// With an attribute of numbers, which read back the same.
    pub(super) fn numbers(mut self, attribute: &str, values: &[f64]) -> Self {
        let digits: Vec<String> = values.iter().map(|x| format!("{x:?}")).collect();
        let _ = write!(self.text, " {attribute}=\"{}\"", digits.join(" "));
        self
    }

    /// With a number, unless it is what a reader takes anyway.
    pub(super) fn number_unless(self, default: f64, attribute: &str, value: f64) -> Self {
        if value == default { self } else { self.numbers(attribute, &[value]) }
    }

    /// With `pos` and `quat`, as far as they are needed.
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

    /// The element with nothing inside.
    pub(super) fn alone(self) -> String {
        self.text + "/>"
    }

    /// Its beginning; what is inside follows.
    pub(super) fn open(self) -> String {
        self.text + ">"
    }
}

/// Digits that read back as the same numbers.
pub(super) fn spaced(v: Vec3<f64>) -> String {
    format!("{:?} {:?} {:?}", v.x, v.y, v.z)
}

/// `name`, numbered if it is taken, and from now on taken.
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
