//! Files that a callback reads by ranges of bytes, such as from an object store.
//!
//! Reads are small, but a request should be large. Sequential reads therefore fetch growing blocks, and a
//! reader that knows its ranges (the columns of a row group) declares them with `only` and fetches them at
//! once.

use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// The callback that reads bytes. Several threads may call it at the same time.
pub trait Remote: Send + Sync {
    /// The name of the file in messages, without credentials.
    fn name(&self) -> String;

    /// The size in bytes.
    fn length(&self) -> io::Result<u64>;

    /// The complete bytes of ranges, none of which is beyond the end.
    fn fetch(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>>;
}

/// The size of the first block, which is used to detect the format, and of the last, which has the metadata
/// of Parquet and Arrow files.
const FIRST: u64 = 64 << 10;

/// The largest block that is fetched ahead.
const LARGEST: u64 = 4 << 20;

/// The most bytes that are fetched at once if the ranges are known.
const AT_ONCE: u64 = 32 << 20;

/// The number of blocks to keep; they are needed again only soon.
const KEPT: usize = 24;

/// A remote file. Clones share their state.
#[derive(Clone)]
pub struct RemoteFile(Arc<Shared>);

struct Shared {
    remote: Box<dyn Remote>,
    /// The length and the first bytes.
    known: Mutex<Option<(u64, RemoteBlock)>>,
}

/// Bytes from a position on.
#[derive(Clone)]
struct RemoteBlock {
    at: u64,
    bytes: Arc<Vec<u8>>,
}

impl RemoteBlock {
    fn end(&self) -> u64 {
        self.at + self.bytes.len() as u64
    }

    fn from(&self, at: u64) -> Option<&[u8]> {
        let skipped = usize::try_from(at.checked_sub(self.at)?).ok()?;
        self.bytes.get(skipped..).filter(|rest| !rest.is_empty())
    }
}

impl RemoteFile {
    #[must_use]
    pub fn new(remote: Box<dyn Remote>) -> Self {
        Self(Arc::new(Shared { remote, known: Mutex::default() }))
    }

    #[must_use]
    pub fn name(&self) -> String {
        self.0.remote.name()
    }

    /// The bytes, and the size of the file.
    pub fn open(&self) -> io::Result<(Arc<Ranged>, u64)> {
        // Not locked during requests.
        let known = || self.0.known.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known().clone();
        let (length, head) = match before {
            Some(before) => before,
            None => {
                let length = self.0.remote.length()?;
                let head = self.0.fetch(0..length.min(FIRST))?;
                known().get_or_insert((length, head)).clone()
            }
        };
        let held = Mutex::new(Held { head, kept: Vec::new(), only: Vec::new(), fetched: Vec::new() });
        Ok((Arc::new(Ranged { file: self.0.clone(), length, held }), length))
    }
}

impl PartialEq for RemoteFile {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for RemoteFile {}

impl fmt::Debug for RemoteFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RemoteFile").field(&self.name()).finish()
    }
}

impl Shared {
    fn fetch(&self, range: Range<u64>) -> io::Result<RemoteBlock> {
        let blocks = self.fetch_all(std::slice::from_ref(&range))?;
        blocks.into_iter().next().ok_or_else(|| short(0, 1))
    }

    fn fetch_all(&self, ranges: &[Range<u64>]) -> io::Result<Vec<RemoteBlock>> {
        let wanted: Vec<Range<u64>> = ranges.iter().filter(|range| !range.is_empty()).cloned().collect();
        let mut fetched =
            if wanted.is_empty() { Vec::new() } else { self.remote.fetch(&wanted)? }.into_iter();
        let mut blocks = Vec::with_capacity(ranges.len());
        for range in ranges {
            let bytes = if range.is_empty() { Vec::new() } else { fetched.next().unwrap_or_default() };
            if bytes.len() as u64 != range.end.saturating_sub(range.start) {
                return Err(short(bytes.len() as u64, range.end.saturating_sub(range.start)));
            }
            blocks.push(RemoteBlock { at: range.start, bytes: Arc::new(bytes) });
        }
        Ok(blocks)
    }
}

