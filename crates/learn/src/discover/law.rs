//! Laws that a missing effect may have.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use crate::outcome::Response;

/// The law of a correction with one input x: constant + slope·x + strength·shape(x).
///
/// Constant and slope are always there, because the correction may take over a part of a fitted damping, stiffness or
/// offset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Law {
    /// The shape.
    pub shape: Shape,
    /// The factor of the shape.
    pub strength: f64,
    /// The factor of x.
    pub slope: f64,
    /// The constant term.
    pub constant: f64,
    /// The share of the correction's variance that the law explains, from 0 to 1.
    pub explained: f64,
}

/// What is added to a straight line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Nothing.
    Line,
    /// The sign of x: dry friction, where x is a velocity.
    Sign,
    /// x|x|: drag.
    SignedSquare,
    /// x³: a spring that stiffens.
    Cube,
    /// x²: the same on both sides.
    Square,
}

/// A shape counts only if it leaves less than this share of the variance that a straight line leaves.
const CLEARLY: f64 = 0.5;
/// A response counts as straight if a line leaves less than this share of its variance: networks are never quite
/// straight.
const STRAIGHT: f64 = 0.02;
/// A law must leave less than this share of the correction's variance.
const MOST_LEFT: f64 = 0.2;

impl Law {
    /// The law nearest to a response, or None if no law is near.
    pub(super) fn of(response: &Response) -> Option<Law> {
        let reach = response.x.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let mean = response.y.iter().sum::<f64>() / response.y.len().max(1) as f64;
        let variance: f64 = response.y.iter().map(|y| (y - mean).powi(2)).sum();
        if reach.is_nan() || reach <= 0.0 || variance.is_nan() || variance <= 0.0 {
            return None;
        }
        let line = fitted(response, Shape::Line, 0.0)?;
        if 1.0 - line.explained < STRAIGHT {
            return Some(line);
        }
        let mut best = line.clone();
        // The step of a network has a finite width.
        let steps = [0.01, 0.02, 0.05, 0.1].map(|width| (Shape::Sign, width * reach));
        let others = [Shape::SignedSquare, Shape::Cube, Shape::Square].map(|shape| (shape, 0.0));
        for (shape, width) in steps.into_iter().chain(others) {
            let law = fitted(response, shape, width)?;
            if 1.0 - law.explained < (1.0 - best.explained).min(CLEARLY * (1.0 - line.explained)) {
                best = law;
            }
        }
        (1.0 - best.explained < MOST_LEFT).then_some(best)
    }
}

/// Fits constant, slope and strength by least squares. None if that fails.
fn fitted(response: &Response, shape: Shape, width: f64) -> Option<Law> {
    let of = |x: f64| match shape {
        Shape::Line => 0.0,
        Shape::Sign => x / x.hypot(width),
        Shape::SignedSquare => x * x.abs(),
        Shape::Cube => x.powi(3),
        Shape::Square => x * x,
    };
    let n = response.x.len();
    let columns = if shape == Shape::Line { 2 } else { 3 };
    let a = DMatrix::from_fn(n, columns, |i, j| match j {
        0 => 1.0,
        1 => response.x[i],
        _ => of(response.x[i]),
    });
    let y = DVector::from_column_slice(&response.y);
    let svd = a.clone().svd(true, true);
    let found = svd.solve(&y, 1e-12).ok()?;
    let left = (&y - a * &found).norm_squared();
    let mean = y.mean();
    let variance = y.map(|y| (y - mean).powi(2)).sum();
    let strength = if columns == 3 { found[2] } else { 0.0 };
    Some(Law {
        shape,
        strength,
        slope: found[1],
        constant: found[0],
        explained: 1.0 - left / variance,
    })
}

