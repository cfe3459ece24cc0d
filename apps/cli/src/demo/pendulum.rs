//! A double pendulum: chaos, and what the integrators do to its energy.

use anyhow::anyhow;
use gradbody::dynamics::Kinematics;
use gradbody::model::Model;
use gradbody::sim::{
    Input, Integrator, NoTaps, State, StepOptions, StepScratch, StepTrace, Totals, step,
};

use super::Shown;
use crate::builtin;
use gradbody_report::{Figure, Plot, Section, Series, in_words};
use gradbody_view::{Recording, Trail, record};

/// Both rods raised, the second one bent: enough energy to turn over.
const START: [f64; 2] = [2.0, 0.6];
/// Distance of the second start from the first [rad].
const NUDGE: f64 = 1e-6;
const TIME: f64 = 15.0;
const DT: f64 = 1e-3;
/// Steps from one moment of the motion that is shown to the next.
const FRAME_STEPS: usize = 12;
/// The two have parted when their tips are this far from each other [m].
const PARTED: f64 = 0.5;
/// Glue in the second hinge [N m s/rad]. The inertia it acts on is 0.3 kg m² at most: a rate far
/// beyond what explicit steps of `DT` can follow.
const GLUE: f64 = 1000.0;
const GLUED_TIME: f64 = 4.0;
/// Length of a rod [m].
const ROD: f64 = 1.0;

/// A motion, with a state for each step.
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
        let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
        let mut kin = Kinematics::new(model);
        let mut motion = Motion { dt, states: vec![], energy: vec![] };
        for _ in 0..=(time / dt).round() as usize {
            motion.energy.push(Totals::at(model, &state, &mut kin).energy.total());
            motion.states.push(state.clone());
            if step(model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch)
                .diverged
                .is_some()
            {
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

pub(super) fn experiment() -> anyhow::Result<Shown> {
    let model = builtin::model("double_pendulum")?;
    let chaos = Chaos::observe(&model)?;
    let energy = energy_of_integrators(&model);
    let glue = Glue::observe(&model)?;
    let lines = vec![
        format!(
            "let go {NUDGE:.0e} rad apart, the tips are {PARTED} m apart after {:.1} s",
            chaos.parted
        ),
        format!(
            "largest energy error in {TIME} s: {:.1} J semi-implicit, {:.1e} J Runge-Kutta",
            energy.semi_implicit, energy.runge_kutta
        ),
        format!(
            "with a glued hinge: explicit damping fails after {:.0} ms, implicit damping is off by \
             {:.1e} rad at most",
            glue.failed * 1e3,
            glue.error
        ),
    ];
    let section = Section {
        heading: "A double pendulum that cannot be predicted".into(),
        text: vec![
            format!(
                "Two rods of one metre and one kilogram hang from a hinge and are let go from high \
                 up. The same pendulum is let go a second time, its first hinge a millionth of a \
                 radian further: {} micrometres at the tip, far less than a hair's breadth. For \
                 some seconds nobody could tell the two apart. Then they part, and have nothing in \
                 common but the laws they obey.",
                in_words(NUDGE * 2.0 * ROD * 1e6, 1)
            ),
            "No simulator can predict such a motion for long. What it can do is keep the energy, \
             and remain stable when the model is stiff; the plots below show how well each \
             integrator does."
                .into(),
        ],
        motion: Some(motion(&model, &chaos)),
        figures: vec![
            Figure::new(
                in_words(chaos.parted, 2),
                "s",
                format!("until the tips are {PARTED} m apart"),
            ),
            Figure::new(
                in_words(10_f64.ln() / chaos.growth, 2),
                "s",
                "for their distance to grow tenfold",
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
        plots: vec![chaos.heights_plot(), chaos.distance_plot(), energy.plot, glue.plot],
        ..Section::default()
    };
    Ok(Shown { section, lines })
}

/// Two motions from nearly the same start.
struct Chaos {
    one: Motion,
    other: Motion,
    distance: Vec<(f64, f64)>,
    /// When they have parted [s].
    parted: f64,
    /// Rate of exponential growth of the distance [1/s].
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
            let ([_, a], [_, b]) = (joints(&one.states[i]), joints(&other.states[i]));
            (a[0] - b[0]).hypot(a[2] - b[2])
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

    fn heights_plot(&self) -> Plot {
        let height = |motion: &Motion| motion.over_time(|i| joints(&motion.states[i])[1][2]);
        Plot::new("Height of the tip", "time [s]", "height [m]")
            .line(Series::new("first start", height(&self.one)))
            .line(Series::new("second start", height(&self.other)))
            .follows_time()
            .caption(format!(
                "One line hides the other until they part, about {} s after the start.",
                in_words(self.parted, 2)
            ))
    }

    fn distance_plot(&self) -> Plot {
        let growth = |t: f64| self.growth_from * (self.growth * t).exp();
        let ends = [0.0, self.parted].map(|t| (t, growth(t)));
        Plot::new("Distance between the tips", "time [s]", "distance [m]")
            .logarithmic()
            .line(Series::new("distance", self.distance.clone()))
            .line(Series::new("exponential growth", ends.to_vec()).dashed())
            .follows_time()
            .caption(format!(
                "On this scale a straight line: the distance grows tenfold every {} s, until it is \
                 as large as the motion itself. This is what chaos means.",
                in_words(10_f64.ln() / self.growth, 2)
            ))
    }
}

/// Slope and intercept of the straight line that fits the points best.
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
    let energy_at = |q| Motion::simulate(model, q, 0.0, DT, Integrator::Rk4).energy[0];
    let lift = energy_at(START) - energy_at([0.0, 0.0]);
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
                "All with steps of {} ms; {} J would lift the pendulum from rest to where it is let \
                 go. Implicit damping is the same as semi-implicit Euler where nothing is damped, \
                 as here. Runge-Kutta is better by orders of magnitude, for four times the work.",
                DT * 1e3,
                in_words(lift, 2)
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
        /// Steps of the reference for each step of the others.
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
                "The second hinge is damped with {GLUE} N m s/rad. Steps of {} ms with explicit damping fail within \
                 {:.0} ms (the stroke at the very left); with implicit damping they follow the exact motion, for the \
                 same work.",
                DT * 1e3,
                failed * 1e3
            ));
        Ok(Glue { failed, error, plot })
    }
}

