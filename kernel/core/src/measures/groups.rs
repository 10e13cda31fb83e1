//! Measures of each subtopic, or of each group of judgments, and the mean of these.

use super::formula::*;
use super::full_recall::overlap;
use super::spans::hits;
use super::view::{View, is_relevant};
use super::{average_precision, set_based};
use crate::judgments::Labels;
use crate::known::Known;
use crate::ranking::condense_groups;
use crate::spans::weight_of;
use crate::values::{Parameter, illegal};

/// The measure of each group, computed on the judgments of the group alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Within {
    AveragePrecision,
    Precision,
    /// With spans, a group is found if this share of one is read; `None` for any unit.
    Success {
        overlap: Option<f64>,
    },
    /// Precision at a multiple of the number of relevant documents.
    PrecisionAtMultiple(f64),
}

/// Which groups the mean is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Groups with a relevant document: a subtopic without documents is ignored.
    Relevant,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Groups {
    pub within: Within,
    pub over: Over,
    pub rel: f64,
}

impl Formula for Groups {
    fn parse(_: &str, values: &dyn Values, _: bool) -> Result<Self> {
        let within = match values.word("within")?.as_str() {
            "ap" => Within::AveragePrecision,
            "p" => Within::Precision,
            "success" => Within::Success { overlap: overlap(values)? },
            "rprec_mult" => Within::PrecisionAtMultiple(values.number("multiple")?),
            other => return illegal("within", &Parameter::Word(other.to_owned())),
        };
        let over = values.choice("over", &[("relevant", Over::Relevant), ("all", Over::All)])?;
        Ok(Self { within, over, rel: values.number("rel")? })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: match self.within {
                Within::Success { .. } => Reads::Groups,
                _ => Reads::Labels,
            },
            relevant: Relevant::FromGrade(self.rel),
            ties: if self.within == Within::AveragePrecision {
                TieSupport::Expected
            } else {
                TieSupport::Any
            },
            cutoffs: Cutoffs::Any,
            range: Range::Finite,
            ranks: match self.within {
                Within::AveragePrecision | Within::Precision | Within::Success { .. } => Ranks::Cut,
                Within::PrecisionAtMultiple(_) => Ranks::Ended,
            },
            bounds: Extremes::Unknown,
        }
    }

    /// With `condensed`, each group of assessors sees only the documents that it judged, as in trec_eval; for
    /// subtopics a document is judged if it is judged for any subtopic.
    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let Question { view, cutoff, condensed } = *question;
        let weights = weights(view)?;
        if let Within::Success { overlap } = self.within
            && view.documents.reading.is_some()
        {
            let hits = hits(view, self.rel, cutoff, overlap)?;
            let weight = |group: usize| *weights.known(group);
            let all: f64 = hits.iter().map(|hit| weight(hit.group)).sum();
            let found: f64 = hits.iter().filter(|hit| hit.is_hit).map(|hit| weight(hit.group)).sum();
            return Ok(if all == 0.0 { Raw::of(0.0, true) } else { Raw::of(found / all, false) });
        }
        let mut rankings = GroupRankings::new(view, condensed && self.over == Over::All);
        let (mut sum, mut counted, mut nothing) = (0.0, 0.0, true);
        for (label, &weight) in weights.iter().enumerate() {
            let group = rankings.group(view, label);
            let relevant = group.relevant(self.rel);
            // A group without weight is not needed.
            nothing &= relevant == 0 || weight == 0.0;
            if relevant > 0 {
                sum += weight * self.one(&group, cutoff, relevant);
            }
            if relevant > 0 || self.over == Over::All {
                counted += weight;
            }
        }
        if nothing {
            return Ok(Raw::of(0.0, true));
        }
        // ndeval counts the relevant documents of all subtopics before it divides.
        let depth = match (self.within, self.over) {
            (Within::Precision, Over::Relevant) => cutoff.unwrap_or(view.grades.len()),
            _ => 1,
        };
        let whole = counted * depth as f64;
        Ok(Raw::of(if whole == 0.0 { 0.0 } else { sum / whole }, false))
    }
}

