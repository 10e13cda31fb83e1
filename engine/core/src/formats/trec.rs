//! TREC text into columns.

use super::{Loaded, Request};
use crate::error::{Error, Kind, Result};
use crate::parallel::Progress;
use crate::read::number;
use crate::read::source::{Opened, Positioned};
use crate::read::trec::{Fault, Flow, Layout, Line, Place, Sink, Table, drive};
use crate::read::window::{Window, count_lines};
use crate::rows::RowsBuilder;

/// A place names its source in the upper bits, the offset or line in it below.
const SOURCE_SHIFT: u32 = 48;

/// Reads one or several files as one.
pub fn read(request: &Request, progress: &Progress) -> Result<Loaded> {
    let mut sink = Collect {
        builder: RowsBuilder::new(request.table == Table::Run),
        table: request.table,
        source: 0,
        at: 0,
        lines: None,
    };
    let layout = Layout { table: request.table, comments: request.comments };
    for (number, source) in request.sources.iter().enumerate() {
        let opened = source.open()?;
        let counted = matches!(opened, Opened::Stream(_));
        let stream: Box<dyn std::io::Read + Send> = match opened {
            Opened::File { file, .. } => Box::new(Positioned { file, at: 0 }),
            Opened::Stream(stream) => stream,
        };
        let mut window = Window::new(stream, 0, counted);
        sink.source = (number as u64) << SOURCE_SHIFT;
        sink.at = 0;
        sink.lines = counted.then_some((1, 0));
        let before = sink.builder.len();
        drive(
            &mut window,
            layout,
            &mut sink,
            |bytes| progress.advance(bytes as u64),
            |error| source.failed(error),
        )
        .map_err(|(place, error)| locate(request, number, place, error))?;
        if sink.builder.len() == before {
            return Err(empty(request.table).file(source.name()));
        }
    }
    let rows = sink.builder.finish(request.duplicates).map_err(|(place, error)| {
        let number = usize::try_from(place >> SOURCE_SHIFT).unwrap_or(0);
        let within = place & ((1 << SOURCE_SHIFT) - 1);
        let counted = request
            .sources
            .get(number)
            .is_some_and(|source| !matches!(source.open(), Ok(Opened::File { .. })));
        let place = if counted { Place::Line(within) } else { Place::Offset(within) };
        locate(request, number, place, error)
    })?;
    Ok(Loaded { rows, scored: true })
}

/// The error for a file without a single row.
#[must_use]
pub fn empty(table: Table) -> Box<Error> {
    let what = match table {
        Table::Qrels => "judgments",
        Table::Run => "a run",
    };
    Error::new(Kind::Format, "an empty file", what)
}

fn locate(request: &Request, number: usize, place: Place, error: Box<Error>) -> Box<Error> {
    if error.file.is_some() || error.kind == Kind::Interrupted {
        return error;
    }
    let Some(source) = request.sources.get(number) else { return error };
    let error = error.file(source.name());
    match place {
        Place::Nowhere => error,
        Place::Line(line) => error.line(line),
        Place::Offset(offset) => match source.stream().and_then(|stream| count_lines(stream, offset)) {
            Ok(line) => error.line(line),
            Err(_) => error,
        },
    }
}

struct Collect {
    builder: RowsBuilder,
    table: Table,
    source: u64,
    at: u64,
    /// Where lines are counted: the number of the line that holds an offset of the bytes at hand.
    lines: Option<(u64, usize)>,
}

impl Sink for Collect {
    fn line(&mut self, bytes: &[u8], line: &Line) -> std::result::Result<Flow, Fault> {
        let text = |word: &std::ops::Range<usize>| bytes.get(word.clone()).unwrap_or_default();
        let at = line.value.start;
        let value = match self.table {
            Table::Qrels => number::grade(text(&line.value)),
            Table::Run => number::score(text(&line.value)),
        }
        .map_err(|error| Fault { offset: at, error })?;
        let rank = match self.table {
            Table::Qrels => f64::NAN,
            // A rank that is not a number matters only where ranks are asked for.
            Table::Run => number::float(text(&line.rank)).unwrap_or(f64::NAN),
        };
        let place = match &mut self.lines {
            Some((number, counted)) => {
                let between = bytes.get(*counted..line.query.start).unwrap_or_default();
                *number += memchr::memchr_iter(b'\n', between).count() as u64;
                *counted = line.query.start;
                *number
            }
            None => self.at + line.query.start as u64,
        };
        self.builder.push(text(&line.query), text(&line.document), value, rank, self.source | place);
        Ok(Flow::On)
    }

    fn keep(&self) -> Option<usize> {
        self.lines.map(|(_, counted)| counted)
    }

    fn moved(&mut self, by: usize, at: u64) {
        self.at = at;
        if let Some((_, counted)) = &mut self.lines {
            *counted -= by;
        }
    }
}
