//! Reads TSV and CSV, with or without a header, and words separated by white space with named columns.
//!
//! Without a header, the number of columns decides. Judgments: query, document (grade 1); query, document,
//! grade; query, iteration, document, grade. Runs: query, document (in rank order); query, document, score;
//! query, document, rank, as in MS MARCO's runs, if the third column counts the documents of each query; the
//! six of TREC.
//!
//! In a run whose columns are named, a row with a query and empty cells for document, score and rank is a
//! query without retrieved documents.

use std::collections::VecDeque;

use super::collect::{Collector, RowValue};
use super::columns::{RowNames, Sought, is_header, is_known, known_names, untyped};
use super::envelopes::has_lists;
use super::input::Input;
use super::numerals;
use super::objects::{PEEK, RecordReader};
use super::places::Cells;
use super::records::{Delimiter, Record, Records};
use super::refusals::{has_role, missing, number as number_of};
use super::sample::Sample;
use super::{Composer, Request, labels_hint};
use crate::error::{Code, Error, Kind, Result};
use crate::read::number;
use crate::read::trec::TableKind;
use crate::roles::{Field, Naming, Offsets, Role, Value as Cell};
use crate::spans::{bad_weight, is_weight};

pub(super) fn read(
    input: &mut Input<'_>,
    delimiter: Delimiter,
    request: &Request,
    collector: &mut Collector,
) -> Result<()> {
    let mut lists: Option<(Vec<String>, RecordReader)> = None;
    let chosen = !request.columns.is_empty() && request.header != Some(true);
    let before = collector.count();
    let sample = Sample::new(&input.head, input.complete, "", request);
    let ranked = request.columns.is_empty() && sample.ranked() == Some(delimiter);
    let titled = request.header.is_none() && sample.has_title(delimiter);
    let mut grade_name = None;
    let mut records = Records::new(input, delimiter);
    // The cells of a header, which is in the middle of a file again where files were joined.
    let mut heading: Option<Copied> = None;
    // Records that were looked at for the columns.
    let mut ahead: VecDeque<Copied> = VecDeque::new();
    let mut copied;
    let mut layout = None;
    let mut counting = Positions::default();
    loop {
        let (line, record) = match ahead.pop_front() {
            Some(next) => {
                copied = next;
                (copied.line, copied.record())
            }
            None => {
                let Some(line) = records.next()? else { break };
                (line, records.record())
            }
        };
        // Spreadsheets write separators for empty rows.
        let blank = record.is_empty() || record.width == 1 && record.field(0).trim_ascii().is_empty();
        if blank || request.comments && record.field(0).first() == Some(&b'#') {
            continue;
        }
        if heading.as_ref().is_some_and(|heading| heading.is(&record)) {
            continue;
        }
        if let Some((names, lists)) = &mut lists {
            if record.width != names.len() {
                let expected = format!("{} fields, as in the first line", names.len());
                return Err(Error::new(Kind::Format, format!("{} fields", record.width), expected).line(line));
            }
            let cells = names
                .iter()
                .enumerate()
                .map(|(field, name)| (name.clone(), Cell::Text(record.field(field).to_vec())));
            lists.push(Cell::Object(cells.collect()), line, collector)?;
            continue;
        }
        let columns = match &layout {
            Some(columns) => columns,
            None => {
                if let Some(names) = header(&record, request) {
                    heading = Some(Copied::of(&record, line));
                    if has_lists(&names, &request.naming()) {
                        lists = Some((names, RecordReader::new(request, true)));
                        continue;
                    }
                    while ahead.len() < PEEK
                        && let Some(line) = records.next()?
                    {
                        let next = Copied::of(&records.record(), line);
                        if !heading.as_ref().is_some_and(|heading| heading.is(&next.record())) {
                            ahead.push_back(next);
                        }
                    }
                    let columns =
                        FieldPlaces::resolved(&names, &ahead, request).map_err(|error| error.line(line))?;
                    grade_name = columns.value.and_then(|place| names.get(place).cloned());
                    layout = Some(columns);
                    continue;
                }
                let found =
                    if ranked { FieldPlaces::ranked(&record) } else { FieldPlaces::find(&record, request) };
                let columns = layout.insert(found.map_err(|error| error.line(line))?);
                if titled && request.columns.is_empty() {
                    return Err(unknown_header(&record, request.table).line(line));
                }
                if !request.columns.is_empty()
                    && record.width == columns.width
                    && request.header.unwrap_or_else(|| titled || has_known_names(&record))
                {
                    heading = Some(Copied::of(&record, line));
                    continue;
                }
                columns
            }
        };
        if record.width != columns.width {
            return Err(columns.strange(&record, delimiter, chosen).line(line));
        }
        if let Some((offsets, fields)) = &columns.offsets {
            collector.compose(offsets, "");
            collector.place = collector
                .composer
                .as_ref()
                .map_or(Ok(Cells::default()), |composer| fields.cells(&record, composer))
                .map_err(|error| error.line(line))?;
        }
        if let Some((name, field)) = &columns.system {
            collector.system(name, record.field(*field)).map_err(|error| error.line(line))?;
        }
        if request.table == TableKind::Run && columns.found_nothing(&record) {
            collector.query(record.field(columns.query), line)?;
            continue;
        }
        let value = columns.value(&record, request).map_err(|error| {
            let first = collector.count() == before && error.hint.is_empty();
            let error = match () {
                () if first && chosen => header_for_row(error),
                () if first && !columns.named && request.header.is_none() && is_text(&record) => {
                    unknown_header(&record, request.table)
                }
                () => error,
            };
            error.line(line)
        });
        let value = match value {
            Err(error) if columns.has_label(&record, request) && error.hint.is_empty() => {
                let mut labels = vec![columns.value_of(&record).to_vec()];
                labels.extend(ahead.iter().map(|row| columns.value_of(&row.record()).to_vec()));
                while let Ok(Some(_)) = records.next() {
                    labels.push(columns.value_of(&records.record()).to_vec());
                }
                if collector.count() == before
                    && labels.iter().skip(1).all(|cell| number::float(cell.trim_ascii()).is_some())
                {
                    return Err(error.hint("if this line is a second header, delete it"));
                }
                let name = grade_name.unwrap_or_default();
                return Err(error.hint(labels_hint(&name, labels.iter().map(Vec::as_slice))));
            }
            value => value?,
        };
        if columns.unnamed
            && let RowValue::Score(number, _) | RowValue::Rank(number) = value
        {
            counting.see(record.field(columns.query), number);
        }
        if let Some(label) = columns.label.filter(|_| collector.labelled) {
            match columns.weight(&record).map_err(|error| error.line(line))? {
                None => collector.label(Some(record.field(label))),
                Some(weight) => collector.weighted_label(record.field(label), weight),
            }
        }
        collector.push(record.field(columns.query), record.field(columns.document), value, line)?;
    }
    if let Some((_, mut lists)) = lists {
        lists.settle(collector)?;
    }
    let ranks = layout.is_some_and(|columns| columns.unnamed && columns.rank.is_some());
    if ranks == counting.are_ranks() { Ok(()) } else { Err(ranks_for_scores()) }
}

