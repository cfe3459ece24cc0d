//! A step and its adjoint stay right on a scalar that, as a recorder does, answers "perhaps" wherever a stage asks about
//! values: every mask may hold, nothing is constantly zero, regions run whether they are needed or not, and rounds
//! of a loop are run twice. What a region or a round changes must then all be among what it says it carries.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::support::scenes::{World, standing_quadruped};
use gradbody::dynamics::JointStops;
use gradbody::math::{Carried, Rounds};
use gradbody::prelude::*;

/// A float that does not look at itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Unsure(f64);

impl Simulated for Unsure {}

macro_rules! as_floats {
    ($($op:ident, $method:ident, $assign:ident, $assign_method:ident;)*) => {$(
        impl $op for Unsure {
            type Output = Self;
            fn $method(self, o: Self) -> Self {
                Unsure($op::$method(self.0, o.0))
            }
        }
        impl $assign for Unsure {
            fn $assign_method(&mut self, o: Self) {
                *self = $op::$method(*self, o);
            }
        }
    )*};
}
as_floats! {
    Add, add, AddAssign, add_assign;
    Sub, sub, SubAssign, sub_assign;
    Mul, mul, MulAssign, mul_assign;
}

impl Div for Unsure {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        Unsure(self.0 / o.0)
    }
}

impl Neg for Unsure {
    type Output = Self;
    fn neg(self) -> Self {
        Unsure(-self.0)
    }
}

impl Sum for Unsure {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Unsure(0.0), |a, b| a + b)
    }
}

/// What is carried, taken out.
fn taken(carried: &mut impl Carried<Unsure>) -> Vec<Unsure> {
    let mut all = Vec::new();
    carried.each(&mut |x| all.push(*x));
    all
}

fn put_back(carried: &mut impl Carried<Unsure>, numbers: &[Unsure]) {
    let mut numbers = numbers.iter();
    carried.each(&mut |x| *x = *numbers.next().expect("the same numbers at each call"));
    assert!(numbers.next().is_none(), "the same numbers at each call");
}

impl Scalar for Unsure {
    const LANES: usize = 1;
    const ZERO: Self = Unsure(0.0);
    const ONE: Self = Unsure(1.0);
    const EPSILON: f64 = f64::EPSILON;

    fn from_f64(x: f64) -> Self {
        Unsure(x)
    }
    fn lane(self, _: usize) -> f64 {
        self.0
    }
    fn from_lanes(mut f: impl FnMut(usize) -> f64) -> Self {
        Unsure(f(0))
    }
    fn is_finite(self) -> bool {
        self.0.is_finite()
    }
    fn any(self) -> bool {
        true
    }
    fn is_zero(self) -> bool {
        false
    }
    fn mul_add(self, a: Self, b: Self) -> Self {
        Unsure(Scalar::mul_add(self.0, a.0, b.0))
    }
    fn neg_mul_add(self, a: Self, b: Self) -> Self {
        Unsure(Scalar::neg_mul_add(self.0, a.0, b.0))
    }
    fn select_lt(self, rhs: Self, if_lt: Self, otherwise: Self) -> Self {
        Unsure(self.0.select_lt(rhs.0, if_lt.0, otherwise.0))
    }
    fn select_le(self, rhs: Self, if_le: Self, otherwise: Self) -> Self {
        Unsure(self.0.select_le(rhs.0, if_le.0, otherwise.0))
    }
    fn abs(self) -> Self {
        Unsure(Scalar::abs(self.0))
    }
    fn sqrt(self) -> Self {
        Unsure(Scalar::sqrt(self.0))
    }
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = Scalar::sin_cos(self.0);
        (Unsure(sin), Unsure(cos))
    }
    fn atan2(self, x: Self) -> Self {
        Unsure(Scalar::atan2(self.0, x.0))
    }
    fn exp(self) -> Self {
        Unsure(Scalar::exp(self.0))
    }
    fn ln(self) -> Self {
        Unsure(Scalar::ln(self.0))
    }
    fn tanh(self) -> Self {
        Unsure(Scalar::tanh(self.0))
    }
    fn powf(self, exponent: Self) -> Self {
        Unsure(Scalar::powf(self.0, exponent.0))
    }
    fn vectorised<R>(stage: impl FnOnce() -> R) -> R {
        stage()
    }

    fn when<C: Carried<Self>>(mask: Self, carried: &mut C, region: impl FnOnce(&mut C)) {
        let before = taken(carried);
        region(carried);
        if mask.0 == 0.0 {
            put_back(carried, &before);
        }
    }

    fn repeat<C: Carried<Self>>(
        rounds: Rounds,
        carried: &mut C,
        mut round: impl FnMut(u32, &mut C) -> Self,
    ) -> u32 {
        for k in 0..rounds.most {
            let before = taken(carried);
            let first = round(k, carried);
            let after = taken(carried);
            put_back(carried, &before);
            let second = round(k, carried);
            assert_eq!((first, after), (second, taken(carried)), "round {k} is the same again");
            if second.0 == 0.0 {
                return k + 1;
            }
        }
        rounds.most
    }
}

