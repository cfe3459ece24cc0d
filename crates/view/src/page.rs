//! The page: one HTML text with everything in it, which loads nothing from elsewhere.

use crate::recording::Recording;

/// The built script and style of crates/view/page.
const SCRIPT: &str = include_str!("../page/dist/viewer.js");
const STYLE: &str = include_str!("../page/dist/viewer.css");

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

/// A text in a script, which it must not end.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace("</", "<\\/")
}

fn page(title: &str, source: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\" class=\"gradbody-page\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <div id=\"viewer\"></div>\n<script>\n{SCRIPT}\n</script>\n\
         <script>gradbodyView(document.getElementById(\"viewer\"), {source});</script>\n</body>\n</html>\n",
        title = escape(title),
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
