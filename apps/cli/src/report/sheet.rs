//! Plots below each other in one SVG file, with a title and a legend.

use std::fmt::Write as _;

use super::Plot;
use super::html::{STYLE, escape};

/// Room for the title, and for the legend under it.
const TITLE: f64 = 30.0;
const LEGEND: f64 = 22.0;
/// Width of a character of the legend.
const CHARACTER: f64 = 6.6;

/// Plots of one matter as a file of its own; the legend is that of the first.
pub(crate) fn sheet(title: &str, plots: &[Plot]) -> String {
    let width = plots.iter().map(|p| p.width_and_height().0).fold(0.0, f64::max);
    let height: f64 = plots.iter().map(|p| p.width_and_height().1).sum::<f64>() + TITLE + LEGEND;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"system-ui, sans-serif\">\n<style>\n{STYLE}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"var(--card)\"/>\n\
         <text x=\"14\" y=\"22\" font-size=\"14\" font-weight=\"600\" fill=\"var(--text)\">{}</text>\n",
        escape(title)
    );
    let mut x = 14.0;
    for key in plots.first().into_iter().flat_map(Plot::keys) {
        let _ = writeln!(
            svg,
            "<path transform=\"translate({x:.1} {TITLE})\" class=\"{}\" d=\"{}\"/>\
             <text class=\"name\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            key.class,
            key.path,
            x + 30.0,
            TITLE + 8.0,
            escape(key.name)
        );
        x += 46.0 + CHARACTER * key.name.chars().count() as f64;
    }
    let mut y = TITLE + LEGEND;
    for plot in plots {
        let (width, height) = plot.width_and_height();
        let _ = writeln!(svg, "<svg y=\"{y}\" width=\"{width}\" height=\"{height}\">");
        plot.write_svg(&mut svg);
        svg.push_str("</svg>\n");
        y += height;
    }
    svg.push_str("</svg>\n");
    svg
}
