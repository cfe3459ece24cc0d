//! Friction between tip and body, measured by the robot's force sensor.

use super::measured::{Body, PERIOD, Push, turned};
use crate::distribution::Distribution;

/// Velocities and forces are averaged over this distance of the tip before and after an instant [m].
const WAY: f64 = 1e-3;
/// A slower tip counts as resting [m/s].
const MOVES: f64 = 5e-3;
/// Smallest sliding speed along the outline, and smallest speed of the body, as shares of the tip's speed.
const SLIDES: f64 = 0.3;
const FOLLOWS: f64 = 0.1;
/// Smaller normal forces are mostly noise [N].
const PRESSES: f64 = 0.3;
/// Smallest number of instants per push for a reliable median.
const ENOUGH: usize = 5;

/// The ratio of tangential to normal force while the tip slides along the body it pushes: the median over a push.
/// `offset` shifts the tip from its measured position. `None` if the tip slides too little or forces were not measured.
pub(super) fn while_sliding(body: &Body, push: &Push, offset: [f64; 2]) -> Option<f64> {
    let w = ((WAY / (push.speed() * PERIOD)) as usize).max(1);
    let middles = (w..push.forces.len().saturating_sub(w)).step_by(2 * w + 1);
    let ratios: Vec<f64> = middles.filter_map(|k| ratio(body, push, offset, (k, w))).collect();
    (ratios.len() >= ENOUGH).then(|| Distribution::of(ratios).median())
}

fn ratio(body: &Body, push: &Push, offset: [f64; 2], (k, w): (usize, usize)) -> Option<f64> {
    let [before, at, after] = [k - w, k, k + w].map(|k| &push.samples[k]);
    let seconds = 2.0 * w as f64 * PERIOD;
    let velocity = |a: [f64; 2], b: [f64; 2]| [0, 1].map(|i| (b[i] - a[i]) / seconds);
    let of_tip = velocity(before.tip, after.tip);
    let of_body = velocity(before.position, after.position);
    let spin = (after.yaw - before.yaw) / seconds;
    let speed = length(of_tip);

    let tip = [0, 1].map(|i| at.tip[i] + offset[i] - at.position[i]);
    let (touched, outward) = nearest(&body.outline, turned(tip, -at.yaw));
    let arm = turned(touched, at.yaw);
    let across = turned(outward, at.yaw).map(|x| -x);
    let along = [-across[1], across[0]];
    let there = [of_body[0] - spin * arm[1], of_body[1] + spin * arm[0]];
    let slide = dot(of_tip, along) - dot(there, along);

    let measured = &push.forces[k - w..=k + w];
    let on_body =
        [0, 1].map(|i| -measured.iter().map(|force| force[i]).sum::<f64>() / measured.len() as f64);
    let pressing = dot(on_body, across);
    let counts = speed > MOVES
        && slide.abs() > SLIDES * speed
        && length(of_body) > FOLLOWS * speed
        && pressing > PRESSES;
    counts.then(|| slide.signum() * dot(on_body, along) / pressing)
}

/// The point of an outline nearest to an outside point, and the direction from it to that point.
fn nearest(outline: &[[f64; 2]], to: [f64; 2]) -> ([f64; 2], [f64; 2]) {
    let next = outline.iter().cycle().skip(1);
    let on_side = |(a, b): (&[f64; 2], &[f64; 2])| {
        let side = [b[0] - a[0], b[1] - a[1]];
        let share = dot([to[0] - a[0], to[1] - a[1]], side) / dot(side, side);
        let share = share.clamp(0.0, 1.0);
        [a[0] + share * side[0], a[1] + share * side[1]]
    };
    let away = |point: &[f64; 2]| [to[0] - point[0], to[1] - point[1]];
    let points = outline.iter().zip(next).map(on_side);
    let point = points.min_by(|a, b| length(away(a)).total_cmp(&length(away(b))));
    let point = point.unwrap_or([0.0; 2]);
    let distance = length(away(&point)).max(f64::MIN_POSITIVE);
    (point, away(&point).map(|x| x / distance))
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn length(a: [f64; 2]) -> f64 {
    f64::hypot(a[0], a[1])
}

#[cfg(test)]
mod tests {
    use super::super::measured::Sample;
    use super::*;

    /// A tip pushes the left side of a square, turned by 0.3 rad, and also slides along it.
    fn push(slide: f64, forces: bool) -> (Body, Push) {
        let outline = vec![[-0.05, -0.05], [0.05, -0.05], [0.05, 0.05], [-0.05, 0.05]];
        let body = Body { mass: 1.0, moment: 1e-3, outline, thickness: 0.013, tip_radius: 0.005 };
        let yaw = 0.3;
        let sample = |k: usize| {
            let way = 0.05 * PERIOD * k as f64;
            let position = turned([way, 0.0], yaw);
            let tip = turned([way - 0.055, slide * way], yaw);
            Sample { tip, position, yaw }
        };
        // The force of the body on the tip: a normal force, and a fifth of it against the sliding.
        let force = turned([-2.0, -0.4 * slide.signum()], yaw);
        let samples: Vec<Sample> = (0..100).map(sample).collect();
        let forces = if forces { vec![force; samples.len()] } else { Vec::new() };
        (body, Push { name: String::new(), shape: String::new(), samples, forces })
    }

    #[test]
    fn the_ratio_of_forces_is_found_where_the_tip_slides_either_way() {
        for slide in [0.8, -0.8] {
            let (body, push) = push(slide, true);
            let ratio = while_sliding(&body, &push, [0.0; 2]).expect("it slides");
            assert!((ratio - 0.2).abs() < 1e-9, "{ratio}");
        }
    }

    #[test]
    fn a_tip_that_sticks_or_has_no_sensor_says_nothing() {
        let (body, sticks) = push(0.1, true);
        assert_eq!(while_sliding(&body, &sticks, [0.0; 2]), None);
        let (body, unmeasured) = push(0.8, false);
        assert_eq!(while_sliding(&body, &unmeasured, [0.0; 2]), None);
    }
}
