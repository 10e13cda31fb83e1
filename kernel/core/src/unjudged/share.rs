//! Bounds of nDCG if the ideal depends on the labels.
//!
//! **Order of the labels.** For given labels, the ideal does not depend on which documents have them. So
//! labels are in descending order down the ranking for the greatest value, and in ascending order for the
//! least.
//!
//! **Least value.** DCG is linear in the gains, and IDCG is convex, because it is the largest DCG over all
//! orders. Their quotient is quasi-concave, and so has its minimum over a box at a corner: every label is the
//! least or the greatest grade. Only the number of greatest grades has to be tried. (If no other document has
//! a gain, the corner where all gains are 0 is excluded. The quotient does not change with the scale of the
//! gains, so the minimum is at another corner.)
//!
//! **Greatest value.** If t is the greatest quotient, its labels maximize DCG − t·IDCG (Dinkelbach,
//! Management Science 13, 1967). Both terms are sums over layers of gain, where a layer lies between the
//! gains of successive grades. Let c be the number of labels with at least the upper gain of a layer. The
//! layer adds to DCG its height times the weights of the first c documents. It adds to IDCG, for every gain τ
//! in the layer, the weights of the first J(τ) + c ranks, where J(τ) is the number of judged documents with a
//! gain of at least τ. Each layer can be maximized separately: a higher layer has fewer judged documents, so
//! one more label costs more there, and the best c decreases from layer to layer, as the definition of c
//! requires.

use super::cutoff::{above, group_of};
use super::trial::Trial;
use crate::error::Result;
use crate::known::Known;
use crate::measures::{Cumulative, Ideal, TieMode, View};

/// The maximum number of iterations. Convergence is superlinear; usually a few iterations are enough.
const MAX_STEPS: usize = 200;

/// Tries the extreme labelings for an ideal with the gains of the judged or of the retrieved documents.
pub(super) fn try_gains(trial: &mut Trial<'_>, grades: &[f64], cumulative: &Cumulative) -> Result<()> {
    let levels = levels(grades, cumulative);
    let (Some(&(_, least)), Some(&(_, most))) = (levels.first(), levels.last()) else { return Ok(()) };
    trial.add_labels(|_| least)?;
    trial.add_labels(|_| most)?;
    let layers = Layers::new(trial, &levels, cumulative);
    let all = trial.places.len();
    let count = layers.least();
    trial.add_labels(|number| if number >= all - count { most } else { least })?;
    let counts = layers.greatest();
    trial.add_labels(|number| {
        let level = counts.iter().take_while(|&&count| number < count).count();
        levels.get(level).map_or(least, |&(_, grade)| grade)
    })
}

/// Tries the extreme labelings for an ideal in which every document with a gain counts as 1. For the greatest
/// value all labels with a gain are the greatest grade, for the least value the least grade with a gain. All
/// numbers of such labels are tried.
pub(super) fn try_ones(trial: &mut Trial<'_>, grades: &[f64], cumulative: &Cumulative) -> Result<()> {
    let levels = levels(grades, cumulative);
    let (Some(&(_, least)), Some(&(_, most))) = (levels.first(), levels.last()) else { return Ok(()) };
    let something = levels.iter().find(|(gain, _)| *gain > 0.0).map_or(most, |&(_, grade)| grade);
    let all = trial.places.len();
    for count in 0..=all {
        trial.add_labels(|number| if number < count { most } else { least })?;
        trial.add_labels(|number| if number >= all - count { something } else { least })?;
    }
    Ok(())
}

/// Returns the distinct gains, ascending, each with a grade.
fn levels(grades: &[f64], cumulative: &Cumulative) -> Vec<(f64, f64)> {
    let mut levels: Vec<(f64, f64)> =
        grades.iter().map(|&grade| (cumulative.gain.of(grade), grade)).collect();
    levels.sort_by(|a, b| a.0.total_cmp(&b.0));
    levels.dedup_by(|later, first| later.0 == first.0);
    levels
}

/// The range between two successive gains.
struct Layer {
    height: f64,
    /// The heights of its parts, each with the number of judged documents with at least that gain.
    parts: Vec<(f64, usize)>,
}

struct Layers {
    layers: Vec<Layer>,
    /// The parts of DCG and IDCG that do not depend on the labels.
    dcg: f64,
    idcg: f64,
    /// At index n, the sum of the weights of the first n places.
    first: Vec<f64>,
    /// At index n, the sum of the weights of the last n places.
    last: Vec<f64>,
    /// The number of places at the end without a weight.
    idle: usize,
    /// At index n, the sum of the weights of the first n ranks of the ideal.
    ideal: Vec<f64>,
}

impl Layers {
    fn new(trial: &Trial<'_>, levels: &[(f64, f64)], cumulative: &Cumulative) -> Self {
        let (view, cutoff) = (trial.view, trial.measure.cutoff);
        let weights: Vec<f64> =
            trial.places.iter().map(|&place| weight(view, cutoff, place, cumulative)).collect();
        let judged = ideal_gains(view, cutoff, cumulative);
        let depth = match cumulative.ideal {
            Ideal::JudgedUncut => usize::MAX,
            Ideal::JudgedToDepth => cutoff.unwrap_or(usize::MAX).min(view.grades.len()),
            _ => cutoff.unwrap_or(usize::MAX),
        };
        let ranks = judged.len() + weights.len();
        let ideal =
            sums((1..=ranks).map(|rank| if rank <= depth { cumulative.discount.weight(rank) } else { 0.0 }));
        let least = levels.first().map_or(0.0, |level| level.0);
        let most = levels.last().map_or(0.0, |level| level.0);
        let first = sums(weights.iter().copied());
        let whole = first.last().copied().unwrap_or(0.0);
        let layers = levels
            .windows(2)
            .filter_map(|pair| match pair {
                [low, high] => Some(Layer { height: high.0 - low.0, parts: parts(&judged, low.0, high.0) }),
                _ => None,
            })
            .collect();
        let mut own = Self {
            layers,
            dcg: cumulative.dcg(view, cutoff) + least * whole,
            idcg: 0.0,
            first,
            last: sums(weights.iter().rev().copied()),
            idle: weights.iter().rev().take_while(|&&weight| weight == 0.0).count(),
            ideal,
        };
        let always = Layer { height: least, parts: parts(&judged, 0.0, least) };
        let beyond = Layer { height: 0.0, parts: parts(&judged, most, f64::INFINITY) };
        own.idcg = own.ideal_of(&always, weights.len()) + own.ideal_of(&beyond, 0);
        own
    }

