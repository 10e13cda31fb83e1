//! Checks whether measures are defined for the judgments and policies.

use super::{Cutoffs, Discount, Ideal, Measure, Ranks, Reads, TieSupport};
use crate::convention::{Convention, Rounding, Ties, Unjudged};
use crate::error::{Error, Kind, Result};

impl Measure {
    /// Checks whether the measure is defined for judgments with or without labels.
    ///
    /// `one_grade` returns an error if a document has different grades under different labels.
    pub fn fits(&self, labelled: bool, one_grade: impl FnOnce() -> Result<()>) -> Result<()> {
        let error = |needs: &str| Error::statement(Kind::Measure, format!("{} needs {needs}", self.name));
        match self.needs.reads.labels() {
            Some(true) if !labelled => Err(error("judgments with subtopics or groups").hint(
                "read subtopics with subtopics=True in Qrels or read_qrels; in TREC text they are the second column",
            )),
            Some(false) if labelled => one_grade().map_err(|place| {
                let found = "one grade per document, and this document has different grades under several subtopics";
                let Error { query, document, .. } = *place;
                let hint = "combine the grades with ⟪subtopics=max⟫ or sum";
                Box::new(Error { query, document, ..*error(found).hint(hint) })
            }),
            _ => Ok(()),
        }
    }

    /// Refuses undefined combinations before reading data.
    pub fn check(&self, convention: &Convention) -> Result<()> {
        let refuse = |policy: &str, hint: &str| {
            Err(Error::statement(Kind::Convention, format!("{} is not defined for {policy}", self.name))
                .hint(hint))
        };
        let needs = &self.needs;
        if let Cutoffs::AtMost(deepest) = needs.cutoffs
            && self.cutoff.is_some_and(|cutoff| cutoff > deepest)
        {
            let found = format!("the cutoff of {} exceeds {deepest}", self.name);
            return Err(Error::statement(Kind::Measure, found));
        }
        if convention.ties.stay_groups() && needs.ties == TieSupport::Settled {
            let (policy, hint) = match needs.reads {
                Reads::Preferences(_) => (
                    "unordered ties",
                    "a preference between tied documents depends on their order; choose a tie policy that orders \
                     them, such as doc-id-desc",
                ),
                _ => (
                    "unordered ties",
                    "the mean over all orders of tied documents has no closed form; choose a tie policy that orders \
                     them, such as doc-id-desc, or average over several seeds of random(seed)",
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
                "the measure depends on the order of the documents before each one; use ties=expected",
            );
        }
        if matches!(needs.reads, Reads::Labels | Reads::Groups | Reads::Alternatives)
            && matches!(convention.unjudged, Unjudged::Grade(_))
        {
            return refuse(
                "a grade for unjudged documents",
                "the subtopics of such a grade are unknown; use unjudged=zero or condense",
            );
        }
        if let Cutoffs::Required { at_most } = needs.cutoffs
            && self.cutoff.is_none_or(|cutoff| cutoff > at_most)
        {
            let found = format!("{} needs a cutoff of at most {at_most}, as in @20", self.name);
            return Err(Error::statement(Kind::Measure, found)
                .hint("the measure is normalized by the gain of the best list of that length"));
        }
        if let Ranks::Terms(cumulative) = &needs.ranks {
            if convention.ties == Ties::AverageRank && matches!(cumulative.discount, Discount::Table(_)) {
                return refuse("ties=average-rank", "a discount table has no entry for a fractional rank");
            }
            if convention.ties.stay_groups() && cumulative.ideal == Ideal::ListCut {
                return refuse(
                    "ideal='list-cut' and tied documents",
                    "the order decides which documents the cut keeps; choose a tie policy that orders them",
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
                "only CG, DCG, IDCG and nDCG are sums of rounded terms; use rounding=none for other measures",
            );
        }
        Ok(())
    }
}
