//! Collects rows of all formats but TREC, and applies their common rules.

use std::borrow::Cow;
use std::collections::HashSet;

use super::numerals::{is_timestamp, written};
use super::places::{Cells, Composer};
use super::{Judged, Recoding, Request};
use crate::convention::Duplicates;
use crate::error::{Error, Kind, Result};
use crate::parallel::Progress;
use crate::read::binary::nul;
use crate::read::trec::{LabelFields, TableKind};
use crate::roles::Offsets;
use crate::rows::{RowsBuilder, query_of_system};
use crate::spans::write_label;

/// A place has the number of the source in the upper bits and the line in the lower ones.
const SOURCE_SHIFT: u32 = 48;

/// The maximum length of an id.
const LONGEST_ID: usize = 1 << 20;

/// The value of a row's document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum RowValue {
    Grade(f64),
    /// A score and a rank, NaN if the row has none.
    Score(f64, Option<f64>),
    /// A rank without a score: ranks are the order.
    Rank(f64),
    /// Neither: the rows are in rank order.
    Given,
}

/// The kind of value that all rows of a table have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Grades,
    Scores,
    Ranks,
    Given,
}

impl Mode {
    fn of(value: RowValue) -> Self {
        match value {
            RowValue::Grade(_) => Self::Grades,
            RowValue::Score(..) => Self::Scores,
            RowValue::Rank(_) => Self::Ranks,
            RowValue::Given => Self::Given,
        }
    }

    fn row(self) -> &'static str {
        match self {
            Self::Grades => "a row with a grade",
            Self::Scores => "a row with a score",
            Self::Ranks => "a row with a rank and no score",
            Self::Given => "a row without a score",
        }
    }
}

pub(super) struct Collector {
    pub table: TableKind,
    pub recoding: Recoding,
    duplicates: Duplicates,
    /// The limit of memory for rows, in bytes.
    memory: Option<usize>,
    /// The only query whose rows are kept, if there is one.
    only: Option<Vec<u8>>,
    /// Whether every row needs a label.
    pub labelled: bool,
    label: Option<Vec<u8>>,
    /// The offsets of the next row, if a composer makes ids of them.
    pub place: Cells,
    pub composer: Option<Composer>,
    /// The id of the last row's place.
    id: Vec<u8>,
    /// The system of the rows to come, and the column or field that names it.
    system: Option<Vec<u8>>,
    systems: Option<String>,
    /// Created with the first row, which shows whether there are ranks.
    builder: Option<RowsBuilder>,
    mode: Option<Mode>,
    /// Queries without documents that came before the first row.
    waiting: Vec<Vec<u8>>,
    names: Vec<String>,
    count: u64,
    entered: HashSet<Vec<u8>>,
    /// The number of queries without ids, which get numbers.
    pub numbered: u64,
    /// How many documents got the grade 1 because they have none.
    ungraded: u64,
    /// Whether one JSON object has the rows as records.
    pub enveloped: bool,
    /// Whether the rows are those of a table of features.
    pub of_features: bool,
    /// The last grade in a column that the caller names, as long as all are timestamps.
    time: Option<f64>,
}

impl Collector {
    pub(super) fn new(request: &Request) -> Self {
        let table = request.table;
        Self {
            table,
            recoding: request.recoding.clone(),
            duplicates: request.duplicates,
            memory: request.limit(),
            only: request.query.clone(),
            labelled: table == TableKind::Qrels && request.labels != LabelFields::Ignored,
            label: None,
            place: Cells::default(),
            composer: None,
            id: Vec::new(),
            system: None,
            systems: None,
            builder: None,
            mode: None,
            waiting: Vec::new(),
            names: Vec::new(),
            count: 0,
            entered: HashSet::new(),
            numbered: 0,
            ungraded: 0,
            enveloped: false,
            of_features: false,
            time: (table == TableKind::Qrels && request.has_columns()).then_some(0.0),
        }
    }

    /// The rows that follow come from a file of this name.
    pub(super) fn begin(&mut self, name: String) {
        self.names.push(name);
    }

