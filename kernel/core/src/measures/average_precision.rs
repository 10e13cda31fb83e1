//! Average precision; over ties by McSherry and Najork (ECIR 2008).

use super::formula::*;
use super::view::{TieMode, View, is_relevant};
use crate::known::Known;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AveragePrecision {
    pub rel: f64,
    pub norm: Norm,
}

/// The divisor of the sum of precisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Norm {
    /// R, the number of relevant documents.
    Relevant,
    /// min(k, R).
    Capped,
    /// min(k, R, n), where n is the number of returned documents.
    CappedToDepth,
    /// The number of relevant documents that were returned.
    List,
    /// min(k, the number of relevant documents that were returned).
    ListCapped,
    /// The number of relevant documents in the top k.
    ListCut,
}

impl Formula for AveragePrecision {
    fn parse(name: &str, values: &dyn Values, _: bool) -> Result<Self> {
        // The geometric mean uses average precision as trec_eval defines it.
        let norm = if name == "ap" {
            let norms = [
                ("relevant", Norm::Relevant),
                ("capped", Norm::Capped),
                ("capped-to-depth", Norm::CappedToDepth),
                ("list", Norm::List),
                ("list-capped", Norm::ListCapped),
                ("list-cut", Norm::ListCut),
            ];
            values.choice("norm", &norms)?
        } else {
            Norm::Relevant
        };
        Ok(Self { rel: values.number("rel")?, norm })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: Reads::Grades,
            relevant: Relevant::FromGrade(self.rel),
            ties: TieSupport::Expected,
            cutoffs: Cutoffs::Settling,
            range: Range::Finite,
            ranks: Ranks::CutWithPrecision { rel: self.rel },
            bounds: match self.norm {
                Norm::Relevant | Norm::Capped => Extremes::Relevance {
                    rel: self.rel,
                    count: BestCount::AveragePrecision { capped: self.norm == Norm::Capped },
                },
                _ => Extremes::Unknown,
            },
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        Ok(value(question.view, question.cutoff, self.rel, self.norm).into())
    }
}

pub(super) fn value(view: &View<'_>, cutoff: Option<usize>, rel: f64, norm: Norm) -> (f64, bool) {
    let depth = cutoff.unwrap_or(usize::MAX);
    let relevant = match norm {
        Norm::List | Norm::ListCapped => view.relevant_returned(rel),
        _ => view.relevant(rel),
    };
    let expected_ties = view.ties == TieMode::Expected;
    if norm == Norm::ListCut {
        let value = if expected_ties { expected_mean(view, depth, rel) } else { mean(view, depth, rel) };
        return (value, relevant == 0);
    }
    let whole = match norm {
        Norm::Capped | Norm::ListCapped => relevant.min(depth),
        Norm::CappedToDepth => relevant.min(depth).min(view.grades.len()),
        _ => relevant,
    };
    let sum = if expected_ties { expected(view, cutoff, rel) } else { settled(view, cutoff, rel) };
    let value = if whole == 0 { 0.0 } else { sum / whole as f64 };
    (value, relevant == 0)
}

/// The mean of the precisions at the relevant documents in the top k.
fn mean(view: &View<'_>, depth: usize, rel: f64) -> f64 {
    let hits = super::set_based::hits(view, Some(depth), rel);
    if hits == 0.0 { 0.0 } else { settled(view, Some(depth), rel) / hits }
}

/// The same over all orders of ties. Only the number of hits in the group that the cutoff splits is
/// random; it has a hypergeometric distribution.
fn expected_mean(view: &View<'_>, depth: usize, rel: f64) -> f64 {
    let (mut sum, mut seen) = (0.0, 0usize);
    for (start, end) in view.groups() {
        if start >= depth {
            break;
        }
        let group = view.grades.known(start..end);
        let own = group.iter().filter(|&&grade| is_relevant(grade, rel)).count();
        if end > depth {
            let (all, above) = (end - start, depth - start);
            return hypergeometric(all, own, above)
                .map(|(hits, chance)| {
                    let found = seen + hits;
                    let sum = in_group(sum, start..depth, depth, seen, hits);
                    if found == 0 { 0.0 } else { chance * sum / found as f64 }
                })
                .sum();
        }
        sum = in_group(sum, start..end, depth, seen, own);
        seen += own;
    }
    if seen == 0 { 0.0 } else { sum / seen as f64 }
}

