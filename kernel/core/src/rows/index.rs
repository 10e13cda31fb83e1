//! Finds ids that are stored elsewhere.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use hashbrown::HashTable;

use crate::error::Result;
use crate::hash::IdHasher;
use crate::memory;

/// A hash index over ids that are stored elsewhere. Each entry keeps half of its hash, so that growing the
/// table and most lookups need not read the ids.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    table: HashTable<(u32, u32)>,
    hasher: IdHasher,
}

impl Index {
    #[inline]
    pub(super) fn find<'a>(&self, id: &[u8], of: impl Fn(u32) -> &'a [u8]) -> Option<u32> {
        let half = self.half(id);
        let found = self.table.find(spread(half), |&(own, index)| own == half && of(index) == id);
        found.map(|&(_, index)| index)
    }

    /// An index of so many distinct ids.
    pub(super) fn of<'a>(ids: usize, of: impl Fn(u32) -> &'a [u8]) -> Self {
        let mut index = Self::default();
        index.table.reserve(ids, |&(own, _)| spread(own));
        for (number, _) in (0..).zip(0..ids) {
            index.insert(of(number), number);
        }
        index
    }

    /// The id must not be there yet.
    pub(super) fn insert(&mut self, id: &[u8], index: u32) {
        let half = self.half(id);
        self.table.insert_unique(spread(half), (half, index), |&(own, _)| spread(own));
    }

    /// Reserves room for ids, or returns an error if memory is exhausted.
    pub(super) fn try_reserve(&mut self, ids: usize) -> Result<()> {
        self.table.try_reserve(ids, |&(own, _)| spread(own)).map_err(|_| memory::exhausted())
    }

    #[inline]
    fn half(&self, id: &[u8]) -> u32 {
        (self.hasher.hash(id) >> 32) as u32
    }
}

/// Expands half of a hash to the form that the table needs, which uses the lowest and highest bits.
#[inline]
fn spread(half: u32) -> u64 {
    u64::from(half).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The largest number of bytes of an index per id.
const ENTRY: usize = 24;

/// The number of searches after which an index is built.
const FEW: u32 = 1 << 10;

/// Finds distinct ids that are sorted: the first few by binary search, then with an index.
///
/// Ids that are asked for in their order are found without searching, so the index of a large table is
/// often not needed.
#[derive(Debug, Default)]
pub(super) struct Lookup {
    index: OnceLock<Index>,
    searches: AtomicU32,
}

impl Lookup {
    /// With an index that has been built already.
    pub(super) fn with(index: Index) -> Self {
        Self { index: OnceLock::from(index), searches: AtomicU32::new(0) }
    }

    /// The number of an id; `sorted` has the numbers in byte order of the ids.
    #[inline]
    pub(super) fn find<'a>(&self, id: &[u8], sorted: &[u32], of: impl Fn(u32) -> &'a [u8]) -> Option<u32> {
        match self.index.get() {
            Some(index) => index.find(id, of),
            None => self.search(id, sorted, of),
        }
    }

    #[cold]
    fn search<'a>(&self, id: &[u8], sorted: &[u32], of: impl Fn(u32) -> &'a [u8]) -> Option<u32> {
        // Another thread may build it at the same time. Waiting for it could block a forked process, which
        // does not have that thread.
        if self.searches.fetch_add(1, Ordering::Relaxed) >= FEW && memory::check(sorted.len() * ENTRY).is_ok()
        {
            let index = Index::of(sorted.len(), &of);
            let found = index.find(id, of);
            let _ = self.index.set(index);
            return found;
        }
        let place = sorted.binary_search_by(|&number| of(number).cmp(id)).ok()?;
        sorted.get(place).copied()
    }
}

impl Clone for Lookup {
    fn clone(&self) -> Self {
        self.index.get().cloned().map(Self::with).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_ids_before_and_after_the_index_is_built() {
        let ids: Vec<String> = (0..200).map(|number| (number * 37 % 1000).to_string()).collect();
        let of = |number: u32| ids.get(number as usize).map_or(&[][..], |id| id.as_bytes());
        let mut sorted: Vec<u32> = (0..200).collect();
        sorted.sort_by_key(|&number| of(number));
        let lookup = Lookup::default();
        for round in 0..=FEW / 100 {
            for number in 0..200 {
                assert_eq!(lookup.find(of(number), &sorted, of), Some(number));
            }
            for other in ["", "1000", "0x", "99999999999"] {
                assert_eq!(lookup.find(other.as_bytes(), &sorted, of), None);
            }
            assert_eq!(lookup.index.get().is_some(), (round + 1) * 204 > FEW);
        }
        assert_eq!(lookup.clone().find(of(7), &sorted, of), Some(7));
    }
}
