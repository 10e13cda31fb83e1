//! Sums of discounted gains, and the ideal ranking.

use super::gain::{Discount, Gain};
use super::view::View;
use crate::error::Result;
use crate::values::{Parameter, Values};

/// The definition of the ideal ranking.
#[derive(Debug, Clone, PartialEq)]
pub enum Ideal {
    /// All judged documents in descending order of gain, cut at k.
    Judged,
    /// The same, never cut.
    JudgedUncut,
    /// The same, cut at k and at the number of documents returned.
    JudgedToDepth,
    /// The ranking itself, sorted, then cut.
    List,
    /// The ranking itself, cut, then sorted.
    ListCut,
    /// The judged documents in the order of the judgments, not sorted.
    GivenOrder,
    /// A gain of 1 for each judged document with a gain, cut at k.
    Ones,
    /// This grade at every rank.
    MaxGrade(f64),
    /// These grades, sorted.
    Grades(Vec<f64>),
    /// These grades, in this order.
    GradesInOrder(Vec<f64>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Cumulative {
    pub gain: Gain,
    pub discount: Discount,
    pub ideal: Ideal,
}

impl Ideal {
    pub(super) fn parse(values: &dyn Values) -> Result<Self> {
        let words = [
            ("judged", Self::Judged),
            ("judged-uncut", Self::JudgedUncut),
            ("judged-to-depth", Self::JudgedToDepth),
            ("list", Self::List),
            ("list-cut", Self::ListCut),
            ("given-order", Self::GivenOrder),
            ("ones", Self::Ones),
        ];
        match values.need("ideal")? {
            Parameter::Named(_, grade) => Ok(Self::MaxGrade(grade)),
            Parameter::Numbers(grades) => Ok(Self::Grades(grades)),
            _ => values.choice("ideal", &words),
        }
    }
}

impl Cumulative {
    #[must_use]
    pub fn dcg(&self, view: &View<'_>, cutoff: Option<usize>) -> f64 {
        view.additive(cutoff, |grade| self.gain.of(grade), |gain, rank| self.discount.apply(gain, rank))
    }

    #[must_use]
    pub fn idcg(&self, view: &View<'_>, cutoff: Option<usize>) -> f64 {
        // The usual case without a copy: descending grades are descending gains.
        if self.ideal == Ideal::Judged && self.gain.is_increasing() && view.copies.is_empty() {
            let depth = cutoff.unwrap_or(usize::MAX);
            return ideal_value(
                view.pool.iter().take(depth).map(|&grade| self.gain.of(grade)),
                &self.discount,
                view.rounding,
            );
        }
        let gains = ideal_gains(&self.gain, &self.ideal, view, cutoff);
        ideal_value(gains.into_iter(), &self.discount, view.rounding)
    }
}

/// The positive gains of all judged documents, descending.
#[must_use]
pub(super) fn ideal_levels(gain: &Gain, view: &View<'_>) -> Vec<f64> {
    let mut gains: Vec<f64> =
        view.pool.iter().map(|&grade| gain.ideal_of(grade)).filter(|&gain| gain > 0.0).collect();
    if !gain.is_increasing() {
        gains.sort_by(|a, b| b.total_cmp(a));
    }
    gains
}

/// The gains of the ideal ranking, from rank 1.
#[must_use]
pub fn ideal_gains(gain: &Gain, ideal: &Ideal, view: &View<'_>, cutoff: Option<usize>) -> Vec<f64> {
    let returned = view.grades.len();
    let depth = cutoff.unwrap_or(usize::MAX);
    let (mut gains, depth): (Vec<f64>, usize) = match ideal {
        Ideal::Judged => (judged(gain, view, cutoff), depth),
        Ideal::JudgedUncut => (judged(gain, view, cutoff), usize::MAX),
        Ideal::JudgedToDepth => (judged(gain, view, cutoff), depth.min(returned)),
        Ideal::Ones => {
            let gaining = judged(gain, view, cutoff).into_iter().filter(|&gain| gain > 0.0).count();
            return vec![1.0; gaining.min(depth)];
        }
        Ideal::List => (of(gain, view.grades), depth),
        Ideal::ListCut => (of(gain, view.top(cutoff)), depth),
        Ideal::Grades(grades) => (of(gain, grades), depth),
        Ideal::GivenOrder => {
            let mut gains: Vec<f64> =
                view.pool_given.iter().filter(|grade| !grade.is_nan()).map(|&grade| gain.of(grade)).collect();
            gains.truncate(depth);
            return gains;
        }
        Ideal::GradesInOrder(grades) => {
            let mut gains = of(gain, grades);
            gains.truncate(depth);
            return gains;
        }
        Ideal::MaxGrade(grade) => return vec![gain.of(*grade); cutoff.unwrap_or(returned)],
    };
    if !gain.is_increasing() {
        // A table may give a grade a negative gain: the ideal ranking omits such documents.
        gains.retain(|&gain| gain > 0.0);
    }
    gains.sort_by(|a, b| b.total_cmp(a));
    gains.truncate(depth);
    gains
}

/// For the judged documents and the duplicates above the cutoff.
fn judged(gain: &Gain, view: &View<'_>, cutoff: Option<usize>) -> Vec<f64> {
    let again = view.copies_above(cutoff).iter();
    let again = again.filter_map(|&index| view.given.get(index as usize)).filter(|grade| !grade.is_nan());
    view.pool.iter().chain(again).map(|&grade| gain.ideal_of(grade)).collect()
}

fn of(gain: &Gain, grades: &[f64]) -> Vec<f64> {
    grades.iter().map(|&grade| gain.of(grade)).collect()
}

/// The DCG of gains in rank order.
#[inline]
pub fn ideal_value(
    gains: impl Iterator<Item = f64>,
    discount: &Discount,
    rounding: crate::convention::Rounding,
) -> f64 {
    let mut sum = 0.0;
    for (index, gain) in gains.enumerate() {
        if gain != 0.0 {
            sum += rounding.term(discount.apply(gain, (index + 1) as f64));
        }
    }
    sum
}
