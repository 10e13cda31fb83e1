//! Refuses text that looks like judgments but is not: ratings with timestamps, and numbers with decimal commas.

use std::collections::HashMap;

use super::Request;
use super::columns::is_header;
use super::numerals::is_timestamp;
use super::records::Delimiter;
use super::sample::{Sample, is_iteration};
use crate::convention::Duplicates;
use crate::error::{Error, Kind, Result, quoted};
use crate::read::number::{decimal_comma, float};
use crate::read::trec::{Dialect, LabelFields, TableKind};

/// More distinct values than a scale of ratings has.
const SCALE: usize = 20;

/// Refuses an input that begins so if it would be misread without named columns.
pub(super) fn refuse(sample: &Sample<'_>, delimiter: Option<Delimiter>, request: &Request) -> Result<()> {
    let said = !request.columns.is_empty() || !request.named.is_empty() || request.header == Some(true);
    if said || request.dialect != Dialect::Gainful {
        return Ok(());
    }
    let (Some(delimiter), Some(first)) = (delimiter, sample.lines.first()) else { return Ok(()) };
    if first.len() < 8 && first.to_ascii_lowercase().starts_with(b"sep=") {
        let found = format!("{} is no row but an instruction to spreadsheet programs", quoted(first));
        return Err(Error::statement(Kind::Format, found).line(1).hint("delete the first line"));
    }
    if delimiter != Delimiter::White && request.header.is_none() && is_header(&delimiter.fields(first)) {
        return Ok(());
    }
    let mut rows = Vec::with_capacity(sample.lines.len());
    for line in &sample.lines {
        rows.push(delimiter.fields(line));
    }
    if request.table == TableKind::Qrels {
        timestamps(&rows)?;
    }
    match delimiter {
        Delimiter::Comma => split_decimals(&rows, request),
        Delimiter::Semicolon => decimals(&rows),
        _ => Ok(()),
    }
}

/// Refuses rows of which the last two fields are the halves of a number with a decimal comma: of a run,
/// where three columns become four; of judgments, where the halves would be a document and its grade,
/// and the same document comes again for a query.
fn split_decimals(rows: &[Vec<&[u8]>], request: &Request) -> Result<()> {
    let mut seen = HashMap::new();
    let mut again = false;
    let mut iterations = true;
    let mut number = None;
    for row in rows {
        let &[query, document, whole, fraction] = row.as_slice() else { return Ok(()) };
        let both = [whole, fraction].join(&b',');
        if decimal_comma(&both).is_none() {
            return Ok(());
        }
        iterations &= is_iteration(document);
        again |= seen.insert((query, whole), document).is_some_and(|other| other != document);
        number = number.or(Some(both));
    }
    let wrong = match request.table {
        TableKind::Run => !iterations,
        TableKind::Qrels => {
            again && request.duplicates == Duplicates::Error && request.labels == LabelFields::Ignored
        }
    };
    let Some(number) = number.filter(|_| wrong) else { return Ok(()) };
    let found =
        format!("the last two of four columns may be a number with a decimal comma ({})", quoted(&number));
    Err(Error::statement(Kind::Format, found).hint(
        "write decimal points; if these are four columns, name them with ⟪columns='query,doc,grade,-'⟫",
    ))
}

/// Refuses numbers with decimal commas between semicolons, without names for the fields.
fn decimals(rows: &[Vec<&[u8]>]) -> Result<()> {
    match rows.iter().flatten().find(|field| decimal_comma(field).is_some()) {
        None => Ok(()),
        Some(number) => {
            let found = format!(
                "semicolons separate the fields, and a number has a decimal comma ({})",
                quoted(number)
            );
            Err(Error::statement(Kind::Format, found).hint("export numbers with decimal points, as in 0.5"))
        }
    }
}

/// Refuses rows of user, item, rating and timestamp, and of user, item and timestamp.
fn timestamps(rows: &[Vec<&[u8]>]) -> Result<()> {
    let Some(width) = rows.first().map(Vec::len).filter(|width| matches!(width, 3 | 4)) else {
        return Ok(());
    };
    if rows.iter().any(|row| row.len() != width) {
        return Ok(());
    }
    let column = |number: usize| rows.iter().filter_map(move |row| row.get(number).copied());
    let Some((least, most)) = range(column(width - 1), is_timestamp) else { return Ok(()) };
    if width == 3 {
        let found = format!("the third column has timestamps ({least} to {most}), not grades");
        return Err(
            Error::statement(Kind::Format, found).hint("⟪columns='query,doc,-'⟫ reads the first two columns")
        );
    }
    let Some((low, high)) = range(column(2), |value| value.abs() <= 100.0) else { return Ok(()) };
    let mut values: Vec<&[u8]> = column(2).collect();
    values.sort_unstable();
    values.dedup();
    let mut second = column(1);
    let iteration = second.next().unwrap_or_default();
    let varies = second.any(|word| word != iteration) || rows.len() == 1 && !is_iteration(iteration);
    if values.len() > SCALE || !varies {
        return Ok(());
    }
    let s = if values.len() == 1 { "" } else { "s" };
    let found = format!(
        "the fourth column has timestamps ({least} to {most}), not grades, and the third {} value{s} ({low} to \
         {high}), not documents",
        values.len()
    );
    Err(Error::statement(Kind::Format, found)
        .hint("read ratings (user, item, rating, timestamp) with ⟪columns='query,doc,grade,-'⟫"))
}

/// The smallest and largest of words, as written; `None` unless all are such numbers.
fn range<'a>(words: impl Iterator<Item = &'a [u8]>, fits: impl Fn(f64) -> bool) -> Option<(String, String)> {
    let mut numbers: Vec<(f64, &[u8])> = Vec::new();
    for word in words {
        numbers.push((float(word).filter(|&value| fits(value))?, word));
    }
    numbers.sort_by(|one, other| one.0.total_cmp(&other.0));
    let text = |number: &(f64, &[u8])| String::from_utf8_lossy(number.1).into_owned();
    Some((text(numbers.first()?), text(numbers.last()?)))
}