impl Groups {
    /// The value of a group with relevant documents; for P_IA, the numerator.
    fn one(&self, group: &View<'_>, cutoff: Option<usize>, relevant: usize) -> f64 {
        match self.within {
            Within::AveragePrecision => {
                average_precision::value(group, cutoff, self.rel, average_precision::Norm::Relevant).0
            }
            Within::Success { .. } => set_based::success(group, cutoff, self.rel).0,
            Within::Precision if self.over == Over::Relevant => set_based::hits(group, cutoff, self.rel),
            Within::Precision => set_based::precision(group, cutoff, self.rel).0,
            Within::PrecisionAtMultiple(multiple) => {
                let depth = set_based::multiple_of(relevant, multiple);
                if depth == 0 { 0.0 } else { set_based::precision(group, Some(depth), self.rel).0 }
            }
        }
    }
}

/// The ranking of each group; keeps its buffers from one group to the next.
struct GroupRankings {
    /// For each label, the ranks (from 0) of documents judged under it, with their grades.
    judged: Vec<Vec<(usize, f64)>>,
    /// For each label, its grades, descending.
    pools: Vec<Vec<f64>>,
    condensed: bool,
    grades: Vec<f64>,
    ends: Vec<u32>,
}

impl GroupRankings {
    fn new(view: &View<'_>, condensed: bool) -> Self {
        let Labels { names, entries, .. } = view.documents.labels;
        let mut judged = vec![Vec::new(); names.len()];
        for (rank, &judgment) in view.documents.judgments.iter().enumerate() {
            let Some(document) = (judgment as usize).checked_sub(1) else { continue };
            for entry in view.documents.labels.of(document) {
                if let Some(own) = judged.get_mut(entry.label as usize)
                    && !entry.grade.is_nan()
                {
                    own.push((rank, entry.grade));
                }
            }
        }
        let mut pools = vec![Vec::new(); names.len()];
        for entry in entries.iter().filter(|entry| !entry.grade.is_nan()) {
            if let Some(pool) = pools.get_mut(entry.label as usize) {
                pool.push(entry.grade);
            }
        }
        for pool in &mut pools {
            pool.sort_unstable_by(|a, b| b.total_cmp(a));
        }
        Self { judged, pools, condensed, grades: Vec::new(), ends: Vec::new() }
    }

    fn group<'a>(&'a mut self, view: &View<'a>, label: usize) -> View<'a> {
        self.grades.clear();
        self.grades.resize(view.grades.len(), f64::NAN);
        for &(rank, grade) in self.judged.get(label).map(Vec::as_slice).unwrap_or_default() {
            *self.grades.known_mut(rank) = grade;
        }
        self.ends.clear();
        self.ends.extend_from_slice(view.group_ends);
        if self.condensed {
            condense_groups(&self.grades, &mut self.ends);
            self.grades.retain(|grade| !grade.is_nan());
        }
        let pool = self.pools.get(label).map(Vec::as_slice).unwrap_or_default();
        View { pool, pool_given: pool, ..view.with(&self.grades, &self.grades, &self.ends) }
    }
}

/// The weights of the labels, by number.
fn weights(view: &View<'_>) -> Result<Vec<f64>> {
    let names = view.documents.labels.names.iter().map(|span| span.of(view.documents.ids.arena));
    names.map(|name| weight_of(name).map(|(_, weight)| weight)).collect()
}

/// Which subtopics the document at each rank is relevant to, the weights of the subtopics, and the weight of
/// those with a relevant document.
pub(super) fn relevant_labels(view: &View<'_>, rel: f64) -> Result<(Vec<Vec<u32>>, Vec<f64>, f64)> {
    let labels = view.documents.labels;
    let of = |document: usize| {
        let entries = labels.of(document).iter();
        let mut own: Vec<u32> =
            entries.filter(|entry| is_relevant(entry.grade, rel)).map(|entry| entry.label).collect();
        own.sort_unstable();
        own
    };
    let ranks = view.documents.judgments.iter();
    let ranked =
        ranks.map(|&judgment| (judgment as usize).checked_sub(1).map_or_else(Vec::new, of)).collect();
    let mut seen = vec![false; labels.names.len()];
    for entry in labels.entries.iter().filter(|entry| is_relevant(entry.grade, rel)) {
        *seen.known_mut(entry.label as usize) = true;
    }
    let weights = weights(view)?;
    let all = weights.iter().zip(seen).filter(|&(_, seen)| seen).map(|(weight, _)| weight).sum();
    Ok((ranked, weights, all))
}
