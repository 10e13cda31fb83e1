//! Evaluates a run in columns while it is read.
//!
//! **Chunks** of the table are evaluated in parallel: row groups of Parquet, which threads read themselves,
//! or batches of a stream, which the calling thread reads. If the rows of a query are not consecutive, the
//! whole run goes through `scattered`.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::Plan;
use super::gathered::Gathered;
use super::measurer::Measurer;
use super::outcome::{ExtraQueries, Outcome};
use super::partitions::{Dealt, Earliest, Room, measure};
use super::seams::{Edges, Seams};
use super::spool::Spool;
use super::table::Table;
use crate::columns::{Batch, Origin, ParquetFiles, Piece, Pieces, Stream, locate};
use crate::convention::Order;
use crate::error::{Code, Error, Kind, Result};
use crate::judgments::Judgments;
use crate::known::Known;
use crate::memory;
use crate::parallel::{Pace, Progress, feed, run};
use crate::ranking::{Block, BlockIds, Numbers, check_order};
use crate::read::trec;

/// The minimum number of rows of a stream for a thread.
const ROWS: usize = 1 << 16;

/// The lowest bit of the chunk's number in a place; below it is the number of the row in the chunk.
const CHUNK_SHIFT: u32 = 40;

/// Options for reading a run in columns.
pub enum Columnar<'a> {
    Parquet(&'a ParquetFiles),
    Stream(Stream<'a>),
}

/// A run in columns.
pub struct ColumnarRun<'a> {
    pub source: Columnar<'a>,
    /// Whether it has scores; otherwise it has ranks.
    pub scored: bool,
    /// Bytes that scattered queries, or a stream that can be read only once, may take in memory before they
    /// go to disk.
    pub memory: usize,
}

/// Evaluates a run; also returns whether queries were scattered.
pub fn evaluate_columns(
    plan: &Plan,
    judgments: &Judgments<'_>,
    run: ColumnarRun<'_>,
    has_ranks: bool,
    pace: &mut Pace<'_>,
) -> Result<(Table, bool)> {
    check_order(plan.convention.order, has_ranks)?;
    let names = match &run.source {
        Columnar::Parquet(files) => files.sources().iter().map(crate::read::source::Source::name).collect(),
        Columnar::Stream(stream) => stream.names.clone(),
    };
    let shared = Shared {
        plan,
        judgments,
        names: &names,
        scored: run.scored,
        progress: pace.progress,
        seen: (0..judgments.rows().queries()).map(|_| AtomicBool::new(false)).collect(),
        scattered: AtomicBool::new(false),
        failed: AtomicUsize::new(usize::MAX),
        rows: AtomicU64::new(0),
        seams: Seams::default(),
        origins: Mutex::default(),
    };
    match run.source {
        Columnar::Parquet(files) => {
            let bytes: u64 = (0..files.parts()).map(|part| files.bytes(part)).sum();
            pace.progress.total.fetch_add(bytes, Ordering::Relaxed);
            let chunks = |part: usize| files.part(part);
            let measured = self::run(files.parts(), pace, Worker::default, |worker, part| {
                let done = shared.measure_chunk(part, chunks(part), worker)?;
                shared.progress.advance(files.bytes(part))?;
                Ok(done)
            });
            let measured = measured.map(|measured| shared.close(measured));
            if shared.is_scattered(&measured, pace)? {
                pace.progress.done.store(0, Ordering::Relaxed);
                let deals = Deals::new(&shared, run.memory, pace.threads);
                let dealt = self::run(files.parts(), pace, Worker::default, |worker, part| {
                    let done = deals.deal_chunk(part, chunks(part), worker)?;
                    shared.progress.advance(files.bytes(part))?;
                    Ok(done)
                })?;
                return Ok((deals.finish(dealt, pace)?, true));
            }
            let (outcomes, earliest) = measured?;
            Ok((shared.table(outcomes, earliest)?, false))
        }
        Columnar::Stream(stream) => {
            let Stream { pieces, mut reopen, .. } = stream;
            let mut chunks = Chunks::new(pieces);
            let mut spool = reopen.is_none().then(|| Spool::new(run.memory));
            let measured = feed(
                pace,
                || {
                    if shared.scattered.load(Ordering::Relaxed) {
                        return Ok(None);
                    }
                    chunks.next_chunk(spool.as_mut())
                },
                Worker::default,
                |worker, number, chunk: Vec<Result<Piece>>| {
                    let pieces: Pieces<'_> = Box::new(chunk.into_iter());
                    shared.measure_chunk(number, Ok(pieces), worker)
                },
            );
            let measured = measured.map(|measured| shared.close(measured));
            if shared.is_scattered(&measured, pace)? {
                let pieces = match (&mut reopen, spool) {
                    (Some(reopen), _) => reopen()?,
                    (None, Some(spool)) => Box::new(spool.replay()?.chain(chunks.rest())),
                    (None, None) => chunks.rest(),
                };
                let mut chunks = Chunks::new(pieces);
                let deals = Deals::new(&shared, run.memory, pace.threads);
                let dealt = feed(
                    pace,
                    || chunks.next_chunk(None),
                    Worker::default,
                    |worker, number, chunk| {
                        let pieces: Pieces<'_> = Box::new(chunk.into_iter());
                        deals.deal_chunk(number, Ok(pieces), worker)
                    },
                )?;
                return Ok((deals.finish(dealt, pace)?, true));
            }
            let (outcomes, earliest) = measured?;
            Ok((shared.table(outcomes, earliest)?, false))
        }
    }
}

