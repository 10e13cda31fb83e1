//! Counter-based random numbers: each depends only on the seed and its position.
//!
//! These are the numbers of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood: Fast splittable pseudorandom
//! number generators. OOPSLA 2014), whose state is a counter: number i is a hash of the key plus i
//! times an odd constant.

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The purpose of random numbers. Each purpose has its own stream, even with the same seed.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Signs = 1,
    Orders = 2,
    Drawn = 3,
}

/// A stream of 2^64 random numbers, addressed by position.
#[derive(Clone, Copy)]
pub(super) struct RandomStream {
    key: u64,
}

impl RandomStream {
    pub(super) fn new(seed: u64, purpose: Purpose) -> Self {
        // Hash twice, so that the streams of seeds 0, 1, 2, ... are far apart.
        Self { key: mix(mix(seed.wrapping_add(STEP)).wrapping_add((purpose as u64).wrapping_mul(STEP))) }
    }

    #[inline]
    pub(super) fn at(self, place: u64) -> u64 {
        mix(self.key.wrapping_add(place.wrapping_add(1).wrapping_mul(STEP)))
    }
}

#[inline]
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// Returns how many numbers below `most` may be drawn from one 64-bit word, so that the probabilities of any
/// two numbers differ by at most one part in 2^32.
pub(super) fn numbers_a_word(most: usize) -> usize {
    const ENOUGH: usize = 16;
    let mut product = 1u128;
    (1..=ENOUGH)
        .take_while(|_| {
            product = product.saturating_mul(most.max(2) as u128);
            product <= 1 << 32
        })
        .count()
        .max(1)
}

/// Draws a number below `range` from a word and leaves the remaining randomness in it: the word is a
/// fraction, which is multiplied by the range and split into its integer and fractional parts. D. Lemire, N.
/// Brackett-Rozinsky: Batched ranged random integer generation. Software: Practice and Experience 55(1),
/// 2025.
#[inline]
pub(super) fn below(word: &mut u64, range: usize) -> usize {
    let product = u128::from(*word) * range as u128;
    *word = product as u64;
    (product >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_equal_those_of_splitmix64() {
        // The first outputs of the reference program for the state 1234567.
        let stream = RandomStream { key: 1_234_567 };
        let found: Vec<u64> = (0..5).map(|place| stream.at(place)).collect();
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn each_seed_and_purpose_has_its_own_stream() {
        let mut keys: Vec<u64> = (0..1000)
            .flat_map(|seed| {
                [Purpose::Signs, Purpose::Orders, Purpose::Drawn]
                    .map(|purpose| RandomStream::new(seed, purpose).key)
            })
            .collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 3000);
    }

    #[test]
    fn numbers_of_one_word_are_all_equally_likely() {
        let stream = RandomStream::new(0, Purpose::Drawn);
        let a_word = numbers_a_word(7);
        assert_eq!(a_word, 11);
        let mut counts = vec![[0u32; 7]; a_word];
        for place in 0..70_000 {
            let mut word = stream.at(place);
            for count in &mut counts {
                count[below(&mut word, 7)] += 1;
            }
        }
        // 10,000 each, with a standard deviation of 93.
        assert!(counts.iter().flatten().all(|count| count.abs_diff(10_000) < 460), "{counts:?}");
    }

    #[test]
    fn large_ranges_use_one_word_per_number() {
        assert_eq!(numbers_a_word(1), 16);
        assert_eq!(numbers_a_word(50), 5);
        assert_eq!(numbers_a_word(1 << 16), 2);
        assert_eq!(numbers_a_word((1 << 16) + 1), 1);
        assert_eq!(numbers_a_word(usize::MAX), 1);
    }
}
