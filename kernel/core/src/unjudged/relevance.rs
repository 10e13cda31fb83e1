//! Bounds of measures of binary relevance.
//!
//! Suppose that a given number of documents are labeled relevant. Moving one of these labels up the ranking
//! never lowers such a measure: the number of relevant documents does not change, and above no rank does it
//! become smaller. So for each number, the greatest value has the labels at the top, and the least value at
//! the bottom. A label below the cutoff only adds to the number of relevant documents: the greatest value has
//! none of these, the least value has all. The order within a group of tied documents does not matter.

use super::cutoff::above;
use super::trial::Trial;
use crate::error::Result;
use crate::known::Known;
use crate::measures::{BestCount, TieMode, View, is_relevant};

pub(super) fn extremes(trial: &mut Trial<'_>, grades: &[f64], rel: f64, best: BestCount) -> Result<()> {
    let level = rel.max(0.0);
    let relevant = grades.iter().copied().find(|&grade| is_relevant(grade, level));
    let not = grades.iter().copied().find(|&grade| !is_relevant(grade, level));
    let (yes, no) = match (relevant, not) {
        (Some(yes), Some(no)) => (yes, no),
        (Some(only), None) | (None, Some(only)) => return trial.add_labels(|_| only),
        (None, None) => return Ok(()),
    };
    let cutoff = if best == BestCount::RPrecision { None } else { trial.measure.cutoff };
    let all = trial.places.len();
    let counting = trial.places.partition_point(|&place| above(trial.view, cutoff, place));
    let label = |relevant: bool| if relevant { yes } else { no };
    for count in counts(trial, counting, rel, best, false) {
        trial.add_labels(|number| label(number < count))?;
    }
    for count in counts(trial, counting, rel, best, true) {
        trial.add_labels(|number| label(number >= counting - count))?;
    }
    if counting < all {
        // No relevant documents at all, for which the convention may define a value.
        trial.add_labels(|_| no)?;
    }
    Ok(())
}

/// Returns the numbers of relevant documents to try.
///
/// If tied documents are ordered, one more relevant document never lowers a measure that is not divided by
/// the number of relevant documents. Neither does it lower recall and F, whose numerator grows as much as the
/// divisor.
fn counts(trial: &Trial<'_>, counting: usize, rel: f64, best: BestCount, bottom: bool) -> Vec<usize> {
    let settled = trial.view.ties == TieMode::Settled;
    let mut few = vec![0, 1.min(counting), counting];
    match best {
        BestCount::AveragePrecision { capped } if settled => {
            few.push(best_of_average_precision(trial, counting, rel, capped, bottom));
        }
        BestCount::RPrecision if settled => few.push(best_of_r_precision(trial, rel, bottom)),
        BestCount::Extreme if trial.view.ties != TieMode::Expected => {}
        _ => return (0..=counting).collect(),
    }
    few.sort_unstable();
    few.dedup();
    few
}

/// Returns the number of relevant documents at the top with the greatest average precision, or at the bottom
/// with the least. Each further document adds its own precision, and 1 / rank for every relevant document
/// below it.
fn best_of_average_precision(
    trial: &Trial<'_>,
    counting: usize,
    rel: f64,
    capped: bool,
    bottom: bool,
) -> usize {
    let View { grades, .. } = trial.view;
    let depth = trial.measure.cutoff.unwrap_or(usize::MAX).min(grades.len());
    // For judged documents alone: the number of relevant ones before an index, and the sum of 1 / rank of
    // those from the index on.
    let mut before = vec![0usize; depth + 1];
    let mut shares = vec![0.0; depth + 1];
    for (index, grade) in grades.iter().enumerate().take(depth) {
        let seen = *before.known(index) + usize::from(is_relevant(*grade, rel));
        *before.known_mut(index + 1) = seen;
    }
    let mut sum = 0.0;
    for (index, grade) in grades.iter().enumerate().take(depth).rev() {
        let relevant = is_relevant(*grade, rel);
        let share = *shares.known(index + 1);
        let rank = (index + 1) as f64;
        if relevant {
            sum += (*before.known(index) + 1) as f64 / rank;
        }
        *shares.known_mut(index) = share + if relevant { 1.0 / rank } else { 0.0 };
    }
    let below = if bottom { trial.places.len() - counting } else { 0 };
    let judged = trial.view.relevant(rel);
    let value = |sum: f64, count: usize| {
        let whole = judged + below + count;
        let whole = if capped { whole.min(trial.measure.cutoff.unwrap_or(usize::MAX)) } else { whole };
        if whole == 0 { f64::NAN } else { sum / whole as f64 }
    };
    let (mut best, mut chosen) = (value(sum, 0), 0);
    // The sum of 1 / rank of the labeled documents below.
    let mut labeled = 0.0;
    for count in 1..=counting {
        let number = if bottom { counting - count } else { count - 1 };
        let Some(&place) = trial.places.get(number) else { break };
        let rank = (place + 1) as f64;
        let above = *before.known(place) + if bottom { 0 } else { count - 1 };
        sum += (above + 1) as f64 / rank + *shares.known(place) + labeled;
        if bottom {
            labeled += 1.0 / rank;
        }
        let value = value(sum, count);
        let better = if bottom { value < best } else { value > best };
        if better || best.is_nan() {
            (best, chosen) = (value, count);
        }
    }
    chosen
}

/// Returns the number of relevant documents at the top with the greatest R-precision, or at the bottom with
/// the least.
fn best_of_r_precision(trial: &Trial<'_>, rel: f64, bottom: bool) -> usize {
    let grades = trial.view.grades;
    let mut before = vec![0usize];
    let mut seen = 0;
    for &grade in grades {
        seen += usize::from(is_relevant(grade, rel));
        before.push(seen);
    }
    let judged = trial.view.relevant(rel);
    let all = trial.places.len();
    let (mut best, mut chosen) = (f64::NAN, 0);
    for count in 0..=all {
        let relevant = judged + count;
        let depth = relevant.min(grades.len());
        let within = trial.places.partition_point(|&place| place < depth);
        let labeled = if bottom { within.saturating_sub(all - count) } else { within.min(count) };
        let hits = *before.known(depth) + labeled;
        let value = hits as f64 / relevant as f64;
        let better = if bottom { value < best } else { value > best };
        if better || (best.is_nan() && !value.is_nan()) {
            (best, chosen) = (value, count);
        }
    }
    chosen
}
