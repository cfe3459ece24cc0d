//! Adam [Kingma and Ba 2015], shared by the examples: a step against the gradient whose length in each weight is about
//! the learning rate.

/// The optimiser's state: running means of slopes and of their squares.
pub(crate) struct Adam {
    rate: f64,
    mean: Vec<f64>,
    square: Vec<f64>,
    rounds: i32,
}

impl Adam {
    /// For this number of weights.
    pub(crate) fn new(n_weights: usize, rate: f64) -> Self {
        Adam { rate, mean: vec![0.0; n_weights], square: vec![0.0; n_weights], rounds: 0 }
    }

    /// Changes the weights, given the slope of each.
    pub(crate) fn step(&mut self, weights: &mut [f64], slopes: &[f64]) {
        let Adam { rate, mean, square, rounds: k } = self;
        *k += 1;
        for (i, slope) in slopes.iter().enumerate() {
            mean[i] = 0.9 * mean[i] + 0.1 * slope;
            square[i] = 0.99 * square[i] + 0.01 * slope * slope;
            let (m, s) =
                (mean[i] / (1.0 - 0.9_f64.powi(*k)), square[i] / (1.0 - 0.99_f64.powi(*k)));
            weights[i] -= *rate * m / (s.sqrt() + 1e-8);
        }
    }
}
