//! The formats that the reader of TREC text reads: TREC, preferences, strata.

use super::collect::Collector;
use super::definition::{Definition, File, Reason, RowReader, RowWriter, has_space};
use super::input::Input;
use super::numerals::written;
use super::records::Delimiter;
use super::sample::Evidence;
use super::{Format, Request, delimited};
use crate::error::{Error, Kind, Result, quoted};
use crate::read::trec::{LabelFields, TableKind};
use crate::rows::QueryRows;

/// Integers up to this one differ as 32-bit floats; the scores of longer rankings would not.
const LONGEST_UNSCORED: usize = 1 << 24;

/// Words separated by white space: 4 in judgments, 6 in a run.
pub(super) static TREC: Definition = Definition {
    delimiter: |_| Some(Delimiter::White),
    writers: [Some(&TREC_WRITER), Some(&TREC_WRITER)],
    ..Definition::new(
        |sample| if sample.is_trec() { Evidence::Words } else { sample.by_suffix(Format::Trec) },
        RowReader::Words(|request| request.labels),
    )
};

static TREC_WRITER: RowWriter = RowWriter {
    check_file,
    check,
    // A query without documents has no line, so its id need not be valid.
    names_empty: false,
    ..RowWriter::new(words_reason, |file, row| {
        let value = written(row.value);
        if file.table == TableKind::Qrels {
            return file.fields(&[row.query, row.label, row.document, value.as_bytes()], b' ');
        }
        let score = if file.scored { value } else { row.left.to_string() };
        let (rank, tag) = (written(row.rank), file.tag.as_bytes());
        file.fields(&[row.query, b"Q0", row.document, rank.as_bytes(), score.as_bytes(), tag], b' ')
    })
};

fn check_file(file: &File<'_>) -> Result<()> {
    let tag = file.tag;
    let is_word = !tag.is_empty() && !has_space(tag.as_bytes()) && !tag.contains('\0');
    if file.table == TableKind::Qrels || is_word {
        return Ok(());
    }
    let found = format!("the tag {}", quoted(tag.as_bytes()));
    Err(Error::new(Kind::Parameter, found, "one word, the name of the system"))
}

fn check(file: &File<'_>, query: &QueryRows<'_>) -> Result<()> {
    let rows = query.documents.len();
    if file.table == TableKind::Qrels || file.scored || rows <= LONGEST_UNSCORED {
        return Ok(());
    }
    let found = format!("a ranking of {rows} documents without scores");
    let expected = "at most 2^24, the largest that 32-bit scores can order";
    Err(Error::new(Kind::Format, found, expected).query(query.id))
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
pub(super) static PREFS: Definition = Definition {
    writers: [Some(&PREFS_WRITER), None],
    ..Definition::new(
        |sample| {
            let is_text = sample.table == TableKind::Qrels && sample.have_words(5);
            if is_text && sample.hint == Some(Format::Prefs) { Evidence::Syntax } else { Evidence::Nothing }
        },
        RowReader::Words(|_| LabelFields::Two),
    )
};

static PREFS_WRITER: RowWriter = RowWriter {
    label_fields: 2,
    ..RowWriter::new(words_reason, |file, row| {
        let mut parts = row.label.splitn(2, |&byte| byte == b' ');
        let (group, subgroup) = (parts.next().unwrap_or(row.label), parts.next().unwrap_or(b"0"));
        file.fields(&[row.query, group, subgroup, row.document, written(row.value).as_bytes()], b' ')
    })
};

/// Judgments of a stratified sample: 5 words separated by white space; the fourth, the stratum, is the label
/// of the row.
pub(super) static STRATA: Definition = Definition {
    writers: [Some(&STRATA_WRITER), None],
    ..Definition::new(|_| Evidence::Nothing, RowReader::Words(|_| LabelFields::Stratum))
};

static STRATA_WRITER: RowWriter = RowWriter::new(words_reason, |file, row| {
    file.fields(&[row.query, b"0", row.document, row.label, written(row.value).as_bytes()], b' ')
});
