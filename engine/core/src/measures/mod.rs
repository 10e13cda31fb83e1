//! Measures: one query's ranking and judged pool in, one number out. One file a family.

mod accuracy;
mod average_precision;
mod bpref;
mod check;
mod compatibility;
mod condensed;
mod counts;
mod cumulative;
mod cutoffs;
mod cwl;
mod err;
mod g;
mod gain;
mod groups;
mod inferred;
mod interpolated;
mod kernel;
mod min_max;
mod ndcg_average;
mod novelty;
pub mod preferences;
mod rbp;
mod reciprocal_rank;
mod set_based;
mod stratified;
mod view;

pub use condensed::Condensed;
pub use cumulative::{Cumulative, Ideal, ideal_gains, ideal_value};
pub use cutoffs::Sums;
pub use cwl::{Cwl, Model as CwlModel, Quantity, Scale, Stopping};
pub use gain::{Discount, Gain, Shape};
pub use groups::{Groups, Over, Within};
pub use interpolated::Interpolation;
pub use kernel::Kernel;
pub use min_max::MinMax;
pub use novelty::{Novelty, Patience};
pub use rbp::Worth;
pub use set_based::multiple_of;
pub use view::{Documents, Level, TieMode, View, is_relevant};

use crate::convention::{Convention, Negative, NothingRelevant, Unjudged};
use crate::error::{Error, Kind, Result};

/// A measure with everything decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    pub kernel: Kernel,
    pub cutoff: Option<usize>,
    /// Take unjudged documents out for this measure alone.
    pub judged_only: bool,
    /// Over queries, the mean is that of the logarithms.
    pub geometric: bool,
    /// How the user wrote it, for messages.
    pub name: String,
}

/// What a measure says of one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    pub value: f64,
    /// The query has nothing relevant for this measure.
    pub nothing: bool,
    /// The convention leaves the query out of this measure's mean.
    pub skipped: bool,
    /// For nDCG: the two parts.
    pub dcg: f64,
    pub idcg: f64,
}

/// What a measure says of one query before the convention's policies on queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Raw {
    pub value: f64,
    /// The query has nothing relevant for this measure.
    pub nothing: bool,
    /// For nDCG: the two parts.
    pub dcg: f64,
    pub idcg: f64,
}

impl Raw {
    fn of(value: f64, nothing: bool) -> Self {
        Self { value, nothing, dcg: f64::NAN, idcg: f64::NAN }
    }

    /// A share of an ideal. One as short as the ranking has no documents where nothing was returned;
    /// that does not mean that nothing is relevant.
    #[must_use]
    pub fn share(of: &Cumulative, view: &View<'_>, dcg: f64, idcg: f64) -> Self {
        if of.ideal == Ideal::JudgedToDepth && view.grades.is_empty() && of.gain.any(view.pool) {
            return Self { value: 0.0, nothing: false, dcg, idcg };
        }
        Self { value: view.rounding.quotient(dcg, idcg), nothing: idcg <= 0.0, dcg, idcg }
    }
}

/// What a convention has against a ranking of one document.
#[must_use]
pub fn single_document() -> Box<Error> {
    Error::new(Kind::Convention, "a ranking of one document", "two documents or more")
        .hint("the convention has single=error; single=keep measures it")
}

impl Measure {
    /// The measure's value for one query, with the convention's policy on queries that have nothing
    /// relevant, and its rounding.
    pub fn value(&self, view: &View<'_>, convention: &Convention) -> Result<Value> {
        self.settle(self.raw(view, convention)?, view, convention)
    }

