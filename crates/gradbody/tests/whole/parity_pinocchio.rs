//! Dynamics and their derivatives against Pinocchio, on random trees with every kind of joint and
//! on robots of example-robot-data.
//!
//! The reference values are in Pinocchio's coordinates; `crate::support::pinocchio` translates. Robots are
//! read by our importer from the files of the Python package `example-robot-data`, found in the
//! repository's `.venv` or by `GRADBODY_ROBOTS` (the package's folder `robots`).

use crate::support::compare::Comparison;
use crate::support::golden::{Golden, golden, items, number, numbers, package_folder, text};
use crate::support::motion::constants;
use crate::support::pinocchio::{Coordinates, tree_model};
use gradbody::dynamics::{
    MassFactors, MassMatrix, bias_forces, centre_of_mass, factorise, frame_jacobian, frame_pose,
    frame_velocity, gravitational_energy, gravity_forces, kinetic_energy, momentum, solve,
    total_mass,
};
use gradbody::math::{Force, Motion};
use gradbody::model::import::Base;
use gradbody::prelude::*;
use serde_json::Value;

/// Two correct programs in f64 differ by rounding, here by 1e-13 at most.
const VALUES: f64 = 1e-12;
const DERIVATIVES: f64 = 1e-12;

#[test]
fn trees_agree() {
    let mut comparison = Comparison::default();
    for file in golden("pinocchio", "tree_") {
        compare_states(&file, &tree_model(&file.content), &mut comparison);
    }
    comparison.finish("Pinocchio, trees", 30 * 14);
}

#[test]
fn derivatives_of_trees_agree() {
    let mut comparison = Comparison::default();
    for file in golden("pinocchio", "derivatives_tree_") {
        compare_derivatives(&file, &tree_model(&file.content), &mut comparison);
    }
    comparison.finish("Pinocchio, derivatives of trees", 6 * 5);
}

#[test]
fn robots_agree() {
    let mut comparison = Comparison::default();
    let Some(robots) = robots("robot_") else { return };
    for (file, model) in &robots {
        compare_states(file, model, &mut comparison);
    }
    comparison.finish("Pinocchio, robots", 7 * 14);
}

#[test]
fn derivatives_of_robots_agree() {
    let mut comparison = Comparison::default();
    let Some(robots) = robots("derivatives_robot_") else { return };
    for (file, model) in &robots {
        compare_derivatives(file, model, &mut comparison);
    }
    comparison.finish("Pinocchio, derivatives of robots", 3 * 5);
}

/// The golden files of robots with their models; none if the package is not installed.
fn robots(prefix: &str) -> Option<Vec<(Golden, Model<f64>)>> {
    let files = golden("pinocchio", prefix);
    let inside = "cmeel.prefix/share/example-robot-data/robots";
    let Some(folder) = package_folder("GRADBODY_ROBOTS", inside) else {
        for Golden { name, .. } in files {
            println!("skipped: {name}: the Python package example-robot-data is not installed");
        }
        return None;
    };
    let with_model = files.into_iter().map(|file| {
        let about = &file.content["model"];
        let base = if about["free_base"] == Value::Bool(true) { Base::Free } else { Base::Fixed };
        // Pinocchio lets mimic joints move on their own too.
        let options = ImportOptions { base, free_mimic: true, ..ImportOptions::default() };
        let imported = load(folder.join(text(&about["urdf"])), &options);
        let model = imported.unwrap_or_else(|e| panic!("{}: {e}", file.name)).model;
        (file, model)
    });
    Some(with_model.collect())
}

/// Our quantities at a state given in Pinocchio's coordinates.
struct At<'a> {
    model: &'a Model<f64>,
    coordinates: &'a Coordinates,
    q_pin: Vec<f64>,
    v_pin: Vec<f64>,
    v: Vec<f64>,
    kin: Kinematics<f64>,
}

fn compare_states(file: &Golden, model: &Model<f64>, comparison: &mut Comparison) {
    let coordinates = Coordinates::new(model, &file.content);
    let mass = number(&file.content["total_mass"]);
    comparison.check_one("total mass", &file.name, VALUES, total_mass(model), mass);
    for (i, state) in items(&file.content["states"]).iter().enumerate() {
        let place = format!("{} state {i}", file.name);
        let at = At::new(model, &coordinates, state);
        let mut check = |quantity: &str, got: &[f64], key: &str| {
            comparison.check(quantity, &place, VALUES, got, &numbers(&state[key]));
        };
        at.dynamics(state, &mut check);
        at.whole(&mut check);
        for frame in items(&state["frames"]) {
            let place = format!("{place} frame {}", text(&frame["name"]));
            at.frame(frame, |quantity: &str, got: &[f64], want: &Value| {
                comparison.check(quantity, &place, VALUES, got, &numbers(want));
            });
        }
    }
}

