//! The formats with fields separated by tabs, commas or semicolons: TSV, CSV and BEIR.

use std::io;

use super::Format;
use super::definition::{Evidence, FileFormat, Reads, Reason, Writer};
use super::delimited::{is_header, read};
use super::detect::Sample;
use super::lines::words;
use super::numerals::written;
use super::records::Delimiter;
use super::write::{File, Row};
use crate::read::trec::Table;

/// Fields between tabs, with or without a header; no quoting.
pub(super) struct Tsv;

impl FileFormat for Tsv {
    fn names(&self) -> &'static [&'static str] {
        &["tsv"]
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &["tsv"]
    }

    fn evidence(&self, sample: &Sample<'_>) -> Evidence {
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

    fn reads(&self) -> Reads {
        Reads::Rows(|input, request, collector| {
            let ranked = Sample::new(&input.head, input.complete, "", request).ranked();
            let white = ranked == Some(Delimiter::White) && !request.has_columns();
            read(input, if white { Delimiter::White } else { Delimiter::Tab }, request, collector)
        })
    }

    fn delimiter(&self, _: &Sample<'_>) -> Option<Delimiter> {
        Some(Delimiter::Tab)
    }

    fn writer(&self, _: Table) -> Option<&dyn Writer> {
        Some(self)
    }
}

impl Writer for Tsv {
    fn reason(&self, id: &[u8], _: bool) -> Option<Reason> {
        tab_reason(id)
    }

    fn head(&self, file: &mut File<'_>) -> io::Result<()> {
        head(file, b'\t')
    }

    fn row(&self, file: &mut File<'_>, row: &Row<'_>) -> io::Result<()> {
        cells(file, row, b'\t')
    }

    fn nothing(&self, file: &mut File<'_>, query: &[u8]) -> io::Result<()> {
        nothing(file, query, b'\t')
    }
}

/// Fields between commas or semicolons, with or without a header; quoting by the usual rules.
pub(super) struct Csv;

impl FileFormat for Csv {
    fn names(&self) -> &'static [&'static str] {
        &["csv"]
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &["csv"]
    }

    fn evidence(&self, sample: &Sample<'_>) -> Evidence {
        let first = sample.lines.first().copied().unwrap_or_default();
        let (fields, width) = (sample.csv_delimiter().fields(first), words(first).count());
        if fields.len() > 1 && (sample.hint == Some(Format::Csv) || is_header(&fields))
            || sample.ranked() == Some(Delimiter::Comma)
        {
            Evidence::Header
        } else if is_row(fields.len()) && width != sample.trec_width() {
            Evidence::Fields
        } else {
            sample.by_suffix(Format::Csv)
        }
    }

    fn reads(&self) -> Reads {
        Reads::Rows(|input, request, collector| {
            let sample = Sample::new(&input.head, input.complete, "", request);
            read(input, sample.csv_delimiter(), request, collector)
        })
    }

    fn delimiter(&self, sample: &Sample<'_>) -> Option<Delimiter> {
        Some(sample.csv_delimiter())
    }

    fn writer(&self, _: Table) -> Option<&dyn Writer> {
        Some(self)
    }
}

impl Writer for Csv {
    fn reason(&self, _: &[u8], _: bool) -> Option<Reason> {
        None
    }

    fn head(&self, file: &mut File<'_>) -> io::Result<()> {
        head(file, b',')
    }

    fn row(&self, file: &mut File<'_>, row: &Row<'_>) -> io::Result<()> {
        cells(file, row, b',')
    }

    fn nothing(&self, file: &mut File<'_>, query: &[u8]) -> io::Result<()> {
        nothing(file, query, b',')
    }
}

/// A folder with `qrels/SPLIT.tsv`, or such a file.
pub(super) struct Beir;

impl FileFormat for Beir {
    fn names(&self) -> &'static [&'static str] {
        &["beir"]
    }

    fn evidence(&self, _: &Sample<'_>) -> Evidence {
        Evidence::Nothing
    }

    fn reads(&self) -> Reads {
        Tsv.reads()
    }

    fn delimiter(&self, _: &Sample<'_>) -> Option<Delimiter> {
        Some(Delimiter::Tab)
    }

    fn has_subtopics(&self) -> bool {
        false
    }

    fn has_splits(&self) -> bool {
        true
    }

    fn writer(&self, table: Table) -> Option<&dyn Writer> {
        (table == Table::Qrels).then_some(self)
    }
}

impl Writer for Beir {
    fn has_subtopics(&self) -> bool {
        false
    }

    fn reason(&self, id: &[u8], _: bool) -> Option<Reason> {
        tab_reason(id)
    }

    fn head(&self, file: &mut File<'_>) -> io::Result<()> {
        file.fields(&[b"query-id", b"corpus-id", b"score"], b'\t')
    }

    fn row(&self, file: &mut File<'_>, row: &Row<'_>) -> io::Result<()> {
        cells(file, row, b'\t')
    }
}

/// Whether rows of judgments or runs can have this many fields.
fn is_row(count: usize) -> bool {
    matches!(count, 2..=4 | 6)
}

fn tab_reason(id: &[u8]) -> Option<Reason> {
    id.iter().any(|byte| b"\t\n\r".contains(byte)).then_some(Reason("a tab or a line end", None))
}

fn head(file: &mut File<'_>, between: u8) -> io::Result<()> {
    let names: &[&[u8]] = match (file.table, file.scored) {
        (Table::Qrels, _) if file.labelled => &[b"query_id", b"subtopic", b"doc_id", b"grade"],
        (Table::Qrels, _) => &[b"query_id", b"doc_id", b"grade"],
        (Table::Run, true) => &[b"query_id", b"doc_id", b"rank", b"score"],
        (Table::Run, false) => &[b"query_id", b"doc_id", b"rank"],
    };
    file.fields(names, between)
}

fn cells(file: &mut File<'_>, row: &Row<'_>, between: u8) -> io::Result<()> {
    let (value, rank) = (written(row.value), written(row.rank));
    let (value, rank) = (value.as_bytes(), rank.as_bytes());
    match (file.table, file.scored) {
        (Table::Qrels, _) if file.labelled => {
            file.fields(&[row.query, row.label, row.document, value], between)
        }
        (Table::Qrels, _) => file.fields(&[row.query, row.document, value], between),
        (Table::Run, true) => file.fields(&[row.query, row.document, rank, value], between),
        (Table::Run, false) => file.fields(&[row.query, row.document, rank], between),
    }
}

/// A row of empty cells.
fn nothing(file: &mut File<'_>, query: &[u8], between: u8) -> io::Result<()> {
    let cells: &[&[u8]] = if file.scored { &[query, b"", b"", b""] } else { &[query, b"", b""] };
    file.fields(cells, between)
}
