//! TSV and CSV, with or without a header.
//!
//! Without a header the columns go by their number. Judgments: query, document (grade 1); query,
//! document, grade; query, iteration, document, grade. Runs: query, document (in rank order); query,
//! document, score; the six of TREC. A third column of ranks (`query document rank`, as MS MARCO's
//! runs have it) looks like one of scores and means the opposite, so it is never guessed: a header
//! or `columns` has to name it.
//!
//! In a run whose columns are named, a row with a query and empty cells for document, score and rank
//! is a query that found nothing.

use std::io::{BufRead, BufReader};

use csv_core::ReadRecordResult;

use super::Request;
use super::collect::{Collector, Value};
use super::columns::{Role, missing, role};
use super::input::{Input, Watched, failed};
use super::lines::too_long;
use super::numerals;
use crate::error::{Error, Kind, Result};
use crate::read::binary::nul;
use crate::read::number;
use crate::read::source::Source;
use crate::read::trec::Table;
use crate::read::window::LONGEST_LINE;

/// Fields a record may have; beyond it a file is something else.
const MOST_FIELDS: usize = 1 << 16;

pub(super) fn read(
    input: &mut Input<'_>,
    delimiter: u8,
    request: &Request,
    collector: &mut Collector,
) -> Result<()> {
    let mut records = Records::new(input, delimiter);
    let mut layout = None;
    let mut counting = Counting::default();
    while let Some(line) = records.next()? {
        let record = records.record();
        let blank = record.width == 1 && record.field(0).trim_ascii().is_empty();
        if blank || request.comments && record.field(0).first() == Some(&b'#') {
            continue;
        }
        let columns = match &layout {
            Some(columns) => columns,
            None => {
                let (columns, header) = Columns::find(&record, request).map_err(|error| error.line(line))?;
                let columns = layout.insert(columns);
                if header {
                    continue;
                }
                columns
            }
        };
        if record.width != columns.width {
            return Err(width(record.width, columns.width, delimiter).line(line));
        }
        if request.table == Table::Run && columns.found_nothing(&record) {
            collector.query(record.field(columns.query), line)?;
            continue;
        }
        let value = columns.value(&record, request.table).map_err(|error| error.line(line))?;
        if columns.unnamed_scores
            && let Value::Score(score, _) = value
        {
            counting.see(record.field(columns.query), score);
        }
        if let Some(label) = columns.label.filter(|_| collector.labelled) {
            collector.label(Some(record.field(label)));
        }
        collector.push(record.field(columns.query), record.field(columns.document), value, line)?;
    }
    if counting.are_ranks() { Err(ranks_for_scores()) } else { Ok(()) }
}

/// Whether an unnamed third column counts 1, 2, 3, … down each query: then it holds ranks, and to take
/// them for scores would turn every ranking upside down.
#[derive(Default)]
struct Counting {
    query: Vec<u8>,
    count: f64,
    longest: f64,
    broken: bool,
}

impl Counting {
    fn see(&mut self, query: &[u8], score: f64) {
        if self.broken {
            return;
        }
        if query != self.query.as_slice() || self.count == 0.0 {
            self.query.clear();
            self.query.extend_from_slice(query);
            self.count = 0.0;
        }
        self.count += 1.0;
        self.longest = self.longest.max(self.count);
        self.broken = score != self.count;
    }

    fn are_ranks(&self) -> bool {
        !self.broken && self.longest >= 3.0
    }
}

#[cold]
fn ranks_for_scores() -> Box<Error> {
    Error::new(
        Kind::Format,
        "a third column that counts 1, 2, 3, … down each query",
        "scores, higher for better",
    )
    .hint("name the columns: a first line 'query_id doc_id rank', or columns=['query_id', 'doc_id', 'rank']")
}

#[cold]
fn width(found: usize, expected: usize, delimiter: u8) -> Box<Error> {
    let between = if delimiter == b'\t' { "tabs" } else { "commas" };
    let s = if found == 1 { "" } else { "s" };
    Error::new(Kind::Format, format!("{found} field{s}"), format!("{expected} fields, as on the first line"))
        .hint(format!("fields stand between {between}; other formats are named with format="))
}

