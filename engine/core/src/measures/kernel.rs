//! What can be measured, with everything decided, and what each kind of measure needs.

use super::cumulative::{Cumulative, Ideal};
use super::cwl::{Cwl, Scale};
use super::gain::Gain;
use super::groups::Groups;
use super::interpolated::Interpolation;
use super::min_max::MinMax;
use super::novelty::Novelty;
use super::preferences;
use super::rbp::{self, Worth};

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
    StratifiedNdcg(Gain),
    StratifiedAp { rel: f64 },
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

    /// Whether the measure comes with its DCG and IDCG.
    #[must_use]
    pub fn has_parts(&self) -> bool {
        matches!(self, Self::Ndcg(_))
    }

    /// Whether the measure gives each grade a gain.
    pub(super) fn gains(&self) -> bool {
        matches!(
            self,
            Self::Cg(_)
                | Self::Dcg(_)
                | Self::Idcg(_)
                | Self::Ndcg(_)
                | Self::MinMaxNdcg(_)
                | Self::StratifiedNdcg(_)
                | Self::G(_)
                | Self::NdcgOverRelevant(_)
                | Self::NdcgAtLevels { .. }
        )
    }

    /// Whether the measure asks which document stands at a rank.
    #[must_use]
    pub fn needs_documents(&self) -> bool {
        self.needs_labels() == Some(true)
            || self.needs_preferences().is_some()
            || self.samples_strata()
            || matches!(self, Self::InferredAp { .. } | Self::Compatibility { .. })
    }

    /// Whether the measure takes the labels of judgments for the strata of a sample.
    pub(super) fn samples_strata(&self) -> bool {
        matches!(self, Self::StratifiedNdcg(_) | Self::StratifiedAp { .. })
    }

    /// Whether the measure looks at judgments under labels (subtopics, groups), or at one grade a
    /// document; `None` where both have a meaning, as where it asks no more than which documents are
    /// judged.
    pub(super) fn needs_labels(&self) -> Option<bool> {
        match self {
            Self::Groups(_) | Self::Novelty(_) => Some(true),
            Self::Prefs { .. } | Self::NumPrefs { .. } => None,
            // Without labels, all of the pool is one stratum.
            Self::StratifiedNdcg(_) | Self::StratifiedAp { .. } => None,
            Self::Judged | Self::Unjudged | Self::NumQ | Self::NumRet => None,
            _ => Some(false),
        }
    }

    /// Whether the measure counts preferences, and in which order of tied documents.
    #[must_use]
    pub fn needs_preferences(&self) -> Option<preferences::TieOrder> {
        match self {
            Self::Prefs { ties, .. } | Self::NumPrefs { ties, .. } => Some(*ties),
            _ => None,
        }
    }

    /// Whether the measure has a value only where the order of tied documents is settled.
    pub(super) fn needs_an_order(&self) -> bool {
        match self {
            Self::InterpolatedPrecision(..)
            | Self::InterpolatedAverage(..)
            | Self::InferredAp { .. }
            | Self::G(_)
            | Self::LogOddsAp { .. }
            | Self::Compatibility { .. } => true,
            // It is cut off at 0.
            Self::NdcgOverRelevant(gain) => gain.may_lose(),
            Self::Cwl(cwl) => cwl.adapts(),
            _ => self.samples_strata(),
        }
    }

    /// Whether the measure is to be 0/0 where trec_eval divides so.
    pub(super) fn may_be_undefined(&self) -> bool {
        match self {
            Self::InterpolatedPrecision(how, _) | Self::InterpolatedAverage(how, _) => how.undefined,
            Self::NdcgAtLevels { undefined, .. } => *undefined,
            _ => false,
        }
    }

    /// Whether the measure can leave the numbers though all gains are finite: only at the levels and
    /// with the gains that the drop-in for trec_eval allows.
    pub(super) fn may_be_infinite(&self) -> bool {
        match self {
            Self::InterpolatedPrecision(..) | Self::InterpolatedAverage(..) | Self::LogOddsAp { .. } => true,
            Self::G(gain) => gain.never_ideal,
            _ => false,
        }
    }
}
