//! The viewer: a simulation or a recording in the browser.
//!
//! A [`Session`] simulates in a thread of its own and publishes what there is to see; a [`Server`] on the loopback
//! address passes it to pages and takes their requests. [`protocol`] is what they say to each other.

mod channels;
mod contacts;
mod drag;
mod files;
mod history;
mod pace;
pub mod page;
mod parameters;
pub mod protocol;
mod server;
mod session;
mod shown;
mod stage;
mod world;

pub use server::{Content, Server, ServerError, Stop};
pub use session::{Load, Loaded, Session, SessionOptions};
pub use shown::Shown;
pub use stage::Subject;
