//! FullRecall: whether everything that is needed was found.

use super::formula::*;
use super::spans::hits;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FullRecall {
    pub rel: f64,
    /// The share of a span that must be read; `None` for any unit.
    pub overlap: Option<f64>,
}

/// The share of a span that must be read, if it is set.
pub(super) fn overlap(values: &dyn Values) -> Result<Option<f64>> {
    values.get("overlap")?.map(|_| values.number("overlap")).transpose()
}

impl Formula for FullRecall {
    fn parse(_: &str, values: &dyn Values, _: bool) -> Result<Self> {
        Ok(Self { rel: values.number("rel")?, overlap: overlap(values)? })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: Reads::Alternatives,
            relevant: Relevant::FromGrade(self.rel),
            ties: TieSupport::Settled,
            cutoffs: Cutoffs::Settling,
            range: Range::Finite,
            ranks: Ranks::Cut,
            bounds: Extremes::Unknown,
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let Question { view, cutoff, .. } = *question;
        let hits = hits(view, self.rel, cutoff, self.overlap)?;
        let all = hits.iter().all(|hit| hit.is_hit);
        Ok(Raw::of(f64::from(u8::from(all && !hits.is_empty())), hits.is_empty()))
    }
}
