//! A measure whose value is computed outside the kernel, from the rankings that an evaluation keeps.

use super::formula::*;
use crate::error::{Error, Kind};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outside {
    /// The lowest grade of a relevant document; without it, every query counts as one with relevant documents.
    rel: Option<f64>,
}

impl Formula for Outside {
    fn parse(_: &str, values: &dyn Values, _: bool) -> Result<Self> {
        let rel = values.get("relevant")?.is_some().then(|| values.number("relevant")).transpose()?;
        Ok(Self { rel })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: Reads::Grades,
            relevant: self.rel.map_or(Relevant::Unasked, Relevant::FromGrade),
            ties: TieSupport::Settled,
            cutoffs: Cutoffs::Any,
            range: Range::Finite,
            ranks: Ranks::Outside,
            bounds: Extremes::Unknown,
        }
    }

    /// Only `Measure::placeholder` is defined, for callers that fill in the value.
    fn value(&self, _: &Question<'_>) -> Result<Raw> {
        Err(Error::statement(Kind::Measure, "a measure of your own is not available here")
            .hint("evaluate, compare, explain and what builds on them compute it"))
    }
}
