//! Numbers and small geometry: everything above this crate is written once over [`Scalar`].
//!
//! - [`Scalar`] is the number an algorithm computes with: `f64`, `f32`, [`Dual`] (forward-mode
//!   derivatives, nestable) or [`Lanes`] (one number of many worlds in a vector register).
//! - [`Vec3`], [`Mat3`], [`Sym3`], [`Quat`] and [`Transform`] are plain structs of scalars.
//! - [`Motion`], [`Force`], [`Inertia`] and [`ArticulatedInertia`] are the spatial algebra.
//! - [`random`] draws numbers that are the same on every machine; [`names`] matches patterns of names and suggests the
//!   name that was meant; [`text`] writes numbers and tables for a terminal.
//!
//! Conventions (angular part first, quaternions w-first, frames in names) are in `NOTATION.md`.

mod carried;
mod dual;
mod elementary;
mod mat3;
pub mod names;
mod quat;
pub mod random;
mod scalar;
mod simd;
mod spatial;
mod sym3;
pub mod text;
mod transform;
mod vec3;

pub use carried::{Carried, Rounds};
pub use dual::Dual;
pub use mat3::Mat3;
pub use quat::Quat;
pub use scalar::Scalar;
pub use simd::{Element, Isa, Kernel, Lanes, Vector, Wide, WidestLanes, run_widest};
pub use spatial::{ArticulatedInertia, Force, Inertia, Motion};
pub use sym3::Sym3;
pub use transform::Transform;
pub use vec3::Vec3;

/// Names of the vectors that [`run_widest`] chooses from, for crates that compile code for each of them. Only a kernel
/// that runs after [`Isa::is_available`] returned true may compute with them.
#[doc(hidden)]
pub mod run_time_vectors {
    #[cfg(target_arch = "x86_64")]
    pub use crate::simd::x86::{F32x8, F32x16, F64x4, F64x8};
}
