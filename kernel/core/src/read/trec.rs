//! TREC text: `query iteration document grade` and `query Q0 document rank score tag`. The second word
//! of judgments may be a label, a subtopic or a group of judgments, and then there may be two of them.

use std::io::Read;

use super::binary::{MARK, byte_order_mark, no_text};
use super::place::Place;
use super::scan::{self, Machine, Word, is_space, regular_line};
use super::window::{Halt, Window, long_line};
use crate::error::{Code, Error, Kind, Result, quoted};
use crate::known::Known;

/// The kind of table: judgments or run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableKind {
    Qrels,
    Run,
}

impl TableKind {
    /// The role of the input in errors.
    #[must_use]
    pub fn role(self) -> &'static str {
        match self {
            Self::Qrels => "judgments",
            Self::Run => "run",
        }
    }
}

/// The label of a judgment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LabelFields {
    /// The second word is ignored.
    #[default]
    Ignored,
    /// A subtopic or a group of judgments: the label of the row.
    One,
    /// A stratum of a sample, after the document: the label of the row.
    Stratum,
    /// Two words, as in files of preferences: a group and a subgroup, together the label of the row.
    Two,
}

impl LabelFields {
    /// The choices of callers; only a format has strata.
    pub const NAMES: [(&str, Self); 3] = [("ignored", Self::Ignored), ("one", Self::One), ("two", Self::Two)];
}

/// The rules for lines and numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// Gainful's: an invalid number is an error.
    #[default]
    Gainful,
    /// trec_eval's: a line of a run has at least six fields, a blank line among judgments is an error, and
    /// the numeric prefix of a word is its number.
    TrecEval,
    /// The same for preferences, whose levels need not be integers.
    TrecEvalLevels,
}

impl Dialect {
    pub const NAMES: [(&str, Self); 3] = [
        ("gainful", Self::Gainful),
        ("trec_eval", Self::TrecEval),
        ("trec_eval_levels", Self::TrecEvalLevels),
    ];
}

/// The options for reading TREC text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    pub table: TableKind,
    /// The labels of judgments.
    pub labels: LabelFields,
    /// Lines that begin with `#` are comments. Off by default: ids may begin with `#`. In judgments,
    /// trec_eval's dialects skip one such line at a time.
    pub comments: bool,
    pub dialect: Dialect,
}

/// The lines that are skipped as comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Skipped {
    None,
    /// All of them, blanks before the `#` included.
    All,
    /// As trec_eval 10.0-rc3 reads judgments: one line, with the `#` in its first column. The next
    /// line is a judgment whatever it begins with.
    Alone,
}

/// Finds comments in consecutive lines.
struct Comments {
    skipped: Skipped,
    /// Whether the last line was one, for `Skipped::Alone`.
    last: bool,
}

impl Comments {
    fn new(layout: Layout) -> Self {
        let skipped = match (layout.comments, layout.dialect, layout.table) {
            (false, _, _) => Skipped::None,
            (true, Dialect::TrecEval | Dialect::TrecEvalLevels, TableKind::Qrels) => Skipped::Alone,
            (true, _, _) => Skipped::All,
        };
        Self { skipped, last: false }
    }

    /// Whether the next line, which starts at `start` and has its first word at `word`, is a comment.
    #[inline(always)]
    fn has(&mut self, bytes: &[u8], start: usize, word: usize) -> bool {
        match self.skipped {
            Skipped::None => false,
            Skipped::All => bytes.get(word) == Some(&b'#'),
            Skipped::Alone => {
                self.last = !self.last && bytes.get(start) == Some(&b'#');
                self.last
            }
        }
    }
}

/// One line, as words.
#[derive(Debug, Clone)]
pub struct Line {
    pub query: Word,
    pub document: Word,
    /// The rank of a run; for judgments their label or labels, with the bytes between them.
    pub rank: Word,
    /// The grade or the score.
    pub value: Word,
}

/// Whether to read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    On,
    /// The rows that follow are those of another reader.
    Stop,
    /// All rows have to be read again, in another way.
    Regroup,
}

/// An error and its offset in the buffered bytes.
#[derive(Debug)]
pub struct Fault {
    pub offset: usize,
    pub error: Box<Error>,
}

/// The receiver of lines.
pub trait Sink {
    fn line(&mut self, bytes: &[u8], line: &Line) -> std::result::Result<Flow, Fault>;

    /// The first byte that is still needed when the window moves on (offset into the bytes that
    /// `line` was given last); `None` for nothing.
    fn keep(&self) -> Option<usize> {
        None
    }

    /// The bytes have moved by `by`; the first is at offset `at` in the source.
    fn moved(&mut self, _by: usize, _at: u64) {}

