//! Errors for binary data that are read as text.

use crate::error::{Error, Kind};

/// The error of a NUL byte.
pub fn nul() -> Box<Error> {
    Error::statement(Kind::Format, "NUL byte in a text file")
        .hint("is this a binary file, or text in UTF-16 or UTF-32? Save it as UTF-8")
}

/// The error of a byte-order mark, if the text begins with one.
pub fn byte_order_mark(head: &[u8]) -> Option<Box<Error>> {
    let encoding = match head {
        [0xef, 0xbb, 0xbf, ..] => "UTF-8",
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => "UTF-32",
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "UTF-16",
        _ => return None,
    };
    let found = format!("the file starts with a {encoding} byte-order mark");
    Some(Error::statement(Kind::Format, found).hint("save the file as UTF-8 without a byte-order mark"))
}

/// The error for data with these first bytes that contain a NUL byte. Columnar tables arrive here from named
/// pipes, whose content cannot be examined beforehand.
pub fn no_text(head: &[u8]) -> Box<Error> {
    let found = match head {
        [b'P', b'A', b'R', b'1', ..] => "cannot read Parquet from a pipe",
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] => "cannot read an Arrow file from a pipe",
        [0xff, 0xff, 0xff, 0xff, ..] => "cannot read an Arrow stream from a named pipe",
        _ => return nul(),
    };
    let hint = "name the file itself; standard input (-) takes Arrow streams, too";
    Error::statement(Kind::Format, found).hint(hint)
}
