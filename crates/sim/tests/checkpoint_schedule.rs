//! Schedules of checkpoints: valid, within their slots, and of the least work there is.

use std::time::Instant;

use gradbody_sim::{Action, Checkpointing};

/// What a schedule did.
struct Done {
    advanced: u128,
    most_slots: usize,
    stores: usize,
}

/// Follows a schedule as a driver would, and checks that it may.
fn follow(checkpointing: Checkpointing, steps: usize) -> Done {
    let mut slots: Vec<Option<usize>> = vec![None; checkpointing.slots(steps)];
    let mut current = Some(0);
    let mut next_back = steps;
    let mut done = Done { advanced: 0, most_slots: 0, stores: 0 };
    for action in checkpointing.schedule(steps) {
        match action {
            Action::Store(slot) => {
                slots[slot] = Some(current.expect("a state to store"));
                done.stores += 1;
                done.most_slots = done.most_slots.max(slot + 1);
            }
            Action::Restore(slot) => {
                current = Some(slots[slot].expect("something stored"));
            }
            Action::Advance(from, to) => {
                assert_eq!(current, Some(from), "{checkpointing:?}, {steps} steps");
                assert!(from < to && to < next_back, "no further than needed");
                done.advanced += (to - from) as u128;
                current = Some(to);
            }
            Action::Backward(step) => {
                assert_eq!(step + 1, next_back, "each step once, last first");
                assert_eq!(current, Some(step), "{checkpointing:?}, {steps} steps");
                next_back = step;
                current = None;
            }
        }
    }
    assert_eq!(next_back, 0, "{checkpointing:?}: every one of {steps} steps");
    done
}

fn revolve(snapshots: usize, steps: usize) -> Done {
    follow(Checkpointing::Revolve { snapshots }, steps)
}

/// The least number of steps, by trying every place of the next snapshot: entry [s][l].
fn least_work(snapshots: usize, steps: usize) -> Vec<Vec<u128>> {
    let mut least = vec![vec![0_u128; steps + 1]; snapshots + 1];
    for s in 1..=snapshots {
        for l in 2..=steps {
            least[s][l] = if s == 1 {
                (l * (l - 1) / 2) as u128
            } else {
                let to = |m: usize| m as u128 + least[s - 1][l - m] + least[s][m];
                (1..l).map(to).min().expect("a place")
            };
        }
    }
    least
}

/// β(s, r) = (s + r)! / (s! r!)
fn beta(s: u128, r: u128) -> u128 {
    (1..=r).fold(1, |product, i| product * (s + i) / i)
}

/// r l − β(s + 1, r − 1), where β(s, r − 1) < l ≤ β(s, r)
fn closed_form(s: usize, l: usize) -> u128 {
    let (s, l) = (s as u128, l as u128);
    let r = (0..).find(|r| l <= beta(s, *r)).expect("β grows without bound");
    if r == 0 { 0 } else { r * l - beta(s + 1, r - 1) }
}

#[test]
fn no_schedule_takes_less_steps() {
    let (snapshots, steps) = (9, 150);
    let least = least_work(snapshots, steps);
    for s in 1..=snapshots {
        for l in 0..=steps {
            let done = revolve(s, l);
            assert_eq!(done.advanced, least[s][l], "{l} steps, {s} snapshots");
            assert!(done.most_slots <= s);
            if l > 0 {
                assert_eq!(done.advanced, closed_form(s, l), "{l} steps, {s} snapshots");
            }
        }
    }
}

#[test]
fn the_number_of_steps_is_the_closed_form_for_long_ones_too() {
    for (snapshots, steps) in [(2, 20_000), (3, 12_345), (5, 50_000), (10, 100_000), (60, 99_999)] {
        let done = revolve(snapshots, steps);
        assert_eq!(done.advanced, closed_form(snapshots, steps), "{steps}, {snapshots}");
        assert_eq!(done.most_slots, snapshots);
    }
}

#[test]
fn nothing_and_one_step_need_no_slot() {
    for checkpointing in [
        Checkpointing::StoreAll,
        Checkpointing::EveryStep,
        Checkpointing::Revolve { snapshots: 0 },
        Checkpointing::Revolve { snapshots: 3 },
    ] {
        assert_eq!(checkpointing.schedule(0).count(), 0);
        let one: Vec<Action> = checkpointing.schedule(1).collect();
        assert_eq!(one, [Action::Backward(0)]);
    }
}

#[test]
fn one_snapshot_starts_over_each_time() {
    use Action::*;
    let actions: Vec<Action> = Checkpointing::Revolve { snapshots: 1 }.schedule(3).collect();
    let expected =
        [Store(0), Advance(0, 2), Backward(2), Restore(0), Advance(0, 1), Backward(1), Restore(0)];
    assert_eq!(actions[..7], expected);
    assert_eq!(actions[7..], [Backward(0)]);
    // No snapshot at all cannot be: the start is kept.
    assert_eq!(revolve(0, 100).advanced, 100 * 99 / 2);
}

#[test]
fn with_a_slot_for_each_step_none_is_run_again_on_the_way() {
    use Action::*;
    let expected = [
        Store(0),
        Advance(0, 1),
        Store(1),
        Advance(1, 2),
        Backward(2),
        Restore(1),
        Backward(1),
        Restore(0),
        Backward(0),
    ];
    for checkpointing in [
        Checkpointing::StoreAll,
        Checkpointing::EveryStep,
        Checkpointing::Revolve { snapshots: 3 },
        Checkpointing::Revolve { snapshots: usize::MAX },
    ] {
        assert_eq!(checkpointing.schedule(3).collect::<Vec<_>>(), expected);
    }
    for checkpointing in [Checkpointing::EveryStep, Checkpointing::Revolve { snapshots: 500 }] {
        let done = follow(checkpointing, 500);
        assert_eq!((done.advanced, done.stores), (499, 499));
    }
    assert_eq!(Checkpointing::default(), Checkpointing::EveryStep);
}

#[test]
fn a_million_steps_with_twenty_snapshots_are_scheduled_quickly() {
    let start = Instant::now();
    let done = revolve(20, 1_000_000);
    assert_eq!(done.advanced, closed_form(20, 1_000_000));
    assert_eq!(done.most_slots, 20);
    assert!(done.advanced < 8 * 1_000_000, "logarithmic: {}", done.advanced);
    let taken = start.elapsed();
    assert!(taken.as_secs_f64() < 5.0, "{taken:?}");
}
