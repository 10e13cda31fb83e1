//! What an account holds.

/// One query's account.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// As in the table of an evaluation.
    pub value: f64,
    /// The query has nothing relevant for the measure.
    pub nothing: bool,
    /// The convention leaves the query out of the measure's mean.
    pub skipped: bool,
    /// Documents in the ranking that was measured.
    pub retrieved: usize,
    /// Documents judged for the query.
    pub judged: usize,
    pub content: Content,
    pub left_out: Vec<LeftOut>,
}

/// The ranks, and what else belongs to the kind of measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// For sums of discounted gains: the two sums.
    pub parts: Option<(f64, f64)>,
    pub ranks: Vec<Rank>,
    /// The ideal ranking; empty for measures that have none.
    pub ideal: Vec<IdealRank>,
    pub documents: Vec<Document>,
}

/// One rank of the ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Rank {
    pub document: Vec<u8>,
    pub score: Option<f64>,
    /// NaN where the document is not judged.
    pub grade: f64,
    /// The group of equal scores it stands in, from 1; 0 for none.
    pub tie: usize,
    /// Sums of gains: the three numbers of a term. `NaN` for other measures.
    pub gain: f64,
    pub weight: f64,
    pub contribution: f64,
    /// The measure's sum, or its value, down to this rank. NaN where it has none.
    pub running: f64,
    /// Whether the measure counts the document as relevant; `None` where that means nothing.
    pub relevant: Option<bool>,
    /// For average precision: the precision at the rank of a relevant document. NaN elsewhere.
    pub precision: f64,
}

/// One rank of the ideal ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct IdealRank {
    /// `None` where the ideal is made of grades, not of documents.
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
    /// Where it stands, from 1; `None` if it was not retrieved.
    pub rank: Option<usize>,
    /// Where it stands in the ideal ranking, if it does.
    pub ideal_rank: Option<usize>,
    /// What it adds there and here. NaN for measures without an ideal ranking.
    pub contribution: f64,
    pub ideal_contribution: f64,
}

/// A row that the convention took out of the ranking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub document: Vec<u8>,
    pub reason: Reason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The convention or the measure looks at judged documents only.
    Unjudged,
    /// The document stands in the ranking already.
    Duplicate,
    /// Its grade is negative.
    Negative,
    /// The document's id is the query's.
    SameId,
}
