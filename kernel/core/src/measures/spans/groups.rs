//! Which groups of alternatives a ranking found.

use super::Budget;
use super::reading::Reading;
use super::set::Interval;
use super::set::Set;
use crate::error::{Error, Kind, Result};
use crate::known::Known;
use crate::measures::view::{TieMode, View, is_relevant};

/// A group with a relevant document or span, and whether one of them was found. Without labels, each relevant
/// document or span is a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The number of the label, or the row of the document in the judgments.
    pub group: usize,
    pub is_hit: bool,
}

/// The groups of a query and whether the first ranks hit them. A span is found if `overlap`, a share of its
/// length, is read; by default any unit.
pub fn hits(view: &View<'_>, rel: f64, cutoff: Option<usize>, overlap: Option<f64>) -> Result<Vec<Hit>> {
    let found = match view.documents.reading {
        Some(reading) => reading.found(view, cutoff, overlap)?,
        None => returned(view, cutoff),
    };
    let mut by_group: Vec<Option<bool>> = Vec::new();
    for (group, row) in members(view, rel) {
        // None for a span without text.
        if let Some(is_hit) = *found.known(row) {
            if group >= by_group.len() {
                by_group.resize(group + 1, None);
            }
            let known = by_group.known_mut(group);
            *known = Some(known.unwrap_or_default() || is_hit);
        }
    }
    let groups = by_group.into_iter().enumerate();
    Ok(groups.filter_map(|(group, is_hit)| Some(Hit { group, is_hit: is_hit? })).collect())
}

/// Pairs of a group, as in `Hit`, and the row of one of its relevant documents or spans.
pub fn members<'a>(view: &View<'a>, rel: f64) -> impl Iterator<Item = (usize, usize)> + use<'a> {
    let labels = view.documents.labels;
    let rel = rel.max(0.0);
    let rows = view.pool_given.iter().enumerate().filter(move |_| labels.names.is_empty());
    let own = rows.filter(move |(_, grade)| is_relevant(**grade, rel)).map(|(row, _)| (row, row));
    let labeled = labels.entries.iter().filter(move |entry| is_relevant(entry.grade, rel));
    own.chain(labeled.map(|entry| (entry.label as usize, entry.document as usize)))
}

/// Of each row of the judgments, the rank, from 1, at which its document or enough of its span is found.
#[must_use]
pub fn first_ranks(view: &View<'_>, overlap: Option<f64>) -> Vec<Option<usize>> {
    let mut ranks = vec![None; view.pool_given.len()];
    let Some(reading) = view.documents.reading else {
        for (rank, &judgment) in (1..).zip(view.documents.judgments) {
            if let Some(row) = (judgment as usize).checked_sub(1) {
                let first: &mut Option<usize> = ranks.known_mut(row);
                *first = first.or(Some(rank));
            }
        }
        return ranks;
    };
    for (first, &place) in ranks.iter_mut().zip(&reading.gold) {
        let mut covered = 0;
        for fresh in &reading.fresh {
            covered += Set::new(std::iter::once(fresh.part)).overlap(place);
            if is_enough(covered, place, overlap) {
                *first = Some(fresh.index + 1);
                break;
            }
        }
    }
    ranks
}

/// Whether so many units of a span find it.
fn is_enough(covered: u64, place: Interval, overlap: Option<f64>) -> bool {
    covered > 0 && overlap.is_none_or(|share| covered as f64 >= share * place.length() as f64)
}

/// Of each row of the judgments, whether its document is in the first ranks.
fn returned(view: &View<'_>, cutoff: Option<usize>) -> Vec<Option<bool>> {
    let mut found = vec![Some(false); view.pool_given.len()];
    for &judgment in view.documents.judgments.iter().take(cutoff.unwrap_or(usize::MAX)) {
        if let Some(row) = (judgment as usize).checked_sub(1) {
            *found.known_mut(row) = Some(true);
        }
    }
    found
}

impl Reading {
    /// Of each row of the judgments, whether enough of its span is read; None for a span without text.
    fn found(
        &self,
        view: &View<'_>,
        cutoff: Option<usize>,
        overlap: Option<f64>,
    ) -> Result<Vec<Option<bool>>> {
        if view.ties != TieMode::Settled {
            return Err(Error::statement(
                Kind::Convention,
                "measures of spans are not defined for unordered ties",
            )
            .hint("choose a tie policy that orders tied documents, such as doc-id-desc"));
        }
        let everything = Budget { most: None, unit: None, cut: true };
        let read = Set::new(self.fresh(self.extent(cutoff, everything)?).map(|fresh| fresh.part));
        let enough = |place: Interval| is_enough(read.overlap(place), place, overlap);
        Ok(self.gold.iter().map(|&place| (place.length() > 0).then(|| enough(place))).collect())
    }
}
