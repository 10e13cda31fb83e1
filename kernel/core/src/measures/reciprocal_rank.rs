//! Reciprocal rank of the first relevant document; over ties by McSherry and Najork (ECIR 2008).

use super::view::{TieMode, View, is_relevant};
use crate::known::Known;

pub(super) fn value(view: &View<'_>, cutoff: Option<usize>, rel: f64) -> (f64, bool) {
    let nothing = view.relevant(rel) == 0;
    if let Some(returned) = view.returned(rel) {
        let first = returned.first().filter(|&&index| (index as usize) < cutoff.unwrap_or(usize::MAX));
        return (first.map_or(0.0, |&index| 1.0 / f64::from(index + 1)), nothing);
    }
    if view.ties == TieMode::Settled {
        let first = view.first(cutoff, |grade| is_relevant(grade, rel));
        return (first.map_or(0.0, |index| 1.0 / (index + 1) as f64), nothing);
    }
    let depth = cutoff.unwrap_or(usize::MAX);
    for (start, end) in view.groups() {
        if start >= depth {
            break;
        }
        let group = view.grades.known(start..end);
        let relevant = group.iter().filter(|&&grade| is_relevant(grade, rel)).count();
        if relevant == 0 {
            continue;
        }
        if view.ties.shares_ranks() {
            let rank = view.ties.mean_rank(start, end);
            let above = cutoff.is_none_or(|cutoff| rank <= cutoff as f64);
            return (if above { 1.0 / rank } else { 0.0 }, nothing);
        }
        // P(the first relevant one is at position j of m) = C(m − j, r − 1) / C(m, r).
        let m = group.len();
        let mut none_before = 1.0;
        let mut sum = 0.0;
        for position in 0..m {
            if start + position >= depth || none_before == 0.0 {
                break;
            }
            let here = relevant as f64 / (m - position) as f64;
            sum += none_before * here / (start + position + 1) as f64;
            none_before *= (1.0 - here).max(0.0);
        }
        return (sum, nothing);
    }
    (0.0, nothing)
}
