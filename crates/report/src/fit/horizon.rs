//! How errors grow with the time that is predicted ahead.

use gradbody_learn::outcome::FitOutcome;

use super::score::{Column, columns, paint, ways};
use crate::number::axis;
use crate::{Plot, Series};

/// A plot for each channel, position and orientation of a part of the data, a line for each way of predicting.
pub(super) fn plots(outcome: &FitOutcome, part: &str) -> Vec<Plot> {
    let ways = ways(outcome, part);
    let long = |column: &Column| {
        let mut channels = ways.iter().flat_map(|table| &table.channels);
        channels.any(|c| c.name == column.name && c.by_horizon.len() > 1)
    };
    let plot = |column: Column| {
        let mut plot = Plot::new(column.name, "time ahead [s]", axis("rms error", column.unit))
            .logarithmic()
            .size(520.0, 250.0)
            .shows_values();
        let mut others = 0;
        for table in &ways {
            let Some(channel) = table.channels.iter().find(|c| c.name == column.name) else {
                continue;
            };
            let points = channel.by_horizon.iter().map(|(t, error)| (*t, column.factor * error));
            let line = Series::new(&table.by, points.collect());
            let line = line.paint(paint(&table.by, others));
            others += usize::from(!matches!(table.by.as_str(), "before" | "after"));
            plot = plot.line(if table.by == "before" { line.dashed() } else { line });
        }
        let foresight = outcome.foresight.iter().filter(|foresight| foresight.part == part);
        let mut drifts = foresight.flat_map(|foresight| &foresight.drift);
        if let Some(drift) = drifts.find(|drift| drift.name == column.name) {
            let points = drift.by_horizon.iter().map(|(t, error)| (*t, column.factor * error));
            let line = Series::new("noise of the start alone", points.collect());
            plot = plot.line(line.dashed().paint("c2"));
        }
        plot
    };
    columns(&ways).into_iter().filter(long).map(plot).collect()
}
