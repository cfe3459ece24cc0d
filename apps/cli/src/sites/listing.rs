//! Sites for people: stage by stage, the components of a vector in one line.

use std::fmt::Write as _;

use gradbody::augment::{ContactSignal, Pair, Signal, Stage};
use gradbody::model::Model;

use super::Placed;
use crate::suggest::list;
use gradbody_report::text::{Align, Table};

/// Writes all sites of a model or, if they are only some `of` so many, those: contacts of two shapes are else
/// told by their names alone.
pub(super) fn write(model: &Model<f64>, sites: &[Placed], of: Option<usize>, out: &mut String) {
    let some = of.is_some();
    for stage in Stage::ALL {
        let here = |p: &&Placed| p.stage == stage && (some || !of_a_pair(p));
        let of_stage: Vec<&Placed> = sites.iter().filter(here).collect();
        if of_stage.is_empty() {
            continue;
        }
        let read_only = of_stage.iter().all(|p| !p.can_change);
        let (number, about) = (stage.index() + 1, if read_only { ", only to be read" } else { "" });
        let _ = writeln!(out, "{number}  {stage}{about}");
        // Units first: names are of very different lengths.
        let mut table = Table::new(&[("", Align::Left), ("", Align::Left)]);
        for Line { mut name, unit: of, can_change } in lines(&of_stage) {
            if !(can_change || read_only) {
                name.push_str("  (only to be read)");
            }
            table.row(vec![unit(of), name]);
        }
        table.write(out);
        out.push('\n');
    }
    let pairs = pair_names(sites);
    if !some && sites.iter().any(|p| matches!(p.site.signal, Signal::Contact(..))) {
        out.push_str(&note(model, &pairs));
    }
    let changeable = sites.iter().filter(|p| p.can_change).count();
    let count = match of {
        Some(all) => format!("{} of {}", sites.len(), counted(all)),
        None => counted(sites.len()),
    };
    let hidden = match sites.iter().filter(|p| of_a_pair(p)).count() {
        hidden if hidden > 0 && !some => {
            format!(" ({hidden} of pairs of shapes not listed: see --filter)")
        }
        _ => String::new(),
    };
    let _ = writeln!(out, "{count}{hidden}, of which {changeable} can be changed");
}

fn counted(sites: usize) -> String {
    format!("{sites} {}", if sites == 1 { "site" } else { "sites" })
}

fn unit(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!("[{unit}]") }
}

/// What `contact/*` is, and which pairs there are.
fn note(model: &Model<f64>, pairs: &[String]) -> String {
    let what = "contact/* is every contact, each by itself";
    match pairs {
        [] if model.topology.shapes.is_empty() => {
            format!("{what}; this model has no collision shapes, so there is none\n")
        }
        [] => format!("{what}; no shapes of this model may touch: see --ground\n"),
        [first, ..] => format!(
            "{what}; those of two shapes have the same sites, as contact/{first}/…\n\
             pairs of shapes that may touch: {}: {}\n",
            pairs.len(),
            list(pairs)
        ),
    }
}

/// `foot-ground` of every pair.
fn pair_names(sites: &[Placed]) -> Vec<String> {
    let gap =
        |p: &&Placed| matches!(p.site.signal, Signal::Contact(Pair(Some(_)), ContactSignal::Gap));
    let name =
        |p: &Placed| Some(p.site.name.strip_prefix("contact/")?.strip_suffix("/gap")?.to_owned());
    sites.iter().filter(gap).filter_map(name).collect()
}

/// Whether it is of the contacts of two shapes.
fn of_a_pair(placed: &Placed) -> bool {
    matches!(placed.site.signal, Signal::Contact(Pair(Some(_)), _))
}

struct Line {
    name: String,
    unit: &'static str,
    can_change: bool,
}

/// A line for each site, one for neighbours that differ in the last part of their names alone.
fn lines(sites: &[&Placed]) -> Vec<Line> {
    let parts = |p: &Placed| {
        let (group, end) = p.site.name.rsplit_once('/').unwrap_or(("", &p.site.name));
        (group.to_owned(), end.to_owned())
    };
    let mut lines = Vec::new();
    let mut k = 0;
    while k < sites.len() {
        let (group, first) = parts(sites[k]);
        let mut ends = vec![first];
        let same =
            |p: &Placed| p.site.unit == sites[k].site.unit && p.can_change == sites[k].can_change;
        let mut next = k + 1;
        while next < sites.len() && same(sites[next]) {
            match parts(sites[next]) {
                (other, end) if other == group && !group.is_empty() => ends.push(end),
                _ => break,
            }
            next += 1;
        }
        let name = match &ends[..] {
            [_] => sites[k].site.name.clone(),
            ends => format!("{group}/{{{}}}", ends.join(",")),
        };
        lines.push(Line { name, unit: sites[k].site.unit, can_change: sites[k].can_change });
        k = next;
    }
    lines
}
