//! Ranges of the sums of columns, the numbers of each row in random order.

use super::jobs;
use super::random::{Purpose, Stream, below, numbers_a_word};
use crate::error::Result;
use crate::parallel::{self, Pace};

/// Numbers shuffled in a job: about a millisecond.
const JOB: usize = 1 << 19;

/// For rows of `columns` numbers, one after the other: the largest sum of a column minus the least,
/// each row having been put in a random order of its own; one a resample.
pub fn permutation_ranges(
    rows: &[f64],
    columns: usize,
    resamples: usize,
    seed: u64,
    pace: &mut Pace<'_>,
) -> Result<Vec<f64>> {
    let stream = Stream::new(seed, Purpose::Orders);
    let columns = columns.max(1);
    let count = rows.len() / columns;
    let a_word = numbers_a_word(columns);
    // A row draws columns - 1 numbers.
    let words = (columns - 1).div_ceil(a_word);
    let jobs = jobs(resamples, JOB.div_ceil(rows.len().max(1)));
    let parts = parallel::run(
        jobs.len(),
        pace,
        || (vec![0.0; columns], vec![0.0; columns]),
        |(shuffled, sums), index| {
            let (first, resamples) = jobs.get(index).copied().unwrap_or_default();
            let mut ranges = Vec::with_capacity(resamples);
            for resample in first..first + resamples {
                sums.fill(0.0);
                for (row, numbers) in rows.chunks_exact(columns).enumerate() {
                    let place = (resample * count + row) * words;
                    add_shuffled(numbers, shuffled, sums, stream, place as u64, a_word);
                }
                let most = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let least = sums.iter().copied().fold(f64::INFINITY, f64::min);
                ranges.push(most - least);
            }
            Ok(ranges)
        },
    )?;
    Ok(parts.into_iter().flatten().collect())
}

/// Adds a row to the sums in a random order: from the last column on, each takes one of the numbers
/// that are left, and the last of them its place. R. A. Fisher, F. Yates: Statistical tables, 1938; R.
/// Durstenfeld: Algorithm 235. CACM 7(7), 1964.
#[inline]
fn add_shuffled(
    row: &[f64],
    shuffled: &mut [f64],
    sums: &mut [f64],
    stream: Stream,
    mut place: u64,
    a_word: usize,
) {
    shuffled.copy_from_slice(row);
    let mut left = row.len();
    // All that share a word.
    for sums in sums.rchunks_mut(a_word) {
        let mut word = stream.at(place);
        place += 1;
        for sum in sums.iter_mut().rev() {
            let Some((last, others)) = shuffled.get_mut(..left).and_then(<[f64]>::split_last_mut) else {
                return;
            };
            let taken = below(&mut word, left);
            left -= 1;
            // Taking the last one leaves the others as they are.
            *sum += others.get_mut(taken).map_or(*last, |other| std::mem::replace(other, *last));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::testing::paced;
    use super::*;

    #[test]
    fn all_orders_of_a_row_are_equally_likely() {
        let stream = Stream::new(0, Purpose::Orders);
        let row = [1.0, 2.0, 4.0, 8.0];
        let mut counts: HashMap<Vec<u8>, u32> = HashMap::new();
        for place in 0..24_000 {
            let (mut shuffled, mut sums) = ([0.0; 4], [0.0; 4]);
            add_shuffled(&row, &mut shuffled, &mut sums, stream, place, numbers_a_word(4));
            *counts.entry(sums.iter().map(|sum| *sum as u8).collect()).or_default() += 1;
        }
        assert_eq!(counts.len(), 24);
        // 1,000 each, with a standard deviation of 31.
        assert!(counts.values().all(|count| count.abs_diff(1000) < 150), "{counts:?}");
    }

    #[test]
    fn rows_longer_than_a_word_are_shuffled_whole() {
        let stream = Stream::new(0, Purpose::Orders);
        let row: Vec<f64> = (0..200).map(f64::from).collect();
        let (mut shuffled, mut sums) = (vec![0.0; 200], vec![0.0; 200]);
        add_shuffled(&row, &mut shuffled, &mut sums, stream, 0, numbers_a_word(200));
        assert_ne!(sums, row);
        sums.sort_unstable_by(f64::total_cmp);
        assert_eq!(sums, row);
    }

    #[test]
    fn threads_change_nothing() {
        let rows: Vec<f64> = (0..700u32).map(|index| f64::from(index * 37 % 101)).collect();
        let one = paced(1, |pace| permutation_ranges(&rows, 7, 3000, 5, pace));
        assert_eq!(one, paced(3, |pace| permutation_ranges(&rows, 7, 3000, 5, pace)));
        assert_eq!(one.len(), 3000);
        assert_ne!(one[0], one[1]);
    }

    #[test]
    fn of_two_columns_the_range_is_the_sum_of_signed_differences() {
        // Three rows with differences 1, 2 and 4: 1, 3, 5 and 7, equally often.
        let ranges = paced(2, |pace| permutation_ranges(&[0.0, 1.0, 3.0, 1.0, 0.0, 4.0], 2, 40_000, 0, pace));
        for size in [1.0, 3.0, 5.0, 7.0] {
            let count = ranges.iter().filter(|range| **range == size).count();
            assert!(count.abs_diff(10_000) < 400, "{count}");
        }
    }
}
