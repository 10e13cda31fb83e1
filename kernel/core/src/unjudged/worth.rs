//! Measures that never fall when a document is worth more: sums of gains, ERR, graded RBP, and nDCG with an
//! ideal that does not depend on the judgments.
//!
//! Their extremes are where all documents are worth the least and the most. Only a query with nothing
//! relevant may have another value by convention; among the other labelings, the least has one document at
//! the end of the ranking that is worth the least above nothing.

use super::trial::Trial;
use crate::error::Result;

pub fn extremes(trial: &mut Trial<'_>, grades: &[f64], worth: impl Fn(f64) -> f64) -> Result<()> {
    let by_worth = |a: &&f64, b: &&f64| worth(**a).total_cmp(&worth(**b));
    let (Some(&least), Some(&most)) = (grades.iter().min_by(by_worth), grades.iter().max_by(by_worth)) else {
        return Ok(());
    };
    trial.take(|_| least)?;
    trial.take(|_| most)?;
    let last = trial.places.len() - 1;
    if let Some(&something) = grades.iter().filter(|&&grade| worth(grade) > 0.0).min_by(by_worth) {
        trial.take(|number| if number == last { something } else { least })?;
    }
    Ok(())
}
