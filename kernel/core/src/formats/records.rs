//! Splits text into records of fields, separated by tabs, commas or white space.

use std::io::{BufRead, BufReader};

use csv_core::ReadRecordResult;

use super::input::{Input, Watched};
use super::lines::{Lines, too_long, words};
use crate::error::Result;
use crate::known::Known;
use crate::read::binary::{MARK, nul};
use crate::read::source::Source;
use crate::read::window::LONGEST_LINE;

/// The maximum number of fields of a record.
const MOST_FIELDS: usize = 1 << 16;

/// The separator of the fields of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    Tab,
    /// With fields quoted where needed.
    Comma,
    /// As [`Delimiter::Comma`], of spreadsheets in languages with decimal commas.
    Semicolon,
    /// As [`Delimiter::Comma`], of spreadsheets that copy or write tabs.
    QuotedTab,
    /// Any white space; a record is a line.
    White,
}

impl Delimiter {
    /// Its name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tab | Self::QuotedTab => "tabs",
            Self::Comma => "commas",
            Self::Semicolon => "semicolons",
            Self::White => "spaces or tabs",
        }
    }

    /// The fields of a line for detection: only surrounding quotes are removed.
    pub(super) fn fields(self, line: &[u8]) -> Vec<&[u8]> {
        let bare =
            |field: &'_ [u8]| -> usize { usize::from(field.starts_with(b"\"") && field.ends_with(b"\"")) };
        let quoted = |mark: u8| {
            line.split(move |&byte| byte == mark)
                .map(<[u8]>::trim_ascii)
                .map(|field| field.get(bare(field)..field.len() - bare(field)).unwrap_or(field))
                .collect()
        };
        match self {
            Self::Tab => line.split(|&byte| byte == b'\t').map(<[u8]>::trim_ascii).collect(),
            Self::Comma => quoted(b','),
            Self::Semicolon => quoted(b';'),
            Self::QuotedTab => quoted(b'\t'),
            Self::White => words(line).collect(),
        }
    }
}

/// Whether a cell is written in quotes, with those inside doubled.
pub(super) fn is_quoted(cell: &[u8]) -> bool {
    let inside = cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\"")).unwrap_or_default();
    let is_doubled = |run: &[u8]| run.first() != Some(&b'"') || run.len().is_multiple_of(2);
    inside.contains(&b'"') && inside.chunk_by(|one, other| one == other).all(is_doubled)
}

/// The fields of a record.
pub(super) struct Record<'a> {
    pub bytes: &'a [u8],
    pub ends: &'a [usize],
    pub width: usize,
}

impl Record<'_> {
    /// Whether all fields are empty.
    pub(super) fn is_empty(&self) -> bool {
        self.width.checked_sub(1).and_then(|last| self.ends.get(last)) == Some(&0)
    }

    pub(super) fn field(&self, field: usize) -> &[u8] {
        let start = match field.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(usize::MAX),
            None => 0,
        };
        let end = self.ends.get(field).copied().unwrap_or(start);
        self.bytes.get(start..end).unwrap_or_default()
    }
}

