//! Judgments in columns, read piece by piece, in memory or on disk.

use std::sync::{Mutex, PoisonError};

use super::{Batch, Origin, Pieces, locate};
use crate::convention::Duplicates;
use crate::error::{Error, Kind, Result};
use crate::formats::Judged;
use crate::parallel::{Pace, run};
use crate::rows::RowsBuilder;

/// Reads judgments that go to disk where they take more than so many bytes of memory. `files` are what
/// messages call the files that pieces come from.
pub fn read_within(
    memory: usize,
    pieces: Pieces<'_>,
    files: &[String],
    duplicates: Duplicates,
    pace: &mut Pace<'_>,
) -> Result<Judged> {
    let mut builder = RowsBuilder::new(false).within(memory, duplicates);
    let mut origins = Origins { files, firsts: Vec::new() };
    let mut before = 0;
    let mut values = Vec::new();
    for piece in pieces {
        if !(pace.tick)(pace.progress) {
            return Err(Error::interrupted());
        }
        let piece = piece?;
        origins.firsts.push((before, piece.origin));
        let batch = Batch::new(&piece.columns, &piece.batch).map_err(|error| origins.named(before, error))?;
        values.clear();
        values.resize(batch.rows, f64::NAN);
        batch
            .fill_values(&(0..batch.rows), &mut values)
            .map_err(|(row, error)| origins.located(before + row as u64, error))?;
        let (mut query, mut document, mut label) = ([0; 20], [0; 20], [0; 20]);
        for (row, (&value, place)) in values.iter().zip(before..).enumerate() {
            if let Some(labels) = &batch.labels {
                builder.label(labels.get(row, &mut label));
            }
            let query = batch.queries.get(row, &mut query);
            builder.push(query, batch.documents.get(row, &mut document), value, f64::NAN, place);
        }
        builder.check()?;
        before += batch.rows as u64;
    }
    if before == 0 {
        let error = Error::new(Kind::Format, "a table without rows", "judgments");
        return Err(origins.named(0, error));
    }
    // What is put together at the end takes a while: the calling thread looks for signals.
    let builder = Mutex::new(Some(builder));
    let progress = pace.progress;
    let mut done = run(
        1,
        pace,
        || (),
        |(), _| {
            let builder = builder.lock().unwrap_or_else(PoisonError::into_inner).take();
            let builder = builder.ok_or_else(Error::interrupted)?;
            let held = builder.finish_held(duplicates, progress);
            held.map_err(|(row, error)| origins.located(row, error))
        },
    )?;
    let held = done.pop().ok_or_else(Error::interrupted)?;
    Ok(Judged::of(held, true, Vec::new()))
}

/// Where rows come from.
struct Origins<'a> {
    files: &'a [String],
    /// The first row of each piece, counted through all of them.
    firsts: Vec<(u64, Origin)>,
}

impl Origins<'_> {
    fn piece(&self, row: u64) -> Option<(u64, Origin)> {
        let after = self.firsts.partition_point(|&(first, _)| first <= row);
        after.checked_sub(1).and_then(|at| self.firsts.get(at)).copied()
    }

    /// Gives an error of a row its place.
    fn located(&self, row: u64, error: Box<Error>) -> Box<Error> {
        match self.piece(row) {
            Some((first, origin)) => {
                locate(self.files, Origin { row: origin.row.saturating_add(row - first), ..origin }, error)
            }
            None => error,
        }
    }

    /// Gives an error the name of the file that a row is in.
    fn named(&self, row: u64, error: Box<Error>) -> Box<Error> {
        let file = self.piece(row).map_or(0, |(_, origin)| origin.file);
        match self.files.get(file) {
            Some(name) => error.file(name.clone()),
            None => error,
        }
    }
}
