//! A double pendulum: chaos, and what the integrators do to its energy.

use anyhow::anyhow;
use gradbody::dynamics::{Kinematics, kinematics, velocities};
use gradbody::model::Model;
use gradbody::sim::{Energy, Input, Integrator, State, StepOptions, Workspace, step};

use super::{Outcome, built_in};
use crate::report::{Animation, Dot, Figure, Plot, Section, Series, Stroke, Trail, in_words};

/// Both rods raised, the second one bent: enough energy to turn over.
const START: [f64; 2] = [2.0, 0.6];
/// How far the other start is away [rad].
const NUDGE: f64 = 1e-6;
const TIME: f64 = 15.0;
const DT: f64 = 2e-3;
/// Steps from one frame of the animation to the next.
const FRAME_STEPS: usize = 10;
/// The two have parted when their angles differ by this [rad].
const PARTED: f64 = 1.0;
/// Glue in the second hinge [N m s/rad]; beyond 73 explicit steps of `DT` cannot follow it.
const GLUE: f64 = 120.0;
const GLUED_TIME: f64 = 4.0;
/// Length of a rod [m].
const ROD: f64 = 1.0;

/// A motion, a state a step.
struct Motion {
    dt: f64,
    states: Vec<State<f64>>,
    /// Total energy [J].
    energy: Vec<f64>,
}

impl Motion {
    fn simulate(model: &Model<f64>, q: [f64; 2], time: f64, dt: f64, by: Integrator) -> Self {
        let mut state = State::neutral(model);
        state.q.copy_from_slice(&q);
        let input = Input::none(model);
        let options = StepOptions::new(dt).with(by);
        let mut work = Workspace::new(model);
        let mut kin = Kinematics::new(model);
        let mut motion = Motion { dt, states: vec![], energy: vec![] };
        for _ in 0..=(time / dt).round() as usize {
            kinematics(model, &state.q, &mut kin);
            velocities(model, &state.v, &mut kin);
            motion.energy.push(Energy::of(model, &kin, &state.q, &state.v).total());
            motion.states.push(state.clone());
            if step(model, &mut state, &input, &options, &mut work).diverged.is_some() {
                break;
            }
        }
        motion
    }

    fn time(&self, i: usize) -> f64 {
        i as f64 * self.dt
    }

    /// A value of each state over time.
    fn over_time(&self, f: impl Fn(usize) -> f64) -> Vec<(f64, f64)> {
        (0..self.states.len()).map(|i| (self.time(i), f(i))).collect()
    }

    fn angle(&self, joint: usize) -> Vec<(f64, f64)> {
        self.over_time(|i| self.states[i].q[joint])
    }

    /// The largest energy error up to each time [J].
    fn energy_error(&self) -> Vec<(f64, f64)> {
        let mut largest = 0.0_f64;
        let errors = self.energy.iter().enumerate().map(|(i, e)| {
            largest = largest.max((e - self.energy[0]).abs());
            (self.time(i), largest)
        });
        errors.collect()
    }
}

pub(super) fn experiment() -> anyhow::Result<Outcome> {
    let model = built_in("double_pendulum")?;
    let chaos = Chaos::observe(&model)?;
    let energy = energy_of_integrators(&model);
    let glue = Glue::observe(&model)?;
    let lines = vec![
        format!(
            "two starts {NUDGE:.0e} rad apart are {PARTED} rad apart after {:.1} s",
            chaos.parted
        ),
        format!(
            "largest energy error in {TIME} s: {:.1e} J semi-implicit, {:.1e} J Runge-Kutta",
            energy.semi_implicit, energy.runge_kutta
        ),
        format!(
            "with a glued hinge: explicit damping fails at t = {:.2} s, implicit damping is off by \
             {:.1e} rad at most",
            glue.failed, glue.error
        ),
    ];
    let section = Section {
        heading: "A double pendulum that cannot be predicted".into(),
        text: vec![
            format!(
                "Two rods of one metre and one kilogram hang from a hinge and are let go from high \
                 up. The same pendulum is let go a second time, its first hinge {} rad further: a \
                 thousandth of a hair's breadth at the tip. For some seconds nobody could tell the \
                 two apart. Then they part, and nothing but the laws they obey is common to them.",
                in_words(NUDGE, 1)
            ),
            "No simulator can predict such a motion for long. What it can do is keep the energy, \
             and remain stable when the model is stiff; the plots below show how well each \
             integrator does."
                .into(),
        ],
        animation: Some(animation(&chaos)),
        figures: vec![
            Figure::new(
                in_words(chaos.parted, 2),
                "s",
                format!("until the two are {PARTED} rad apart"),
            ),
            Figure::new(
                in_words(chaos.growth, 2),
                "per second",
                "growth of their distance, as the exponent of e",
            ),
            Figure::new(
                in_words(energy.runge_kutta, 2),
                "J",
                format!("largest energy error of Runge-Kutta in {TIME} s"),
            ),
            Figure::new(
                in_words(energy.semi_implicit, 2),
                "J",
                format!("largest energy error of semi-implicit Euler in {TIME} s"),
            ),
        ],
        plots: vec![chaos.angles_plot(), chaos.distance_plot(), energy.plot, glue.plot],
    };
    Ok(Outcome { section, lines })
}

