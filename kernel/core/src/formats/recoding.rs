//! Recodes what rows say: ids by patterns, and labels to grades.

use std::sync::Arc;

use regex_lite::Regex;

use super::cell_lists::is_missing;
use super::numerals;
use crate::error::{Error, Kind, Result, quoted};
use crate::read::number;
use crate::read::trec::TableKind;
use crate::spans::document_of;

/// What the caller says about ids and labels; by default nothing.
#[derive(Debug, Clone, Default)]
pub struct Recoding(Option<Arc<Rules>>);

#[derive(Debug)]
struct Rules {
    query: Option<Regex>,
    document: Option<Regex>,
    /// Labels in lower case; empty if values are numbers.
    grades: Vec<(String, f64)>,
    /// Whether a place in a document is read as the document.
    ignores_offsets: bool,
}

impl Recoding {
    /// Patterns of ids, whose group is the id, labels with their grades, and whether places are documents.
    pub fn new(
        query: Option<&str>,
        document: Option<&str>,
        grades: &[(String, f64)],
        ignores_offsets: bool,
    ) -> Result<Self> {
        let grades: Vec<_> = grades.iter().map(|(label, grade)| (folded(label), *grade)).collect();
        for (place, (label, _)) in grades.iter().enumerate() {
            if grades.iter().take(place).any(|(other, _)| other == label) {
                let found = format!("two grades for the label {}", quoted(label.as_bytes()));
                return Err(Error::statement(Kind::Parameter, found));
            }
        }
        let rules = Rules {
            query: query.map(pattern).transpose()?,
            document: document.map(pattern).transpose()?,
            grades,
            ignores_offsets,
        };
        Ok(Self(Some(Arc::new(rules))))
    }

    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Whether queries have a pattern.
    #[must_use]
    pub fn has_queries(&self) -> bool {
        self.0.as_ref().is_some_and(|rules| rules.query.is_some())
    }

    /// Whether the ids of documents are recoded.
    #[must_use]
    pub fn has_documents(&self) -> bool {
        self.0.as_ref().is_some_and(|rules| rules.document.is_some() || rules.ignores_offsets)
    }

    /// Whether a place in a document is read as the document.
    #[must_use]
    pub fn ignores_offsets(&self) -> bool {
        self.0.as_ref().is_some_and(|rules| rules.ignores_offsets)
    }

    /// Whether grades have labels.
    #[must_use]
    pub fn has_labels(&self) -> bool {
        self.grades(TableKind::Qrels).is_some()
    }

    /// The id of a query.
    #[inline]
    pub fn query<'a>(&self, id: &'a [u8]) -> Result<&'a [u8]> {
        match &self.0 {
            None => Ok(id),
            Some(rules) => matched(rules.query.as_ref(), id, "query"),
        }
    }

    /// The id of a document.
    #[inline]
    pub fn document<'a>(&self, id: &'a [u8]) -> Result<&'a [u8]> {
        match &self.0 {
            None => Ok(id),
            Some(rules) => {
                let id = matched(rules.document.as_ref(), id, "document")?;
                Ok(if rules.ignores_offsets { document_of(id) } else { id })
            }
        }
    }

    /// A grade or score in text.
    #[inline]
    pub fn text(&self, text: &[u8], table: TableKind) -> Result<f64> {
        match self.grades(table) {
            Some(grades) if !text.trim_ascii().is_empty() => graded(grades, text),
            _ => numerals::value(text, table),
        }
    }

    /// A grade or score that is an integer.
    #[inline]
    pub fn whole(&self, integer: i128, table: TableKind) -> Result<f64> {
        match self.grades(table) {
            Some(grades) => graded(grades, integer.to_string().as_bytes()),
            None => numerals::whole(integer, table),
        }
    }

    /// A grade or score that is a float.
    #[inline]
    pub fn float(&self, value: f64, table: TableKind) -> Result<f64> {
        match self.grades(table) {
            Some(grades) => graded(grades, numerals::written(value).as_bytes()),
            None => numerals::checked(value, table),
        }
    }

    /// A grade that is a Boolean. Scores are numbers.
    pub fn truth(&self, value: bool, table: TableKind) -> Result<f64> {
        let text = if value { "true" } else { "false" };
        match (table, self.grades(table)) {
            (TableKind::Run, _) => Err(Error::new(Kind::Format, text, "a number")),
            (_, Some(grades)) => graded(grades, text.as_bytes()),
            (_, None) => Ok(f64::from(u8::from(value))),
        }
    }

    /// The labels of judgments, if grades have labels.
    fn grades(&self, table: TableKind) -> Option<&[(String, f64)]> {
        let rules = self.0.as_ref().filter(|rules| table == TableKind::Qrels && !rules.grades.is_empty())?;
        Some(&rules.grades)
    }
}

