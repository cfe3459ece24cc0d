//! Fingerprints of files, so that a fit notices if a file has changed.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::DataError;
use super::files::bytes;

/// The length of a file and a hash of its contents. It detects accidental changes; it does not protect against forgery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    /// Its path, relative to the folder of the data.
    pub file: String,
    /// Its length in bytes.
    pub length: u64,
    /// FNV-1a of the contents; written as hexadecimal text, since TOML has no unsigned numbers of this size.
    #[serde(with = "base_16")]
    pub hash: u64,
}

impl Fingerprint {
    /// The fingerprint of a file with these contents.
    pub fn new(file: impl Into<String>, content: &[u8]) -> Self {
        Fingerprint { file: file.into(), length: content.len() as u64, hash: fnv_1a(content) }
    }

    /// Fails if the file in this folder has changed.
    pub fn check(&self, folder: &Path) -> Result<(), DataError> {
        let now = Fingerprint::new(&self.file, &bytes(folder, &self.file)?);
        match now == *self {
            true => Ok(()),
            false => Err(DataError::Changed { was: self.clone(), now }),
        }
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes, {:016x}", self.length, self.hash)
    }
}

/// Fowler, Noll and Vo's hash 1a of 64 bits [Fowler, Noll, Vo 1991].
fn fnv_1a(content: &[u8]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    content.iter().fold(OFFSET, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}

mod base_16 {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(hash: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&format!("{hash:016x}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        let text = String::deserialize(from)?;
        u64::from_str_radix(&text, 16).map_err(|_| {
            D::Error::custom(format!("\"{text}\" is not a hash of 16 digits 0-9 and a-f"))
        })
    }
}