    /// The number of rows and of queries without rows so far.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The next document has no grade of its own.
    pub(super) fn defaulted(&mut self) {
        self.ungraded += 1;
    }

    /// Starts the rows of a query; false if they started before.
    pub(super) fn enter(&mut self, query: &[u8]) -> bool {
        self.entered.insert(self.of_system(query).into_owned())
    }

    /// A query that may have no rows.
    pub(super) fn query(&mut self, query: &[u8], line: u64) -> Result<()> {
        let query = self.recoding.query(query).map_err(|error| at(error, line))?;
        check_id(query, "query").map_err(|error| at(error, line))?;
        self.count += 1;
        if self.only.as_ref().is_some_and(|only| only != query) {
            return Ok(());
        }
        let id = self.of_system(query).into_owned();
        match &mut self.builder {
            Some(builder) => {
                builder.query(&id);
            }
            None => self.waiting.push(id),
        }
        Ok(())
    }

    /// The rows to come are those of a system, which this column or field names.
    pub(super) fn system(&mut self, column: &str, system: &[u8]) -> Result<()> {
        check_id(system, "system")?;
        self.systems.get_or_insert_with(|| column.to_owned());
        self.system = Some(system.to_vec());
        Ok(())
    }

    fn of_system<'q>(&self, query: &'q [u8]) -> Cow<'q, [u8]> {
        match &self.system {
            Some(system) => Cow::Owned(query_of_system(system, query)),
            None => Cow::Borrowed(query),
        }
    }

    /// The label of the rows to come, until the next.
    pub(super) fn label(&mut self, label: Option<&[u8]>) {
        match (&mut self.label, label) {
            (Some(kept), Some(label)) => {
                kept.clear();
                kept.extend_from_slice(label);
            }
            (kept, label) => *kept = label.map(<[u8]>::to_vec),
        }
    }

    /// As `label`, for a subtopic with a weight.
    pub(super) fn weighted_label(&mut self, label: &[u8], weight: f64) {
        let mut weighted = Vec::new();
        write_label(label, weight, &mut weighted);
        self.label(Some(&weighted));
    }

    /// The rows to come have offsets in these fields; `inside` is the path of their objects.
    pub(super) fn compose(&mut self, offsets: &Offsets, inside: &str) {
        if self.composer.as_ref().is_none_or(|composer| composer.offsets() != offsets) {
            self.composer = Some(Composer::new(offsets.clone(), inside));
        }
    }

    pub(super) fn push(&mut self, query: &[u8], document: &[u8], value: RowValue, line: u64) -> Result<()> {
        let located = |error: Box<Error>| at(error, line);
        let query = self.recoding.query(query).map_err(located)?;
        let document = self.recoding.document(document).map_err(located)?;
        check_id(query, "query").map_err(located)?;
        check_id(document, "document").map_err(located)?;
        let mut id = std::mem::take(&mut self.id);
        id.clear();
        let document = match &self.composer {
            Some(composer) => {
                composer.compose(document, std::mem::take(&mut self.place), &mut id).map_err(located)?;
                &id
            }
            None => document,
        };
        let mode = Mode::of(value);
        let first = *self.mode.get_or_insert(mode);
        if first != mode {
            let expected = format!("{}, as before", first.row());
            let error = Error::new(Kind::Format, mode.row(), expected);
            return Err(at(error, line).hint("either all rows of a run have scores, or none"));
        }
        let ranked = matches!(value, RowValue::Score(_, Some(_)) | RowValue::Rank(_));
        let waiting = &mut self.waiting;
        let builder = self.builder.get_or_insert_with(|| {
            let mut builder = RowsBuilder::new(ranked);
            if let Some(memory) = self.memory {
                builder = builder.within(memory, self.duplicates);
            }
            if self.duplicates == Duplicates::Error {
                builder = builder.refusing_duplicates();
            }
            waiting.drain(..).for_each(|query| {
                builder.query(&query);
            });
            builder
        });
        if self.labelled {
            let label = self.label.as_deref().ok_or_else(unlabelled).map_err(located)?;
            check_id(label, "subtopic").map_err(located)?;
            builder.label(label);
        }
        if self.only.as_ref().is_some_and(|only| only != query) {
            self.count += 1;
            return Ok(());
        }
        let label = self.label.as_ref().map_or(0, Vec::len);
        let query = match &self.system {
            Some(system) => &query_of_system(system, query),
            None => query,
        };
        builder.room(query.len() + document.len() + label).map_err(located)?;
        let (number, rank) = match value {
            RowValue::Grade(grade) => {
                self.time = self.time.filter(|_| is_timestamp(grade)).map(|_| grade);
                (grade, f64::NAN)
            }
            RowValue::Score(score, rank) => (score, rank.unwrap_or(f64::NAN)),
            RowValue::Rank(rank) => (f64::NAN, rank),
            RowValue::Given => (f64::NAN, f64::NAN),
        };
        let source = self.names.len().saturating_sub(1) as u64;
        builder.push(query, document, number, rank, source << SOURCE_SHIFT | line);
        self.count += 1;
        let checked = builder.check();
        self.id = id;
        checked.map_err(|error| if error.kind == Kind::Duplicate { at(error, line) } else { error })
    }

    pub(super) fn finish(self, progress: &Progress) -> Result<Judged> {
        let mut builder = self.builder.unwrap_or_else(|| RowsBuilder::new(false));
        for query in self.waiting {
            builder.query(&query);
        }
        let names = self.names;
        if let Some(time) = self.time.filter(|&time| time > 0.0) {
            return Err(times(time).in_file(names.first().map(String::as_str)));
        }
        let located = |(place, error): (u64, Box<Error>)| {
            if error.file.is_some() {
                return error;
            }
            let number = usize::try_from(place >> SOURCE_SHIFT).unwrap_or(0);
            at(error, place & ((1 << SOURCE_SHIFT) - 1)).in_file(names.get(number).map(String::as_str))
        };
        if self.mode == Some(Mode::Ranks) {
            builder.order_by_rank().map_err(located)?;
        }
        let rows = builder.finish_any(self.duplicates, 1, progress).map_err(located)?;
        // Judgments have values; a run without rows counts as scored.
        let scored = !matches!(self.mode, Some(Mode::Ranks | Mode::Given));
        let mut judged = Judged::of(rows, scored, Vec::new());
        if let Judged::Memory(loaded) = &mut judged {
            (loaded.ungraded, loaded.enveloped) = (self.ungraded, self.enveloped);
            loaded.of_features = self.of_features;
            loaded.systems = self.systems;
        }
        Ok(judged)
    }
}

