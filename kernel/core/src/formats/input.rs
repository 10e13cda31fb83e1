//! An opened source whose beginning can be examined before it is read.

use std::io::{self, Read};
use std::sync::atomic::Ordering;

use crate::error::{Error, Result};
use crate::parallel::Progress;
use crate::read::binary::byte_order_mark;
use crate::read::source::{Content, Opened, Positioned, Source, decompressed};

/// The number of bytes to examine for the format.
const HEAD: usize = 64 * 1024;

type InputStream<'a> = Box<dyn Read + Send + 'a>;

/// A stream of decompressed bytes.
pub(super) struct Input<'a> {
    /// A path that is only a name, for bytes in memory.
    source: Source,
    in_memory: bool,
    /// The bytes by position, of an uncompressed file.
    content: Option<Content>,
    /// The size of an uncompressed file in bytes.
    pub length: u64,
    /// Whether the source can be opened again to find the line of an offset.
    pub reopens: bool,
    /// The first bytes, which `stream` returns again.
    pub head: Vec<u8>,
    /// Whether `head` has all bytes.
    pub complete: bool,
    stream: InputStream<'a>,
    progress: &'a Progress,
}

impl<'a> Input<'a> {
    pub(super) fn open(source: &Source, threads: usize, progress: &'a Progress) -> Result<Self> {
        let (content, length, stream): (_, _, InputStream<'a>) =
            match source.open(&progress.stop)?.ahead(source, threads) {
                Opened::File { file, length } => {
                    progress.total.fetch_add(length, Ordering::Relaxed);
                    (Some(file.clone()), length, Box::new(Positioned { file, at: 0 }))
                }
                Opened::Stream(stream) => (None, 0, stream),
            };
        Ok(Self { length, ..Self::new(source.clone(), content, stream, progress) })
    }

    pub(super) fn bytes(bytes: &'a [u8], name: &str, progress: &'a Progress) -> Result<Self> {
        let source = Source::Path(name.into());
        let stream = decompressed(Box::new(bytes)).map_err(|error| source.failed(&error))?;
        Ok(Self { in_memory: true, ..Self::new(source, None, stream, progress) })
    }

    fn new(
        source: Source,
        content: Option<Content>,
        mut stream: InputStream<'a>,
        progress: &'a Progress,
    ) -> Self {
        let mut head = Vec::new();
        let result = stream.by_ref().take(HEAD as u64).read_to_end(&mut head);
        let complete = head.len() < HEAD;
        let replay = Replay { head: io::Cursor::new(head.clone()), error: result.err(), rest: stream };
        let reopens = content.is_some();
        let stream = Box::new(replay);
        Self { source, in_memory: false, content, length: 0, reopens, head, complete, stream, progress }
    }

    pub(super) fn name(&self) -> String {
        self.source.name()
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    /// The path of a file.
    pub(super) fn path(&self) -> Option<&std::path::Path> {
        match &self.source {
            Source::Path(path) if !self.in_memory => Some(path),
            _ => None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    /// The bytes, once.
    pub(super) fn stream(&mut self) -> InputStream<'a> {
        std::mem::replace(&mut self.stream, Box::new(io::empty()))
    }

    /// The bytes, once; each read counts as progress and fails when the caller has asked to stop.
    pub(super) fn watched(&mut self) -> Watched<'a> {
        Watched { stream: self.stream(), progress: self.progress }
    }

    /// The bytes by position, of an uncompressed file.
    pub(super) fn content(&self) -> Option<Content> {
        self.content.clone()
    }

    /// The error of reading.
    pub(super) fn failed(&self, error: &io::Error) -> Box<Error> {
        self.source.failed(error)
    }

    /// Skips the byte-order mark of UTF-8; those of other encodings are errors.
    pub(super) fn skip_byte_order_mark(&mut self) -> Result<()> {
        let length = byte_order_mark(&self.head).map_err(|error| error.line(1))?;
        let mut mark = self.stream.by_ref().take(length as u64);
        io::copy(&mut mark, &mut io::sink()).map_err(|error| self.source.failed(&error))?;
        self.head.drain(..length);
        Ok(())
    }
}

/// Bytes that were already read, the error that ended them, and the rest of the stream.
struct Replay<'a> {
    head: io::Cursor<Vec<u8>>,
    error: Option<io::Error>,
    rest: InputStream<'a>,
}

impl Read for Replay<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.head.read(into)?;
        if read > 0 || into.is_empty() {
            return Ok(read);
        }
        match self.error.take() {
            Some(error) => Err(error),
            None => self.rest.read(into),
        }
    }
}

/// A stream that counts what is read from it and ends when the caller has asked to stop.
pub(super) struct Watched<'a> {
    stream: InputStream<'a>,
    progress: &'a Progress,
}

impl Read for Watched<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(into)?;
        self.progress.advance_stream(read as u64)?;
        Ok(read)
    }
}
