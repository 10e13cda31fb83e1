//! Computes measures from the ranking and the judged pool of a query. One file per family.

mod accuracy;
mod at_level;
mod average_precision;
mod blended;
mod bpref;
mod check;
mod compatibility;
mod condensed;
mod counts;
mod cumulated_gain;
mod cumulative;
mod cutoffs;
mod cwl;
mod err;
mod formula;
mod full_recall;
mod g;
mod gain;
mod groups;
mod inferred;
mod interpolated;
mod min_max;
mod ndcg_average;
mod novelty;
mod outside;
pub mod preferences;
mod rbp;
mod reciprocal_rank;
mod set_based;
pub mod spans;
mod stratified;
mod view;

pub use condensed::Condensed;
pub use counts::Counted;
pub use cumulated_gain::{CumulatedGain, Sum};
pub use cumulative::{Cumulative, Ideal, ideal_gains, ideal_value};
pub use cutoffs::Sums;
pub use formula::{
    BestCount, Cutoffs, Extremes, Formula, Needs, Question, Range, Ranks, Raw, Reads, Relevant, TieSupport,
};
pub use gain::{Discount, Gain, Shape};
pub use set_based::{Quotient, SetBased, multiple_of};
pub use view::{Documents, Level, TieMode, View, is_relevant};

use crate::convention::{Convention, NothingRelevant, Unjudged};
use crate::error::{Error, Kind, Result};
use crate::values::Values;

/// Declares the formulas: the enum of all, its dispatch, and their names.
macro_rules! measures {
    ($($module:ident::$formula:ident: $($name:literal),+;)+) => {
        /// A formula with its parameters.
        #[derive(Debug, Clone, PartialEq)]
        pub enum AnyFormula {
            $($formula($module::$formula),)+
        }

        impl AnyFormula {
            pub const NAMES: &[&str] = &[$($($name),+),+];

            /// Reads the parameters of the measure with this name. `signed`: negative grades are losses.
            pub fn parse(name: &str, values: &dyn Values, signed: bool) -> Result<Self> {
                match name {
                    $($($name)|+ => Formula::parse(name, values, signed).map(Self::$formula),)+
                    _ => Err(Error::new(Kind::Parameter, name, Self::NAMES.join(", "))),
                }
            }

            #[must_use]
            pub fn needs(&self) -> Needs {
                match self {
                    $(Self::$formula(own) => own.needs(),)+
                }
            }

            #[inline(always)]
            fn value(&self, question: &Question<'_>) -> Result<Raw> {
                match self {
                    $(Self::$formula(own) => own.value(question),)+
                }
            }
        }
    };
}

measures! {
    at_level::AtLevel: "accuracy", "bin_g", "bpref", "gm_bpref", "infap", "rr", "stratified_ap", "yaap";
    average_precision::AveragePrecision: "ap", "gm_ap";
    blended::Blended: "q_measure", "o_measure", "p_plus";
    compatibility::Compatibility: "compatibility";
    counts::Counted: "judged", "unjudged", "num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_ret";
    cumulated_gain::CumulatedGain: "cg", "dcg", "idcg", "ndcg";
    cwl::Cwl: "cwl";
    err::ExpectedReciprocalRank: "err", "nerr";
    full_recall::FullRecall: "full_recall";
    g::G: "g";
    groups::Groups: "groups";
    interpolated::InterpolatedPrecision: "iprec", "iap";
    min_max::MinMax: "min_max_ndcg";
    ndcg_average::NdcgAtLevels: "rndcg";
    ndcg_average::NdcgOverRelevant: "ndcg_rel";
    novelty::Novelty: "alpha_dcg", "err_ia", "nrbp";
    outside::Outside: "outside", "gm_outside";
    preferences::NumPrefs: "num_prefs";
    preferences::Prefs: "prefs";
    rbp::Rbp: "rbp";
    rbp::RbpResidual: "rbp_residual";
    set_based::SetBased: "p", "relative_p", "r", "f", "success", "rprec", "rprec_mult", "set_ap", "utility";
    spans::Spans: "span_r", "span_p", "span_iou", "span_dcg", "span_u", "span_full", "span_units";
    stratified::StratifiedNdcg: "stratified_ndcg";
}

/// A measure with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    pub(crate) formula: AnyFormula,
    pub(crate) needs: Needs,
    pub cutoff: Option<usize>,
    /// Remove unjudged documents for this measure only.
    pub judged_only: bool,
    /// The mean over queries is geometric.
    pub geometric: bool,
    /// As the user wrote it, for messages.
    pub name: String,
}

/// The result of a measure for one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueryValue {
    pub value: f64,
    /// The query has no relevant documents for this measure.
    pub nothing: bool,
    /// The convention leaves the query out of this measure's mean.
    pub skipped: bool,
    /// For nDCG: the two parts.
    pub dcg: f64,
    pub idcg: f64,
}

/// The error of a convention that refuses a ranking of one document.
#[must_use]
pub fn single_document() -> Box<Error> {
    Error::statement(Kind::Convention, "the ranking has only one document")
        .policy("single")
        .hint("the convention has single=error; single=keep evaluates the query")
}

impl Measure {
    /// A formula at all ranks, over all documents.
    #[must_use]
    pub fn new(formula: AnyFormula, name: String) -> Self {
        let needs = formula.needs();
        Self { formula, needs, cutoff: None, judged_only: false, geometric: false, name }
    }

