//! [`Vector`] for the 256- and 512-bit registers of x86-64.
//!
//! This and `dispatch.rs` have the only unsafe code of the engine (docs/decisions/0002-lanes.md). An intrinsic may
//! run only on a machine that has its instruction. `Vector` is sealed, and values of these types exist in two ways
//! only: as the backing of `Lanes`, chosen where the build itself requires the instructions; or as the scalar of a
//! kernel that `run_widest` (here or in the crate `sim`) runs after finding the instructions at run time.
//! `run_time_vectors` names them for that second purpose only.
#![allow(unsafe_code)]
#![allow(unreachable_pub)] // reached where a build's `Lanes` are made of these, and not elsewhere

use core::arch::x86_64::*;
use core::mem::transmute;

use super::{Isa, Vector};

/// Four f64 in a 256-bit register (AVX2 and FMA).
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct F64x4(__m256d);
/// Eight f64 in a 512-bit register (AVX-512 F and DQ).
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct F64x8(__m512d);
/// Eight f32 in a 256-bit register (AVX2 and FMA).
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct F32x8(__m256);
/// Sixteen f32 in a 512-bit register (AVX-512 F and DQ).
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct F32x16(__m512);

macro_rules! x86_vector {
    (
        $vector:ty, $real:ident, $len:literal, $isa:expr, $mantissa_bits:literal, $bias:literal,
        splat: $splat:ident, add: $add:ident, sub: $sub:ident, mul: $mul:ident, div: $div:ident,
        fmadd: $fmadd:ident, fnmadd: $fnmadd:ident, sqrt: $sqrt:ident, round: $round:ident,
        and: $and:ident, andnot: $andnot:ident, or: $or:ident, xor: $xor:ident,
        blend: |$cmp:ident, $a:ident, $b:ident, $yes:ident, $no:ident| $blend:expr,
        any: $any:expr,
        lt: $lt:expr, le: $le:expr,
        to_int: $to_int:ident, to_real: $to_real:ident,
        shift_left: $shift_left:ident, shift_right: $shift_right:ident
    ) => {
        impl super::vector::Sealed for $vector {}

        impl Vector for $vector {
            const LEN: usize = $len;
            const ISA: Isa = $isa;
            // SAFETY: a vector register and an array of its lanes have the same layout.
            const ZERO: Self = unsafe { transmute([0.0 as $real; $len]) };
            // SAFETY: as above.
            const ONE: Self = unsafe { transmute([1.0 as $real; $len]) };
            const EPSILON: f64 = $real::EPSILON as f64;

            #[inline(always)]
            fn splat(x: f64) -> Self {
                // SAFETY (here and below): the head of this module explains why the instructions exist.
                Self(unsafe { $splat(x as $real) })
            }
            #[inline(always)]
            fn get(self, i: usize) -> f64 {
                // SAFETY: same layout.
                let lanes: [$real; $len] = unsafe { transmute(self) };
                f64::from(lanes[i])
            }
            #[inline(always)]
            fn from_fn(mut f: impl FnMut(usize) -> f64) -> Self {
                let lanes: [$real; $len] = core::array::from_fn(|i| f(i) as $real);
                // SAFETY: same layout.
                unsafe { transmute(lanes) }
            }
            #[inline(always)]
            fn add(a: Self, b: Self) -> Self {
                Self(unsafe { $add(a.0, b.0) })
            }
            #[inline(always)]
            fn sub(a: Self, b: Self) -> Self {
                Self(unsafe { $sub(a.0, b.0) })
            }
            #[inline(always)]
            fn mul(a: Self, b: Self) -> Self {
                Self(unsafe { $mul(a.0, b.0) })
            }
            #[inline(always)]
            fn div(a: Self, b: Self) -> Self {
                Self(unsafe { $div(a.0, b.0) })
            }
            #[inline(always)]
            fn neg(a: Self) -> Self {
                Self(unsafe { $xor(a.0, $splat(-0.0)) })
            }
            #[inline(always)]
            fn mul_add(a: Self, b: Self, c: Self) -> Self {
                Self(unsafe { $fmadd(a.0, b.0, c.0) })
            }
            #[inline(always)]
            fn neg_mul_add(a: Self, b: Self, c: Self) -> Self {
                Self(unsafe { $fnmadd(a.0, b.0, c.0) })
            }
            #[inline(always)]
            fn abs(a: Self) -> Self {
                Self(unsafe { $andnot($splat(-0.0), a.0) })
            }
            #[inline(always)]
            fn sqrt(a: Self) -> Self {
                Self(unsafe { $sqrt(a.0) })
            }
            #[inline(always)]
            fn round(a: Self) -> Self {
                Self(unsafe { $round::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a.0) })
            }
            #[inline(always)]
            fn select_lt($a: Self, $b: Self, $yes: Self, $no: Self) -> Self {
                const $cmp: i32 = $lt;
                let ($a, $b, $yes, $no) = ($a.0, $b.0, $yes.0, $no.0);
                Self(unsafe { $blend })
            }
            #[inline(always)]
            fn select_le($a: Self, $b: Self, $yes: Self, $no: Self) -> Self {
                const $cmp: i32 = $le;
                let ($a, $b, $yes, $no) = ($a.0, $b.0, $yes.0, $no.0);
                Self(unsafe { $blend })
            }
            #[inline(always)]
            fn any_lt($a: Self, $b: Self) -> bool {
                const $cmp: i32 = $lt;
                let ($a, $b) = ($a.0, $b.0);
                unsafe { $any != 0 }
            }
            #[inline(always)]
            fn any_ne($a: Self, $b: Self) -> bool {
                const $cmp: i32 = _CMP_NEQ_UQ;
                let ($a, $b) = ($a.0, $b.0);
                unsafe { $any != 0 }
            }
            #[inline(always)]
            fn copysign(a: Self, sign: Self) -> Self {
                Self(unsafe {
                    let sign_bit = $splat(-0.0);
                    $or($andnot(sign_bit, a.0), $and(sign_bit, sign.0))
                })
            }
            #[inline(always)]
            fn exp2_int(n: Self) -> Self {
                // As for a single float: n + 1.5·2^m + bias has n + bias in its lowest bits.
                const MAGIC: $real = 1.5 * (1_u64 << $mantissa_bits) as $real + $bias;
                Self(unsafe {
                    $to_real($shift_left::<$mantissa_bits>($to_int($add(n.0, $splat(MAGIC)))))
                })
            }
            #[inline(always)]
            fn split_exponent(a: Self) -> (Self, Self) {
                // An integer e below 2^m, or-ed into the bits of 2^m, is the float 2^m + e.
                const TWO_M: $real = (1_u64 << $mantissa_bits) as $real;
                let exponent_bits: $real = $real::from_bits(!0 << $mantissa_bits);
                unsafe {
                    let shifted = $to_real($shift_right::<$mantissa_bits>($to_int(a.0)));
                    let exponent = $sub($or(shifted, $splat(TWO_M)), $splat(TWO_M + $bias));
                    let mantissa = $or($andnot($splat(exponent_bits), a.0), $splat(1.0));
                    (Self(mantissa), Self(exponent))
                }
            }
        }
    };
}

