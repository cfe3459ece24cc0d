//! Scalars that steps run on, and where the step is compiled for them.
//!
//! A generic function is compiled in every crate that calls it. A step is large, so it is compiled once, here, for the
//! scalars that programs use: for these, [`Simulated::step`] and [`Simulated::step_vjp`] are plain functions of this
//! crate. So is what a [`Batch`](crate::Batch) does, for the vectors it uses. Everything above (rollouts, losses) is
//! generic and small. Reasons: docs/decisions/0014-compiled-once.md.

use gradbody_math::{Dual, Isa, Scalar, Wide};
use gradbody_model::Model;

use crate::batch::{BatchCall, Lanes, Make};
use crate::step::{StepReport, step as step_any};
use crate::step_vjp::{StepCotangents, step_vjp as step_vjp_any};
use crate::{BatchError, Input, NoTaps, State, StepOptions, StepScratch, StepTrace, Taps, TapsVjp};

/// A scalar that steps run on. It is implemented for f64, f32, dual numbers and lanes. A scalar type of your own crate
/// needs only an empty `impl`; your crate then compiles the step.
pub trait Simulated: Scalar {
    /// Whether this crate compiles the step for this scalar: see [`for_compiled`].
    #[doc(hidden)]
    const HAS_STEP: bool = false;

    /// Whether it also compiles the adjoint, for more than products with Hessians.
    #[doc(hidden)]
    const HAS_ADJOINT: bool = false;

    /// See [`step`](crate::step()).
    fn step(
        model: &Model<Self>,
        state: &mut State<Self>,
        input: &Input<Self>,
        options: &StepOptions<Self>,
        taps: &mut dyn Taps<Self>,
        trace: &mut StepTrace<Self>,
        scratch: &mut StepScratch<Self>,
    ) -> StepReport {
        run_step(model, state, input, options, taps, trace, scratch)
    }

    /// See [`step_vjp`](crate::step_vjp()).
    fn step_vjp(
        model: &Model<Self>,
        trace: &StepTrace<Self>,
        taps: &mut dyn TapsVjp<Self>,
        scratch: &mut StepScratch<Self>,
        bars: &mut StepCotangents<Self>,
    ) {
        run_step_vjp(model, trace, taps, scratch, bars);
    }

    /// The worlds of a [`Batch`](crate::Batch).
    #[doc(hidden)]
    fn new_batch(make: Make<'_>) -> Box<dyn Lanes> {
        make.run::<Self>()
    }

    /// What a [`Batch`](crate::Batch) does with its worlds.
    #[doc(hidden)]
    fn in_batch(call: BatchCall<'_, Self>) -> Result<(), BatchError> {
        call.run()
    }
}

/// Advances `state` by one time step. Reads `state`, `input`; writes `state`, `trace`.
pub fn step<S: Simulated>(
    model: &Model<S>,
    state: &mut State<S>,
    input: &Input<S>,
    options: &StepOptions<S>,
    taps: &mut dyn Taps<S>,
    trace: &mut StepTrace<S>,
    scratch: &mut StepScratch<S>,
) -> StepReport {
    S::step(model, state, input, options, taps, trace, scratch)
}

/// The adjoint of [`step`]. `model` must be the one given to `step`, and `trace` the one it wrote. Turns `bars.state`,
/// the cotangent of the state after the step, into that of the state before it; adds to the cotangents of input,
/// parameters and time step. The trace holds the choice of contact gradient ([`StepTrace::for_gradient`]).
pub fn step_vjp<S: Simulated>(
    model: &Model<S>,
    trace: &StepTrace<S>,
    taps: &mut dyn TapsVjp<S>,
    scratch: &mut StepScratch<S>,
    bars: &mut StepCotangents<S>,
) {
    S::step_vjp(model, trace, taps, scratch, bars);
}