    /// The measure that a formula's name and its parameters declare.
    pub fn parse(name: String, formula: &str, values: &dyn Values, signed: bool) -> Result<Self> {
        Ok(Self {
            cutoff: values.whole("cutoff")?,
            judged_only: values.flag("judged_only")?,
            geometric: matches!(formula, "gm_ap" | "gm_bpref" | "gm_outside"),
            ..Self::new(AnyFormula::parse(formula, values, signed)?, name)
        })
    }

    #[must_use]
    pub fn needs(&self) -> &Needs {
        &self.needs
    }

    /// Whether the value is computed outside the kernel.
    #[must_use]
    pub fn is_outside(&self) -> bool {
        self.needs.ranks == Ranks::Outside
    }

    /// The value of a measure that is computed outside the kernel: that of the convention's policy on queries
    /// with nothing relevant, or 0 to be replaced.
    pub fn placeholder(&self, view: &View<'_>, convention: &Convention) -> Result<QueryValue> {
        let nothing = self.needs.relevant.level().is_some_and(|rel| view.relevant(rel) == 0);
        self.settle(Raw::of(0.0, nothing), view, convention)
    }

    /// The share of a span that must be read to find it; `None` for any part.
    #[must_use]
    pub fn overlap(&self) -> Option<f64> {
        match &self.formula {
            AnyFormula::FullRecall(formula) => formula.overlap,
            AnyFormula::Groups(groups::Groups { within: groups::Within::Success { overlap }, .. }) => {
                *overlap
            }
            _ => None,
        }
    }

    /// The number of ranks that the measure looks at; `None` for all.
    #[must_use]
    pub fn ranks(&self) -> Option<usize> {
        let cut = matches!(self.needs.ranks, Ranks::Terms(_) | Ranks::Cut | Ranks::Outside);
        self.cutoff.filter(|_| cut && !self.judged_only)
    }

    /// The measure's value for one query, with the convention's policy on queries that have nothing
    /// relevant, and its rounding.
    pub fn value(&self, view: &View<'_>, convention: &Convention) -> Result<QueryValue> {
        self.settle(self.raw(view, convention)?, view, convention)
    }

    /// What the measure says of one query before the convention's policies on queries.
    #[inline(always)]
    pub fn raw(&self, view: &View<'_>, convention: &Convention) -> Result<Raw> {
        let condensed = self.judged_only || convention.unjudged == Unjudged::Condense;
        self.formula.value(&Question { view, cutoff: self.cutoff, condensed })
    }

    /// The convention's policies on one query: a single document, no relevant documents, rounding.
    #[inline(always)]
    pub fn settle(&self, raw: Raw, view: &View<'_>, convention: &Convention) -> Result<QueryValue> {
        let Raw { value, nothing, dcg, idcg } = raw;
        let whole = if self.needs.range == Range::Parts { dcg + idcg } else { value };
        if nothing || convention.refuse_single || !whole.is_finite() {
            return self.settle_unusual(raw, whole, view, convention);
        }
        Ok(QueryValue { value: convention.rounding.query(value), nothing, skipped: false, dcg, idcg })
    }

    /// Separate, so that the usual case takes a few instructions in the loop over the measures.
    #[inline(never)]
    fn settle_unusual(
        &self,
        raw: Raw,
        whole: f64,
        view: &View<'_>,
        convention: &Convention,
    ) -> Result<QueryValue> {
        let Raw { value, nothing, dcg, idcg } = raw;
        if convention.refuse_single && view.grades.len() == 1 {
            return Err(single_document());
        }
        if !whole.is_finite()
            && !nothing
            && !matches!(self.needs.range, Range::Exceptional { infinite: true, .. })
        {
            return Err(self.beyond_numbers());
        }
        let mut result = QueryValue { value, nothing, skipped: false, dcg, idcg };
        if nothing {
            match self.without_relevant(value, convention.nothing_relevant, view.grades.is_empty()) {
                Some(set) => result.value = set,
                None if convention.nothing_relevant == NothingRelevant::Skip => {
                    result.value = f64::NAN;
                    result.skipped = true;
                }
                None => {
                    return Err(Error::statement(
                        Kind::Grade,
                        format!("no relevant documents for {}", self.name),
                    )
                    .policy("no_relevant")
                    .hint("the convention has no_relevant=error; use 0, 1, nan or skip"));
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
        // Sums of gains are kept; only values of normalized measures are replaced.
        let kept = self.needs.range == Range::Sum;
        let undefined = matches!(self.needs.range, Range::Exceptional { undefined: true, .. });
        match policy {
            _ if value.is_nan() && undefined => Some(value),
            NothingRelevant::Value(_) | NothingRelevant::Agree if kept => Some(value),
            NothingRelevant::Value(set) => Some(set),
            NothingRelevant::Agree => Some(f64::from(u8::from(empty))),
            NothingRelevant::Skip | NothingRelevant::Error => None,
        }
    }

    fn beyond_numbers(&self) -> Box<Error> {
        let error =
            |found: &str| Error::statement(Kind::Grade, format!("the {found} of {} overflows", self.name));
        if matches!(self.needs.relevant, Relevant::WithGain(_)) {
            error("gain")
                .policy("gain")
                .hint("the gain 2^grade - 1 needs grades below 1024; a gain table can scale such grades")
        } else {
            error("value").hint("a parameter of the measure is too large")
        }
    }
}
