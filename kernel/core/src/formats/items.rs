//! Reads the parts of JSON tables: keys, ids, numbers, lists of documents.

use std::fmt;
use std::rc::Rc;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::layers::{Item, State};
use super::numerals;
use crate::error::{Kind, quoted};
use crate::read::trec::Table;
use crate::roles::{Any as AnyRecord, Value as Record};

type Outcome<T, E> = std::result::Result<T, E>;

/// Any JSON value, read by a visitor.
pub(super) struct Any<V>(pub V);

impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for Any<V> {
    type Value = V::Value;
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Outcome<V::Value, D::Error> {
        json.deserialize_any(self.0)
    }
}

/// A key of an object, read into a reused string.
pub(super) struct Key<'s>(pub &'s mut String);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Outcome<(), D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Outcome<(), E> {
        self.0.clear();
        self.0.push_str(text);
        Ok(())
    }
}

/// An id: text, or an integer, which becomes its decimal text.
pub(super) struct Id<'s, 'c>(pub &'s mut State<'c>);

const ID: &str = "an id (text or a whole number)";

impl<'de> Visitor<'de> for Id<'_, '_> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ID)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Outcome<String, E> {
        Ok(text.to_owned())
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Outcome<String, E> {
        Ok(number.to_string())
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Outcome<String, E> {
        Ok(number.to_string())
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Outcome<String, E> {
        let recent = Rc::clone(&self.0.recent);
        if let Record::Text(digits) = AnyRecord(&|| recent.number()).visit_f64(number)? {
            return Ok(String::from_utf8_lossy(&digits).into_owned());
        }
        let found = format!("the number {}", numerals::written(number));
        let error =
            crate::Error::new(Kind::Format, found, ID).hint("write ids that are not integers in quotes");
        Err(self.0.stop(error))
    }

    fn visit_unit<E: serde::de::Error>(self) -> Outcome<String, E> {
        Err(self.0.refuse("null", ID))
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Outcome<String, E> {
        Err(self.0.refuse(if value { "true" } else { "false" }, ID))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Outcome<String, A::Error> {
        Err(self.0.refuse("a list", ID))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Outcome<String, A::Error> {
        Err(self.0.refuse("an object", ID))
    }
}

/// A grade, score or rank: a number, or text with one. `None` for null.
pub(super) struct Number<'s, 'c>(pub &'s mut State<'c>, pub Table);

impl<'de> Visitor<'de> for Number<'_, '_> {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Outcome<f64, E> {
        self.0.float(number, self.1).map_err(|error| self.0.stop(error))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Outcome<f64, E> {
        self.0.collector.recoding.whole(number.into(), self.1).map_err(|error| self.0.stop(error))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Outcome<f64, E> {
        self.0.collector.recoding.whole(number.into(), self.1).map_err(|error| self.0.stop(error))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Outcome<f64, E> {
        self.0.collector.recoding.text(text.as_bytes(), self.1).map_err(|error| self.0.stop(error))
    }

    fn visit_unit<E: serde::de::Error>(self) -> Outcome<f64, E> {
        Err(self.0.refuse("null", "a number"))
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Outcome<f64, E> {
        self.0.collector.recoding.truth(value, self.1).map_err(|error| self.0.stop(error))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Outcome<f64, A::Error> {
        Err(self.0.refuse("a list", "a number"))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Outcome<f64, A::Error> {
        Err(self.0.refuse("an object", "a number"))
    }
}

/// The documents of one query, into `State::items`: a list, or an object `{document: number}`.
pub(super) struct ItemList<'s, 'c>(pub &'s mut State<'c>);

const LIST: &str = "a list of documents";

impl<'de> Visitor<'de> for ItemList<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(LIST)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Outcome<(), A::Error> {
        while let Some(item) = seq.next_element_seed(Any(OneItem(self.0)))? {
            self.0.items.extend(item);
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Outcome<(), A::Error> {
        let mut document = String::new();
        while map.next_key_seed(Key(&mut document))?.is_some() {
            let table = self.0.table;
            let number = map.next_value_seed(Any(Number(self.0, table)))?;
            let line = self.0.line.get();
            let document = document.clone();
            self.0.items.push(Item { document, number: Some(number), line });
        }
        Ok(())
    }
}

/// One document: an id, `[id, score]`, or an object, which is kept in `State::objects`.
struct OneItem<'s, 'c>(&'s mut State<'c>);

impl OneItem<'_, '_> {
    fn bare(&self, document: String) -> Option<Item> {
        Some(Item { document, number: None, line: self.0.line.get() })
    }
}

impl<'de> Visitor<'de> for OneItem<'_, '_> {
    type Value = Option<Item>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a document")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Outcome<Option<Item>, E> {
        Ok(self.bare(text.to_owned()))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Outcome<Option<Item>, E> {
        Ok(self.bare(number.to_string()))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Outcome<Option<Item>, E> {
        Ok(self.bare(number.to_string()))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Outcome<Option<Item>, E> {
        let document = Id(self.0).visit_f64(number)?;
        Ok(self.bare(document))
    }

    fn visit_unit<E: serde::de::Error>(self) -> Outcome<Option<Item>, E> {
        Err(self.0.refuse("null", "a document"))
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Outcome<Option<Item>, E> {
        Err(self.0.refuse(if value { "true" } else { "false" }, "a document"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Outcome<Option<Item>, A::Error> {
        const PAIR: &str = "[document, number]";
        let Some(document) = seq.next_element_seed(Any(Id(self.0)))? else {
            return Err(self.0.refuse("an empty list", PAIR));
        };
        let (table, line) = (self.0.table, self.0.line.get());
        let number = seq.next_element_seed(Any(Number(self.0, table)))?;
        if seq.next_element::<IgnoredAny>()?.is_some() {
            return Err(self.0.refuse("a list of more than two", PAIR));
        }
        Ok(Some(Item { document, number, line }))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Outcome<Option<Item>, A::Error> {
        let recent = Rc::clone(&self.0.recent);
        self.0.objects.push(AnyRecord(&|| recent.number()).visit_map(map)?);
        Ok(None)
    }
}

/// A line of JSONL, or an element of an array: `{"query_id": …, "doc_id": …, "score": …}`,
/// `{"query_id": …, "results": […]}`, `[query, […]]`, `[query, document, number]`.
pub(super) struct Element<'s, 'c>(pub &'s mut State<'c>);

const ROW: &str = "a row ({\"query_id\": …, \"doc_id\": …, …}) or a query ([query, [document, …]])";

impl<'de> Visitor<'de> for Element<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ROW)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Outcome<(), A::Error> {
        let state = self.0;
        state.refuse_names()?;
        let line = state.line.get();
        let Some(query) = seq.next_element_seed(Any(Id(state)))? else {
            return Err(state.refuse("an empty list", ROW));
        };
        match seq.next_element_seed(Any(Second(state)))? {
            None => return Err(state.refuse("a query without documents", ROW)),
            Some(None) => {}
            Some(Some(document)) => {
                let table = state.table;
                let number = seq.next_element_seed(Any(Number(state, table)))?;
                state.items.push(Item { document, number, line });
            }
        }
        if seq.next_element::<IgnoredAny>()?.is_some() {
            return Err(state.refuse("a list that is too long", ROW));
        }
        state.collector.label(None);
        state.flush(&query).map_err(|error| state.stop(error))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Outcome<(), A::Error> {
        let recent = Rc::clone(&self.0.recent);
        let record = AnyRecord(&|| recent.number()).visit_map(map)?;
        self.0.record(record).map_err(|error| self.0.stop(error))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Outcome<(), E> {
        Err(self.0.refuse(&format!("the text {}", quoted(text.as_bytes())), ROW))
    }

    fn visit_f64<E: serde::de::Error>(self, _: f64) -> Outcome<(), E> {
        Err(self.0.refuse("a number", ROW))
    }

    fn visit_u64<E: serde::de::Error>(self, _: u64) -> Outcome<(), E> {
        Err(self.0.refuse("a number", ROW))
    }

    fn visit_i64<E: serde::de::Error>(self, _: i64) -> Outcome<(), E> {
        Err(self.0.refuse("a number", ROW))
    }

    fn visit_unit<E: serde::de::Error>(self) -> Outcome<(), E> {
        Err(self.0.refuse("null", ROW))
    }

    fn visit_bool<E: serde::de::Error>(self, _: bool) -> Outcome<(), E> {
        Err(self.0.refuse("true or false", ROW))
    }
}

/// After a query: documents (which go to `State::items`), or one id.
struct Second<'s, 'c>(&'s mut State<'c>);

impl<'de> Visitor<'de> for Second<'_, '_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ROW)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Outcome<Option<String>, A::Error> {
        ItemList(self.0).visit_seq(seq).map(|()| None)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Outcome<Option<String>, A::Error> {
        ItemList(self.0).visit_map(map).map(|()| None)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Outcome<Option<String>, E> {
        Id(self.0).visit_str(text).map(Some)
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Outcome<Option<String>, E> {
        Id(self.0).visit_u64(number).map(Some)
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Outcome<Option<String>, E> {
        Id(self.0).visit_i64(number).map(Some)
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Outcome<Option<String>, E> {
        Id(self.0).visit_f64(number).map(Some)
    }

    fn visit_unit<E: serde::de::Error>(self) -> Outcome<Option<String>, E> {
        Err(self.0.refuse("null", ROW))
    }

    fn visit_bool<E: serde::de::Error>(self, _: bool) -> Outcome<Option<String>, E> {
        Err(self.0.refuse("true or false", ROW))
    }
}
