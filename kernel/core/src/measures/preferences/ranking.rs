//! Counts the preferences of a query from its ranking and judgments.

use super::group::{Contradiction, JudgedLevel};
use super::{Inconsistent, Preferences};
use crate::error::{Code, Error, Kind, Result, quoted};
use crate::known::Known;
use crate::measures::Documents;

impl Preferences {
    /// Counts the preferences of one query. With `keys`, those of its ranks, documents of equal keys
    /// are put in order of their ids.
    pub fn ranked(documents: &Documents<'_>, keys: Option<&[f64]>) -> Result<Self> {
        let places = JudgedPlaces::new(documents, keys);
        let place = |row: usize| *places.of_row.known(row);
        let labels = &documents.labels;
        let mut judged: Vec<JudgedLevel<'_>> = if labels.names.is_empty() {
            let levels = documents.raw.iter().enumerate();
            levels
                .map(|(row, &level)| JudgedLevel { group: b"", subgroup: b"", place: place(row), level })
                .collect()
        } else {
            let names: Vec<_> = labels.names.iter().map(|span| parts(span.of(documents.ids.arena))).collect();
            let entries = labels.entries.iter();
            entries
                .map(|entry| {
                    let (group, subgroup) = *names.known(entry.label as usize);
                    JudgedLevel { group, subgroup, place: place(entry.document as usize), level: entry.raw }
                })
                .collect()
        };
        Self::new(&mut judged, places.retrieved).map_err(|inconsistent| {
            let row = |place: u32| places.of_row.iter().position(|&own| own == place);
            refused(inconsistent, |place| row(place).map_or(&[][..], |row| documents.ids.get(row)))
        })
    }
}

/// Splits a label into group and subgroup at a space; a label of one word is an undivided group.
fn parts(label: &[u8]) -> (&[u8], &[u8]) {
    match label.iter().position(|&byte| byte == b' ') {
        Some(at) => (label.known(..at), label.known(at + 1..)),
        None => (label, b""),
    }
}

/// The places of the judged documents: those in the ranking in its order, then the others by id.
struct JudgedPlaces {
    /// By row of the judgments. Rows of one document share its place.
    of_row: Vec<u32>,
    retrieved: u32,
}

impl JudgedPlaces {
    fn new(documents: &Documents<'_>, keys: Option<&[f64]>) -> Self {
        // Documents are numbered in order of their ids.
        let mut rows: Vec<usize> = (0..documents.ids.len()).collect();
        rows.sort_by(|&a, &b| documents.ids.compare(a, b));
        let same = |a: &usize, b: &usize| documents.ids.get(*a) == documents.ids.get(*b);
        let mut number = vec![0; rows.len()];
        let mut count = 0;
        for alike in rows.chunk_by(same) {
            for &row in alike {
                *number.known_mut(row) = count;
            }
            count += 1;
        }
        let mut open = vec![true; count];
        let mut order = Vec::with_capacity(count);
        let mut tied = Vec::new();
        for (rank, &judgment) in documents.judgments.iter().enumerate() {
            let row = (judgment as usize).checked_sub(1);
            let Some(&document) = row.and_then(|row| number.get(row)) else { continue };
            // A document that was returned twice counts at its first rank.
            if open.get_mut(document).is_some_and(std::mem::take) {
                order.push(document);
                tied.push(keys.and_then(|keys| keys.get(rank)));
            }
        }
        let mut retrieved = 0;
        for run in tied.chunk_by(|a, b| a.is_some() && a == b) {
            let end = retrieved + run.len();
            order.known_mut(retrieved..end).sort_unstable();
            retrieved = end;
        }
        order.extend((0..count).filter(|&document| open.get(document) == Some(&true)));
        let mut place = vec![0; count];
        for (own, document) in (0..).zip(order) {
            *place.known_mut(document) = own;
        }
        let of_row = number.iter().filter_map(|&document| place.get(document).copied()).collect();
        Self { of_row, retrieved: u32::try_from(retrieved).unwrap_or(u32::MAX) }
    }
}

#[cold]
fn refused<'a>(inconsistent: Inconsistent<'_>, id: impl Fn(u32) -> &'a [u8]) -> Box<Error> {
    let Inconsistent { group, contradiction } = inconsistent;
    let group = if group.is_empty() { String::new() } else { format!(" in group {}", quoted(group)) };
    let (code, found, place) = match contradiction {
        Contradiction::TwoLevels(place) => {
            (Some(Code::TwoLevels), format!("a subgroup assigns two levels to the document{group}"), place)
        }
        Contradiction::TwoRelevances(place) => {
            (Some(Code::TwoRelevances), format!("the document has level 0 and a level above 0{group}"), place)
        }
        Contradiction::Mutual(place, other) => (
            None,
            format!("the document is preferred to {0}, and {0} to the document{group}", quoted(id(other))),
            place,
        ),
    };
    let error = Error::statement(Kind::Grade, found)
        .document(id(place))
        .hint("put annotators who disagree into different groups");
    match code {
        Some(code) => error.code(code),
        None => error,
    }
}
