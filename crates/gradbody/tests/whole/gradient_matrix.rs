//! The matrix of gradients: every joint kind, every way to find what contacts do, joint stops soft and
//! hard, every integrator, every kind of parameter. Each adjoint is compared with dual numbers, with
//! central differences where the function is smooth, with itself in single precision and in lanes, and
//! under every way to keep what it needs.
//!
//! A derivative that is never other than zero tests nothing: each kind of parameter must be seen to
//! act somewhere. What the matrix finds is `docs/gradient-support.md`.

#[path = "gradient_matrix/specimen.rs"]
mod specimen;
#[path = "gradient_matrix/table.rs"]
mod table;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::gradient::{
    Probe, adjoint, all_numbers, compare_by, end, groups, kind_of, without_names,
};
use crate::support::lanes::Lanes64;
use crate::support::random::Random;
use gradbody::contact::{Cone, ContactGradient, Ncp, Solver};
use gradbody::dynamics::integrate;
use gradbody::model::{ActuatorParams, JointId, ParamId};
use gradbody::prelude::*;
use gradbody::sim::{Checkpointing, GradientOptions, Rollout, RolloutTrace, Sequence, rollout_vjp};
use gradbody_check::{Case, Part, finite_params};
use specimen::{INTEGRATORS, Stops, Way, case, joints, mechanism, ways};
use table::Table;

/// Central differences at a step of 1e-6 in f64: values of about 1 are rounded to 1e-16, so slopes to
/// 1e-9 or so, of a size of 1e-3 and more.
const DIFFERENCES: f64 = 1e-5;
const DIFFERENCES_OF: f64 = 1e-3;

/// Dual numbers and adjoints round differently, no more.
const DUALS: f64 = 1e-10;

/// Single precision: gaps of 1e-4 m between places at 1 m are rounded to a thousandth.
const SINGLE: f64 = 2e-2;

/// Worlds in lanes, relative to the largest number of the gradient.
const LANES: f64 = 1e-12;

/// Of the largest derivative of a case, the share below which errors count as if it were that large:
/// small derivatives are differences of large ones.
const SMALL: f64 = 1e-4;

/// A derivative below this is rounding.
const ZERO: f64 = 1e-12;

/// Smoothing over a velocity that nothing is as near to changing over as [m/s], and what it may change,
/// relative to the largest number of the gradient.
const OVER_NOTHING: f64 = 1e-9;
const SMOOTH: f64 = 1e-6;

/// Columns of the table of variants.
const F32: &str = "f32";
const IN_LANES: &str = "4 lanes of f64";
const SMOOTHED: &str = "Smoothed";

fn variants() -> Vec<String> {
    let policies = POLICIES.iter().map(|(name, _)| *name);
    [F32, IN_LANES, SMOOTHED].into_iter().chain(policies).map(str::to_owned).collect()
}

/// What one joint kind gives.
#[derive(Default)]
struct Found {
    joints: Table,
    parts: Table,
    numbers: Table,
    missing: BTreeSet<String>,
    failures: Vec<String>,
    /// The adjoint in other numbers, smoothed, and with other things kept, by ways.
    variants: Table,
    differences: f64,
    cells: usize,
}

