//! The contents of an account.

use crate::measures::spans::Read;

/// One query's account.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// As in the table of an evaluation.
    pub value: f64,
    /// The query has no relevant documents for the measure.
    pub nothing: bool,
    /// The convention leaves the query out of the measure's mean.
    pub skipped: bool,
    /// Documents in the evaluated ranking.
    pub retrieved: usize,
    /// Documents judged for the query.
    pub judged: usize,
    pub content: Breakdown,
    pub left_out: Vec<LeftOut>,
}

/// The ranks, and the parts that depend on the measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Breakdown {
    /// For sums of discounted gains: the two sums.
    pub parts: Option<(f64, f64)>,
    pub ranks: Vec<Rank>,
    /// The ideal ranking; empty for measures that have none.
    pub ideal: Vec<IdealRank>,
    pub documents: Vec<Document>,
    /// The groups of which one document or span is needed; empty where judgments have none.
    pub groups: Vec<FoundGroup>,
}

/// A group of alternatives.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundGroup {
    pub name: Vec<u8>,
    pub weight: f64,
    /// The rank, from 1, at which it was found; `None` if it was not.
    pub rank: Option<usize>,
}

/// One rank of the ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Rank {
    pub document: Vec<u8>,
    pub score: Option<f64>,
    /// NaN where the document is not judged.
    pub grade: f64,
    /// The number of its group of equal scores, from 1; 0 for none.
    pub tie: usize,
    /// Sums of gains: the three numbers of a term. `NaN` for other measures.
    pub gain: f64,
    pub weight: f64,
    pub contribution: f64,
    /// The measure's sum, or its value, down to this rank. NaN where it has none.
    pub running: f64,
    /// Whether the measure counts the document as relevant; `None` if not applicable.
    pub relevant: Option<bool>,
    /// For average precision: the precision at the rank of a relevant document. NaN elsewhere.
    pub precision: f64,
    /// What is read at this rank, if judgments and run have offsets.
    pub read: Option<Read>,
}

/// One rank of the ideal ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct IdealRank {
    /// `None` if the ideal consists of grades, not documents.
    pub document: Option<Vec<u8>>,
    pub grade: f64,
    pub gain: f64,
    pub contribution: f64,
    pub running: f64,
}

/// A document that counts in the ranking, in the ideal, or in both.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    pub id: Vec<u8>,
    /// NaN where the document is not judged.
    pub grade: f64,
    pub gain: f64,
    /// Its rank, from 1; `None` if it was not retrieved.
    pub rank: Option<usize>,
    /// Its rank in the ideal ranking, if any.
    pub ideal_rank: Option<usize>,
    /// Its contributions to both. NaN for measures without an ideal ranking.
    pub contribution: f64,
    pub ideal_contribution: f64,
}

/// A row that the convention removed from the ranking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub document: Vec<u8>,
    pub reason: LeftOutReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOutReason {
    /// The convention or the measure uses judged documents only.
    Unjudged,
    /// The document is already in the ranking.
    Duplicate,
    /// Its grade is negative.
    Negative,
    /// The document's id is the query's.
    SameId,
}
