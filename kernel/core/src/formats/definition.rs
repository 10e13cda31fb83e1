//! The definition of a format: how it is recognized, read and written. Each is declared in its own module, and
//! listed in `registry`.

use std::io::{self, Write};

use super::collect::Collector;
use super::input::Input;
use super::records::Delimiter;
use super::sample::{Evidence, Sample};
use super::{Format, Request};
use crate::error::{Code, Result};
use crate::known::Known;
use crate::read::trec::{LabelFields, TableKind};
use crate::rows::QueryRows;

/// Takes the rows of one input.
pub(super) type ReadRows = fn(&mut Input<'_>, &Request, &mut Collector) -> Result<()>;

/// How files of a format are read.
pub(super) enum RowReader {
    /// Lines of words, by the reader of TREC text, with the label of a row.
    Words(fn(&Request) -> LabelFields),
    Rows(ReadRows),
    /// Tables in columns are read by `columns`.
    Columns,
}

/// A format of files.
pub(super) struct Definition {
    /// The evidence that a file is in this format.
    pub evidence: fn(&Sample<'_>) -> Evidence,
    pub reads: RowReader,
    /// The separator of the fields, if callers can name the columns.
    pub delimiter: fn(&Sample<'_>) -> Option<Delimiter>,
    /// The writers of judgments and of runs, if any.
    pub writers: [Option<&'static RowWriter>; 2],
}

impl Definition {
    pub(super) const fn new(evidence: fn(&Sample<'_>) -> Evidence, reads: RowReader) -> Self {
        Self { evidence, reads, delimiter: |_| None, writers: [None, None] }
    }

    pub(super) fn writer(&self, table: TableKind) -> Option<&'static RowWriter> {
        let [judgments, runs] = self.writers;
        if table == TableKind::Qrels { judgments } else { runs }
    }
}

/// Why a format cannot represent an id: the offending content, and the code of the error.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reason(pub &'static str, pub Option<Code>);

impl Reason {
    pub(super) const WHITE_SPACE: Self = Self("white space", Some(Code::WhiteSpace));

    pub(super) fn of(text: &'static str) -> Option<Self> {
        Some(Self(text, None))
    }
}

/// How rows are written in a format.
pub(super) struct RowWriter {
    /// Why the format cannot represent the id of a query or document, if so.
    pub reason: fn(&[u8], is_query: bool) -> Option<Reason>,
    /// Writes a row.
    pub row: fn(&mut File<'_>, &Row<'_>) -> io::Result<()>,
    /// What is written before the first query, and after the last.
    pub head: fn(&mut File<'_>) -> io::Result<()>,
    pub foot: fn(&mut File<'_>) -> io::Result<()>,
    /// Writes a query of a run without documents.
    pub nothing: fn(&mut File<'_>, &[u8]) -> io::Result<()>,
    /// Writes a query, if it is more than its rows.
    pub query: Option<fn(&mut File<'_>, &QueryRows<'_>) -> io::Result<()>>,
    /// Checks the options of the file.
    pub check_file: fn(&File<'_>) -> Result<()>,
    /// Checks other properties of a query that the format cannot represent.
    pub check: fn(&File<'_>, &QueryRows<'_>) -> Result<()>,
    pub has_subtopics: bool,
    /// Whether queries without judgments can be represented or left out, as those of runs can.
    pub carries_empty: bool,
    /// Whether the ids of queries without documents must be valid.
    pub names_empty: bool,
    /// The number of fields of a label.
    pub label_fields: usize,
}

impl RowWriter {
    pub(super) const fn new(
        reason: fn(&[u8], bool) -> Option<Reason>,
        row: fn(&mut File<'_>, &Row<'_>) -> io::Result<()>,
    ) -> Self {
        Self {
            reason,
            row,
            head: |_| Ok(()),
            foot: |_| Ok(()),
            nothing: |_, _| Ok(()),
            query: None,
            check_file: |_| Ok(()),
            check: |_, _| Ok(()),
            has_subtopics: true,
            carries_empty: false,
            names_empty: true,
            label_fields: 1,
        }
    }

    /// Writes a query.
    pub(super) fn write(&self, file: &mut File<'_>, query: &QueryRows<'_>) -> io::Result<()> {
        match self.query {
            Some(write) => write(file, query),
            None if query.documents.is_empty() => (self.nothing)(file, query.id),
            None => rows_of(file, query).try_for_each(|row| (self.row)(file, &row)),
        }
    }
}

/// A row as it is written.
pub(super) struct Row<'a> {
    pub query: &'a [u8],
    pub label: &'a [u8],
    pub document: &'a [u8],
    pub value: f64,
    /// Of a run.
    pub rank: f64,
    /// The number of remaining rows of the query, including this one.
    pub left: usize,
}

/// The rows of a query, as they are written.
pub(super) fn rows_of<'a>(file: &File<'_>, query: &QueryRows<'a>) -> impl Iterator<Item = Row<'a>> + use<'a> {
    let (query, count) = (*query, query.documents.len());
    let ranks = if file.table == TableKind::Run { query.written_ranks(file.scored) } else { Vec::new() };
    (0..count).map(move |row| Row {
        query: query.id,
        label: query.label(row).unwrap_or(b"0"),
        document: query.document(row),
        value: *query.values.known(row),
        rank: ranks.get(row).copied().unwrap_or(f64::NAN),
        left: count - row,
    })
}

/// An output file.
pub(super) struct File<'a> {
    pub scored: bool,
    pub table: TableKind,
    pub labelled: bool,
    pub tag: &'a str,
    pub out: &'a mut dyn Write,
    /// Whether a query has been written.
    pub started: bool,
    pub format: Format,
}

impl File<'_> {
    /// One line; in CSV, fields are quoted where they must be.
    pub(super) fn fields(&mut self, fields: &[&[u8]], between: u8) -> io::Result<()> {
        for (place, field) in fields.iter().enumerate() {
            if place > 0 {
                self.out.write_all(&[between])?;
            }
            if between == b',' && field.iter().any(|byte| b",\"\r\n".contains(byte)) {
                self.out.write_all(b"\"")?;
                for (part, piece) in field.split(|&byte| byte == b'"').enumerate() {
                    self.out.write_all(if part > 0 { b"\"\"" } else { b"" })?;
                    self.out.write_all(piece)?;
                }
                self.out.write_all(b"\"")?;
            } else {
                self.out.write_all(field)?;
            }
        }
        self.out.write_all(b"\n")
    }

    /// A JSON string; `check` has checked the UTF-8.
    pub(super) fn text(&mut self, id: &[u8]) -> io::Result<()> {
        let text = std::str::from_utf8(id).map_err(io::Error::other)?;
        serde_json::to_writer(&mut self.out, text).map_err(io::Error::from)
    }
}

/// Whether an id has white space.
pub(super) fn has_space(id: &[u8]) -> bool {
    id.iter().any(|&byte| crate::read::scan::is_space(byte))
}
