//! Arrow files and files of Arrow streams (IPC), read from their beginning.

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatchReader;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::ArrowError;

use super::damage::{Watched, damaged, reading};
use super::kinds::{ARROW_FILE, check};
use super::source::{Origin, Piece, Pieces};
use super::{Columns, Names};
use crate::error::{Error, Kind, Result};
use crate::formats::Format;
use crate::read::source::{Opened, Positioned, Source};
use crate::read::trec::Table;

/// What messages call a file.
const WHAT: &str = "Arrow data";

/// Arrow files, read as one table.
#[derive(Clone)]
pub struct ArrowFiles {
    sources: Arc<Vec<Source>>,
    table: Table,
    names: Arc<Names>,
    scored: bool,
    ranked: bool,
    /// What can be read only once is open already.
    once: Option<Arc<Once>>,
}

type Reader = Box<dyn RecordBatchReader + Send>;
type Once = Mutex<Option<(Reader, Columns)>>;

impl ArrowFiles {
    pub fn open<E: From<Box<Error>>>(
        sources: &[Source],
        table: Table,
        names: impl FnOnce(Vec<String>) -> std::result::Result<Names, E>,
    ) -> std::result::Result<Self, E> {
        let Some(first) = sources.first() else {
            return Err(Error::new(Kind::Argument, "no file", "at least one").into());
        };
        let again = sources.iter().all(Source::reopens);
        if !again && sources.len() > 1 {
            return Err(Error::new(
                Kind::Source,
                "Arrow data that can be read only once, among other files",
                "files",
            )
            .file(first.name())
            .hint("write it to a file first")
            .into());
        }
        let reader = reader(first, None)?;
        let schema = reader.schema();
        let names = names(schema.fields().iter().map(|field| field.name().clone()).collect())?;
        let columns = Columns::new(table, &schema, &names).map_err(|error| error.file(first.name()))?;
        Ok(Self {
            sources: Arc::new(sources.to_vec()),
            table,
            once: (!again).then(|| Arc::new(Mutex::new(Some((reader, columns.clone()))))),
            names: Arc::new(names),
            scored: columns.values.is_some(),
            ranked: columns.ranks.is_some(),
        })
    }

    #[must_use]
    pub fn scored(&self) -> bool {
        self.scored
    }

    #[must_use]
    pub fn ranked(&self) -> bool {
        self.ranked
    }

    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Whether the pieces can be had again.
    #[must_use]
    pub fn reopens(&self) -> bool {
        self.once.is_none()
    }

    #[must_use]
    pub fn pieces(self) -> Pieces<'static> {
        Box::new((0..self.sources.len()).flat_map(move |file| -> Pieces<'static> {
            match self.file(file) {
                Ok(pieces) => pieces,
                Err(error) => Box::new(std::iter::once(Err(error))),
            }
        }))
    }

    fn file(&self, file: usize) -> Result<Pieces<'static>> {
        let Some(source) = self.sources.get(file).cloned() else { return Ok(Box::new(std::iter::empty())) };
        if let Some(once) = &self.once {
            let taken = once.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some((batches, columns)) = taken else {
                return Err(
                    Error::new(Kind::Source, "Arrow data a second time", "a file").file(source.name())
                );
            };
            let (kept, columns) = columns.alone();
            return Ok(pieces(batches, Some(kept), columns, source, file));
        }
        let schema = reader(&source, None)?.schema();
        let columns = Columns::new(self.table, &schema, &self.names);
        let (kept, columns) = columns.map_err(|error| error.file(source.name()))?.alone();
        Ok(pieces(reader(&source, Some(kept))?, None, columns, source, file))
    }
}

/// The pieces that a file holds; with `kept`, of these columns of its batches.
fn pieces(
    batches: Reader,
    kept: Option<Vec<usize>>,
    columns: Columns,
    source: Source,
    file: usize,
) -> Pieces<'static> {
    let columns = Arc::new(columns);
    let mut origin = Origin { file, group: None, row: 0 };
    let own = source.clone();
    let pieces = Box::new(batches.map(move |batch| {
        let batch = batch.and_then(|batch| match &kept {
            Some(kept) => batch.project(kept),
            None => Ok(batch),
        });
        let batch = batch.map_err(|error| damaged(&own, WHAT, &error.to_string()))?;
        let first = origin;
        origin.row += batch.num_rows() as u64;
        Ok(Piece { columns: columns.clone(), batch, origin: first })
    }));
    Box::new(Watched { pieces, source, what: WHAT, ended: false })
}

fn reader(source: &Source, kept: Option<Vec<usize>>) -> Result<Reader> {
    reading(source, WHAT, || open(source, kept))
}

fn open(source: &Source, kept: Option<Vec<usize>>) -> Result<Reader> {
    let failed = |error: ArrowError| damaged(source, WHAT, &error.to_string());
    match source.open()? {
        Opened::File { file, length } => {
            let mut magic = [0; ARROW_FILE.len()];
            let mut own = Cursor { inner: Positioned { file: file.clone(), at: 0 }, length };
            let have = own.read(&mut magic).map_err(|error| source.failed(&error))?;
            own.inner.at = 0;
            let magic = magic.get(..have).unwrap_or_default();
            check(magic, Format::Arrow, &source.name())?;
            if magic == ARROW_FILE {
                let reader = FileReader::try_new(BufReader::new(own), kept).map_err(failed)?;
                return Ok(Box::new(reader));
            }
            Ok(Box::new(StreamReader::try_new(BufReader::new(own), kept).map_err(failed)?))
        }
        Opened::Stream(mut stream) => {
            let mut magic = Vec::with_capacity(ARROW_FILE.len());
            let read = stream.by_ref().take(ARROW_FILE.len() as u64).read_to_end(&mut magic);
            read.map_err(|error| source.failed(&error))?;
            check(&magic, Format::Arrow, &source.name())?;
            if magic == ARROW_FILE {
                let found = "an Arrow file in what can only be read from its beginning";
                return Err(Error::new(Kind::Source, found, "an Arrow stream, or a file")
                    .file(source.name())
                    .hint("write it to a file first, uncompressed, or as a stream"));
            }
            let whole = BufReader::new(std::io::Cursor::new(magic).chain(stream));
            Ok(Box::new(StreamReader::try_new(whole, kept).map_err(failed)?))
        }
    }
}

/// A file with a cursor of its own.
struct Cursor {
    inner: Positioned,
    length: u64,
}

impl Read for Cursor {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        self.inner.read(into)
    }
}

impl Seek for Cursor {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
            SeekFrom::Current(by) => self.inner.at.checked_add_signed(by),
        };
        self.inner.at = at.ok_or_else(|| std::io::Error::from(std::io::ErrorKind::InvalidInput))?;
        Ok(self.inner.at)
    }
}
