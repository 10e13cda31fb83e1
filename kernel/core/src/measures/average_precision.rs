//! Average precision; over ties by McSherry and Najork (ECIR 2008).

use super::formula::*;
use super::view::{TieMode, View, is_relevant};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AveragePrecision {
    pub rel: f64,
    /// Divide by min(k, R), not by R.
    pub capped: bool,
}

impl Formula for AveragePrecision {
    fn parse(name: &str, values: &dyn Values, _: bool) -> Result<Self> {
        // The geometric mean uses average precision as trec_eval defines it.
        let capped = name == "ap" && values.choice("norm", &[("relevant", false), ("capped", true)])?;
        Ok(Self { rel: values.number("rel")?, capped })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: Reads::Grades,
            relevant: Relevant::FromGrade(self.rel),
            ties: TieSupport::Expected,
            cutoffs: Cutoffs::Settling,
            range: Range::Finite,
            ranks: Ranks::CutWithPrecision { rel: self.rel },
            bounds: Extremes::Relevance {
                rel: self.rel,
                count: BestCount::AveragePrecision { capped: self.capped },
            },
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        Ok(value(question.view, question.cutoff, self.rel, self.capped).into())
    }
}

pub fn value(view: &View<'_>, cutoff: Option<usize>, rel: f64, capped: bool) -> (f64, bool) {
    let relevant = view.relevant(rel);
    let whole = if capped { relevant.min(cutoff.unwrap_or(usize::MAX)) } else { relevant };
    let sum =
        if view.ties == TieMode::Expected { expected(view, cutoff, rel) } else { settled(view, cutoff, rel) };
    let value = if whole == 0 { 0.0 } else { sum / whole as f64 };
    (value, relevant == 0)
}

/// log((1 + S) / (1 + R − S)), where S is the sum that average precision divides by R (Robertson,
/// ECIR 2012).
pub fn log_odds(view: &View<'_>, rel: f64) -> (f64, bool) {
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
        let group = view.grades.get(start..end).unwrap_or_default();
        let own = group.iter().filter(|&&grade| is_relevant(grade, rel)).count();
        if own > 0 {
            let (m, r) = (group.len() as f64, own as f64);
            let others = if own > 1 { (r - 1.0) / (m - 1.0) } else { 0.0 };
            for index in start..end.min(depth) {
                let above = seen as f64 + 1.0 + (index - start) as f64 * others;
                sum += r / m * above / (index + 1) as f64;
            }
            seen += own;
        }
    }
    sum
}
