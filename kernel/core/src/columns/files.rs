//! Parquet or Arrow files.

use arrow_schema::Schema;

use super::arrow::ArrowFiles;
use super::parquet::ParquetFiles;
use super::source::Pieces;
use super::{Columns, RowNames};
use crate::error::Error;
use crate::formats::Format;
use crate::parallel::Stop;
use crate::read::source::Source;
use crate::read::trec::TableKind;

/// One or several files of a kind, read as one table.
#[derive(Clone)]
pub enum Files {
    /// Files whose row groups can be read independently.
    Parquet(ParquetFiles),
    /// Files that are streams.
    Arrow(ArrowFiles),
}

impl Files {
    /// Opens files. `names` assigns roles to the columns of the first file.
    pub fn open<E: From<Box<Error>>>(
        sources: &[Source],
        format: Format,
        table: TableKind,
        stop: &Stop,
        names: impl FnOnce(&Schema) -> std::result::Result<RowNames, E>,
    ) -> std::result::Result<Self, E> {
        Ok(match format {
            Format::Parquet => Self::Parquet(ParquetFiles::open(sources, table, stop, names)?),
            _ => Self::Arrow(ArrowFiles::open(sources, table, stop, names)?),
        })
    }

    /// The columns of the first file.
    fn columns(&self) -> Option<&Columns> {
        match self {
            Self::Parquet(files) => files.columns(),
            Self::Arrow(files) => Some(&files.columns),
        }
    }

    /// Whether there are scores or grades.
    #[must_use]
    pub fn scored(&self) -> bool {
        self.columns().is_some_and(|columns| columns.values.is_some())
    }

    /// Whether rows have a system.
    #[must_use]
    pub fn has_systems(&self) -> bool {
        self.columns().is_some_and(|columns| columns.systems.is_some())
    }

    /// Whether there are ranks.
    #[must_use]
    pub fn ranked(&self) -> bool {
        self.columns().is_some_and(|columns| columns.ranks.is_some())
    }

    /// Whether the pieces can be read again.
    #[must_use]
    pub fn reopens(&self) -> bool {
        match self {
            Self::Parquet(_) => true,
            Self::Arrow(files) => files.reopens(),
        }
    }

    /// All pieces in order.
    #[must_use]
    pub fn pieces(&self) -> Pieces<'static> {
        match self {
            Self::Parquet(files) => files.clone().pieces_from(0),
            Self::Arrow(files) => files.clone().pieces(),
        }
    }

    /// The names of the files in messages.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let sources = match self {
            Self::Parquet(files) => files.sources(),
            Self::Arrow(files) => files.sources(),
        };
        sources.iter().map(Source::name).collect()
    }
}
