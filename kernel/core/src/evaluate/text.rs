//! Evaluates a run in TREC text while it is read.
//!
//! Segments are evaluated in parallel. A query belongs to the segment in which it starts.

use std::io::Read;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use super::Plan;
use super::contradictions::Contradictions;
use super::driver::{Driver, Part, Verdict};
use super::gathered::Gathered;
use super::measurer::Measurer;
use super::outcome::Outcome;
use super::partitions::Dealt;
use super::short_ids::ShortIds;
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
use crate::read::place::{Place, Places, pack, unpack};
use crate::read::scan::same;
use crate::read::segments::{Segment, cut, open_all, open_one, query_before};
use crate::read::source::{Content, Opened, Positioned, Source};
use crate::read::trec::{Dialect, Fault, Flow, LabelFields, Layout, Line, Sink, TableKind, drive};
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
    fn layout(&self) -> Layout {
        Layout {
            table: TableKind::Run,
            labels: LabelFields::Ignored,
            comments: self.comments,
            dialect: self.dialect,
        }
    }

    fn name(&self, source: usize) -> String {
        self.sources.get(source).map(Source::name).unwrap_or_default()
    }

    fn failed(&self, source: usize, error: &std::io::Error) -> Box<Error> {
        match self.sources.get(source) {
            Some(source) => source.failed(error),
            None => Error::statement(Kind::Source, format!("cannot read the file ({error})")),
        }
    }

    /// Adds file and line to an error.
    fn locate(&self, source: usize, place: Place, error: Box<Error>) -> Box<Error> {
        match self.sources.get(source) {
            Some(source) => place.locate(source, error.role(TableKind::Run.role())),
            None => error,
        }
    }
}

/// The field that orders a run's lines, as a key that is larger for higher ranks.
#[inline(always)]
fn key(order: Order, dialect: Dialect, bytes: &[u8], line: &Line) -> std::result::Result<f64, Fault> {
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
    let driver = Driver::new(plan, judgments, true, text.memory, pace.threads);
    let evaluate = |driver: &Driver<'_>, pace: &mut Pace<'_>| {
        let progress = pace.progress;
        run(segments.len(), pace, Measurer::default, |measurer, job| match segments.get(job) {
            Some(segment) if !driver.is_scattered() => {
                measure_segment(segment, driver, text, &streams, measurer, progress)
            }
            _ => Ok(Part::default()),
        })
    };
    let deal = |driver: &Driver<'_>, pace: &mut Pace<'_>| {
        for (slot, source) in streams.iter().zip(&text.sources).filter(|_| again) {
            // A file can be read repeatedly by position.
            if let Ok(mut slot) = slot.lock()
                && !matches!(*slot, Some(Opened::File { .. }))
            {
                let opened = open_one(source, text.sources.len(), &pace.progress.stop)?;
                *slot = Some(opened.ahead(source, threads));
            }
        }
        let queries = ShortIds::new(judgments);
        let progress = pace.progress;
        run(
            segments.len(),
            pace,
            || (),
            |(), job| match segments.get(job) {
                Some(segment) => deal_segment(segment, driver, text, &streams, &queries, progress),
                None => Ok(Part::default()),
            },
        )
    };
    let driven = match if again { driver.evaluated(evaluate, pace)? } else { None } {
        Some(driven) => driven,
        None => driver.regrouped(deal, pace)?,
    };
    if let Some((place, error)) = driven.earliest {
        let (source, within) = unpack(place);
        let counted = segments.iter().any(|segment| segment.source == source && segment.file.is_none());
        let place = if counted { Place::Line(within) } else { Place::Offset(within) };
        return Err(text.locate(source, place, error));
    }
    if driven.outcomes.iter().all(|outcome| outcome.queries.is_empty() && outcome.extra.is_empty()) {
        return Err(empty().file(text.name(0)));
    }
    let table =
        Table::assemble(driven.outcomes, judgments, plan).map_err(|error| error.in_file(&*text.name(0)))?;
    Ok((table, driven.scattered))
}

