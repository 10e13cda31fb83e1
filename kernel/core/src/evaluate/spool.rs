//! Keeps the pieces of a stream that can be read only once: in memory up to a limit, then on disk.

use std::fs::File;
use std::io::{BufReader, BufWriter, Seek, SeekFrom};
use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;

use super::partitions::no_room;
use crate::columns::{Columns, Origin, Piece, Pieces};
use crate::error::{Error, Kind, Result};

/// The consecutive pieces of a stream.
pub(super) struct Spool {
    limit: usize,
    bytes: usize,
    held: Vec<Piece>,
    spilled: Option<(Arc<Columns>, StreamWriter<BufWriter<File>>)>,
}

impl Spool {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, bytes: 0, held: Vec::new(), spilled: None }
    }

    pub(super) fn keep(&mut self, piece: &Piece) -> Result<()> {
        if let Some((_, writer)) = &mut self.spilled {
            return writer.write(&piece.batch).map_err(|error| failed(&error));
        }
        self.bytes += size(&piece.batch);
        self.held.push(piece.clone());
        if self.bytes > self.limit {
            let file = tempfile::tempfile().map_err(|error| no_room(&error))?;
            let schema = piece.batch.schema();
            let mut writer = StreamWriter::try_new(BufWriter::with_capacity(1 << 20, file), &schema)
                .map_err(|error| failed(&error))?;
            for piece in self.held.drain(..) {
                writer.write(&piece.batch).map_err(|error| failed(&error))?;
            }
            self.spilled = Some((piece.columns.clone(), writer));
        }
        Ok(())
    }

    /// All kept pieces, from the beginning.
    pub(super) fn replay(self) -> Result<Pieces<'static>> {
        let Some((columns, mut writer)) = self.spilled else {
            return Ok(Box::new(self.held.into_iter().map(Ok)));
        };
        writer.finish().map_err(|error| failed(&error))?;
        let mut file = writer
            .into_inner()
            .map_err(|error| failed(&error))?
            .into_inner()
            .map_err(|error| no_room(error.error()))?;
        file.seek(SeekFrom::Start(0)).map_err(|error| no_room(&error))?;
        let batches = StreamReader::try_new(BufReader::with_capacity(1 << 20, file), None)
            .map_err(|error| failed(&error))?;
        let mut row = 0;
        Ok(Box::new(batches.map(move |batch| {
            let batch = batch.map_err(|error| failed(&error))?;
            let origin = Origin { row, ..Origin::default() };
            row += batch.num_rows() as u64;
            Ok(Piece { columns: columns.clone(), batch, origin, empty: false })
        })))
    }
}

/// The size in bytes of the rows of a batch.
fn size(batch: &RecordBatch) -> usize {
    let column = |array: &Arc<dyn Array>| {
        array.to_data().get_slice_memory_size().unwrap_or_else(|_| array.get_array_memory_size())
    };
    batch.columns().iter().map(column).sum()
}

fn failed(error: &ArrowError) -> Box<Error> {
    match error {
        ArrowError::IoError(_, error) => no_room(error),
        error => {
            let found = format!("cannot write the Arrow stream to a temporary file ({error})");
            Error::statement(Kind::Source, found).hint("sort the run by query, or save it as a Parquet file")
        }
    }
}
