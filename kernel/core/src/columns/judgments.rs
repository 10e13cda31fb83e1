//! Reads judgments in columns piece by piece, into memory or onto disk.

use std::ops::Range;
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};

use super::{Batch, Origins, ParquetFiles, Piece, Pieces, RowError, locate};
use crate::convention::Duplicates;
use crate::error::{Code, Error, Kind, Result};
use crate::formats::{Judged, Recoding};
use crate::known::Known;
use crate::memory;
use crate::parallel::{Pace, run, spawn};
use crate::read::source::Source;
use crate::read::trec::TableKind;
use crate::rows::RowsBuilder;

/// Batches in the queue.
const WAITING: usize = 4;

/// Rows of Parquet files that are read before they are added to the others.
const TOGETHER: u64 = 1 << 21;

/// Reads judgments of Parquet files on several threads, onto disk if they exceed `memory` bytes.
pub fn read_files(
    memory: usize,
    files: &ParquetFiles,
    duplicates: Duplicates,
    recoding: &Recoding,
    pace: &mut Pace<'_>,
) -> Result<Judged> {
    let names: Vec<String> = files.sources().iter().map(Source::name).collect();
    let mut rows = Collected::new(RowsBuilder::new(false).within(memory, duplicates), &names, recoding);
    let progress = pace.progress;
    let mut read = 0;
    while read < files.parts() {
        // Rows are in memory twice while they are added to the others.
        let (mut end, mut count) = (read, 0);
        while end < files.parts() && (end == read || count + files.rows(end) <= TOGETHER) {
            count += files.rows(end);
            end += 1;
        }
        if !rows.builder.has_room(count, 0) {
            return rows.read(files.clone().pieces_from(read), duplicates, pace);
        }
        let collect = |part| {
            let mut collected = Collected::new(rows.builder.part(), &names, recoding);
            for piece in files.part(part)? {
                progress.advance(0)?;
                collected.take(piece?)?;
            }
            Ok(collected)
        };
        let parts = run(end - read, pace, || (), |(), number| collect(read + number))?;
        rows.append(parts, pace.threads)?;
        read = end;
    }
    rows.finish(duplicates, pace)
}

/// Reads judgments, onto disk if they exceed `memory` bytes. `files` are the names of the files in messages.
///
/// The calling thread reads, since a producer may be Python; another thread collects.
pub fn read_within(
    memory: usize,
    pieces: Pieces<'_>,
    files: &[String],
    duplicates: Duplicates,
    recoding: &Recoding,
    pace: &mut Pace<'_>,
) -> Result<Judged> {
    let rows = Collected::new(RowsBuilder::new(false).within(memory, duplicates), files, recoding);
    rows.read(pieces, duplicates, pace)
}

/// Rows on their way into memory or onto disk.
struct Collected<'a> {
    builder: RowsBuilder,
    recoding: &'a Recoding,
    files: &'a [String],
    origins: Origins,
    /// The number of rows so far.
    before: u64,
    values: Vec<f64>,
}

impl<'a> Collected<'a> {
    fn new(builder: RowsBuilder, files: &'a [String], recoding: &'a Recoding) -> Self {
        Self { builder, recoding, files, origins: Origins::default(), before: 0, values: Vec::new() }
    }

