//! Reads a table from one JSON value, without a tree in memory.
//!
//! Layouts: `{query: {document: number}}`, `{query: [document, …]}`, `{query: [[document, score], …]}`,
//! `[[query, [document, …]], …]`, `[[query, [[document, score], …]], …]`, `[{"query_id": …, "doc_id": …,
//! "score": …}, …]`. Objects of objects may be nested one or two levels deeper, as in MTEB's predictions
//! (subset, split, query, document); `split` chooses among several tables.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, BufReader, Read};
use std::rc::Rc;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::Request;
use super::collect::Collector;
use super::envelopes::records_of;
use super::input::Input;
use super::items::{AnyItem, Element, ItemList, Key, scalars};
use super::layers::{Scalar, State};
use super::recent::parse;
use crate::error::{Error, Kind, Result, quoted};
use crate::read::binary::nul;
use crate::roles::Value;

/// The maximum number of keys above a number: subset, split, query, document.
const DEEPEST: usize = 4;

/// The key of metadata in MTEB's predictions.
const META: &str = "mteb_model_meta";

pub(super) fn read(input: &mut Input<'_>, request: &Request, collector: &mut Collector) -> Result<()> {
    if let Some(at) = memchr::memchr(0, &input.head) {
        let before = input.head.get(..at).unwrap_or_default();
        return Err(nul().line(memchr::memchr_iter(b'\n', before).count() as u64 + 1));
    }
    if let Some(records) = records(input, request)? {
        collector.enveloped = true;
        let mut state = State::new(collector, request);
        state.line.set(0);
        for record in records {
            state.record(record)?;
        }
        return state.finish();
    }
    let mut state = State::new(collector, request);
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

/// The records of an object, if it is not one of rankings by query. A large one is looked at by its first
/// entry alone.
fn records(input: &mut Input<'_>, request: &Request) -> Result<Option<Vec<Value>>> {
    if input.head.trim_ascii_start().first() != Some(&b'{') {
        return Ok(None);
    }
    if input.complete {
        // The other reader says what is wrong with JSON.
        let Ok(whole) = parse(&input.head) else { return Ok(None) };
        return records_of(whole, request.table, &request.naming());
    }
    let mut first = None;
    // The head ends in the middle of the value.
    let _ = serde_json::Deserializer::from_slice(&input.head).deserialize_any(First(&mut first));
    let Some((key, value)) = first else { return Ok(None) };
    let is_records = match &value {
        // Grades and scores may be texts, but neither are these numbers, nor is the first value a list.
        Value::Bool(_) => true,
        Value::Object(members) => {
            let text = members
                .first()
                .and_then(|(_, value)| if let Value::Text(text) = value { Some(text) } else { None });
            text.is_some_and(|text| key != META && crate::read::number::float(text).is_none())
        }
        _ => false,
    };
    let entry = Value::Object(vec![(key, value)]);
    if !is_records && records_of(entry, request.table, &request.naming())?.is_none() {
        return Ok(None);
    }
    let mut text = Vec::new();
    input.watched().read_to_end(&mut text).map_err(|error| input.failed(&error))?;
    let whole = parse(&text).map_err(|error| explain(&error, None, error.line() as u64))?;
    records_of(whole, request.table, &request.naming())
}

/// The first entry of an object, as far as it is there: of a list, its first element.
struct First<'f>(&'f mut Option<(String, Value)>);

impl<'de> Visitor<'de> for First<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        if let Some(key) = map.next_key::<String>()? {
            *self.0 = Some((key, Value::Null));
            map.next_value_seed(AnyItem(FirstValue(self.0)))?;
        }
        Ok(())
    }
}

struct FirstValue<'f>(&'f mut Option<(String, Value)>);

impl FirstValue<'_> {
    fn keep(self, value: Value) {
        if let Some(entry) = self.0 {
            entry.1 = value;
        }
    }
}

impl<'de> Visitor<'de> for FirstValue<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<(), A::Error> {
        if let Some(item) = seq.next_element()? {
            self.keep(Value::List(vec![item]));
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        if let Some((name, value)) = map.next_entry()? {
            self.keep(Value::Object(vec![(name, value)]));
        }
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> std::result::Result<(), E> {
        self.keep(Value::Bool(true));
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> std::result::Result<(), E> {
        self.keep(Value::Bool(true));
        Ok(())
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
        Some(b'/') => error.hint("JSON has no comments; delete those that begin with // or /*"),
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
        self.0.refuse_names()?;
        Layer(self.0).entries(&mut map).map(|_| ())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<(), A::Error> {
        while seq.next_element_seed(AnyItem(Element(self.0)))?.is_some() {}
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
            let value = map.next_value_seed(AnyItem(Layer(state)))?;
            state.depth -= 1;
            let key = state.keys.get(state.depth).map_or("", String::as_str);
            // Documents follow the policy of duplicates.
            if value == Nested::Values && !keys.insert(key.to_owned()) {
                let found = format!("duplicate key {}", quoted(key.as_bytes()));
                return Err(state.stop(Error::statement(Kind::Format, found)));
            }
        }
    }

    fn scalar<E: serde::de::Error>(self, value: Scalar<'_>) -> std::result::Result<Nested, E> {
        let state = self.0;
        if let Scalar::Text(_) = value
            && state.depth < 2
        {
            let found =
                format!("text under {}", quoted(state.keys.first().map_or(b"", |key| key.as_bytes())));
            return Err(state.stop(
                Error::new(Kind::Format, found, "documents: {query: {document: number}}").hint(
                    "use ⟪format=jsonl⟫ if each line is a row; put the rows of a single value in an array; `jq -c . FILE` \
                     writes several values as lines",
                ),
            ));
        }
        let Some(number) = state.value(&value) else { return Err(state.refuse("null", "a number")) };
        let result = number.and_then(|number| state.number(number));
        result.map(|()| Nested::Nothing).map_err(|error| state.stop(error))
    }
}

impl<'de> Visitor<'de> for Layer<'_, '_> {
    type Value = Nested;

    scalars!("an object, a list or a number");

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Nested, A::Error> {
        let state = self.0;
        if Layer(state).entries(&mut map)? == 0 {
            state.list(true).map_err(|error| state.stop(error))?;
        }
        Ok(Nested::Values)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> std::result::Result<Nested, A::Error> {
        ItemList(self.0).visit_seq(seq)?;
        self.0.list(false).map_err(|error| self.0.stop(error))?;
        Ok(Nested::Values)
    }
}
