//! A square table of bits.

use crate::known::Known;

const WORD: usize = u64::BITS as usize;

#[derive(Debug, Clone)]
pub(super) struct Bits(Vec<Vec<u64>>);

impl Bits {
    pub(super) fn new(side: usize) -> Self {
        Self(vec![vec![0; side.div_ceil(WORD)]; side])
    }

    pub(super) fn get(&self, row: usize, column: usize) -> bool {
        *self.0.known(row).known(column / WORD) >> (column % WORD) & 1 == 1
    }

    pub(super) fn set(&mut self, row: usize, column: usize, bit: bool) {
        let word = self.0.known_mut(row).known_mut(column / WORD);
        *word = *word & !(1 << (column % WORD)) | u64::from(bit) << (column % WORD);
    }

    /// The transitive closure (Warshall's algorithm).
    pub(super) fn close(&mut self) {
        for by in 0..self.0.len() {
            let reached = self.0.known(by).clone();
            for row in 0..self.0.len() {
                if self.get(row, by) {
                    self.0.known_mut(row).iter_mut().zip(&reached).for_each(|(word, other)| *word |= other);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closure_is_transitive() {
        let mut bits = Bits::new(130);
        for (from, to) in [(0, 100), (100, 129), (129, 7), (5, 5)] {
            bits.set(from, to, true);
        }
        bits.set(5, 5, false);
        bits.close();
        for (from, to, reached) in
            [(0, 7, true), (0, 129, true), (100, 7, true), (7, 0, false), (0, 0, false), (5, 5, false)]
        {
            assert_eq!(bits.get(from, to), reached, "{from} {to}");
        }
    }
}