    /// Adds pieces and finishes the rows.
    fn read(self, pieces: Pieces<'_>, duplicates: Duplicates, pace: &mut Pace<'_>) -> Result<Judged> {
        let rows = Mutex::new(self);
        let take = |piece: Piece| rows.lock().unwrap_or_else(PoisonError::into_inner).take(piece);
        let (next, waiting) = sync_channel::<Piece>(WAITING);
        std::thread::scope(|scope| {
            let collecting = spawn(scope, move || waiting.iter().try_for_each(take));
            let mut read = Ok(());
            for piece in pieces {
                if !(pace.tick)(pace.progress) {
                    read = Err(Error::interrupted());
                    break;
                }
                let piece = match piece {
                    Ok(piece) => piece,
                    Err(error) => {
                        read = Err(error);
                        break;
                    }
                };
                if collecting.is_none() {
                    // The system has no thread for it.
                    take(piece)?;
                } else if next.send(piece).is_err() {
                    // The collector ends early after an error, which is returned below.
                    break;
                }
            }
            // Nothing follows.
            drop(next);
            let collected = collecting.map_or(Ok(()), |thread| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            // An error in a row comes before an error of reading.
            collected.and(read)
        })?;
        rows.into_inner().unwrap_or_else(PoisonError::into_inner).finish(duplicates, pace)
    }

    fn finish(self, duplicates: Duplicates, pace: &mut Pace<'_>) -> Result<Judged> {
        let Collected { builder, files, origins, before, .. } = self;
        if before == 0 {
            let error = Error::statement(Kind::Format, "the table has no rows").code(Code::EmptyTable);
            return Err(named(files, &origins, 0, error));
        }
        // Building the result takes a while: the calling thread checks for signals.
        let builder = Mutex::new(Some(builder));
        let (threads, progress) = (pace.threads, pace.progress);
        let mut done = run(
            1,
            pace,
            || (),
            |(), _| {
                let builder = builder.lock().unwrap_or_else(PoisonError::into_inner).take();
                let builder = builder.ok_or_else(Error::interrupted)?;
                let held = builder.finish_any(duplicates, threads, progress);
                held.map_err(|(row, error)| located(files, &origins, row, error))
            },
        )?;
        let held = done.pop().ok_or_else(Error::interrupted)?;
        Ok(Judged::of(held, true, Vec::new()))
    }

    fn take(&mut self, piece: Piece) -> Result<()> {
        piece.parts().into_iter().try_for_each(|part| self.take_part(part))
    }

    fn take_part(&mut self, piece: Piece) -> Result<()> {
        let Self { builder, recoding, files, origins, before, values } = self;
        origins.add(*before, piece.origin);
        let located = |(row, error): RowError| located(files, origins, *before + row as u64, error);
        let piece = piece.recoded(recoding).map_err(located)?;
        let batch = Batch::new(&piece.columns, &piece.batch)
            .map_err(|error| named(files, origins, *before, error))?;
        if piece.empty {
            for row in batch.queries.starts(0..batch.rows) {
                let query = &mut [0; 20];
                let query = batch.queries.get(row, query);
                builder.room(query.len())?;
                builder.query(query);
            }
            return Ok(());
        }
        values.clear();
        let bytes = usize::try_from(batch.documents.bytes(batch.rows)).unwrap_or(usize::MAX);
        memory::resize(values, batch.rows, f64::NAN).and_then(|()| builder.grow(batch.rows, bytes))?;
        batch.fill_values(&(0..batch.rows), values, true).map_err(located)?;
        match &batch.labels {
            None => take_queries(builder, &batch, values)?,
            Some(labels) => {
                for row in 0..batch.rows {
                    builder.label(labels.get(row, &mut [0; 20]));
                    take_rows(builder, &batch, values, row..row + 1)?;
                }
            }
        }
        *before += batch.rows as u64;
        builder.check()
    }

    /// Adds rows that were collected in parts.
    fn append(&mut self, parts: Vec<Self>, threads: usize) -> Result<()> {
        let mut builders = Vec::with_capacity(parts.len());
        for part in parts {
            self.origins.extend(self.before, part.origins);
            builders.push((part.builder, self.before));
            self.before += part.before;
        }
        self.builder.append(builders, threads)
    }
}

/// Takes rows without labels, query by query.
fn take_queries(builder: &mut RowsBuilder, batch: &Batch<'_>, values: &[f64]) -> Result<()> {
    let starts = batch.queries.starts(0..batch.rows);
    let ends = starts.iter().skip(1).copied().chain([batch.rows]);
    for (&start, end) in starts.iter().zip(ends) {
        take_rows(builder, batch, values, start..end)?;
    }
    Ok(())
}

/// Takes rows of one query.
fn take_rows(builder: &mut RowsBuilder, batch: &Batch<'_>, values: &[f64], rows: Range<usize>) -> Result<()> {
    let values = values.known(rows.clone());
    let query = &mut [0; 20];
    let query = batch.queries.get(rows.start, query);
    // The batch has room for its documents, not for the ids of its queries.
    builder.room(query.len() + batch.documents.room(rows.clone()))?;
    builder.extend(query, |arena, spans| batch.documents.append(rows, arena, spans), values);
    Ok(())
}

/// Adds the location of a row to an error.
fn located(files: &[String], origins: &Origins, row: u64, error: Box<Error>) -> Box<Error> {
    match origins.of(row) {
        Some(origin) => locate(files, origin, error.role(TableKind::Qrels.role())),
        None => error,
    }
}

/// Adds the name of a row's file to an error.
fn named(files: &[String], origins: &Origins, row: u64, error: Box<Error>) -> Box<Error> {
    let file = origins.of(row).map_or(0, |origin| origin.file);
    error.in_file(files.get(file).map(String::as_str))
}
