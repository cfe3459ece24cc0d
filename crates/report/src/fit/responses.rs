//! Outputs of the networks over each of their inputs: small plots side by side.

use gradbody_learn::outcome::{DrawnResponse, FitOutcome, Response};
use maud::{Markup, html};

use crate::number::{axis, number};
use crate::{Plot, Series};

/// The plots, network by network; none without networks.
pub(super) fn section(outcome: &FitOutcome) -> Option<Markup> {
    let mut networks: Vec<&str> = vec![];
    for drawn in &outcome.responses {
        if !networks.contains(&drawn.response.network.as_str()) {
            networks.push(&drawn.response.network);
        }
    }
    let of = |network: &str| {
        let drawn = outcome.responses.iter().filter(move |d| d.response.network == network);
        drawn.map(plot).collect::<Vec<Plot>>()
    };
    let sections = html! {
        p.quiet {
            "Each output over one input; the other inputs are at their means from the experiment. Lines are dashed beyond "
            "the range of the data."
        }
        @for network in &networks {
            h3 { (network) }
            div.plots.small { @for plot in of(network) { (plot) } }
        }
    };
    (!networks.is_empty()).then_some(sections)
}

fn plot(drawn: &DrawnResponse) -> Plot {
    let DrawnResponse { response, input_unit, output_unit, range } = drawn;
    let Response { input, output, x, y, .. } = response;
    let mut plot = Plot::new(
        format!("{output} over {input}"),
        axis(input, input_unit),
        axis("output", output_unit),
    )
    .size(400.0, 220.0)
    .max_points(400)
    .shows_values();
    let points = || x.iter().copied().zip(y.iter().copied());
    let Some((low, high)) = *range else {
        let caption = "The range of this input in the data is not known.";
        let line = Series::new("not known in the data", points().collect());
        return plot.line(line.dashed().paint("after")).caption(caption);
    };
    // Rounding must not cut the last point off.
    let slack = 1e-9 * (high - low).abs();
    let inside = |x: f64| x >= low - slack && x <= high + slack;
    let part = |keep: &dyn Fn(f64) -> bool| -> Vec<(f64, f64)> {
        points().map(|(x, y)| (x, if keep(x) { y } else { f64::NAN })).collect()
    };
    plot = plot.line(Series::new("in the data", part(&inside)).paint("after"));
    if x.iter().any(|x| !inside(*x)) {
        // It begins where the other line ends.
        let step = x.windows(2).next().map_or(0.0, |pair| pair[1] - pair[0]);
        let outside = |x: f64| !(inside(x - step) && inside(x + step));
        plot = plot.line(Series::new("beyond the data", part(&outside)).dashed().paint("before"));
    }
    let unit = |unit: &str| if unit.is_empty() { String::new() } else { format!(" {unit}") };
    plot.caption(format!(
        "In the data it goes from {} to {}{}.",
        number(low, 2),
        number(high, 2),
        unit(input_unit)
    ))
}

#[cfg(test)]
mod tests {
    use maud::Render as _;

    use super::*;

    #[test]
    fn axes_have_units_and_lines_end_with_the_data() {
        let drawn = |range| DrawnResponse {
            response: Response {
                network: "hinge".into(),
                input: "joint/*/velocity".into(),
                output: "joint/*/passive_torque".into(),
                x: (-10..=10).map(f64::from).collect(),
                y: (-10..=10).map(f64::from).collect(),
            },
            input_unit: "rad/s".into(),
            output_unit: "N m".into(),
            range,
        };
        let html = |range| plot(&drawn(range)).render().into_string();
        let part = html(Some((-10.0, 3.0)));
        for text in [
            ">joint/*/velocity [rad/s]<",
            ">output [N m]<",
            "beyond the data",
            "In the data it goes from −10 to 3.0 rad/s.",
        ] {
            assert!(part.contains(text), "{text}: {part}");
        }
        assert!(!html(Some((-10.0, 10.0))).contains("beyond the data"));
        assert!(html(None).contains("The range of this input in the data is not known."));
    }
}
