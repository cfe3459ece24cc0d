//! How friction depends on sliding speed, for compliant contacts.

use gradbody_math::Scalar;
use gradbody_model::Material;

/// A law of dry friction: the coefficient at a sliding speed. μ is `friction`, μ_s `static_friction`
/// and v_t `slip_velocity` of the material.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionLaw {
    /// μ at any speed but zero. Discontinuous: bodies creep and chatter rather than stick.
    Coulomb,
    /// μ tanh(4 v/v_t) + (μ_s − μ)(v/v_t) / (¼ (v/v_t)² + ¾)² [Brown and McPhee 2016]
    #[default]
    Brown,
    /// (μ + (μ_s − μ) exp(−(v/v_t)²)) tanh(4 v/v_t) [Andersson, Söderberg and Björklund 2007]
    Andersson,
    /// min(v/v_t, 1) (μ + 2 (μ_s − μ) / (1 + (v/v_t)²)) [Hollars, in Sherman et al. 2011]
    Hollars,
}

impl FrictionLaw {
    /// The coefficient at a speed, divided by that speed [s/m]: finite also at rest, so that friction
    /// is this times the velocity, whatever its direction.
    #[inline(always)]
    pub fn coefficient_by_speed<S: Scalar>(self, material: &Material<S>, speed: S) -> S {
        let mu = material.friction;
        let more = material.static_friction - mu;
        let scale = material.slip_velocity.recip();
        let x = speed * scale;
        match self {
            FrictionLaw::Coulomb => {
                let safe = speed.select_le(S::ZERO, S::ONE, speed);
                speed.select_le(S::ZERO, S::ZERO, mu / safe)
            }
            FrictionLaw::Brown => {
                let quarter = S::from_f64(0.25);
                let bump = (x * x).mul_add(quarter, S::from_f64(0.75)).squared().recip();
                (mu * tanh_4x_by_x(x)).mul_add(S::ONE, more * bump) * scale
            }
            FrictionLaw::Andersson => {
                let level = more.mul_add((-(x * x)).exp(), mu);
                level * tanh_4x_by_x(x) * scale
            }
            FrictionLaw::Hollars => {
                let level = (more + more).mul_add(x.mul_add(x, S::ONE).recip(), mu);
                level * x.max(S::ONE).recip() * scale
            }
        }
    }
}

/// tanh(4x)/x, which is 4 − 64/3 x² near zero.
#[inline(always)]
fn tanh_4x_by_x<S: Scalar>(x: S) -> S {
    let small = S::from_f64(1e-4);
    let safe = x.select_lt(small, S::ONE, x);
    let near_zero = (x * x).neg_mul_add(S::from_f64(64.0 / 3.0), S::from_f64(4.0));
    x.select_lt(small, near_zero, (safe * S::from_f64(4.0)).tanh() / safe)
}
