//! Tasks, training that is interrupted, and finished policies, with a small algorithm of the tests' own.

mod methods;
mod play;
mod random_search;
mod runs;
mod tasks;
