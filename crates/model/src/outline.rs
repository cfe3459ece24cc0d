//! Planar outlines.

/// A closed polygon in the plane that does not cross itself; it may be concave.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Corners in order, counter-clockwise.
    pub corners: Vec<[f64; 2]>,
    /// Convex pieces that together fill it, each a list of corners counter-clockwise.
    pub pieces: Vec<Vec<u32>>,
}

/// Why corners are not a valid outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutlineError {
    /// A coordinate is infinite or not a number.
    #[error("a corner has a coordinate that is not a finite number")]
    NotFinite,
    /// Fewer than three corners.
    #[error("an outline needs at least 3 corners")]
    TooFewCorners,
    /// The corners lie on one line.
    #[error("the outline has no area")]
    NoArea,
    /// Two sides meet; the numbers are their indices.
    #[error("the outline crosses or touches itself: sides {0} and {1} meet")]
    CrossesItself(usize, usize),
}

/// A corner closer than this to the line between its neighbours is removed, relative to the outline's extent.
const STRAIGHT: f64 = 1e-12;

impl Outline {
    /// The outline with these corners, in either direction. Corners on the line between their neighbours are removed.
    pub fn new(corners: Vec<[f64; 2]>) -> Result<Outline, OutlineError> {
        if corners.iter().flatten().any(|x| !x.is_finite()) {
            return Err(OutlineError::NotFinite);
        }
        if corners.len() < 3 {
            return Err(OutlineError::TooFewCorners);
        }
        let unit = in_unit_box(&corners).ok_or(OutlineError::NoArea)?;
        if area(&unit).abs() <= STRAIGHT {
            return Err(OutlineError::NoArea);
        }
        let mut kept = without_straight_corners(&unit);
        if kept.len() < 3 {
            return Err(OutlineError::NoArea);
        }
        refuse_crossing(&unit, &kept)?;
        if area(&unit) < 0.0 {
            kept.reverse();
        }
        let unit: Vec<[f64; 2]> = kept.iter().map(|i| unit[*i]).collect();
        let pieces = merged(&unit, triangles(&unit));
        Ok(Outline { corners: kept.iter().map(|i| corners[*i]).collect(), pieces })
    }

    /// Whether the side from corner `i` to corner `j` of a piece is a side of the outline, not a cut between two
    /// pieces.
    pub fn is_side(&self, i: u32, j: u32) -> bool {
        (i as usize + 1) % self.corners.len() == j as usize
    }
}

/// Twice the area of a triangle; positive if its corners are counter-clockwise.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn area(corners: &[[f64; 2]]) -> f64 {
    let n = corners.len();
    0.5 * (0..n).map(|i| turn([0.0; 2], corners[i], corners[(i + 1) % n])).sum::<f64>()
}

/// The corners, translated and scaled so that their numbers are near one.
fn in_unit_box(corners: &[[f64; 2]]) -> Option<Vec<[f64; 2]>> {
    let span = |axis: usize| {
        let low = corners.iter().map(|c| c[axis]).fold(f64::INFINITY, f64::min);
        let high = corners.iter().map(|c| c[axis]).fold(f64::NEG_INFINITY, f64::max);
        (0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low)
    };
    let ((x, width), (y, height)) = (span(0), span(1));
    let half = width.max(height);
    (half > 0.0).then(|| corners.iter().map(|c| [(c[0] - x) / half, (c[1] - y) / half]).collect())
}

/// The corners at which the outline turns.
fn without_straight_corners(corners: &[[f64; 2]]) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..corners.len()).collect();
    let mut i = 0;
    let mut since_change = 0;
    while kept.len() >= 3 && since_change < kept.len() {
        let n = kept.len();
        let at = |k: usize| corners[kept[k % n]];
        let (before, here, after) = (at(i + n - 1), at(i), at(i + 1));
        let ahead = (after[0] - here[0]) * (here[0] - before[0])
            + (after[1] - here[1]) * (here[1] - before[1]);
        let same = here == before;
        // A spike that folds back on itself is kept, to be refused later.
        if same || (turn(before, here, after).abs() <= STRAIGHT && ahead >= 0.0) {
            kept.remove(i % n);
            i = if i >= kept.len() { 0 } else { i };
            since_change = 0;
        } else {
            i = (i + 1) % n;
            since_change += 1;
        }
    }
    kept
}