/// The names in a header, if the first record is one.
fn header(first: &Record<'_>, request: &Request) -> Option<Vec<String>> {
    if !request.columns.is_empty() {
        return None;
    }
    let cells: Vec<&[u8]> = (0..first.width).map(|field| first.field(field).trim_ascii()).collect();
    let is_named = |cell: &[u8]| request.named.iter().any(|(_, name)| name.as_bytes() == cell);
    let name = |cell: &&[u8]| {
        String::from_utf8_lossy(if is_named(cell) { cell } else { untyped(cell) }).into_owned()
    };
    let names = || cells.iter().map(name).collect();
    let said = !request.named.is_empty();
    (said || request.header.unwrap_or_else(|| is_header(&cells))).then(names)
}

/// Whether a record has two or more known names of columns.
fn has_known_names(record: &Record<'_>) -> bool {
    let cells: Vec<&[u8]> = (0..record.width).map(|field| record.field(field)).collect();
    known_names(&cells) > 1
}

/// A copy of a record.
struct Copied {
    line: u64,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Copied {
    fn of(record: &Record<'_>, line: u64) -> Self {
        let mut copy = Self { line, bytes: Vec::new(), ends: Vec::new() };
        for field in 0..record.width {
            copy.bytes.extend_from_slice(record.field(field));
            copy.ends.push(copy.bytes.len());
        }
        copy
    }

    fn is(&self, record: &Record<'_>) -> bool {
        record.width == self.ends.len()
            && (0..record.width).all(|field| record.field(field) == self.record().field(field))
    }

    fn record(&self) -> Record<'_> {
        Record { bytes: &self.bytes, ends: &self.ends, width: self.ends.len() }
    }
}

