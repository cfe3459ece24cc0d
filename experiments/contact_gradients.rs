//! Compares the kinds of contact gradients with closed forms, for a ball that is dropped and bounces and a box that is
//! pushed on a table.

use std::fmt::Write as _;

use gradbody::contact::{ContactGradient, Ncp, Solver};
use gradbody::math::{Dual, Force, Inertia, Scalar, Sym3, Vec3};
use gradbody::model::{FrameId, JointSpec, Material, Model, ModelBuilder, ShapeKind, ShapeParams};
use gradbody::prelude::Transform;
use gradbody::sim::{
    Constant, GradientOptions, Input, LinearState, NoTaps, Rollout, RolloutTrace, State,
    StepOptions, Terminal, rollout_vjp,
};
use serde_json::{Map, Value, json};

use super::{Findings, Prepared};
use gradbody_report::text::fixed;
use gradbody_report::{Plot, Section, Series};

const GRAVITY: f64 = 9.81;
/// Radius of the ball, half the side of the box [m].
const RADIUS: f64 = 0.1;
const RESTITUTION: f64 = 0.5;
const FRICTION: f64 = 0.5;
/// Time step and length of a run [s].
const DT: f64 = 0.005;
const STEPS: usize = 100;
/// Sweeps of the solver. The box stands on four contacts, one more than needed, and creeps after any number of sweeps.
const SWEEPS: u32 = 500;
/// Ranges of drop heights [m] and pushing forces [N].
const SAMPLES: usize = 121;
const HEIGHTS: (f64, f64) = (0.2, 1.4);
const FORCES: (f64, f64) = (0.0, 10.0);

pub(super) fn prepare() -> Prepared {
    Box::new(|_| experiment())
}

/// A kind of contact gradient.
struct Kind {
    name: &'static str,
    gradient: ContactGradient,
    impact_times: bool,
}

const BALL_KINDS: [Kind; 3] = [
    Kind { name: "implicit", gradient: ContactGradient::Implicit, impact_times: true },
    Kind { name: "of the step alone", gradient: ContactGradient::Implicit, impact_times: false },
    Kind {
        name: "smoothed, 0.1 m/s",
        gradient: ContactGradient::Smoothed { kappa: 0.1 },
        impact_times: true,
    },
];

const BOX_KINDS: [Kind; 4] = [
    Kind { name: "implicit", gradient: ContactGradient::Implicit, impact_times: true },
    Kind { name: "unrolled", gradient: ContactGradient::Unrolled, impact_times: true },
    Kind {
        name: "smoothed, 1 mm/s",
        gradient: ContactGradient::Smoothed { kappa: 0.001 },
        impact_times: true,
    },
    Kind {
        name: "smoothed, 10 mm/s",
        gradient: ContactGradient::Smoothed { kappa: 0.01 },
        impact_times: true,
    },
];

