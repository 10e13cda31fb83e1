//! Reads and writes SVMlight files for learning to rank, as in LETOR, RankLib and LightGBM.
//!
//! A document's id is in its comment (`# docid = X`, or the first word); without comments it is the
//! document's number within its query, counted from 1. Without `qid:`, the group sizes are in a file of the
//! same name with `.query` added, and the queries are numbered from 1.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::collect::{Collector, RowValue};
use super::definition::{Definition, Reason, RowReader, RowWriter, has_space};
use super::format::without_compression;
use super::input::Input;
use super::lines::{Lines, words};
use super::numerals::written;
use super::sample::{Evidence, Sample};
use super::{Format, Loaded, Request, trec};
use crate::error::{Error, Kind, Result, quoted};
use crate::parallel::Progress;
use crate::read::number;
use crate::read::source::Source;
use crate::read::trec::TableKind;
use crate::read::window::LONGEST_LINE;
use crate::rows::{QueryRows, Rows, RowsBuilder};

pub(super) fn read(input: &mut Input<'_>, collector: &mut Collector) -> Result<()> {
    if collector.table == TableKind::Run {
        return Err(Error::statement(Kind::Format, "SVMlight text has judgments, not a run")
            .hint("for SVMlight judgments, the run is a file with one score per line, ⟪format=scores⟫"));
    }
    collector.of_features = true;
    let mut groups: Option<GroupSizes> = None;
    let mut query = Vec::new();
    let mut number = 0u64;
    let mut commented = None;
    let path = input.path().map(Path::to_owned);
    let mut lines = Lines::new(input, LONGEST_LINE);
    loop {
        let line_number = lines.number + 1;
        let Some(line) = lines.next()? else { break };
        let at = |error: Box<Error>| error.line(line_number);
        let Some(row) = LabeledRow::parse(line).map_err(at)? else { continue };
        let next = match (&mut groups, row.query) {
            (None, Some(next)) => next.to_vec(),
            (Some(groups), None) => groups.next(collector)?,
            (None, None) if number == 0 => {
                groups.insert(GroupSizes::open(path.as_deref()).map_err(at)?).next(collector)?
            }
            (None, None) => {
                let found = format!("a row without qid: follows rows with it ({})", quoted(line));
                return Err(at(Error::statement(Kind::Format, found)));
            }
            (Some(_), Some(_)) => {
                let found = format!("a row with qid: follows rows without it ({})", quoted(line));
                return Err(at(Error::statement(Kind::Format, found)));
            }
        };
        if next == query {
            number += 1;
        } else {
            if !collector.enter(&next) {
                let error = Error::statement(Kind::Format, "the rows of the query are not consecutive");
                return Err(at(error.query(&next)).hint("sort the file, and the scores with it, by qid"));
            }
            (query, number) = (next, 1);
        }
        if *commented.get_or_insert(row.document.is_some()) != row.document.is_some() {
            let found = "only some rows have a comment with the document's id";
            return Err(at(Error::statement(Kind::Format, found)));
        }
        let counted = number.to_string();
        let document = row.document.unwrap_or(counted.as_bytes());
        collector.push(&query, document, RowValue::Grade(row.grade), line_number)?;
    }
    match groups {
        Some(groups) => groups.finish(collector),
        None => Ok(()),
    }
}

struct LabeledRow<'a> {
    grade: f64,
    query: Option<&'a [u8]>,
    document: Option<&'a [u8]>,
}

impl<'a> LabeledRow<'a> {
    fn parse(line: &'a [u8]) -> Result<Option<Self>> {
        let (row, comment) = match memchr::memchr(b'#', line) {
            Some(at) => line.split_at_checked(at).unwrap_or((line, b"")),
            None => (line, &b""[..]),
        };
        let mut row = words(row).peekable();
        let Some(grade) = row.next() else { return Ok(None) };
        let grade = number::grade(grade)?;
        let query = row.next_if(|word| word.starts_with(b"qid:"));
        let query = query.and_then(|word| word.get(b"qid:".len()..));
        if let Some(feature) = row.find(|word| memchr::memchr(b':', word).is_none()) {
            return Err(Error::new(Kind::Format, quoted(feature), "a feature (number:value)")
                .hint("a row is: grade qid:QUERY feature:value … # document"));
        }
        Ok(Some(Self { grade, query, document: document(comment) }))
    }
}

/// The id in a comment: the word after `docid =`, or the first word.
fn document(comment: &[u8]) -> Option<&[u8]> {
    let comment = comment.strip_prefix(b"#")?.trim_ascii();
    let named = comment
        .get(.."docid".len())
        .filter(|word| word.eq_ignore_ascii_case(b"docid"))
        .and_then(|word| comment.get(word.len()..))
        .and_then(|rest| rest.trim_ascii_start().strip_prefix(b"="));
    words(named.unwrap_or(comment)).next()
}

