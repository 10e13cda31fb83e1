//! Checks whether the bounds of a measure are defined under a convention.

use crate::convention::{Convention, Rounding, Ties, Unjudged};
use crate::error::{Error, Kind, Result};
use crate::measures::{Discount, Extremes, Ideal, Measure};

const MEASURES_WITH_BOUNDS: &str =
    "bounds are defined for nDCG, DCG, CG, AP, P, R, F, RR, Rprec, Success, ERR, RBP, GMAP and NumRelRet";

/// Builds the error for a measure without bounds.
pub(super) fn no_bounds(measure: &Measure) -> Box<Error> {
    Error::statement(Kind::Measure, format!("the bounds of {} are not defined", measure.name))
        .hint(MEASURES_WITH_BOUNDS)
}

impl Measure {
    /// Refuses measures and policies for which bounds are not defined.
    pub fn check_bounds(&self, convention: &Convention) -> Result<()> {
        let refuse = |what: &str, hint: &str| {
            let found = format!("the bounds of {} are not defined for {what}", self.name);
            Err(Error::statement(Kind::Convention, found).hint(hint))
        };
        if self.judged_only {
            let found =
                format!("the bounds of {} are not defined, since it omits unjudged documents", self.name);
            return Err(Error::statement(Kind::Measure, found).hint("use the measure without judged_only"));
        }
        match convention.unjudged {
            Unjudged::Zero => {}
            Unjudged::Condense => {
                return refuse(
                    "unjudged=condense",
                    "use unjudged=zero, since a document with a label returns to the ranking",
                );
            }
            Unjudged::Grade(_) => {
                return refuse("a grade for unjudged documents", "use unjudged=zero");
            }
        }
        if matches!(convention.ties, Ties::Optimistic | Ties::Pessimistic) {
            return refuse(
                "ties that are ordered by grade",
                "a label would move a tied document; choose another tie policy, such as doc-id-desc",
            );
        }
        if matches!(convention.rounding, Rounding::Term(_) | Rounding::TermDown(_)) {
            return refuse("rounding of each term", "use rounding=none");
        }
        match &self.needs.bounds {
            Extremes::Unknown => Err(no_bounds(self)),
            Extremes::Share(sum) if sum.gain.may_lose() => {
                refuse("gains below 0", "use a gain without negative values")
            }
            Extremes::Share(sum) if sum.ideal == Ideal::GivenOrder => {
                refuse("ideal='given-order'", "the position of a new judgment in the given order is unknown")
            }
            Extremes::Share(sum) if !is_decreasing(&sum.discount) => {
                refuse("a discount that rises", "use weights that do not increase with the rank")
            }
            Extremes::Grade | Extremes::Gain(_) | Extremes::Relevance { .. } | Extremes::Share(_) => Ok(()),
        }
    }
}

/// Whether the weights never increase with the rank.
fn is_decreasing(discount: &Discount) -> bool {
    match discount {
        Discount::Table(weights) => {
            weights.windows(2).all(|pair| matches!(pair, [a, b] if a >= b))
                && weights.last().is_none_or(|&last| last >= 0.0)
        }
        _ => true,
    }
}
