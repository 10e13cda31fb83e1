//! Reads Parquet files; threads read different row groups at the same time.
//!
//! The library allocates what a file declares, so a damaged file passes these checks, in this order:
//!
//! 1. The first bytes are those of Parquet (`kinds`), and the footer is not encrypted and in the file (`footer`).
//! 2. The footer declares no more than it has (`footer`, by a walk of `thrift`); then the library decodes it.
//! 3. The columns have the types of their roles (`roles`), compressions that can be read, and as many values as
//!    their row groups have rows (`compressions` and `counts` below).
//! 4. When a part of a group is opened, the file is the one whose footer was read (`Bytewise::state`).
//! 5. The header of a page, before the library decodes it: sizes that its compression can reach, within the rest of
//!    the file, the limits of the environment and free memory (`headers`). Pages of compressions that are decompressed
//!    to their end are decompressed once without keeping them if they could exceed the limits.
//! 6. The decompressed page: no more values and lengths than it has room for (`claims`). If a batch of its values could
//!    take too much memory, decoding begins again with fewer rows (`batches`).
//! 7. Free memory before each batch (`memory::check`), and its size with those before it after (`expansion`).
//!
//! Each step runs within `damage::reading`, in which a panic of the library is an error of the file.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, RowSelection, RowSelector,
};
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::{Compression, LogicalType, Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetStatisticsPolicy, RowGroupMetaData};
use parquet::file::reader::Length;

use super::batches::{BATCH, Batches, MOST_BYTES};
use super::claims::RowGroup;
use super::damage::{WatchedPieces, damaged, reading};
use super::expansion::Expansion;
use super::pages::{Bytewise, PageState};
use super::source::{Origin, Piece, Pieces};
use super::uuids::{EXTENSION, UUID};
use super::{Columns, RowNames, footer, kinds};
use crate::error::{Error, Kind, Result, quoted};
use crate::formats::Format;
use crate::known::Known;
use crate::memory;
use crate::parallel::Stop;
use crate::read::limits::Limits;
use crate::read::source::{Content, Source};
use crate::read::trec::TableKind;

/// Rows that are decoded at a time, so that their columns stay in the processor's cache.
const ROWS: usize = 16_384;

/// The name of the format in messages.
const WHAT: &str = "a Parquet file";

/// The rows of a row group that a thread takes at a time, and the maximum number of parts of a group: to
/// reach its rows, a thread reads the headers of all pages before them.
const PART_ROWS: u64 = 1 << 20;
const PARTS: u64 = 48;

/// Parquet files, read as one table.
#[derive(Debug, Clone)]
pub struct ParquetFiles {
    sources: Arc<Vec<Source>>,
    files: Arc<Vec<Footer>>,
    parts: Arc<Vec<GroupPart>>,
    /// The decoded size of each part so far.
    expanded: Arc<Vec<AtomicU64>>,
}

/// The metadata of a file.
#[derive(Debug)]
struct Footer {
    metadata: ArrowReaderMetadata,
    /// The columns to read and their roles.
    mask: ProjectionMask,
    columns: Arc<Columns>,
    levels: FieldLevels,
    /// How many rows are decoded at a time.
    rows: usize,
    /// The file.
    state: PageState,
    expansion: Expansion,
}

impl Footer {
    fn new(
        metadata: ArrowReaderMetadata,
        mask: ProjectionMask,
        columns: Columns,
        state: PageState,
        expansion: Expansion,
    ) -> std::result::Result<Self, ParquetError> {
        let schema = metadata.parquet_schema();
        let fields = metadata.schema().fields();
        let levels = parquet_to_arrow_field_levels(schema, mask.clone(), Some(fields))?;
        let leaves = schema.columns().iter().enumerate();
        let widths = leaves.filter(|(leaf, column)| {
            mask.leaf_included(*leaf) && column.physical_type() == Type::FIXED_LEN_BYTE_ARRAY
        });
        let widths = widths.map(|(_, column)| usize::try_from(column.type_length()).unwrap_or(0));
        // Fewer rows for values of a large fixed length, since all of them are allocated.
        let rows = widths.map(|width| MOST_BYTES / width.max(1)).fold(ROWS, usize::min).max(1);
        Ok(Self { metadata, mask, columns: Arc::new(columns), levels, rows, state, expansion })
    }
}

