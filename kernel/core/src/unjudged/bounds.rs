//! What is asked about the labels of unjudged documents.

use super::Scope;
use crate::convention::Convention;
use crate::error::{Error, Kind, Result};
use crate::judgments::{Judgments, Loader, effective};

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    pub scope: Scope,
    /// The grades that an unjudged document may have: ascending, distinct, at least one.
    pub grades: Vec<f64>,
}

impl Bounds {
    /// With the grades that the judgments use, and 0.
    pub fn of_judgments(scope: Scope, judgments: &Judgments<'_>) -> Result<Self> {
        let queries = 0..judgments.rows().queries();
        let mut grades = vec![0.0];
        let mut loader = Loader::default();
        for query in queries {
            // Descending: equal grades stand together.
            for &grade in judgments.load(query, &mut loader)?.descending {
                if grades.last() != Some(&grade) {
                    grades.push(grade);
                }
            }
            if grades.len() > 1024 {
                distinct(&mut grades);
            }
        }
        distinct(&mut grades);
        Ok(Self { scope, grades })
    }

    /// With these grades, as the convention sees them.
    pub fn of_grades(scope: Scope, grades: &[f64], convention: &Convention) -> Result<Self> {
        let mut own = Vec::with_capacity(grades.len());
        for &grade in grades {
            let seen = effective(grade, convention)?;
            if seen.is_nan() {
                let found = format!("the convention treats grade {grade} of the scale as unjudged");
                return Err(Error::statement(Kind::Grade, found));
            }
            own.push(seen);
        }
        distinct(&mut own);
        if own.is_empty() {
            return Err(Error::statement(Kind::Parameter, "the scale has no grades"));
        }
        Ok(Self { scope, grades: own })
    }
}

fn distinct(grades: &mut Vec<f64>) {
    grades.sort_unstable_by(f64::total_cmp);
    grades.dedup();
}
