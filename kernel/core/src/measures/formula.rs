//! The interface of a formula: its parameters, its needs, and its value for one query.

use super::cumulative::{Cumulative, Ideal};
use super::gain::Gain;
use super::preferences::TieOrder;
use super::view::{View, is_relevant};
// What every family is written with, by `use super::formula::*`.
pub(super) use crate::error::Result;
pub(super) use crate::values::Values;

/// A family of measures. No method has a default: a new family has to decide each.
pub trait Formula: Sized {
    /// Reads the parameters of the measure with this name. `signed`: negative grades are losses.
    fn parse(name: &str, values: &dyn Values, signed: bool) -> Result<Self>;

    /// The needs of the formula. Requested once per measure, not per query.
    fn needs(&self) -> Needs;

    /// The value before the convention's policies on queries.
    fn value(&self, question: &Question<'_>) -> Result<Raw>;
}

/// The input of a formula for one query.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    pub view: &'a View<'a>,
    pub cutoff: Option<usize>,
    /// Whether unjudged documents are left out, by the measure or by the convention.
    pub condensed: bool,
}

/// The result of a measure for one query before the convention's policies on queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Raw {
    pub value: f64,
    /// The query has nothing relevant for this measure.
    pub nothing: bool,
    /// For nDCG: the two parts.
    pub dcg: f64,
    pub idcg: f64,
}

impl From<(f64, bool)> for Raw {
    fn from((value, nothing): (f64, bool)) -> Self {
        Self::of(value, nothing)
    }
}

impl Raw {
    pub(super) fn of(value: f64, nothing: bool) -> Self {
        Self { value, nothing, dcg: f64::NAN, idcg: f64::NAN }
    }

    /// A share of an ideal. An ideal cut at the length of an empty ranking is empty, although there may be
    /// relevant documents.
    #[must_use]
    pub fn share(of: &Cumulative, view: &View<'_>, dcg: f64, idcg: f64) -> Self {
        if of.ideal == Ideal::JudgedToDepth && view.grades.is_empty() && of.gain.any(view.pool) {
            return Self { value: 0.0, nothing: false, dcg, idcg };
        }
        Self { value: view.rounding.quotient(dcg, idcg), nothing: idcg <= 0.0, dcg, idcg }
    }
}

/// The needs of a formula. Each family writes all fields, without `..`.
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

/// The parts of the judgments that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// At most which queries are judged: any judgments do.
    Any,
    /// Which documents are judged.
    Judged,
    /// One grade per document.
    Grades,
    /// One grade per document or per span.
    GradesOrPlaces,
    /// One grade per document, and which document is at a rank.
    Documents,
    /// Judgments of subtopics or groups.
    Labels,
    /// Judgments of subtopics or groups, of documents or spans.
    Groups,
    /// Groups if the judgments have any, otherwise one grade per document or span.
    Alternatives,
    /// Grades of spans.
    Places,
    /// One grade per document, and as its label the stratum of the sample. Without labels, all of the
    /// pool is one stratum.
    Strata,
    /// Preferences, with tied documents in this order.
    Preferences(TieOrder),
}

impl Reads {
    /// Whether the formula needs to know which document is at a rank.
    #[must_use]
    pub fn documents(self) -> bool {
        !matches!(self, Self::Any | Self::Judged | Self::Grades | Self::GradesOrPlaces | Self::Places)
    }

    /// Whether judgments need labels, or must not have different grades under several; `None` if both are
    /// defined.
    #[must_use]
    pub fn labels(self) -> Option<bool> {
        match self {
            Self::Grades | Self::GradesOrPlaces | Self::Documents | Self::Places => Some(false),
            Self::Labels | Self::Groups => Some(true),
            Self::Any | Self::Judged | Self::Alternatives | Self::Strata | Self::Preferences(_) => None,
        }
    }

    /// Whether judgments and run need offsets, or must not have any; `None` if both are defined.
    #[must_use]
    pub fn places(self) -> Option<bool> {
        match self {
            Self::Places => Some(true),
            Self::Any | Self::GradesOrPlaces | Self::Groups | Self::Alternatives => None,
            Self::Judged
            | Self::Grades
            | Self::Documents
            | Self::Labels
            | Self::Strata
            | Self::Preferences(_) => Some(false),
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
    /// The formula does not use relevance.
    Unasked,
}

impl Relevant {
    /// The grade from which a document is relevant; `None` for measures that use the grades themselves.
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

/// The tie policies under which the value is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TieSupport {
    /// Policies that order tied documents.
    Settled,
    /// Also the mean over all orders.
    Expected,
    /// Also policies under which tied documents share a rank.
    Any,
}

/// The allowed cutoffs and their relations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cutoffs {
    /// Each has a value of its own.
    Any,
    /// Cutoffs beyond all returned and judged documents have the same value.
    Settling,
    /// Several cutoffs take one pass over the ranks (`Measure::at_cutoffs`).
    OnePass {
        settling: bool,
    },
    AtMost(usize),
    /// A cutoff is required.
    Required {
        at_most: usize,
    },
}

impl Cutoffs {
    /// Whether the value is constant for cutoffs beyond all returned and judged documents.
    #[must_use]
    pub fn settle(self) -> bool {
        matches!(self, Self::Settling | Self::OnePass { settling: true })
    }

    #[must_use]
    pub fn are_one_pass(self) -> bool {
        matches!(self, Self::OnePass { .. })
    }
}

/// The possible values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// Finite numbers. The convention sets the value of a query with no relevant documents.
    Finite,
    /// A quotient with its two parts, such as nDCG with DCG and IDCG.
    Parts,
    /// A sum, which is kept if there are no relevant documents.
    Sum,
    /// Values for the drop-in replacement for trec_eval. `infinite`: some levels or gains give infinite
    /// values. `undefined`: 0/0 as in trec_eval.
    Exceptional { infinite: bool, undefined: bool },
}

/// The meaning of the value down to each rank.
#[derive(Debug, Clone, PartialEq)]
pub enum Ranks {
    /// Each rank adds a term to this sum.
    Terms(Cumulative),
    /// It is the value with a cutoff there.
    Cut,
    /// It is the value with a cutoff there, made of the precision at each document relevant at the level.
    CutWithPrecision { rel: f64 },
    /// It is the value of a ranking that ends there: the formula uses whole rankings.
    Ended,
    /// It is the precision, down to a multiple of the number of relevant documents.
    Precision { rel: f64, multiple: f64 },
    /// It is computed outside the kernel, from the ranks down to the cutoff.
    Outside,
    /// The value does not depend on ranks.
    Nothing,
}

/// The labelings of unjudged documents with the lowest and highest value.
#[derive(Debug, Clone, PartialEq)]
pub enum Extremes {
    Unknown,
    /// Each document has the lowest or highest grade. The value never decreases with a grade.
    Grade,
    /// The same with gains.
    Gain(Gain),
    /// The documents relevant at the level come last or first.
    Relevance {
        rel: f64,
        count: BestCount,
    },
    /// A share of an ideal that changes with the labels.
    Share(Cumulative),
}

/// The number of relevant documents at an extreme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BestCount {
    /// As few or as many as possible.
    Extreme,
    /// As many as are best for average precision.
    AveragePrecision { capped: bool },
    /// As many as are best for R-precision.
    RPrecision,
}
