//! Every model of `models/`: it is what its README says, and it can be simulated.

use crate::support::compare::Comparison;
use crate::support::golden::repository;
use gradbody::dynamics::total_mass;
use gradbody::model::JointKind;
use gradbody::prelude::*;
use gradbody::sim::Energy;

/// A row of the README's table.
struct Row {
    file: String,
    base: String,
    nq: usize,
    nv: usize,
    mass: f64,
}

/// The rows of the table; the one of the seven pendulums as seven.
fn rows() -> Vec<Row> {
    let readme = std::fs::read_to_string(repository().join("models/README.md")).expect("README");
    let mut rows = Vec::new();
    for line in readme.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        // Other tables have fewer columns.
        let [_, file, _, base, nq, nv, mass, _, _] = cells[..] else { continue };
        let number = |cell: &str| cell.parse().unwrap_or_else(|_| panic!("{cell} in {line}"));
        if file.contains('…') {
            rows.extend((1..=7).map(|n| Row {
                file: format!("pendulum{n}.urdf"),
                base: base.into(),
                nq: n,
                nv: n,
                mass: 1.0 + 2.16 * (n - 1) as f64,
            }));
        } else {
            let file = file.trim_matches('`').to_owned();
            let (nq, nv) = (number(nq) as usize, number(nv) as usize);
            rows.push(Row { file, base: base.into(), nq, nv, mass: number(mass) });
        }
    }
    rows
}

fn model(file: &str) -> Model<f64> {
    let imported = load(repository().join("models").join(file), &ImportOptions::default());
    imported.unwrap_or_else(|e| panic!("{e}")).model
}

#[test]
fn readme_tells_every_model() {
    let mut told: Vec<String> = rows().into_iter().map(|row| row.file).collect();
    told.sort();
    let entries = std::fs::read_dir(repository().join("models")).expect("models");
    let names = entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned());
    let is_model = |name: &String| name.ends_with(".urdf") || name.ends_with(".xml");
    let mut there: Vec<String> = names.filter(is_model).collect();
    there.sort();
    assert_eq!(told, there);
}

#[test]
fn models_are_what_the_readme_says() {
    let mut comparison = Comparison::default();
    for row in rows() {
        let model = model(&row.file);
        assert_eq!((model.nq(), model.nv()), (row.nq, row.nv), "{}", row.file);
        let free = model.topology.links.iter().filter(|l| l.joint.kind == JointKind::Free).count();
        assert_eq!(free, usize::from(row.base == "floating"), "{}: {}", row.file, row.base);
        let rounded = 5e-4 / row.mass + 1e-12;
        comparison.check_one("mass", &row.file, rounded, total_mass(&model), row.mass);
    }
    comparison.finish("models", 20);
}

/// At rest, with every joint at zero or, if that is out of its range, in the middle of it.
fn start(model: &Model<f64>) -> State<f64> {
    let mut state = State::neutral(model);
    for (link, joint) in model.topology.links.iter().zip(&model.params.joints) {
        if !(joint.limit_lower..=joint.limit_upper).contains(&0.0) {
            state.q[link.joint.q_start] = 0.5 * (joint.limit_lower + joint.limit_upper);
        }
    }
    state
}

#[test]
fn models_can_be_simulated() {
    for row in rows() {
        let model = model(&row.file);
        let input = Input::none(&model);
        let mut kin = Kinematics::new(&model);
        let mut energy = |state: &State<f64>| {
            kinematics(&model, &state.q, &mut kin);
            velocities(&model, &state.v, &mut kin);
            Energy::of(&model, &kin, &state.q, &state.v)
        };
        for scheme in [Integrator::SemiImplicitEuler, Integrator::ImplicitDamping, Integrator::Rk4]
        {
            let options = StepOptions::new(1e-3).with(scheme).without_contact();
            let mut state = start(&model);
            let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
            let before = energy(&state);
            let mut exchanged = 0.0_f64;
            for i in 0..500 {
                let report = step(
                    &model,
                    &mut state,
                    &input,
                    &options,
                    &mut NoTaps,
                    &mut trace,
                    &mut scratch,
                );
                assert_eq!(report.diverged, None, "{} {scheme:?} step {i}", row.file);
                let now = energy(&state);
                exchanged = exchanged.max(now.kinetic);
                let gain = now.total() - before.total();
                let most = 0.02 * exchanged + 1e-9;
                assert!(gain < most, "{} {scheme:?} step {i}: {gain} J from nowhere", row.file);
            }
        }
    }
}