impl<'a> At<'a> {
    fn new(model: &'a Model<f64>, coordinates: &'a Coordinates, state: &Value) -> Self {
        let (q_pin, v_pin) = (numbers(&state["q"]), numbers(&state["v"]));
        let mut kin = Kinematics::new(model);
        kinematics(model, &coordinates.configuration(&q_pin), &mut kin);
        let v = coordinates.to_ours(&q_pin, &v_pin);
        velocities(model, &v, &mut kin);
        At { model, coordinates, q_pin, v_pin, v, kin }
    }

    fn dynamics(&self, state: &Value, check: &mut impl FnMut(&str, &[f64], &str)) {
        let At { model, coordinates, q_pin, v_pin, kin, .. } = self;
        let to_pinocchio = |force: &[f64]| coordinates.to_pinocchio(q_pin, force);
        let tau_pin = numbers(&state["tau"]);

        let mut crba_work = CrbaWork::new(model);
        crba(model, kin, &mut crba_work);
        let upper = packed_upper(coordinates, q_pin, &crba_work.mass_matrix);
        check("mass matrix", &upper, "M_upper");

        let mut work = RneaWork::new(model);
        // Pinocchio's zero acceleration is not ours: its bias has a part of M.
        bias_forces(model, kin, &mut work);
        let at_rest = coordinates.acceleration_to_ours(q_pin, v_pin, &vec![0.0; model.nv()]);
        let mut bias = vec![0.0; model.nv()];
        crba_work.mass_matrix.mul(&at_rest, &mut bias);
        bias.iter_mut().zip(&work.tau).for_each(|(sum, own)| *sum += own);
        check("bias", &to_pinocchio(&bias), "bias");
        gravity_forces(model, kin, &mut work);
        check("gravity forces", &to_pinocchio(&work.tau), "gravity");
        // The file's torques serve as accelerations here.
        let qdd = coordinates.acceleration_to_ours(q_pin, v_pin, &tau_pin);
        rnea(model, kin, &qdd, &[], &mut work);
        check("inverse dynamics", &to_pinocchio(&work.tau), "rnea");

        let mut work = AbaWork::new(model);
        aba(model, kin, &coordinates.to_ours(q_pin, &tau_pin), &[], &mut work);
        let qdd = coordinates.acceleration_to_pinocchio(q_pin, v_pin, &work.qdd);
        check("forward dynamics", &qdd, "qdd");
    }

    fn whole(&self, check: &mut impl FnMut(&str, &[f64], &str)) {
        let At { model, kin, v, .. } = self;
        check("centre of mass", &centre_of_mass(model, kin).to_array(), "com");
        let Force { ang, lin } = momentum(model, kin);
        let velocity = lin * (1.0 / total_mass(model));
        check("centre of mass, velocity", &velocity.to_array(), "com_velocity");
        let six = [lin.to_array(), ang.to_array()].concat();
        check("momentum", &six, "centroidal_momentum");
        check("kinetic energy", &[kinetic_energy(model, kin, v)], "kinetic");
        check("gravitational energy", &[gravitational_energy(model, kin)], "potential");
    }

    fn frame(&self, frame: &Value, mut check: impl FnMut(&str, &[f64], &Value)) {
        let At { model, coordinates, q_pin, kin, .. } = self;
        let name = text(&frame["name"]);
        let id = model.topology.frame(name).unwrap_or_else(|| panic!("no frame {name}"));
        let pose = frame_pose(model, kin, id);
        check("frame position", &pose.pos.to_array(), &frame["translation"]);
        check("frame orientation", &pose.rot.to_rows().concat(), &frame["rotation"]);
        let velocity = linear_first(frame_velocity(model, kin, id));
        check("frame velocity", &velocity, &frame["velocity"]);

        // A row of the Jacobian is a force, in that it pairs with velocities.
        let mut columns = vec![Motion::ZERO; model.nv()];
        frame_jacobian(model, kin, id, &mut columns);
        let columns: Vec<[f64; 6]> = columns.into_iter().map(linear_first).collect();
        let rows = (0..6).flat_map(|i| {
            let row: Vec<f64> = columns.iter().map(|column| column[i]).collect();
            coordinates.to_pinocchio(q_pin, &row)
        });
        check("frame Jacobian", &rows.collect::<Vec<_>>(), &frame["jacobian"]);
    }
}

fn linear_first(m: Motion<f64>) -> [f64; 6] {
    [m.lin.x, m.lin.y, m.lin.z, m.ang.x, m.ang.y, m.ang.z]
}

/// Our mass matrix in Pinocchio's coordinates: its upper triangle, row by row.
fn packed_upper(coordinates: &Coordinates, q_pin: &[f64], m: &MassMatrix<f64>) -> Vec<f64> {
    upper_triangle(m.nv(), q_pin, coordinates, |x| {
        let mut y = vec![0.0; x.len()];
        m.mul(x, &mut y);
        y
    })
}

