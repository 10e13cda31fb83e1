//! Precision, recall, R-precision, F and success: measures that count relevant documents above a cutoff.

use super::formula::*;
use super::spans::hits as hits_of;
use super::view::{TieMode, View, is_relevant};
use crate::known::Known;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SetBased {
    pub rel: f64,
    pub of: Quotient,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quotient {
    /// Over min(k, n) rather than k, where n is the number of returned documents, if `to_depth`.
    Precision {
        to_depth: bool,
    },
    RelativePrecision,
    /// Over min(k, R) if `capped`; R counts only returned documents if `listed`.
    Recall {
        capped: bool,
        listed: bool,
    },
    F {
        weight: f64,
    },
    Success,
    RPrecision {
        multiple: Option<f64>,
    },
    AveragePrecision,
    Utility {
        weights: [f64; 4],
        collection: f64,
    },
}

impl Formula for SetBased {
    fn parse(name: &str, values: &dyn Values, _: bool) -> Result<Self> {
        let number = |key| values.number(key);
        let of = match name {
            "p" => Quotient::Precision { to_depth: values.flag("to_depth")? },
            "relative_p" => Quotient::RelativePrecision,
            "r" => Quotient::Recall { capped: values.flag("capped")?, listed: values.flag("listed")? },
            "f" => Quotient::F { weight: number("weight")? },
            "success" => Quotient::Success,
            "rprec" => Quotient::RPrecision { multiple: None },
            "rprec_mult" => Quotient::RPrecision { multiple: Some(number("multiple")?) },
            "set_ap" => Quotient::AveragePrecision,
            _ => Quotient::Utility {
                weights: [number("a")?, number("b")?, number("c")?, number("d")?],
                collection: number("collection")?,
            },
        };
        Ok(Self { rel: number("rel")?, of })
    }

    fn needs(&self) -> Needs {
        let rel = self.rel;
        let at = |count| Extremes::Relevance { rel, count };
        let (cutoffs, ranks, bounds) = match self.of {
            Quotient::Recall { listed: true, .. } => (Cutoffs::Settling, Ranks::Cut, Extremes::Unknown),
            Quotient::Precision { .. } | Quotient::F { .. } => {
                (Cutoffs::Any, Ranks::Cut, at(BestCount::Extreme))
            }
            Quotient::Recall { .. } | Quotient::Success => {
                (Cutoffs::Settling, Ranks::Cut, at(BestCount::Extreme))
            }
            Quotient::RelativePrecision => (Cutoffs::Settling, Ranks::Cut, Extremes::Unknown),
            Quotient::RPrecision { multiple: None } => {
                (Cutoffs::Any, Ranks::Precision { rel, multiple: 1.0 }, at(BestCount::RPrecision))
            }
            Quotient::RPrecision { multiple: Some(multiple) } => {
                (Cutoffs::Any, Ranks::Precision { rel, multiple }, Extremes::Unknown)
            }
            Quotient::AveragePrecision => (Cutoffs::Any, Ranks::Ended, Extremes::Unknown),
            Quotient::Utility { .. } => (Cutoffs::Any, Ranks::Nothing, Extremes::Unknown),
        };
        Needs {
            reads: if self.of == Quotient::Success { Reads::GradesOrPlaces } else { Reads::Grades },
            relevant: Relevant::FromGrade(rel),
            ties: TieSupport::Any,
            cutoffs,
            range: Range::Finite,
            ranks,
            bounds,
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let Question { view, cutoff, .. } = *question;
        let rel = self.rel;
        let value = match self.of {
            Quotient::Precision { to_depth } => {
                let returned = view.grades.len();
                precision(view, if to_depth { cutoff.filter(|&k| k < returned) } else { cutoff }, rel)
            }
            Quotient::RelativePrecision => relative_precision(view, cutoff, rel),
            Quotient::Recall { capped, listed } => recall(view, cutoff, rel, capped, listed),
            Quotient::F { weight } => f(view, cutoff, rel, weight),
            Quotient::Success if view.documents.reading.is_some() => {
                let hits = hits_of(view, rel, cutoff, None)?;
                (f64::from(u8::from(hits.iter().any(|hit| hit.is_hit))), hits.is_empty())
            }
            Quotient::Success => success(view, cutoff, rel),
            Quotient::RPrecision { multiple } => r_precision(view, rel, multiple),
            Quotient::AveragePrecision => average_precision(view, rel),
            Quotient::Utility { weights, collection } => (utility(view, rel, weights, collection), false),
        };
        Ok(value.into())
    }
}

/// The (expected) number of relevant documents above the cutoff.
pub(super) fn hits(view: &View<'_>, cutoff: Option<usize>, rel: f64) -> f64 {
    if let Some(returned) = view.returned(rel) {
        let depth = cutoff.unwrap_or(usize::MAX);
        return returned.partition_point(|&index| (index as usize) < depth) as f64;
    }
    view.additive(cutoff, |grade| f64::from(u8::from(is_relevant(grade, rel))), |one, _| one)
}

fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

/// As `hits`; without a cutoff, those among the judged documents.
fn found(view: &View<'_>, cutoff: Option<usize>, rel: f64) -> f64 {
    hits(view, cutoff, if cutoff.is_none() { rel.max(0.0) } else { rel })
}

/// Relevant documents above k, over k. Without k, over the number returned.
pub(super) fn precision(view: &View<'_>, cutoff: Option<usize>, rel: f64) -> (f64, bool) {
    let depth = cutoff.unwrap_or(view.grades.len());
    (share(found(view, cutoff, rel), depth as f64), view.relevant(rel) == 0)
}

/// Relevant documents above k, over the most that there could be: min(k, R). Without k, k is the
/// number returned.
fn relative_precision(view: &View<'_>, cutoff: Option<usize>, rel: f64) -> (f64, bool) {
    let relevant = view.relevant(rel);
    let whole = cutoff.unwrap_or(view.grades.len()).min(relevant);
    (share(found(view, cutoff, rel), whole as f64), relevant == 0)
}

/// Precision times recall of all returned documents.
fn average_precision(view: &View<'_>, rel: f64) -> (f64, bool) {
    let relevant = view.relevant(rel);
    let found = found(view, None, rel);
    (share(found * found, view.grades.len() as f64 * relevant as f64), relevant == 0)
}

/// What the user gains by each relevant and loses by each other document, returned and not.
fn utility(view: &View<'_>, rel: f64, weights: [f64; 4], collection: f64) -> f64 {
    let [a, b, c, d] = weights;
    let found = found(view, None, rel);
    let (returned, relevant) = (view.grades.len() as f64, view.relevant(rel) as f64);
    a * found
        + b * (returned - found)
        + c * (relevant - found)
        + d * (collection + found - returned - relevant)
}

/// Relevant documents above k, over R; capped: over min(k, R). Listed: R counts only returned documents.
fn recall(view: &View<'_>, cutoff: Option<usize>, rel: f64, capped: bool, listed: bool) -> (f64, bool) {
    let relevant = if listed { view.relevant_returned(rel) } else { view.relevant(rel) };
    let whole = if capped { relevant.min(cutoff.unwrap_or(usize::MAX)) } else { relevant };
    (share(found(view, cutoff, rel), whole as f64), relevant == 0)
}

/// A multiple of R as a number of documents, rounded as in trec_eval.
#[must_use]
pub fn multiple_of(relevant: usize, multiple: f64) -> usize {
    (multiple * relevant as f64 + 0.9) as usize
}

/// Relevant documents among the first R, or a multiple of as many, over their number.
fn r_precision(view: &View<'_>, rel: f64, multiple: Option<f64>) -> (f64, bool) {
    let relevant = view.relevant(rel);
    let depth = multiple.map_or(relevant, |multiple| multiple_of(relevant, multiple));
    let found = if rel < 0.0 && multiple.is_some() {
        // trec_eval counts from the last rank upwards, beginning with the judged ones.
        let below = hits(view, None, rel) - hits(view, Some(depth), rel);
        (view.relevant_returned(rel) as f64 - below).max(0.0)
    } else {
        hits(view, Some(depth), rel)
    };
    (share(found, depth as f64), relevant == 0)
}

/// The weighted harmonic mean of precision and recall: (1 + w) P R / (w P + R), where w is β².
fn f(view: &View<'_>, cutoff: Option<usize>, rel: f64, weight: f64) -> (f64, bool) {
    let (precision, nothing) = precision(view, cutoff, rel);
    let (recall, _) = recall(view, cutoff, rel, false, false);
    let sum = recall + weight * precision;
    (share((weight + 1.0) * precision * recall, sum), nothing)
}

/// 1 if there is a relevant document above k. Over ties: the probability that there is one.
pub(super) fn success(view: &View<'_>, cutoff: Option<usize>, rel: f64) -> (f64, bool) {
    let nothing = view.relevant(rel) == 0;
    let depth = cutoff.unwrap_or(usize::MAX);
    if view.ties != TieMode::Expected {
        return (f64::from(u8::from(hits(view, cutoff, rel) > 0.0)), nothing);
    }
    for (start, end) in view.groups() {
        if start >= depth {
            break;
        }
        let group = view.grades.known(start..end);
        let relevant = group.iter().filter(|&&grade| is_relevant(grade, rel)).count();
        if relevant > 0 {
            let above = end.min(depth) - start;
            return (1.0 - none_among_first(end - start, relevant, above), nothing);
        }
    }
    (0.0, nothing)
}

/// The probability that none of `relevant` documents, in random order among `all`, is among the first
/// `above`: C(all − above, relevant) / C(all, relevant).
fn none_among_first(all: usize, relevant: usize, above: usize) -> f64 {
    if relevant + above > all {
        return 0.0;
    }
    (0..above.min(relevant)).fold(1.0, |product, step| {
        // The formula is symmetric in the two; the shorter product is taken.
        product * (all - above.max(relevant) - step) as f64 / (all - step) as f64
    })
}

#[cfg(test)]
mod tests {
    use super::none_among_first;

    #[test]
    fn hypergeometric() {
        assert!((none_among_first(4, 1, 2) - 0.5).abs() < 1e-15);
        assert!((none_among_first(5, 2, 2) - 0.3).abs() < 1e-15);
        assert_eq!(none_among_first(3, 2, 2), 0.0);
        assert_eq!(none_among_first(3, 3, 0), 1.0);
    }
}
