//! Draws pushes as in the paper: the measured outlines, and the predicted outlines at the end.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Split;
use super::errors::{INSTANTS, Path, instants, measured};
use super::fits;
use super::measured::{Body, Push, turned};
use super::results::{DISSIPATIVE, NETWORK, TUNED, Way};
use gradbody_report::escape;
use maud::{Markup, PreEscaped, html};

/// Number of drawn pushes, and the drawn models by their place in the list of ways.
const DRAWN: usize = 6;
const MODELS: [usize; 3] = [TUNED, NETWORK, DISSIPATIVE];
/// Width of a drawing on the page, and the margin around a body [m].
const WIDTH: f64 = 340.0;
const MARGIN: f64 = 0.01;
/// Length of the bar that shows the scale [m].
const BAR: f64 = 0.02;
/// Instants from one drawn measured outline to the next.
const EVERY: usize = 8;

/// Drawings of pushes of the new shape, evenly spaced in the list.
pub(super) fn pushes(bodies: &BTreeMap<String, Body>, split: &Split, ways: &[Way]) -> Markup {
    let step = split.test.len().div_ceil(DRAWN).max(1);
    let drawn = split.test.iter().step_by(step).filter_map(|push| {
        let paths = MODELS.map(|k| ways.get(k).and_then(|way| path(way, push)));
        Some(PreEscaped(drawing(bodies.get(&push.shape)?, push, &paths)))
    });
    let name = |k: usize| ways.get(k).map_or("", |way| way.name);
    html! {
        div style="display:flex;flex-wrap:wrap;gap:12px" { @for drawing in drawn { (drawing) } }
        p {
            "Measured outlines are grey, filled at the end of the push. The dashed line is the path of the tip, the "
            "circle its end. Predicted outlines at the end: "
            @for k in MODELS { span style={ "color:var(--c" (k) ")" } { "▬ " (name(k)) } " " }
        }
    }
}

fn path<'a>(way: &'a Way, push: &Push) -> Option<&'a Path> {
    way.judged.first()?.test.get(&push.name)?.as_ref()
}

fn drawing(body: &Body, push: &Push, paths: &[Option<&Path>]) -> String {
    let there = measured(push);
    let at: Vec<usize> = instants(there.len()).collect();
    let tips: Vec<[f64; 2]> =
        push.samples[fits::begin(&push.samples)..].iter().map(|sample| sample.tip).collect();
    let ends = paths.iter().flatten().filter_map(|path| path.last()).copied();
    let shown: Vec<Vec<[f64; 2]>> =
        ends.chain([there[0], there[there.len() - 1]]).map(|pose| placed(body, pose)).collect();
    let all = shown.iter().flatten().chain(&tips);
    let mut low = [f64::INFINITY; 2];
    let mut high = [f64::NEG_INFINITY; 2];
    for point in all {
        for k in 0..2 {
            low[k] = low[k].min(point[k] - MARGIN);
            high[k] = high[k].max(point[k] + MARGIN);
        }
    }
    let scale = WIDTH / (high[0] - low[0]);
    let height = scale * (high[1] - low[1]);
    let to_page = |[x, y]: [f64; 2]| (scale * (x - low[0]), height - scale * (y - low[1]));
    let line = |points: &[[f64; 2]]| {
        points.iter().fold(String::new(), |mut text, point| {
            let (x, y) = to_page(*point);
            let _ = write!(text, "{x:.1},{y:.1} ");
            text
        })
    };
    let mut svg = format!(
        r#"<svg viewBox="0 0 {WIDTH} {height:.0}" width="{WIDTH}" height="{height:.0}" role="img" aria-label="{}">"#,
        escape(&push.name)
    );
    for k in at.iter().step_by(EVERY) {
        let outline = line(&placed(body, there[*k]));
        let _ = write!(
            svg,
            r#"<polygon points="{outline}" fill="none" stroke="currentColor" opacity="0.25"/>"#
        );
    }
    let outline = line(&placed(body, there[at[INSTANTS]]));
    let _ = write!(svg, r#"<polygon points="{outline}" fill="currentColor" opacity="0.18"/>"#);
    for (k, path) in MODELS.into_iter().zip(paths) {
        if let Some(pose) = path.and_then(|path| path.last()) {
            let outline = line(&placed(body, *pose));
            let _ = write!(
                svg,
                r#"<polygon points="{outline}" fill="none" stroke="var(--c{k})" stroke-width="2"/>"#
            );
        }
    }
    let (x, y) = to_page(tips[tips.len() - 1]);
    let _ = write!(
        svg,
        r#"<polyline points="{}" fill="none" stroke="currentColor" stroke-dasharray="4 3"/><circle cx="{x:.1}" cy="{y:.1}" r="{:.1}" fill="none" stroke="currentColor"/>"#,
        line(&tips),
        scale * body.tip_radius
    );
    let (end, bottom) = (6.0 + scale * BAR, height - 6.0);
    let _ = write!(
        svg,
        r#"<path d="M6 {bottom:.1}H{end:.1}" stroke="currentColor" stroke-width="3"/><text x="6" y="{:.1}" font-size="11" fill="currentColor">{:.0} mm</text></svg>"#,
        bottom - 5.0,
        1e3 * BAR
    );
    svg
}

/// An outline at a pose.
fn placed(body: &Body, [x, y, yaw]: [f64; 3]) -> Vec<[f64; 2]> {
    let corner = |corner: &[f64; 2]| {
        let [a, b] = turned(*corner, yaw);
        [x + a, y + b]
    };
    body.outline.iter().map(corner).collect()
}
