use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use gradbody_math::Vec3;
use gradbody_model::import::{self, ImportOptions};
use gradbody_model::{Keyframe, ShapeKind};

use crate::{Begun, Ending, RecedingRun, Rival, Run, Setup, Task};

/// A cart whose pole hangs down and should stand up.
const SWING_UP: &str = r#"
[model]
file = "cartpole.urdf"

[start]
positions = { hinge = 3.141592653589793 }

[simulation]
step = 0.005

[horizon]
seconds = 2
knot = 0.02

[actions]
inputs = "joint/slider/force"

[costs]
up = { of = "joint/*/position", target = 0, weight = 100, when = "end", within = 0.05 }
rest = { of = "joint/*/velocity", weight = 10, when = "end" }
effort = { of = "joint/slider/force", weight = 1e-3 }
"#;

fn setup(text: &str) -> Result<Setup, String> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let load = |path: &Path, options: &ImportOptions| {
        import::load(path, options).map_err(|error| error.to_string())
    };
    let task = Task::from_toml(text, "task.toml").map_err(|error| error.to_string())?;
    Setup::new(task, &models, &load).map_err(|error| error.in_file(text, "task.toml"))
}

fn swing_up(search: &str) -> String {
    format!("{SWING_UP}[search]\n{search}\n")
}

