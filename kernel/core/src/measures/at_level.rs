//! Measures whose only parameter is the level of relevance.

use super::formula::*;
use super::{accuracy, average_precision, bpref, g, inferred, reciprocal_rank, stratified};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AtLevel {
    pub rel: f64,
    pub of: Rule,
}

/// The formulas; each is implemented in the module of this name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    Accuracy,
    BinaryG,
    Bpref,
    InferredAp,
    LogOddsAp,
    ReciprocalRank,
    StratifiedAp,
}

impl Formula for AtLevel {
    fn parse(name: &str, values: &dyn Values, _: bool) -> Result<Self> {
        let of = match name {
            "accuracy" => Rule::Accuracy,
            "bin_g" => Rule::BinaryG,
            "bpref" | "gm_bpref" => Rule::Bpref,
            "infap" => Rule::InferredAp,
            "yaap" => Rule::LogOddsAp,
            "rr" => Rule::ReciprocalRank,
            _ => Rule::StratifiedAp,
        };
        Ok(Self { rel: values.number("rel")?, of })
    }

    fn needs(&self) -> Needs {
        let Self { rel, of } = *self;
        let (reads, ties, ranks) = match of {
            Rule::Accuracy => (Reads::Grades, TieSupport::Expected, Ranks::Cut),
            Rule::BinaryG | Rule::Bpref => (Reads::Grades, TieSupport::Expected, Ranks::Ended),
            Rule::InferredAp => (Reads::Documents, TieSupport::Settled, Ranks::Ended),
            Rule::LogOddsAp => (Reads::Grades, TieSupport::Settled, Ranks::Ended),
            Rule::ReciprocalRank => (Reads::Grades, TieSupport::Any, Ranks::Cut),
            Rule::StratifiedAp => (Reads::Strata, TieSupport::Settled, Ranks::Cut),
        };
        let first = of == Rule::ReciprocalRank;
        let infinite = of == Rule::LogOddsAp;
        Needs {
            reads,
            relevant: Relevant::FromGrade(rel),
            ties,
            cutoffs: if first { Cutoffs::Settling } else { Cutoffs::Any },
            range: if infinite { Range::Exceptional { infinite, undefined: false } } else { Range::Finite },
            ranks,
            bounds: if first {
                Extremes::Relevance { rel, count: BestCount::Extreme }
            } else {
                Extremes::Unknown
            },
        }
    }

    #[inline(always)]
    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let Question { view, cutoff, .. } = *question;
        let rel = self.rel;
        let value = match self.of {
            Rule::Accuracy => accuracy::value(view, cutoff, rel),
            Rule::BinaryG => g::binary(view, rel),
            Rule::Bpref => bpref::value(view, rel),
            Rule::InferredAp => inferred::value(view, rel),
            Rule::LogOddsAp => average_precision::log_odds(view, rel),
            Rule::ReciprocalRank => reciprocal_rank::value(view, cutoff, rel),
            Rule::StratifiedAp => stratified::average_precision(view, cutoff, rel)?,
        };
        Ok(value.into())
    }
}
