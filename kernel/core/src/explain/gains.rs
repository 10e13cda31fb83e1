//! Accounts of CG, DCG, IDCG and nDCG: terms, the ideal ranking, and misplaced documents.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use super::account::{Breakdown, Document, IdealRank, Rank};
use super::ideal;
use super::ranked::{Detail, LISTED, Query};
use crate::known::Known;
use crate::measures::{Cumulative, TieMode};

pub(super) fn content(query: &Query<'_>, sum: &Cumulative) -> Breakdown {
    let Query { view, ranked, .. } = query;
    let cutoff = query.question.measure.cutoff;
    let contributions = terms(query, sum);
    let places = places(query, sum);
    let parts = query.question.parts;
    let listed =
        query.question.depth.filter(|_| parts < Detail::All).unwrap_or(usize::MAX).min(contributions.len());
    let mut running = 0.0;
    let mut ranks: Vec<Rank> = Vec::with_capacity(listed);
    for (index, (&contribution, place)) in contributions.iter().zip(&places).take(listed).enumerate() {
        running += contribution;
        let gain = sum.gain.of(*view.grades.known(index));
        ranks.push(Rank { gain, weight: place.weight, contribution, running, ..ranked.rank(index) });
    }
    let mut ideal = if parts == Detail::Ranks { Vec::new() } else { ideal::ranking(query, sum) };
    let documents = if parts == Detail::All { documents(query, &ranks, &places, &ideal) } else { Vec::new() };
    // Documents tied across the cutoff can add something below it, under ties=average-rank.
    let counted = contributions.iter().rposition(|&term| term != 0.0).map_or(0, |last| last + 1);
    ranks.truncate(query.question.depth.unwrap_or(cutoff.map_or(LISTED, |cutoff| cutoff.max(counted))));
    // An ideal that the cutoff does not cut is shown whole.
    ideal.truncate(query.question.depth.unwrap_or(cutoff.map_or(LISTED, |_| usize::MAX)));
    Breakdown {
        parts: Some((sum.dcg(view, cutoff), sum.idcg(view, cutoff))),
        ranks,
        ideal,
        documents,
        groups: Vec::new(),
    }
}

/// The term of each rank. The measure itself runs, and its terms are recorded: it requests the gain of each
/// document in rank order, then weights those that are not 0.
fn terms(query: &Query<'_>, sum: &Cumulative) -> Vec<f64> {
    let view = &query.view;
    let terms = RefCell::new(vec![0.0; view.grades.len()]);
    let asked = Cell::new(0);
    view.additive(
        query.question.measure.cutoff,
        |grade| {
            asked.set(asked.get() + 1);
            sum.gain.of(grade)
        },
        |gain, rank| {
            // An expected gain is spread over the ranks of its group; otherwise the term belongs to the last
            // requested document, which may count at another rank.
            let rank_of_term = if view.ties == TieMode::Expected { rank as usize } else { asked.get() };
            let term = sum.discount.apply(gain, rank);
            if let Some(slot) = terms.borrow_mut().get_mut(rank_of_term.wrapping_sub(1)) {
                *slot = view.rounding.term(term);
            }
            term
        },
    );
    terms.into_inner()
}

/// The parts of a rank's term.
#[derive(Clone, Copy, Default)]
struct IdealPlace {
    /// The weight of the rank; 0 below the cutoff.
    weight: f64,
    /// Under ties=expected: the mean weight of the possible ranks of the document.
    share: Option<f64>,
}

fn places(query: &Query<'_>, sum: &Cumulative) -> Vec<IdealPlace> {
    let view = &query.view;
    let depth = query.question.measure.cutoff.unwrap_or(usize::MAX);
    let weight = |rank: usize| if rank <= depth { sum.discount.weight(rank) } else { 0.0 };
    if view.ties == TieMode::Settled {
        return (1..=view.grades.len())
            .map(|rank| IdealPlace { weight: weight(rank), share: None })
            .collect();
    }
    let mut places = Vec::with_capacity(view.grades.len());
    for (start, end) in view.groups() {
        let size = (end - start) as f64;
        if view.ties == TieMode::Expected {
            let share = (start + 1..=end).fold(0.0, |total, rank| total + weight(rank)) / size;
            places.extend(
                (start + 1..=end).map(|rank| IdealPlace { weight: weight(rank), share: Some(share) }),
            );
        } else {
            let rank = view.ties.mean_rank(start, end);
            let weight = if rank <= depth as f64 { sum.discount.apply(1.0, rank) } else { 0.0 };
            places.extend((start..end).map(|_| IdealPlace { weight, share: None }));
        }
    }
    places
}

/// The documents that count in the ranking or in the ideal, by descending loss.
fn documents(query: &Query<'_>, ranks: &[Rank], places: &[IdealPlace], ideal: &[IdealRank]) -> Vec<Document> {
    let mut documents: Vec<Document> = Vec::new();
    let mut known: HashMap<&[u8], usize> = HashMap::new();
    let retrieved = query.ranked.ranks();
    let mut add = |new: Document, id| {
        let at = *known.entry(id).or_insert(documents.len());
        match documents.get_mut(at) {
            None => documents.push(new),
            // It is in both, or, under duplicates=count, twice in one of them.
            Some(old) => {
                old.contribution += new.contribution;
                old.ideal_contribution += new.ideal_contribution;
                old.ideal_rank = old.ideal_rank.or(new.ideal_rank);
            }
        }
    };
    let document = |id: &[u8], grade: f64, gain: f64| Document {
        id: id.to_vec(),
        grade,
        gain,
        rank: retrieved.get(id).copied(),
        ideal_rank: None,
        contribution: 0.0,
        ideal_contribution: 0.0,
    };
    for (rank, place) in ranks.iter().zip(places) {
        let contribution = place.share.map_or(rank.contribution, |share| rank.gain * share);
        if contribution != 0.0 {
            let new = document(&rank.document, rank.grade, rank.gain);
            add(Document { contribution, ..new }, rank.document.as_slice());
        }
    }
    for (index, rank) in ideal.iter().enumerate() {
        let Some(id) = rank.document.as_deref().filter(|_| rank.contribution != 0.0) else { continue };
        let ideal_rank = Some(index + 1);
        let new = document(id, rank.grade, rank.gain);
        add(Document { ideal_rank, ideal_contribution: rank.contribution, ..new }, id);
    }
    let cost = |document: &Document| document.ideal_contribution - document.contribution;
    documents.sort_by(|a, b| {
        let by_cost = cost(b).total_cmp(&cost(a));
        by_cost.then(a.ideal_rank.cmp(&b.ideal_rank)).then(a.rank.cmp(&b.rank)).then_with(|| a.id.cmp(&b.id))
    });
    documents
}
