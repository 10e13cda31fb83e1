//! The view of one query for measures.

use super::preferences::Asked;
use super::spans::Reading;
use crate::convention::{Convention, Rounding, Ties};
use crate::judgments::{Labels, Pool};
use crate::known::Known;
use crate::ranking::{Ids, Ranker};

/// The treatment of tied documents by a measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TieMode {
    /// Documents have an order.
    Settled,
    /// The mean over all orders within each group.
    Expected,
    /// All documents of a group have the mean of its ranks.
    AverageRank,
    /// The same, rounded down.
    AverageRankDown,
}

impl TieMode {
    /// The treatment of ties in a ranking with these groups.
    #[must_use]
    pub fn of(ties: Ties, group_ends: &[u32]) -> Self {
        match ties {
            _ if group_ends.is_empty() => Self::Settled,
            Ties::Expected => Self::Expected,
            Ties::AverageRank => Self::AverageRank,
            Ties::AverageRankDown => Self::AverageRankDown,
            _ => Self::Settled,
        }
    }

    /// The rank of all documents of a group, under the modes that have them share one.
    #[must_use]
    pub fn mean_rank(self, start: usize, end: usize) -> f64 {
        let mean = (start + 1 + end) as f64 / 2.0;
        if self == Self::AverageRankDown { mean.floor() } else { mean }
    }

    /// Whether documents of a group share one rank.
    #[must_use]
    pub fn shares_ranks(self) -> bool {
        matches!(self, Self::AverageRank | Self::AverageRankDown)
    }
}

/// The judged document at each rank, for measures that use documents and not only grades. Empty unless a
/// measure of the plan needs it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Documents<'a> {
    /// In rank order: the row of the document in the judgments, counted from 1; 0 where it has none.
    pub judgments: &'a [u32],
    /// The ids of the judged documents, by row.
    pub ids: Ids<'a>,
    /// The given grades of the judged documents, by row.
    pub raw: &'a [f64],
    /// The labels of each judged document.
    pub labels: Labels<'a>,
    /// The preferences between documents, for measures that count them.
    pub preferences: Asked<'a>,
    /// The places in texts, if judgments and run have offsets.
    pub reading: Option<&'a Reading>,
}

impl<'a> Documents<'a> {
    /// The documents of a ranking, by their rows in the pool.
    #[must_use]
    pub fn of(judgments: &'a [u32], pool: &Pool<'a>) -> Self {
        Self {
            judgments,
            ids: Ids { arena: pool.arena, spans: pool.documents },
            raw: pool.raw,
            labels: pool.labels,
            preferences: Asked::default(),
            reading: None,
        }
    }
}

/// The documents that are relevant at one level.
#[derive(Debug, Clone, Copy)]
pub struct Level<'a> {
    pub rel: f64,
    /// The number of relevant judged documents.
    pub relevant: usize,
    /// Indices (rank - 1) of returned ones, ascending.
    pub returned: &'a [u32],
}

#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// In rank order: the effective grade of each document, NaN for none.
    pub grades: &'a [f64],
    /// In rank order: the given grade of each document, NaN for none. Differs from `grades` only if the
    /// convention gives unjudged documents a grade; otherwise they are the same slice.
    pub given: &'a [f64],
    /// Cached indices of the judged documents, ascending; useful if several measures need the few judged
    /// among many documents.
    pub judged: Option<&'a [u32]>,
    /// The cached documents of one level of relevance, if the order is fixed and several measures need it.
    pub level: Option<Level<'a>>,
    /// Exclusive ends of the groups of tied documents; empty if documents have an order.
    pub group_ends: &'a [u32],
    pub ties: TieMode,
    /// Grades of all judged documents, descending.
    pub pool: &'a [f64],
    /// The same in the order of the judgments; may contain NaN.
    pub pool_given: &'a [f64],
    /// Indices of duplicates that count as further documents of the ideal.
    pub copies: &'a [u32],
    pub rounding: Rounding,
    pub documents: Documents<'a>,
}