/// What is skipped for a plain zero (friction of a joint) has a formula of its own, equal up to rounding.
const ROUNDING: f64 = 1e-13;

/// The gradient of a rollout: its cost, and with respect to the start, the inputs and all parameters.
fn gradient<S: Simulated>(world: &World, how: &GradientOptions) -> Vec<f64> {
    let World { model, state, input, options, .. } = world;
    let (model, start): (Model<S>, State<S>) = (model.cast(), state.cast());
    let options = options.cast();
    let mut inputs = Constant::new(&model, input.cast());
    let mut loss = Mean(StateCost::from_configuration(&model, &State::neutral(&model)));
    let rollout = Rollout { model: &model, start: &start, steps: 5, options: &options };
    let trace = &mut RolloutTrace::new(&model);
    let found = rollout_vjp(&rollout, &mut inputs, &mut loss, &mut NoTaps, how, trace);
    let found = found.checked().unwrap();
    let mut numbers = vec![found.cost, found.dt];
    numbers.extend(found.start.q.iter().chain(&found.start.v));
    numbers.extend(inputs.bar.control.iter().chain(&inputs.bar.tau));
    let params = std::cell::RefCell::new(numbers);
    found.params.map(|x| {
        params.borrow_mut().push(x);
        x
    });
    params.into_inner().into_iter().map(|x| x.lane(0)).collect()
}

#[test]
fn a_scalar_that_answers_perhaps_gets_the_same_gradient() {
    let smoothed = ContactGradient::Smoothed { kappa: 1e-2 };
    let ncp = Solver::Ncp(Ncp::default());
    for (solver, integrator, stops, contact) in [
        (ncp, Integrator::ImplicitDamping, JointStops::Soft, ContactGradient::Implicit),
        (ncp, Integrator::ImplicitDamping, JointStops::Hard, smoothed),
        (Solver::HuntCrossley, Integrator::Rk4, JointStops::Soft, ContactGradient::Implicit),
    ] {
        let mut world = standing_quadruped();
        world.options = world.options.with_solver(solver).with(integrator);
        world.options.joint_stops = stops;
        world.state.v.iter_mut().enumerate().for_each(|(k, v)| *v += 0.1 * (k as f64).sin());
        // Hard stops leave out joints whose friction is a plain zero.
        for joint in &mut world.model.params.joints {
            (joint.friction, joint.friction_velocity) = (0.01, 0.1);
        }
        // Beyond its range.
        let knee = world.model.topology.links.len() - 1;
        let upper = world.state.q[world.model.topology.links[knee].joint.q_start] - 0.05;
        world.model.params.joints[knee].limit_upper = upper;
        let how = GradientOptions { contact, ..GradientOptions::default() };
        let (plain, unsure) = (gradient::<f64>(&world, &how), gradient::<Unsure>(&world, &how));
        assert!(plain.iter().filter(|x| **x != 0.0).count() > 150, "{solver:?}");
        assert_eq!(plain.len(), unsure.len());
        for (k, (a, b)) in plain.iter().zip(&unsure).enumerate() {
            assert!((a - b).abs() <= ROUNDING * a.abs(), "{solver:?}, number {k}: {a:e} and {b:e}");
        }
    }
}
