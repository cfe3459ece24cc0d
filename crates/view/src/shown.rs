//! The latest of everything that pages are sent. A page that is slow misses frames, and the session never waits.

use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use serde::Serialize;

/// The latest messages. A number grows with each new message of a kind.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The scene.
    pub scene: (u64, Utf8Bytes),
    /// The settings.
    pub settings: (u64, Utf8Bytes),
    /// The frame.
    pub frame: (u64, Bytes),
}

/// A text message: an object with one key.
pub(crate) fn text(key: &str, value: &impl Serialize) -> Utf8Bytes {
    // Only maps with keys that are no text, and numbers that JSON does not have, could fail; the latter become null.
    let value = serde_json::to_string(value).unwrap_or_else(|_| "null".into());
    format!("{{\"{key}\":{value}}}").into()
}
