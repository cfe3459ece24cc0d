//! How a result of a motion grows with forces: an arrow at each link's centre of mass, over time.
//!
//! One rollout forwards and one backwards give the derivative of a loss with respect to the force on every link in
//! every step. An arrow is this derivative for a push of one newton second, so its length does not depend on the time
//! step: it points where a push there and then would raise the loss most.

use gradbody_contact::{Ncp, Solver};
use gradbody_dynamics::{
    CoordinateCotangents, Kinematics, KinematicsCotangents, centre_of_mass, centre_of_mass_vjp,
    kinematics, kinematics_vjp, velocities,
};
use gradbody_math::Vec3;
use gradbody_math::text::number;
use gradbody_model::Model;
use gradbody_sim::{
    GradientOptions, Input, InputCotangents, Inputs, Loss, LossCotangents, Moment, Rollout,
    RolloutTrace, State, StateCotangents, StepOptions, TapsVjp, Terminal, rollout_vjp,
};

use crate::recording::Arrows;

/// A residual of the contact solver from which the gradient is doubtful [m/s].
const DOUBTFUL: f64 = 1e-6;

/// A rollout whose gradient is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Pushed<'a> {
    /// The model.
    pub model: &'a Model<f64>,
    /// The start.
    pub start: &'a State<f64>,
    /// How to step. Rigid contacts are solved to the last digit, whatever is said here.
    pub options: &'a StepOptions<f64>,
    /// Inputs, step by step; the last one stays.
    pub inputs: &'a [Input<f64>],
    /// Number of steps.
    pub steps: usize,
}

/// Arrows at the times of a recording, and the loss.
#[derive(Clone, Debug)]
pub struct Sensitivity {
    /// The arrows.
    pub arrows: Arrows,
    /// The loss.
    pub cost: f64,
    /// The residual of the contact solver [m/s].
    pub residual: f64,
}

/// The height of the centre of mass at the end: the loss if no other is asked for.
pub fn final_height(model: &Model<f64>) -> impl Loss<f64> + use<> {
    Terminal(Height { kin: Kinematics::new(model), bar: KinematicsCotangents::new(model) })
}

/// The derivative of a loss, named by `of` with its unit, by pushes on all links. An arrow is the mean over the time until
/// the next of `times`; after the end it is zero.
pub fn sensitivity(
    pushed: &Pushed<'_>,
    loss: &mut impl Loss<f64>,
    of: (&str, &str),
    times: &[f64],
    taps: &mut dyn TapsVjp<f64>,
) -> Result<Sensitivity, String> {
    let Pushed { model, start, options, inputs, steps } = *pushed;
    let mut options = *options;
    if let Solver::Ncp(ncp) = &mut options.contact.solver {
        *ncp = Ncp { cone: ncp.cone, ..Ncp::converged() };
    }
    // The step of each arrow's beginning.
    let first = |t: &f64| ((t - start.time) / options.dt).round().max(0.0) as usize;
    let begins: Vec<usize> = times.iter().map(first).collect();
    let mut given = Given {
        model,
        kin: Kinematics::new(model),
        inputs,
        begins: &begins,
        sums: vec![vec![Vec3::ZERO; model.n_links()]; times.len()],
    };
    let rollout = Rollout { model, start, steps, options: &options };
    let how = GradientOptions::default();
    let trace = &mut RolloutTrace::new(model);
    let gradient = rollout_vjp(&rollout, &mut given, loss, taps, &how, trace);
    let gradient = gradient.checked().map_err(|failure| failure.to_string())?;
    let (name, unit) = of;
    let doubt = if gradient.residual > DOUBTFUL {
        format!(
            " Contacts were solved to {} m/s only, so this is inexact.",
            number(gradient.residual)
        )
    } else {
        String::new()
    };
    let mut vectors = Vec::with_capacity(times.len() * (model.n_links() + 1) * 3);
    for (k, sums) in given.sums.iter().enumerate() {
        let end = begins.get(k + 1).copied().unwrap_or(begins[k] + 1).min(steps);
        let count = end.saturating_sub(begins[k]).max(1) as f64;
        vectors.extend([0.0; 3]);
        for sum in sums {
            vectors.extend((*sum * (1.0 / (count * options.dt))).to_array().map(|x| x as f32));
        }
    }
    let arrows = Arrows {
        name: format!("∂ {name} / ∂ push"),
        unit: format!("{unit}/(N s)"),
        layer: 0,
        text: format!(
            "How the {name} grows with a push of 1 N s on the link, there and then, at its centre of mass. It is {} \
             {unit}.{doubt}",
            number(gradient.cost)
        ),
        vectors,
    };
    Ok(Sensitivity { arrows, cost: gradient.cost, residual: gradient.residual })
}

/// Inputs that are given, and sums of the cotangents of forces on links.
struct Given<'a> {
    model: &'a Model<f64>,
    kin: Kinematics<f64>,
    inputs: &'a [Input<f64>],
    /// The step with which each arrow begins.
    begins: &'a [usize],
    /// For each arrow and link.
    sums: Vec<Vec<Vec3<f64>>>,
}

impl Inputs<f64> for Given<'_> {
    fn set(&mut self, step: usize, _: &State<f64>, input: &mut Input<f64>) {
        if let Some(given) = self.inputs.get(step).or(self.inputs.last()) {
            input.copy_from(given);
        }
    }

    fn begin_back(&mut self) {
        self.sums.iter_mut().for_each(|sums| sums.fill(Vec3::ZERO));
    }

    fn set_vjp(
        &mut self,
        step: usize,
        state: &State<f64>,
        bar: &InputCotangents<f64>,
        _: &mut StateCotangents<f64>,
    ) {
        let Some(arrow) = self.begins.partition_point(|begin| *begin <= step).checked_sub(1) else {
            return;
        };
        let Given { model, kin, sums, .. } = self;
        kinematics(model, &state.q, kin);
        let links = kin.bodies.iter().zip(&model.params.links);
        for ((sum, bar), (body, inertia)) in sums[arrow].iter_mut().zip(&bar.external).zip(links) {
            // A force at a lever is the same force with the moment lever × force.
            *sum += bar.at(body.rot_wb * inertia.com).lin;
        }
    }
}

/// The height of the centre of mass [m].
#[derive(Clone, Debug)]
struct Height {
    kin: Kinematics<f64>,
    /// Zero between calls.
    bar: KinematicsCotangents<f64>,
}

impl Loss<f64> for Height {
    fn cost(&mut self, at: &Moment<'_, f64>) -> f64 {
        kinematics(at.model, &at.state.q, &mut self.kin);
        centre_of_mass(at.model, &self.kin).z
    }

    fn cost_vjp(
        &mut self,
        at: &Moment<'_, f64>,
        cost_bar: f64,
        bars: &mut LossCotangents<'_, f64>,
    ) {
        let Height { kin, bar } = self;
        let State { q, v, .. } = at.state;
        kinematics(at.model, q, kin);
        velocities(at.model, v, kin);
        centre_of_mass_vjp(at.model, kin, Vec3::new(0.0, 0.0, cost_bar), bar, bars.params);
        let StateCotangents { q: q_bar, v: v_bar, .. } = &mut *bars.state;
        let out = CoordinateCotangents { q: q_bar, v: v_bar, params: bars.params };
        kinematics_vjp(at.model, q, v, kin, bar, out);
        bar.clear();
    }
}
