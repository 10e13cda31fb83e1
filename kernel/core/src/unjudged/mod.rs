//! Bounds of measures over the labels of unjudged retrieved documents.
//!
//! Each may have any grade of a scale, and the ideal is recomputed for each choice. The extremes of a measure
//! are exact: only the labelings that can be extreme are tried, and the measure itself evaluates them; they
//! are in `relevance.rs`, `worth.rs` and `share.rs`. `samples.rs` draws labels, `effects.rs` gives one
//! document a label at a time.

mod bounds;
mod check;
mod effects;
mod mean;
mod ranked;
mod relevance;
mod samples;
mod share;
mod trial;
mod worth;

use crate::convention::{Convention, Duplicates};
use crate::error::{Error, Kind, Result};
use crate::measures::{Extremes, Ideal, Measure, View};
pub use bounds::Bounds;
pub use effects::{Candidates, Effects, documents, effects};
pub use ranked::Held;
pub use samples::{Asked as SamplesAsked, Prior, samples};
use trial::Trial;

/// Which unjudged documents have a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All that were retrieved.
    Retrieved,
    /// Those above the measure's cutoff.
    Cutoff,
}

/// The unjudged documents of one query.
#[derive(Debug, Default)]
pub struct Places {
    /// Their indices (rank - 1), ascending.
    places: Vec<u32>,
}

impl Places {
    /// Finds them. A document whose judgment the convention ignores has a judgment, and is not among them.
    pub fn find(&mut self, view: &View<'_>) {
        self.places.clear();
        let documents = view.given.iter().zip(view.documents.judgments).zip(0..);
        let unjudged = documents.filter(|((grade, judgment), _)| grade.is_nan() && **judgment == 0);
        self.places.extend(unjudged.map(|(_, index)| index));
    }

    /// Refuses a query with duplicates that count separately: one label would be in several places.
    pub fn check(&self, duplicates: usize, convention: &Convention) -> Result<()> {
        let repeated =
            matches!(convention.duplicates, Duplicates::Count | Duplicates::Copies | Duplicates::Blank);
        if duplicates == 0 || !repeated || self.places.is_empty() {
            return Ok(());
        }
        Err(Error::statement(
            Kind::Convention,
            "bounds are not defined for duplicate documents that count twice",
        )
        .hint("duplicates=first, last and best keep one of them"))
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
        // An ideal of the cut list does not depend on documents below the cut.
        if bounds.scope == Scope::Cutoff || cut_ideal(measure) {
            places.retain(|&place| above(view, measure.cutoff, place));
        }
        extremes(measure, view, convention, &places, &bounds.grades)
    }
}

fn cut_ideal(measure: &Measure) -> bool {
    matches!(&measure.needs.bounds, Extremes::Share(sum) if sum.ideal == Ideal::ListCut)
}

/// The least and the greatest value over the labels of some places, ascending; a place beyond the ranking is a
/// document that takes part in the ideal alone.
fn extremes(
    measure: &Measure,
    view: &View<'_>,
    convention: &Convention,
    places: &[usize],
    grades: &[f64],
) -> Result<(f64, f64)> {
    let mut trial = Trial::new(measure, view, convention, places);
    if places.is_empty() {
        trial.take(|_| f64::NAN)?;
        return Ok(trial.interval());
    }
    match &measure.needs.bounds {
        Extremes::Unknown => return Err(check::without(measure)),
        Extremes::Grade => worth::extremes(&mut trial, grades, |grade| grade.max(0.0))?,
        Extremes::Gain(gain) => worth::extremes(&mut trial, grades, |grade| gain.of(grade))?,
        Extremes::Relevance { rel, count } => relevance::extremes(&mut trial, grades, *rel, *count)?,
        Extremes::Share(sum) => match sum.ideal {
            Ideal::MaxGrade(_) | Ideal::Grades(_) | Ideal::GradesInOrder(_) => {
                worth::extremes(&mut trial, grades, |grade| sum.gain.of(grade))?;
            }
            Ideal::Ones => share::of_ones(&mut trial, grades, sum)?,
            _ => share::of_gains(&mut trial, grades, sum)?,
        },
    }
    Ok(trial.interval())
}

/// Whether the document at an index can count for a measure with a cutoff.
fn above(view: &View<'_>, cutoff: Option<usize>, place: usize) -> bool {
    if place >= view.grades.len() {
        return false;
    }
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