/// A step without taps is compiled separately; a step with taps calls them through a table, once per stage.
#[inline(always)]
fn run_step<S: Scalar>(
    model: &Model<S>,
    state: &mut State<S>,
    input: &Input<S>,
    options: &StepOptions<S>,
    taps: &mut dyn Taps<S>,
    trace: &mut StepTrace<S>,
    scratch: &mut StepScratch<S>,
) -> StepReport {
    S::vectorised(
        #[inline(always)]
        || match taps.is_idle() {
            true => step_any(model, state, input, options, &mut NoTaps, trace, scratch),
            false => step_any(model, state, input, options, taps, trace, scratch),
        },
    )
}

/// For dual numbers, whose step is long and seldom runs: one version for steps with and without taps.
#[inline(always)]
fn run_step_of_duals<S: Scalar>(
    model: &Model<S>,
    state: &mut State<S>,
    input: &Input<S>,
    options: &StepOptions<S>,
    taps: &mut dyn Taps<S>,
    trace: &mut StepTrace<S>,
    scratch: &mut StepScratch<S>,
) -> StepReport {
    S::vectorised(
        #[inline(always)]
        || step_any(model, state, input, options, taps, trace, scratch),
    )
}

#[inline(always)]
fn run_step_vjp<S: Scalar>(
    model: &Model<S>,
    trace: &StepTrace<S>,
    taps: &mut dyn TapsVjp<S>,
    scratch: &mut StepScratch<S>,
    bars: &mut StepCotangents<S>,
) {
    S::vectorised(
        #[inline(always)]
        || match taps.is_idle() {
            true => step_vjp_any(model, trace, &mut NoTaps, scratch, bars),
            false => step_vjp_any(model, trace, taps, scratch, bars),
        },
    );
}

/// Methods written out are compiled in this crate; provided methods would be compiled by each caller.
macro_rules! step_written_out {
    ($run:ident) => {
        const HAS_STEP: bool = true;

        fn step(
            model: &Model<Self>,
            state: &mut State<Self>,
            input: &Input<Self>,
            options: &StepOptions<Self>,
            taps: &mut dyn Taps<Self>,
            trace: &mut StepTrace<Self>,
            scratch: &mut StepScratch<Self>,
        ) -> StepReport {
            $run(model, state, input, options, taps, trace, scratch)
        }
    };
}

macro_rules! adjoint_written_out {
    () => {
        fn step_vjp(
            model: &Model<Self>,
            trace: &StepTrace<Self>,
            taps: &mut dyn TapsVjp<Self>,
            scratch: &mut StepScratch<Self>,
            bars: &mut StepCotangents<Self>,
        ) {
            run_step_vjp(model, trace, taps, scratch, bars);
        }
    };
}

#[allow(unused_macros, reason = "portable builds have batches of f64, native ones no Hessians")]
macro_rules! compiled_here {
    ($($scalar:ty),* $(,)?) => {$(
        impl Simulated for $scalar {
            const HAS_ADJOINT: bool = true;
            step_written_out!(run_step);
            adjoint_written_out!();
        }
    )*};
}

/// For the vectors of batches.
macro_rules! batches_compiled_here {
    ($($scalar:ty),* $(,)?) => {$(
        impl Simulated for $scalar {
            const HAS_ADJOINT: bool = true;
            step_written_out!(run_step);
            adjoint_written_out!();

            fn new_batch(make: Make<'_>) -> Box<dyn Lanes> {
                make.run::<Self>()
            }

            fn in_batch(call: BatchCall<'_, Self>) -> Result<(), BatchError> {
                call.run()
            }
        }
    )*};
}

/// For products with Hessians, which have no networks: these compile no adjoint for it.
#[allow(unused_macros, reason = "only in portable builds")]
macro_rules! hessians_compiled_here {
    ($scalar:ty) => {
        impl Simulated for $scalar {
            step_written_out!(run_step_of_duals);
            adjoint_written_out!();
        }
    };
}

/// For scalars whose adjoints are seldom needed.
macro_rules! step_compiled_here {
    ($($scalar:ty),* $(,)?) => {$(
        impl Simulated for $scalar {
            step_written_out!(run_step_of_duals);
        }
    )*};
}

macro_rules! compiled_by_callers {
    ($($scalar:ty),* $(,)?) => {$(impl Simulated for $scalar {})*};
}

