//! The question about a query, and the documents that the measure sees.

use std::collections::{HashMap, HashSet};

use super::account::{LeftOut, LeftOutReason, Rank};
use crate::convention::{Convention, Negative, Unjudged};
use crate::judgments::Pool;
use crate::known::Known;
use crate::measures::{Documents, Measure, TieMode, View};
use crate::ranking::{Ranker, condense_groups, condense_indices};
use crate::rows::QueryRows;

/// The default number of ranks to list.
pub(super) const LISTED: usize = 1000;

/// One query's rows of a run, and whether its values are scores.
#[derive(Debug, Clone, Copy)]
pub struct QueryRun<'a> {
    pub rows: QueryRows<'a>,
    pub scored: bool,
}

/// The subject of an account.
#[derive(Debug, Clone, Copy)]
pub struct AccountQuestion<'a> {
    pub convention: &'a Convention,
    pub measure: &'a Measure,
    /// Ranks to list; without it, those down to the cutoff.
    pub depth: Option<usize>,
    pub parts: Detail,
}

/// The parts of an account that are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    Ranks,
    RanksAndIdeal,
    /// Also the documents by loss, and the removed rows.
    All,
}

/// The data from which the parts of an account are built.
pub(super) struct Query<'a> {
    pub(super) question: AccountQuestion<'a>,
    pub(super) view: View<'a>,
    pub(super) pool: Pool<'a>,
    pub(super) ranked: &'a RankedDocuments<'a>,
}

/// The documents that the measure sees, in rank order; all lists are parallel to the ranks.
pub(super) struct RankedDocuments<'a> {
    /// Their rows in the run. Of [`Detail::Ranks`], rows, documents and scores have the listed ranks alone.
    pub(super) rows: Vec<usize>,
    pub(super) documents: Vec<&'a [u8]>,
    pub(super) scores: Vec<Option<f64>>,
    /// The given grade of each, NaN for none.
    pub(super) given: Vec<f64>,
    /// The effective grade of each.
    pub(super) counted: Vec<f64>,
    /// The row of each in the judgments, counted from 1; 0 where it has none.
    pub(super) judgments: Vec<u32>,
    pub(super) group_ends: Vec<u32>,
    pub(super) copies: Vec<u32>,
    /// The number of its group of equal scores, from 1; 0 for a document without ties.
    pub(super) ties: Vec<usize>,
}

impl<'a> RankedDocuments<'a> {
    pub(super) fn new(
        ranker: &Ranker,
        question: AccountQuestion<'_>,
        pool: &Pool<'a>,
        run: Option<&QueryRun<'a>>,
    ) -> Self {
        let AccountQuestion { convention, measure, .. } = question;
        let scored = run.filter(|run| run.scored).map(|run| run.rows);
        let ranks = ranker.order().len();
        // The measure needs the grades of all documents, but only these need their ids.
        let named = match question.parts {
            Detail::Ranks => ranks.min(question.depth.unwrap_or(ranks)),
            _ => ranks,
        };
        let mut ranked = Self {
            rows: Vec::with_capacity(named),
            documents: Vec::with_capacity(named),
            scores: Vec::with_capacity(named),
            given: Vec::with_capacity(ranks),
            counted: Vec::with_capacity(ranks),
            judgments: Vec::with_capacity(ranks),
            ties: Vec::with_capacity(ranks),
            group_ends: ranker.group_ends().to_vec(),
            copies: ranker.copies().to_vec(),
        };
        if measure.judged_only {
            condense_groups(ranker.grades(), &mut ranked.group_ends);
            condense_indices(ranker.grades(), ranker.copies(), &mut ranked.copies);
        }
        let mut group = 0;
        for (index, (&row, &grade)) in ranker.order().iter().zip(ranker.grades()).enumerate() {
            let (above, below) = (ranker.tie_straddles(index), ranker.tie_straddles(index + 1));
            group += usize::from(below && !above);
            if measure.judged_only && grade.is_nan() {
                continue;
            }
            let judgment = ranker.judgments().get(index).copied().unwrap_or_default();
            if ranked.rows.len() < named {
                let row = row as usize;
                ranked.rows.push(row);
                // A document that was not retrieved has no row; only the judgments know its id.
                let retrieved = run.and_then(|run| Some(run.rows.documents.get(row)?.of(run.rows.arena)));
                ranked.documents.push(retrieved.unwrap_or_else(|| {
                    let judged = (judgment as usize).checked_sub(1).and_then(|row| pool.documents.get(row));
                    judged.map_or(&[], |span| span.of(pool.arena))
                }));
                ranked.scores.push(scored.and_then(|rows| rows.values.get(row).copied()));
            }
            ranked.given.push(grade);
            ranked.judgments.push(judgment);
            ranked.counted.push(match convention.unjudged {
                Unjudged::Grade(counts) if grade.is_nan() => counts,
                _ => grade,
            });
            ranked.ties.push(if above || below { group } else { 0 });
        }
        ranked.untie();
        ranked
    }