/// Cuts the pieces of a stream into chunks: joins small ones, splits large ones.
struct Chunks<'a> {
    pieces: Pieces<'a>,
    /// The rest of a large piece.
    rest: Option<Piece>,
    ended: bool,
}

impl<'a> Chunks<'a> {
    fn new(pieces: Pieces<'a>) -> Self {
        Self { pieces, rest: None, ended: false }
    }

    /// The next chunk; its pieces are kept in the spool. An error of reading becomes part of the chunk, since
    /// the rows before it count.
    fn next_chunk(&mut self, mut spool: Option<&mut Spool>) -> Result<Option<Vec<Result<Piece>>>> {
        let (mut chunk, mut rows) = (Vec::new(), 0);
        while rows < ROWS && !self.ended {
            let piece = match self.rest.take().map(Ok).or_else(|| self.pieces.next()) {
                None => {
                    self.ended = true;
                    break;
                }
                Some(Err(error)) => {
                    self.ended = true;
                    chunk.push(Err(error));
                    break;
                }
                Some(Ok(piece)) => piece,
            };
            let room = ROWS - rows;
            let own = if piece.batch.num_rows() > room + ROWS / 2 {
                self.rest = Some(piece.slice(room, piece.batch.num_rows() - room));
                piece.slice(0, room)
            } else {
                piece
            };
            if let Some(spool) = spool.as_deref_mut() {
                spool.keep(&own)?;
            }
            rows += own.batch.num_rows();
            chunk.push(Ok(own));
        }
        Ok(if chunk.is_empty() { None } else { Some(chunk) })
    }

    /// The pieces that were not read yet.
    fn rest(self) -> Pieces<'a> {
        Box::new(self.rest.map(Ok).into_iter().chain(self.pieces))
    }
}

/// The buffers that a thread keeps between chunks.
#[derive(Default)]
struct Worker {
    measurer: Measurer,
    keys: Vec<f64>,
    ranks: Vec<f64>,
    spare: Gathered,
}

/// The state that all threads share.
struct Shared<'a> {
    plan: &'a Plan,
    judgments: &'a Judgments<'a>,
    names: &'a [String],
    scored: bool,
    progress: &'a Progress,
    /// For each judged query, whether rows of it have been evaluated.
    seen: Vec<AtomicBool>,
    scattered: AtomicBool,
    /// The first chunk with an error; later chunks do not matter.
    failed: AtomicUsize,
    rows: AtomicU64,
    seams: Seams,
    /// The origins of rows by their first place.
    origins: Mutex<Vec<(u64, Origin)>>,
}

type Measured = (Outcome, Earliest);

