//! Grades under a convention's policies.

use crate::convention::{Convention, Fractions, Negative};
use crate::error::{Error, Kind, Result};
use crate::rows::QueryRows;

/// The policies on grades.
#[derive(Debug, Clone, Copy)]
pub(super) struct Policies {
    fractions: Fractions,
    negative: Negative,
    largest: Option<f64>,
}

impl Policies {
    pub(super) fn of(convention: &Convention) -> Self {
        let &Convention { fractions, negative, largest_grade: largest, .. } = convention;
        Self { fractions, negative, largest }
    }

    /// The grade of a row of a query.
    pub(super) fn grade(&self, grade: f64, query: &QueryRows<'_>, row: usize) -> Result<f64> {
        self.effective(grade).map_err(|error| error.query(query.id).document(query.document(row)))
    }

    /// The error of the first faulty row of a query.
    pub(super) fn check(&self, query: &QueryRows<'_>) -> Result<()> {
        query
            .values
            .iter()
            .enumerate()
            .try_for_each(|(row, &grade)| self.grade(grade, query, row).map(|_| ()))
    }

    /// Whether one of these grades is an error.
    pub(super) fn refuse(&self, grades: &[f64]) -> bool {
        let policies = self.fractions == Fractions::Error || self.negative == Negative::Error;
        (policies || self.largest.is_some()) && grades.iter().any(|&grade| self.effective(grade).is_err())
    }

    pub(super) fn effective(&self, grade: f64) -> Result<f64> {
        let grade = match self.fractions {
            Fractions::Keep => grade,
            Fractions::Truncate => grade.trunc(),
            Fractions::Error if grade.fract() != 0.0 => {
                return Err(Error::new(Kind::Grade, format!("grade {grade}"), "a whole number")
                    .policy("fractions").hint("the convention has fractions=error; fractions=keep uses them, fractions=truncate rounds toward 0"));
            }
            Fractions::Error => grade,
        };
        if let Some(largest) = self.largest.filter(|&largest| grade > largest) {
            return Err(Error::new(
                Kind::Grade,
                format!("grade {grade}"),
                format!("a grade of {largest} or less"),
            )
            .policy("largest_grade")
            .hint("largest_grade=any accepts all grades"));
        }
        if grade < 0.0 {
            match self.negative {
                Negative::Zero | Negative::Signed => {}
                Negative::Unjudged | Negative::Drop => return Ok(f64::NAN),
                Negative::Error => {
                    return Err(Error::new(Kind::Grade, format!("grade {grade}"), "a grade of 0 or more")
                        .policy("negative")
                        .hint(
                            "the convention has negative=error; negative=zero gives negative grades no gain",
                        ));
                }
            }
        }
        // Truncating -0.5 gives -0.0.
        Ok(grade + 0.0)
    }
}

/// One grade under the convention's policies on fractions and negative grades.
pub fn effective(grade: f64, convention: &Convention) -> Result<f64> {
    Policies::of(convention).effective(grade)
}
