//! What the matrix has found, and the page of the documentation that says so.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

use crate::support::golden::repository;

/// Entries of a table: the largest error of a row in a column, where there is a derivative at all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    entries: BTreeMap<(String, String), f64>,
}

impl Table {
    /// Notes an error.
    pub(crate) fn note(&mut self, row: &str, column: &str, error: f64) {
        let worst = self.entries.entry((row.to_owned(), column.to_owned())).or_insert(error);
        *worst = worst.max(error);
    }

    pub(crate) fn add(&mut self, other: Table) {
        for ((row, column), error) in other.entries {
            self.note(&row, &column, error);
        }
    }

    pub(crate) fn has(&self, row: &str, column: &str) -> bool {
        self.entries.contains_key(&(row.to_owned(), column.to_owned()))
    }

    /// Largest error of all.
    pub(crate) fn worst(&self) -> f64 {
        self.entries.values().copied().fold(0.0, f64::max)
    }

    /// Largest error in a column.
    pub(crate) fn worst_in(&self, column: &str) -> f64 {
        let of_column = self.entries.iter().filter(|((_, of), _)| of == column);
        of_column.map(|(_, error)| *error).fold(0.0, f64::max)
    }

    fn write(&self, page: &mut String, corner: &str, rows: &[String], columns: &[String]) {
        writeln!(page, "| {corner} | {} |", columns.join(" | ")).unwrap();
        writeln!(page, "|---|{}", "---|".repeat(columns.len())).unwrap();
        for row in rows {
            let entry = |column: &String| match self.entries.get(&(row.clone(), column.clone())) {
                Some(error) => order(*error),
                None => NONE.to_owned(),
            };
            let entries: Vec<String> = columns.iter().map(entry).collect();
            writeln!(page, "| {row} | {} |", entries.join(" | ")).unwrap();
        }
        page.push('\n');
    }
}

/// Noted as an error: there is a derivative, whose error is another table's.
pub(crate) const ACTS: f64 = -1.0;

/// Noted as an error: not a bit is different.
pub(crate) const SAME_BITS: f64 = -2.0;

/// No derivative.
const NONE: &str = "–";

/// The power of ten above an error; errors of rounding alike are one.
fn order(error: f64) -> String {
    if error == ACTS {
        return "yes".into();
    }
    if error == SAME_BITS {
        return "same bits".into();
    }
    format!("1e{}", error.max(1e-15).log10().ceil() as i32)
}

/// The page: a table of joint kinds, one of parts and one of variants by ways, and one of the numbers of
/// joints.
pub(crate) fn page(
    joints: (&Table, &[String]),
    parts: (&Table, &[String]),
    ways: &[String],
    variants: (&Table, &[String]),
    numbers: (&Table, &[String]),
    missing: &BTreeSet<String>,
) -> String {
    let mut page = String::from(
        "# What has a gradient\n\n\
         Written by `GRADBODY_WRITE_TABLE=1 cargo test -p gradbody --test whole gradient_matrix`, which \
         compares the adjoint\nof short rollouts with dual numbers, in every combination of joint kind, \
         contact solver, integrator and\njoint stops. An entry is the order of the largest difference, \
         relative to what the derivative is summed\nfrom; “–” means that the result does not depend on \
         it.\n\n## Joint kinds\n\n",
    );
    joints.0.write(&mut page, "joint", joints.1, ways);
    page.push_str("## What it is taken by\n\nParameters by their paths, without names.\n\n");
    parts.0.write(&mut page, "by", parts.1, ways);
    page.push_str(
        "## In other numbers, smoothed, and with less kept\n\nThe same rollouts. Single precision and \
         lanes are compared with f64 alone, `Smoothed` over 1e-9 m/s with\n`Implicit`, and the ways to keep \
         what the way back needs (`Checkpointing`) with one another.\n\n",
    );
    variants.0.write(&mut page, "contacts", ways, variants.1);
    page.push_str("## Numbers of a joint\n\nThose of a joint's own, by its kind.\n\n");
    numbers.0.write(&mut page, "joint", joints.1, numbers.1);
    page.push_str("## Not in the tables\n\n");
    for reason in missing {
        writeln!(page, "- {reason}").unwrap();
    }
    page
}

fn path() -> PathBuf {
    repository().join("docs/gradient-support.md")
}

/// Writes the page if asked to by `GRADBODY_WRITE_TABLE`, else compares it: every word but the digits of
/// errors.
pub(crate) fn write_or_compare(page: &str) {
    if std::env::var_os("GRADBODY_WRITE_TABLE").is_some() {
        std::fs::write(path(), page).expect("docs/gradient-support.md can be written");
        return;
    }
    let written = std::fs::read_to_string(path()).unwrap_or_default();
    let advice = "write docs/gradient-support.md anew: \
                  GRADBODY_WRITE_TABLE=1 cargo test -p gradbody --test whole gradient_matrix";
    for (i, (found, written)) in page.lines().zip(written.lines()).enumerate() {
        assert_eq!(structure(found), structure(written), "line {}: {advice}", i + 1);
    }
    assert_eq!(page.lines().count(), written.lines().count(), "{advice}");
}

fn structure(line: &str) -> Vec<&str> {
    let words = line.split('|').map(str::trim);
    words.map(|word| if word.starts_with("1e-") { "an error" } else { word }).collect()
}
