//! Evaluates a run in columns while it is read.
//!
//! **StreamChunks** of the table are evaluated in parallel: row groups of Parquet, which threads read themselves,
//! or batches of a stream, which the calling thread reads.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Plan;
use super::driver::{Driven, Driver, Part, Verdict};
use super::gathered::Gathered;
use super::measurer::Measurer;
use super::seams::{Edges, Seams};
use super::spool::Spool;
use super::table::Table;
use crate::columns::{Batch, Origin, Origins, ParquetFiles, Piece, Pieces, Stream, locate};
use crate::convention::Order;
use crate::error::{Code, Earliest, Error, Kind, Result, keep_earliest};
use crate::judgments::Judgments;
use crate::known::Known;
use crate::memory;
use crate::parallel::{Pace, Progress, feed, run};
use crate::ranking::{Block, BlockIds, Numbers, check_order};
use crate::read::number::bad_rank;
use crate::read::trec::{self, Flow};

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
        names: &names,
        progress: pace.progress,
        failed: AtomicUsize::new(usize::MAX),
        rows: AtomicU64::new(0),
        seams: Seams::default(),
        origins: Mutex::default(),
    };
    let driver = Driver::new(plan, judgments, run.scored, run.memory, pace.threads);
    let driven = match run.source {
        Columnar::Parquet(files) => {
            let bytes: u64 = (0..files.parts()).map(|part| files.bytes(part)).sum();
            pace.progress.total.fetch_add(bytes, Ordering::Relaxed);
            let parts =
                |pace: &mut Pace<'_>, read: &(dyn Fn(&mut ChunkWorker, usize) -> Result<Part> + Sync)| {
                    self::run(files.parts(), pace, ChunkWorker::default, |worker, part| {
                        let done = read(worker, part)?;
                        shared.progress.advance(files.bytes(part))?;
                        Ok(done)
                    })
                };
            let evaluate = |driver: &Driver<'_>, pace: &mut Pace<'_>| {
                let read = |worker: &mut ChunkWorker, part: usize| match driver.is_scattered() {
                    true => Ok(Part::default()),
                    false => shared.measure_chunk(driver, part, files.part(part), worker),
                };
                shared.close(driver, parts(pace, &read)?)
            };
            let deal = |driver: &Driver<'_>, pace: &mut Pace<'_>| {
                shared.failed.store(usize::MAX, Ordering::Relaxed);
                parts(pace, &|worker, part| shared.deal_chunk(driver, part, files.part(part), worker))
            };
            match driver.evaluated(evaluate, pace)? {
                Some(driven) => driven,
                None => driver.regrouped(deal, pace)?,
            }
        }
        Columnar::Stream(Stream { pieces, mut reopen, .. }) => {
            let mut chunks = StreamChunks::new(pieces);
            let mut spool = reopen.is_none().then(|| Spool::new(run.memory));
            let evaluate = |driver: &Driver<'_>, pace: &mut Pace<'_>| {
                let next = || match driver.is_scattered() {
                    true => Ok(None),
                    false => chunks.next_chunk(spool.as_mut()),
                };
                let read = |worker: &mut ChunkWorker, number, chunk: Vec<Result<Piece>>| {
                    shared.measure_chunk(driver, number, Ok(Box::new(chunk.into_iter())), worker)
                };
                shared.close(driver, feed(pace, next, ChunkWorker::default, read)?)
            };
            let evaluated = driver.evaluated(evaluate, pace)?;
            let deal = |driver: &Driver<'_>, pace: &mut Pace<'_>| {
                let pieces = match (&mut reopen, spool) {
                    (Some(reopen), _) => reopen()?,
                    (None, Some(spool)) => Box::new(spool.replay()?.chain(chunks.rest())),
                    (None, None) => chunks.rest(),
                };
                shared.failed.store(usize::MAX, Ordering::Relaxed);
                let mut chunks = StreamChunks::new(pieces);
                feed(
                    pace,
                    || chunks.next_chunk(None),
                    ChunkWorker::default,
                    |worker, number, chunk| {
                        shared.deal_chunk(driver, number, Ok(Box::new(chunk.into_iter())), worker)
                    },
                )
            };
            match evaluated {
                Some(driven) => driven,
                None => driver.regrouped(deal, pace)?,
            }
        }
    };
    let scattered = driven.scattered;
    Ok((shared.table(driven, plan, judgments)?, scattered))
}

/// Cuts the pieces of a stream into chunks: joins small ones, splits large ones.
struct StreamChunks<'a> {
    pieces: Pieces<'a>,
    /// The rest of a large piece.
    rest: Option<Piece>,
    ended: bool,
}

