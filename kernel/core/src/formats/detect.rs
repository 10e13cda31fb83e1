//! Detects the format of a file: by its content, or by its suffix if the content leaves a choice.

use std::io::Read;

use super::definition::Evidence;
use super::input::Input;
use super::lines::words;
use super::records::Delimiter;
use super::{Format, Request};
use crate::error::Result;
use crate::parallel::Progress;
use crate::read::number::{float, grade};
use crate::read::source::{Source, decompressed, examine_stdin};
use crate::read::trec::Table;

/// The number of lines to examine.
const LINES: usize = 100;

/// The format of a source, without consuming it: examines only the first read of the standard input, and only
/// the name of other pipes. `read` sees more, since it examines the stream that it then reads.
pub fn detect(source: &Source, table: Table, progress: &Progress) -> Result<Format> {
    let request = Request::new(Vec::new(), table);
    match source {
        Source::Path(path) if path.is_dir() && table == Table::Qrels => Ok(Format::Beir),
        Source::Path(path) if path.exists() && !path.is_file() && !path.is_dir() => {
            let format = suffix(&source.name()).filter(|format| !format.is_columnar());
            Ok(format.unwrap_or(Format::Trec))
        }
        Source::Stdin if !source.is_regular() => {
            let head = examine_stdin(&progress.stop).map_err(|error| source.failed(&error))?;
            let mut text = Vec::new();
            // Truncated data are no error here.
            let _ = decompressed(Box::new(&*head)).and_then(|mut stream| stream.read_to_end(&mut text));
            Ok(of_bytes(&text, false, "", &request))
        }
        source => Ok(content(&Input::open(source, 1, progress)?, &request)),
    }
}

/// The format of an opened input.
pub(super) fn content(input: &Input<'_>, request: &Request) -> Format {
    of_bytes(&input.head, input.complete, &input.name(), request)
}

/// `head` has the first bytes; `complete` if these are all.
fn of_bytes(head: &[u8], complete: bool, name: &str, request: &Request) -> Format {
    let sample = Sample::new(head, complete, name, request);
    let mut strongest = (Evidence::Nothing, Format::Trec);
    for &format in Format::ALL {
        let evidence = format.definition().evidence(&sample);
        if evidence > strongest.0 {
            strongest = (evidence, format);
        }
    }
    if strongest.0 < Evidence::BinarySuffix && request.has_columns() && !sample.is_braced() {
        return sample.with_columns(request);
    }
    strongest.1
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
    pub table: Table,
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
        Self { head, text, complete, lines, hint: suffix(name), table: request.table }
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

    /// Words in a line of TREC text.
    pub(super) fn trec_width(&self) -> usize {
        if self.table == Table::Qrels { 4 } else { 6 }
    }

    /// Whether the first line has the words of TREC, and no line has spaces between tabs, which would be
    /// queries of several words.
    pub(super) fn is_trec(&self) -> bool {
        let Some(first) = self.lines.first() else { return false };
        let fields: Vec<&[u8]> = words(first).collect();
        let value = match self.table {
            Table::Qrels if fields.len() == 4 => fields.get(3),
            Table::Run if fields.len() >= 5 => fields.get(4),
            _ => None,
        };
        let spaced = |line: &&[u8]| {
            let mut fields = line.split(|&byte| byte == b'\t').peekable();
            fields.next();
            fields.peek().is_some()
                && line.split(|&byte| byte == b'\t').any(|field| words(field).nth(1).is_some())
        };
        let is_value =
            |word: &&[u8]| float(word).is_some() || self.table == Table::Qrels && grade(word).is_ok();
        value.is_some_and(is_value) && !self.lines.iter().any(spaced)
    }

    /// The format of text with named columns: the one in which the first line has these columns.
    fn with_columns(&self, request: &Request) -> Format {
        let Some(first) = self.lines.first() else { return Format::Tsv };
        let delimited = |white: bool| {
            let known =
                Format::ALL.iter().filter_map(|&format| Some((format.definition().delimiter()?, format)));
            known.filter(move |(delimiter, _)| (*delimiter == Delimiter::White) == white)
        };
        // Fields between tabs or commas may contain spaces, too.
        let formats: Vec<_> = delimited(false).chain(delimited(true)).collect();
        let has = |delimiter: Delimiter| {
            let fields = delimiter.fields(first);
            let known = request.named.iter().all(|(_, name)| fields.contains(&name.as_bytes()));
            known && (request.columns.is_empty() || fields.len() == request.columns.len())
        };
        let fitting = formats.iter().find(|(delimiter, _)| has(*delimiter));
        let several = || formats.iter().find(|(delimiter, _)| delimiter.fields(first).len() > 1);
        fitting.or_else(several).map_or(Format::Tsv, |&(_, format)| format)
    }

    /// Whether the first line has this many words.
    pub(super) fn have_words(&self, count: usize) -> bool {
        self.lines.first().is_some_and(|first| words(first).count() == count)
    }
}

/// A file name without the suffix of its compression.
pub(super) fn without_compression(name: &str) -> &str {
    [".gz", ".bz2", ".xz", ".zst"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// The format that the suffix of a name suggests.
pub(super) fn suffix(name: &str) -> Option<Format> {
    let (_, suffix) = without_compression(name).rsplit_once('.')?;
    let suffix = suffix.to_ascii_lowercase();
    Format::ALL.iter().copied().find(|format| format.definition().suffixes().contains(&suffix.as_str()))
}
