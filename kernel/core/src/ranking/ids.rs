//! Document ids from any source.

use std::cmp::Ordering;
use std::ops::Deref;

use crate::hash::IdHasher;
use crate::known::Known;
use crate::read::number;
use crate::rows::Span;

/// Borrowed document ids: bytes, of which each id is a part.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ids<'a> {
    pub arena: &'a [u8],
    pub spans: &'a [Span],
}

impl<'a> Ids<'a> {
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    #[inline(always)]
    #[must_use]
    pub fn get(&self, row: usize) -> &'a [u8] {
        self.spans.get(row).map_or(&[], |span| span.of(self.arena))
    }

    pub fn compare(&self, a: usize, b: usize) -> Ordering {
        self.get(a).cmp(self.get(b))
    }
}

/// Integer ids, each of which is its decimal text.
#[derive(Debug, Clone, Copy)]
pub struct Numbers<'a> {
    /// As two's complement where they are signed.
    pub bits: &'a [u64],
    pub signed: bool,
}

impl Numbers<'_> {
    #[must_use]
    pub fn get(&self, row: usize) -> Id<'static> {
        let bits = *self.bits.known(row);
        let negative = self.signed && bits >> 63 == 1;
        let mut digits = [0; 20];
        let start = number::decimal(if negative { bits.wrapping_neg() } else { bits }, negative, &mut digits);
        Id::Digits(digits, start)
    }

    /// The bits of the integer whose text an id is.
    #[must_use]
    pub fn parse(self, id: &[u8]) -> Option<u64> {
        let (negative, digits) = match id {
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        match digits {
            [] | [b'0', _, ..] => return None,
            [b'0'] if negative => return None,
            _ => {}
        }
        let mut value = 0u64;
        for digit in digits {
            let digit = digit.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
        }
        match (self.signed, negative) {
            (false, true) => None,
            (false, false) => Some(value),
            (true, false) => (value < 1 << 63).then_some(value),
            (true, true) => (value <= 1 << 63).then(|| value.wrapping_neg()),
        }
    }
}

/// An id: borrowed bytes, or the decimal text of an integer.
#[derive(Debug, Clone, Copy)]
pub enum Id<'a> {
    Bytes(&'a [u8]),
    /// Digits, and where they begin.
    Digits([u8; 20], usize),
}

impl Deref for Id<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Digits(digits, start) => digits.known(*start..),
        }
    }
}

/// The ids of a block's documents: bytes, or integers that are converted to text only for a tie, an error or
/// a random order.
#[derive(Debug, Clone, Copy)]
pub enum BlockIds<'a> {
    Bytes(Ids<'a>),
    Numbers(Numbers<'a>),
}

impl<'a> BlockIds<'a> {
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Bytes(ids) => ids.len(),
            Self::Numbers(ids) => ids.bits.len(),
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[must_use]
    pub fn get(&self, row: usize) -> Id<'a> {
        match self {
            Self::Bytes(ids) => Id::Bytes(ids.get(row)),
            Self::Numbers(ids) => ids.get(row),
        }
    }

    pub fn compare(&self, a: usize, b: usize) -> Ordering {
        match self {
            Self::Bytes(ids) => ids.compare(a, b),
            Self::Numbers(ids) => ids.get(a).cmp(&ids.get(b)),
        }
    }
}

/// Ids that are looked up by their hashes.
pub(super) trait Hashed: Copy {
    /// An id to look for.
    type Key<'k>: Copy;

    fn rows(self) -> usize;
    fn hash(self, row: usize, hasher: &IdHasher) -> u64;
    fn same(self, a: usize, b: usize) -> bool;
    /// `None` for an id that cannot be among them.
    fn key(self, id: &[u8]) -> Option<Self::Key<'_>>;
    fn hash_key(key: Self::Key<'_>, hasher: &IdHasher) -> u64;
    fn is(self, row: usize, key: Self::Key<'_>) -> bool;
}

impl Hashed for Ids<'_> {
    type Key<'k> = &'k [u8];

    fn rows(self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn hash(self, row: usize, hasher: &IdHasher) -> u64 {
        hasher.hash(self.get(row))
    }

    #[inline(always)]
    fn same(self, a: usize, b: usize) -> bool {
        self.get(a) == self.get(b)
    }

    #[inline(always)]
    fn key(self, id: &[u8]) -> Option<&[u8]> {
        Some(id)
    }

    #[inline(always)]
    fn hash_key(key: &[u8], hasher: &IdHasher) -> u64 {
        hasher.hash(key)
    }

    #[inline(always)]
    fn is(self, row: usize, key: &[u8]) -> bool {
        self.get(row) == key
    }
}

impl Hashed for Numbers<'_> {
    type Key<'k> = u64;

    fn rows(self) -> usize {
        self.bits.len()
    }

    #[inline(always)]
    fn hash(self, row: usize, hasher: &IdHasher) -> u64 {
        hasher.hash_number(*self.bits.known(row))
    }

    #[inline(always)]
    fn same(self, a: usize, b: usize) -> bool {
        self.bits.get(a) == self.bits.get(b)
    }

    #[inline]
    fn key(self, id: &[u8]) -> Option<u64> {
        self.parse(id)
    }

    #[inline(always)]
    fn hash_key(key: u64, hasher: &IdHasher) -> u64 {
        hasher.hash_number(key)
    }

    #[inline(always)]
    fn is(self, row: usize, key: u64) -> bool {
        self.bits.get(row) == Some(&key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_their_decimal_text() {
        let signed = [0, 7, -1, i64::MIN, i64::MAX, 1_000_000];
        let bits: Vec<u64> = signed.iter().map(|&value| value as u64).collect();
        let numbers = Numbers { bits: &bits, signed: true };
        for (row, value) in signed.iter().enumerate() {
            assert_eq!(&*numbers.get(row), value.to_string().as_bytes());
            assert_eq!(numbers.parse(value.to_string().as_bytes()), Some(*value as u64));
        }
        let unsigned = Numbers { bits: &[u64::MAX], signed: false };
        assert_eq!(&*unsigned.get(0), b"18446744073709551615");
        assert_eq!(unsigned.parse(b"18446744073709551615"), Some(u64::MAX));
    }

    #[test]
    fn other_texts_are_not_integers() {
        for signed in [true, false] {
            let numbers = Numbers { bits: &[], signed };
            for text in ["", "-", "-0", "01", "00", "+1", "1.0", " 1", "1a", "18446744073709551616"] {
                assert_eq!(numbers.parse(text.as_bytes()), None, "{text}");
            }
        }
        assert_eq!(Numbers { bits: &[], signed: false }.parse(b"-1"), None);
        assert_eq!(Numbers { bits: &[], signed: true }.parse(b"9223372036854775808"), None);
    }
}
