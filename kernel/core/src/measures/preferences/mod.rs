//! Preference judgments, which say which of two documents is better (Carterette, Bennett, Chickering and
//! Dumais, ECIR 2008), counted as in Buckley's trec_eval.
//!
//! The judgments of a query have groups, one for each assessor (or session), and subgroups. Within a subgroup
//! a document of a higher level is preferred to one of a lower level; levels of 0 and below mean not
//! relevant. A group of one subgroup is thus a ranking of its documents with ties (`classes`); with several
//! subgroups it is a partial order, completed by transitivity (`matrix`). Groups may contradict each other,
//! subgroups of one group may not.

mod bits;
mod classes;
mod formulas;
mod matrix;
mod pairs;
mod ranking;

use std::cell::OnceCell;

use classes::Classes;
pub use formulas::{NumPrefs, Prefs};
use matrix::Matrix;
use pairs::PairShares;
pub use ranking::{Asked, TieOrder};

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

/// Which preferences are counted, by whether their documents were retrieved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairs {
    /// All; one between documents that were not retrieved counts as not fulfilled.
    All,
    /// Those of which both documents were retrieved.
    Retrieved,
    /// Those of which at least one document was retrieved.
    Implied,
}

/// A number of preferences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    Possible,
    Fulfilled,
    FulfilledRetrieved,
}

/// The level that one subgroup of one group gives to a document.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    pub group: &'a [u8],
    pub subgroup: &'a [u8],
    /// The document, as its place among the judged ones: those retrieved in rank order, then the
    /// others in byte order of their ids.
    pub place: u32,
    pub level: f64,
}

/// A group that contradicts itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inconsistent<'a> {
    pub group: &'a [u8],
    pub fault: Fault,
}

/// The kinds of contradictions, with the places of the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// One subgroup gives a document two levels.
    TwoLevels(u32),
    /// One group says both that a document is relevant and that it is not.
    TwoRelevances(u32),
    /// Two documents of a group are each preferred to the other.
    Contradiction(u32, u32),
}

/// The number of preferences, and how many the ranking fulfills.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tally {
    fulfilled: u64,
    possible: u64,
}

impl Tally {
    fn and(self, other: Self) -> Self {
        Self { fulfilled: self.fulfilled + other.fulfilled, possible: self.possible + other.possible }
    }

    fn share(self) -> f64 {
        self.fulfilled as f64 / self.possible as f64
    }
}

/// The preferences of one group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Preferred {
    /// Both documents were retrieved; fulfilled if they are in the right order.
    retrieved: Tally,
    /// One of them was; fulfilled if it is the preferred one.
    implied: Tally,
    /// Neither was.
    unretrieved: u64,
}

impl Preferred {
    fn of(&self, pairs: Pairs) -> Tally {
        match pairs {
            Pairs::Retrieved => self.retrieved,
            Pairs::Implied => self.retrieved.and(self.implied),
            Pairs::All => {
                let known = self.retrieved.and(self.implied);
                Tally { possible: known.possible + self.unretrieved, ..known }
            }
        }
    }
}

/// How many documents of a group are relevant, and how many are not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Balance {
    relevant: u64,
    relevant_retrieved: u64,
    nonrelevant: u64,
    nonrelevant_retrieved: u64,
}

/// The counts of one group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct GroupTally {
    preferred: Preferred,
    even: Tally,
    even_retrieved: Tally,
}

impl GroupTally {
    fn of(relation: &Relation, retrieved: u32) -> Self {
        let (preferred, balance) = match relation {
            Relation::Classes(classes) => (classes.preferred(retrieved), classes.balance(retrieved)),
            Relation::Matrix(matrix) => (matrix.preferred(retrieved), matrix.balance(retrieved)),
        };
        let even = |pairs: Pairs, relevant: u64, nonrelevant: u64| match relation {
            // Documents that are not relevant are added, below all that were retrieved.
            _ if relevant >= nonrelevant => {
                let more = relevant - nonrelevant;
                preferred.of(pairs).and(Tally {
                    fulfilled: balance.relevant_retrieved * more,
                    possible: balance.relevant * more,
                })
            }
            Relation::Classes(classes) => classes.even(retrieved, pairs, relevant),
            Relation::Matrix(matrix) => matrix.even(retrieved, pairs, balance.relevant),
        };
        Self {
            preferred,
            even: even(Pairs::All, balance.relevant, balance.nonrelevant),
            even_retrieved: even(Pairs::Retrieved, balance.relevant_retrieved, balance.nonrelevant_retrieved),
        }
    }
}

