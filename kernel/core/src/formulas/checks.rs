//! Checks grades, scores and sums.

use super::lists::{LARGEST_GRADE, Lists, NumberLists, Scratch};
use crate::convention::Negative;
use crate::error::{Error, Kind, Result};

pub(super) fn check_grades(
    negative: Negative,
    values: &mut [f64],
    lists: &Lists<'_>,
    row: usize,
    what: &str,
) -> Result<()> {
    let lowest = if negative == Negative::Error { 0.0 } else { -LARGEST_GRADE };
    let legal = |value: f64| value >= lowest && value <= LARGEST_GRADE;
    // Counting needs no branch per number, unlike searching.
    if values.iter().fold(0u64, |bad, &value| bad + u64::from(!legal(value))) == 0 {
        return Ok(());
    }
    let position = values.iter().position(|&value| !legal(value)).unwrap_or(0);
    let grade = values.get(position).copied().unwrap_or(f64::NAN);
    let found = format!("grade {grade} at {}", lists.place(row, Some(position), what));
    Err(if (-LARGEST_GRADE..0.0).contains(&grade) {
        Error::new(Kind::Grade, found, "a grade of 0 or more")
            .hint("negative='zero' gives negative grades no gain, negative='signed' a negative gain")
    } else if grade.is_nan() {
        Error::new(Kind::Grade, found, "a finite grade")
            .hint("give documents without a judgment the grade 0, or leave them out")
    } else {
        Error::new(Kind::Grade, found, "a grade within ±2^53")
    })
}

pub(super) fn check_scores(
    scores: &dyn NumberLists,
    scratch: &mut Scratch,
    lists: &Lists<'_>,
    row: usize,
) -> Result<()> {
    let (found, expected) = (scratch.scores.len(), scratch.grades.len());
    if found != expected {
        return Err(Error::new(
            Kind::Parameter,
            format!("{found} scores for {expected} grades in {}", lists.place(row, None, "list")),
            "one score per grade",
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
        Error::new(Kind::Parameter, found, "whole numbers below 2^53")
            .hint("replace the scores by their ranks, or divide them by a power of 2")
    } else {
        Error::new(Kind::Parameter, found, "a finite score")
            .hint("leave out documents that are not ranked; groups= accepts lists of different lengths")
    })
}

pub(super) fn finite(sum: f64, lists: &Lists<'_>, row: usize) -> Result<f64> {
    if sum.is_finite() {
        return Ok(sum);
    }
    let found = format!("the sum of the gains in {} overflows", lists.place(row, None, "list"));
    Err(Error::statement(Kind::Grade, found)
        .policy("gain")
        .hint("the gain 2^grade - 1 needs grades below 1024; is gain='linear' correct?"))
}
