//! The formats of tables in columns: Parquet and Arrow, which `columns` reads.

use super::Format;
use super::definition::{Definition, RowReader};
use super::sample::{Evidence, Sample};

/// Columns of a Parquet file.
pub(super) static PARQUET: Definition = Definition::new(
    |sample| {
        // Of an encrypted file, a number of four bytes follows; not so in the name "PARENT_ASIN".
        let is_text = |byte: &u8| *byte >= b' ' || matches!(byte, b'\t' | b'\n' | b'\r');
        let encrypted =
            sample.head.strip_prefix(b"PARE").is_some_and(|rest| !rest.iter().take(4).all(is_text));
        evidence(sample, Format::Parquet, encrypted || sample.head.starts_with(b"PAR1"))
    },
    RowReader::Columns,
);

/// Columns of an Arrow file or stream.
pub(super) static ARROW: Definition = Definition::new(
    |sample| {
        // A stream begins with a mark and the length of its schema, which is a multiple of 8.
        let stream =
            sample.head.starts_with(&[0xff; 4]) && sample.head.get(4).is_some_and(|byte| byte % 8 == 0);
        evidence(sample, Format::Arrow, stream || sample.head.starts_with(b"ARROW1"))
    },
    RowReader::Columns,
);

fn evidence(sample: &Sample<'_>, format: Format, magic: bool) -> Evidence {
    if magic {
        Evidence::Magic
    } else if sample.hint == Some(format) && !sample.head.is_empty() {
        Evidence::BinarySuffix
    } else {
        Evidence::Nothing
    }
}
