//! The pairs of shapes that have formulas, against oracles that know nothing of the formulas:
//! support functions, membership, sampled borders, finite differences.

mod bounds;
mod capsule_places;
mod cylinder_places;
mod degenerate;
mod derivatives;
mod distance;
mod invariants;
mod lanes;
mod oracle;
#[path = "../support/random.rs"]
mod random;
mod scenes;
