//! A cost over two numbers in shades, with marks where searches began, as SVG inside HTML.

use std::fmt::Write as _;

use super::problem::{BOUNDS, TRUTH};
use super::{Landscape, Trials};
use gradbody_report::escape;

/// Size of the drawing and the room around its square; the page scales it.
const SIZE: f64 = 360.0;
const LEFT: f64 = 40.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 42.0;
/// Side of the square.
const SIDE: f64 = SIZE - LEFT - 8.0;
/// Shades, the darkest for the largest error.
const SHADES: usize = 12;

/// Writes the landscape with a disc at each start that came to the truth and a cross at each that did not.
pub(super) fn write(html: &mut String, landscape: &Landscape, trials: &Trials) {
    let (found, all) = (trials.found(), trials.trials.len());
    let title = format!("{}: {found} of {all} reach the truth", trials.name);
    let height = TOP + SIDE + BOTTOM;
    let _ = writeln!(
        html,
        "<figure class=\"plot\">\n<h3>{}</h3>\n\
         <svg viewBox=\"0 0 {SIZE} {height}\" role=\"img\" aria-label=\"{}\">",
        escape(&title),
        escape(&title)
    );
    write_shades(html, landscape);
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
        html,
        "<path class=\"line c2\" style=\"stroke-width:5\" d=\"{discs}\"/>\n\
         <path class=\"line c1\" d=\"{crosses}\"/>\n\
         <circle class=\"line\" style=\"stroke:var(--text)\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"7\"/>"
    );
    write_axes(html);
    html.push_str("</svg>\n</figure>\n");
}

/// Where a pair of lengths is in the drawing.
fn place([first, second]: [f64; 2]) -> (f64, f64) {
    let (low, high) = BOUNDS;
    let share = |length: f64| (length - low) / (high - low) * SIDE;
    (LEFT + share(first), TOP + SIDE - share(second))
}

/// A path for each shade: the cells of a row that have it are drawn in one.
fn write_shades(html: &mut String, Landscape { side, errors }: &Landscape) {
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
            writeln!(html, "<path fill=\"var(--c0)\" fill-opacity=\"{opacity:.3}\" d=\"{path}\"/>");
    }
}

fn write_axes(html: &mut String) {
    let (bottom, right) = (TOP + SIDE, LEFT + SIDE);
    for length in [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0] {
        let (x, y) = place([length, length]);
        let _ = writeln!(
            html,
            "<text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{length}</text>\
             <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{length}</text>",
            bottom + 16.0,
            LEFT - 6.0,
            y + 4.0
        );
    }
    let middle = TOP + SIDE / 2.0;
    let _ = writeln!(
        html,
        "<path class=\"axis\" d=\"M{LEFT} {TOP}V{bottom}H{right}\"/>\n\
         <text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">upper link [m]</text>\n\
         <text class=\"name\" transform=\"translate(13 {middle:.1}) rotate(-90)\" text-anchor=\"middle\">lower link [m]</text>",
        LEFT + SIDE / 2.0,
        bottom + 36.0
    );
}