/// Two motions from nearly the same start.
struct Chaos {
    one: Motion,
    other: Motion,
    distance: Vec<(f64, f64)>,
    /// When they have parted [s].
    parted: f64,
    /// The distance grows as e to this times the time [1/s].
    growth: f64,
    /// The line through the logarithm of the distance while it grows: value at time zero.
    growth_from: f64,
}

impl Chaos {
    fn observe(model: &Model<f64>) -> anyhow::Result<Self> {
        let motion = |q| Motion::simulate(model, q, TIME, DT, Integrator::Rk4);
        let one = motion(START);
        let other = motion([START[0] + NUDGE, START[1]]);
        let distance = one.over_time(|i| {
            let (a, b) = (&one.states[i].q, &other.states[i].q);
            (a[0] - b[0]).hypot(a[1] - b[1])
        });
        let parted = distance.iter().find(|(_, d)| *d >= PARTED).map(|(t, _)| *t);
        let parted = parted.ok_or_else(|| anyhow!("the two pendulums did not part"))?;
        let growing: Vec<(f64, f64)> = distance
            .iter()
            .filter(|(t, _)| *t < parted)
            .map(|(t, d)| (*t, d.max(f64::MIN_POSITIVE).ln()))
            .collect();
        let (growth, intercept) = line_through(&growing);
        let growth_from = intercept.exp();
        Ok(Chaos { one, other, distance, parted, growth, growth_from })
    }

    fn angles_plot(&self) -> Plot {
        Plot::new("Angle of the second hinge", "time [s]", "angle [rad]")
            .line(Series::new("first start", self.one.angle(1)))
            .line(Series::new("second start", self.other.angle(1)))
            .follows_time()
            .caption(format!(
                "One line hides the other until they part, about {} s after the start.",
                in_words(self.parted, 2)
            ))
    }

    fn distance_plot(&self) -> Plot {
        let growth = |t: f64| self.growth_from * (self.growth * t).exp();
        let ends = [0.0, self.parted].map(|t| (t, growth(t)));
        Plot::new("Distance between the two", "time [s]", "distance [rad]")
            .logarithmic()
            .line(Series::new("distance of the angles", self.distance.clone()))
            .line(Series::new("exponential growth", ends.to_vec()).dashed())
            .follows_time()
            .caption(format!(
                "A straight line on this scale: the distance grows by a factor of ten every {} s, \
                 until it is as large as the motion itself. This is what chaos means.",
                in_words(10_f64.ln() / self.growth, 2)
            ))
    }
}

/// Slope and intercept of the straight line nearest to points.
fn line_through(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let xy: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let xx: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    let slope = xy / xx;
    (slope, y - slope * x)
}

/// Largest energy errors [J].
struct EnergyErrors {
    semi_implicit: f64,
    runge_kutta: f64,
    plot: Plot,
}

