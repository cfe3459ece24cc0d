//! Line plots as SVG inside HTML.
//!
//! The drawing has only shapes, positions and class names; colours and strokes are the style
//! sheet's. The heading, legend and caption are HTML around it, so that they wrap on narrow screens.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, Render, html};

use super::frame::{BOTTOM, Frame, RIGHT, TOP, range, thinned};
use super::html::{STYLE, escape};
use super::ticks::{Tick, linear, logarithmic};

/// Size of the drawing; the page scales it.
const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 280.0;
/// Width of a character of a tick's label, at its size on narrow screens.
const CHARACTER: f64 = 8.2;
/// Points a line needs at most: about two for each pixel of a wide screen.
const MAX_POINTS: usize = 1200;

/// A plot of lines over a common axis, usually the time.
#[derive(Clone, Debug)]
pub struct Plot {
    title: String,
    x: String,
    y: String,
    caption: String,
    logarithmic: bool,
    logarithmic_x: bool,
    follows_time: bool,
    series: Vec<Series>,
    /// Marked values on the x axis, and their labels.
    marks: Vec<(f64, String)>,
    width: f64,
    height: f64,
    /// Least room for the labels at the left.
    margin: f64,
    /// Range of the y axis that is shown; lines beyond it are cut off.
    y_limits: Option<(f64, f64)>,
    whole_x: bool,
    shows_values: bool,
    max_points: usize,
}

/// One line.
#[derive(Clone, Debug)]
pub struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    dashed: bool,
    dots: bool,
    paint: Option<&'static str>,
}

impl Series {
    /// A line through points.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Series { name: name.into(), points, dashed: false, dots: false, paint: None }
    }

    /// The same line dashed, for expected values or a line that hides another.
    pub fn dashed(mut self) -> Self {
        self.dashed = true;
        self
    }

    /// The points alone, for measured values.
    pub fn dots(mut self) -> Self {
        self.dots = true;
        self
    }

    /// With the colour of a class of the style sheet, instead of the colour of its position.
    pub fn paint(mut self, class: &'static str) -> Self {
        self.paint = Some(class);
        self
    }
}

impl Plot {
    /// An empty plot; axes are named with their unit, as `time [s]`.
    pub fn new(title: impl Into<String>, x: impl Into<String>, y: impl Into<String>) -> Self {
        Plot {
            title: title.into(),
            x: x.into(),
            y: y.into(),
            caption: String::new(),
            logarithmic: false,
            logarithmic_x: false,
            follows_time: false,
            series: vec![],
            marks: vec![],
            width: WIDTH,
            height: HEIGHT,
            margin: 0.0,
            y_limits: None,
            whole_x: false,
            shows_values: false,
            max_points: MAX_POINTS,
        }
    }

    /// With another line. The first six have different colours.
    pub fn line(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// With a logarithmic y axis. Values that are not positive are left out.
    pub fn logarithmic(mut self) -> Self {
        self.logarithmic = true;
        self
    }

    /// With a logarithmic x axis. Not for plots with marks, or with values under the pointer.
    pub fn logarithmic_x(mut self) -> Self {
        self.logarithmic_x = true;
        self
    }

    /// With a mark at the time that the section's animation shows.
    pub fn follows_time(mut self) -> Self {
        self.follows_time = true;
        self
    }

    /// With a vertical line at a value on the x axis, and its label.
    pub fn mark(mut self, x: f64, label: impl Into<String>) -> Self {
        self.marks.push((x, label.into()));
        self
    }

    /// With a sentence below that explains the plot.
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// With another size of the drawing, which the page scales: a narrow one has larger letters.
    pub fn size(mut self, width: f64, height: f64) -> Self {
        (self.width, self.height) = (width, height);
        self
    }

    /// With at least this much room at the left, so that plots below each other are aligned.
    pub fn margin(mut self, margin: f64) -> Self {
        self.margin = margin;
        self
    }

    /// With only a part of the y axis. Not for logarithmic axes.
    pub fn y_limits(mut self, limits: Option<(f64, f64)>) -> Self {
        self.y_limits = limits;
        self
    }

    /// With whole numbers on the x axis.
    pub fn whole_x(mut self) -> Self {
        self.whole_x = true;
        self
    }

    /// With what a script needs to show the values under the pointer.
    pub fn shows_values(mut self) -> Self {
        self.shows_values = true;
        self
    }

    /// With at most about this many points in a line.
    pub fn max_points(mut self, points: usize) -> Self {
        self.max_points = points.clamp(2, MAX_POINTS);
        self
    }

    /// The room at the left that its labels need.
    pub(crate) fn needed_margin(&self) -> f64 {
        self.layout(&self.lines()).map_or(0.0, |(frame, ..)| frame.left)
    }

    /// The legend, if there are several lines; a line without a name is left out.
    pub(crate) fn legend(&self) -> Markup {
        let named = self.series.iter().enumerate().filter(|(_, series)| !series.name.is_empty());
        html! {
            @if self.series.len() > 1 {
                ul.legend {
                    @for (i, series) in named {
                        li {
                            svg viewBox="0 0 24 8" aria-hidden="true" {
                                path class=(series.class(i)) d=(series.sample()) {}
                            }
                            (series.name)
                        }
                    }
                }
            }
        }
    }

    /// The drawing with its title and colours, as a file of its own. Lines have no legend there.
    pub fn svg(&self) -> String {
        /// Room for the title.
        const HEAD: f64 = 30.0;
        let width = self.width;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {}\" \
             font-family=\"system-ui, sans-serif\">\n<style>\n{STYLE}</style>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"var(--card)\"/>\n\
             <text x=\"14\" y=\"22\" font-size=\"14\" font-weight=\"600\" fill=\"var(--text)\">{}</text>\n\
             <svg y=\"{HEAD}\" width=\"{width}\" height=\"{}\">\n",
            self.height + HEAD,
            escape(&self.title),
            self.height
        );
        svg.push_str(&self.drawing().into_string());
        svg.push_str("</svg>\n</svg>\n");
        svg
    }

