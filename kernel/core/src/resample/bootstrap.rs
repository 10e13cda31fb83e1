//! Bootstrap means: means of units drawn with replacement.

use super::random::{Purpose, RandomStream, below, numbers_a_word};
use super::{jobs, plan};
use crate::error::Result;
use crate::known::Known;
use crate::parallel::{self, Pace};

/// The number of units drawn per job, which takes about a millisecond.
const JOB: usize = 1 << 19;

/// A stratum of units: what each unit adds to the numerator and the denominator of its mean.
pub struct Stratum<'a> {
    pub contributions: &'a [f64],
    pub shares: &'a [f64],
}

/// Computes bootstrap means, one per resample.
///
/// From each stratum as many units are drawn with replacement as it has. The result is the unweighted mean
/// over strata of sum(contributions) / sum(shares) of the drawn units.
pub fn bootstrap_means(
    strata: &[Stratum<'_>],
    resamples: usize,
    seed: u64,
    pace: &mut Pace<'_>,
) -> Result<Vec<f64>> {
    let units: usize = strata.iter().map(|stratum| stratum.contributions.len()).sum();
    let plans: Vec<SamplePlan<'_>> = plans(strata, seed);
    let words: usize = plans.iter().map(|plan| plan.words).sum();
    let jobs = jobs(resamples, JOB.div_ceil(units.max(1)));
    plan(pace, resamples * units);
    let progress = pace.progress;
    let parts = parallel::run(
        jobs.len(),
        pace,
        || (),
        |(), index| {
            let (first, count) = *jobs.known(index);
            let mean = |resample: usize| {
                let mut place = (resample * words) as u64;
                let total: f64 = plans
                    .iter()
                    .map(|plan| {
                        let ratio = plan.ratio(place);
                        place += plan.words as u64;
                        ratio
                    })
                    .sum();
                total / strata.len() as f64
            };
            let means = (first..first + count).map(mean).collect::<Vec<f64>>();
            progress.advance((count * units) as u64)?;
            Ok(means)
        },
    )?;
    Ok(parts.into_iter().flatten().collect())
}

/// A stratum, and how random numbers are drawn for it.
struct SamplePlan<'a> {
    contributions: &'a [f64],
    shares: &'a [f64],
    /// The sum of the shares if they are all equal, so that the drawn ones need not be added up.
    total: Option<f64>,
    stream: RandomStream,
    /// How many numbers are drawn from a random word.
    a_word: usize,
    /// Random words per resample.
    words: usize,
}

fn plans<'a>(strata: &[Stratum<'a>], seed: u64) -> Vec<SamplePlan<'a>> {
    let stream = RandomStream::new(seed, Purpose::Drawn);
    let plan = |stratum: &Stratum<'a>| {
        let size = stratum.contributions.len();
        let a_word = numbers_a_word(size);
        let first = stratum.shares.first().copied().unwrap_or_default();
        let even = stratum.shares.iter().all(|share| *share == first);
        SamplePlan {
            contributions: stratum.contributions,
            shares: stratum.shares,
            total: even.then(|| stratum.shares.iter().sum()),
            stream,
            a_word,
            words: size.div_ceil(a_word),
        }
    };
    strata.iter().map(plan).collect()
}

impl SamplePlan<'_> {
    fn ratio(&self, place: u64) -> f64 {
        let mut sum = 0.0;
        if let Some(total) = self.total {
            self.draw(place, |unit| sum += *self.contributions.known(unit));
            return sum / total;
        }
        let mut total = 0.0;
        self.draw(place, |unit| {
            sum += *self.contributions.known(unit);
            total += *self.shares.known(unit);
        });
        sum / total
    }

    #[inline]
    fn draw(&self, place: u64, mut drawn: impl FnMut(usize)) {
        let size = self.contributions.len();
        let mut left = size;
        for place in (place..).take(self.words) {
            let mut word = self.stream.at(place);
            for _ in 0..self.a_word.min(left) {
                drawn(below(&mut word, size));
            }
            left = left.saturating_sub(self.a_word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::paced;
    use super::*;

    fn spread(means: &[f64]) -> (f64, f64) {
        let mean = means.iter().sum::<f64>() / means.len() as f64;
        let variance = means.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / means.len() as f64;
        (mean, variance)
    }

    #[test]
    fn means_have_the_expected_mean_and_variance() {
        let values: Vec<f64> = (0..100u32).map(|index| f64::from(index * 37 % 101) / 100.0).collect();
        let shares = [1.0; 100];
        let whole = Stratum { contributions: &values, shares: &shares };
        let means = paced(2, |pace| bootstrap_means(&[whole], 50_000, 0, pace));
        let (centre, variance) = spread(&values);
        let (found, drawn) = spread(&means);
        assert!((found - centre).abs() < 4.0 * (variance / 100.0 / 5e4).sqrt(), "{found}");
        assert!((drawn / (variance / 100.0) - 1.0).abs() < 4.0 * (2.0f64 / 5e4).sqrt(), "{drawn}");
    }

    #[test]
    fn units_are_weighted_by_their_shares() {
        // 3 with a share of 1, or 1 with a share of 3: 3, 1 (from 4 / 4) or 1/3.
        let uneven = Stratum { contributions: &[3.0, 1.0], shares: &[1.0, 3.0] };
        let means = paced(2, |pace| bootstrap_means(&[uneven], 40_000, 0, pace));
        for (value, expected) in [(3.0, 10_000), (1.0, 20_000), (1.0 / 3.0, 10_000)] {
            let count = means.iter().filter(|mean| **mean == value).count();
            assert!(count.abs_diff(expected) < 450, "{value}: {count}");
        }
    }

    #[test]
    fn units_are_drawn_within_strata() {
        let one = Stratum { contributions: &[0.5, 0.5, 0.5], shares: &[1.0; 3] };
        let other = Stratum { contributions: &[2.0, 4.0], shares: &[1.0; 2] };
        let means = paced(2, |pace| bootstrap_means(&[one, other], 1000, 0, pace));
        assert!(means.iter().all(|mean| [1.25, 1.75, 2.25].contains(mean)));
        assert!(means.contains(&1.25) && means.contains(&2.25));
    }

    #[test]
    fn results_do_not_depend_on_threads() {
        let values: Vec<f64> = (0..333u32).map(|index| f64::from(index * 37 % 101)).collect();
        let shares: Vec<f64> = (0..333u32).map(|index| f64::from(index % 4 + 1)).collect();
        let means = |threads| {
            let whole = Stratum { contributions: &values, shares: &shares };
            paced(threads, |pace| bootstrap_means(&[whole], 4000, 9, pace))
        };
        assert_eq!(means(1), means(3));
    }
}
