//! Times kinematics and dynamics at random states.

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use gradbody::dynamics::{
    AbaWork, CoordinateCotangents, CrbaWork, DynamicsCotangents, ForwardDynamicsVjpWork,
    Kinematics, KinematicsCotangents, RneaWork, aba, crba, forward_dynamics_vjp, integrate,
    kinematics, kinematics_vjp, rnea, velocities,
};
use gradbody::math::{Inertia, Scalar, Sym3, Transform, Vec3};
use gradbody::model::import::{ImportOptions, from_text, load};
use gradbody::model::{FrameId, JointSpec, Model, ModelBuilder};
use gradbody::sim::{Kernel, Simulated};

use super::boxes::uniform_numbers;
use super::clock::{Figure, calls};

pub(super) const FUNCTIONS: [&str; 5] =
    ["kinematics", "aba", "rnea", "crba", "forward_dynamics_vjp"];
pub(super) const MODELS: [&str; 11] = [
    "laikago",
    "humanoid",
    "panda",
    "double_pendulum",
    "chain2",
    "chain4",
    "chain8",
    "chain16",
    "chain32",
    "chain64",
    "chain128",
];

/// Number of states that a measurement cycles through, so that no single branch or cache pattern dominates.
const STATES: usize = 32;

pub(super) fn model(name: &str, folder: Option<&Path>) -> anyhow::Result<Model<f64>> {
    if let Some(n) = name.strip_prefix("chain") {
        return chain(n.parse().context("length of the chain")?);
    }
    let (file, text) = match name {
        "laikago" => ("laikago.urdf", include_str!("../../models/laikago.urdf")),
        "humanoid" => ("simple_humanoid.urdf", include_str!("../../models/humanoid35.urdf")),
        "panda" => ("panda7.urdf", include_str!("../../models/arm7.urdf")),
        _ => ("double_pendulum.urdf", include_str!("../../models/double_pendulum.urdf")),
    };
    let options = ImportOptions::default();
    let imported = match folder {
        Some(folder) => load(folder.join(file), &options)?,
        None => from_text(text, Path::new(file), &options)?,
    };
    Ok(imported.model)
}

/// n rods of 0.5 m and 1 kg that hang from the world, all hinges about y.
fn chain(n: usize) -> anyhow::Result<Model<f64>> {
    let (length, mass) = (0.5, 1.0);
    let about_com = mass * length * length / 12.0 + 1e-3;
    let rod = Inertia {
        mass,
        com: Vec3::new(0.0, 0.0, -length / 2.0),
        rotational: Sym3::diagonal(Vec3::new(about_com, about_com, 1e-3)),
    };
    let mut builder = ModelBuilder::new(format!("chain{n}"));
    let mut end = FrameId::WORLD;
    for i in 0..n {
        let place = Vec3::new(0.0, 0.0, if i == 0 { 0.0 } else { -length });
        let hinge = JointSpec::revolute(format!("hinge{i}"), Vec3::Y)
            .at(Transform::from_translation(place));
        end = builder.link(format!("rod{i}"), end, hinge, rod)?;
    }
    Ok(builder.build()?)
}

/// Measures a function on a model.
pub(super) struct Call<'a> {
    pub(super) model: &'a Model<f64>,
    pub(super) function: &'static str,
    pub(super) time: Duration,
}

impl Kernel for Call<'_> {
    type Output = Figure;

    #[inline(always)]
    fn run<S: Simulated>(self) -> Figure {
        let model: Model<S> = self.model.cast();
        let states = random_states(&model);
        let mut kin = Kinematics::new(&model);
        match self.function {
            "kinematics" => calls(self.time, S::LANES, STATES, |i| {
                kinematics(&model, &states[i].q, &mut kin);
                black_box(&kin);
            }),
            "aba" => {
                let mut work = AbaWork::new(&model);
                calls(self.time, S::LANES, STATES, |i| {
                    kinematics(&model, &states[i].q, &mut kin);
                    velocities(&model, &states[i].v, &mut kin);
                    aba(&model, &kin, &states[i].u, &[], &mut work);
                    black_box(&work);
                })
            }
            "rnea" => {
                let mut work = RneaWork::new(&model);
                calls(self.time, S::LANES, STATES, |i| {
                    kinematics(&model, &states[i].q, &mut kin);
                    velocities(&model, &states[i].v, &mut kin);
                    rnea(&model, &kin, &states[i].u, &[], &mut work);
                    black_box(&work);
                })
            }
            "forward_dynamics_vjp" => backwards(&model, &states, self.time),
            _ => {
                let mut work = CrbaWork::new(&model);
                calls(self.time, S::LANES, STATES, |i| {
                    kinematics(&model, &states[i].q, &mut kin);
                    crba(&model, &kin, &mut work);
                    black_box(&work);
                })
            }
        }
    }
}

/// The adjoint of forward dynamics, after a forward pass: from the cotangent of the accelerations to those of the
/// state, the joint forces and all parameters.
#[inline(always)]
fn backwards<S: Scalar>(model: &Model<S>, states: &[Sample<S>], time: Duration) -> Figure {
    let done: Vec<(Kinematics<S>, AbaWork<S>)> = states
        .iter()
        .map(|Sample { q, v, u }| {
            let kin = Kinematics::at(model, q, v);
            let mut work = AbaWork::new(model);
            aba(model, &kin, u, &[], &mut work);
            (kin, work)
        })
        .collect();
    let mut work = ForwardDynamicsVjpWork::new(model);
    let mut kin_bar = KinematicsCotangents::new(model);
    let mut params = model.params.zeros_like();
    let (mut q_bar, mut v_bar) = (vec![S::ZERO; model.nv()], vec![S::ZERO; model.nv()]);
    calls(time, S::LANES, STATES, |i| {
        let (Sample { q, v, u }, (kin, aba)) = (&states[i], &done[i]);
        kin_bar.clear();
        let out = DynamicsCotangents { kin: &mut kin_bar, params: &mut params };
        forward_dynamics_vjp(model, kin, aba, &[], u, &mut work, out);
        let out = CoordinateCotangents { q: &mut q_bar, v: &mut v_bar, params: &mut params };
        kinematics_vjp(model, q, v, kin, &mut kin_bar, out);
        black_box((&q_bar, &v_bar, &params));
    })
}

/// A configuration, a velocity, and joint forces or accelerations.
struct Sample<S> {
    q: Vec<S>,
    v: Vec<S>,
    u: Vec<S>,
}

fn random_states<S: Scalar>(model: &Model<S>) -> Vec<Sample<S>> {
    let mut uniform = uniform_numbers();
    let mut sample =
        |n: usize| -> Vec<S> { (0..n).map(|_| S::from_lanes(|_| 2.0 * uniform() - 1.0)).collect() };
    (0..STATES)
        .map(|_| {
            let mut q = model.neutral();
            integrate(model, &mut q, &sample(model.nv()));
            Sample { q, v: sample(model.nv()), u: sample(model.nv()) }
        })
        .collect()
}
