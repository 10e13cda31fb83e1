//! Evaluates a run in TREC text while it is read.
//!
//! Segments are evaluated in parallel. A query belongs to the segment in which it starts. If the lines of a
//! query are not consecutive, the whole run goes through `regroup`.

use std::io::Read;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Plan;
use super::contradictions::Contradictions;
use super::gathered::Gathered;
use super::measurer::Measurer;
use super::outcome::Outcome;
use super::regroup::regroup;
use super::table::Table;
use crate::convention::Order;
use crate::error::{Error, Kind, Result};
use crate::formats::trec::empty;
use crate::judgments::Judgments;
use crate::known::Known;
use crate::memory;
use crate::parallel::{Pace, Progress, run};
use crate::ranking::{Block, BlockIds, Ids};
use crate::read::number;
use crate::read::place::Place;
use crate::read::scan::same;
use crate::read::segments::{Segment, cut, open_all, open_one, query_before};
use crate::read::source::{Content, Opened, Positioned, Source};
use crate::read::trec::{Dialect, Fault, Flow, Labels, Layout, Line, Sink, Table as Layer, drive};
use crate::read::window::Window;
use crate::rows::Span;

/// A run in one or more files.
#[derive(Debug, Clone)]
pub struct TextRun {
    pub sources: Vec<Source>,
    pub comments: bool,
    pub dialect: Dialect,
    /// Bytes that scattered queries may take in memory before they go to disk.
    pub memory: usize,
}

impl TextRun {
    pub(super) fn layout(&self) -> Layout {
        Layout { table: Layer::Run, labels: Labels::Ignored, comments: self.comments, dialect: self.dialect }
    }

    pub(super) fn name(&self, source: usize) -> String {
        self.sources.get(source).map(Source::name).unwrap_or_default()
    }

    pub(super) fn failed(&self, source: usize, error: &std::io::Error) -> Box<Error> {
        match self.sources.get(source) {
            Some(source) => source.failed(error),
            None => Error::statement(Kind::Source, format!("cannot read the file ({error})")),
        }
    }

    /// Adds file and line to an error.
    pub(super) fn locate(&self, source: usize, place: Place, error: Box<Error>) -> Box<Error> {
        match self.sources.get(source) {
            Some(source) => place.locate(source, error.role(Layer::Run.role())),
            None => error,
        }
    }
}

/// The field that orders a run's lines, as a key that is larger for higher ranks.
#[inline(always)]
pub(super) fn key(
    order: Order,
    dialect: Dialect,
    bytes: &[u8],
    line: &Line,
) -> std::result::Result<f64, Fault> {
    let rank = order == Order::Rank;
    let word = if rank { &line.rank } else { &line.value };
    let text = bytes.known(word.clone());
    let value = match number::score(text) {
        Ok(value) => value,
        // Both readings agree on valid numbers.
        Err(_) if dialect != Dialect::Gainful => match number::score_prefix(text) {
            Ok(value) => value,
            Err(error) => return Err(bad_key(error, rank.then_some(text), word.start)),
        },
        Err(error) => return Err(bad_key(error, rank.then_some(text), word.start)),
    };
    Ok(if rank { -value } else { value })
}

#[cold]
fn bad_key(error: Box<Error>, rank: Option<&[u8]>, offset: usize) -> Fault {
    Fault { offset, error: rank.map_or(error, number::bad_rank) }
}

/// Evaluates a run; also returns whether it was regrouped because queries were scattered.
pub fn evaluate_text(
    plan: &Plan,
    judgments: &Judgments<'_>,
    text: &TextRun,
    pace: &mut Pace<'_>,
) -> Result<(Table, bool)> {
    let (opened, again) = open_all(&text.sources, &pace.progress.stop)?;
    let files: Vec<Option<Content>> = opened.iter().map(Opened::content).collect();
    let measured = measure_opened(plan, judgments, text, opened, again, pace);
    if measured.as_ref().is_err_and(|error| error.kind == Kind::Interrupted) {
        return measured;
    }
    // If the file changed, both results and errors are wrong.
    for (number, file) in files.iter().enumerate() {
        if let Some(file) = file {
            file.check_unchanged().map_err(|error| text.failed(number, &error))?;
        }
    }
    measured.map_err(|error| {
        text.sources.iter().fold(error, |error, source| source.verified(error, pace.progress))
    })
}

