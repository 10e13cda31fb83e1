//! Finds unjudged documents, and computes the value of a measure when one of them has a label.

use std::collections::HashMap;

use super::cutoff::above;
use super::ranked::{Retrieved, each_query};
use super::trial::Trial;
use super::{extremes, has_cut_ideal};
use crate::convention::Convention;
use crate::error::Result;
use crate::judgments::Judgments;
use crate::measures::Measure;
use crate::parallel::Pace;

/// Unjudged documents of a query: their ids and ranks.
pub(super) type UnjudgedRanks = Vec<(Vec<u8>, usize)>;

/// Returns for each judged query, in byte order of the ids, its number in the judgments and the unjudged
/// documents that can rank above a depth.
pub fn documents(
    judgments: &Judgments<'_>,
    retrieved: Retrieved<'_>,
    convention: &Convention,
    depth: Option<usize>,
    pace: &mut Pace<'_>,
) -> Result<Vec<(usize, UnjudgedRanks)>> {
    each_query(judgments, retrieved, convention, pace, |query| {
        let places = query.unjudged.places.iter().map(|&place| place as usize);
        let found = places.filter(|&place| above(query.view, depth, place));
        Ok((query.number, found.map(|place| (query.id(place).to_vec(), place + 1)).collect()))
    })
}

/// The maximum number of labelings of a query that are evaluated one by one.
pub(super) const LABELINGS: usize = 1024;

/// The ids of the documents to label, by the number of the query in the judgments.
pub type Candidates = HashMap<usize, Vec<Vec<u8>>>;

/// The values of a measure for a query without labels and with labels. NaN if the query does not count.
#[derive(Debug, Clone)]
pub struct Effects {
    /// The number of the query in the judgments.
    pub query: usize,
    /// The value without labels.
    pub value: f64,
    /// The least and the greatest value over the labels of all candidates together.
    pub bounds: (f64, f64),
    /// The value for each candidate (outer) and grade (inner), if only that candidate has a label.
    pub values: Vec<f64>,
    /// The value for each labeling of all candidates; the grade of the last candidate changes first. Empty if
    /// there are more than [`LABELINGS`].
    pub joint: Vec<f64>,
}

/// Computes the effects of labels for each judged query. A document that is not in the run affects only the
/// ideal.
pub fn effects(
    judgments: &Judgments<'_>,
    retrieved: Retrieved<'_>,
    convention: &Convention,
    measure: &Measure,
    (candidates, grades): (&Candidates, &[f64]),
    pace: &mut Pace<'_>,
) -> Result<Vec<Effects>> {
    measure.check_bounds(convention)?;
    each_query(judgments, retrieved, convention, pace, |query| {
        let mut trial = Trial::new(measure, query.view, convention, &[]);
        let value = trial.value(|_| f64::NAN)?.unwrap_or(f64::NAN);
        let mut bounds = (value, value);
        let (mut values, mut joint) = (Vec::new(), Vec::new());
        if let Some(ids_to_label) = candidates.get(&query.number) {
            let ids = query.unjudged.places.iter().map(|&place| (query.id(place as usize), place as usize));
            let place_by_id: HashMap<&[u8], usize> = ids.collect();
            let place_of = |id: &Vec<u8>| place_by_id.get(id.as_slice()).copied().unwrap_or(usize::MAX);
            let mut places: Vec<usize> = ids_to_label.iter().map(place_of).collect();
            if let Some(count) = labelings(grades.len(), ids_to_label.len()) {
                let mut trial = Trial::new(measure, query.view, convention, &places);
                for labeling in 0..count {
                    let label = |number| grade_of(labeling, number, ids_to_label.len(), grades);
                    joint.push(trial.value(label)?.unwrap_or(f64::NAN));
                }
            }
            places.sort_unstable();
            // An ideal of the cut list does not depend on other documents.
            if has_cut_ideal(measure) {
                places.retain(|&place| above(query.view, measure.cutoff, place));
            }
            bounds = extremes(measure, query.view, convention, &places, grades)?;
            for candidate in ids_to_label {
                let place = place_of(candidate);
                let places = [place];
                let mut trial = Trial::new(measure, query.view, convention, &places);
                for &grade in grades {
                    values.push(trial.value(|_| grade)?.unwrap_or(f64::NAN));
                }
            }
        }
        Ok(Effects { query: query.number, value, bounds, values, joint })
    })
}

/// Counts the labelings; returns None if there are more than [`LABELINGS`].
fn labelings(grades: usize, documents: usize) -> Option<usize> {
    let count = grades.checked_pow(u32::try_from(documents).ok()?)?;
    (count <= LABELINGS).then_some(count)
}

/// Returns the grade of a document in a labeling. Both are given by their numbers.
fn grade_of(labeling: usize, number: usize, documents: usize, grades: &[f64]) -> f64 {
    let later = (number + 1..documents).fold(labeling, |rest, _| rest / grades.len().max(1));
    grades.get(later % grades.len().max(1)).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::{grade_of, labelings};

    #[test]
    fn enumerates_every_labeling_once() {
        let grades = [0.0, 1.0, 3.0];
        let all: Vec<[f64; 2]> =
            (0..9).map(|n| [grade_of(n, 0, 2, &grades), grade_of(n, 1, 2, &grades)]).collect();
        assert_eq!(&all[..4], &[[0.0, 0.0], [0.0, 1.0], [0.0, 3.0], [1.0, 0.0]]);
        assert_eq!(all[8], [3.0, 3.0]);
        assert_eq!((labelings(3, 2), labelings(4, 6), labelings(2, 200)), (Some(9), None, None));
    }
}