fn pattern(text: &str) -> Result<Regex> {
    let refused =
        |found: String| Error::new(Kind::Parameter, found, "a regular expression with one group, the id");
    let regex = Regex::new(text)
        .map_err(|error| refused(format!("the pattern {} ({error})", quoted(text.as_bytes()))))?;
    match regex.captures_len() - 1 {
        1 => Ok(regex),
        count => Err(refused(format!("the pattern {} with {count} groups", quoted(text.as_bytes())))
            .hint("write a further group as (?:…)")),
    }
}

/// The part of an id that a pattern says is the id.
fn matched<'a>(pattern: Option<&Regex>, id: &'a [u8], what: &str) -> Result<&'a [u8]> {
    let Some(pattern) = pattern else { return Ok(id) };
    let group = std::str::from_utf8(id).ok().and_then(|id| pattern.captures(id)?.get(1));
    group.map(|group| group.as_str().as_bytes()).filter(|group| !group.is_empty()).ok_or_else(|| {
        let expected = format!("one that {} matches", quoted(pattern.as_str().as_bytes()));
        Error::new(Kind::Format, format!("the {what} id {}", quoted(id)), expected)
            .hint("the pattern applies to all ids; ^([^#]+) matches with and without a part after #")
    })
}

fn graded(grades: &[(String, f64)], label: &[u8]) -> Result<f64> {
    let word = folded(&String::from_utf8_lossy(label));
    grades.iter().find(|(known, _)| *known == word).map(|(_, grade)| *grade).ok_or_else(|| {
        let known: Vec<&str> = grades.iter().map(|(known, _)| known.as_str()).collect();
        Error::new(Kind::Format, format!("the label {}", quoted(label.trim_ascii())), known.join(", ")).hint(
            format!(
                "add {}=N to the labels, with a number for N",
                closed(&String::from_utf8_lossy(label.trim_ascii()), &[',', '='])
            ),
        )
    })
}

/// The hint for labels without grades in a field, which may have no name. Empty if all are numbers.
#[cold]
pub fn labels_hint<'a>(field: &str, labels: impl Iterator<Item = &'a [u8]>) -> String {
    const MOST: usize = 8;
    let mut known: Vec<String> = Vec::new();
    let mut missing = false;
    for label in labels.map(|label| String::from_utf8_lossy(label.trim_ascii()).into_owned()) {
        missing |= is_missing(label.as_bytes());
        let is_label =
            !label.is_empty() && !is_missing(label.as_bytes()) && number::float(label.as_bytes()).is_none();
        if is_label && known.len() < MOST && !known.iter().any(|other| folded(other) == folded(&label)) {
            known.push(label);
        }
    }
    if known.is_empty() {
        let hint =
            if missing { "this is a missing value: remove rows without a grade, or write one" } else { "" };
        return hint.to_owned();
    }
    let known: Vec<String> = known.iter().map(|label| format!("{}=N", closed(label, &[',', '=']))).collect();
    let field = closed(field, &[',', ':']);
    format!("give each label a number: ⟪columns='grade={field}:{}'⟫", known.join(","))
}

/// A name in quotes if it has one of these marks.
fn closed(name: &str, marks: &[char]) -> String {
    if name.contains(marks) { format!("\"{name}\"") } else { name.to_owned() }
}

fn folded(label: &str) -> String {
    label.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_compared_without_case_and_spaces() {
        let grades = [(" Exact".to_owned(), 3.0), ("2".to_owned(), 1.0), ("TRUE".to_owned(), 5.0)];
        let recoding = Recoding::new(None, None, &grades, false).unwrap();
        assert_eq!(recoding.text(b"exact ", TableKind::Qrels).unwrap(), 3.0);
        assert_eq!(recoding.whole(2, TableKind::Qrels).unwrap(), 1.0);
        assert_eq!(recoding.float(2.0, TableKind::Qrels).unwrap(), 1.0);
        assert_eq!(recoding.truth(true, TableKind::Qrels).unwrap(), 5.0);
        assert_eq!(recoding.text(b"2", TableKind::Run).unwrap(), 2.0);
        for refused in [&b"3"[..], b"exactly", b""] {
            assert!(recoding.text(refused, TableKind::Qrels).is_err());
        }
    }

    #[test]
    fn the_group_of_a_pattern_is_the_id() {
        let recoding = Recoding::new(None, Some("^(.+)#"), &[], false).unwrap();
        assert_eq!(recoding.document(b"a#b#1").unwrap(), b"a#b");
        assert_eq!(recoding.query(b"a#1").unwrap(), b"a#1");
        for refused in [&b"a"[..], b"#1", b"\xff#1"] {
            assert!(recoding.document(refused).is_err());
        }
        for refused in ["^.+#", "(a)(b)", "(", "(?=a)(b)"] {
            assert!(Recoding::new(Some(refused), None, &[], false).is_err());
        }
    }
}
