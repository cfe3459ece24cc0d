//! Long chains: the algorithms stay right from one link to a thousand.

use crate::support::compare::{distance, largest};
use crate::support::models::{body, chain};
use crate::support::motion::InTime;
use crate::support::random::Random;
use gradbody::dynamics::{MassFactors, bias_forces, factorise, solve};
use gradbody::prelude::*;

const LENGTHS: [usize; 8] = [1, 2, 3, 5, 10, 30, 100, 300];

fn at_rest<S: Scalar>(model: &Model<S>, q: &[S]) -> Kinematics<S> {
    let mut kin = Kinematics::new(model);
    kinematics(model, q, &mut kin);
    velocities(model, &vec![S::ZERO; model.nv()], &mut kin);
    kin
}

/// Laguerre polynomials L₀(x) … L_n(x), by (k+1) L_{k+1} = (2k+1−x) L_k − k L_{k−1}.
fn laguerre(n: usize, x: f64) -> Vec<f64> {
    let mut values = vec![1.0, 1.0 - x];
    for k in 1..n {
        let next = ((2 * k + 1) as f64 - x) * values[k] - k as f64 * values[k - 1];
        values.push(next / (k + 1) as f64);
    }
    values.truncate(n + 1);
    values
}

/// The first `count` zeros of L_n, by bisection between sign changes.
fn laguerre_zeros(n: usize, count: usize) -> Vec<f64> {
    let value = |x: f64| laguerre(n, x)[n];
    // The first zero is near 5.78 / (4n + 2), and the next are further apart.
    let stride = 1.0 / (4 * n + 2) as f64;
    let mut zeros = Vec::new();
    let mut low = 0.0;
    while zeros.len() < count {
        let high = low + stride;
        if value(low) * value(high) < 0.0 {
            let (mut a, mut b) = (low, high);
            while b - a > 1e-16 * b {
                let middle = 0.5 * (a + b);
                if middle <= a || middle >= b {
                    break;
                }
                if value(a) * value(middle) <= 0.0 { b = middle } else { a = middle }
            }
            zeros.push(0.5 * (a + b));
        }
        low = high;
    }
    zeros
}

#[test]
fn hanging_chain_swings_at_the_zeros_of_laguerre_polynomials() {
    // n equal beads on a massless string: mode frequencies are ω² = (g/l) x with L_n(x) = 0, and the
    // bead k places above the lowest is displaced in proportion to L_k(x)  [D. Bernoulli 1732].
    let length = 0.3;
    for n in [1, 2, 3, 5, 10, 30, 100] {
        let bead = body(0.1, [0.0, 0.0, -length], [0.0; 3]);
        let model: Model<InTime> = chain(n, Vec3::Y, length, bead).cast();
        for (mode, x) in laguerre_zeros(n, n.min(3)).into_iter().enumerate() {
            let bead_at = laguerre(n, x);
            // Slope of each piece of string from the top, then of each joint. A positive angle about
            // y swings a string that hangs along −z towards −x.
            let slope: Vec<f64> =
                (0..n).map(|i| -(bead_at[n - 1 - i] - bead_at[n - i]) / length).collect();
            let joint = |i: usize| if i == 0 { slope[0] } else { slope[i] - slope[i - 1] };
            let q: Vec<InTime> = (0..n).map(|i| InTime { re: 0.0, eps: [joint(i)] }).collect();
            let kin = at_rest(&model, &q);
            let mut work = AbaWork::new(&model);
            aba(&model, &kin, &vec![InTime::ZERO; n], &[], &mut work);
            let got: Vec<f64> = work.qdd.iter().map(|a| a.eps[0]).collect();
            let omega_sq = 9.81 / length * x;
            let want: Vec<f64> = (0..n).map(|i| -omega_sq * joint(i)).collect();
            let error = distance(&got, &want) / largest(&want);
            println!("chain of {n}, mode {mode}: ω² = {omega_sq:.6}, off by {error:.1e}");
            assert!(error < 1e-9, "chain of {n}, mode {mode}: ω² = {omega_sq} is off by {error:e}");
        }
    }
}

