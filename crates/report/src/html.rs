//! The page around plots and motions.

use gradbody_view::Recording;
use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

use super::Plot;
use super::players::Players;

/// Colours and shapes of pages and plots.
pub(crate) const STYLE: &str = include_str!("style.css");
/// What pages about fits and plans have besides: tables, values under the pointer, choices.
pub(crate) const OUTCOME_STYLE: &str = include_str!("outcome.css");
pub(crate) const OUTCOME_SCRIPTS: [&str; 2] =
    [include_str!("choose.js"), include_str!("values.js")];

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

/// A chapter of a report. Its motion moves the playheads of its plots.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Its title.
    pub heading: String,
    /// Paragraphs.
    pub text: Vec<String>,
    /// A motion to look at; its caption is written below it.
    pub motion: Option<Recording>,
    /// Numbers that matter.
    pub figures: Vec<Figure>,
    /// Curves, below the numbers.
    pub plots: Vec<Plot>,
    /// Anything else, such as a table.
    pub markup: Markup,
}

/// A number and what it means.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The number.
    pub value: String,
    /// Its unit.
    pub unit: String,
    /// Its meaning, in a few words.
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
        let mut players = Players::default();
        let body = html! {
            header {
                h1 { (self.title) }
                p.lead { (self.lead) }
            }
            @for section in &self.sections { (section.markup(&mut players)) }
            footer { (self.footer) }
        };
        file(&self.title, &[STYLE], &body, &[], &players)
    }
}

/// A complete HTML file that needs no other.
pub(crate) fn file(
    title: &str,
    styles: &[&str],
    body: &Markup,
    scripts: &[&str],
    players: &Players,
) -> String {
    let file = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { @for style in styles { (PreEscaped(style)) } }
            }
            body {
                main { (body) }
                @for script in scripts { script { (PreEscaped(script)) } }
                (players.scripts())
            }
        }
    };
    file.into_string()
}

impl Section {
    fn markup(&self, players: &mut Players) -> Markup {
        html! {
            section {
                // Text and figures to the left of the motion, above it on a narrow screen.
                div.opening {
                    div {
                        h2 { (self.heading) }
                        @for paragraph in &self.text { p { (paragraph) } }
                        (figures(&self.figures))
                    }
                    @if let Some(motion) = &self.motion {
                        (players.player(motion, &motion.title, &motion.caption))
                    }
                }
                @if !self.plots.is_empty() { (plots(&self.plots)) }
                (self.markup)
            }
        }
    }
}

/// Numbers side by side, large enough to read from afar.
pub(crate) fn figures(figures: &[Figure]) -> Markup {
    html! {
        @if !figures.is_empty() {
            dl.figures {
                @for Figure { value, unit, meaning } in figures {
                    div {
                        dt { (meaning) }
                        dd { (value) @if !unit.is_empty() { " " span { (unit) } } }
                    }
                }
            }
        }
    }
}

/// Plots side by side, as many as there is room for.
pub(crate) fn plots(plots: &[Plot]) -> Markup {
    html! { div.plots { @for plot in plots { (plot) } } }
}

/// Escapes text for HTML or SVG that is put together by hand.
pub fn escape(text: &str) -> String {
    text.render().into_string()
}
