//! The page: one HTML text with everything in it, which loads nothing from elsewhere.

use crate::recording::Recording;

/// The built script and style of crates/view/page.
const SCRIPT: &str = include_str!("../page/dist/viewer.js");
const STYLE: &str = include_str!("../page/dist/viewer.css");

/// What a page may load: what is in it, and messages of its own server.
pub const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
     img-src data: blob:; media-src blob:; connect-src 'self' blob: data:; worker-src blob:";

/// A page that shows a live simulation, whose messages come from `socket`.
pub fn live(title: &str, socket: &str) -> String {
    page(title, "socket", socket)
}

/// A page that plays a recording, which is in it.
pub fn recorded(recording: &Recording) -> String {
    page(&recording.title, "recording", &recording.text())
}

fn page(title: &str, key: &str, value: &str) -> String {
    let value = serde_json::Value::from(value);
    // A text in a script must not end the script.
    let value = value.to_string().replace("</", "<\\/");
    format!(
        "<!doctype html>\n<html lang=\"en\" class=\"gradbody-page\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <div id=\"viewer\"></div>\n<script>\n{SCRIPT}\n</script>\n\
         <script>gradbodyView(document.getElementById(\"viewer\"), {{{key}: {value}}});</script>\n</body>\n</html>\n",
        title = escape(title),
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
