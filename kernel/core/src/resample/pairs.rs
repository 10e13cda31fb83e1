//! Resampled differences of pairs of columns.
//!
//! The resampled difference of two systems is the difference of their resampled sums, if both have the same
//! random numbers. So m columns are resampled instead of m (m - 1) / 2 pairs. A job takes some resamples of
//! all columns, which stay in cache while it goes through the pairs.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::signs::{add_flipped, lookups};
use super::{jobs, plan};
use crate::error::Result;
use crate::known::Known;
use crate::parallel::{self, Pace};

/// Resamples per job: those of 200 columns take 400 KB.
const JOB: usize = 256;
/// Pairs per job, where a job takes all resamples of a pair.
const PAIRS: usize = 64;
/// The number of pairs with their own resamples that are in memory at a time.
const DIRECT: usize = 64;

/// How the signs of units are chosen.
#[derive(Clone, Copy)]
pub enum Signs {
    /// All choices, the first without a minus.
    All,
    Random {
        resamples: usize,
        seed: u64,
    },
}

impl Signs {
    /// Computes the sums of the contributions of units under each choice of signs.
    fn sums(self, contributions: &[f64], pace: &mut Pace<'_>) -> Result<Vec<f64>> {
        match self {
            Self::All => Ok(contributions.iter().fold(vec![0.0], |sums, contribution| {
                let plus = sums.iter().map(|sum| sum + contribution);
                plus.chain(sums.iter().map(|sum| sum - contribution)).collect()
            })),
            Self::Random { resamples, seed } => add_flipped(contributions, resamples, seed, pace),
        }
    }

    fn count(self, units: usize) -> usize {
        match self {
            Self::All => 1 << units,
            Self::Random { resamples, .. } => resamples,
        }
    }

    /// The count of numbers that are added up for the sums of this many columns and the differences of this
    /// many pairs.
    fn numbers(self, units: usize, columns: usize, pairs: usize) -> usize {
        let sums = match self {
            Self::All => 0,
            Self::Random { resamples, .. } => lookups(units, resamples),
        };
        columns * sums + pairs * self.count(units)
    }
}

/// Computes the sums of each column under each choice of signs.
fn sums_of(contributions: &[Vec<f64>], signs: Signs, pace: &mut Pace<'_>) -> Result<Vec<Vec<f64>>> {
    let sums = |column: &Vec<f64>| {
        // A column takes too little time for the jobs to do this.
        if !(pace.tick)(pace.progress) {
            pace.progress.stop();
        }
        signs.sums(column, pace)
    };
    contributions.iter().map(sums).collect()
}

/// Two columns, by number.
#[derive(Clone, Copy, Default)]
pub struct Pair {
    pub one: usize,
    pub two: usize,
}

impl Pair {
    /// The numbers of both columns, from `first` on.
    fn of(self, columns: &[Vec<f64>], first: usize, count: usize) -> (&[f64], &[f64]) {
        let part = |column: usize| columns.known(column).known(first..first + count);
        (part(self.one), part(self.two))
    }
}

/// A pair and its statistic, the absolute difference divided by `scale`; none if that is 0.
#[derive(Clone, Copy)]
pub struct Studentized {
    pub pair: Pair,
    pub scale: f64,
    pub observed: f64,
    /// The columns are so close that their difference is resampled itself, for precision.
    pub direct: bool,
}

/// Takes the maximum of the statistics of more and more pairs under each choice of signs. Returns these
/// maxima, and for each pair how many of them, before the next pair, are at least its observed statistic.
pub fn step_down(
    contributions: &[Vec<f64>],
    pairs: &[Studentized],
    signs: Signs,
    pace: &mut Pace<'_>,
) -> Result<(Vec<f64>, Vec<usize>)> {
    let units = contributions.first().map_or(0, Vec::len);
    let direct = pairs.iter().filter(|pair| pair.direct).count();
    plan(pace, signs.numbers(units, contributions.len() + direct, pairs.len()));
    let columns = sums_of(contributions, signs, pace)?;
    let mut maxima = vec![0.0; signs.count(units)];
    let mut counts = Vec::with_capacity(pairs.len());
    let mut left = pairs;
    while !left.is_empty() {
        let direct = left.iter().enumerate().filter(|(_, pair)| pair.direct).map(|(at, _)| at).nth(DIRECT);
        let (batch, rest) = left.split_at(direct.unwrap_or(left.len()));
        let mut own = Vec::new();
        for pair in batch.iter().filter(|pair| pair.direct) {
            let (one, two) = pair.pair.of(contributions, 0, units);
            let differences: Vec<f64> = one.iter().zip(two).map(|(one, two)| one - two).collect();
            own.push(signs.sums(&differences, pace)?);
        }
        counts.extend(raise(&mut maxima, &columns, &own, batch, pace)?);
        left = rest;
    }
    Ok((maxima, counts))
}

