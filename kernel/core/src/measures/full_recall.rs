//! FullRecall: whether everything that is needed was found.

use super::formula::*;
use super::spans::{Hit, hits, members};
use super::view::{TieMode, View};
use crate::error::{Error, Kind};
use crate::known::Known;
use std::collections::BTreeMap;

/// Groups that share documents, directly or through others, for which the mean over orders is computed.
const MOST_SHARING: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FullRecall {
    pub rel: f64,
    /// The share of a span that must be read; `None` for any unit.
    pub overlap: Option<f64>,
}

/// The share of a span that must be read, if it is set.
pub(super) fn overlap(values: &dyn Values) -> Result<Option<f64>> {
    values.get("overlap")?.map(|_| values.number("overlap")).transpose()
}

impl Formula for FullRecall {
    fn parse(_: &str, values: &dyn Values, _: bool) -> Result<Self> {
        Ok(Self { rel: values.number("rel")?, overlap: overlap(values)? })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: Reads::Alternatives,
            relevant: Relevant::FromGrade(self.rel),
            ties: TieSupport::Expected,
            cutoffs: Cutoffs::Settling,
            range: Range::Finite,
            ranks: Ranks::Cut,
            bounds: Extremes::Unknown,
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let Question { view, cutoff, .. } = *question;
        let found = |depth| hits(view, self.rel, depth, self.overlap);
        let cut = view.groups().find(|&(start, end)| cutoff.is_some_and(|k| start < k && k < end));
        let (Some(k), Some((start, end))) = (cutoff, cut.filter(|_| view.ties == TieMode::Expected)) else {
            let hits = found(cutoff)?;
            return Ok(Raw::of(f64::from(u8::from(is_full(&hits) && !hits.is_empty())), hits.is_empty()));
        };
        let hits = found(Some(end))?;
        if hits.is_empty() || !is_full(&hits) {
            return Ok(Raw::of(0.0, hits.is_empty()));
        }
        let missing = found(Some(start))?.into_iter().filter(|hit| !hit.is_hit).map(|hit| hit.group);
        let needed = self.tied_members(view, missing, start, end);
        Ok(Raw::of(chance_of_all(&needed, end - start, k - start)?, false))
    }
}

fn is_full(hits: &[Hit]) -> bool {
    hits.iter().all(|hit| hit.is_hit)
}

impl FullRecall {
    /// Of each of the groups, the documents with these tied ranks.
    fn tied_members(
        &self,
        view: &View<'_>,
        groups: impl Iterator<Item = usize>,
        start: usize,
        end: usize,
    ) -> Vec<Vec<usize>> {
        let mut needed: BTreeMap<usize, Vec<usize>> = groups.map(|group| (group, Vec::new())).collect();
        let mut is_tied = vec![false; view.pool_given.len()];
        for &judgment in view.documents.judgments.known(start..end) {
            if let Some(row) = (judgment as usize).checked_sub(1) {
                *is_tied.known_mut(row) = true;
            }
        }
        for (group, row) in members(view, self.rel) {
            if let Some(rows) = needed.get_mut(&group).filter(|_| *is_tied.known(row)) {
                rows.push(row);
            }
        }
        needed.into_values().collect()
    }
}

/// The probability that a random draw from a number of documents has one of each group.
fn chance_of_all(groups: &[Vec<usize>], documents: usize, drawn: usize) -> Result<f64> {
    let (single, several) = components(groups);
    // By the number of drawn documents of all groups so far, the probability that they have one of each.
    let mut shares = vec![0.0; single];
    shares.push(1.0);
    for component in several {
        let next = shares_of(&component)?;
        let (ours, theirs) = (shares.len() - 1, next.len() - 1);
        shares = (0..=ours + theirs).map(|draw| mean_of(&shares, &next, draw)).collect();
    }
    let marked = shares.len() - 1;
    let counts = drawn.saturating_sub(documents - marked)..=marked.min(drawn);
    Ok(counts.map(|count| draws(documents, marked, drawn, count) * shares.known(count)).sum())
}

/// The number of groups with one document that no other has, and the others by shared documents.
fn components(groups: &[Vec<usize>]) -> (usize, Vec<Vec<Vec<usize>>>) {
    let mut components: Vec<Vec<Vec<usize>>> = Vec::new();
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    for group in groups {
        let shared: Vec<usize> = group.iter().filter_map(|row| places.get(row).copied()).collect();
        let place = shared.first().copied().unwrap_or(components.len());
        if place == components.len() {
            components.push(Vec::new());
        }
        for &other in &shared {
            if other != place {
                let moved = std::mem::take(components.known_mut(other));
                components.known_mut(place).extend(moved);
            }
        }
        components.known_mut(place).push(group.clone());
        for rows in components.known(place) {
            places.extend(rows.iter().map(|&row| (row, place)));
        }
    }
    let is_single = |component: &Vec<Vec<usize>>| matches!(component.as_slice(), [group] if group.len() == 1);
    components.retain(|component| !component.is_empty());
    let (single, several): (Vec<_>, Vec<_>) = components.into_iter().partition(is_single);
    (single.len(), several)
}

/// By the number of drawn documents, the probability that they have one of each group, which may share
/// documents: inclusion and exclusion of the groups without any.
fn shares_of(groups: &[Vec<usize>]) -> Result<Vec<f64>> {
    if groups.len() > MOST_SHARING {
        return Err(Error::statement(
            Kind::Convention,
            format!("more than {MOST_SHARING} groups share documents, and ties are unordered"),
        )
        .hint("choose a tie policy that orders tied documents, such as doc-id-desc"));
    }
    let mut masks: BTreeMap<usize, u32> = BTreeMap::new();
    for (number, group) in groups.iter().enumerate() {
        for &row in group {
            *masks.entry(row).or_default() |= 1 << number;
        }
    }
    let all = masks.len();
    let mut shares = vec![0.0; all + 1];
    for without in 0_u32..1 << groups.len() {
        let left = masks.values().filter(|&&mask| mask & without == 0).count();
        let mut share = if without.count_ones() % 2 == 0 { 1.0 } else { -1.0 };
        for (draw, sum) in shares.iter_mut().enumerate().take(left + 1) {
            *sum += share;
            share *= (left - draw) as f64 / (all - draw).max(1) as f64;
        }
    }
    Ok(shares)
}

/// The mean of the products of shares if documents are drawn from two sets together.
fn mean_of(ours: &[f64], theirs: &[f64], drawn: usize) -> f64 {
    let (one, other) = (ours.len() - 1, theirs.len() - 1);
    let counts = drawn.saturating_sub(other)..=one.min(drawn);
    let part = |count: usize| ours.known(count) * theirs.known(drawn - count);
    counts.map(|count| draws(one + other, one, drawn, count) * part(count)).sum()
}

/// The probability of a number of marked documents in a draw (hypergeometric).
fn draws(documents: usize, marked: usize, drawn: usize, count: usize) -> f64 {
    let mut chance = 1.0;
    // The order in which marked documents are in the draw or not, times the number of such orders.
    for index in 0..marked {
        let (left, of_orders) = if index < count {
            (drawn - index, (marked - index) as f64 / (count - index) as f64)
        } else {
            (documents - drawn - (index - count), 1.0)
        };
        chance *= of_orders * left as f64 / (documents - index) as f64;
    }
    chance
}
