//! The angle of a point.

use super::logarithm::largest;
use super::{add, constant, is_double, polynomial, quotient};
use crate::Scalar;
use crate::simd::{Vector, Wide};

/// atan z = z + z³ P(z²) for |z| ≤ tan(π/8), to a relative 2⁻⁵⁹.
const ATAN_F64: [f64; 11] = [
    -0.333333333333332,
    0.19999999999953677,
    -0.1428571428020028,
    0.11111110783545204,
    -0.09090897759387377,
    0.07692060248560181,
    -0.06663104578287841,
    0.05847894553662046,
    -0.05039335350100071,
    0.038065525101475296,
    -0.017908471420551013,
];
/// As [`ATAN_F64`], to a relative 2⁻³⁰.
const ATAN_F32: [f64; 5] =
    [-3.3333316e-01, 1.9998528e-01, -1.4244395e-01, 1.0599213e-01, -6.0901858e-02];

/// The angle of the point (x, y) from the x axis [rad], with signed zeros and infinities as in C.
#[inline(always)]
pub(crate) fn atan2<V: Vector>(y: V, x: V) -> V {
    let (y, x) = (Wide(y), Wide(x));
    let (zero, one) = (Wide::ZERO, Wide::ONE);
    let (tall, wide) = scaled(y.abs(), x.abs());
    let small = tall.select_lt(wide, tall, wide);
    let large = tall.select_lt(wide, wide, tall);

    // The angle is a multiple of π/4 plus ±atan z. From the nearer axis it is atan(small/large), or π/4 − atan z with z
    // = (large − small)/(large + small) where that is smaller.
    let limit = large * Wide::from_f64(core::f64::consts::SQRT_2 - 1.0);
    let oblique = |yes: Wide<V>, no: Wide<V>| limit.select_lt(small, yes, no);
    let large = zero.select_lt(large, large, one);
    let (sum, sum_low) = add(large, oblique(small, zero));
    let (difference, difference_low) = add(oblique(-large, zero), small);
    let (z, z_low) = quotient((difference, difference_low), (sum, sum_low));
    let eighths = oblique(one, zero);

    // Measured from the y axis the angle has the opposite sense, and also from the negative x axis, which includes −0.
    let two = Wide::from_f64(2.0);
    let steep = |yes: Wide<V>, no: Wide<V>| wide.select_lt(tall, yes, no);
    let back = |yes: Wide<V>, no: Wide<V>| one.copysign(x).select_lt(zero, yes, no);
    let eighths = steep(two - eighths, eighths);
    let eighths = back(two + two - eighths, eighths);
    let sign = back(-one, one) * steep(-one, one);

    let (z, z_low) = (z * sign, z_low * sign);
    let square = z * z;
    let tail =
        if is_double::<V>() { polynomial(square, ATAN_F64) } else { polynomial(square, ATAN_F32) };
    let part1 = constant(core::f64::consts::FRAC_PI_4, core::f32::consts::FRAC_PI_4);
    let part2 = constant(3.061616997868383e-17, -2.185_569_4e-8);
    let axis = eighths * part1;
    let axis_low = eighths.mul_add(part2, eighths.mul_add(part1, -axis));
    let angle = axis + (z + (z * square).mul_add(tail, z_low + axis_low));
    // NaN must not be lost in the comparisons.
    let angle = x.select_le(x, y.select_le(y, angle, y), x);
    angle.copysign(y).0
}

/// Both sides scaled by the same power of two, so that nothing overflows or loses precision. If one is infinite,
/// infinite ones become 1 and the others 0.
#[inline(always)]
fn scaled<V: Vector>(tall: Wide<V>, wide: Wide<V>) -> (Wide<V>, Wide<V>) {
    let larger = tall.select_lt(wide, wide, tall);
    let shrink = power_of_two(-100, -20);
    let grow = power_of_two(120, 40);
    let scale = larger.select_lt(power_of_two(-900, -90), grow, Wide::ONE);
    let scale = power_of_two(1000, 120).select_lt(larger, shrink, scale);
    let scaled = |side: Wide<V>| {
        let if_infinite = side.select_le(largest(), Wide::ZERO, Wide::ONE);
        larger.select_le(largest(), side * scale, if_infinite)
    };
    (scaled(tall), scaled(wide))
}

/// A power of two: one exponent for f64, another for f32.
#[inline(always)]
fn power_of_two<V: Vector>(double: i32, single: i32) -> Wide<V> {
    Wide::from_f64(f64::exp2_int(f64::from(if is_double::<V>() { double } else { single })))
}
