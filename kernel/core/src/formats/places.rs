//! Composes the ids of places from the cells with their offsets.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::numerals::shown;
use crate::error::{Error, Kind, Result, quoted};
use crate::read::number::{LARGEST_GRADE, float};
use crate::roles::{Offsets, Value};

use crate::spans::{SpanPlace, Unit, is_span};

/// The offsets of a row; none in a row without a place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Cells {
    pub start: Option<u64>,
    pub end: Option<u64>,
    pub tokens: Option<u64>,
}

/// Composes the ids of a table, of which all rows have offsets or none.
#[derive(Debug, Clone)]
pub struct Composer {
    offsets: Offsets,
    /// Of lists: the path of the objects, for messages.
    inside: String,
    /// Shared by the parts of a table: `PLACED` or `WHOLE` after the first row.
    rows: Arc<AtomicU8>,
}

const PLACED: u8 = 1;
const WHOLE: u8 = 2;

impl Composer {
    #[must_use]
    pub fn new(offsets: Offsets, inside: &str) -> Self {
        Self { offsets, inside: inside.to_owned(), rows: Arc::default() }
    }

    #[must_use]
    pub fn offsets(&self) -> &Offsets {
        &self.offsets
    }

    /// The offset in a cell of text; none if it is empty.
    pub fn text(&self, name: &str, cell: &[u8]) -> Result<Option<u64>> {
        let cell = cell.trim_ascii();
        if cell.is_empty() {
            return Ok(None);
        }
        if cell.len() < 20 && cell.iter().all(u8::is_ascii_digit) {
            return Ok(Some(cell.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))));
        }
        // Data frames write integers with missing values as floats.
        match float(cell).and_then(whole) {
            Some(number) => Ok(Some(number)),
            None => Err(self.no_offset(name, &quoted(cell))),
        }
    }

    /// The offset in a value; none if it is null.
    pub fn value(&self, name: &str, value: &Value) -> Result<Option<u64>> {
        match value {
            Value::Null => Ok(None),
            Value::Whole(number) => self.integer(name, *number),
            Value::Float(number) => self.number(name, *number),
            Value::Text(text) => self.text(name, text),
            other => Err(self.no_offset(name, &shown(other))),
        }
    }

    /// The end of a place, or that of a text which begins at its start.
    pub fn end(&self, start: Option<u64>, value: &Value) -> Result<Option<u64>> {
        let name = &self.offsets.end;
        if !self.offsets.ends_with_text {
            return self.value(name, value);
        }
        let (Some(start), Value::Text(text)) = (start, value) else { return Ok(None) };
        // The first byte of each character.
        let length = text.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u64;
        start.checked_add(length).map(Some).ok_or_else(|| self.no_offset(name, &start.to_string()))
    }

    /// The offset in a cell with an integer.
    pub fn integer(&self, name: &str, number: i128) -> Result<Option<u64>> {
        u64::try_from(number).map(Some).map_err(|_| self.no_offset(name, &number.to_string()))
    }

    /// The offset in a cell with a float; none if it is NaN.
    pub fn number(&self, name: &str, number: f64) -> Result<Option<u64>> {
        if number.is_nan() {
            return Ok(None);
        }
        whole(number).map(Some).ok_or_else(|| self.no_offset(name, &number.to_string()))
    }

    /// The error for another cell.
    #[cold]
    #[must_use]
    pub fn no_offset(&self, name: &str, found: &str) -> Box<Error> {
        let found = format!("{found} in {}", quoted(format!("{}{name}", self.inside).as_bytes()));
        Error::new(Kind::Format, found, "an offset (a whole number of 0 or more)")
            .hint("if these are times or pages, ⟪ignore_offsets=True⟫ ignores them")
    }

    /// Writes the id of a row's place, or the document's if the row has no offsets.
    #[inline]
    pub fn compose(&self, document: &[u8], cells: Cells, id: &mut Vec<u8>) -> Result<()> {
        let (Some(start), Some(end)) = (cells.start, cells.end) else {
            return self.whole_document(document, cells, id);
        };
        let counting = self.offsets.counting;
        let from = if counting.inclusive { start.wrapping_sub(1) } else { start };
        if end < start || from == end && counting.unit == Unit::Line || start == 0 && counting.inclusive {
            return Err(self.no_interval(start, end));
        }
        self.see(PLACED)?;
        let place = SpanPlace { document, unit: counting.unit, start: from, end, tokens: cells.tokens };
        place.write(id);
        Ok(())
    }

    #[cold]
    fn whole_document(&self, document: &[u8], cells: Cells, id: &mut Vec<u8>) -> Result<()> {
        let Offsets { start, end, .. } = &self.offsets;
        let lacking = match (cells.start, cells.end) {
            (Some(_), _) => Some((start, end)),
            (_, Some(_)) => Some((end, start)),
            _ => None,
        };
        if let Some((given, missing)) = lacking {
            let found = format!("{} without {}", quoted(given.as_bytes()), quoted(missing.as_bytes()));
            return Err(Error::new(Kind::Format, found, "both or neither"));
        }
        self.see(if is_span(document) { PLACED } else { WHOLE })?;
        id.extend_from_slice(document);
        Ok(())
    }

    /// Refuses rows without offsets next to others.
    #[inline]
    fn see(&self, row: u8) -> Result<()> {
        let rows = self.rows.load(Ordering::Relaxed);
        if rows == row {
            return Ok(());
        }
        match self.rows.compare_exchange(0, row, Ordering::Relaxed, Ordering::Relaxed) {
            Err(other) if other != row => {
                Err(Error::statement(Kind::Format, "some rows have offsets, and others have none")
                    .hint("a whole document is the interval from 0 to its length; ⟪ignore_offsets=True⟫ reads documents"))
            }
            _ => Ok(()),
        }
    }

    #[cold]
    fn no_interval(&self, start: u64, end: u64) -> Box<Error> {
        let counting = self.offsets.counting;
        let error = |found: String| Error::statement(Kind::Format, found);
        if end < start {
            let [first, last] = counting.words();
            return error(format!("the {} {end} is before the {} {start}", spaced(last), spaced(first)));
        }
        if counting.inclusive {
            let hint = format!(
                "⟪columns='start_line={},end_line={}'⟫ reads lines from 0, without the last",
                self.offsets.start, self.offsets.end
            );
            return error("line 0, but the first line is 1".to_owned()).hint(hint);
        }
        error(format!("from line {start} to line {end} there is no line")).hint(format!(
            "⟪columns='first_line={}{},last_line={}{}'⟫ reads lines from 1, with the last",
            self.inside, self.offsets.start, self.inside, self.offsets.end
        ))
    }
}

