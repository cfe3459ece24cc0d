//! Arrow-shaped matrices against dense ones.

use gradbody_math::random::Random;
use gradbody_optimise::{Arrow, Block};
use nalgebra::{DMatrix, DVector};

/// The Gauss-Newton matrix of random residuals, each on a block, maybe the next, and the globals.
fn random_arrow(random: &mut Random) -> Arrow {
    let n_global = random.below(5);
    let sizes: Vec<usize> = (0..random.below(6)).map(|_| 1 + random.below(4)).collect();
    let matrix = |rows: usize, columns: usize, random: &mut Random| {
        DMatrix::from_fn(rows, columns, |_, _| random.normal())
    };
    let j = matrix(n_global + 2, n_global, random);
    let mut arrow = Arrow::from_dense(j.transpose() * j);
    for &n in &sizes {
        let (j, j_global) = (matrix(n + 2, n, random), matrix(n + 2, n_global, random));
        arrow.global += j_global.transpose() * &j_global;
        let (own, with_global) = (j.transpose() * &j, j.transpose() * &j_global);
        arrow.blocks.push(Block { own, with_global, with_next: None });
    }
    for i in 1..sizes.len() {
        if random.unit() < 0.6 {
            let (a, b) = (matrix(3, sizes[i - 1], random), matrix(3, sizes[i], random));
            let g = matrix(3, n_global, random);
            arrow.global += g.transpose() * &g;
            arrow.blocks[i - 1].own += a.transpose() * &a;
            arrow.blocks[i - 1].with_global += a.transpose() * &g;
            arrow.blocks[i - 1].with_next = Some(a.transpose() * &b);
            arrow.blocks[i].own += b.transpose() * &b;
            arrow.blocks[i].with_global += b.transpose() * &g;
        }
    }
    arrow
}

/// Many structures: without globals, without blocks, with chains of several lengths.
fn each(mut check: impl FnMut(u64, Arrow, &mut Random)) {
    let (mut chains, mut lone) = (0, 0);
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let arrow = random_arrow(&mut random);
        let linked = arrow.blocks.iter().filter(|b| b.with_next.is_some()).count();
        (chains, lone) = (chains + usize::from(linked > 1), lone + usize::from(linked == 0));
        assert!(arrow.has_shape(arrow.len()), "seed {seed}");
        check(seed, arrow, &mut random);
    }
    assert!(chains > 50 && lone > 50, "{chains} with chains, {lone} without");
}

#[test]
fn a_solution_satisfies_the_dense_equations() {
    each(|seed, arrow, random| {
        let n = arrow.len();
        let damping: Vec<f64> = (0..n).map(|_| random.between(0.01, 1.0)).collect();
        let fixed: Vec<bool> = (0..n).map(|_| random.unit() < 0.2).collect();
        let rhs: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let x = arrow.solve(&damping, &fixed, &rhs).unwrap();
        let left = arrow.dense() * DVector::from_column_slice(&x);
        for i in 0..n {
            let rest = if fixed[i] { x[i] } else { left[i] + damping[i] * x[i] - rhs[i] };
            assert!(rest.abs() < 1e-9, "seed {seed}, row {i}: {rest}");
        }
    });
}

#[test]
fn a_product_is_that_of_the_dense_matrix() {
    each(|seed, arrow, random| {
        let x: Vec<f64> = (0..arrow.len()).map(|_| random.normal()).collect();
        let expected = arrow.dense() * DVector::from_column_slice(&x);
        let diagonal = arrow.dense().diagonal();
        for (i, product) in arrow.multiply(&x).into_iter().enumerate() {
            assert!((product - expected[i]).abs() < 1e-10, "seed {seed}, row {i}");
            assert_eq!(arrow.diagonal()[i], diagonal[i]);
        }
    });
}

#[test]
fn the_covariance_of_the_globals_is_the_corner_of_the_dense_inverse() {
    each(|seed, arrow, _| {
        let n = arrow.global.nrows();
        let inverse = arrow.dense().try_inverse().unwrap();
        let covariance = arrow.global_covariance().unwrap();
        let spectrum = arrow.global_spectrum().unwrap();
        let information = arrow.global_information().unwrap();
        for i in 0..n {
            for j in 0..n {
                let error = (covariance[(i, j)] - inverse[(i, j)]).abs();
                assert!(error < 1e-8 * (1.0 + inverse[(i, i)].abs()), "seed {seed}: {error}");
            }
            let direction = DVector::from_column_slice(&spectrum.directions[i]);
            let rest = &information * &direction - spectrum.values[i] * &direction;
            assert!(
                rest.norm() < 1e-9 * information.norm() && (direction.norm() - 1.0).abs() < 1e-12
            );
            assert!(i == 0 || spectrum.values[i - 1] <= spectrum.values[i]);
        }
    });
}

/// Two globals of which only the sum matters: no covariance, and a spectrum that names the difference.
#[test]
fn what_the_data_do_not_tell_has_no_covariance() {
    let arrow = Arrow::from_dense(DMatrix::from_element(2, 2, 1.0));
    assert_eq!(arrow.global_covariance(), None);
    assert_eq!(arrow.solve(&[0.0; 2], &[false; 2], &[1.0, 0.0]), None);
    let spectrum = arrow.global_spectrum().unwrap();
    assert!(spectrum.values[0].abs() < 1e-15 && (spectrum.values[1] - 2.0).abs() < 1e-12);
    let [a, b] = spectrum.directions[0][..] else { panic!() };
    assert!((a + b).abs() < 1e-12 && (a.abs() - 0.5_f64.sqrt()).abs() < 1e-12);
}

/// Numbers of a block that no residual depends on, alone or in a combination, take nothing from what is known of the
/// globals.
#[test]
fn a_block_that_is_partly_unseen_leaves_the_information_on_the_globals() {
    let mut random = Random::new(3);
    let mut matrix =
        |rows: usize, columns: usize| DMatrix::from_fn(rows, columns, |_, _| random.normal());
    let (j, j_global) = (matrix(9, 2), matrix(9, 3));
    let seen = |by_block: &DMatrix<f64>| Arrow {
        global: j_global.tr_mul(&j_global),
        blocks: vec![Block {
            own: by_block.tr_mul(by_block),
            with_global: by_block.tr_mul(&j_global),
            with_next: None,
        }],
    };
    let expected = seen(&j).global_information().unwrap();
    // The third number of the block is never seen, and only the sum of the first and the fourth is, times 1e4.
    let mut more = DMatrix::zeros(9, 4);
    more.columns_mut(0, 2).copy_from(&j);
    more.set_column(3, &(j.column(0) * 1e4));
    let found = seen(&more).global_information().unwrap();
    assert!((&found - &expected).norm() < 1e-6 * expected.norm(), "{found} for {expected}");
}
