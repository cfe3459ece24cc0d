//! The hooks of `Scalar` (the second table in `scalar.rs`): exact for floats, lanes and duals, also for
//! NaN, and loops that end lane by lane.

use gradbody_math::{Carried, Dual, Lanes, Rounds, Scalar, Vec3};

/// `x` in lane `lane`, 0 elsewhere.
fn only<S: Scalar>(lane: usize, x: f64) -> S {
    S::from_lanes(|i| if i == lane { x } else { 0.0 })
}

/// Runs a law on every kind of scalar.
macro_rules! on_all {
    ($law:ident) => {
        $law::<f64>();
        $law::<f32>();
        $law::<Lanes<f64, 4>>();
        $law::<Lanes<f64, 8>>();
        $law::<Lanes<f64, 16>>();
        $law::<Lanes<f32, 4>>();
        $law::<Lanes<f32, 8>>();
        $law::<Lanes<f32, 16>>();
        $law::<Dual<f64, 3>>();
        $law::<Dual<Lanes<f64, 8>, 2>>();
        $law::<Dual<Dual<f32, 2>, 1>>();
    };
}

#[test]
fn any_and_is_zero_see_every_lane() {
    fn law<S: Scalar>() {
        for zero in [S::ZERO, -S::ZERO, S::from_f64(0.0)] {
            assert!(!zero.any() && zero.is_zero());
        }
        assert!(S::ONE.any() && !S::ONE.is_zero());
        for lane in 0..S::LANES {
            for x in [1.0, -1.0, 1e-40, f64::INFINITY, f64::NAN] {
                let x = only::<S>(lane, x);
                assert!(x.any() && !x.is_zero(), "{x:?}");
                assert_eq!(x.is_zero(), x == S::ZERO);
                assert!(!Vec3::new(S::ZERO, x, S::ZERO).is_zero());
            }
        }
        assert!(Vec3::<S>::ZERO.is_zero());
    }
    on_all!(law);
}

#[test]
fn a_comparison_with_nan_makes_a_mask_that_does_not_hold() {
    fn law<S: Scalar>() {
        let nan = S::from_f64(f64::NAN);
        assert!(!nan.select_le(S::ZERO, S::ONE, S::ZERO).any());
        assert!(!S::ZERO.select_lt(nan, S::ONE, S::ZERO).any());
        assert!(nan.select_le(S::ZERO, S::ZERO, S::ONE).any());
    }
    on_all!(law);
}

#[test]
fn a_zero_that_moves_is_not_zero_but_holds_nowhere() {
    fn law<S: Scalar>() {
        for slope in [1.0, f64::NAN] {
            let moves = Dual::<S, 2> { re: S::ZERO, eps: [S::ZERO, only(S::LANES - 1, slope)] };
            assert!(!moves.any());
            assert!(!moves.is_zero());
            assert!(moves.constant().is_zero());
        }
    }
    on_all!(law);
}

#[test]
fn a_region_runs_if_some_lane_needs_it() {
    fn law<S: Scalar>() {
        let mut x = S::ONE;
        S::when(S::ZERO, &mut x, |_| panic!("no lane needs it"));
        for lane in 0..S::LANES {
            for held in [1.0, f64::NAN] {
                let mut x = S::ZERO;
                S::when(only(lane, held), &mut x, |x| *x += S::ONE);
                assert_eq!(x, S::ONE);
            }
        }
    }
    on_all!(law);
}

/// Counts up to a number of each lane.
struct Counting<S> {
    count: S,
    live: S,
}

impl<S: Scalar> Carried<S> for Counting<S> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut S)) {
        [&mut self.count, &mut self.live].into_iter().for_each(visit);
    }
}

fn count_up<S: Scalar>(to: S, most: u32) -> (S, u32) {
    let mut counting = Counting { count: S::ZERO, live: S::ONE };
    let mut next = 0;
    let rounds = S::repeat(Rounds { most, period: 1 }, &mut counting, |k, counting| {
        assert_eq!(k, next, "rounds come in order");
        next += 1;
        counting.count += counting.live;
        counting.live = counting.count.select_lt(to, counting.live, S::ZERO);
        counting.live
    });
    assert_eq!(rounds, next);
    (counting.count, rounds)
}

#[test]
fn a_loop_ends_with_its_slowest_lane() {
    fn law<S: Scalar>() {
        let to = S::from_lanes(|lane| (lane + 3) as f64);
        let slowest = S::LANES as u32 + 2;
        assert_eq!(count_up(to, 100), (to, slowest));
        assert_eq!(count_up(to, slowest), (to, slowest));
        assert_eq!(count_up(to, 2), (S::from_f64(2.0), 2));
        assert_eq!(count_up(to, 0), (S::ZERO, 0));
        // No count is below NaN: it ends at once, and holds nobody up.
        let nan_first = S::from_lanes(|lane| if lane == 0 { f64::NAN } else { 2.0 });
        let counts = S::from_lanes(|lane| if lane == 0 { 1.0 } else { 2.0 });
        assert_eq!(count_up(nan_first, 100), (counts, if S::LANES == 1 { 1 } else { 2 }));
    }
    on_all!(law);
}

#[test]
fn a_mask_that_is_not_a_number_goes_on() {
    fn law<S: Scalar>() {
        for lane in 0..S::LANES {
            let rounds = Rounds { most: 7, period: 1 };
            assert_eq!(S::repeat(rounds, &mut S::ZERO.clone(), |_, _| only(lane, f64::NAN)), 7);
        }
    }
    on_all!(law);
}

#[test]
fn what_is_carried_can_be_visited() {
    fn visited(carried: &mut impl Carried<f64>) -> Vec<f64> {
        let mut all = Vec::new();
        carried.each(&mut |x| all.push(std::mem::replace(x, 0.0)));
        carried.each(&mut |x| assert_eq!(*x, 0.0));
        all
    }
    assert_eq!(visited(&mut 1.0), [1.0]);
    assert_eq!(visited(&mut Vec3::new(1.0, 2.0, 3.0)), [1.0, 2.0, 3.0]);
    assert_eq!(visited(&mut vec![4.0, 5.0]), [4.0, 5.0]);
    assert_eq!(visited(&mut Counting { count: 6.0, live: 7.0 }), [6.0, 7.0]);
}
