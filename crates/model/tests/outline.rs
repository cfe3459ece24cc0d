//! Outlines: convex pieces that fill them, and an error for everything that is none.

use gradbody_model::{Outline, OutlineError};

fn area(corners: impl Iterator<Item = [f64; 2]>) -> f64 {
    let corners: Vec<_> = corners.collect();
    let n = corners.len();
    let pairs = (0..n).map(|i| (corners[i], corners[(i + 1) % n]));
    0.5 * pairs.map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum::<f64>()
}

/// The pieces are convex, counter-clockwise, and have the outline's area.
fn assert_filled(outline: &Outline) {
    let total = area(outline.corners.iter().copied());
    assert!(total > 0.0);
    let mut sum = 0.0;
    for piece in &outline.pieces {
        let at = |i: usize| outline.corners[piece[i % piece.len()] as usize];
        for i in 0..piece.len() {
            let (a, b, c) = (at(i), at(i + 1), at(i + 2));
            let turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
            assert!(turn >= -1e-12, "a piece is not convex");
        }
        sum += area((0..piece.len()).map(at));
    }
    assert!((sum - total).abs() < 1e-9 * total, "{sum} of {total}");
}

#[test]
fn a_convex_outline_is_one_piece_in_either_direction() {
    let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]];
    let there = Outline::new(square.to_vec()).unwrap();
    let back = Outline::new(square.into_iter().rev().collect()).unwrap();
    for outline in [there, back] {
        assert_filled(&outline);
        assert_eq!(outline.pieces.len(), 1);
        assert_eq!(outline.pieces[0].len(), 4);
    }
}

#[test]
fn a_letter_t_is_a_few_pieces() {
    let t = [
        [-0.1, 0.0],
        [-0.1, -0.3],
        [0.1, -0.3],
        [0.1, 0.0],
        [0.4, 0.0],
        [0.4, 0.2],
        [-0.4, 0.2],
        [-0.4, 0.0],
    ];
    let outline = Outline::new(t.to_vec()).unwrap();
    assert_filled(&outline);
    assert!(outline.pieces.len() <= 3, "{:?}", outline.pieces);
    let sides: usize = outline
        .pieces
        .iter()
        .map(|p| (0..p.len()).filter(|&i| outline.is_side(p[i], p[(i + 1) % p.len()])).count())
        .sum();
    assert_eq!(sides, outline.corners.len(), "every side belongs to one piece");
}

#[test]
fn stars_and_combs_are_filled() {
    for n in 3..30 {
        let star = |i: usize| {
            let angle = i as f64 * std::f64::consts::PI / n as f64;
            let radius = if i.is_multiple_of(2) { 1.0 } else { 0.3 };
            [1e-3 * radius * angle.cos() + 5.0, 1e-3 * radius * angle.sin()]
        };
        assert_filled(&Outline::new((0..2 * n).map(star).collect()).unwrap());
        let tooth = |i: usize| [i as f64, if i.is_multiple_of(2) { 1.0 } else { 3.0 }];
        let mut comb: Vec<_> = (0..2 * n).map(tooth).collect();
        comb.extend([[2.0 * n as f64, 0.0], [-1.0, 0.0]]);
        assert_filled(&Outline::new(comb).unwrap());
    }
}

#[test]
fn corners_on_a_line_are_left_out() {
    let corners =
        vec![[0.0, 0.0], [0.5, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.5, 0.5], [0.25, 0.25]];
    let outline = Outline::new(corners).unwrap();
    assert_eq!(outline.corners, [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]);
}

#[test]
fn what_is_no_outline_is_refused() {
    let refused = |corners: &[[f64; 2]]| Outline::new(corners.to_vec()).unwrap_err();
    assert_eq!(refused(&[]), OutlineError::TooFewCorners);
    assert_eq!(refused(&[[0.0, 0.0], [1.0, 0.0]]), OutlineError::TooFewCorners);
    assert_eq!(refused(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), OutlineError::NoArea);
    assert_eq!(refused(&[[1.0, 1.0]; 5]), OutlineError::NoArea);
    assert_eq!(refused(&[[0.0, 0.0], [1.0, f64::NAN], [2.0, 2.0]]), OutlineError::NotFinite);
    let bow = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 2.0]];
    assert!(matches!(refused(&bow), OutlineError::CrossesItself(..)));
    let spike = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 3.0], [1.0, 1.0], [0.0, 1.0]];
    assert!(matches!(refused(&spike), OutlineError::CrossesItself(..)));
    let touching = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 0.0], [0.0, 2.0]];
    assert!(matches!(refused(&touching), OutlineError::CrossesItself(..)));
}
