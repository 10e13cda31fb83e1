//! Distributes rows over partitions by query, in memory up to a limit and then on disk; sorts each partition
//! into queries and evaluates them.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

use super::Plan;
use super::measurer::Measurer;
use super::outcome::Outcome;
use crate::convention::Order;
use crate::error::{Error, Kind, Result};
use crate::judgments::Judgments;
use crate::memory;
use crate::parallel::{Pace, run};
use crate::ranking::{Block, BlockIds, Ids};
use crate::read::source::read_at;
use crate::rows::Span;

pub const PARTITIONS: usize = 64;

/// The storage that partitions share: up to a limit in memory, then one temporary file for all, since there
/// may be more partitions than files may be open.
#[derive(Clone)]
pub struct Room {
    share: usize,
    file: Arc<Mutex<Option<Arc<File>>>>,
}

impl Room {
    pub fn new(share: usize) -> Self {
        Self { share: share.max(1 << 20), file: Arc::default() }
    }

    /// The file, if anything was written.
    fn file(&self) -> Option<Arc<File>> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Rows by partition: those in memory, and the positions of the others on disk.
pub struct Dealt {
    buffers: Vec<Vec<u8>>,
    held: usize,
    room: Room,
    /// For each spilled piece: partition, offset, length.
    pieces: Vec<(usize, u64, usize)>,
}

impl Dealt {
    pub fn new(room: &Room) -> Self {
        Self {
            buffers: (0..PARTITIONS).map(|_| Vec::new()).collect(),
            held: 0,
            room: room.clone(),
            pieces: Vec::new(),
        }
    }

    /// Adds a row of a judged query. Places order the rows of a query.
    pub fn put(&mut self, judged: usize, place: u64, key: f64, document: &[u8]) -> Result<()> {
        let Some(buffer) = self.buffers.get_mut(judged % PARTITIONS) else { return Ok(()) };
        let before = buffer.len();
        if buffer.capacity() - before < FIXED + document.len() {
            memory::reserve(buffer, FIXED + document.len())?;
        }
        Record { query: u32::try_from(judged).unwrap_or(u32::MAX), place, key }.write(document, buffer);
        self.held += buffer.len() - before;
        if self.held > self.room.share { self.spill() } else { Ok(()) }
    }

    /// Writes the rows in memory to disk.
    fn spill(&mut self) -> Result<()> {
        let mut shared = self.room.file.lock().unwrap_or_else(PoisonError::into_inner);
        let own = match &*shared {
            Some(file) => file.clone(),
            None => Arc::new(tempfile::tempfile().map_err(|error| no_room(&error))?),
        };
        *shared = Some(own.clone());
        let mut file = &*own;
        let mut at = file.seek(SeekFrom::End(0)).map_err(|error| no_room(&error))?;
        for (partition, buffer) in self.buffers.iter_mut().enumerate() {
            file.write_all(buffer).map_err(|error| no_room(&error))?;
            self.pieces.push((partition, at, buffer.len()));
            at += buffer.len() as u64;
            buffer.clear();
        }
        self.held = 0;
        Ok(())
    }
}

/// The error of writing a temporary file.
#[cold]
pub fn no_room(error: &std::io::Error) -> Box<Error> {
    Error::statement(Kind::Source, format!("cannot write a temporary file ({error})"))
        .file(std::env::temp_dir().display().to_string())
        .hint("sort the run by query, which needs no temporary file, or set TMPDIR to another folder")
}

/// The error of reading a temporary file.
#[cold]
fn unreadable(what: &str) -> Box<Error> {
    Error::statement(Kind::Source, format!("cannot read a temporary file ({what})"))
        .file(std::env::temp_dir().display().to_string())
}

/// A stored row: fixed fields, then the document's id.
#[derive(Debug, Clone, Copy)]
struct Record {
    query: u32,
    place: u64,
    key: f64,
}

const FIXED: usize = 24;

impl Record {
    fn write(self, document: &[u8], into: &mut Vec<u8>) {
        into.extend_from_slice(&self.query.to_le_bytes());
        into.extend_from_slice(&u32::try_from(document.len()).unwrap_or(u32::MAX).to_le_bytes());
        into.extend_from_slice(&self.place.to_le_bytes());
        into.extend_from_slice(&self.key.to_bits().to_le_bytes());
        into.extend_from_slice(document);
    }