/// Whether an unnamed third column counts 1, 2, 3, … in each query. Such ranks, treated as scores, would
/// reverse every ranking. The first rows decide; those that follow must agree.
#[derive(Default)]
struct Positions {
    query: Vec<u8>,
    count: f64,
    longest: f64,
    broken: bool,
}

impl Positions {
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
    Error::statement(Kind::Format, "the third column seems to have ranks (1, 2, 3, …), not scores").hint(
        "name the columns with the header 'query_id doc_id rank' or columns=['query_id', 'doc_id', 'rank']",
    )
}

#[cold]
fn header_for_row(error: Box<Error>) -> Box<Error> {
    error.hint("if this line is a header, use its names: ⟪columns='query=NAME,doc=NAME,grade=NAME'⟫")
}

/// Whether no field of a record is a number or empty, as in a header.
fn is_text(record: &Record<'_>) -> bool {
    (0..record.width)
        .map(|field| record.field(field).trim_ascii())
        .all(|cell| !cell.is_empty() && number::float(cell).is_none())
}

/// The error for a first line that is a header without known names.
#[cold]
fn unknown_header(record: &Record<'_>, table: TableKind) -> Box<Error> {
    let names = (0..record.width).map(|field| record.field(field).trim_ascii());
    let lacking: Vec<Role> = [Role::Query, Role::Document, number_of(table)]
        .into_iter()
        .filter(|sought| !names.clone().any(|name| has_role(name, *sought)))
        .collect();
    missing(&lacking, table, names, "column")
}

/// The positions of the fields in a record.
#[derive(Default)]
struct FieldPlaces {
    query: usize,
    document: usize,
    value: Option<usize>,
    /// The name of the values if they must be whole.
    whole: Option<String>,
    rank: Option<usize>,
    label: Option<usize>,
    weight: Option<usize>,
    offsets: Option<(Offsets, OffsetFields)>,
    /// The name and the position of the column of systems.
    system: Option<(String, usize)>,
    width: usize,
    /// The columns have names, in a header or from the caller.
    named: bool,
    /// Whether a run has scores or ranks in its third column is seen from their values.
    unnamed: bool,
}

impl FieldPlaces {
    /// The columns of these names, of which the first records show the values.
    fn resolved(names: &[String], rows: &VecDeque<Copied>, request: &Request) -> Result<Self> {
        let mut shape = Field::new("", 0);
        for (place, name) in names.iter().enumerate() {
            let field = shape.member(name, 0);
            for row in rows.iter().filter(|row| row.ends.len() == names.len()) {
                field.see_cell(&String::from_utf8_lossy(row.record().field(place)));
            }
        }
        Self::of(names, shape, request, &request.naming())
    }

