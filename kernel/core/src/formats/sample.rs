//! The beginning of a file, by which its format is detected.

use super::columns::is_header;
use super::lines::words;
use super::records::{Delimiter, is_quoted};
use super::{Format, Request};
use crate::read::number::{decimal_comma, float, grade};
use crate::read::trec::TableKind;

/// The number of lines to examine.
const LINES: usize = 100;

/// The evidence that a file is in a format, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Evidence {
    Nothing,
    /// The suffix alone, if the content leaves a choice.
    Suffix,
    /// As many fields as rows have.
    Fields,
    /// Words with a number in the right place.
    Words,
    /// A header that names columns, or fields under the right suffix.
    Header,
    /// Syntax that no other format has.
    Syntax,
    /// The suffix of a binary format. A file that begins otherwise is damaged; its reader reports this.
    BinarySuffix,
    /// The first bytes of a binary format.
    Magic,
}

/// The beginning of a file.
pub(super) struct Sample<'a> {
    /// The first bytes.
    pub head: &'a [u8],
    /// The first bytes without a byte-order mark and leading white space.
    pub text: &'a [u8],
    /// Whether there are no others.
    pub complete: bool,
    /// Complete lines that are neither blank nor comments.
    pub lines: Vec<&'a [u8]>,
    /// The format of the suffix.
    pub hint: Option<Format>,
    pub table: TableKind,
}

impl<'a> Sample<'a> {
    pub(super) fn new(head: &'a [u8], complete: bool, name: &str, request: &Request) -> Self {
        let plain = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        let end = match memchr::memrchr(b'\n', plain) {
            Some(newline) if !complete => newline,
            _ => plain.len(),
        };
        let lines = plain
            .get(..end)
            .unwrap_or_default()
            .split(|&byte| byte == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
            .filter(|line| !(line.trim_ascii().is_empty() || request.comments && line.starts_with(b"#")))
            .take(LINES)
            .collect();
        let text = plain.trim_ascii_start();
        Self { head, text, complete, lines, hint: Format::of_suffix(name), table: request.table }
    }

    /// The evidence of the suffix alone.
    pub(super) fn by_suffix(&self, format: Format) -> Evidence {
        if self.hint == Some(format) { Evidence::Suffix } else { Evidence::Nothing }
    }

    /// Whether the text begins as JSON does.
    pub(super) fn is_braced(&self) -> bool {
        matches!(self.text.first(), Some(b'{' | b'['))
    }

    /// The fields of the first line.
    pub(super) fn fields(&self, between: u8) -> Vec<&'a [u8]> {
        self.lines.first().map_or_else(Vec::new, |line| line.split(|&byte| byte == between).collect())
    }

    /// Whether fields between tabs are quoted as in CSV: all names of a header, or a quote in a field.
    pub(super) fn has_quoted_tabs(&self) -> bool {
        let fields = |line: &&'a [u8]| line.split(|&byte| byte == b'\t');
        let in_quotes = |name: &[u8]| name.len() > 2 && name.starts_with(b"\"") && name.ends_with(b"\"");
        let names = self.lines.first().is_some_and(|first| {
            first.contains(&b'\t')
                && fields(first).all(in_quotes)
                && is_header(&Delimiter::QuotedTab.fields(first))
        });
        names
            || !self.is_trec()
                && self.lines.iter().any(|line| line.contains(&b'\t') && fields(line).any(is_quoted))
    }

    /// Words in a line of TREC text.
    pub(super) fn trec_width(&self) -> usize {
        if self.table == TableKind::Qrels { 4 } else { 6 }
    }

    /// The separator of a CSV: semicolons if these split a header without commas or all lines alike, and the first
    /// line has commas in quotes alone, or all lines in quotes and numbers.
    pub(super) fn csv_delimiter(&self) -> Delimiter {
        let unquoted = |line: &&[u8]| -> Vec<u8> {
            line.split(|&byte| byte == b'"').step_by(2).collect::<Vec<_>>().join(&b'"')
        };
        if self.has_quoted_tabs() {
            return Delimiter::QuotedTab;
        }
        let Some(first) = self.lines.first().map(unquoted) else { return Delimiter::Comma };
        let fields = Delimiter::Semicolon.fields(&first);
        if fields.len() == 1 || first.contains(&b'\t') {
            return Delimiter::Comma;
        }
        let no_comma = !first.contains(&b',');
        let is_number = |field: &[u8]| !field.contains(&b',') || decimal_comma(field).is_some();
        let is_alike = |line: &&[u8]| {
            let line = unquoted(line);
            let others = Delimiter::Semicolon.fields(&line);
            others.len() == fields.len() && (no_comma || others.into_iter().all(is_number))
        };
        if no_comma && is_header(&fields) || self.lines.iter().all(is_alike) {
            Delimiter::Semicolon
        } else {
            Delimiter::Comma
        }
    }

