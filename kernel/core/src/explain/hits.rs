//! Accounts of the other measures: which documents count as relevant, and the value down to each rank.

use super::account::{Breakdown, Document, FoundGroup, Rank};
use super::ranked::{AccountQuestion, Detail, LISTED, Query};
use crate::convention::Convention;
use crate::error::{Error, Kind, Result};
use crate::known::Known;
use crate::measures::spans::{Read, first_ranks};
use crate::measures::{AnyFormula, Documents, Measure, Quotient, Ranks, SetBased, View, multiple_of};
use crate::spans::weight_of;

pub(super) fn content(query: &Query<'_>) -> Result<Breakdown> {
    let Query { question, view, ranked, .. } = query;
    let measure = question.measure;
    let needs = &measure.needs;
    let cutoff = match needs.ranks {
        Ranks::Nothing => return Err(no_ranks(measure)),
        Ranks::Precision { rel, multiple } => Some(multiple_of(view.relevant(rel), multiple)),
        _ => measure.cutoff,
    };
    let listed = question.depth.or(cutoff).unwrap_or(LISTED).min(ranked.documents.len());
    let reads = view.documents.reading.map(|reading| reading.at_ranks(view, &needs.relevant));
    let reads: &[Read] = reads.as_deref().unwrap_or_default();
    let found = first_ranks(view, measure.overlap());
    let mut running = Running::new(query);
    let mut ranks = Vec::with_capacity(listed);
    for index in 0..listed {
        let rank = index + 1;
        let read = reads.get(index).copied();
        let relevant = match read {
            Some(read) => Some(read.is_relevant),
            None => needs.relevant.has(*view.grades.known(index)),
        };
        let above = cutoff.is_none_or(|cutoff| rank <= cutoff);
        let with_precision = matches!(needs.ranks, Ranks::CutWithPrecision { .. });
        ranks.push(Rank {
            relevant,
            precision: if with_precision && above && relevant == Some(true) {
                running.precision(rank)?
            } else {
                f64::NAN
            },
            running: if above && !measure.is_outside() { running.value(rank)? } else { f64::NAN },
            read,
            ..ranked.rank(index)
        });
    }
    let (documents, groups) = match question.parts {
        Detail::All => (documents(query, &found), groups(query, &found)?),
        _ => (Vec::new(), Vec::new()),
    };
    Ok(Breakdown { parts: None, ranks, ideal: Vec::new(), documents, groups })
}

fn no_ranks(measure: &Measure) -> Box<Error> {
    let found = format!("{} cannot be explained by rank, since it does not use ranks", measure.name);
    Error::statement(Kind::Measure, found)
        .hint("nDCG, DCG, IDCG and CG are explained by term; P, AP, RR and other measures of ranks by rank")
}

/// The value of the measure with a cutoff at each rank.
struct Running<'a> {
    query: &'a Query<'a>,
    measure: Measure,
    precision: Option<Measure>,
    convention: Convention,
}

impl<'a> Running<'a> {
    fn new(query: &'a Query<'a>) -> Self {
        let AccountQuestion { measure, convention, .. } = query.question;
        let precision = match measure.needs.ranks {
            Ranks::CutWithPrecision { rel } | Ranks::Precision { rel, .. } => {
                let formula =
                    AnyFormula::SetBased(SetBased { rel, of: Quotient::Precision { to_depth: false } });
                Some(Measure::new(formula, measure.name.clone()))
            }
            _ => None,
        };
        Self {
            query,
            // The view is without unjudged documents, if the measure is.
            measure: Measure { judged_only: false, ..measure.clone() },
            precision,
            // The ranking is longer than the listed part.
            convention: Convention { refuse_single: false, ..convention.clone() },
        }
    }

    fn precision(&mut self, rank: usize) -> Result<f64> {
        let Self { query, precision, convention, .. } = self;
        let Some(precision) = precision else { return Ok(f64::NAN) };
        precision.cutoff = Some(rank);
        value(precision, query, &query.view, convention)
    }