fn measure_opened(
    plan: &Plan,
    judgments: &Judgments<'_>,
    text: &TextRun,
    opened: Vec<Opened>,
    again: bool,
    pace: &mut Pace<'_>,
) -> Result<(Table, bool)> {
    let mut segments = Vec::new();
    for (number, one) in opened.iter().enumerate() {
        if let Opened::File { length, .. } = one {
            pace.progress.total.fetch_add(*length, Ordering::Relaxed);
        }
        segments.extend(cut(number, one, pace.threads).map_err(|error| text.failed(number, &error))?);
    }
    // Only one segment reads a stream.
    let threads = pace.threads / segments.len().max(1);
    let ahead = |(opened, source): (Opened, &Source)| Mutex::new(Some(opened.ahead(source, threads)));
    let streams: Vec<Mutex<Option<Opened>>> = opened.into_iter().zip(&text.sources).map(ahead).collect();
    let mut scattered = false;
    let outcomes = if again {
        let shared = Shared {
            seen: (0..judgments.rows().queries()).map(|_| AtomicBool::new(false)).collect(),
            scattered: AtomicBool::new(false),
        };
        let progress = pace.progress;
        let result = run(segments.len(), pace, Measurer::default, |measurer, job| {
            let Some(segment) = segments.get(job) else { return Ok(Outcome::default()) };
            measure_segment(segment, plan, judgments, text, &streams, &shared, measurer, progress)
        });
        scattered = shared.scattered.load(Ordering::Relaxed);
        if scattered {
            match result {
                Err(error) if error.kind == Kind::Interrupted && pace.progress.advance(0).is_err() => {
                    return Err(error);
                }
                _ => {}
            }
            for (slot, source) in streams.iter().zip(&text.sources) {
                // A file can be read repeatedly by position.
                if let Ok(mut slot) = slot.lock()
                    && !matches!(*slot, Some(Opened::File { .. }))
                {
                    let opened = open_one(source, text.sources.len(), &pace.progress.stop)?;
                    *slot = Some(opened.ahead(source, threads));
                }
            }
            pace.progress.done.store(0, Ordering::Relaxed);
            regroup(plan, judgments, text, &segments, &streams, pace)?
        } else {
            result?
        }
    } else {
        regroup(plan, judgments, text, &segments, &streams, pace)?
    };
    if outcomes.iter().all(|outcome| outcome.queries.is_empty() && outcome.extra.is_empty()) {
        return Err(empty().file(text.name(0)));
    }
    let table = Table::assemble(outcomes, judgments, plan)
        .map_err(|error| if error.file.is_some() { error } else { error.file(text.name(0)) })?;
    Ok((table, scattered))
}

struct Shared {
    /// For each judged query, whether a block of it has been evaluated.
    seen: Vec<AtomicBool>,
    scattered: AtomicBool,
}

/// A source from the start of a segment, and whether to count lines.
pub(super) fn reader(segment: &Segment, streams: &[Mutex<Option<Opened>>]) -> (Box<dyn Read + Send>, bool) {
    if let Some(file) = &segment.file {
        return (Box::new(Positioned { file: file.clone(), at: segment.start }), false);
    }
    let taken = streams.get(segment.source).and_then(|slot| slot.lock().ok()?.take());
    match taken {
        Some(Opened::Stream(stream)) => (stream, true),
        Some(Opened::File { file, .. }) => (Box::new(Positioned { file, at: 0 }), true),
        None => (Box::new(std::io::empty()), true),
    }
}

