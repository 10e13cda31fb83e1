//! Evaluates a run that the calling thread gathers query by query, because only that thread may read it.
//!
//! The caller fills batches while threads evaluate others. Batches are reused, so that a run of any size
//! takes the memory of a few.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use super::Plan;
use super::measurer::Measurer;
use super::outcome::Outcome;
use super::table::Table;
use crate::convention::Order;
use crate::error::{Error, Result};
use crate::judgments::Judgments;
use crate::known::Known;
use crate::parallel::spawn;
use crate::ranking::{Block, BlockIds, Ids};
use crate::rows::Span;

/// Rows of a batch: enough to hand it to another thread.
const ROWS: usize = 4096;

/// Some queries of a run.
#[derive(Debug, Default)]
pub struct Batch {
    /// For each query, its number in the judgments and the end of its rows.
    queries: Vec<(usize, usize)>,
    arena: Vec<u8>,
    spans: Vec<Span>,
    keys: Vec<f64>,
}

impl Batch {
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
    gather: impl FnMut(&mut Batch, &mut Outcome) -> std::result::Result<bool, E>,
) -> std::result::Result<Table, E> {
    let mut stream = Stream::default();
    let mut outcomes = stream.measure(plan, judgments, || Ok(threads), gather)?;
    outcomes.push(stream.outcome);
    Ok(Table::assemble(outcomes, judgments, plan)?)
}

/// Evaluates gathered runs. A small run starts no thread and leaves the buffers for the next.
#[derive(Default)]
pub struct Stream {
    batch: Batch,
    measurer: Measurer,
    /// The results of the calling thread: all of a run that fits into one batch, in its order.
    pub outcome: Outcome,
}

impl Stream {
    /// Evaluates as `evaluate_stream` does. Calls `threads` if there is more than one batch; returns the
    /// results of other threads.
    pub fn measure<E: From<Box<Error>>>(
        &mut self,
        plan: &Plan,
        judgments: &Judgments<'_>,
        threads: impl FnOnce() -> std::result::Result<usize, E>,
        mut gather: impl FnMut(&mut Batch, &mut Outcome) -> std::result::Result<bool, E>,
    ) -> std::result::Result<Vec<Outcome>, E> {
        self.batch.clear();
        self.outcome.clear();
        let mut more = gather(&mut self.batch, &mut self.outcome)?;
        let threads = if more { threads()? } else { 1 };
        if threads > 1
            && let Some(measured) = self.measure_on(threads, plan, judgments, &mut gather)
        {
            return measured;
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

    /// Hands the first batch and all that follow to other threads; None if the system has none.
    fn measure_on<E: From<Box<Error>>>(
        &mut self,
        threads: usize,
        plan: &Plan,
        judgments: &Judgments<'_>,
        gather: &mut impl FnMut(&mut Batch, &mut Outcome) -> std::result::Result<bool, E>,
    ) -> Option<std::result::Result<Vec<Outcome>, E>> {
        let (full, to_measure) = channel::<(usize, Batch)>();
        let (empty, to_fill) = channel::<Batch>();
        let to_measure = Mutex::new(to_measure);
        let mut outcomes = Vec::new();
        let gathered = std::thread::scope(|scope| {
            let to_measure = &to_measure;
            let handles: Vec<_> = (1..threads)
                .map_while(|_| {
                    let empty = empty.clone();
                    spawn(scope, move || work(plan, judgments, to_measure, &empty))
                })
                .collect();
            if handles.is_empty() {
                return None;
            }
            drop(empty);
            let mut batch = std::mem::take(&mut self.batch);
            let mut more = true;
            let mut number = 0;
            let mut spare = 3 * threads;
            let mut result = Ok(());
            loop {
                if full.send((number, batch)).is_err() || !more {
                    break;
                }
                number += 1;
                batch = if spare > 0 {
                    spare -= 1;
                    to_fill.try_recv().unwrap_or_default()
                } else {
                    // All batches are in use: wait for one to return, or for the workers to end.
                    match to_fill.recv() {
                        Ok(batch) => batch,
                        Err(_) => break,
                    }
                };
                match gather(&mut batch, &mut self.outcome) {
                    Ok(again) => more = again,
                    Err(error) => {
                        result = Err(error);
                        break;
                    }
                }
            }
            drop(full);
            for handle in handles {
                match handle.join() {
                    Ok(done) => outcomes.push(done),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Some(result)
        })?;
        let failed =
            outcomes.iter_mut().filter_map(|(_, error)| error.take()).min_by_key(|(number, _)| *number);
        if let Some((_, error)) = failed {
            return Some(Err(error.into()));
        }
        Some(gathered.map(|()| outcomes.into_iter().map(|(outcome, _)| outcome).collect()))
    }
}

type Failed = Option<(usize, Box<Error>)>;

fn work(
    plan: &Plan,
    judgments: &Judgments<'_>,
    batches: &Mutex<Receiver<(usize, Batch)>>,
    empty: &Sender<Batch>,
) -> (Outcome, Failed) {
    let mut measurer = Measurer::default();
    let mut outcome = Outcome::default();
    loop {
        let next = batches.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, mut batch)) = next else { return (outcome, None) };
        if let Err(error) = batch.measure(plan, judgments, &mut measurer, &mut outcome) {
            return (outcome, Some((number, error)));
        }
        batch.clear();
        // The caller may have ended; then the batch is not reused.
        let _ = empty.send(batch);
    }
}