    /// The record at an offset, where its document's id is, and so where the next one starts.
    fn read(bytes: &[u8], at: usize) -> Option<(Self, Span)> {
        let fixed: &[u8; FIXED] = bytes.get(at..)?.first_chunk()?;
        let (query, rest) = fixed.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (place, rest) = rest.split_first_chunk()?;
        let key = rest.first_chunk()?;
        let record = Self {
            query: u32::from_le_bytes(*query),
            place: u64::from_le_bytes(*place),
            key: f64::from_bits(u64::from_le_bytes(*key)),
        };
        Some((record, Span { at: (at + FIXED) as u64, length: u32::from_le_bytes(*length) }))
    }
}

/// The first error and its place.
pub type Earliest = Option<(u64, Box<Error>)>;

/// The rows of the table, or the first error and its place.
pub type Measured = std::result::Result<Vec<Outcome>, (u64, Box<Error>)>;

/// Evaluates the distributed rows. `broken` is the error that ended reading, if any, and its place; an error
/// of an earlier row comes first. The keys of rows are ranks unless `scored`.
pub fn measure(
    dealt: &[&Dealt],
    broken: Earliest,
    plan: &Plan,
    judgments: &Judgments<'_>,
    scored: bool,
    pace: &mut Pace<'_>,
) -> Result<Measured> {
    let progress = pace.progress;
    let before = broken.as_ref().map_or(u64::MAX, |(place, _)| *place);
    let mut outcomes = run(PARTITIONS, pace, Measurer::default, |measurer, partition| {
        progress.advance(0)?;
        measure_partition(partition, dealt, before, plan, judgments, scored, measurer)
    })?;
    let errors = outcomes.iter_mut().filter_map(|(_, error)| error.take()).chain(broken);
    Ok(match errors.min_by_key(|(place, _)| *place) {
        Some(earliest) => Err(earliest),
        None => Ok(outcomes.into_iter().map(|(outcome, _)| outcome).collect()),
    })
}

fn measure_partition(
    partition: usize,
    dealt: &[&Dealt],
    before: u64,
    plan: &Plan,
    judgments: &Judgments<'_>,
    scored: bool,
    measurer: &mut Measurer,
) -> Result<(Outcome, Earliest)> {
    let bytes = collect(partition, dealt)?;
    let mut rows: Vec<(Record, Span)> = Vec::new();
    let mut at = 0;
    while let Some((record, span)) = Record::read(&bytes, at) {
        at += FIXED + span.length as usize;
        if record.place < before {
            rows.push((record, span));
        }
    }
    rows.sort_unstable_by_key(|(record, _)| (record.query, record.place));
    let mut outcome = Outcome::default();
    let mut earliest: Earliest = None;
    let (mut spans, mut keys) = (Vec::new(), Vec::new());
    for block in rows.chunk_by(|(a, _), (b, _)| a.query == b.query) {
        let Some((first, _)) = block.first() else { continue };
        spans.clear();
        keys.clear();
        spans.extend(block.iter().map(|&(_, span)| span));
        if !scored || plan.convention.order != Order::Given {
            keys.extend(block.iter().map(|(record, _)| record.key));
        }
        let judged = first.query as usize;
        let ids = BlockIds::Bytes(Ids { arena: &bytes, spans: &spans });
        let rows = Block { query: judgments.rows().query_id(judged), ids, keys: &keys };
        match measurer.keyed(&rows, scored, judged, judgments, plan) {
            Ok(()) => outcome.push(judged, measurer),
            // Missing rows could resolve it.
            Err(fault) if fault.whole && before < u64::MAX => {}
            Err(fault) => {
                let place = block.get(fault.row).map_or(first.place, |(record, _)| record.place);
                if earliest.as_ref().is_none_or(|(known, _)| place < *known) {
                    earliest = Some((place, fault.error));
                }
            }
        }
    }
    Ok((outcome, earliest))
}

/// All of a partition's rows, from memory and from disk.
fn collect(partition: usize, dealt: &[&Dealt]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for one in dealt {
        let file = one.room.file();
        for &(_, at, length) in one.pieces.iter().filter(|piece| piece.0 == partition) {
            let Some(file) = &file else { continue };
            let start = bytes.len();
            memory::resize(&mut bytes, start + length, 0)?;
            let mut have = 0;
            while let Some(rest) = bytes.get_mut(start + have..).filter(|rest| !rest.is_empty()) {
                match read_at(file, rest, at + have as u64) {
                    Ok(0) => return Err(unreadable("it is truncated")),
                    Ok(read) => have += read,
                    Err(error) => return Err(unreadable(&error.to_string())),
                }
            }
        }
        bytes.extend_from_slice(one.buffers.get(partition).map(Vec::as_slice).unwrap_or_default());
    }
    Ok(bytes)
}
