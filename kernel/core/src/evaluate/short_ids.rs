//! Looks up the queries of rows in no order: one access to memory for most ids.

use crate::hash::IdHasher;
use crate::judgments::Judgments;

/// A table of the judged queries whose ids are short, with their numbers.
pub(super) struct ShortIds {
    hasher: IdHasher,
    /// Open addressing: the bytes of an id, its length, and its number + 1; 0 is free.
    table: Vec<(u64, u32, u32)>,
}

/// The maximum length of a short id.
const SHORT: usize = 8;

/// From this many queries on, the table would take more memory than it saves time.
const MANY: usize = 1 << 17;

impl ShortIds {
    pub(super) fn new(judgments: &Judgments<'_>) -> Self {
        let rows = judgments.rows();
        let mut short = Self { hasher: IdHasher::default(), table: Vec::new() };
        if rows.queries() > MANY {
            return short;
        }
        short.table = vec![(0, 0, 0); (rows.queries() * 2).next_power_of_two().max(2)];
        for number in 0..rows.queries() {
            let Some((bits, length)) = packed(rows.query_id(number)) else { continue };
            let slot = short.slot(bits, length);
            if let Some(entry) = slot.and_then(|slot| short.table.get_mut(slot)) {
                *entry = (bits, length, u32::try_from(number + 1).unwrap_or(0));
            }
        }
        short
    }

    /// The slot of an id, or the free one where it would be.
    #[inline]
    fn slot(&self, bits: u64, length: u32) -> Option<usize> {
        let mask = self.table.len().checked_sub(1)?;
        let mut slot = self.hasher.hash_number(bits) as usize & mask;
        loop {
            match self.table.get(slot)? {
                (_, _, 0) => return Some(slot),
                (own, size, _) if *own == bits && *size == length => return Some(slot),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    #[inline]
    pub(super) fn find(&self, id: &[u8], judgments: &Judgments<'_>) -> Option<usize> {
        match packed(id).and_then(|(bits, length)| self.slot(bits, length)) {
            Some(slot) => self.table.get(slot)?.2.checked_sub(1).map(|number| number as usize),
            None => judgments.rows().find(id),
        }
    }
}

/// The bytes of a short id as one number, and their count.
#[inline]
fn packed(id: &[u8]) -> Option<(u64, u32)> {
    let length = u32::try_from(id.len()).ok()?;
    if id.len() > SHORT {
        return None;
    }
    if let (Some(first), Some(last)) = (id.first_chunk::<4>(), id.last_chunk::<4>()) {
        return Some((
            u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last)),
            length,
        ));
    }
    Some((id.iter().fold(0, |bits, &byte| bits << 8 | u64::from(byte)), length))
}