/// Consecutive rows of a row group: all of them unless the group is large.
#[derive(Debug, Clone, Copy)]
struct GroupPart {
    file: usize,
    group: usize,
    /// The number of the group's first row in the file.
    first: u64,
    /// The number of rows of the group before these, and the number of these.
    before: u64,
    rows: u64,
    bytes: u64,
}

impl GroupPart {
    /// Splits the group into parts.
    fn cut(self) -> impl Iterator<Item = Self> {
        let parts = (self.rows / PART_ROWS).clamp(1, PARTS);
        let step = self.rows.div_ceil(parts);
        (0..parts).map(move |part| {
            let before = part * step;
            let rows = step.min(self.rows.saturating_sub(before));
            Self { before, rows, bytes: self.bytes / parts, ..self }
        })
    }

    /// Selects the last `left` rows of the part; `None` selects the whole group.
    fn selection(&self, group: &RowGroupMetaData, left: u64) -> Option<RowSelection> {
        let count = |rows: u64| usize::try_from(rows).unwrap_or(usize::MAX);
        let before = self.before + self.rows.saturating_sub(left);
        (u64::try_from(group.num_rows()) != Ok(left))
            .then(|| vec![RowSelector::skip(count(before)), RowSelector::select(count(left))].into())
    }
}

impl ParquetFiles {
    pub fn open<E: From<Box<Error>>>(
        sources: &[Source],
        table: TableKind,
        stop: &Stop,
        names: impl FnOnce(&Schema) -> std::result::Result<RowNames, E>,
    ) -> std::result::Result<Self, E> {
        let mut files = Vec::with_capacity(sources.len());
        let mut parts = Vec::new();
        let mut names = Some(names);
        let mut named = RowNames::default();
        for (number, source) in sources.iter().enumerate() {
            let reader = Bytewise::open(source, stop)?;
            let state = reader.state();
            let mut head = [0; 8];
            let have = reader.file.read_at(&mut head, 0).map_err(|error| source.failed(&error))?;
            kinds::check(head.known(..have), Format::Parquet, &source.name())?;
            let metadata = reading(source, WHAT, || {
                footer::read(&reader, options()).map_err(|error| broken(source, &error))
            })?;
            let schema = &named_uuids(&metadata);
            if let Some(names) = names.take() {
                named = names(schema)?;
            }
            let columns = Columns::new(table, schema, &named).map_err(|error| error.file(source.name()))?;
            let (kept, columns) = columns.alone();
            let mask = ProjectionMask::roots(metadata.parquet_schema(), kept);
            let mut first = 0_u64;
            for (group, own) in metadata.metadata().row_groups().iter().enumerate() {
                let bytes =
                    read(own, &mask).map(|column| u64::try_from(column.compressed_size()).unwrap_or(0));
                let bytes = bytes.fold(0, u64::saturating_add);
                compressions(own, &mask).map_err(|error| error.file(source.name()))?;
                counts(own, &mask)
                    .map_err(|error| error.file(format!("{}, row group {group}", source.name())))?;
                let rows = u64::try_from(own.num_rows()).unwrap_or(0);
                let group = GroupPart { file: number, group, first, before: 0, rows, bytes };
                // A part of a group is found by reading the headers from the first on, which is too slow over
                // a network.
                if matches!(reader.file, Content::Local(_)) {
                    parts.extend(group.cut());
                } else {
                    parts.push(group);
                }
                first = first.saturating_add(rows);
            }
            let expansion = Expansion::new(Limits::of_environment()?);
            let footer = || {
                Footer::new(metadata, mask, columns, state, expansion).map_err(|error| broken(source, &error))
            };
            files.push(reading(source, WHAT, footer)?);
        }
        let expanded = Arc::new(parts.iter().map(|_| AtomicU64::new(0)).collect());
        let sources = Arc::new(sources.to_vec());
        Ok(Self { sources, files: Arc::new(files), parts: Arc::new(parts), expanded })
    }

    /// The columns of the first file.
    pub(super) fn columns(&self) -> Option<&Columns> {
        self.files.first().map(|file| &*file.columns)
    }

    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The number of parts: row groups, or parts of large ones.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// The size in bytes of the columns of a part in the file.
    #[must_use]
    pub fn bytes(&self, part: usize) -> u64 {
        self.parts.get(part).map_or(0, |part| part.bytes)
    }

