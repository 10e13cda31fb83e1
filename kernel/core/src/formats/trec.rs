//! Reads TREC text into columns.

use std::io::Read;

use super::input::Input;
use super::{Judged, Loaded, Request};
use crate::convention::Duplicates;
use crate::error::{Error, Kind, Result};
use crate::known::Known;
use crate::parallel::{Pace, Progress, run};
use crate::read::number;
use crate::read::place::{Place, Places, unpack};
use crate::read::scan::{is_space, same};
use crate::read::segments::{Segment, cut, query_before};
use crate::read::source::{Content, Opened, Positioned, Source};
use crate::read::trec::{Dialect, Fault, Flow, LabelFields, Layout, Line, Sink, TableKind, drive};
use crate::read::window::Window;
use crate::rows::RowsBuilder;

/// The bytes of a line with a digit for each of four words.
const SHORTEST_LINE: u64 = 8;

/// Reads one or more files of TREC text as one table.
pub fn read(request: &Request, progress: &Progress) -> Result<Loaded> {
    let request = Request { memory: None, ..request.clone() };
    let mut reader = TrecReader::new(&request, request.labels);
    for source in &request.sources {
        reader.take(Input::open(source, request.threads, progress)?, progress)?;
    }
    reader.finish(request.duplicates, progress)?.in_memory()
}

pub(super) struct TrecReader {
    layout: Layout,
    sink: Collect,
    origins: Vec<LineOrigin>,
    /// The threads that read a large file.
    threads: usize,
}

/// The sources of rows.
struct LineOrigin {
    source: Source,
    /// Whether its places are line numbers, not offsets.
    counted: bool,
}

impl TrecReader {
    /// The format of preferences always has two labels per line.
    pub(super) fn new(request: &Request, labels: LabelFields) -> Self {
        let table = request.table;
        let mut builder = RowsBuilder::new(table == TableKind::Run);
        if let Some(memory) = request.limit() {
            builder = builder.within(memory, request.duplicates);
        }
        // The parts of one query are checked once they are joined.
        if request.duplicates == Duplicates::Error && request.query.is_none() {
            builder = builder.refusing_duplicates();
        }
        let labels = if table == TableKind::Qrels { labels } else { LabelFields::Ignored };
        let layout = Layout { table, labels, comments: request.comments, dialect: request.dialect };
        let sink = Collect::new(builder, layout, request.query.clone());
        Self { layout, sink, origins: Vec::new(), threads: request.threads }
    }

    pub(super) fn take(&mut self, mut input: Input<'_>, progress: &Progress) -> Result<()> {
        let counted = !input.reopens;
        let before = self.sink.count;
        if !self.take_parts(&input, progress)? {
            self.take_stream(&mut input, counted, progress)?;
        }
        self.origins.push(LineOrigin { source: input.source().clone(), counted });
        if self.sink.count == before {
            return Err(empty().file(input.name()));
        }
        Ok(())
    }

    fn take_stream(&mut self, input: &mut Input<'_>, counted: bool, progress: &Progress) -> Result<()> {
        let mut window = Window::new(input.stream(), 0, counted);
        let sink = &mut self.sink;
        sink.places = Places::new(self.origins.len(), 0, counted);
        let driven = drive(
            &mut window,
            self.layout,
            sink,
            |bytes| progress.advance(bytes as u64).map(|()| Flow::On),
            |error| input.failed(error),
        );
        driven.map(drop).map_err(|(place, error)| place.locate(input.source(), error))
    }

