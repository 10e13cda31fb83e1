//! Checks and formats numbers.

use crate::error::{Error, Kind, Result, quoted};
use crate::read::number::{self, LARGEST_GRADE};
use crate::read::trec::TableKind;
use crate::roles::Value;

/// Parses a grade or score; ignores surrounding white space.
pub(super) fn value(text: &[u8], table: TableKind) -> Result<f64> {
    match table {
        TableKind::Qrels => number::grade(text.trim_ascii()),
        TableKind::Run => number::score(text.trim_ascii()),
    }
}

/// Checks a grade or score that is an integer.
pub(super) fn whole(integer: i128, table: TableKind) -> Result<f64> {
    let float = integer as f64;
    if float.abs() < LARGEST_GRADE { Ok(float) } else { value(integer.to_string().as_bytes(), table) }
}

/// Checks a grade or score that is already a number.
pub(super) fn checked(value: f64, table: TableKind) -> Result<f64> {
    let (good, expected) = match table {
        TableKind::Qrels => (value.abs() <= LARGEST_GRADE, "a grade (a finite number within ±2^53)"),
        TableKind::Run => (value.is_finite(), "a score (a finite number)"),
    };
    if good { Ok(value) } else { Err(Error::new(Kind::Format, written(value), expected)) }
}

/// Checks a grade in a column that has the name of scores.
pub(crate) fn only_whole(value: f64, name: &str) -> Result<f64> {
    if value.fract() == 0.0 {
        return Ok(value);
    }
    let found = format!("{} in {}", written(value), quoted(name.as_bytes()));
    Err(Error::new(Kind::Format, found, "a whole number, since scores are no grades")
        .hint(format!("if these are grades: ⟪columns='grade={name}'⟫")))
}

/// The shortest text that reads back as the same number.
pub(super) fn written(value: f64) -> String {
    if value.trunc() == value && value.abs() < 1e15 { format!("{value}") } else { format!("{value:?}") }
}

/// A value in messages.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Whole(number) => format!("the number {number}"),
        Value::Float(number) => format!("the number {}", written(*number)),
        Value::Text(text) => format!("the text {}", quoted(text)),
        Value::List(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".into(),
    }
}

/// Whether a number is a time from 1980 to 2120, in seconds, milliseconds or microseconds since 1970.
pub(super) fn is_timestamp(value: f64) -> bool {
    const FIRST: f64 = 315_532_800.0;
    const LAST: f64 = 4_733_510_400.0;
    [1.0, 1e3, 1e6].iter().any(|scale| (FIRST * scale..LAST * scale).contains(&value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numerals_parse_to_the_same_number() {
        for (value, text) in [
            (2.0, "2"),
            (-0.0, "-0"),
            (0.1, "0.1"),
            (1e300, "1e300"),
            (5e-324, "5e-324"),
            (-17.25, "-17.25"),
            (1.0 / 3.0, "0.3333333333333333"),
        ] {
            assert_eq!(written(value), text);
            assert_eq!(number::float(text.as_bytes()).unwrap().to_bits(), value.to_bits());
        }
    }
}
