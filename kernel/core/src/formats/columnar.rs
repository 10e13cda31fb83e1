//! The formats of tables in columns: Parquet and Arrow, which `columns` reads.

use super::Format;
use super::definition::{Evidence, FileFormat, Reads};
use super::detect::Sample;

/// Columns of a Parquet file.
pub(super) struct Parquet;

impl FileFormat for Parquet {
    fn names(&self) -> &'static [&'static str] {
        &["parquet"]
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &["parquet", "pq"]
    }

    fn evidence(&self, sample: &Sample<'_>) -> Evidence {
        let magic = sample.head.starts_with(b"PAR1") || sample.head.starts_with(b"PARE");
        evidence(sample, Format::Parquet, magic)
    }

    fn reads(&self) -> Reads {
        Reads::Columns
    }
}

/// Columns of an Arrow file or stream.
pub(super) struct Arrow;

impl FileFormat for Arrow {
    fn names(&self) -> &'static [&'static str] {
        &["arrow", "ipc", "feather"]
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &["arrow", "arrows", "ipc", "feather"]
    }

    fn evidence(&self, sample: &Sample<'_>) -> Evidence {
        // A stream begins with a mark and the length of its schema, which is a multiple of 8.
        let stream =
            sample.head.starts_with(&[0xff; 4]) && sample.head.get(4).is_some_and(|byte| byte % 8 == 0);
        evidence(sample, Format::Arrow, stream || sample.head.starts_with(b"ARROW1"))
    }

    fn reads(&self) -> Reads {
        Reads::Columns
    }
}

fn evidence(sample: &Sample<'_>, format: Format, magic: bool) -> Evidence {
    if magic {
        Evidence::Magic
    } else if sample.hint == Some(format) && !sample.head.is_empty() {
        Evidence::BinarySuffix
    } else {
        Evidence::Nothing
    }
}