fn refuse_crossing(corners: &[[f64; 2]], kept: &[usize]) -> Result<(), OutlineError> {
    let n = kept.len();
    let side = |i: usize| (corners[kept[i]], corners[kept[(i + 1) % n]]);
    for i in 0..n {
        for j in i + 1..n {
            let ((a, b), (c, d)) = (side(i), side(j));
            let meet = if j == i + 1 {
                folds_back(a, b, d)
            } else if i == 0 && j == n - 1 {
                folds_back(c, d, b)
            } else {
                segments_meet(a, b, c, d)
            };
            if meet {
                return Err(OutlineError::CrossesItself(kept[i], kept[j]));
            }
        }
    }
    Ok(())
}

/// Whether the side b-c lies on the side a-b before it.
fn folds_back(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> bool {
    let ahead = (c[0] - b[0]) * (b[0] - a[0]) + (c[1] - b[1]) * (b[1] - a[1]);
    turn(a, b, c).abs() <= STRAIGHT && ahead < 0.0
}

fn segments_meet(a: [f64; 2], b: [f64; 2], c: [f64; 2], d: [f64; 2]) -> bool {
    let (abc, abd, cda, cdb) = (turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b));
    if abc * abd < 0.0 && cda * cdb < 0.0 {
        return true;
    }
    let between = |p: [f64; 2], q: [f64; 2], r: [f64; 2]| {
        (0..2).all(|k| r[k] >= p[k].min(q[k]) && r[k] <= p[k].max(q[k]))
    };
    (abc == 0.0 && between(a, b, c))
        || (abd == 0.0 && between(a, b, d))
        || (cda == 0.0 && between(c, d, a))
        || (cdb == 0.0 && between(c, d, b))
}

/// Cuts off ears until a triangle is left.
fn triangles(corners: &[[f64; 2]]) -> Vec<Vec<u32>> {
    let mut rest: Vec<u32> = (0..corners.len() as u32).collect();
    let mut pieces = Vec::new();
    while rest.len() > 3 {
        let n = rest.len();
        let ear = (0..n).find(|i| is_ear(corners, &rest, *i));
        // Rounding may hide the last ears: then take the most convex corner.
        let ear = ear.unwrap_or_else(|| {
            let out = |i: &usize| {
                let [a, b, c] = [rest[(i + n - 1) % n], rest[*i], rest[(i + 1) % n]];
                turn(corners[a as usize], corners[b as usize], corners[c as usize])
            };
            (0..n).max_by(|i, j| out(i).total_cmp(&out(j))).unwrap_or(0)
        });
        pieces.push(vec![rest[(ear + n - 1) % n], rest[ear], rest[(ear + 1) % n]]);
        rest.remove(ear);
    }
    pieces.push(rest);
    pieces
}

fn is_ear(corners: &[[f64; 2]], rest: &[u32], i: usize) -> bool {
    let n = rest.len();
    let [a, b, c] = [rest[(i + n - 1) % n], rest[i], rest[(i + 1) % n]];
    let [pa, pb, pc] = [a, b, c].map(|k| corners[k as usize]);
    let empty = rest.iter().filter(|k| ![a, b, c].contains(k)).all(|k| {
        let p = corners[*k as usize];
        turn(pa, pb, p) < 0.0 || turn(pb, pc, p) < 0.0 || turn(pc, pa, p) < 0.0
    });
    turn(pa, pb, pc) > 0.0 && empty
}

/// Joins pieces across cuts as long as the result is convex [Hertel, Mehlhorn 1983].
fn merged(corners: &[[f64; 2]], mut pieces: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let mut first = 0;
    while first < pieces.len() {
        let joined = (first + 1..pieces.len())
            .find_map(|other| Some((other, join(corners, &pieces[first], &pieces[other])?)));
        match joined {
            Some((other, piece)) => {
                pieces[first] = piece;
                pieces.remove(other);
            }
            None => first += 1,
        }
    }
    pieces
}

/// Two pieces with a common side as one, if that is convex.
fn join(corners: &[[f64; 2]], a: &[u32], b: &[u32]) -> Option<Vec<u32>> {
    let (n, m) = (a.len(), b.len());
    for i in 0..n {
        for j in 0..m {
            if (a[i], a[(i + 1) % n]) != (b[(j + 1) % m], b[j]) {
                continue;
            }
            // Around a from the end of the common side to its start, then around b.
            let around_a = (1..=n).map(|k| a[(i + k) % n]);
            let around_b = (2..m).map(|k| b[(j + k) % m]);
            let all: Vec<u32> = around_a.chain(around_b).collect();
            let len = all.len();
            let at = |k: usize| corners[all[k % len] as usize];
            let convex = (0..len).all(|k| turn(at(k), at(k + 1), at(k + 2)) >= 0.0);
            return convex.then_some(all);
        }
    }
    None
}
