//! The vectors that steps are tested on: those that `gradbody-sim` has compiled the step for. A step on other widths would
//! be compiled again here, which takes longer than all tests. That every width has the same arithmetic is tested in
//! `crates/math/tests/same_bits.rs`.

use gradbody::math::Lanes;

/// The widest f64 vectors of this build.
#[cfg(target_feature = "avx512f")]
pub(crate) type Lanes64 = Lanes<f64, 8>;
/// The widest f32 vectors of this build.
#[cfg(target_feature = "avx512f")]
pub(crate) type Lanes32 = Lanes<f32, 16>;

/// The widest f64 vectors of this build.
#[cfg(not(target_feature = "avx512f"))]
pub(crate) type Lanes64 = Lanes<f64, 4>;
/// The widest f32 vectors of this build.
#[cfg(not(target_feature = "avx512f"))]
pub(crate) type Lanes32 = Lanes<f32, 8>;