/// Where the elbow and the tip are.
fn joints(state: &State<f64>) -> [[f64; 3]; 2] {
    let (a, b) = (state.q[0], state.q[0] + state.q[1]);
    let elbow = [-ROD * a.sin(), 0.0, -ROD * a.cos()];
    [elbow, [elbow[0] - ROD * b.sin(), 0.0, elbow[2] - ROD * b.cos()]]
}

fn motion(model: &Model<f64>, chaos: &Chaos) -> Recording {
    let shown = |of: &Motion| -> Vec<Vec<f64>> {
        of.states.iter().step_by(FRAME_STEPS).map(|state| state.q.clone()).collect()
    };
    let pair = [("first start", shown(&chaos.one)), ("second start", shown(&chaos.other))];
    let times = (0..pair[0].1.len()).map(|i| chaos.one.time(i * FRAME_STEPS)).collect();
    // The tip is at the lower end of the second rod.
    let trail = |layer| Trail { layer, body: 2, point: [0.0, 0.0, -ROD], seconds: 1.5 };
    let mut recording = Recording {
        title: "Two double pendulums that move together, then part".into(),
        caption: "Drag to turn the view. The mark in the plots below follows the time shown here."
            .into(),
        trails: vec![trail(0), trail(1)],
        ..record::configurations(model, times, &pair)
    };
    // As its line in the plots.
    recording.layers[1].colour = Some([0.85, 0.33, 0.11, 1.0]);
    recording
}
