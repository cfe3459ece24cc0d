//! Everything that a learner remembers, as named arrays.

use std::collections::BTreeMap;

/// A named array of a [`Snapshot`].
#[derive(Clone, Debug, PartialEq)]
pub enum Array {
    /// Single precision.
    F32(Vec<f32>),
    /// Double precision.
    F64(Vec<f64>),
    /// Counts, bits and flags.
    U64(Vec<u64>),
}

/// Everything that a learner remembers: training goes on from it with the same bits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    arrays: BTreeMap<String, Array>,
}

/// Why a snapshot does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the checkpoint does not belong to this training: {name} {why}")]
pub struct SnapshotError {
    /// The array.
    pub name: String,
    /// What is wrong with it.
    pub why: String,
}

/// A type of number that arrays hold.
pub trait Number: Copy + Sized {
    /// Makes an array of numbers.
    fn array(numbers: Vec<Self>) -> Array;
    /// The numbers of an array, if they are of this type.
    fn numbers(array: &Array) -> Option<&[Self]>;
}

macro_rules! number {
    ($($number:ty = $variant:ident),*) => {$(
        impl Number for $number {
            fn array(numbers: Vec<Self>) -> Array {
                Array::$variant(numbers)
            }

            fn numbers(array: &Array) -> Option<&[Self]> {
                match array {
                    Array::$variant(numbers) => Some(numbers),
                    _ => None,
                }
            }
        }
    )*};
}

number!(f32 = F32, f64 = F64, u64 = U64);

impl Snapshot {
    /// Stores an array.
    pub fn put<T: Number>(&mut self, name: &str, numbers: Vec<T>) {
        self.arrays.insert(name.to_owned(), T::array(numbers));
    }

    /// All arrays with their names, in the order of the names.
    pub fn arrays(&self) -> impl Iterator<Item = (&str, &Array)> {
        self.arrays.iter().map(|(name, array)| (name.as_str(), array))
    }

    /// Stores an array of any type.
    pub fn insert(&mut self, name: String, array: Array) {
        self.arrays.insert(name, array);
    }

    /// The numbers of an array, however many.
    pub fn numbers<T: Number>(&self, name: &str) -> Result<&[T], SnapshotError> {
        let refuse = |why: &str| SnapshotError { name: name.to_owned(), why: why.to_owned() };
        let array = self.arrays.get(name).ok_or_else(|| refuse("is missing"))?;
        T::numbers(array).ok_or_else(|| refuse("holds numbers of another type"))
    }

    /// The one number of an array.
    pub fn number<T: Number>(&self, name: &str) -> Result<T, SnapshotError> {
        match self.numbers(name)? {
            [number] => Ok(*number),
            numbers => {
                let why = format!("has {} numbers, not one", numbers.len());
                Err(SnapshotError { name: name.to_owned(), why })
            }
        }
    }

    /// Copies an array into one of the same length.
    pub fn fill<T: Number>(&self, name: &str, to: &mut [T]) -> Result<(), SnapshotError> {
        let numbers = self.numbers(name)?;
        if numbers.len() != to.len() {
            let why = format!("has {} numbers, not {}", numbers.len(), to.len());
            return Err(SnapshotError { name: name.to_owned(), why });
        }
        to.copy_from_slice(numbers);
        Ok(())
    }
}
