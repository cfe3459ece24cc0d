//! Proximal steps for nonsmooth penalties, which give exact zeros.

use nalgebra::{Cholesky, DMatrix, DVector};

use super::Penalty;

/// Minimises Σ hᵢ/2 (zᵢ − xᵢ)² + penalties(z) over z, and writes z to `x`. h is positive.
///
/// For each number, the penalties on it alone come first and then that on its group; together they give the exact
/// minimum, since groups contain the groups of one.
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
/// Where z is not zero, hᵢ (zᵢ − xᵢ) + w zᵢ/s = 0 with s = ‖z‖, so zᵢ = hᵢ xᵢ s/(hᵢ s + w), and s is the point where
/// φ(s) = Σ (hᵢ xᵢ/(hᵢ s + w))² falls through 1. There is none if φ(0) ≤ 1.
fn shrink_group(weight: f64, group: &[usize], h: &[f64], x: &mut [f64]) {
    let phi =
        |s: f64| group.iter().map(|&i| (h[i] * x[i] / (h[i] * s + weight)).powi(2)).sum::<f64>();
    let mut s = 0.0;
    if phi(0.0) > 1.0 {
        // φ(‖x‖) < 1 always. Bisection ends when no number is left between the two.
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

/// Minimises ½ pᵀSp − rᵀp + penalties(x + p) over p, with `fixed` numbers held: their rows of S are those of the
/// identity. Returns `None` if S is not positive definite over the numbers without penalty.
///
/// Numbers without penalty are eliminated, since they may be nearly redundant with penalised ones (a damping, and a
/// network that reads the velocity). The others follow group by group, with the rest held: a descent step with a
/// curvature h ≥ ‖S_gg‖, then the proximal step of the penalty, until nothing changes.
pub(super) fn penalised_minimum(
    s: &DMatrix<f64>,
    r: &DVector<f64>,
    penalties: &[Penalty],
    fixed: &[bool],
    x: &[f64],
) -> Option<DVector<f64>> {
    let mut blocks = separate(penalties, r.len());
    blocks.iter_mut().for_each(|block| block.members.retain(|&(i, _)| !fixed[i]));
    blocks.retain(|block| !block.members.is_empty());
    if blocks.is_empty() {
        return Some(Cholesky::new(s.clone())?.solve(r));
    }
    let mut penalised = vec![false; r.len()];
    blocks.iter().flat_map(|b| &b.members).for_each(|&(i, _)| penalised[i] = true);
    let smooth: Vec<usize> = (0..r.len()).filter(|&i| !penalised[i]).collect();
    let sharp: Vec<usize> = (0..r.len()).filter(|&i| penalised[i]).collect();
    let part = |rows: &[usize], columns: &[usize]| {
        DMatrix::from_fn(rows.len(), columns.len(), |i, j| s[(rows[i], columns[j])])
    };
    let rows = |of: &[usize]| DVector::from_fn(of.len(), |i, _| r[of[i]]);

    // p_smooth = A⁻¹ (r_smooth − B p_sharp).
    let (b, r_smooth) = (part(&smooth, &sharp), rows(&smooth));
    let a = Cholesky::new(part(&smooth, &smooth))?;
    let left = part(&sharp, &sharp) - b.tr_mul(&a.solve(&b));
    let wanted = rows(&sharp) - b.tr_mul(&a.solve(&r_smooth));
    let mut place = vec![0; r.len()];
    sharp.iter().enumerate().for_each(|(k, &i)| place[i] = k);
    let at: Vec<f64> = sharp.iter().map(|&i| x[i]).collect();
    let p_sharp = by_groups(&left, &wanted, &blocks, &place, &at);
    let p_smooth = a.solve(&(r_smooth - b * &p_sharp));

    let mut p = DVector::zeros(r.len());
    smooth.iter().zip(p_smooth.iter()).for_each(|(&i, value)| p[i] = *value);
    sharp.iter().zip(p_sharp.iter()).for_each(|(&i, value)| p[i] = *value);
    Some(p)
}

/// Numbers that share a penalty.
struct Bound {
    /// Each number with the weight of the penalties on it alone.
    members: Vec<(usize, f64)>,
    /// The weight of the penalty on all of them.
    weight: f64,
}

/// The penalties grouped by numbers: every number is in at most one of these.
fn separate(penalties: &[Penalty], n: usize) -> Vec<Bound> {
    let mut alone: Vec<Option<f64>> = vec![None; n];
    let groups = || penalties.iter().flat_map(|p| p.groups.iter().map(|group| (p.weight, group)));
    for (weight, group) in groups().filter(|(weight, group)| *weight > 0.0 && group.len() == 1) {
        *alone[group[0]].get_or_insert(0.0) += weight;
    }
    let mut blocks: Vec<Bound> = Vec::new();
    for (weight, group) in groups().filter(|(weight, group)| *weight > 0.0 && group.len() > 1) {
        let members = group.iter().map(|&i| (i, alone[i].take().unwrap_or(0.0))).collect();
        blocks.push(Bound { members, weight });
    }
    let single = |(i, weight): (usize, Option<f64>)| {
        weight.map(|weight| Bound { members: vec![(i, weight)], weight: 0.0 })
    };
    blocks.extend(alone.into_iter().enumerate().filter_map(single));
    blocks
}

/// Maximum number of sweeps over the groups.
const MOST_SWEEPS: usize = 2000;
/// Relative change, of the largest number, that counts as none.
const SETTLED: f64 = 1e-10;

fn by_groups(
    s: &DMatrix<f64>,
    r: &DVector<f64>,
    blocks: &[Bound],
    place: &[usize],
    x: &[f64],
) -> DVector<f64> {
    // The largest row sum of a group's own block is an upper bound of its norm.
    let curvature = |block: &Bound| {
        let sum = |&(i, _): &(usize, f64)| {
            block.members.iter().map(|&(j, _)| s[(place[i], place[j])].abs()).sum::<f64>()
        };
        block.members.iter().map(sum).fold(f64::MIN_POSITIVE, f64::max)
    };
    let curvatures: Vec<f64> = blocks.iter().map(curvature).collect();
    let mut p = DVector::zeros(r.len());
    for _ in 0..MOST_SWEEPS {
        let mut moved = 0.0_f64;
        for (Bound { members, weight }, h) in blocks.iter().zip(&curvatures) {
            let mut z: Vec<f64> = Vec::with_capacity(members.len());
            for &(i, alone) in members {
                let k = place[i];
                let slope = s.column(k).dot(&p) - r[k];
                let to = x[k] + p[k] - slope / h;
                z.push(to.signum() * (to.abs() - alone / h).max(0.0));
            }
            let length = z.iter().map(|z| z * z).sum::<f64>().sqrt();
            let shrink = (1.0 - weight / (h * length)).max(0.0);
            for (&(i, _), z) in members.iter().zip(&z) {
                // A group of zeros has no length to divide by.
                let to = if length > 0.0 { z * shrink } else { 0.0 } - x[place[i]];
                moved = moved.max((to - p[place[i]]).abs());
                p[place[i]] = to;
            }
        }
        if moved
            <= SETTLED
                * x.iter()
                    .zip(p.iter())
                    .fold(0.0, |m, (x, p)| f64::max(m, (x + p).abs().max(p.abs())))
        {
            break;
        }
    }
    p
}
