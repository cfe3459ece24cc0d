//! A heat map of a cost over two numbers, with marks where searches started, as SVG inside HTML.

use std::fmt::Write as _;

use super::problem::{BOUNDS, TRUTH};
use super::{Landscape, Trials};
use gradbody_report::escape;
use maud::{Markup, PreEscaped, html};

/// Size of the drawing and the margins around its square; the page scales it.
const SIZE: f64 = 360.0;
const LEFT: f64 = 40.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 42.0;
/// Side of the square.
const SIDE: f64 = SIZE - LEFT - 8.0;
/// Shades, the darkest for the largest error.
const SHADES: usize = 12;

/// The landscape with a disc at each start that reached the truth and a cross at each other start.
pub(super) fn figure(landscape: &Landscape, trials: &Trials) -> Markup {
    let (found, all) = (trials.found(), trials.trials.len());
    let title = format!("{}: {found} of {all} reach the truth", trials.name);
    html! {
        figure.plot {
            h3 { (title) }
            (PreEscaped(drawing(&title, landscape, trials)))
        }
    }
}

fn drawing(title: &str, landscape: &Landscape, trials: &Trials) -> String {
    let height = TOP + SIDE + BOTTOM;
    let title = escape(title);
    let mut svg =
        format!("<svg viewBox=\"0 0 {SIZE} {height}\" role=\"img\" aria-label=\"{title}\">\n");
    write_shades(&mut svg, landscape);
    let mut discs = String::new();
    let mut crosses = String::new();
    for trial in &trials.trials {
        let (x, y) = place(trial.start);
        let _ = match trial.found() {
            true => write!(discs, "M{x:.1} {y:.1}h0"),
            false => write!(crosses, "M{:.1} {:.1}l6 6m0-6l-6 6", x - 3.0, y - 3.0),
        };
    }
    let (x, y) = place(TRUTH);
    let _ = writeln!(
        svg,
        "<path class=\"line c2\" style=\"stroke-width:5\" d=\"{discs}\"/>\n\
         <path class=\"line c1\" d=\"{crosses}\"/>\n\
         <circle class=\"line\" style=\"stroke:var(--text)\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"7\"/>"
    );
    write_axes(&mut svg);
    svg.push_str("</svg>\n");
    svg
}

/// Position of a pair of lengths in the drawing.
fn place([first, second]: [f64; 2]) -> (f64, f64) {
    let (low, high) = BOUNDS;
    let share = |length: f64| (length - low) / (high - low) * SIDE;
    (LEFT + share(first), TOP + SIDE - share(second))
}

/// One path per shade; adjacent cells of the same shade in a row are drawn as one rectangle.
fn write_shades(svg: &mut String, Landscape { side, errors }: &Landscape) {
    let logs: Vec<f64> = errors.iter().map(|e| e.max(1e-12).log10()).collect();
    let finite = || logs.iter().copied().filter(|x| x.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::MIN, f64::max));
    let shade = |log: f64| match log.is_finite() {
        true => ((log - low) / (high - low).max(1e-9) * SHADES as f64) as usize,
        false => SHADES,
    };
    let mut paths = vec![String::new(); SHADES + 1];
    let cell = SIDE / *side as f64;
    for (row, logs) in logs.chunks(*side).enumerate() {
        let mut column = 0;
        for run in logs.chunk_by(|a, b| shade(*a) == shade(*b)) {
            let (x, y) = (LEFT + column as f64 * cell, TOP + SIDE - (row + 1) as f64 * cell);
            let wide = run.len() as f64 * cell;
            let _ = write!(paths[shade(run[0])], "M{x:.1} {y:.1}h{wide:.1}v{cell:.1}h-{wide:.1}z");
            column += run.len();
        }
    }
    for (k, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        let opacity = 0.75 * k as f64 / SHADES as f64;
        let _ =
            writeln!(svg, "<path fill=\"var(--c0)\" fill-opacity=\"{opacity:.3}\" d=\"{path}\"/>");
    }
}

fn write_axes(svg: &mut String) {
    let (bottom, right) = (TOP + SIDE, LEFT + SIDE);
    for length in [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0] {
        let (x, y) = place([length, length]);
        let _ = writeln!(
            svg,
            "<text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{length}</text>\
             <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{length}</text>",
            bottom + 16.0,
            LEFT - 6.0,
            y + 4.0
        );
    }
    let middle = TOP + SIDE / 2.0;
    let _ = writeln!(
        svg,
        "<path class=\"axis\" d=\"M{LEFT} {TOP}V{bottom}H{right}\"/>\n\
         <text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">upper link [m]</text>\n\
         <text class=\"name\" transform=\"translate(13 {middle:.1}) rotate(-90)\" text-anchor=\"middle\">lower link [m]</text>",
        LEFT + SIDE / 2.0,
        bottom + 36.0
    );
}