/// The upper triangle of a symmetric matrix of ours, in Pinocchio's coordinates, from its products.
fn upper_triangle(
    nv: usize,
    q_pin: &[f64],
    coordinates: &Coordinates,
    product: impl Fn(&[f64]) -> Vec<f64>,
) -> Vec<f64> {
    let mut upper = Vec::new();
    for row in 0..nv {
        let mut unit = vec![0.0; nv];
        unit[row] = 1.0;
        let product = product(&coordinates.to_ours(q_pin, &unit));
        upper.extend_from_slice(&coordinates.to_pinocchio(q_pin, &product)[row..]);
    }
    upper
}

fn compare_derivatives(file: &Golden, model: &Model<f64>, comparison: &mut Comparison) {
    let coordinates = Coordinates::new(model, &file.content);
    for (i, state) in items(&file.content["states"]).iter().enumerate() {
        let place = format!("{} state {i}", file.name);
        let mut check = |quantity: &str, got: &[f64], key: &str| {
            comparison.check(quantity, &place, DERIVATIVES, got, &numbers(&state[key]));
        };
        let [by_q, by_v] = [Moved::Configuration, Moved::Velocity]
            .map(|moved| derivatives(model, &coordinates, state, moved));
        check("∂ acceleration / ∂q", &by_q.acceleration, "ddq_dq");
        check("∂ acceleration / ∂v", &by_v.acceleration, "ddq_dv");
        check("∂ force / ∂q", &by_q.force, "dtau_dq");
        check("∂ force / ∂v", &by_v.force, "dtau_dv");

        let q_pin = numbers(&state["q"]);
        let mut kin = Kinematics::new(model);
        kinematics(model, &coordinates.configuration(&q_pin), &mut kin);
        let mut work = CrbaWork::new(model);
        crba(model, &kin, &mut work);
        let mut factors = MassFactors::new(model);
        factorise(&work.mass_matrix, &mut factors);
        let inverse = upper_triangle(model.nv(), &q_pin, &coordinates, |x| {
            let mut x = x.to_vec();
            solve(&factors, &mut x);
            x
        });
        check("inverse mass matrix", &inverse, "Minv_upper");
    }
}

/// Along which coordinates to differentiate.
#[derive(Clone, Copy)]
enum Moved {
    Configuration,
    Velocity,
}

/// Derivatives of forward and inverse dynamics, (nv × nv), row by row.
struct Derivatives {
    acceleration: Vec<f64>,
    force: Vec<f64>,
}

/// Directions that one pass differentiates along.
const CHUNK: usize = 8;
type D = Dual<f64, CHUNK>;

/// Runs our algorithms on dual numbers, in Pinocchio's coordinates.
fn derivatives(
    model: &Model<f64>,
    coordinates: &Coordinates,
    state: &Value,
    moved: Moved,
) -> Derivatives {
    let nv = model.nv();
    let dual_model: Model<D> = model.cast();
    let q0: Vec<D> = constants(&numbers(&state["q"]));
    let v0: Vec<D> = constants(&numbers(&state["v"]));
    let tau_pin: Vec<D> = constants(&numbers(&state["tau"]));
    let mut result = Derivatives { acceleration: vec![0.0; nv * nv], force: vec![0.0; nv * nv] };
    for start in (0..nv).step_by(CHUNK) {
        let width = CHUNK.min(nv - start);
        let mut change = vec![D::ZERO; nv];
        (0..width).for_each(|i| change[start + i] = D::variable(0.0, i));
        let (q_pin, v_pin) = match moved {
            Moved::Configuration => (coordinates.moved(&q0, &change), v0.clone()),
            Moved::Velocity => {
                (q0.clone(), v0.iter().zip(&change).map(|(v, dv)| *v + *dv).collect())
            }
        };
        let mut kin = Kinematics::new(&dual_model);
        kinematics(&dual_model, &coordinates.configuration(&q_pin), &mut kin);
        velocities(&dual_model, &coordinates.to_ours(&q_pin, &v_pin), &mut kin);
        let mut work = AbaWork::new(&dual_model);
        aba(&dual_model, &kin, &coordinates.to_ours(&q_pin, &tau_pin), &[], &mut work);
        let qdd = coordinates.acceleration_to_pinocchio(&q_pin, &v_pin, &work.qdd);

        let mut work = RneaWork::new(&dual_model);
        let acceleration = coordinates.acceleration_to_ours(&q_pin, &v_pin, &tau_pin);
        rnea(&dual_model, &kin, &acceleration, &[], &mut work);
        let force = coordinates.to_pinocchio(&q_pin, &work.tau);
        for row in 0..nv {
            for i in 0..width {
                result.acceleration[row * nv + start + i] = qdd[row].eps[i];
                result.force[row * nv + start + i] = force[row].eps[i];
            }
        }
    }
    result
}
