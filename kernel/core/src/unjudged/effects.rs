//! Finds unjudged documents, and computes the value of a measure when one of them has a label.

use std::collections::HashMap;

use super::ranked::{Held, each_query};
use super::trial::Trial;
use super::{above, cut_ideal, extremes};
use crate::convention::Convention;
use crate::error::Result;
use crate::judgments::Judgments;
use crate::measures::Measure;
use crate::parallel::Pace;

/// Unjudged documents of a query: their ids and ranks.
pub type Documents = Vec<(Vec<u8>, usize)>;

/// Of each judged query in byte order of the ids, its number in the judgments and the unjudged documents that
/// can stand above a depth.
pub fn documents(
    judgments: &Judgments<'_>,
    held: Held<'_>,
    convention: &Convention,
    depth: Option<usize>,
    pace: &mut Pace<'_>,
) -> Result<Vec<(usize, Documents)>> {
    each_query(judgments, held, convention, pace, |query| {
        let places = query.unjudged.places.iter().map(|&place| place as usize);
        let own = places.filter(|&place| above(query.view, depth, place));
        Ok((query.number, own.map(|place| (query.id(place).to_vec(), place + 1)).collect()))
    })
}

/// Up to this many labelings of a query are evaluated one by one.
pub const LABELLINGS: usize = 1024;

/// Labels to try, by the number of the query in the judgments: of each document, one label at a time.
pub type Candidates = HashMap<usize, Vec<Vec<u8>>>;

/// What the measure is of a query: without labels, and for each candidate with each grade; NaN where the
/// query does not count.
#[derive(Debug, Clone)]
pub struct Effects {
    pub query: usize,
    pub value: f64,
    /// The least and the greatest value over the labels of all candidates together.
    pub bounds: (f64, f64),
    /// Grades within candidates.
    pub values: Vec<f64>,
    /// With every labelling of all candidates, the last one's grade changing first; empty where these are more
    /// than [`LABELLINGS`].
    pub joint: Vec<f64>,
}

/// A document that is not in the run takes part in the ideal only.
pub fn effects(
    judgments: &Judgments<'_>,
    held: Held<'_>,
    convention: &Convention,
    measure: &Measure,
    (candidates, grades): (&Candidates, &[f64]),
    pace: &mut Pace<'_>,
) -> Result<Vec<Effects>> {
    measure.check_bounds(convention)?;
    each_query(judgments, held, convention, pace, |query| {
        let mut trial = Trial::new(measure, query.view, convention, &[]);
        let value = trial.value(|_| f64::NAN)?.unwrap_or(f64::NAN);
        let mut bounds = (value, value);
        let (mut values, mut joint) = (Vec::new(), Vec::new());
        if let Some(own) = candidates.get(&query.number) {
            let ids = query.unjudged.places.iter().map(|&place| (query.id(place as usize), place as usize));
            let stands: HashMap<&[u8], usize> = ids.collect();
            let place_of = |id: &Vec<u8>| stands.get(id.as_slice()).copied().unwrap_or(usize::MAX);
            let mut places: Vec<usize> = own.iter().map(place_of).collect();
            if let Some(count) = labellings(grades.len(), own.len()) {
                let mut trial = Trial::new(measure, query.view, convention, &places);
                for labelling in 0..count {
                    let label = |number| grade_of(labelling, number, own.len(), grades);
                    joint.push(trial.value(label)?.unwrap_or(f64::NAN));
                }
            }
            places.sort_unstable();
            // An ideal of the cut list does not know what stands elsewhere.
            if cut_ideal(measure) {
                places.retain(|&place| above(query.view, measure.cutoff, place));
            }
            bounds = extremes(measure, query.view, convention, &places, grades)?;
            for candidate in own {
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

/// How many labellings there are, if they are few.
fn labellings(grades: usize, documents: usize) -> Option<usize> {
    let count = grades.checked_pow(u32::try_from(documents).ok()?)?;
    (count <= LABELLINGS).then_some(count)
}

/// The grade of a document, by its number among all, in a labelling, by its number.
fn grade_of(labelling: usize, number: usize, documents: usize, grades: &[f64]) -> f64 {
    let later = (number + 1..documents).fold(labelling, |rest, _| rest / grades.len().max(1));
    grades.get(later % grades.len().max(1)).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::{grade_of, labellings};

    #[test]
    fn every_labelling_comes_once() {
        let grades = [0.0, 1.0, 3.0];
        let all: Vec<[f64; 2]> =
            (0..9).map(|n| [grade_of(n, 0, 2, &grades), grade_of(n, 1, 2, &grades)]).collect();
        assert_eq!(&all[..4], &[[0.0, 0.0], [0.0, 1.0], [0.0, 3.0], [1.0, 0.0]]);
        assert_eq!(all[8], [3.0, 3.0]);
        assert_eq!((labellings(3, 2), labellings(4, 6), labellings(2, 200)), (Some(9), None, None));
    }
}