/// The number of relevant documents among the first `above` of a group of `all` documents in random order,
/// of which `own` are relevant, with the probability of each number.
fn hypergeometric(all: usize, own: usize, above: usize) -> impl Iterator<Item = (usize, f64)> {
    let (least, most) = ((own + above).saturating_sub(all), own.min(above));
    // The ratio of the probabilities of a number and of the one before it.
    let ratio = move |hits: usize| {
        let rise = (own - hits + 1) as f64 * (above - hits + 1) as f64;
        rise / (hits as f64 * (all + hits - own - above) as f64)
    };
    // From the most probable number on to both sides nothing overflows.
    let mode = ((own + 1) * (above + 1) / (all + 2)).clamp(least, most);
    let mut weights = vec![1.0; most - least + 1];
    for hits in mode + 1..=most {
        if let Some([before, here]) = weights.get_mut(hits - 1 - least..=hits - least) {
            *here = *before * ratio(hits);
        }
    }
    for hits in (least + 1..=mode).rev() {
        if let Some([before, here]) = weights.get_mut(hits - 1 - least..=hits - least) {
            *before = *here / ratio(hits);
        }
    }
    let whole: f64 = weights.iter().sum();
    weights.into_iter().enumerate().map(move |(at, weight)| (least + at, weight / whole))
}

/// log((1 + S) / (1 + R − S)), where S is the sum that average precision divides by R (Robertson,
/// ECIR 2012).
pub(super) fn log_odds(view: &View<'_>, rel: f64) -> (f64, bool) {
    let relevant = view.relevant(rel);
    let sum = settled(view, None, rel);
    (((1.0 + sum) / (1.0 + relevant as f64 - sum)).ln(), relevant == 0)
}

fn settled(view: &View<'_>, cutoff: Option<usize>, rel: f64) -> f64 {
    let mut sum = 0.0;
    let mut seen = 0usize;
    if let Some(returned) = view.returned(rel) {
        let depth = cutoff.unwrap_or(usize::MAX);
        for &index in returned.iter().take_while(|&&index| (index as usize) < depth) {
            seen += 1;
            sum += seen as f64 / f64::from(index + 1);
        }
        return sum;
    }
    view.each(cutoff, |index, grade| {
        if is_relevant(grade, rel) {
            seen += 1;
            sum += seen as f64 / (index + 1) as f64;
        }
    });
    sum
}

/// In a group of m documents of which r are relevant, the one at position j is relevant with
/// probability r/m, and then (j − 1)(r − 1)/(m − 1) of those above it in the group are, on average.
fn expected(view: &View<'_>, cutoff: Option<usize>, rel: f64) -> f64 {
    let depth = cutoff.unwrap_or(usize::MAX);
    let mut sum = 0.0;
    let mut seen = 0usize;
    for (start, end) in view.groups() {
        if start >= depth {
            break;
        }
        let group = view.grades.known(start..end);
        let own = group.iter().filter(|&&grade| is_relevant(grade, rel)).count();
        sum = in_group(sum, start..end, depth, seen, own);
        seen += own;
    }
    sum
}

/// Adds the expected terms of the group of tied documents at these indices.
fn in_group(mut sum: f64, group: std::ops::Range<usize>, depth: usize, seen: usize, own: usize) -> f64 {
    if own > 0 {
        let (m, r) = (group.len() as f64, own as f64);
        let others = if own > 1 { (r - 1.0) / (m - 1.0) } else { 0.0 };
        for index in group.start..group.end.min(depth) {
            let above = seen as f64 + 1.0 + (index - group.start) as f64 * others;
            sum += r / m * above / (index + 1) as f64;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::hypergeometric;

    #[test]
    fn chances_of_hits_above_the_cutoff() {
        let chances: Vec<_> = hypergeometric(5, 2, 3).collect();
        let expected = [(0, 0.1), (1, 0.6), (2, 0.3)];
        assert_eq!(chances.len(), 3);
        for ((hits, chance), (same, known)) in chances.into_iter().zip(expected) {
            assert_eq!(hits, same);
            assert!((chance - known).abs() < 1e-15);
        }
        assert_eq!(hypergeometric(3, 3, 2).collect::<Vec<_>>(), [(2, 1.0)]);
        // Binomial coefficients of this size overflow.
        let whole: f64 = hypergeometric(20_000, 9_000, 7_000).map(|(_, chance)| chance).sum();
        assert!((whole - 1.0).abs() < 1e-12);
    }
}