    fn lines(&self) -> Vec<Vec<(f64, f64)>> {
        self.series.iter().map(|s| self.drawable(s)).collect()
    }

    /// Where values are, and the marks of both axes; none without values.
    fn layout(&self, lines: &[Vec<(f64, f64)>]) -> Option<(Frame, Vec<Tick>, Vec<Tick>)> {
        let all = || lines.iter().flatten();
        let x_range = range(all().map(|p| p.0), 0.0)?;
        let y_range = range(all().map(|p| p.1), 0.06).unwrap_or((0.0, 1.0));
        let y_range = self.y_limits.unwrap_or(y_range);
        // As many as there is room for.
        let chars =
            |ticks: &[Tick]| ticks.iter().map(|t| t.label.chars().count() + 1).sum::<usize>();
        let crowded = |ticks: &[Tick]| chars(ticks) as f64 * CHARACTER > self.width - 60.0;
        let mut x_ticks = match self.logarithmic_x {
            true => logarithmic(x_range.0, x_range.1, 6),
            false => linear(x_range.0, x_range.1, 6),
        };
        for count in (2..6).rev() {
            if crowded(&x_ticks) && !self.logarithmic_x {
                x_ticks = linear(x_range.0, x_range.1, count);
            }
        }
        if self.whole_x {
            x_ticks.retain(|tick| tick.at.fract() == 0.0);
        }
        // Low drawings have room for fewer.
        let count = ((self.height - TOP - BOTTOM) / 40.0).round().clamp(2.0, 6.0) as usize;
        let y_ticks = match self.logarithmic {
            true => logarithmic(y_range.0, y_range.1, count.min(6)),
            false => linear(y_range.0, y_range.1, count.min(5)),
        };
        let longest = y_ticks.iter().map(|t| t.label.chars().count()).max().unwrap_or(0);
        let left = (longest as f64 * CHARACTER + 26.0).max(self.margin);
        Some((
            Frame { left, width: self.width, height: self.height, x_range, y_range },
            x_ticks,
            y_ticks,
        ))
    }

    /// The drawing alone.
    pub(crate) fn drawing(&self) -> Markup {
        let lines = self.lines();
        match self.layout(&lines) {
            Some((frame, x_ticks, y_ticks)) => {
                let mut svg = String::new();
                self.write_svg(&mut svg, &lines, &frame, (&x_ticks, &y_ticks));
                PreEscaped(svg)
            }
            None => html! { p.empty { "no values to draw" } },
        }
    }

