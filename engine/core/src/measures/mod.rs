//! Measures: one query's ranking and judged pool in, one number out. One file a family.

mod average_precision;
mod bpref;
mod counts;
mod cumulative;
mod err;
mod g;
mod gain;
mod groups;
mod inferred;
mod interpolated;
mod ndcg_average;
mod novelty;
pub mod preferences;
mod rbp;
mod reciprocal_rank;
mod set_based;
mod view;

mod accuracy;
mod compat;
mod cwl;
mod min_max;
mod stratified;

pub use cumulative::{Cumulative, Ideal, ideal_gains, ideal_value};
pub use gain::{Discount, Gain, Shape};
pub use groups::{Groups, Over, Within};
pub use interpolated::Interpolation;
pub use novelty::{Novelty, Patience};
pub use set_based::multiple_of;
pub use view::{Documents, Level, TieMode, View, is_relevant};

use crate::convention::{Convention, Negative, NothingRelevant, Rounding, Ties, Unjudged};
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

#[derive(Debug, Clone, PartialEq)]
pub enum Kernel {
    Cg(Gain),
    Dcg(Cumulative),
    Idcg(Cumulative),
    Ndcg(Cumulative),
    Precision { rel: f64 },
    Recall { rel: f64, capped: bool },
    AveragePrecision { rel: f64, capped: bool },
    ReciprocalRank { rel: f64 },
    RPrecision { rel: f64 },
    F { rel: f64, weight: f64 },
    Success { rel: f64 },
    Err { max_grade: f64 },
    Rbp { p: f64, worth: rbp::Worth },
    RbpResidual { p: f64, closed: bool },
    Bpref { rel: f64 },
    Judged,
    Unjudged,
    NumQ,
    NumRet,
    NumRel { rel: f64 },
    NumRelRet { rel: f64 },

    NormalisedErr { max_grade: f64 },
    Cwl(Cwl),
    MinMaxNdcg(MinMax),
    Compatibility { p: f64, normalise: bool },
    Accuracy { rel: f64 },
    InferredNdcg(Gain),
    InferredPrecision { rel: f64 },
    Groups(Groups),
    Novelty(Novelty),
    Prefs { count: preferences::Count, pairs: preferences::Pairs, ties: preferences::TieOrder },
    NumPrefs { of: preferences::Number, ties: preferences::TieOrder },
    NumNonrelRet { rel: f64 },
    InterpolatedPrecision(Interpolation, f64),
    InterpolatedAverage(Interpolation, Vec<f64>),
    InferredAp { rel: f64 },
    RPrecisionMultiple { rel: f64, multiple: f64 },
    RelativePrecision { rel: f64 },
    SetAp { rel: f64 },
    Utility { rel: f64, weights: [f64; 4], collection: f64 },
    BinaryG { rel: f64 },
    G(Gain),
    NdcgOverRelevant(Gain),
    NdcgAtLevels { gain: Gain, rel: f64, undefined: bool },
    LogOddsAp { rel: f64 },
}

pub use cwl::{Cwl, Model as CwlModel, Quantity, Scale, Stopping};
pub use min_max::MinMax;
impl Kernel {
    /// Whether the value stays what it is once the cutoff is below all that is returned and judged.
    #[must_use]
    pub fn settles(&self) -> bool {
        match self {
            Self::Ndcg(cumulative) | Self::Dcg(cumulative) => cumulative.ideal == Ideal::Judged,
            Self::AveragePrecision { .. }
            | Self::Recall { .. }
            | Self::RelativePrecision { .. }
            | Self::ReciprocalRank { .. }
            | Self::Success { .. } => true,
            _ => false,
        }
    }

    /// The grade from which a document is relevant; `None` for measures that take grades as they are.
    #[must_use]
    pub fn level(&self) -> Option<f64> {
        match self {
            Self::Precision { rel }
            | Self::Recall { rel, .. }
            | Self::AveragePrecision { rel, .. }
            | Self::ReciprocalRank { rel }
            | Self::RPrecision { rel }
            | Self::F { rel, .. }
            | Self::Success { rel }
            | Self::Rbp { worth: Worth::Binary { rel }, .. }
            | Self::Bpref { rel }
            | Self::Groups(Groups { rel, .. })
            | Self::Novelty(Novelty { rel, .. })
            | Self::NumRel { rel }
            | Self::NumRelRet { rel }
            | Self::InferredAp { rel }
            | Self::RPrecisionMultiple { rel, .. }
            | Self::RelativePrecision { rel }
            | Self::SetAp { rel }
            | Self::BinaryG { rel }
            | Self::LogOddsAp { rel }
            | Self::Accuracy { rel }
            | Self::Cwl(Cwl { scale: Scale::Binary { rel }, .. }) => Some(*rel),
            Self::InterpolatedPrecision(how, _) | Self::InterpolatedAverage(how, _) => Some(how.rel),
            _ => None,
        }
    }
}

pub use rbp::Worth;

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