/// Single precision takes as long to compile as double, and few programs use both: see the feature `f32`.
macro_rules! if_f32 {
    ($compiled_here:ident: $($scalar:ty),* $(,)?) => {
        #[cfg(feature = "f32")]
        $compiled_here!($($scalar),*);
        #[cfg(not(feature = "f32"))]
        compiled_by_callers!($($scalar),*);
    };
}

compiled_by_callers!(Dual<f64, 2>, Dual<f64, 3>, Dual<f64, 4>, Dual<f64, 5>, Dual<f64, 6>);
compiled_by_callers!(Dual<f64, 7>, Dual<f64, 8>, Dual<f64, 9>, Dual<f64, 10>, Dual<f64, 11>);
compiled_by_callers!(Dual<f64, 12>, Dual<f64, 13>, Dual<f64, 14>, Dual<f64, 15>, Dual<f64, 16>);
compiled_by_callers!(Dual<f64, 18>, Dual<f64, 20>, Dual<f64, 24>, Dual<f64, 25>, Dual<f64, 32>);
compiled_by_callers!(Dual<f32, 1>, Dual<f32, 2>, Dual<f32, 3>, Dual<f32, 4>, Dual<f32, 8>);
compiled_by_callers!(Dual<Dual<f64, 1>, 1>);
compiled_by_callers!(Wide<[f64; 2]>, Wide<[f64; 4]>, Wide<[f64; 8]>, Wide<[f64; 16]>);
compiled_by_callers!(Wide<[f32; 4]>, Wide<[f32; 8]>, Wide<[f32; 16]>);

/// A single f32 in a batch, where there are no vectors: compiled for the instructions of the build only.
type Alone32 = Wide<[f32; 1]>;

/// The vectors that [`run_widest`] chooses from.
#[cfg(target_arch = "x86_64")]
mod vectors {
    use gradbody_math::run_time_vectors::{F32x8, F32x16, F64x4, F64x8};

    use super::*;

    pub(super) type Widest64 = Wide<F64x8>;
    pub(super) type Widest32 = Wide<F32x16>;
    pub(super) type Wide64 = Wide<F64x4>;
    pub(super) type Wide32 = Wide<F32x8>;

    compiled_by_callers!(Wide<[F64x4; 2]>, Wide<[F64x4; 4]>, Wide<[F32x8; 2]>, Wide<[F64x8; 2]>);
}

/// A build for machines with 512-bit vectors needs only these.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512dq"))]
mod choice {
    use super::vectors::{Wide32, Wide64, Widest32, Widest64};
    use super::*;

    compiled_here!(f64);
    if_f32!(compiled_here: f32);
    batches_compiled_here!(Widest64);
    if_f32!(batches_compiled_here: Widest32);
    compiled_by_callers!(Alone32);
    step_compiled_here!(Dual<Widest64, 1>);
    compiled_by_callers!(Wide64, Wide32, Dual<Wide64, 1>, Dual<f64, 1>);
    const _: () = assert!(Isa::ALWAYS_AVX512);
}

/// A native build for a machine with 256-bit vectors needs only these.
#[cfg(all(
    native_build,
    target_arch = "x86_64",
    target_feature = "avx2",
    target_feature = "fma",
    not(all(target_feature = "avx512f", target_feature = "avx512dq"))
))]
mod choice {
    use super::vectors::{Wide32, Wide64, Widest32, Widest64};
    use super::*;

    compiled_here!(f64);
    if_f32!(compiled_here: f32);
    batches_compiled_here!(Wide64);
    if_f32!(batches_compiled_here: Wide32);
    compiled_by_callers!(Alone32);
    step_compiled_here!(Dual<Wide64, 1>);
    compiled_by_callers!(Widest64, Widest32, Dual<Widest64, 1>, Dual<f64, 1>);
    const _: () = assert!(Isa::ALWAYS_AVX2);
}

/// Any other build detects the vectors at run time.
#[cfg(not(any(
    all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512dq"),
    all(native_build, target_arch = "x86_64", target_feature = "avx2", target_feature = "fma"),
)))]
mod choice {
    use super::*;

    #[cfg(target_arch = "x86_64")]
    mod for_x86 {
        use super::super::vectors::{Wide32, Wide64, Widest32, Widest64};
        use super::*;