/// Where in a record things stand.
struct Columns {
    query: usize,
    document: usize,
    value: Option<usize>,
    rank: Option<usize>,
    label: Option<usize>,
    width: usize,
    /// The columns have names, in a header or from the caller.
    named: bool,
    /// The values of a run are treated as scores though nothing says so.
    unnamed_scores: bool,
}

impl Columns {
    /// From the first record; and whether that is a header.
    fn find(first: &Record<'_>, request: &Request) -> Result<(Self, bool)> {
        let table = request.table;
        if !request.columns.is_empty() {
            let names: Vec<&[u8]> = request.columns.iter().map(String::as_bytes).collect();
            return Ok((Self::named(&names, table)?, request.header == Some(true)));
        }
        let cells: Vec<&[u8]> = (0..first.width).map(|field| first.field(field)).collect();
        if request.header.unwrap_or_else(|| is_header(&cells, table)) {
            let names: Vec<&[u8]> = cells.iter().map(|cell| cell.trim_ascii()).collect();
            return Ok((Self::named(&names, table)?, true));
        }
        let (query, width) = (0, first.width);
        let (document, value, rank) = match (table, width) {
            (_, 2) => (1, None, None),
            (_, 3) => (1, Some(2), None),
            (Table::Qrels, 4) => (2, Some(3), None),
            (Table::Run, 6) => (2, Some(4), Some(3)),
            _ => return Err(strange_width(width, table)),
        };
        let unnamed_scores = table == Table::Run && width == 3;
        let label = (table == Table::Qrels && width == 4).then_some(1);
        Ok((Self { query, document, value, rank, label, width, named: false, unnamed_scores }, false))
    }

    /// From the names of the columns.
    fn named(names: &[&[u8]], table: Table) -> Result<Self> {
        let mut best: [Option<(usize, usize)>; 5] = [None; 5];
        for (column, name) in names.iter().enumerate() {
            let Some((role, place)) = role(name, table) else { continue };
            let slot = match role {
                Role::Query => 0,
                Role::Document => 1,
                Role::Value => 2,
                Role::Rank => 3,
                Role::Label => 4,
                Role::List => continue,
            };
            let Some(best) = best.get_mut(slot) else { continue };
            match best {
                Some((_, kept)) if *kept == place => {
                    let found = format!("two columns named {}", crate::error::quoted(name));
                    return Err(Error::new(Kind::Column, found, "one"));
                }
                Some((_, kept)) if *kept < place => {}
                _ => *best = Some((column, place)),
            }
        }
        let lacks = |role| missing(role, table, names.iter().copied(), "column");
        let [query, document, value, rank, label] = best.map(|best| best.map(|(column, _)| column));
        let query = query.ok_or_else(|| lacks(Role::Query))?;
        let document = document.ok_or_else(|| lacks(Role::Document))?;
        // Other columns may well be grades or scores by another name.
        let bare = value.is_none() && (table == Table::Qrels || rank.is_none());
        if bare && names.len() > 2 {
            return Err(lacks(Role::Value));
        }
        Ok(Self {
            query,
            document,
            value,
            rank,
            label,
            width: names.len(),
            named: true,
            unnamed_scores: false,
        })
    }

    /// Whether a row has a query and nothing else.
    fn found_nothing(&self, record: &Record<'_>) -> bool {
        let empty = |field: usize| record.field(field).trim_ascii().is_empty();
        self.named
            && empty(self.document)
            && self.value.is_none_or(empty)
            && self.rank.is_none_or(empty)
            && !empty(self.query)
    }

    fn value(&self, record: &Record<'_>, table: Table) -> Result<Value> {
        let value = match self.value {
            Some(field) => Some(numerals::value(record.field(field), table)?),
            None => None,
        };
        let rank = self.rank.map(|field| record.field(field).trim_ascii());
        Ok(match (table, value, rank) {
            (Table::Qrels, grade, _) => Value::Grade(grade.unwrap_or(1.0)),
            // Beside a score, a rank that is not a number matters only where ranks are asked for.
            (Table::Run, Some(score), rank) => {
                Value::Score(score, rank.map(|text| number::float(text).unwrap_or(f64::NAN)))
            }
            (Table::Run, None, Some(rank)) => match number::float(rank) {
                Some(rank) if rank.is_finite() => Value::Rank(rank),
                _ => {
                    let found = crate::error::quoted(rank);
                    return Err(Error::new(Kind::Format, found, "a rank (a number)"));
                }
            },
            (Table::Run, None, None) => Value::Given,
        })
    }
}