/// Group sizes from a separate file.
struct GroupSizes {
    name: String,
    sizes: std::vec::IntoIter<u64>,
    left: u64,
    rows: u64,
}

impl GroupSizes {
    fn open(path: Option<&Path>) -> Result<Self> {
        let progress = Progress::default();
        let (name, mut input) = sidecar(path, &progress)?;
        let mut lines = Lines::new(&mut input, LONGEST_LINE);
        let mut sizes = Vec::new();
        loop {
            let at = lines.number + 1;
            let located = |error: Box<Error>| error.in_file(&*name);
            let Some(line) = lines.next().map_err(located)? else { break };
            for word in words(line) {
                let size = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok());
                sizes.push(size.ok_or_else(|| {
                    let error = Error::new(Kind::Format, quoted(word), "a group size (a whole number)");
                    error.file(name.clone()).line(at)
                })?);
            }
        }
        Ok(Self { name, sizes: sizes.into_iter(), left: 0, rows: 0 })
    }

    /// The query of the next row.
    fn next(&mut self, collector: &mut Collector) -> Result<Vec<u8>> {
        while self.left == 0 {
            self.left = self.sizes.next().ok_or_else(|| {
                let found = format!("group sizes that add up to {}", self.rows);
                self.wrong(found, "as many as the file has rows, which is more")
            })?;
            collector.numbered += 1;
            if self.left == 0 {
                let query = collector.numbered.to_string();
                collector.query(query.as_bytes(), 0)?;
            }
        }
        self.left -= 1;
        self.rows += 1;
        Ok(collector.numbered.to_string().into_bytes())
    }

    fn finish(mut self, collector: &mut Collector) -> Result<()> {
        let mut sum = u128::from(self.rows) + u128::from(self.left);
        for size in self.sizes.by_ref() {
            collector.numbered += 1;
            sum += u128::from(size);
            if size == 0 {
                let query = collector.numbered.to_string();
                collector.query(query.as_bytes(), 0)?;
            }
        }
        if sum == u128::from(self.rows) {
            return Ok(());
        }
        let found = format!("group sizes that add up to {sum}");
        Err(self.wrong(found, &format!("{}, as many as the file has rows", self.rows)))
    }

    #[cold]
    fn wrong(&self, found: String, expected: &str) -> Box<Error> {
        Error::new(Kind::Format, found, expected).file(self.name.clone())
    }
}

/// The file of group sizes for a file of rows.
fn sidecar<'a>(path: Option<&Path>, progress: &'a Progress) -> Result<(String, Input<'a>)> {
    let lacking = || {
        Error::statement(Kind::Format, "the rows have no qid:, and there is no file of group sizes")
            .hint("save the group sizes, one per line, in a file of the same name with .query added")
    };
    let Some(path) = path else { return Err(lacking()) };
    let mut with = path.to_owned().into_os_string();
    with.push(".query");
    let mut candidates = vec![PathBuf::from(with)];
    if let Some(name) = path.file_name().and_then(|name| name.to_str()) {
        let plain = without_compression(name);
        if plain.len() < name.len() {
            candidates.push(path.with_file_name(format!("{plain}.query")));
        }
    }
    let Some(path) = candidates.into_iter().find(|path| path.is_file()) else { return Err(lacking()) };
    let source = Source::Path(path);
    Ok((source.name(), Input::open(&source, 1, progress)?))
}

/// Reads a run with one score per line, in the order of the rows of the judgments.
pub fn read_scores(request: &Request, judgments: &Rows, progress: &Progress) -> Result<Loaded> {
    let mut scores = Vec::with_capacity(judgments.len());
    let mut last = String::new();
    for source in &request.sources {
        let mut input = Input::open(source, 1, progress)?;
        last = input.name();
        let located = |error: Box<Error>| error.in_file(&*last);
        input.skip_byte_order_mark().map_err(located)?;
        if input.is_empty() {
            return Err(located(trec::empty()));
        }
        let mut lines = Lines::new(&mut input, LONGEST_LINE);
        loop {
            let at = lines.number + 1;
            let Some(line) = lines.next().map_err(located)? else { break };
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            scores.push(number::score(line).map_err(|error| located(error.line(at)))?);
            if scores.len() > judgments.len() {
                let found = format!("more than {} scores", judgments.len());
                return Err(located(wrong_count(found, judgments.len()).line(at)));
            }
        }
    }
    if scores.len() < judgments.len() {
        return Err(wrong_count(format!("{} scores", scores.len()), judgments.len()).file(last));
    }
    let mut scores = scores.into_iter();
    let mut builder = RowsBuilder::new(false);
    for query in judgments.iter() {
        let own = (0..query.documents.len()).zip(scores.by_ref());
        if !request.keeps(query.id) {
            own.for_each(drop);
            continue;
        }
        builder.query(query.id);
        for (row, score) in own {
            builder.push(query.id, query.document(row), score, f64::NAN, 0);
        }
    }
    Ok(Loaded::new(builder.build(), true))
}

