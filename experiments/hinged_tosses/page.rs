//! The results as a table, JSON and a plot.

use std::fmt::Write as _;

use maud::html;
use serde_json::json;

use super::{Extent, OUTLIERS, Repeat, TRUTH};
use crate::Findings;
use crate::distribution::Distribution;
use gradbody_report::text::{Align, Table, fixed, number, rounded};
use gradbody_report::{Plot, Section, Series};

/// 95 % of normal numbers are within this many standard deviations, and 68 % within one.
const NORMAL_95: f64 = 1.959_964;
const NORMAL_68: f64 = 1.0;

pub(super) fn outcome(extent: Extent, repeats: &[Repeat]) -> Findings {
    let mut text = String::new();
    let mut sections = Vec::new();
    let mut summaries = Vec::new();
    for (outliers, title) in [(0.0, "Normal noise"), (OUTLIERS, "5 % outliers")] {
        let of: Vec<&Repeat> = repeats.iter().filter(|r| r.outliers == outliers).collect();
        let errors: Vec<f64> = of.iter().flat_map(|r| r.errors()).map(|(_, error)| error).collect();
        let (covered, near) = (share(&errors, NORMAL_95), share(&errors, NORMAL_68));
        let worst = errors.iter().fold(0.0, |worst: f64, e| worst.max(e.abs()));
        let seconds = Distribution::of(of.iter().map(|r| r.seconds).collect());
        let _ = writeln!(text, "{title}: {} fits to {} tosses each", of.len(), extent.tosses);
        let table = table(&of);
        table.write(&mut text);
        let sentence = format!(
            "{} of {} stated 95 % intervals cover the truth ({} %), and {} % of the 68 % intervals; the largest error is {} \
             standard deviations; a fit takes {} s (median)",
            errors.iter().filter(|e| e.abs() < NORMAL_95).count(),
            errors.len(),
            fixed(100.0 * covered, 1),
            fixed(100.0 * near, 1),
            fixed(worst, 1),
            fixed(seconds.median(), 1)
        );
        let _ = writeln!(text, "{sentence}\n");
        sections.push(section(title, &sentence, &table, &errors));
        summaries.push(json!({
            "outliers": outliers, "intervals": errors.len(), "covered": covered, "covered_68": near, "worst": worst,
            "seconds": seconds.json(),
        }));
    }
    Findings {
        title: "Tosses of two boxes on a hinge".into(),
        lead: "Simulated tosses with the noise of a camera, fitted again and again: are the true numbers found, and do \
               the stated uncertainties cover them?"
            .into(),
        sections,
        text,
        json: json!({ "tosses": extent.tosses, "repeats": repeats, "summaries": summaries }),
    }
}

/// The share of errors within this many standard deviations.
fn share(errors: &[f64], within: f64) -> f64 {
    errors.iter().filter(|e| e.abs() < within).count() as f64 / errors.len().max(1) as f64
}

fn table(repeats: &[&Repeat]) -> Table {
    let mut table = Table::new(&[
        ("parameter", Align::Left),
        ("truth", Align::Right),
        ("mean of fits", Align::Right),
        ("their spread", Align::Right),
        ("stated ± (mean)", Align::Right),
        ("95 % intervals that cover", Align::Right),
        ("68 %", Align::Right),
    ]);
    for (k, (name, truth)) in TRUTH.iter().enumerate() {
        let values: Vec<f64> = repeats.iter().map(|r| r.found[k].0).collect();
        let stated: Vec<f64> = repeats.iter().filter_map(|r| r.found[k].1).collect();
        let errors: Vec<f64> =
            repeats.iter().flat_map(|r| r.errors()).filter(|(i, _)| *i == k).map(|e| e.1).collect();
        let mean = Distribution::of(values.clone()).mean();
        let squares = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        let spread = (squares / (values.len().max(2) - 1) as f64).sqrt();
        let short = |x: f64| number(rounded(x));
        table.row(vec![
            (*name).to_owned(),
            number(*truth),
            short(mean),
            short(spread),
            short(Distribution::of(stated).mean()),
            format!(
                "{} of {}",
                errors.iter().filter(|e| e.abs() < NORMAL_95).count(),
                errors.len()
            ),
            format!("{} %", fixed(100.0 * share(&errors, NORMAL_68), 0)),
        ]);
    }
    table
}

/// How often errors of each size occur, beside what a normal distribution has.
fn section(title: &str, sentence: &str, table: &Table, errors: &[f64]) -> Section {
    let (bins, width) = (24, 0.5);
    let most = 0.5 * f64::from(bins) * width;
    let bin = |k: i32| -most + (f64::from(k) + 0.5) * width;
    let count = |middle: f64| errors.iter().filter(|e| (*e - middle).abs() <= 0.5 * width).count();
    let found = (0..bins).map(|k| (bin(k), count(bin(k)) as f64)).collect();
    let density = |x: f64| (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
    let whole = errors.len() as f64 * width;
    let expected = (0..bins).map(|k| (bin(k), whole * density(bin(k)))).collect();
    let plot = Plot::new("Errors in stated standard deviations", "error / ±", "fits")
        .line(Series::new("found", found))
        .line(Series::new("if the stated ± are right", expected).dashed());
    let mut rows = String::new();
    table.write(&mut rows);
    Section {
        heading: title.into(),
        text: vec![format!("{sentence}.")],
        plots: vec![plot],
        markup: html! { pre { (rows) } },
        ..Section::default()
    }
}
