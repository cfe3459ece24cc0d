//! Laws of vectors and 3×3 matrices, on every scalar and for derivatives as well as values.

mod support;

use gradbody_math::{Mat3, Scalar, Sym3, Vec3};
use support::{Parts, Sample, assert_close, mat3, on_every_scalar, quat, sym3, vec3};

/// Rounding of a few dozen operations on numbers below ten.
fn tolerance<S: Scalar>() -> f64 {
    200.0 * S::EPSILON
}

on_every_scalar! {
    products_of_vectors: 9;
    fused_operations: 10;
    normalising: 3;
    matrices_form_a_ring: 27;
    matrices_act_on_vectors: 24;
    determinants: 18;
    rotations_about_axes: 10;
    symmetric_matrices: 22;
    rotating_a_symmetric_matrix: 10;
    parallel_axes: 13;
}

mod laws {
    use super::*;

    pub(crate) fn products_of_vectors<S: Sample>(x: &[f64]) {
        let (a, b, c) = (vec3::<S>(x), vec3::<S>(&x[3..]), vec3::<S>(&x[6..]));
        let close = |l, r| assert_close::<S>(l, r, tolerance::<S>());
        close(a.dot(b), b.dot(a));
        close(a.dot(b + c), a.dot(b) + a.dot(c));
        close(a.cross(b).dot(a), S::ZERO);
        close(a.cross(b).dot(b), S::ZERO);
        close(a.cross(b).dot(c), b.cross(c).dot(a));
        close(a.norm_squared(), a.norm() * a.norm());
        let close = |l, r| assert_close::<Vec3<S>>(l, r, tolerance::<S>());
        close(a.cross(b), -b.cross(a));
        close(a.cross(b.cross(c)), b * a.dot(c) - c * a.dot(b));
        close(a.cross(b), Mat3::skew(a) * b);
    }

    pub(crate) fn fused_operations<S: Sample>(x: &[f64]) {
        let (a, b, c) = (vec3::<S>(x), vec3::<S>(&x[3..]), vec3::<S>(&x[6..]));
        let s = S::sample(x[9]);
        let close = |l, r| assert_close::<Vec3<S>>(l, r, tolerance::<S>());
        close(a.cross_add(b, c), a.cross(b) + c);
        close(a.scale_add(s, c), a * s + c);
        close(a.neg_scale_add(s, c), c - a * s);
        let mut sum = a;
        sum += b;
        sum -= c;
        close(sum, a + b - c);
        close(Vec3::from_slice(&a.to_array()), a);
        close(a.map(|x| x * s), a * s);
        close(Vec3::new(a[0], a[1], a[2]), a);
        for i in 0..3 {
            let mut d = a;
            d[i] = s;
            assert_eq!(d[i], s);
            assert_eq!(d[(i + 1) % 3], a[(i + 1) % 3]);
        }
    }

    pub(crate) fn normalising<S: Sample>(x: &[f64]) {
        let a = vec3::<S>(&[x[0], x[1], x[2] + x[2].signum() * 0.3]);
        let unit = a.normalized_or(Vec3::X);
        assert_close(unit.norm(), S::ONE, tolerance::<S>());
        assert_close(unit * a.norm(), a, 10.0 * tolerance::<S>());
    }

    pub(crate) fn matrices_form_a_ring<S: Sample>(x: &[f64]) {
        let (a, b, c) = (mat3::<S>(x), mat3::<S>(&x[9..]), mat3::<S>(&x[18..]));
        let close = |l, r| assert_close::<Mat3<S>>(l, r, tolerance::<S>());
        close((a * b) * c, a * (b * c));
        close((a + b) * c, a * c + b * c);
        close(a * (b - c), a * b - a * c);
        close(a * Mat3::IDENTITY, a);
        close(Mat3::IDENTITY * a, a);
        close(a - b, a + -b);
        close(-a, Mat3::ZERO - a);
        close((a * b).transpose(), b.transpose() * a.transpose());
        close(Mat3::from_rows(a.to_rows()), a);
        close(a * S::from_f64(2.0), a + a);
        for i in 0..3 {
            for j in 0..3 {
                assert_eq!(a.at(i, j), a.to_rows()[i][j]);
                assert_eq!(a.at(i, j), a.transpose().at(j, i));
            }
        }
    }

    pub(crate) fn matrices_act_on_vectors<S: Sample>(x: &[f64]) {
        let (a, b) = (mat3::<S>(x), mat3::<S>(&x[9..]));
        let (u, v) = (vec3::<S>(&x[18..]), vec3::<S>(&x[21..]));
        let close = |l, r| assert_close::<Vec3<S>>(l, r, tolerance::<S>());
        close((a * b) * u, a * (b * u));
        close(a * (u + v), a * u + a * v);
        close(a.transpose_mul(u), a.transpose() * u);
        close(a.mul_add(u, v), a * u + v);
        close(a.map_cols(|c| b * c) * u, b * (a * u));
        close(a * Vec3::X, a.cols[0]);
        close(a * Vec3::Y, a.cols[1]);
        close(a * Vec3::Z, a.cols[2]);
        assert_close((a * u).dot(v), u.dot(a.transpose_mul(v)), tolerance::<S>());
    }

    pub(crate) fn determinants<S: Sample>(x: &[f64]) {
        let (a, b) = (mat3::<S>(x), mat3::<S>(&x[9..]));
        let product = (a * b).determinant();
        assert_close(product, a.determinant() * b.determinant(), 10.0 * tolerance::<S>());
        assert_close(a.transpose().determinant(), a.determinant(), tolerance::<S>());
        assert_close(Mat3::<S>::IDENTITY.determinant(), S::ONE, 0.0);
    }