impl Law {
    /// The usual name of the law at a site over an input. Friction, damping and springs are named only for the own motion
    /// of the joint, link or contact.
    fn name(&self, site: &str, input: &str) -> &'static str {
        let resists = self.strength < 0.0 || (self.shape == Shape::Line && self.slope < 0.0);
        let own = part_of(site) == part_of(input);
        let of = |what: &str| own && input.contains(what);
        match (self.shape, of("/velocity") || of("/sliding_speed"), of("/position")) {
            (Shape::Line, true, _) if resists => "viscous damping",
            (Shape::Line, _, true) if resists => "a spring",
            (Shape::Line, ..) => "a straight line",
            (Shape::Sign, true, _) if resists => "dry friction",
            (Shape::Sign, ..) => "a step",
            (Shape::SignedSquare, true, _) if resists => "drag",
            (Shape::SignedSquare, ..) => "a square with the input's sign",
            (Shape::Cube, _, true) if resists => "a spring that stiffens",
            (Shape::Cube, ..) => "a cube",
            (Shape::Square, ..) => "a square",
        }
    }

    /// The law in words, at a site over an input.
    pub fn words(&self, site: &str, input: &str) -> String {
        let Law { shape, strength, slope, explained, constant } = *self;
        let shape = match shape {
            Shape::Line => String::new(),
            Shape::Sign => format!("{strength:.3}·sign(x) "),
            Shape::SignedSquare => format!("{strength:.3}·x|x| "),
            Shape::Cube => format!("{strength:.3}·x³ "),
            Shape::Square => format!("{strength:.3}·x² "),
        };
        let sign = if shape.is_empty() || slope < 0.0 { "" } else { "+" };
        let percent = 100.0 * explained;
        let name = self.name(site, input);
        format!(
            "{name}: {shape}{sign}{slope:.3}·x {constant:+.3} with x = {input} explains {percent:.0} % of it"
        )
    }
}

/// The joint, link or contact in a path, with its kind: `joint/elbow`.
fn part_of(path: &str) -> &str {
    let end = path.match_indices('/').nth(1).map_or(path.len(), |(at, _)| at);
    &path[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(f: impl Fn(f64) -> f64) -> Response {
        let x: Vec<f64> = (-30..=30).map(|k| 0.1 * f64::from(k)).collect();
        let y = x.iter().map(|x| f(*x)).collect();
        let name = String::new;
        Response { network: name(), input: name(), output: name(), x, y }
    }

    #[test]
    fn laws_are_told_apart_beside_a_line() {
        let of = |f: fn(f64) -> f64| Law::of(&response(f)).unwrap();
        let friction = of(|v| -0.3 * (v / 0.06).tanh() + 0.1 * v + 0.02);
        assert_eq!(friction.shape, Shape::Sign);
        assert!((friction.strength + 0.3).abs() < 0.02, "{friction:?}");
        assert!((friction.slope - 0.1).abs() < 0.02, "{friction:?}");
        let drag = of(|v| -0.3 * v * v.abs() + 0.1 * v);
        let site = "joint/a/passive_torque";
        assert_eq!(
            (drag.shape, drag.name(site, "joint/a/velocity")),
            (Shape::SignedSquare, "drag")
        );
        assert_eq!(drag.name(site, "joint/b/velocity"), "a square with the input's sign");
        assert_eq!(drag.name("contact/*/friction", "contact/*/sliding_speed"), "drag");
        assert!((drag.strength + 0.3).abs() < 1e-9, "{drag:?}");
        let cube = of(|q| -2.0 * q.powi(3));
        assert_eq!(cube.name(site, "joint/a/position"), "a spring that stiffens");
        assert_eq!(of(|x| x * x - x).shape, Shape::Square);
        let bent = of(|q| 0.2 - 0.5 * (0.3 * q).tanh() / 0.3);
        assert!(bent.shape != Shape::Square && bent.strength.abs() < 0.1, "{bent:?}");
        let bent = of(|q| 0.2 - 0.5 * (0.1 * q).tanh() / 0.1);
        assert_eq!(bent.name(site, "joint/a/position"), "a spring");
        let line = of(|v| -0.4 * v + 1.0);
        assert_eq!(
            line.words(site, "joint/a/velocity"),
            "viscous damping: -0.400·x +1.000 with x = joint/a/velocity explains 100 % of it"
        );
    }

    #[test]
    fn what_is_near_to_no_law_has_none() {
        assert_eq!(Law::of(&response(|x| (7.0 * x).sin())), None);
        assert_eq!(Law::of(&response(|_| 1.0)), None, "nothing changes");
        assert_eq!(Law::of(&response(|_| f64::NAN)), None);
    }
}
