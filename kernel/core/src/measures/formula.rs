//! What a formula is: how it is read, what it needs, and its value for one query.

use super::cumulative::Cumulative;
use super::gain::Gain;
use super::preferences::TieOrder;
use super::view::{View, is_relevant};
// What every family is written with, by `use super::formula::*`.
pub(super) use super::Raw;
pub(super) use crate::error::Result;
pub(super) use crate::values::Values;

/// A family of measures. No method has a default: a new family has to decide each.
pub trait Formula: Sized {
    /// Reads the parameters of the measure with this name. `signed`: negative grades are losses.
    fn parse(name: &str, values: &dyn Values, signed: bool) -> Result<Self>;

    /// What the kernel has to know before it measures. Asked once per measure, not per query.
    fn needs(&self) -> Needs;

    /// The value before the convention's policies on queries.
    fn value(&self, question: &Question<'_>) -> Result<Raw>;
}

/// One query, as a formula sees it.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    pub view: &'a View<'a>,
    pub cutoff: Option<usize>,
    /// Whether unjudged documents are left out, by the measure or by the convention.
    pub condensed: bool,
}

/// What a formula needs. Written in full by each family, without `..`.
#[derive(Debug, Clone, PartialEq)]
pub struct Needs {
    pub reads: Reads,
    pub relevant: Relevant,
    pub ties: TieSupport,
    pub cutoffs: Cutoffs,
    pub range: Range,
    pub ranks: Ranks,
    pub bounds: Extremes,
}

/// What is read of the judgments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// At most which documents are judged: any judgments do.
    Any,
    /// One grade per document.
    Grades,
    /// One grade per document, and which document is at a rank.
    Documents,
    /// Judgments of subtopics or groups.
    Labels,
    /// One grade per document, and as its label the stratum of the sample. Without labels, all of the
    /// pool is one stratum.
    Strata,
    /// Preferences, with tied documents in this order.
    Preferences(TieOrder),
}

impl Reads {
    /// Whether the formula asks which document is at a rank.
    #[must_use]
    pub fn documents(self) -> bool {
        !matches!(self, Self::Any | Self::Grades)
    }

    /// Whether judgments need labels, or must not have any; `None` if both have a meaning.
    #[must_use]
    pub fn labels(self) -> Option<bool> {
        match self {
            Self::Grades | Self::Documents => Some(false),
            Self::Labels => Some(true),
            Self::Any | Self::Strata | Self::Preferences(_) => None,
        }
    }

    #[must_use]
    pub fn preferences(self) -> Option<TieOrder> {
        if let Self::Preferences(order) = self { Some(order) } else { None }
    }
}

/// Which documents are relevant.
#[derive(Debug, Clone, PartialEq)]
pub enum Relevant {
    FromGrade(f64),
    AboveGrade(f64),
    WithGain(Gain),
    /// The formula does not ask.
    Unasked,
}

impl Relevant {
    /// The grade from which a document is relevant; `None` for measures that take grades as they are.
    #[must_use]
    pub fn level(&self) -> Option<f64> {
        if let Self::FromGrade(rel) = self { Some(*rel) } else { None }
    }

    /// Whether a document with this grade is relevant.
    #[must_use]
    pub fn has(&self, grade: f64) -> Option<bool> {
        match self {
            Self::FromGrade(rel) => Some(grade >= 0.0 && is_relevant(grade, *rel)),
            Self::AboveGrade(level) => Some(grade > *level),
            Self::WithGain(gain) => Some(gain.of(grade) > 0.0),
            Self::Unasked => None,
        }
    }
}

/// The tie policies under which there is a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TieSupport {
    /// Those that settle the order.
    Settled,
    /// Also the mean over all orders.
    Expected,
    /// Also those under which tied documents share a rank.
    Any,
}

/// Which cutoffs there can be, and what they have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cutoffs {
    /// Each has a value of its own.
    Any,
    /// Those below all that is returned and judged have one value.
    Settling,
    /// Several are one pass over the ranks (`Measure::at_cutoffs`).
    OnePass {
        settling: bool,
    },
    AtMost(usize),
    /// There has to be one.
    Required {
        at_most: usize,
    },
}

impl Cutoffs {
    /// Whether the value stays what it is once the cutoff is below all that is returned and judged.
    #[must_use]
    pub fn settle(self) -> bool {
        matches!(self, Self::Settling | Self::OnePass { settling: true })
    }

    #[must_use]
    pub fn are_one_pass(self) -> bool {
        matches!(self, Self::OnePass { .. })
    }
}

/// Which values there can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// Finite numbers. The convention decides what a query with no relevant documents counts.
    Finite,
    /// A quotient that comes with its two parts, as nDCG with DCG and IDCG.
    Parts,
    /// A sum, which is kept if there are no relevant documents.
    Sum,
    /// What only the drop-in for trec_eval asks for. `infinite`: at some levels or gains the value can leave
    /// the numbers. `undefined`: 0/0 where trec_eval divides so.
    Exceptional { infinite: bool, undefined: bool },
}

/// What is known of the value down to each rank.
#[derive(Debug, Clone, PartialEq)]
pub enum Ranks {
    /// Each rank adds a term to this sum.
    Terms(Cumulative),
    /// It is the value with a cutoff there.
    Cut,
    /// It is the value with a cutoff there, made of the precision at each document relevant at the level.
    CutWithPrecision { rel: f64 },
    /// It is the value of a ranking that ends there: the formula looks at whole rankings.
    Ended,
    /// It is the precision, down to a multiple of the number of relevant documents.
    Precision { rel: f64, multiple: f64 },
    /// No rank adds to the value.
    Nothing,
}

/// Where the least and the greatest value over the labels of unjudged documents are.
#[derive(Debug, Clone, PartialEq)]
pub enum Extremes {
    Unknown,
    /// Where each document has the least, and the greatest grade. The value never falls with one.
    Grade,
    /// The same with gains.
    Gain(Gain),
    /// Where the documents relevant at the level come last, and first.
    Relevance {
        rel: f64,
        count: BestCount,
    },
    /// A share of an ideal that changes with the labels.
    Share(Cumulative),
}

/// How many relevant documents there are at an extreme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BestCount {
    /// As few or as many as possible.
    Extreme,
    /// As many as are best for average precision.
    AveragePrecision { capped: bool },
    /// As many as are best for R-precision.
    RPrecision,
}