fn experiment() -> anyhow::Result<Findings> {
    let ball = body(ShapeKind::Sphere, RESTITUTION, 0.0)?;
    let cube = body(ShapeKind::Box, 0.0, FRICTION)?;
    let mut text = String::new();
    let mut values = Vec::new();
    let mut lines: Vec<Vec<(f64, f64)>> = BALL_KINDS.map(|_| vec![]).into();
    let (mut exact, mut exact_values) = (Vec::new(), Vec::new());
    for height in samples(HEIGHTS) {
        for (kind, line) in BALL_KINDS.iter().zip(&mut lines) {
            let (z, by_height) = dropped(&ball, height, kind)?;
            line.push((height, by_height));
            if kind.name == "implicit" {
                values.push((height, z));
            }
        }
        let closed = bouncing(Dual::<f64, 1>::variable(height, 0));
        exact.push((height, closed.eps[0]));
        exact_values.push((height, closed.re));
    }
    let mut plots = vec![
        Plot::new("A dropped ball: height after half a second", "initial height [m]", "height [m]")
            .line(Series::new("simulated", values))
            .line(Series::new("closed form", exact_values).dashed()),
        with_lines(
            Plot::new("Its derivative", "initial height [m]", "slope"),
            &BALL_KINDS,
            &lines,
        )
        .line(Series::new("closed form", exact.clone()).dashed())
        .caption(
            "A step does not resolve the time of impact. The derivative of the step alone has the wrong sign; \
             with the impact time it follows the closed form.",
        ),
    ];
    let ball_lines = named_lines(&BALL_KINDS, &lines, &exact);
    let ball_errors: Vec<f64> = lines.iter().map(|line| mean_error(line, &exact)).collect();
    let _ = writeln!(
        text,
        "dropped ball: mean error of d(height at {} s)/d(initial height)",
        STEPS as f64 * DT
    );
    for (kind, error) in BALL_KINDS.iter().zip(&ball_errors) {
        let _ = writeln!(text, "  {:<28} {error:.4}", kind.name);
    }

    let mut values = Vec::new();
    let mut lines: Vec<Vec<(f64, f64)>> = BOX_KINDS.map(|_| vec![]).into();
    let mut exact = Vec::new();
    for force in samples(FORCES) {
        for (kind, line) in BOX_KINDS.iter().zip(&mut lines) {
            let (x, by_force) = pushed(&cube, force, kind)?;
            line.push((force, by_force));
            if kind.name == "implicit" {
                values.push((force, x));
            }
        }
        // With unit acceleration, n steps of semi-implicit Euler cover n(n+1)/2 dt².
        let n = STEPS as f64;
        let slope = n * (n + 1.0) / 2.0 * DT * DT;
        exact.push((force, if force > FRICTION * GRAVITY { slope } else { 0.0 }));
    }
    plots.push(
        Plot::new("A pushed box: distance travelled", "force [N]", "distance [m]")
            .line(Series::new("simulated", values))
            .mark(FRICTION * GRAVITY, "sliding starts"),
    );
    plots.push(
        with_lines(Plot::new("Its derivative", "force [N]", "slope [m/N]"), &BOX_KINDS, &lines)
            .line(Series::new("closed form", exact.clone()).dashed())
            .caption(
                "A sticking box does not move, so its slope is zero and a gradient search that starts there makes \
                 no progress. The smoothed gradients are nonzero while it still sticks.",
            ),
    );
    let box_errors: Vec<f64> = lines.iter().map(|line| mean_error(line, &exact)).collect();
    let _ = writeln!(
        text,
        "pushed box: mean error of d(distance)/d(force), and the slope at 4 N, where it sticks"
    );
    let mut at_four = Vec::new();
    for ((kind, error), line) in BOX_KINDS.iter().zip(&box_errors).zip(&lines) {
        let near = line.iter().min_by(|a, b| (a.0 - 4.0).abs().total_cmp(&(b.0 - 4.0).abs()));
        let slope = near.map_or(0.0, |(_, slope)| *slope);
        at_four.push(slope);
        let _ = writeln!(text, "  {:<28} {error:.4}  {}", kind.name, fixed(slope, 5));
    }
    let json = json!({
        "ball": { "mean_error": named(&BALL_KINDS, &ball_errors), "slopes": ball_lines },
        "box": {
            "mean_error": named(&BOX_KINDS, &box_errors),
            "slope_at_4_newton": named(&BOX_KINDS, &at_four),
            "slopes": named_lines(&BOX_KINDS, &lines, &exact),
        },
    });
    let section = Section { heading: "A ball and a box".into(), plots, ..Section::default() };
    Ok(Findings {
        title: "Kinds of contact gradients".into(),
        lead: "Each kind of contact gradient on two problems with a known answer.".into(),
        sections: vec![section],
        text,
        json,
    })
}

fn samples((from, to): (f64, f64)) -> impl Iterator<Item = f64> {
    (0..SAMPLES).map(move |i| from + (to - from) * (i as f64 + 0.5) / SAMPLES as f64)
}

fn with_lines(mut plot: Plot, kinds: &[Kind], lines: &[Vec<(f64, f64)>]) -> Plot {
    for (kind, line) in kinds.iter().zip(lines) {
        plot = plot.line(Series::new(kind.name, line.clone()));
    }
    plot
}

/// A number for each kind.
fn named(kinds: &[Kind], numbers: &[f64]) -> Map<String, Value> {
    kinds.iter().zip(numbers).map(|(kind, x)| (kind.name.to_owned(), json!(x))).collect()
}

/// The line of each kind, and of the closed form.
fn named_lines(kinds: &[Kind], lines: &[Vec<(f64, f64)>], exact: &[(f64, f64)]) -> Value {
    let line =
        |points: &[(f64, f64)]| json!(points.iter().map(|(x, y)| [x, y]).collect::<Vec<_>>());
    let mut all: Map<String, Value> = kinds
        .iter()
        .zip(lines)
        .map(|(kind, points)| (kind.name.to_owned(), line(points)))
        .collect();
    all.insert("closed form".to_owned(), line(exact));
    all.into()
}

