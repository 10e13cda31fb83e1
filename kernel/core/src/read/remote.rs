//! Files that somebody else reads for us, by ranges of bytes: an object store, a server.
//!
//! What is asked for is small and what is worth a request is not. So whoever reads from a position on gets
//! blocks that grow, and whoever knows what it will need (the columns of a row group) says so with `only`
//! and gets just that, in one go.

use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// What reads the bytes. Any thread may call it, several at the same time.
pub trait Remote: Send + Sync {
    /// What messages call the file. There are no credentials in it.
    fn name(&self) -> String;

    /// How many bytes there are.
    fn length(&self) -> io::Result<u64>;

    /// The bytes of ranges, none of which is beyond the end, each of them whole.
    fn fetch(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>>;
}

/// What is fetched first: by it the format is found out, and at the end of a file it holds what Parquet and
/// Arrow files say about themselves.
const FIRST: u64 = 64 << 10;

/// The largest block that is fetched without being asked for.
const LARGEST: u64 = 4 << 20;

/// What is fetched at once where it is known what will be needed.
const AT_ONCE: u64 = 32 << 20;

/// Blocks that are kept. They may be wanted again by their neighbours in time, not by anybody later.
const KEPT: usize = 24;

/// A remote file. Clones share what they know of it.
#[derive(Clone)]
pub struct RemoteFile(Arc<Shared>);

struct Shared {
    remote: Box<dyn Remote>,
    /// The length and the first bytes.
    known: Mutex<Option<(u64, Block)>>,
}

/// Bytes from a position on.
#[derive(Clone)]
struct Block {
    at: u64,
    bytes: Arc<Vec<u8>>,
}

impl Block {
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

    /// The bytes, and how many there are.
    pub fn open(&self) -> io::Result<(Arc<Ranged>, u64)> {
        // Not locked while others are asked.
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
    fn fetch(&self, range: Range<u64>) -> io::Result<Block> {
        let blocks = self.fetch_all(std::slice::from_ref(&range))?;
        blocks.into_iter().next().ok_or_else(|| short(0, 1))
    }

    fn fetch_all(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Block>> {
        let wanted: Vec<Range<u64>> = ranges.iter().filter(|range| !range.is_empty()).cloned().collect();
        let mut fetched =
            if wanted.is_empty() { Vec::new() } else { self.remote.fetch(&wanted)? }.into_iter();
        let mut blocks = Vec::with_capacity(ranges.len());
        for range in ranges {
            let bytes = if range.is_empty() { Vec::new() } else { fetched.next().unwrap_or_default() };
            if bytes.len() as u64 != range.end.saturating_sub(range.start) {
                return Err(short(bytes.len() as u64, range.end.saturating_sub(range.start)));
            }
            blocks.push(Block { at: range.start, bytes: Arc::new(bytes) });
        }
        Ok(blocks)
    }
}

#[cold]
fn short(have: u64, wanted: u64) -> io::Error {
    io::Error::other(format!("{have} bytes came where {wanted} were asked for"))
}

/// A remote file that is open, and the parts of it that are at hand.
pub struct Ranged {
    file: Arc<Shared>,
    length: u64,
    held: Mutex<Held>,
}

struct Held {
    head: Block,
    /// The latest ones last.
    kept: Vec<Block>,
    /// Where nothing else is read, and what was fetched of it.
    only: Vec<Range<u64>>,
    fetched: Vec<Block>,
}

impl Ranged {
    /// Reads what there is at a position; nothing only at the end.
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
        // Others read on while this block is fetched.
        let block = self.file.fetch(range)?;
        let copied = copy(&block, into, at);
        self.held().keep(block);
        copied.ok_or_else(|| short(0, 1))
    }

    /// Says that from now on only some ranges are read; they are fetched if that is little enough.
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

    fn fetch_missing(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Block>> {
        let whole = self.held().head.end();
        let ranges: Vec<Range<u64>> =
            ranges.iter().filter(|range| range.end > whole && range.start < range.end).cloned().collect();
        self.file.fetch_all(&ranges)
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn copy(block: &Block, into: &mut [u8], at: u64) -> Option<usize> {
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
        // What was used last goes last.
        self.kept.get_mut(number..)?.rotate_left(1);
        copied
    }

    /// What to fetch for a position: four times as much as the block before it, if there is one.
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

    fn keep(&mut self, block: Block) {
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
    fn what_is_read_in_order_comes_in_blocks_that_grow() {
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
    fn only_what_is_said_is_fetched() {
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
    fn a_second_time_the_beginning_is_known() {
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
    fn fewer_bytes_than_asked_for_are_an_error() {
        let asked = Arc::default();
        let file = RemoteFile::new(Box::new(Counted { length: 10, asked, cut: true }));
        let error = file.open().err().unwrap();
        assert_eq!(error.to_string(), "9 bytes came where 10 were asked for");
    }
}
