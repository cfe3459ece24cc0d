//! Random numbers in a written state: the generator as its four words. Use as `#[serde(with = "random_state")]`.

use gradbody_math::random::Random;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(super) fn serialize<S: Serializer>(random: &Random, serializer: S) -> Result<S::Ok, S::Error> {
    random.state().serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Random, D::Error> {
    Deserialize::deserialize(deserializer).map(Random::from_state)
}
