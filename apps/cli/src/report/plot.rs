//! Line plots as SVG inside HTML.
//!
//! The drawing has only shapes, positions and class names; colours and strokes are the style
//! sheet's. The heading, legend and caption are HTML around it, so that they wrap on narrow screens.

use std::fmt::Write as _;

use super::html::{STYLE, escape};
use super::ticks::{Tick, linear, powers_of_ten};

/// Size of the drawing; the page scales it.
const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 280.0;
const TOP: f64 = 12.0;
const RIGHT: f64 = 14.0;
const BOTTOM: f64 = 44.0;
/// Width of a character of a tick's label, at its size on narrow screens.
const CHARACTER: f64 = 8.2;
/// Points a line needs at most: about two for each pixel of a wide screen.
const MAX_POINTS: usize = 1200;

/// A plot of lines over a common axis, usually the time.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    title: String,
    x: String,
    y: String,
    caption: String,
    logarithmic: bool,
    follows_time: bool,
    series: Vec<Series>,
    /// Places on the x axis, and what is there.
    marks: Vec<(f64, String)>,
}

/// One line.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    dashed: bool,
}

impl Series {
    /// A line through points.
    pub(crate) fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Series { name: name.into(), points, dashed: false }
    }

    /// The same line dashed, as for what is expected, or what hides another line.
    pub(crate) fn dashed(mut self) -> Self {
        self.dashed = true;
        self
    }
}

impl Plot {
    /// An empty plot; axes are named with their unit, as `time [s]`.
    pub(crate) fn new(
        title: impl Into<String>,
        x: impl Into<String>,
        y: impl Into<String>,
    ) -> Self {
        Plot {
            title: title.into(),
            x: x.into(),
            y: y.into(),
            caption: String::new(),
            logarithmic: false,
            follows_time: false,
            series: vec![],
            marks: vec![],
        }
    }

    /// With a line more. The first six have colours of their own.
    pub(crate) fn line(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// With powers of ten up the side. Values that are not positive are left out.
    pub(crate) fn logarithmic(mut self) -> Self {
        self.logarithmic = true;
        self
    }

    /// With a mark at the time that the section's animation shows.
    pub(crate) fn follows_time(mut self) -> Self {
        self.follows_time = true;
        self
    }

    /// With a line up from a place on the x axis, and what is there.
    pub(crate) fn mark(mut self, x: f64, label: impl Into<String>) -> Self {
        self.marks.push((x, label.into()));
        self
    }

    /// With a sentence below that says what is to be seen.
    pub(crate) fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// Writes it to the end of `html`.
    pub(super) fn write(&self, html: &mut String) {
        let _ = writeln!(html, "<figure class=\"plot\">\n<h3>{}</h3>", escape(&self.title));
        if self.series.len() > 1 {
            html.push_str("<ul class=\"legend\">");
            for (i, series) in self.series.iter().enumerate() {
                let class = series.class(i);
                let key = format!(
                    "<svg viewBox=\"0 0 24 8\" aria-hidden=\"true\"><path class=\"{class}\" d=\"M1 4H23\"/></svg>"
                );
                let _ = write!(html, "<li>{key}{}</li>", escape(&series.name));
            }
            html.push_str("</ul>\n");
        }
        self.write_svg(html);
        if !self.caption.is_empty() {
            let _ = writeln!(html, "<figcaption>{}</figcaption>", escape(&self.caption));
        }
        html.push_str("</figure>\n");
    }

    /// The drawing with its title and colours, as a file of its own. Lines have no legend there.
    pub(crate) fn svg(&self) -> String {
        /// Room for the title.
        const HEAD: f64 = 30.0;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {}\" \
             font-family=\"system-ui, sans-serif\">\n<style>\n{STYLE}</style>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"var(--card)\"/>\n\
             <text x=\"14\" y=\"22\" font-size=\"14\" font-weight=\"600\" fill=\"var(--text)\">{}</text>\n\
             <svg y=\"{HEAD}\" width=\"{WIDTH}\" height=\"{HEIGHT}\">\n",
            HEIGHT + HEAD,
            escape(&self.title)
        );
        self.write_svg(&mut svg);
        svg.push_str("</svg>\n</svg>\n");
        svg
    }

