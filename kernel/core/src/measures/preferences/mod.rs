//! Preference judgments, which say which of two documents is better (Carterette, Bennett, Chickering and
//! Dumais, ECIR 2008), counted as in Buckley's trec_eval.
//!
//! The judgments of a query have groups, one for each assessor (or session), and subgroups. Within a subgroup
//! a document of a higher level is preferred to one of a lower level; levels of 0 and below mean not
//! relevant. A group of one subgroup is thus a ranking of its documents with ties; with several
//! subgroups it is a partial order, completed by transitivity. Groups may contradict each other,
//! subgroups of one group may not.

mod bits;
mod formulas;
mod group;
mod pairs;
mod ranking;

use std::cell::OnceCell;

pub use formulas::{NumPrefs, Prefs};
pub use group::{Contradiction, JudgedLevel, Pairs};
use group::{PreferenceGroup, Preferred, Tally};
use pairs::PairShares;

use crate::error::Result as Checked;
use crate::values::Values;

/// How preferences are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// All preferences of all groups alike.
    Simple,
    /// By pairs of documents: the mean over pairs of the share of preferences fulfilled.
    Pair,
    /// By groups: the mean over groups of the share of preferences fulfilled.
    Group,
    /// By groups, as if each had as many documents that are not relevant as it has relevant ones.
    GroupEven,
}

/// A number of preferences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairCount {
    Possible,
    Fulfilled,
    FulfilledRetrieved,
}

/// The order of tied documents for preferences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TieOrder {
    /// By the convention.
    Convention,
    /// By ascending ids, as in trec_eval for preferences only.
    IdAscending,
}

impl TieOrder {
    fn parse(values: &dyn Values) -> Checked<Self> {
        values.choice("ties", &[("convention", Self::Convention), ("doc-id-asc", Self::IdAscending)])
    }
}

/// The preferences of a query for its measures.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked<'a> {
    pub by_convention: Option<&'a Preferences>,
    pub by_id: Option<&'a Preferences>,
}

impl<'a> Asked<'a> {
    pub fn of(&self, ties: TieOrder) -> Option<&'a Preferences> {
        match ties {
            TieOrder::Convention => self.by_convention,
            TieOrder::IdAscending => self.by_id,
        }
    }
}

/// A group that contradicts itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inconsistent<'a> {
    pub group: &'a [u8],
    pub contradiction: Contradiction,
}

/// The preferences of one query, counted for one ranking.
#[derive(Debug, Clone)]
pub struct Preferences {
    groups: Vec<PreferenceGroup>,
    /// By group.
    preferred: Vec<Preferred>,
    retrieved: u32,
    /// Computed on request: it visits each pair of documents.
    pairs: OnceCell<PairShares>,
}

impl Preferences {
    /// Counts the preferences of one query, of whose judged documents the first `retrieved` were
    /// retrieved.
    pub fn new<'a>(judged: &mut [JudgedLevel<'a>], retrieved: u32) -> Result<Self, Inconsistent<'a>> {
        judged.sort_by(|a, b| {
            (a.group, a.subgroup)
                .cmp(&(b.group, b.subgroup))
                .then(b.level.total_cmp(&a.level))
                .then(a.place.cmp(&b.place))
        });
        let groups = judged.chunk_by(|a, b| a.group == b.group).map(|judged| {
            let name = judged.first().map_or(&[][..], |own| own.group);
            PreferenceGroup::new(judged, retrieved)
                .map_err(|contradiction| Inconsistent { group: name, contradiction })
        });
        let groups = groups.collect::<Result<Vec<_>, _>>()?;
        let preferred = groups.iter().map(PreferenceGroup::preferred).collect();
        Ok(Self { groups, preferred, retrieved, pairs: OnceCell::new() })
    }

    fn pairs(&self) -> &PairShares {
        self.pairs.get_or_init(|| match (self.groups.as_slice(), self.preferred.as_slice()) {
            // Each pair of documents then has one preference or none.
            ([group], [preferred]) if !group.repeats() => PairShares::single(preferred),
            (groups, _) => PairShares::new(groups, self.retrieved),
        })
    }

    fn sum(&self, pairs: Pairs) -> Tally {
        self.preferred.iter().fold(Tally::default(), |sum, group| sum.and(group.of(pairs)))
    }

    #[must_use]
    pub fn number(&self, number: PairCount) -> f64 {
        let counted = match number {
            PairCount::Possible => self.sum(Pairs::All).possible,
            PairCount::Fulfilled => self.sum(Pairs::All).fulfilled,
            PairCount::FulfilledRetrieved => self.sum(Pairs::Retrieved).fulfilled,
        };
        counted as f64
    }

    /// The share of preferences fulfilled, and whether there are none to fulfil.
    #[must_use]
    pub fn share(&self, count: Count, pairs: Pairs) -> (f64, bool) {
        let tallies: Vec<Tally> = (self.groups.iter().zip(&self.preferred))
            .map(|(group, preferred)| match (count, pairs) {
                (Count::GroupEven, Pairs::Retrieved) => group.even(preferred, Pairs::Retrieved),
                (Count::GroupEven, _) => group.even(preferred, Pairs::All),
                _ => preferred.of(pairs),
            })
            .collect();
        if tallies.iter().all(|tally| tally.possible == 0) {
            return (0.0, true);
        }
        let value = match count {
            Count::Simple => self.sum(pairs).share(),
            Count::Pair => self.pairs().mean(pairs),
            Count::Group => {
                let shares = tallies.iter().filter(|tally| tally.possible > 0);
                shares.fold(0.0, |sum, tally| sum + tally.share()) / self.groups.len() as f64
            }
            Count::GroupEven => {
                let sum = tallies.iter().fold(0.0, |sum, tally| sum + tally.share());
                // trec_eval's rule: one group without preferences, whose share is 0/0, leaves the query
                // without a value.
                if sum.is_nan() { 0.0 } else { sum / self.groups.len() as f64 }
            }
        };
        (value, false)
    }
}

#[cfg(test)]
mod tests;
