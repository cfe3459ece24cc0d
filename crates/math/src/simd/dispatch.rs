//! Choosing instructions: at compile time in a native build, at run time in a portable one.
//!
//! Rust compiles a function for fixed instructions. A function marked with wider ones (`#[target_feature]`) passes them
//! on to everything inlined into it. So a stage that is `#[inline(always)]` throughout and called through [`enter`] is
//! compiled for them entirely.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::sync::atomic::{AtomicU8, Ordering};

use super::Vector;
use crate::Scalar;

/// The instructions that a vector type uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// Plain floats; fused multiply-add where the machine has it.
    Float,
    /// Plain floats with the instructions of the build, for a machine that has no others.
    Build,
    /// 256-bit registers with fused multiply-add.
    Avx2,
    /// 512-bit registers.
    Avx512,
}

/// True if the build itself may use the instructions, so that no run-time test is needed.
const BUILT_WITH_FMA: bool =
    cfg!(all(target_feature = "avx2", target_feature = "fma")) || cfg!(not(target_arch = "x86_64"));
const BUILT_WITH_AVX512: bool =
    BUILT_WITH_FMA && cfg!(all(target_feature = "avx512f", target_feature = "avx512dq"));

impl Isa {
    /// True if the build decides that everything runs on 512-bit vectors.
    ///
    /// Test it, and then [`ALWAYS_AVX2`](Isa::ALWAYS_AVX2), by a plain `if`: on a constant `bool` rustc leaves the
    /// other branch, and with it kernels for other vectors, uncompiled. It does not do so for a `match`.
    pub const ALWAYS_AVX512: bool = BUILT_WITH_AVX512;

    /// True if the build decides that everything runs on 256-bit vectors: it is for this machine (`native_build`, set
    /// in `.cargo/config.toml`), which has nothing wider.
    pub const ALWAYS_AVX2: bool =
        cfg!(all(native_build, target_arch = "x86_64")) && BUILT_WITH_FMA && !BUILT_WITH_AVX512;

    /// True if this machine has the instructions.
    #[inline(always)]
    pub fn is_available(self) -> bool {
        match self {
            Isa::Float | Isa::Build => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => BUILT_WITH_FMA || widest() >= AVX2,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => BUILT_WITH_AVX512 || widest() >= AVX512,
            #[cfg(not(target_arch = "x86_64"))]
            Isa::Avx2 | Isa::Avx512 => false,
        }
    }
}

/// What [`widest`] answers; each has the instructions of those before.
#[cfg(target_arch = "x86_64")]
const FLOAT: u8 = 1;
#[cfg(target_arch = "x86_64")]
const AVX2: u8 = 2;
#[cfg(target_arch = "x86_64")]
const AVX512: u8 = 3;

/// The widest instructions of this machine, or 0 until they are asked for. A step enters its stages hundreds of times,
/// and the standard library would look up each feature by itself.
#[cfg(target_arch = "x86_64")]
static WIDEST: AtomicU8 = AtomicU8::new(0);

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn widest() -> u8 {
    match WIDEST.load(Ordering::Relaxed) {
        0 => find_widest(),
        found => found,
    }
}

/// Every feature that [`with_avx2`] or [`with_avx512`] names is tested here.
#[cfg(target_arch = "x86_64")]
#[cold]
fn find_widest() -> u8 {
    macro_rules! has {
        ($($feature:tt)*) => { true $(&& std::is_x86_feature_detected!($feature))* };
    }
    let found = if !has!("avx2" "fma" "bmi1" "bmi2" "lzcnt" "popcnt") {
        FLOAT
    } else if !has!("avx512f" "avx512dq" "avx512vl" "avx512bw") {
        AVX2
    } else {
        AVX512
    };
    WIDEST.store(found, Ordering::Relaxed);
    found
}

