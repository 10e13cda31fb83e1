//! The C/W/L framework (Moffat, Bailey, Scholer and Thomas, TOIS 2017), as cwl_eval computes it: a user model
//! has the probability to continue from a rank to the next, which determines the expected utility, cost and
//! depth.
//!
//! A ranking has `depth` ranks: missing ranks have no gain, deeper ones are ignored. Every document costs 1.

mod models;

pub(super) use models::Model;

use super::formula::*;
use super::view::{TieMode, View, is_relevant};
use crate::error::{Error, Kind};

/// The expected quantities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// EU: the gain per inspected document.
    Utility,
    /// ETU: the gain of all inspected documents.
    TotalUtility,
    /// EC: the cost per inspected document.
    Cost,
    /// ETC: the cost of all inspected documents.
    TotalCost,
    /// ED: the number of inspected documents.
    Depth,
}

/// The gain of a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// 1 at the level and above, else 0.
    Binary { rel: f64 },
    /// (grade − least) / (most − least): 0 up to `least`. Grades above `most` are an error, or have its gain.
    Linear { least: f64, most: f64, clip: bool },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Cwl {
    pub model: Model,
    pub scale: Scale,
    pub quantity: Quantity,
    /// The number of ranks.
    pub depth: usize,
    /// Negative grades are losses.
    pub signed: bool,
}

impl Scale {
    fn of(&self, grade: f64, signed: bool) -> f64 {
        match self {
            Self::Binary { rel } => f64::from(u8::from(is_relevant(grade, *rel))),
            Self::Linear { .. } if grade.is_nan() => 0.0,
            Self::Linear { least, most, .. } => {
                let floored = if signed && grade < 0.0 { grade } else { grade.max(*least) };
                (floored.min(*most) - least) / (most - least)
            }
        }
    }

    fn check(&self, view: &View<'_>) -> Result<()> {
        let Self::Linear { most, clip: false, .. } = self else { return Ok(()) };
        let highest = view.grades.iter().chain(view.pool.first()).copied().fold(f64::NEG_INFINITY, f64::max);
        if highest > *most {
            return Err(Error::new(
                Kind::Grade,
                format!("grade {highest}"),
                format!("at most {most}, the grade with gain 1"),
            )
            .hint(format!(
                "set the highest grade of the scale with max_rel={highest}, or give higher grades the gain 1 with \
                 clip=True"
            )));
        }
        Ok(())
    }
}

impl Formula for Cwl {
    fn parse(_: &str, values: &dyn Values, signed: bool) -> Result<Self> {
        let scale = match values.get("rel")? {
            Some(_) => Scale::Binary { rel: values.number("rel")? },
            None => Scale::Linear {
                least: values.number("min_rel")?,
                most: values.number("max_rel")?,
                clip: values.flag("clip")?,
            },
        };
        let quantities = [
            ("EU", Quantity::Utility),
            ("ETU", Quantity::TotalUtility),
            ("EC", Quantity::Cost),
            ("ETC", Quantity::TotalCost),
            ("ED", Quantity::Depth),
        ];
        let (quantity, depth) = (values.choice("quantity", &quantities)?, values.number("depth")? as usize);
        Ok(Self { model: Model::parse(values)?, scale, quantity, depth, signed })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: Reads::Grades,
            relevant: match self.scale {
                Scale::Binary { rel } => Relevant::FromGrade(rel),
                Scale::Linear { least, .. } => Relevant::AboveGrade(least.max(0.0)),
            },
            // The stopping rank may depend on the gains of the documents, and so on their order.
            ties: if self.model.adapts() { TieSupport::Settled } else { TieSupport::Expected },
            cutoffs: Cutoffs::Any,
            range: Range::Finite,
            ranks: Ranks::Ended,
            bounds: Extremes::Unknown,
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let Question { view, cutoff, .. } = *question;
        self.scale.check(view)?;
        let worth = |grade: f64| self.scale.of(grade, self.signed);
        let gains_something = matches!(self.quantity, Quantity::Utility | Quantity::TotalUtility);
        let nothing = gains_something && view.pool.first().is_none_or(|&grade| worth(grade) <= 0.0);
        let value = if view.ties == TieMode::Expected && gains_something {
            // Models with fixed weights need only a sum over ranks.
            let weights = self.weights(cutoff);
            view.additive(Some(self.depth), worth, |gain, rank| {
                gain * weights.get(rank as usize - 1).copied().unwrap_or(0.0)
            })
        } else {
            let gains: Vec<f64> = view.top(Some(self.depth)).iter().map(|&grade| worth(grade)).collect();
            self.settled(&gains, cutoff)
        };
        Ok(Raw::of(value, nothing))
    }
}

impl Cwl {
    /// The quantity for gains in their order. V is the probability that a rank is inspected, the weight W of
    /// a rank is its share of all V, and L is the probability that it is the last.
    fn settled(&self, gains: &[f64], cutoff: Option<usize>) -> f64 {
        let mut walk = self.model.walk(gains, cutoff, self.depth);
        let (mut viewed, mut viewed_gain) = (0.0, 0.0);
        let (mut total_gain, mut total_cost) = (0.0, 0.0);
        let mut gained = 0.0;
        let mut going = 1.0;
        for index in 0..self.depth {
            let gain = gains.get(index).copied().unwrap_or(0.0);
            gained += gain;
            viewed += going;
            viewed_gain += going * gain;
            let next = going * walk.goes_on(index, gain);
            total_gain += (going - next) * gained;
            total_cost += (going - next) * (index + 1) as f64;
            going = next;
            if going == 0.0 {
                break;
            }
        }
        match self.quantity {
            Quantity::Utility => viewed_gain / viewed,
            Quantity::TotalUtility => total_gain,
            Quantity::Cost => 1.0,
            Quantity::TotalCost => total_cost,
            Quantity::Depth => viewed,
        }
    }

    /// The weight of each rank in EU or ETU, for models that do not depend on gains: W, or the probability
    /// that the user stops there or below.
    fn weights(&self, cutoff: Option<usize>) -> Vec<f64> {
        let mut walk = self.model.walk(&[], cutoff, self.depth);
        let mut viewed = Vec::new();
        let mut going = 1.0;
        for index in 0..self.depth {
            viewed.push(going);
            going *= walk.goes_on(index, 0.0);
            if going == 0.0 {
                break;
            }
        }
        if self.quantity == Quantity::Utility {
            let whole = viewed.iter().fold(0.0, |sum, &chance| sum + chance);
            viewed.iter_mut().for_each(|chance| *chance /= whole);
        } else {
            // A user who would continue after the last rank is not counted.
            viewed.iter_mut().for_each(|chance| *chance -= going);
        }
        viewed
    }
}
