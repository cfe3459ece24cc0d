//! Remarks on what a file says and the simulation does not do.

use std::collections::HashMap;

use super::source::Tree;
use crate::import::xml::Element;
use crate::import::{Note, NoteKind};

/// Remarks, with one for each kind of thing however often it occurs.
#[derive(Default)]
pub(super) struct Notes {
    notes: Vec<Note>,
    /// Place in the list and number of occurrences.
    kinds: HashMap<String, (usize, usize)>,
}

impl Notes {
    /// Something is not simulated.
    pub(super) fn ignored(&mut self, element: Element<'_>, what: impl Into<String>) {
        self.notes.push(element.note(NoteKind::Ignored, what));
    }

    /// Something is simulated by something near it.
    pub(super) fn approximated(&mut self, element: Element<'_>, what: impl Into<String>) {
        self.notes.push(element.note(NoteKind::Approximated, what));
    }

    /// The file leaves something open.
    pub(super) fn assumed(&mut self, element: Element<'_>, what: impl Into<String>) {
        self.notes.push(element.note(NoteKind::Assumed, what));
    }

    /// Something is not simulated: one remark for all that share `kind`.
    pub(super) fn ignored_kind(
        &mut self,
        kind: impl Into<String>,
        element: Element<'_>,
        what: impl Into<String>,
    ) {
        let at = self.notes.len();
        let (_, count) = self.kinds.entry(kind.into()).or_insert((at, 0));
        *count += 1;
        if *count == 1 {
            self.ignored(element, what);
        }
    }

    /// All remarks, in the order of the file; included files follow the main one.
    pub(super) fn finished(mut self, tree: &Tree<'_>) -> Vec<Note> {
        for (index, count) in self.kinds.into_values().filter(|(_, count)| *count > 1) {
            self.notes[index].what += &format!(" (the first of {count})");
        }
        self.notes.sort_by_key(|note| (tree.file_order(&note.file), note.line));
        self.notes
    }
}
