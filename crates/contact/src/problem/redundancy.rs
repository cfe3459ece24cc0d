//! Whether a motion depends on how supports share a load.

use gradbody_math::{Scalar, Vec3};

use super::{Problem, Stretch};

/// Rows that depend on others up to this share of their length count as dependent.
const DEPENDENT: f64 = 1e-7;

/// A contact whose friction is this near to its limit slides.
const SLIDES: f64 = 1e-6;

impl<S: Scalar> Problem<S> {
    /// Whether the normal of a contact that slides depends on other rows that hold: normals, and friction that sticks.
    /// The impulses of such rows are not unique. Friction follows them where contacts slide, so that the motion is not
    /// unique either; where all stick, it is. Looks at one lane, and allocates.
    pub fn shares_decide(&self, lane: usize) -> bool {
        let mut held = Independent::default();
        let mut sliding = Vec::new();
        for rows in &self.contacts {
            let Vec3 { x: normal, y, z } = rows.impulse;
            let (normal, friction) = (normal.lane(lane), y.lane(lane).hypot(z.lane(lane)));
            if normal <= 0.0 {
                continue;
            }
            let row = |row: usize| {
                self.dense(rows.coordinates, |k| {
                    self.triples[rows.factors.from as usize + k][row].lane(lane)
                })
            };
            let most = rows.friction.lane(lane) * normal;
            match most > 0.0 && friction >= (1.0 - SLIDES) * most {
                true => sliding.push(row(0)),
                false => (0..if most > 0.0 { 3 } else { 1 }).for_each(|k| {
                    held.add(row(k));
                }),
            }
        }
        for row in &self.joints {
            let impulse = row.impulse.lane(lane);
            if impulse != 0.0 && impulse < row.upper.lane(lane) && row.lower.lane(lane) < impulse {
                held.add(self.dense(row.coordinates, |k| {
                    self.singles[row.factors.from as usize + k].lane(lane)
                }));
            }
        }
        sliding.into_iter().any(|normal| !held.add(normal))
    }

    /// A row of G with an entry for each coordinate.
    fn dense(&self, coordinates: Stretch, factor: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut row = vec![0.0; self.u.len()];
        for (k, at) in coordinates.of(&self.coordinates).iter().enumerate() {
            row[*at as usize] = factor(k);
        }
        row
    }
}

/// Orthonormal vectors.
#[derive(Default)]
struct Independent(Vec<Vec<f64>>);

impl Independent {
    /// Adds a vector; false if it depends on those before.
    fn add(&mut self, mut x: Vec<f64>) -> bool {
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let before = norm(&x);
        for unit in &self.0 {
            let along: f64 = unit.iter().zip(&x).map(|(a, b)| a * b).sum();
            x.iter_mut().zip(unit).for_each(|(x, unit)| *x -= along * unit);
        }
        let after = norm(&x);
        if after <= DEPENDENT * before {
            return false;
        }
        x.iter_mut().for_each(|x| *x /= after);
        self.0.push(x);
        true
    }
}