impl<'a> StreamChunks<'a> {
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
struct ChunkWorker {
    measurer: Measurer,
    keys: Vec<f64>,
    ranks: Vec<f64>,
    spare: Gathered,
}

/// The state that all threads share.
struct Shared<'a> {
    names: &'a [String],
    progress: &'a Progress,
    /// The first chunk with an error; later chunks do not matter.
    failed: AtomicUsize,
    rows: AtomicU64,
    seams: Seams,
    origins: Mutex<Origins>,
}

impl Shared<'_> {
    fn measure_chunk(
        &self,
        driver: &Driver<'_>,
        number: usize,
        pieces: Result<Pieces<'_>>,
        worker: &mut ChunkWorker,
    ) -> Result<Part> {
        let mut part = Part::default();
        if number > self.failed.load(Ordering::Relaxed) {
            return Ok(part);
        }
        let mut edges = Edges::default();
        let mut current: Option<Gathered> = None;
        let mut last = None;
        let ChunkWorker { measurer, keys, ranks, spare } = worker;
        let keyed = !driver.scored || driver.plan.convention.order != Order::Given;
        let broken = self.walk(driver, number, pieces, keys, ranks, |batch, rows, place, keys| {
            if driver.is_scattered() {
                return Ok(Flow::Regroup);
            }
            let mut digits = [0; 20];
            let query = batch.queries.get(rows.start, &mut digits);
            let whole = rows.end < batch.rows && batch.queries.get(rows.end, &mut [0; 20]) != query;
            if current.as_ref().is_none_or(|current| current.query != query) {
                let judged = driver.judgments.rows().find_after(last, query);
                last = judged.or(last);
                if let Some(done) = current.take() {
                    if edges.first.is_none() {
                        edges.first = Some(done);
                    } else {
                        measure(driver, &done, measurer, &mut part);
                        *spare = done;
                    }
                }
                if whole
                    && edges.first.is_some()
                    && let Some(found) =
                        borrowed(batch, &rows, query, keys.get(rows.clone()).filter(|_| keyed))
                {
                    let place = |row| place + row as u64;
                    measure_block(driver, &found, judged, place, measurer, &mut part);
                    return Ok(Flow::On);
                }
                let mut next = std::mem::take(spare);
                next.begin(query, judged);
                current = Some(next);
            }
            if let Some(current) = current.as_mut().filter(|current| current.judged.is_some()) {
                let keys = keys.get(rows.clone()).filter(|_| keyed).unwrap_or_default();
                current.add(&batch.documents, rows, place, keys)?;
            }
            Ok(Flow::On)
        })?;
        if driver.is_scattered() {
            return Ok(part);
        }
        keep_earliest(&mut part.earliest, broken);
        if part.earliest.is_some() {
            self.failed.fetch_min(number, Ordering::Relaxed);
        }
        edges.last = current;
        for complete in self.seams.deliver(number, edges)? {
            measure(driver, &complete, measurer, &mut part);
        }
        Ok(part)
    }

    fn deal_chunk(
        &self,
        driver: &Driver<'_>,
        number: usize,
        pieces: Result<Pieces<'_>>,
        worker: &mut ChunkWorker,
    ) -> Result<Part> {
        if number > self.failed.load(Ordering::Relaxed) {
            return Ok(Part::default());
        }
        let mut last = None;
        let part = driver.deal(|dealt, part| {
            self.walk(
                driver,
                number,
                pieces,
                &mut worker.keys,
                &mut worker.ranks,
                |batch, rows, place, keys| {
                    let mut digits = [0; 20];
                    let query = batch.queries.get(rows.start, &mut digits);
                    let Some(judged) = driver.judgments.rows().find_after(last, query) else {
                        part.outcome.extra.add(query, driver.plan.partial);
                        return Ok(Flow::On);
                    };
                    last = Some(judged);
                    if rows.is_empty() {
                        part.empty.push(judged);
                    }
                    for (row, place) in rows.zip(place..) {
                        let key = keys.get(row).copied().unwrap_or_default();
                        dealt.put(judged, place, key, batch.documents.get(row, &mut [0; 20]))?;
                    }
                    Ok(Flow::On)
                },
            )
        })?;
        if part.earliest.is_some() {
            self.failed.fetch_min(number, Ordering::Relaxed);
        }
        Ok(part)
    }

    /// Evaluates the rows of a chunk, query by query of each batch; the rows of a query without documents are
    /// an empty range. Returns the first faulty row, after evaluating those before it.
    fn walk(
        &self,
        driver: &Driver<'_>,
        number: usize,
        pieces: Result<Pieces<'_>>,
        keys: &mut Vec<f64>,
        ranks: &mut Vec<f64>,
        mut take: impl FnMut(&Batch<'_>, std::ops::Range<usize>, u64, &[f64]) -> Result<Flow>,
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
                origins.add(chunk + at, piece.origin);
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
                    let name = self.names.get(piece.origin.file).map(String::as_str);
                    return Ok(Some((chunk + at, error.in_file(name))));
                }
            };
            if piece.empty {
                self.rows.fetch_add(rows as u64, Ordering::Relaxed);
                for row in batch.queries.starts(0..rows) {
                    if take(&batch, row..row, chunk + at + row as u64, &[])? != Flow::On {
                        return Ok(None);
                    }
                }
                at += rows as u64;
                continue;
            }
            memory::resize(keys, rows, 0.0)?;
            let mut wrong =
                batch.fill_values(&(0..rows), keys, driver.plan.convention.order != Order::Rank).err();
            if !driver.scored {
                keys.fill(f64::NAN);
                if let Some(numbers) = &batch.ranks {
                    // A bad rank is an error only if ranks order the documents, but a rounded one always.
                    let bad = numbers.fill(0..rows, false, keys);
                    wrong =
                        wrong.or(bad.and_then(|row| Some((row, bad_rank(numbers.text(row)?.as_bytes())))));
                }
            } else if driver.plan.convention.order == Order::Rank {
                ranks.clear();
                memory::resize(ranks, rows, f64::NAN)?;
                if let Some(numbers) = &batch.ranks
                    && let Some(row) = numbers.fill(0..rows, false, ranks)
                    && wrong.as_ref().is_none_or(|(other, _)| row < *other)
                {
                    let text = numbers.text(row).unwrap_or_else(|| ranks.known(row).to_string());
                    wrong = Some((row, bad_rank(text.as_bytes())));
                }
                keys.clear();
                keys.extend(ranks.iter().map(|rank| -rank));
            }
            let usable = wrong.as_ref().map_or(rows, |(row, _)| *row);
            self.rows.fetch_add(usable as u64, Ordering::Relaxed);
            let starts = batch.queries.starts(0..usable);
            for (index, &start) in starts.iter().enumerate() {
                let end = starts.get(index + 1).copied().unwrap_or(usable);
                if take(&batch, start..end, chunk + at + start as u64, keys)? != Flow::On {
                    return Ok(None);
                }
            }
            if let Some((row, error)) = wrong {
                return Ok(Some(placed(row, error)));
            }
            at += rows as u64;
        }
        Ok(None)
    }

    /// Adds the file and row of a place to an error.
    fn located(&self, place: u64, error: Box<Error>) -> Box<Error> {
        let mut origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
        origins.sort();
        match origins.of(place) {
            Some(origin) => locate(self.names, origin, error.role(trec::TableKind::Run.role())),
            None => error,
        }
    }

    /// Evaluates the last query.
    fn close(&self, driver: &Driver<'_>, mut parts: Vec<Part>) -> Result<Vec<Part>> {
        if let Some(last) = self.seams.last() {
            let mut part = Part::default();
            measure(driver, &last, &mut Measurer::default(), &mut part);
            parts.push(part);
        }
        Ok(parts)
    }

    fn table(&self, driven: Driven, plan: &Plan, judgments: &Judgments<'_>) -> Result<Table> {
        if let Some((place, error)) = driven.earliest {
            return Err(self.located(place, error));
        }
        let named = |error: Box<Error>| error.in_file(self.names.first().map(String::as_str));
        if self.rows.load(Ordering::Relaxed) == 0 && !plan.partial {
            return Err(named(
                Error::statement(Kind::Format, "the table has no rows").code(Code::EmptyTable),
            ));
        }
        Table::assemble(driven.outcomes, judgments, plan).map_err(named)
    }
}

fn measure(driver: &Driver<'_>, rows: &Gathered, measurer: &mut Measurer, part: &mut Part) {
    let block = Block { query: &rows.query, ids: rows.ids(), keys: &rows.keys };
    measure_block(driver, &block, rows.judged, |row| rows.place(row), measurer, part);
}

/// As `measure`; `judged` is the number of the query in the judgments, and `place` returns that of a row.
fn measure_block(
    driver: &Driver<'_>,
    block: &Block<'_>,
    judged: Option<usize>,
    place: impl Fn(usize) -> u64,
    measurer: &mut Measurer,
    part: &mut Part,
) {
    let verdict = driver.evaluate(block.query, judged, measurer, &mut part.outcome, |measurer, judged| {
        measurer.keyed(block, driver.scored, judged, driver.judgments, driver.plan)
    });
    if let Verdict::Stop(fault) = verdict {
        keep_earliest(&mut part.earliest, Some((place(fault.row), fault.error)));
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
