//! Which measures have bounds, and under which policies.

use crate::convention::{Convention, Rounding, Ties, Unjudged};
use crate::error::{Error, Kind, Result};
use crate::measures::{Discount, Extremes, Ideal, Measure};

const HAVE: &str =
    "one that has: nDCG, DCG, CG, AP, P, R, F, RR, Rprec, Success, ERR, RBP, GMAP or NumRelRet";

/// What is said of a measure that has none.
pub fn without(measure: &Measure) -> Box<Error> {
    Error::new(Kind::Measure, format!("bounds of {}", measure.name), HAVE)
}

impl Measure {
    /// Refuses measures and policies of which nobody has shown where the extremes are.
    pub fn check_bounds(&self, convention: &Convention) -> Result<()> {
        let refuse = |what: &str, hint: &str| {
            let found = format!("bounds of {} with {what}", self.name);
            Err(Error::new(Kind::Convention, found, "a policy under which they are known").hint(hint))
        };
        if self.judged_only {
            return Err(Error::new(
                Kind::Measure,
                format!("bounds of {}", self.name),
                "a measure that leaves no document out",
            )
            .hint("a document that gets a label is back in the ranking: ask without judged_only"));
        }
        match convention.unjudged {
            Unjudged::Zero => {}
            Unjudged::Condense => {
                return refuse(
                    "unjudged=condense",
                    "a document that gets a label is back in the ranking: ask with unjudged=zero",
                );
            }
            Unjudged::Grade(_) => {
                return refuse("a grade for unjudged documents", "ask with unjudged=zero");
            }
        }
        if matches!(convention.ties, Ties::Optimistic | Ties::Pessimistic) {
            return refuse(
                "ties in order of their grades",
                "with another label a tied document would stand elsewhere; name another tie policy, such as \
                 doc-id-desc",
            );
        }
        if matches!(convention.rounding, Rounding::Term(_) | Rounding::TermDown(_)) {
            return refuse("rounding of each term", "ask with rounding=none");
        }
        match &self.needs.bounds {
            Extremes::Unknown => Err(without(self)),
            Extremes::Share(sum) if sum.gain.may_lose() => {
                refuse("gains below 0", "bounds of nDCG are known for gains of 0 and more")
            }
            Extremes::Share(sum) if sum.ideal == Ideal::GivenOrder => {
                refuse("ideal='given-order'", "nothing says where in the judgments a document would stand")
            }
            Extremes::Share(sum) if !falls(&sum.discount) => {
                refuse("a discount that rises", "ask with weights that never grow with the rank")
            }
            Extremes::Grade | Extremes::Gain(_) | Extremes::Relevance { .. } | Extremes::Share(_) => Ok(()),
        }
    }
}

fn falls(discount: &Discount) -> bool {
    match discount {
        Discount::Table(weights) => {
            weights.windows(2).all(|pair| matches!(pair, [a, b] if a >= b))
                && weights.last().is_none_or(|&last| last >= 0.0)
        }
        _ => true,
    }
}