/// Reads a stream record by record.
pub(super) enum Records<'a> {
    Delimited(Box<Delimited<'a>>),
    Words(Words<'a>),
}

impl<'a> Records<'a> {
    pub(super) fn new(input: &mut Input<'a>, delimiter: Delimiter) -> Self {
        match delimiter {
            Delimiter::Tab => Self::Delimited(Box::new(Delimited::new(input, b'\t', false))),
            Delimiter::Comma => Self::Delimited(Box::new(Delimited::new(input, b',', true))),
            Delimiter::Semicolon => Self::Delimited(Box::new(Delimited::new(input, b';', true))),
            Delimiter::QuotedTab => Self::Delimited(Box::new(Delimited::new(input, b'\t', true))),
            Delimiter::White => Self::Words(Words {
                lines: Lines::new(input, LONGEST_LINE),
                bytes: Vec::new(),
                ends: Vec::new(),
            }),
        }
    }

    /// Reads a record; returns the number of its first line, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<u64>> {
        let line = match self {
            Self::Delimited(records) => records.next(),
            Self::Words(records) => records.next(),
        }?;
        let (bytes, ends) = match self {
            Self::Delimited(records) => (records.bytes.as_mut_slice(), records.ends.as_mut_slice()),
            Self::Words(records) => (records.bytes.as_mut_slice(), records.ends.as_mut_slice()),
        };
        // Where a file was appended to another, its byte-order mark is within the text.
        if line.is_some() && bytes.starts_with(MARK) && ends.first().is_some_and(|&end| end >= MARK.len()) {
            bytes.rotate_left(MARK.len());
            ends.iter_mut().for_each(|end| *end = end.saturating_sub(MARK.len()));
        }
        Ok(line)
    }

    pub(super) fn record(&self) -> Record<'_> {
        match self {
            Self::Delimited(records) => {
                Record { bytes: &records.bytes, ends: &records.ends, width: records.width }
            }
            Self::Words(records) => {
                Record { bytes: &records.bytes, ends: &records.ends, width: records.ends.len() }
            }
        }
    }
}

/// The words of lines that are not blank.
pub(super) struct Words<'a> {
    lines: Lines<'a>,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Words<'_> {
    fn next(&mut self) -> Result<Option<u64>> {
        self.bytes.clear();
        self.ends.clear();
        while self.ends.is_empty() {
            let Some(line) = self.lines.next()? else { return Ok(None) };
            for word in words(line) {
                self.bytes.extend_from_slice(word);
                self.ends.push(self.bytes.len());
            }
        }
        Ok(Some(self.lines.number))
    }
}

/// Fields between tabs, commas or semicolons.
pub(super) struct Delimited<'a> {
    reader: BufReader<Watched<'a>>,
    source: Source,
    core: csv_core::Reader,
    bytes: Vec<u8>,
    length: usize,
    ends: Vec<usize>,
    width: usize,
    /// Lines that have ended.
    lines: u64,
}

impl<'a> Delimited<'a> {
    fn new(input: &mut Input<'a>, delimiter: u8, quoting: bool) -> Self {
        Self {
            source: input.source().clone(),
            reader: BufReader::with_capacity(1 << 17, input.watched()),
            core: csv_core::ReaderBuilder::new().delimiter(delimiter).quoting(quoting).build(),
            bytes: vec![0; 1 << 12],
            length: 0,
            ends: vec![0; 16],
            width: 0,
            lines: 0,
        }
    }

    fn next(&mut self) -> Result<Option<u64>> {
        (self.length, self.width) = (0, 0);
        let mut start = None;
        loop {
            let input = self.reader.fill_buf().map_err(|error| self.source.failed(&error))?;
            let bytes = self.bytes.known_mut(self.length..);
            let ends = self.ends.known_mut(self.width..);
            let (result, read, written, ended) = self.core.read_record(input, bytes, ends);
            let taken = input.known(..read);
            if start.is_none() {
                // Empty lines before a record are skipped.
                let blank = taken.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
                if blank < taken.len() {
                    let newlines = taken.iter().take(blank).filter(|&&byte| byte == b'\n').count();
                    start = Some(self.lines + newlines as u64 + 1);
                }
            }
            self.lines += memchr::memchr_iter(b'\n', taken).count() as u64;
            self.reader.consume(read);
            self.length += written;
            self.width += ended;
            let line = start.unwrap_or(self.lines + 1);
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if self.bytes.len() < LONGEST_LINE => {
                    self.bytes.resize(self.bytes.len() * 2, 0);
                }
                ReadRecordResult::OutputEndsFull if self.ends.len() < MOST_FIELDS => {
                    self.ends.resize(self.ends.len() * 2, 0);
                }
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                    return Err(too_long(LONGEST_LINE).line(line));
                }
                ReadRecordResult::End => return Ok(None),
                ReadRecordResult::Record => {
                    let bytes = self.bytes.known(..self.length);
                    if memchr::memchr(0, bytes).is_some() {
                        return Err(nul().line(line));
                    }
                    return Ok(Some(line));
                }
            }
        }
    }
}
