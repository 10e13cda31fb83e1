//! What grades, scores and sums may be, and what is said of those that are not.

use super::{Formula, LARGEST_GRADE, Lists, Rows, Scratch};
use crate::convention::Negative;
use crate::error::{Error, Kind, Result};

impl Formula {
    pub(super) fn check_grades(
        &self,
        values: &mut [f64],
        lists: &Lists<'_>,
        row: usize,
        what: &str,
    ) -> Result<()> {
        let lowest = if self.negative == Negative::Error { 0.0 } else { -LARGEST_GRADE };
        let legal = |value: f64| value >= lowest && value <= LARGEST_GRADE;
        // Counted rather than searched: that runs without a branch for each number.
        if values.iter().fold(0u64, |bad, &value| bad + u64::from(!legal(value))) == 0 {
            return Ok(());
        }
        let position = values.iter().position(|&value| !legal(value)).unwrap_or(0);
        let grade = values.get(position).copied().unwrap_or(f64::NAN);
        let found = format!("grade {grade} at {}", lists.place(row, Some(position), what));
        Err(if (-LARGEST_GRADE..0.0).contains(&grade) {
            Error::new(Kind::Grade, found, "a grade of 0 or more")
                .hint("negative='zero' gives negative grades no gain, negative='signed' a negative one")
        } else if grade.is_nan() {
            Error::new(Kind::Grade, found, "a finite grade")
                .hint("give what has no judgment the grade 0, or leave it out")
        } else {
            Error::new(Kind::Grade, found, "a grade within ±2^53")
        })
    }
}

pub(super) fn check_scores(
    scores: &dyn Rows,
    scratch: &mut Scratch,
    lists: &Lists<'_>,
    row: usize,
) -> Result<()> {
    let (found, expected) = (scratch.scores.len(), scratch.grades.len());
    if found != expected {
        return Err(Error::new(
            Kind::Parameter,
            format!("{found} scores for {expected} grades in {}", lists.place(row, None, "list")),
            "a score for each grade",
        ));
    }
    let largest = if scores.whole() { LARGEST_GRADE - 1.0 } else { f64::MAX };
    let mut bad = 0u64;
    for score in &mut scratch.scores {
        bad += u64::from(score.is_nan() || score.abs() > largest);
        // Turns -0.0 into 0.0, so that the two tie.
        *score += 0.0;
    }
    if bad == 0 {
        return Ok(());
    }
    let position =
        scratch.scores.iter().position(|score| score.is_nan() || score.abs() > largest).unwrap_or(0);
    let score = scratch.scores.get(position).copied().unwrap_or(f64::NAN);
    let found = format!("score {score} at {}", lists.place(row, Some(position), "scores"));
    Err(if score.is_finite() {
        Error::new(Kind::Parameter, found, "whole numbers below 2^53, which can be told apart")
            .hint("ranks of the scores, or scores divided by a power of 2, keep the order")
    } else {
        Error::new(Kind::Parameter, found, "a finite score")
            .hint("leave out what is not ranked; groups= takes lists of different lengths")
    })
}

pub(super) fn finite(sum: f64, lists: &Lists<'_>, row: usize) -> Result<f64> {
    if sum.is_finite() {
        return Ok(sum);
    }
    Err(Error::new(
        Kind::Grade,
        format!(
            "grades in {} whose gains sum to more than a 64-bit float holds",
            lists.place(row, None, "list")
        ),
        "smaller grades",
    )
    .policy("gain")
    .hint("2^grade - 1 needs grades below 1024; were these meant for gain='linear'?"))
}
