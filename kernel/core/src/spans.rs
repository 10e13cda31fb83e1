//! Places in texts, written as document ids: `DOCUMENT#char=START,END`, as fragments of plain text in RFC 5147.
//!
//! Positions are between characters, tokens or lines, from 0, so that the end is not part of the place. Readers
//! compose these ids from columns; the measures of spans parse them. All that is between them sees ids.

use crate::error::{Error, Kind, Result, quoted};
use crate::known::Known;
use crate::read::number::{LARGEST_GRADE, decimal, float};

/// What the positions of a place count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Code points.
    Character,
    Token,
    Line,
}

impl Unit {
    pub const ALL: [Self; 3] = [Self::Character, Self::Token, Self::Line];

    /// The scheme of the fragment.
    #[must_use]
    pub fn scheme(self) -> &'static str {
        match self {
            Self::Character => "char",
            Self::Token => "token",
            Self::Line => "line",
        }
    }

    /// The word for several of them.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Self::Character => "characters",
            Self::Token => "tokens",
            Self::Line => "lines",
        }
    }
}

/// How the positions of a source count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counting {
    pub unit: Unit,
    /// From 1, and the last one is part of the place.
    pub inclusive: bool,
}

impl Counting {
    /// By the tier of the names of starts and ends.
    #[must_use]
    pub fn of_tier(tier: u8) -> Self {
        let unit = match tier {
            0 => Unit::Character,
            1 => Unit::Token,
            _ => Unit::Line,
        };
        Self { unit, inclusive: tier > 2 }
    }

    /// By the word of starts or ends.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        (0..4).map(Self::of_tier).find(|counting| counting.words().contains(&word))
    }

    /// The words of starts and ends that count so.
    #[must_use]
    pub fn words(self) -> [&'static str; 2] {
        match (self.unit, self.inclusive) {
            (Unit::Character, _) => ["start", "end"],
            (Unit::Token, _) => ["start_token", "end_token"],
            (Unit::Line, false) => ["start_line", "end_line"],
            (Unit::Line, true) => ["first_line", "last_line"],
        }
    }
}

/// A half-open interval of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanPlace<'a> {
    pub document: &'a [u8],
    pub unit: Unit,
    pub start: u64,
    pub end: u64,
    /// The number of tokens of the text, for budgets in tokens.
    pub tokens: Option<u64>,
}

/// The document of an id, its unit, and the rest behind the `=`.
fn parts(id: &[u8]) -> Option<(&[u8], Unit, &[u8])> {
    let (document, fragment) = id.split_at_checked(memchr::memrchr(b'#', id)?)?;
    Unit::ALL.into_iter().find_map(|unit| {
        let rest = fragment.get(1..)?.strip_prefix(unit.scheme().as_bytes())?.strip_prefix(b"=")?;
        Some((document, unit, rest))
    })
}

/// Whether an id is written as a place, valid or not.
#[must_use]
pub fn is_span(id: &[u8]) -> bool {
    parts(id).is_some()
}

/// The document of a place, and other ids as they are.
#[must_use]
pub fn document_of(id: &[u8]) -> &[u8] {
    parts(id).map_or(id, |(document, ..)| document)
}

impl SpanPlace<'_> {
    /// Parses an id; `None` without the notation of places.
    pub fn parse(id: &[u8]) -> Result<Option<SpanPlace<'_>>> {
        let Some((document, unit, rest)) = parts(id) else { return Ok(None) };
        let place =
            interval(rest).map(|(start, end, tokens)| SpanPlace { document, unit, start, end, tokens });
        match place {
            Some(place) if place.start <= place.end && !document.is_empty() => Ok(Some(place)),
            Some(place) if !document.is_empty() => Err(place.reversed()),
            _ => {
                let expected = format!("DOCUMENT#{}=START,END with whole numbers", unit.scheme());
                Err(Error::new(Kind::Format, format!("the document {}", quoted(id)), expected))
            }
        }
    }

    #[cold]
    fn reversed(&self) -> Box<Error> {
        let found = format!("the end {} is before the start {}", self.end, self.start);
        Error::statement(Kind::Format, found)
    }

    /// Appends the id.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.document);
        out.push(b'#');
        out.extend_from_slice(self.unit.scheme().as_bytes());
        let mut number = |before: &[u8], number: u64| {
            let digits = &mut [0; 20];
            let start = decimal(number, false, digits);
            out.extend_from_slice(before);
            out.extend_from_slice(digits.known(start..));
        };
        number(b"=", self.start);
        number(b",", self.end);
        if let Some(tokens) = self.tokens {
            number(b";tokens=", tokens);
        }
    }
}

