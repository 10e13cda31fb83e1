//! Writes rows to disk while they are collected if they exceed a memory limit.

use std::mem::size_of;

use super::super::disk::{AnyRows, DiskLevel, Writer};
use super::super::{QueryRows, Rows, Span};
use super::{RowsBuilder, Spill};
use crate::convention::Duplicates;
use crate::error::{Earliest, Error, Result, keep_earliest};
use crate::known::Known;
use crate::parallel::Progress;

/// The number of bytes of a row without its ids.
const ROW: usize = size_of::<Span>() + 2 * size_of::<u64>() + size_of::<u32>();

impl RowsBuilder {
    /// Writes rows to disk once they take more than `memory` bytes. Rows must be added in the order of their
    /// places, by [`RowsBuilder::push`] or [`RowsBuilder::extend`], and must not have ranks.
    #[must_use]
    pub fn within(mut self, memory: usize, duplicates: Duplicates) -> Self {
        let (writer, earliest, failed) = (None, None, None);
        let spill = Spill { limit: memory.max(1), duplicates, names: 0, writer, earliest, failed };
        self.spill = Some(Box::new(spill));
        self
    }

    /// Returns the error of writing to disk, if any.
    #[inline]
    pub(super) fn check_spill(&mut self) -> Result<()> {
        match self.spill.as_mut().and_then(|spill| spill.failed.take()) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Finishes rows that may be on disk, as [`RowsBuilder::finish`] does in memory. An error without a known
    /// place has the place `u64::MAX`.
    pub fn finish_any(
        mut self,
        duplicates: Duplicates,
        threads: usize,
        progress: &Progress,
    ) -> std::result::Result<AnyRows, (u64, Box<Error>)> {
        let without_place = |error| (u64::MAX, error);
        self.check().map_err(without_place)?;
        if self.spill.as_ref().is_none_or(|spill| spill.writer.is_none()) {
            return self.finish_on(threads, duplicates).map(AnyRows::Memory);
        }
        self.spill_rows();
        self.check().map_err(without_place)?;
        let Some(spill) = self.spill.take() else {
            return self.finish_on(threads, duplicates).map(AnyRows::Memory);
        };
        let Spill { writer: Some(mut writer), mut earliest, .. } = *spill else {
            return self.finish_on(threads, duplicates).map(AnyRows::Memory);
        };
        let labels = self.label_names.iter().map(|name| name.of(&self.arena).to_vec()).collect();
        let queries = self.build();
        keep_earliest(
            &mut earliest,
            merge(&mut writer, &queries, duplicates, progress).map_err(without_place)?,
        );
        match earliest {
            Some(error) => Err(error),
            None => writer.finish(queries, labels).map(AnyRows::Disk).map_err(without_place),
        }
    }

    /// Whether so many rows more stay in memory, whose ids have so many bytes.
    #[must_use]
    pub fn has_room(&self, rows: u64, bytes: u64) -> bool {
        let more = rows.saturating_mul(ROW as u64).saturating_add(bytes);
        let more = usize::try_from(more).unwrap_or(usize::MAX);
        self.spill.as_ref().is_none_or(|spill| {
            spill.writer.is_none() && more.saturating_add(self.bytes(spill.names)) <= spill.limit
        })
    }

    /// The number of bytes of the rows in memory, for which the limit is.
    fn bytes(&self, names: usize) -> usize {
        self.documents.len() * ROW + self.arena.len() - names
    }

    #[inline]
    pub(super) fn spill_if_full(&mut self) {
        if let Some(spill) = &self.spill
            && self.bytes(spill.names) > spill.limit
        {
            self.spill_rows();
        }
    }

    /// Writes all rows in memory to disk. Their queries stay in memory.
    #[cold]
    fn spill_rows(&mut self) {
        let Some(mut spill) = self.spill.take() else { return };
        let rows = self.documents.len() as u64;
        // A query may have rows both on disk and in memory from now on, so only the merge finds all
        // duplicates.
        self.watch = None;
        if spill.failed.is_none()
            && let Err(error) = self.write(&mut spill)
        {
            spill.failed = Some(error);
        }
        let old = std::mem::take(&mut self.arena);
        for span in self.names.spans.iter_mut().chain(&mut self.label_names) {
            let id = span.of(&old);
            *span = Span { at: self.arena.len() as u64, ..*span };
            self.arena.extend_from_slice(id);
        }
        spill.names = self.arena.len();
        self.documents.clear();
        self.values.clear();
        self.labels.clear();
        self.places.clear();
        self.first += rows;
        self.pieces.clear();
        self.grouped = true;
        self.spill = Some(spill);
    }

    fn write(&mut self, spill: &mut Spill) -> Result<()> {
        self.group(1);
        self.write_places();
        // A mean is that of all rows, so the merge takes it.
        if !matches!(spill.duplicates, Duplicates::Count | Duplicates::Mean)
            && let Err(error) = self.resolve(spill.duplicates)
        {
            keep_earliest(&mut spill.earliest, Some(error));
        }
        let writer = match &mut spill.writer {
            Some(writer) => writer,
            new => new.insert(Writer::new()?),
        };
        let mut pieces: Vec<_> = self.pieces().collect();
        // Grouped pieces are in order of appearance, but a level needs ascending query numbers.
        pieces.sort_unstable_by_key(|(query, _)| *query);
        for (query, rows) in pieces {
            let query_rows = QueryRows {
                id: &[],
                arena: &self.arena,
                documents: self.documents.known(rows.clone()),
                values: self.values.known(rows.clone()),
                ranks: &[],
                labels: self.labels.get(rows.clone()).unwrap_or_default(),
                label_names: &self.label_names,
            };
            writer.put(query, &query_rows, self.places.get(rows).unwrap_or_default())?;
        }
        writer.end_level()
    }
}

/// Merges the rows of queries with rows in several levels. Returns the error at the earliest place, if
/// any.
fn merge(
    writer: &mut Writer,
    queries: &Rows,
    duplicates: Duplicates,
    progress: &Progress,
) -> Result<Earliest> {
    let mut starts = 0;
    let mut levels: Vec<DiskLevel> = Vec::with_capacity(writer.levels.len());
    for &end in &writer.levels {
        levels.push(DiskLevel::new(std::mem::replace(&mut starts, end), end));
    }
    let mut several = std::mem::take(&mut writer.several);
    if duplicates == Duplicates::Mean {
        several = (0..u32::try_from(queries.queries()).unwrap_or(u32::MAX)).collect();
    }
    several.sort_unstable();
    several.dedup();
    let mut earliest: Earliest = None;
    for query in several {
        progress.advance(0)?;
        let id = queries.query_id(query as usize);
        let mut builder = RowsBuilder::new(false);
        for level in &mut levels {
            let Some((rows, places)) = level.query(&writer.file, query, id)? else { continue };
            for (row, (&value, &place)) in rows.values.iter().zip(places).enumerate() {
                if let Some(label) = rows.label(row) {
                    builder.label(label);
                }
                builder.push(id, rows.document(row), value, f64::NAN, place);
            }
        }
        match builder.finish(duplicates) {
            // A query may have no documents.
            Ok(rows) if rows.queries() == 0 => {}
            Ok(rows) => writer.put(query, &rows.query(0), &[])?,
            Err(error) => keep_earliest(&mut earliest, Some(error)),
        }
    }
    Ok(earliest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::DiskBlock;

    const ALL: [Duplicates; 7] = [
        Duplicates::Mean,
        Duplicates::Error,
        Duplicates::First,
        Duplicates::Last,
        Duplicates::Best,
        Duplicates::Count,
        Duplicates::Copies,
    ];

    type Row = (usize, usize, usize, f64);

    /// Generates rows in random order: query, document, label, value.
    fn rows(count: usize, documents: usize) -> Vec<Row> {
        let mut state = 0x9e37_79b9_u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % below
        };
        (0..count).map(|_| (next(7), next(documents), next(3), next(5) as f64 - 1.0)).collect()
    }

    fn fill(mut builder: RowsBuilder, rows: &[Row], labelled: bool) -> RowsBuilder {
        builder.query(b"nothing judged");
        for (place, &(query, document, label, value)) in (10..).zip(rows) {
            if labelled {
                builder.label(format!("label {label}").as_bytes());
            }
            let (query, document) = (format!("q{query}"), format!("document {document}"));
            builder.push(query.as_bytes(), document.as_bytes(), value, f64::NAN, place);
        }
        builder
    }

    fn assert_same(rows: &Rows, found: &AnyRows) {
        let AnyRows::Disk(disk) = found else { panic!("rows in memory") };
        assert_eq!((rows.queries(), rows.len() as u64), (disk.queries().queries(), disk.len()));
        assert_eq!(rows.sorted(), disk.queries().sorted());
        assert_eq!(rows.has_labels(), disk.has_labels());
        assert_eq!(rows.digest(true), disk.digest().unwrap());
        let mut block = DiskBlock::default();
        for (number, query) in rows.iter().enumerate() {
            let loaded = disk.load(number, &mut block).unwrap();
            assert_eq!((loaded.id, loaded.values), (query.id, query.values));
            for row in 0..loaded.values.len() {
                assert_eq!(
                    (loaded.document(row), loaded.label(row)),
                    (query.document(row), query.label(row))
                );
            }
        }
    }

    #[test]
    fn rows_on_disk_equal_rows_in_memory_for_all_limits() {
        for (documents, labelled) in [(20, false), (20, true), (100_000, false)] {
            for duplicates in ALL {
                let given = rows(400, documents);
                let memory = fill(RowsBuilder::new(false), &given, labelled).finish(duplicates);
                for limit in [1, 100, 1000, 9000] {
                    let builder = RowsBuilder::new(false).within(limit, duplicates);
                    let found =
                        fill(builder, &given, labelled).finish_any(duplicates, 1, &Progress::default());
                    match (&memory, found) {
                        (Ok(rows), found) => assert_same(rows, &found.unwrap()),
                        (Err((place, error)), found) => {
                            let (found_place, found) = found.unwrap_err();
                            assert_eq!((place, &error.query), (&found_place, &found.query));
                            assert_eq!(error.document, found.document);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn rows_within_the_limit_stay_in_memory() {
        let builder = RowsBuilder::new(false).within(1 << 20, Duplicates::Count);
        let found =
            fill(builder, &rows(400, 20), false).finish_any(Duplicates::Count, 1, &Progress::default());
        assert!(matches!(found.unwrap(), AnyRows::Memory(rows) if rows.len() == 400));
    }
}