impl Measure {
    /// Whether the measure comes with its DCG and IDCG.
    #[must_use]
    pub fn has_parts(&self) -> bool {
        matches!(self.kernel, Kernel::Ndcg(_))
    }

    /// Whether the measure asks which document stands at a rank.
    #[must_use]
    pub fn needs_documents(&self) -> bool {
        self.needs_labels() == Some(true)
            || self.needs_preferences().is_some()
            || self.infers()
            || matches!(self.kernel, Kernel::InferredAp { .. } | Kernel::Compatibility { .. })
    }

    /// Whether the measure takes the labels of judgments for the strata of a sample.
    fn infers(&self) -> bool {
        matches!(self.kernel, Kernel::InferredNdcg(_) | Kernel::InferredPrecision { .. })
    }

    /// Whether the measure looks at judgments under labels (subtopics, groups), or at one grade a
    /// document; `None` where both have a meaning, as where it asks no more than which documents are
    /// judged.
    fn needs_labels(&self) -> Option<bool> {
        match self.kernel {
            Kernel::Groups(_) | Kernel::Novelty(_) => Some(true),
            Kernel::Prefs { .. } | Kernel::NumPrefs { .. } => None,
            // Without labels, all of the pool is one stratum.
            Kernel::InferredNdcg(_) | Kernel::InferredPrecision { .. } => None,
            Kernel::Judged | Kernel::Unjudged | Kernel::NumQ | Kernel::NumRet => None,
            _ => Some(false),
        }
    }

    /// Whether the measure has a meaning for judgments with labels, or for such without.
    pub fn fits(&self, labelled: bool) -> Result<()> {
        let error = |found: &str, expected: &str| {
            Error::new(Kind::Measure, format!("{} for judgments {found} subtopics", self.name), expected)
        };
        match self.needs_labels() {
            Some(true) if !labelled => Err(error("without", "judgments of subtopics or groups").hint(
                "Qrels and read_qrels take subtopics=True, and read a subtopic for each judgment: in TREC \
                 text the second column",
            )),
            Some(false) if labelled => Err(error("of", "one grade a document").hint(
                "qrels.merged('max') or merged('sum') makes one grade of them, on the command line \
                 --subtopics max or sum",
            )),
            _ => Ok(()),
        }
    }

    /// Whether the measure counts preferences, and in which order of tied documents.
    #[must_use]
    pub fn needs_preferences(&self) -> Option<preferences::TieOrder> {
        match self.kernel {
            Kernel::Prefs { ties, .. } | Kernel::NumPrefs { ties, .. } => Some(ties),
            _ => None,
        }
    }

    /// Whether the measure has a value only where the order of tied documents is settled.
    fn needs_an_order(&self) -> bool {
        match &self.kernel {
            Kernel::InterpolatedPrecision(..)
            | Kernel::InterpolatedAverage(..)
            | Kernel::InferredAp { .. }
            | Kernel::G(_)
            | Kernel::LogOddsAp { .. }
            | Kernel::Compatibility { .. } => true,
            // It is cut off at 0.
            Kernel::NdcgOverRelevant(gain) => gain.may_lose(),
            Kernel::Cwl(cwl) => cwl.adapts(),
            _ => self.infers(),
        }
    }

    /// Whether the measure is to be 0/0 where trec_eval divides so.
    fn may_be_undefined(&self) -> bool {
        match &self.kernel {
            Kernel::InterpolatedPrecision(how, _) | Kernel::InterpolatedAverage(how, _) => how.undefined,
            Kernel::NdcgAtLevels { undefined, .. } => *undefined,
            _ => false,
        }
    }

    /// Whether the measure can leave the numbers though all gains are finite: only at the levels and
    /// with the gains that the drop-in for trec_eval allows.
    fn may_be_infinite(&self) -> bool {
        match &self.kernel {
            Kernel::InterpolatedPrecision(..)
            | Kernel::InterpolatedAverage(..)
            | Kernel::LogOddsAp { .. } => true,
            Kernel::G(gain) => gain.never_ideal,
            _ => false,
        }
    }

