//! Rows that go to disk while they are collected, where they are too many for memory.

use std::mem::size_of;

use super::super::disk::{Earliest, Held, Writer, note};
use super::super::{QueryRows, Span};
use super::RowsBuilder;
use crate::convention::Duplicates;
use crate::error::{Error, Result};
use crate::parallel::Progress;

/// Where rows go, and when.
#[derive(Debug)]
pub(super) struct Spill {
    /// Bytes that rows may take in memory.
    limit: usize,
    duplicates: Duplicates,
    /// Bytes in the arena that are no ids of documents of rows at hand.
    names: usize,
    /// None until the rows are too many.
    writer: Option<Writer>,
    earliest: Earliest,
    failed: Option<Box<Error>>,
}

impl RowsBuilder {
    /// Lets rows go to disk once they take more than so many bytes of memory. They must come by
    /// [`RowsBuilder::push`] or [`RowsBuilder::extend`], in the order of their places, and be judgments,
    /// which have no ranks.
    #[must_use]
    pub fn within(mut self, memory: usize, duplicates: Duplicates) -> Self {
        let (writer, earliest, failed) = (None, None, None);
        let spill = Spill { limit: memory.max(1), duplicates, names: 0, writer, earliest, failed };
        self.spill = Some(Box::new(spill));
        self
    }

    /// The error that writing to disk gave.
    #[inline]
    pub(super) fn check_spill(&mut self) -> Result<()> {
        match self.spill.as_mut().and_then(|spill| spill.failed.take()) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// As [`RowsBuilder::finish`], of rows that may have gone to disk. An error of which nobody knows the
    /// place has the last one there is.
    pub fn finish_held(
        mut self,
        duplicates: Duplicates,
        threads: usize,
        progress: &Progress,
    ) -> std::result::Result<Held, (u64, Box<Error>)> {
        let lost = |error| (u64::MAX, error);
        self.check().map_err(lost)?;
        if self.spill.as_ref().is_none_or(|spill| spill.writer.is_none()) {
            return self.finish_on(threads, duplicates).map(Held::Memory);
        }
        self.spill_rows();
        self.check().map_err(lost)?;
        let Some(spill) = self.spill.take() else {
            return self.finish_on(threads, duplicates).map(Held::Memory);
        };
        let Spill { writer: Some(mut writer), mut earliest, .. } = *spill else {
            return self.finish_on(threads, duplicates).map(Held::Memory);
        };
        let labels = self.label_names.iter().map(|name| name.of(&self.arena).to_vec()).collect();
        let queries = self.build();
        if let Some(error) = writer.merge(&queries, duplicates, progress).map_err(lost)? {
            note(&mut earliest, error);
        }
        match earliest {
            Some(error) => Err(error),
            None => writer.finish(queries, labels).map(Held::Disk).map_err(lost),
        }
    }

    #[inline]
    pub(super) fn spill_if_full(&mut self) {
        const ROW: usize = size_of::<Span>() + 2 * size_of::<u64>() + size_of::<u32>();
        if let Some(spill) = &self.spill
            && self.documents.len() * ROW + self.arena.len() - spill.names > spill.limit
        {
            self.spill_rows();
        }
    }

    /// Sends all rows at hand to disk. Their queries stay.
    #[cold]
    fn spill_rows(&mut self) {
        let Some(mut spill) = self.spill.take() else { return };
        let rows = self.documents.len() as u64;
        // Rows of a query may be on both sides of the cut, so that only the merge finds all duplicates.
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
        self.group();
        self.write_places();
        if spill.duplicates != Duplicates::Count
            && let Err(error) = self.resolve(spill.duplicates)
        {
            note(&mut spill.earliest, error);
        }
        let writer = match &mut spill.writer {
            Some(writer) => writer,
            new => new.insert(Writer::new()?),
        };
        let mut pieces: Vec<_> = self.pieces().collect();
        // Those that came in one piece stand as they came, and a query of the level before may be among them.
        pieces.sort_unstable_by_key(|(query, _)| *query);
        for (query, rows) in pieces {
            let own = QueryRows {
                id: &[],
                arena: &self.arena,
                documents: self.documents.get(rows.clone()).unwrap_or_default(),
                values: self.values.get(rows.clone()).unwrap_or_default(),
                ranks: &[],
                labels: self.labels.get(rows.clone()).unwrap_or_default(),
                label_names: &self.label_names,
            };
            writer.put(query, &own, self.places.get(rows).unwrap_or_default())?;
        }
        writer.end_level()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{DiskBlock, Rows};

    const ALL: [Duplicates; 6] = [
        Duplicates::Error,
        Duplicates::First,
        Duplicates::Last,
        Duplicates::Best,
        Duplicates::Count,
        Duplicates::Copies,
    ];

    type Row = (usize, usize, usize, f64);

    /// Rows in no order: query, document, label, value.
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

    fn assert_same(rows: &Rows, held: &Held) {
        let Held::Disk(disk) = held else { panic!("rows in memory") };
        assert_eq!((rows.queries(), rows.len() as u64), (disk.queries().queries(), disk.len()));
        assert_eq!(rows.sorted(), disk.queries().sorted());
        assert_eq!(rows.has_labels(), disk.has_labels());
        assert_eq!(rows.digest(true), disk.digest().unwrap());
        let mut block = DiskBlock::default();
        for (number, query) in rows.iter().enumerate() {
            let own = disk.load(number, &mut block).unwrap();
            assert_eq!((own.id, own.values), (query.id, query.values));
            for row in 0..own.values.len() {
                assert_eq!((own.document(row), own.label(row)), (query.document(row), query.label(row)));
            }
        }
    }

    #[test]
    fn rows_on_disk_are_those_in_memory_whatever_the_limit() {
        for (documents, labelled) in [(20, false), (20, true), (100_000, false)] {
            for duplicates in ALL {
                let given = rows(400, documents);
                let memory = fill(RowsBuilder::new(false), &given, labelled).finish(duplicates);
                for limit in [1, 100, 1000, 9000] {
                    let builder = RowsBuilder::new(false).within(limit, duplicates);
                    let held =
                        fill(builder, &given, labelled).finish_held(duplicates, 1, &Progress::default());
                    match (&memory, held) {
                        (Ok(rows), held) => assert_same(rows, &held.unwrap()),
                        (Err((place, error)), held) => {
                            let (own, found) = held.unwrap_err();
                            assert_eq!((place, &error.query), (&own, &found.query));
                            assert_eq!(error.document, found.document);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn few_rows_stay_in_memory() {
        let builder = RowsBuilder::new(false).within(1 << 20, Duplicates::Count);
        let held =
            fill(builder, &rows(400, 20), false).finish_held(Duplicates::Count, 1, &Progress::default());
        assert!(matches!(held.unwrap(), Held::Memory(rows) if rows.len() == 400));
    }
}