    /// The pieces of one part.
    pub fn part(&self, number: usize) -> Result<Pieces<'static>> {
        let nothing = || Error::statement(Kind::Source, "a row group is missing");
        let part = *self.parts.get(number).ok_or_else(nothing)?;
        let source = self.sources.get(part.file).ok_or_else(nothing)?.clone();
        let footer = self.files.get(part.file).ok_or_else(nothing)?;
        let reader = Bytewise::open(&source, &Stop::default())?;
        if reader.state() != footer.state {
            let found = "the file changed while it was read";
            return Err(Error::statement(Kind::Source, found).file(source.name()));
        }
        let metadata = footer.metadata.metadata();
        let own = metadata.row_groups().get(part.group).ok_or_else(nothing)?;
        reading(&source, WHAT, || {
            let file = reader.file.clone();
            file.only(|| ranges(own, &footer.mask)).map_err(|error| source.failed(&error))
        })?;
        let metadata = metadata.clone();
        let (reader, batches) = (Arc::new(reader), Arc::new(Batches::new(footer.expansion.limits())));
        let group = RowGroup { reader, metadata, number: part.group, batches };
        let opened = OpenPart { files: self.clone(), number, part, group, source: source.clone() };
        opened.forget();
        let batches = reading(&source, WHAT, || opened.batches(footer.rows, part.rows))?;
        let origin = Origin { file: part.file, group: Some(part.group), row: part.first + part.before };
        let columns = footer.columns.clone();
        let group = PartPieces { batches, opened, columns, origin, left: part.rows };
        Ok(Box::new(WatchedPieces { pieces: Box::new(group), source, what: WHAT, ended: false }))
    }

    /// The number of rows of a part.
    #[must_use]
    pub fn rows(&self, part: usize) -> u64 {
        self.parts.get(part).map_or(0, |part| part.rows)
    }

    /// The pieces of all parts from this one on.
    #[must_use]
    pub fn pieces_from(self, first: usize) -> Pieces<'static> {
        let parts = first..self.parts();
        Box::new(parts.flat_map(move |part| -> Pieces<'static> {
            match self.part(part) {
                Ok(pieces) => pieces,
                Err(error) => Box::new(std::iter::once(Err(error))),
            }
        }))
    }
}

/// A part that is open.
struct OpenPart {
    files: ParquetFiles,
    number: usize,
    part: GroupPart,
    group: RowGroup,
    source: Source,
}

impl OpenPart {
    /// Decodes the last `left` rows of the part, `rows` at a time.
    fn batches(&self, rows: usize, left: u64) -> Result<ParquetRecordBatchReader> {
        self.group.batches.start(rows);
        let footer = self.files.files.get(self.part.file);
        let own = footer.and_then(|footer| footer.metadata.metadata().row_groups().get(self.part.group));
        let (Some(footer), Some(own)) = (footer, own) else {
            return Err(damaged(&self.source, WHAT, "a row group is missing"));
        };
        let selection = self.part.selection(own, left);
        ParquetRecordBatchReader::try_new_with_row_groups(&footer.levels, &self.group, rows, selection)
            .map_err(|error| broken(&self.source, &error))
    }

    /// Checks the size of the file with one more batch.
    fn count(&self, columns: &Columns, batch: &RecordBatch) -> Result<()> {
        let (files, length) = (&self.files, self.group.reader.len());
        match (files.files.get(self.part.file), files.expanded.get(self.number)) {
            (Some(footer), Some(part)) => footer
                .expansion
                .count(columns, batch, length, part)
                .map_err(|error| error.file(self.source.name())),
            _ => Ok(()),
        }
    }

    fn forget(&self) {
        let files = &self.files;
        if let (Some(footer), Some(part)) = (files.files.get(self.part.file), files.expanded.get(self.number))
        {
            footer.expansion.forget(part);
        }
    }
}

/// A part as it is read.
struct PartPieces {
    batches: ParquetRecordBatchReader,
    opened: OpenPart,
    columns: Arc<Columns>,
    origin: Origin,
    /// Rows that are still to come.
    left: u64,
}