#[allow(clippy::too_many_arguments)]
fn measure_segment(
    segment: &Segment,
    plan: &Plan,
    judgments: &Judgments<'_>,
    text: &TextRun,
    streams: &[Mutex<Option<Opened>>],
    shared: &Shared,
    measurer: &mut Measurer,
    progress: &Progress,
) -> Result<Outcome> {
    let skip = match &segment.file {
        Some(file) if segment.start > 0 => query_before(file, segment.start, text.layout())
            .map_err(|error| text.failed(segment.source, &error))?,
        _ => None,
    };
    let (source, counted) = reader(segment, streams);
    let mut window = Window::new(source, segment.start, counted);
    let mut sink = Blocks {
        plan,
        judgments,
        shared,
        measurer,
        outcome: Outcome::default(),
        dialect: text.dialect,
        skip,
        at: segment.start,
        end: segment.end,
        query: Vec::new(),
        judged: None,
        last: None,
        start: None,
        spans: Vec::new(),
        keys: Vec::new(),
        ranks: None,
        large: None,
    };
    let located = |(place, error)| text.locate(segment.source, place, error);
    drive(
        &mut window,
        text.layout(),
        &mut sink,
        |bytes| {
            if shared.scattered.load(Ordering::Relaxed) {
                return Err(Error::interrupted());
            }
            progress.advance(bytes as u64)
        },
        |error| text.failed(segment.source, error),
    )
    .map_err(located)?;
    sink.close(window.bytes()).map_err(|fault| {
        let place = if counted {
            Place::Line(window.line_of(fault.offset))
        } else {
            Place::Offset(window.at + fault.offset as u64)
        };
        located((place, fault.error))
    })?;
    Ok(sink.outcome)
}

/// Gathers a query's lines into a block and evaluates it when the next query begins.
struct Blocks<'a> {
    plan: &'a Plan,
    judgments: &'a Judgments<'a>,
    shared: &'a Shared,
    measurer: &'a mut Measurer,
    outcome: Outcome,
    dialect: Dialect,
    /// The query that the previous segment reads.
    skip: Option<Vec<u8>>,
    /// Offset in the source of the buffered bytes.
    at: u64,
    end: u64,
    /// The query whose lines are gathered, and its number if it is judged.
    query: Vec<u8>,
    judged: Option<usize>,
    /// The judged query before it.
    last: Option<usize>,
    /// Where its first line starts; spans count from there.
    start: Option<usize>,
    spans: Vec<Span>,
    keys: Vec<f64>,
    /// The ranks of its lines, if they are compared with the scores.
    ranks: Option<Vec<f64>>,
    /// The rows of a query with many, without the rest of their lines.
    large: Option<Gathered>,
}

/// From this many lines on, those of a query are not kept.
const LARGE: usize = 1 << 18;

impl Blocks<'_> {
    fn close(&mut self, bytes: &[u8]) -> std::result::Result<(), Fault> {
        let Some(start) = self.start.take() else { return Ok(()) };
        let Some(judged) = self.judged else {
            self.outcome.extra.add(&self.query, self.plan.partial);
            return Ok(());
        };
        if self.shared.seen.get(judged).is_some_and(|seen| seen.swap(true, Ordering::Relaxed)) {
            self.shared.scattered.store(true, Ordering::Relaxed);
            return Err(Fault { offset: start, error: Error::interrupted() });
        }
        let measured = self.measure(bytes, start, judged);
        self.large = None;
        measured.map_err(|(fault, whole)| {
            if whole {
                // The query may have more lines later: only regrouping has all of them.
                self.shared.scattered.store(true, Ordering::Relaxed);
            }
            fault
        })?;
        self.outcome.push(judged, self.measurer);
        if let Some(ranks) = &self.ranks {
            self.outcome.contradictions.compare(ranks, &self.keys);
        }
        Ok(())
    }

    /// Evaluates the gathered lines; a fault says whether further rows could resolve it.
    fn measure(
        &mut self,
        bytes: &[u8],
        start: usize,
        judged: usize,
    ) -> std::result::Result<(), (Fault, bool)> {
        let (ids, keys) = match &self.large {
            Some(large) => (large.ids(), &large.keys),
            None => {
                let arena = bytes.known(start..);
                (BlockIds::Bytes(Ids { arena, spans: &self.spans }), &self.keys)
            }
        };
        let keys = if self.plan.convention.order == Order::Given { &[] } else { keys.as_slice() };
        let block = Block { query: &self.query, ids, keys };
        self.measurer.block(&block, judged, self.judgments, self.plan).map_err(|fault| {
            if self.large.is_some() && !fault.whole {
                // Regrouping knows the line.
                self.shared.scattered.store(true, Ordering::Relaxed);
                return (Fault { offset: 0, error: Error::interrupted() }, false);
            }
            let span = self.spans.get(fault.row).copied().unwrap_or_default();
            let offset = start + usize::try_from(span.at).unwrap_or(0);
            (Fault { offset, error: fault.error }, fault.whole)
        })
    }

    /// Keeps the documents and keys of the gathered lines, and not the lines.
    #[cold]
    fn enlarge(&mut self, bytes: &[u8], start: usize) -> Result<()> {
        let mut large = Gathered::default();
        let ids = Ids { arena: bytes.known(start..), spans: &self.spans };
        for (row, &key) in self.keys.iter().enumerate() {
            large.push(ids.get(row), key)?;
        }
        self.large = Some(large);
        self.spans = Vec::new();
        self.keys = Vec::new();
        self.ranks = None;
        Ok(())
    }
}

