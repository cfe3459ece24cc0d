//! The initial places of the boxes of a heap, as plain numbers, so that peers get exactly the same.
//!
//! This file is also compiled into `benches/peers/rapier`, so it must not use gradbody.

/// Time step [s], coefficient of friction, density [kg/m³].
pub(crate) const DT: f64 = 0.002;
pub(crate) const FRICTION: f64 = 0.5;
pub(crate) const DENSITY: f64 = 500.0;
/// Steps from the start until the heap is measured: 6 s.
pub(crate) const SETTLE: usize = 3000;

/// Spacing of the boxes at the start, at least their diagonal [m].
const SPACING: f64 = 0.38;

/// One box.
pub(crate) struct FallingBox {
    /// Half lengths [m].
    pub(crate) half: [f64; 3],
    /// Centre at the start [m].
    pub(crate) position: [f64; 3],
    /// Orientation at the start, a unit quaternion (w, x, y, z).
    pub(crate) rotation: [f64; 4],
}

/// Boxes above a square pit with vertical walls.
pub(crate) struct Heap {
    /// Walls are at ± this in x and y [m]; the floor is at z = 0.
    pub(crate) half_width: f64,
    pub(crate) boxes: Vec<FallingBox>,
}

impl Heap {
    /// n boxes of about 0.2 m in a loose grid two to three times as high as wide, each with a random orientation.
    pub(crate) fn new(n: usize) -> Self {
        let side = ((n as f64).cbrt() * 0.9).round().max(1.0) as usize;
        let half_width = 0.5 * SPACING * side as f64;
        let mut uniform = uniform_numbers();
        let mut between = |from: f64, to: f64| from + (to - from) * uniform();
        let boxes = (0..n).map(|i| {
            let place = |k: usize| SPACING * (k as f64 + 0.5);
            let (x, y, z) = (place(i % side), place(i / side % side), place(i / (side * side)));
            let [a, b, c, d] = [(); 4].map(|()| between(-1.0, 1.0));
            let norm = (a * a + b * b + c * c + d * d).sqrt();
            FallingBox {
                half: [(); 3].map(|()| between(0.085, 0.105)),
                position: [x - half_width, y - half_width, z],
                rotation: [a / norm, b / norm, c / norm, d / norm],
            }
        });
        Heap { half_width, boxes: boxes.collect() }
    }
}

/// Reproducible numbers from 0 to 1 [Knuth's MMIX generator]. This is not `gradbody::math::random`: this file must not
/// use gradbody, and earlier measurements of peers had these boxes.
pub(crate) fn uniform_numbers() -> impl FnMut() -> f64 {
    let mut seed = 7_u64;
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    }
}
