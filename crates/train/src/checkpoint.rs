//! A checkpoint as bytes: a line that says what it is, the length of a header, the header as JSON, all arrays in its
//! order, little-endian, and a checksum of everything before.

use std::io::{self, Write};

use gradbody_policy::{Array, Checksum, Snapshot};
use serde::{Deserialize, Serialize};

use crate::Journal;

const MAGIC: &[u8] = b"gradbody training 1\n";
/// Length of the checksum at the end.
const SUM: usize = 16;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    journal: Journal,
    arrays: Vec<Place>,
}

/// An array of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    name: String,
    kind: Kind,
    length: usize,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    F32,
    F64,
    U64,
}

/// Writes a journal and arrays.
pub(crate) fn write(to: &mut dyn Write, journal: &Journal, arrays: &Snapshot) -> io::Result<()> {
    let place = |(name, array): (&str, &Array)| {
        let (kind, length) = match array {
            Array::F32(numbers) => (Kind::F32, numbers.len()),
            Array::F64(numbers) => (Kind::F64, numbers.len()),
            Array::U64(numbers) => (Kind::U64, numbers.len()),
        };
        Place { name: name.to_owned(), kind, length }
    };
    let places = arrays.arrays().map(place).collect();
    let header = Header { journal: journal.clone(), arrays: places };
    let header = serde_json::to_vec(&header)?;
    let mut summed = Summed { to, sum: Checksum::default(), block: Vec::with_capacity(BLOCK) };
    summed.add(MAGIC)?;
    summed.add(&(header.len() as u64).to_le_bytes())?;
    summed.add(&header)?;
    for (_, array) in arrays.arrays() {
        match array {
            Array::F32(numbers) => summed.numbers(numbers, |x| x.to_le_bytes())?,
            Array::F64(numbers) => summed.numbers(numbers, |x| x.to_le_bytes())?,
            Array::U64(numbers) => summed.numbers(numbers, |x| x.to_le_bytes())?,
        }
    }
    let sum = summed.sum.text();
    to.write_all(sum.as_bytes())
}

/// Bytes that are written at a time.
const BLOCK: usize = 1 << 16;

struct Summed<'a> {
    to: &'a mut dyn Write,
    sum: Checksum,
    block: Vec<u8>,
}

impl Summed<'_> {
    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.add(bytes);
        self.to.write_all(bytes)
    }

    fn numbers<T: Copy, const N: usize>(
        &mut self,
        numbers: &[T],
        bytes: impl Fn(T) -> [u8; N],
    ) -> io::Result<()> {
        for part in numbers.chunks(BLOCK / N) {
            let mut block = std::mem::take(&mut self.block);
            block.clear();
            part.iter().for_each(|x| block.extend_from_slice(&bytes(*x)));
            self.add(&block)?;
            self.block = block;
        }
        Ok(())
    }
}

/// Reads what [`write`] wrote, or says what is wrong with it.
pub(crate) fn read(bytes: &[u8]) -> Result<(Journal, Snapshot), String> {
    let other = || "this is not a checkpoint of this version".to_owned();
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(other)?;
    let damaged = || "the file is damaged: its checksum does not match its contents".to_owned();
    let (body, stated) =
        bytes.split_at_checked(bytes.len().saturating_sub(SUM)).ok_or_else(damaged)?;
    if Checksum::of(body).as_bytes() != stated {
        return Err(damaged());
    }
    // From here on, the file is as it was written.
    let (length, rest) = rest.split_first_chunk::<8>().ok_or_else(other)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| other())?;
    let (header, mut rest) = rest.split_at_checked(length).ok_or_else(other)?;
    let Header { journal, arrays } = serde_json::from_slice(header)
        .map_err(|error| format!("this is not a checkpoint of this version: {error}"))?;
    let mut snapshot = Snapshot::default();
    for Place { name, kind, length } in arrays {
        let size = if matches!(kind, Kind::F32) { 4 } else { 8 };
        let whole = length.checked_mul(size).ok_or_else(other)?;
        let (data, after) = rest.split_at_checked(whole).ok_or_else(other)?;
        rest = after;
        let array = match kind {
            Kind::F32 => Array::F32(numbers(data, f32::from_le_bytes)),
            Kind::F64 => Array::F64(numbers(data, f64::from_le_bytes)),
            Kind::U64 => Array::U64(numbers(data, u64::from_le_bytes)),
        };
        snapshot.insert(name, array);
    }
    Ok((journal, snapshot))
}

fn numbers<T, const N: usize>(data: &[u8], number: impl Fn([u8; N]) -> T) -> Vec<T> {
    data.as_chunks().0.iter().map(|bytes| number(*bytes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_checkpoint_counts() {
        let mut arrays = Snapshot::default();
        arrays.put("weights", vec![1.5_f32, f32::NAN, -0.0]);
        arrays.put("mean", vec![0.1_f64]);
        arrays.put::<u64>("none", vec![]);
        arrays.put("random", vec![u64::MAX, 3]);
        let journal =
            Journal { task: "environment = \"Ant\"".into(), seed: 7, ..Journal::default() };
        let mut bytes = Vec::new();
        write(&mut bytes, &journal, &arrays).expect("memory takes it");
        let (read_journal, read_arrays) = read(&bytes).expect("whole");
        assert_eq!(read_journal, journal);
        let mut again = Vec::new();
        write(&mut again, &read_journal, &read_arrays).expect("memory takes it");
        // NaN too: the bits are compared.
        assert_eq!(again, bytes);
        for k in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[k] ^= 0x10;
            assert!(read(&changed).is_err(), "byte {k}");
            assert!(read(&bytes[..k]).is_err(), "{k} bytes");
        }
    }
}
