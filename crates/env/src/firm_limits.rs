//! Joint limits as firm as those of MuJoCo's defaults.
//!
//! The limits of our models are springs with dampers. Their usual constants are the same for every joint, which lets
//! strong motors push heavy joints far out of their range. Here they are chosen for the mass that a joint moves:
//!
//! ```text
//!   k = m ω²,   d = 2 m ω,   1/m = (M⁻¹)ⱼⱼ
//! ```
//! so that a joint alone returns without overshoot in a time of 1/ω.
//!
//! The constants belong to one configuration. Where the mass that a joint moves becomes many times smaller in another
//! one, as at the shoulders of a humanoid, such a damper is too stiff for a Runge-Kutta step.

use gradbody_dynamics::{CrbaWork, Kinematics, MassFactors, crba, factorise, solve};
use gradbody_model::Model;

/// Sets the constants of the soft limits of all joints that have limits, with the masses at configuration `q`. `rate`
/// is ω [rad/s].
pub(crate) fn firm_limits(model: &mut Model<f64>, q: &[f64], rate: f64) {
    let kin = Kinematics::at(model, q, &vec![0.0; model.nv()]);
    let mut work = CrbaWork::new(model);
    crba(model, &kin, &mut work);
    let mut factors = MassFactors::new(model);
    factorise(&work.mass_matrix, &mut factors);
    let nv = model.nv();
    let Model { topology, params } = model;
    for (link, params) in topology.links.iter().zip(&mut params.joints) {
        let limited = params.limit_lower.is_finite() || params.limit_upper.is_finite();
        if !limited || link.joint.kind.nv() != 1 {
            continue;
        }
        let mut response = vec![0.0; nv];
        response[link.joint.v_start] = 1.0;
        solve(&factors, &mut response);
        let mass = 1.0 / response[link.joint.v_start];
        params.limit_stiffness = mass * rate * rate;
        params.limit_damping = 2.0 * mass * rate;
    }
}