/// A source from the start of a segment, and whether to count lines.
fn reader(segment: &Segment, streams: &[Mutex<Option<Opened>>]) -> (Box<dyn Read + Send>, bool) {
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

fn measure_segment(
    segment: &Segment,
    driver: &Driver<'_>,
    text: &TextRun,
    streams: &[Mutex<Option<Opened>>],
    measurer: &mut Measurer,
    progress: &Progress,
) -> Result<Part> {
    let failed = |error: &std::io::Error| text.failed(segment.source, error);
    let skip = match &segment.file {
        Some(file) if segment.start > 0 => {
            query_before(file, segment.start, text.layout()).map_err(|error| failed(&error))?
        }
        _ => None,
    };
    let (source, counted) = reader(segment, streams);
    let mut window = Window::new(source, segment.start, counted);
    let mut sink = Blocks {
        driver,
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
    let go_on = |bytes| {
        let flow = if driver.is_scattered() { Flow::Regroup } else { Flow::On };
        progress.advance(bytes as u64).map(|()| flow)
    };
    let flow = drive(&mut window, text.layout(), &mut sink, go_on, failed).map_err(located)?;
    if flow == Flow::On {
        sink.close(window.bytes()).map_err(|fault| {
            let place = if counted {
                Place::Line(window.line_of(fault.offset))
            } else {
                Place::Offset(window.at + fault.offset as u64)
            };
            located((place, fault.error))
        })?;
    }
    Ok(Part { outcome: sink.outcome, ..Part::default() })
}

/// Gathers a query's lines into a block and evaluates it when the next query begins.
struct Blocks<'a> {
    driver: &'a Driver<'a>,
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
    fn close(&mut self, bytes: &[u8]) -> std::result::Result<Flow, Fault> {
        let Some(start) = self.start.take() else { return Ok(Flow::On) };
        let Self { driver, measurer, outcome, query, judged, spans, keys, large, .. } = self;
        let block =
            block(driver.plan.convention.order, query, bytes.known(start..), spans, keys, large.as_ref());
        let verdict = driver.evaluate(query, *judged, measurer, outcome, |measurer, judged| {
            measurer.block(&block, judged, driver.judgments, driver.plan)
        });
        let flow = self.flow(verdict, start)?;
        self.large = None;
        if let Some(ranks) = self.ranks.as_ref().filter(|_| flow == Flow::On) {
            self.outcome.contradictions.compare(ranks, &self.keys);
        }
        Ok(flow)
    }

    /// Whether to read on after the gathered lines.
    fn flow(&self, verdict: Verdict, start: usize) -> std::result::Result<Flow, Fault> {
        match verdict {
            Verdict::Continue => Ok(Flow::On),
            Verdict::Regroup => Ok(Flow::Regroup),
            Verdict::Stop(_) if self.large.is_some() => {
                // Regrouping knows the line.
                self.driver.regroup();
                Ok(Flow::Regroup)
            }
            Verdict::Stop(fault) => {
                let span = self.spans.get(fault.row).copied().unwrap_or_default();
                let offset = start + usize::try_from(span.at).unwrap_or(0);
                Err(Fault { offset, error: fault.error })
            }
        }
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
                let flow = self.close(bytes)?;
                if flow != Flow::On {
                    return Ok(flow);
                }
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
                self.judged = self.driver.judgments.rows().find_after(last, query);
                self.start = Some(line.query.start);
                self.spans.clear();
                self.keys.clear();
                let compared =
                    |&judged: &usize| Contradictions::compares(judged, self.driver.plan.convention.order);
                self.ranks = self.judged.filter(compared).map(|_| Vec::new());
                line.query.start
            }
        };
        let key = key(self.driver.plan.convention.order, self.dialect, bytes, line)?;
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

    fn earlier(&mut self, bytes: &[u8], offset: usize) -> std::result::Result<Flow, Fault> {
        let (Some(start), Some(judged)) = (self.start, self.judged) else { return Ok(Flow::On) };
        let Self { driver, measurer, query, spans, keys, large, .. } = self;
        let block =
            block(driver.plan.convention.order, query, bytes.known(start..), spans, keys, large.as_ref());
        match measurer.block(&block, judged, driver.judgments, driver.plan) {
            Err(fault) if !fault.whole => match self.flow(Verdict::Stop(fault), start) {
                Err(fault) if fault.offset >= offset => Ok(Flow::On),
                flow => flow,
            },
            _ => Ok(Flow::On),
        }
    }
}