/// Which document of a group is preferred to which.
#[derive(Debug, Clone)]
enum Relation {
    Classes(Classes),
    Matrix(Matrix),
}

/// The preferences of one query, counted for one ranking.
#[derive(Debug, Clone)]
pub struct Preferences {
    relations: Vec<Relation>,
    groups: Vec<GroupTally>,
    retrieved: u32,
    /// Computed on request: it visits each pair of documents.
    pairs: OnceCell<PairShares>,
}

impl Preferences {
    /// Counts the preferences of one query, of whose judged documents the first `retrieved` were
    /// retrieved.
    pub fn new<'a>(judged: &mut [Judged<'a>], retrieved: u32) -> Result<Self, Inconsistent<'a>> {
        judged.sort_by(|a, b| {
            (a.group, a.subgroup)
                .cmp(&(b.group, b.subgroup))
                .then(b.level.total_cmp(&a.level))
                .then(a.place.cmp(&b.place))
        });
        let relations: Vec<Relation> = judged
            .chunk_by(|a, b| a.group == b.group)
            .map(|judged| {
                let divided = judged.windows(2).any(|two| matches!(two, [a, b] if a.subgroup != b.subgroup));
                let relation = if divided {
                    Matrix::new(judged).map(Relation::Matrix)
                } else {
                    Classes::new(judged).map(Relation::Classes)
                };
                let group = judged.first().map_or(&[][..], |own| own.group);
                relation.map_err(|fault| Inconsistent { group, fault })
            })
            .collect::<Result<_, _>>()?;
        let groups = relations.iter().map(|relation| GroupTally::of(relation, retrieved)).collect();
        Ok(Self { relations, groups, retrieved, pairs: OnceCell::new() })
    }

    fn pairs(&self) -> &PairShares {
        self.pairs.get_or_init(|| match (self.relations.as_slice(), self.groups.as_slice()) {
            // Each pair of documents then has one preference or none.
            ([relation], [group]) if !relation.repeats() => PairShares::single(&group.preferred),
            (relations, _) => PairShares::new(relations, self.retrieved),
        })
    }

    fn sum(&self, pairs: Pairs) -> Tally {
        self.groups.iter().fold(Tally::default(), |sum, group| sum.and(group.preferred.of(pairs)))
    }

    #[must_use]
    pub fn number(&self, number: Number) -> f64 {
        let counted = match number {
            Number::Possible => self.sum(Pairs::All).possible,
            Number::Fulfilled => self.sum(Pairs::All).fulfilled,
            Number::FulfilledRetrieved => self.sum(Pairs::Retrieved).fulfilled,
        };
        counted as f64
    }

    /// The share of preferences fulfilled, and whether there are none to fulfil.
    #[must_use]
    pub fn share(&self, count: Count, pairs: Pairs) -> (f64, bool) {
        let tallies = || {
            self.groups.iter().map(|group| match (count, pairs) {
                (Count::GroupEven, Pairs::Retrieved) => group.even_retrieved,
                (Count::GroupEven, _) => group.even,
                _ => group.preferred.of(pairs),
            })
        };
        if tallies().all(|tally| tally.possible == 0) {
            return (0.0, true);
        }
        let value = match count {
            Count::Simple => self.sum(pairs).share(),
            Count::Pair => self.pairs().mean(pairs),
            Count::Group => {
                let shares = tallies().filter(|tally| tally.possible > 0);
                shares.fold(0.0, |sum, tally| sum + tally.share()) / self.groups.len() as f64
            }
            Count::GroupEven => {
                let sum = tallies().fold(0.0, |sum, tally| sum + tally.share());
                // trec_eval's rule: one group without preferences, whose share is 0/0, leaves the query
                // without a value.
                if sum.is_nan() { 0.0 } else { sum / self.groups.len() as f64 }
            }
        };
        (value, false)
    }
}

impl Relation {
    /// Whether a preference may be in the group twice.
    fn repeats(&self) -> bool {
        matches!(self, Self::Classes(classes) if classes.repeats())
    }
}

#[cfg(test)]
mod tests;
