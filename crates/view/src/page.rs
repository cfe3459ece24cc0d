//! The page: one HTML text with everything in it, which loads nothing from elsewhere.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;

use crate::recording::Recording;

/// The built script and style of crates/view/page, compressed by build.rs.
const SCRIPT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/viewer.js.z"));
const STYLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/viewer.css.z"));

/// What a page may load: what is in it, and messages of its own server.
pub const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
     img-src data: blob:; media-src blob:; connect-src 'self' ws://127.0.0.1:* ws://localhost:* blob: data:; worker-src blob:";

/// A page that shows the live simulation of its own server, which it tells the token.
pub fn live(title: &str, token: &str) -> String {
    let path = quoted(&format!("/ws?token={token}"));
    page(title, &format!("{{socket: location.origin.replace(/^http/, \"ws\") + {path}}}"))
}

/// A page that plays a recording, which is in it.
pub fn recorded(recording: &Recording) -> String {
    page(&recording.title, &format!("{{recording: {}}}", quoted(&recording.text())))
}

/// The script that defines `gradbodyView`, and its style, each as base64 of zlib: for pages that have several recordings.
pub fn script_and_style() -> [String; 2] {
    [SCRIPT, STYLE].map(|bytes| STANDARD.encode(bytes))
}

/// A text in a script, which it must not end.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace("</", "<\\/")
}

/// The text of a compressed file.
fn inflated(bytes: &[u8]) -> String {
    let mut text = String::new();
    // build.rs compressed a text, so nothing can be wrong with it.
    let read = ZlibDecoder::new(bytes).read_to_string(&mut text);
    debug_assert!(read.is_ok());
    text
}

fn page(title: &str, source: &str) -> String {
    let (script, style) = (inflated(SCRIPT), inflated(STYLE));
    format!(
        "<!doctype html>\n<html lang=\"en\" class=\"gradbody-page\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
         <div id=\"viewer\"></div>\n<script>\n{script}\n</script>\n\
         <script>gradbodyView(document.getElementById(\"viewer\"), {source});</script>\n</body>\n</html>\n",
        title = escape(title),
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
