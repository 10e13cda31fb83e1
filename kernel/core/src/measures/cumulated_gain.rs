//! CG, DCG, IDCG and nDCG.

use super::cumulative::{Cumulative, Ideal};
use super::formula::*;
use super::gain::{Discount, Gain};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sum {
    Cg,
    Dcg,
    Idcg,
    Ndcg,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CumulatedGain {
    pub sum: Sum,
    /// Of CG, without a discount.
    pub of: Cumulative,
}

impl Formula for CumulatedGain {
    fn parse(name: &str, values: &dyn Values, signed: bool) -> Result<Self> {
        let sum = match name {
            "cg" => Sum::Cg,
            "dcg" => Sum::Dcg,
            "idcg" => Sum::Idcg,
            _ => Sum::Ndcg,
        };
        let gain = Gain::parse(values, signed)?;
        let discount = if sum == Sum::Cg { Discount::None } else { Discount::parse(values)? };
        let ideal = match sum {
            Sum::Cg | Sum::Dcg => Ideal::Judged,
            Sum::Idcg | Sum::Ndcg => Ideal::parse(values)?,
        };
        Ok(Self { sum, of: Cumulative { gain, discount, ideal } })
    }

    fn needs(&self) -> Needs {
        let Self { sum, of } = self;
        let settling = of.ideal == Ideal::Judged;
        Needs {
            reads: Reads::Grades,
            relevant: Relevant::WithGain(of.gain.clone()),
            ties: TieSupport::Any,
            cutoffs: if of.steps() { Cutoffs::OnePass { settling } } else { Cutoffs::Any },
            range: match sum {
                Sum::Cg | Sum::Dcg => Range::Sum,
                Sum::Idcg => Range::Finite,
                Sum::Ndcg => Range::Parts,
            },
            ranks: Ranks::Terms(of.clone()),
            bounds: match sum {
                Sum::Cg | Sum::Dcg => Extremes::Gain(of.gain.clone()),
                Sum::Idcg => Extremes::Unknown,
                Sum::Ndcg => Extremes::Share(of.clone()),
            },
        }
    }

    #[inline(always)]
    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let Question { view, cutoff, .. } = *question;
        let of = &self.of;
        Ok(match self.sum {
            Sum::Cg | Sum::Dcg => Raw::of(of.dcg(view, cutoff), !of.gain.any(view.pool)),
            Sum::Idcg => Raw::of(of.idcg(view, cutoff), false),
            Sum::Ndcg => Raw::share(of, view, of.dcg(view, cutoff), of.idcg(view, cutoff)),
        })
    }
}
