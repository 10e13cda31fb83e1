//! Sums of numbers with random signs.
//!
//! Eight units have 256 choices of signs, whose sums are written into a table once. A resample then
//! costs a random byte and an addition for eight units. The tables of 64 units, which is what one
//! random word serves, are 16 kilobytes, and stay in the processor's nearest cache while a job's
//! resamples go over them.

use super::jobs;
use super::random::{Purpose, Stream};
use crate::error::Result;
use crate::parallel::{self, Pace};

/// Units to a table: those of a byte.
const BYTE: usize = 8;
/// Units to a random word.
const WORD: usize = 64;
/// Resamples per job, so that their sums stay in cache together with the tables.
const JOB: usize = 1024;
/// Words whose tables are held at a time: 16 megabytes.
const HELD: usize = 1024;

/// For each choice of the signs of eight units, their sum; a bit that is set is a minus.
type Table = [f64; 256];
/// The tables of 64 units; where there are fewer, the others count 0.
type Tables = [Table; BYTE];

/// The sums of the contributions of units, each with a random sign, one a resample.
pub fn flip_sums(
    contributions: &[f64],
    resamples: usize,
    seed: u64,
    pace: &mut Pace<'_>,
) -> Result<Vec<f64>> {
    let stream = Stream::new(seed, Purpose::Signs);
    let words = contributions.len().div_ceil(WORD);
    let jobs = jobs(resamples, JOB);
    let mut sums = vec![0.0; resamples];
    for (held, units) in contributions.chunks(HELD * WORD).enumerate() {
        let tables: Vec<Tables> = units.chunks(WORD).map(tables).collect();
        let parts = parallel::run(
            jobs.len(),
            pace,
            || (),
            |(), index| {
                let (first, count) = jobs.get(index).copied().unwrap_or_default();
                let mut sums = vec![0.0; count];
                for (word, tables) in (held * HELD..).zip(&tables) {
                    for (resample, sum) in (first..).zip(&mut sums) {
                        *sum += signed(tables, stream.at((resample * words + word) as u64));
                    }
                }
                Ok(sums)
            },
        )?;
        for (sum, part) in sums.iter_mut().zip(parts.iter().flatten()) {
            *sum += part;
        }
    }
    Ok(sums)
}

/// The largest absolute sum among several columns, each of as many units, which have one sign in all
/// columns; one a resample.
pub fn flip_maxima(
    columns: &[f64],
    units: usize,
    resamples: usize,
    seed: u64,
    pace: &mut Pace<'_>,
) -> Result<Vec<f64>> {
    let mut maxima = vec![0.0f64; resamples];
    for column in columns.chunks_exact(units.max(1)) {
        let sums = flip_sums(column, resamples, seed, pace)?;
        for (largest, sum) in maxima.iter_mut().zip(sums) {
            *largest = largest.max(sum.abs());
        }
    }
    Ok(maxima)
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
    // A byte is always within a table, which the compiler sees.
    let of = |table: &Table, byte: u8| table.get(usize::from(byte)).copied().unwrap_or_default();
    ((of(ta, a) + of(tb, b)) + (of(tc, c) + of(td, d))) + ((of(te, e) + of(tf, f)) + (of(tg, g) + of(th, h)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::paced;
    use super::*;

    fn numbers(count: usize) -> Vec<f64> {
        (0..count).map(|index| ((index * 37 % 101) as f64 - 40.0) / 64.0).collect()
    }

    /// The same, one unit at a time; the numbers are fractions of 64, so that sums are exact.
    fn one_by_one(contributions: &[f64], resample: usize, seed: u64) -> f64 {
        let stream = Stream::new(seed, Purpose::Signs);
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
    fn tables_add_what_one_unit_after_the_other_does() {
        for units in [1, 7, 8, 9, 63, 64, 65, 1000, HELD * WORD + 5] {
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
    fn threads_change_nothing() {
        let values = numbers(300);
        let one = paced(1, |pace| flip_sums(&values, 5000, 0, pace));
        let three = paced(3, |pace| flip_sums(&values, 5000, 0, pace));
        assert_eq!(one, three);
        assert_ne!(one, paced(1, |pace| flip_sums(&values, 5000, 1, pace)));
    }

    #[test]
    fn a_unit_has_one_sign_in_all_columns() {
        let values = numbers(90);
        let double: Vec<f64> = values.iter().map(|value| -2.0 * value).collect();
        let both: Vec<f64> = values.iter().chain(&double).copied().collect();
        let sums = paced(2, |pace| flip_sums(&values, 2000, 0, pace));
        let maxima = paced(2, |pace| flip_maxima(&both, 90, 2000, 0, pace));
        assert!(sums.iter().zip(&maxima).all(|(sum, largest)| 2.0 * sum.abs() == *largest));
    }

    #[test]
    fn signs_are_even_and_independent() {
        // Of 100 units of 1, the sum has mean 0 and variance 100.
        let sums = paced(2, |pace| flip_sums(&[1.0; 100], 100_000, 0, pace));
        let mean = sums.iter().sum::<f64>() / 1e5;
        let variance = sums.iter().map(|sum| sum * sum).sum::<f64>() / 1e5;
        assert!(mean.abs() < 4.0 * 10.0 / 1e5f64.sqrt(), "{mean}");
        assert!((variance - 100.0).abs() < 4.0 * 100.0 * (2.0 / 1e5f64).sqrt(), "{variance}");
    }

    #[test]
    fn nothing_to_sum() {
        assert_eq!(paced(2, |pace| flip_sums(&[], 3, 0, pace)), [0.0; 3]);
        assert_eq!(paced(2, |pace| flip_maxima(&[], 0, 3, 0, pace)), [0.0; 3]);
        assert!(paced(2, |pace| flip_sums(&[1.0], 0, 0, pace)).is_empty());
    }
}
