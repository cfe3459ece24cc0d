//! The kinds of answers that contacts give, and the Jacobian of each.
//!
//! [`Smoothed`](crate::ContactGradient::Smoothed) multiplies an answer by weights. Pressing has the weight
//! `½ (1 + x/√(x² + κ²))`, where x is the velocity by which the contact presses (negative if it does not), and sticking
//! has the same weight of its distance from sliding.

use gradbody_math::{Scalar, Vec3};

use super::Cone;
use super::local_vjp::{FigureBars, Turn, answer_vjp, clamp_vjp, onto_disk_vjp};
use super::ncp::Steps;
use crate::problem::ContactRows;

/// The kind of answer that contacts gave.
#[derive(Clone, Copy, Debug)]
pub(super) enum Answering {
    Cone(Cone),
    /// Row by row in such a cone.
    RowByRow(Cone),
    /// In a pyramid with this many sides.
    Polygon(u32),
    Smoothed(f64),
}

/// Adjoint of a contact's answer: cotangents of impulse, velocity and friction.
#[inline(always)]
pub(super) fn answer<S: Scalar>(
    answering: Answering,
    swept: S,
    rows: &ContactRows<S>,
    steps: &Steps<S>,
    turn: &Turn<S>,
    bar: Vec3<S>,
) -> (Vec3<S>, Vec3<S>, S) {
    match answering {
        Answering::Cone(cone) => {
            let bars = answer_vjp(cone, rows, steps, turn, bar);
            (bars.impulse, bars.velocity, bars.friction)
        }
        Answering::RowByRow(cone) => row_by_row(
            rows,
            steps,
            turn,
            bar,
            #[inline(always)]
            |y, radius, bar| match cone {
                Cone::Circular => onto_disk_vjp(y, radius, bar),
                Cone::Pyramid => onto_square_vjp(y, radius, bar),
            },
        ),
        Answering::Polygon(sides) => row_by_row(
            rows,
            steps,
            turn,
            bar,
            #[inline(always)]
            |y, radius, bar| onto_figure_vjp(sides, swept, y, radius, bar),
        ),
        Answering::Smoothed(kappa) => smoothed(S::from_f64(kappa), rows, steps, turn, bar),
    }
}

/// Adjoint of an answer row by row: the normal, then the tangents projected onto a figure.
#[inline(always)]
fn row_by_row<S: Scalar>(
    rows: &ContactRows<S>,
    steps: &Steps<S>,
    turn: &Turn<S>,
    bar: Vec3<S>,
    figure: impl Fn([S; 2], S, [S; 2]) -> FigureBars<S>,
) -> (Vec3<S>, Vec3<S>, S) {
    let Turn { impulse, velocity: w } = *turn;
    let free = w.x.neg_mul_add(steps.normal, impulse.x);
    let normal = free.max(S::ZERO);
    let y = w.y.neg_mul_add(steps.tangent, impulse.y);
    let z = w.z.neg_mul_add(steps.tangent, impulse.z);
    let FigureBars { point: [y_bar, z_bar], radius: radius_bar } =
        figure([y, z], rows.friction * normal, [bar.y, bar.z]);
    let normal_bar = radius_bar.mul_add(rows.friction, bar.x);
    let free_bar = S::ZERO.select_lt(free, normal_bar, S::ZERO);
    let steps = Vec3::new(steps.normal, steps.tangent, steps.tangent);
    let free_bar = Vec3::new(free_bar, y_bar, z_bar);
    let velocity = Vec3::new(steps.x * free_bar.x, steps.y * free_bar.y, steps.z * free_bar.z);
    (free_bar, -velocity, radius_bar * normal)
}

/// Adjoint of the projection onto the pyramid's polygon; in lanes where sweeps took over, onto the disk that they use.
#[inline(always)]
pub(super) fn onto_figure_vjp<S: Scalar>(
    sides: u32,
    swept: S,
    point: [S; 2],
    radius: S,
    bar: [S; 2],
) -> FigureBars<S> {
    let polygon = onto_polygon_vjp(sides, point, radius, bar);
    let disk = onto_disk_vjp(point, radius, bar);
    let pick = |disk: S, polygon: S| S::ZERO.select_lt(swept, disk, polygon);
    FigureBars {
        point: [pick(disk.point[0], polygon.point[0]), pick(disk.point[1], polygon.point[1])],
        radius: pick(disk.radius, polygon.radius),
    }
}

