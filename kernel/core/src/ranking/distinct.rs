//! Tells whether numbers differ from each other. A table of them would tell as much, but costs more.

/// Up to this many numbers are compared with those before them, and one more for each `NUMBERS_EACH`.
const COMPARED: usize = 8;
const NUMBERS_EACH: usize = 64;

/// At most so many numbers are looked at. The share that is compared with others grows with their count.
pub(super) const MOST: usize = 1 << 11;

/// A set bit for each hash. Numbers whose bit was set before are compared with all before them.
#[derive(Default)]
pub(super) struct Distinct {
    bits: Vec<u64>,
    /// The places of numbers whose bit was set before; those beyond their count are old.
    again: Vec<u32>,
}

impl Distinct {
    /// Whether all numbers differ. Also false if it would take too long to say.
    pub(super) fn are(&mut self, numbers: &[u64], hash: impl Fn(u64) -> u64) -> bool {
        let Self { bits, again } = self;
        let count = numbers.len();
        if count > MOST {
            return false;
        }
        let words = (2 * count).next_power_of_two();
        bits.clear();
        bits.resize(words, 0);
        again.resize(again.len().max(count), 0);
        // 128 bits for each number or more, so that few share one.
        let shift = u64::BITS - (64 * words).trailing_zeros();
        let mut shared = 0;
        for (place, &number) in (0..).zip(numbers) {
            let hash = hash(number) >> shift;
            let bit = 1 << (hash % 64);
            let (Some(word), Some(slot)) = (bits.get_mut((hash / 64) as usize), again.get_mut(shared)) else {
                return false;
            };
            // Without a branch, which would often be mispredicted.
            *slot = place;
            shared += usize::from(*word & bit != 0);
            *word |= bit;
        }
        shared <= COMPARED + count / NUMBERS_EACH
            && again.iter().take(shared).all(|&place| {
                let (before, rest) = numbers.split_at(place as usize);
                !rest.first().is_some_and(|&number| has(before, number))
            })
    }
}

/// Whether a number is among others. Without an early exit, this takes a vector instruction or two for each
/// few of them.
#[inline]
fn has(numbers: &[u64], number: u64) -> bool {
    numbers.iter().fold(false, |found, &other| found | (other == number))
}

/// The place of a number among others.
#[inline]
pub(super) fn position(numbers: &[u64], number: u64) -> Option<usize> {
    const AT_ONCE: usize = 32;
    let chunk = numbers.chunks(AT_ONCE).position(|chunk| has(chunk, number))?;
    let within = numbers.get(chunk * AT_ONCE..)?.iter().position(|&other| other == number)?;
    Some(chunk * AT_ONCE + within)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::IdHasher;

    fn differ(numbers: &[u64]) -> bool {
        let hasher = IdHasher::default();
        Distinct::default().are(numbers, |number| hasher.hash_number(number))
    }

    #[test]
    fn equal_numbers_are_found_anywhere() {
        for count in [0, 1, 2, 3, 63, 64, 65, 100, 1000, MOST] {
            for stride in [1, 3, 1 << 20, 0x9e37_79b9_7f4a_7c15] {
                let numbers: Vec<u64> = (0..count as u64).map(|place| place.wrapping_mul(stride)).collect();
                // One seed in a hundred sets too many bits twice.
                assert!(count > 1000 || (0..9).any(|_| differ(&numbers)), "{count} {stride}");
                for (first, second) in [(0, 1), (0, count.wrapping_sub(1)), (count / 2, count / 3)] {
                    let mut twice = numbers.clone();
                    if let (Some(&number), Some(slot)) = (numbers.get(first), twice.get_mut(second))
                        && first != second
                    {
                        *slot = number;
                        assert!(!differ(&twice), "{count} {stride} {first} {second}");
                    }
                }
            }
        }
    }

    #[test]
    fn more_numbers_are_not_looked_at() {
        let numbers: Vec<u64> = (0..=MOST as u64).collect();
        assert!(!differ(&numbers));
    }

    #[test]
    fn positions_are_the_first() {
        let numbers: Vec<u64> = (0..100).map(|number| number % 70).collect();
        for number in 0..70 {
            assert_eq!(position(&numbers, number), usize::try_from(number).ok());
        }
        assert_eq!(position(&numbers, 70), None);
        assert_eq!(position(&[], 0), None);
    }
}
