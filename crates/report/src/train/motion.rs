//! The policy at several ages, as moving figures.

use gradbody_draw::{Drawing, shapes, sticks};
use gradbody_learn::outcome::{Figures, Motion};
use gradbody_model::Model;
use gradbody_train::{AgeShown, Moved, TrainOutcome};
use maud::{Markup, html};

use crate::moving_figures::player;
use crate::number::{count, duration, number};

/// A motion of each age; none if there are none.
pub(super) fn ages(outcome: &TrainOutcome) -> Option<Markup> {
    if outcome.ages.is_empty() {
        return None;
    }
    Some(html! {
        @for AgeShown { point, moved } in &outcome.ages {
            div.motion {
                h3 {
                    "After " (duration(point.seconds)) ", " (count(point.samples as usize)) " samples: mean return "
                    (point.evaluated.map_or("not known".into(), |evaluated| number(evaluated.mean, 4)))
                }
                (moving(&outcome.model, moved))
                p.quiet { "This motion of " (number(moved.times.last().copied().unwrap_or(0.0), 3)) " s returned " (number(moved.reward, 4)) "." }
            }
        }
    })
}

/// One motion of the robot. The only place of this page that draws.
fn moving(model: &Model<f64>, moved: &Moved) -> Markup {
    let (shapes, ground) = shapes(model);
    let mut drawing = Drawing::new(model);
    let after = moved.q.iter().map(|q| drawing.posture(model, q)).collect();
    let (measured, before) = (Vec::new(), Vec::new());
    let figures = Figures { sticks: sticks(model), shapes, ground, measured, before, after };
    let motion = Motion {
        name: String::new(),
        part: String::new(),
        t: moved.times.clone(),
        channels: vec![],
        errors: vec![],
        figures,
    };
    html! { @if let Some(player) = player(&motion) { (player) } }
}