/// The gathered lines, of which `arena` begins with the first, or the rows of a query with many.
fn block<'a>(
    order: Order,
    query: &'a [u8],
    arena: &'a [u8],
    spans: &'a [Span],
    keys: &'a [f64],
    large: Option<&'a Gathered>,
) -> Block<'a> {
    let ids = large.map_or(BlockIds::Bytes(Ids { arena, spans }), Gathered::ids);
    let keys = large.map_or(keys, |large| &large.keys);
    Block { query, ids, keys: if order == Order::Given { &[] } else { keys } }
}

fn deal_segment(
    segment: &Segment,
    driver: &Driver<'_>,
    text: &TextRun,
    streams: &[Mutex<Option<Opened>>],
    queries: &ShortIds,
    progress: &Progress,
) -> Result<Part> {
    driver.deal(|rows, part| {
        let (source, counted) = reader(segment, streams);
        let length = segment.end.saturating_sub(segment.start);
        let mut window = Window::new(source.take(length), segment.start, counted);
        let mut sink = Deal {
            driver,
            queries,
            dialect: text.dialect,
            places: Places::new(segment.source, segment.start, counted),
            query: Vec::new(),
            judged: None,
            fresh: true,
            rows,
            outcome: &mut part.outcome,
        };
        let driven = drive(
            &mut window,
            text.layout(),
            &mut sink,
            |bytes| progress.advance(bytes as u64).map(|()| Flow::On),
            |error| text.failed(segment.source, error),
        );
        match driven {
            Err((_, error)) if error.kind == Kind::Interrupted => Err(error),
            Err((place, error)) => Ok(Some((pack(segment.source, place), error))),
            Ok(_) => Ok(None),
        }
    })
}

/// Deals lines to partitions. Queries without judgments are counted and dropped.
struct Deal<'a> {
    driver: &'a Driver<'a>,
    queries: &'a ShortIds,
    dialect: Dialect,
    places: Places,
    query: Vec<u8>,
    judged: Option<usize>,
    fresh: bool,
    rows: &'a mut Dealt,
    outcome: &'a mut Outcome,
}

impl Sink for Deal<'_> {
    fn line(&mut self, bytes: &[u8], line: &Line) -> std::result::Result<Flow, Fault> {
        let query = bytes.known(line.query.clone());
        if self.fresh || !same(query, &self.query) {
            self.fresh = false;
            self.query.clear();
            self.query.extend_from_slice(query);
            self.judged = self.queries.find(query, self.driver.judgments);
            if self.judged.is_none() {
                self.outcome.extra.add(query, self.driver.plan.partial);
            }
        }
        let key = key(self.driver.plan.convention.order, self.dialect, bytes, line)?;
        let Some(judged) = self.judged else { return Ok(Flow::On) };
        let place = self.places.of(bytes, line.query.start);
        let document = bytes.known(line.document.clone());
        let dealt = self.rows.put(judged, place, key, document);
        dealt.map_err(|error| Fault { offset: line.query.start, error })?;
        Ok(Flow::On)
    }

    fn keep(&self) -> Option<usize> {
        self.places.keep()
    }

    fn passed(&mut self, bytes: &[u8]) {
        self.places.pass(bytes);
    }

    fn tag(&mut self, tag: &[u8]) {
        tag.clone_into(&mut self.outcome.tag);
    }

    fn moved(&mut self, by: usize, at: u64) {
        self.places.moved(by, at);
    }
}
