//! Rows in descending order of their keys.

/// Sorts rows; keeps its buffers between blocks.
#[derive(Default)]
pub struct Sorter {
    /// One word per row: the distinguishing bits of its key, as far as there is room, and below them the row.
    words: Vec<u64>,
    sorted: Vec<f64>,
}

impl Sorter {
    /// Puts the rows of `order`, ascending so far, into descending order of their keys, of which `keys`
    /// has one for each row of the block; those that are equal stay as they are. `keys` then has those of
    /// `order`.
    pub fn sort(&mut self, keys: &mut Vec<f64>, order: &mut Vec<u32>) {
        let key = |row: u32| keys.get(row as usize).copied().unwrap_or(0.0);
        let (mut any, mut all) = (0, u64::MAX);
        self.words.clear();
        self.words.extend(order.iter().map(|&row| {
            let bits = descending_bits(key(row));
            any |= bits;
            all &= bits;
            bits
        }));
        // Common bits of all keys are dropped: the others move to the upper end of the word.
        let shared = (any ^ all).leading_zeros().min(63);
        let room = u64::BITS - order.last().map_or(0, |&last| u32::BITS - last.leading_zeros());
        let rows = (1u64 << (u64::BITS - room)) - 1;
        for (word, &row) in self.words.iter_mut().zip(order.iter()) {
            *word = *word << shared & !rows | u64::from(row);
        }
        self.words.sort_unstable();
        order.clear();
        order.extend(self.words.iter().map(|&word| (word & rows) as u32));
        let cut = rows & (any ^ all) << shared != 0;
        if cut {
            self.order_cut(rows, order, |row| descending_bits(key(row)));
        }
        self.sorted.clear();
        self.sorted.extend(order.iter().map(|&row| key(row)));
        std::mem::swap(keys, &mut self.sorted);
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
        let (mut keys, mut order) = (keys.to_vec(), rows.to_vec());
        Sorter::default().sort(&mut keys, &mut order);
        (keys, order)
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
