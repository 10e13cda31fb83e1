//! Evaluates a run that the calling thread gathers query by query, because only that thread may read it.
//!
//! The caller fills batches while threads evaluate others. Batches are reused, so that a run of any size
//! takes the memory of a few.

use std::sync::{Mutex, PoisonError};

use super::Plan;
use super::measurer::Measurer;
use super::outcome::Outcome;
use super::table::Table;
use crate::convention::Order;
use crate::error::{Error, Kind, Result};
use crate::judgments::Judgments;
use crate::known::Known;
use crate::parallel::{Pace, Progress, feed};
use crate::ranking::{Block, BlockIds, Ids};
use crate::rows::Span;

/// Rows of a batch: enough to hand it to another thread.
const ROWS: usize = 4096;

/// Some queries of a run.
#[derive(Debug, Default)]
pub struct QueryBatch {
    /// For each query, its number in the judgments and the end of its rows.
    queries: Vec<(usize, usize)>,
    arena: Vec<u8>,
    spans: Vec<Span>,
    keys: Vec<f64>,
}

impl QueryBatch {
    /// Begins the rows of a judged query.
    pub fn query(&mut self, judged: usize) {
        self.queries.push((judged, self.spans.len()));
    }

    /// Adds a document of the current query.
    #[inline(always)]
    pub fn row(&mut self, document: &[u8], key: f64) {
        let length = u32::try_from(document.len()).unwrap_or(u32::MAX);
        self.spans.push(Span { at: self.arena.len() as u64, length });
        self.arena.extend_from_slice(document);
        self.keys.push(key);
        if let Some((_, end)) = self.queries.last_mut() {
            *end = self.spans.len();
        }
    }

    #[must_use]
    pub fn is_full(&self) -> bool {
        self.spans.len() >= ROWS
    }

    fn clear(&mut self) {
        self.queries.clear();
        self.arena.clear();
        self.spans.clear();
        self.keys.clear();
    }

    fn measure(
        &self,
        plan: &Plan,
        judgments: &Judgments<'_>,
        measurer: &mut Measurer,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let mut start = 0;
        for &(judged, end) in &self.queries {
            let ids = BlockIds::Bytes(Ids { arena: &self.arena, spans: self.spans.known(start..end) });
            let keys = match plan.convention.order {
                Order::Given => &[],
                Order::Score | Order::Rank => self.keys.known(start..end),
            };
            let block = Block { query: judgments.rows().query_id(judged), ids, keys };
            measurer.block(&block, judged, judgments, plan).map_err(|fault| fault.error)?;
            outcome.push(judged, measurer);
            start = end;
        }
        Ok(())
    }
}

/// Evaluates the batches that `gather` fills, on `threads` other threads, or with 0 on the calling thread.
/// `gather` fills a batch and returns whether there is more; it adds queries without judgments to the
/// outcome.
pub fn evaluate_stream<E: From<Box<Error>>>(
    plan: &Plan,
    judgments: &Judgments<'_>,
    threads: usize,
    gather: impl FnMut(&mut QueryBatch, &mut Outcome) -> std::result::Result<bool, E>,
) -> std::result::Result<Table, E> {
    let mut stream = BatchEvaluator::default();
    let mut outcomes = stream.measure(plan, judgments, || Ok(threads), gather)?;
    outcomes.push(stream.outcome);
    Ok(Table::assemble(outcomes, judgments, plan)?)
}

/// Evaluates gathered runs. A small run starts no thread and leaves the buffers for the next.
#[derive(Default)]
pub struct BatchEvaluator {
    batch: QueryBatch,
    measurer: Measurer,
    /// The results of the calling thread: all of a run that fits into one batch, in its order.
    pub outcome: Outcome,
}

impl BatchEvaluator {
    /// Evaluates as `evaluate_stream` does. Calls `threads` if there is more than one batch; returns the
    /// results of other threads.
    pub fn measure<E: From<Box<Error>>>(
        &mut self,
        plan: &Plan,
        judgments: &Judgments<'_>,
        threads: impl FnOnce() -> std::result::Result<usize, E>,
        mut gather: impl FnMut(&mut QueryBatch, &mut Outcome) -> std::result::Result<bool, E>,
    ) -> std::result::Result<Vec<Outcome>, E> {
        self.batch.clear();
        self.outcome.clear();
        let mut more = gather(&mut self.batch, &mut self.outcome)?;
        let threads = if more { threads()? } else { 1 };
        if threads > 1 {
            return self.measure_on(threads, plan, judgments, gather);
        }
        loop {
            self.batch.measure(plan, judgments, &mut self.measurer, &mut self.outcome)?;
            if !more {
                return Ok(Vec::new());
            }
            self.batch.clear();
            more = gather(&mut self.batch, &mut self.outcome)?;
        }
    }

    /// Whether its buffers are too large to keep.
    #[must_use]
    pub fn has_grown(&self) -> bool {
        self.outcome.values.capacity() > 16 * ROWS
    }

    /// Hands the first batch and all that follow to other threads.
    fn measure_on<E: From<Box<Error>>>(
        &mut self,
        threads: usize,
        plan: &Plan,
        judgments: &Judgments<'_>,
        mut gather: impl FnMut(&mut QueryBatch, &mut Outcome) -> std::result::Result<bool, E>,
    ) -> std::result::Result<Vec<Outcome>, E> {
        let (progress, mut tick) = (Progress::default(), |_: &Progress| true);
        let mut pace = Pace { threads, progress: &progress, tick: &mut tick };
        let spare: Mutex<Vec<QueryBatch>> = Mutex::default();
        let spare = || spare.lock().unwrap_or_else(PoisonError::into_inner);
        let mut first = Some(std::mem::take(&mut self.batch));
        let (mut more, mut stopped) = (true, None);
        let next = || {
            if first.is_some() || !more {
                return Ok(first.take());
            }
            let mut batch = spare().pop().unwrap_or_default();
            match gather(&mut batch, &mut self.outcome) {
                Ok(again) => more = again,
                Err(error) => {
                    stopped = Some(error);
                    return Err(Error::interrupted());
                }
            }
            Ok(Some(batch))
        };
        let measured = feed(&mut pace, next, Measurer::default, |measurer, _, mut batch: QueryBatch| {
            let mut outcome = Outcome::default();
            batch.measure(plan, judgments, measurer, &mut outcome)?;
            batch.clear();
            spare().push(batch);
            Ok(outcome)
        });
        match (measured, stopped) {
            (Err(error), Some(stopped)) if error.kind == Kind::Interrupted => Err(stopped),
            (measured, _) => Ok(measured?),
        }
    }
}