    /// All lines of these bytes have been read.
    fn passed(&mut self, _bytes: &[u8]) {}

    /// Whole lines have been read; the tag of the last of them that has one.
    fn tag(&mut self, _tag: &[u8]) {}

    /// An error occurred at `offset`. The sink may have an earlier error in its buffered lines.
    fn earlier(&mut self, _bytes: &[u8], _offset: usize) -> std::result::Result<Flow, Fault> {
        Ok(Flow::On)
    }
}

/// Lexes whole lines, from the start of one, and hands them to the sink: in the fastest form for the
/// processor.
fn lex<S: Sink>(
    bytes: &[u8],
    from: usize,
    layout: Layout,
    comments: &mut Comments,
    sink: &mut S,
) -> std::result::Result<Flow, Fault> {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(machine) = scan::Avx2::detect() {
            // SAFETY: the value proves that the processor has what the function is compiled for.
            #[allow(unsafe_code)]
            return unsafe { lex_avx2(machine, bytes, from, layout, comments, sink) };
        }
        lex_on(scan::Sse2, bytes, from, layout, comments, sink)
    }
    #[cfg(not(target_arch = "x86_64"))]
    lex_on(scan::Portable, bytes, from, layout, comments, sink)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn lex_avx2<S: Sink>(
    machine: scan::Avx2,
    bytes: &[u8],
    from: usize,
    layout: Layout,
    comments: &mut Comments,
    sink: &mut S,
) -> std::result::Result<Flow, Fault> {
    lex_on(machine, bytes, from, layout, comments, sink)
}

#[inline(always)]
fn lex_on<S: Sink, M: Machine>(
    machine: M,
    bytes: &[u8],
    from: usize,
    layout: Layout,
    comments: &mut Comments,
    sink: &mut S,
) -> std::result::Result<Flow, Fault> {
    match (layout.table, layout.labels) {
        (TableKind::Run, _) => lex_lines::<S, M, 6>(machine, bytes, from, layout, comments, sink, |words| {
            let [query, _, document, rank, value, _] = words;
            Line { query, document, rank, value }
        }),
        (TableKind::Qrels, LabelFields::Ignored | LabelFields::One) => {
            lex_lines::<S, M, 4>(machine, bytes, from, layout, comments, sink, |words| {
                let [query, iteration, document, value] = words;
                Line { query, document, rank: iteration, value }
            })
        }
        (TableKind::Qrels, LabelFields::Stratum) => {
            lex_lines::<S, M, 5>(machine, bytes, from, layout, comments, sink, |words| {
                let [query, _, document, stratum, value] = words;
                Line { query, document, rank: stratum, value }
            })
        }
        (TableKind::Qrels, LabelFields::Two) => {
            lex_lines::<S, M, 5>(machine, bytes, from, layout, comments, sink, |words| {
                let [query, first, second, document, value] = words;
                Line { query, document, rank: first.start..second.end, value }
            })
        }
    }
}

/// Splits lines of N words; `line` converts them for the sink.
#[inline(always)]
fn lex_lines<S: Sink, M: Machine, const N: usize>(
    machine: M,
    bytes: &[u8],
    from: usize,
    layout: Layout,
    comments: &mut Comments,
    sink: &mut S,
    line: impl Fn([Word; N]) -> Line,
) -> std::result::Result<Flow, Fault> {
    let mut at = from;
    while at < bytes.len() {
        let mut line = match regular_line(machine, bytes, at) {
            Some((words, next)) => {
                let start = std::mem::replace(&mut at, next);
                let line = line(words);
                if comments.has(bytes, start, line.query.start) {
                    continue;
                }
                line
            }
            None => {
                let end = bytes
                    .get(at..)
                    .and_then(|rest| memchr::memchr(b'\n', rest))
                    .map_or(bytes.len(), |newline| at + newline);
                let line = irregular_line(bytes, at, end, layout, comments)?;
                at = end + 1;
                if line.is_none() && layout.dialect == Dialect::Gainful {
                    // Blank lines are either numerous or absent.
                    let rest = bytes.get(at..).unwrap_or_default();
                    at += rest.iter().take_while(|&&byte| byte == b'\n').count();
                }
                match line {
                    Some(line) => line,
                    None => continue,
                }
            }
        };
        if bytes.get(line.query.start) == Some(&MARK_START) && layout.dialect == Dialect::Gainful {
            line.query = unmarked(bytes, line.query);
        }
        let flow = sink.line(bytes, &line)?;
        if flow != Flow::On {
            return Ok(flow);
        }
    }
    Ok(Flow::On)
}

const MARK_START: u8 = 0xef;

