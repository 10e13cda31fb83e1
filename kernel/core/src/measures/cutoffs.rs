//! One measure of cumulated gain at several cutoffs, in one pass over the ranks.
//!
//! A sum is added from left to right, so its value at a cutoff occurs on the way to the next: results are
//! identical to those of one cutoff at a time.

use super::cumulated_gain::{CumulatedGain, Sum};
use super::cumulative::{Cumulative, Ideal, ideal_gains, ideal_value};
use super::gain::Discount;
use super::view::{TieMode, View};
use super::{AnyFormula, Measure, Raw};
use crate::convention::Rounding;
use crate::known::Known;

/// The maximum length of an ideal that is computed for all cutoffs.
const LONGEST: usize = 1 << 16;

/// Sums at cutoffs.
struct Steps<'a> {
    cutoffs: &'a [usize],
    /// One per cutoff that was reached.
    into: &'a mut Vec<f64>,
    first: usize,
}

impl<'a> Steps<'a> {
    fn new(cutoffs: &'a [usize], into: &'a mut Vec<f64>) -> Self {
        let first = into.len();
        Self { cutoffs, into, first }
    }

    /// Records the sum for the cutoffs up to a limit; returns whether there are more.
    #[inline(always)]
    fn up_to(&mut self, limit: usize, sum: f64) -> bool {
        loop {
            match self.cutoffs.get(self.into.len() - self.first) {
                None => return false,
                Some(&cutoff) if cutoff <= limit => self.into.push(sum),
                Some(_) => return true,
            }
        }
    }

    fn finish(self, sum: f64) {
        self.into.resize(self.first + self.cutoffs.len(), sum);
    }
}

/// Memory for the sums of one measure at its cutoffs, kept from query to query.
#[derive(Debug, Default)]
pub struct Sums {
    gained: Vec<f64>,
    best: Vec<f64>,
}

impl Measure {
    /// What the measure is at each of several ascending cutoffs, before the convention's policies on
    /// queries. Only for formulas whose cutoffs are one pass, and only where no document counts again in the ideal.
    pub fn at_cutoffs(&self, view: &View<'_>, cutoffs: &[usize], sums: &mut Sums, into: &mut Vec<Raw>) {
        let Sums { gained, best } = sums;
        into.clear();
        gained.clear();
        best.clear();
        let AnyFormula::CumulatedGain(CumulatedGain { sum, of }) = &self.formula else {
            into.extend(cutoffs.iter().map(|_| Raw::of(f64::NAN, true)));
            return;
        };
        if *sum != Sum::Idcg {
            of.dcg_at(view, cutoffs, gained);
        }
        if matches!(sum, Sum::Idcg | Sum::Ndcg) {
            of.idcg_at(view, cutoffs, best);
        }
        match sum {
            Sum::Cg | Sum::Dcg => {
                let nothing = !of.gain.any(view.pool);
                into.extend(gained.iter().map(|&value| Raw::of(value, nothing)));
            }
            Sum::Idcg => into.extend(best.iter().map(|&value| Raw::of(value, false))),
            Sum::Ndcg => {
                into.extend(gained.iter().zip(&*best).map(|(&dcg, &idcg)| Raw::share(of, view, dcg, idcg)));
            }
        }
    }
}

impl Cumulative {
    /// Whether the ideal at a cutoff is a prefix of a longer one, or changes only with a document with a
    /// gain.
    pub(super) fn steps(&self) -> bool {
        match self.ideal {
            Ideal::ListCut => !self.gain.may_lose(),
            _ => true,
        }
    }

    pub fn dcg_at(&self, view: &View<'_>, cutoffs: &[usize], into: &mut Vec<f64>) {
        view.additive_at(
            cutoffs,
            |grade| self.gain.of(grade),
            |gain, rank| self.discount.apply(gain, rank),
            into,
        );
    }