/// Adds the line of a row; values that are read as a whole have none.
pub(super) fn at(error: Box<Error>, line: u64) -> Box<Error> {
    if error.line.is_some() || line == 0 { error } else { error.line(line) }
}

/// Refuses grades in a column that the caller names, if all are timestamps.
pub fn refuse_times(mut grades: impl Iterator<Item = f64>) -> Result<()> {
    let last = grades.try_fold(None, |_, grade| is_timestamp(grade).then_some(Some(grade)));
    last.flatten().map_or(Ok(()), |time| Err(times(time)))
}

#[cold]
fn times(time: f64) -> Box<Error> {
    let found = format!("the grades are timestamps, such as {}", written(time));
    Error::statement(Kind::Format, found).hint(
        "leave them out: ⟪columns='query,doc,-'⟫ without a header, ⟪columns='-=NAME'⟫ with one or with fields",
    )
}

#[cold]
fn unlabelled() -> Box<Error> {
    Error::statement(Kind::Format, "the judgment has no subtopic")
        .hint("name the column or field 'subtopic'; in TREC text it is the second column")
}

fn check_id(id: &[u8], what: &str) -> Result<()> {
    if id.is_empty() {
        let error = Error::statement(Kind::Format, format!("the {what} id is empty"));
        return Err(error.hint("fill merged cells of a spreadsheet down, and delete rows with totals"));
    }
    if id.len() > LONGEST_ID {
        return Err(Error::statement(Kind::Format, format!("the {what} id is longer than 1 MiB")));
    }
    if memchr::memchr(0, id).is_some() {
        return Err(nul());
    }
    Ok(())
}