    /// R-precision is the precision so far, and a measure of whole rankings is computed as if the ranking
    /// ended here; within a group of unordered ties, this is not defined.
    fn value(&mut self, rank: usize) -> Result<f64> {
        let Self { query, measure, convention, .. } = self;
        let view = &query.view;
        match measure.needs.ranks {
            Ranks::Precision { .. } => self.precision(rank),
            Ranks::Ended => {
                let groups = view.group_ends.iter().take_while(|&&end| end as usize <= rank).count();
                let group_ends = view.group_ends.known(..groups);
                if group_ends.last().is_some_and(|&end| (end as usize) < rank)
                    || (group_ends.is_empty() && !view.group_ends.is_empty())
                {
                    return Ok(f64::NAN);
                }
                let above = |grades| <[f64]>::get(grades, ..rank).unwrap_or_default();
                let judgments = view.documents.judgments.get(..rank).unwrap_or_default();
                let cut = View {
                    documents: Documents { judgments, ..view.documents },
                    ..view.with(above(view.grades), above(view.given), group_ends)
                };
                value(measure, query, &cut, convention)
            }
            Ranks::Terms(_)
            | Ranks::Cut
            | Ranks::CutWithPrecision { .. }
            | Ranks::Outside
            | Ranks::Nothing => {
                measure.cutoff = Some(rank);
                value(measure, query, view, convention)
            }
        }
    }
}

fn value(measure: &Measure, query: &Query<'_>, view: &View<'_>, convention: &Convention) -> Result<f64> {
    measure.value(view, convention).map(|value| value.value).map_err(|error| error.query(query.pool.query))
}

/// The groups with a relevant document or span, if the measure needs one of each.
fn groups(query: &Query<'_>, found: &[Option<usize>]) -> Result<Vec<FoundGroup>> {
    let Query { question, pool, .. } = query;
    if question.measure.needs.reads.places() == Some(false) {
        return Ok(Vec::new());
    }
    let relevant = &question.measure.needs.relevant;
    let mut groups = Vec::new();
    for (label, name) in (0..).zip(pool.labels.names) {
        let entries = pool.labels.entries.iter().filter(|entry| entry.label == label);
        let mut needed = entries.filter(|entry| relevant.has(entry.grade) == Some(true)).peekable();
        if needed.peek().is_none() {
            continue;
        }
        let (name, weight) = weight_of(name.of(pool.arena))?;
        let rank = needed.filter_map(|entry| *found.known(entry.document as usize)).min();
        groups.push(FoundGroup { name: name.to_vec(), weight, rank });
    }
    Ok(groups)
}

/// The relevant documents or spans of the judgments, in the order of their grades, then of the ranking.
fn documents(query: &Query<'_>, found: &[Option<usize>]) -> Vec<Document> {
    let relevant = &query.question.measure.needs.relevant;
    let ranks = query.ranked.ranks();
    let has_places = query.view.documents.reading.is_some();
    let judged = query.pool.documents.iter().zip(query.pool.grades).zip(found);
    let mut documents: Vec<Document> = judged
        .filter(|&((_, &grade), _)| relevant.has(grade) == Some(true))
        .map(|((span, &grade), &rank)| {
            let id = span.of(query.pool.arena);
            Document {
                id: id.to_vec(),
                grade,
                gain: f64::NAN,
                rank: if has_places { rank } else { ranks.get(id).copied() },
                ideal_rank: None,
                contribution: f64::NAN,
                ideal_contribution: f64::NAN,
            }
        })
        .collect();
    documents.sort_by(|a, b| {
        let place = |document: &Document| document.rank.unwrap_or(usize::MAX);
        let by_grade = b.grade.total_cmp(&a.grade);
        by_grade.then(place(a).cmp(&place(b))).then_with(|| a.id.cmp(&b.id))
    });
    documents
}