x86_vector!(
    F64x4, f64, 4, Isa::Avx2, 52, 1023.0,
    splat: _mm256_set1_pd, add: _mm256_add_pd, sub: _mm256_sub_pd, mul: _mm256_mul_pd,
    div: _mm256_div_pd, fmadd: _mm256_fmadd_pd, fnmadd: _mm256_fnmadd_pd, sqrt: _mm256_sqrt_pd,
    round: _mm256_round_pd, and: _mm256_and_pd, andnot: _mm256_andnot_pd, or: _mm256_or_pd,
    xor: _mm256_xor_pd,
    blend: |CMP, a, b, yes, no| _mm256_blendv_pd(no, yes, _mm256_cmp_pd::<CMP>(a, b)),
    any: _mm256_movemask_pd(_mm256_cmp_pd::<CMP>(a, b)),
    lt: _CMP_LT_OQ, le: _CMP_LE_OQ,
    to_int: _mm256_castpd_si256, to_real: _mm256_castsi256_pd,
    shift_left: _mm256_slli_epi64, shift_right: _mm256_srli_epi64
);
x86_vector!(
    F32x8, f32, 8, Isa::Avx2, 23, 127.0,
    splat: _mm256_set1_ps, add: _mm256_add_ps, sub: _mm256_sub_ps, mul: _mm256_mul_ps,
    div: _mm256_div_ps, fmadd: _mm256_fmadd_ps, fnmadd: _mm256_fnmadd_ps, sqrt: _mm256_sqrt_ps,
    round: _mm256_round_ps, and: _mm256_and_ps, andnot: _mm256_andnot_ps, or: _mm256_or_ps,
    xor: _mm256_xor_ps,
    blend: |CMP, a, b, yes, no| _mm256_blendv_ps(no, yes, _mm256_cmp_ps::<CMP>(a, b)),
    any: _mm256_movemask_ps(_mm256_cmp_ps::<CMP>(a, b)),
    lt: _CMP_LT_OQ, le: _CMP_LE_OQ,
    to_int: _mm256_castps_si256, to_real: _mm256_castsi256_ps,
    shift_left: _mm256_slli_epi32, shift_right: _mm256_srli_epi32
);
x86_vector!(
    F64x8, f64, 8, Isa::Avx512, 52, 1023.0,
    splat: _mm512_set1_pd, add: _mm512_add_pd, sub: _mm512_sub_pd, mul: _mm512_mul_pd,
    div: _mm512_div_pd, fmadd: _mm512_fmadd_pd, fnmadd: _mm512_fnmadd_pd, sqrt: _mm512_sqrt_pd,
    round: _mm512_roundscale_pd, and: _mm512_and_pd, andnot: _mm512_andnot_pd, or: _mm512_or_pd,
    xor: _mm512_xor_pd,
    blend: |CMP, a, b, yes, no| {
        _mm512_mask_blend_pd(_mm512_cmp_pd_mask::<CMP>(a, b), no, yes)
    },
    any: _mm512_cmp_pd_mask::<CMP>(a, b),
    lt: _CMP_LT_OQ, le: _CMP_LE_OQ,
    to_int: _mm512_castpd_si512, to_real: _mm512_castsi512_pd,
    shift_left: _mm512_slli_epi64, shift_right: _mm512_srli_epi64
);
x86_vector!(
    F32x16, f32, 16, Isa::Avx512, 23, 127.0,
    splat: _mm512_set1_ps, add: _mm512_add_ps, sub: _mm512_sub_ps, mul: _mm512_mul_ps,
    div: _mm512_div_ps, fmadd: _mm512_fmadd_ps, fnmadd: _mm512_fnmadd_ps, sqrt: _mm512_sqrt_ps,
    round: _mm512_roundscale_ps, and: _mm512_and_ps, andnot: _mm512_andnot_ps, or: _mm512_or_ps,
    xor: _mm512_xor_ps,
    blend: |CMP, a, b, yes, no| {
        _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<CMP>(a, b), no, yes)
    },
    any: _mm512_cmp_ps_mask::<CMP>(a, b),
    lt: _CMP_LT_OQ, le: _CMP_LE_OQ,
    to_int: _mm512_castps_si512, to_real: _mm512_castsi512_ps,
    shift_left: _mm512_slli_epi32, shift_right: _mm512_srli_epi32
);
