//! Arrow files and files of Arrow streams (IPC), read from their beginning.

use std::io::{BufReader, Cursor, Read};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_schema::Schema;

use super::damage::{WatchedPieces, damaged, reading};
use super::expansion::Expansion;
use super::ipc_input::IpcInput;
use super::kinds::{ARROW_FILE, check};
use super::messages::Messages;
use super::source::{Origin, Piece, Pieces};
use super::{Columns, RowNames};
use crate::error::{Error, Kind, Result};
use crate::formats::Format;
use crate::parallel::Stop;
use crate::read::limits::Limits;
use crate::read::source::{Opened, Positioned, Source};
use crate::read::trec::TableKind;

/// The name of the format in messages.
const WHAT: &str = "Arrow data";

/// Arrow files, read as one table.
#[derive(Clone)]
pub struct ArrowFiles {
    sources: Arc<Vec<Source>>,
    table: TableKind,
    names: Arc<RowNames>,
    /// The columns of the first file.
    pub columns: Arc<Columns>,
    /// A stream that can be read only once is already open.
    once: Option<Arc<Once>>,
}

type Once = Mutex<Option<(Messages, Columns)>>;

impl ArrowFiles {
    pub fn open<E: From<Box<Error>>>(
        sources: &[Source],
        table: TableKind,
        stop: &Stop,
        names: impl FnOnce(&Schema) -> std::result::Result<RowNames, E>,
    ) -> std::result::Result<Self, E> {
        let Some(first) = sources.first() else {
            return Err(Error::statement(Kind::Argument, "no file is given").into());
        };
        let once = sources.iter().find(|source| !source.reopens());
        if let Some(once) = once.filter(|_| sources.len() > 1) {
            return Err(Error::statement(
                Kind::Source,
                "Arrow data that can be read only once cannot be combined with other files",
            )
            .file(once.name())
            .hint("write it to a file first")
            .into());
        }
        let reader = reader(first, stop)?;
        let schema = reader.schema();
        let names = names(schema)?;
        let columns = Columns::new(table, schema, &names).map_err(|error| error.file(first.name()))?;
        Ok(Self {
            sources: Arc::new(sources.to_vec()),
            table,
            once: once.map(|_| Arc::new(Mutex::new(Some((reader, columns.clone()))))),
            names: Arc::new(names),
            columns: Arc::new(columns),
        })
    }

    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Whether the pieces can be read again.
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
                let found = "this Arrow stream can be read only once";
                return Err(Error::statement(Kind::Source, found).file(source.name()));
            };
            return Ok(pieces(batches, &columns, source, file));
        }
        let batches = reader(&source, &Stop::default())?;
        let columns = Columns::new(self.table, batches.schema(), &self.names);
        Ok(pieces(batches, &columns.map_err(|error| error.file(source.name()))?, source, file))
    }
}

/// The pieces of a file.
fn pieces(batches: Messages, columns: &Columns, source: Source, file: usize) -> Pieces<'static> {
    let (kept, columns) = columns.alone();
    let columns = Arc::new(columns);
    let mut origin = Origin { file, group: None, row: 0 };
    let own = source.clone();
    let mut batches = batches.only(kept);
    let (expansion, part) = (Expansion::new(batches.limits()), AtomicU64::new(0));
    let pieces = Box::new(std::iter::from_fn(move || {
        let batch = batches.next()?.and_then(|batch| columns.plain(batch));
        Some(batch.map_err(|error| damaged(&own, WHAT, &error.to_string())).and_then(|batch| {
            let counted = expansion.count(&columns, &batch, batches.size(), &part);
            counted.map_err(|error| error.file(own.name()))?;
            let first = origin;
            origin.row += batch.num_rows() as u64;
            Ok(Piece { columns: columns.clone(), batch, origin: first, empty: false })
        }))
    }));
    Box::new(WatchedPieces { pieces, source, what: WHAT, ended: false })
}

fn reader(source: &Source, stop: &Stop) -> Result<Messages> {
    reading(source, WHAT, || {
        let input = match source.open(stop)? {
            Opened::File { file, length } => {
                let mut magic = Vec::with_capacity(ARROW_FILE.len());
                let head = Positioned { file: file.clone(), at: 0 }.take(ARROW_FILE.len() as u64);
                checked(head, &mut magic, source)?;
                IpcInput::File { file, length, at: 0 }
            }
            Opened::Stream(mut stream) => {
                let mut magic = Vec::with_capacity(ARROW_FILE.len());
                checked(stream.by_ref().take(ARROW_FILE.len() as u64), &mut magic, source)?;
                if magic == ARROW_FILE {
                    let found = "cannot read the Arrow file format from a stream";
                    return Err(Error::statement(Kind::Source, found)
                        .file(source.name())
                        .hint("write an Arrow stream, or save the data to an uncompressed file first"));
                }
                let stream =
                    BufReader::new(Box::new(Cursor::new(magic).chain(stream)) as Box<dyn Read + Send>);
                IpcInput::Stream { stream, read: 0 }
            }
        };
        let limits = Limits::of_environment()?;
        Messages::open(input, limits).map_err(|error| damaged(source, WHAT, &error.to_string()))
    })
}

/// Refuses data that do not begin as Arrow data, and keeps the bytes it read.
fn checked(mut head: impl Read, magic: &mut Vec<u8>, source: &Source) -> Result<()> {
    head.read_to_end(magic).map_err(|error| source.failed(&error))?;
    check(magic, Format::Arrow, &source.name())
}
