//! A square table of bits.

use crate::known::Known;
use std::ops::Range;

#[derive(Debug, Clone)]
pub(super) struct Bits {
    side: usize,
    /// Words a row.
    words: usize,
    table: Vec<u64>,
}

const WORD: usize = u64::BITS as usize;

impl Bits {
    pub(super) fn new(side: usize) -> Self {
        let words = side.div_ceil(WORD).max(1);
        Self { side, words, table: vec![0; side * words] }
    }

    pub(super) fn side(&self) -> usize {
        self.side
    }

    pub(super) fn row(&self, row: usize) -> &[u64] {
        self.table.known(row * self.words..(row + 1) * self.words)
    }

    pub(super) fn get(&self, row: usize, column: usize) -> bool {
        has(self.row(row), column)
    }

    pub(super) fn clear(&mut self, row: usize, column: usize) {
        if let Some(word) = self.table.get_mut(row * self.words + column / WORD) {
            *word &= !(1 << (column % WORD));
        }
    }

    /// Sets the bits of another row in a row.
    pub(super) fn add(&mut self, row: usize, others: &[u64]) {
        let words = self.table.known_mut(row * self.words..(row + 1) * self.words);
        words.iter_mut().zip(others).for_each(|(word, other)| *word |= other);
    }

    /// The transitive closure (Warshall's algorithm).
    pub(super) fn close(&mut self) {
        for by in 0..self.side {
            let reached = self.row(by).to_vec();
            for row in 0..self.side {
                if self.get(row, by) {
                    self.add(row, &reached);
                }
            }
        }
    }
}

/// An empty row.
pub(super) fn none(bits: &Bits) -> Vec<u64> {
    vec![0; bits.words]
}

pub(super) fn has(row: &[u64], column: usize) -> bool {
    row.get(column / WORD).is_some_and(|word| word >> (column % WORD) & 1 == 1)
}

pub(super) fn set(row: &mut [u64], column: usize) {
    *row.known_mut(column / WORD) |= 1 << (column % WORD);
}

/// How many columns of a range are set in a row, and not in another one.
pub(super) fn ones(row: &[u64], but: &[u64], columns: Range<usize>) -> u64 {
    let mut ones = 0;
    for (at, (word, but)) in row.iter().zip(but).enumerate() {
        let first = columns.start.max(at * WORD);
        let end = columns.end.min((at + 1) * WORD);
        if first < end {
            let kept = u64::MAX >> (WORD - (end - first)) << (first - at * WORD);
            ones += u64::from((word & !but & kept).count_ones());
        }
    }
    ones
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_within_a_range() {
        let bits = Bits::new(200);
        let mut row = none(&bits);
        for column in (0..200).step_by(3) {
            set(&mut row, column);
        }
        let mut but = none(&bits);
        set(&mut but, 66);
        for (first, end) in [(0, 200), (1, 66), (63, 65), (64, 128), (60, 190), (66, 67), (5, 5), (199, 200)]
        {
            let expected = (first..end).filter(|column| column % 3 == 0 && *column != 66).count();
            assert_eq!(ones(&row, &but, first..end), expected as u64, "{first}..{end}");
        }
    }

    #[test]
    fn closure_is_transitive() {
        let mut bits = Bits::new(130);
        for (from, to) in [(0, 100), (100, 129), (129, 7)] {
            let mut row = none(&bits);
            set(&mut row, to);
            bits.add(from, &row);
        }
        bits.close();
        for (from, to, reached) in [(0, 7, true), (100, 7, true), (7, 0, false), (0, 0, false)] {
            assert_eq!(bits.get(from, to), reached, "{from} {to}");
        }
    }
}
