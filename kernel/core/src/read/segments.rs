//! Cuts a text file into segments at line starts, so that threads can read it in parallel.

use std::io;

use super::binary::MARK;
use super::scan::is_space;
use super::source::{Content, Opened, Source};
use super::trec::{Dialect, Layout};
use crate::error::Result;
use crate::known::Known;
use crate::parallel::Stop;

/// Part of one source. Streams are one segment.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    pub source: usize,
    pub file: Option<Content>,
    pub start: u64,
    pub end: u64,
}

const LARGEST: u64 = 4 << 20;
const SMALLEST: u64 = 256 << 10;

/// The factor by which segments of remote files are larger, since each cut is a request.
const FARTHER: u64 = 16;

/// Cuts of a remote file that are read together.
const TOGETHER: usize = 256;

/// Cuts an opened source. Every segment starts at a line.
pub(crate) fn cut(number: usize, opened: &Opened, threads: usize) -> io::Result<Vec<Segment>> {
    let Opened::File { file, length } = opened else {
        return Ok(vec![Segment { source: number, file: None, start: 0, end: u64::MAX }]);
    };
    let farther = if matches!(file, Content::Remote(_)) { FARTHER } else { 1 };
    let size = (length / (threads as u64 * 4)).clamp(SMALLEST * farther, LARGEST * farther);
    if let Content::Remote(file) = file {
        let cuts = (1..length.div_ceil(size)).map(|number| number * size);
        file.around(cuts.take(TOGETHER))?;
    }
    let mut segments = Vec::new();
    let mut start = 0;
    while start < *length {
        let end = if start + size >= *length { *length } else { line_start(file, start + size, *length)? };
        segments.push(Segment { source: number, file: Some(file.clone()), start, end });
        start = end;
    }
    Ok(segments)
}

/// The first line start at or after an offset.
fn line_start(file: &Content, offset: u64, length: u64) -> io::Result<u64> {
    let mut buffer = [0; 4096];
    let mut at = offset - 1;
    while at < length {
        let read = file.read_at(&mut buffer, at)?;
        if read == 0 {
            break;
        }
        if let Some(newline) = memchr::memchr(b'\n', buffer.known(..read)) {
            return Ok(at + newline as u64 + 1);
        }
        at += read as u64;
    }
    Ok(length)
}

/// The query id on the last line with words before a line start.
pub(crate) fn query_before(file: &Content, start: u64, layout: Layout) -> io::Result<Option<Vec<u8>>> {
    let mut back = 4096u64;
    loop {
        let from = start.saturating_sub(back);
        let mut buffer = vec![0; usize::try_from(start - from).unwrap_or(0)];
        file.fill_at(&mut buffer, from)?;
        let mut lines = buffer.split(|&byte| byte == b'\n').rev().peekable();
        while let Some(line) = lines.next() {
            let whole = lines.peek().is_some() || from == 0;
            let word = line.split(|&byte| is_space(byte)).find(|word| !word.is_empty());
            match word {
                Some(word) if whole && !(layout.comments && word.starts_with(b"#")) => {
                    let marked = word.strip_prefix(MARK).filter(|_| layout.dialect == Dialect::Gainful);
                    return Ok(Some(marked.unwrap_or(word).to_vec()));
                }
                _ => {}
            }
        }
        if from == 0 {
            return Ok(None);
        }
        back *= 8;
    }
}

/// The maximum number of open files. Many systems allow a process 256 or 1024.
const HELD_OPEN: usize = 100;

/// Opens one of `count` sources.
pub(crate) fn open_one(source: &Source, count: usize, stop: &Stop) -> Result<Opened> {
    if count > HELD_OPEN { source.open_of_many(stop) } else { source.open(stop) }
}

/// Opens all sources; returns whether all of them can be read again.
pub(crate) fn open_all(sources: &[Source], stop: &Stop) -> Result<(Vec<Opened>, bool)> {
    let mut opened = Vec::with_capacity(sources.len());
    let mut again = true;
    for source in sources {
        let one = open_one(source, sources.len(), stop)?;
        again &= matches!(one, Opened::File { .. }) || source.reopens();
        opened.push(one);
    }
    Ok((opened, again))
}
