//! Surveys the data to find out which policies make a difference, before a space is built.

use super::ranked::RankedRuns;
use super::space::Data;
use crate::convention::Convention;
use crate::error::Result;
use crate::parallel::{Pace, run};
use crate::rows::Rows;

/// Properties of judgments and runs.
#[derive(Debug, Default)]
pub struct Survey {
    /// The number of judged queries of the run with the fewest.
    pub common: usize,
    /// The number of documents of the longest ranking.
    pub longest: usize,
    /// The number of judged documents of the query with the most.
    pub deepest: usize,
    /// The distinct grades, ascending, at most 1000.
    pub grades: Vec<f64>,
    /// For each convention a fingerprint, which is equal for equal rankings, or the error if it refuses the
    /// data.
    pub fingerprints: Vec<Result<u64>>,
}

const GRADES: usize = 1000;

/// Surveys the data, and ranks it under conventions to find out which of them rank differently.
pub fn survey(data: &Data<'_>, conventions: &[Convention], pace: &mut Pace<'_>) -> Result<Survey> {
    let mut grades = data.judgments.values().to_vec();
    grades.sort_unstable_by(f64::total_cmp);
    grades.dedup();
    grades.truncate(GRADES);
    let progress = pace.progress;
    let fingerprints = run(
        conventions.len(),
        pace,
        || (),
        |(), number| {
            progress.advance(0)?;
            let convention = conventions.get(number).cloned().unwrap_or_default();
            Ok(RankedRuns::new(data, &convention, false).map(|ranked| ranked.fingerprint))
        },
    )?;
    let common = |run: &Rows| run.iter().filter(|query| data.judgments.find(query.id).is_some()).count();
    Ok(Survey {
        common: data.runs.iter().map(|(run, _)| common(run)).min().unwrap_or(0),
        longest: data
            .runs
            .iter()
            .flat_map(|(run, _)| run.iter())
            .map(|query| query.documents.len())
            .max()
            .unwrap_or(0),
        deepest: data.judgments.iter().map(|query| query.documents.len()).max().unwrap_or(0),
        grades,
        fingerprints,
    })
}
