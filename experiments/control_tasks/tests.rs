use std::ops::ControlFlow;

use gradbody::plan::Run;

use super::car::{friction, friction_in_steps};
use super::{Control, search, starts};

#[test]
fn closed_forms_agree_where_a_car_has_just_stopped() {
    let (speed, seconds) = (1.2, 0.9);
    let way = 0.5 * speed * seconds;
    let stopped = speed * speed / (2.0 * 9.81 * way);
    assert!((friction(speed, seconds, way) - stopped).abs() < 1e-12);
    let small = friction_in_steps(speed, seconds, 1e-9, way);
    assert!((small - stopped).abs() < 1e-8);
}

#[test]
fn the_same_seed_gives_the_same_start_and_target() {
    for control in [Control::Throw, Control::Golf, Control::Racecar] {
        let varied = |seed| {
            let task = control.task().expect("a task");
            starts::varied(control, task, seed).expect("a start")
        };
        assert_eq!(varied(3), varied(3));
        assert_ne!(varied(3).1, varied(4).1, "{control:?}");
        assert_ne!(varied(3).1, starts::target(&control.task().expect("a task")));
    }
}

/// Ended by success, simulations or time alone: more iterations than a task without limits has.
#[test]
fn cma_es_has_as_many_iterations_as_it_takes() {
    let task = |control: Control| search::by_cma_es(control.task().expect("a task"));
    for control in [Control::Throw, Control::Golf, Control::Racecar] {
        let limits = task(control).limits.expect("limits");
        assert_eq!(limits.iterations, Some(u64::MAX), "{control:?}");
        assert!(limits.target.is_some(), "{control:?} still ends by success");
    }
    let setup = search::setup(task(Control::Racecar)).expect("a setup");
    let mut run = Run::new(setup, "").expect("a start");
    let mut most = None;
    run.go(&mut |glimpse| {
        most = glimpse.most;
        ControlFlow::Break(())
    });
    assert_eq!(most, Some(u64::MAX));
}
