//! Reads TREC text into columns.

use std::io::Read;

use super::input::Input;
use super::{Judged, Loaded, Request};
use crate::convention::Duplicates;
use crate::error::{Error, Kind, Result};
use crate::parallel::{Pace, Progress, run};
use crate::read::number;
use crate::read::place::{Place, Places, unpack};
use crate::read::scan::{is_space, same};
use crate::read::segments::{Segment, cut};
use crate::read::source::{Content, Opened, Positioned, Source};
use crate::read::trec::{Dialect, Fault, Flow, Labels, Layout, Line, Sink, Table, drive};
use crate::read::window::Window;
use crate::rows::RowsBuilder;

/// Reads one or more files of TREC text as one table.
pub fn read(request: &Request, progress: &Progress) -> Result<Loaded> {
    let request = Request { memory: None, ..request.clone() };
    let mut reader = Reader::new(&request, request.labels);
    for source in &request.sources {
        reader.take(Input::open(source, progress)?, progress)?;
    }
    reader.finish(request.duplicates, progress)?.in_memory()
}

pub(super) struct Reader {
    layout: Layout,
    sink: Collect,
    origins: Vec<Origin>,
    /// The threads that read the rows of one query.
    threads: usize,
}

/// The sources of rows.
struct Origin {
    source: Source,
    /// Whether its places are line numbers, not offsets.
    counted: bool,
}

impl Reader {
    /// The format of preferences always has two labels per line.
    pub fn new(request: &Request, labels: Labels) -> Self {
        let table = request.table;
        let mut builder = RowsBuilder::new(table == Table::Run);
        if let Some(memory) = request.limit() {
            builder = builder.within(memory, request.duplicates);
        }
        // The parts of one query are checked once they are joined.
        if request.duplicates == Duplicates::Error && request.query.is_none() {
            builder = builder.refusing_duplicates();
        }
        let labels = if table == Table::Qrels { labels } else { Labels::Ignored };
        let layout = Layout { table, labels, comments: request.comments, dialect: request.dialect };
        let sink = Collect::new(builder, layout, request.query.clone());
        Self { layout, sink, origins: Vec::new(), threads: request.threads }
    }

    pub fn take(&mut self, mut input: Input<'_>, progress: &Progress) -> Result<()> {
        let counted = !input.reopens;
        let before = self.sink.count;
        if self.sink.only.is_some()
            && self.layout.table == Table::Run
            && let Some(content) = input.content()
        {
            self.take_parts(&content, &input, progress)?;
        } else {
            self.take_stream(&mut input, counted, progress)?;
        }
        self.origins.push(Origin { source: input.source().clone(), counted });
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
            |bytes| progress.advance(bytes as u64),
            |error| input.failed(error),
        );
        driven.map_err(|(place, error)| place.locate(input.source(), error))
    }

    /// Reads the rows of one query on several threads, part by part of the file.
    fn take_parts(&mut self, content: &Content, input: &Input<'_>, progress: &Progress) -> Result<()> {
        let (layout, number, source) = (self.layout, self.origins.len(), input.source());
        let only = &self.sink.only;
        let opened = Opened::File { file: content.clone(), length: input.length };
        let segments = cut(number, &opened, self.threads).map_err(|error| source.failed(&error))?;
        let read = |segment: &Segment| {
            let mut sink = Collect::new(RowsBuilder::new(true), layout, only.clone());
            sink.places = Places::new(number, segment.start, false);
            let bytes = Positioned { file: content.clone(), at: segment.start };
            let bytes = bytes.take(segment.end.saturating_sub(segment.start));
            let mut window = Window::new(bytes, segment.start, false);
            let advance = |bytes| progress.advance(bytes as u64);
            match drive(&mut window, layout, &mut sink, advance, |error| source.failed(error)) {
                Ok(()) => Ok(sink),
                Err((place, error)) => Err(place.locate(source, error)),
            }
        };
        // The caller checks for signals.
        let mut tick = |_: &Progress| true;
        let mut pace = Pace { threads: self.threads, progress, tick: &mut tick };
        let parts = run(
            segments.len(),
            &mut pace,
            || (),
            |(), job| segments.get(job).map_or_else(|| Err(Error::interrupted()), read),
        )?;
        content.check_unchanged().map_err(|error| source.failed(&error))?;
        for part in parts {
            self.sink.count += part.count;
            self.sink.builder.append(&part.builder, 0)?;
            if !part.tag.is_empty() {
                self.sink.tag = part.tag;
            }
        }
        Ok(())
    }

    pub fn finish(self, duplicates: Duplicates, progress: &Progress) -> Result<Judged> {
        let Self { sink, origins, .. } = self;
        let iterations = sink.iterations;
        let tag = sink.tag;
        let rows = sink.builder.finish_any(duplicates, 1, progress).map_err(|(place, error)| {
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
            Labels::Ignored => self.iterations.see(words),
            Labels::One | Labels::Stratum => self.builder.label(words),
            Labels::Two => {
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
        let text = |word: &std::ops::Range<usize>| bytes.get(word.clone()).unwrap_or_default();
        let at = line.value.start;
        let value = text(&line.value);
        let value = match (self.layout.table, self.layout.dialect) {
            (Table::Qrels, Dialect::Gainful) => number::grade(value),
            // The levels of preferences need not be integers.
            (Table::Qrels, Dialect::TrecEvalLevels) => number::score_prefix(value),
            (Table::Qrels, Dialect::TrecEval) if self.layout.labels == Labels::Two => {
                number::score_prefix(value)
            }
            (Table::Qrels, Dialect::TrecEval) => number::grade_prefix(value),
            (Table::Run, Dialect::Gainful) => number::score(value),
            (Table::Run, Dialect::TrecEval | Dialect::TrecEvalLevels) => number::score_prefix(value),
        }
        .map_err(|error| Fault { offset: at, error })?;
        if self.only.as_ref().is_some_and(|only| !same(text(&line.query), only)) {
            self.count += 1;
            return Ok(Flow::On);
        }
        let rank = match self.layout.table {
            Table::Qrels => {
                self.under(text(&line.rank));
                f64::NAN
            }
            // A rank that is not a number matters only if ranks are requested.
            Table::Run => number::float(text(&line.rank)).unwrap_or(f64::NAN),
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