/// Raises the maxima by the statistics of pairs, and counts for each pair those that are at least as large.
fn raise(
    maxima: &mut [f64],
    columns: &[Vec<f64>],
    own: &[Vec<f64>],
    pairs: &[Studentized],
    pace: &mut Pace<'_>,
) -> Result<Vec<usize>> {
    let counts: Vec<AtomicUsize> = pairs.iter().map(|_| AtomicUsize::new(0)).collect();
    let jobs = jobs(maxima.len(), JOB);
    let before = &*maxima;
    let progress = pace.progress;
    let parts = parallel::run(
        jobs.len(),
        pace,
        || vec![0.0; JOB],
        |differences, index| {
            let (first, count) = *jobs.known(index);
            let mut maxima = before.known(first..first + count).to_vec();
            let differences = differences.known_mut(..count);
            let mut own = own.iter();
            for (studentized, found) in pairs.iter().zip(&counts) {
                if studentized.direct {
                    let sums = own.next().map_or(&[][..], |sums| sums.known(first..first + count));
                    differences.copy_from_slice(sums);
                } else {
                    let (one, two) = studentized.pair.of(columns, first, count);
                    subtract(differences, one, two);
                }
                let (scale, observed) = (studentized.scale, studentized.observed);
                if scale > 0.0 {
                    for (most, difference) in maxima.iter_mut().zip(&*differences) {
                        let statistic = difference.abs() / scale;
                        *most = if statistic > *most { statistic } else { *most };
                    }
                }
                let reached: u64 = maxima.iter().map(|most| u64::from(*most >= observed)).sum();
                found.fetch_add(reached as usize, Ordering::Relaxed);
            }
            progress.advance((count * pairs.len()) as u64)?;
            Ok(maxima)
        },
    )?;
    for (most, raised) in maxima.iter_mut().zip(parts.iter().flatten()) {
        *most = *raised;
    }
    Ok(counts.into_iter().map(AtomicUsize::into_inner).collect())
}

fn subtract(differences: &mut [f64], one: &[f64], two: &[f64]) {
    assert!(one.len() == differences.len() && two.len() == differences.len());
    for (difference, (one, two)) in differences.iter_mut().zip(one.iter().zip(two)) {
        *difference = one - two;
    }
}

/// Counts for each pair the differences under random signs whose absolute value is at least `least`, for
/// two such values per pair.
pub fn count_far(
    contributions: &[Vec<f64>],
    pairs: &[(Pair, [f64; 2])],
    signs: Signs,
    pace: &mut Pace<'_>,
) -> Result<Vec<[usize; 2]>> {
    let units = contributions.first().map_or(0, Vec::len);
    plan(pace, signs.numbers(units, contributions.len(), pairs.len()));
    let columns = sums_of(contributions, signs, pace)?;
    let counts: Vec<[AtomicUsize; 2]> = pairs.iter().map(|_| Default::default()).collect();
    let jobs = jobs(signs.count(units), JOB);
    let progress = pace.progress;
    parallel::run(
        jobs.len(),
        pace,
        || vec![0.0; JOB],
        |differences, index| {
            let (first, count) = *jobs.known(index);
            let differences = differences.known_mut(..count);
            for ((pair, least), found) in pairs.iter().zip(&counts) {
                let (one, two) = pair.of(&columns, first, count);
                subtract(differences, one, two);
                for (least, found) in least.iter().zip(found) {
                    let far: u64 = differences.iter().map(|each| u64::from(each.abs() >= *least)).sum();
                    found.fetch_add(far as usize, Ordering::Relaxed);
                }
            }
            progress.advance((count * pairs.len()) as u64)
        },
    )?;
    Ok(counts.into_iter().map(|counts| counts.map(AtomicUsize::into_inner)).collect())
}

/// Counts for each pair the differences below the first and above the second of two values.
pub fn count_outside(
    columns: &[Vec<f64>],
    pairs: &[(Pair, [f64; 2])],
    pace: &mut Pace<'_>,
) -> Result<Vec<[usize; 2]>> {
    each_pair(columns, pairs, pace, |differences, [low, high]| {
        let below: u64 = differences.iter().map(|each| u64::from(*each < low)).sum();
        let above: u64 = differences.iter().map(|each| u64::from(*each > high)).sum();
        [below as usize, above as usize]
    })
}

/// Returns for each pair the differences of four ranks, from 0; fastest if they ascend.
pub fn order_statistics(
    columns: &[Vec<f64>],
    pairs: &[(Pair, [usize; 4])],
    pace: &mut Pace<'_>,
) -> Result<Vec<[f64; 4]>> {
    each_pair(columns, pairs, pace, |differences, ranks| {
        let (mut start, mut found) = (0, [f64::NAN; 4]);
        for (slot, rank) in found.iter_mut().zip(ranks) {
            // Everything before `start` is at most what follows.
            start = if rank < start { 0 } else { start };
            let rest = differences.known_mut(start..);
            if rank - start < rest.len() {
                *slot = *rest.select_nth_unstable_by(rank - start, f64::total_cmp).1;
                start = rank;
            }
        }
        found
    })
}

