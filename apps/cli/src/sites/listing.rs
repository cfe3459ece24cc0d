//! Sites as text: stage by stage, with the components of a vector in one line.

use std::fmt::Write as _;

use gradbody::augment::{ContactSignal, Pair, Signal, Stage};
use gradbody::model::Model;

use super::Placed;
use crate::suggest::list;
use gradbody_report::text::{Align, Table};

/// Writes sites of a model. `of` is the number of all sites if these are a selection; without it, sites of pairs of
/// shapes are not listed one by one.
pub(super) fn write(model: &Model<f64>, sites: &[Placed], of: Option<usize>, out: &mut String) {
    let some = of.is_some();
    for stage in Stage::ALL {
        let here = |p: &&Placed| p.stage == stage && (some || !of_a_pair(p));
        let of_stage: Vec<&Placed> = sites.iter().filter(here).collect();
        if of_stage.is_empty() {
            continue;
        }
        let read_only = of_stage.iter().all(|p| !p.can_change);
        let about = match stage {
            _ if read_only => ", read only",
            // A solver finds the rest.
            Stage::End => ", which networks can only add to",
            _ => "",
        };
        let number = stage.index() + 1;
        let _ = writeln!(out, "{number}  {stage}{about}");
        // Units first, because names have very different lengths.
        let mut table = Table::new(&[("", Align::Left), ("", Align::Left)]);
        for Line { mut name, unit: of, can_change } in lines(&of_stage) {
            if !(can_change || read_only) {
                name.push_str("  (read only)");
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
            format!(" ({hidden} for pairs of shapes not listed: see --filter)")
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

/// What `contact/*` means, and which pairs there are.
fn note(model: &Model<f64>, pairs: &[String]) -> String {
    let what = "contact/* stands for every contact, one at a time";
    match pairs {
        [] if model.topology.shapes.is_empty() => {
            format!("{what}; this model has no collision shapes, so there are none\n")
        }
        [] => format!("{what}; no shapes of this model can touch: see --ground\n"),
        [first, ..] => format!(
            "{what}; the contacts of two shapes have the same sites, as contact/{first}/…\n\
             pairs of shapes that can touch: {}: {}\n",
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

/// Whether the site is of the contacts of one pair of shapes.
fn of_a_pair(placed: &Placed) -> bool {
    matches!(placed.site.signal, Signal::Contact(Pair(Some(_)), _))
}

struct Line {
    name: String,
    unit: &'static str,
    can_change: bool,
}

/// A line for each site; neighbours that differ only in the last part of their names share one.
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
