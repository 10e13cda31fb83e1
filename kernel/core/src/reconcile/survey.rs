//! What in the data makes a difference: asked before a space is made.

use super::Data;
use super::ranked::Ranked;
use crate::convention::Convention;
use crate::error::Result;
use crate::parallel::{Pace, run};

/// What judgments and a run have to them.
#[derive(Debug, Default)]
pub struct Survey {
    /// Queries of both.
    pub common: usize,
    /// Documents of the longest ranking, and of the largest pool.
    pub longest: usize,
    pub deepest: usize,
    /// The distinct grades, ascending; the first thousand.
    pub grades: Vec<f64>,
    /// For each convention something that is the same for those that rank alike, or what it has against
    /// the data.
    pub fingerprints: Vec<Result<u64>>,
}

const GRADES: usize = 1000;

/// Looks at the data, and ranks it under conventions of which one wants to know whether they differ.
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
            Ok(Ranked::new(data, &convention, false).map(|ranked| ranked.fingerprint))
        },
    )?;
    Ok(Survey {
        common: data.run.iter().filter(|query| data.judgments.find(query.id).is_some()).count(),
        longest: data.run.iter().map(|query| query.documents.len()).max().unwrap_or(0),
        deepest: data.judgments.iter().map(|query| query.documents.len()).max().unwrap_or(0),
        grades,
        fingerprints,
    })
}
