//! Bounds of measures over the labels of unjudged retrieved documents.
//!
//! Each document may have any grade of a scale, and the ideal is recomputed for each labeling. The bounds are
//! exact: the measure itself evaluates all labelings that can be extreme. `relevance.rs`, `monotone.rs` and
//! `share.rs` select these for different kinds of measures. `samples.rs` draws random labels, and
//! `effects.rs` computes the effect of labels of single documents.

mod bounds;
mod check;
mod cutoff;
mod effects;
mod mean;
mod monotone;
mod ranked;
mod relevance;
mod samples;
mod share;
mod trial;

use crate::convention::{Convention, Duplicates};
use crate::error::{Error, Kind, Result};
use crate::measures::{Extremes, Ideal, Measure, View};
pub use bounds::Bounds;
use cutoff::above;
pub use effects::{Candidates, Effects, documents, effects};
pub use ranked::Retrieved;
pub use samples::{Prior, Sampling, samples};
use trial::Trial;

/// The unjudged documents that may have a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All retrieved documents.
    Retrieved,
    /// Documents above the measure's cutoff.
    Cutoff,
}

/// The unjudged documents of one query.
#[derive(Debug, Default)]
pub struct UnjudgedPlaces {
    /// Their indices (rank - 1), ascending.
    places: Vec<u32>,
}

impl UnjudgedPlaces {
    /// Finds the unjudged documents. A document whose judgment the convention ignores is not unjudged.
    pub fn find(&mut self, view: &View<'_>) {
        self.places.clear();
        let documents = view.given.iter().zip(view.documents.judgments).zip(0..);
        let unjudged = documents.filter(|((grade, judgment), _)| grade.is_nan() && **judgment == 0);
        self.places.extend(unjudged.map(|(_, index)| index));
    }

    /// Refuses a query with duplicates that count separately, since one label would apply to several ranks.
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

    /// Returns the least and the greatest value of a measure. Both are NaN if the convention leaves the query
    /// out for all labels, or if the measure is undefined for any of them.
    pub fn interval(
        &self,
        measure: &Measure,
        view: &View<'_>,
        convention: &Convention,
        bounds: &Bounds,
    ) -> Result<(f64, f64)> {
        let mut places: Vec<usize> = self.places.iter().map(|&place| place as usize).collect();
        // An ideal of the cut list does not depend on documents below the cut.
        if bounds.scope == Scope::Cutoff || has_cut_ideal(measure) {
            places.retain(|&place| above(view, measure.cutoff, place));
        }
        extremes(measure, view, convention, &places, &bounds.grades)
    }
}

/// Whether the ideal is that of the list down to the cutoff.
fn has_cut_ideal(measure: &Measure) -> bool {
    matches!(&measure.needs.bounds, Extremes::Share(sum) if sum.ideal == Ideal::ListCut)
}

/// Returns the least and the greatest value over the labels of documents at some places (ascending). A place
/// beyond the ranking is a document that affects only the ideal.
fn extremes(
    measure: &Measure,
    view: &View<'_>,
    convention: &Convention,
    places: &[usize],
    grades: &[f64],
) -> Result<(f64, f64)> {
    let mut trial = Trial::new(measure, view, convention, places);
    if places.is_empty() {
        trial.add_labels(|_| f64::NAN)?;
        return Ok(trial.interval());
    }
    match &measure.needs.bounds {
        Extremes::Unknown => return Err(check::no_bounds(measure)),
        Extremes::Grade => monotone::extremes(&mut trial, grades, |grade| grade.max(0.0))?,
        Extremes::Gain(gain) => monotone::extremes(&mut trial, grades, |grade| gain.of(grade))?,
        Extremes::Relevance { rel, count } => relevance::extremes(&mut trial, grades, *rel, *count)?,
        Extremes::Share(sum) => match sum.ideal {
            Ideal::MaxGrade(_) | Ideal::Grades(_) | Ideal::GradesInOrder(_) => {
                monotone::extremes(&mut trial, grades, |grade| sum.gain.of(grade))?;
            }
            Ideal::Ones => share::try_ones(&mut trial, grades, sum)?,
            _ => share::try_gains(&mut trial, grades, sum)?,
        },
    }
    Ok(trial.interval())
}
