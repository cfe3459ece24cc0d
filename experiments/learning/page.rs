//! Curves and tables of trainings.

use std::fmt::Write as _;

use maud::html;
use serde_json::json;

use super::training::Trained;
use crate::Findings;
use crate::distribution::Distribution;
use gradbody_report::text::{Align, Table, fixed, number, rounded};
use gradbody_report::{Plot, Section, Series};

/// Trainings, in groups that are compared.
pub(super) struct Study {
    pub(super) title: String,
    pub(super) lead: String,
    pub(super) groups: Vec<Group>,
    /// Trainings end at the return [`Group::most`], and this many seconds were allowed.
    pub(super) reach: Option<f64>,
}

/// Trainings in one environment.
pub(super) struct Group {
    pub(super) name: String,
    /// The largest possible mean return, or the one to reach.
    pub(super) most: Option<f64>,
    pub(super) trained: Vec<Trained>,
}

impl Group {
    /// The methods in the order of their first training, each with its trainings.
    fn methods(&self) -> Vec<(&str, Vec<&Trained>)> {
        let mut methods: Vec<(&str, Vec<&Trained>)> = Vec::new();
        for trained in &self.trained {
            match methods.iter_mut().find(|(name, _)| *name == trained.method) {
                Some((_, of)) => of.push(trained),
                None => methods.push((&trained.method, vec![trained])),
            }
        }
        methods
    }
}

pub(super) fn outcome(study: &Study) -> Findings {
    let mut table = Table::new(&[
        ("", Align::Left),
        ("method", Align::Left),
        ("seeds", Align::Right),
        ("samples", Align::Right),
        ("return at the end, mean of seeds", Align::Right),
        ("least", Align::Right),
        ("largest", Align::Right),
        ("best on the way, median", Align::Right),
        (if study.reach.is_some() { "to reach" } else { "possible" }, Align::Right),
        ("seconds, median", Align::Right),
        ("least", Align::Right),
        ("largest", Align::Right),
    ]);
    let mut sections = Vec::new();
    for group in &study.groups {
        for (method, of) in group.methods() {
            table.row(row(study, group, method, &of));
        }
        sections.push(curves(group));
    }
    let mut text = String::new();
    table.write(&mut text);
    let mut rows = String::new();
    table.write(&mut rows);
    let first = Section {
        heading: "Results".into(),
        markup: html! { pre { (rows) } },
        plots: by_group(study).into_iter().collect(),
        ..Section::default()
    };
    sections.insert(0, first);
    let groups = study
        .groups
        .iter()
        .map(|group| json!({ "name": group.name, "most": group.most, "trained": group.trained }));
    let _ = writeln!(text);
    Findings {
        title: study.title.clone(),
        lead: study.lead.clone(),
        sections,
        text,
        json: json!({ "groups": groups.collect::<Vec<_>>() }),
    }
}

fn row(study: &Study, group: &Group, method: &str, of: &[&Trained]) -> Vec<String> {
    let short = |x: f64| number(rounded(x));
    let ends = Distribution::of(of.iter().map(|trained| trained.last()).collect());
    let best = Distribution::of(of.iter().map(|trained| trained.best()).collect());
    let samples = of.iter().filter_map(|t| t.curve.last()).map(|point| point.samples as f64);
    let seconds: Vec<f64> = match (study.reach, group.most) {
        // One that never arrived counts as if it took forever.
        (Some(_), Some(reach)) => {
            of.iter().map(|t| t.seconds_to(reach).unwrap_or(f64::INFINITY)).collect()
        }
        _ => of.iter().filter_map(|t| t.curve.last()).map(|point| point.seconds).collect(),
    };
    let seconds = Distribution::of(seconds);
    let told = |x: f64| match (x.is_finite(), study.reach) {
        (false, Some(most)) => format!("more than {most:.0}"),
        _ => fixed(x, 1),
    };
    vec![
        group.name.clone(),
        method.to_owned(),
        of.len().to_string(),
        number(Distribution::of(samples.collect()).median().round()),
        short(ends.mean()),
        short(ends.quantile(0.0)),
        short(ends.quantile(1.0)),
        short(best.median()),
        group.most.map_or_else(String::new, short),
        told(seconds.median()),
        told(seconds.quantile(0.0)),
        told(seconds.quantile(1.0)),
    ]
}

/// Return over samples and over seconds, a line for each training.
fn curves(group: &Group) -> Section {
    let lines = |x: fn(&super::training::Judged) -> f64, title: &str, label: &str| {
        let mut plot = Plot::new(title, label, "mean return");
        for trained in &group.trained {
            let points = trained.curve.iter().map(|point| (x(point), point.mean)).collect();
            plot = plot.line(Series::new(format!("{} {}", trained.method, trained.seed), points));
        }
        plot
    };
    Section {
        heading: group.name.clone(),
        plots: vec![
            lines(|point| point.samples as f64, "Return over samples", "samples"),
            lines(|point| point.seconds, "Return over time", "time [s]"),
        ],
        ..Section::default()
    }
}

/// The return at the end as a part of what is possible, over the groups.
fn by_group(study: &Study) -> Option<Plot> {
    if study.reach.is_some() || study.groups.len() < 2 {
        return None;
    }
    let mut lines: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for (k, group) in study.groups.iter().enumerate() {
        let most = group.most?;
        for (method, of) in group.methods() {
            let mean = Distribution::of(of.iter().map(|trained| trained.last()).collect()).mean();
            let point = ((k + 1) as f64, mean / most);
            match lines.iter_mut().find(|(name, _)| name == method) {
                Some((_, points)) => points.push(point),
                None => lines.push((method.to_owned(), vec![point])),
            }
        }
    }
    let plot = Plot::new("Return at the end, as a part of the largest possible", "links", "part");
    let add = |plot: Plot, (name, points)| plot.line(Series::new(name, points));
    Some(lines.into_iter().fold(plot, add))
}
