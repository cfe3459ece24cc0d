//! Pages that stand alone: text, plots and motions in one HTML file without a network.
//!
//! A [`Page`] has [`Section`]s; a section has text, a motion ([`Recording`](gradbody_view::Recording)), [`Plot`]s and
//! [`Figure`]s (a number and what it means). Colours are variables of the style sheet, so that plots (SVG) follow the
//! reader's choice of light or dark. Motions are played by the viewer's page. [`fit`] and [`discovery`] are the pages about
//! what `gradbody-learn` found, [`plan`] is about what `gradbody-plan` found, and [`train`] about what `gradbody-train` did.

mod clip;
pub mod discovery;
pub mod fit;
mod frame;
mod html;
mod motion;
mod number;
pub mod plan;
mod players;
mod plot;
pub use gradbody_math::text;
mod ticks;
pub mod train;

pub use html::{Figure, Page, Section, escape};
pub use plot::{Plot, Series};
pub use ticks::{in_words, minus, superscript};
