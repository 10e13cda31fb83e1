//! The formats with fields separated by tabs, commas or semicolons: TSV, CSV and BEIR.

use std::io;

use super::Format;
use super::columns::is_header;
use super::definition::{Definition, File, Reason, Row, RowReader, RowWriter};
use super::delimited::read;
use super::lines::words;
use super::numerals::written;
use super::records::{Delimiter, is_quoted};
use super::sample::{Evidence, Sample};
use crate::read::trec::TableKind;

/// Fields between tabs, with or without a header; no quoting.
pub(super) static TSV: Definition = Definition {
    delimiter: |_| Some(Delimiter::Tab),
    writers: [Some(&TAB_WRITER), Some(&TAB_WRITER)],
    ..Definition::new(tsv_evidence, READ_TSV)
};

static TAB_WRITER: RowWriter = RowWriter {
    head: |file| head(file, b'\t'),
    nothing: |file, query| nothing(file, query, b'\t'),
    ..RowWriter::new(tab_reason, |file, row| cells(file, row, b'\t'))
};

const READ_TSV: RowReader = RowReader::Rows(|input, request, collector| {
    let ranked = Sample::new(&input.head, input.complete, "", request).ranked();
    let white = ranked == Some(Delimiter::White) && !request.has_columns();
    read(input, if white { Delimiter::White } else { Delimiter::Tab }, request, collector)
});

fn tsv_evidence(sample: &Sample<'_>) -> Evidence {
    let tabs = sample.fields(b'\t');
    if tabs.len() > 1 && is_header(&tabs)
        || sample.hint == Some(Format::Tsv) && is_row(tabs.len()) && !sample.mixes_separators()
        || matches!(sample.ranked(), Some(Delimiter::Tab | Delimiter::White))
    {
        Evidence::Header
    } else if is_row(tabs.len()) {
        Evidence::Fields
    } else {
        sample.by_suffix(Format::Tsv)
    }
}

/// Fields between commas or semicolons, with or without a header; quoting by the usual rules.
pub(super) static CSV: Definition = Definition {
    delimiter: |sample| Some(sample.csv_delimiter()),
    writers: [Some(&COMMA_WRITER), Some(&COMMA_WRITER)],
    ..Definition::new(
        csv_evidence,
        RowReader::Rows(|input, request, collector| {
            let sample = Sample::new(&input.head, input.complete, "", request);
            read(input, sample.csv_delimiter(), request, collector)
        }),
    )
};

static COMMA_WRITER: RowWriter = RowWriter {
    head: |file| head(file, b','),
    nothing: |file, query| nothing(file, query, b','),
    ..RowWriter::new(|_, _| None, |file, row| cells(file, row, b','))
};

fn csv_evidence(sample: &Sample<'_>) -> Evidence {
    let first = sample.lines.first().copied().unwrap_or_default();
    let (fields, width) = (sample.csv_delimiter().fields(first), words(first).count());
    if sample.has_quoted_tabs() {
        Evidence::Syntax
    } else if fields.len() > 1 && (sample.hint == Some(Format::Csv) || is_header(&fields))
        || sample.ranked() == Some(Delimiter::Comma)
    {
        Evidence::Header
    } else if is_row(fields.len()) && width != sample.trec_width() {
        Evidence::Fields
    } else {
        sample.by_suffix(Format::Csv)
    }
}

/// A folder with `qrels/SPLIT.tsv`, or such a file.
pub(super) static BEIR: Definition = Definition {
    delimiter: |_| Some(Delimiter::Tab),
    writers: [Some(&BEIR_WRITER), None],
    ..Definition::new(|_| Evidence::Nothing, READ_TSV)
};

static BEIR_WRITER: RowWriter = RowWriter {
    has_subtopics: false,
    head: |file| file.fields(&[b"query-id", b"corpus-id", b"score"], b'\t'),
    ..RowWriter::new(tab_reason, |file, row| cells(file, row, b'\t'))
};

/// Whether rows of judgments or runs can have this many fields.
fn is_row(count: usize) -> bool {
    matches!(count, 2..=4 | 6)
}

fn tab_reason(id: &[u8], _: bool) -> Option<Reason> {
    if is_quoted(id) {
        return Some(Reason("quotes as in CSV", None));
    }
    id.iter().any(|byte| b"\t\n\r".contains(byte)).then_some(Reason("a tab or a line end", None))
}

fn head(file: &mut File<'_>, between: u8) -> io::Result<()> {
    let names: &[&[u8]] = match (file.table, file.scored) {
        (TableKind::Qrels, _) if file.labelled => &[b"query_id", b"subtopic", b"doc_id", b"grade"],
        (TableKind::Qrels, _) => &[b"query_id", b"doc_id", b"grade"],
        (TableKind::Run, true) => &[b"query_id", b"doc_id", b"rank", b"score"],
        (TableKind::Run, false) => &[b"query_id", b"doc_id", b"rank"],
    };
    file.fields(names, between)
}

fn cells(file: &mut File<'_>, row: &Row<'_>, between: u8) -> io::Result<()> {
    let (value, rank) = (written(row.value), written(row.rank));
    let (value, rank) = (value.as_bytes(), rank.as_bytes());
    match (file.table, file.scored) {
        (TableKind::Qrels, _) if file.labelled => {
            file.fields(&[row.query, row.label, row.document, value], between)
        }
        (TableKind::Qrels, _) => file.fields(&[row.query, row.document, value], between),
        (TableKind::Run, true) => file.fields(&[row.query, row.document, rank, value], between),
        (TableKind::Run, false) => file.fields(&[row.query, row.document, rank], between),
    }
}

/// A row of empty cells.
fn nothing(file: &mut File<'_>, query: &[u8], between: u8) -> io::Result<()> {
    let cells: &[&[u8]] = if file.scored { &[query, b"", b"", b""] } else { &[query, b"", b""] };
    file.fields(cells, between)
}
