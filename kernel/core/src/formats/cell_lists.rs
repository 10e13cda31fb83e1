//! Splits text with several documents, such as a cell of a table.

use super::numerals::shown;
use super::recent::parse;
use crate::error::{Error, Kind, Result};
use crate::roles::Value;

/// Texts of missing values, as pandas, NumPy, Python, databases and spreadsheets print them.
const MISSING: [&[u8]; 11] =
    [b"nan", b"NaN", b"None", b"null", b"NULL", b"\\N", b"<NA>", b"NaT", b"NA", b"N/A", b"#N/A"];

/// Whether a cell says that there is no value.
pub(super) fn is_missing(cell: &[u8]) -> bool {
    MISSING.contains(&cell.trim_ascii())
}

/// The documents in a text: a list in JSON, or as Python and NumPy print it; ids between `|`, `;` or `,`; ids
/// between spaces, if the caller says that the column has lists or every word has a digit.
pub(super) fn split_cell(text: &[u8], named: bool) -> Result<Value> {
    let text = text.trim_ascii();
    let wrong = || {
        Error::new(Kind::Format, shown(&Value::Text(text.to_vec())), "ids of documents")
            .hint("write a list in JSON, or an empty list if no document is relevant")
    };
    let items = if matches!(text.first(), Some(b'[' | b'{' | b'(')) {
        match parse(text) {
            Ok(value) => return Ok(value),
            Err(_) => printed(text).ok_or_else(wrong)?,
        }
    } else {
        let mark = [b'|', b';', b','].into_iter().find(|mark| text.contains(mark));
        let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let has_digit = |word: &[u8]| word.iter().any(u8::is_ascii_digit);
        let spaces = mark.is_none() && (named || words.all(has_digit));
        let parts = text.split(|&byte| Some(byte) == mark || spaces && byte.is_ascii_whitespace());
        parts.map(<[u8]>::trim_ascii).filter(|part| !part.is_empty()).map(<[u8]>::to_vec).collect()
    };
    if items.iter().any(|item: &Vec<u8>| is_missing(item)) {
        return Err(wrong());
    }
    Ok(Value::List(items.into_iter().map(Value::Text).collect()))
}

/// The elements of a list as Python prints it (`['a', "b"]`, `(1,)`), or NumPy (`['a' 'b']`).
fn printed(text: &[u8]) -> Option<Vec<Vec<u8>>> {
    let inside = match (text.first()?, text.last()?) {
        (b'[', b']') | (b'(', b')') | (b'{', b'}') => text.get(1..text.len().checked_sub(1)?)?,
        _ => return None,
    };
    let mut items = Vec::new();
    let mut rest = inside.trim_ascii();
    while let Some(&first) = rest.first() {
        let mut item = Vec::new();
        let end = if matches!(first, b'\'' | b'"') {
            let mut place = 1;
            loop {
                match *rest.get(place)? {
                    byte if byte == first => break place + 1,
                    b'\\' => {
                        item.push(match *rest.get(place + 1)? {
                            b'n' => b'\n',
                            b't' => b'\t',
                            byte @ (b'\\' | b'\'' | b'"') => byte,
                            _ => return None,
                        });
                        place += 2;
                    }
                    byte => {
                        item.push(byte);
                        place += 1;
                    }
                }
            }
        } else {
            let end = rest.iter().position(|byte| *byte == b',' || byte.is_ascii_whitespace());
            let end = end.unwrap_or(rest.len());
            item.extend_from_slice(rest.get(..end)?);
            let plain = item.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
            // Words without quotes and `...` are not what Python prints of texts.
            if !plain {
                return None;
            }
            end
        };
        items.push(item);
        rest = rest.get(end..)?.trim_ascii_start();
        rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
    }
    Some(items)
}
