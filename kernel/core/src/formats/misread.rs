//! Refuses text that looks like judgments but is not: ratings with timestamps, and numbers with decimal commas.

use std::collections::HashMap;

use super::Request;
use super::columns::{is_header, known_names};
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
    markup(first, delimiter)?;
    commented(sample)?;
    match delimiter {
        Delimiter::Comma => spaced(sample, b',', 1)?,
        Delimiter::Semicolon => spaced(sample, b';', 1)?,
        Delimiter::White => {
            spaced(sample, b',', 2).and_then(|()| spaced(sample, b';', 2))?;
            titled(sample, first)?;
        }
        Delimiter::Tab | Delimiter::QuotedTab => {}
    }
    if delimiter != Delimiter::White && request.header.is_none() && is_header(&delimiter.fields(first)) {
        return Ok(());
    }
    let mut rows = Vec::with_capacity(sample.lines.len());
    for line in &sample.lines {
        rows.push(delimiter.fields(line));
    }
    if delimiter != Delimiter::White {
        late_header(&rows, request)?;
        pivoted(&rows)?;
        texts(&rows)?;
        measures(sample, &rows, request)?;
    }
    if request.table == TableKind::Qrels {
        timestamps(&rows)?;
        ids(&rows)?;
    }
    match delimiter {
        Delimiter::Comma => split_decimals(&rows, request),
        Delimiter::Semicolon => decimals(&rows),
        _ => Ok(()),
    }
}

/// Refuses markup, YAML and tables that are drawn.
fn markup(first: &[u8], delimiter: Delimiter) -> Result<()> {
    let line = first.trim_ascii();
    let tag = line.first() == Some(&b'<') && line.contains(&b'>');
    let drawn: Vec<&[u8]> =
        line.split(|&byte| byte == b'|').map(<[u8]>::trim_ascii).filter(|cell| !cell.is_empty()).collect();
    let letter = line.strip_prefix(b"- ").unwrap_or(line);
    let yaml = delimiter == Delimiter::White
        && line.ends_with(b":")
        && letter.first().is_some_and(u8::is_ascii_alphabetic);
    let (found, hint) = match () {
        () if tag => (
            format!("the file begins with a tag, {}", quoted(line)),
            "judgments and runs have no markup; files of queries are read by ⟪queries⟫, and a description of a run \
             is deleted",
        ),
        () if yaml => (
            format!("the file looks like YAML, {}", quoted(line)),
            "convert it to JSON: python -c 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)'",
        ),
        () if drawn.len() > 1 && is_header(&drawn) => (
            format!("fields are separated by '|' here, {}", quoted(line)),
            "export a CSV, or replace it by tabs, as in sed 's/ *| */\\t/g'",
        ),
        () => return Ok(()),
    };
    Err(Error::statement(Kind::Format, found).line(1).hint(hint))
}

/// Refuses a space after each separator, which would be a part of ids, or divide the fields in another way.
fn spaced(sample: &Sample<'_>, mark: u8, least: usize) -> Result<()> {
    let is_spaced = |line: &&[u8]| {
        let mut marks = line.windows(2).filter(|pair| pair.first() == Some(&mark));
        let count = marks.clone().count();
        count >= least && marks.all(|pair| pair.last() == Some(&b' '))
    };
    if !sample.complete && sample.lines.len() < 2 || !sample.lines.iter().all(is_spaced) {
        return Ok(());
    }
    if sample.is_braced() {
        let found = "the file looks like JSON, and another format was named for it";
        return Err(Error::statement(Kind::Format, found)
            .line(1)
            .hint("use ⟪format='json'⟫, or leave it out"));
    }
    let (name, mark) = (if mark == b',' { "comma" } else { "semicolon" }, char::from(mark));
    Err(Error::statement(Kind::Format, format!("a space follows each {name}, and would be a part of ids"))
        .line(1)
        .hint(format!("remove it, as in sed 's/{mark} */{mark}/g'")))
}

/// Refuses comments above JSON.
fn commented(sample: &Sample<'_>) -> Result<()> {
    let starts = |line: &[u8], marks: &[&[u8]]| marks.iter().any(|mark| line.trim_ascii().starts_with(mark));
    match sample.lines.first() {
        Some(first)
            if starts(first, &[b"//", b"/*"])
                && sample.lines.iter().any(|line| starts(line, &[b"{", b"["])) =>
        {
            let found =
                format!("the file begins with a comment, {}, and JSON has no comments", quoted(first));
            Err(Error::statement(Kind::Format, found).line(1).hint(
                "delete comments, such as those in lines of their own: sed '/^ *\\/\\//d' FILE > OTHER",
            ))
        }
        _ => Ok(()),
    }
}

/// What is between the quotes of a field.
fn unquoted(field: &[u8]) -> Option<&[u8]> {
    field.strip_prefix(b"\"")?.strip_suffix(b"\"")
}

