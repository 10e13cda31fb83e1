//! Writes rows to files in their given order, so that no policy of ties gives other numbers; an id that the
//! format cannot represent is refused.

use std::io::{self, Write};
use std::path::Path;

use super::Format;
use super::definition::{Reason, Writer};
use super::detect::suffix;
use super::output::{Written, failed, open_output};
use crate::error::{Code, Error, Kind, Result, quoted};
use crate::known::Known;
use crate::parallel::Progress;
use crate::read::trec::Table;
use crate::rows::{QueryRows, Rows};

/// Writes an output that replaces a file when it is placed; compressed by its suffix, `-` is the standard
/// output. Without a format, the suffix decides (by default TREC).
pub fn write_file(
    rows: &Rows,
    scored: bool,
    table: Table,
    format: Option<Format>,
    tag: &str,
    path: &Path,
    progress: &Progress,
) -> Result<Written> {
    let name = path.display().to_string();
    let format = format.or_else(|| suffix(&name)).unwrap_or(Format::Trec);
    let mut output = open_output(path, progress)?;
    write(rows, scored, table, format, tag, &mut output, progress)
        .map_err(|error| super::located(error, &name))?;
    output.finish()
}

/// The queries of a run that its file leaves out, since the format cannot represent one without documents.
#[must_use]
pub fn left_out<'a>(rows: &'a Rows, table: Table, format: Option<Format>, path: &Path) -> Vec<&'a [u8]> {
    let format = format.or_else(|| suffix(&path.display().to_string())).unwrap_or(Format::Trec);
    if format.definition().writer(table).is_none_or(Writer::names_empty) {
        return Vec::new();
    }
    rows.iter().filter(|query| query.documents.is_empty()).map(|query| query.id).collect()
}

/// Writes judgments or a run. `tag` names the system, in TREC runs. Rankings that are not `scored` are
/// written in the given order, in TREC with the scores n, n-1, … 1 (distinct in trec_eval up to 2^24
/// documents per query; longer rankings are refused).
pub fn write(
    rows: &Rows,
    scored: bool,
    table: Table,
    format: Format,
    tag: &str,
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<()> {
    let Some(writer) = format.definition().writer(table) else { return Err(not_written(format, table)) };
    let labelled = rows.has_labels();
    if labelled && !writer.has_subtopics() {
        let found = format!("the format {} has no subtopics", format.name());
        return Err(Error::statement(Kind::Format, found)
            .hint("write trec, tsv, csv or jsonl, or combine the grades with merged()"));
    }
    let mut file = File { scored, table, labelled, format, tag, out, started: false };
    writer.check_file(&file)?;
    // Everything is checked before anything is written.
    for query in rows.iter() {
        progress.advance(0)?;
        file.check(writer, &query)?;
    }
    writer.head(&mut file).map_err(|error| failed(&error))?;
    for query in rows.iter() {
        progress.advance(0)?;
        writer.query(&mut file, &query).map_err(|error| failed(&error))?;
    }
    writer.foot(&mut file).map_err(|error| failed(&error))
}

#[cold]
fn not_written(format: Format, table: Table) -> Box<Error> {
    let what = if table == Table::Run { "a run" } else { "judgments" };
    let written = Format::listed(|other| other.definition().writer(table).is_some());
    let error = Error::new(Kind::Parameter, format!("the format {} for {what}", format.name()), written);
    let hint = "convert it with pyarrow.table(gainful.read_run(...)) or polars, and write that table";
    if format.is_columnar() { error.hint(hint) } else { error }
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
    let ranks = if file.table == Table::Run { query.written_ranks(file.scored) } else { Vec::new() };
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
    pub table: Table,
    pub labelled: bool,
    pub tag: &'a str,
    pub out: &'a mut dyn Write,
    /// Whether a query has been written.
    pub started: bool,
    format: Format,
}

impl File<'_> {
    /// Checks whether the format can represent the query.
    fn check(&self, writer: &dyn Writer, query: &QueryRows<'_>) -> Result<()> {
        let rows = query.documents.len();
        if rows == 0 && !writer.carries_empty(self.table) {
            let found =
                format!("the format {} cannot represent a query without documents", self.format.name());
            let error = Error::statement(Kind::Format, found).query(query.id);
            return Err(error.hint("use ⟪written_format=json⟫"));
        }
        if rows == 0 && !writer.names_empty() {
            return Ok(());
        }
        writer.check(self, query)?;
        let reason = |id: &[u8], query| {
            if id.is_empty() {
                Reason::of("nothing in it")
            } else if id.contains(&0) {
                Reason::of("a NUL byte")
            } else {
                writer.reason(id, query)
            }
        };
        if let Some(why) = reason(query.id, true) {
            return Err(self.refuse("query", query.id, why).query(query.id));
        }
        for row in 0..rows {
            let document = query.document(row);
            let label = query.label(row).unwrap_or(b"0");
            for part in label.splitn(writer.label_fields(), |&byte| byte == b' ') {
                if let Some(why) = reason(part, false) {
                    let error = self.refuse("subtopic", label, why);
                    let hint = if label.contains(&b' ') {
                        "⟪written_format=prefs⟫ or jsonl"
                    } else {
                        "⟪written_format=jsonl⟫"
                    };
                    let error = error.hint(format!("use {hint}"));
                    return Err(error.query(query.id).document(document));
                }
            }
            if let Some(why) = reason(document, false) {
                return Err(self.refuse("document", document, why).query(query.id).document(document));
            }
        }
        Ok(())
    }

    #[cold]
    fn refuse(&self, what: &str, id: &[u8], Reason(why, code): Reason) -> Box<Error> {
        let found = format!("the {what} id {} with {why}", quoted(id));
        let expected = format!("an id that the format {} allows", self.format.name());
        let keeps = if code == Some(Code::WhiteSpace) { "⟪written_format=tsv⟫ keeps it, " } else { "" };
        let error = Error::new(Kind::Format, found, expected)
            .hint(format!("{keeps}⟪convert()=--ids map.tsv⟫ replaces ids"));
        match code {
            Some(code) => error.code(code),
            None => error,
        }
    }

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