    /// Reads a large file on several threads, part by part. Returns false, and takes nothing, if it has to
    /// be read line by line.
    fn take_parts(&mut self, input: &Input<'_>, progress: &Progress) -> Result<bool> {
        let (layout, number, source) = (self.layout, self.origins.len(), input.source());
        let one_query = self.sink.only.is_some();
        let divisible = layout.dialect == Dialect::Gainful
            && match layout.table {
                TableKind::Run => one_query,
                TableKind::Qrels => !one_query,
            };
        let Some(content) = input.content().filter(|_| divisible && self.threads > 1) else {
            return Ok(false);
        };
        let opened = Opened::File { file: content.clone(), length: input.length };
        let segments = cut(number, &opened, self.threads).map_err(|error| source.failed(&error))?;
        if segments.len() < 2 || !self.sink.builder.has_room(input.length / SHORTEST_LINE, input.length) {
            return Ok(false);
        }
        let read = |segment: &Segment| self.read_part(segment, &content, source, number, progress);
        // The caller checks for signals.
        let mut tick = |_: &Progress| true;
        let mut pace = Pace { threads: self.threads, progress, tick: &mut tick };
        let parts = run(
            segments.len(),
            &mut pace,
            || (),
            |(), job| segments.get(job).map_or_else(|| Err(Error::interrupted()), read),
        );
        let parts = match parts {
            Ok(parts) => parts,
            Err(error) if error.kind == Kind::Interrupted => return Err(error),
            // Reading line by line reports the first error of the file.
            Err(_) => return Ok(false),
        };
        content.check_unchanged().map_err(|error| source.failed(&error))?;
        let mut builders = Vec::with_capacity(parts.len());
        for part in parts {
            self.sink.count += part.count;
            self.sink.iterations.join(part.iterations);
            if !part.tag.is_empty() {
                self.sink.tag = part.tag;
            }
            builders.push((part.builder, 0));
        }
        self.sink.builder.append(builders, self.threads)?;
        Ok(true)
    }

    /// Reads the queries that start in a segment, or the rows in it of the only query that is kept.
    fn read_part(
        &self,
        segment: &Segment,
        content: &Content,
        source: &Source,
        number: usize,
        progress: &Progress,
    ) -> Result<Collect> {
        let layout = self.layout;
        let failed = |error: &std::io::Error| source.failed(error);
        let mut collect = Collect::new(self.sink.builder.part(), layout, self.sink.only.clone());
        collect.places = Places::new(number, segment.start, false);
        let bytes = Positioned { file: content.clone(), at: segment.start };
        let advance = |bytes| progress.advance(bytes as u64).map(|()| Flow::On);
        let driven = if collect.only.is_some() {
            let bytes = bytes.take(segment.end.saturating_sub(segment.start));
            let mut window = Window::new(bytes, segment.start, false);
            drive(&mut window, layout, &mut collect, advance, failed)
        } else {
            let skip = match segment.start {
                0 => None,
                start => query_before(content, start, layout).map_err(|error| failed(&error))?,
            };
            let mut window = Window::new(bytes, segment.start, false);
            let mut sink = Share { collect: &mut collect, skip, at: segment.start, end: segment.end };
            drive(&mut window, layout, &mut sink, advance, failed)
        };
        driven.map_err(|(place, error)| place.locate(source, error))?;
        Ok(collect)
    }

    pub(super) fn finish(self, duplicates: Duplicates, progress: &Progress) -> Result<Judged> {
        let Self { sink, origins, threads, .. } = self;
        let iterations = sink.iterations;
        let tag = sink.tag;
        let rows = sink.builder.finish_any(duplicates, threads, progress).map_err(|(place, error)| {
            let error = iterations.remark(error);
            let (number, within) = unpack(place);
            let Some(origin) = origins.get(number) else { return error };
            let place = if origin.counted { Place::Line(within) } else { Place::Offset(within) };
            place.locate(&origin.source, error)
        })?;
        Ok(Judged::of(rows, true, tag))
    }
}

/// The error for a file without rows.
#[must_use]
pub fn empty() -> Box<Error> {
    Error::statement(Kind::Format, "the file is empty")
}

struct Collect {
    builder: RowsBuilder,
    /// The only query whose rows are kept, if there is one.
    only: Option<Vec<u8>>,
    /// The number of rows so far.
    count: u64,
    layout: Layout,
    /// A joined label of two words.
    label: Vec<u8>,
    iterations: Iterations,
    places: Places,
    /// The tag of the last line.
    tag: Vec<u8>,
}

/// Whether the second words of judgments differ; they are ignored unless they are labels.
#[derive(Default)]
struct Iterations {
    first: Option<Vec<u8>>,
    differ: bool,
}

impl Iterations {
    #[inline]
    fn see(&mut self, word: &[u8]) {
        if !self.differ {
            match &self.first {
                Some(first) => self.differ = first != word,
                None => self.first = Some(word.to_vec()),
            }
        }
    }

    fn join(&mut self, next: Self) {
        self.differ |= next.differ;
        if let Some(first) = next.first {
            self.see(&first);
        }
    }

    /// Extends the hint for a duplicate document if the second words differ, which may be labels.
    fn remark(&self, error: Box<Error>) -> Box<Error> {
        if self.differ && error.kind == Kind::Duplicate {
            return error.hint(
                "if the second column has subtopics or groups of judgments, read it with subtopics=True, or combine \
                 the grades with ⟪subtopics=max⟫; otherwise resolve it with the policy duplicates=first, last, best \
                 or count",
            );
        }
        error
    }
}

