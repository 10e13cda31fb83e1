//! Interpolated precision at levels of recall (Salton and McGill 1983), as in trec_eval.

use super::formula::*;
use super::view::{View, is_relevant};

/// The mean over levels of recall.
#[derive(Debug, Clone, PartialEq)]
pub struct InterpolatedPrecision {
    pub rel: f64,
    pub recalls: Vec<f64>,
    /// The level in documents is rounded to the nearest number; otherwise 0.9 is added and the
    /// fraction cut off.
    pub nearest: bool,
    /// A level of 0 documents is 0/0 in an empty ranking, as in trec_eval, and not 0.
    pub undefined: bool,
}

impl Formula for InterpolatedPrecision {
    fn parse(name: &str, values: &dyn Values, _: bool) -> Result<Self> {
        let one = name == "iprec";
        Ok(Self {
            rel: values.number("rel")?,
            recalls: if one { vec![values.number("recall")?] } else { values.numbers("recalls")? },
            nearest: values.word("rounding")? == "nearest",
            undefined: values.flag("undefined")?,
        })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: Reads::Grades,
            relevant: Relevant::FromGrade(self.rel),
            ties: TieSupport::Settled,
            cutoffs: Cutoffs::Any,
            range: Range::Exceptional { infinite: true, undefined: self.undefined },
            ranks: Ranks::Ended,
            bounds: Extremes::Unknown,
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        Ok(Raw::of(self.average(question.view), question.view.relevant(self.rel) == 0))
    }
}

impl InterpolatedPrecision {
    /// The greatest precision at or below the rank that reaches the level of recall.
    fn at(&self, view: &View<'_>, recall: f64) -> f64 {
        let level = self.documents(view, recall);
        if view.grades.is_empty() && level == 0 {
            return if self.undefined { f64::NAN } else { 0.0 };
        }
        // A level of measures is 0 or more, and then these two are the same.
        let returned = view.relevant_returned(self.rel);
        let mut by_rank = returned;
        if self.rel < 0.0 {
            by_rank = 0;
            view.each(None, |_, grade| by_rank += usize::from(is_relevant(grade, self.rel)));
        }
        if returned < level {
            return 0.0;
        }
        let mut best = 0.0;
        if let Some(ranks) = view.returned(self.rel) {
            let reached = level.max(1) - 1;
            for (above, &index) in ranks.iter().enumerate().skip(reached) {
                let precision = (above + 1) as f64 / f64::from(index + 1);
                if precision > best {
                    best = precision;
                }
            }
            return best;
        }
        let mut seen = 0usize;
        view.each(None, |index, grade| {
            if is_relevant(grade, self.rel) {
                seen += 1;
                // trec_eval counts from the last rank upwards, down to the first relevant one.
                let found = (seen + returned).saturating_sub(by_rank);
                let precision = found as f64 / (index + 1) as f64;
                if found >= level.max(1) && precision > best {
                    best = precision;
                }
            }
        });
        best
    }

    /// The mean over several levels, added from the last to the first. They are meant to ascend: where
    /// trec_eval, on its way up the ranking, would have to go down again for one, it gives it and all
    /// the rest what it gives level 0.
    fn average(&self, view: &View<'_>) -> f64 {
        let returned = view.relevant_returned(self.rel);
        let mut reached = None;
        let sum = self.recalls.iter().rev().fold(0.0, |sum, &recall| {
            let level = self.documents(view, recall);
            if reached.is_some_and(|reached| level > reached) {
                reached = Some(0);
                return sum + self.at(view, 0.0);
            }
            if level <= returned {
                reached = Some(level);
            }
            sum + self.at(view, recall)
        });
        sum / self.recalls.len() as f64
    }

    /// A level of recall as a number of relevant documents.
    fn documents(&self, view: &View<'_>, recall: f64) -> usize {
        let level = recall * view.relevant(self.rel) as f64;
        if self.nearest { level.round() as usize } else { (level + 0.9) as usize }
    }
}
