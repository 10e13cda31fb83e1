//! The formats of JSON: one value, and a value per line.

use std::io;

use super::Format;
use super::definition::{Definition, File, Reason, Row, RowReader, RowWriter, rows_of};
use super::numerals::written;
use super::sample::{Evidence, Sample};
use super::{json, jsonl};
use crate::error::Result;
use crate::read::trec::TableKind;
use crate::rows::{QueryRows, duplicate};

/// One JSON value: an object of objects, of lists, or an array of rows.
pub(super) static JSON: Definition = Definition {
    writers: [Some(&JSON_WRITER), Some(&JSON_WRITER)],
    ..Definition::new(|sample| evidence(sample, Format::Json), RowReader::Rows(json::read))
};

static JSON_WRITER: RowWriter = RowWriter {
    has_subtopics: false,
    carries_empty: true,
    check: without_duplicates,
    head: |file| file.out.write_all(b"{"),
    foot: |file| file.out.write_all(b"\n}\n"),
    query: Some(entry),
    ..RowWriter::new(reason, pair)
};

fn without_duplicates(_: &File<'_>, query: &QueryRows<'_>) -> Result<()> {
    let mut documents: Vec<&[u8]> = (0..query.documents.len()).map(|row| query.document(row)).collect();
    documents.sort_unstable();
    match documents.windows(2).find(|pair| pair.first() == pair.last()) {
        Some([twice, ..]) => Err(duplicate(query.id, twice)),
        _ => Ok(()),
    }
}

/// An entry of an object of objects, or of an object of lists if there are no scores.
fn entry(file: &mut File<'_>, query: &QueryRows<'_>) -> io::Result<()> {
    file.out.write_all(if file.started { b",\n" } else { b"\n" })?;
    file.started = true;
    file.text(query.id)?;
    let pairs = has_pairs(file);
    file.out.write_all(if pairs { b": {" } else { b": [" })?;
    for (place, row) in rows_of(file, query).enumerate() {
        file.out.write_all(if place > 0 { b", " } else { b"" })?;
        pair(file, &row)?;
    }
    file.out.write_all(if pairs { b"}" } else { b"]" })
}

fn pair(file: &mut File<'_>, row: &Row<'_>) -> io::Result<()> {
    file.text(row.document)?;
    if has_pairs(file) { write!(file.out, ": {}", written(row.value)) } else { Ok(()) }
}

fn has_pairs(file: &File<'_>) -> bool {
    file.scored || file.table == TableKind::Qrels
}

/// One JSON value per line: a row, or a query with its documents.
pub(super) static JSONL: Definition = Definition {
    writers: [Some(&JSONL_WRITER), Some(&JSONL_WRITER)],
    ..Definition::new(|sample| evidence(sample, Format::Jsonl), RowReader::Rows(jsonl::read))
};

static JSONL_WRITER: RowWriter = RowWriter {
    nothing: |file, query| {
        file.out.write_all(b"{\"query_id\": ")?;
        file.text(query)?;
        file.out.write_all(b", \"results\": []}\n")
    },
    ..RowWriter::new(reason, line)
};

fn line(file: &mut File<'_>, row: &Row<'_>) -> io::Result<()> {
    file.out.write_all(b"{\"query_id\": ")?;
    file.text(row.query)?;
    if file.labelled {
        file.out.write_all(b", \"subtopic\": ")?;
        file.text(row.label)?;
    }
    file.out.write_all(b", \"doc_id\": ")?;
    file.text(row.document)?;
    let (value, rank) = (written(row.value), written(row.rank));
    match (file.table, file.scored) {
        (TableKind::Qrels, _) => writeln!(file.out, ", \"grade\": {value}}}"),
        (TableKind::Run, true) => writeln!(file.out, ", \"rank\": {rank}, \"score\": {value}}}"),
        (TableKind::Run, false) => writeln!(file.out, ", \"rank\": {rank}}}"),
    }
}

fn reason(id: &[u8], _: bool) -> Option<Reason> {
    std::str::from_utf8(id).is_err().then_some(Reason("invalid UTF-8", None))
}

fn evidence(sample: &Sample<'_>, format: Format) -> Evidence {
    if sample.is_braced() && !sample.is_trec() {
        if json_or_lines(sample) == format { Evidence::Syntax } else { Evidence::Nothing }
    } else if sample.lines.is_empty() {
        sample.by_suffix(format)
    } else {
        Evidence::Nothing
    }
}

/// Text that begins with a brace or a bracket.
fn json_or_lines(sample: &Sample<'_>) -> Format {
    let Sample { text, complete, hint, .. } = *sample;
    let newline = memchr::memchr(b'\n', text);
    let line = jsonl::without_comma(newline.and_then(|end| text.get(..end)).unwrap_or(text));
    let rest = newline.and_then(|end| text.get(end..)).unwrap_or_default();
    let whole = serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok();
    if whole && !rest.trim_ascii_start().is_empty() {
        return Format::Jsonl;
    }
    let hint = hint.filter(|format| matches!(format, Format::Json | Format::Jsonl));
    // For an object with no complete line, the first value decides: in a single JSON value it is an object or
    // a list, in a row it is an id.
    if text.first() == Some(&b'{') && (whole || newline.is_none()) {
        let row = first_value(text).is_some_and(|byte| !matches!(byte, b'{' | b'['));
        if row || hint == Some(Format::Jsonl) {
            return Format::Jsonl;
        }
        return Format::Json;
    }
    match hint {
        Some(Format::Jsonl) if whole || !complete && newline.is_none() => Format::Jsonl,
        _ => Format::Json,
    }
}

/// The first byte of the value of the first key.
fn first_value(text: &[u8]) -> Option<u8> {
    let inside = text.strip_prefix(b"{")?.trim_ascii_start().strip_prefix(b"\"")?;
    let mut escaped = false;
    let end = inside.iter().position(|&byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    let value = inside.get(end + 1..)?.trim_ascii_start().strip_prefix(b":")?;
    value.trim_ascii_start().first().copied()
}
