//! Reads the parts of JSON tables: keys, ids, numbers, lists of documents.

use std::fmt;
use std::rc::Rc;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::layers::{Item, Scalar, State};
use super::numerals;
use crate::error::Kind;
use crate::roles::{Any as AnyRecord, Value as Record};

type Visited<T, E> = std::result::Result<T, E>;

/// Any JSON value, read by a visitor.
pub(super) struct AnyItem<V>(pub V);

impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for AnyItem<V> {
    type Value = V::Value;
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Visited<V::Value, D::Error> {
        json.deserialize_any(self.0)
    }
}

/// A key of an object, read into a reused string.
pub(super) struct Key<'s>(pub &'s mut String);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Visited<(), D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Visited<(), E> {
        self.0.clear();
        self.0.push_str(text);
        Ok(())
    }
}

/// The methods of a visitor that hand values without parts to `scalar`, and say what it expects.
macro_rules! scalars {
    ($expected:expr) => {
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str($expected)
        }

        fn visit_unit<E: serde::de::Error>(self) -> std::result::Result<Self::Value, E> {
            self.scalar(Scalar::Null)
        }

        fn visit_bool<E: serde::de::Error>(self, value: bool) -> std::result::Result<Self::Value, E> {
            self.scalar(Scalar::Bool(value))
        }

        fn visit_u64<E: serde::de::Error>(self, number: u64) -> std::result::Result<Self::Value, E> {
            self.scalar(Scalar::Whole(number.into()))
        }

        fn visit_i64<E: serde::de::Error>(self, number: i64) -> std::result::Result<Self::Value, E> {
            self.scalar(Scalar::Whole(number.into()))
        }

        fn visit_f64<E: serde::de::Error>(self, number: f64) -> std::result::Result<Self::Value, E> {
            self.scalar(Scalar::Float(number))
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> std::result::Result<Self::Value, E> {
            self.scalar(Scalar::Text(text))
        }
    };
}
pub(super) use scalars;

/// An id: text, or an integer, which becomes its decimal text.
struct ItemId<'s, 'c>(&'s mut State<'c>);

const ID: &str = "an id (text or a whole number)";

impl ItemId<'_, '_> {
    fn scalar<E: serde::de::Error>(self, value: Scalar<'_>) -> Visited<String, E> {
        match value {
            Scalar::Text(text) => Ok(text.to_owned()),
            Scalar::Whole(number) => Ok(number.to_string()),
            Scalar::Float(number) => {
                let recent = Rc::clone(&self.0.recent);
                if let Record::Text(digits) = AnyRecord(&|| recent.number()).visit_f64(number)? {
                    return Ok(String::from_utf8_lossy(&digits).into_owned());
                }
                let found = format!("the number {}", numerals::written(number));
                let error = crate::Error::new(Kind::Format, found, ID)
                    .hint("write ids that are not integers in quotes");
                Err(self.0.stop(error))
            }
            other => Err(self.0.refuse(&other.shown(), ID)),
        }
    }
}

impl<'de> Visitor<'de> for ItemId<'_, '_> {
    type Value = String;

    scalars!(ID);

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Visited<String, A::Error> {
        Err(self.0.refuse("a list", ID))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Visited<String, A::Error> {
        Err(self.0.refuse("an object", ID))
    }
}

/// A grade, score or rank: a number, or text with one.
struct ItemNumber<'s, 'c>(&'s mut State<'c>);

impl ItemNumber<'_, '_> {
    fn scalar<E: serde::de::Error>(self, value: Scalar<'_>) -> Visited<f64, E> {
        match self.0.value(&value) {
            Some(number) => number.map_err(|error| self.0.stop(error)),
            None => Err(self.0.refuse(&value.shown(), "a number")),
        }
    }
}

impl<'de> Visitor<'de> for ItemNumber<'_, '_> {
    type Value = f64;

