//! Actions that are drawn from normal distributions: their logarithmic densities, and the slopes of these.
//!
//! With a mean μ, a standard deviation σ = eˡ and a standard normal number ε, u = μ + σ ε. Its logarithmic density is
//!
//! ```text
//!   ln p(u) = −½ ε² − l − ½ ln 2π                        plain
//!   ln p(a) = ln p(u) − ln(1 − a²),   a = tanh u         squashed: for the action a in ±1
//! ```

use gradbody_math::Scalar;

/// ½ ln 2π.
const HALF_LN_TAU: f32 = 0.918_938_5;
const LN_2: f32 = core::f32::consts::LN_2;

/// The logarithmic density of one number of a plain action.
pub(crate) fn ln_density(noise: f32, log_std: f32) -> f32 {
    -0.5 * noise * noise - log_std - HALF_LN_TAU
}

/// ln(1 − tanh² u), exact for large |u| too.
pub(crate) fn ln_squash_slope(u: f32) -> f32 {
    let size = u.abs();
    // 1 − tanh² u = 4 e^(−2|u|) / (1 + e^(−2|u|))²
    let e = Scalar::exp(-2.0 * size);
    2.0 * (LN_2 - size - Scalar::ln(1.0 + e))
}

/// One number of a squashed action, drawn.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Squashed {
    /// The action, in ±1.
    pub(crate) action: f32,
    /// Its logarithmic density.
    pub(crate) ln_density: f32,
    /// σ ε: the change of u with l.
    pub(crate) spread: f32,
}

impl Squashed {
    pub(crate) fn new(mean: f32, log_std: f32, noise: f32) -> Self {
        let spread = Scalar::exp(log_std) * noise;
        let u = mean + spread;
        Squashed {
            action: Scalar::tanh(u),
            ln_density: ln_density(noise, log_std) - ln_squash_slope(u),
            spread,
        }
    }

    /// The slopes of `temperature · ln p − a · by_action` with respect to μ and l, for fixed ε.
    pub(crate) fn slopes(&self, temperature: f32, by_action: f32) -> (f32, f32) {
        let a = self.action;
        // d ln(1 − tanh² u)/du = −2 tanh u
        let by_u = temperature * 2.0 * a - by_action * (1.0 - a * a);
        (by_u, by_u * self.spread - temperature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The density of a squashed action integrates to one.
    #[test]
    fn densities_integrate_to_one() {
        let (mean, log_std) = (0.4_f32, -0.7_f32);
        let mut sum = 0.0;
        let n = 4000;
        for k in 0..n {
            let a = -1.0 + (k as f32 + 0.5) * 2.0 / n as f32;
            let u = 0.5 * ((1.0 + a) / (1.0 - a)).ln();
            let noise = (u - mean) / log_std.exp();
            sum += Squashed::new(mean, log_std, noise).ln_density.exp() * 2.0 / n as f32;
        }
        assert!((sum - 1.0).abs() < 1e-3, "{sum}");
    }

    /// Slopes against central differences, also where tanh saturates.
    #[test]
    fn slopes_agree_with_differences() {
        let (temperature, by_action) = (0.3, 1.7);
        let cost = |mean: f32, log_std: f32, noise: f32| {
            let drawn = Squashed::new(mean, log_std, noise);
            f64::from(temperature * drawn.ln_density) - f64::from(by_action * drawn.action)
        };
        for (mean, log_std, noise) in [(0.2, -0.5, 0.8), (-1.1, 0.3, -0.4), (4.0, -1.0, 1.0)] {
            let (by_mean, by_std) =
                Squashed::new(mean, log_std, noise).slopes(temperature, by_action);
            let h = 1e-2;
            let mean_slope = (cost(mean + h, log_std, noise) - cost(mean - h, log_std, noise))
                / (2.0 * f64::from(h));
            let std_slope = (cost(mean, log_std + h, noise) - cost(mean, log_std - h, noise))
                / (2.0 * f64::from(h));
            assert!((f64::from(by_mean) - mean_slope).abs() < 2e-3, "{by_mean} {mean_slope}");
            assert!((f64::from(by_std) - std_slope).abs() < 2e-3, "{by_std} {std_slope}");
        }
    }
}
