//! Bounds of measures that never decrease when the gain of a document increases: sums of gains, ERR, graded
//! RBP, and nDCG with an ideal that does not depend on the judgments.
//!
//! Their extremes are those where all documents have the least and the greatest gain. Only a query with no
//! relevant documents may have another value by convention. Among the other labelings, the least value has
//! one document with a gain, the least one above 0, at the end of the ranking.

use super::trial::Trial;
use crate::error::Result;

pub(super) fn extremes(trial: &mut Trial<'_>, grades: &[f64], gain: impl Fn(f64) -> f64) -> Result<()> {
    let by_gain = |a: &&f64, b: &&f64| gain(**a).total_cmp(&gain(**b));
    let (Some(&least), Some(&most)) = (grades.iter().min_by(by_gain), grades.iter().max_by(by_gain)) else {
        return Ok(());
    };
    trial.add_labels(|_| least)?;
    trial.add_labels(|_| most)?;
    let last = trial.places.len() - 1;
    if let Some(&something) = grades.iter().filter(|&&grade| gain(grade) > 0.0).min_by(by_gain) {
        trial.add_labels(|number| if number == last { something } else { least })?;
    }
    Ok(())
}
