//! Runs whose queries do not stand together, and runs that can be read only once.
//!
//! Rows are dealt into partitions by query, in memory up to a limit and then on disk, and each
//! partition is sorted back into queries. Extra queries are counted and dropped on the way.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::Mutex;

use super::Plan;
use super::measurer::Measurer;
use super::outcome::{ExtraQueries, Outcome};
use super::segments::Segment;
use super::text::{TextRun, key, reader};
use crate::convention::Order;
use crate::error::{Error, Kind, Result};
use crate::judgments::Judgments;
use crate::parallel::{Pace, run};
use crate::ranking::{Block, Ids};
use crate::read::place::{Place, Places, pack, unpack};
use crate::read::source::{Opened, read_at};
use crate::read::trec::{Dialect, Fault, Flow, Line, Sink, drive};
use crate::read::window::Window;
use crate::rows::Span;

const PARTITIONS: usize = 64;

/// Rows of one segment by partition: what is still in memory, and where on disk the rest is.
struct Dealt {
    buffers: Vec<Vec<u8>>,
    spilled: Option<File>,
    /// Of each spilled piece: partition, offset, length.
    pieces: Vec<(usize, u64, usize)>,
    extra: ExtraQueries,
    tag: Vec<u8>,
    /// The segment broke off here; its rows before that still count for finding earlier errors.
    broken: Option<(u64, Box<Error>)>,
}

pub fn regroup(
    plan: &Plan,
    judgments: &Judgments<'_>,
    text: &TextRun,
    segments: &[Segment],
    streams: &[Mutex<Option<Opened>>],
    pace: &mut Pace<'_>,
) -> Result<Vec<Outcome>> {
    let progress = pace.progress;
    let share = text.memory / segments.len().max(1);
    let dealt = run(
        segments.len(),
        pace,
        || (),
        |(), job| {
            let Some(segment) = segments.get(job) else {
                return Err(Error::interrupted());
            };
            deal(segment, plan, judgments, text, streams, share, |bytes| progress.advance(bytes))
        },
    )?;
    let mut broken: Option<(u64, Box<Error>)> = None;
    for one in &dealt {
        if let Some((place, error)) = &one.broken
            && broken.as_ref().is_none_or(|(first, _)| place < first)
        {
            broken = Some((*place, error.clone()));
        }
    }
    let before = broken.as_ref().map_or(u64::MAX, |(place, _)| *place);
    let mut outcomes = run(PARTITIONS, pace, Measurer::default, |measurer, partition| {
        progress.advance(0)?;
        measure_partition(partition, &dealt, before, plan, judgments, text, measurer)
    })?;
    // An error of a row that comes before the place where reading broke off comes first.
    if let Some((place, error)) = outcomes
        .iter_mut()
        .filter_map(|(_, error)| error.take())
        .chain(broken)
        .min_by_key(|(place, _)| *place)
    {
        let (source, within) = unpack(place);
        let counted = segments.iter().any(|segment| segment.source == source && segment.file.is_none());
        let place = if counted { Place::Line(within) } else { Place::Offset(within) };
        return Err(text.locate(source, place, error));
    }
    let mut results: Vec<Outcome> = outcomes.into_iter().map(|(outcome, _)| outcome).collect();
    results.extend(dealt.into_iter().map(|one| Outcome {
        extra: one.extra,
        tag: one.tag,
        ..Outcome::default()
    }));
    Ok(results)
}

fn deal(
    segment: &Segment,
    plan: &Plan,
    judgments: &Judgments<'_>,
    text: &TextRun,
    streams: &[Mutex<Option<Opened>>],
    share: usize,
    mut go_on: impl FnMut(u64) -> Result<()>,
) -> Result<Dealt> {
    let (source, counted) = reader(segment, streams);
    let length = segment.end.saturating_sub(segment.start);
    let mut window = Window::new(source.take(length), segment.start, counted);
    let mut sink = Deal {
        plan,
        judgments,
        dialect: text.dialect,
        places: Places::new(segment.source, segment.start, counted),
        share,
        held: 0,
        query: Vec::new(),
        judged: None,
        fresh: true,
        dealt: Dealt {
            buffers: (0..PARTITIONS).map(|_| Vec::new()).collect(),
            spilled: None,
            pieces: Vec::new(),
            extra: ExtraQueries::default(),
            tag: Vec::new(),
            broken: None,
        },
    };
    let result = drive(
        &mut window,
        text.layout(),
        &mut sink,
        |bytes| go_on(bytes as u64),
        |error| text.failed(segment.source, error),
    );
    let mut dealt = sink.dealt;
    if let Err((place, error)) = result {
        if error.kind == Kind::Interrupted {
            return Err(error);
        }
        dealt.broken = Some((pack(segment.source, place), error));
    }
    Ok(dealt)
}