impl Shared<'_> {
    fn measure_chunk(
        &self,
        number: usize,
        pieces: Result<Pieces<'_>>,
        worker: &mut Worker,
    ) -> Result<Measured> {
        let mut outcome = Outcome::default();
        let mut earliest: Earliest = None;
        if number > self.failed.load(Ordering::Relaxed) {
            return Ok((outcome, earliest));
        }
        let mut edges = Edges::default();
        let mut current: Option<Gathered> = None;
        let mut last = None;
        let Worker { measurer, keys, ranks, spare } = worker;
        let keyed = !self.scored || self.plan.convention.order != Order::Given;
        let broken = self.walk(number, pieces, keys, ranks, |batch, rows, place, keys| {
            if self.scattered.load(Ordering::Relaxed) {
                return Err(Error::interrupted());
            }
            let mut digits = [0; 20];
            let query = batch.queries.get(rows.start, &mut digits);
            let whole = rows.end < batch.rows && batch.queries.get(rows.end, &mut [0; 20]) != query;
            if current.as_ref().is_none_or(|current| current.query != query) {
                let judged = self.judgments.rows().find_after(last, query);
                last = judged.or(last);
                if let Some(done) = current.take() {
                    if edges.first.is_none() {
                        edges.first = Some(done);
                    } else {
                        note(&mut earliest, self.measure(&done, measurer, &mut outcome));
                        *spare = done;
                    }
                }
                if whole
                    && edges.first.is_some()
                    && let Some(found) =
                        borrowed(batch, &rows, query, keys.get(rows.clone()).filter(|_| keyed))
                {
                    let place = |row| place + row as u64;
                    let own = self.measure_block(&found, judged, place, measurer, &mut outcome);
                    note(&mut earliest, own);
                    return Ok(());
                }
                let mut next = std::mem::take(spare);
                next.begin(query, judged);
                current = Some(next);
            }
            let Some(current) = &mut current else { return Ok(()) };
            if current.judged.is_some() {
                let keys = keys.get(rows.clone()).filter(|_| keyed).unwrap_or_default();
                current.add(&batch.documents, rows, place, keys)?;
            }
            Ok(())
        })?;
        note(&mut earliest, broken);
        if earliest.is_some() {
            self.failed.fetch_min(number, Ordering::Relaxed);
        }
        edges.last = current;
        for complete in self.seams.deliver(number, edges)? {
            note(&mut earliest, self.measure(&complete, measurer, &mut outcome));
        }
        if self.scattered.load(Ordering::Relaxed) {
            return Err(Error::interrupted());
        }
        Ok((outcome, earliest))
    }

    /// Evaluates the rows of a chunk, query by query of each batch; the rows of a query without documents are
    /// an empty range. Returns the first faulty row, after evaluating those before it.
    fn walk(
        &self,
        number: usize,
        pieces: Result<Pieces<'_>>,
        keys: &mut Vec<f64>,
        ranks: &mut Vec<f64>,
        mut take: impl FnMut(&Batch<'_>, std::ops::Range<usize>, u64, &[f64]) -> Result<()>,
    ) -> Result<Earliest> {
        let chunk = (number as u64) << CHUNK_SHIFT;
        let mut at = 0;
        let pieces = match pieces {
            Ok(pieces) => pieces,
            Err(error) => return Ok(Some((chunk, error))),
        };
        let mut expected: Option<Origin> = None;
        let pieces = pieces.flat_map(|piece| match piece {
            Ok(piece) => piece.parts().into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        });
        for piece in pieces {
            self.progress.advance(0)?;
            let piece = match piece {
                Ok(piece) => piece,
                Err(error) if error.kind == Kind::Interrupted => return Err(error),
                Err(error) => return Ok(Some((chunk + at, error))),
            };
            if expected != Some(piece.origin) {
                let mut origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
                origins.push((chunk + at, piece.origin));
            }
            let rows = piece.batch.num_rows();
            expected = Some(Origin { row: piece.origin.row + rows as u64, ..piece.origin });
            let origin = piece.origin;
            let placed = |row: usize, error: Box<Error>| {
                let origin = Origin { row: origin.row + row as u64, ..origin };
                (chunk + at + row as u64, locate(self.names, origin, error))
            };
            let piece = match piece.composed() {
                Ok(piece) => piece,
                Err((row, error)) => return Ok(Some(placed(row, error))),
            };
            let batch = match Batch::new(&piece.columns, &piece.batch) {
                Ok(batch) => batch,
                Err(error) => {
                    let error = match self.names.get(piece.origin.file) {
                        Some(name) => error.file(name.clone()),
                        None => error,
                    };
                    return Ok(Some((chunk + at, error)));
                }
            };
            if piece.empty {
                self.rows.fetch_add(rows as u64, Ordering::Relaxed);
                for row in batch.queries.starts(0..rows) {
                    take(&batch, row..row, chunk + at + row as u64, &[])?;
                }
                at += rows as u64;
                continue;
            }
            memory::resize(keys, rows, 0.0)?;
            let mut wrong =
                batch.fill_values(&(0..rows), keys, self.plan.convention.order != Order::Rank).err();
            if !self.scored {
                keys.fill(f64::NAN);
                if let Some(numbers) = &batch.ranks {
                    // A bad rank is an error only if ranks order the documents.
                    numbers.fill(0..rows, false, keys);
                }
            } else if self.plan.convention.order == Order::Rank {
                ranks.clear();
                memory::resize(ranks, rows, f64::NAN)?;
                if let Some(numbers) = &batch.ranks
                    && let Some(row) = numbers.fill(0..rows, false, ranks)
                    && wrong.as_ref().is_none_or(|(other, _)| row < *other)
                {
                    let value = *ranks.known(row);
                    wrong = Some((
                        row,
                        Error::statement(Kind::Format, format!("rank {value} is not a finite number")),
                    ));
                }
                keys.clear();
                keys.extend(ranks.iter().map(|rank| -rank));
            }
            let usable = wrong.as_ref().map_or(rows, |(row, _)| *row);
            self.rows.fetch_add(usable as u64, Ordering::Relaxed);
            let starts = batch.queries.starts(0..usable);
            for (index, &start) in starts.iter().enumerate() {
                let end = starts.get(index + 1).copied().unwrap_or(usable);
                take(&batch, start..end, chunk + at + start as u64, keys)?;
            }
            if let Some((row, error)) = wrong {
                return Ok(Some(placed(row, error)));
            }
            at += rows as u64;
        }
        Ok(None)
    }

    /// Evaluates the rows of a query. Returns their first error and its place.
    fn measure(&self, rows: &Gathered, measurer: &mut Measurer, outcome: &mut Outcome) -> Earliest {
        let block = Block { query: &rows.query, ids: rows.ids(), keys: &rows.keys };
        self.measure_block(&block, rows.judged, |row| rows.place(row), measurer, outcome)
    }

    /// As `measure`; `judged` is the number of the query in the judgments, and `place` returns that of a row.
    fn measure_block(
        &self,
        block: &Block<'_>,
        judged: Option<usize>,
        place: impl Fn(usize) -> u64,
        measurer: &mut Measurer,
        outcome: &mut Outcome,
    ) -> Earliest {
        let Some(judged) = judged else {
            outcome.extra.add(block.query, self.plan.partial);
            return None;
        };
        if self.seen.get(judged).is_some_and(|seen| seen.swap(true, Ordering::Relaxed)) {
            self.scattered.store(true, Ordering::Relaxed);
            return None;
        }
        match measurer.keyed(block, self.scored, judged, self.judgments, self.plan) {
            Ok(()) => {
                outcome.push(judged, measurer);
                None
            }
            Err(fault) => {
                if fault.whole {
                    // The query may have more rows later: only regrouping has all of them.
                    self.scattered.store(true, Ordering::Relaxed);
                }
                Some((place(fault.row), fault.error))
            }
        }
    }

    /// Whether queries were found scattered; an error if the caller asked to stop.
    fn is_scattered<T>(&self, result: &Result<T>, pace: &Pace<'_>) -> Result<bool> {
        let scattered = self.scattered.load(Ordering::Relaxed);
        if scattered && result.is_err() {
            pace.progress.advance(0)?;
        }
        Ok(scattered)
    }

    /// Adds the file and row of a place to an error.
    fn located(&self, place: u64, error: Box<Error>) -> Box<Error> {
        let mut origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
        origins.sort_unstable_by_key(|(place, _)| *place);
        let after = origins.partition_point(|&(first, _)| first <= place);
        match after.checked_sub(1).and_then(|at| origins.get(at)) {
            Some(&(first, origin)) => {
                let origin = Origin { row: origin.row + (place - first), ..origin };
                locate(self.names, origin, error.role(trec::Table::Run.role()))
            }
            None => error,
        }
    }

    /// Combines the results, and evaluates the last query.
    fn close(&self, measured: Vec<Measured>) -> (Vec<Outcome>, Earliest) {
        let mut outcomes = Vec::with_capacity(measured.len() + 1);
        let mut earliest: Earliest = None;
        for (outcome, wrong) in measured {
            outcomes.push(outcome);
            note(&mut earliest, wrong);
        }
        if let Some(last) = self.seams.last() {
            let mut outcome = Outcome::default();
            note(&mut earliest, self.measure(&last, &mut Measurer::default(), &mut outcome));
            outcomes.push(outcome);
        }
        (outcomes, earliest)
    }

    fn table(&self, outcomes: Vec<Outcome>, earliest: Earliest) -> Result<Table> {
        if let Some((place, error)) = earliest {
            return Err(self.located(place, error));
        }
        let named = |error: Box<Error>| match self.names.first() {
            Some(name) if error.file.is_none() => error.file(name.clone()),
            _ => error,
        };
        if self.rows.load(Ordering::Relaxed) == 0 && !self.plan.partial {
            return Err(named(
                Error::statement(Kind::Format, "the table has no rows").code(Code::EmptyTable),
            ));
        }
        Table::assemble(outcomes, self.judgments, self.plan).map_err(named)
    }
}

