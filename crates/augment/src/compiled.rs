//! [`Bound`] as taps, compiled once.
//!
//! A generic function is compiled in every crate that calls it with a new type, and the taps of networks are large. For
//! the scalars whose step the crate `sim` compiles, they are compiled here, and found by type at run time: see
//! docs/decisions/0030-networks-compiled-once.md.

use std::any::Any;
use std::sync::OnceLock;

use gradbody_sim::{ForCompiled, GroupTaps, Simulated, Taps, for_compiled};

use crate::Bound;

type AsTaps<S> = for<'a> fn(&'a mut Bound<S>) -> &'a mut dyn Taps<S>;
type AsGroupTaps<S> = for<'a> fn(&'a mut Bound<S>) -> &'a mut dyn GroupTaps<S>;
type IntoTaps<S> = fn(Bound<S>) -> Box<dyn GroupTaps<S>>;

impl<S: Simulated> Bound<S> {
    /// These networks as taps of a step. The same as `&mut networks`, which compiles them in the crate that says it.
    pub fn as_taps(&mut self) -> &mut dyn Taps<S> {
        if S::HAS_STEP { found::<AsTaps<S>>()(self) } else { self }
    }

    /// These networks as taps that can be differentiated: see [`as_taps`](Bound::as_taps).
    pub fn as_taps_vjp(&mut self) -> &mut dyn GroupTaps<S> {
        if S::HAS_ADJOINT { found::<AsGroupTaps<S>>()(self) } else { self }
    }

    /// The same, owned.
    pub fn into_taps(self) -> Box<dyn GroupTaps<S>> {
        if S::HAS_ADJOINT { found::<IntoTaps<S>>()(self) } else { Box::new(self) }
    }
}

/// The function of this type.
fn found<F: Any + Copy>() -> F {
    let all = functions().iter();
    let found = all.filter_map(|function| function.downcast_ref::<F>()).next();
    *found.expect("`for_compiled` visits every scalar that says it is compiled")
}

type Function = Box<dyn Any + Send + Sync>;

/// The functions of all scalars. It is not generic, so this crate compiles what it names.
#[inline(never)]
fn functions() -> &'static [Function] {
    static ALL: OnceLock<Vec<Function>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all = All(Vec::new());
        for_compiled(&mut all);
        all.0
    })
}

struct All(Vec<Function>);

impl ForCompiled for All {
    fn with_adjoint<S: Simulated>(&mut self) {
        self.0.push(Box::new(as_taps_of_group::<S> as AsTaps<S>));
        self.0.push(Box::new(as_group_taps::<S> as AsGroupTaps<S>));
        self.0.push(Box::new(into_taps::<S> as IntoTaps<S>));
    }

    fn with_step<S: Simulated>(&mut self) {
        self.0.push(Box::new(as_taps::<S> as AsTaps<S>));
    }
}

fn as_taps<S: Simulated>(bound: &mut Bound<S>) -> &mut dyn Taps<S> {
    bound
}

fn as_taps_of_group<S: Simulated>(bound: &mut Bound<S>) -> &mut dyn Taps<S> {
    as_group_taps(bound)
}

fn as_group_taps<S: Simulated>(bound: &mut Bound<S>) -> &mut dyn GroupTaps<S> {
    bound
}

fn into_taps<S: Simulated>(bound: Bound<S>) -> Box<dyn GroupTaps<S>> {
    Box::new(bound)
}
