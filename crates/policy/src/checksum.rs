//! A checksum that finds a changed or missing byte, of files that may be large.

/// A hash of bytes, eight at a time. It detects damage; it does not protect against forgery.
#[derive(Clone, Debug)]
pub struct Checksum {
    state: u64,
    length: u64,
    /// Bytes that are not yet a whole word.
    rest: [u8; 8],
}

impl Default for Checksum {
    fn default() -> Self {
        Checksum { state: 0xcbf2_9ce4_8422_2325, length: 0, rest: [0; 8] }
    }
}

impl Checksum {
    /// Of these bytes alone.
    pub fn of(bytes: &[u8]) -> String {
        let mut sum = Checksum::default();
        sum.add(bytes);
        sum.text()
    }

    /// Takes more bytes into account. It does not matter how they are divided over calls.
    pub fn add(&mut self, bytes: &[u8]) {
        let mut bytes = bytes;
        let filled = (self.length % 8) as usize;
        self.length += bytes.len() as u64;
        if filled > 0 {
            let (head, tail) = bytes.split_at(bytes.len().min(8 - filled));
            self.rest[filled..filled + head.len()].copy_from_slice(head);
            if filled + head.len() < 8 {
                return;
            }
            self.word(u64::from_le_bytes(self.rest));
            bytes = tail;
        }
        let (words, tail) = bytes.as_chunks();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        self.rest[..tail.len()].copy_from_slice(tail);
    }

    /// The checksum as 16 hexadecimal digits.
    pub fn text(&self) -> String {
        let mut end = self.clone();
        let filled = (self.length % 8) as usize;
        end.rest[filled..].fill(0);
        end.word(u64::from_le_bytes(end.rest));
        end.word(self.length);
        format!("{:016x}", end.state)
    }

    /// Each step is one-to-one in the state and in the word, so that a single changed word always changes the result.
    fn word(&mut self, word: u64) {
        const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
        self.state = (self.state.rotate_left(23) ^ word).wrapping_mul(PRIME);
    }
}

#[cfg(test)]
mod tests {
    use super::Checksum;

    #[test]
    fn every_byte_counts_however_they_are_divided() {
        let bytes: Vec<u8> = (0..61).map(|k| (k * 37 % 251) as u8).collect();
        let whole = Checksum::of(&bytes);
        for cut in 0..bytes.len() {
            let mut sum = Checksum::default();
            sum.add(&bytes[..cut]);
            sum.add(&bytes[cut..cut + (bytes.len() - cut) / 2]);
            sum.add(&bytes[cut + (bytes.len() - cut) / 2..]);
            assert_eq!(sum.text(), whole);
            let mut changed = bytes.clone();
            changed[cut] ^= 1;
            assert_ne!(Checksum::of(&changed), whole);
            assert_ne!(Checksum::of(&bytes[..cut]), whole);
        }
        // Zeros at the end count too.
        assert_ne!(Checksum::of(&[1, 0]), Checksum::of(&[1]));
    }
}