/// Takes the rows of the queries that start in a segment.
struct Share<'a> {
    collect: &'a mut Collect,
    /// The query that the previous segment reads.
    skip: Option<Vec<u8>>,
    /// Offset in the source of the buffered bytes.
    at: u64,
    end: u64,
}

impl Sink for Share<'_> {
    #[inline]
    fn line(&mut self, bytes: &[u8], line: &Line) -> std::result::Result<Flow, Fault> {
        let query = bytes.known(line.query.clone());
        if let Some(skip) = &self.skip {
            if same(skip, query) {
                return Ok(Flow::On);
            }
            self.skip = None;
        }
        if self.at + line.query.start as u64 >= self.end && !self.collect.builder.is_in(query) {
            return Ok(Flow::Stop);
        }
        self.collect.line(bytes, line)
    }

    fn moved(&mut self, by: usize, at: u64) {
        self.at = at;
        self.collect.moved(by, at);
    }
}

impl Collect {
    fn new(builder: RowsBuilder, layout: Layout, only: Option<Vec<u8>>) -> Self {
        Self {
            builder,
            only,
            count: 0,
            layout,
            label: Vec::new(),
            iterations: Iterations::default(),
            places: Places::new(0, 0, false),
            tag: Vec::new(),
        }
    }

    fn under(&mut self, words: &[u8]) {
        match self.layout.labels {
            LabelFields::Ignored => self.iterations.see(words),
            LabelFields::One | LabelFields::Stratum => self.builder.label(words),
            LabelFields::Two => {
                let first = words.iter().take_while(|byte| !is_space(**byte)).count();
                let second = words.iter().rev().take_while(|byte| !is_space(**byte)).count();
                self.label.clear();
                self.label.extend_from_slice(words.get(..first).unwrap_or_default());
                self.label.push(b' ');
                self.label.extend_from_slice(words.get(words.len() - second..).unwrap_or_default());
                self.builder.label(&self.label);
            }
        }
    }
}

impl Sink for Collect {
    fn line(&mut self, bytes: &[u8], line: &Line) -> std::result::Result<Flow, Fault> {
        let text = |word: &std::ops::Range<usize>| bytes.known(word.clone());
        let at = line.value.start;
        let value = text(&line.value);
        let value = match (self.layout.table, self.layout.dialect) {
            (TableKind::Qrels, Dialect::Gainful) => number::grade(value),
            // The levels of preferences need not be integers.
            (TableKind::Qrels, Dialect::TrecEvalLevels) => number::score_prefix(value),
            (TableKind::Qrels, Dialect::TrecEval) if self.layout.labels == LabelFields::Two => {
                number::score_prefix(value)
            }
            (TableKind::Qrels, Dialect::TrecEval) => number::grade_prefix(value),
            (TableKind::Run, Dialect::Gainful) => number::score(value),
            (TableKind::Run, Dialect::TrecEval | Dialect::TrecEvalLevels) => number::score_prefix(value),
        }
        .map_err(|error| Fault { offset: at, error })?;
        if self.only.as_ref().is_some_and(|only| !same(text(&line.query), only)) {
            self.count += 1;
            return Ok(Flow::On);
        }
        let rank = match self.layout.table {
            TableKind::Qrels => {
                self.under(text(&line.rank));
                f64::NAN
            }
            // A rank that is not a number matters only if ranks are requested.
            TableKind::Run => number::float(text(&line.rank)).unwrap_or(f64::NAN),
        };
        let place = self.places.of(bytes, line.query.start);
        // More than all ids of the line.
        let length = line.value.end.max(line.document.end).saturating_sub(line.query.start);
        self.builder.room(length).map_err(|error| Fault { offset: at, error })?;
        self.builder.push(text(&line.query), text(&line.document), value, rank, place);
        self.count += 1;
        match self.builder.check() {
            Ok(()) => Ok(Flow::On),
            Err(error) => Err(Fault { offset: at, error: self.iterations.remark(error) }),
        }
    }

    fn keep(&self) -> Option<usize> {
        self.places.keep()
    }

    fn passed(&mut self, bytes: &[u8]) {
        self.places.pass(bytes);
    }

    fn tag(&mut self, tag: &[u8]) {
        tag.clone_into(&mut self.tag);
    }

    fn moved(&mut self, by: usize, at: u64) {
        self.places.moved(by, at);
    }
}
