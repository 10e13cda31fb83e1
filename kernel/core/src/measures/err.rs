//! Expected reciprocal rank (Chapelle, Metzler, Zhang and Grinspan, CIKM 2009).

use super::formula::*;
use super::gain::{Gain, Shape};
use super::view::{TieMode, View};
use crate::error::{Error, Kind};
use crate::known::Known;

/// The sum over ranks of 1/rank × P(the user stops there).
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedReciprocalRank {
    pub max_grade: f64,
    pub gain: Gain,
    /// Divide by the value of the ideal ranking: all judged documents by descending grade, cut at k.
    pub normalised: bool,
}

impl Formula for ExpectedReciprocalRank {
    fn parse(name: &str, values: &dyn Values, _: bool) -> Result<Self> {
        let gains = [("exponential", Gain::exponential()), ("linear", Gain::linear())];
        Ok(Self {
            max_grade: values.number("max_grade")?,
            gain: values.choice("stop", &gains)?,
            normalised: name == "nerr",
        })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: Reads::Grades,
            relevant: Relevant::AboveGrade(0.0),
            ties: TieSupport::Expected,
            cutoffs: Cutoffs::Any,
            range: Range::Finite,
            ranks: Ranks::Cut,
            bounds: if self.normalised { Extremes::Unknown } else { Extremes::Grade },
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let Question { view, cutoff, .. } = *question;
        let (own, nothing) = value(view, cutoff, self)?;
        if !self.normalised {
            return Ok(Raw::of(own, nothing));
        }
        let ideal = View { ties: TieMode::Settled, ..view.with(view.pool, view.pool, &[]) };
        let (best, _) = value(&ideal, cutoff, self)?;
        Ok(Raw::of(own / best, nothing))
    }
}

/// A document of grade g satisfies with probability (2^g − 1) / 2^max, or g / (max + 1).
fn value(view: &View<'_>, cutoff: Option<usize>, err: &ExpectedReciprocalRank) -> Result<(f64, bool)> {
    let max_grade = err.max_grade;
    let highest = view.grades.iter().chain(view.pool.first()).copied().fold(0.0, f64::max);
    if highest > max_grade {
        return Err(Error::new(
            Kind::Grade,
            format!("grade {highest}"),
            format!("at most {max_grade}, the highest grade of ERR here"),
        )
        .hint(format!("set the highest grade of the scale with ERR(max_grade={highest})")));
    }
    let whole = if err.gain.shape == Shape::Linear { max_grade + 1.0 } else { max_grade.exp2() };
    let stop = |grade: f64| if grade > 0.0 { err.gain.of(grade) / whole } else { 0.0 };
    let nothing = view.pool.first().is_none_or(|&grade| grade <= 0.0);
    let sum = if view.ties == TieMode::Expected {
        expected(view, cutoff, stop)
    } else {
        settled(view.top(cutoff), stop)
    };
    Ok((sum, nothing))
}

fn settled(grades: &[f64], stop: impl Fn(f64) -> f64) -> f64 {
    let mut sum = 0.0;
    let mut going = 1.0;
    for (index, &grade) in grades.iter().enumerate() {
        let stops = stop(grade);
        if stops > 0.0 {
            sum += going * stops / (index + 1) as f64;
            going *= 1.0 - stops;
        }
    }
    sum
}

/// The mean over all orders within the groups. The chance to go on past the first j of a group is the
/// mean over all choices of j documents of the product of (1 − stop); of those j, the number that can
/// stop at all follows a hypergeometric distribution.
fn expected(view: &View<'_>, cutoff: Option<usize>, stop: impl Fn(f64) -> f64) -> f64 {
    let depth = cutoff.unwrap_or(usize::MAX);
    let mut sum = 0.0;
    let mut going = 1.0;
    for (start, end) in view.groups() {
        if start >= depth {
            break;
        }
        let group = view.grades.known(start..end);
        let goes: Vec<f64> = group.iter().map(|&grade| 1.0 - stop(grade)).filter(|&go| go < 1.0).collect();
        if goes.is_empty() {
            continue;
        }
        let products = mean_products(&goes);
        let (m, r) = (group.len(), goes.len());
        // chosen[t]: the probability that t of the documents so far can stop.
        let mut chosen = vec![0.0; r + 1];
        if let Some(first) = chosen.first_mut() {
            *first = 1.0;
        }
        let mut before = 1.0;
        for position in 0..m {
            draw(&mut chosen, m, r, position);
            let after: f64 = chosen.iter().zip(&products).fold(0.0, |sum, (p, product)| sum + p * product);
            if start + position < depth {
                sum += going * (before - after) / (start + position + 1) as f64;
            }
            before = after;
        }
        going *= before;
    }
    sum
}

/// At index t: the mean over all choices of t of the values of their product.
fn mean_products(values: &[f64]) -> Vec<f64> {
    let mut means = vec![1.0];
    for (seen, &value) in values.iter().enumerate() {
        let count = (seen + 1) as f64;
        let mut next = vec![1.0; seen + 2];
        for t in 1..=seen + 1 {
            let without = means.get(t).copied().unwrap_or(0.0) * (count - t as f64) / count;
            let with = *means.known(t - 1) * value * t as f64 / count;
            *next.known_mut(t) = without + with;
        }
        means = next;
    }
    means
}

/// One more document is drawn from the m of which r can stop, after `drawn` were.
fn draw(chosen: &mut [f64], m: usize, r: usize, drawn: usize) {
    let left = (m - drawn) as f64;
    for t in (0..chosen.len()).rev() {
        let others_left = (m - r) as f64 - (drawn as f64 - t as f64);
        let stay = *chosen.known(t) * others_left.max(0.0) / left;
        let gain = if t == 0 { 0.0 } else { *chosen.known(t - 1) * (r - (t - 1)) as f64 / left };
        *chosen.known_mut(t) = stay + gain;
    }
}
