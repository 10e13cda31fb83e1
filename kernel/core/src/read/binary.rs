//! What is read as text and is none.

use crate::error::{Error, Kind};

/// The error of a NUL byte.
pub fn nul() -> Box<Error> {
    Error::new(Kind::Format, "a NUL byte", "text")
        .hint("is this a binary file, or UTF-16 text? Write it as UTF-8")
}

/// The error of what begins so, where a NUL byte in it shows that it is no text. Tables in columns come
/// here from pipes that have a name: nobody can look at those beforehand.
pub fn no_text(head: &[u8]) -> Box<Error> {
    let found = match head {
        [b'P', b'A', b'R', b'1', ..] => "Parquet",
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] => "an Arrow file",
        [0xff, 0xff, 0xff, 0xff, ..] => "an Arrow stream",
        _ => return nul(),
    };
    let hint = "name the file itself; an Arrow stream may also come from the standard input, -";
    Error::new(Kind::Format, found, "text, from what cannot be read twice").hint(hint)
}