/// The numbers of `START,END` and `START,END;tokens=N`.
fn interval(text: &[u8]) -> Option<(u64, u64, Option<u64>)> {
    let (start, text) = digits(text)?;
    let (end, text) = digits(text.strip_prefix(b",")?)?;
    if text.is_empty() {
        return Some((start, end, None));
    }
    let (tokens, rest) = digits(text.strip_prefix(b";tokens=")?)?;
    rest.is_empty().then_some((start, end, Some(tokens)))
}

/// The number at the beginning, and what follows it.
fn digits(text: &[u8]) -> Option<(u64, &[u8])> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(length)?;
    let number = digits
        .iter()
        .try_fold(0u64, |number, digit| number.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
    Some((number.filter(|_| length > 0)?, rest))
}

const WEIGHT: &[u8] = b";weight=";

/// The group of a label `GROUP;weight=W`, and its weight, which is 1 if it is not written.
pub fn weight_of(label: &[u8]) -> Result<(&[u8], f64)> {
    let Some(place) = memchr::memmem::rfind(label, WEIGHT) else { return Ok((label, 1.0)) };
    let (group, rest) = (label.known(..place), label.known(place + WEIGHT.len()..));
    match float(rest) {
        Some(weight) if is_weight(weight) => Ok((group, weight)),
        _ => Err(bad_weight(&quoted(rest))),
    }
}

/// Refuses two weights of a group among the different labels of a query.
pub fn check_weights<'a>(labels: impl Iterator<Item = &'a [u8]> + Clone) -> Result<()> {
    if !labels.clone().any(|label| memchr::memmem::find(label, WEIGHT).is_some()) {
        return Ok(());
    }
    let mut groups = Vec::new();
    for label in labels {
        groups.push(weight_of(label)?);
    }
    groups.sort_by_key(|(group, _)| *group);
    for pair in groups.windows(2) {
        if let [(group, one), (other, two)] = pair
            && group == other
        {
            let found = format!("the group {} has the weights {one} and {two}", quoted(group));
            return Err(Error::new(Kind::Format, found, "the same weight in all rows of a group"));
        }
    }
    Ok(())
}

/// Appends the label of a group with its weight.
pub fn write_label(group: &[u8], weight: f64, out: &mut Vec<u8>) {
    out.extend_from_slice(group);
    // A group whose name ends like a weight keeps its name.
    if weight != 1.0 || memchr::memmem::find(group, WEIGHT).is_some() {
        out.extend_from_slice(WEIGHT);
        out.extend_from_slice(weight.to_string().as_bytes());
    }
}

/// Whether a number can be the weight of a group.
#[must_use]
pub fn is_weight(weight: f64) -> bool {
    (0.0..LARGEST_GRADE).contains(&weight)
}

