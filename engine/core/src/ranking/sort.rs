//! Rows in descending order of their keys.

/// Sorts rows; keeps its buffers between blocks.
#[derive(Default)]
pub struct Sorter {
    /// One word a row: what tells its key from the others, as far as there is room, and below it the row.
    words: Vec<u64>,
    sorted: Vec<f64>,
    /// Keys seen so far, where equal ones are looked for: open addressing; 0, which is no key, is free.
    seen: Vec<u64>,
    /// Whether the block before had equal keys: then this one is likely to have some.
    pub had_ties: bool,
}

/// What keys differ in, and where it goes in a word.
struct Packing {
    /// The bits below which keys differ.
    shared: u32,
    /// Ones where the row stands.
    rows: u64,
    /// Whether something that keys differ in has no room.
    cut: bool,
}

impl Sorter {
    /// Puts the rows of `order`, ascending so far, into descending order of their keys, of which `keys`
    /// has one for each row of the block; those that are equal stay as they are. `keys` then has those of
    /// `order`.
    pub fn sort(&mut self, keys: &mut Vec<f64>, order: &mut Vec<u32>) {
        let packing = self.spread(keys, order);
        self.pack(&packing, order);
        self.words.sort_unstable();
        order.clear();
        order.extend(self.words.iter().map(|&word| (word & packing.rows) as u32));
        let key = |row: u32| keys.get(row as usize).copied().unwrap_or(0.0);
        if packing.cut {
            self.order_cut(packing.rows, order, |row| descending_bits(key(row)));
        }
        self.sorted.clear();
        self.sorted.extend(order.iter().map(|&row| key(row)));
        std::mem::swap(keys, &mut self.sorted);
    }

    /// As `sort`, but for the order of the rows below the first so many, which may be any. Does nothing and
    /// returns false where that is not worth it, or where keys may be equal.
    pub fn sort_above(&mut self, first: usize, keys: &mut Vec<f64>, order: &mut Vec<u32>) -> bool {
        if self.had_ties || first == 0 || order.len() < 4 * first {
            return false;
        }
        let packing = self.spread(keys, order);
        if !self.all_differ() {
            return false;
        }
        self.pack(&packing, order);
        self.words.select_nth_unstable(first);
        let (above, below) = self.words.split_at_mut(first);
        above.sort_unstable();
        if packing.cut {
            // Words of rows whose keys differ only in what was cut off tell nothing of them.
            let alike = |a: u64, b: u64| a | packing.rows == b | packing.rows;
            let last = above.last().copied().unwrap_or_default();
            if above.windows(2).any(|pair| matches!(*pair, [a, b] if alike(a, b)))
                || below.iter().any(|&word| alike(word, last))
            {
                return false;
            }
        }
        order.clear();
        order.extend(self.words.iter().map(|&word| (word & packing.rows) as u32));
        let key = |row: u32| keys.get(row as usize).copied().unwrap_or(0.0);
        self.sorted.clear();
        self.sorted.extend(order.iter().map(|&row| key(row)));
        std::mem::swap(keys, &mut self.sorted);
        true
    }

    /// Takes the bits of the keys of `order` into words.
    fn spread(&mut self, keys: &[f64], order: &[u32]) -> Packing {
        let (mut any, mut all) = (0, u64::MAX);
        self.words.clear();
        self.words.extend(order.iter().map(|&row| {
            let bits = descending_bits(keys.get(row as usize).copied().unwrap_or(0.0));
            any |= bits;
            all &= bits;
            bits
        }));
        // Bits that all keys share tell nothing: what is left moves to the upper end of the word.
        let shared = (any ^ all).leading_zeros().min(63);
        let rows = match order.last() {
            Some(&last) => (1u64 << (u32::BITS - last.leading_zeros())) - 1,
            None => 0,
        };
        Packing { shared, rows, cut: rows & (any ^ all) << shared != 0 }
    }

    fn pack(&mut self, packing: &Packing, order: &[u32]) {
        for (word, &row) in self.words.iter_mut().zip(order) {
            *word = *word << packing.shared & !packing.rows | u64::from(row);
        }
    }

    /// Whether no two of the words, which are the bits of keys, are the same.
    fn all_differ(&mut self) -> bool {
        let size = (self.words.len() * 2).next_power_of_two();
        self.seen.clear();
        self.seen.resize(size, 0);
        for &bits in &self.words {
            let mut slot = (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (size - 1);
            loop {
                let Some(entry) = self.seen.get_mut(slot) else { return false };
                if *entry == bits {
                    return false;
                }
                if *entry == 0 {
                    *entry = bits;
                    break;
                }
                slot = (slot + 1) & (size - 1);
            }
        }
        true
    }

    /// Orders the rows whose words are the same but for the row: their keys may differ in what was cut off.
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

    /// The first rows are those of a whole sort, or nothing is done.
    #[test]
    fn sorts_the_first_as_a_whole_sort_does() {
        let mut state = 11u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 11
        };
        let mut done = 0;
        for round in 0..400u32 {
            let rows = 1 + round * 3;
            let first = (1 + random() % 30) as usize;
            let keys: Vec<f64> = (0..rows)
                .map(|_| match round % 4 {
                    0 => random() as f64 / (1u64 << 53) as f64,
                    1 => (random() % 900_000) as f64 - 450_000.0,
                    2 => f64::from_bits(1.0f64.to_bits() + random() % 4_000_000),
                    // Apart from one, all differ in their last bits alone.
                    _ => {
                        f64::from_bits(if random() % 100 == 0 { 1 << 62 } else { 5 << 52 } + random() % 8192)
                    }
                })
                .collect();
            let order: Vec<u32> = (0..rows).collect();
            let (whole, ranks) = sorted(&keys, &order);
            let (mut own, mut rows_of) = (keys.clone(), order.clone());
            if Sorter::default().sort_above(first, &mut own, &mut rows_of) {
                done += 1;
                assert_eq!(own[..first], whole[..first]);
                assert_eq!(rows_of[..first], ranks[..first]);
                assert!(own.iter().zip(&rows_of).all(|(key, &row)| *key == keys[row as usize]));
                rows_of.sort_unstable();
                assert_eq!(rows_of, order);
                assert!(whole.windows(2).all(|pair| pair[0] != pair[1]));
            } else {
                assert_eq!((own, rows_of), (keys, order));
            }
        }
        assert!(done > 100);
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