/// Whether a grade makes a document relevant at a level. Levels of measures are 0 or more, so a negative
/// grade is never relevant; only trec_eval's command line allows lower levels.
#[inline(always)]
#[must_use]
pub fn is_relevant(grade: f64, rel: f64) -> bool {
    grade >= rel
}

impl<'a> View<'a> {
    /// A ranking under a convention.
    #[must_use]
    pub fn of(ranker: &'a Ranker, pool: &Pool<'a>, convention: &Convention) -> Self {
        Self {
            pool: pool.descending,
            pool_given: pool.grades,
            copies: ranker.copies(),
            rounding: convention.rounding,
            documents: Documents::of(ranker.judgments(), pool),
            ..Self::list(
                ranker.grades(),
                ranker.group_ends(),
                TieMode::of(convention.ties, ranker.group_ends()),
            )
        }
    }

    /// A list of grades without other judged documents.
    #[must_use]
    pub fn list(grades: &'a [f64], group_ends: &'a [u32], ties: TieMode) -> Self {
        Self {
            grades,
            given: grades,
            judged: None,
            level: None,
            group_ends,
            ties,
            pool: &[],
            pool_given: &[],
            copies: &[],
            rounding: Rounding::None,
            documents: Documents::default(),
        }
    }

    /// The same query with other documents in the ranking, without the cached indices.
    #[must_use]
    pub fn with(&self, grades: &'a [f64], given: &'a [f64], group_ends: &'a [u32]) -> Self {
        Self { grades, given, group_ends, judged: None, level: None, copies: &[], ..*self }
    }

    /// R: judged documents at the level. Those with a negative grade are never among them.
    #[inline]
    #[must_use]
    pub fn relevant(&self, rel: f64) -> usize {
        if let Some(level) = &self.level
            && level.rel == rel
        {
            return level.relevant;
        }
        let rel = rel.max(0.0);
        self.pool.iter().take_while(|&&grade| is_relevant(grade, rel)).count()
    }

