//! Reads a table from one JSON value, without a tree in memory.
//!
//! Layouts: `{query: {document: number}}`, `{query: [document, …]}`, `{query: [[document, score], …]}`,
//! `[[query, [document, …]], …]`, `[[query, [[document, score], …]], …]`, `[{"query_id": …, "doc_id": …,
//! "score": …}, …]`. Objects of objects may be nested one or two levels deeper, as in MTEB's predictions
//! (subset, split, query, document); `split` chooses among several tables.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, BufReader};
use std::rc::Rc;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::Request;
use super::collect::Collector;
use super::input::Input;
use super::items::{Any, ItemList, Key};
use super::layers::State;
use super::numerals;
use super::objects::Element;
use crate::error::{Error, Kind, Result, quoted};
use crate::read::binary::nul;

/// The maximum number of keys above a number: subset, split, query, document.
const DEEPEST: usize = 4;

/// The key of metadata in MTEB's predictions.
const META: &str = "mteb_model_meta";

pub(super) fn read(input: &mut Input<'_>, request: &Request, collector: &mut Collector) -> Result<()> {
    if let Some(at) = memchr::memchr(0, &input.head) {
        let before = input.head.get(..at).unwrap_or_default();
        return Err(nul().line(memchr::memchr_iter(b'\n', before).count() as u64 + 1));
    }
    let mut state = State::new(collector, request.split.as_deref());
    let recent = Rc::clone(&state.recent);
    let tracked = state.tracked(BufReader::with_capacity(1 << 17, input.watched()));
    let mut json = serde_json::Deserializer::from_reader(tracked);
    let result = json.deserialize_any(Root(&mut state)).and_then(|()| json.end());
    match result {
        Ok(()) => state.finish(),
        Err(_) if state.failure.is_some() => state.failure.map_or(Ok(()), Err),
        Err(error) if error.is_io() => Err(input.failed(&io::Error::from(error))),
        Err(error) => Err(explain(&error, recent.last(), error.line() as u64)),
    }
}

/// Converts an error of serde. `near` is the byte at which it stopped.
pub(super) fn explain(error: &serde_json::Error, near: Option<u8>, line: u64) -> Box<Error> {
    if error.is_eof() {
        return Error::statement(Kind::Format, "the JSON is incomplete")
            .line(line)
            .hint("the file is truncated; copy or write it again");
    }
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    let found = format!("invalid JSON ({what}, column {})", error.column());
    let error = Error::statement(Kind::Format, found).line(line);
    match near {
        Some(0) => nul().line(line),
        Some(b'N' | b'I') => {
            error.hint("JSON has no NaN and no Infinity; scores and grades are finite numbers")
        }
        _ if what == "trailing characters" => error.hint("use ⟪format=jsonl⟫ if each line is a JSON value"),
        _ => error,
    }
}

/// The whole value.
struct Root<'s, 'c>(&'s mut State<'c>);

impl<'de> Visitor<'de> for Root<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of queries or an array of rows")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        Layer(self.0).entries(&mut map).map(|_| ())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<(), A::Error> {
        while seq.next_element_seed(Any(Element(self.0)))?.is_some() {}
        Ok(())
    }
}

/// Whether the value of a key has values of its own.
#[derive(PartialEq)]
enum Nested {
    Values,
    Nothing,
}

/// The value of one or more nested keys.
struct Layer<'s, 'c>(&'s mut State<'c>);

impl Layer<'_, '_> {
    /// Reads the entries of an object; returns their number.
    fn entries<'de, A: MapAccess<'de>>(self, map: &mut A) -> std::result::Result<usize, A::Error> {
        let state = self.0;
        if state.depth == DEEPEST {
            return Err(state.refuse("objects nested more than 4 deep", "{query: {document: number}}"));
        }
        let mut count = 0;
        let mut keys = HashSet::new();
        loop {
            if state.keys.len() == state.depth {
                state.keys.push(String::new());
            }
            let Some(key) = state.keys.get_mut(state.depth) else { return Ok(count) };
            if map.next_key_seed(Key(key))?.is_none() {
                return Ok(count);
            }
            if state.depth == 0 && key == META {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            count += 1;
            state.depth += 1;
            let value = map.next_value_seed(Any(Layer(state)))?;
            state.depth -= 1;
            let key = state.keys.get(state.depth).map_or("", String::as_str);
            // Documents follow the policy of duplicates.
            if value == Nested::Values && !keys.insert(key.to_owned()) {
                let found = format!("duplicate key {}", quoted(key.as_bytes()));
                return Err(state.stop(Error::statement(Kind::Format, found)));
            }
        }
    }

    fn settle<E: serde::de::Error>(
        self,
        result: Result<()>,
        value: Nested,
    ) -> std::result::Result<Nested, E> {
        result.map(|()| value).map_err(|error| self.0.stop(error))
    }
}

impl<'de> Visitor<'de> for Layer<'_, '_> {
    type Value = Nested;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object, a list or a number")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Nested, A::Error> {
        let state = self.0;
        if Layer(state).entries(&mut map)? == 0 {
            let result = state.list(true);
            return Layer(state).settle(result, Nested::Values);
        }
        Ok(Nested::Values)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> std::result::Result<Nested, A::Error> {
        ItemList(self.0).visit_seq(seq)?;
        let result = self.0.list(false);
        self.settle(result, Nested::Values)
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> std::result::Result<Nested, E> {
        let result = self.0.float(number, self.0.table).and_then(|number| self.0.number(number));
        self.settle(result, Nested::Nothing)
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> std::result::Result<Nested, E> {
        let result = numerals::whole(number.into(), self.0.table).and_then(|number| self.0.number(number));
        self.settle(result, Nested::Nothing)
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> std::result::Result<Nested, E> {
        let result = numerals::whole(number.into(), self.0.table).and_then(|number| self.0.number(number));
        self.settle(result, Nested::Nothing)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> std::result::Result<Nested, E> {
        if self.0.depth < 2 {
            let found =
                format!("text under {}", quoted(self.0.keys.first().map_or(b"", |key| key.as_bytes())));
            return Err(self.0.stop(
                Error::new(Kind::Format, found, "documents: {query: {document: number}}").hint(
                    "use ⟪format=jsonl⟫ if each line is a row; put the rows of a single value in an array",
                ),
            ));
        }
        let result = numerals::value(text.as_bytes(), self.0.table).and_then(|number| self.0.number(number));
        self.settle(result, Nested::Nothing)
    }

    fn visit_unit<E: serde::de::Error>(self) -> std::result::Result<Nested, E> {
        Err(self.0.refuse("null", "a number"))
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> std::result::Result<Nested, E> {
        Err(self.0.refuse(if value { "true" } else { "false" }, "a number"))
    }
}
