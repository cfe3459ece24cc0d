//! The page around plots and animations.

use std::fmt::Write as _;

use super::{Animation, Plot};

/// Colours and shapes of pages and plots.
pub const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("animation.js");

/// A whole report.
#[derive(Clone, Debug)]
pub struct Page {
    /// Heading, and title of the window.
    pub title: String,
    /// What this is about, in a sentence or two.
    pub lead: String,
    /// Its chapters.
    pub sections: Vec<Section>,
    /// Last line: where it comes from.
    pub footer: String,
}

/// A chapter of a report. Its animation moves the playheads of its plots.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Its title.
    pub heading: String,
    /// Paragraphs.
    pub text: Vec<String>,
    /// A motion to look at.
    pub animation: Option<Animation>,
    /// Numbers that matter.
    pub figures: Vec<Figure>,
    /// Curves, below the numbers.
    pub plots: Vec<Plot>,
    /// Markup that is put in as it is, such as a table.
    pub markup: String,
}

/// A number and what it means.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The number.
    pub value: String,
    /// Its unit.
    pub unit: String,
    /// What it says, in a few words.
    pub meaning: String,
}

impl Figure {
    /// `value` in `unit`, and its meaning.
    pub fn new(
        value: impl Into<String>,
        unit: impl Into<String>,
        meaning: impl Into<String>,
    ) -> Self {
        Figure { value: value.into(), unit: unit.into(), meaning: meaning.into() }
    }
}

impl Page {
    /// The page as a complete HTML file.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
             <header>\n<h1>{title}</h1>\n<p class=\"lead\">{}</p>\n</header>\n",
            escape(&self.lead)
        );
        for section in &self.sections {
            section.write(&mut html);
        }
        let footer = escape(&self.footer);
        let _ = writeln!(html, "<footer>{footer}</footer>\n</main>");
        if self.sections.iter().any(|s| s.animation.is_some()) {
            let _ = writeln!(html, "<script>\n{SCRIPT}</script>");
        }
        html.push_str("</body>\n</html>\n");
        html
    }
}

impl Section {
    fn write(&self, html: &mut String) {
        // Text and figures to the left of the animation, above it on a narrow screen.
        let _ = writeln!(
            html,
            "<section>\n<div class=\"opening\">\n<div>\n<h2>{}</h2>",
            escape(&self.heading)
        );
        for paragraph in &self.text {
            let _ = writeln!(html, "<p>{}</p>", escape(paragraph));
        }
        self.write_figures(html);
        html.push_str("</div>\n");
        if let Some(animation) = &self.animation {
            animation.write(html);
        }
        html.push_str("</div>\n");
        if !self.plots.is_empty() {
            html.push_str("<div class=\"plots\">\n");
            for plot in &self.plots {
                plot.write(html);
            }
            html.push_str("</div>\n");
        }
        html.push_str(&self.markup);
        html.push_str("</section>\n");
    }

    fn write_figures(&self, html: &mut String) {
        if !self.figures.is_empty() {
            html.push_str("<dl class=\"figures\">\n");
            for Figure { value, unit, meaning } in &self.figures {
                let (value, unit) = (escape(value), escape(unit));
                let meaning = escape(meaning);
                let _ = writeln!(
                    html,
                    "<div><dt>{meaning}</dt><dd>{value} <span>{unit}</span></dd></div>"
                );
            }
            html.push_str("</dl>\n");
        }
    }
}

/// Text as HTML: no character of it is markup.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