#[cold]
fn strange_width(found: usize, table: Table) -> Box<Error> {
    let s = if found == 1 { "" } else { "s" };
    let expected = match table {
        Table::Qrels => "2 (query, document), 3 (… grade) or 4 (query, iteration, document, grade)",
        Table::Run => "2 (query, document), 3 (… score) or 6 (those of TREC)",
    };
    Error::new(Kind::Format, format!("{found} column{s} without a header"), expected)
        .hint("a first line may name the columns: query_id, doc_id, and grade, score or rank")
}

/// Whether a first line names columns. Two names that are known, or one among cells that are all
/// not numbers: a query may be called "topic" and a document "rank", but hardly both in one row.
pub(super) fn is_header(cells: &[&[u8]], table: Table) -> bool {
    let known = cells.iter().filter(|cell| role(cell.trim_ascii(), table).is_some()).count();
    let number = cells.iter().any(|cell| number::float(cell.trim_ascii()).is_some());
    known >= 2 || known == 1 && !number && cells.len() > 1
}

/// The fields of a record.
struct Record<'a> {
    bytes: &'a [u8],
    ends: &'a [usize],
    width: usize,
}

impl Record<'_> {
    fn field(&self, field: usize) -> &[u8] {
        let start = match field.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(usize::MAX),
            None => 0,
        };
        let end = self.ends.get(field).copied().unwrap_or(start);
        self.bytes.get(start..end).unwrap_or_default()
    }
}

/// A stream, record by record.
struct Records<'a> {
    reader: BufReader<Watched<'a>>,
    source: Source,
    core: csv_core::Reader,
    bytes: Vec<u8>,
    length: usize,
    ends: Vec<usize>,
    width: usize,
    /// Lines that have ended.
    lines: u64,
}

impl<'a> Records<'a> {
    fn new(input: &mut Input<'a>, delimiter: u8) -> Self {
        Self {
            source: input.source().clone(),
            reader: BufReader::with_capacity(1 << 17, input.watched()),
            core: csv_core::ReaderBuilder::new().delimiter(delimiter).quoting(delimiter == b',').build(),
            bytes: vec![0; 1 << 12],
            length: 0,
            ends: vec![0; 16],
            width: 0,
            lines: 0,
        }
    }

    /// Reads one; the number of the line on which it starts, or `None` at the end.
    fn next(&mut self) -> Result<Option<u64>> {
        (self.length, self.width) = (0, 0);
        let mut start = None;
        loop {
            let input = self.reader.fill_buf().map_err(|error| failed(&self.source, &error))?;
            let bytes = self.bytes.get_mut(self.length..).unwrap_or_default();
            let ends = self.ends.get_mut(self.width..).unwrap_or_default();
            let (result, read, written, ended) = self.core.read_record(input, bytes, ends);
            let taken = input.get(..read).unwrap_or_default();
            if start.is_none() {
                // Empty lines before a record are passed over.
                let blank = taken.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
                if blank < taken.len() {
                    let newlines = taken.iter().take(blank).filter(|&&byte| byte == b'\n').count();
                    start = Some(self.lines + newlines as u64 + 1);
                }
            }
            self.lines += memchr::memchr_iter(b'\n', taken).count() as u64;
            self.reader.consume(read);
            self.length += written;
            self.width += ended;
            let line = start.unwrap_or(self.lines + 1);
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if self.bytes.len() < LONGEST_LINE => {
                    self.bytes.resize(self.bytes.len() * 2, 0);
                }
                ReadRecordResult::OutputEndsFull if self.ends.len() < MOST_FIELDS => {
                    self.ends.resize(self.ends.len() * 2, 0);
                }
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                    return Err(too_long(LONGEST_LINE).line(line));
                }
                ReadRecordResult::End => return Ok(None),
                ReadRecordResult::Record => {
                    let bytes = self.bytes.get(..self.length).unwrap_or_default();
                    if memchr::memchr(0, bytes).is_some() {
                        return Err(nul().line(line));
                    }
                    return Ok(Some(line));
                }
            }
        }
    }

    fn record(&self) -> Record<'_> {
        Record { bytes: &self.bytes, ends: &self.ends, width: self.width }
    }
}