    pub(crate) fn rotations_about_axes<S: Sample>(x: &[f64]) {
        let m = mat3::<S>(x);
        let angle = S::sample(x[9]).sin_cos();
        let about = |axis| Mat3::from_axis_sin_cos(axis, angle);
        let close = |l, r| assert_close::<Mat3<S>>(l, r, tolerance::<S>());
        close(m.rotate_x(angle), m * about(Vec3::X));
        close(m.rotate_y(angle), m * about(Vec3::Y));
        close(m.rotate_z(angle), m * about(Vec3::Z));
        // A positive turn takes each axis towards the next.
        let (sin, cos) = angle;
        assert_close(about(Vec3::Z) * Vec3::X, Vec3::new(cos, sin, S::ZERO), tolerance::<S>());
        assert_close(about(Vec3::X) * Vec3::Y, Vec3::new(S::ZERO, cos, sin), tolerance::<S>());
        assert_close(about(Vec3::Y) * Vec3::Z, Vec3::new(sin, S::ZERO, cos), tolerance::<S>());
        // An oblique axis stays where it is.
        let axis = vec3::<S>(&[x[0], x[1], 2.0]).normalized_or(Vec3::X);
        let rot = about(axis);
        assert_close(rot * axis, axis, tolerance::<S>());
        close(rot * rot.transpose(), Mat3::IDENTITY);
        assert_close(rot.determinant(), S::ONE, tolerance::<S>());
    }

    pub(crate) fn symmetric_matrices<S: Sample>(x: &[f64]) {
        let (a, b) = (sym3::<S>(x), sym3::<S>(&x[6..]));
        let (u, v) = (vec3::<S>(&x[12..]), vec3::<S>(&x[15..]));
        let close = |l, r| assert_close::<Vec3<S>>(l, r, tolerance::<S>());
        close(a * u, a.to_mat3() * u);
        close(a.mul_add(u, v), a * u + v);
        close((a + b) * u, a * u + b * u);
        close((a - b) * u, a * u - b * u);
        let mut sum = a;
        sum += b;
        assert_close(sum, a + b, 0.0);
        assert_close(Sym3::symmetric_part(a.to_mat3()), a, tolerance::<S>());
        let m = mat3::<S>(&x[12..21]);
        let twice = m + m.transpose();
        let part = Sym3::symmetric_part(m).map(|x| x * S::from_f64(2.0));
        assert_close(part.to_mat3(), twice, tolerance::<S>());
        // u (s u)ᵀ is symmetric.
        let s = S::sample(x[21]);
        let outer = Mat3::from_cols(u * (u.x * s), u * (u.y * s), u * (u.z * s));
        assert_close(a.sub_outer(u * s, u).to_mat3(), a.to_mat3() - outer, tolerance::<S>());
        let diagonal = Sym3::diagonal(u);
        close(diagonal * v, Vec3::new(u.x * v.x, u.y * v.y, u.z * v.z));
    }

    pub(crate) fn rotating_a_symmetric_matrix<S: Sample>(x: &[f64]) {
        let (a, rot) = (sym3::<S>(x), quat::<S>(&x[6..]).to_mat3());
        let dense = rot * a.to_mat3() * rot.transpose();
        assert_close(a.rotated(&rot).to_mat3(), dense, 10.0 * tolerance::<S>());
    }

    pub(crate) fn parallel_axes<S: Sample>(x: &[f64]) {
        let (a, m, r) = (sym3::<S>(x), S::sample(x[6]), vec3::<S>(&x[7..]));
        // m [r]ᵀ [r]
        let skew = Mat3::skew(r);
        let dense = a.to_mat3() + (skew.transpose() * skew) * m;
        assert_close(a.add_point_mass(m, r).to_mat3(), dense, tolerance::<S>());
        // Two masses in turn are both masses.
        let s = vec3::<S>(&x[10..]);
        let both = a.add_point_mass(m, r).add_point_mass(m, s);
        assert_close(both, a.add_point_mass(m, s).add_point_mass(m, r), tolerance::<S>());
    }
}

#[test]
fn constants() {
    let v = Vec3::<f32>::from_f64([1.0, 2.0, 3.0]);
    assert_eq!(v, Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(Vec3::<f64>::default(), Vec3::ZERO);
    assert_eq!(Mat3::<f64>::default(), Mat3::ZERO);
    assert_eq!(Sym3::<f64>::default(), Sym3::ZERO);
}

#[test]
fn finiteness_looks_at_every_component() {
    for i in 0..3 {
        let mut v = Vec3::<f64>::ZERO;
        v[i] = f64::NAN;
        assert!(!v.is_finite());
    }
    for i in 0..6 {
        let mut entries = [0.0; 6];
        entries[i] = f64::INFINITY;
        let [a, b, c, d, e, f] = entries;
        assert!(!Sym3::new(a, b, c, d, e, f).is_finite());
    }
    assert!(Vec3::<f64>::X.is_finite() && Sym3::<f64>::ZERO.is_finite());
}

#[test]
#[should_panic(expected = "components 0 to 2")]
fn a_fourth_component_panics() {
    let _ = Vec3::<f64>::ZERO[3];
}

/// The laws are only as good as the comparison: a change of any derivative in any lane is seen.
#[test]
#[should_panic(expected = "differ by")]
fn comparison_sees_derivatives() {
    use gradbody_math::{Dual, Lanes};
    let v = vec3::<Dual<Lanes<f64, 4>, 2>>(&[1.0, 2.0, 3.0]);
    assert_eq!(v.parts().len(), 3 * 4 * 3);
    let mut w = v;
    w.z.eps[1] += Scalar::from_lanes(|i| if i == 3 { 1e-9 } else { 0.0 });
    assert_close(v, w, 1e-12);
}