/// Runs at most `most` iterations and returns the cost.
fn cost_after(text: &str, most: u64) -> f64 {
    let setup = setup(text).expect("a task");
    let mut run = Run::new(setup, text).expect("a start");
    run.go(&mut |glimpse| match glimpse.point.iteration >= most {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    run.outcome().expect("a plan").cost
}

#[test]
fn ilqr_does_the_task_and_says_so() {
    let text = swing_up("method = \"ilqr\"");
    let mut run = Run::new(setup(&text).expect("a task"), &text).expect("a start");
    assert!(run.go(&mut |_| ControlFlow::Continue(())));
    let outcome = run.outcome().expect("a plan");
    assert_eq!(outcome.done, Some(true), "{:?}", outcome.notes);
    assert_eq!(outcome.times.len(), 101);
    assert!((outcome.times[100] - 2.0).abs() < 1e-9);
    let sum: f64 = outcome.costs.iter().map(|cost| cost.cost).sum();
    assert!((sum - outcome.cost).abs() < 1e-9 * sum, "{sum} {}", outcome.cost);
    assert_eq!(outcome.actions[0].unit, "N");
    assert_eq!(outcome.actions[0].values.len(), 100);
    assert!(run.feedback().is_some());
}

#[test]
fn every_method_improves_the_first_motion() {
    for (search, most) in [
        ("method = \"mppi\"\nsamples = 64", 20),
        ("method = \"lbfgs\"", 20),
        ("method = \"adam\"\nlearning-rate = 0.3", 40),
        ("method = \"cma-es\"", 20),
    ] {
        let text = swing_up(search);
        let before = cost_after(&text, 0);
        let after = cost_after(&text, most);
        assert!(after < 0.8 * before, "{search}: {before} {after}");
    }
}

#[test]
fn a_resumed_search_has_the_same_bits() {
    for search in ["method = \"ilqr\"", "method = \"mppi\"\nsamples = 32", "method = \"lbfgs\""] {
        let text = swing_up(search);
        let begin = || Run::new(setup(&text).expect("a task"), &text).expect("a start");
        let advance = |run: &mut Run, to: u64| {
            run.go(&mut |glimpse| match glimpse.point.iteration >= to {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            });
        };
        let mut whole = begin();
        advance(&mut whole, 8);
        let mut half = begin();
        advance(&mut half, 4);
        // To ask for feedback changes nothing.
        let _ = half.feedback();
        let written = toml::to_string(&half.journal()).expect("written");
        let journal = toml::from_str(&written).expect("read");
        let setup = setup(&text).expect("a task");
        let mut resumed = Run::resume(setup, &text, journal).expect("the same task");
        advance(&mut resumed, 8);
        let of = |run: &Run| {
            let outcome = run.outcome().expect("a plan");
            (outcome.actions[0].values.clone(), outcome.cost)
        };
        assert_eq!(of(&whole), of(&resumed), "{search}");
    }
}

#[test]
fn a_search_that_is_interrupted_while_rivals_run_keeps_its_plan() {
    let text = swing_up("method = \"ilqr\"");
    let begin = || setup(&text).expect("a task");
    let mut run = Run::new(begin(), &text).expect("a start");
    assert!(run.go(&mut |_| ControlFlow::Continue(())));
    let cost = run.outcome().expect("a plan").cost;
    let mut written = None;
    let all = run.go_rivals(&mut |glimpse| {
        written = Some(glimpse.snapshot());
        ControlFlow::Break(())
    });
    assert!(!all);
    let rivals = run.outcome().expect("a plan").rivals;
    let ended: Vec<_> = rivals.iter().map(|rival| (rival.points.len(), rival.ended)).collect();
    assert_eq!(ended, [(1, Ending::Interrupted)], "it is kept as far as it came");
    assert_eq!(run.rivals_ahead().0, ["cma-es", "mppi"], "and begins again");
    let mut resumed = Run::resume(begin(), &text, written.expect("a journal")).expect("the same");
    assert!(resumed.go(&mut |_| ControlFlow::Continue(())));
    assert_eq!(resumed.outcome().expect("a plan").cost, cost);
}

#[test]
fn a_search_is_not_resumed_with_another_model_or_start() {
    let text = r#"
[model]
file = "cartpole.urdf"
objects = { die = { box = [0.1, 0.1, 0.1], mass = 1 } }
[horizon]
seconds = 0.1
[actions]
inputs = "joint/slider/force"
[costs]
still = { of = "joint/*/position" }
"#;
    let begin = || setup(text).expect("a task");
    let journal = Run::new(begin(), text).expect("a start").journal();
    assert!(Run::resume(begin(), text, journal.clone()).is_ok());
    let refused = |change: &dyn Fn(&mut Setup)| {
        let mut changed = begin();
        change(&mut changed);
        let error = Run::resume(changed, text, journal.clone()).expect_err("another model");
        assert!(error.to_string().contains("the model has changed"), "{error}");
    };
    refused(&|setup| setup.problem.model.params.links[0].mass *= 2.0);
    refused(&|setup| setup.problem.start.q[1] += 1e-9);
    refused(&|setup| setup.problem.start.v[0] = 1.0);
    refused(&|setup| setup.begin[3] = 1.0);
    refused(&|setup| {
        let points: Arc<[Vec3<f64>]> = vec![Vec3::X, Vec3::Y].into();
        setup.problem.model.topology.shapes[0].kind = ShapeKind::Points(points);
    });
}

#[test]
fn the_model_of_a_plan_has_one_keyframe_called_start() {
    let text = swing_up("method = \"ilqr\"");
    let mut setup = setup(&text).expect("a task");
    // As the model of an earlier plan has.
    let old = Keyframe { name: "start".into(), q: vec![1.0, 2.0], ..Keyframe::default() };
    setup.problem.model.topology.keyframes.push(old);
    let model = Run::new(setup, &text).expect("a start").model().expect("a model");
    let start = model.topology.keyframe("start").expect("a keyframe");
    assert_eq!(start.q, [0.0, std::f64::consts::PI]);
    assert_eq!(model.topology.keyframes.len(), 1);
    assert_eq!(model.topology.timestep, Some(0.005));
}

/// A force within ±10 N that costs its square, and more than any number beyond 2 N.
const STEEP: &str = r#"
[model]
file = "cartpole.urdf"
[simulation]
step = 0.005
[horizon]
seconds = 0.02
knot = 0.02
[actions]
inputs = "joint/slider/force"
begin = { "joint/slider/force" = 9 }
[costs]
effort = { of = "joint/slider/force", target = 0, weight = 1e308 }
[search]
method = "cma-es"
"#;

#[test]
fn a_method_that_cannot_begin_is_a_note_and_the_plan_stays() {
    let mut run = Run::new(setup(STEEP).expect("a task"), STEEP).expect("a start");
    let mut going = |_: &crate::Glimpse<'_>| ControlFlow::Continue(());
    assert!(run.go(&mut going) && run.go_rivals(&mut going));
    let outcome = run.outcome().expect("a plan");
    let told = outcome.notes.iter().any(|note| {
        note.starts_with("mppi was not compared") && note.contains("cost is not finite in knot 0")
    });
    assert!(told && outcome.rivals.is_empty(), "{:?}", outcome.notes);
    assert!(outcome.cost.is_finite());
}

#[test]
fn a_search_without_a_finite_cost_says_so() {
    let text = STEEP.replace("target = 0", "target = 100");
    let mut run = Run::new(setup(&text).expect("a task"), &text).expect("a start");
    assert!(run.go(&mut |_| ControlFlow::Continue(())));
    assert_eq!(run.journal().ended, Some(Ending::NotFinite));
    assert!(run.outcome().is_none());
}

/// A target alone does not lift the usual limit, and a higher limit extends the search.
#[test]
fn limits_stand_by_themselves_and_extend_a_search() {
    let adam = "method = \"adam\"\nlearning-rate = 1e-9";
    let mild = STEEP.replace("1e308", "1").replace("method = \"cma-es\"", adam);
    let text = format!("{mild}[limits]\ntarget = 1e-9\n");
    let mut run = Run::new(setup(&text).expect("a task"), &text).expect("a start");
    let mut going = |_: &crate::Glimpse<'_>| ControlFlow::Continue(());
    assert!(run.go(&mut going));
    let ended = |run: &Run| (run.journal().ended, run.journal().points.len());
    assert_eq!(ended(&run), (Some(Ending::Iterations), 501));
    let more = format!("{mild}[limits]\niterations = 520\n");
    let mut run = Run::resume(setup(&more).expect("a task"), &more, run.journal()).expect("limits");
    assert!(run.go(&mut going));
    assert_eq!(ended(&run), (Some(Ending::Iterations), 521));
    let other = more.replace("begin = { \"joint/slider/force\" = 9 }", "");
    let error = Run::resume(setup(&other).expect("a task"), &other, run.journal());
    let error = error.expect_err("another task").to_string();
    assert!(error.contains("the task has changed"), "{error}");
}

/// What other methods reached is compared with one plan, and not with a better one that is found later.
#[test]
fn a_search_that_goes_on_forgets_other_methods() {
    let limited = |most: u64| format!("{SWING_UP}[limits]\niterations = {most}\n");
    let text = limited(2);
    let mut run = Run::new(setup(&text).expect("a task"), &text).expect("a start");
    let mut going = |_: &crate::Glimpse<'_>| ControlFlow::Continue(());
    assert!(run.go(&mut going));
    let mut journal = run.journal();
    journal.rivals.push(Rival {
        method: "cma-es".to_owned(),
        points: vec![],
        ended: Ending::Target,
    });
    let mut same =
        Run::resume(setup(&text).expect("a task"), &text, journal.clone()).expect("same");
    assert!(same.go(&mut going));
    assert_eq!(same.journal().rivals.len(), 1, "nothing has changed");
    let more = limited(3);
    let mut run = Run::resume(setup(&more).expect("a task"), &more, journal).expect("a limit");
    assert!(run.go(&mut going));
    assert_eq!(run.journal().points.len(), 4);
    assert!(run.journal().rivals.is_empty());
}

#[test]
fn plans_on_the_way_tell_how_they_went() {
    let text = SWING_UP
        .replace("hinge = 3.141592653589793", "hinge = 0.2")
        .replace("seconds = 2", "seconds = 1")
        + "[receding]\nseconds = 1\nreplan = 2\ndelay = 1\n";
    let ready = RecedingRun::new(setup(&text).expect("a task")).expect("a start");
    let mut run = ready.expect("a receding horizon");
    assert!(run.go(&mut |_| ControlFlow::Continue(())).expect("a motion"));
    let outcome = run.outcome().expect("a motion");
    let replans = &outcome.receding.as_ref().expect("plans").replans;
    assert_eq!(replans.len(), 25);
    assert_eq!(replans[0].begun, Begun::FirstActions);
    assert!(replans[1..].iter().all(|replan| replan.begun == Begun::Feedback));
    assert!(replans[0].cost < replans[0].before);
    assert!(replans.iter().all(|replan| replan.residual < 1e-9));
    let told = "In this simulation each plan counts as made after 20 ms";
    assert!(outcome.notes.iter().any(|note| note.starts_with(told)), "{:?}", outcome.notes);
}

#[test]
fn cma_es_is_not_compared_with_thousands_of_numbers() {
    let long = SWING_UP.replace("seconds = 2", "seconds = 10.005").replace("0.02", "0.005");
    let text = long + "[limits]\niterations = 1\n";
    let mut run = Run::new(setup(&text).expect("a task"), &text).expect("a start");
    run.go(&mut |_| ControlFlow::Continue(()));
    // The other method is stopped at once.
    run.go_rivals(&mut |_| ControlFlow::Break(()));
    let notes = run.outcome().expect("a plan").notes;
    let told = "cma-es was not compared: 2001 numbers are too many for it, 2000 at most";
    assert!(notes.iter().any(|note| note == told), "{notes:?}");
}

#[test]
fn of_several_patterns_the_last_counts_and_a_name_beats_them() {
    let text = swing_up("method = \"lbfgs\"").replace(
        "inputs =",
        "parameters = { \"joint/*/damping\" = [0, 1], \"joint/h*/damping\" = [0, 2], \
         \"joint/slider/damping\" = [0, 3] }\ninputs =",
    );
    let setup = setup(&text).expect("a task");
    assert_eq!(setup.parameters.names(), ["joint/slider/damping", "joint/hinge/damping"]);
    assert_eq!(setup.parameter_bounds, [(0.0, 3.0), (0.0, 2.0)]);
}

#[test]
fn inputs_that_are_not_chosen_hold_the_start() {
    let text = r#"
[model]
file = "laikago.urdf"
[model.servos]
"*" = { stiffness = 150, damping = 4 }
[start]
positions = { "*_thigh_joint" = 0.7 }
[horizon]
seconds = 0.1
[actions]
inputs = "control/*_calf_joint"
bounds = { "control/*" = [-2, -1], "control/FL_calf_joint" = [-2.5, -0.7] }
[costs]
feet = { of = ["joint/FR_calf_joint/position", "joint/FL_calf_joint/position"], target = [-1.5, -1.2] }
"#;
    let setup = setup(text).expect("a task");
    let actions = &setup.problem.actions;
    assert_eq!(actions.held.len(), 4, "thighs; hips rest at zero");
    assert!(actions.held.iter().all(|(_, value)| *value == 0.7));
    assert_eq!((actions.lower[0], actions.upper[0]), (-2.5, -0.7), "a name beats a pattern");
    assert_eq!((actions.lower[1], actions.upper[1]), (-2.0, -1.0));
    let cost = &setup.problem.costs[0];
    let gradbody_control::Quantity::Configuration(which) = &cost.quantity else { panic!() };
    let topology = &setup.problem.model.topology;
    let q = |joint: &str| {
        let link = topology.links.iter().find(|link| link.joint.name == joint).expect("a joint");
        (cost.target[link.joint.q_start], link.joint.v_start)
    };
    assert_eq!(q("FR_calf_joint"), (-1.5, which[0]));
    assert_eq!(q("FL_calf_joint"), (-1.2, which[1]));
}

#[test]
fn a_search_may_begin_with_torques_that_hold_the_start() {
    let text = r#"
[model]
file = "arm7.urdf"
[start]
q = [0, -0.785, 0, -2.356, 0, 1.571, 0.785]
[horizon]
seconds = 0.2
[actions]
hold = true
[costs]
still = { of = "joint/*/position", within = 1e-3 }
"#;
    let held = setup(text).expect("a task");
    let falls = setup(&text.replace("hold = true", "")).expect("a task");
    let moved = |setup: &Setup| {
        let motion =
            gradbody_control::PlannedMotion::of(&setup.problem, &setup.begin).expect("a motion");
        motion.worst[0]
    };
    assert!(moved(&held) < 1e-6 && moved(&falls) > 0.05, "{} {}", moved(&held), moved(&falls));
    let weak =
        text.replace("hold = true", "hold = true\nbounds = { \"joint/*2/force\" = [-1, 1] }");
    let notes = setup(&weak).expect("a task").notes(&weak, "task.toml");
    let told = |note: &String| note.contains("what holds the start is beyond the bounds of joint/");
    assert!(notes.iter().any(told), "{notes:?}");
    assert!(!held.notes(text, "task.toml").iter().any(told));
}

#[test]
fn lists_are_for_all_parts_in_the_order_of_their_names() {
    let text = r#"
[model]
file = "laikago.urdf"
[horizon]
seconds = 0.1
[costs]
ahead = { of = ["link/trunk/position/x", "link/FL_calf/position/x"], target = [0.15, 0.3], weight = [1, 2] }
moves = { of = ["com/velocity/x", "com/position"], target = [7, 1, 2, 3], weight = [5, 1, 1, 4] }
"#;
    let setup = setup(text).expect("a task");
    let cost = |name: &str| {
        let found = setup.problem.costs.iter().find(|cost| cost.name == name).expect("a cost");
        (found.target.clone(), found.weights.clone())
    };
    let (target, weights) = cost("ahead (link/trunk/position)");
    assert_eq!((target[0], weights), (0.15, vec![1.0, 0.0, 0.0]));
    let (target, weights) = cost("ahead (link/FL_calf/position)");
    assert_eq!((target[0], weights), (0.3, vec![2.0, 0.0, 0.0]));
    assert_eq!(cost("moves (com/velocity)"), (vec![7.0, 0.0, 0.0], vec![5.0, 0.0, 0.0]));
    assert_eq!(cost("moves (com/position)"), (vec![1.0, 2.0, 3.0], vec![1.0, 1.0, 4.0]));
    let short = text.replace("target = [7, 1, 2, 3]", "target = [7, 1, 2]");
    let error = self::setup(&short).expect_err("a number is missing");
    let told = "costs.moves.target: 3 numbers are given, and 4 are compared: com/velocity/x, com/position/x, com/position/y, \
                com/position/z";
    assert!(error.contains(told), "{error}");
}

#[test]
fn a_start_that_is_impossible_is_told_with_its_line() {
    let notes = |text: &str| setup(text).expect("a task").notes(text, "task.toml");
    let told = |text: &str, note: &str| {
        let notes = notes(text);
        assert!(notes.iter().any(|is| is == note), "{notes:#?}\nhas no: {note}");
    };
    let turned = SWING_UP.replace("3.141592653589793", "180");
    told(&turned, "task.toml:6: at the start hinge = 180 rad are 28.6 turns; are these degrees?");
    assert!(notes(SWING_UP).iter().all(|note| !note.contains("at the start")));
    let far = SWING_UP.replace("hinge = ", "slider = 3, hinge = ");
    told(&far, "task.toml:6: at the start slider = 3 is outside -2.4 to 2.4 m");
    let arm = "[model]\nfile = \"arm7.urdf\"\n[start]\npositions = { joint2 = 45 }\n[horizon]\nseconds = 0.1\n\
               [costs]\nstill = { of = \"joint/*/position\" }\n";
    let notes_of_arm = notes(arm);
    let is_told = |note: &String| {
        note.starts_with("task.toml:4: at the start joint2 = 45 is outside -1.")
            && note.ends_with(" rad; are these degrees?")
    };
    assert!(notes_of_arm.iter().any(is_told), "{notes_of_arm:#?}");
    let sunk = r#"
[model]
file = "laikago.urdf"
ground = { friction = 0.8 }
[start]
positions = { "root/z" = 0.1 }
[horizon]
seconds = 0.1
[costs]
still = { of = "joint/*_joint/position" }
"#;
    let notes_of_sunk = notes(sunk);
    let is_told = |note: &String| {
        note.starts_with("task.toml:6: at the start \"")
            && note.contains("\"ground\"")
            && note.ends_with("will be pushed apart; change start.positions, such as \"root/z\"")
    };
    assert!(notes_of_sunk.iter().any(is_told), "{notes_of_sunk:#?}");
}

#[test]
fn what_cannot_change_and_what_costs_nothing_is_told() {
    let told = |from: &str, to: &str, note: &str| {
        assert!(SWING_UP.contains(from), "{from}");
        let text = SWING_UP.replace(from, to);
        let notes = setup(&text).expect("a task").notes(&text, "task.toml");
        assert!(notes.iter().any(|is| is == note), "{notes:#?}\nhas no: {note}");
    };
    let bounds = |range: &str| format!("bounds = {{ \"joint/slider/force\" = {range} }}\ninputs =");
    told(
        "inputs =",
        &bounds("[5, 6]"),
        "task.toml:16: zero is beyond the bounds of joint/slider/force, so the search begins at the bound",
    );
    told(
        "inputs =",
        &bounds("[5, 5]"),
        "task.toml:16: nothing can change: the bounds of joint/slider/force are equal",
    );
    told(
        "of = \"joint/*/velocity\", weight = 10",
        "of = \"link/pole/contact-force\", target = 3",
        "task.toml:20: costs.rest: link \"pole\" touches nothing, so its contact force is always zero",
    );
    let idle = "[model]\nfile = \"cartpole.urdf\"\n[horizon]\nseconds = 0.1\n[costs]\n\
                easy = { of = \"joint/*/position\", outside = [-9, 9] }\n";
    let notes = setup(idle).expect("a task").notes(idle, "task.toml");
    let note =
        "task.toml:5: all costs are zero in the first motion, so there is nothing to improve";
    assert!(notes.iter().any(|is| is == note), "{notes:#?}");
}

#[test]
fn a_gradient_without_slopes_is_called_flat() {
    let text = swing_up("method = \"lbfgs\"")
        .replace("of = \"joint/*/velocity\"", "of = \"link/pole/contact-force\", target = 3")
        .replace("up = ", "# up = ")
        .replace("effort = ", "# effort = ");
    let mut run = Run::new(setup(&text).expect("a task"), &text).expect("a start");
    assert!(run.go(&mut |_| ControlFlow::Continue(())));
    assert_eq!(run.journal().ended, Some(Ending::Flat));
    assert_eq!(run.journal().points.len(), 2);
}

#[test]
fn targets_follow_the_start_unless_they_are_given() {
    let text = r#"
[model]
file = "laikago.urdf"
ground = { friction = 0.8 }
[model.servos]
"*" = { stiffness = 150, damping = 4 }
[start]
positions = { "root/z" = 0.42, "*_thigh_joint" = 0.7, "*_calf_joint" = -1.4 }
[horizon]
seconds = 0.1
[costs]
high = { of = "link/trunk/position/z", target = 0.3, relative = true, weight = 2 }
low = { of = "link/trunk/position/z", target = 0.3 }
stance = { of = "joint/*_joint/position" }
posture = { of = "joint/*/position", weight = 0.5 }
near = { of = "control/*" }
upright = { of = "link/trunk/orientation" }
feet = { of = "link/*_calf/contact-force/z", outside = [0, 500] }
"#;
    let setup = setup(text).expect("a task");
    let cost = |name: &str| {
        let costs = setup.problem.costs.iter();
        costs.filter(|cost| cost.name.starts_with(name)).collect::<Vec<_>>()
    };
    assert_eq!(cost("high")[0].target[2], 0.42 + 0.3);
    assert_eq!(cost("high")[0].weights, [0.0, 0.0, 2.0]);
    assert_eq!(cost("low")[0].target[2], 0.3);
    assert_eq!(cost("stance")[0].quantity.len(), 12);
    assert_eq!(cost("posture")[0].quantity.len(), 18, "the root is a joint too");
    assert_eq!(cost("near")[0].target[..3], [0.0, 0.7, -1.4]);
    assert_eq!(cost("upright")[0].target, [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(cost("feet").len(), 4);
    assert_eq!(cost("feet")[0].target, [0.0; 3]);
}

#[test]
fn impossible_tasks_are_refused_with_their_line() {
    let refused = |from: &str, to: &str| {
        assert!(SWING_UP.contains(from), "{from}");
        setup(&SWING_UP.replace(from, to)).expect_err(to)
    };
    for (from, to, message) in [
        (
            "hinge = 3",
            "hinje = 3",
            "task.toml:6: start.positions.\"hinje\": the model has no coordinate \"hinje\"; did you mean \"hinge\"?",
        ),
        (
            "seconds = 2",
            "seconds = 0",
            "task.toml:12: horizon.seconds: 0: a plan needs a positive time",
        ),
        (
            "knot = 0.02",
            "knot = 0.012",
            "task.toml:13: horizon.knot: 0.012 s: a whole number of time steps",
        ),
        (
            "seconds = 2",
            "seconds = 2.005",
            "task.toml:12: horizon.seconds: 2.005 s: a whole number of knots",
        ),
        (
            "inputs = \"joint/slider/force\"",
            "inputs = \"joint/slide/force\"",
            "task.toml:16: actions.inputs: the model has no input \"joint/slide/force\"; did you mean \"joint/slider/force\"?",
        ),
        (
            "inputs = \"joint/slider/force\"",
            "inputs = \"control/*\"",
            "this model has no actuators",
        ),
        (
            "inputs =",
            "bounds = { \"joint/*\" = [2, 1] }\ninputs =",
            "task.toml:16: actions.bounds.\"joint/*\": the bounds are crossed: 2 to 1",
        ),
        (
            "inputs =",
            "bounds = { \"joint/*\" = [-99, 1] }\ninputs =",
            "wider than the range of joint/slider/force",
        ),
        (
            "weight = 1e-3",
            "weight = 0",
            "task.toml:21: costs.effort.weight: a weight of 0 costs nothing",
        ),
        (
            "of = \"joint/*/velocity\"",
            "of = \"joint/*/velocty\"",
            "task.toml:20: costs.rest.of: the model has no \"joint/*/velocty\"",
        ),
        (
            "when = \"end\" }\neffort",
            "when = { between = [3, 4] } }\neffort",
            "task.toml:20: costs.rest: cost \"rest\": no knot ends in its span of time, 3 to 4 s: knots end every 0.02 s, the \
             last one at 2 s",
        ),
        (
            "target = 0,",
            "target = [0, 0, 0],",
            "task.toml:19: costs.up.target: 3 numbers are given, and 2 are compared: joint/slider/position, joint/hinge/position",
        ),
        (
            "of = \"joint/*/velocity\", weight = 10",
            "of = [\"com/position\", \"joint/slider/velocity\"], weight = [1, 2, 3]",
            "task.toml:20: costs.rest.weight: 3 numbers are given, and 4 are compared: com/position/x, com/position/y, \
             com/position/z, joint/slider/velocity",
        ),
        (
            "when = \"end\" }\neffort",
            "when = { between = [0.9, 0.1] } }\neffort",
            "task.toml:20: costs.rest.when: the times are crossed: 0.9 to 0.1 s",
        ),
        (
            "of = \"joint/*/velocity\", weight = 10",
            "of = [\"link/pole/orientation\", \"com/position\"], target = [1, 0, 0, 0, 0, 0, 0]",
            "task.toml:20: costs.rest.target: an orientation has a quaternion as its target",
        ),
        (
            "inputs = \"joint/slider/force\"",
            "inputs = [\"joint/slider/force\", \"joint/hinge/force\"]",
            "task.toml:16: actions.inputs: joint \"hinge\" has no motor: its effort limit is 0",
        ),
        (
            "inputs =",
            "bounds = { \"joint/*\" = [nan, 1] }\ninputs =",
            "task.toml:16: actions.bounds.\"joint/*\": NaN is no bound",
        ),
        (
            "[horizon]",
            "[receding]\nseconds = 1\npushes = [{ link = \"pole\", at = 0.1, seconds = 0.001, force = [1, 0, 0] }]\n[horizon]",
            "receding.pushes[0].seconds: 0.001 s: a whole number of time steps is needed, and simulation.step is 0.005 s",
        ),
        (
            "[horizon]",
            "[receding]\nseconds = 1\npushes = [{ link = \"pole\", at = -1, seconds = 0.01, force = [1, 0, 0] }]\n[horizon]",
            "receding.pushes[0].at: -1 s: a time that is not negative is needed",
        ),
        (
            "[horizon]",
            "[search]\nmethod = \"ilqr\"\nsmoothing = { kappa = 0.3 }\n[horizon]",
            "smoothing needs kappa and iterations, as in { kappa = 0.3, iterations = 30 }",
        ),
        (
            "[horizon]",
            "[search]\nmethod = \"ddp\"\n[horizon]",
            "known are ilqr, mppi, lbfgs, adam, cma-es, basin-hopping, islands",
        ),
        (
            "[horizon]",
            "[search]\nmethod = \"mppi\"\nsamples = 1000000000\n[horizon]",
            "search: samples = 1000000000 is out of range: it must be at most 100000",
        ),
        (
            "[horizon]",
            "[search]\nmethod = \"ilqr\"\ndamping = 1e300\n[horizon]",
            "search.damping: damping = 1e300: it must be at most 1e6",
        ),
        (
            "[horizon]",
            "[receding]\nseconds = 1\nreplan = 2\ndelay = 3\n[horizon]",
            "receding.delay: 3: a plan must be made before the next one is due",
        ),
        ("[horizon]", "[search]\nmethod = \"mppi\"\nsamples = 1\n[horizon]", "search: samples = 1"),
        ("[horizon]", "[search]\nmethod = \"newton\"\n[horizon]", "newton"),
        ("seconds = 2", "seconds = 1e9", "horizon.seconds"),
        ("[model]", "name = \"../x\"\n[model]", "name: a name is also that of a folder"),
        (
            "inputs =",
            "begin = { \"joint/*\" = 1e4 }\ninputs =",
            "actions.begin.\"joint/*\": 10000 is not in the range",
        ),
        ("file = ", "q = [0, 0]\nfile = ", "model.q: a task begins as [start] says"),
        (
            "[horizon]",
            "[receding]\nseconds = 0.013\n[horizon]",
            "receding.seconds: 0.013 s: a whole number of knots",
        ),
        (
            "[horizon]",
            "[receding]\nseconds = 1\n[limits]\nseconds = 3\n[horizon]",
            "limits: they are about one plan; with [receding], set receding.iterations",
        ),
        (
            "[horizon]",
            "[receding]\nseconds = 1\nfirst-iterations = 0\n[horizon]",
            "receding.first-iterations: 0: each plan needs at least 1",
        ),
        ("[horizon]", "[limits]\niterations = 0\n[horizon]", "limits.iterations: 0: the search"),
        (
            "[horizon]",
            "[search]\nmethod = \"ilqr\"\nsmoothing = { kappa = 0.1, iterations = 0 }\n[horizon]",
            "search: smoothing.iterations = 0 is out of range",
        ),
        (
            "inputs =",
            "parameters = { \"joint/*/damping\" = [0, 1] }\ninputs =",
            "task.toml:16: actions.parameters: ilqr chooses actions and no parameters: ",
        ),
        (
            "inputs =",
            "parameters = { \"link/pole/mass\" = [-1, 1] }\ninputs =",
            "task.toml:16: actions.parameters.\"link/pole/mass\": -1 is impossible: ",
        ),
        (
            "inputs =",
            "bounds = { \"joint/slider/force\" = [-5, 0, 5] }\ninputs =",
            "task.toml:16: actions.bounds.\"joint/slider/force\": 3 values are given where 2 are needed",
        ),
        (
            "weight = 1e-3",
            "outside = [-1, 1, 2]",
            "task.toml:21: costs.effort.outside: 3 values are given where 2 are needed",
        ),
        ("[horizon]", "\u{1}\u{2}\n[horizon]", "; this line is not text"),
    ] {
        let error = refused(from, to);
        assert!(error.contains(message), "{error}\nhas no: {message}");
    }
}

#[test]
fn the_tasks_to_copy_have_a_start_and_costs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/tasks");
    let load = |path: &Path, options: &ImportOptions| {
        import::load(path, options).map_err(|error| error.to_string())
    };
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("a file").path();
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a task");
        assert!(text.starts_with("# "), "{name} says what it shows");
        let task = Task::from_toml(&text, &name).unwrap_or_else(|error| panic!("{error}"));
        let setup = Setup::new(task, &folder, &load)
            .unwrap_or_else(|error| panic!("{}", error.in_file(&text, &name)));
        let motion = gradbody_control::PlannedMotion::of(&setup.problem, &setup.begin);
        assert!(motion.is_ok_and(|motion| motion.cost > 0.0), "{name}");
        seen += 1;
    }
    assert!(seen >= 5, "{seen} tasks");
}
