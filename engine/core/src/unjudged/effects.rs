//! Which unjudged documents stand where, and what a measure is when one of them has a label.

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
}

/// A document that the run does not hold takes part in the ideal alone.
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
        let mut values = Vec::new();
        if let Some(own) = candidates.get(&query.number) {
            let ids = query.unjudged.places.iter().map(|&place| (query.id(place as usize), place as usize));
            let stands: HashMap<&[u8], usize> = ids.collect();
            let place_of = |id: &Vec<u8>| stands.get(id.as_slice()).copied().unwrap_or(usize::MAX);
            let mut places: Vec<usize> = own.iter().map(place_of).collect();
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
        Ok(Effects { query: query.number, value, bounds, values })
    })
}
