//! Data: files of every kind and with every fault, doubts, processing, and the published sets where they are here.

mod doubts;
mod faults;
mod filters;
mod formats;
mod published;
mod resampling;
mod splits;
mod support;
mod units;