    /// The columns among named ones.
    fn of(names: &[String], shape: Field, request: &Request, naming: &Naming) -> Result<Self> {
        let sought = Sought { table: request.table, naming, labelled: false, numbered: false };
        let RowNames { query, document, value, whole, rank, label, weight, system, offsets } =
            sought.among(names, shape)?;
        let column = |name: &String| names.iter().position(|other| other == name);
        let lost = || Error::statement(Kind::Column, "a column is lost");
        let fields = |offsets: Offsets| {
            let (start, end) = (column(&offsets.start)?, column(&offsets.end)?);
            let tokens = offsets.tokens.as_ref().and_then(column);
            Some((offsets, OffsetFields { start, end, tokens }))
        };
        Ok(Self {
            query: column(&query).ok_or_else(lost)?,
            document: column(&document).ok_or_else(lost)?,
            value: value.as_ref().and_then(column),
            whole: value.filter(|_| whole),
            rank: rank.as_ref().and_then(column),
            label: label.as_ref().and_then(column),
            weight: weight.as_ref().and_then(column),
            offsets: offsets.and_then(fields),
            system: system.and_then(|name| column(&name).map(|place| (name, place))),
            width: names.len(),
            named: true,
            unnamed: false,
        })
    }

    /// Determines the columns from the first record, or the names that the caller gives to all.
    fn find(first: &Record<'_>, request: &Request) -> Result<Self> {
        let table = request.table;
        if !request.columns.is_empty() {
            return Self::named(request);
        }
        let (query, width) = (0, first.width);
        let (document, value, rank) = match (table, width) {
            (_, 2) => (1, None, None),
            (_, 3) => (1, Some(2), None),
            (TableKind::Qrels, 4) => (2, Some(3), None),
            (TableKind::Run, 6) => (2, Some(4), Some(3)),
            _ if width > 1 && request.header.is_none() && is_text(first) => {
                return Err(unknown_header(first, table));
            }
            _ => return Err(strange_width(width, table)),
        };
        let unnamed = table == TableKind::Run && width == 3;
        let label = (table == TableKind::Qrels && width == 4).then_some(1);
        Ok(Self { query, document, value, rank, label, width, unnamed, ..Self::default() })
    }

    /// The columns query, document and rank; a score and a tag may follow.
    fn ranked(first: &Record<'_>) -> Result<Self> {
        let (width, unnamed) = (first.width, first.width == 3);
        let value = (!unnamed).then_some(3);
        Ok(Self { document: 1, value, rank: Some(2), width, unnamed, ..Self::default() })
    }

    /// Determines the columns from the names that the caller gives to all. Those with unknown names are not
    /// read; if there are any, a grade, score or rank must be named.
    fn named(request: &Request) -> Result<Self> {
        let names = &request.columns;
        let skipped = |name: &String| !is_known(name.as_bytes(), request.table);
        let mut shape = Field::new("", 0);
        for name in names.iter().filter(|name| !skipped(name)) {
            shape.member(name, 0);
        }
        let columns = Self { whole: None, ..Self::of(names, shape, request, &request.naming())? };
        let bare = columns.value.is_none() && columns.rank.is_none();
        if bare && names.iter().any(|name| skipped(name) && name != NOT_READ) {
            let names = names.iter().map(String::as_bytes);
            return Err(missing(&[number_of(request.table)], request.table, names, "column"));
        }
        Ok(columns)
    }

    /// Whether a row has a query and nothing else.
    fn found_nothing(&self, record: &Record<'_>) -> bool {
        let empty = |field: usize| record.field(field).trim_ascii().is_empty();
        self.named
            && empty(self.document)
            && self.value.is_none_or(empty)
            && self.rank.is_none_or(empty)
            && self.offsets.as_ref().is_none_or(|(_, fields)| empty(fields.start) && empty(fields.end))
            && !empty(self.query)
    }

    /// The error for a record with another number of fields.
    #[cold]
    fn strange(&self, record: &Record<'_>, delimiter: Delimiter, chosen: bool) -> Box<Error> {
        let comma = delimiter == Delimiter::Comma && record.width == self.width + 1;
        if let Some(value) = self.value.filter(|_| comma) {
            let both = [record.field(value).trim_ascii(), record.field(value + 1).trim_ascii()].join(&b',');
            if let Some(error) = number::decimal_comma(&both) {
                return error;
            }
        }
        let s = if record.width == 1 { "" } else { "s" };
        let like = if chosen { "columns=" } else { "the first line" };
        let expected = format!("{} fields, as in {like}", self.width);
        let hint =
            format!("fields are separated by {}; choose another format with ⟪format⟫", delimiter.name());
        Error::new(Kind::Format, format!("{} field{s}", record.width), expected).hint(hint)
    }