#[cold]
fn short(have: u64, wanted: u64) -> io::Error {
    io::Error::other(format!("{have} of {wanted} requested bytes arrived"))
}

/// An open remote file and its buffered parts.
pub struct Ranged {
    file: Arc<Shared>,
    length: u64,
    held: Mutex<Held>,
}

struct Held {
    head: RemoteBlock,
    /// The latest ones last.
    kept: Vec<RemoteBlock>,
    /// The declared ranges, and their fetched bytes.
    only: Vec<Range<u64>>,
    fetched: Vec<RemoteBlock>,
}

impl Ranged {
    /// Reads bytes at a position; returns 0 only at the end.
    pub fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize> {
        if into.is_empty() || at >= self.length {
            return Ok(0);
        }
        let range = {
            let mut held = self.held();
            if let Some(copied) = held.copy(into, at) {
                return Ok(copied);
            }
            held.next_block(at, self.length)
        };
        // Other threads continue while this block is fetched.
        let block = self.file.fetch(range)?;
        let copied = copy(&block, into, at);
        self.held().keep(block);
        copied.ok_or_else(|| short(0, 1))
    }

    /// Declares that only some ranges will be read; fetches them if they are small enough.
    pub fn only(&self, ranges: Vec<Range<u64>>) -> io::Result<()> {
        let ranges: Vec<Range<u64>> =
            ranges.into_iter().map(|range| range.start..range.end.min(self.length)).collect();
        let total: u64 = ranges.iter().map(|range| range.end.saturating_sub(range.start)).sum();
        let fetched = if total <= AT_ONCE { self.fetch_missing(&ranges)? } else { Vec::new() };
        let mut held = self.held();
        held.only = ranges;
        held.fetched = fetched;
        Ok(())
    }

    /// Fetches blocks around some positions at once.
    pub fn around(&self, positions: impl Iterator<Item = u64>) -> io::Result<()> {
        let ranges: Vec<Range<u64>> =
            positions.map(|at| at.saturating_sub(FIRST / 4)..(at + FIRST / 4 * 3).min(self.length)).collect();
        let fetched = self.fetch_missing(&ranges)?;
        self.held().fetched.extend(fetched);
        Ok(())
    }