/// A word without the byte-order mark that it has where a file was appended to another.
#[cold]
fn unmarked(bytes: &[u8], word: Word) -> Word {
    let length = bytes.known(word.clone()).strip_prefix(MARK).map_or(0, <[u8]>::len);
    if length > 0 { word.end - length..word.end } else { word }
}

/// A line of any shape; none if it is blank or a comment.
#[inline(never)]
fn irregular_line(
    bytes: &[u8],
    at: usize,
    end: usize,
    layout: Layout,
    comments: &mut Comments,
) -> std::result::Result<Option<Line>, Fault> {
    let line = bytes.known(at..end);
    let mut found: [Word; 5] = std::array::from_fn(|_| 0..0);
    let mut count = 0;
    let mut next = 0;
    while next < line.len() {
        let rest = line.known(next..);
        let Some(start) = rest.iter().position(|&byte| !is_space(byte)).map(|skip| next + skip) else {
            break;
        };
        let rest = line.known(start..);
        let stop = rest.iter().position(|&byte| is_space(byte)).map_or(line.len(), |length| start + length);
        if let Some(slot) = found.get_mut(count) {
            *slot = at + start..at + stop;
        }
        count += 1;
        next = stop;
    }
    if let Some(nul) = memchr::memchr(0, line) {
        let error = no_text(line);
        return Err(Fault { offset: at + nul, error });
    }
    let [query, second, third, fourth, fifth] = found;
    let comment = comments.has(bytes, at, if count == 0 { end } else { query.start });
    let strict = layout.dialect != Dialect::Gainful;
    if comment || count == 0 && !(strict && layout.table == TableKind::Qrels) {
        return Ok(None);
    }
    // The tag of a run may have several words. Where nothing else ends lines, it would be the rest of the file.
    if count > 6 && !strict && end == bytes.len() && memchr::memchr(b'\r', line.trim_ascii_end()).is_some() {
        let error = Error::statement(Kind::Format, "lines end with carriage returns only")
            .hint("replace them: tr '\\r' '\\n' < FILE > OTHER");
        return Err(Fault { offset: at, error });
    }
    match layout.table {
        TableKind::Qrels if count == 5 && layout.labels == LabelFields::Two => {
            Ok(Some(Line { query, document: fourth, rank: second.start..third.end, value: fifth }))
        }
        TableKind::Qrels if count == 5 && layout.labels == LabelFields::Stratum => {
            Ok(Some(Line { query, document: third, rank: fourth, value: fifth }))
        }
        TableKind::Qrels
            if count == 4 && !matches!(layout.labels, LabelFields::Two | LabelFields::Stratum) =>
        {
            Ok(Some(Line { query, document: third, rank: second, value: fourth }))
        }
        TableKind::Run if count >= 5 + usize::from(strict) => {
            Ok(Some(Line { query, document: third, rank: fourth, value: fifth }))
        }
        table => {
            let start = if count == 0 { at } else { query.start };
            let line = bytes.known(start..end);
            let error = field_count(table, layout.labels, count, line);
            Err(Fault { offset: start, error })
        }
    }
}

#[cold]
fn field_count(table: TableKind, labels: LabelFields, count: usize, line: &[u8]) -> Box<Error> {
    let fields = if count == 1 { "field" } else { "fields" };
    let found = format!("{count} {fields} ({})", quoted(line));
    let wrong = |expected| Error::new(Kind::Format, found, expected).code(Code::FieldCount);
    match table {
        TableKind::Qrels if labels == LabelFields::Two => {
            wrong("5 fields (query, group, subgroup, document, level)")
                .hint("separate the fields by spaces or tabs")
        }
        TableKind::Qrels if labels == LabelFields::Stratum => wrong(
            "5 fields (query, iteration, document, stratum, grade)",
        )
        .hint("separate the fields by spaces or tabs; if the second of 4 is the stratum, use ⟪format=trec⟫"),
        TableKind::Qrels => {
            let error = wrong("4 fields (query, iteration, document, grade)");
            if count == 5 {
                error.code(Code::LooksLikeRun).hint(
                    "if this is a run, put the judgments first; read preferences (query, group, subgroup, document, \
                     level) with ⟪format=prefs⟫, samples (query, iteration, document, stratum, grade) with \
                     ⟪format=strata⟫",
                )
            } else if count > 5 {
                error
                    .code(Code::LooksLikeRun)
                    .hint("this looks like a run; put the judgments first, then the runs")
            } else {
                error.hint(separators(count, line))
            }
        }
        TableKind::Run => {
            let error = wrong("6 fields (query, Q0, document, rank, score, tag)");
            if count == 4 {
                error.hint("this looks like judgments; put the judgments first, then the runs")
            } else {
                error.hint(separators(count, line))
            }
        }
    }
}

