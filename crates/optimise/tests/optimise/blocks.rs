//! Blocks that settle by themselves after a step, where one of them stands at a wall of its cost.

use std::ops::ControlFlow;

use gradbody_optimise::{
    Arrow, Block, LevenbergMarquardt, Limits, Method, Objective, Quadratic, Search,
};
use nalgebra::DMatrix;

/// x = (θ, s₀, s₁). Both blocks have ½ (s − θ − target)² + ½ s², and block 1 has a wall at 0.2 that its derivatives do
/// not see.
struct Walled {
    separate: bool,
}

const TARGETS: [f64; 2] = [1.0, 4.0];
const WALL: f64 = 0.2;

impl Walled {
    fn block(&self, x: &[f64], block: usize) -> f64 {
        let (theta, s) = (x[0], x[1 + block]);
        let wall = if block == 1 && s > WALL { 1e3 * s } else { 0.0 };
        0.5 * (s - theta - TARGETS[block]).powi(2) + 0.5 * s * s + wall
    }
}

impl Objective for Walled {
    fn len(&self) -> usize {
        3
    }

    fn cost(&self, x: &[f64]) -> f64 {
        0.5 * x[0] * x[0] + self.block(x, 0) + self.block(x, 1)
    }

    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient[0] = x[0];
        for block in 0..2 {
            let error = x[1 + block] - x[0] - TARGETS[block];
            gradient[0] -= error;
            gradient[1 + block] = error + x[1 + block];
        }
        self.cost(x)
    }

    fn quadratic(&self, x: &[f64]) -> Option<Quadratic> {
        let mut gradient = vec![0.0; 3];
        let cost = self.gradient(x, &mut gradient);
        let one = |value: f64| DMatrix::from_element(1, 1, value);
        let block = Block { own: one(2.0), with_global: one(-1.0), with_next: None };
        let hessian = Arrow { global: one(3.0), blocks: vec![block.clone(), block] };
        Some(Quadratic { cost, gradient, hessian })
    }

    fn settle_blocks(&self, _: &[f64], to: &mut [f64], attempt: u64) -> bool {
        // Of the values on this side of the wall, the best for this θ.
        let best = |block: usize| 0.5 * (to[0] + TARGETS[block]);
        let settled = [best(0), best(1).min(WALL)];
        let settles = self.separate && attempt > 0;
        if settles {
            to[1..].copy_from_slice(&settled);
        }
        settles
    }
}

#[test]
fn a_block_at_a_wall_does_not_hold_up_the_others() {
    let after_one = |separate: bool| {
        let objective = Walled { separate };
        let method = Method::LevenbergMarquardt(LevenbergMarquardt::default());
        let mut search = Search::begin(&method, &objective, vec![0.0, 0.0, 0.1], 0).unwrap();
        search.run(&objective, &Limits::iterations(1), &mut |_| ControlFlow::Continue(()));
        search.best().0.to_vec()
    };
    // Without the wall the minimum is at θ = −1.25, s₀ = −0.125, s₁ = 1.375: the whole step crosses the wall.
    let [together, apart] = [after_one(false), after_one(true)];
    assert!(apart[2] <= WALL && together[2] <= WALL, "{apart:?} {together:?}");
    assert!((apart[0] + 1.25).abs() < 0.02, "θ goes all the way: {apart:?}");
    assert!(together[0].abs() < 0.3, "with one damping for all it does not: {together:?}");
}
