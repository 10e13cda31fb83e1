//! Which format a file is in: by its content first, by its suffix where the content leaves a choice.

use std::io::{BufRead, Read};

use super::delimited::is_header;
use super::input::Input;
use super::lines::words;
use super::records::Delimiter;
use super::{Format, Request};
use crate::error::Result;
use crate::parallel::Progress;
use crate::read::number::float;
use crate::read::source::Source;
use crate::read::source::decompressed;
use crate::read::trec::Table;

/// Lines that are looked at.
const LINES: usize = 100;

/// The format of a source, of which nothing is consumed: of the standard input only what one read
/// gives is looked at, of other pipes (which cannot be looked into) the name. `read` needs no such
/// call and sees more, since it looks at the stream that it then reads.
pub fn detect(source: &Source, table: Table) -> Result<Format> {
    let request = Request::new(Vec::new(), table);
    let progress = Progress::default();
    match source {
        Source::Path(path) if path.is_dir() && table == Table::Qrels => Ok(Format::Beir),
        Source::Path(path) if path.exists() && !path.is_file() && !path.is_dir() => {
            Ok(suffix(&source.name()).unwrap_or(Format::Trec))
        }
        Source::Stdin if stdin_is_a_pipe() => {
            let mut stdin = std::io::stdin().lock();
            let head = stdin.fill_buf().map_err(|error| source.failed(&error))?;
            let mut text = Vec::new();
            // The data break off where the look does: that is no error here.
            let _ = decompressed(Box::new(head)).and_then(|mut stream| stream.read_to_end(&mut text));
            Ok(of_bytes(&text, false, "", &request))
        }
        source => Ok(content(&Input::open(source, &progress)?, &request)),
    }
}

#[cfg(unix)]
fn stdin_is_a_pipe() -> bool {
    use std::io::Seek;
    use std::os::fd::AsFd;
    let Ok(handle) = std::io::stdin().as_fd().try_clone_to_owned() else { return true };
    let mut file = std::fs::File::from(handle);
    !(file.metadata().is_ok_and(|data| data.is_file()) && file.stream_position().is_ok_and(|at| at == 0))
}

#[cfg(not(unix))]
fn stdin_is_a_pipe() -> bool {
    true
}

/// The format of an opened input.
pub(super) fn content(input: &Input<'_>, request: &Request) -> Format {
    of_bytes(&input.head, input.complete, &input.name(), request)
}

/// `head` are the first bytes, `complete` says that there are no others.
fn of_bytes(head: &[u8], complete: bool, name: &str, request: &Request) -> Format {
    if head.starts_with(b"PAR1") || head.starts_with(b"PARE") {
        return Format::Parquet;
    }
    // An Arrow stream begins with a mark and the length of its schema, which is a multiple of 8.
    if head.starts_with(b"ARROW1")
        || head.starts_with(&[0xff; 4]) && head.get(4).is_some_and(|byte| byte % 8 == 0)
    {
        return Format::Arrow;
    }
    // What is called so and begins otherwise is damaged, and whoever reads such files says so.
    if !head.is_empty()
        && let Some(format) = columnar(name)
    {
        return format;
    }
    let hint = suffix(name);
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let text = head.trim_ascii_start();
    let lines = Sample::new(head, complete, request);
    if request.has_columns() && !matches!(text.first(), Some(b'{' | b'[')) {
        return lines.with_columns(request);
    }
    if matches!(text.first(), Some(b'{' | b'[')) && !lines.is_trec() {
        return json_or_lines(text, complete, hint);
    }
    if request.table == Table::Qrels && lines.is_svmlight() {
        return Format::Svmlight;
    }
    if request.table == Table::Qrels && hint == Some(Format::Prefs) && lines.have_words(5) {
        return Format::Prefs;
    }
    let hint = hint.filter(|&format| format != Format::Prefs);
    let Some(first) = lines.lines.first() else { return hint.unwrap_or(Format::Trec) };
    let fields = |delimiter| first.split(|&byte| byte == delimiter).collect::<Vec<_>>();
    let (tabs, commas) = (fields(b'\t'), fields(b','));
    let few = |count| matches!(count, 2..=4 | 6);
    if tabs.len() > 1 && is_header(&tabs, request.table) || hint == Some(Format::Tsv) && few(tabs.len()) {
        return Format::Tsv;
    }
    if commas.len() > 1 && (hint == Some(Format::Csv) || is_header(&commas, request.table)) {
        return Format::Csv;
    }
    if lines.is_trec() {
        return Format::Trec;
    }
    if request.table == Table::Run && lines.are_scores() {
        return Format::Scores;
    }
    match (few(tabs.len()), few(commas.len())) {
        (true, _) => Format::Tsv,
        (false, true) if words(first).count() != trec_width(request.table) => Format::Csv,
        _ => hint.filter(|format| !matches!(format, Format::Json | Format::Jsonl)).unwrap_or(Format::Trec),
    }
}

fn trec_width(table: Table) -> usize {
    if table == Table::Qrels { 4 } else { 6 }
}