fn spaced(word: &str) -> String {
    word.replace('_', " ")
}

/// A float that is a whole number of 0 or more.
fn whole(number: f64) -> Option<u64> {
    (number.fract() == 0.0 && (0.0..LARGEST_GRADE).contains(&number)).then_some(number as u64)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::spans::Counting;

    fn composer(tier: u8) -> Composer {
        let offsets = Offsets {
            start: "start".into(),
            end: "end".into(),
            ends_with_text: false,
            tokens: Some("tokens".into()),
            counting: Counting::of_tier(tier),
        };
        Composer::new(offsets, "hits[].")
    }

    fn composed(tier: u8, start: u64, end: u64) -> std::result::Result<String, String> {
        let mut id = Vec::new();
        let cells = Cells { start: Some(start), end: Some(end), tokens: None };
        let composed = composer(tier).compose(b"d", cells, &mut id);
        composed.map(|()| String::from_utf8(id).unwrap()).map_err(|error| error.found)
    }

    #[test]
    fn positions_become_half_open_from_0() {
        for (tier, start, end, id) in [
            (0, 0, 0, "d#char=0,0"),
            (0, 3, 9, "d#char=3,9"),
            (1, 3, 9, "d#token=3,9"),
            (2, 3, 9, "d#line=3,9"),
            (3, 3, 9, "d#line=2,9"),
            (3, 1, 1, "d#line=0,1"),
        ] {
            assert_eq!(composed(tier, start, end).as_deref(), Ok(id));
        }
        for (tier, start, end, found) in [
            (0, 3, 2, "the end 2 is before the start 3"),
            (2, 3, 3, "from line 3 to line 3 there is no line"),
            (3, 0, 3, "line 0, but the first line is 1"),
            (3, 3, 2, "the last line 2 is before the first line 3"),
        ] {
            assert_eq!(composed(tier, start, end), Err(found.to_owned()));
        }
    }

    #[test]
    fn cells_are_whole_numbers() {
        let composer = composer(0);
        for (cell, number) in [
            ("", None),
            (" 7 ", Some(7)),
            ("007", Some(7)),
            ("7.0", Some(7)),
            ("9007199254740993", Some(9_007_199_254_740_993)),
        ] {
            assert_eq!(composer.text("start", cell.as_bytes()).unwrap(), number);
        }
        for cell in ["7.5", "-1", "00:01:30", "2024-01-01", "p. 3", "1e300", "nan", "99999999999999999999"] {
            let error = composer.text("start", cell.as_bytes()).unwrap_err();
            assert_eq!(error.found, format!("'{cell}' in 'hits[].start'"));
            let hint = "if these are times or pages, ⟪ignore_offsets=True⟫ ignores them";
            assert_eq!(error.hint, hint);
        }
        assert_eq!(composer.number("end", 4.0).unwrap(), Some(4));
        assert_eq!(composer.number("end", f64::NAN).unwrap(), None);
        composer.number("end", 4.5).unwrap_err();
        composer.integer("end", -4).unwrap_err();
    }

    #[test]
    fn all_rows_have_offsets_or_none() {
        let (placed, whole) = (Cells { start: Some(0), end: Some(1), tokens: Some(2) }, Cells::default());
        let part = composer(0);
        let other = part.clone();
        let mut id = Vec::new();
        part.compose(b"d", placed, &mut id).unwrap();
        assert_eq!(id, b"d#char=0,1;tokens=2");
        other.compose(b"d", whole, &mut id).unwrap_err();
        other.compose(b"d#char=3,4", whole, &mut id).unwrap();
        let half = composer(0).compose(b"d", Cells { end: None, ..placed }, &mut id).unwrap_err();
        assert_eq!(half.found, "'start' without 'end'");
    }
}
