//! Smoothing and derivatives by polynomials fitted to windows of samples [Savitzky, Golay 1964].
//!
//! In a window of w samples, p(x) = Σ c_k x^k is fitted by least squares; the result is p or a derivative of it in the
//! middle. Since the fit is linear in the samples, that is a sum with fixed weights. Near the ends, where a window does
//! not fit, the polynomial of the first or last window is evaluated away from its middle.

use nalgebra::{DMatrix, DVector};

use super::ProcessError;
use crate::{Channel, Trajectory, Unit};

/// The highest order whose fit on [-1, 1] is still accurate in double precision.
const HIGHEST: usize = 12;

/// The longest window [samples]: a longer one no longer follows the motion.
const LONGEST: usize = 10_001;

/// A filter: polynomials of a given order over windows of a given length.
#[derive(Clone, Debug, PartialEq)]
pub struct SavitzkyGolay {
    window: usize,
    order: usize,
    /// The matrix from samples to the polynomial's coefficients, lowest first (order + 1 × window); x runs over [-1,
    /// 1].
    fit: DMatrix<f64>,
}

impl SavitzkyGolay {
    /// A filter over an odd number of samples, larger than the order of the polynomial.
    pub fn new(window: usize, order: usize) -> Result<Self, ProcessError> {
        match () {
            () if window.is_multiple_of(2) => return Err(ProcessError::EvenWindow(window)),
            () if window <= order => return Err(ProcessError::ShortWindow { window, order }),
            () if window > LONGEST => return Err(ProcessError::LongWindow(window)),
            () if order > HIGHEST => return Err(ProcessError::HighOrder(order)),
            () => {}
        }
        let powers = DMatrix::from_fn(window, order + 1, |i, k| place(window, i).powi(k as i32));
        // Orthogonal columns: c = R⁻¹ Qᵀ samples.
        let qr = powers.qr();
        let fit = qr.r().solve_upper_triangular(&qr.q().transpose());
        let fit = fit.ok_or(ProcessError::ShortWindow { window, order })?;
        Ok(SavitzkyGolay { window, order, fit })
    }

    /// The smoothed samples.
    pub fn smooth(&self, samples: &[f64]) -> Result<Vec<f64>, ProcessError> {
        self.derivative(samples, 0, 1.0)
    }

    /// A derivative of samples taken at a uniform rate [Hz]: the first, the second, …
    pub fn derivative(
        &self,
        samples: &[f64],
        derivative: usize,
        rate: f64,
    ) -> Result<Vec<f64>, ProcessError> {
        let Self { window, order, .. } = *self;
        if derivative > order {
            return Err(ProcessError::Derivative { derivative, order });
        }
        if samples.len() < window {
            return Err(ProcessError::FewSamples { window, samples: samples.len() });
        }
        if let Some(missing) = samples.iter().position(|x| !x.is_finite()) {
            return Err(ProcessError::Missing(missing));
        }
        let half = window / 2;
        let middle = self.weights(half, derivative, rate);
        let last = samples.len() - window;
        let values = (0..samples.len()).map(|i| {
            let start = i.saturating_sub(half).min(last);
            let weighted = |weights: &[f64]| {
                weights.iter().zip(&samples[start..]).map(|(w, x)| w * x).sum::<f64>()
            };
            match i - start {
                at if at == half => weighted(&middle),
                at => weighted(&self.weights(at, derivative, rate)),
            }
        });
        Ok(values.collect())
    }

    /// The weights of a window's samples in a derivative at its sample `at`.
    fn weights(&self, at: usize, derivative: usize, rate: f64) -> Vec<f64> {
        let x = place(self.window, at);
        // d^n x^k / dx^n = k (k - 1) … (k - n + 1) x^(k - n), and dx/dt = rate / half.
        let half = (self.window / 2).max(1) as f64;
        let chain = (rate / half).powi(derivative as i32);
        let term = |k: usize| match k.checked_sub(derivative) {
            Some(left) => {
                let falling: f64 = (left + 1..=k).map(|f| f as f64).product();
                falling * x.powi(left as i32) * chain
            }
            None => 0.0,
        };
        let row = DVector::from_fn(self.order + 1, |k, _| term(k));
        self.fit.tr_mul(&row).iter().copied().collect()
    }
}

/// The coordinate of a window's sample, from -1 to 1.
fn place(window: usize, at: usize) -> f64 {
    let half = (window / 2).max(1) as f64;
    (at as f64 - (window / 2) as f64) / half
}

impl Trajectory {
    /// Smooths a channel of uniform samples.
    pub fn smooth(&mut self, channel: &str, filter: &SavitzkyGolay) -> Result<(), ProcessError> {
        self.even_rate()?;
        let channel = self.channel_mut(channel)?;
        channel.values = filter.smooth(&channel.values)?;
        Ok(())
    }

    /// Adds a derivative of a channel of uniform samples as a new channel: for an angle its velocity (1) or
    /// acceleration (2).
    pub fn add_derivative(
        &mut self,
        of: &str,
        derivative: usize,
        name: &str,
        filter: &SavitzkyGolay,
    ) -> Result<(), ProcessError> {
        let rate = self.even_rate()?;
        if self.channels.iter().any(|c| c.name == name) {
            return Err(ProcessError::Exists(name.to_owned()));
        }
        let channel = self.channel(of)?;
        let mut dimension = channel.unit.dimension;
        for _ in 0..derivative {
            dimension = dimension
                .rate()
                .ok_or_else(|| ProcessError::NoRate(of.to_owned(), channel.unit.dimension))?;
        }
        let values = filter.derivative(&channel.values, derivative, rate)?;
        let unit = Unit::si(dimension);
        self.channels.push(Channel { name: name.to_owned(), unit, values });
        Ok(())
    }

    fn even_rate(&self) -> Result<f64, ProcessError> {
        self.uniform_rate().ok_or_else(|| ProcessError::Uneven(self.name.clone()))
    }
}