    /// Refuses the combinations that have no meaning, before any data is read.
    pub fn check(&self, convention: &Convention) -> Result<()> {
        let refuse = |policy: &str, hint: &str| {
            Err(Error::new(
                Kind::Convention,
                format!("{} with {policy}", self.name),
                "a policy that has a meaning for this measure",
            )
            .hint(hint))
        };
        if matches!(self.kernel, Kernel::Compatibility { .. })
            && self.cutoff.is_some_and(|cutoff| cutoff > compat::DEEPEST)
        {
            return Err(Error::new(
                Kind::Measure,
                self.name.clone(),
                format!("a cutoff of at most {}", compat::DEEPEST),
            ));
        }
        let sequential = matches!(
            self.kernel,
            Kernel::Novelty(_)
                | Kernel::Groups(Groups { within: Within::AveragePrecision, .. })
                | Kernel::Err { .. }
                | Kernel::AveragePrecision { .. }
                | Kernel::Bpref { .. }
                | Kernel::BinaryG { .. }
                | Kernel::NdcgOverRelevant(_)
                | Kernel::NormalisedErr { .. }
                | Kernel::Accuracy { .. }
                | Kernel::Cwl(_)
        );
        if convention.ties.stay_groups() && self.needs_an_order() {
            return refuse(
                "tied documents left as they are",
                "the mean of the measure over all orders of tied documents has no closed form; name a tie \
                 policy that settles the order, such as doc-id-desc, or average over several of random(seed)",
            );
        }
        if convention.ties == Ties::AverageRank && sequential {
            return refuse(
                "ties=average-rank",
                "the measure depends on the order before each document; ties=expected is defined",
            );
        }
        if self.needs_labels() == Some(true) && matches!(convention.unjudged, Unjudged::Grade(_)) {
            return refuse(
                "a grade for unjudged documents",
                "nothing says for which subtopics they would have it; unjudged=zero and condense are defined",
            );
        }
        if let Kernel::Novelty(novelty) = &self.kernel
            && novelty.needs_cutoff()
            && self.cutoff.is_none_or(|cutoff| cutoff > novelty::DEEPEST)
        {
            let found = match self.cutoff {
                None => format!("{} without a cutoff", self.name),
                Some(cutoff) => format!("the cutoff {cutoff} of {}", self.name),
            };
            let expected = format!("a cutoff of at most {}, as in @20", novelty::DEEPEST);
            return Err(Error::new(Kind::Measure, found, expected)
                .hint("the measure is divided by what the best list of that length would gain"));
        }
        if convention.ties.stay_groups()
            && self.needs_preferences() == Some(preferences::TieOrder::Convention)
        {
            return refuse(
                "ties that stay open",
                "a preference between tied documents is fulfilled in some orders only; name a tie policy \
                 that settles the order",
            );
        }
        let discounted = match &self.kernel {
            Kernel::Dcg(c) | Kernel::Idcg(c) | Kernel::Ndcg(c) => Some(c),
            _ => None,
        };
        if let Some(cumulative) = discounted {
            if convention.ties == Ties::AverageRank && matches!(cumulative.discount, Discount::Table(_)) {
                return refuse("ties=average-rank", "a discount table has no entry for a fractional rank");
            }
            if convention.ties.stay_groups() && cumulative.ideal == Ideal::ListCut {
                return refuse(
                    "ideal='list-cut' and tied documents",
                    "which documents the cut keeps depends on the order; name another tie policy",
                );
            }
        } else if matches!(convention.rounding, Rounding::Term(_)) && !matches!(self.kernel, Kernel::Cg(_)) {
            return refuse(
                "rounding=term",
                "only CG, DCG, IDCG and nDCG are sums of terms that a tool rounds",
            );
        }
        Ok(())
    }

    /// The measure's value for one query, with the convention's policy on queries that have nothing
    /// relevant, and its rounding.
    pub fn value(&self, view: &View<'_>, convention: &Convention) -> Result<Value> {
        let mut parts = (f64::NAN, f64::NAN);
        let k = self.cutoff;
        let (value, nothing) = match &self.kernel {
            Kernel::Cg(gain) => (cumulative::cg(view, k, gain), !gain.any(view.pool)),
            Kernel::Dcg(c) => (c.dcg(view, k), !c.gain.any(view.pool)),
            Kernel::Idcg(c) => (c.idcg(view, k), false),
            Kernel::Ndcg(c) => {
                parts = (c.dcg(view, k), c.idcg(view, k));
                (parts.0 / parts.1, parts.1 <= 0.0)
            }
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
            Kernel::Compatibility { p, normalise } => compat::value(view, k, *p, *normalise),
            Kernel::Accuracy { rel } => accuracy::value(view, k, *rel),
            Kernel::InferredNdcg(gain) => stratified::ndcg(view, k, gain)?,
            Kernel::InferredPrecision { rel } => stratified::average_precision(view, k, *rel)?,
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
        let whole = if self.has_parts() { parts.0 + parts.1 } else { value };
        if !whole.is_finite() && !nothing && !self.may_be_infinite() {
            return Err(Error::new(
                Kind::Grade,
                format!("a gain beyond all numbers for {}", self.name),
                "finite gains",
            )
            .hint("2^grade - 1 overflows from grade 1024 on; a gain table can scale such grades"));
        }
        let mut result = Value { value, nothing, skipped: false, dcg: parts.0, idcg: parts.1 };
        if nothing {
            match convention.nothing_relevant {
                // What the drop-in for trec_eval asked for.
                _ if value.is_nan() && self.may_be_undefined() => {}
                // A sum of gains is what it is; only measures with a scale of their own are set.
                NothingRelevant::Value(set) => {
                    if !matches!(self.kernel, Kernel::Cg(_) | Kernel::Dcg(_)) {
                        result.value = set;
                    }
                }
                NothingRelevant::Skip => {
                    result.value = f64::NAN;
                    result.skipped = true;
                }
                NothingRelevant::Error => {
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
}
