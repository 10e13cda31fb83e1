//! Sources of bytes: local and remote files read by position, compressed files and pipes read as streams.
//!
//! Nothing is mapped into memory: a mapped file counts as memory, locks on Windows, and kills the process if
//! it is truncated.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::ahead::Ahead;
use super::compression::{Compression, MAGIC};
use super::remote::{Ranged, RemoteFile};
use super::stamp::Stamp;
use crate::error::{Error, Kind, Result};
use crate::known::Known;
use crate::parallel::{Progress, Stop};
use crate::pipes::{self, Incoming};

pub use super::compression::decompressed;

/// One file, or the standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Path(PathBuf),
    Stdin,
    Remote(RemoteFile),
}

/// An opened source.
pub enum Opened {
    /// A regular, uncompressed file: threads can read any part repeatedly.
    File { file: Content, length: u64 },
    /// Bytes in order, once.
    Stream(Box<dyn Read + Send>),
}

impl Opened {
    /// Decompresses a file of the disk on a thread of its own, if the caller has one left.
    #[must_use]
    pub fn ahead(self, source: &Source, threads: usize) -> Self {
        match self {
            Self::Stream(stream) if threads > 1 && source.is_regular() => Self::Stream(Ahead::of(stream)),
            opened => opened,
        }
    }
}

impl Opened {
    /// The bytes by position, if available.
    #[must_use]
    pub fn content(&self) -> Option<Content> {
        match self {
            Self::File { file, .. } => Some(file.clone()),
            Self::Stream(_) => None,
        }
    }
}

/// The bytes of a file, by position. Clones are the same file.
#[derive(Clone)]
pub enum Content {
    Local(Arc<Local>),
    /// One of many files, which is opened when it is read, since the number of open files is limited.
    Named(Arc<Named>),
    Remote(Arc<Ranged>),
}

/// An open file, and its state before anything was read.
#[derive(Debug)]
pub struct Local {
    file: File,
    stamp: Stamp,
}

/// A file that is not held open, and its state when it was first opened.
#[derive(Debug)]
pub struct Named {
    path: PathBuf,
    stamp: Stamp,
}

impl Content {
    /// Reads at a position without moving a cursor; returns 0 only at the end.
    pub fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize> {
        let read = match self {
            Self::Local(local) => read_at(&local.file, into, at),
            Self::Named(named) => named.stamp.open(&named.path).and_then(|file| read_at(&file, into, at)),
            Self::Remote(file) => file.read_at(into, at),
        };
        if let Err(error) = &read {
            note(error);
        }
        read
    }

    /// Reads all requested bytes; returns fewer only at the end.
    pub fn fill_at(&self, into: &mut [u8], at: u64) -> io::Result<usize> {
        let mut have = 0;
        while let Some(rest) = into.get_mut(have..).filter(|rest| !rest.is_empty()) {
            match self.read_at(rest, at + have as u64)? {
                0 => break,
                more => have += more,
            }
        }
        Ok(have)
    }

    /// An error if a file on disk changed since it was opened.
    pub fn check_unchanged(&self) -> io::Result<()> {
        match self {
            Self::Local(local) => local.stamp.check(&local.file),
            Self::Named(named) => named.stamp.open(&named.path).map(|_| ()),
            Self::Remote(_) => Ok(()),
        }
    }

    /// The state of a file on disk when it was opened.
    #[must_use]
    pub fn stamp(&self) -> Option<Stamp> {
        match self {
            Self::Local(local) => Some(local.stamp),
            Self::Named(named) => Some(named.stamp),
            Self::Remote(_) => None,
        }
    }

    /// Declares that only these ranges will be read.
    pub fn only(&self, ranges: impl FnOnce() -> Vec<std::ops::Range<u64>>) -> io::Result<()> {
        match self {
            Self::Local(_) | Self::Named(_) => Ok(()),
            Self::Remote(file) => file.only(ranges()),
        }
    }
}

