//! The account of one query: how each rank contributes to a measure.
//!
//! Nothing is recomputed here: ranking and value are those of the evaluation, and the terms of a DCG are
//! recorded while the measure adds them.

mod account;
mod gains;
mod hits;
mod ideal;
mod listing;
mod ranked;

pub use account::{Account, Breakdown, Document, FoundGroup, IdealRank, LeftOut, LeftOutReason, Rank};
pub use listing::{Listing, RankColumns};
pub use ranked::{AccountQuestion, Detail, QueryRun};

use crate::error::Result;
use crate::judgments::Judgments;
use crate::measures::Ranks;
use crate::measures::spans::{Reading, Sides, reads_places};
use crate::ranking::{Block, Ranker, check_order};
use ranked::{Query, RankedDocuments};

/// The account of one query. `run` is `None` if the run lacks it.
pub fn explain(
    question: AccountQuestion<'_>,
    judgments: &Judgments<'_>,
    query: usize,
    run: Option<QueryRun<'_>>,
) -> Result<Account> {
    explain_with(&mut Ranker::default(), question, judgments, query, run)
}

/// [`explain`] with the buffers of a ranker.
fn explain_with(
    ranker: &mut Ranker,
    question: AccountQuestion<'_>,
    judgments: &Judgments<'_>,
    query: usize,
    run: Option<QueryRun<'_>>,
) -> Result<Account> {
    let AccountQuestion { convention, measure, .. } = question;
    measure.check(convention)?;
    measure.fits(judgments.has_labels(), || judgments.rows().one_grade())?;
    let pool = judgments.pool(query);
    ranker.wants_documents = true;
    let mut negated = Vec::new();
    let block = match &run {
        Some(QueryRun { rows, scored }) => {
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
    let ranked = RankedDocuments::new(ranker, question, &pool, run.as_ref());
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
            .filter(|_| question.parts == Detail::All)
            .map(|run| ranked.left_out(&run.rows, &query.pool, convention))
            .unwrap_or_default(),
    })
}