impl Sink for Blocks<'_> {
    #[inline(always)]
    fn line(&mut self, bytes: &[u8], line: &Line) -> std::result::Result<Flow, Fault> {
        let query = bytes.known(line.query.clone());
        let start = match self.start {
            Some(start) if same(query, &self.query) => start,
            _ => {
                self.close(bytes)?;
                if self.at + line.query.start as u64 >= self.end {
                    return Ok(Flow::Stop);
                }
                if let Some(skip) = &self.skip {
                    if skip == query {
                        return Ok(Flow::On);
                    }
                    self.skip = None;
                }
                self.query.clear();
                self.query.extend_from_slice(query);
                let last = self.judged.or(self.last);
                self.last = last;
                self.judged = self.judgments.rows().find_after(last, query);
                self.start = Some(line.query.start);
                self.spans.clear();
                self.keys.clear();
                let compared = |&judged: &usize| Contradictions::compares(judged, self.plan.convention.order);
                self.ranks = self.judged.filter(compared).map(|_| Vec::new());
                line.query.start
            }
        };
        let key = key(self.plan.convention.order, self.dialect, bytes, line)?;
        if self.judged.is_some() {
            let fault = |error| Fault { offset: line.query.start, error };
            if let Some(large) = &mut self.large {
                let document = bytes.known(line.document.clone());
                large.push(document, key).map_err(fault)?;
                return Ok(Flow::On);
            }
            if self.keys.len() == self.keys.capacity() || self.spans.len() == self.spans.capacity() {
                memory::reserve(&mut self.keys, 1).map_err(fault)?;
                memory::reserve(&mut self.spans, 1).map_err(fault)?;
            }
            self.keys.push(key);
            if let Some(ranks) = &mut self.ranks {
                if ranks.len() == ranks.capacity() {
                    memory::reserve(ranks, 1).map_err(fault)?;
                }
                ranks.push(number::float(bytes.known(line.rank.clone())).unwrap_or(f64::NAN));
            }
            self.spans.push(Span {
                at: (line.document.start - start) as u64,
                length: u32::try_from(line.document.len()).unwrap_or(u32::MAX),
            });
            if self.spans.len() == LARGE {
                self.enlarge(bytes, start).map_err(fault)?;
            }
        }
        Ok(Flow::On)
    }

    fn keep(&self) -> Option<usize> {
        // The rows of a query without judgments are not needed.
        self.start.filter(|_| self.judged.is_some() && self.large.is_none())
    }

    fn moved(&mut self, by: usize, at: u64) {
        self.at = at;
        self.start = self.start.map(|start| start.saturating_sub(by));
    }

    fn tag(&mut self, tag: &[u8]) {
        tag.clone_into(&mut self.outcome.tag);
    }

    fn earlier(&mut self, bytes: &[u8], offset: usize) -> Option<Fault> {
        let (start, judged) = (self.start?, self.judged?);
        let (fault, whole) = self.measure(bytes, start, judged).err()?;
        (fault.offset < offset && !whole).then_some(fault)
    }
}
