//! Options with a short form: a name for a list of one, or for a table with one entry.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A list of names; a single name is a list of one.
pub fn one_or_many<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    struct Names;
    impl<'de> Visitor<'de> for Names {
        type Value = Vec<String>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a name or a list of names")
        }
        fn visit_str<E>(self, name: &str) -> Result<Vec<String>, E> {
            Ok(vec![name.to_owned()])
        }
        fn visit_seq<A: SeqAccess<'de>>(self, names: A) -> Result<Vec<String>, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(names))
        }
    }
    from.deserialize_any(Names)
}

/// A value that has a short form: a name alone.
pub(super) trait Short: Sized {
    /// The expected forms, for messages.
    const EXPECTED: &'static str;
    /// The value of a name alone.
    fn short(name: &str) -> Self;
    /// The value of a table.
    fn table<'de, A: MapAccess<'de>>(from: MapAccessDeserializer<A>) -> Result<Self, A::Error>;
}

/// A name or a table.
pub(super) fn short_or_table<'de, D: Deserializer<'de>, T: Short>(from: D) -> Result<T, D::Error> {
    struct ShortOrTable<T>(PhantomData<T>);
    impl<'de, T: Short> Visitor<'de> for ShortOrTable<T> {
        type Value = T;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(T::EXPECTED)
        }
        fn visit_str<E>(self, name: &str) -> Result<T, E> {
            Ok(T::short(name))
        }
        fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<T, A::Error> {
            T::table(MapAccessDeserializer::new(table))
        }
    }
    from.deserialize_any(ShortOrTable(PhantomData))
}
