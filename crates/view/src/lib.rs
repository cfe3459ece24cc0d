//! The viewer: a simulation or a recording in the browser.
//!
//! A [`Session`] simulates in a thread of its own and publishes what there is to see; a [`Server`] on the loopback
//! address passes it to pages and takes their requests. [`protocol`] is what they say to each other. A [`Recording`] is a
//! motion with everything that is drawn, made by [`record`]; [`page`] puts it into one file.

mod channels;
mod contacts;
mod drag;
mod files;
pub mod gradient;
mod history;
mod pace;
pub mod page;
mod parameters;
pub mod protocol;
pub mod record;
mod recording;
mod server;
mod session;
mod shown;
mod stage;
#[cfg(test)]
mod tests;
mod world;

pub use recording::{Arrows, Layer, Mark, Recording, Track, Trail};
pub use server::{Content, Server, ServerError, Stop};
pub use session::{Load, Loaded, Session, SessionOptions};
pub use shown::Shown;
pub use stage::Subject;
