//! nDCG between the worst and the best (Gienapp, Fröbe, Hagen and Potthast, CIKM 2020).

use super::cumulative::ideal_value;
use super::gain::{Discount, Gain};
use super::view::View;

#[derive(Debug, Clone, PartialEq)]
pub struct MinMax {
    pub gain: Gain,
    pub discount: Discount,
}

impl MinMax {
    /// (DCG − worst) / (best − worst). Documents that nobody judged gain nothing and can fill every
    /// ranking; so the best one has the gains from the largest and no loss, the worst one the losses
    /// from the largest and no gain.
    pub fn value(&self, view: &View<'_>, cutoff: Option<usize>) -> (f64, bool) {
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
        ((dcg - worst) / (best - worst), best <= worst)
    }
}