    fn write_svg(&self, svg: &mut String) {
        let lines: Vec<Vec<(f64, f64)>> = self.series.iter().map(|s| self.drawable(s)).collect();
        let all = || lines.iter().flatten();
        let Some(x_range) = range(all().map(|p| p.0), 0.0) else {
            svg.push_str("<p class=\"empty\">no values to draw</p>\n");
            return;
        };
        let y_range = range(all().map(|p| p.1), 0.06).unwrap_or((0.0, 1.0));
        let x_ticks = linear(x_range.0, x_range.1, 6);
        let y_ticks = match self.logarithmic {
            true => powers_of_ten(y_range.0, y_range.1, 6),
            false => linear(y_range.0, y_range.1, 5),
        };
        let longest = y_ticks.iter().map(|t| t.label.chars().count()).max().unwrap_or(0);
        let frame = Frame { left: longest as f64 * CHARACTER + 26.0, x_range, y_range };

        let title = escape(&self.title);
        let _ = writeln!(
            svg,
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">"
        );
        self.write_axes(svg, &frame, &x_ticks, &y_ticks);
        for (i, (series, line)) in self.series.iter().zip(&lines).enumerate() {
            let _ =
                writeln!(svg, "<path class=\"{}\" d=\"{}\"/>", series.class(i), frame.path(line));
        }
        for (x, label) in &self.marks {
            let (at, bottom) = (frame.x(*x), HEIGHT - BOTTOM);
            // On the side where there is room.
            let (anchor, text) =
                if at > WIDTH / 2.0 { ("end", at - 6.0) } else { ("start", at + 6.0) };
            let _ = writeln!(
                svg,
                "<line class=\"mark\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom:.1}\"/>\
                 <text class=\"tick\" x=\"{text:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                TOP + 12.0,
                escape(label)
            );
        }
        if self.follows_time {
            // The script moves it: x = left + (t − from) · scale.
            let scale = (frame.x(x_range.1) - frame.x(x_range.0)) / (x_range.1 - x_range.0);
            let _ = writeln!(
                svg,
                "<line class=\"playhead\" data-left=\"{:.2}\" data-from=\"{}\" data-scale=\"{:.4}\" \
                 x1=\"-9\" x2=\"-9\" y1=\"{TOP}\" y2=\"{:.1}\"/>",
                frame.left,
                x_range.0,
                scale,
                HEIGHT - BOTTOM
            );
        }
        svg.push_str("</svg>\n");
    }

    /// The points of a line that can be drawn, y as an exponent on a logarithmic axis; a gap is a
    /// point that is not finite.
    fn drawable(&self, series: &Series) -> Vec<(f64, f64)> {
        let y = |y: f64| match self.logarithmic {
            true if y > 0.0 => y.log10(),
            true => f64::NAN,
            false => y,
        };
        thinned(series.points.iter().map(|(x, value)| (*x, y(*value))).collect())
    }

    fn write_axes(&self, svg: &mut String, frame: &Frame, x_ticks: &[Tick], y_ticks: &[Tick]) {
        let (left, right, bottom) = (frame.left, WIDTH - RIGHT, HEIGHT - BOTTOM);
        for Tick { at, label } in y_ticks {
            let y = frame.y(*at);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{left:.1}\" x2=\"{right:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                left - 7.0,
                y + 4.0
            );
        }
        for Tick { at, label } in x_ticks {
            let x = frame.x(*at);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom:.1}\"/>\
                 <text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
                bottom + 17.0
            );
        }
        let middle = (TOP + bottom) / 2.0;
        let _ = writeln!(
            svg,
            "<path class=\"axis\" d=\"M{left:.1} {TOP}V{bottom:.1}H{right:.1}\"/>\n\
             <text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
             <text class=\"name\" transform=\"translate(13 {middle:.1}) rotate(-90)\" \
             text-anchor=\"middle\">{}</text>",
            (left + right) / 2.0,
            HEIGHT - 6.0,
            escape(&self.x),
            escape(&self.y)
        );
    }
}