thread_local! {
    static FAILURE: Cell<Option<io::Error>> = const { Cell::new(None) };
}

/// Keeps an error of this thread, since a library returns only its text.
pub(crate) fn note(error: &io::Error) {
    let own = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    FAILURE.set(Some(match own {
        Some(own) => io::Error::other(own.clone()),
        None => io::Error::new(error.kind(), error.to_string()),
    }));
}

/// The last error that reading by position gave this thread, once.
#[must_use]
pub fn failure() -> Option<io::Error> {
    FAILURE.take()
}

impl std::fmt::Debug for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Local(local) => local.fmt(f),
            Self::Named(named) => named.fmt(f),
            Self::Remote(_) => f.write_str("Remote"),
        }
    }
}

impl Source {
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        if path.as_os_str() == "-" { Self::Stdin } else { Self::Path(path) }
    }

    /// The name that messages use.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Stdin => "standard input".to_owned(),
            Self::Remote(file) => file.name(),
        }
    }

    /// Whether opening it twice gives the same bytes twice.
    #[must_use]
    pub fn reopens(&self) -> bool {
        match self {
            Self::Path(path) => path.is_file(),
            Self::Stdin => false,
            Self::Remote(_) => true,
        }
    }

    /// Whether it is a file on the disk, compressed or not.
    pub(crate) fn is_regular(&self) -> bool {
        match self {
            Self::Path(path) => path.is_file(),
            Self::Stdin => matches!(stdin_file(), Ok(Some(_))),
            Self::Remote(_) => false,
        }
    }

    pub fn open(&self, stop: &Stop) -> Result<Opened> {
        self.try_open(true, stop).map_err(|error| self.failed(&error))
    }

    /// Opened among many others: a file on disk is not held open.
    pub fn open_of_many(&self, stop: &Stop) -> Result<Opened> {
        self.try_open(false, stop).map_err(|error| self.failed(&error))
    }

    /// Opens any source as a stream of decompressed bytes.
    pub fn stream(&self) -> Result<Box<dyn Read + Send>> {
        Ok(match self.open(&Stop::default())? {
            Opened::File { file, .. } => Box::new(Positioned { file, at: 0 }),
            Opened::Stream(stream) => stream,
        })
    }

    fn try_open(&self, hold: bool, stop: &Stop) -> io::Result<Opened> {
        let file = match self {
            Self::Path(path) => pipes::open(path)?,
            Self::Stdin => match stdin_file()? {
                Some(file) => file,
                None => return decompressed(standard_input(stop)?).map(Opened::Stream),
            },
            Self::Remote(file) => {
                let (ranged, length) = file.open()?;
                return by_position(Content::Remote(ranged), length);
            }
        };
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        if !metadata.is_file() {
            return decompressed(Box::new(Incoming { file, stop: stop.clone() })).map(Opened::Stream);
        }
        let stamp = Stamp::of(&metadata);
        let content = match self {
            Self::Path(path) if !hold => Content::Named(Arc::new(Named { path: path.clone(), stamp })),
            _ => Content::Local(Arc::new(Local { file, stamp })),
        };
        by_position(content, metadata.len())
    }

    /// An error of the content, unless the file is compressed and damaged: damage explains any other error,
    /// and its checksum may come after the line that was refused.
    #[must_use]
    pub fn verified(&self, error: Box<Error>, progress: &Progress) -> Box<Error> {
        if !self.is_regular() || matches!(error.kind, Kind::Source | Kind::NotFound | Kind::Interrupted) {
            return error;
        }
        let Ok(Opened::Stream(mut stream)) = self.open(&progress.stop) else { return error };
        let mut room = vec![0; 1 << 16];
        loop {
            match stream.read(&mut room).and_then(|read| progress.advance_stream(0).map(|()| read)) {
                Ok(0) => return error,
                Ok(_) => {}
                Err(damage) => return self.failed(&damage),
            }
        }
    }

    /// The error of reading this source.
    #[must_use]
    pub fn failed(&self, error: &io::Error) -> Box<Error> {
        let name = self.name();
        if let Some(own) = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
            let error = Box::new(own.clone());
            return if error.file.is_some() { error } else { error.file(name) };
        }
        match error.kind() {
            io::ErrorKind::NotFound => Error::statement(Kind::NotFound, "no such file"),
            io::ErrorKind::IsADirectory => {
                Error::statement(Kind::Source, "is a directory, not a file").hint("name the file in it")
            }
            io::ErrorKind::PermissionDenied => {
                Error::statement(Kind::Source, "no permission to read the file")
            }
            io::ErrorKind::UnexpectedEof => {
                Error::statement(Kind::Source, "the compressed file is truncated")
                    .hint("copy or download the file again")
            }
            _ => Error::statement(Kind::Source, format!("cannot read the file ({error})")),
        }
        .file(name)
    }
}

