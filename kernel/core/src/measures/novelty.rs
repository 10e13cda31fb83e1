//! Measures that penalize redundancy: each relevant document of a subtopic gains 1 - α times the gain of the
//! one before it. α-nDCG (Clarke et al., SIGIR 2008), ERR-IA (Chapelle et al., CIKM 2009) and NRBP (Clarke et
//! al., ICTIR 2009) differ in how they discount the rank.

use std::collections::{BTreeMap, BinaryHeap};

use super::formula::*;
use super::groups::relevant_labels;
use super::view::{TieMode, View, is_relevant};
use crate::known::Known;

/// The maximum cutoff of the gain of the best list.
const DEEPEST: usize = 1 << 20;

/// The discount of a rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Patience {
    /// 1 / log2(r + 1)
    Log2,
    /// 1 / r
    Reciprocal,
    /// β^(r - 1)
    Geometric(f64),
}

impl Patience {
    fn weigh(self, gain: f64, rank: usize) -> f64 {
        match self {
            Self::Log2 => gain / (rank as f64 + 1.0).log2(),
            Self::Reciprocal => gain / rank as f64,
            Self::Geometric(beta) => gain * beta.powi(i32::try_from(rank - 1).unwrap_or(i32::MAX)),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Novelty {
    pub rel: f64,
    pub alpha: f64,
    pub patience: Patience,
    /// Divide by the gain of the best order of the judged documents; otherwise by the gain of a list whose
    /// documents are all relevant to every subtopic.
    pub normalised: bool,
}

impl Formula for Novelty {
    fn parse(name: &str, values: &dyn Values, _: bool) -> Result<Self> {
        let patience = match name {
            "alpha_dcg" => Patience::Log2,
            "err_ia" => Patience::Reciprocal,
            _ => Patience::Geometric(values.number("beta")?),
        };
        let (rel, alpha) = (values.number("rel")?, values.number("alpha")?);
        Ok(Self { rel, alpha, patience, normalised: values.flag("normalised")? })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: Reads::Labels,
            relevant: Relevant::FromGrade(self.rel),
            ties: TieSupport::Expected,
            // The sum of 1/r over an infinite list diverges.
            cutoffs: match self.patience {
                Patience::Log2 | Patience::Reciprocal if !self.normalised => {
                    Cutoffs::Required { at_most: DEEPEST }
                }
                Patience::Log2 | Patience::Reciprocal | Patience::Geometric(_) => Cutoffs::Any,
            },
            range: Range::Finite,
            ranks: Ranks::Cut,
            bounds: Extremes::Unknown,
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let Question { view, cutoff, .. } = *question;
        let (ranked, weights, all) = relevant_labels(view, self.rel)?;
        if all == 0.0 {
            return Ok(Raw::of(0.0, true));
        }
        let depth = cutoff.unwrap_or(usize::MAX).min(ranked.len());
        let gain = match view.ties {
            TieMode::Expected => self.expected(view, &ranked, weights.clone(), depth),
            TieMode::Settled | TieMode::AverageRank | TieMode::AverageRankDown => {
                self.sum(ranked.iter().take(depth).map(Vec::as_slice), weights.clone())
            }
        };
        let best = if self.normalised {
            self.ideal(view, weights, cutoff.unwrap_or(usize::MAX))
        } else {
            self.bound(all, cutoff)
        };
        Ok(Raw::of(gain / best, false))
    }
}

impl Novelty {
    /// The gains of a list, discounted; of each document, the subtopics it is relevant to. `worth` is the gain
    /// of the first relevant document of each subtopic.
    fn sum<'a>(&self, list: impl Iterator<Item = &'a [u32]>, mut worth: Vec<f64>) -> f64 {
        let mut sum = 0.0;
        for (index, own) in list.enumerate() {
            let mut gain = 0.0;
            for &label in own {
                if let Some(worth) = worth.get_mut(label as usize) {
                    gain += *worth;
                    *worth *= 1.0 - self.alpha;
                }
            }
            if gain != 0.0 {
                sum += self.patience.weigh(gain, index + 1);
            }
        }
        sum
    }

    /// The gain of a list whose documents are all relevant to all subtopics, of this weight.
    fn bound(&self, subtopics: f64, cutoff: Option<usize>) -> f64 {
        if let Patience::Geometric(beta) = self.patience {
            // The infinite list.
            return subtopics / (1.0 - (1.0 - self.alpha) * beta);
        }
        let mut gain = subtopics;
        let mut sum = 0.0;
        for rank in 1..=cutoff.unwrap_or(0) {
            let term = self.patience.weigh(gain, rank);
            if sum + term == sum {
                break;
            }
            sum += term;
            gain *= 1.0 - self.alpha;
        }
        sum
    }

    /// The gains, discounted, of the judged documents in the order in which each gains most after those
    /// before it, equal ones by id, descending. (The best order of all is NP-complete; this is ndeval's.)
    ///
    /// The gain of a document can only decrease as others are taken, so its last computed gain is an upper
    /// bound: if it is still the gain, the largest bound is the largest gain.
    fn ideal(&self, view: &View<'_>, mut worth: Vec<f64>, depth: usize) -> f64 {
        let documents = view.documents;
        // Documents relevant to the same subtopics gain the same, whenever they are taken.
        let mut alike: BTreeMap<Vec<u32>, Vec<&[u8]>> = BTreeMap::new();
        for document in 0..documents.ids.len() {
            let entries = documents.labels.of(document).iter();
            let mut own: Vec<u32> =
                entries.filter(|entry| is_relevant(entry.grade, self.rel)).map(|entry| entry.label).collect();
            if !own.is_empty() {
                own.sort_unstable();
                alike.entry(own).or_default().push(documents.ids.get(document));
            }
        }
        let mut sets: Vec<(Vec<u32>, Vec<&[u8]>)> = alike.into_iter().collect();
        for (_, ids) in &mut sets {
            // The largest id comes first, from the end.
            ids.sort_unstable();
        }
        let gain = |own: &[u32], worth: &[f64]| {
            own.iter().filter_map(|&label| worth.get(label as usize)).fold(0.0, |sum, worth| sum + worth)
        };
        let mut waiting: BinaryHeap<Candidate<'_>> = sets
            .iter()
            .enumerate()
            .filter_map(|(set, (own, ids))| {
                Some(Candidate { gain: gain(own, &worth), id: ids.last().copied()?, set })
            })
            .collect();
        let (mut sum, mut taken) = (0.0, 0);
        while taken < depth {
            let Some(top) = waiting.pop() else { break };
            let Some((own, ids)) = sets.get_mut(top.set) else { break };
            let now = gain(own, &worth);
            if now < top.gain {
                waiting.push(Candidate { gain: now, ..top });
                continue;
            }
            taken += 1;
            let term = self.patience.weigh(now, taken);
            // All others are smaller.
            if sum + term == sum {
                break;
            }
            sum += term;
            for &label in own.iter() {
                *worth.known_mut(label as usize) *= 1.0 - self.alpha;
            }
            ids.pop();
            if let Some(&id) = ids.last() {
                waiting.push(Candidate { gain: gain(own, &worth), id, set: top.set });
            }
        }
        sum
    }

    /// The mean over all orders of tied documents. Subtopics are added, so each is computed separately: a
    /// document at position j of a group of m, of which r are relevant, is relevant with probability r/m, and
    /// of the j - 1 above it then x are with the probability of drawing them from the others.
    fn expected(&self, view: &View<'_>, ranked: &[Vec<u32>], mut worth: Vec<f64>, depth: usize) -> f64 {
        let mut sum = 0.0;
        for (start, end) in view.groups() {
            if start >= depth {
                break;
            }
            let group = ranked.known(start..end);
            let mut relevant = vec![0usize; worth.len()];
            for &label in group.iter().flatten() {
                *relevant.known_mut(label as usize) += 1;
            }
            // Subtopics with the same number of relevant documents differ only in their weight.
            let mut counts: BTreeMap<usize, f64> = BTreeMap::new();
            for (&count, worth) in relevant.iter().zip(&mut worth) {
                if count > 0 {
                    *counts.entry(count).or_default() += *worth;
                    *worth *= (1.0 - self.alpha).powi(i32::try_from(count).unwrap_or(i32::MAX));
                }
            }
            for (count, worth) in counts {
                let chance = count as f64 / group.len() as f64;
                let left = self.left_of_one(group.len(), count, end.min(depth) - start);
                for (index, left) in (start..).zip(left) {
                    sum += self.patience.weigh(worth * chance * left, index + 1);
                }
            }
        }
        sum
    }

    /// For each of the first positions of a group, the expected gain of a relevant document relative to the
    /// first position.
    fn left_of_one(&self, all: usize, relevant: usize, positions: usize) -> Vec<f64> {
        let (others, relevant) = (all - 1, relevant - 1);
        // The probability that x of the others above are relevant.
        let mut chances = vec![1.0];
        let mut means = Vec::with_capacity(positions);
        for above in 0..positions {
            let mut keep = 1.0;
            let mut mean = 0.0;
            for chance in &chances {
                mean += chance * keep;
                keep *= 1.0 - self.alpha;
            }
            means.push(mean);
            let left = (others - above.min(others)) as f64;
            if left == 0.0 {
                break;
            }
            let mut next = vec![0.0; (chances.len() + 1).min(relevant + 1)];
            for (seen, chance) in chances.iter().enumerate() {
                let hit = (relevant - seen.min(relevant)) as f64 / left;
                if let Some(slot) = next.get_mut(seen + 1) {
                    *slot += chance * hit;
                }
                *next.known_mut(seen) += chance * (1.0 - hit);
            }
            chances = next;
        }
        means
    }
}

/// The next document of those that are relevant to the same subtopics.
struct Candidate<'a> {
    gain: f64,
    id: &'a [u8],
    set: usize,
}

impl Ord for Candidate<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.gain.total_cmp(&other.gain).then_with(|| self.id.cmp(other.id))
    }
}

impl PartialOrd for Candidate<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate<'_> {}
