//! The rankings of queries, kept for measures that are computed outside the kernel.

use std::borrow::Cow;
use std::ops::Range;

use super::Plan;
use crate::convention::{Convention, Negative, Order, Unjudged};
use crate::judgments::Pool;
use crate::known::Known;
use crate::ranking::{Block, Ranker};

/// The rankings of some queries under a convention, one after the other.
#[derive(Debug, Default)]
pub struct Rankings {
    /// In rank order: the grade of each document under the convention, 0 without a judgment.
    pub grades: Vec<f64>,
    /// Whether it has a judgment.
    pub judged: Vec<u8>,
    /// Its score, if the plan needs documents; NaN if the order does not follow from scores.
    pub scores: Vec<f64>,
    documents: Vec<u8>,
    document_ends: Vec<usize>,
    /// The grades of all judged documents of each query, descending.
    pool: Vec<f64>,
    /// Indices (rank - 1) of duplicates that count as further documents.
    copies: Vec<u32>,
    ends: Vec<usize>,
    pool_ends: Vec<usize>,
    copies_ends: Vec<usize>,
}

impl Rankings {
    /// The ranks of a query.
    #[must_use]
    pub fn ranks(&self, query: usize) -> Range<usize> {
        part(&self.ends, query)
    }

    /// The grades of all judged documents of a query, descending, with the duplicates in the first ranks that
    /// count as further documents.
    #[must_use]
    pub fn pool(&self, query: usize, depth: usize) -> Cow<'_, [f64]> {
        let pool = self.pool.known(part(&self.pool_ends, query));
        let copies = self.copies.known(part(&self.copies_ends, query));
        if copies.is_empty() {
            return Cow::Borrowed(pool);
        }
        let ranks = self.ranks(query);
        let ranks = ranks.start..ranks.end.min(ranks.start.saturating_add(depth));
        let (grades, judged) = (self.grades.known(ranks.clone()), self.judged.known(ranks));
        let grade = |&index: &u32| match judged.get(index as usize) {
            Some(1) => grades.get(index as usize).copied(),
            _ => None,
        };
        let mut all: Vec<f64> = pool.iter().copied().chain(copies.iter().filter_map(grade)).collect();
        all.sort_unstable_by(|a, b| b.total_cmp(a));
        Cow::Owned(all)
    }

    /// The id of the document at a rank.
    #[must_use]
    pub fn document(&self, rank: usize) -> &[u8] {
        self.documents.known(part(&self.document_ends, rank))
    }

    pub(super) fn clear(&mut self) {
        self.grades.clear();
        self.judged.clear();
        self.scores.clear();
        self.documents.clear();
        self.document_ends.clear();
        self.pool.clear();
        self.ends.clear();
        self.pool_ends.clear();
        self.copies.clear();
        self.copies_ends.clear();
    }

    /// Adds the ranking of a query, of which `block` has the documents and scores.
    pub(super) fn add(&mut self, ranker: &Ranker, block: Option<&Block<'_>>, pool: &Pool<'_>, plan: &Plan) {
        let convention = &plan.convention;
        let depth = plan.rankings.unwrap_or(0);
        let order = ranker.order().get(..depth).unwrap_or(ranker.order());
        let grades = ranker.grades().get(..order.len()).unwrap_or_default();
        self.grades.extend(grades.iter().map(|&given| grade(given, convention)));
        self.judged.extend(grades.iter().map(|given| u8::from(!given.is_nan())));
        if plan.ranked_documents {
            self.add_documents(order, ranker, block, pool, convention);
        }
        self.pool.extend(pool.descending.iter().map(|&given| grade(given, convention)));
        self.copies.extend_from_slice(ranker.copies());
        self.ends.push(self.grades.len());
        self.pool_ends.push(self.pool.len());
        self.copies_ends.push(self.copies.len());
    }

    fn add_documents(
        &mut self,
        order: &[u32],
        ranker: &Ranker,
        block: Option<&Block<'_>>,
        pool: &Pool<'_>,
        convention: &Convention,
    ) {
        let scores = block.map(|block| block.keys).filter(|_| convention.order == Order::Score);
        for (index, &row) in order.iter().enumerate() {
            let row = row as usize;
            self.scores.push(scores.and_then(|scores| scores.get(row)).copied().unwrap_or(f64::NAN));
            match block.filter(|block| row < block.ids.len()) {
                Some(block) => self.documents.extend_from_slice(&block.ids.get(row)),
                // Only the judgments know a document that was not retrieved.
                None => {
                    let judgment = ranker.judgments().get(index).copied().unwrap_or_default() as usize;
                    let span = judgment.checked_sub(1).and_then(|row| pool.documents.get(row));
                    self.documents.extend_from_slice(span.map_or(&[], |span| span.of(pool.arena)));
                }
            }
            self.document_ends.push(self.documents.len());
        }
    }

    /// Adds the rankings of others.
    pub(super) fn append(&mut self, other: &Self) {
        let shifted = |ends: &mut Vec<usize>, others: &[usize], by: usize| {
            ends.extend(others.iter().map(|end| end + by));
        };
        shifted(&mut self.ends, &other.ends, self.grades.len());
        shifted(&mut self.pool_ends, &other.pool_ends, self.pool.len());
        shifted(&mut self.copies_ends, &other.copies_ends, self.copies.len());
        shifted(&mut self.document_ends, &other.document_ends, self.documents.len());
        self.grades.extend_from_slice(&other.grades);
        self.judged.extend_from_slice(&other.judged);
        self.scores.extend_from_slice(&other.scores);
        self.documents.extend_from_slice(&other.documents);
        self.pool.extend_from_slice(&other.pool);
        self.copies.extend_from_slice(&other.copies);
    }
}

/// The part of a list between two ends.
fn part(ends: &[usize], index: usize) -> Range<usize> {
    let start = index.checked_sub(1).map_or(0, |before| *ends.known(before));
    start..*ends.known(index)
}

/// The grade of a document of a ranking under the convention.
fn grade(given: f64, convention: &Convention) -> f64 {
    match convention.unjudged {
        Unjudged::Grade(grade) if given.is_nan() => grade,
        _ if given.is_nan() => 0.0,
        _ if convention.negative == Negative::Zero => given.max(0.0),
        _ => given,
    }
}
