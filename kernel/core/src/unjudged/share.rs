//! nDCG, whose ideal changes with the labels.
//!
//! **The ranking.** For given labels the ideal is the same wherever they stand. So the greatest value has
//! them fall from the top, the least has them rise.
//!
//! **The least.** DCG is linear in the gains; IDCG is convex, for it is the largest DCG over all orders. A
//! quotient of the two is quasi-concave, and over a box such a function is least at a corner: every label is
//! the least or the most, and only how many are the most is to be tried. (Where nothing else gains, the
//! corner without any gain is left out; the quotient does not change with scale, and the rest follows.)
//!
//! **The greatest.** With t for the quotient, DCG − t·IDCG is to be as great as it can be (Dinkelbach,
//! Management Science 13, 1967). Both are sums over layers of gain: between one grade's gain and the next, DCG
//! adds the step times the weights of the first c documents, where c have the upper gain or more; IDCG adds
//! for every gain τ of the layer the first J(τ) + c weights, where J(τ) judged documents gain τ or more.
//! Each layer has its own c. A higher layer has fewer judged documents, so a further one costs more there, and
//! the c that are best by themselves fall from layer to layer, as those of labels have to.

use super::trial::Trial;
use super::{above, group_of};
use crate::error::Result;
use crate::measures::{Cumulative, Ideal, TieMode, View};

/// Each step brings t strictly nearer, and faster than any geometric series; a handful is usual.
const STEPS: usize = 200;

/// Where the ideal is made of the judged documents, or of the ranking.
pub fn of_gains(trial: &mut Trial<'_>, grades: &[f64], cumulative: &Cumulative) -> Result<()> {
    let levels = levels(grades, cumulative);
    let (Some(&(_, least)), Some(&(_, most))) = (levels.first(), levels.last()) else { return Ok(()) };
    trial.take(|_| least)?;
    trial.take(|_| most)?;
    let layers = Layers::new(trial, &levels, cumulative);
    let all = trial.places.len();
    let count = layers.least();
    trial.take(|number| if number >= all - count { most } else { least })?;
    let counts = layers.greatest();
    trial.take(|number| {
        let level = counts.iter().take_while(|&&count| number < count).count();
        levels.get(level).map_or(least, |&(_, grade)| grade)
    })
}

/// Where the ideal counts the documents that gain something, each as 1: all that gain should gain the most for
/// the greatest value, and the least for the least; how many is tried.
pub fn of_ones(trial: &mut Trial<'_>, grades: &[f64], cumulative: &Cumulative) -> Result<()> {
    let levels = levels(grades, cumulative);
    let (Some(&(_, least)), Some(&(_, most))) = (levels.first(), levels.last()) else { return Ok(()) };
    let something = levels.iter().find(|(gain, _)| *gain > 0.0).map_or(most, |&(_, grade)| grade);
    let all = trial.places.len();
    for count in 0..=all {
        trial.take(|number| if number < count { most } else { least })?;
        trial.take(|number| if number >= all - count { something } else { least })?;
    }
    Ok(())
}

/// Gains and a grade for each, ascending.
fn levels(grades: &[f64], cumulative: &Cumulative) -> Vec<(f64, f64)> {
    let mut levels: Vec<(f64, f64)> =
        grades.iter().map(|&grade| (cumulative.gain.of(grade), grade)).collect();
    levels.sort_by(|a, b| a.0.total_cmp(&b.0));
    levels.dedup_by(|later, first| later.0 == first.0);
    levels
}

/// One step from a gain to the next.
struct Layer {
    height: f64,
    /// Parts of it, each with how many judged documents gain so much or more.
    parts: Vec<(f64, usize)>,
}

struct Layers {
    layers: Vec<Layer>,
    /// What is added whatever the labels are.
    dcg: f64,
    idcg: f64,
    /// Sums of the weights of the first so many places, and of the last so many.
    first: Vec<f64>,
    last: Vec<f64>,
    /// How many places have no weight.
    idle: usize,
    /// Sums of the weights of the first so many ranks of the ideal.
    ideal: Vec<f64>,
}

impl Layers {
    fn new(trial: &Trial<'_>, levels: &[(f64, f64)], cumulative: &Cumulative) -> Self {
        let (view, cutoff) = (trial.view, trial.measure.cutoff);
        let weights: Vec<f64> =
            trial.places.iter().map(|&place| weight(view, cutoff, place, cumulative)).collect();
        let judged = judged(view, cutoff, cumulative);
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

    /// What a layer adds to IDCG where so many labels reach its upper end.
    fn ideal_of(&self, layer: &Layer, count: usize) -> f64 {
        layer.parts.iter().fold(0.0, |sum, &(height, judged)| {
            sum + height * self.ideal.get(judged + count).copied().unwrap_or(0.0)
        })
    }

    /// How many of the last places have the most gain, the others having the least, where the quotient is
    /// least. Places without weight only make the ideal better.
    fn least(&self) -> usize {
        let height: f64 = self.layers.iter().map(|layer| layer.height).sum();
        let mut best = (f64::INFINITY, self.idle);
        for count in self.idle..self.last.len() {
            let gained = self.last.get(count).copied().unwrap_or(0.0);
            let ideal = self.layers.iter().fold(self.idcg, |sum, layer| sum + self.ideal_of(layer, count));
            let value = (self.dcg + height * gained) / ideal;
            if ideal > 0.0 && value < best.0 {
                best = (value, count);
            }
        }
        best.1
    }

    /// Of each layer, how many of the first places reach its upper end, where the quotient is greatest.
    fn greatest(&self) -> Vec<usize> {
        let all = self.first.len() - 1;
        let mut best = vec![all; self.layers.len()];
        let mut quotient = self.quotient(&best);
        for _ in 0..STEPS {
            let mut limit = all;
            let next: Vec<usize> = self
                .layers
                .iter()
                .map(|layer| {
                    // No more than in the layer below, should rounding say otherwise.
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
            dcg += layer.height * self.first.get(count).copied().unwrap_or(0.0);
            idcg += self.ideal_of(layer, count);
        }
        dcg / idcg
    }
}

/// At index n, the sum of the first n.
fn sums(weights: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sum = 0.0;
    std::iter::once(0.0)
        .chain(weights.map(|weight| {
            sum += weight;
            sum
        }))
        .collect()
}

/// The gains between two, cut where the number of judged documents that gain so much or more changes. The
/// gains of the judged are descending.
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

/// The gains of the judged documents that the ideal is made of, descending.
fn judged(view: &View<'_>, cutoff: Option<usize>, cumulative: &Cumulative) -> Vec<f64> {
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

/// What a gain of 1 at a place adds to DCG; of tied documents, on average.
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