    /// What the measure says of one query before the convention's policies on queries.
    #[inline(always)]
    pub fn raw(&self, view: &View<'_>, convention: &Convention) -> Result<Raw> {
        let k = self.cutoff;
        let (value, nothing) = match &self.kernel {
            Kernel::Cg(gain) => (cumulative::cg(view, k, gain), !gain.any(view.pool)),
            Kernel::Dcg(c) => (c.dcg(view, k), !c.gain.any(view.pool)),
            Kernel::Idcg(c) => (c.idcg(view, k), false),
            Kernel::Ndcg(c) => return Ok(Raw::share(c, view, c.dcg(view, k), c.idcg(view, k))),
            Kernel::Precision { rel } => set_based::precision(view, k, *rel),
            Kernel::Recall { rel, capped } => set_based::recall(view, k, *rel, *capped),
            Kernel::AveragePrecision { rel, capped } => average_precision::value(view, k, *rel, *capped),
            Kernel::ReciprocalRank { rel } => reciprocal_rank::value(view, k, *rel),
            Kernel::RPrecision { rel } => set_based::r_precision(view, *rel),
            Kernel::F { rel, weight } => set_based::f(view, k, *rel, *weight),
            Kernel::Success { rel } => set_based::success(view, k, *rel),
            Kernel::Err { max_grade } => err::value(view, k, *max_grade)?,
            Kernel::Rbp { p, worth } => rbp::value(view, k, *p, *worth)?,
            Kernel::RbpResidual { p, closed } => (rbp::residual(view, k, *p, *closed), false),
            Kernel::Bpref { rel } => bpref::value(view, *rel),
            Kernel::Judged => (counts::judged(view, k), false),
            Kernel::Unjudged => (counts::unjudged(view, k), false),
            Kernel::NumQ => (1.0, false),
            Kernel::NumRet => (view.grades.len() as f64, false),
            Kernel::NumRel { rel } => (view.relevant(*rel) as f64, false),
            Kernel::NumRelRet { rel } => (counts::relevant_retrieved(view, k, *rel), false),
            Kernel::NormalisedErr { max_grade } => err::normalised(view, k, *max_grade)?,
            Kernel::Cwl(cwl) => cwl.value(view, k, convention.negative == Negative::Signed)?,
            Kernel::MinMaxNdcg(min_max) => min_max.value(view, k),
            Kernel::Compatibility { p, normalise } => compatibility::value(view, k, *p, *normalise),
            Kernel::Accuracy { rel } => accuracy::value(view, k, *rel),
            Kernel::StratifiedNdcg(gain) => stratified::ndcg(view, k, gain)?,
            Kernel::StratifiedAp { rel } => stratified::average_precision(view, k, *rel)?,
            Kernel::Groups(groups) => {
                groups.value(view, k, self.judged_only || convention.unjudged == Unjudged::Condense)
            }
            Kernel::Novelty(novelty) => novelty.value(view, k),
            Kernel::Prefs { count, pairs, ties } => {
                view.documents.preferences.of(*ties).map_or((0.0, true), |own| own.share(*count, *pairs))
            }
            Kernel::NumPrefs { of, ties } => {
                (view.documents.preferences.of(*ties).map_or(0.0, |own| own.number(*of)), false)
            }
            Kernel::NumNonrelRet { rel } => (counts::nonrelevant_retrieved(view, k, *rel), false),
            Kernel::InterpolatedPrecision(how, recall) => {
                (how.at(view, *recall), view.relevant(how.rel) == 0)
            }
            Kernel::InterpolatedAverage(how, recalls) => {
                (how.average(view, recalls), view.relevant(how.rel) == 0)
            }
            Kernel::InferredAp { rel } => inferred::value(view, *rel),
            Kernel::RPrecisionMultiple { rel, multiple } => {
                set_based::r_precision_multiple(view, *rel, *multiple)
            }
            Kernel::RelativePrecision { rel } => set_based::relative_precision(view, k, *rel),
            Kernel::SetAp { rel } => set_based::average_precision(view, *rel),
            Kernel::Utility { rel, weights, collection } => {
                (set_based::utility(view, *rel, *weights, *collection), false)
            }
            Kernel::BinaryG { rel } => g::binary(view, *rel),
            Kernel::G(gain) => g::value(view, gain),
            Kernel::NdcgOverRelevant(gain) => ndcg_average::over_relevant(view, gain),
            Kernel::NdcgAtLevels { gain, rel, undefined } => {
                ndcg_average::at_levels(view, gain, *rel, *undefined)
            }
            Kernel::LogOddsAp { rel } => average_precision::log_odds(view, *rel),
        };
        Ok(Raw::of(value, nothing))
    }

    /// The convention's policies on one query: a single document, nothing relevant, rounding.
    #[inline(always)]
    pub fn settle(&self, raw: Raw, view: &View<'_>, convention: &Convention) -> Result<Value> {
        let Raw { value, nothing, dcg, idcg } = raw;
        let whole = if self.kernel.has_parts() { dcg + idcg } else { value };
        if nothing || convention.refuse_single || !whole.is_finite() {
            return self.settle_unusual(raw, whole, view, convention);
        }
        Ok(Value { value: convention.rounding.query(value), nothing, skipped: false, dcg, idcg })
    }

    /// Apart, so that the usual case is a few instructions in the loop over the measures.
    #[inline(never)]
    fn settle_unusual(
        &self,
        raw: Raw,
        whole: f64,
        view: &View<'_>,
        convention: &Convention,
    ) -> Result<Value> {
        let Raw { value, nothing, dcg, idcg } = raw;
        if convention.refuse_single && view.grades.len() == 1 {
            return Err(single_document());
        }
        if !whole.is_finite() && !nothing && !self.kernel.may_be_infinite() {
            return Err(self.beyond_numbers());
        }
        let mut result = Value { value, nothing, skipped: false, dcg, idcg };
        if nothing {
            match self.without_relevant(value, convention.nothing_relevant, view.grades.is_empty()) {
                Some(set) => result.value = set,
                None if convention.nothing_relevant == NothingRelevant::Skip => {
                    result.value = f64::NAN;
                    result.skipped = true;
                }
                None => {
                    return Err(Error::new(
                        Kind::Grade,
                        format!("nothing relevant for {}", self.name),
                        "a relevant document",
                    )
                    .hint(
                        "the convention has no_relevant=error; 0, 1, nan or skip say what the query counts",
                    ));
                }
            }
        }
        result.value = convention.rounding.query(result.value);
        Ok(result)
    }

    /// What a query counts that has nothing relevant for the measure; none where it is left out or an
    /// error.
    #[must_use]
    pub fn without_relevant(&self, value: f64, policy: NothingRelevant, empty: bool) -> Option<f64> {
        // A sum of gains is what it is; only measures with a scale of their own are set.
        let kept = matches!(self.kernel, Kernel::Cg(_) | Kernel::Dcg(_));
        match policy {
            // What the drop-in for trec_eval asked for.
            _ if value.is_nan() && self.kernel.may_be_undefined() => Some(value),
            NothingRelevant::Value(_) | NothingRelevant::Agree if kept => Some(value),
            NothingRelevant::Value(set) => Some(set),
            NothingRelevant::Agree => Some(f64::from(u8::from(empty))),
            NothingRelevant::Skip | NothingRelevant::Error => None,
        }
    }

    fn beyond_numbers(&self) -> Box<Error> {
        let (found, expected, hint) = if self.kernel.gains() {
            (
                "a gain beyond all numbers",
                "finite gains",
                "2^grade - 1 overflows from grade 1024 on; a gain table can scale such grades",
            )
        } else {
            ("a value beyond all numbers", "a finite value", "a parameter of the measure is too large")
        };
        Error::new(Kind::Grade, format!("{found} for {}", self.name), expected).hint(hint)
    }
}
