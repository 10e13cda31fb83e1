//! Reads impressions, as in MIND's `truth.txt` and `prediction.txt`: an id and a list with a number for each
//! candidate, its label or its rank. A document is the number of a candidate within its impression.

use super::Request;
use super::collect::{Collector, RowValue};
use super::definition::{Definition, RowReader};
use super::input::Input;
use super::lines::{Lines, words};
use super::sample::{Evidence, Sample};
use crate::error::{Error, Kind, Result, quoted};
use crate::read::number;
use crate::read::trec::TableKind;

/// A line may have all items of a shop.
const LONGEST_LINE: usize = 64 << 20;

/// `impression [label,label,…]`, and of a run `impression [rank,rank,…]`.
pub(super) static MIND: Definition = Definition::new(evidence, RowReader::Rows(read));

fn evidence(sample: &Sample<'_>) -> Evidence {
    let mut several = false;
    let fits = |line: &&[u8]| {
        let Some((_, list)) = impression(line) else { return false };
        let numbers: Option<Vec<f64>> = numbers(list).map(number::float).collect();
        numbers.is_some_and(|numbers| {
            several |= numbers.len() > 1;
            let is_run = sample.table == TableKind::Run;
            let (least, most) = if is_run { (1.0, numbers.len() as f64) } else { (0.0, 1.0) };
            numbers.iter().all(|value| (least..=most).contains(value) && value.fract() == 0.0)
        })
    };
    let are = !sample.lines.is_empty() && sample.lines.iter().all(fits);
    if are && several { Evidence::Syntax } else { Evidence::Nothing }
}

fn read(input: &mut Input<'_>, _: &Request, collector: &mut Collector) -> Result<()> {
    let mut lines = Lines::new(input, LONGEST_LINE);
    loop {
        let line_number = lines.number + 1;
        let Some(line) = lines.next()? else { return Ok(()) };
        if line.trim_ascii().is_empty() {
            continue;
        }
        let located = |error: Box<Error>| error.line(line_number);
        let (query, list) = impression(line).ok_or_else(|| located(not_a_list(line)))?;
        let mut candidate = 0u64;
        for word in numbers(list) {
            candidate += 1;
            let value = match collector.table {
                TableKind::Qrels => RowValue::Grade(number::grade(word).map_err(located)?),
                TableKind::Run => match number::float(word).filter(|rank| *rank >= 1.0 && rank.is_finite()) {
                    // Ranks may be equal.
                    Some(rank) => RowValue::Score(1.0 / rank, Some(rank)),
                    None => return Err(located(Error::new(Kind::Format, quoted(word), "a rank from 1"))),
                },
            };
            collector.push(query, candidate.to_string().as_bytes(), value, line_number)?;
        }
        // Impressions without labels are left out, as in MIND's own evaluation.
        if candidate == 0 && collector.table == TableKind::Run {
            collector.query(query, line_number)?;
        }
    }
}

#[cold]
fn not_a_list(line: &[u8]) -> Box<Error> {
    Error::new(Kind::Format, quoted(line), "an id and a list, as in 7 [0,1,0]")
}

/// The id of a line, and the content of its list.
fn impression(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.trim_ascii();
    let id = words(line).next()?;
    let list = line.get(id.len()..)?.trim_ascii_start();
    Some((id, list.strip_prefix(b"[")?.strip_suffix(b"]")?))
}

fn numbers(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    let filled = !list.trim_ascii().is_empty();
    list.split(|&byte| byte == b',').filter(move |_| filled).map(<[u8]>::trim_ascii)
}