impl Series {
    fn class(&self, place: usize) -> String {
        format!("line c{}{}", place % 6, if self.dashed { " dashed" } else { "" })
    }
}

/// Where values are in the drawing.
struct Frame {
    left: f64,
    x_range: (f64, f64),
    y_range: (f64, f64),
}

impl Frame {
    fn x(&self, x: f64) -> f64 {
        let (from, to) = self.x_range;
        self.left + (x - from) / (to - from) * (WIDTH - RIGHT - self.left)
    }

    fn y(&self, y: f64) -> f64 {
        let (from, to) = self.y_range;
        HEIGHT - BOTTOM - (y - from) / (to - from) * (HEIGHT - BOTTOM - TOP)
    }

    fn path(&self, points: &[(f64, f64)]) -> String {
        let mut path = String::with_capacity(points.len() * 12);
        let mut pen_up = true;
        for (x, y) in points {
            if !(x.is_finite() && y.is_finite()) {
                pen_up = true;
                continue;
            }
            let command = if pen_up { 'M' } else { 'L' };
            let _ = write!(path, "{command}{:.1} {:.1}", self.x(*x), self.y(*y));
            pen_up = false;
        }
        path
    }
}

/// The range of the finite values, widened by a share of it at both ends; never empty.
fn range(values: impl Iterator<Item = f64>, margin: f64) -> Option<(f64, f64)> {
    let (low, high) = values
        .filter(|x| x.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let width = high - low;
    match width {
        w if !w.is_finite() => None,
        // A constant: room for its own size, so that its ticks are not rounding.
        w if w <= 1e-12 * high.abs().max(low.abs()) => {
            let room = if high == 0.0 { 1.0 } else { 0.5 * high.abs() };
            Some((low - room, high + room))
        }
        w => Some((low - margin * w, high + margin * w)),
    }
}

/// The same line with fewer points: of every stretch the lowest and the highest, so that no peak is
/// lost.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    if points.len() <= MAX_POINTS {
        return points;
    }
    let stretch = points.len().div_ceil(MAX_POINTS / 2);
    let mut kept = Vec::with_capacity(MAX_POINTS + 2);
    for part in points.chunks(stretch) {
        let by_height = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let (Some(low), Some(high)) =
            (part.iter().min_by(by_height), part.iter().max_by(by_height))
        else {
            continue;
        };
        let (first, second) = if low.0 <= high.0 { (low, high) } else { (high, low) };
        kept.push(*first);
        if second.0 != first.0 {
            kept.push(*second);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{Plot, Series, thinned};

    fn html(plot: &Plot) -> String {
        let mut html = String::new();
        plot.write(&mut html);
        html
    }

    #[test]
    fn a_plot_draws_its_lines_and_escapes_its_words() {
        let wave = (0..100).map(|i| f64::from(i) * 0.1).map(|t| (t, t.sin())).collect();
        let plot =
            Plot::new("a < b", "time [s]", "y").line(Series::new("one", wave)).follows_time();
        let html = html(&plot);
        assert!(html.contains("a &lt; b") && html.contains("class=\"line c0\""));
        assert!(html.contains("playhead") && !html.contains("NaN"));
    }

    #[test]
    fn gaps_constants_and_nothing_are_no_trouble() {
        let gap = vec![(0.0, 1.0), (1.0, f64::NAN), (2.0, 2.0)];
        assert_eq!(html(&Plot::new("", "", "").line(Series::new("", gap))).matches('M').count(), 3);
        let constant = vec![(0.0, 5.0), (1.0, 5.0)];
        assert!(!html(&Plot::new("", "", "").line(Series::new("", constant))).contains("NaN"));
        let zeros = vec![(0.0, 0.0), (1.0, 0.0)];
        let plot = Plot::new("", "", "").logarithmic().line(Series::new("", zeros));
        assert!(!html(&plot).contains("NaN"));
        assert!(html(&Plot::new("", "", "")).contains("no values"));
    }

    #[test]
    fn thinning_keeps_peaks() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|i| (f64::from(i), 0.0)).collect();
        points[54_321].1 = 1.0;
        let few = thinned(points);
        assert!(few.len() < 1300 && few.iter().any(|p| p.1 == 1.0));
    }
}
