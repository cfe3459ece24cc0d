//! placeholder
use crate::simd::Vector;
pub(crate) fn sin_cos<V: Vector>(x: V) -> (V, V) { (V::from_fn(|i| x.get(i).sin()), V::from_fn(|i| x.get(i).cos())) }
pub(crate) fn atan2<V: Vector>(y: V, x: V) -> V { V::from_fn(|i| y.get(i).atan2(x.get(i))) }
pub(crate) fn exp<V: Vector>(x: V) -> V { V::from_fn(|i| x.get(i).exp()) }
pub(crate) fn ln<V: Vector>(x: V) -> V { V::from_fn(|i| x.get(i).ln()) }
pub(crate) fn tanh<V: Vector>(x: V) -> V { V::from_fn(|i| x.get(i).tanh()) }
pub(crate) fn powf<V: Vector>(x: V, p: V) -> V { V::from_fn(|i| x.get(i).powf(p.get(i))) }
