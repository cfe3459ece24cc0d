//! Smooth dynamics and trajectories against MuJoCo, on Gymnasium's models.
//!
//! Contacts, limits and dry friction are off in the reference values, springs and damping on. The
//! models are read by our importer from the files of the Python package `gymnasium`, found in the
//! repository's `.venv` or by `GRADBODY_GYM_ASSETS` (the package's folder `envs/mujoco/assets`).
//! Coordinates are the same number by number.

use crate::support::compare::Comparison;
use crate::support::golden::{Golden, golden, index, items, number, numbers, package_folder, text};
use gradbody::dynamics::{
    ActuatorInputs, JointStops, actuator_forces, bias_forces, centre_of_mass, elastic_energy,
    frame_pose, gravitational_energy, joint_forces, kinetic_energy,
};
use gradbody::prelude::*;
use serde_json::Value;

/// Two correct programs in f64 differ by rounding, here by 1e-14 or so.
const VALUES: f64 = 1e-12;

/// A second of simulation amplifies rounding up to fifty times (`sensitivity` in the files).
const TRAJECTORIES: f64 = 1e-11;

/// The models of the golden files; none if the package is not installed.
fn models() -> Option<Vec<(Golden, Model<f64>)>> {
    let files = golden("mujoco", "");
    let Some(assets) = package_folder("GRADBODY_GYM_ASSETS", "gymnasium/envs/mujoco/assets") else {
        for file in files {
            println!("skipped: {}: the Python package gymnasium is not installed", file.name);
        }
        return None;
    };
    let with_model = files.into_iter().map(|file| {
        let path = assets.join(text(&file.content["model"]));
        let imported = load(&path, &ImportOptions::default());
        let mut model = imported.unwrap_or_else(|e| panic!("{}: {e}", file.name)).model;
        // Constraints in MuJoCo, and disabled.
        for joint in &mut model.params.joints {
            (joint.limit_stiffness, joint.limit_damping) = (0.0, 0.0);
            joint.friction = 0.0;
        }
        (file, model)
    });
    Some(with_model.collect())
}

#[test]
fn models_agree() {
    let Some(models) = models() else { return };
    let mut comparison = Comparison::default();
    for (Golden { name, content }, model) in &models {
        let params = &model.params;
        let mut check = |what: &str, got: &[f64], want: &Value| {
            comparison.check(what, name, VALUES, got, &numbers(want));
        };
        check("gravity", &params.gravity.to_array(), &content["gravity_vector"]);
        let timestep = model.topology.timestep.unwrap_or(0.002);
        check("time step", &[timestep], &content["timestep"]);
        let pose_of_file = &model.topology.keyframes[0].q;
        check("qpos0", pose_of_file, &content["qpos0"]);
        let of_dofs = |of: fn(&gradbody::model::JointParams<f64>) -> f64| -> Vec<f64> {
            let joints = model.topology.links.iter().zip(&params.joints);
            joints.flat_map(|(l, joint)| l.joint.v_range().map(move |_| of(joint))).collect()
        };
        check("armature", &of_dofs(|joint| joint.armature), &content["dof_armature"]);
        check("damping", &of_dofs(|joint| joint.damping), &content["dof_damping"]);
        for (link, joint) in model.topology.links.iter().zip(items(&content["joints"])) {
            assert_eq!(link.joint.name, text(&joint["name"]), "{name}");
            assert_eq!(link.joint.q_start, index(&joint["qposadr"]), "{name}");
            assert_eq!(link.joint.v_start, index(&joint["dofadr"]), "{name}");
        }
        let actuators = model.topology.actuators.iter().zip(&params.actuators);
        for ((actuator, params), want) in actuators.zip(items(&content["actuators"])) {
            let joint = &model.topology.links[actuator.joint.index()].joint;
            assert_eq!(joint.name, text(&want["joint"]), "{name}");
            check("gear", &[params.gear], &want["gear"]);
            check(
                "control range",
                &[params.control_lower, params.control_upper],
                &want["ctrlrange"],
            );
        }
        let mass: f64 = items(&content["bodies"]).iter().map(|b| number(&b["mass"])).sum();
        let ours = gradbody::dynamics::total_mass(model);
        comparison.check_one("total mass", name, VALUES, ours, mass);
    }
    comparison.finish("MuJoCo, models", 8 * 6);
}

#[test]
fn dynamics_agree() {
    let Some(models) = models() else { return };
    let mut comparison = Comparison::default();
    for (file, model) in &models {
        for (i, state) in items(&file.content["states"]).iter().enumerate() {
            let place = format!("{} state {i}", file.name);
            let mut check = |what: &str, got: &[f64], want: &[f64]| {
                comparison.check(what, &place, VALUES, got, want);
            };
            let (q, v) = (numbers(&state["qpos"]), numbers(&state["qvel"]));
            let mut kin = Kinematics::new(model);
            kinematics(model, &q, &mut kin);
            velocities(model, &v, &mut kin);
            dynamics(model, &kin, state, &mut check);
            poses(file, model, &kin, state, &mut check);
            check(
                "centre of mass",
                &centre_of_mass(model, &kin).to_array(),
                &numbers(&state["subtree_com"]),
            );
            check(
                "kinetic energy",
                &[kinetic_energy(model, &kin, &v)],
                &numbers(&state["kinetic"]),
            );
            let height = gravitational_energy(model, &kin);
            check("gravitational energy", &[height], &numbers(&state["potential_gravity"]));
            check(
                "elastic energy",
                &[elastic_energy(model, &q)],
                &numbers(&state["potential_spring"]),
            );
        }
    }
    comparison.finish("MuJoCo, dynamics", 8 * 2 * 11);
}

