//! How low and how high a measure can be over the labels of retrieved documents that nobody judged.
//!
//! Each such document may have any grade of a scale, and with each choice the ideal is made anew. The extremes
//! are exact: of all labellings only those are tried that can be one, and each is measured by the measure
//! itself. Which those are is in `relevance.rs`, `worth.rs` and `share.rs`.

mod check;
mod mean;
mod relevance;
mod share;
mod trial;
mod worth;

use crate::convention::{Convention, Duplicates};
use crate::error::{Error, Kind, Result};
use crate::judgments::{Judgments, effective};
use crate::measures::{Ideal, Kernel, Measure, View};
use trial::Trial;

/// Which unjudged documents have a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All that were retrieved.
    Retrieved,
    /// Those that stand above the measure's cutoff.
    Cutoff,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    pub scope: Scope,
    /// The grades that an unjudged document may have: ascending, distinct, at least one.
    pub grades: Vec<f64>,
}

impl Bounds {
    /// With the grades that the judgments use, and 0.
    #[must_use]
    pub fn of_judgments(scope: Scope, judgments: &Judgments<'_>) -> Self {
        let queries = 0..judgments.rows().queries();
        let mut grades = vec![0.0];
        for query in queries {
            // Descending: equal grades stand together.
            for &grade in judgments.pool(query).descending {
                if grades.last() != Some(&grade) {
                    grades.push(grade);
                }
            }
            if grades.len() > 1024 {
                distinct(&mut grades);
            }
        }
        distinct(&mut grades);
        Self { scope, grades }
    }

    /// With these grades, as the convention sees them.
    pub fn of_grades(scope: Scope, grades: &[f64], convention: &Convention) -> Result<Self> {
        let mut own = Vec::with_capacity(grades.len());
        for &grade in grades {
            let seen = effective(grade, convention)?;
            if seen.is_nan() {
                return Err(Error::new(
                    Kind::Grade,
                    format!("grade {grade} in the scale"),
                    "grades that the convention counts as judged",
                ));
            }
            own.push(seen);
        }
        distinct(&mut own);
        if own.is_empty() {
            return Err(Error::new(Kind::Parameter, "a scale without grades", "at least one grade"));
        }
        Ok(Self { scope, grades: own })
    }
}

fn distinct(grades: &mut Vec<f64>) {
    grades.sort_unstable_by(f64::total_cmp);
    grades.dedup();
}

/// The unjudged documents of one query.
#[derive(Debug, Default)]
pub struct Unjudged {
    /// Their indices (rank - 1), ascending.
    places: Vec<u32>,
}

impl Unjudged {
    /// Finds them. A document whose judgment the convention passes over has one, and is not among them.
    pub fn find(&mut self, view: &View<'_>) {
        self.places.clear();
        let documents = view.given.iter().zip(view.documents.judgments).zip(0..);
        let unjudged = documents.filter(|((grade, judgment), _)| grade.is_nan() && **judgment == 0);
        self.places.extend(unjudged.map(|(_, index)| index));
    }

    /// Refuses a query in which a document stands more than once and counts so: one label would be in
    /// several places.
    pub fn check(&self, duplicates: usize, convention: &Convention) -> Result<()> {
        let repeated =
            matches!(convention.duplicates, Duplicates::Count | Duplicates::Copies | Duplicates::Blank);
        if duplicates == 0 || !repeated || self.places.is_empty() {
            return Ok(());
        }
        Err(Error::new(
            Kind::Convention,
            "a document that stands more than once, and counts each time, among those with bounds",
            "each document once",
        )
        .hint("duplicates=first, last and best leave one of them"))
    }

    /// The least and the greatest value of a measure. NaN where the convention leaves the query out
    /// whatever the labels are, or where it has no number for one of them.
    pub fn interval(
        &self,
        measure: &Measure,
        view: &View<'_>,
        convention: &Convention,
        bounds: &Bounds,
    ) -> Result<(f64, f64)> {
        let mut places: Vec<usize> = self.places.iter().map(|&place| place as usize).collect();
        // An ideal of the cut list does not know what stands below the cut.
        let cut = matches!(&measure.kernel, Kernel::Ndcg(c) if c.ideal == Ideal::ListCut);
        if bounds.scope == Scope::Cutoff || cut {
            places.retain(|&place| above(view, measure.cutoff, place));
        }
        let mut trial = Trial::new(measure, view, convention, &places);
        if places.is_empty() {
            trial.take(|_| f64::NAN)?;
            return Ok(trial.interval());
        }
        let grades = &bounds.grades;
        match &measure.kernel {
            Kernel::Cg(gain) => worth::extremes(&mut trial, grades, |grade| gain.of(grade))?,
            Kernel::Dcg(c) => worth::extremes(&mut trial, grades, |grade| c.gain.of(grade))?,
            Kernel::Ndcg(c) => match c.ideal {
                Ideal::MaxGrade(_) | Ideal::Grades(_) | Ideal::GradesInOrder(_) => {
                    worth::extremes(&mut trial, grades, |grade| c.gain.of(grade))?;
                }
                Ideal::Ones => share::of_ones(&mut trial, grades, c)?,
                _ => share::of_gains(&mut trial, grades, c)?,
            },
            Kernel::Err { .. } | Kernel::Rbp { worth: crate::measures::Worth::Graded { .. }, .. } => {
                worth::extremes(&mut trial, grades, |grade| grade.max(0.0))?;
            }
            kernel => match kernel.level() {
                Some(rel) => relevance::extremes(&mut trial, grades, rel)?,
                None => return Err(check::without(measure)),
            },
        }
        Ok(trial.interval())
    }
}

/// Whether the document at an index can count for a measure with a cutoff.
fn above(view: &View<'_>, cutoff: Option<usize>, place: usize) -> bool {
    let Some(cutoff) = cutoff else { return true };
    match group_of(view, place) {
        None => place < cutoff,
        Some((start, end)) if view.ties.shares_ranks() => view.ties.mean_rank(start, end) <= cutoff as f64,
        Some((start, _)) => start < cutoff,
    }
}

/// The group of tied documents around an index; none where the order is settled.
fn group_of(view: &View<'_>, place: usize) -> Option<(usize, usize)> {
    let ends = view.group_ends;
    let group = ends.partition_point(|&end| end as usize <= place);
    let end = *ends.get(group)? as usize;
    let start = group.checked_sub(1).and_then(|before| ends.get(before)).map_or(0, |&start| start as usize);
    Some((start, end))
}
