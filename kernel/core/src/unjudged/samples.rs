//! Evaluates measures with randomly drawn labels (Fröbe, Gienapp, Potthast and Hagen, ECIR 2023).
//!
//! A draw depends only on the seed, the query, the document and the number of the sample, not on threads. A
//! document that two systems retrieve has the same label in both if the probabilities of the grades are
//! equal.

use super::above;
use super::ranked::{Ranked, Retrieved, each_query};
use super::trial::Trial;
use crate::convention::{Convention, NothingRelevant};
use crate::error::Result;
use crate::evaluate::LEAST;
use crate::judgments::Judgments;
use crate::known::Known;
use crate::measures::Measure;
use crate::parallel::Pace;

/// The probabilities of the grades of an unjudged document.
#[derive(Debug, Clone, PartialEq)]
pub enum Prior {
    /// The frequencies among all judgments of the query.
    Pool,
    /// The frequencies among the judged documents above the cutoff in the run, smoothed with the judgments of
    /// the query, which count as one more document.
    Run,
    /// Grades, ascending, each with its probability.
    Given(Vec<(f64, f64)>),
}

/// The prior, the number of samples, and the seed.
#[derive(Debug, Clone)]
pub struct Sampling {
    pub prior: Prior,
    pub samples: usize,
    pub seed: u64,
}

/// Computes for each measure the mean over the queries that count, one per sample. `weights` are those of the
/// judged queries in byte order of the ids, without missing queries that the convention leaves out.
pub fn samples(
    judgments: &Judgments<'_>,
    retrieved: Retrieved<'_>,
    convention: &Convention,
    measures: &[Measure],
    sampling: &Sampling,
    weights: Option<&[f64]>,
    pace: &mut Pace<'_>,
) -> Result<Vec<Vec<f64>>> {
    for measure in measures {
        measure.check_bounds(convention)?;
    }
    let queries = each_query(judgments, retrieved, convention, pace, |query| {
        let mut values = Vec::with_capacity(measures.len() * sampling.samples);
        for measure in measures {
            sample_query(query, measure, convention, sampling, &mut values)?;
        }
        Ok(values)
    })?;
    let means = measures.iter().enumerate().map(|(number, measure)| {
        let first = number * sampling.samples;
        (first..first + sampling.samples)
            .map(|column| {
                let mean = mean(&queries, column, measure.geometric, convention, weights);
                convention.rounding.mean(mean)
            })
            .collect()
    });
    Ok(means.collect())
}

fn mean(
    queries: &[Vec<f64>],
    column: usize,
    geometric: bool,
    convention: &Convention,
    weights: Option<&[f64]>,
) -> f64 {
    let skips = convention.nothing_relevant == NothingRelevant::Skip;
    let (mut sum, mut whole) = (0.0, 0.0);
    for (row, values) in queries.iter().enumerate() {
        let value = *values.known(column);
        if skips && value.is_nan() {
            continue;
        }
        let value = if geometric { value.max(LEAST).ln() } else { value };
        let weight = weights.map_or(1.0, |weights| *weights.known(row));
        sum += value * weight;
        whole += weight;
    }
    let mean = sum / whole;
    if geometric { mean.exp() } else { mean }
}

/// Appends the value of a query for each sample.
fn sample_query(
    query: &Ranked<'_>,
    measure: &Measure,
    convention: &Convention,
    sampling: &Sampling,
    values: &mut Vec<f64>,
) -> Result<()> {
    let mut places: Vec<usize> = query.unjudged.places.iter().map(|&place| place as usize).collect();
    places.retain(|&place| above(query.view, measure.cutoff, place));
    let mut trial = Trial::new(measure, query.view, convention, &places);
    if places.is_empty() {
        let value = trial.value(|_| f64::NAN)?.unwrap_or(f64::NAN);
        values.extend(std::iter::repeat_n(value, sampling.samples));
        return Ok(());
    }
    let distribution = distribution_of(query, measure, &sampling.prior);
    let keys: Vec<u64> = places.iter().map(|&place| hash_ids(query.pool.query, query.id(place))).collect();
    for sample in 0..sampling.samples {
        let label = |number: usize| {
            let key = *keys.known(number);
            grade_at(&distribution, uniform(key, sampling.seed, sample as u64))
        };
        values.push(trial.value(label)?.unwrap_or(f64::NAN));
    }
    Ok(())
}

/// Returns the cumulative distribution of the grades: grades in ascending order, each with the probability of
/// it or a lower one.
fn distribution_of(query: &Ranked<'_>, measure: &Measure, prior: &Prior) -> Vec<(f64, f64)> {
    let mut distribution: Vec<(f64, f64)> = Vec::new();
    let mut add = |grade: f64, weight: f64| match distribution.iter_mut().find(|(known, _)| *known == grade) {
        Some((_, sum)) => *sum += weight,
        None => distribution.push((grade, weight)),
    };
    if let Prior::Given(given) = prior {
        given.iter().for_each(|&(grade, weight)| add(grade, weight));
    } else {
        let pool = query.pool.descending;
        pool.iter().for_each(|&grade| add(grade, 1.0 / pool.len() as f64));
        if *prior == Prior::Run {
            for (place, &grade) in query.view.grades.iter().enumerate() {
                if !grade.is_nan() && above(query.view, measure.cutoff, place) {
                    add(grade, 1.0);
                }
            }
        }
        if pool.is_empty() {
            add(0.0, 1.0);
        }
    }
    distribution.sort_by(|a, b| a.0.total_cmp(&b.0));
    let whole: f64 = distribution.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    for (_, weight) in &mut distribution {
        sum += *weight;
        *weight = sum / whole;
    }
    distribution
}

fn grade_at(distribution: &[(f64, f64)], share: f64) -> f64 {
    let found = distribution.iter().find(|(_, below)| share < *below).or(distribution.last());
    found.map_or(0.0, |&(grade, _)| grade)
}

/// Hashes both ids with FNV-1a. The byte 0xff between them does not occur in UTF-8.
fn hash_ids(query: &[u8], document: &[u8]) -> u64 {
    let bytes = query.iter().chain(&[0xff]).chain(document);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Returns a number from 0 to below 1, computed with the finalizer of SplitMix64 (Steele, Lea and Flood,
/// OOPSLA 2014).
fn uniform(key: u64, seed: u64, sample: u64) -> f64 {
    let mixed = mix(mix(mix(key) ^ seed).wrapping_add(sample.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    (mixed >> 11) as f64 / (1u64 << 53) as f64
}

fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::{grade_at, hash_ids, uniform};

    #[test]
    fn draws_are_uniform_and_independent() {
        let keys =
            [hash_ids(b"q1", b"a"), hash_ids(b"q1", b"b"), hash_ids(b"q", b"1a"), hash_ids(b"q1a", b"")];
        for key in keys {
            let below = (0..10_000).filter(|&sample| uniform(key, 7, sample) < 0.3).count();
            assert!((2_800..3_200).contains(&below), "{below}");
        }
        let both = (0..10_000)
            .filter(|&sample| uniform(keys[0], 7, sample) < 0.5 && uniform(keys[1], 7, sample) < 0.5)
            .count();
        assert!((2_300..2_700).contains(&both), "{both}");
    }

    #[test]
    fn draws_grades_by_their_probabilities() {
        let distribution = [(0.0, 0.5), (1.0, 0.5), (3.0, 1.0)];
        assert_eq!(
            (grade_at(&distribution, 0.49), grade_at(&distribution, 0.5), grade_at(&distribution, 0.99)),
            (0.0, 3.0, 3.0)
        );
    }
}