fn each_pair<A: Copy + Sync, T: Send>(
    columns: &[Vec<f64>],
    pairs: &[(Pair, A)],
    pace: &mut Pace<'_>,
    job: impl Fn(&mut [f64], A) -> T + Sync,
) -> Result<Vec<T>> {
    let count = columns.first().map_or(0, Vec::len);
    let jobs = jobs(pairs.len(), PAIRS);
    plan(pace, pairs.len());
    let progress = pace.progress;
    let parts = parallel::run(
        jobs.len(),
        pace,
        || vec![0.0; count],
        |differences, index| {
            let (first, size) = *jobs.known(index);
            let own = pairs.known(first..first + size);
            let one = |(pair, about): &(Pair, A)| {
                let (one, two) = pair.of(columns, 0, count);
                subtract(differences, one, two);
                job(differences, *about)
            };
            let found = own.iter().map(one).collect::<Vec<T>>();
            progress.advance(size as u64)?;
            Ok(found)
        },
    )?;
    Ok(parts.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::super::testing::paced;
    use super::*;

    fn columns(count: usize, units: usize) -> Vec<Vec<f64>> {
        let number = |at: usize| ((at * 37 % 101) as f64 - 40.0) / 64.0;
        (0..count).map(|column| (0..units).map(|unit| number(column * 7 + unit * 3)).collect()).collect()
    }

    fn pairs(count: usize) -> Vec<Pair> {
        (0..count).flat_map(|two| (0..two).map(move |one| Pair { one, two })).collect()
    }

    /// The numbers are multiples of 1/64, so that sums of differences are differences of sums.
    fn differences(columns: &[Vec<f64>], pair: Pair, signs: Signs) -> Vec<f64> {
        let (one, two) = pair.of(columns, 0, columns[0].len());
        let own: Vec<f64> = one.iter().zip(two).map(|(one, two)| one - two).collect();
        paced(1, |pace| signs.sums(&own, pace))
    }

    #[test]
    fn maxima_grow_by_pair() {
        let columns = columns(14, 9);
        for signs in [Signs::All, Signs::Random { resamples: 700, seed: 3 }] {
            let pairs: Vec<Studentized> = (0..)
                .zip(pairs(14))
                .map(|(at, pair)| Studentized {
                    pair,
                    scale: if at == 5 { 0.0 } else { 0.5 },
                    observed: f64::from(at) / 16.0,
                    direct: at > 6,
                })
                .collect();
            let (maxima, counts) = paced(2, |pace| step_down(&columns, &pairs, signs, pace));
            let mut expected = vec![0.0f64; maxima.len()];
            for (pair, count) in pairs.iter().zip(&counts) {
                if pair.scale > 0.0 {
                    for (most, each) in expected.iter_mut().zip(differences(&columns, pair.pair, signs)) {
                        *most = most.max(each.abs() / pair.scale);
                    }
                }
                assert_eq!(*count, expected.iter().filter(|most| **most >= pair.observed).count());
            }
            assert_eq!(maxima, expected);
        }
    }

    #[test]
    fn far_differences_are_counted() {
        let columns = columns(5, 70);
        let signs = Signs::Random { resamples: 1000, seed: 1 };
        let pairs: Vec<_> = pairs(5).into_iter().map(|pair| (pair, [1.5, 3.0])).collect();
        let found = paced(3, |pace| count_far(&columns, &pairs, signs, pace));
        for ((pair, least), counts) in pairs.iter().zip(found) {
            let own = differences(&columns, *pair, signs);
            assert_eq!(counts, least.map(|least| own.iter().filter(|each| each.abs() >= least).count()));
        }
    }

    #[test]
    fn order_statistics_are_those_of_sorted_differences() {
        let columns = columns(4, 333);
        let ranks = [5, 6, 332, 0];
        let pairs: Vec<_> = pairs(4).into_iter().map(|pair| (pair, ranks)).collect();
        let found = paced(2, |pace| order_statistics(&columns, &pairs, pace));
        let outside: Vec<_> = pairs.iter().map(|(pair, _)| (*pair, [-0.1, 0.2])).collect();
        let counts = paced(2, |pace| count_outside(&columns, &outside, pace));
        for (((pair, _), found), counts) in pairs.iter().zip(found).zip(counts) {
            let (one, two) = pair.of(&columns, 0, 333);
            let mut sorted: Vec<f64> = one.iter().zip(two).map(|(one, two)| one - two).collect();
            sorted.sort_by(f64::total_cmp);
            assert_eq!(found, ranks.map(|rank| sorted[rank]));
            let below = sorted.iter().filter(|each| **each < -0.1).count();
            assert_eq!(counts, [below, sorted.iter().filter(|each| **each > 0.2).count()]);
        }
    }
}
