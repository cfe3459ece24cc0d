//! Progress of a command: a line on stderr, shown only if stderr is a terminal.

use std::time::Duration;

use indicatif::ProgressStyle;

pub use indicatif::ProgressBar;

/// A bar that counts to `length`; `what` names the things it counts. A message can follow it.
pub fn bar(length: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    let template =
        format!("{{bar:40}} {{percent:>3}}%  {{pos}}/{{len}} {what}, {{eta}} left  {{wide_msg}}");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar
}

/// A spinner with a message, for work of unknown length.
pub fn spinner() -> ProgressBar {
    let spinner = ProgressBar::new_spinner();
    spinner.enable_steady_tick(Duration::from_millis(200));
    spinner
}
