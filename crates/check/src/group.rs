//! A direction to change a part in.
//!
//! The directions of a check are random. A quantity with a size (a mass, a length) changes by a share of it, everything
//! else by numbers of the order of one in SI units.

use gradbody_dynamics::integrate;
use gradbody_math::{Scalar, Vec3};
use gradbody_model::Model;
use gradbody_sim::{Gradient, Sequence};

use crate::case::Case;
use crate::part::Part;
use crate::world::World;
use gradbody_math::random::{Random, SplitMix64};

/// Numbers that are changed together.
#[derive(Clone, Debug)]
pub struct Group {
    /// The part they belong to.
    pub part: Part,
    /// How each of them changes, in their own units; as many as [`Part::count`] says.
    pub direction: Vec<f64>,
}

/// The derivative of a group, from a gradient.
pub(crate) struct Along {
    /// The derivative in the group's direction.
    pub(crate) slope: f64,
    /// About how large it would be if the parts of the sum did not cancel.
    pub(crate) scale: f64,
    /// Numbers of the group whose derivative is not zero.
    pub(crate) with_influence: usize,
}

impl Group {
    /// Every part of a case, each in a random direction.
    pub(crate) fn all(case: &Case, random: &mut Random<SplitMix64>) -> Vec<Group> {
        let parts = Part::all(case).into_iter();
        parts
            .map(|part| {
                let direction = match &part {
                    Part::TimeStep => vec![case.options.dt],
                    Part::Params { selection, .. } => {
                        shares(&selection.values(&case.model), random)
                    }
                    part => (0..part.count(case)).map(|_| random.signed()).collect(),
                };
                Group { part, direction }
            })
            .collect()
    }

    /// A random direction of length one for the whole state, as groups.
    pub(crate) fn state_direction(
        model: &Model<f64>,
        random: &mut Random<SplitMix64>,
    ) -> Vec<Group> {
        let (nv, na) = (model.nv(), model.topology.na);
        let mut numbers: Vec<f64> = (0..2 * nv + na).map(|_| random.signed()).collect();
        let length = norm(&numbers);
        numbers.iter_mut().for_each(|x| *x /= length);
        let parts = [
            (Part::Configuration, 0..nv),
            (Part::Velocity, nv..2 * nv),
            (Part::Activation, 2 * nv..2 * nv + na),
        ];
        parts.map(|(part, range)| Group { part, direction: numbers[range].to_vec() }).into()
    }

    /// Changes a world by `t` times the direction.
    pub(crate) fn change<S: Scalar>(&self, world: &mut World<S>, t: S) {
        let World { model, start, inputs, options } = world;
        let by: Vec<S> = self.direction.iter().map(|x| S::from_f64(*x) * t).collect();
        let add = |to: &mut [S], by: &[S]| to.iter_mut().zip(by).for_each(|(to, by)| *to += *by);
        match &self.part {
            Part::Configuration => integrate(model, &mut start.q, &by),
            Part::Velocity => add(&mut start.v, &by),
            Part::Activation => add(&mut start.activation, &by),
            Part::TimeStep => options.dt += by[0],
            Part::Controls => {
                let by = by.chunks(model.topology.actuators.len().max(1));
                inputs.iter_mut().zip(by).for_each(|(input, by)| add(&mut input.control, by));
            }
            Part::JointForces => {
                let by = by.chunks(model.nv().max(1));
                inputs.iter_mut().zip(by).for_each(|(input, by)| add(&mut input.tau, by));
            }
            Part::Wrenches => {
                let forces = inputs.iter_mut().flat_map(|input| &mut input.external);
                for (force, by) in forces.zip(by.chunks(6)) {
                    force.ang += Vec3::from_slice(&by[..3]);
                    force.lin += Vec3::from_slice(&by[3..]);
                }
            }
            Part::Params { selection, .. } => {
                let mut x = selection.values(model);
                add(&mut x, &by);
                selection.apply(model, &x).expect("as many as it gave itself");
            }
        }
    }

    /// The products that sum up to the derivative in this direction, from a gradient.
    pub fn terms<S: Scalar>(
        &self,
        model: &Model<S>,
        gradient: &Gradient<S>,
        inputs: &Sequence<S>,
    ) -> Vec<S> {
        let slopes = self.part.slopes(model, gradient, inputs).into_iter();
        slopes.zip(&self.direction).map(|(a, b)| a * S::from_f64(*b)).collect()
    }

    /// The derivative in this direction, from a gradient.
    pub(crate) fn along(
        &self,
        model: &Model<f64>,
        gradient: &Gradient<f64>,
        inputs: &Sequence<f64>,
    ) -> Along {
        let slopes = self.part.slopes(model, gradient, inputs);
        let products: Vec<f64> = slopes.iter().zip(&self.direction).map(|(a, b)| a * b).collect();
        Along {
            slope: products.iter().sum(),
            scale: norm(&products),
            with_influence: slopes.iter().filter(|x| **x != 0.0).count(),
        }
    }
}

/// Random shares of numbers; a number that is zero takes a share of the smallest of the others.
fn shares(values: &[f64], random: &mut Random<SplitMix64>) -> Vec<f64> {
    /// Below this share of the largest, a number is zero up to rounding.
    const ZERO: f64 = 1e-6;
    let largest = values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let counts = |x: &f64| x.abs() > ZERO * largest;
    let least = values.iter().filter(|x| counts(x)).fold(f64::INFINITY, |m, x| m.min(x.abs()));
    let size = |x: &f64| match counts(x) {
        true => x.abs(),
        false if least.is_finite() => least,
        false => 1.0,
    };
    values.iter().map(|x| size(x) * random.signed()).collect()
}

fn norm(numbers: &[f64]) -> f64 {
    numbers.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::shares;
    use gradbody_math::random::Random;

    #[test]
    fn what_is_zero_changes_like_the_least_of_the_rest() {
        let changes = shares(&[0.0, 2.0, 1e-17, -8.0], &mut Random::split_mix(1));
        assert!(changes[0].abs() <= 2.0 && changes[0] != 0.0);
        assert!(changes[2].abs() > 1e-3 && changes[2].abs() <= 2.0);
        assert!(shares(&[0.0], &mut Random::split_mix(1))[0].abs() <= 1.0);
    }
}