    /// Returns what a layer adds to IDCG if `count` labels have at least its upper gain.
    fn ideal_of(&self, layer: &Layer, count: usize) -> f64 {
        layer
            .parts
            .iter()
            .fold(0.0, |sum, &(height, judged)| sum + height * *self.ideal.known(judged + count))
    }

    /// Returns how many of the last places have the greatest gain, and the others the least, when the
    /// quotient is least. Places without a weight always have the greatest gain, which only increases IDCG.
    fn least(&self) -> usize {
        let height: f64 = self.layers.iter().map(|layer| layer.height).sum();
        let mut best = (f64::INFINITY, self.idle);
        for count in self.idle..self.last.len() {
            let gained = *self.last.known(count);
            let ideal = self.layers.iter().fold(self.idcg, |sum, layer| sum + self.ideal_of(layer, count));
            let value = (self.dcg + height * gained) / ideal;
            if ideal > 0.0 && value < best.0 {
                best = (value, count);
            }
        }
        best.1
    }

    /// Returns for each layer how many of the first places have at least its upper gain when the quotient is
    /// greatest.
    fn greatest(&self) -> Vec<usize> {
        let all = self.first.len() - 1;
        let mut best = vec![all; self.layers.len()];
        let mut quotient = self.quotient(&best);
        for _ in 0..MAX_STEPS {
            let mut limit = all;
            let next: Vec<usize> = self
                .layers
                .iter()
                .map(|layer| {
                    // Rounding errors must not give a higher layer more labels than the one below.
                    limit = self.best_count(layer, quotient, limit);
                    limit
                })
                .collect();
            let value = self.quotient(&next);
            if value <= quotient || value.is_nan() {
                break;
            }
            (best, quotient) = (next, value);
        }
        best
    }

    fn best_count(&self, layer: &Layer, quotient: f64, limit: usize) -> usize {
        let mut best = (f64::NEG_INFINITY, 0);
        for (count, gained) in self.first.iter().enumerate().take(limit + 1) {
            let value = layer.height * gained - quotient * self.ideal_of(layer, count);
            if value > best.0 {
                best = (value, count);
            }
        }
        best.1
    }

    fn quotient(&self, counts: &[usize]) -> f64 {
        let (mut dcg, mut idcg) = (self.dcg, self.idcg);
        for (layer, &count) in self.layers.iter().zip(counts) {
            dcg += layer.height * *self.first.known(count);
            idcg += self.ideal_of(layer, count);
        }
        dcg / idcg
    }
}

/// Returns cumulative sums: at index n, the sum of the first n weights.
fn sums(weights: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sum = 0.0;
    std::iter::once(0.0)
        .chain(weights.map(|weight| {
            sum += weight;
            sum
        }))
        .collect()
}

/// Splits a range of gains where the number of judged documents with at least that gain changes. The gains of
/// the judged documents are descending.
fn parts(judged: &[f64], low: f64, high: f64) -> Vec<(f64, usize)> {
    let mut parts = Vec::new();
    let mut from = low;
    let mut count = judged.partition_point(|&gain| gain > low);
    while from < high {
        let Some(next) = count.checked_sub(1).and_then(|at| judged.get(at)).copied() else {
            if high.is_finite() {
                parts.push((high - from, 0));
            }
            break;
        };
        let to = next.min(high);
        parts.push((to - from, count));
        from = to;
        count = judged.partition_point(|&gain| gain > from);
    }
    parts
}

/// Returns the gains of the documents in the ideal, descending.
fn ideal_gains(view: &View<'_>, cutoff: Option<usize>, cumulative: &Cumulative) -> Vec<f64> {
    let of = match cumulative.ideal {
        Ideal::List => view.grades,
        Ideal::ListCut => view.top(cutoff),
        _ => view.pool,
    };
    let mut gains: Vec<f64> =
        of.iter().map(|&grade| cumulative.gain.of(grade)).filter(|&gain| gain > 0.0).collect();
    gains.sort_by(|a, b| b.total_cmp(a));
    gains
}

/// Returns what a gain of 1 at a place adds to DCG, averaged over the orders of tied documents.
fn weight(view: &View<'_>, cutoff: Option<usize>, place: usize, cumulative: &Cumulative) -> f64 {
    if !above(view, cutoff, place) {
        return 0.0;
    }
    match group_of(view, place) {
        Some((start, end)) if view.ties == TieMode::Expected => {
            let ranks = start..end.min(cutoff.unwrap_or(usize::MAX));
            let sum = ranks.fold(0.0, |sum, index| sum + cumulative.discount.weight(index + 1));
            sum / (end - start) as f64
        }
        Some((start, end)) if view.ties.shares_ranks() => {
            cumulative.discount.apply(1.0, view.ties.mean_rank(start, end))
        }
        _ => cumulative.discount.weight(place + 1),
    }
}
