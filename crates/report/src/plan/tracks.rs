//! Curves over the time of the plan: costs, actions, contact forces.

use gradbody_plan::{ActionTrack, PlanOutcome};
use maud::{Markup, html};

use crate::html::plots;
use crate::{Plot, Series};

/// Lines in a plot at most; a robot with many links has several plots.
const LINES: usize = 4;

/// What each knot costs; none if all costs count only at the end, and so are in the table alone.
pub(super) fn costs(outcome: &PlanOutcome) -> Option<Plot> {
    let last = outcome.times.len().saturating_sub(2);
    let lasting =
        outcome.costs.iter().filter(|cost| cost.knots.iter().take(last).any(|x| *x != 0.0));
    let mut lasting = lasting.peekable();
    lasting.peek()?;
    let mut plot = Plot::new("Cost of each knot", "time [s]", "cost").follows_time().shows_values();
    for cost in lasting {
        plot = plot.line(Series::new(cost.name.clone(), steps(outcome, &cost.knots)));
    }
    Some(plot)
}

/// The actions, each with its bounds; none without.
pub(super) fn actions(outcome: &PlanOutcome) -> Option<Markup> {
    let all: Vec<Plot> = outcome.actions.iter().map(|action| of_action(outcome, action)).collect();
    (!all.is_empty()).then(|| plots(&all))
}

fn of_action(outcome: &PlanOutcome, action: &ActionTrack) -> Plot {
    let (lower, upper) = action.bounds;
    let ends = [outcome.times.first(), outcome.times.last()];
    let label = match action.unit.as_str() {
        "" => "action".to_owned(),
        unit => format!("action [{unit}]"),
    };
    let mut plot = Plot::new(action.name.clone(), "time [s]", label)
        .size(520.0, 220.0)
        .follows_time()
        .shows_values()
        .line(Series::new("plan", steps(outcome, &action.values)).paint("after"));
    for (name, bound) in [("least", lower), ("greatest", upper)] {
        // A bound that the plan is far from would only flatten the line.
        let near = |bound: f64| {
            let largest = action.values.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
            bound.abs() <= 2.0 * largest
        };
        if let Some(bound) = bound.filter(|bound| near(*bound)) {
            let line = ends.iter().filter_map(|time| Some((**time.as_ref()?, bound))).collect();
            plot = plot.line(Series::new(name, line).dashed().paint("before"));
        }
    }
    plot
}

/// The vertical and the horizontal force of everything that each link touches; none if nothing touches.
pub(super) fn forces(outcome: &PlanOutcome) -> Option<Markup> {
    let mut all = Vec::new();
    for links in outcome.forces.chunks(LINES) {
        let plot = |title: &str| {
            Plot::new(title, "time [s]", "force [N]")
                .size(520.0, 220.0)
                .follows_time()
                .shows_values()
        };
        let (mut up, mut along) = (plot("Vertical force"), plot("Horizontal force"));
        for track in links {
            let of = |size: &dyn Fn(&[f64; 3]) -> f64| -> Vec<(f64, f64)> {
                steps(outcome, &track.values.iter().map(size).collect::<Vec<_>>())
            };
            up = up.line(Series::new(track.link.clone(), of(&|force| force[2])));
            along =
                along.line(Series::new(track.link.clone(), of(&|force| force[0].hypot(force[1]))));
        }
        all.extend([up, along]);
    }
    (!all.is_empty()).then(|| {
        html! {
            (plots(&all))
            p.quiet { "The sum over all contacts of a link, in the last time step of each knot." }
        }
    })
}

/// A value for each knot as a line of steps.
fn steps(outcome: &PlanOutcome, values: &[f64]) -> Vec<(f64, f64)> {
    let spans = outcome.times.windows(2);
    spans.zip(values).flat_map(|(span, value)| [(span[0], *value), (span[1], *value)]).collect()
}
