//! nDCG between the worst and the best (Gienapp, Fröbe, Hagen and Potthast, CIKM 2020).

use super::cumulative::ideal_value;
use super::formula::*;
use super::gain::{Discount, Gain};

#[derive(Debug, Clone, PartialEq)]
pub struct MinMax {
    pub gain: Gain,
    pub discount: Discount,
}

impl Formula for MinMax {
    fn parse(_: &str, values: &dyn Values, _: bool) -> Result<Self> {
        // The worst ranking consists of losses.
        Ok(Self { gain: Gain::parse(values, true)?, discount: Discount::parse(values)? })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: Reads::Grades,
            relevant: Relevant::WithGain(self.gain.clone()),
            ties: TieSupport::Any,
            cutoffs: Cutoffs::Any,
            range: Range::Finite,
            ranks: Ranks::Cut,
            bounds: Extremes::Unknown,
        }
    }

    /// (DCG − worst) / (best − worst). Unjudged documents have no gain and can fill every ranking. So the
    /// best ranking has the gains in descending order and no losses, the worst one the losses and no gains.
    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let Question { view, cutoff, .. } = *question;
        let depth = cutoff.unwrap_or(usize::MAX);
        let dcg =
            view.additive(cutoff, |grade| self.gain.of(grade), |gain, rank| self.discount.apply(gain, rank));
        let mut gains: Vec<f64> = view.pool.iter().map(|&grade| self.gain.of(grade)).collect();
        gains.sort_by(|a, b| b.total_cmp(a));
        let extreme = |gains: &mut dyn Iterator<Item = f64>| {
            ideal_value(gains.take(depth), &self.discount, view.rounding)
        };
        let best = extreme(&mut gains.iter().copied().take_while(|&gain| gain > 0.0));
        let worst = extreme(&mut gains.iter().rev().copied().take_while(|&gain| gain < 0.0));
        Ok(Raw::of((dcg - worst) / (best - worst), best <= worst))
    }
}
