//! Distributes rows over partitions by query, in memory up to a limit and then on disk; sorts each partition
//! into queries and evaluates them.

mod head;
mod sorted;

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

use super::Plan;
use super::measurer::Measurer;
use super::outcome::Outcome;
use crate::convention::Order;
use crate::error::{Earliest, Error, Kind, Result, keep_earliest};
use crate::judgments::Judgments;
use crate::known::Known;
use crate::memory;
use crate::parallel::{Pace, run};
use crate::ranking::{Block, BlockIds, Ids};
use head::{Head, LONGEST, Run, Stored};
use sorted::Sorted;

pub(super) const PARTITIONS: usize = 64;

/// The storage that partitions share: up to a limit in memory, then one temporary file for all, since there
/// may be more partitions than files may be open.
#[derive(Clone)]
pub(super) struct Room {
    share: usize,
    file: Arc<Mutex<Option<Arc<File>>>>,
}

impl Room {
    pub(super) fn new(share: usize) -> Self {
        Self { share: share.max(1 << 20), file: Arc::default() }
    }

    /// The file, if anything was written.
    fn file(&self) -> Option<Arc<File>> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Rows by partition, in memory or on disk.
pub(super) struct Dealt {
    partitions: Vec<Partition>,
    held: usize,
    room: Room,
}

/// The rows of some of the queries.
#[derive(Default)]
struct Partition {
    /// The run that is being written, the place of its first row and that of the last one.
    bytes: Vec<u8>,
    first: u64,
    last: u64,
    runs: Vec<Run>,
}

/// Runs from this size on keep the buffer that they were written to.
const LONG: usize = 1 << 20;

impl Partition {
    /// Ends the run that is being written, and stores it in as much memory as it takes.
    fn end_run(&mut self) -> Result<()> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let rows = if self.bytes.len() >= LONG {
            let mut rows = std::mem::take(&mut self.bytes);
            rows.shrink_to_fit();
            rows
        } else {
            let mut rows = Vec::new();
            memory::reserve_exact(&mut rows, self.bytes.len())?;
            rows.extend_from_slice(&self.bytes);
            self.bytes.clear();
            rows
        };
        self.runs.push(Run { place: self.first, rows: Stored::Memory(rows) });
        Ok(())
    }
}

impl Dealt {
    pub(super) fn new(room: &Room) -> Self {
        let partitions = (0..PARTITIONS).map(|_| Partition::default()).collect();
        Self { partitions, held: 0, room: room.clone() }
    }

    /// Ends a chunk of the run. The places of its rows ascend, and no other chunk has places between them.
    pub(super) fn end_chunk(&mut self) -> Result<()> {
        self.partitions.iter_mut().try_for_each(Partition::end_run)
    }

    /// Adds a row of a judged query. Places order the rows of a query.
    #[inline]
    pub(super) fn put(&mut self, judged: usize, place: u64, key: f64, document: &[u8]) -> Result<()> {
        let Some(partition) = self.partitions.get_mut(judged % PARTITIONS) else { return Ok(()) };
        let Partition { bytes, first, last, .. } = partition;
        let before = bytes.len();
        if bytes.capacity() - before < LONGEST + document.len() {
            memory::reserve(bytes, LONGEST + document.len())?;
        }
        if before == 0 {
            (*first, *last) = (place, place);
        }
        let from = std::mem::replace(last, place);
        let query = (judged / PARTITIONS) as u64;
        Head { query, place: place.saturating_sub(from), key, length: document.len() }.write(bytes);
        bytes.extend_from_slice(document);
        self.held += bytes.len() - before;
        if self.held > self.room.share { self.spill() } else { Ok(()) }
    }

    /// Writes the rows in memory to disk.
    fn spill(&mut self) -> Result<()> {
        self.end_chunk()?;
        let mut shared = self.room.file.lock().unwrap_or_else(PoisonError::into_inner);
        let own = match &*shared {
            Some(file) => file.clone(),
            None => Arc::new(tempfile::tempfile().map_err(|error| no_room(&error))?),
        };
        *shared = Some(own.clone());
        let mut at = (&*own).seek(SeekFrom::End(0)).map_err(|error| no_room(&error))?;
        let mut file = BufWriter::with_capacity(LONG, &*own);
        for run in self.partitions.iter_mut().flat_map(|partition| &mut partition.runs) {
            if let Stored::Memory(rows) = &run.rows {
                file.write_all(rows).map_err(|error| no_room(&error))?;
                let length = rows.len();
                run.rows = Stored::Disk(at, length);
                at += length as u64;
            }
        }
        file.flush().map_err(|error| no_room(&error))?;
        self.held = 0;
        Ok(())
    }
}