/// The rows of a run that counts the rows of the judgments of each query from 0, as RankLib's `-score` does, with
/// the documents of these judgments. `None` if it does not.
#[must_use]
pub fn of_positions(run: &Rows, judgments: &Rows) -> Option<Rows> {
    let mut builder = RowsBuilder::new(run.has_ranks());
    let (mut counts, mut names) = (false, true);
    for query in run.iter() {
        builder.query(query.id);
        let judged = judgments.find(query.id).map(|number| judgments.query(number));
        if let Some(judged) = judged {
            let are = |rows: &QueryRows<'_>| {
                (0..rows.documents.len()).all(|row| rows.document(row) == row.to_string().as_bytes())
            };
            if query.documents.len() != judged.documents.len() || !are(&query) {
                return None;
            }
            let ids: HashSet<&[u8]> = (0..judged.documents.len()).map(|row| judged.document(row)).collect();
            // A run that names the documents has only judged ones.
            names &= (0..query.documents.len()).all(|row| ids.contains(query.document(row)));
            counts = true;
        }
        for (row, &score) in query.values.iter().enumerate() {
            let document = judged.map_or_else(|| query.document(row), |judged| judged.document(row));
            let rank = query.ranks.get(row).copied().unwrap_or(f64::NAN);
            builder.push(query.id, document, score, rank, 0);
        }
    }
    (counts && !names).then(|| builder.build())
}

#[cold]
fn wrong_count(found: String, rows: usize) -> Box<Error> {
    Error::new(Kind::Match, found, format!("{rows}, one per row of the judgments"))
}

/// `grade qid:Q feature:value … # document`; without `qid:`, with group sizes in a separate file.
pub(super) static SVMLIGHT: Definition = Definition {
    writers: [Some(&WRITER), None],
    ..Definition::new(
        |sample| {
            let is_syntax = sample.table == TableKind::Qrels && is_svmlight(sample);
            if is_syntax { Evidence::Syntax } else { sample.by_suffix(Format::Svmlight) }
        },
        RowReader::Rows(|input, _, collector| read(input, collector)),
    )
};

static WRITER: RowWriter = RowWriter {
    has_subtopics: false,
    ..RowWriter::new(
        |id, is_query| match () {
            () if has_space(id) => Some(Reason::WHITE_SPACE),
            () if is_query && id.contains(&b'#') => Reason::of("a number sign, which begins a comment"),
            () => None,
        },
        |file, row| {
            write!(file.out, "{} qid:", written(row.value))?;
            file.out.write_all(row.query)?;
            file.out.write_all(b" # docid = ")?;
            file.out.write_all(row.document)?;
            file.out.write_all(b"\n")
        },
    )
};

/// `grade qid:…` or `grade number:value …`; lines that begin with `#` are comments there.
fn is_svmlight(sample: &Sample<'_>) -> bool {
    let Some(first) = sample.lines.iter().find(|line| !line.starts_with(b"#")) else { return false };
    let row = first.split(|&byte| byte == b'#').next().unwrap_or_default();
    let mut words = words(row);
    let graded = words.next().is_some_and(|word| number::float(word).is_some());
    let mut rest = words.peekable();
    let Some(second) = rest.peek() else { return false };
    graded
        && (second.starts_with(b"qid:")
            || rest.all(|word| {
                let mut halves = word.splitn(2, |&byte| byte == b':');
                halves.next().is_some_and(|half| !half.is_empty() && half.iter().all(u8::is_ascii_digit))
                    && halves.next().is_some_and(|half| number::float(half).is_some())
            }))
}

/// One score per line, in the order of the rows of the judgments.
pub(super) static SCORES: Definition = Definition::new(
    |sample| {
        let is_score = |line: &&[u8]| number::float(line.trim_ascii()).is_some();
        let are =
            sample.table == TableKind::Run && !sample.lines.is_empty() && sample.lines.iter().all(is_score);
        if are { Evidence::Words } else { Evidence::Nothing }
    },
    RowReader::Rows(|_, _, _| {
        Err(Error::statement(Kind::Format, "the file has scores without queries and documents")
            .hint("such scores need judgments in SVMlight format"))
    }),
);