    /// Whether the first line has the words of TREC, and no line has spaces between tabs, which would be
    /// queries of several words.
    pub(super) fn is_trec(&self) -> bool {
        let has_words = |line: &&[u8]| {
            let fields: Vec<&[u8]> = words(line).collect();
            let value = match self.table {
                TableKind::Qrels if fields.len() == 4 => fields.get(3),
                TableKind::Run if fields.len() >= 5 => fields.get(4),
                _ => None,
            };
            let is_value =
                |word: &&[u8]| float(word).is_some() || self.table == TableKind::Qrels && grade(word).is_ok();
            value.is_some_and(is_value)
        };
        let is_spaced = |line: &&[u8]| {
            let line = line.trim_ascii_end();
            line.contains(&b'\t')
                && line.split(|&byte| byte == b'\t').any(|field| words(field).nth(1).is_some())
        };
        self.lines.first().is_some_and(has_words)
            && (!self.lines.iter().any(is_spaced)
                || self.lines.iter().all(has_words) && self.has_iterations())
            && self.ranked().is_none()
    }

    /// Whether the second word of each line is that of TREC text.
    fn has_iterations(&self) -> bool {
        self.lines.iter().all(|line| words(line).nth(1).is_some_and(is_iteration))
    }

    /// Whether the lines have the words of TREC, with spaces between some and tabs between others.
    pub(super) fn mixes_separators(&self) -> bool {
        let tabs = |line: &&[u8]| Delimiter::Tab.fields(line.trim_ascii_end()).len();
        self.is_trec() && self.lines.iter().any(|line| tabs(line) != words(line).count())
    }

    /// What separates the fields of a run whose lines are query, document, rank, score and maybe a tag.
    pub(super) fn ranked(&self) -> Option<Delimiter> {
        if self.table == TableKind::Qrels {
            return None;
        }
        [Delimiter::Tab, Delimiter::Comma, Delimiter::White].into_iter().find(|delimiter| {
            let rows: Vec<Vec<&[u8]>> = self.lines.iter().map(|line| delimiter.fields(line)).collect();
            are_ranked(&rows)
        })
    }

    /// Whether the first line has names: no digit, above a column of which all other cells are numbers.
    pub(super) fn has_title(&self, delimiter: Delimiter) -> bool {
        let mut rows = self.lines.iter().map(|line| delimiter.fields(line));
        let Some(first) = rows.next() else { return false };
        let is_name = |cell: &&[u8]| !cell.is_empty() && !cell.iter().any(u8::is_ascii_digit);
        let rows: Vec<Vec<&[u8]>> = rows.filter(|row| *row != first).collect();
        let is_number = |cell: &&[u8]| float(cell).is_some();
        let is_above = |(column, name): (usize, &&[u8])| {
            !is_number(name) && rows.iter().all(|row| row.get(column).is_some_and(is_number))
        };
        // A quoted cell may have several lines.
        let is_whole = |line: &&[u8]| memchr::memchr_iter(b'"', line).count().is_multiple_of(2);
        !rows.is_empty()
            && self.lines.iter().all(is_whole)
            && first.iter().all(is_name)
            && first.iter().enumerate().any(is_above)
    }

    /// Whether the first line has this many words.
    pub(super) fn have_words(&self, count: usize) -> bool {
        self.lines.first().is_some_and(|first| words(first).count() == count)
    }
}

/// Whether rows are query, document, rank, score and maybe a tag: the third column counts the rows of each query,
/// from 0 or 1, and the second is no iteration.
fn are_ranked(rows: &[Vec<&[u8]>]) -> bool {
    let Some(width) = rows.first().map(Vec::len).filter(|width| matches!(width, 3..=5)) else { return false };
    let mut last: Option<(&[u8], f64)> = None;
    let mut most = 0.0;
    let mut seconds = rows.iter().filter_map(|row| row.get(1));
    let Some(second) = seconds.next() else { return false };
    let varies = seconds.any(|word| word != second) || rows.len() == 1 && !is_iteration(second);
    varies
        && rows.iter().all(|row| {
            let [query, _, rank, rest @ ..] = row.as_slice() else { return false };
            let Some(rank) = float(rank) else { return false };
            let follows = match last {
                Some((before, counted)) if before == *query => rank == counted + 1.0,
                _ => rank == 1.0 || rank == 0.0 && width > 3,
            };
            last = Some((*query, rank));
            most = rank.max(most);
            row.len() == width && follows && rest.first().is_none_or(|score| float(score).is_some())
        })
        // One or two numbers may be scores.
        && (width > 3 || most >= 3.0)
}

/// The content of the second column of judgments without iterations, and of runs.
pub(super) fn is_iteration(word: &[u8]) -> bool {
    matches!(word, b"0" | b"1" | b"Q0" | b"q0")
}
