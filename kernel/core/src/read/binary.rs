//! Errors for binary data that are read as text.

use crate::error::{Error, Kind, Result};

/// The byte-order mark of UTF-8, which some programs write before text.
pub const MARK: &[u8] = b"\xef\xbb\xbf";

/// The error of a NUL byte.
pub fn nul() -> Box<Error> {
    Error::statement(Kind::Format, "NUL byte in a text file")
        .hint("is this a binary file, or text in UTF-16 or UTF-32? Save it as UTF-8")
}

/// The length of the byte-order mark at the beginning of a text; those of other encodings are errors.
pub fn byte_order_mark(head: &[u8]) -> Result<usize> {
    let encoding = match head {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => "UTF-32",
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "UTF-16",
        _ if head.starts_with(MARK) => return Ok(MARK.len()),
        _ => return Ok(0),
    };
    let found = format!("the file starts with a {encoding} byte-order mark");
    Err(Error::statement(Kind::Format, found).hint("save the file as UTF-8"))
}

/// The error for an archive with these first bytes.
pub fn archive(head: &[u8]) -> Option<Box<Error>> {
    let contains = |name: &[u8]| head.windows(name.len()).any(|bytes| bytes == name);
    let (found, hint) = match head {
        [b'P', b'K', 3, 4, ..] if contains(b"xl/") || contains(b"[Content_Types].xml") => {
            ("an Excel workbook, not text", "save the sheet as CSV")
        }
        [b'P', b'K', 3 | 5, 4 | 6, ..] => {
            ("a zip archive, not judgments or a run", "extract it, and name the file in it: unzip FILE")
        }
        [b'7', b'z', 0xbc, 0xaf, ..] => {
            ("a 7z archive, not judgments or a run", "extract it, and name the file in it: 7z x FILE")
        }
        [b'S', b'Q', b'L', b'i', b't', b'e', b' ', ..] => {
            ("an SQLite database, not text", "pass a cursor: gainful.Qrels(connection.execute('select ...'))")
        }
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => {
            ("an array of NumPy, not text", "load it with numpy.load, and pass {query: [document, ...]}")
        }
        [0x80, 2..=5, ..] => {
            ("a pickle of Python, not text", "load it with pickle.load, and pass the object")
        }
        [b']', 0, 0, ..] => ("an .lzma file", "decompress it: xz --decompress FILE"),
        _ if head.starts_with(b"version https://git-lfs") => {
            ("a pointer of Git LFS, not the file itself", "git lfs pull")
        }
        _ if head.get(TAR..).is_some_and(|bytes| bytes.starts_with(b"ustar")) => {
            ("a tar archive, not judgments or a run", "extract it, and name the file in it: tar -xf FILE")
        }
        _ => return None,
    };
    Some(Error::statement(Kind::Format, found).hint(hint))
}

/// Where the header of a tar archive has the name of its format.
const TAR: usize = 257;

/// The error for data with these first bytes that contain a NUL byte. Columnar tables arrive here from named
/// pipes, whose content cannot be examined beforehand.
pub fn no_text(head: &[u8]) -> Box<Error> {
    if let Some(error) = archive(head) {
        return error;
    }
    let found = match head {
        [b'P', b'A', b'R', b'1', ..] => "cannot read Parquet from a pipe",
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] => "cannot read an Arrow file from a pipe",
        [0xff, 0xff, 0xff, 0xff, ..] => "cannot read an Arrow stream from a named pipe",
        _ => return nul(),
    };
    let hint = "name the file itself; standard input (-) takes Arrow streams, too";
    Error::statement(Kind::Format, found).hint(hint)
}