/// Refuses names of columns above words between spaces, which have none, and quotes around them.
fn titled(sample: &Sample<'_>, first: &[u8]) -> Result<()> {
    let fields = Delimiter::White.fields(first);
    let names: Vec<&[u8]> = fields.iter().map(|&field| unquoted(field).unwrap_or(field)).collect();
    if sample.is_trec() || known_names(&names) < 3 {
        return Ok(());
    }
    let (found, hint) = if fields.iter().all(|field| unquoted(field).is_some()) {
        (
            "the fields are in quotes and separated by spaces, as R's write.table writes them",
            "write a CSV: write.csv(TABLE, FILE, row.names = FALSE)",
        )
    } else if fields.len() == sample.trec_width() {
        (
            "the first line has the names of columns, and TREC text has none",
            "delete it: tail -n +2 FILE > OTHER",
        )
    } else {
        (
            "the first line has the names of columns, and fields are separated by spaces",
            "separate them by tabs: tr -s ' ' '\\t' < FILE > OTHER",
        )
    };
    Err(Error::statement(Kind::Format, found).line(1).hint(hint))
}

/// Refuses lines above a header, such as titles of a spreadsheet.
fn late_header(rows: &[Vec<&[u8]>], request: &Request) -> Result<()> {
    let is_late = |row: &&Vec<&[u8]>| row.len() > 2 && known_names(row) > 2 && request.header.is_none();
    match rows.iter().skip(1).take(9).find(is_late) {
        None => Ok(()),
        Some(header) => {
            let fault =
                format!("the names of columns ({}) are not in the first line", quoted(&header.join(&b',')));
            Err(Error::statement(Kind::Format, fault).hint("delete the lines above them"))
        }
    }
}

/// Refuses numbers below a header that names no column of queries.
fn pivoted(rows: &[Vec<&[u8]>]) -> Result<()> {
    let Some(([first, names @ ..], rest)) = rows.split_first().map(|(first, rest)| (first.as_slice(), rest))
    else {
        return Ok(());
    };
    let is_number = |cell: &&[u8]| cell.is_empty() || float(cell.trim_ascii()).is_some();
    let are_numbers = |row: &Vec<&[u8]>| row.iter().skip(1).all(is_number);
    if !first.is_empty()
        || names.len() < 2
        || names.iter().any(is_number)
        || rest.is_empty()
        || !rest.iter().all(are_numbers)
    {
        return Ok(());
    }
    let found = "the first column has no name, and the others have numbers";
    Err(Error::statement(Kind::Format, found).line(1).hint("name it: sed '1s/^/query/' FILE > OTHER"))
}

/// Refuses two columns of which the second has texts, or several ids per cell.
fn texts(rows: &[Vec<&[u8]>]) -> Result<()> {
    let Some(cells) =
        rows.iter().map(|row| if row.len() == 2 { row.get(1) } else { None }).collect::<Option<Vec<_>>>()
    else {
        return Ok(());
    };
    let spaced = |cell: &&&[u8]| cell.contains(&b' ');
    let words = |cell: &[u8]| cell.split(|&byte| byte == b' ').count();
    // Ids such as "doc 3" have a number.
    let is_text = |cell: &&[u8]| spaced(&cell) && (words(cell) > 2 || !cell.iter().any(u8::is_ascii_digit));
    let numbers =
        |cell: &&&[u8]| spaced(cell) && cell.split(|&byte| byte == b' ').all(|word| float(word).is_some());
    let fault = if rows.len() > 1 && cells.iter().all(|cell| is_text(cell)) {
        "the second column has texts, not ids of documents"
    } else if cells.iter().any(numbers) {
        "the second column has several ids in a cell"
    } else {
        return Ok(());
    };
    Err(Error::statement(Kind::Format, fault).hint(
        "⟪columns='query,doc'⟫ reads each cell as one id; lists of ids need a header, as in \
         ⟪columns='query=NAME,results=NAME'⟫ of runs or ⟪columns='query=NAME,relevant=NAME'⟫ of judgments",
    ))
}

/// Refuses scores of measures in the place of a run.
fn measures(sample: &Sample<'_>, rows: &[Vec<&[u8]>], request: &Request) -> Result<()> {
    let padded =
        |line: &&[u8]| line.split(|&byte| byte == b'\t').next().is_some_and(|name| name.ends_with(b"  "));
    let cut = |row: &Vec<&[u8]>| {
        let name = row
            .get(1)
            .and_then(|name| name.rsplit(|&byte| byte == b'@').next().filter(|cut| cut.len() < name.len()));
        row.len() == 3 && name.is_some_and(|cut| !cut.is_empty() && cut.iter().all(u8::is_ascii_digit))
    };
    if request.table == TableKind::Run && (sample.lines.iter().all(padded) || rows.iter().all(cut)) {
        return Err(Error::statement(Kind::Format, "these are scores of measures, not a run")
            .hint("gainful.compare and gainful.trend read scores; a run has documents with their scores"));
    }
    Ok(())
}

/// Refuses grades that are ids, as in triples for training: a query, a relevant and another document.
fn ids(rows: &[Vec<&[u8]>]) -> Result<()> {
    let third = rows.iter().map(|row| if row.len() == 3 { row.get(2).copied() } else { None });
    let Some(third) = third.collect::<Option<Vec<_>>>() else { return Ok(()) };
    if rows.len() < 2 {
        return Ok(());
    }
    let Some((least, most)) = range(third.into_iter(), |value| value >= 10_000.0 && value.fract() == 0.0)
    else {
        return Ok(());
    };
    let found = format!("the third column has ids or counts ({least} to {most}), not grades");
    Err(Error::statement(Kind::Format, found)
        .hint("⟪columns='query,doc,-'⟫ reads the first two columns, ⟪columns='query,doc,grade'⟫ all three"))
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