    fn fetch_missing(&self, ranges: &[Range<u64>]) -> io::Result<Vec<RemoteBlock>> {
        let whole = self.held().head.end();
        let ranges: Vec<Range<u64>> =
            ranges.iter().filter(|range| range.end > whole && range.start < range.end).cloned().collect();
        self.file.fetch_all(&ranges)
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn copy(block: &RemoteBlock, into: &mut [u8], at: u64) -> Option<usize> {
    let bytes = block.from(at)?;
    let count = bytes.len().min(into.len());
    into.get_mut(..count)?.copy_from_slice(bytes.get(..count)?);
    Some(count)
}

impl Held {
    fn copy(&mut self, into: &mut [u8], at: u64) -> Option<usize> {
        let first = std::iter::once(&self.head).chain(&self.fetched);
        if let Some(copied) = first.into_iter().find_map(|block| copy(block, into, at)) {
            return Some(copied);
        }
        let number = self.kept.iter().position(|block| block.from(at).is_some())?;
        let copied = copy(self.kept.get(number)?, into, at);
        // Moves the last used block to the end.
        self.kept.get_mut(number..)?.rotate_left(1);
        copied
    }

    /// The range to fetch for a position: four times the size of the previous block, if any.
    fn next_block(&mut self, at: u64, length: u64) -> Range<u64> {
        let within = self.only.iter().find(|range| range.contains(&at)).cloned();
        let before = self.kept.iter().position(|block| block.end() == at);
        let before = match before {
            Some(number) => Some(self.kept.remove(number).bytes.len() as u64),
            None if self.head.end() == at || self.fetched.iter().any(|block| block.end() == at) => {
                Some(FIRST)
            }
            None => within.as_ref().filter(|range| range.start == at).map(|_| LARGEST),
        };
        let size = before.map_or(FIRST, |size| (size * 4).min(LARGEST));
        match within {
            Some(range) => at..(at + size).min(range.end),
            None if at + FIRST >= length => length.saturating_sub(FIRST)..length,
            None => at..(at + size).min(length),
        }
    }

    fn keep(&mut self, block: RemoteBlock) {
        if self.kept.len() >= KEPT {
            self.kept.remove(0);
        }
        self.kept.push(block);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use super::*;

    /// Bytes that tell where they stand, and what was asked for.
    struct Counted {
        length: u64,
        asked: Arc<Mutex<Vec<Range<u64>>>>,
        cut: bool,
    }

    fn byte(at: u64) -> u8 {
        u8::try_from(at % 251).unwrap()
    }

    impl Remote for Counted {
        fn name(&self) -> String {
            "counted".to_owned()
        }

        fn length(&self) -> io::Result<u64> {
            Ok(self.length)
        }

        fn fetch(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
            self.asked.lock().unwrap().extend(ranges.iter().cloned());
            assert!(ranges.iter().all(|range| range.start < range.end && range.end <= self.length));
            let cut = u64::from(self.cut);
            Ok(ranges.iter().map(|range| (range.start..range.end - cut).map(byte).collect()).collect())
        }
    }

    fn file(length: u64) -> (RemoteFile, Arc<Mutex<Vec<Range<u64>>>>) {
        let asked = Arc::new(Mutex::new(Vec::new()));
        (RemoteFile::new(Box::new(Counted { length, asked: asked.clone(), cut: false })), asked)
    }

    fn read(ranged: &Ranged, at: u64, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        let mut have = 0;
        while have < count {
            match ranged.read_at(&mut bytes[have..], at + have as u64).unwrap() {
                0 => break,
                more => have += more,
            }
        }
        bytes.truncate(have);
        bytes
    }

    #[test]
    fn sequential_reads_fetch_growing_blocks() {
        let (file, asked) = file(20 << 20);
        let (ranged, length) = file.open().unwrap();
        let mut at = 0;
        while at < length {
            let got = read(&ranged, at, 1000);
            assert!(got.iter().zip(at..).all(|(&found, at)| found == byte(at)));
            at += got.len() as u64;
        }
        assert_eq!(at, length);
        let asked = asked.lock().unwrap();
        assert!(asked.len() < 14, "{asked:?}");
        assert_eq!(asked.iter().map(|range| range.end - range.start).sum::<u64>(), length);
        assert!(asked.iter().all(|range| range.end - range.start <= LARGEST));
    }

    #[test]
    fn fetches_only_announced_ranges() {
        let (file, asked) = file(200 << 20);
        let (ranged, _) = file.open().unwrap();
        let few = [(1 << 20)..(2 << 20), (50 << 20)..(51 << 20)];
        ranged.only(few.to_vec()).unwrap();
        assert_eq!(read(&ranged, 1 << 20, 1 << 20).len(), 1 << 20);
        assert_eq!(asked.lock().unwrap()[1..], few);
        let many = 60u64 << 20..160 << 20;
        ranged.only(vec![many.clone()]).unwrap();
        assert_eq!(read(&ranged, many.start, 100 << 20).len(), 100 << 20);
        let asked = asked.lock().unwrap();
        assert_eq!(asked[3..].iter().map(|range| range.end - range.start).sum::<u64>(), 100 << 20);
        assert_eq!(asked.last().unwrap().end, many.end);
    }

    #[test]
    fn first_bytes_are_fetched_only_once() {
        let (file, asked) = file(1000);
        for _ in 0..3 {
            let (ranged, _) = file.open().unwrap();
            assert_eq!(read(&ranged, 0, 2000).len(), 1000);
        }
        let asked = asked.lock().unwrap();
        assert_eq!((asked.len(), asked[0].clone()), (1, 0..1000));
    }

    #[test]
    fn an_empty_file() {
        let (file, asked) = file(0);
        let (ranged, length) = file.open().unwrap();
        assert_eq!((read(&ranged, 0, 10).len(), length), (0, 0));
        assert!(asked.lock().unwrap().is_empty());
    }

    #[test]
    fn short_responses_are_an_error() {
        let asked = Arc::default();
        let file = RemoteFile::new(Box::new(Counted { length: 10, asked, cut: true }));
        let error = file.open().err().unwrap();
        assert_eq!(error.to_string(), "9 of 10 requested bytes arrived");
    }
}
