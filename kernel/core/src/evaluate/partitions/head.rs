//! The stored form of rows.

/// Consecutive rows of one chunk, in the order of their places. The places of two runs do not interleave.
pub(super) struct Run {
    /// The place of the first row.
    pub place: u64,
    pub rows: Stored,
}

pub(super) enum Stored {
    Memory(Vec<u8>),
    /// The offset in the file, and the length.
    Disk(u64, usize),
}

/// What is stored of a row before the bytes of its document's id: numbers with seven bits per byte, and the
/// key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    /// The number of the query among those of the partition.
    pub query: u64,
    /// The place, from that of the row before.
    pub place: u64,
    pub key: f64,
    pub length: usize,
}

/// The maximum length of a head: three numbers and the key.
pub(super) const LONGEST: usize = 3 * 10 + 8;

impl Head {
    #[inline]
    pub(super) fn write(self, into: &mut Vec<u8>) {
        put_number(self.query, into);
        put_number(self.place, into);
        put_number(self.length as u64, into);
        into.extend_from_slice(&self.key.to_bits().to_le_bytes());
    }

    /// Reads a head, and moves `at` to the document's id.
    #[inline]
    pub(super) fn read(bytes: &[u8], at: &mut usize) -> Option<Self> {
        let query = take_number(bytes, at)?;
        let place = take_number(bytes, at)?;
        let length = usize::try_from(take_number(bytes, at)?).ok()?;
        let key = bytes.get(*at..)?.first_chunk()?;
        *at += 8;
        Some(Self { query, place, key: f64::from_bits(u64::from_le_bytes(*key)), length })
    }
}

#[inline]
fn put_number(mut number: u64, into: &mut Vec<u8>) {
    while number >= 0x80 {
        into.push(number as u8 | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

#[inline]
fn take_number(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
        shift = (shift + 7) & 63;
    }
}
