//! Friction laws of compliant contacts: friction as a function of sliding speed.

use gradbody_math::Scalar;
use gradbody_model::Material;

/// A law of dry friction: the coefficient at a sliding speed. μ is the material's `friction`, μ_s its `static_friction`
/// and v_t its `slip_velocity`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionLaw {
    /// μ at any speed but zero. Discontinuous: bodies creep and chatter instead of sticking.
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
    /// The coefficient at a speed, divided by that speed [s/m]. It is finite at rest, so that friction is this times
    /// the velocity.
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

    /// Adjoint of [`FrictionLaw::coefficient_by_speed`]: returns the cotangent of the speed; adds those of the
    /// material.
    #[inline(always)]
    pub fn coefficient_by_speed_vjp<S: Scalar>(
        self,
        material: &Material<S>,
        speed: S,
        bar: S,
        material_bar: &mut Material<S>,
    ) -> S {
        let mu = material.friction;
        let more = material.static_friction - mu;
        let scale = material.slip_velocity.recip();
        let x = speed * scale;
        let two = S::from_f64(2.0);
        // All but the first law are a level times the scale.
        let level_bar = bar * scale;
        let (level, mu_bar, more_bar, x_bar) = match self {
            FrictionLaw::Coulomb => {
                let inverse = speed.select_le(S::ZERO, S::ONE, speed).recip();
                let mu_bar = speed.select_le(S::ZERO, S::ZERO, bar * inverse);
                material_bar.friction += mu_bar;
                return -(mu_bar * mu * inverse);
            }
            FrictionLaw::Brown => {
                let inverse = (x * x).mul_add(S::from_f64(0.25), S::from_f64(0.75)).recip();
                let bump = inverse.squared();
                let (tanh, slope) = tanh_4x_by_x_with_slope(x);
                let bump_slope = -(x * bump * inverse);
                let x_bar = level_bar * mu.mul_add(slope, more * bump_slope);
                (mu.mul_add(tanh, more * bump), level_bar * tanh, level_bar * bump, x_bar)
            }
            FrictionLaw::Andersson => {
                let bell = (-(x * x)).exp();
                let (tanh, slope) = tanh_4x_by_x_with_slope(x);
                let height = more.mul_add(bell, mu);
                let height_bar = level_bar * tanh;
                let more_bar = height_bar * bell;
                let x_bar = level_bar.mul_add(height * slope, -(two * x * more * more_bar));
                (height * tanh, height_bar, more_bar, x_bar)
            }
            FrictionLaw::Hollars => {
                let bell = x.mul_add(x, S::ONE).recip();
                let height = (two * more).mul_add(bell, mu);
                let inverse = x.max(S::ONE).recip();
                let height_bar = level_bar * inverse;
                let more_bar = height_bar * two * bell;
                let slides = S::ONE.select_le(x, height_bar * height * inverse, S::ZERO);
                let x_bar = -(two * x * bell * more * more_bar) - slides;
                (height * inverse, height_bar, more_bar, x_bar)
            }
        };
        material_bar.friction += mu_bar - more_bar;
        material_bar.static_friction += more_bar;
        let scale_bar = x_bar.mul_add(speed, bar * level);
        material_bar.slip_velocity =
            (scale * scale).neg_mul_add(scale_bar, material_bar.slip_velocity);
        x_bar * scale
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

/// tanh(4x)/x and its derivative.
#[inline(always)]
fn tanh_4x_by_x_with_slope<S: Scalar>(x: S) -> (S, S) {
    let (small, four) = (S::from_f64(1e-4), S::from_f64(4.0));
    let inverse = x.select_lt(small, S::ONE, x).recip();
    let value = tanh_4x_by_x(x);
    let tanh = value * x;
    let slope = (four * tanh.neg_mul_add(tanh, S::ONE) - value) * inverse;
    (value, x.select_lt(small, x * S::from_f64(-128.0 / 3.0), slope))
}
