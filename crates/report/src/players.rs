//! Motions that a reader can play, turn and stop: the viewer's page inside a report.
//!
//! A page has the viewer's script and each scene once, compressed, however many motions it shows. A small script makes a
//! viewer where a motion comes into sight and ends it where it leaves, because browsers draw only some at a time.

use gradbody_view::{Recording, page};
use maud::{Markup, PreEscaped, html};

/// The script that makes viewers and moves the playheads of plots.
const SCRIPT: &str = include_str!("player.js");

/// The motions of a page.
#[derive(Debug, Default)]
pub(crate) struct Players {
    /// The scenes that they show, as the page has them.
    scenes: Vec<String>,
}

impl Players {
    /// A motion. The title is for screen readers.
    pub(crate) fn player(&mut self, recording: &Recording, title: &str, caption: &str) -> Markup {
        let scene = recording.scene_text();
        let known = self.scenes.iter().position(|other| *other == scene);
        let index = known.unwrap_or_else(|| {
            self.scenes.push(scene);
            self.scenes.len() - 1
        });
        // Base64 needs no escapes.
        let data = PreEscaped(recording.text_without_scene());
        html! {
            figure.animation aria-label={ "motion: " (title) } {
                div.player data-scene=(index) {
                    noscript { p { "The motion is played by a script, which this browser does not run." } }
                }
                script type="text/plain" { (data) }
                @if !caption.is_empty() { figcaption { (caption) } }
            }
        }
    }

    /// What the motions need at the end of the page; nothing without a motion.
    pub(crate) fn scripts(&self) -> Markup {
        if self.scenes.is_empty() {
            return Markup::default();
        }
        let [script, style] = page::script_and_style();
        let texts = [("viewer-script", script), ("viewer-style", style)];
        html! {
            @for (index, scene) in self.scenes.iter().enumerate() {
                script type="text/plain" id={ "scene-" (index) } { (PreEscaped(scene)) }
            }
            @for (id, text) in &texts { script type="text/plain" id=(id) { (PreEscaped(text)) } }
            script { (PreEscaped(SCRIPT)) }
        }
    }
}
