//! Optimisers against optima that others have published, and against themselves interrupted.

mod arrow;
mod blocks;
mod global;
mod local;
mod nist;
mod penalties;
mod problems;
mod resume;
mod running;
