//! Minimisation of costs.
//!
//! An [`Objective`] is the cost, a [`Method`] says how to minimise it, and a [`Search`] is a minimisation in progress:
//! [`Search::advance`] continues it, and between any two iterations it can be written to a file and read back to
//! continue with the same bits. Nothing here knows about robots.
//!
//! ```
//! use gradbody_optimise::{Lbfgs, Limits, Method, Objective, Search};
//! use std::ops::ControlFlow;
//!
//! struct Bowl;
//! impl Objective for Bowl {
//!     fn len(&self) -> usize { 1 }
//!     fn cost(&self, x: &[f64]) -> f64 { (x[0] - 3.0).powi(2) }
//!     fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
//!         gradient[0] = 2.0 * (x[0] - 3.0);
//!         self.cost(x)
//!     }
//! }
//!
//! let method = Method::Lbfgs(Lbfgs::default());
//! let mut search = Search::begin(&method, &Bowl, vec![0.0], 0)?;
//! search.run(&Bowl, &Limits::iterations(50), &mut |_| ControlFlow::Continue(()));
//! assert!((search.best().0[0] - 3.0).abs() < 1e-8);
//! # Ok::<(), gradbody_optimise::OptimiseError>(())
//! ```

mod adam;
mod arrow;
mod basin_hopping;
mod bounds;
mod cma_es;
mod ending;
mod evaluate;
mod gauss_newton;
mod islands;
mod lbfgs;
mod levenberg_marquardt;
mod method;
mod minimise;
mod objective;
mod proximal;
mod random_state;
mod search;
mod sum;
mod tied;

pub use adam::{Adam, Decay};
pub use arrow::{Arrow, Block, Spectrum};
pub use basin_hopping::BasinHopping;
pub use cma_es::CmaEs;
pub use evaluate::Evaluations;
pub use gauss_newton::GaussNewton;
pub use islands::{Islands, Refinement};
pub use lbfgs::Lbfgs;
pub use levenberg_marquardt::LevenbergMarquardt;
pub use method::{Method, OptimiseError};
pub use minimise::{Minimum, minimise};
pub use objective::{Objective, Penalty, Quadratic};
pub use search::{Convergence, Limits, Progress, Search, Stop, Trouble};
pub use sum::Sum;
pub use tied::{Tie, Tied};
