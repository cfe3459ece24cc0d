//! Pages that stand alone: text, plots and animations in one HTML file without a network.
//!
//! A [`Page`] has [`Section`]s; a section has text, an [`Animation`], [`Plot`]s and [`Figure`]s (a
//! number and what it means). Colours are variables of the style sheet, so that plots (SVG) and
//! animations (canvas) follow the reader's choice of light or dark. [`fit`] and [`discovery`] are the pages about what
//! `gradbody-learn` found, [`plan`] is about what `gradbody-plan` found, and [`train`] about what `gradbody-train` did.

mod animation;
mod clip;
pub mod discovery;
pub mod fit;
mod frame;
mod html;
mod moving_figures;
mod number;
pub mod plan;
mod player;
mod plot;
mod stick_figure;
pub use gradbody_math::text;
mod ticks;
pub mod train;

pub use animation::{Animation, Dot, Stroke, Trail};
pub use html::{Figure, Page, Section, escape};
pub use plot::{Plot, Series};
pub use stick_figure::StickFigure;
pub use ticks::{in_words, minus, superscript};
