//! Sums of numbers with random signs.
//!
//! A table has the sums of eight units for all 256 choices of their signs. A resample then needs one random
//! byte and one addition per eight units. A random word has signs for 64 units, whose tables take 16 KiB and
//! stay in the L1 cache while a job goes through its resamples.

use super::random::{Purpose, RandomStream};
use super::{jobs, plan};
use crate::error::Result;
use crate::known::Known;
use crate::parallel::{self, Pace};

/// Units per table: one per bit of a byte.
const BYTE: usize = 8;
/// Units per random word.
const WORD: usize = 64;
/// Resamples per job, so that their sums stay in cache together with the tables.
const JOB: usize = 1024;
/// The number of words whose tables are in memory at a time: 16 MiB.
const WORDS_AT_ONCE: usize = 1024;

/// The sum of eight units for each choice of signs. A set bit is a minus.
type SignTable = [f64; 256];
/// The tables of 64 units. Missing units count as 0.
type Tables = [SignTable; BYTE];

/// Computes the sum of all contributions with random signs, one per resample.
pub fn flip_sums(
    contributions: &[f64],
    resamples: usize,
    seed: u64,
    pace: &mut Pace<'_>,
) -> Result<Vec<f64>> {
    plan(pace, lookups(contributions.len(), resamples));
    add_flipped(contributions, resamples, seed, pace)
}

/// The count of numbers that [`add_flipped`] adds up.
pub(super) fn lookups(units: usize, resamples: usize) -> usize {
    units.div_ceil(WORD) * BYTE * resamples
}

/// As [`flip_sums`], as a part of a call that has planned it.
pub(super) fn add_flipped(
    contributions: &[f64],
    resamples: usize,
    seed: u64,
    pace: &mut Pace<'_>,
) -> Result<Vec<f64>> {
    let stream = RandomStream::new(seed, Purpose::Signs);
    let words = contributions.len().div_ceil(WORD);
    let jobs = jobs(resamples, JOB);
    let mut sums = vec![0.0; resamples];
    for (chunk, units) in contributions.chunks(WORDS_AT_ONCE * WORD).enumerate() {
        let tables: Vec<Tables> = units.chunks(WORD).map(tables).collect();
        let progress = pace.progress;
        let parts = parallel::run(
            jobs.len(),
            pace,
            || (),
            |(), index| {
                let (first, count) = *jobs.known(index);
                let mut sums = vec![0.0; count];
                for (word, tables) in (chunk * WORDS_AT_ONCE..).zip(&tables) {
                    for (resample, sum) in (first..).zip(&mut sums) {
                        *sum += signed(tables, stream.at((resample * words + word) as u64));
                    }
                }
                progress.advance(lookups(units.len(), count) as u64)?;
                Ok(sums)
            },
        )?;
        for (sum, part) in sums.iter_mut().zip(parts.iter().flatten()) {
            *sum += part;
        }
    }
    Ok(sums)
}

fn tables(units: &[f64]) -> Tables {
    let mut tables = [[0.0; 256]; BYTE];
    for (table, units) in tables.iter_mut().zip(units.chunks(BYTE)) {
        for (signs, sum) in table.iter_mut().enumerate() {
            for (bit, unit) in units.iter().enumerate() {
                *sum += if signs >> bit & 1 == 0 { *unit } else { -unit };
            }
        }
    }
    tables
}

#[inline]
fn signed(tables: &Tables, signs: u64) -> f64 {
    let [a, b, c, d, e, f, g, h] = signs.to_le_bytes();
    let [ta, tb, tc, td, te, tf, tg, th] = tables;
    // The compiler removes the bounds check, because a table has 256 entries.
    let of = |table: &SignTable, byte: u8| *table.known(usize::from(byte));
    ((of(ta, a) + of(tb, b)) + (of(tc, c) + of(td, d))) + ((of(te, e) + of(tf, f)) + (of(tg, g) + of(th, h)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::paced;
    use super::*;

    fn numbers(count: usize) -> Vec<f64> {
        (0..count).map(|index| ((index * 37 % 101) as f64 - 40.0) / 64.0).collect()
    }

    /// Computes a sum unit by unit. The numbers are multiples of 1/64, so that sums are exact.
    fn one_by_one(contributions: &[f64], resample: usize, seed: u64) -> f64 {
        let stream = RandomStream::new(seed, Purpose::Signs);
        let words = contributions.len().div_ceil(WORD);
        (0..)
            .zip(contributions)
            .map(|(unit, value)| {
                let word = stream.at((resample * words + unit / WORD) as u64);
                if word >> (unit % WORD) & 1 == 0 { *value } else { -value }
            })
            .sum()
    }

    #[test]
    fn tables_and_single_units_give_equal_sums() {
        for units in [1, 7, 8, 9, 63, 64, 65, 1000, WORDS_AT_ONCE * WORD + 5] {
            let values = numbers(units);
            let resamples = if units > 1000 { 3 } else { 1500 };
            let sums = paced(2, |pace| flip_sums(&values, resamples, 3, pace));
            assert_eq!(sums.len(), resamples);
            for resample in [0, 1, resamples - 1] {
                assert_eq!(sums[resample], one_by_one(&values, resample, 3), "{units} units");
            }
        }
    }

    #[test]
    fn results_do_not_depend_on_threads() {
        let values = numbers(300);
        let one = paced(1, |pace| flip_sums(&values, 5000, 0, pace));
        let three = paced(3, |pace| flip_sums(&values, 5000, 0, pace));
        assert_eq!(one, three);
        assert_ne!(one, paced(1, |pace| flip_sums(&values, 5000, 1, pace)));
    }

    #[test]
    fn a_unit_has_one_sign_in_all_calls_of_a_seed() {
        let values = numbers(90);
        let double: Vec<f64> = values.iter().map(|value| -2.0 * value).collect();
        let sums = paced(2, |pace| flip_sums(&values, 2000, 0, pace));
        let doubled = paced(2, |pace| flip_sums(&double, 2000, 0, pace));
        assert!(sums.iter().zip(&doubled).all(|(sum, other)| -2.0 * sum == *other));
    }

    #[test]
    fn signs_are_equally_likely_and_independent() {
        // Of 100 units of 1, the sum has mean 0 and variance 100.
        let sums = paced(2, |pace| flip_sums(&[1.0; 100], 100_000, 0, pace));
        let mean = sums.iter().sum::<f64>() / 1e5;
        let variance = sums.iter().map(|sum| sum * sum).sum::<f64>() / 1e5;
        assert!(mean.abs() < 4.0 * 10.0 / 1e5f64.sqrt(), "{mean}");
        assert!((variance - 100.0).abs() < 4.0 * 100.0 * (2.0 / 1e5f64).sqrt(), "{variance}");
    }

    #[test]
    fn empty_input_gives_zero_or_no_sums() {
        assert_eq!(paced(2, |pace| flip_sums(&[], 3, 0, pace)), [0.0; 3]);
        assert!(paced(2, |pace| flip_sums(&[1.0], 0, 0, pace)).is_empty());
    }
}