/// Consecutive rows of a batch as a query, without copying them, if their documents are integers of 64 bits.
fn borrowed<'a>(
    batch: &Batch<'a>,
    rows: &std::ops::Range<usize>,
    query: &'a [u8],
    keys: Option<&'a [f64]>,
) -> Option<Block<'a>> {
    let numbers =
        Numbers { bits: batch.document_bits?.get(rows.clone())?, signed: batch.documents.signed()? };
    Some(Block { query, ids: BlockIds::Numbers(numbers), keys: keys.unwrap_or_default() })
}

/// Keeps the earlier of two errors.
fn note(earliest: &mut Earliest, other: Earliest) {
    if let Some((place, _)) = &other
        && earliest.as_ref().is_none_or(|(known, _)| place < known)
    {
        *earliest = other;
    }
}

/// Distributes the rows of scattered queries over partitions.
struct Deals<'a> {
    shared: &'a Shared<'a>,
    room: Room,
    /// The judged queries without documents, so far.
    empty: Mutex<BTreeSet<usize>>,
    /// The partitions that no thread uses at the moment.
    idle: Mutex<Vec<Dealt>>,
}

type Passed = (ExtraQueries, Earliest);

impl<'a> Deals<'a> {
    fn new(shared: &'a Shared<'a>, memory: usize, threads: usize) -> Self {
        shared.failed.store(usize::MAX, Ordering::Relaxed);
        let room = Room::new(memory / threads.max(1));
        Self { shared, room, empty: Mutex::default(), idle: Mutex::default() }
    }

