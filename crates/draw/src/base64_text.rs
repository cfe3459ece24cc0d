//! Numbers as text for JSON: their bytes, little endian, in base64.

macro_rules! numbers {
    ($(#[$doc:meta])* $name:ident, $number:ty) => {
        $(#[$doc])*
        pub(crate) mod $name {
            use base64::Engine;
            use base64::engine::general_purpose::STANDARD;
            use serde::de::Error;
            use serde::{Deserialize, Deserializer, Serializer};

            const SIZE: usize = size_of::<$number>();

            pub(crate) fn serialize<S: Serializer>(
                numbers: &[$number],
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
                serializer.serialize_str(&STANDARD.encode(bytes))
            }

            pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Vec<$number>, D::Error> {
                let text = String::deserialize(deserializer)?;
                let bytes = STANDARD.decode(text).map_err(D::Error::custom)?;
                let (numbers, rest) = bytes.as_chunks::<SIZE>();
                if !rest.is_empty() {
                    return Err(D::Error::custom("the bytes end inside a number"));
                }
                Ok(numbers.iter().map(|bytes| <$number>::from_le_bytes(*bytes)).collect())
            }
        }
    };
}
numbers!(
    /// Single-precision numbers.
    floats,
    f32
);
numbers!(
    /// Indices.
    integers,
    u32
);
