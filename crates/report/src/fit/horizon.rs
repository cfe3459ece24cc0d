//! How errors grow with the time that is predicted ahead.

use gradbody_learn::outcome::FitOutcome;

use super::number::axis;
use super::score::{paint, ways};
use crate::{Plot, Series};

/// A plot for each channel of a part of the data, a line for each way of predicting.
pub(super) fn plots(outcome: &FitOutcome, part: &str) -> Vec<Plot> {
    let ways = ways(outcome, part);
    // The channels of all ways, in the order in which they come.
    let mut channels: Vec<(&str, &str)> = vec![];
    for channel in ways.iter().flat_map(|table| &table.channels) {
        let known = channels.iter().any(|(name, _)| *name == channel.name);
        if !known && channel.by_horizon.len() > 1 {
            channels.push((&channel.name, &channel.unit));
        }
    }
    let plot = |(name, unit): (&str, &str)| {
        let mut plot = Plot::new(name, "time ahead [s]", axis("rms error", unit))
            .logarithmic()
            .size(520.0, 250.0)
            .shows_values();
        let mut others = 0;
        for table in &ways {
            let Some(channel) = table.channels.iter().find(|c| c.name == name) else { continue };
            let line = Series::new(&table.by, channel.by_horizon.clone());
            let line = line.paint(paint(&table.by, others));
            others += usize::from(!matches!(table.by.as_str(), "before" | "after"));
            plot = plot.line(if table.by == "before" { line.dashed() } else { line });
        }
        plot
    };
    channels.into_iter().map(plot).collect()
}
