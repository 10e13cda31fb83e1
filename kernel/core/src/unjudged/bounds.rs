//! The grades that bounds assume for unjudged documents.

use super::Scope;
use crate::convention::Convention;
use crate::error::{Error, Kind, Result};
use crate::judgments::{Judgments, Loader, effective};

/// Which unjudged documents may have a label, and which grades.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    pub scope: Scope,
    /// The grades that an unjudged document may have: ascending, distinct, at least one.
    pub grades: Vec<f64>,
}

impl Bounds {
    /// Collects the grades that the judgments use, and 0.
    pub fn of_judgments(scope: Scope, judgments: &Judgments<'_>) -> Result<Self> {
        let queries = 0..judgments.rows().queries();
        let mut grades = vec![0.0];
        let mut loader = Loader::default();
        for query in queries {
            // Equal grades are adjacent, because the grades are descending.
            for &grade in judgments.load(query, &mut loader)?.descending {
                if grades.last() != Some(&grade) {
                    grades.push(grade);
                }
            }
            if grades.len() > 1024 {
                sort_and_dedup(&mut grades);
            }
        }
        sort_and_dedup(&mut grades);
        Ok(Self { scope, grades })
    }

    /// Applies a convention to these grades.
    pub fn of_grades(scope: Scope, grades: &[f64], convention: &Convention) -> Result<Self> {
        let mut effective_grades = Vec::with_capacity(grades.len());
        for &grade in grades {
            let grade_used = effective(grade, convention)?;
            if grade_used.is_nan() {
                let found = format!("the convention treats grade {grade} of the scale as unjudged");
                return Err(Error::statement(Kind::Grade, found));
            }
            effective_grades.push(grade_used);
        }
        sort_and_dedup(&mut effective_grades);
        if effective_grades.is_empty() {
            return Err(Error::statement(Kind::Parameter, "the scale has no grades"));
        }
        Ok(Self { scope, grades: effective_grades })
    }
}

fn sort_and_dedup(grades: &mut Vec<f64>) {
    grades.sort_unstable_by(f64::total_cmp);
    grades.dedup();
}
