//! Our model files beside Gymnasium's: the numbers that motion without contact depends on.

use gradbody_dynamics::{CrbaWork, Kinematics, crba};

use crate::support::{PUBLISHED, golden, numbers};

/// Figures are the same decimal numbers; inertias are sums of the same shapes in another order.
const ROUNDING: f64 = 1e-9;

fn near(what: &str, ours: &[f64], theirs: &[f64]) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    for (k, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        let difference = (ours - theirs).abs() / theirs.abs().max(1.0);
        assert!(difference < ROUNDING, "{what} {k}: {ours} is not {theirs}");
    }
}

#[test]
fn masses_inertias_ranges_springs_and_gears_are_gymnasiums() {
    for environment in PUBLISHED {
        let (golden, of) = (golden(environment), environment.describe());
        let (name, model, theirs) = (&of.name, &of.model, &golden["model"]);
        let mass: f64 = model.params.links.iter().map(|inertia| inertia.mass).sum();
        near(&format!("{name}: mass"), &[mass], &numbers(&theirs["total_mass"]));
        let q = numbers(&golden["samples"][0]["q"]);
        let kin = Kinematics::at(model, &q, &vec![0.0; model.nv()]);
        let mut work = CrbaWork::new(model);
        crba(model, &kin, &mut work);
        let upper: Vec<f64> = (0..model.nv())
            .flat_map(|i| (i..model.nv()).map(move |j| (i, j)))
            .map(|(i, j)| work.mass_matrix.at(i, j))
            .collect();
        near(&format!("{name}: mass matrix"), &upper, &numbers(&theirs["mass_matrix"]));
        let limited = theirs["joint_limited"].as_array().expect("a list");
        let ranges = numbers(&theirs["joint_range"]);
        let stiffness = numbers(&theirs["joint_stiffness"]);
        let damping = numbers(&theirs["damping"]);
        assert_eq!(model.n_links(), limited.len(), "{name}: joints");
        for (i, link) in model.topology.links.iter().enumerate() {
            let (joint, params) = (&link.joint, &model.params.joints[i]);
            let what = format!("{name}: {}", joint.name);
            let range = match limited[i].as_bool() {
                Some(true) => [ranges[2 * i], ranges[2 * i + 1]],
                _ => [f64::NEG_INFINITY, f64::INFINITY],
            };
            let ours = [params.limit_lower, params.limit_upper];
            let same = ours == range;
            if !same {
                near(&format!("{what}: range"), &ours, &range);
            }
            near(&format!("{what}: stiffness"), &[params.stiffness], &[stiffness[i]]);
            near(&format!("{what}: damping"), &[params.damping], &[damping[joint.v_start]]);
        }
        let gears: Vec<f64> = model.params.actuators.iter().map(|a| a.gear).collect();
        near(&format!("{name}: gears"), &gears, &numbers(&theirs["gear"]));
    }
}
