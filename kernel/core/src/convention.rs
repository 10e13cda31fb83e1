//! The policies of an evaluation, as data.

mod parse;

/// The order of a run's documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Score,
    Rank,
    Given,
}

/// The order of documents with equal scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    IdDescending,
    IdAscending,
    Given,
    Reverse,
    /// The mean of the measure over all orders of the tied documents.
    Expected,
    /// Every tied document gets the mean of the tied ranks.
    AverageRank,
    /// The same, rounded down.
    AverageRankDown,
    Optimistic,
    Pessimistic,
    Random(u64),
    Error,
}

impl Ties {
    /// Whether the measure, not the order, handles the ties.
    #[must_use]
    pub fn stay_groups(self) -> bool {
        self == Self::Expected || self.shares_ranks()
    }

    /// Whether tied documents share one rank.
    #[must_use]
    pub fn shares_ranks(self) -> bool {
        matches!(self, Self::AverageRank | Self::AverageRankDown)
    }
}

/// The treatment of a retrieved document without a judgment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unjudged {
    /// It gains nothing and is not relevant.
    Zero,
    /// It is removed from the ranking.
    Condense,
    /// It counts as if it had this grade.
    Grade(f64),
}

/// The treatment of a judged document that was not retrieved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unretrieved {
    /// It is not in the ranking.
    Absent,
    /// It is ranked after all retrieved documents, tied with the others that were not retrieved.
    Last,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Negative {
    /// No gain, never relevant, but judged.
    Zero,
    /// The gain is negative.
    Signed,
    /// Treated as unjudged.
    Unjudged,
    /// Treated as unjudged, and removed from the ranking.
    Drop,
    Error,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fractions {
    Keep,
    Truncate,
    Error,
}

/// The treatment of a duplicate document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duplicates {
    Error,
    First,
    Last,
    Best,
    /// The mean of the grades; of judgments.
    Mean,
    Count,
    /// Each counts, in the ideal too.
    Copies,
    /// The first counts, and the others keep their ranks as unjudged documents.
    Blank,
}

/// The treatment of a query with no relevant documents for the measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NothingRelevant {
    Value(f64),
    /// 1 if nothing was retrieved, else 0.
    Agree,
    Skip,
    Error,
}

/// Values that a weighted mean counts without the weight of their query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unweighted {
    Nothing,
    /// The values of queries with no relevant documents; their weights still count in the denominator.
    NoRelevant,
}

/// The treatment of a judged query that the run lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    Empty,
    Skip,
    Error,
}

/// The treatment of a query of the run without judgments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    Ignore,
    /// Judged, with no relevant documents.
    NoRelevant,
    Error,
}

/// Rounding to decimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    None,
    Term(u32),
    /// As `Term`, but always down.
    TermDown(u32),
    Query(u32),
    Mean(u32),
}

impl Rounding {
    #[must_use]
    pub fn term(self, value: f64) -> f64 {
        match self {
            Self::Term(digits) => round(value, digits),
            Self::TermDown(digits) => round_down(value, digits),
            _ => value,
        }
    }

    /// Divides two sums of rounded terms. Binary floats only approximate these decimals, so they are divided
    /// as integers in units of the last digit.
    #[must_use]
    pub fn quotient(self, over: f64, under: f64) -> f64 {
        let (Self::Term(digits) | Self::TermDown(digits)) = self else { return over / under };
        let scale = 10f64.powi(i32::try_from(digits).unwrap_or(300));
        let (dividend, divisor) = ((over * scale).round() * scale, (under * scale).round());
        if divisor < 1.0 || !exact(dividend) || !exact(divisor) {
            return self.term(over / under);
        }
        let rest = dividend.rem_euclid(divisor);
        let down = (dividend - rest) / divisor;
        let up = match self {
            Self::Term(_) if dividend < 0.0 => rest * 2.0 > divisor,
            Self::Term(_) => rest * 2.0 >= divisor,
            _ => false,
        };
        (down + f64::from(u8::from(up))) / scale
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

/// Whether an integer and its neighbors are exact as floats.
fn exact(whole: f64) -> bool {
    whole.abs() < 2f64.powi(52)
}

/// Rounds half away from zero, like `round` in C and Java. Not inlined: the optimizer would otherwise compute
/// the power of ten even if nothing is rounded.
#[inline(never)]
fn round(value: f64, digits: u32) -> f64 {
    let scale = 10f64.powi(i32::try_from(digits).unwrap_or(300));
    let scaled = (value * scale).round() / scale;
    if scaled.is_finite() { scaled } else { value }
}

/// Rounds down: the largest decimal that does not exceed the value.
#[inline(never)]
fn round_down(value: f64, digits: u32) -> f64 {
    let scale = 10f64.powi(i32::try_from(digits).unwrap_or(300));
    let whole = (value * scale).round();
    let nearest = whole / scale;
    let scaled = if nearest > value { (whole - 1.0) / scale } else { nearest };
    if scaled.is_finite() { scaled } else { value }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Convention {
    pub order: Order,
    pub ties: Ties,
    /// Scores are compared as 32-bit floats.
    pub float32: bool,
    pub unjudged: Unjudged,
    pub unretrieved: Unretrieved,
    pub negative: Negative,
    pub fractions: Fractions,
    /// A grade above it is an error.
    pub largest_grade: Option<f64>,
    pub duplicates: Duplicates,
    /// A document whose id is the query's id is removed from the ranking.
    pub drop_same_id: bool,
    /// A ranking of one document is an error.
    pub refuse_single: bool,
    pub nothing_relevant: NothingRelevant,
    pub missing: Missing,
    pub extra: Extra,
    pub unweighted: Unweighted,
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
            unretrieved: Unretrieved::Absent,
            negative: Negative::Zero,
            fractions: Fractions::Keep,
            largest_grade: None,
            duplicates: Duplicates::Error,
            drop_same_id: false,
            refuse_single: false,
            nothing_relevant: NothingRelevant::Value(0.0),
            missing: Missing::Empty,
            extra: Extra::Ignore,
            unweighted: Unweighted::Nothing,
            rounding: Rounding::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_down_never_rounds_up() {
        let down = |value: f64| Rounding::TermDown(2).term(value);
        assert_eq!(down(0.599_999), 0.59);
        assert_eq!(down(0.59), 0.59);
        assert_eq!(down(0.29), 0.29);
        assert_eq!(down(-0.001), -0.01);
        assert_eq!(down(3.0), 3.0);
        assert_eq!(down(1e300), 1e300);
        assert_eq!(Rounding::Term(2).term(0.599_999), 0.6);
    }

    #[test]
    fn quotients_of_rounded_sums_are_those_of_decimals() {
        let (down, half) = (Rounding::TermDown(2), Rounding::Term(2));
        // 4.7 and 9.4, as sums of their terms.
        let (over, under) = (1.0 + 0.13 + 3.57, 9.4);
        assert!(over / under < 0.5);
        assert_eq!(down.quotient(over, under), 0.5);
        assert_eq!(down.quotient(1.0, 3.0), 0.33);
        assert_eq!(down.quotient(-1.0, 3.0), -0.34);
        assert_eq!((half.quotient(2.0, 3.0), half.quotient(-2.0, 3.0)), (0.67, -0.67));
        // Halves, away from zero.
        assert_eq!((half.quotient(1.0, 8.0), half.quotient(-1.0, 8.0)), (0.13, -0.13));
        assert_eq!(half.quotient(1e300, 2e300), 0.5);
        assert_eq!(Rounding::Query(2).quotient(1.0, 3.0), 1.0 / 3.0);
        assert!(down.quotient(0.0, 0.0).is_nan());
    }
}