/// Adjoint of the projection onto the square of a pyramid.
#[inline(always)]
fn onto_square_vjp<S: Scalar>([y, z]: [S; 2], radius: S, bar: [S; 2]) -> FigureBars<S> {
    let [y_bar, of_y] = clamp_vjp(y, radius, bar[0]);
    let [z_bar, of_z] = clamp_vjp(z, radius, bar[1]);
    FigureBars { point: [y_bar, z_bar], radius: of_y + of_z }
}

/// Adjoint of the projection of a point onto a regular polygon, to the nearest point of its nearest side: cotangents of
/// the point and of the polygon's radius.
#[inline(always)]
fn onto_polygon_vjp<S: Scalar>(
    sides: u32,
    [y, z]: [S; 2],
    radius: S,
    bar: [S; 2],
) -> FigureBars<S> {
    let step = std::f64::consts::TAU / f64::from(sides);
    let (mut most, mut ny, mut nz) = (S::from_f64(f64::NEG_INFINITY), S::ONE, S::ZERO);
    for side in 0..sides {
        let (sin, cos) = ((f64::from(side) + 0.5) * step).sin_cos();
        let (sin, cos) = (S::from_f64(sin), S::from_f64(cos));
        let out = cos.mul_add(y, sin * z);
        ny = most.select_lt(out, cos, ny);
        nz = most.select_lt(out, sin, nz);
        most = most.max(out);
    }
    let (sin, cos) = (0.5 * step).sin_cos();
    let (sin, cos) = (S::from_f64(sin), S::from_f64(cos));
    let inside = most.select_lt(radius * cos, S::ONE, S::ZERO);
    let (ty, tz) = (-nz, ny);
    let (bar_n, bar_t) = (ny.mul_add(bar[0], nz * bar[1]), ty.mul_add(bar[0], tz * bar[1]));
    // Keeps rounding from making a corner part of a side.
    let half = radius * sin * S::from_f64(1.0 - 1e-9);
    let [along_bar, half_bar] = clamp_vjp(ty.mul_add(y, tz * z), half, bar_t);
    let radius_bar = bar_n.mul_add(cos, half_bar * sin);
    let pick = |if_inside: S, outside: S| S::ZERO.select_lt(inside, if_inside, outside);
    FigureBars {
        point: [pick(bar[0], ty * along_bar), pick(bar[1], tz * along_bar)],
        radius: pick(S::ZERO, radius_bar),
    }
}

#[inline(always)]
fn smoothed<S: Scalar>(
    kappa: S,
    rows: &ContactRows<S>,
    steps: &Steps<S>,
    turn: &Turn<S>,
    bar: Vec3<S>,
) -> (Vec3<S>, Vec3<S>, S) {
    let Turn { impulse, velocity: w } = *turn;
    let half = S::from_f64(0.5);
    // ½ (1 + x/√(x² + κ²))
    let kappa = kappa.max(S::from_f64(1e-12));
    let share = |x: S| half.mul_add(x / x.mul_add(x, kappa * kappa).sqrt(), half);
    let free = w.x.neg_mul_add(steps.normal, impulse.x);
    let presses = share(free * rows.delassus.xx);
    let normal = free.max(S::ZERO);
    let radius = rows.friction * normal;
    let y = w.y.neg_mul_add(steps.tangent, impulse.y);
    let z = w.z.neg_mul_add(steps.tangent, impulse.z);
    let squared = y.mul_add(y, z * z);
    let safe = S::ZERO.select_lt(squared, squared, S::ONE);
    let size = S::ZERO.select_lt(squared, safe.sqrt(), S::ZERO);
    let inverse = safe.sqrt().recip();
    let sticks = share((radius - size) / steps.tangent);
    let slides = S::ONE - sticks;
    let (uy, uz) = (y * inverse, z * inverse);
    let along = uy.mul_add(bar.y, uz * bar.z);
    let shrink = (radius * inverse).min(S::ONE);
    let tangent = |u: S, bar: S| {
        let across = along.neg_mul_add(u, bar) * shrink;
        sticks.mul_add(bar, slides * across) * presses
    };
    let radius_bar = slides * along * presses;
    let normal_bar = radius_bar.mul_add(rows.friction, bar.x * presses);
    let free_bar = Vec3::new(normal_bar, tangent(uy, bar.y), tangent(uz, bar.z));
    let velocity = Vec3::new(
        steps.normal * free_bar.x,
        steps.tangent * free_bar.y,
        steps.tangent * free_bar.z,
    );
    (free_bar, -velocity, radius_bar * normal)
}
