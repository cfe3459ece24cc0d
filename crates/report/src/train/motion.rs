//! The policy at several ages, in motion.

use gradbody_train::{AgeShown, TrainOutcome};
use maud::{Markup, html};

use crate::motion::{Shown, recording};
use crate::number::{count, duration, number};
use crate::players::Players;

/// A motion of each age; none if there are none.
pub(super) fn ages(outcome: &TrainOutcome, players: &mut Players) -> Option<Markup> {
    if outcome.ages.is_empty() {
        return None;
    }
    let mut moving = |AgeShown { point, moved }: &AgeShown| {
        let shown = recording(&Shown {
            scene: &outcome.scene,
            times: &moved.times,
            layers: &[("after", &moved.poses)],
            effects: None,
            motions: outcome.ages.len(),
        })?;
        let title = format!("{} after {}", outcome.name, duration(point.seconds));
        Some(players.player(&shown, &title, ""))
    };
    Some(html! {
        @for age @ AgeShown { point, moved } in &outcome.ages {
            div.motion {
                h3 {
                    "After " (duration(point.seconds)) ", " (count(point.samples as usize)) " samples: mean return "
                    (point.evaluated.map_or("not known".into(), |evaluated| number(evaluated.mean, 4)))
                }
                @if let Some(player) = moving(age) { (player) }
                p.quiet { "This motion of " (number(moved.times.last().copied().unwrap_or(0.0), 3)) " s returned " (number(moved.reward, 4)) "." }
            }
        }
    })
}
