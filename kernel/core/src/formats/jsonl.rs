//! Reads JSON lines, each with a row, or a query with its documents.

use serde::Deserializer;

use super::collect::Collector;
use super::input::Input;
use super::json::explain;
use super::layers::State;
use super::lines::Lines;
use super::objects::Element;
use crate::error::Result;

/// A line may contain a query with all its documents.
const LONGEST_LINE: usize = 64 << 20;

pub(super) fn read(input: &mut Input<'_>, collector: &mut Collector) -> Result<()> {
    let mut lines = Lines::new(input, LONGEST_LINE);
    let mut state = State::new(collector, None);
    loop {
        let number = lines.number + 1;
        let Some(line) = lines.next()? else { return Ok(()) };
        if line.trim_ascii().is_empty() {
            continue;
        }
        state.line.set(number);
        let mut json = serde_json::Deserializer::from_slice(line);
        let result = json.deserialize_any(Element(&mut state)).and_then(|()| json.end());
        if let Err(error) = result {
            let near = line.get(error.column().saturating_sub(1)..).unwrap_or_default();
            return Err(state.failure.take().unwrap_or_else(|| explain(&error, near, number)));
        }
    }
}