impl Iterator for PartPieces {
    type Item = Result<Piece>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Err(error) = memory::check(BATCH) {
                return Some(Err(error));
            }
            return Some(match self.batches.next() {
                None if self.left == 0 => return None,
                None => Err(self.damaged("a row group has fewer rows than its footer declares")),
                Some(Err(error)) => match self.opened.group.batches.fewer() {
                    Some(rows) => match self.opened.batches(rows, self.left) {
                        Ok(batches) => {
                            self.batches = batches;
                            continue;
                        }
                        Err(error) => Err(error),
                    },
                    None => Err(self.damaged(&error.to_string())),
                },
                Some(Ok(batch)) => match self.columns.plain(batch) {
                    Ok(batch) => {
                        if let Err(error) = self.opened.count(&self.columns, &batch) {
                            return Some(Err(error));
                        }
                        let (origin, rows) = (self.origin, batch.num_rows() as u64);
                        self.origin.row += rows;
                        self.left = self.left.saturating_sub(rows);
                        Ok(Piece { columns: self.columns.clone(), batch, origin, empty: false })
                    }
                    Err(error) => Err(self.damaged(&error.to_string())),
                },
            });
        }
    }
}

impl PartPieces {
    #[cold]
    fn damaged(&self, said: &str) -> Box<Error> {
        let group = self.origin.group.unwrap_or_default();
        let (source, said) = (&self.opened.source, self.opened.group.batches.wrong().unwrap_or(said));
        damaged(source, WHAT, said)
            .file(format!("{}, row group {group}", source.name()))
            .hint("the file is damaged or truncated, or its columns are encrypted; write it again")
    }
}

/// The columns of a group to read; a nested column counts as its leaves.
fn read<'a>(
    group: &'a RowGroupMetaData,
    mask: &ProjectionMask,
) -> impl Iterator<Item = &'a ColumnChunkMetaData> {
    let columns = group.columns().iter().enumerate().filter(|(leaf, _)| mask.leaf_included(*leaf));
    columns.map(|(_, column)| column)
}

/// Refuses columns with an unsupported compression.
fn compressions(group: &RowGroupMetaData, mask: &ProjectionMask) -> Result<()> {
    for column in read(group, mask) {
        let by = match column.compression() {
            Compression::BROTLI(_) => "Brotli",
            Compression::LZO => "LZO",
            _ => continue,
        };
        let found = format!("{by} compression in column '{}'", column.column_path().string());
        return Err(Error::new(Kind::Source, found, "Snappy, Zstandard, gzip, LZ4 or no compression")
            .hint("write the file again with another compression"));
    }
    Ok(())
}

/// Refuses columns whose number of values differs from the number of rows: values would be lost.
fn counts(group: &RowGroupMetaData, mask: &ProjectionMask) -> Result<()> {
    let mut flat = read(group, mask).filter(|column| column.column_descr().max_rep_level() == 0);
    let Some(column) = flat.find(|column| column.num_values() != group.num_rows()) else { return Ok(()) };
    let (values, name) = (column.num_values(), column.column_path().string());
    let found = format!("{values} values in column {}", quoted(name.as_bytes()));
    Err(Error::new(Kind::Source, found, format!("{}, the number of rows in the group", group.num_rows()))
        .hint("the footer is wrong; write the file again"))
}

/// The byte ranges of the columns to read.
fn ranges(group: &RowGroupMetaData, mask: &ProjectionMask) -> Vec<Range<u64>> {
    read(group, mask)
        .map(ColumnChunkMetaData::byte_range)
        .map(|(start, length)| start..start + length)
        .collect()
}

/// The schema of a file, with columns of UUIDs marked: Parquet marks them by the logical type.
fn named_uuids(metadata: &ArrowReaderMetadata) -> Schema {
    let written = metadata.metadata().file_metadata().schema_descr().root_schema().get_fields();
    let fields = metadata.schema().fields().iter().zip(written).map(|(field, written)| {
        if written.get_basic_info().logical_type_ref() != Some(&LogicalType::Uuid) {
            return field.clone();
        }
        let mut known = field.metadata().clone();
        known.insert(EXTENSION.to_owned(), UUID.to_owned());
        Arc::new(field.as_ref().clone().with_metadata(known))
    });
    Schema::new(fields.collect::<Vec<_>>())
}

/// The statistics of columns, which may be long, are not used.
fn options() -> ArrowReaderOptions {
    ArrowReaderOptions::new()
        .with_column_stats_policy(ParquetStatisticsPolicy::SkipAll)
        .with_size_stats_policy(ParquetStatisticsPolicy::SkipAll)
}

#[cold]
fn broken(source: &Source, error: &ParquetError) -> Box<Error> {
    match error {
        ParquetError::General(said) | ParquetError::EOF(said) | ParquetError::NYI(said) => {
            damaged(source, WHAT, said)
        }
        error => damaged(source, WHAT, &error.to_string()),
    }
}
