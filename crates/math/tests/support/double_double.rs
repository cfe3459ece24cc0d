//! Reference values with twice the digits of f64: a number is a sum of two floats, and functions
//! are plain series. Slow and simple, good to about 1e-30; shared with the accuracy example.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// The number `high + low`, with `low` at most half an ulp of `high`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DoubleDouble {
    high: f64,
    low: f64,
}

/// π/2 in four parts, each the next 53 bits.
const HALF_PI: [f64; 4] = [
    std::f64::consts::FRAC_PI_2,
    6.123233995736766e-17,
    -1.4973849048591698e-33,
    5.562271104316826e-50,
];
/// ln 2 in two parts.
const LN_2: DoubleDouble =
    DoubleDouble { high: std::f64::consts::LN_2, low: 2.3190468138462996e-17 };

fn two_sum(a: f64, b: f64) -> DoubleDouble {
    let high = a + b;
    let b_part = high - a;
    DoubleDouble { high, low: (a - (high - b_part)) + (b - b_part) }
}

fn two_product(a: f64, b: f64) -> DoubleDouble {
    let high = a * b;
    DoubleDouble { high, low: a.mul_add(b, -high) }
}

impl From<f64> for DoubleDouble {
    fn from(high: f64) -> Self {
        DoubleDouble { high, low: 0.0 }
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        let (s, t) = (two_sum(self.high, o.high), two_sum(self.low, o.low));
        let u = two_sum(s.high, s.low + t.high);
        two_sum(u.high, u.low + t.low)
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    fn neg(self) -> Self {
        DoubleDouble { high: -self.high, low: -self.low }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self + -o
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        let p = two_product(self.high, o.high);
        two_sum(p.high, p.low + self.high.mul_add(o.low, self.low * o.high))
    }
}

impl Div for DoubleDouble {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let first = DoubleDouble::from(self.high / o.high);
        let second = DoubleDouble::from((self - first * o).high / o.high);
        let third = DoubleDouble::from((self - (first + second) * o).high / o.high);
        first + second + third
    }
}

impl DoubleDouble {
    const ONE: Self = DoubleDouble { high: 1.0, low: 0.0 };

    /// By a power of two.
    fn scaled(self, factor: f64) -> Self {
        DoubleDouble { high: self.high * factor, low: self.low * factor }
    }

    /// Σ termₙ with term₀ = `first` and termₙ = termₙ₋₁ · `step(n)`, until it no longer changes.
    fn series(first: Self, step: impl Fn(f64) -> Self) -> Self {
        let (mut sum, mut term) = (first, first);
        for n in 1..200 {
            term = term * step(f64::from(n));
            let next = sum + term;
            if next.high == sum.high && next.low == sum.low {
                break;
            }
            sum = next;
        }
        sum
    }

    /// Sine and cosine, for |self| up to about 1e9.
    pub(crate) fn sin_cos(self) -> (Self, Self) {
        let turns = (self.high / HALF_PI[0]).round();
        let r = HALF_PI.iter().fold(self, |r, &part| r - two_product(turns, part));
        let minus_square = -(r * r);
        let tail = |k: f64| minus_square / DoubleDouble::from(k * (k + 1.0));
        let sin = Self::series(r, |n| tail(2.0 * n));
        let cos = Self::series(Self::ONE, |n| tail(2.0 * n - 1.0));
        match turns.rem_euclid(4.0) as i32 {
            0 => (sin, cos),
            1 => (cos, -sin),
            2 => (-sin, -cos),
            _ => (-cos, sin),
        }
    }

    /// e^self − 1 and n, such that e^self = 2ⁿ (1 + the first).
    fn exp_parts(self) -> (Self, f64) {
        let n = (self.high / LN_2.high).round();
        let r = self - DoubleDouble::from(n) * LN_2;
        (Self::series(r, |k| r / DoubleDouble::from(k + 1.0)), n)
    }

    /// Exponential, where neither it nor its low part overflows or underflows.
    pub(crate) fn exp(self) -> Self {
        let (minus_one, n) = self.exp_parts();
        let half = (n * 0.5).trunc();
        (minus_one + Self::ONE).scaled(half.exp2()).scaled((n - half).exp2())
    }

    /// Natural logarithm: two Newton steps y ← y + 2 (x − eʸ)/(x + eʸ).
    pub(crate) fn ln(self) -> Self {
        let mut y = DoubleDouble::from(self.high.ln());
        for _ in 0..2 {
            // eʸ − 1 keeps the digits where x is close to 1.
            let (minus_one, n) = y.exp_parts();
            let scale = (-n).exp2();
            let x = self.scaled(scale);
            let e = minus_one + Self::ONE;
            let gap = (x - Self::ONE) - minus_one;
            y = y + (gap + gap) / (x + e);
        }
        y
    }

    /// Hyperbolic tangent.
    pub(crate) fn tanh(self) -> Self {
        let (minus_one, n) = (self + self).exp_parts();
        let scale = n.exp2();
        let e = minus_one.scaled(scale) + DoubleDouble::from(scale - 1.0);
        e / (e + DoubleDouble::from(2.0))
    }

    /// Angle of the point (x, self): one Newton step on the unit circle.
    pub(crate) fn atan2(self, x: Self) -> Self {
        // The angle left between the point and the guess (cos, sin) is atan of the cross product
        // over the dot product, where it is so small that one step of Newton is exact.
        let guess = DoubleDouble::from(self.high.atan2(x.high));
        let (sin, cos) = guess.sin_cos();
        guess + (self * cos - x * sin) / (self * sin + x * cos)
    }

    /// `self` to the power `p`.
    pub(crate) fn powf(self, p: Self) -> Self {
        (p * self.ln()).exp()
    }

    /// How far `x` is from this, in units of the last place (of f64) of the exact value.
    pub(crate) fn ulps_from(self, x: f64) -> f64 {
        let exact = self.high.abs().max(f64::MIN_POSITIVE);
        let ulp = f64::from_bits(exact.to_bits() + 1) - exact;
        let gap = (DoubleDouble::from(x) - self).high / ulp;
        if self.high == x && self.low == 0.0 { 0.0 } else { gap.abs() }
    }
}