    fn write_svg(
        &self,
        svg: &mut String,
        lines: &[Vec<(f64, f64)>],
        frame: &Frame,
        (x_ticks, y_ticks): (&[Tick], &[Tick]),
    ) {
        let (width, height, x_range) = (self.width, self.height, frame.x_range);

        let title = escape(&self.title);
        let _ = writeln!(
            svg,
            "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\"{}>",
            self.for_script(frame)
        );
        self.write_axes(svg, frame, x_ticks, y_ticks);
        if self.y_limits.is_some() {
            // An SVG inside an SVG is cut off at its edges.
            let (left, width) = (frame.left, self.width - RIGHT - frame.left + 4.0);
            let high = height - BOTTOM - TOP;
            let _ = writeln!(
                svg,
                "<svg x=\"{left:.1}\" y=\"{TOP}\" width=\"{width:.1}\" height=\"{high:.1}\" \
                 viewBox=\"{left:.1} {TOP} {width:.1} {high:.1}\">"
            );
        }
        for (i, (series, line)) in self.series.iter().zip(lines).enumerate() {
            let path = match series.dots {
                true => frame.dots(line),
                false => frame.path(line),
            };
            let name = match self.shows_values {
                true => format!(" data-name=\"{}\"", escape(&series.name)),
                false => String::new(),
            };
            let _ = writeln!(svg, "<path class=\"{}\"{name} d=\"{path}\"/>", series.class(i));
        }
        if self.y_limits.is_some() {
            svg.push_str("</svg>\n");
        }
        for (i, (x, label)) in self.marks.iter().enumerate() {
            let (at, bottom) = (frame.x(*x), height - BOTTOM);
            // On the side where there is room.
            let (anchor, text) =
                if at > self.width / 2.0 { ("end", at - 6.0) } else { ("start", at + 6.0) };
            let _ = writeln!(
                svg,
                "<line class=\"mark\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom:.1}\"/>\
                 <text class=\"tick\" x=\"{text:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                // Labels of marks that are near do not cover each other.
                TOP + 12.0 + 15.0 * i as f64,
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
                height - BOTTOM
            );
        }
        svg.push_str("</svg>\n");
    }

    /// What a script needs to turn places back into values: the axes, pixels first.
    fn for_script(&self, frame: &Frame) -> String {
        if !self.shows_values {
            return String::new();
        }
        let (x, y) = (frame.x_range, frame.y_range);
        format!(
            " class=\"hover\" data-x=\"{:.2} {:.2} {} {}\" data-y=\"{:.2} {TOP} {} {}\" \
             data-logarithmic=\"{}\" data-x-name=\"{}\"",
            frame.left,
            self.width - RIGHT,
            x.0,
            x.1,
            self.height - BOTTOM,
            y.0,
            y.1,
            self.logarithmic,
            escape(&self.x)
        )
    }

    /// The points of a line that can be drawn, as exponents on logarithmic axes; a gap is a
    /// point that is not finite.
    fn drawable(&self, series: &Series) -> Vec<(f64, f64)> {
        let along = |at: f64, logarithmic: bool| match logarithmic {
            true if at > 0.0 => at.log10(),
            true => f64::NAN,
            false => at,
        };
        let place =
            |&(x, y): &(f64, f64)| (along(x, self.logarithmic_x), along(y, self.logarithmic));
        thinned(series.points.iter().map(place).collect(), self.max_points)
    }

    fn write_axes(&self, svg: &mut String, frame: &Frame, x_ticks: &[Tick], y_ticks: &[Tick]) {
        let (left, right, bottom) = (frame.left, self.width - RIGHT, self.height - BOTTOM);
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
            // At the right end there is not room for half of any label.
            let text = x.min(self.width - 0.5 * CHARACTER * label.chars().count() as f64);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom:.1}\"/>\
                 <text class=\"tick\" x=\"{text:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
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
            self.height - 6.0,
            escape(&self.x),
            escape(&self.y)
        );
    }
}

impl Render for Plot {
    fn render(&self) -> Markup {
        html! {
            figure.plot {
                h3 { (self.title) }
                (self.legend())
                (self.drawing())
                @if !self.caption.is_empty() { figcaption { (self.caption) } }
            }
        }
    }
}

impl Series {
    /// Its sample in a legend, in a box of 24 by 8.
    fn sample(&self) -> &'static str {
        if self.dots { "M6 4h0M12 4h0M18 4h0" } else { "M1 4H23" }
    }

    fn class(&self, place: usize) -> String {
        let colour = match self.paint {
            Some(class) => class.to_owned(),
            None => format!("c{}", place % 6),
        };
        let dashed = if self.dashed { " dashed" } else { "" };
        let dots = if self.dots { " dots" } else { "" };
        format!("line {colour}{dashed}{dots}")
    }
}

#[cfg(test)]
mod tests {
    use maud::Render as _;

    use super::{Plot, Series};

    fn html(plot: &Plot) -> String {
        plot.render().into_string()
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
    fn the_last_label_is_inside_the_drawing() {
        let line = vec![(0.0, 0.0), (0.5, 1.0)];
        let html = html(&Plot::new("", "", "").line(Series::new("", line)));
        let (before, _) = html.split_once(">0.5<").expect("a label");
        let (_, text) = before.rsplit_once("<text class=\"tick\" x=\"").expect("its place");
        let x: f64 = text[..text.find('"').expect("an end")].parse().expect("a number");
        assert!(x + 0.5 * 3.0 * super::CHARACTER <= super::WIDTH + 0.1, "{x}");
    }
}
