//! Rank-biased precision and its residual (Moffat and Zobel, TOIS 2008).

use super::formula::*;
use super::view::{TieMode, is_relevant};
use crate::error::{Error, Kind};
use crate::values::Parameter;

/// The worth of a document, between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Worth {
    /// 1 at the level and above.
    Binary { rel: f64 },
    /// grade / highest grade.
    Graded { max_grade: f64 },
    /// grade / highest grade that was given for the query, or the grade itself if that is 1 or less.
    GradedByQuery,
}

fn weight(p: f64, rank: f64) -> f64 {
    p.powf(rank - 1.0) * (1.0 - p)
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rbp {
    pub p: f64,
    pub worth: Worth,
}

impl Formula for Rbp {
    fn parse(_: &str, values: &dyn Values, _: bool) -> Result<Self> {
        let worth = match values.get("max_grade")? {
            Some(Parameter::Word(_)) => Worth::GradedByQuery,
            Some(_) => Worth::Graded { max_grade: values.number("max_grade")? },
            None => Worth::Binary { rel: values.number("rel")? },
        };
        Ok(Self { p: values.number("p")?, worth })
    }

    fn needs(&self) -> Needs {
        let (relevant, bounds) = match self.worth {
            Worth::Binary { rel } => {
                (Relevant::FromGrade(rel), Extremes::Relevance { rel, count: BestCount::Extreme })
            }
            Worth::Graded { .. } => (Relevant::AboveGrade(0.0), Extremes::Grade),
            Worth::GradedByQuery => (Relevant::AboveGrade(0.0), Extremes::Unknown),
        };
        Needs {
            reads: Reads::Grades,
            relevant,
            ties: TieSupport::Any,
            cutoffs: Cutoffs::Any,
            range: Range::Finite,
            ranks: Ranks::Cut,
            bounds,
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let Question { view, cutoff, .. } = *question;
        let p = self.p;
        let weigh = |worth: f64, rank: f64| worth * weight(p, rank);
        let (value, nothing) = match self.worth {
            Worth::Binary { rel } => (
                view.additive(cutoff, |grade| f64::from(u8::from(is_relevant(grade, rel))), weigh),
                view.relevant(rel) == 0,
            ),
            Worth::Graded { max_grade } => {
                let highest = view.grades.iter().copied().fold(0.0, f64::max);
                if highest > max_grade {
                    return Err(Error::new(
                        Kind::Grade,
                        format!("grade {highest}"),
                        format!("at most {max_grade}, the highest grade of RBP here"),
                    )
                    .hint(format!("set the highest grade of the scale with RBP(max_grade={highest})")));
                }
                (
                    view.additive(cutoff, |grade| if grade > 0.0 { grade / max_grade } else { 0.0 }, weigh),
                    view.pool.first().is_none_or(|&grade| grade <= 0.0),
                )
            }
            Worth::GradedByQuery => {
                let highest = view.pool.first().copied().unwrap_or_default();
                let whole = highest.max(1.0);
                (
                    view.additive(cutoff, |grade| if grade > 0.0 { grade / whole } else { 0.0 }, weigh),
                    highest <= 0.0,
                )
            }
        };
        Ok(Raw::of(value, nothing))
    }
}

/// The residual: the weight of the unjudged documents, and of all the ranks below the last one. `closed`: 0
/// where every document returned is judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RbpResidual {
    pub p: f64,
    pub closed: bool,
}

impl Formula for RbpResidual {
    fn parse(_: &str, values: &dyn Values, _: bool) -> Result<Self> {
        Ok(Self { p: values.number("p")?, closed: values.word("tail")? == "unjudged" })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: Reads::Grades,
            relevant: Relevant::Unasked,
            ties: TieSupport::Any,
            cutoffs: Cutoffs::Any,
            range: Range::Finite,
            ranks: Ranks::Cut,
            bounds: Extremes::Unknown,
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let Question { view, cutoff, .. } = *question;
        let p = self.p;
        let depth = cutoff.unwrap_or(usize::MAX).min(view.given.len());
        if self.closed && view.judged_above(depth) == depth {
            return Ok(Raw::of(0.0, false));
        }
        if view.ties == TieMode::Settled {
            // As in trec_eval, to the last digit.
            let (mut weight, mut unjudged) = (1.0, 0.0);
            for grade in view.given.iter().take(depth) {
                if grade.is_nan() {
                    unjudged += weight;
                }
                weight *= p;
            }
            return Ok(Raw::of(weight + (1.0 - p) * unjudged, false));
        }
        let unjudged = view.additive_over(
            view.given,
            cutoff,
            |grade| f64::from(u8::from(grade.is_nan())),
            |worth, rank| worth * weight(p, rank),
        );
        Ok(Raw::of(unjudged + p.powf(depth as f64), false))
    }
}
