//! Permutes numbers within rows and computes the range of the column sums.

use super::random::{Purpose, RandomStream, below, numbers_a_word};
use super::{jobs, plan};
use crate::error::Result;
use crate::known::Known;
use crate::parallel::{self, Pace};

/// The count of numbers shuffled per job, which takes about a millisecond.
const JOB: usize = 1 << 19;

/// Computes the largest column sum minus the least after shuffling each row independently, one per resample.
/// `rows` has rows of `columns` numbers, one after the other.
pub fn permutation_ranges(
    rows: &[f64],
    columns: usize,
    resamples: usize,
    seed: u64,
    pace: &mut Pace<'_>,
) -> Result<Vec<f64>> {
    let stream = RandomStream::new(seed, Purpose::Orders);
    let columns = columns.max(1);
    let count = rows.len() / columns;
    let a_word = numbers_a_word(columns);
    let words = columns.div_ceil(a_word);
    // Rows are processed in pairs; an odd last row is paired with zeros.
    let nothing = vec![0.0; columns];
    let jobs = jobs(resamples, JOB.div_ceil(rows.len().max(1)));
    plan(pace, resamples * rows.len());
    let progress = pace.progress;
    let parts = parallel::run(
        jobs.len(),
        pace,
        || (Shuffle::new(columns), vec![0.0; columns]),
        |(shuffle, sums), index| {
            let (first, resamples) = *jobs.known(index);
            let mut ranges = Vec::with_capacity(resamples);
            for resample in first..first + resamples {
                sums.fill(0.0);
                for (pair, two) in rows.chunks(2 * columns).enumerate() {
                    let (one, other) = two.split_at_checked(columns).unwrap_or((&nothing, &nothing));
                    let other = if other.is_empty() { &nothing } else { other };
                    let place = (resample * count + 2 * pair) * words;
                    let words = (words as u64, a_word);
                    shuffle.two(stream, place as u64, words, one, other);
                    shuffle.add(sums);
                }
                let most = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let least = sums.iter().copied().fold(f64::INFINITY, f64::min);
                ranges.push(most - least);
            }
            progress.advance((resamples * rows.len()) as u64)?;
            Ok(ranges)
        },
    )?;
    Ok(parts.into_iter().flatten().collect())
}

/// Two shuffled rows. Shuffling two at once takes a third less time, because the processor can work on one
/// while it waits for the other.
struct Shuffle {
    one: Vec<f64>,
    other: Vec<f64>,
}

impl Shuffle {
    fn new(columns: usize) -> Self {
        Self { one: vec![0.0; columns], other: vec![0.0; columns] }
    }

    /// Shuffles two rows inside out: each number goes to a random position up to its own, and the number that
    /// was there moves to the end. D. E. Knuth: The Art of Computer Programming 2, section 3.4.2, algorithm
    /// P; for copying as well, R. Durstenfeld: Algorithm 235. CACM 7(7), 1964.
    #[inline]
    fn two(
        &mut self,
        stream: RandomStream,
        place: u64,
        (words, a_word): (u64, usize),
        one: &[f64],
        other: &[f64],
    ) {
        let mut at = 0;
        for (place, (one, other)) in (place..).zip(one.chunks(a_word).zip(other.chunks(a_word))) {
            let (mut word, mut other_word) = (stream.at(place), stream.at(place + words));
            for (number, other_number) in one.iter().zip(other) {
                put(&mut self.one, at, below(&mut word, at + 1), *number);
                put(&mut self.other, at, below(&mut other_word, at + 1), *other_number);
                at += 1;
            }
        }
    }

    #[inline]
    fn add(&self, sums: &mut [f64]) {
        for (sum, (one, other)) in sums.iter_mut().zip(self.one.iter().zip(&self.other)) {
            *sum += one + other;
        }
    }
}

/// Puts a number at the drawn position, and the number that was there at the end.
#[inline]
fn put(shuffled: &mut [f64], end: usize, drawn: usize, number: f64) {
    let displaced = *shuffled.known(drawn);
    *shuffled.known_mut(end) = displaced;
    *shuffled.known_mut(drawn) = number;
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::testing::paced;
    use super::*;

    #[test]
    fn all_orders_of_both_rows_are_equally_likely() {
        let stream = RandomStream::new(0, Purpose::Orders);
        let mut shuffle = Shuffle::new(4);
        let row = [1.0, 2.0, 4.0, 8.0];
        let mut counts: HashMap<Vec<u8>, u32> = HashMap::new();
        let mut other_counts = counts.clone();
        let mut same = 0;
        for place in 0..24_000 {
            shuffle.two(stream, 2 * place, (1, numbers_a_word(4)), &row, &row);
            let order = |row: &[f64]| row.iter().map(|number| *number as u8).collect::<Vec<u8>>();
            *counts.entry(order(&shuffle.one)).or_default() += 1;
            *other_counts.entry(order(&shuffle.other)).or_default() += 1;
            same += u32::from(shuffle.one == shuffle.other);
        }
        for counts in [counts, other_counts] {
            assert_eq!(counts.len(), 24);
            // 1,000 each, with a standard deviation of 31.
            assert!(counts.values().all(|count| count.abs_diff(1000) < 150), "{counts:?}");
        }
        assert!(same.abs_diff(1000) < 150, "{same}");
    }

    #[test]
    fn rows_that_need_several_random_words_are_shuffled() {
        let stream = RandomStream::new(0, Purpose::Orders);
        let row: Vec<f64> = (0..200).map(f64::from).collect();
        let mut shuffle = Shuffle::new(200);
        let a_word = numbers_a_word(200);
        shuffle.two(stream, 0, (200u64.div_ceil(a_word as u64), a_word), &row, &row);
        assert_ne!(shuffle.one, row);
        assert_ne!(shuffle.one, shuffle.other);
        for mut shuffled in [shuffle.one, shuffle.other] {
            shuffled.sort_unstable_by(f64::total_cmp);
            assert_eq!(shuffled, row);
        }
    }

    #[test]
    fn results_do_not_depend_on_threads() {
        let rows: Vec<f64> = (0..707u32).map(|index| f64::from(index * 37 % 101)).collect();
        let one = paced(1, |pace| permutation_ranges(&rows, 7, 3000, 5, pace));
        assert_eq!(one, paced(3, |pace| permutation_ranges(&rows, 7, 3000, 5, pace)));
        assert_eq!(one.len(), 3000);
        assert_ne!(one[0], one[1]);
    }

    #[test]
    fn range_of_two_columns_is_the_sum_of_signed_differences() {
        // Three rows with differences 1, 2 and 4: 1, 3, 5 and 7, equally often.
        let ranges = paced(2, |pace| permutation_ranges(&[0.0, 1.0, 3.0, 1.0, 0.0, 4.0], 2, 40_000, 0, pace));
        for size in [1.0, 3.0, 5.0, 7.0] {
            let count = ranges.iter().filter(|range| **range == size).count();
            assert!(count.abs_diff(10_000) < 400, "{count}");
        }
    }
}
