//! Finds duplicates and judged documents of large blocks by sorting hashes, which takes a sixth of the memory
//! of a hash table and reads it in order.

use super::ids::Hashed;
use crate::hash::IdHasher;
use crate::known::Known;

/// The hashes of the rows' ids in ascending order: as many of the upper bits as there is room for, and below
/// them the row.
pub(super) struct SortedIds<'w> {
    words: &'w mut Vec<u64>,
    /// The bits of the row.
    rows: u64,
}

impl<'w> SortedIds<'w> {
    /// Sorts the ids. Equal hashes are in the order of their rows.
    pub(super) fn new<I: Hashed>(ids: I, hasher: &IdHasher, words: &'w mut Vec<u64>) -> Self {
        let rows = (ids.rows() as u64).next_power_of_two() - 1;
        words.clear();
        words.extend((0..ids.rows()).map(|row| ids.hash(row, hasher) & !rows | row as u64));
        words.sort_unstable();
        Self { words, rows }
    }

    /// The rows that repeat a document, ascending, each with the first row of its document.
    pub(super) fn repeats<I: Hashed>(&self, ids: I) -> Vec<(u32, u32)> {
        let mut repeats = Vec::new();
        for same in self.words.chunk_by(|a, b| a | self.rows == b | self.rows) {
            for (index, &word) in same.iter().enumerate().skip(1) {
                let row = self.row(word);
                let first = same.iter().take(index).find(|&&other| ids.same(self.row(other), row));
                if let Some(&first) = first {
                    repeats.push((index_of(row), index_of(self.row(first))));
                }
            }
        }
        repeats.sort_unstable();
        repeats
    }

    /// For each id, the first row that has it.
    pub(super) fn find_all<'k, I: Hashed>(
        &self,
        ids: I,
        hasher: &IdHasher,
        sought: impl ExactSizeIterator<Item = &'k [u8]>,
    ) -> Vec<Option<u32>> {
        let mut found = vec![None; sought.len()];
        let mut keys: Vec<(u64, usize, I::Key<'k>)> = Vec::with_capacity(sought.len());
        for (number, id) in sought.enumerate() {
            if let Some(key) = ids.key(id) {
                keys.push((I::hash_key(key, hasher) & !self.rows, number, key));
            }
        }
        keys.sort_unstable_by_key(|(hash, number, _)| (*hash, *number));
        let mut rest = self.words.as_slice();
        for (hash, number, key) in keys {
            while let Some((word, after)) = rest.split_first()
                && word & !self.rows < hash
            {
                rest = after;
            }
            let same = rest.iter().take_while(|&&word| word & !self.rows == hash);
            let row = same.map(|&word| self.row(word)).find(|&row| ids.is(row, key));
            *found.known_mut(number) = row.map(index_of);
        }
        found
    }

    /// The first row with an id.
    pub(super) fn find<I: Hashed>(&self, ids: I, hasher: &IdHasher, id: &[u8]) -> Option<usize> {
        let key = ids.key(id)?;
        let hash = I::hash_key(key, hasher) & !self.rows;
        let start = self.words.partition_point(|word| word & !self.rows < hash);
        let same = self.words.get(start..)?.iter().take_while(|&&word| word & !self.rows == hash);
        same.map(|&word| self.row(word)).find(|&row| ids.is(row, key))
    }

    fn row(&self, word: u64) -> usize {
        usize::try_from(word & self.rows).unwrap_or(usize::MAX)
    }
}

fn index_of(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Ids;
    use crate::rows::Span;

    #[test]
    fn finds_repeats_and_first_rows() {
        let texts: Vec<String> = (0..3000u32).map(|row| format!("d{}", row * 37 % 2500)).collect();
        let mut arena = Vec::new();
        let spans: Vec<Span> = texts
            .iter()
            .map(|text| {
                let at = arena.len() as u64;
                arena.extend_from_slice(text.as_bytes());
                Span { at, length: u32::try_from(text.len()).unwrap() }
            })
            .collect();
        let (ids, hasher, mut words) =
            (Ids { arena: &arena, spans: &spans }, IdHasher::default(), Vec::new());
        let sorted = SortedIds::new(ids, &hasher, &mut words);
        let first = |text: &String| texts.iter().position(|other| other == text).unwrap();
        let expected: Vec<(u32, u32)> = texts
            .iter()
            .enumerate()
            .map(|(row, text)| (index_of(row), index_of(first(text))))
            .filter(|(row, first)| row != first)
            .collect();
        assert_eq!(sorted.repeats(ids), expected);
        let sought: Vec<String> = (0..2600).rev().map(|number| format!("d{number}")).collect();
        let found = sorted.find_all(ids, &hasher, sought.iter().map(String::as_bytes));
        for (id, row) in sought.iter().zip(found) {
            let expected = texts.iter().position(|text| text == id);
            assert_eq!(row.map(|row| row as usize), expected);
            assert_eq!(sorted.find(ids, &hasher, id.as_bytes()), expected);
        }
    }
}