/// Complete lines from the beginning of a file.
pub(super) struct Sample<'a> {
    /// Those that are not blank, and no comments.
    pub lines: Vec<&'a [u8]>,
    table: Table,
}

impl<'a> Sample<'a> {
    pub fn new(head: &'a [u8], complete: bool, request: &Request) -> Self {
        let end = match memchr::memrchr(b'\n', head) {
            Some(newline) if !complete => newline,
            _ => head.len(),
        };
        let lines = head
            .get(..end)
            .unwrap_or_default()
            .split(|&byte| byte == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
            .filter(|line| !(line.trim_ascii().is_empty() || request.comments && line.starts_with(b"#")))
            .take(LINES)
            .collect();
        Self { lines, table: request.table }
    }

    /// Whether the first line has the words of TREC, and no line has tabs with other spaces between
    /// them: those are queries of several words.
    fn is_trec(&self) -> bool {
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
        value.is_some_and(|word| float(word).is_some()) && !self.lines.iter().any(spaced)
    }

    /// `grade qid:…` or `grade number:value …`; lines that begin with `#` are comments there.
    fn is_svmlight(&self) -> bool {
        let Some(first) = self.lines.iter().find(|line| !line.starts_with(b"#")) else { return false };
        let row = first.split(|&byte| byte == b'#').next().unwrap_or_default();
        let mut words = words(row);
        let graded = words.next().is_some_and(|word| float(word).is_some());
        let mut rest = words.peekable();
        let Some(second) = rest.peek() else { return false };
        graded
            && (second.starts_with(b"qid:")
                || rest.all(|word| {
                    let mut halves = word.splitn(2, |&byte| byte == b':');
                    halves.next().is_some_and(|half| !half.is_empty() && half.iter().all(u8::is_ascii_digit))
                        && halves.next().is_some_and(|half| float(half).is_some())
                }))
    }

    /// The format of text of which the caller says which column is which: that in which the first line
    /// has these columns.
    fn with_columns(&self, request: &Request) -> Format {
        const FORMATS: [(Delimiter, Format); 3] = [
            (Delimiter::Tab, Format::Tsv),
            (Delimiter::Comma, Format::Csv),
            (Delimiter::White, Format::Trec),
        ];
        let Some(first) = self.lines.first() else { return Format::Tsv };
        let has = |delimiter: Delimiter| {
            let fields = delimiter.fields(first);
            let known = request.named.iter().all(|(_, name)| fields.contains(&name.as_bytes()));
            known && (request.columns.is_empty() || fields.len() == request.columns.len())
        };
        let fitting = FORMATS.iter().find(|(delimiter, _)| has(*delimiter));
        let several = || FORMATS.iter().find(|(delimiter, _)| delimiter.fields(first).len() > 1);
        fitting.or_else(several).map_or(Format::Tsv, |&(_, format)| format)
    }

    /// Whether the first line has so many words.
    fn have_words(&self, count: usize) -> bool {
        self.lines.first().is_some_and(|first| words(first).count() == count)
    }

    fn are_scores(&self) -> bool {
        !self.lines.is_empty() && self.lines.iter().all(|line| float(line.trim_ascii()).is_some())
    }
}

/// Text that begins with a brace or a bracket.
fn json_or_lines(text: &[u8], complete: bool, hint: Option<Format>) -> Format {
    let newline = memchr::memchr(b'\n', text);
    let line = newline.and_then(|end| text.get(..end)).unwrap_or(text);
    let rest = newline.and_then(|end| text.get(end..)).unwrap_or_default();
    let whole = serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok();
    if whole && !rest.trim_ascii_start().is_empty() {
        return Format::Jsonl;
    }
    let hint = hint.filter(|format| matches!(format, Format::Json | Format::Jsonl));
    // Of an object whose lines, if any, cannot be seen, the first value tells: in the layouts of one
    // JSON value it is an object or a list, in a row it is an id.
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

/// The byte with which the value of the first key begins.
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

/// A file name without the suffix of its compression.
pub(super) fn without_compression(name: &str) -> &str {
    [".gz", ".bz2", ".xz", ".zst"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// The format of a table in columns that a name has the suffix of.
pub(super) fn columnar(name: &str) -> Option<Format> {
    let (_, suffix) = without_compression(name).rsplit_once('.')?;
    match suffix.to_ascii_lowercase().as_str() {
        "parquet" | "pq" => Some(Format::Parquet),
        "arrow" | "arrows" | "ipc" | "feather" => Some(Format::Arrow),
        _ => None,
    }
}

/// What the suffix of a name says.
pub(super) fn suffix(name: &str) -> Option<Format> {
    let (_, suffix) = without_compression(name).rsplit_once('.')?;
    Some(match suffix.to_ascii_lowercase().as_str() {
        "tsv" => Format::Tsv,
        "csv" => Format::Csv,
        "json" => Format::Json,
        "jsonl" | "ndjson" => Format::Jsonl,
        "svm" | "svmlight" | "libsvm" | "letor" => Format::Svmlight,
        "prefs" => Format::Prefs,
        "run" | "qrels" | "qrel" | "trec" | "txt" => Format::Trec,
        _ => return None,
    })
}
