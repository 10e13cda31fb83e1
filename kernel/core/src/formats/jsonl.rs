//! Reads JSON lines, each with a row, or a query with its documents.

use serde::Deserializer as _;
use serde_json::Deserializer;
use serde_json::de::Read;

use super::Request;
use super::collect::Collector;
use super::envelopes::records_of;
use super::input::Input;
use super::items::Element;
use super::json::explain;
use super::layers::State;
use super::lines::Lines;
use super::recent::{may_have_long_integer, parse};
use crate::error::Result;

/// A line may contain a query with all its documents.
const LONGEST_LINE: usize = 64 << 20;

pub(super) fn read(input: &mut Input<'_>, request: &Request, collector: &mut Collector) -> Result<()> {
    let mut lines = Lines::new(input, LONGEST_LINE);
    let mut state = State::new(collector, request);
    if input.complete
        && let Ok(whole) = parse(&input.head)
        && let Some(records) = records_of(whole.clone(), request.table, &request.naming())?
        && records != [whole]
    {
        // One object that has the records.
        state.collector.enveloped = true;
        state.line.set(0);
        records.into_iter().try_for_each(|record| state.record(record))?;
        return state.finish();
    }
    loop {
        let number = lines.number + 1;
        let Some(line) = lines.next()? else { return state.finish() };
        let line = without_comma(line);
        if line.trim_ascii().is_empty() {
            continue;
        }
        state.line.set(number);
        state.recent.clear();
        // A slice is faster, but does not tell the text of an integer beyond 64 bits.
        let result = if may_have_long_integer(line) {
            element(&mut Deserializer::from_reader(state.tracked(line)), &mut state)
        } else {
            element(&mut Deserializer::from_slice(line), &mut state)
        };
        if let Err(error) = result {
            let near = error.column().checked_sub(1).and_then(|column| line.get(column)).copied();
            return Err(state.failure.take().unwrap_or_else(|| explain(&error, near, number)));
        }
    }
}

/// A line without the comma after its object, as in the lines of an array.
pub(super) fn without_comma(line: &[u8]) -> &[u8] {
    line.trim_ascii_end().strip_suffix(b",").filter(|line| line.ends_with(b"}")).unwrap_or(line)
}

fn element<'de>(json: &mut Deserializer<impl Read<'de>>, state: &mut State<'_>) -> serde_json::Result<()> {
    json.deserialize_any(Element(state)).and_then(|()| json.end())
}
