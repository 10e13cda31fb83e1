//! Binary preference (Buckley and Voorhees, SIGIR 2004), in the form that trec_eval computes.

use super::view::{TieMode, View, is_relevant};
use crate::known::Known;

/// 1/R × Σ over retrieved relevant documents of 1 − min(judged non-relevant above, R) / min(N, R). Documents
/// without a judgment, and those with a negative grade, are skipped.
pub(super) fn value(view: &View<'_>, rel: f64) -> (f64, bool) {
    let relevant = view.relevant(rel);
    // Only judged documents are used, whatever the level.
    let rel = rel.max(0.0);
    if relevant == 0 {
        return (0.0, true);
    }
    let is_nonrelevant = |grade: f64| grade >= 0.0 && !is_relevant(grade, rel);
    let nonrelevant = view.pool.iter().filter(|&&grade| is_nonrelevant(grade)).count();
    let bound = nonrelevant.min(relevant) as f64;
    let worth = |above: usize| {
        if above == 0 { 1.0 } else { 1.0 - above.min(relevant) as f64 / bound }
    };
    let mut above = 0;
    let mut sum = 0.0;
    if view.ties == TieMode::Expected {
        for (start, end) in view.groups() {
            let group = view.given.known(start..end);
            let own = group.iter().filter(|&&grade| is_relevant(grade, rel)).count();
            let others = group.iter().filter(|&&grade| is_nonrelevant(grade)).count();
            if own > 0 {
                // Each of them has 0..=others non-relevant ones of its group above it, all as likely.
                let total: f64 = (0..=others).fold(0.0, |total, more| total + worth(above + more));
                sum += own as f64 * total / (others + 1) as f64;
            }
            above += others;
        }
    } else {
        view.each_given(None, |_, grade| {
            if is_relevant(grade, rel) {
                sum += worth(above);
            } else if is_nonrelevant(grade) {
                above += 1;
            }
        });
    }
    (sum / relevant as f64, false)
}
