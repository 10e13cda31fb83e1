//! Judged@k, Unjudged@k and the counts.

use super::set_based::hits;
use super::view::{TieMode, View, is_relevant};

fn count(view: &View<'_>, cutoff: Option<usize>, counted: impl Fn(f64) -> bool) -> f64 {
    view.additive_over(view.given, cutoff, |grade| f64::from(u8::from(counted(grade))), |one, _| one)
}

/// The share of the documents above k that are judged: over min(k, number returned).
pub fn judged(view: &View<'_>, cutoff: Option<usize>) -> f64 {
    let whole = cutoff.unwrap_or(usize::MAX).min(view.given.len());
    let judged = count(view, cutoff, |grade| !grade.is_nan());
    if whole == 0 { 0.0 } else { judged / whole as f64 }
}

/// The share of the first k ranks that hold an unjudged document: over k.
pub fn unjudged(view: &View<'_>, cutoff: Option<usize>) -> f64 {
    let whole = cutoff.unwrap_or(view.given.len());
    let unjudged = if view.ties == TieMode::Settled {
        let depth = whole.min(view.given.len());
        (depth - view.judged_above(depth)) as f64
    } else {
        count(view, cutoff, f64::is_nan)
    };
    if whole == 0 { 0.0 } else { unjudged / whole as f64 }
}

pub fn relevant_retrieved(view: &View<'_>, cutoff: Option<usize>, rel: f64) -> f64 {
    hits(view, cutoff, rel.max(0.0))
}

/// Documents returned that are judged and not relevant.
pub fn nonrelevant_retrieved(view: &View<'_>, cutoff: Option<usize>, rel: f64) -> f64 {
    let rel = rel.max(0.0);
    count(view, cutoff, |grade| grade >= 0.0 && !is_relevant(grade, rel))
}
