//! Compatibility: the overlap with an ideal ranking (Clarke, Vtyurina and Smucker, TOIS 2021).

use super::formula::*;

/// The maximum cutoff: ranks are visited one by one, even beyond the end of both lists.
const DEEPEST: usize = 1_000_000;

/// Rank-biased overlap (Webber, Moffat and Zobel, TOIS 2010) with the ideal ranking that is most like the
/// ranking: the judged documents by descending grade, those of one grade in the order in which they were
/// returned. Both lists are compared down to k, by default to the end of the longer one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compatibility {
    pub p: f64,
    /// Divide by the value of the ideal ranking.
    pub normalise: bool,
}

impl Formula for Compatibility {
    fn parse(_: &str, values: &dyn Values, _: bool) -> Result<Self> {
        Ok(Self { p: values.number("p")?, normalise: values.flag("normalize")? })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: Reads::Documents,
            relevant: Relevant::AboveGrade(0.0),
            ties: TieSupport::Settled,
            cutoffs: Cutoffs::AtMost(DEEPEST),
            range: Range::Finite,
            ranks: Ranks::Ended,
            bounds: Extremes::Unknown,
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let Question { view, cutoff, .. } = *question;
        let returned = view.grades.len();
        let grades = view.pool_given;
        // The rank of each judged document, from 1; beyond all ranks where it was not returned.
        let mut ranks = vec![usize::MAX; grades.len()];
        for (index, &judgment) in view.documents.judgments.iter().enumerate() {
            if let Some(rank) = (judgment as usize).checked_sub(1).and_then(|row| ranks.get_mut(row)) {
                *rank = (*rank).min(index + 1);
            }
        }
        let mut ideal: Vec<(f64, usize)> =
            grades.iter().copied().zip(ranks).filter(|&(grade, _)| grade > 0.0).collect();
        if ideal.is_empty() {
            return Ok(Raw::of(0.0, true));
        }
        ideal.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let depth = cutoff.unwrap_or_else(|| returned.max(ideal.len()));
        // joins[i]: how many documents are in both lists down to depth i + 1, and were not one above.
        let mut joins = vec![0u32; depth.min(returned.max(ideal.len()))];
        for (index, &(_, rank)) in ideal.iter().enumerate() {
            if let Some(count) = joins.get_mut(rank.max(index + 1) - 1) {
                *count += 1;
            }
        }
        let own = overlap(joins.into_iter(), depth, self.p);
        if !self.normalise {
            return Ok(Raw::of(own, false));
        }
        let best = overlap(ideal.iter().map(|_| 1), depth, self.p);
        Ok(Raw::of(own / best, false))
    }
}

/// The mean over depths of the share that both lists have in common, weighed by p^(depth − 1). After
/// the last joint nothing joins.
fn overlap(joins: impl Iterator<Item = u32>, depth: usize, p: f64) -> f64 {
    let (mut sum, mut whole) = (0.0, 0.0);
    let mut weight = 1.0;
    let mut common = 0.0;
    for (index, joined) in joins.chain(std::iter::repeat(0)).take(depth).enumerate() {
        common += f64::from(joined);
        sum += weight * common / (index + 1) as f64;
        whole += weight;
        weight *= p;
    }
    sum / whole
}