/// Runs `stage` compiled for the instructions of `V`; for floats, for the widest of this machine.
#[inline(always)]
pub(super) fn enter<V: Vector, R>(stage: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if Beyond::<V>::FMA {
        let widest = widest();
        if widest == AVX512 {
            // SAFETY: tested just above.
            return unsafe { with_avx512(stage) };
        }
        if widest == AVX2 {
            // SAFETY: tested just above.
            return unsafe { with_avx2(stage) };
        }
        return stage();
    }
    enter_if_needed::<V, R>(stage)
}

/// As [`enter`], but for floats at most with registers of 256 bits.
#[inline(always)]
pub(super) fn enter_up_to_avx2<V: Vector, R>(stage: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if Beyond::<V>::FMA {
        if widest() >= AVX2 {
            // SAFETY: tested just above.
            return unsafe { with_avx2(stage) };
        }
        return stage();
    }
    enter_if_needed::<V, R>(stage)
}

/// Runs `code` compiled for the instructions that `V` needs; for floats, for those of the build.
#[inline(always)]
pub(super) fn enter_if_needed<V: Vector, R>(code: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    {
        if Beyond::<V>::AVX512 {
            // SAFETY: code on a vector type runs only where its instructions were found (x86.rs).
            return unsafe { with_avx512(code) };
        }
        if Beyond::<V>::AVX2 {
            // SAFETY: the same.
            return unsafe { with_avx2(code) };
        }
    }
    code()
}

/// Which instructions a vector uses that the build itself may not. Constants: see [`Isa::ALWAYS_AVX512`].
#[cfg(target_arch = "x86_64")]
struct Beyond<V>(V);

#[cfg(target_arch = "x86_64")]
impl<V: Vector> Beyond<V> {
    const AVX512: bool = matches!(V::ISA, Isa::Avx512) && !BUILT_WITH_AVX512;
    const AVX2: bool = matches!(V::ISA, Isa::Avx2) && !BUILT_WITH_FMA;
    const FMA: bool = matches!(V::ISA, Isa::Float) && !BUILT_WITH_FMA;
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx2<R>(stage: impl FnOnce() -> R) -> R {
    stage()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512dq,avx512vl,avx512bw")]
fn with_avx512<R>(stage: impl FnOnce() -> R) -> R {
    stage()
}

/// Work that can run on any scalar: a batch entry point implements this and calls [`run_widest`].
pub trait Kernel {
    /// What the work returns.
    type Output;
    /// Does the work `S::LANES` worlds at a time. Mark it `#[inline(always)]`.
    fn run<S: Scalar>(self) -> Self::Output;
}

/// Runs `kernel` on the widest vectors of `T` (f64 or f32) that this machine has.
#[inline(always)]
pub fn run_widest<T: WidestLanes, K: Kernel>(kernel: K) -> K::Output {
    T::run(kernel)
}

/// A floating-point type that vectors exist for.
pub trait WidestLanes {
    /// See [`run_widest`].
    fn run<K: Kernel>(kernel: K) -> K::Output;
}

macro_rules! widest_lanes {
    ($real:ty, $wide512:ident, $wide256:ident) => {
        impl WidestLanes for $real {
            #[inline(always)]
            fn run<K: Kernel>(kernel: K) -> K::Output {
                #[cfg(target_arch = "x86_64")]
                {
                    use super::{Wide, x86};
                    if Isa::ALWAYS_AVX512 {
                        return kernel.run::<Wide<x86::$wide512>>();
                    }
                    if Isa::ALWAYS_AVX2 {
                        return kernel.run::<Wide<x86::$wide256>>();
                    }
                    if Isa::Avx512.is_available() {
                        return kernel.run::<Wide<x86::$wide512>>();
                    }
                    if Isa::Avx2.is_available() {
                        return kernel.run::<Wide<x86::$wide256>>();
                    }
                }
                kernel.run::<$real>()
            }
        }
    };
}
widest_lanes!(f64, F64x8, F64x4);
widest_lanes!(f32, F32x16, F32x8);