/// A chain of `n` rods in a random state of motion.
fn moving_chain(n: usize) -> (Model<f64>, Kinematics<f64>, Vec<f64>) {
    let rod = body(0.4, [0.0, 0.01, -0.1], [0.0015, 0.0014, 0.0002]);
    let mut random = Random::new(n as u64);
    let model = chain(n, Vec3::new(0.3, 1.0, 0.2), 0.2, rod);
    let mut kin = Kinematics::new(&model);
    kinematics(&model, &random.configuration(&model), &mut kin);
    velocities(&model, &random.numbers(n), &mut kin);
    let tau = random.numbers(n);
    (model, kin, tau)
}

/// What inverse dynamics find missing from `tau` at these accelerations, relative to the largest
/// torque that the chain's motion takes. The accelerations themselves have as many digits less as
/// the mass matrix is ill-conditioned, and that grows with the fourth power of the length.
fn residual(model: &Model<f64>, kin: &Kinematics<f64>, qdd: &[f64], tau: &[f64]) -> f64 {
    let mut work = RneaWork::new(model);
    rnea(model, kin, &vec![0.0; qdd.len()], &[], &mut work);
    let scale = largest(&work.tau) + largest(tau);
    rnea(model, kin, qdd, &[], &mut work);
    distance(&work.tau, tau) / scale
}

#[test]
fn inverse_dynamics_undo_forward_dynamics_however_long_the_chain() {
    for n in LENGTHS.into_iter().chain([1000]) {
        let (model, kin, tau) = moving_chain(n);
        let mut work = AbaWork::new(&model);
        aba(&model, &kin, &tau, &[], &mut work);
        let error = residual(&model, &kin, &work.qdd, &tau);
        println!("chain of {n}: articulated body leaves {error:.1e} of the torques");
        let allowed = 1e-13 * (n as f64).max(10.0);
        assert!(error < allowed, "chain of {n}: {error:e} is left, allowed {allowed:e}");
    }
}

#[test]
fn mass_matrix_gives_the_accelerations_however_long_the_chain() {
    for n in LENGTHS {
        let (model, kin, tau) = moving_chain(n);
        let mut work = CrbaWork::new(&model);
        crba(&model, &kin, &mut work);
        let mut factors = MassFactors::new(&model);
        factorise(&work.mass_matrix, &mut factors);
        let mut bias = RneaWork::new(&model);
        bias_forces(&model, &kin, &mut bias);
        let mut qdd: Vec<f64> = tau.iter().zip(&bias.tau).map(|(tau, h)| tau - h).collect();
        solve(&factors, &mut qdd);
        let error = residual(&model, &kin, &qdd, &tau);
        println!("chain of {n}: mass matrix leaves {error:.1e} of the torques");
        let allowed = 1e-13 * (n as f64).max(10.0);
        assert!(error < allowed, "chain of {n}: {error:e} is left, allowed {allowed:e}");
    }
}

#[test]
fn hinge_carries_the_weight_of_the_chain() {
    let rod = body(0.4, [0.0, 0.0, -0.1], [0.0015, 0.0014, 0.0002]);
    for n in LENGTHS {
        let model = chain(n, Vec3::Y, 0.2, rod);
        let kin = at_rest(&model, &model.neutral());
        let mut work = AbaWork::new(&model);
        aba(&model, &kin, &vec![0.0; n], &[], &mut work);
        let unrest = largest(&work.qdd);
        assert!(unrest < 1e-12, "chain of {n}: it hangs straight, yet moves at {unrest:e} rad/s²");
        let mut forces = RneaWork::new(&model);
        rnea(&model, &kin, &vec![0.0; n], &[], &mut forces);
        let (carried, weight) = (forces.force_w[0].lin.z, 0.4 * 9.81 * n as f64);
        assert!((carried / weight - 1.0).abs() < 1e-13, "{carried} N instead of {weight} N");
    }
}
