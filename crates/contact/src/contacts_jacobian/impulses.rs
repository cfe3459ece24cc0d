//! The effect of changed impulses on all columns, between the two halves of M⁻¹.

use gradbody_math::Vec3;

use super::{BLOCK, ColumnsMut, ContactColumnsWork};
use crate::Problem;
use crate::solver::Rows;

/// Adds the effect of changed impulses to `x`, whose columns are Fᵀ times impulses on the joints.
#[inline(always)]
pub fn impulse_columns(
    problem: &Problem<f64>,
    work: &mut ContactColumnsWork,
    x: &mut ColumnsMut<'_>,
) {
    let ContactColumnsWork { slopes, changes, impulses, rest, .. } = work;
    let ColumnsMut { numbers, stride } = x;
    let (stride, blocks) = (*stride, *stride / BLOCK);
    // β += G X.
    for group in &slopes.groups {
        let known = numbers.as_chunks::<BLOCK>().0;
        let to = changes[group.first * stride..].as_chunks_mut::<BLOCK>().0;
        for b in 0..blocks {
            let mut sums = [[0.0; BLOCK]; 3];
            let factors = Factors::of(problem, group.rows);
            factors.each(|k, g| {
                let from = &known[k * blocks + b];
                for c in 0..3 {
                    for lane in 0..BLOCK {
                        sums[c][lane] = g[c].mul_add(from[lane], sums[c][lane]);
                    }
                }
            });
            for (c, sum) in sums[..factors.width()].iter().enumerate() {
                let to = &mut to[c * blocks + b];
                for lane in 0..BLOCK {
                    to[lane] += sum[lane];
                }
            }
        }
    }
    // dλ = K β.
    impulses.clear();
    impulses.resize(slopes.rows * stride, 0.0);
    let known = changes.as_chunks::<BLOCK>().0;
    for (row, to) in impulses.chunks_exact_mut(stride).enumerate() {
        let slopes = &slopes.slopes[row * slopes.stride..][..slopes.rows];
        for (b, to) in to.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
            let mut sum = [0.0; BLOCK];
            for (k, slope) in slopes.iter().enumerate() {
                let from = &known[k * blocks + b];
                for lane in 0..BLOCK {
                    sum[lane] = slope.mul_add(from[lane], sum[lane]);
                }
            }
            *to = sum;
        }
    }
    slopes.improve(changes, impulses, stride, rest);
    // X += Gᵀ dλ.
    let known = impulses.as_chunks::<BLOCK>().0;
    for group in &slopes.groups {
        let factors = Factors::of(problem, group.rows);
        let from = &known[group.first * blocks..];
        factors.each(|k, g| {
            let to = numbers[k * stride..][..stride].as_chunks_mut::<BLOCK>().0;
            for (b, to) in to.iter_mut().enumerate() {
                let mut sum = *to;
                for (c, g) in g[..factors.width()].iter().enumerate() {
                    let from = &from[c * blocks + b];
                    for lane in 0..BLOCK {
                        sum[lane] = g.mul_add(from[lane], sum[lane]);
                    }
                }
                *to = sum;
            }
        });
    }
}

/// G of a group of rows.
#[derive(Clone, Copy)]
enum Factors<'a> {
    /// Three rows, at each of their coordinates.
    Three(&'a [u32], &'a [Vec3<f64>]),
    /// One row.
    One(&'a [u32], &'a [f64]),
}

impl<'a> Factors<'a> {
    #[inline(always)]
    fn of(problem: &'a Problem<f64>, rows: Rows) -> Self {
        let (of, factors) = match rows {
            Rows::Contact(i) => (&problem.contacts[i], problem.contacts[i].factors),
            Rows::Turning(i) => match &problem.contacts[i].turning {
                Some(turning) => (&problem.contacts[i], turning.factors),
                None => return Factors::One(&[], &[]),
            },
            Rows::Joint(i) => {
                let row = &problem.joints[i];
                let coordinates = row.coordinates.of(&problem.coordinates);
                return Factors::One(coordinates, row.factors.of(&problem.singles));
            }
        };
        Factors::Three(of.coordinates.of(&problem.coordinates), factors.of(&problem.triples))
    }

    #[inline(always)]
    fn width(&self) -> usize {
        match self {
            Factors::Three(..) => 3,
            Factors::One(..) => 1,
        }
    }

    /// Calls `f` with each coordinate and its entries of G.
    #[inline(always)]
    fn each(&self, mut f: impl FnMut(usize, [f64; 3])) {
        match self {
            Factors::Three(coordinates, factors) => {
                for (k, g) in coordinates.iter().zip(*factors) {
                    f(*k as usize, [g.x, g.y, g.z]);
                }
            }
            Factors::One(coordinates, factors) => {
                for (k, g) in coordinates.iter().zip(*factors) {
                    f(*k as usize, [*g, 0.0, 0.0]);
                }
            }
        }
    }
}
