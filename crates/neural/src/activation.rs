//! The activation functions of a network's layers.
//!
//! Each is a value and a slope, without branches on values. Both are finite wherever their input is: no exponential has
//! a positive argument. Where two formulas meet, each is used together with its own derivative, so that dual numbers
//! get the right slope at the meeting point, too.

use gradbody_math::Scalar;
use serde::{Deserialize, Serialize};

/// A function applied to each number of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// x
    Identity,
    /// tanh x
    Tanh,
    /// sin x
    Sin,
    /// max(x, 0); slope 0 at 0.
    Relu,
    /// ln(1 + eˣ). NeuralSim's name for [`Softplus`](Activation::Softplus).
    SoftRelu,
    /// x above 0, eˣ − 1 below.
    Elu,
    /// 1 / (1 + e⁻ˣ)
    Sigmoid,
    /// x / (1 + |x|)
    Softsign,
    /// ln(1 + eˣ)
    Softplus,
    /// x / (1 + e⁻ˣ)
    Silu,
}

impl Activation {
    /// Every activation, in the order of their declaration.
    pub const ALL: [Activation; 10] = [
        Activation::Identity,
        Activation::Tanh,
        Activation::Sin,
        Activation::Relu,
        Activation::SoftRelu,
        Activation::Elu,
        Activation::Sigmoid,
        Activation::Softsign,
        Activation::Softplus,
        Activation::Silu,
    ];

    /// True if the slope is continuous: for all but [`Relu`](Activation::Relu).
    pub fn has_continuous_slope(self) -> bool {
        self != Activation::Relu
    }

    /// The value at `x`.
    #[inline(always)]
    pub fn value<S: Scalar>(self, x: S) -> S {
        match self {
            Activation::Identity => x,
            Activation::Tanh => x.tanh(),
            Activation::Sin => x.sin_cos().0,
            Activation::Relu => x.select_le(S::ZERO, S::ZERO, x),
            // One of the two terms is exactly zero. A choice between them would compile to a branch.
            Activation::Elu => S::ZERO.max(x) + (x.min(S::ZERO).exp() - S::ONE),
            Activation::Sigmoid => sigmoid(x),
            Activation::Softsign => x / (S::ONE + x.abs()),
            Activation::SoftRelu | Activation::Softplus => softplus(x),
            Activation::Silu => x * sigmoid(x),
        }
    }

    /// The slope at `x`, where the value is `y`; uses whichever of the two is cheaper.
    #[inline(always)]
    pub fn slope<S: Scalar>(self, x: S, y: S) -> S {
        match self {
            Activation::Identity => S::ONE,
            Activation::Tanh => y.neg_mul_add(y, S::ONE),
            Activation::Sin => x.sin_cos().1,
            Activation::Relu => x.select_le(S::ZERO, S::ZERO, S::ONE),
            Activation::Elu => x.select_le(S::ZERO, y + S::ONE, S::ONE),
            Activation::Sigmoid => y * (S::ONE - y),
            Activation::Softsign => (S::ONE + x.abs()).recip().squared(),
            Activation::SoftRelu | Activation::Softplus => sigmoid(x),
            Activation::Silu => {
                // d(x s) = s + x s (1 − s)
                let s = sigmoid(x);
                y.mul_add(S::ONE - s, s)
            }
        }
    }

    /// Replaces each number by the value there. Any length.
    pub fn apply<S: Scalar>(self, numbers: &mut [S]) {
        S::vectorised(
            #[inline(always)]
            || {
                one_loop_each!(self, KIND, {
                    numbers.iter_mut().for_each(|x| *x = KIND.value(*x));
                });
            },
        );
    }

    /// Multiplies each number of `bar` by the slope at `x`, where the value is `y`. Any length, the same for all.
    pub fn apply_vjp<S: Scalar>(self, x: &[S], y: &[S], bar: &mut [S]) {
        S::vectorised(
            #[inline(always)]
            || {
                one_loop_each!(self, KIND, {
                    for ((bar, x), y) in bar.iter_mut().zip(x).zip(y) {
                        *bar *= KIND.slope(*x, *y);
                    }
                });
            },
        );
    }

    /// Writes the value at each of `x` to `y`. Both must have room for whole blocks: see [`padded`].
    #[inline(always)]
    pub(crate) fn values<S: Scalar>(self, x: &[S], y: &mut [S]) {
        match block_len::<S>() {
            16 => self.values_by::<S, 16>(x, y),
            8 => self.values_by::<S, 8>(x, y),
            4 => self.values_by::<S, 4>(x, y),
            2 => self.values_by::<S, 2>(x, y),
            _ => self.values_by::<S, 1>(x, y),
        }
    }

