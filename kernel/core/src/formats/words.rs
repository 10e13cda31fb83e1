//! The formats that the reader of TREC text reads: TREC, preferences, strata.

use std::io;

use super::collect::Collector;
use super::definition::{Evidence, FileFormat, Reads, Reason, Writer, has_space};
use super::detect::Sample;
use super::input::Input;
use super::numerals::written;
use super::records::Delimiter;
use super::write::{File, Row};
use super::{Format, Request, delimited};
use crate::error::{Error, Kind, Result, quoted};
use crate::read::trec::{Labels, Table};
use crate::rows::QueryRows;

/// Integers up to this one differ as 32-bit floats; the scores of longer rankings would not.
const LONGEST_UNSCORED: usize = 1 << 24;

/// Words separated by white space: 4 in judgments, 6 in a run.
pub(super) struct Trec;

impl FileFormat for Trec {
    fn names(&self) -> &'static [&'static str] {
        &["trec"]
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &["run", "runs", "res", "results", "qrels", "qrel", "trec", "txt"]
    }

    fn evidence(&self, sample: &Sample<'_>) -> Evidence {
        if sample.is_trec() { Evidence::Words } else { sample.by_suffix(Format::Trec) }
    }

    fn reads(&self) -> Reads {
        Reads::Words(|request| request.labels)
    }

    fn delimiter(&self, _: &Sample<'_>) -> Option<Delimiter> {
        Some(Delimiter::White)
    }

    fn writer(&self, _: Table) -> Option<&dyn Writer> {
        Some(self)
    }
}

impl Writer for Trec {
    fn check_file(&self, file: &File<'_>) -> Result<()> {
        let tag = file.tag;
        let is_word = !tag.is_empty() && !has_space(tag.as_bytes()) && !tag.contains('\0');
        if file.table == Table::Qrels || is_word {
            return Ok(());
        }
        let found = format!("the tag {}", quoted(tag.as_bytes()));
        Err(Error::new(Kind::Parameter, found, "one word, the name of the system"))
    }

    fn check(&self, file: &File<'_>, query: &QueryRows<'_>) -> Result<()> {
        let rows = query.documents.len();
        if file.table == Table::Qrels || file.scored || rows <= LONGEST_UNSCORED {
            return Ok(());
        }
        let found = format!("a ranking of {rows} documents without scores");
        let expected = "at most 2^24, the largest that 32-bit scores can order";
        Err(Error::new(Kind::Format, found, expected).query(query.id))
    }

    /// A query without documents has no line, so its id need not be valid.
    fn names_empty(&self) -> bool {
        false
    }

    fn reason(&self, id: &[u8], query: bool) -> Option<Reason> {
        words_reason(id, query)
    }

    fn row(&self, file: &mut File<'_>, row: &Row<'_>) -> io::Result<()> {
        let value = written(row.value);
        if file.table == Table::Qrels {
            return file.fields(&[row.query, row.label, row.document, value.as_bytes()], b' ');
        }
        let score = if file.scored { value } else { row.left.to_string() };
        let (rank, tag) = (written(row.rank), file.tag.as_bytes());
        file.fields(&[row.query, b"Q0", row.document, rank.as_bytes(), score.as_bytes(), tag], b' ')
    }
}

/// Reads lines of words with named columns.
pub(super) fn read_columns(
    input: &mut Input<'_>,
    request: &Request,
    collector: &mut Collector,
) -> Result<()> {
    delimited::read(input, Delimiter::White, request, collector)
}

/// Why a line of words cannot represent an id, if so.
fn words_reason(id: &[u8], query: bool) -> Option<Reason> {
    if has_space(id) {
        Some(Reason::WHITE_SPACE)
    } else if query && id.starts_with(b"#") {
        Reason::of("a number sign first, which begins a comment")
    } else if query && id.starts_with(b"\xef\xbb\xbf") {
        Reason::of("a byte-order mark first")
    } else {
        None
    }
}

/// Preference judgments: 5 words separated by white space; the second and third, a group and a subgroup, are
/// the label of the row.
pub(super) struct Prefs;

impl FileFormat for Prefs {
    fn names(&self) -> &'static [&'static str] {
        &["prefs"]
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &["prefs"]
    }

    fn evidence(&self, sample: &Sample<'_>) -> Evidence {
        let is = sample.table == Table::Qrels && sample.hint == Some(Format::Prefs) && sample.have_words(5);
        if is { Evidence::Syntax } else { Evidence::Nothing }
    }

    fn reads(&self) -> Reads {
        Reads::Words(|_| Labels::Two)
    }

    fn has(&self, table: Table) -> bool {
        table == Table::Qrels
    }

    fn writer(&self, table: Table) -> Option<&dyn Writer> {
        self.has(table).then_some(self)
    }
}

impl Writer for Prefs {
    fn label_fields(&self) -> usize {
        2
    }

    fn reason(&self, id: &[u8], query: bool) -> Option<Reason> {
        words_reason(id, query)
    }

    fn row(&self, file: &mut File<'_>, row: &Row<'_>) -> io::Result<()> {
        let mut parts = row.label.splitn(2, |&byte| byte == b' ');
        let (group, subgroup) = (parts.next().unwrap_or(row.label), parts.next().unwrap_or(b"0"));
        file.fields(&[row.query, group, subgroup, row.document, written(row.value).as_bytes()], b' ')
    }
}

/// Judgments of a stratified sample: 5 words separated by white space; the fourth, the stratum, is the label
/// of the row.
pub(super) struct Strata;

impl FileFormat for Strata {
    fn names(&self) -> &'static [&'static str] {
        &["strata"]
    }

    fn evidence(&self, _: &Sample<'_>) -> Evidence {
        Evidence::Nothing
    }

    fn reads(&self) -> Reads {
        Reads::Words(|_| Labels::Stratum)
    }

    fn has(&self, table: Table) -> bool {
        table == Table::Qrels
    }

    fn writer(&self, table: Table) -> Option<&dyn Writer> {
        self.has(table).then_some(self)
    }
}

impl Writer for Strata {
    fn reason(&self, id: &[u8], query: bool) -> Option<Reason> {
        words_reason(id, query)
    }

    fn row(&self, file: &mut File<'_>, row: &Row<'_>) -> io::Result<()> {
        file.fields(&[row.query, b"0", row.document, row.label, written(row.value).as_bytes()], b' ')
    }
}
