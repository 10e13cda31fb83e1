//! Which measures have a meaning for which judgments and under which policies.

use super::{Cutoffs, Discount, Ideal, Measure, Ranks, Reads, TieSupport};
use crate::convention::{Convention, Rounding, Ties, Unjudged};
use crate::error::{Error, Kind, Result};

impl Measure {
    /// Whether the measure has a meaning for judgments with labels, or for such without.
    pub fn fits(&self, labelled: bool) -> Result<()> {
        let error = |found: &str, expected: &str| {
            Error::new(Kind::Measure, format!("{} for judgments {found} subtopics", self.name), expected)
        };
        match self.needs.reads.labels() {
            Some(true) if !labelled => Err(error("without", "judgments of subtopics or groups").hint(
                "Qrels and read_qrels take subtopics=True, and read a subtopic for each judgment: in TREC \
                 text the second column",
            )),
            Some(false) if labelled => Err(error("of", "one grade a document").hint(
                "qrels.merged('max') or merged('sum') makes one grade of them, on the command line \
                 --subtopics max or sum",
            )),
            _ => Ok(()),
        }
    }

    /// Refuses the combinations that have no meaning, before any data is read.
    pub fn check(&self, convention: &Convention) -> Result<()> {
        let refuse = |policy: &str, hint: &str| {
            Err(Error::new(
                Kind::Convention,
                format!("{} with {policy}", self.name),
                "a policy that has a meaning for this measure",
            )
            .hint(hint))
        };
        let needs = &self.needs;
        if let Cutoffs::AtMost(deepest) = needs.cutoffs
            && self.cutoff.is_some_and(|cutoff| cutoff > deepest)
        {
            let expected = format!("a cutoff of at most {deepest}");
            return Err(Error::new(Kind::Measure, self.name.clone(), expected));
        }
        if convention.ties.stay_groups() && needs.ties == TieSupport::Settled {
            let (policy, hint) = match needs.reads {
                Reads::Preferences(_) => (
                    "ties that stay open",
                    "a preference between tied documents is fulfilled in some orders only; name a tie policy \
                     that settles the order",
                ),
                _ => (
                    "tied documents left as they are",
                    "the mean of the measure over all orders of tied documents has no closed form; name a tie \
                     policy that settles the order, such as doc-id-desc, or average over several of random(seed)",
                ),
            };
            return refuse(policy, hint);
        }
        if convention.ties.shares_ranks() && needs.ties == TieSupport::Expected {
            return refuse(
                if convention.ties == Ties::AverageRank {
                    "ties=average-rank"
                } else {
                    "ties=average-rank-down"
                },
                "the measure depends on the order before each document; ties=expected is defined",
            );
        }
        if needs.reads == Reads::Labels && matches!(convention.unjudged, Unjudged::Grade(_)) {
            return refuse(
                "a grade for unjudged documents",
                "nothing says for which subtopics they would have it; unjudged=zero and condense are defined",
            );
        }
        if let Cutoffs::Required { at_most } = needs.cutoffs
            && self.cutoff.is_none_or(|cutoff| cutoff > at_most)
        {
            let found = match self.cutoff {
                None => format!("{} without a cutoff", self.name),
                Some(cutoff) => format!("the cutoff {cutoff} of {}", self.name),
            };
            let expected = format!("a cutoff of at most {at_most}, as in @20");
            return Err(Error::new(Kind::Measure, found, expected)
                .hint("the measure is divided by what the best list of that length would gain"));
        }
        if let Ranks::Terms(cumulative) = &needs.ranks {
            if convention.ties == Ties::AverageRank && matches!(cumulative.discount, Discount::Table(_)) {
                return refuse("ties=average-rank", "a discount table has no entry for a fractional rank");
            }
            if convention.ties.stay_groups() && cumulative.ideal == Ideal::ListCut {
                return refuse(
                    "ideal='list-cut' and tied documents",
                    "which documents the cut keeps depends on the order; name another tie policy",
                );
            }
        } else {
            let rounded = match convention.rounding {
                Rounding::Term(_) => "rounding=term",
                Rounding::TermDown(_) => "rounding=term-down",
                _ => return Ok(()),
            };
            return refuse(
                rounded,
                "only CG, DCG, IDCG and nDCG are sums of terms that a tool rounds: measure these alone, \
                 or others with rounding=none",
            );
        }
        Ok(())
    }
}