/// The hint for a line with too few fields.
fn separators(count: usize, line: &[u8]) -> &'static str {
    let has = |mark: &[u8]| count == 1 && line.windows(mark.len()).any(|part| part == mark);
    if has(b"::") {
        "fields are separated by '::' here; replace it by tabs, as in sed 's/::/\\t/g'"
    } else if has(b"|") {
        "fields are separated by '|' here; replace it by tabs, as in sed 's/ *| */\\t/g'"
    } else if has(b";") {
        "fields are separated by semicolons here; export them with tabs, and decimal points"
    } else {
        match count {
            3 => {
                "name three fields, such as ⟪columns='query,doc,grade'⟫ of judgments or ⟪columns='query,doc,score'⟫ of a run"
            }
            _ => "fields are separated by spaces or tabs; other formats are named with ⟪format⟫",
        }
    }
}

/// Bytes that a sink may keep before it is asked for errors in them; then twice as many, and so on.
const HELD: usize = 4 << 20;

/// Reads a window to its end, or until the sink or `go_on` stops.
pub fn drive<R: Read, S: Sink>(
    window: &mut Window<R>,
    layout: Layout,
    sink: &mut S,
    mut go_on: impl FnMut(usize) -> Result<Flow>,
    failed: impl Fn(&std::io::Error) -> Box<Error>,
) -> std::result::Result<Flow, (Place, Box<Error>)> {
    let mut done = 0;
    let mut comments = Comments::new(layout);
    let mut most_held = HELD;
    loop {
        let keep = sink.keep().unwrap_or(done).min(done);
        let before = window.bytes().len();
        let advanced = window.advance(keep);
        sink.moved(keep, window.at);
        done -= keep;
        match advanced {
            Ok(true) => {}
            Ok(false) => return Ok(Flow::On),
            Err(Halt::LongLine { offset }) => {
                return first_error(window, sink, Fault { offset, error: long_line() }, None);
            }
            Err(Halt::Io(error)) => {
                let fault = Fault { offset: done, error: failed(&error) };
                return first_error(window, sink, fault, Some(Place::Nowhere));
            }
        }
        let flow = go_on(window.bytes().len() - (before - keep)).map_err(|error| (Place::Nowhere, error))?;
        if flow != Flow::On {
            return Ok(flow);
        }
        if window.at == 0 && done == 0 && layout.dialect == Dialect::Gainful {
            done = byte_order_mark(window.bytes()).map_err(|error| (Place::Line(1), error))?;
        }
        match lex(window.bytes(), done, layout, &mut comments, sink) {
            Ok(Flow::On) => {}
            Ok(flow) => return Ok(flow),
            Err(fault) => return first_error(window, sink, fault, None),
        }
        if let Some(tag) = last_tag(window.bytes().get(done..).unwrap_or_default(), layout) {
            sink.tag(tag);
        }
        done = window.bytes().len();
        sink.passed(window.bytes());
        let held = done - sink.keep().unwrap_or(done).min(done);
        if held > most_held {
            // An error in a query of gigabytes is reported before all of it is in memory.
            most_held = 2 * held;
            match sink.earlier(window.bytes(), done) {
                Ok(Flow::On) => {}
                Ok(flow) => return Ok(flow),
                Err(fault) => return Err((place_of(window, fault.offset), fault.error)),
            }
        }
    }
}

/// An error at `place`, or at its offset in the window, unless the sink has an earlier one.
#[cold]
fn first_error<R: Read, S: Sink>(
    window: &Window<R>,
    sink: &mut S,
    fault: Fault,
    place: Option<Place>,
) -> std::result::Result<Flow, (Place, Box<Error>)> {
    match sink.earlier(window.bytes(), fault.offset) {
        Ok(Flow::On) => Err((place.unwrap_or_else(|| place_of(window, fault.offset)), fault.error)),
        Ok(flow) => Ok(flow),
        Err(earlier) => Err((place_of(window, earlier.offset), earlier.error)),
    }
}

/// The sixth field of the last line of a run.
fn last_tag(bytes: &[u8], layout: Layout) -> Option<&[u8]> {
    if layout.table != TableKind::Run {
        return None;
    }
    let mut lines = bytes.rsplit(|&byte| byte == b'\n');
    lines.find_map(|line| {
        let mut words = line.split(|&byte| is_space(byte)).filter(|word| !word.is_empty());
        let first = words.next()?;
        let comment = layout.comments && first.starts_with(b"#");
        if comment { None } else { words.nth(4) }
    })
}

fn place_of<R: Read>(window: &Window<R>, offset: usize) -> Place {
    if window.counts_lines() {
        Place::Line(window.line_of(offset))
    } else {
        Place::Offset(window.at + offset as u64)
    }
}
