//! Writes rows to files in their given order, so that no policy of ties gives other numbers; an id that the
//! format cannot represent is refused.

use std::io::Write;
use std::path::Path;

use super::Format;
use super::definition::{File, Reason, RowWriter};
use super::output::{Written, failed, open_output};
use super::registry::definition;
use crate::error::{Code, Error, Kind, Result, quoted};
use crate::parallel::Progress;
use crate::read::trec::TableKind;
use crate::rows::{QueryRows, Rows};

/// Writes an output that replaces a file when it is placed; compressed by its suffix, `-` is the standard
/// output. Without a format, the suffix decides (by default TREC).
pub fn write_file(
    rows: &Rows,
    scored: bool,
    table: TableKind,
    format: Option<Format>,
    tag: &str,
    path: &Path,
    progress: &Progress,
) -> Result<Written> {
    let name = path.display().to_string();
    let format = format.or_else(|| Format::of_suffix(&name)).unwrap_or(Format::Trec);
    let mut output = open_output(path, progress)?;
    write(rows, scored, table, format, tag, &mut output, progress).map_err(|error| error.in_file(&*name))?;
    output.finish()
}

/// The queries of a run that its file leaves out, since the format cannot represent one without documents.
#[must_use]
pub fn left_out<'a>(rows: &'a Rows, table: TableKind, format: Option<Format>, path: &Path) -> Vec<&'a [u8]> {
    let format = format.or_else(|| Format::of_suffix(&path.display().to_string())).unwrap_or(Format::Trec);
    if definition(format).writer(table).is_none_or(|writer| writer.names_empty) {
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
    table: TableKind,
    format: Format,
    tag: &str,
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<()> {
    let Some(writer) = definition(format).writer(table) else { return Err(not_written(format, table)) };
    let labelled = rows.has_labels();
    if labelled && !writer.has_subtopics {
        let found = format!("the format {} has no subtopics", format.name());
        return Err(Error::statement(Kind::Format, found)
            .hint("write trec, tsv, csv or jsonl, or combine the grades with merged()"));
    }
    let mut file = File { scored, table, labelled, format, tag, out, started: false };
    (writer.check_file)(&file)?;
    // Everything is checked before anything is written.
    for query in rows.iter() {
        progress.advance(0)?;
        check(&file, writer, &query)?;
    }
    (writer.head)(&mut file).map_err(|error| failed(&error))?;
    for query in rows.iter() {
        progress.advance(0)?;
        writer.write(&mut file, &query).map_err(|error| failed(&error))?;
    }
    (writer.foot)(&mut file).map_err(|error| failed(&error))
}

#[cold]
fn not_written(format: Format, table: TableKind) -> Box<Error> {
    let what = if table == TableKind::Run { "a run" } else { "judgments" };
    let written = Format::listed(|other| other.is_written(table));
    let error = Error::new(Kind::Parameter, format!("the format {} for {what}", format.name()), written);
    let hint = "convert it with pyarrow.table(gainful.read_run(...)) or polars, and write that table";
    if format.is_columnar() { error.hint(hint) } else { error }
}

/// Checks whether the format can represent the query.
fn check(file: &File<'_>, writer: &RowWriter, query: &QueryRows<'_>) -> Result<()> {
    let rows = query.documents.len();
    if rows == 0 && !writer.carries_empty && file.table == TableKind::Qrels {
        let found = format!("the format {} cannot represent a query without documents", file.format.name());
        let error = Error::statement(Kind::Format, found).query(query.id);
        return Err(error.hint("use ⟪written_format=json⟫"));
    }
    if rows == 0 && !writer.names_empty {
        return Ok(());
    }
    (writer.check)(file, query)?;
    let reason = |id: &[u8], query| {
        if id.is_empty() {
            Reason::of("nothing in it")
        } else if id.contains(&0) {
            Reason::of("a NUL byte")
        } else {
            (writer.reason)(id, query)
        }
    };
    if let Some(why) = reason(query.id, true) {
        return Err(refuse(file.format, "query", query.id, why).query(query.id));
    }
    for row in 0..rows {
        let document = query.document(row);
        let label = query.label(row).unwrap_or(b"0");
        for part in label.splitn(writer.label_fields, |&byte| byte == b' ') {
            if let Some(why) = reason(part, false) {
                let error = refuse(file.format, "subtopic", label, why);
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
            return Err(refuse(file.format, "document", document, why).query(query.id).document(document));
        }
    }
    Ok(())
}

#[cold]
fn refuse(format: Format, what: &str, id: &[u8], Reason(why, code): Reason) -> Box<Error> {
    let found = format!("the {what} id {} with {why}", quoted(id));
    let expected = format!("an id that the format {} allows", format.name());
    let keeps = if code == Some(Code::WhiteSpace) { "⟪written_format=tsv⟫ keeps it, " } else { "" };
    let error = Error::new(Kind::Format, found, expected)
        .hint(format!("{keeps}⟪convert()=--ids map.tsv⟫ replaces ids"));
    match code {
        Some(code) => error.code(code),
        None => error,
    }
}