    scalars!("a number");

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Visited<f64, A::Error> {
        Err(self.0.refuse("a list", "a number"))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Visited<f64, A::Error> {
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

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Visited<(), A::Error> {
        while let Some(item) = seq.next_element_seed(AnyItem(OneItem(self.0)))? {
            self.0.items.extend(item);
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Visited<(), A::Error> {
        let mut document = String::new();
        while map.next_key_seed(Key(&mut document))?.is_some() {
            let number = map.next_value_seed(AnyItem(ItemNumber(self.0)))?;
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
    fn scalar<E: serde::de::Error>(self, value: Scalar<'_>) -> Visited<Option<Item>, E> {
        if matches!(value, Scalar::Null | Scalar::Bool(_)) {
            return Err(self.0.refuse(&value.shown(), "a document"));
        }
        let line = self.0.line.get();
        ItemId(self.0).scalar(value).map(|document| Some(Item { document, number: None, line }))
    }
}

impl<'de> Visitor<'de> for OneItem<'_, '_> {
    type Value = Option<Item>;

    scalars!("a document");

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Visited<Option<Item>, A::Error> {
        const PAIR: &str = "[document, number]";
        let Some(document) = seq.next_element_seed(AnyItem(ItemId(self.0)))? else {
            return Err(self.0.refuse("an empty list", PAIR));
        };
        let line = self.0.line.get();
        let number = seq.next_element_seed(AnyItem(ItemNumber(self.0)))?;
        if seq.next_element::<IgnoredAny>()?.is_some() {
            return Err(self.0.refuse("a list of more than two", PAIR));
        }
        Ok(Some(Item { document, number, line }))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Visited<Option<Item>, A::Error> {
        let recent = Rc::clone(&self.0.recent);
        self.0.objects.push(AnyRecord(&|| recent.number()).visit_map(map)?);
        Ok(None)
    }
}

/// A line of JSONL, or an element of an array: `{"query_id": …, "doc_id": …, "score": …}`,
/// `{"query_id": …, "results": […]}`, `[query, […]]`, `[query, document, number]`.
pub(super) struct Element<'s, 'c>(pub &'s mut State<'c>);

const ROW: &str = "a row ({\"query_id\": …, \"doc_id\": …, …}) or a query ([query, [document, …]])";

impl Element<'_, '_> {
    fn scalar<E: serde::de::Error>(self, value: Scalar<'_>) -> Visited<(), E> {
        let found = if matches!(value, Scalar::Bool(_)) { "true or false".to_owned() } else { value.shown() };
        Err(self.0.refuse(&found, ROW))
    }
}

impl<'de> Visitor<'de> for Element<'_, '_> {
    type Value = ();

    scalars!(ROW);

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Visited<(), A::Error> {
        let state = self.0;
        state.refuse_names()?;
        let line = state.line.get();
        let Some(query) = seq.next_element_seed(AnyItem(ItemId(state)))? else {
            return Err(state.refuse("an empty list", ROW));
        };
        match seq.next_element_seed(AnyItem(Second(state)))? {
            None => return Err(state.refuse("a query without documents", ROW)),
            Some(None) => {}
            Some(Some(document)) => {
                let number = seq.next_element_seed(AnyItem(ItemNumber(state)))?;
                state.items.push(Item { document, number, line });
            }
        }
        if seq.next_element::<IgnoredAny>()?.is_some() {
            return Err(state.refuse("a list that is too long", ROW));
        }
        state.collector.label(None);
        state.flush(&query).map_err(|error| state.stop(error))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Visited<(), A::Error> {
        let recent = Rc::clone(&self.0.recent);
        let record = AnyRecord(&|| recent.number()).visit_map(map)?;
        self.0.record(record).map_err(|error| self.0.stop(error))
    }
}

/// After a query: documents (which go to `State::items`), or one id.
struct Second<'s, 'c>(&'s mut State<'c>);

impl Second<'_, '_> {
    fn scalar<E: serde::de::Error>(self, value: Scalar<'_>) -> Visited<Option<String>, E> {
        match value {
            Scalar::Null => Err(self.0.refuse("null", ROW)),
            Scalar::Bool(_) => Err(self.0.refuse("true or false", ROW)),
            value => ItemId(self.0).scalar(value).map(Some),
        }
    }
}

impl<'de> Visitor<'de> for Second<'_, '_> {
    type Value = Option<String>;

    scalars!(ROW);

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Visited<Option<String>, A::Error> {
        ItemList(self.0).visit_seq(seq).map(|()| None)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Visited<Option<String>, A::Error> {
        ItemList(self.0).visit_map(map).map(|()| None)
    }
}