/// Opens a regular file, or a stream of its decompressed content.
fn by_position(file: Content, length: u64) -> io::Result<Opened> {
    let mut magic = [0; MAGIC];
    let have = file.fill_at(&mut magic, 0)?;
    if Compression::of(magic.known(..have)).is_some() {
        let stream: Box<dyn Read + Send> = Box::new(Positioned { file, at: 0 });
        return decompressed(stream).map(Opened::Stream);
    }
    Ok(Opened::File { file, length })
}

/// The standard input as a file, if it is one (`< run.txt`), from its beginning.
#[cfg(unix)]
fn stdin_file() -> io::Result<Option<File>> {
    use std::io::Seek;
    let mut file = stdin()?;
    let regular = file.metadata()?.is_file() && file.stream_position()? == 0;
    Ok(regular.then_some(file))
}

#[cfg(unix)]
fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

#[cfg(unix)]
fn stdin_bytes(stop: &Stop) -> io::Result<impl Read + Send + 'static> {
    Ok(Incoming { file: stdin()?, stop: stop.clone() })
}

#[cfg(not(unix))]
fn stdin_file() -> io::Result<Option<File>> {
    Ok(None)
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)] // as its twin for Unix
fn stdin_bytes(_: &Stop) -> io::Result<impl Read + Send + 'static> {
    Ok(io::stdin())
}

/// The first bytes of the standard input while they were only examined.
static EXAMINED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The first bytes of the standard input, which the next reader reads again.
pub(crate) fn examine_stdin(stop: &Stop) -> io::Result<Vec<u8>> {
    let mut examined = EXAMINED.lock().unwrap_or_else(PoisonError::into_inner);
    if examined.is_empty() {
        let mut first = vec![0; 1 << 13];
        let read = stdin_bytes(stop)?.read(&mut first)?;
        first.truncate(read);
        *examined = first;
    }
    Ok(examined.clone())
}

fn standard_input(stop: &Stop) -> io::Result<Box<dyn Read + Send>> {
    let examined = std::mem::take(&mut *EXAMINED.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Box::new(io::Cursor::new(examined).chain(stdin_bytes(stop)?)))
}

/// Reads at a position without moving a cursor.
pub fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    loop {
        #[cfg(unix)]
        let done = std::os::unix::fs::FileExt::read_at(file, into, at);
        #[cfg(windows)]
        let done = std::os::windows::fs::FileExt::seek_read(file, into, at);
        // A web page has no files.
        #[cfg(not(any(unix, windows)))]
        let done: io::Result<usize> = {
            let _ = (file, &into, at);
            Err(io::ErrorKind::Unsupported.into())
        };
        match done {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// An independent cursor over a shared file. At the end it reports a file that changed while it was read.
pub struct Positioned {
    pub file: Content,
    pub at: u64,
}

impl Read for Positioned {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(into, self.at)?;
        if read == 0 && !into.is_empty() {
            self.file.check_unchanged()?;
        }
        self.at += read as u64;
        Ok(read)
    }
}
