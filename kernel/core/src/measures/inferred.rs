//! Inferred average precision (Yilmaz and Aslam, CIKM 2006), as trec_eval computes it.

use super::view::{View, is_relevant};

/// Added to the counts, so that the precision above a rank without judgments is not 0.
const SMOOTHING: f64 = 0.00001;

/// 1/R × Σ over the relevant of the precision that is expected at their rank, when the judged ones
/// are a sample of the pool. A document with a negative grade is in the pool and not judged; one
/// without a grade is not in the pool.
pub(super) fn value(view: &View<'_>, rel: f64) -> (f64, bool) {
    let relevant = view.relevant(rel);
    let rel = rel.max(0.0);
    let (mut found, mut others, mut unjudged) = (0usize, 0usize, 0usize);
    let mut sum = 0.0;
    let mut judged = |index: usize, grade: f64, unjudged: usize| {
        if !is_relevant(grade, rel) {
            others += 1;
            return;
        }
        sum += if index == 0 {
            1.0
        } else {
            let above = index as f64;
            let pool = (found + others + unjudged) as f64;
            1.0 / (above + 1.0)
                + (above / (above + 1.0))
                    * (pool / above)
                    * ((found as f64 + SMOOTHING) / ((found + others) as f64 + 2.0 * SMOOTHING))
        };
        found += 1;
    };
    if view.pool_given.iter().all(|&grade| grade >= 0.0) {
        view.each_given(None, |index, grade| judged(index, grade, 0));
    } else {
        for (index, &grade) in view.given.iter().enumerate() {
            if grade >= 0.0 {
                judged(index, grade, unjudged);
            } else if view.documents.judgments.get(index).is_some_and(|&row| row != 0) {
                unjudged += 1;
            }
        }
    }
    (if relevant == 0 { 0.0 } else { sum / relevant as f64 }, relevant == 0)
}