/// The error of writing a temporary file.
#[cold]
pub(super) fn no_room(error: &std::io::Error) -> Box<Error> {
    Error::statement(Kind::Source, format!("cannot write a temporary file ({error})"))
        .file(std::env::temp_dir().display().to_string())
        .hint("sort the run by query, which needs no temporary file, or set TMPDIR to another folder")
}

/// Evaluates the distributed rows. `broken` is the error that ended reading, if any, and its place; an error
/// of an earlier row comes first, and there are no rows then. The keys of rows are ranks unless `scored`.
pub(super) fn measure(
    dealt: Vec<Dealt>,
    broken: Earliest,
    plan: &Plan,
    judgments: &Judgments<'_>,
    scored: bool,
    pace: &mut Pace<'_>,
) -> Result<(Vec<Outcome>, Earliest)> {
    let progress = pace.progress;
    let file = dealt.first().and_then(|one| one.room.file());
    let mut parts: Vec<Vec<Run>> = (0..PARTITIONS).map(|_| Vec::new()).collect();
    for one in dealt {
        for (own, partition) in parts.iter_mut().zip(one.partitions) {
            own.extend(partition.runs);
        }
    }
    // Taken when they are evaluated, which frees their memory.
    let parts: Vec<Mutex<Vec<Run>>> = parts.into_iter().map(Mutex::new).collect();
    let before = broken.as_ref().map_or(u64::MAX, |(place, _)| *place);
    let mut outcomes = run(PARTITIONS, pace, PartitionWorker::default, |worker, number| {
        progress.advance(0)?;
        let own = parts.get(number).map(|part| part.lock().unwrap_or_else(PoisonError::into_inner));
        let own = own.map(|mut part| std::mem::take(&mut *part)).unwrap_or_default();
        worker.sorted.gather(own, file.as_deref(), before)?;
        Ok(worker.measure(number, before, plan, judgments, scored))
    })?;
    let mut earliest = broken;
    outcomes.iter_mut().for_each(|(_, error)| keep_earliest(&mut earliest, error.take()));
    let measured = outcomes.into_iter().map(|(outcome, _)| outcome);
    Ok((measured.filter(|_| earliest.is_none()).collect(), earliest))
}

/// The buffers of a thread.
#[derive(Default)]
struct PartitionWorker {
    measurer: Measurer,
    sorted: Sorted,
}

impl PartitionWorker {
    fn measure(
        &mut self,
        partition: usize,
        before: u64,
        plan: &Plan,
        judgments: &Judgments<'_>,
        scored: bool,
    ) -> (Outcome, Earliest) {
        let Self { measurer, sorted } = self;
        let mut outcome = Outcome::default();
        let mut earliest: Earliest = None;
        let mut start = 0;
        let keyed = !scored || plan.convention.order != Order::Given;
        for (query, &end) in sorted.ends.iter().enumerate() {
            let rows = std::mem::replace(&mut start, end)..end;
            if rows.is_empty() {
                continue;
            }
            let judged = query * PARTITIONS + partition;
            let spans = sorted.spans.known(rows.clone());
            let keys = sorted.keys.get(rows).filter(|_| keyed).unwrap_or_default();
            let ids = BlockIds::Bytes(Ids { arena: &sorted.bytes, spans });
            let block = Block { query: judgments.rows().query_id(judged), ids, keys };
            match measurer.keyed(&block, scored, judged, judgments, plan) {
                Ok(()) => outcome.push(judged, measurer),
                // Missing rows could resolve it.
                Err(fault) if fault.whole && before < u64::MAX => {}
                Err(fault) => {
                    let place = sorted.place(query, fault.row, before);
                    keep_earliest(&mut earliest, Some((place, fault.error)));
                }
            }
        }
        (outcome, earliest)
    }
}
