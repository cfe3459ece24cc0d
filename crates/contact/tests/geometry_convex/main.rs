//! Convex pairs, whose features are searched for: distance and penetration, the number of places,
//! derivatives, lanes, odd input.

mod degenerate;
mod derivatives;
mod distance;
mod grooves;
mod manifolds;
mod places;
#[path = "../support/random.rs"]
mod random;
mod samples;
mod scalars;
