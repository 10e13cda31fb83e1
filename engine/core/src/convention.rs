//! Everything about an evaluation that is not the measure: policies, as data.

/// What puts a run's documents in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Score,
    Rank,
    Given,
}

/// What decides between documents of equal score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    IdDescending,
    IdAscending,
    Given,
    Reverse,
    /// The mean of the measure over all orders of the tied documents.
    Expected,
    /// Every tied document stands at the mean of the ranks they share.
    AverageRank,
    Optimistic,
    Pessimistic,
    Random(u64),
    Error,
}

impl Ties {
    /// Whether the measure, not the order, deals with the ties.
    #[must_use]
    pub fn stay_groups(self) -> bool {
        matches!(self, Self::Expected | Self::AverageRank)
    }
}

/// What a retrieved document without a judgment is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unjudged {
    /// It gains nothing and is not relevant.
    Zero,
    /// It is taken out of the ranking.
    Condense,
    /// It counts as if it had this grade.
    Grade(f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Negative {
    /// No gain, never relevant, but judged.
    Zero,
    /// The gain is negative.
    Signed,
    /// As if there were no judgment.
    Unjudged,
    Error,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fractions {
    Keep,
    Truncate,
    Error,
}

/// One document standing twice under one query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duplicates {
    Error,
    First,
    Last,
    Best,
    Count,
}

/// A query with nothing relevant for the measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NothingRelevant {
    Value(f64),
    Skip,
    Error,
}

/// A judged query that the run lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    Empty,
    Skip,
    Error,
}

/// A query of the run that has no judgments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    Ignore,
    Error,
}

/// Rounding to decimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    None,
    Term(u32),
    Query(u32),
    Mean(u32),
}

impl Rounding {
    #[must_use]
    pub fn term(self, value: f64) -> f64 {
        if let Self::Term(digits) = self { round(value, digits) } else { value }
    }

    #[must_use]
    pub fn query(self, value: f64) -> f64 {
        if let Self::Query(digits) = self { round(value, digits) } else { value }
    }

    #[must_use]
    pub fn mean(self, value: f64) -> f64 {
        if let Self::Mean(digits) = self { round(value, digits) } else { value }
    }
}

/// Half away from zero, as `round` does it in the languages whose tools round. A call of its own: the
/// optimiser would otherwise compute the power of ten in advance, also where nothing is rounded.
#[inline(never)]
fn round(value: f64, digits: u32) -> f64 {
    let scale = 10f64.powi(i32::try_from(digits).unwrap_or(300));
    let scaled = (value * scale).round() / scale;
    if scaled.is_finite() { scaled } else { value }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Convention {
    pub order: Order,
    pub ties: Ties,
    /// Scores are compared as 32-bit floats.
    pub float32: bool,
    pub unjudged: Unjudged,
    pub negative: Negative,
    pub fractions: Fractions,
    pub duplicates: Duplicates,
    /// A document whose id is the query's id is taken out of the ranking.
    pub drop_same_id: bool,
    pub nothing_relevant: NothingRelevant,
    pub missing: Missing,
    pub extra: Extra,
    pub rounding: Rounding,
}

impl Default for Convention {
    /// `gainful-1`.
    fn default() -> Self {
        Self {
            order: Order::Score,
            ties: Ties::IdDescending,
            float32: false,
            unjudged: Unjudged::Zero,
            negative: Negative::Zero,
            fractions: Fractions::Keep,
            duplicates: Duplicates::Error,
            drop_same_id: false,
            nothing_relevant: NothingRelevant::Value(0.0),
            missing: Missing::Empty,
            extra: Extra::Ignore,
            rounding: Rounding::None,
        }
    }
}
