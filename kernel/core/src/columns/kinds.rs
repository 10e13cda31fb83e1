//! Detects files of another kind than requested, by their first bytes.

use crate::error::{Error, Kind, Result};
use crate::formats::Format;

/// What an Arrow file begins with.
pub(super) const ARROW_FILE: &[u8] = b"ARROW1";

/// What an Arrow stream begins with, since version 0.15.
const ARROW_STREAM: &[u8] = &[0xff; 4];

/// Older streams begin with the length of the schema, which is shorter; text read as a length is longer.
const LONGEST_SCHEMA: u32 = 1 << 28;

/// Describes a file of another kind; `None` if the file may be of the requested kind.
fn another(head: &[u8], wanted: Format) -> Option<&'static str> {
    let parquet = wanted == Format::Parquet;
    Some(match head {
        [b'P', b'A', b'R', b'E', ..] => "an encrypted Parquet file",
        [b'P', b'A', b'R', b'1', ..] if parquet => return None,
        [b'P', b'A', b'R', b'1', ..] => "a Parquet file",
        [b'F', b'E', b'A', b'1', ..] => "a Feather file of version 1",
        _ if head.starts_with(ARROW_FILE) || head.starts_with(ARROW_STREAM) => {
            return parquet.then_some("an Arrow file");
        }
        _ if parquet => "another kind of file",
        [a, b, c, d, ..] if u32::from_le_bytes([*a, *b, *c, *d]) < LONGEST_SCHEMA => return None,
        _ => "another kind of file",
    })
}

/// Refuses a file that begins like another kind than the requested one.
pub(super) fn check(head: &[u8], wanted: Format, name: &str) -> Result<()> {
    let Some(found) = another(head, wanted) else { return Ok(()) };
    let expected = if wanted == Format::Parquet { "a Parquet file" } else { "an Arrow file or stream" };
    let hint = match head {
        [b'P', b'A', b'R', b'E', ..] => "write it again without encryption",
        [b'F', b'E', b'A', b'1', ..] => "write it again as Parquet, or as Arrow with pyarrow.feather",
        _ => "files that are read as one table need the same format",
    };
    Err(Error::new(Kind::Source, found, expected).file(name).hint(hint))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn each_kind_is_detected() {
        let stream = [0xff, 0xff, 0xff, 0xff, 0x70, 0, 0, 0];
        let old_stream = [0x70, 0, 0, 0, 0x10, 0, 0, 0];
        for (head, parquet, arrow) in [
            (&b"PAR1\x15"[..], None, Some("a Parquet file")),
            (b"PARE\x15", Some("an encrypted Parquet file"), Some("an encrypted Parquet file")),
            (b"ARROW1\0\0", Some("an Arrow file"), None),
            (&stream, Some("an Arrow file"), None),
            (&old_stream, Some("another kind of file"), None),
            (b"FEA1", Some("a Feather file of version 1"), Some("a Feather file of version 1")),
            (b"q1 Q0 d1", Some("another kind of file"), Some("another kind of file")),
            (b"P", Some("another kind of file"), Some("another kind of file")),
        ] {
            assert_eq!(another(head, Format::Parquet), parquet, "{head:?}");
            assert_eq!(another(head, Format::Arrow), arrow, "{head:?}");
        }
    }
}