fn mean_error(line: &[(f64, f64)], exact: &[(f64, f64)]) -> f64 {
    let sum: f64 = line.iter().zip(exact).map(|((_, a), (_, b))| (a - b).abs()).sum();
    sum / line.len() as f64
}

/// One free body of 1 kg over the ground.
fn body(kind: ShapeKind, restitution: f64, friction: f64) -> anyhow::Result<Model<f64>> {
    let mut builder = ModelBuilder::new("contact gradients");
    let material = Material { restitution, ..Material::with_friction(friction) };
    let moment = 0.4 * RADIUS * RADIUS;
    let inertia = Inertia {
        mass: 1.0,
        com: Vec3::ZERO,
        rotational: Sym3::diagonal(Vec3::new(moment, moment, moment)),
    };
    let link = builder.link("body", FrameId::WORLD, JointSpec::free("root"), inertia)?;
    let size = Vec3::new(RADIUS, RADIUS, RADIUS);
    builder.shape(
        "body",
        link,
        kind,
        ShapeParams { placement: Transform::IDENTITY, size, material },
    )?;
    let mut model = builder.build()?;
    model.add_ground(0.0, material)?;
    Ok(model)
}

fn options(kind: &Kind) -> StepOptions<f64> {
    let mut options =
        StepOptions::new(DT).with_solver(Solver::Ncp(Ncp { sweeps: SWEEPS, ..Ncp::converged() }));
    options.contact.impact_times = kind.impact_times;
    options
}

/// The final value of one coordinate, and its gradient with respect to the start and the input.
fn differentiate(
    model: &Model<f64>,
    start: &State<f64>,
    input: Input<f64>,
    coordinate: usize,
    kind: &Kind,
) -> anyhow::Result<(f64, Vec<f64>, Constant<f64>)> {
    let options = options(kind);
    let rolled = Rollout { model, start, steps: STEPS, options: &options };
    let mut inputs = Constant::new(model, input);
    let mut q_coefficients = vec![0.0; model.nq()];
    q_coefficients[coordinate] = 1.0;
    let mut loss = Terminal(LinearState { q_coefficients, v_coefficients: vec![0.0; model.nv()] });
    let how = GradientOptions { contact: kind.gradient, ..GradientOptions::default() };
    let mut work = RolloutTrace::new(model);
    let found = rollout_vjp(&rolled, &mut inputs, &mut loss, &mut NoTaps, &how, &mut work);
    let found = found.checked()?;
    Ok((found.cost, found.start.q, inputs))
}

fn dropped(model: &Model<f64>, height: f64, kind: &Kind) -> anyhow::Result<(f64, f64)> {
    let mut start = State::neutral(model);
    start.q[2] = height;
    let (z, by_start, _) = differentiate(model, &start, Input::none(model), 2, kind)?;
    Ok((z, by_start[2]))
}

/// Closed form: the height of a ball at the end of a run, dropped from `height`.
fn bouncing<S: Scalar>(height: S) -> S {
    let number = S::from_f64;
    let (gravity, floor) = (number(GRAVITY), number(RADIUS));
    let mut left = number(STEPS as f64 * DT);
    let mut fall = ((height - floor) * number(2.0) / gravity).sqrt();
    if left.lane(0) <= fall.lane(0) {
        return height - gravity * left * left * number(0.5);
    }
    let mut speed = gravity * fall;
    loop {
        left -= fall;
        speed *= number(RESTITUTION);
        fall = speed * number(2.0) / gravity;
        if left.lane(0) <= fall.lane(0) {
            return floor + speed * left - gravity * left * left * number(0.5);
        }
        // The ball counts as resting once a hop is shorter than a step.
        if fall.lane(0) < DT {
            return floor;
        }
    }
}

fn pushed(model: &Model<f64>, force: f64, kind: &Kind) -> anyhow::Result<(f64, f64)> {
    let mut start = State::neutral(model);
    start.q[2] = RADIUS;
    let mut input = Input::none(model);
    input.external = vec![Force { ang: Vec3::ZERO, lin: Vec3::new(force, 0.0, 0.0) }];
    let (x, _, inputs) = differentiate(model, &start, input, 0, kind)?;
    Ok((x, inputs.bar.external[0].lin.x))
}
