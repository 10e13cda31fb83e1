//! Judged@k, Unjudged@k and the counts.

use super::formula::*;
use super::set_based::hits;
use super::view::{TieMode, View, is_relevant};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Counted {
    /// The share of the documents above k that are judged: over min(k, number returned).
    Judged,
    /// The share of the first k ranks with an unjudged document: over k.
    Unjudged,
    Queries,
    Returned,
    Relevant {
        rel: f64,
    },
    RelevantReturned {
        rel: f64,
    },
    /// Documents returned that are judged and not relevant.
    NonrelevantReturned {
        rel: f64,
    },
}

impl Formula for Counted {
    fn parse(name: &str, values: &dyn Values, _: bool) -> Result<Self> {
        Ok(match name {
            "judged" => Self::Judged,
            "unjudged" => Self::Unjudged,
            "num_q" => Self::Queries,
            "num_ret" => Self::Returned,
            "num_rel" => Self::Relevant { rel: values.number("rel")? },
            "num_rel_ret" => Self::RelevantReturned { rel: values.number("rel")? },
            _ => Self::NonrelevantReturned { rel: values.number("rel")? },
        })
    }

    fn needs(&self) -> Needs {
        let (reads, relevant, ranks) = match *self {
            Self::Judged | Self::Unjudged => (Reads::Judged, Relevant::Unasked, Ranks::Cut),
            Self::Queries | Self::Returned => (Reads::Any, Relevant::Unasked, Ranks::Nothing),
            Self::Relevant { rel } => (Reads::Grades, Relevant::FromGrade(rel), Ranks::Nothing),
            Self::RelevantReturned { rel } => (Reads::Grades, Relevant::FromGrade(rel), Ranks::Cut),
            Self::NonrelevantReturned { .. } => (Reads::Grades, Relevant::Unasked, Ranks::Cut),
        };
        Needs {
            reads,
            relevant,
            ties: TieSupport::Any,
            cutoffs: Cutoffs::Any,
            range: Range::Finite,
            ranks,
            bounds: match *self {
                Self::RelevantReturned { rel } => Extremes::Relevance { rel, count: BestCount::Extreme },
                _ => Extremes::Unknown,
            },
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let Question { view, cutoff, .. } = *question;
        let value = match *self {
            Self::Judged => {
                let whole = cutoff.unwrap_or(usize::MAX).min(view.given.len());
                let judged = count(view, cutoff, |grade| !grade.is_nan());
                if whole == 0 { 0.0 } else { judged / whole as f64 }
            }
            Self::Unjudged => {
                let whole = cutoff.unwrap_or(view.given.len());
                let unjudged = if view.ties == TieMode::Settled {
                    let depth = whole.min(view.given.len());
                    (depth - view.judged_above(depth)) as f64
                } else {
                    count(view, cutoff, f64::is_nan)
                };
                if whole == 0 { 0.0 } else { unjudged / whole as f64 }
            }
            Self::Queries => 1.0,
            Self::Returned => view.grades.len() as f64,
            Self::Relevant { rel } => view.relevant(rel) as f64,
            Self::RelevantReturned { rel } => hits(view, cutoff, rel.max(0.0)),
            Self::NonrelevantReturned { rel } => {
                let rel = rel.max(0.0);
                count(view, cutoff, |grade| grade >= 0.0 && !is_relevant(grade, rel))
            }
        };
        Ok(Raw::of(value, false))
    }
}

fn count(view: &View<'_>, cutoff: Option<usize>, counted: impl Fn(f64) -> bool) -> f64 {
    view.additive_over(view.given, cutoff, |grade| f64::from(u8::from(counted(grade))), |one, _| one)
}