    /// A document that was tied only with removed documents has no ties now.
    fn untie(&mut self) {
        let ties = self.ties.clone();
        for (index, tie) in self.ties.iter_mut().enumerate() {
            let same = |other: Option<usize>| other.and_then(|other| ties.get(other)) == Some(tie);
            if !same(index.checked_sub(1)) && !same(Some(index + 1)) {
                *tie = 0;
            }
        }
    }

    pub(super) fn view<'b>(&'b self, convention: &Convention, pool: &Pool<'b>) -> View<'b> {
        View {
            grades: &self.counted,
            given: &self.given,
            judged: None,
            level: None,
            group_ends: &self.group_ends,
            ties: TieMode::of(convention.ties, &self.group_ends),
            pool: pool.descending,
            pool_given: pool.grades,
            copies: &self.copies,
            rounding: convention.rounding,
            documents: Documents::of(&self.judgments, pool),
        }
    }

    /// A rank without its term.
    pub(super) fn rank(&self, index: usize) -> Rank {
        Rank {
            document: self.documents.get(index).map_or(&[][..], |document| document).to_vec(),
            score: self.scores.get(index).copied().flatten(),
            grade: *self.given.known(index),
            tie: *self.ties.known(index),
            gain: f64::NAN,
            weight: f64::NAN,
            contribution: f64::NAN,
            running: f64::NAN,
            relevant: None,
            precision: f64::NAN,
            read: None,
        }
    }

    /// Rank by document, from 1; the first rank of a duplicate.
    pub(super) fn ranks(&self) -> HashMap<&'a [u8], usize> {
        let mut ranks = HashMap::with_capacity(self.documents.len());
        for (index, &document) in self.documents.iter().enumerate() {
            ranks.entry(document).or_insert(index + 1);
        }
        ranks
    }

    /// The rows that the convention removed from the ranking, in the order of the run.
    pub(super) fn left_out(
        &self,
        rows: &QueryRows<'_>,
        pool: &Pool<'_>,
        convention: &Convention,
    ) -> Vec<LeftOut> {
        let mut kept = vec![false; rows.documents.len()];
        for &row in &self.rows {
            if let Some(slot) = kept.get_mut(row) {
                *slot = true;
            }
        }
        let ranks = self.ranks();
        let negative: HashSet<&[u8]> = if convention.negative == Negative::Drop {
            let judged = pool.documents.iter().zip(pool.raw);
            judged.filter(|&(_, &grade)| grade < 0.0).map(|(span, _)| span.of(pool.arena)).collect()
        } else {
            HashSet::new()
        };
        let out = rows.documents.iter().zip(kept).filter(|&(_, kept)| !kept);
        out.map(|(span, _)| {
            let document = span.of(rows.arena);
            let reason = match ranks.get(document) {
                Some(_) => LeftOutReason::Duplicate,
                None if convention.drop_same_id && document == rows.id => LeftOutReason::SameId,
                None if negative.contains(document) => LeftOutReason::Negative,
                None => LeftOutReason::Unjudged,
            };
            LeftOut { document: document.to_vec(), reason }
        })
        .collect()
    }
}