        batches_compiled_here!(Widest64, Wide64);
        if_f32!(batches_compiled_here: Widest32, Wide32);
        step_compiled_here!(Dual<Widest64, 1>, Dual<Wide64, 1>);
    }
    batches_compiled_here!(f64);
    // Batches of f32 on a machine without vectors; elsewhere nobody needs these versions of a single f32.
    if_f32!(batches_compiled_here: Alone32);
    compiled_by_callers!(f32);
    hessians_compiled_here!(Dual<f64, 1>);
    const _: () = assert!(!Isa::ALWAYS_AVX512 && !Isa::ALWAYS_AVX2);
}

/// Something to do for each scalar whose step is compiled here: see [`for_compiled`].
#[doc(hidden)]
pub trait ForCompiled {
    /// For a scalar that also has the adjoint.
    fn with_adjoint<S: Simulated>(&mut self);
    /// For a scalar that has the step alone.
    fn with_step<S: Simulated>(&mut self);
}

/// Visits the scalars for which this crate compiles the step, so that crates with taps can compile these for the same
/// scalars, once.
#[doc(hidden)]
pub fn for_compiled(visitor: &mut impl ForCompiled) {
    macro_rules! visit {
        ($($scalar:ty),*) => {$(
            if <$scalar>::HAS_ADJOINT {
                visitor.with_adjoint::<$scalar>();
            } else if <$scalar>::HAS_STEP {
                visitor.with_step::<$scalar>();
            }
        )*};
    }
    visit!(f64, f32, Alone32, Dual<f64, 1>);
    #[cfg(target_arch = "x86_64")]
    {
        use vectors::{Wide32, Wide64, Widest32, Widest64};
        visit!(Widest64, Widest32, Wide64, Wide32, Dual<Widest64, 1>, Dual<Wide64, 1>);
    }
}

/// As in the crate `math`, for kernels that contain steps.
macro_rules! on_widest {
    ($kernel:expr, $widest:ident, $wide:ident, $alone:ty) => {{
        #[cfg(target_arch = "x86_64")]
        {
            if Isa::ALWAYS_AVX512 {
                return $kernel.run::<vectors::$widest>();
            }
            if Isa::ALWAYS_AVX2 {
                return $kernel.run::<vectors::$wide>();
            }
            if Isa::Avx512.is_available() {
                return $kernel.run::<vectors::$widest>();
            }
            if Isa::Avx2.is_available() {
                return $kernel.run::<vectors::$wide>();
            }
        }
        $kernel.run::<$alone>()
    }};
}

impl Precision for f64 {
    fn run<K: Kernel>(kernel: K) -> K::Output {
        on_widest!(kernel, Widest64, Wide64, f64)
    }
}

impl Precision for f32 {
    fn run<K: Kernel>(kernel: K) -> K::Output {
        on_widest!(kernel, Widest32, Wide32, Alone32)
    }
}

/// Runs `kernel` on dual numbers of the widest f64 vectors that this machine has.
pub fn run_widest_duals<K: DualKernel>(kernel: K) -> K::Output {
    on_widest!(kernel, Widest64, Wide64, f64)
}

/// Work that contains steps and can run on any scalar: see [`run_widest`].
pub trait Kernel {
    /// What the work returns.
    type Output;
    /// Does the work `S::LANES` worlds at a time.
    fn run<S: Simulated>(self) -> Self::Output;
}

/// Work that contains steps and runs on dual numbers of lanes: see [`run_widest_duals`].
pub trait DualKernel {
    /// What the work returns.
    type Output;
    /// Does the work `S::LANES` directions at a time.
    fn run<S: Simulated>(self) -> Self::Output
    where
        Dual<S, 1>: Simulated;
}

/// A floating-point type that vectors exist for: f64 and f32.
pub trait Precision {
    /// See [`run_widest`].
    fn run<K: Kernel>(kernel: K) -> K::Output;
}

/// Runs `kernel` on the widest vectors of `T` (f64 or f32) that this machine has.
pub fn run_widest<T: Precision, K: Kernel>(kernel: K) -> K::Output {
    T::run(kernel)
}
