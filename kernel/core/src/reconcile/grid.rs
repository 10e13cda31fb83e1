//! Computes one measure for all queries and cutoffs.

use hashbrown::HashMap;

use super::ranked::RankedRuns;
use super::space::Series;
use crate::convention::Rounding;
use crate::error::Result;
use crate::measures::{
    AnyFormula, Condensed, CumulatedGain, Cumulative, Discount, Gain, Ideal, Measure, Raw, Sum, Sums, View,
};

/// Values with one row per query and one column per cutoff. Reuses its buffers from series to series.
#[derive(Default)]
pub(super) struct Grid {
    pub queries: usize,
    pub width: usize,
    pub values: Vec<f64>,
    /// Whether the query has no relevant documents for the measure, per value.
    pub nothing: Vec<bool>,
    /// Whether any value of `nothing` is true.
    pub any_nothing: bool,
    raws: Vec<Raw>,
    cutoffs: Vec<usize>,
    condensed: Condensed,
    /// The rankings and the parameters for which `gained` was computed.
    shared: Option<Shared>,
    /// DCG, the numerator of nDCG, which several ideals share.
    gained: Vec<f64>,
    /// IDCG.
    best: Vec<f64>,
    /// IDCG values that depend on the judgments alone, by the hash of the judgments and the series.
    ideals: HashMap<(u64, usize), Vec<f64>, foldhash::fast::RandomState>,
}

/// The maximum number of values in `ideals`.
const CACHE_SIZE: usize = 1 << 23;

#[derive(PartialEq)]
struct Shared {
    fingerprint: u64,
    gain: Gain,
    discount: Discount,
    cutoffs: Vec<usize>,
}

impl Grid {
    /// Computes the values of all queries. Errors are those of an evaluation.
    pub(super) fn fill(&mut self, ranked: &RankedRuns<'_>, number: usize, series: &Series) -> Result<()> {
        let measure = series.measure(&ranked.convention);
        self.queries = ranked.rankings.len();
        self.width = series.cutoffs.len();
        self.values.clear();
        self.nothing.clear();
        self.cutoffs.clear();
        self.cutoffs.extend(series.cutoffs.iter().map(|cutoff| cutoff.unwrap_or(usize::MAX)));
        let together = measure.needs.cutoffs.are_one_pass();
        if let AnyFormula::CumulatedGain(CumulatedGain { sum: Sum::Ndcg, of }) = &measure.formula
            && together
            && !ranked.copies
            && !measure.judged_only
        {
            self.fill_ndcg(ranked, number, series, of);
        } else {
            let mut measure = measure.clone();
            for ranking in &ranked.rankings {
                let view = ranked.view(ranking, series.rounding);
                self.raws.clear();
                let mut condensed = std::mem::take(&mut self.condensed);
                let result = if measure.judged_only {
                    condensed.fill(&view);
                    self.add_query(&condensed.view(&view), &mut measure, together, ranked)
                } else {
                    self.add_query(&view, &mut measure, together, ranked)
                };
                self.condensed = condensed;
                result?;
                self.values.extend(self.raws.iter().map(|raw| raw.value));
                self.nothing.extend(self.raws.iter().map(|raw| raw.nothing));
            }
        }
        self.any_nothing = self.nothing.contains(&true);
        Ok(())
    }

    fn add_query(
        &mut self,
        view: &View<'_>,
        measure: &mut Measure,
        together: bool,
        ranked: &RankedRuns<'_>,
    ) -> Result<()> {
        if together && view.copies.is_empty() {
            measure.at_cutoffs(view, &self.cutoffs, &mut Sums::default(), &mut self.raws);
            return Ok(());
        }
        let documents = view.grades.len().max(view.pool.len() + view.copies.len());
        let mut settled: Option<Raw> = None;
        for &cutoff in &self.cutoffs {
            measure.cutoff = (cutoff != usize::MAX).then_some(cutoff);
            let raw = match settled {
                Some(raw) if measure.cutoff.is_some() && measure.needs.cutoffs.settle() => raw,
                _ => measure.raw(view, &ranked.convention)?,
            };
            settled = if cutoff >= documents { Some(raw) } else { None };
            self.raws.push(raw);
        }
        Ok(())
    }

    /// Computes nDCG. Reuses the DCG of the previous series if only the ideal differs.
    fn fill_ndcg(
        &mut self,
        ranked: &RankedRuns<'_>,
        number: usize,
        series: &Series,
        cumulative: &Cumulative,
    ) {
        let key = Shared {
            fingerprint: ranked.fingerprint,
            gain: cumulative.gain.clone(),
            discount: cumulative.discount.clone(),
            cutoffs: self.cutoffs.clone(),
        };
        // Rounding applies to the terms, so rounded sums cannot be shared.
        let known = series.rounding == Rounding::None && self.shared.as_ref() == Some(&key);
        if !known {
            self.gained.clear();
            for ranking in &ranked.rankings {
                let view = ranked.view(ranking, series.rounding);
                cumulative.dcg_at(&view, &self.cutoffs, &mut self.gained);
            }
            self.shared = (series.rounding == Rounding::None).then_some(key);
        }
        let of_pool = !matches!(
            cumulative.ideal,
            Ideal::JudgedToDepth | Ideal::List | Ideal::ListCut | Ideal::MaxGrade(_)
        );
        let key = (ranked.pools, number);
        let best = match self.ideals.get(&key).filter(|_| of_pool) {
            Some(best) => best,
            None => {
                self.best.clear();
                for ranking in &ranked.rankings {
                    let view = ranked.view(ranking, series.rounding);
                    cumulative.idcg_at(&view, &self.cutoffs, &mut self.best);
                }
                if of_pool && (self.ideals.len() + 1) * self.best.len() < CACHE_SIZE {
                    self.ideals.insert(key, self.best.clone());
                }
                &self.best
            }
        };
        let width = self.width.max(1);
        let parts = self.gained.chunks(width).zip(best.chunks(width));
        for (ranking, (gained, best)) in ranked.rankings.iter().zip(parts) {
            let view = ranked.view(ranking, series.rounding);
            for (&dcg, &idcg) in gained.iter().zip(best) {
                let raw = Raw::share(cumulative, &view, dcg, idcg);
                self.values.push(raw.value);
                self.nothing.push(raw.nothing);
            }
        }
    }
}