fn dynamics(
    model: &Model<f64>,
    kin: &Kinematics<f64>,
    state: &Value,
    check: &mut impl FnMut(&str, &[f64], &[f64]),
) {
    let nv = model.nv();
    let (q, v) = (numbers(&state["qpos"]), numbers(&state["qvel"]));
    let mut work = CrbaWork::new(model);
    crba(model, kin, &mut work);
    let upper = (0..nv).flat_map(|i| (i..nv).map(move |j| (i, j)));
    let upper: Vec<f64> = upper.map(|(i, j)| work.mass_matrix.at(i, j)).collect();
    check("mass matrix", &upper, &numbers(&state["M_upper"]));
    let mut work = RneaWork::new(model);
    bias_forces(model, kin, &mut work);
    check("bias", &work.tau, &numbers(&state["qfrc_bias"]));

    let mut tau = vec![0.0; nv];
    joint_forces(model, &q, &v, JointStops::Soft, &mut tau);
    check("passive forces", &tau, &numbers(&state["qfrc_passive"]));
    let mut motors = vec![0.0; nv];
    let control = numbers(&state["ctrl"]);
    let inputs = ActuatorInputs { q: &q, v: &v, control: &control, activation: &[] };
    actuator_forces(model, inputs, &mut motors, &mut []);
    check("actuator forces", &motors, &numbers(&state["qfrc_actuator"]));
    tau.iter_mut().zip(&motors).for_each(|(tau, motor)| *tau += motor);
    let mut work = AbaWork::new(model);
    aba(model, kin, &tau, &[], &mut work);
    check("acceleration", &work.qdd, &numbers(&state["qacc"]));
}

/// Poses of all bodies, those merged into others included.
fn poses(
    file: &Golden,
    model: &Model<f64>,
    kin: &Kinematics<f64>,
    state: &Value,
    check: &mut impl FnMut(&str, &[f64], &[f64]),
) {
    let bodies = items(&file.content["bodies"]).iter().enumerate();
    let poses: Vec<Transform<f64>> = bodies
        .map(|(i, body)| {
            let name = body["name"].as_str().map_or_else(|| format!("body{i}"), str::to_owned);
            let frame = model.topology.frame(&name);
            frame_pose(model, kin, frame.unwrap_or_else(|| panic!("{}: no {name}", file.name)))
        })
        .collect();
    let positions: Vec<f64> = poses.iter().flat_map(|pose| pose.pos.to_array()).collect();
    check("body positions", &positions, &numbers(&state["xpos"]));
    let matrix = |rot: &Mat3<f64>| rot.to_rows().concat();
    let got: Vec<f64> = poses.iter().flat_map(|pose| matrix(&pose.rot)).collect();
    let quats = numbers(&state["xquat"]);
    let want = quats.chunks(4).flat_map(|quat| matrix(&Quat::from_slice(quat).to_mat3()));
    check("body orientations", &got, &want.collect::<Vec<_>>());
}

#[test]
fn trajectories_agree() {
    let Some(models) = models() else { return };
    let mut comparison = Comparison::default();
    for (file, model) in &models {
        let dt = number(&file.content["timestep"]);
        for run in items(&file.content["trajectories"]) {
            let implicit = run["eulerdamp"] == Value::Bool(true);
            let scheme =
                if implicit { Integrator::ImplicitDamping } else { Integrator::SemiImplicitEuler };
            let place = format!("{} {scheme:?} control {}", file.name, run["ctrl"][0]);
            let samples = items(&run["samples"]);
            let mut state = State::neutral(model);
            state.q = numbers(&samples[0]["qpos"]);
            state.v = numbers(&samples[0]["qvel"]);
            let mut input = Input::none(model);
            input.control = numbers(&run["ctrl"]);
            let options = StepOptions::new(dt).with(scheme).without_contact();
            let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
            let mut done = 0;
            for sample in &samples[1..] {
                while done < index(&sample["step"]) {
                    step(
                        model,
                        &mut state,
                        &input,
                        &options,
                        &mut NoTaps,
                        &mut trace,
                        &mut scratch,
                    );
                    done += 1;
                }
                let place = format!("{place} step {done}");
                comparison.check("q", &place, TRAJECTORIES, &state.q, &numbers(&sample["qpos"]));
                comparison.check("v", &place, TRAJECTORIES, &state.v, &numbers(&sample["qvel"]));
            }
        }
    }
    comparison.finish("MuJoCo, trajectories", 8 * 4 * 5 * 2);
}
