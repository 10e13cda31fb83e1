//! Reads the parts of JSON tables: keys, ids, numbers, lists of documents.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::collect::Value;
use super::columns::{DOCUMENT_IDS, Role, missing, role};
use super::layers::State;
use super::numerals;
use crate::error::Kind;
use crate::read::trec::Table;

type Outcome<T, E> = std::result::Result<T, E>;

/// One document of a query.
#[derive(Debug, Default)]
pub(super) struct Item {
    pub document: String,
    pub number: Option<f64>,
    pub rank: Option<f64>,
    pub line: u64,
}

impl Item {
    pub(super) fn value(&self, table: Table) -> Value {
        match (table, self.number, self.rank) {
            (Table::Qrels, grade, _) => Value::Grade(grade.unwrap_or(1.0)),
            (Table::Run, Some(score), rank) => Value::Score(score, rank),
            (Table::Run, None, Some(rank)) => Value::Rank(rank),
            (Table::Run, None, None) => Value::Given,
        }
    }
}

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
        let found = format!("the number {}", numerals::written(number));
        let error = crate::Error::new(Kind::Format, found, ID)
            .hint("write ids that are not 64-bit integers in quotes");
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
        numerals::whole(number.into(), self.1).map_err(|error| self.0.stop(error))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Outcome<f64, E> {
        numerals::whole(number.into(), self.1).map_err(|error| self.0.stop(error))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Outcome<f64, E> {
        numerals::value(text.as_bytes(), self.1).map_err(|error| self.0.stop(error))
    }

    fn visit_unit<E: serde::de::Error>(self) -> Outcome<f64, E> {
        Err(self.0.refuse("null", "a number"))
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Outcome<f64, E> {
        Err(self.0.refuse(if value { "true" } else { "false" }, "a number"))
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
            self.0.items.push(item);
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
            self.0.items.push(Item { document, number: Some(number), rank: None, line });
        }
        Ok(())
    }
}

/// One document: an id, `[id, score]`, or an object.
struct OneItem<'s, 'c>(&'s mut State<'c>);

impl OneItem<'_, '_> {
    fn bare(&self, document: String) -> Item {
        Item { document, number: None, rank: None, line: self.0.line.get() }
    }
}

impl<'de> Visitor<'de> for OneItem<'_, '_> {
    type Value = Item;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a document")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Outcome<Item, E> {
        Ok(self.bare(text.to_owned()))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Outcome<Item, E> {
        Ok(self.bare(number.to_string()))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Outcome<Item, E> {
        Ok(self.bare(number.to_string()))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Outcome<Item, E> {
        Id(self.0).visit_f64(number).map(|_| Item::default())
    }

    fn visit_unit<E: serde::de::Error>(self) -> Outcome<Item, E> {
        Err(self.0.refuse("null", "a document"))
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Outcome<Item, E> {
        Err(self.0.refuse(if value { "true" } else { "false" }, "a document"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Outcome<Item, A::Error> {
        const PAIR: &str = "[document, number]";
        let Some(document) = seq.next_element_seed(Any(Id(self.0)))? else {
            return Err(self.0.refuse("an empty list", PAIR));
        };
        let mut item = self.bare(document);
        let table = self.0.table;
        item.number = seq.next_element_seed(Any(Number(self.0, table)))?;
        if seq.next_element::<IgnoredAny>()?.is_some() {
            return Err(self.0.refuse("a list of more than two", PAIR));
        }
        Ok(item)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Outcome<Item, A::Error> {
        let table = self.0.table;
        let fields = super::objects::Fields::read(self.0, map, true)?;
        match fields.document {
            Some((_, document)) => {
                let (number, rank) = (fields.number.map(|(_, it)| it), fields.rank.map(|(_, it)| it));
                Ok(Item { document, number, rank, line: self.0.line.get() })
            }
            None => {
                let names = fields.names.iter().map(String::as_bytes);
                Err(self.0.stop(missing(&[Role::Document], table, names, "field")))
            }
        }
    }
}

/// The role of a field of an object in a list of documents. There, `id` is the document's id: a worse name
/// than `doc_id`, but better than `document`, which may be its text.
pub(super) fn item_role(name: &str, table: Table) -> Option<(Role, usize)> {
    if matches!(name, "id" | "_id") {
        return Some((Role::Document, 2 * DOCUMENT_IDS - 1));
    }
    role(name.as_bytes(), table).map(|(role, place)| (role, 2 * place))
}
