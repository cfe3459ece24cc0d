//! Steps over penalties that have corners, so that zeros are exact.

use super::Penalty;

/// Makes Σ hᵢ/2 (zᵢ − xᵢ)² + penalties(z) small in z, and leaves z in `x`. h is positive.
///
/// For each number, the penalties on it alone come first and then that on its group; together they are the exact
/// minimum, as `penalties` are groups within groups of one.
pub(super) fn proximal_step(penalties: &[Penalty], h: &[f64], x: &mut [f64]) {
    let groups = || penalties.iter().flat_map(|p| p.groups.iter().map(|group| (p.weight, group)));
    for (weight, group) in groups() {
        if let [i] = group[..] {
            x[i] = x[i].signum() * (x[i].abs() - weight / h[i]).max(0.0);
        }
    }
    for (weight, group) in groups().filter(|(weight, group)| *weight > 0.0 && group.len() > 1) {
        shrink_group(weight, group, h, x);
    }
}

/// min Σ hᵢ/2 (zᵢ − xᵢ)² + w ‖z‖.
///
/// Where it is not zero, hᵢ (zᵢ − xᵢ) + w zᵢ/s = 0 with s = ‖z‖, so zᵢ = hᵢ xᵢ s/(hᵢ s + w), and s is where
/// φ(s) = Σ (hᵢ xᵢ/(hᵢ s + w))² falls through 1. There is none if φ(0) ≤ 1.
fn shrink_group(weight: f64, group: &[usize], h: &[f64], x: &mut [f64]) {
    let phi =
        |s: f64| group.iter().map(|&i| (h[i] * x[i] / (h[i] * s + weight)).powi(2)).sum::<f64>();
    let mut s = 0.0;
    if phi(0.0) > 1.0 {
        // φ(‖x‖) < 1 always. Halving ends when no number is left between the two.
        let (mut low, mut high) = (0.0, group.iter().map(|&i| x[i] * x[i]).sum::<f64>().sqrt());
        loop {
            s = 0.5 * (low + high);
            if s <= low || s >= high {
                break;
            }
            if phi(s) > 1.0 { low = s } else { high = s }
        }
    }
    for &i in group {
        x[i] *= h[i] * s / (h[i] * s + weight);
    }
}