    pub fn idcg_at(&self, view: &View<'_>, cutoffs: &[usize], into: &mut Vec<f64>) {
        let rounding = view.rounding;
        match self.ideal {
            Ideal::Judged if self.gain.is_increasing() => {
                let gains = view.pool.iter().map(|&grade| self.gain.of(grade));
                ideal_at(gains, &self.discount, rounding, cutoffs, into);
            }
            Ideal::JudgedUncut => into.resize(into.len() + cutoffs.len(), self.idcg(view, None)),
            Ideal::ListCut => self.list_cut_at(view, cutoffs, into),
            Ideal::MaxGrade(grade) => {
                // As long as the cutoff, and without one as the ranking.
                let few = cutoffs.partition_point(|&cutoff| cutoff <= LONGEST);
                let (few, deep) = cutoffs.split_at_checked(few).unwrap_or_default();
                let longest = few.last().copied().unwrap_or_default();
                let gains = std::iter::repeat_n(self.gain.of(grade), longest);
                ideal_at(gains, &self.discount, rounding, few, into);
                let cutoff = |&depth: &usize| (depth != usize::MAX).then_some(depth);
                into.extend(deep.iter().map(|depth| self.idcg(view, cutoff(depth))));
            }
            _ => {
                let gains = ideal_gains(&self.gain, &self.ideal, view, None);
                ideal_at(gains.into_iter(), &self.discount, rounding, cutoffs, into);
            }
        }
    }

    /// Documents without gain are last in the ideal and add nothing: it changes only with a document with a
    /// gain.
    fn list_cut_at(&self, view: &View<'_>, cutoffs: &[usize], into: &mut Vec<f64>) {
        let mut gains: Vec<f64> = Vec::new();
        let mut steps = Steps::new(cutoffs, into);
        let mut sum = 0.0;
        for (index, &grade) in view.grades.iter().enumerate() {
            let gain = self.gain.of(grade);
            if gain == 0.0 {
                continue;
            }
            if !steps.up_to(index, sum) {
                break;
            }
            let place = gains.partition_point(|&other| other >= gain);
            gains.insert(place, gain);
            sum = ideal_value(gains.iter().copied(), &self.discount, view.rounding);
        }
        steps.finish(sum);
    }
}

/// The DCG of gains in rank order at each cutoff.
fn ideal_at(
    gains: impl Iterator<Item = f64>,
    discount: &Discount,
    rounding: Rounding,
    cutoffs: &[usize],
    into: &mut Vec<f64>,
) {
    let mut steps = Steps::new(cutoffs, into);
    let mut sum = 0.0;
    for (index, gain) in gains.enumerate() {
        if gain == 0.0 {
            continue;
        }
        if !steps.up_to(index, sum) {
            break;
        }
        sum += rounding.term(discount.apply(gain, (index + 1) as f64));
    }
    steps.finish(sum);
}

impl View<'_> {
    /// `additive` at each of several ascending cutoffs.
    #[inline(always)]
    fn additive_at(
        &self,
        cutoffs: &[usize],
        worth: impl Fn(f64) -> f64,
        weigh: impl Fn(f64, f64) -> f64,
        into: &mut Vec<f64>,
    ) {
        let depth = cutoffs.last().copied().unwrap_or_default().min(self.grades.len());
        let mut steps = Steps::new(cutoffs, into);
        let mut sum = 0.0;
        match self.ties {
            TieMode::Settled => {
                let mut add = |index: usize, grade: f64| {
                    let worth = worth(grade);
                    if worth != 0.0 {
                        steps.up_to(index, sum);
                        sum += self.rounding.term(weigh(worth, (index + 1) as f64));
                    }
                };
                if self.judged.is_some() && worth(f64::NAN) == 0.0 {
                    self.each(Some(depth), add);
                } else {
                    for (index, &grade) in self.grades.iter().take(depth).enumerate() {
                        add(index, grade);
                    }
                }
            }
            TieMode::Expected => {
                for (start, end) in self.groups() {
                    if start >= depth {
                        break;
                    }
                    let group = self.grades.known(start..end);
                    let total: f64 = group.iter().fold(0.0, |total, &grade| total + worth(grade));
                    if total != 0.0 {
                        let mean = total / (end - start) as f64;
                        for index in start..end.min(depth) {
                            steps.up_to(index, sum);
                            sum += self.rounding.term(weigh(mean, (index + 1) as f64));
                        }
                    }
                }
            }
            TieMode::AverageRank | TieMode::AverageRankDown => {
                let deepest = cutoffs.last().copied().unwrap_or_default() as f64;
                for (start, end) in self.groups() {
                    let rank = self.ties.mean_rank(start, end);
                    if rank > deepest {
                        break;
                    }
                    // Cutoffs below the shared rank: those up to the whole number before it.
                    steps.up_to(rank.ceil() as usize - 1, sum);
                    for &grade in self.grades.known(start..end) {
                        let worth = worth(grade);
                        if worth != 0.0 {
                            sum += self.rounding.term(weigh(worth, rank));
                        }
                    }
                }
            }
        }
        steps.finish(sum);
    }
}
