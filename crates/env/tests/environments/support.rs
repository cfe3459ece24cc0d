//! Golden values, and random actions.

use std::path::Path;

use gradbody_env::{Description, Environment};
use gradbody_math::random::Random;
use serde_json::Value;

/// The environments that Gymnasium has under the same name.
pub(crate) const PUBLISHED: [Environment; 8] = [
    Environment::InvertedPendulum,
    Environment::HalfCheetah,
    Environment::Hopper,
    Environment::Ant,
    Environment::Walker2d,
    Environment::Reacher,
    Environment::Swimmer,
    Environment::Humanoid,
];

/// What Gymnasium gives: scripts/golden_gymnasium.py.
pub(crate) fn golden(environment: Environment) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/gymnasium");
    let path = folder.join(format!("{}.json", environment.name()));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// All numbers of a value, arrays in arrays one after the other.
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap_or_else(|| panic!("{other} is no number"))],
    }
}

/// Actions of a world in a step that depend on nothing else, within their bounds.
pub(crate) fn action(of: &Description, world: usize, step: usize) -> Vec<f64> {
    let mut random = Random::derived(3, &[world as u64, step as u64]);
    let bounds = of.actions.low.iter().zip(&of.actions.high);
    bounds.map(|(low, high)| random.between(*low, *high)).collect()
}

/// The actions of all worlds in a step.
pub(crate) fn actions(of: &Description, worlds: usize, step: usize) -> Vec<f64> {
    (0..worlds).flat_map(|world| action(of, world, step)).collect()
}
