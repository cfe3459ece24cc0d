//! Notes on parts of a file that are not simulated as they are.

use std::collections::HashMap;

use super::xml::{Element, did_you_mean};
use super::{Note, NoteKind};

/// Notes, only one for each kind however often it occurs.
#[derive(Default)]
pub(super) struct Notes {
    notes: Vec<Note>,
    /// Index in the list, and number of occurrences.
    kinds: HashMap<String, (usize, usize)>,
}

impl Notes {
    pub(super) fn push(&mut self, note: Note) {
        self.notes.push(note);
    }

    /// Something is not simulated.
    pub(super) fn ignored(&mut self, element: Element<'_>, what: impl Into<String>) {
        self.push(element.note(NoteKind::Ignored, what));
    }

    /// Something is simulated approximately.
    pub(super) fn approximated(&mut self, element: Element<'_>, what: impl Into<String>) {
        self.push(element.note(NoteKind::Approximated, what));
    }

    /// The file does not specify something.
    pub(super) fn assumed(&mut self, element: Element<'_>, what: impl Into<String>) {
        self.push(element.note(NoteKind::Assumed, what));
    }

    /// Adds a note for the first of all that share `key`, and counts the others.
    pub(super) fn kind(
        &mut self,
        kind: NoteKind,
        key: impl Into<String>,
        element: Element<'_>,
        what: impl Into<String>,
    ) {
        let at = self.notes.len();
        let (_, count) = self.kinds.entry(key.into()).or_insert((at, 0));
        *count += 1;
        if *count == 1 {
            self.push(element.note(kind, what));
        }
    }

    /// Something is not simulated: one note for all that share `key`.
    pub(super) fn ignored_kind(
        &mut self,
        key: impl Into<String>,
        element: Element<'_>,
        what: impl Into<String>,
    ) {
        self.kind(NoteKind::Ignored, key, element, what);
    }

    /// An unknown element.
    pub(super) fn unknown(&mut self, element: Element<'_>, tag: &str, known: &[&str]) {
        let inside = element.parent().map_or("", Element::tag);
        let hint = did_you_mean(tag, known.iter().copied());
        let what = format!("unknown and not used{hint}");
        self.ignored_kind(format!("<{inside}><{tag}>"), element, what);
    }

    /// All notes, in the order they were added.
    pub(super) fn finished(mut self) -> Vec<Note> {
        for (index, count) in self.kinds.into_values().filter(|(_, count)| *count > 1) {
            self.notes[index].what += &format!(" (the first of {count})");
        }
        self.notes
    }
}
