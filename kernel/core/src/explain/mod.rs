//! The account of one query: how each rank contributes to a measure.
//!
//! Nothing is recomputed here: ranking and value are those of the evaluation, and the terms of a DCG are
//! recorded while the measure adds them.

mod account;
mod gains;
mod hits;
mod ideal;
mod listing;

pub use account::{Account, Content, Document, Group, IdealRank, LeftOut, Rank, Reason};
pub use listing::{Columns, Listing};

use std::collections::{HashMap, HashSet};

use crate::convention::{Convention, Negative, Unjudged};
use crate::error::Result;
use crate::judgments::{Judgments, Pool};
use crate::known::Known;
use crate::measures::spans::{Reading, Sides, reads_places};
use crate::measures::{Documents, Measure, Ranks, TieMode, View};
use crate::ranking::{Block, Ranker, check_order, condense_groups, condense_indices};
use crate::rows::QueryRows;

/// The default number of ranks to list.
const LISTED: usize = 1000;

/// One query's rows of a run, and whether its values are scores.
#[derive(Debug, Clone, Copy)]
pub struct Ranking<'a> {
    pub rows: QueryRows<'a>,
    pub scored: bool,
}

/// The subject of an account.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    pub convention: &'a Convention,
    pub measure: &'a Measure,
    /// Ranks to list; without it, those down to the cutoff.
    pub depth: Option<usize>,
    pub parts: Parts,
}

/// The parts of an account that are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Parts {
    Ranks,
    RanksAndIdeal,
    /// Also the documents by loss, and the removed rows.
    All,
}

/// The account of one query. `run` is `None` if the run lacks it.
pub fn explain(
    question: Question<'_>,
    judgments: &Judgments<'_>,
    query: usize,
    run: Option<Ranking<'_>>,
) -> Result<Account> {
    explain_with(&mut Ranker::default(), question, judgments, query, run)
}

/// [`explain`] with the buffers of a ranker.
fn explain_with(
    ranker: &mut Ranker,
    question: Question<'_>,
    judgments: &Judgments<'_>,
    query: usize,
    run: Option<Ranking<'_>>,
) -> Result<Account> {
    let Question { convention, measure, .. } = question;
    measure.check(convention)?;
    measure.fits(judgments.has_labels(), || judgments.rows().one_grade())?;
    let pool = judgments.pool(query);
    ranker.wants_documents = true;
    let mut negated = Vec::new();
    let block = match &run {
        Some(Ranking { rows, scored }) => {
            check_order(convention.order, !rows.ranks.is_empty())?;
            let block = Block::of(rows, convention.order, *scored, &mut negated);
            ranker.allows_repeats = reads_places(&block, &[0]);
            ranker.rank(&block, &pool, convention).map_err(|fault| fault.error.query(pool.query))?;
            Some(block)
        }
        None => {
            ranker.empty(&pool, convention);
            None
        }
    };
    let sides = Sides {
        measures: std::slice::from_ref(measure),
        convention,
        pool: &pool,
        run: block.as_ref().map(|block| (block, ranker.order())),
        ranks: None,
    };
    let mut reading = Reading::default();
    let reading = sides.read(&mut reading).map_err(|error| error.query(pool.query))?;
    let ranked = Ranked::new(ranker, question, &pool, run.as_ref());
    let mut view = ranked.view(convention, &pool);
    view.documents.reading = reading;
    let value = if measure.is_outside() {
        measure.placeholder(&view, convention)
    } else {
        measure.value(&view, convention)
    };
    let value = value.map_err(|error| error.query(pool.query))?;
    let query = Query { question, view, pool, ranked: &ranked };
    let content = match &measure.needs.ranks {
        Ranks::Terms(sum) => gains::content(&query, sum),
        _ => hits::content(&query)?,
    };
    Ok(Account {
        value: value.value,
        nothing: value.nothing,
        skipped: value.skipped,
        retrieved: ranked.given.len(),
        judged: pool.descending.len(),
        content,
        left_out: run
            .filter(|_| question.parts == Parts::All)
            .map(|run| ranked.left_out(&run.rows, &query.pool, convention))
            .unwrap_or_default(),
    })
}

/// The data from which the parts of an account are built.
struct Query<'a> {
    question: Question<'a>,
    view: View<'a>,
    pool: Pool<'a>,
    ranked: &'a Ranked<'a>,
}

/// The documents that the measure sees, in rank order; all lists are parallel to the ranks.
struct Ranked<'a> {
    /// Their rows in the run. Of [`Parts::Ranks`], rows, documents and scores have the listed ranks alone.
    rows: Vec<usize>,
    documents: Vec<&'a [u8]>,
    scores: Vec<Option<f64>>,
    /// The given grade of each, NaN for none.
    given: Vec<f64>,
    /// The effective grade of each.
    counted: Vec<f64>,
    /// The row of each in the judgments, counted from 1; 0 where it has none.
    judgments: Vec<u32>,
    group_ends: Vec<u32>,
    copies: Vec<u32>,
    /// The number of its group of equal scores, from 1; 0 for a document without ties.
    ties: Vec<usize>,
}

impl<'a> Ranked<'a> {
    fn new(ranker: &Ranker, question: Question<'_>, pool: &Pool<'a>, run: Option<&Ranking<'a>>) -> Self {
        let Question { convention, measure, .. } = question;
        let scored = run.filter(|run| run.scored).map(|run| run.rows);
        let ranks = ranker.order().len();
        // The measure needs the grades of all documents, but only these need their ids.
        let named = match question.parts {
            Parts::Ranks => ranks.min(question.depth.unwrap_or(ranks)),
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

    fn view<'b>(&'b self, convention: &Convention, pool: &Pool<'b>) -> View<'b> {
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
    fn rank(&self, index: usize) -> Rank {
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
    fn ranks(&self) -> HashMap<&'a [u8], usize> {
        let mut ranks = HashMap::with_capacity(self.documents.len());
        for (index, &document) in self.documents.iter().enumerate() {
            ranks.entry(document).or_insert(index + 1);
        }
        ranks
    }

    /// The rows that the convention removed from the ranking, in the order of the run.
    fn left_out(&self, rows: &QueryRows<'_>, pool: &Pool<'_>, convention: &Convention) -> Vec<LeftOut> {
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
                Some(_) => Reason::Duplicate,
                None if convention.drop_same_id && document == rows.id => Reason::SameId,
                None if negative.contains(document) => Reason::Negative,
                None => Reason::Unjudged,
            };
            LeftOut { document: document.to_vec(), reason }
        })
        .collect()
    }
}
