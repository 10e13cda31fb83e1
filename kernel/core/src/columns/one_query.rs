//! Reads the rows of one query. All rows are validated, and those of other queries are not kept.

use std::ops::Range;
use std::sync::atomic::Ordering;

use super::{Batch, Origin, ParquetFiles, Piece, Pieces, RowError, Stream, locate};
use crate::convention::Duplicates;
use crate::error::{Code, Error, Kind, Result};
use crate::formats::{Loaded, Recoding};
use crate::known::Known;
use crate::memory;
use crate::parallel::{Pace, Progress, run};
use crate::read::number::bad_rank;
use crate::read::source::Source;
use crate::rows::RowsBuilder;

/// The lowest bit of a piece's number in a place; below it is the number of the row in the piece.
const PIECE_SHIFT: u32 = 32;

/// A table with ranks, scores or both, of which one query is read.
pub struct OneQuery<'a> {
    pub query: &'a [u8],
    /// Whether the table has scores; otherwise ranks order the rows, if there are any.
    pub scored: bool,
    pub ranked: bool,
    /// Judgments without grades have the grade 1.
    pub judged: bool,
    pub recoding: &'a Recoding,
    pub duplicates: Duplicates,
    /// Whether the table is part of a larger one, and may have no rows.
    pub partial: bool,
}

impl OneQuery<'_> {
    /// Reads Parquet files on several threads.
    pub fn of_files(&self, files: &ParquetFiles, pace: &mut Pace<'_>) -> Result<Loaded> {
        let bytes: u64 = (0..files.parts()).map(|part| files.bytes(part)).sum();
        pace.progress.total.fetch_add(bytes, Ordering::Relaxed);
        let names: Vec<String> = files.sources().iter().map(Source::name).collect();
        let progress = pace.progress;
        let parts = run(files.parts(), pace, Vec::new, |values, part| {
            let mut found = Found::new(self, &names);
            found.take_all(files.part(part)?, values, progress)?;
            progress.advance(files.bytes(part))?;
            Ok(found)
        })?;
        self.finish(parts, &names, pace.threads)
    }

    /// Reads a stream. The calling thread reads, since the producer may be Python.
    pub fn of_stream(&self, stream: Stream<'_>, pace: &mut Pace<'_>) -> Result<Loaded> {
        let Stream { pieces, names, .. } = stream;
        let (mut found, mut values) = (Found::new(self, &names), Vec::new());
        for piece in pieces {
            found.take(piece?, &mut values)?;
            if !(pace.tick)(pace.progress) {
                return Err(Error::interrupted());
            }
        }
        self.finish(vec![found], &names, 1)
    }

    fn finish(&self, parts: Vec<Found<'_>>, names: &[String], threads: usize) -> Result<Loaded> {
        if parts.iter().all(|part| part.rows == 0) && !self.partial {
            let error = Error::statement(Kind::Format, "the table has no rows").code(Code::EmptyTable);
            return Err(error.in_file(names.first().map(String::as_str)));
        }
        let mut builder = RowsBuilder::new(self.ranked);
        let mut origins = Vec::new();
        let mut builders = Vec::new();
        for part in parts {
            builders.push((part.builder, (origins.len() as u64) << PIECE_SHIFT));
            origins.extend(part.origins);
        }
        builder.append(builders, threads)?;
        let located = |(place, error): (u64, Box<Error>)| {
            let piece = usize::try_from(place >> PIECE_SHIFT).ok().and_then(|piece| origins.get(piece));
            let row = place & ((1 << PIECE_SHIFT) - 1);
            piece.map_or(error.clone(), |origin| locate(names, moved(*origin, row), error))
        };
        if !self.scored && self.ranked {
            builder.order_by_rank().map_err(located)?;
        }
        let rows = builder.finish_on(threads, self.duplicates).map_err(located)?;
        Ok(Loaded::new(rows, self.scored || self.judged))
    }
}

fn moved(origin: Origin, rows: u64) -> Origin {
    Origin { row: origin.row + rows, ..origin }
}

/// The rows of the query in consecutive pieces.
struct Found<'a> {
    sought: &'a OneQuery<'a>,
    names: &'a [String],
    builder: RowsBuilder,
    /// The origin of each piece.
    origins: Vec<Origin>,
    /// The number of rows of all queries.
    rows: usize,
}

impl<'a> Found<'a> {
    fn new(sought: &'a OneQuery<'a>, names: &'a [String]) -> Self {
        Self { sought, names, builder: RowsBuilder::new(sought.ranked), origins: Vec::new(), rows: 0 }
    }

    fn take_all(&mut self, pieces: Pieces<'_>, values: &mut Vec<f64>, progress: &Progress) -> Result<()> {
        for piece in pieces {
            progress.advance(0)?;
            self.take(piece?, values)?;
        }
        Ok(())
    }

    fn take(&mut self, piece: Piece, values: &mut Vec<f64>) -> Result<()> {
        piece.parts().into_iter().try_for_each(|part| self.take_part(part, values))
    }

    fn take_part(&mut self, piece: Piece, values: &mut Vec<f64>) -> Result<()> {
        let origin = piece.origin;
        let located = |(row, error): RowError| locate(self.names, moved(origin, row as u64), error);
        let piece = piece.recoded(self.sought.recoding).map_err(located)?;
        let name = self.names.get(piece.origin.file).map(String::as_str);
        let named = |error: Box<Error>| error.in_file(name);
        let batch = Batch::new(&piece.columns, &piece.batch).map_err(named)?;
        values.clear();
        memory::resize(values, batch.rows, f64::NAN)?;
        if !piece.empty {
            batch.fill_values(&(0..batch.rows), values, true).map_err(located)?;
        }
        let starts = batch.queries.starts(0..batch.rows);
        let ends = starts.iter().skip(1).copied().chain([batch.rows]);
        for (&start, end) in starts.iter().zip(ends) {
            if batch.queries.get(start, &mut [0; 20]) != self.sought.query {
                continue;
            }
            if piece.empty {
                self.builder.query(self.sought.query);
            } else {
                self.keep(&batch, start..end, values)?;
            }
        }
        self.origins.push(piece.origin);
        self.rows += batch.rows;
        Ok(())
    }

    fn keep(&mut self, batch: &Batch<'_>, rows: Range<usize>, values: &[f64]) -> Result<()> {
        let mut ranks = vec![f64::NAN; rows.len()];
        if let Some(numbers) = &batch.ranks {
            // A rank that is not a number is an error only if ranks order the documents.
            let bad = numbers.fill(rows.clone(), false, &mut ranks).map(|row| rows.start + row);
            if let Some(text) = bad.and_then(|row| numbers.text(row)).filter(|_| batch.values.is_none()) {
                return Err(bad_rank(text.as_bytes()));
            }
        }
        let piece = (self.origins.len() as u64) << PIECE_SHIFT;
        for (row, rank) in rows.zip(ranks) {
            let digits = &mut [0; 20];
            let document = batch.documents.get(row, digits);
            let value = *values.known(row);
            self.builder.room(self.sought.query.len() + document.len())?;
            self.builder.push(self.sought.query, document, value, rank, piece + row as u64);
        }
        Ok(())
    }
}
