use gradbody_draw::Scene;
use gradbody_plan::{
    ActionTrack, Begun, CostOutcome, Ending, ForceTrack, ParameterOutcome, PlanOutcome, Point,
    RecedingOutcome, ReplanOutcome, Rival,
};

use super::{comparison, page, summary};

fn outcome() -> PlanOutcome {
    let point = |iteration: u64, cost: f64| Point {
        iteration,
        seconds: 0.1 * iteration as f64,
        simulations: 3 * iteration,
        cost: Some(cost),
    };
    PlanOutcome {
        name: "reach <far>".into(),
        method: "ilqr".into(),
        model: "arm".into(),
        ended: Some(Ending::Converged),
        done: Some(false),
        points: vec![point(0, 9.0), point(1, 1.5)],
        cost: 1.5,
        costs: vec![CostOutcome {
            name: "hand".into(),
            before: Some(9.0),
            cost: 1.5,
            knots: vec![0.5, 1.0],
            worst: 0.2,
            within: Some(0.1),
        }],
        parameters: vec![ParameterOutcome {
            name: "joint/a/damping".into(),
            before: 0.1,
            chosen: 0.3,
            bounds: (0.0, 1.0),
        }],
        times: vec![0.0, 0.5, 1.0],
        actions: vec![ActionTrack {
            name: "joint/a/force".into(),
            unit: "Nm".into(),
            bounds: (None, Some(2.0)),
            values: vec![1.0, 2.0],
        }],
        forces: vec![ForceTrack { link: "foot".into(), values: vec![[0.0; 3], [3.0, 4.0, 50.0]] }],
        state_names: [vec![], vec![], vec![]],
        states: vec![],
        scene: Scene {
            bodies: vec!["world".into(), "arm".into()],
            parents: vec![0, 0],
            ..Scene::default()
        },
        poses: vec![0.5; 3 * 14],
        first: vec![],
        residual: 0.0,
        notes: vec!["one thing".into()],
        rivals: vec![Rival {
            method: "cma-es".into(),
            points: vec![point(40, 2.0)],
            ended: Ending::Simulations,
        }],
        com: [[0.0; 3], [3.0, 4.0, 0.0]],
        receding: None,
    }
}

#[test]
fn a_page_tells_what_was_found_and_what_not() {
    let page = page(&outcome());
    for text in [
        "reach &lt;far&gt;: a plan for arm",
        "The cost fell from 9 to 1.5 in 1 iteration by ilqr",
        "The task is not done (hand: at most 0.2 off, 0.1 is asked for).",
        "joint/a/damping",
        "action [Nm]",
        "Cost of each knot",
        "Vertical force",
        "cma-es",
        "used all its simulations",
        "one thing",
    ] {
        assert!(page.contains(text), "no {text:?}");
    }
    assert!(!page.contains("reach <far>"), "names are escaped");
    assert_eq!(page.matches("class=\"player\"").count(), 1);
    let mut at_end = outcome();
    at_end.cost = 0.0;
    at_end.costs[0].cost = 0.0;
    at_end.costs[0].knots.fill(0.0);
    let page = super::page(&at_end);
    assert!(!page.contains("Cost of each knot") && page.contains("0 %"), "an empty plot");
}

#[test]
fn only_methods_that_follow_derivatives_speak_of_them() {
    let minimum = "the derivatives of the costs promise no better plan: change the weights";
    assert!(summary(&outcome()).contains(minimum));
    let sampled = summary(&PlanOutcome { method: "mppi".into(), ..outcome() });
    assert!(!sampled.contains(minimum));
    assert!(sampled.contains("The search found nothing better nearby: change the weights"));
}

#[test]
fn a_motion_by_plans_on_the_way_tells_how_far_it_came_and_how_long_they_took() {
    let replan = |time: f64, micros: f64| ReplanOutcome {
        time,
        begun: Begun::Feedback,
        before: None,
        cost: Some(1.0),
        length: 1.0,
        residual: 0.0,
        micros,
    };
    let receding = RecedingOutcome {
        horizon: 0.5,
        replans: vec![replan(0.0, 9e6), replan(0.5, 2500.0)],
        ended: "all of its time has passed".into(),
    };
    let outcome = PlanOutcome { receding: Some(receding), points: vec![], ..outcome() };
    let told = "the centre of mass moved 5.00 m (5.00 m/s) by 2 plans, made in 2.50 ms (median; at most 2.50 ms, the \
                first plan apart) each";
    assert!(summary(&outcome).contains(told), "{}", summary(&outcome));
    let page = page(&outcome);
    assert!(page.contains(told) && page.contains("Plans on the way"));
    assert!(page.contains("not exceeded by 99 of 100 plans"));
    assert!(!page.contains("How it was found"));
}

#[test]
fn a_cost_that_did_not_fall_is_called_so() {
    let mut still = outcome();
    still.cost = 9.0;
    still.costs[0].cost = 9.0;
    assert!(summary(&still).contains("The cost did not fall from 9 in 1 iteration by ilqr"));
    // A method that tries many motions at once knows a better one before its first iteration.
    let mut first = outcome();
    first.points[0].cost = Some(4.0);
    assert!(summary(&first).contains("The cost fell from 9 to 1.5"));
}

#[test]
fn a_limit_of_time_is_said_to_depend_on_the_machine() {
    let remark = "depends on the machine";
    assert!(!summary(&outcome()).contains(remark) && !page(&outcome()).contains(remark));
    let mut limited = outcome();
    limited.rivals[0].ended = Ending::Time;
    assert!(summary(&limited).contains(remark) && page(&limited).contains(remark));
    assert!(comparison(&limited).starts_with("  cma-es "), "{}", comparison(&limited));
}

#[test]
fn a_summary_has_a_line_for_each_cost_parameter_and_rival() {
    let text = summary(&outcome());
    let starts: Vec<&str> =
        text.lines().map(|line| line.split_whitespace().next().unwrap_or("")).collect();
    assert_eq!(starts, ["reach", "The", "hand", "joint/a/damping", "cma-es", "note:"], "{text}");
}