fn energy_of_integrators(model: &Model<f64>) -> EnergyErrors {
    let errors = |by| Motion::simulate(model, START, TIME, DT, by).energy_error();
    let semi_implicit = errors(Integrator::SemiImplicitEuler);
    let implicit_damping = errors(Integrator::ImplicitDamping);
    let runge_kutta = errors(Integrator::Rk4);
    let last = |line: &[(f64, f64)]| line.last().map_or(0.0, |p| p.1);
    EnergyErrors {
        semi_implicit: last(&semi_implicit),
        runge_kutta: last(&runge_kutta),
        plot: Plot::new("Largest energy error so far", "time [s]", "error [J]")
            .logarithmic()
            .line(Series::new("semi-implicit Euler", semi_implicit))
            .line(Series::new("implicit damping", implicit_damping).dashed())
            .line(Series::new("Runge-Kutta", runge_kutta))
            .follows_time()
            .caption(format!(
                "All with steps of {} ms. Semi-implicit Euler errs, but does not drift; implicit \
                 damping is the same scheme where nothing is damped, as here; Runge-Kutta is \
                 better by orders of magnitude for four times the work.",
                DT * 1e3
            )),
    }
}

/// The pendulum with a second hinge that hardly moves.
struct Glue {
    /// When the explicit scheme has failed [s].
    failed: f64,
    /// Largest error of the implicit one [rad].
    error: f64,
    plot: Plot,
}

impl Glue {
    fn observe(model: &Model<f64>) -> anyhow::Result<Self> {
        /// Far outside the plot [rad].
        const LOST: f64 = 4.0;
        /// Steps of the reference to one of the others.
        const FINER: usize = 50;
        let mut model = model.clone();
        model.set_by_path("joint/joint2/damping", GLUE)?;
        let angle = |dt, by| Motion::simulate(&model, START, GLUED_TIME, dt, by).angle(0);
        let explicit = angle(DT, Integrator::SemiImplicitEuler);
        let implicit = angle(DT, Integrator::ImplicitDamping);
        let exact = angle(DT / FINER as f64, Integrator::Rk4);
        let exact: Vec<(f64, f64)> = exact.into_iter().step_by(FINER).collect();
        let error = implicit.iter().zip(&exact).map(|(a, b)| (a.1 - b.1).abs());
        let error = error.fold(0.0, f64::max);
        let explicit: Vec<(f64, f64)> =
            explicit.into_iter().take_while(|(_, angle)| angle.abs() < LOST).collect();
        let failed = explicit.last().map_or(0.0, |p| p.0);
        let plot = Plot::new("A glued hinge: angle of the first", "time [s]", "angle [rad]")
            .line(Series::new("implicit damping", implicit))
            .line(Series::new("explicit damping", explicit))
            .line(Series::new("fifty times finer", exact).dashed())
            .caption(format!(
                "The second hinge is damped with {GLUE} N m s/rad. Steps of {} ms that take the \
                 damping as it was fail within {} s; taken as it will be, they follow the exact \
                 motion, for the same work.",
                DT * 1e3,
                in_words(failed, 2)
            ));
        Ok(Glue { failed, error, plot })
    }
}

fn animation(chaos: &Chaos) -> Animation {
    // Points: the pivot, then elbow and tip of each.
    let joints = |state: &State<f64>| {
        let (a, b) = (state.q[0], state.q[0] + state.q[1]);
        let elbow = [-ROD * a.sin(), 0.0, -ROD * a.cos()];
        [elbow, [elbow[0] - ROD * b.sin(), 0.0, elbow[2] - ROD * b.cos()]]
    };
    let pairs = chaos.one.states.iter().zip(&chaos.other.states).step_by(FRAME_STEPS);
    let frames = pairs.map(|(one, other)| {
        let mut points = vec![[0.0; 3]];
        points.extend(joints(one));
        points.extend(joints(other));
        points
    });
    let rods = |elbow: usize, colour| Stroke {
        points: vec![0, elbow, elbow + 1],
        colour,
        width: 0.03,
        faint: false,
    };
    let dot = |point, colour, radius| Dot { point, colour, radius };
    let trail = |point, colour| Trail { point, colour, seconds: 1.5 };
    Animation {
        title: "Two double pendulums that move together, then part".into(),
        caption:
            "Drag to turn the view, double click to turn it back. The mark in the plots below \
                  follows the time shown here."
                .into(),
        frame_time: DT * FRAME_STEPS as f64,
        speed: 1.0,
        frames: frames.collect(),
        trails: vec![trail(2, 0), trail(4, 1)],
        strokes: vec![rods(3, 1), rods(1, 0)],
        dots: vec![
            dot(4, 1, 0.05),
            dot(3, 1, 0.03),
            dot(2, 0, 0.05),
            dot(1, 0, 0.03),
            dot(0, 2, 0.03),
        ],
        view: (0.0, 0.0),
    }
}