    /// Indices of the copies above the cutoff, which are as many further documents of the ideal.
    #[must_use]
    pub fn copies_above(&self, cutoff: Option<usize>) -> &'a [u32] {
        let above = |&index: &u32| cutoff.is_none_or(|cutoff| (index as usize) < cutoff);
        self.copies.known(..self.copies.partition_point(above))
    }

    /// Cached indices (rank - 1) of the relevant documents in rank order, if available.
    #[inline(always)]
    pub fn returned(&self, rel: f64) -> Option<&[u32]> {
        self.level.as_ref().filter(|level| level.rel == rel).map(|level| level.returned)
    }

    /// Documents at the level that were returned. At a level below 0 fewer than those that count as
    /// relevant by rank, as in trec_eval: those without a grade of 0 or more are not among them.
    #[must_use]
    pub fn relevant_returned(&self, rel: f64) -> usize {
        if let Some(returned) = self.returned(rel) {
            return returned.len();
        }
        let rel = rel.max(0.0);
        let mut found = 0;
        self.each(None, |_, grade| found += usize::from(is_relevant(grade, rel)));
        found
    }

    /// Calls with the index (rank - 1) and the grade of each document above the cutoff that has a
    /// grade to count with, in rank order.
    #[inline(always)]
    pub fn each(&self, cutoff: Option<usize>, call: impl FnMut(usize, f64)) {
        self.each_of(self.grades, cutoff, call);
    }

    /// As `each`, with the given grades of the documents.
    #[inline(always)]
    pub fn each_given(&self, cutoff: Option<usize>, call: impl FnMut(usize, f64)) {
        self.each_of(self.given, cutoff, call);
    }

    #[inline(always)]
    fn each_of(&self, grades: &[f64], cutoff: Option<usize>, mut call: impl FnMut(usize, f64)) {
        let depth = cutoff.unwrap_or(usize::MAX);
        if let Some(judged) = self.judged_of(grades) {
            for &index in judged {
                let index = index as usize;
                if index >= depth {
                    break;
                }
                call(index, *grades.known(index));
            }
        } else {
            for (index, &grade) in grades.iter().take(depth).enumerate() {
                if !grade.is_nan() {
                    call(index, grade);
                }
            }
        }
    }

    /// The cached indices of the documents with a grade, if available for these grades.
    #[inline(always)]
    fn judged_of(&self, grades: &[f64]) -> Option<&[u32]> {
        if std::ptr::eq(grades, self.given) { self.judged } else { None }
    }

    /// The index of the first document above the cutoff with such a grade.
    #[inline(always)]
    pub fn first(&self, cutoff: Option<usize>, such: impl Fn(f64) -> bool) -> Option<usize> {
        match self.judged_of(self.grades) {
            Some(judged) => {
                let own = |index: usize| *self.grades.known(index);
                let first = judged.iter().map(|&index| index as usize).find(|&index| such(own(index)))?;
                (first < cutoff.unwrap_or(usize::MAX)).then_some(first)
            }
            None => self.top(cutoff).iter().position(|&grade| such(grade)),
        }
    }

    /// The number of judged documents above the cutoff.
    #[must_use]
    pub fn judged_above(&self, cutoff: usize) -> usize {
        match self.judged {
            Some(judged) => judged.partition_point(|&index| (index as usize) < cutoff),
            None => self.given.iter().take(cutoff).filter(|grade| !grade.is_nan()).count(),
        }
    }

    /// The grades down to a cutoff.
    #[must_use]
    pub fn top(&self, cutoff: Option<usize>) -> &[f64] {
        self.grades.known(..cutoff.unwrap_or(usize::MAX).min(self.grades.len()))
    }

    /// The groups of unordered tied documents, as (start, end) in rank order.
    pub fn groups(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let mut start = 0;
        self.group_ends.iter().map(move |&end| {
            let group = (start, end as usize);
            start = end as usize;
            group
        })
    }

    /// A weighted sum over ranks of the worth of documents; tied documents by the convention. `weigh`
    /// receives a rank counted from 1, possibly fractional.
    #[inline(always)]
    pub fn additive(
        &self,
        cutoff: Option<usize>,
        worth: impl Fn(f64) -> f64,
        weigh: impl Fn(f64, f64) -> f64,
    ) -> f64 {
        self.additive_over(self.grades, cutoff, worth, weigh)
    }

    /// As `additive`, with other grades than those of the view.
    #[inline(always)]
    pub fn additive_over(
        &self,
        grades: &[f64],
        cutoff: Option<usize>,
        worth: impl Fn(f64) -> f64,
        weigh: impl Fn(f64, f64) -> f64,
    ) -> f64 {
        let depth = cutoff.unwrap_or(usize::MAX).min(grades.len());
        let mut sum = 0.0;
        match self.ties {
            TieMode::Settled => {
                let mut add = |index: usize, grade: f64| {
                    let worth = worth(grade);
                    if worth != 0.0 {
                        sum += self.rounding.term(weigh(worth, (index + 1) as f64));
                    }
                };
                if self.judged.is_some() && worth(f64::NAN) == 0.0 {
                    self.each_of(grades, Some(depth), add);
                } else {
                    for (index, &grade) in grades.iter().take(depth).enumerate() {
                        add(index, grade);
                    }
                }
            }
            TieMode::Expected => {
                for (start, end) in self.groups() {
                    if start >= depth {
                        break;
                    }
                    let group = grades.known(start..end);
                    let total: f64 = group.iter().fold(0.0, |total, &grade| total + worth(grade));
                    if total != 0.0 {
                        let mean = total / (end - start) as f64;
                        for index in start..end.min(depth) {
                            sum += self.rounding.term(weigh(mean, (index + 1) as f64));
                        }
                    }
                }
            }
            TieMode::AverageRank | TieMode::AverageRankDown => {
                let limit = cutoff.map_or(f64::INFINITY, |cutoff| cutoff as f64);
                for (start, end) in self.groups() {
                    let rank = self.ties.mean_rank(start, end);
                    if rank > limit {
                        break;
                    }
                    for &grade in grades.known(start..end) {
                        let worth = worth(grade);
                        if worth != 0.0 {
                            sum += self.rounding.term(weigh(worth, rank));
                        }
                    }
                }
            }
        }
        sum
    }
}
