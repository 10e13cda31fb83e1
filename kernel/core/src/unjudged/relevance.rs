//! Measures that ask of a document only whether it is relevant.
//!
//! With a given number of labels "relevant", moving one of them up the ranking never lowers such a measure:
//! the number of relevant documents stays, and above every rank there are as many as before or more. So for
//! each number the greatest value has them at the top, the least at the bottom. One below the cutoff adds to
//! the number of relevant documents and to nothing else: for the greatest value there is none, for the least
//! all are. In a group of tied documents their order does not matter.

use super::above;
use super::trial::Trial;
use crate::error::Result;
use crate::measures::{BestCount, TieMode, View, is_relevant};

pub fn extremes(trial: &mut Trial<'_>, grades: &[f64], rel: f64, best: BestCount) -> Result<()> {
    let level = rel.max(0.0);
    let relevant = grades.iter().copied().find(|&grade| is_relevant(grade, level));
    let not = grades.iter().copied().find(|&grade| !is_relevant(grade, level));
    let (yes, no) = match (relevant, not) {
        (Some(yes), Some(no)) => (yes, no),
        (Some(only), None) | (None, Some(only)) => return trial.take(|_| only),
        (None, None) => return Ok(()),
    };
    let cutoff = if best == BestCount::RPrecision { None } else { trial.measure.cutoff };
    let all = trial.places.len();
    let counting = trial.places.partition_point(|&place| above(trial.view, cutoff, place));
    let label = |relevant: bool| if relevant { yes } else { no };
    for count in counts(trial, counting, rel, best, false) {
        trial.take(|number| label(number < count))?;
    }
    for count in counts(trial, counting, rel, best, true) {
        trial.take(|number| label(number >= counting - count))?;
    }
    if counting < all {
        // Nothing relevant at all, which may be worth something by convention.
        trial.take(|_| no)?;
    }
    Ok(())
}

/// Which numbers of relevant documents are to be tried. Where the order is settled, a further relevant
/// document is never a loss to a measure that is not divided by how many there are, nor to recall and F, whose
/// sum grows as much as their divisor.
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

/// The number of relevant documents at the top with the greatest average precision, or at the bottom with the
/// least. Each document more adds its own precision, and one over the rank of every relevant document below.
fn best_of_average_precision(
    trial: &Trial<'_>,
    counting: usize,
    rel: f64,
    capped: bool,
    bottom: bool,
) -> usize {
    let View { grades, .. } = trial.view;
    let depth = trial.measure.cutoff.unwrap_or(usize::MAX).min(grades.len());
    // Of judged documents alone: how many relevant ones stand before an index, and one over their ranks from
    // an index on.
    let mut before = vec![0usize; depth + 1];
    let mut shares = vec![0.0; depth + 1];
    for (index, grade) in grades.iter().enumerate().take(depth) {
        let seen = before.get(index).copied().unwrap_or(0) + usize::from(is_relevant(*grade, rel));
        if let Some(slot) = before.get_mut(index + 1) {
            *slot = seen;
        }
    }
    let mut sum = 0.0;
    for (index, grade) in grades.iter().enumerate().take(depth).rev() {
        let own = is_relevant(*grade, rel);
        let share = shares.get(index + 1).copied().unwrap_or(0.0);
        let rank = (index + 1) as f64;
        if own {
            sum += (before.get(index).copied().unwrap_or(0) + 1) as f64 / rank;
        }
        if let Some(slot) = shares.get_mut(index) {
            *slot = share + if own { 1.0 / rank } else { 0.0 };
        }
    }
    let below = if bottom { trial.places.len() - counting } else { 0 };
    let judged = trial.view.relevant(rel);
    let value = |sum: f64, count: usize| {
        let whole = judged + below + count;
        let whole = if capped { whole.min(trial.measure.cutoff.unwrap_or(usize::MAX)) } else { whole };
        if whole == 0 { f64::NAN } else { sum / whole as f64 }
    };
    let (mut best, mut chosen) = (value(sum, 0), 0);
    // One over the ranks of labelled documents below.
    let mut labelled = 0.0;
    for count in 1..=counting {
        let number = if bottom { counting - count } else { count - 1 };
        let Some(&place) = trial.places.get(number) else { break };
        let rank = (place + 1) as f64;
        let above = before.get(place).copied().unwrap_or(0) + if bottom { 0 } else { count - 1 };
        sum += (above + 1) as f64 / rank + shares.get(place).copied().unwrap_or(0.0) + labelled;
        if bottom {
            labelled += 1.0 / rank;
        }
        let value = value(sum, count);
        let better = if bottom { value < best } else { value > best };
        if better || best.is_nan() {
            (best, chosen) = (value, count);
        }
    }
    chosen
}

/// The number of relevant documents at the top with the greatest R-precision, or at the bottom with the least.
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
        let labelled = if bottom { within.saturating_sub(all - count) } else { within.min(count) };
        let hits = before.get(depth).copied().unwrap_or(0) + labelled;
        let value = hits as f64 / relevant as f64;
        let better = if bottom { value < best } else { value > best };
        if better || (best.is_nan() && !value.is_nan()) {
            (best, chosen) = (value, count);
        }
    }
    chosen
}
