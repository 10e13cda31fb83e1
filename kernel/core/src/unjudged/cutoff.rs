//! Which ranks of a ranking with ties count for a measure with a cutoff.

use crate::measures::View;

/// Whether the document at an index can count for a measure with a cutoff.
pub(super) fn above(view: &View<'_>, cutoff: Option<usize>, place: usize) -> bool {
    if place >= view.grades.len() {
        return false;
    }
    let Some(cutoff) = cutoff else { return true };
    match group_of(view, place) {
        None => place < cutoff,
        Some((start, end)) if view.ties.shares_ranks() => view.ties.mean_rank(start, end) <= cutoff as f64,
        Some((start, _)) => start < cutoff,
    }
}

/// Returns the group of tied documents that contains an index; None if a tie policy has ordered the
/// documents.
pub(super) fn group_of(view: &View<'_>, place: usize) -> Option<(usize, usize)> {
    let ends = view.group_ends;
    let group = ends.partition_point(|&end| end as usize <= place);
    let end = *ends.get(group)? as usize;
    let start = group.checked_sub(1).and_then(|before| ends.get(before)).map_or(0, |&start| start as usize);
    Some((start, end))
}