/// The error for the weight of a group.
#[cold]
#[must_use]
pub fn bad_weight(found: &str) -> Box<Error> {
    Error::new(Kind::Format, format!("the weight {found}"), "a number from 0 up to 2^53")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn place(document: &str, unit: Unit, start: u64, end: u64, tokens: Option<u64>) -> SpanPlace<'_> {
        SpanPlace { document: document.as_bytes(), unit, start, end, tokens }
    }

    #[test]
    fn places_read_back_as_they_were_written() {
        let documents =
            ["d", "a#b", "#", "d#char=1,2", "d#char=x", "über ⟪#⟫", "日本\u{301}", "x\u{1f600};tokens=3"];
        for document in documents {
            for unit in Unit::ALL {
                for (start, end) in [(0, 0), (0, 400), (7, u64::MAX), (u64::MAX, u64::MAX)] {
                    for tokens in [None, Some(0), Some(91), Some(u64::MAX)] {
                        let place = place(document, unit, start, end, tokens);
                        let mut id = Vec::new();
                        place.write(&mut id);
                        assert!(is_span(&id));
                        assert_eq!(SpanPlace::parse(&id).unwrap(), Some(place));
                    }
                }
            }
        }
    }

    #[test]
    fn a_place_is_written_as_a_fragment() {
        for (place, expected) in [
            (place("doc", Unit::Character, 0, 400, None), "doc#char=0,400"),
            (place("doc", Unit::Token, 3, 4, None), "doc#token=3,4"),
            (place("a#b", Unit::Line, 1, 9, Some(70)), "a#b#line=1,9;tokens=70"),
        ] {
            let mut id = Vec::new();
            place.write(&mut id);
            assert_eq!(String::from_utf8(id).unwrap(), expected);
        }
    }

    #[test]
    fn other_ids_are_no_places() {
        for id in
            ["", "d", "#", "d#", "d#char", "d#chars=1,2", "d#char=1,2#", "d#5", "char=1,2", "d#Char=1,2"]
        {
            assert!(!is_span(id.as_bytes()), "{id}");
            assert_eq!(SpanPlace::parse(id.as_bytes()).unwrap(), None, "{id}");
        }
    }

    #[test]
    fn damaged_places_are_refused() {
        for id in [
            "d#char=",
            "d#char=1",
            "d#char=,2",
            "d#char=1,",
            "d#char=-1,2",
            "d#char=+1,2",
            "d#char=1.5,2",
            "d#char=1, 2",
            "d#char=a,b",
            "d#char=1,2,3",
            "d#char=1,2;tokens",
            "d#char=1,2;tokens=",
            "d#char=1,2;tokens=3;",
            "d#char=0,18446744073709551616",
            "#char=1,2",
        ] {
            assert!(is_span(id.as_bytes()), "{id}");
            let error = SpanPlace::parse(id.as_bytes()).unwrap_err();
            assert_eq!(error.expected, "DOCUMENT#char=START,END with whole numbers", "{id}");
        }
        let error = SpanPlace::parse(b"d#token=5,4").unwrap_err();
        assert_eq!(error.found, "the end 4 is before the start 5");
    }

    #[test]
    fn labels_have_weights() {
        for (group, weight, expected) in [
            ("g", 1.0, "g"),
            ("g", 0.5, "g;weight=0.5"),
            ("", 2.0, ";weight=2"),
            ("g", 0.0, "g;weight=0"),
            ("g", 1.0 / 3.0, "g;weight=0.3333333333333333"),
            ("g;weight=2", 1.0, "g;weight=2;weight=1"),
            ("ü;weight=x", 0.1, "ü;weight=x;weight=0.1"),
        ] {
            let mut label = Vec::new();
            write_label(group.as_bytes(), weight, &mut label);
            assert_eq!(String::from_utf8_lossy(&label), expected);
            assert_eq!(weight_of(&label).unwrap(), (group.as_bytes(), weight));
        }
        let check = |labels: &[&str]| {
            let labels: Vec<&[u8]> = labels.iter().map(|label| label.as_bytes()).collect();
            check_weights(labels.into_iter()).map_err(|error| error.found)
        };
        assert_eq!(check(&["b;weight=2", "a", "c;weight=0.5"]), Ok(()));
        let differ = Err("the group 'b' has the weights 2 and 1".to_owned());
        assert_eq!(check(&["b;weight=2", "a", "b"]), differ);
        for label in ["g;weight=", "g;weight=x", "g;weight=-1", "g;weight=inf", "g;weight=nan"] {
            assert_eq!(weight_of(label.as_bytes()).unwrap_err().expected, "a number from 0 up to 2^53");
        }
    }
}
