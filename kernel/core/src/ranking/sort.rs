//! Rows in descending order of their keys.

use super::distinct::Distinct;
use crate::hash::IdHasher;

/// From this many rows per selected row on, selecting is faster than sorting.
const ROWS_EACH: usize = 4;

/// Sorts rows; keeps its buffers between blocks.
#[derive(Default)]
pub(super) struct Sorter {
    /// One word per row: the distinguishing bits of its key, as far as there is room, and below them the row.
    words: Vec<u64>,
    distinct: Distinct,
    hasher: IdHasher,
}

/// From this many rows on, memory is returned.
const LARGE: usize = 1 << 20;

impl Sorter {
    /// Puts the rows of `order`, ascending so far, into descending order of their keys; those that are equal
    /// stay as they are. Appends the keys of `order` to `keys`.
    #[inline(always)]
    pub(super) fn sort(&mut self, key: impl Fn(u32) -> f64, order: &mut Vec<u32>, keys: &mut Vec<f64>) {
        self.words.clear();
        self.words.extend(order.iter().map(|&row| descending_bits(key(row))));
        let (rows, cut) = self.add_rows(order);
        self.words.sort_unstable();
        order.clear();
        order.extend(self.words.iter().map(|&word| (word & rows) as u32));
        if cut {
            self.order_cut(rows, order, |row| descending_bits(key(row)));
        }
        if self.words.len() >= LARGE {
            self.words = Vec::new();
        }
        keys.extend(order.iter().map(|&row| key(row)));
    }

    /// Puts the rows of the `count` largest keys first, in descending order, and the others after them in any
    /// order. `order` has all rows, ascending. Returns false, and leaves the order as it was, if some keys are
    /// equal or nearly so, or if sorting all of them is faster.
    pub(super) fn select(
        &mut self,
        keys: impl Iterator<Item = f64>,
        order: &mut Vec<u32>,
        count: usize,
    ) -> bool {
        if count == 0 || order.len() / ROWS_EACH < count {
            return false;
        }
        self.words.clear();
        self.words.extend(keys.map(descending_bits));
        if !self.distinct.are(&self.words, |word| self.hasher.hash_number(word)) {
            return false;
        }
        let (rows, _) = self.add_rows(order);
        let (above, next, _) = self.words.select_nth_unstable(count);
        above.sort_unstable();
        // Words that differ only in the row may have the order of the rows and not of the keys.
        let next = *next | rows;
        let near = above.windows(2).any(|pair| matches!(pair, [a, b] if a | rows == b | rows));
        if near || above.last().is_some_and(|last| last | rows == next) {
            return false;
        }
        order.clear();
        order.extend(self.words.iter().map(|&word| (word & rows) as u32));
        true
    }

    /// Replaces the lowest bits of the words by their rows, whose numbers ascend. Returns which bits, and
    /// whether keys may differ in the replaced ones.
    fn add_rows(&mut self, order: &[u32]) -> (u64, bool) {
        let bits = |(any, all), &word: &u64| (any | word, all & word);
        let (any, all) = self.words.iter().fold((0, u64::MAX), bits);
        // Common bits of all keys are dropped: the others move to the upper end of the word.
        let shared = (any ^ all).leading_zeros().min(63);
        let room = u64::BITS - order.last().map_or(0, |&last| u32::BITS - last.leading_zeros());
        let rows = (1u64 << (u64::BITS - room)) - 1;
        for (word, &row) in self.words.iter_mut().zip(order) {
            *word = *word << shared & !rows | u64::from(row);
        }
        (rows, rows & (any ^ all) << shared != 0)
    }

    /// Orders the rows whose words differ only in the row: their keys may differ in dropped bits.
    fn order_cut(&self, rows: u64, order: &mut [u32], bits: impl Fn(u32) -> u64) {
        let mut rest = order;
        for same in self.words.chunk_by(|a, b| a | rows == b | rows) {
            let Some((group, below)) = rest.split_at_mut_checked(same.len()) else { return };
            if group.len() > 1 {
                group.sort_unstable_by_key(|&row| (bits(row), row));
            }
            rest = below;
        }
    }
}

/// Maps a number to bits that sort in the opposite order of the numbers.
#[inline]
fn descending_bits(key: f64) -> u64 {
    let bits = key.to_bits();
    if bits >> 63 == 1 { bits } else { !(bits | 1 << 63) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(keys: &[f64], rows: &[u32]) -> (Vec<f64>, Vec<u32>) {
        let (mut sorted, mut order) = (Vec::new(), rows.to_vec());
        Sorter::default().sort(|row| keys[row as usize], &mut order, &mut sorted);
        (sorted, order)
    }

    #[test]
    fn selects_as_sorting_does() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut sorter = Sorter::default();
        let mut selected = 0;
        for most in [50, 10_000, 1 << 31] {
            for rows in [1u32, 4, 39, 40, 41, 100, 1000, 3000] {
                for near in [false, true] {
                    // Near keys differ only in bits for which a word has no room.
                    let key = |word: u64| {
                        if near { f64::from_bits(1.0f64.to_bits() + word % 4096) } else { word as f64 }
                    };
                    let mut keys: Vec<f64> = (0..rows).map(|_| key(random(most))).collect();
                    if near && let Some(first) = keys.first_mut() {
                        *first = -1.0;
                    }
                    let all: Vec<u32> = (0..rows).collect();
                    let mut order = all.clone();
                    if sorter.select(keys.iter().copied(), &mut order, 10) {
                        selected += 1;
                        let (_, sorted) = sorted(&keys, &all);
                        assert_eq!(order[..10], sorted[..10]);
                        order.sort_unstable();
                    }
                    assert_eq!(order, all);
                }
            }
        }
        assert!(selected > 3);
        // Equal keys, wherever they are, need the policy on ties.
        let mut keys: Vec<f64> = (0..100).map(f64::from).collect();
        keys[7] = keys[3];
        assert!(!sorter.select(keys.into_iter(), &mut (0..100).collect(), 10));
    }

    /// Keys that differ in any bits, also in those for which a word has no room.
    #[test]
    fn sorts_as_a_stable_sort_does() {
        let mut state = 7u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let makes: [fn(u64) -> f64; 6] = [
            |word| word as f64,
            |word| f64::from_bits(1.0f64.to_bits() + word % 5),
            |word| if word & 1 == 0 { f64::from_bits(word % 3) } else { -f64::from_bits(word % 4 + 1) },
            |word| f64::from((word as f32).sin()),
            |word| (word as f64).exp() * if word & 2 == 0 { -1.0 } else { 1.0 },
            |word| if word & 4 == 0 { f64::MAX } else { -f64::MAX } / (1 + word % 2) as f64,
        ];
        for make in makes {
            for rows in [0u32, 1, 2, 3, 20, 33, 100, 1000, 5000] {
                let keys: Vec<f64> = (0..rows).map(|_| make(random(600)) + 0.0).collect();
                for some in [false, true] {
                    let own: Vec<u32> = (0..rows).filter(|_| !some || random(3) > 0).collect();
                    let mut expected = own.clone();
                    expected.sort_by(|&a, &b| keys[b as usize].total_cmp(&keys[a as usize]));
                    let (values, order) = sorted(&keys, &own);
                    assert_eq!(order, expected);
                    assert!(values.iter().zip(&order).all(|(value, &row)| *value == keys[row as usize]));
                    assert_eq!(values.len(), order.len());
                }
            }
        }
    }
}