#[test]
fn every_cell_agrees_with_duals() {
    let kinds = joints();
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut all = Found::default();
    std::thread::scope(|scope| {
        let work = || {
            let mut found = Found::default();
            loop {
                let kind = next.fetch_add(1, Ordering::Relaxed);
                let Some((name, spec)) = kinds.get(kind) else { return found };
                joint_kind(kind, name, spec, &mut found);
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            let found = worker.join().expect("a worker");
            all.joints.add(found.joints);
            all.parts.add(found.parts);
            all.numbers.add(found.numbers);
            all.missing.extend(found.missing);
            all.failures.extend(found.failures);
            all.variants.add(found.variants);
            all.differences = all.differences.max(found.differences);
            all.cells += found.cells;
        }
    });
    println!(
        "{} cells; worst: duals {:.1e}, differences {:.1e}, f32 {:.1e}, lanes {:.1e}",
        all.cells,
        all.joints.worst(),
        all.differences,
        all.variants.worst_in(F32),
        all.variants.worst_in(IN_LANES)
    );
    all.failures.sort();
    let shown: Vec<_> = all.failures.iter().take(40).cloned().collect();
    assert!(shown.is_empty(), "{} failures:\n{}", all.failures.len(), shown.join("\n"));
    check_that_all_acts(&all);
    let names: Vec<String> = kinds.iter().map(|(name, _)| (*name).to_owned()).collect();
    let ways: Vec<String> = ways().iter().map(|way| way.name.to_owned()).collect();
    let numbers: Vec<String> = joint_numbers().into_iter().collect();
    let page = table::page(
        (&all.joints, &names),
        (&all.parts, &part_names()),
        &ways,
        (&all.variants, &variants()),
        (&all.numbers, &numbers),
        &all.missing,
    );
    table::write_or_compare(&page);
}

/// All cells of one joint kind.
fn joint_kind(kind: usize, name: &str, spec: &JointSpec, found: &mut Found) {
    for way in ways() {
        for stops in Stops::ALL {
            for integrator in INTEGRATORS {
                let case = case(kind, spec, stops, integrator, &way);
                let label = format!("{name} | {} | {stops:?} | {integrator:?}", way.name);
                found.cells += 1;
                against_duals(name, &label, &way, stops, &case, found);
                against_single(&label, &way, &case, found);
                in_lanes(&label, &way, &case, found);
                smoothed(&label, &way, &case, found);
                with_checkpoints(&label, &way, &case, found);
            }
        }
    }
}

fn against_duals(
    joint: &str,
    label: &str,
    way: &Way,
    stops: Stops,
    case: &Case,
    found: &mut Found,
) {
    let smooth = way.is_smooth() && stops == Stops::Soft;
    let compared = match compare_by(case, 5, smooth) {
        Ok(compared) => compared,
        Err(failure) => return found.failures.push(format!("{label}: {failure}")),
    };
    let floor = SMALL * compared.iter().map(|c| c.size).fold(0.0, f64::max);
    for c in &compared {
        let error = c.relative_error(floor);
        if !within(error, DUALS) {
            found.failures.push(format!("{label}: {c} is off by {error:.1e}"));
        }
        if smooth {
            let error = c.difference_error(DIFFERENCES_OF);
            found.differences = found.differences.max(error);
            if !within(error, DIFFERENCES) {
                found.failures.push(format!("{label}: {c} differs by {error:.1e}"));
            }
        }
        found.joints.note(joint, way.name, error);
        if c.dual.abs() > ZERO {
            found.parts.note(&name_of(&c.part), way.name, error);
        } else if matches!(c.part, Part::Configuration | Part::Velocity) {
            found.failures.push(format!("{label}: {} has no derivative", c.part.name()));
        }
    }
    of_the_joint(joint, case, found);
}

/// What is differentiated where variants of one gradient are compared.
fn probe(case: &Case) -> Probe {
    Probe::random(case, &mut Random::new(5), &end(case))
}

/// Notes which numbers of the joint in question act.
fn of_the_joint(joint: &str, case: &Case, found: &mut Found) {
    let (gradient, _) = adjoint::<f64>(case, probe(case));
    let slopes = Selection::all(&case.model).gradient(&case.model, &gradient.params);
    for (id, slope) in finite_params(&case.model).into_iter().zip(slopes) {
        let number = match id {
            ParamId::JointPlacement(j, _)
            | ParamId::JointAxis(j, _)
            | ParamId::JointAxis2(j, _)
            | ParamId::Joint(j, _)
                if j == JointId::new(0) =>
            {
                kind_of(&case.model, id)
            }
            ParamId::Actuator(a, _)
                if case.model.topology.actuators[a.index()].joint == JointId::new(0) =>
            {
                "actuator".to_owned()
            }
            _ => continue,
        };
        if slope.abs() > ZERO {
            found.numbers.note(joint, short(&number), table::ACTS);
        }
    }
}

/// The numbers that a joint of some kind has.
fn joint_numbers() -> BTreeSet<String> {
    let mut numbers = BTreeSet::from(["actuator".to_owned()]);
    for (kind, (_, spec)) in joints().iter().enumerate() {
        let (model, _) = mechanism(kind, spec, Stops::Soft);
        numbers.extend(numbers_of(&model));
    }
    numbers
}

/// The numbers that the first joint has.
fn numbers_of(model: &Model<f64>) -> BTreeSet<String> {
    let of_joint = |id: &ParamId| match id {
        ParamId::JointPlacement(j, _)
        | ParamId::JointAxis(j, _)
        | ParamId::JointAxis2(j, _)
        | ParamId::Joint(j, _) => *j == JointId::new(0),
        _ => false,
    };
    let ids = model.topology.param_ids();
    let kinds = ids.iter().filter(|id| of_joint(id)).map(|id| kind_of(model, *id));
    kinds.map(|kind| short(&kind).to_owned()).collect()
}

/// The name of a joint's number in the table. A joint is at one end of its range at a time.
fn short(kind: &str) -> &str {
    match kind.trim_start_matches("joint/") {
        "limit_lower" | "limit_upper" => "limits",
        number => number,
    }
}

/// Every part has a derivative somewhere; every number of a joint has one, or the joint has no such
/// number.
fn check_that_all_acts(all: &Found) {
    let ways = ways();
    let acts = |part: &String| ways.iter().any(|way| all.parts.has(part, way.name));
    let idle: Vec<String> = part_names().into_iter().filter(|part| !acts(part)).collect();
    assert!(idle.is_empty(), "no case depends on {idle:?}: the matrix says nothing of them");
    for (kind, (name, spec)) in joints().iter().enumerate() {
        let (model, _) = mechanism(kind, spec, Stops::Soft);
        let has = numbers_of(&model);
        for number in joint_numbers() {
            let expected = match (does_not_apply(spec, &number), number.as_str()) {
                (true, _) => false,
                (false, "actuator") => true,
                (false, number) => {
                    assert!(has.contains(number), "a {name} joint has no {number}");
                    true
                }
            };
            assert_eq!(all.numbers.has(name, &number), expected, "{name}: {number}");
        }
    }
}

/// What a joint of this kind has not.
fn does_not_apply(spec: &JointSpec, number: &str) -> bool {
    use gradbody::model::{Axis, JointKind};
    let flat = spec.kind.is_flat();
    match number {
        // Orientations are no plain numbers: no range, no rest position but zero.
        "rest" | "limits" => !flat,
        "limit_stiffness" | "limit_damping" | "limit_softness" => !flat,
        // A coordinate axis is not a parameter.
        "axis" => !matches!(
            spec.kind,
            JointKind::Revolute(Axis::Any) | JointKind::Prismatic(Axis::Any) | JointKind::Universal
        ),
        "axis2" => spec.kind != JointKind::Universal,
        "actuator" => spec.kind.nv() != 1,
        _ => false,
    }
}

#[test]
fn joints_of_several_axes_refuse_actuators() {
    for (name, spec) in joints() {
        let mut builder = ModelBuilder::new("refused");
        let body = crate::support::models::body(1.0, [0.0; 3], [0.1; 3]);
        builder.link("body", FrameId::WORLD, spec.clone(), body).unwrap();
        let motor = ActuatorParams::motor(1.0);
        let answer = builder.actuator("motor", JointId::new(0), false, motor);
        assert_eq!(answer.is_err(), does_not_apply(&spec, "actuator"), "{name}");
    }
}

/// All parts of the matrix, in the order of the table.
fn part_names() -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let way = &ways()[0];
    for (kind, (_, spec)) in joints().iter().enumerate() {
        for part in Part::all(&case(kind, spec, Stops::Soft, INTEGRATORS[0], way)) {
            let name = name_of(&part);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let of_params = |name: &String| name.contains('/') || name == "gravity";
    names.sort_by_key(|name| (of_params(name), name.split('/').next().map(str::to_owned)));
    names
}

fn name_of(part: &Part) -> String {
    match part {
        Part::Configuration => "configuration".into(),
        Part::Velocity => "velocity".into(),
        Part::Activation => "actuator states".into(),
        Part::Controls => "controls".into(),
        Part::JointForces => "joint forces".into(),
        Part::Wrenches => "forces on links".into(),
        Part::TimeStep => "time step".into(),
        Part::Params { kind, .. } => without_names(&kind.paths),
    }
}

fn against_single(label: &str, way: &Way, case: &Case, found: &mut Found) {
    if let Solver::Lcp(_) = way.solver {
        let reason = "f32 with the LCP: its pivots drown in rounding";
        found.missing.insert(reason.to_owned());
        return;
    }
    let probe = probe(case);
    let (double, inputs) = adjoint::<f64>(case, probe.clone());
    let (single, inputs32) = adjoint::<f32>(case, probe);
    let model32 = case.model.cast();
    let mut pairs: Vec<(Part, f64, f64, f64)> = Vec::new();
    for group in groups(case, &mut Random::new(6)) {
        let terms = group.terms(&case.model, &double, &inputs);
        let exact: f64 = terms.iter().sum();
        let size: f64 = terms.iter().map(|x| x.abs()).sum();
        let got: f32 = group.terms(&model32, &single, &inputs32).iter().sum();
        pairs.push((group.part, exact, f64::from(got), size));
    }
    let largest = pairs.iter().map(|p| p.3).fold(0.0, f64::max);
    for (part, exact, got, size) in pairs {
        let error = (got - exact).abs() / size.max(largest * 1e-2);
        found.variants.note(way.name, F32, error);
        if !within(error, SINGLE) {
            let part = part.name();
            let message = format!("{label}: in f32 {part} is {got}, not {exact}: {error:.1e}");
            found.failures.push(message);
        }
    }
}

/// Worlds that begin a little differently.
fn neighbours(case: &Case, n: usize) -> Vec<Case> {
    let mut random = Random::new(8);
    let neighbour = |i: usize| {
        let mut near = case.clone();
        if i > 0 {
            let dq: Vec<f64> = random.numbers(case.model.nv()).iter().map(|x| 1e-3 * x).collect();
            integrate(&near.model, &mut near.start.q, &dq);
            near.start.v.iter_mut().for_each(|v| *v *= 1.0 + 0.1 * random.unit());
            near.model.params.gravity = near.model.params.gravity * (1.0 + 0.1 * random.unit());
        }
        near
    };
    (0..n).map(neighbour).collect()
}

fn in_lanes(label: &str, way: &Way, case: &Case, found: &mut Found) {
    type S = Lanes64;
    let worlds = neighbours(case, S::LANES);
    let probe = probe(case);
    let mut together = case.world::<S>(&[]);
    let pick = |of: &dyn Fn(&Case) -> f64| S::from_lanes(|lane| of(&worlds[lane]));
    for i in 0..together.start.q.len() {
        together.start.q[i] = pick(&|case| case.start.q[i]);
    }
    for i in 0..together.start.v.len() {
        together.start.v[i] = pick(&|case| case.start.v[i]);
    }
    for i in 0..3 {
        together.model.params.gravity[i] = pick(&|case| case.model.params.gravity[i]);
    }
    let (together, inputs) = together.adjoint(&mut probe.clone(), &case.gradient_options());
    for (lane, world) in worlds.iter().enumerate() {
        let (alone, alone_inputs) = adjoint::<f64>(world, probe.clone());
        let alone = all_numbers(&alone, &alone_inputs, 0);
        let largest = alone.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let differ = |(a, b): (f64, &f64)| (a - b).abs() / largest;
        let there = all_numbers(&together, &inputs, lane);
        let error = there.into_iter().zip(&alone).map(differ).fold(0.0, f64::max);
        found.variants.note(way.name, IN_LANES, error);
        if !within(error, LANES) {
            found.failures.push(format!("{label}: lane {lane} is off by {error:.1e}"));
        }
    }
}

/// Where contacts are far from changing over, the smoothed gradient is the implicit one.
fn smoothed(label: &str, way: &Way, case: &Case, found: &mut Found) {
    match way.solver {
        Solver::Ncp(Ncp { cone: Cone::Circular, .. })
            if case.gradient == ContactGradient::Implicit => {}
        Solver::Ncp(Ncp { cone: Cone::Pyramid, .. }) | Solver::Lcp(_) => {
            let reason = "Smoothed with the NCP's pyramid or the LCP: it smooths the round cone";
            found.missing.insert(reason.to_owned());
            return;
        }
        _ => return,
    }
    let probe = probe(case);
    let numbers = |case: &Case| {
        let (gradient, inputs) = adjoint::<f64>(case, probe.clone());
        all_numbers(&gradient, &inputs, 0)
    };
    let implicit = numbers(case);
    let mut case = case.clone();
    case.gradient = ContactGradient::Smoothed { kappa: OVER_NOTHING };
    let largest = implicit.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let differ = |(a, b): (&f64, &f64)| (a - b).abs() / largest;
    let error = numbers(&case).iter().zip(&implicit).map(differ).fold(0.0, f64::max);
    found.variants.note(way.name, SMOOTHED, error);
    if !within(error, SMOOTH) {
        found.failures.push(format!("{label}: smoothing over nothing changes it by {error:.1e}"));
    }
}

/// Ways to keep what the way back needs, and their names in the table.
const POLICIES: [(&str, Checkpointing); 4] = [
    ("EveryStep", Checkpointing::EveryStep),
    ("StoreAll", Checkpointing::StoreAll),
    ("Revolve, 2", Checkpointing::Revolve { snapshots: 2 }),
    ("Revolve, 3", Checkpointing::Revolve { snapshots: 3 }),
];

fn with_checkpoints(label: &str, way: &Way, case: &Case, found: &mut Found) {
    let probe = probe(case);
    let mut first: Option<Vec<u64>> = None;
    for (name, checkpointing) in POLICIES {
        let mut case = case.clone();
        case.checkpointing = checkpointing;
        let (gradient, inputs) = adjoint::<f64>(&case, probe.clone());
        let bits: Vec<u64> =
            all_numbers(&gradient, &inputs, 0).iter().map(|x| x.to_bits()).collect();
        if *first.get_or_insert_with(|| bits.clone()) != bits {
            found.failures.push(format!("{label}: {checkpointing:?} gives other bits"));
        }
        found.variants.note(way.name, name, table::SAME_BITS);
    }
}

/// A ball falls towards the ground and does not reach it in this step. With w the velocity it is short
/// of touching by, pressing counts by p = ½ (1 − w/√(w² + κ²)), and
///
/// ```text
///   dv⁺/dv = 1 − p,      dv⁺/dz = −p/dt
/// ```
#[test]
fn smoothing_sees_a_contact_ahead() {
    use gradbody::model::Material;
    let (dt, kappa, gap, fall) = (1e-3, 0.3, 8e-4, -0.4);
    let mut scene = crate::support::scenes::Scene::weightless(Material::with_friction(0.5));
    scene.ground();
    scene.ball("ball", 0.1, 2.0);
    let mut world = scene.world(dt);
    world.place(0, [0.0, 0.0, 0.1 + gap], Quat::IDENTITY);
    world.throw(0, [0.0, 0.0, fall], [0.0; 3]);
    let slopes = |gradient| {
        let options = StepOptions::accurate_gradients(dt);
        let (model, start) = (&world.model, &world.state);
        let rolled = Rollout { model, start, steps: 1, options: &options };
        let mut loss = gradbody::sim::LinearState {
            q_coefficients: vec![0.0; model.nq()],
            v_coefficients: vec![0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        };
        let how = GradientOptions { contact: gradient, ..GradientOptions::default() };
        let mut inputs = Sequence::new(model, vec![Input::none(model)]);
        let mut trace = RolloutTrace::new(model);
        let gradient = rollout_vjp(&rolled, &mut inputs, &mut loss, &mut NoTaps, &how, &mut trace);
        let start = gradient.checked().unwrap().start;
        (start.v[2], start.q[2])
    };
    assert_eq!(slopes(ContactGradient::Implicit), (1.0, 0.0));
    // A gap closes to 5e-13 m beyond zero.
    let w: f64 = fall + (gap + 5e-13) / dt;
    let p = 0.5 * (1.0 - w / w.hypot(kappa));
    let (by_velocity, by_height) = slopes(ContactGradient::Smoothed { kappa });
    assert!((by_velocity - (1.0 - p)).abs() < 1e-12, "{by_velocity}, not {}", 1.0 - p);
    assert!((by_height + p / dt).abs() < 1e-12 / dt, "{by_height}, not {}", -p / dt);
}

/// Whether an error is a number and small enough.
fn within(error: f64, tolerance: f64) -> bool {
    error <= tolerance
}