    /// Writes `y_bar` times the slope to `x_bar`. All must have room for whole blocks: see [`padded`].
    #[inline(always)]
    pub(crate) fn vjp<S: Scalar>(self, x: &[S], y: &[S], y_bar: &[S], x_bar: &mut [S]) {
        match block_len::<S>() {
            16 => self.vjp_by::<S, 16>(x, y, y_bar, x_bar),
            8 => self.vjp_by::<S, 8>(x, y, y_bar, x_bar),
            4 => self.vjp_by::<S, 4>(x, y, y_bar, x_bar),
            2 => self.vjp_by::<S, 2>(x, y, y_bar, x_bar),
            _ => self.vjp_by::<S, 1>(x, y, y_bar, x_bar),
        }
    }

    #[inline(always)]
    fn values_by<S: Scalar, const N: usize>(self, x: &[S], y: &mut [S]) {
        one_loop_each!(self, KIND, {
            for (x, y) in x.as_chunks::<N>().0.iter().zip(y.as_chunks_mut::<N>().0) {
                // Copied first, so that the compiler knows that reads and writes do not overlap.
                let x = *x;
                let mut block = [S::ZERO; N];
                for k in 0..N {
                    block[k] = KIND.value(x[k]);
                }
                *y = block;
            }
        });
    }

    #[inline(always)]
    fn vjp_by<S: Scalar, const N: usize>(self, x: &[S], y: &[S], y_bar: &[S], x_bar: &mut [S]) {
        let (x, y, y_bar) = (x.as_chunks::<N>().0, y.as_chunks::<N>().0, y_bar.as_chunks::<N>().0);
        one_loop_each!(self, KIND, {
            for (((x, y), y_bar), x_bar) in
                x.iter().zip(y).zip(y_bar).zip(x_bar.as_chunks_mut::<N>().0)
            {
                let (x, y, y_bar) = (*x, *y, *y_bar);
                let mut block = [S::ZERO; N];
                for k in 0..N {
                    block[k] = y_bar[k] * KIND.slope(x[k], y[k]);
                }
                *x_bar = block;
            }
        });
    }
}

/// Runs a loop in which the activation is a constant: the choice is made once, outside the loop.
macro_rules! one_loop_each {
    ($activation:expr, $kind:ident, $loop:block) => {
        one_loop_each!($activation, $kind, $loop, Identity Tanh Sin Relu SoftRelu Elu Sigmoid
            Softsign Softplus Silu)
    };
    ($activation:expr, $kind:ident, $loop:block, $($name:ident)*) => {
        match $activation {
            $(Activation::$name => {
                const $kind: Activation = Activation::$name;
                $loop
            })*
        }
    };
}
use one_loop_each;

/// The number of values in a 64-byte vector register; activations are computed in blocks of this size.
#[inline(always)]
const fn block_len<S>() -> usize {
    match 64 / size_of::<S>() {
        16.. => 16,
        8..16 => 8,
        4..8 => 4,
        2..4 => 2,
        _ => 1,
    }
}

/// `n` rounded up to whole blocks.
pub(crate) const fn padded<S>(n: usize) -> usize {
    n.next_multiple_of(block_len::<S>())
}

/// e^−|x|, and the sigmoid's numerator: it or 1.
#[inline(always)]
fn decay<S: Scalar>(x: S) -> (S, S) {
    // Not −|x|: its derivative at 0 would be 0 on dual numbers.
    let e = x.select_lt(S::ZERO, x, -x).exp();
    (e, x.select_lt(S::ZERO, e, S::ONE))
}

/// 1/(1 + e⁻ˣ) above 0 and the same as eˣ/(eˣ + 1) below.
#[inline(always)]
pub(crate) fn sigmoid<S: Scalar>(x: S) -> S {
    let (e, numerator) = decay(x);
    numerator / (S::ONE + e)
}

/// max(x, 0) + ln(1 + e^−|x|).
#[inline(always)]
fn softplus<S: Scalar>(x: S) -> S {
    let (e, _) = decay(x);
    let sum = S::ONE + e;
    // Adds the rounding error of the sum to first order, so that the left tail keeps its digits.
    let lost = e - (sum - S::ONE);
    x.select_lt(S::ZERO, S::ZERO, x) + (sum.ln() + lost / sum)
}