struct Deal<'a> {
    plan: &'a Plan,
    judgments: &'a Judgments<'a>,
    dialect: Dialect,
    places: Places,
    share: usize,
    held: usize,
    query: Vec<u8>,
    judged: Option<usize>,
    fresh: bool,
    dealt: Dealt,
}

impl Sink for Deal<'_> {
    fn line(&mut self, bytes: &[u8], line: &Line) -> std::result::Result<Flow, Fault> {
        let query = bytes.get(line.query.clone()).unwrap_or_default();
        if self.fresh || query != self.query.as_slice() {
            self.fresh = false;
            self.query.clear();
            self.query.extend_from_slice(query);
            self.judged = self.judgments.rows().find(query);
            if self.judged.is_none() {
                self.dealt.extra.add(query);
            }
        }
        let key = key(self.plan.convention.order, self.dialect, bytes, line)?;
        let Some(judged) = self.judged else { return Ok(Flow::On) };
        let place = self.places.of(bytes, line.query.start);
        let document = bytes.get(line.document.clone()).unwrap_or_default();
        let Some(buffer) = self.dealt.buffers.get_mut(judged % PARTITIONS) else { return Ok(Flow::On) };
        let before = buffer.len();
        Record { query: u32::try_from(judged).unwrap_or(u32::MAX), place, key }.write(document, buffer);
        self.held += buffer.len() - before;
        if self.held > self.share.max(1 << 20) {
            self.spill().map_err(|error| Fault { offset: line.query.start, error })?;
        }
        Ok(Flow::On)
    }

    fn keep(&self) -> Option<usize> {
        self.places.keep()
    }

    fn tag(&mut self, tag: &[u8]) {
        tag.clone_into(&mut self.dealt.tag);
    }

    fn moved(&mut self, by: usize, at: u64) {
        self.places.moved(by, at);
    }
}

impl Deal<'_> {
    /// Sends what is held to disk, into a file without a name.
    fn spill(&mut self) -> Result<()> {
        let failed = |error: std::io::Error| {
            Error::new(
                Kind::Source,
                format!("an error while writing a temporary file ({error})"),
                "room for it",
            )
            .hint("sort the run by query and it needs no temporary file; TMPDIR names another place")
        };
        let mut file = match self.dealt.spilled.take() {
            Some(file) => file,
            None => tempfile::tempfile().map_err(failed)?,
        };
        let mut at = file.seek(SeekFrom::End(0)).map_err(failed)?;
        for (partition, buffer) in self.dealt.buffers.iter_mut().enumerate() {
            file.write_all(buffer).map_err(failed)?;
            self.dealt.pieces.push((partition, at, buffer.len()));
            at += buffer.len() as u64;
            buffer.clear();
        }
        self.held = 0;
        self.dealt.spilled = Some(file);
        Ok(())
    }
}

/// A row as it is dealt: fixed fields, then the document's id.
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

type Earliest = Option<(u64, Box<Error>)>;

fn measure_partition(
    partition: usize,
    dealt: &[Dealt],
    before: u64,
    plan: &Plan,
    judgments: &Judgments<'_>,
    text: &TextRun,
    measurer: &mut Measurer,
) -> Result<(Outcome, Earliest)> {
    let bytes = collect(partition, dealt, text)?;
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
        if plan.convention.order != Order::Given {
            keys.extend(block.iter().map(|(record, _)| record.key));
        }
        let judged = first.query as usize;
        let pool = judgments.pool(judged);
        let ids = Ids { arena: &bytes, spans: &spans };
        match measurer.block(&Block { query: pool.query, ids, keys: &keys }, &pool, plan) {
            Ok(()) => outcome.push(judged, measurer),
            // Rows are lacking that could mend it.
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
fn collect(partition: usize, dealt: &[Dealt], text: &TextRun) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for one in dealt {
        for &(_, at, length) in one.pieces.iter().filter(|piece| piece.0 == partition) {
            let Some(file) = &one.spilled else { continue };
            let start = bytes.len();
            bytes.resize(start + length, 0);
            let mut have = 0;
            while let Some(rest) = bytes.get_mut(start + have..).filter(|rest| !rest.is_empty()) {
                match read_at(file, rest, at + have as u64) {
                    Ok(0) => break,
                    Ok(read) => have += read,
                    Err(error) => return Err(text.failed(0, &error)),
                }
            }
        }
        bytes.extend_from_slice(one.buffers.get(partition).map(Vec::as_slice).unwrap_or_default());
    }
    Ok(bytes)
}