    /// The weight of the subtopic, if it has one.
    fn weight(&self, record: &Record<'_>) -> Result<Option<f64>> {
        let text = self.weight.map_or(&[][..], |field| record.field(field)).trim_ascii();
        match number::float(text) {
            _ if text.is_empty() => Ok(None),
            Some(weight) if is_weight(weight) => Ok(Some(weight)),
            _ => Err(bad_weight(&crate::error::quoted(text))),
        }
    }

    /// The text of the grade or score.
    fn value_of<'r>(&self, record: &'r Record<'_>) -> &'r [u8] {
        self.value.filter(|value| *value < record.width).map_or(&[], |value| record.field(value))
    }

    /// Whether a row has a label for a grade.
    fn has_label(&self, record: &Record<'_>, request: &Request) -> bool {
        let text = self.value_of(record).trim_ascii();
        let is_label = text.first().is_some_and(|byte| !byte.is_ascii_digit() && !b"+-.".contains(byte));
        request.table == TableKind::Qrels && is_label && !request.recoding.has_labels()
    }

    fn value(&self, record: &Record<'_>, request: &Request) -> Result<RowValue> {
        let table = request.table;
        let rank = self.rank.map(|field| record.field(field).trim_ascii());
        let value = match self.value.map(|field| record.field(field)) {
            // Ranks are the order.
            Some(text) if request.by_rank && rank.is_some() => {
                Some(number::float(text.trim_ascii()).unwrap_or(f64::NAN))
            }
            Some(text) => Some(request.recoding.text(text, table)?),
            None => None,
        };
        if let (Some(value), Some(name)) = (value, &self.whole) {
            numerals::only_whole(value, name)?;
        }
        Ok(match (table, value, rank) {
            (TableKind::Qrels, grade, _) => RowValue::Grade(grade.unwrap_or(1.0)),
            // If there is a score, a rank that is not a number matters only if ranks are requested.
            (TableKind::Run, Some(score), rank) => {
                RowValue::Score(score, rank.map(|text| number::float(text).unwrap_or(f64::NAN)))
            }
            (TableKind::Run, None, Some(rank)) => RowValue::Rank(number::rank(rank)?),
            (TableKind::Run, None, None) => RowValue::Given,
        })
    }
}

/// The positions of the fields with offsets.
struct OffsetFields {
    start: usize,
    end: usize,
    tokens: Option<usize>,
}

impl OffsetFields {
    fn cells(&self, record: &Record<'_>, composer: &Composer) -> Result<Cells> {
        let offsets = composer.offsets();
        let tokens = match (&offsets.tokens, self.tokens) {
            (Some(name), Some(field)) => composer.text(name, record.field(field))?,
            _ => None,
        };
        Ok(Cells {
            start: composer.text(&offsets.start, record.field(self.start))?,
            end: composer.text(&offsets.end, record.field(self.end))?,
            tokens,
        })
    }
}

/// The name of a column that is not read.
const NOT_READ: &str = "-";

#[cold]
fn strange_width(found: usize, table: TableKind) -> Box<Error> {
    let s = if found == 1 { "" } else { "s" };
    let expected = match table {
        TableKind::Qrels => {
            "2 (query, document), 3 (query, document, grade) or 4 (query, iteration, document, grade)"
        }
        TableKind::Run => "2 (query, document), 3 (query, document, score) or 6 (a TREC run)",
    };
    let error = Error::new(Kind::Format, format!("{found} column{s} without a header"), expected);
    match (table, found) {
        (TableKind::Qrels, 6) => error
            .code(Code::LooksLikeRun)
            .hint("this looks like a run; put the judgments first, then the runs"),
        (TableKind::Run, 4) => {
            error.hint("this looks like judgments; put the judgments first, then the runs")
        }
        _ => error
            .hint("name the columns in a header or with ⟪columns='query,doc,grade,-'⟫ (or score, or rank)"),
    }
}