    fn deal_chunk(&self, number: usize, pieces: Result<Pieces<'_>>, worker: &mut Worker) -> Result<Passed> {
        let shared = self.shared;
        let mut extra = ExtraQueries::default();
        if number > shared.failed.load(Ordering::Relaxed) {
            return Ok((extra, None));
        }
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut dealt = idle().pop().unwrap_or_else(|| Dealt::new(&self.room));
        let mut last = None;
        let broken =
            shared.walk(number, pieces, &mut worker.keys, &mut worker.ranks, |batch, rows, place, keys| {
                let mut digits = [0; 20];
                let query = batch.queries.get(rows.start, &mut digits);
                let Some(judged) = shared.judgments.rows().find_after(last, query) else {
                    extra.add(query, shared.plan.partial);
                    return Ok(());
                };
                last = Some(judged);
                if rows.is_empty() {
                    self.empty.lock().unwrap_or_else(PoisonError::into_inner).insert(judged);
                }
                for (row, place) in rows.zip(place..) {
                    let key = keys.get(row).copied().unwrap_or_default();
                    dealt.put(judged, place, key, batch.documents.get(row, &mut [0; 20]))?;
                }
                Ok(())
            });
        let ended = dealt.end_chunk();
        idle().push(dealt);
        let broken = broken?;
        ended?;
        if broken.is_some() {
            shared.failed.fetch_min(number, Ordering::Relaxed);
        }
        Ok((extra, broken))
    }

    fn finish(self, passed: Vec<Passed>, pace: &mut Pace<'_>) -> Result<Table> {
        let shared = self.shared;
        let mut broken: Earliest = None;
        let mut extra = ExtraQueries::default();
        for (own, wrong) in passed {
            extra.merge(own);
            note(&mut broken, wrong);
        }
        let dealt = self.idle.into_inner().unwrap_or_else(PoisonError::into_inner);
        let measured = measure(dealt, broken, shared.plan, shared.judgments, shared.scored, pace)?;
        let (mut outcomes, mut earliest) = match measured {
            Ok(outcomes) => (outcomes, None),
            Err(earliest) => (Vec::new(), Some(earliest)),
        };
        let mut empty = self.empty.into_inner().unwrap_or_else(PoisonError::into_inner);
        for query in outcomes.iter().flat_map(|outcome| &outcome.queries) {
            empty.remove(&(*query as usize));
        }
        shared.seen.iter().for_each(|seen| seen.store(false, Ordering::Relaxed));
        let (mut measurer, mut outcome) = (Measurer::default(), Outcome::default());
        for judged in empty {
            let mut rows = Gathered::default();
            rows.begin(shared.judgments.rows().query_id(judged), Some(judged));
            note(&mut earliest, shared.measure(&rows, &mut measurer, &mut outcome));
        }
        outcomes.push(outcome);
        outcomes.push(Outcome { extra, ..Outcome::default() });
        shared.table(outcomes, earliest)
    }
}
