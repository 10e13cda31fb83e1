//! Reads JSON values that are a row, or a query with its documents.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::columns::{QUERY_IDS, Role, missing, role};
use super::items::{Any, Id, Item, ItemList, Key, Number, item_role};
use super::layers::State;
use crate::error::{Error, Kind, quoted};
use crate::read::trec::Table;

type Outcome<T, E> = std::result::Result<T, E>;

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
                state.items.push(Item { document, number, rank: None, line });
            }
        }
        if seq.next_element::<IgnoredAny>()?.is_some() {
            return Err(state.refuse("a list that is too long", ROW));
        }
        state.collector.label(None);
        state.flush(&query).map_err(|error| state.stop(error))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Outcome<(), A::Error> {
        let state = self.0;
        let line = state.line.get();
        let fields = Fields::read(state, map, false)?;
        let table = state.table;
        let mut fields = fields;
        if fields.list.is_some() {
            fields.choose_id(table);
        }
        let lacks = |role| missing(&[role], table, fields.names.iter().map(String::as_bytes), "field");
        let Some((_, query)) = &fields.query else { return Err(state.stop(lacks(Role::Query))) };
        if let Some((_, document)) = &fields.document {
            if fields.list.is_some() {
                return Err(state.refuse("a document and a list of documents", "one of the two"));
            }
            let bare = fields.number.is_none() && (table == Table::Qrels || fields.rank.is_none());
            // Another field may be the grade or the score under another name.
            if bare && fields.names.len() > 2 {
                return Err(state.stop(lacks(Role::Value)));
            }
            let (number, rank) = (fields.number.map(|(_, it)| it), fields.rank.map(|(_, it)| it));
            state.items.push(Item { document: document.clone(), number, rank, line });
        } else if fields.list.is_none() {
            return Err(state.stop(lacks(Role::Document)));
        }
        let label = fields.label.as_ref().map(|(_, label)| label.as_bytes());
        state.collector.label(label);
        state.flush(query).map_err(|error| state.stop(error))
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

/// An id, or any other value, which is ignored.
struct MaybeId(Option<String>);

impl<'de> Deserialize<'de> for MaybeId {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Outcome<Self, D::Error> {
        let value = serde_json::Value::deserialize(json)?;
        Ok(Self(match value {
            serde_json::Value::String(text) => Some(text),
            serde_json::Value::Number(number) if !number.is_f64() => Some(number.to_string()),
            _ => None,
        }))
    }
}

/// The known fields of an object, each with the rank of its name.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub query: Option<(usize, String)>,
    pub document: Option<(usize, String)>,
    pub number: Option<(usize, f64)>,
    pub rank: Option<(usize, f64)>,
    pub label: Option<(usize, String)>,
    /// A field `id`, which is the query's if there is a list of judgments.
    pub id: Option<String>,
    /// The list itself goes to `State::items`.
    pub list: Option<(usize, ())>,
    /// All names, for messages.
    pub names: Vec<String>,
}

impl Fields {
    /// Uses the field `id` as the query's id if the other fields of the query have its text.
    fn choose_id(&mut self, table: Table) {
        if table != Table::Qrels || self.query.as_ref().is_some_and(|(place, _)| *place < QUERY_IDS) {
            return;
        }
        if let Some(id) = self.id.take() {
            self.query = Some((0, id));
        }
    }

    /// `nested`: the object is in the list of a query.
    pub(super) fn read<'de, A: MapAccess<'de>>(
        state: &mut State<'_>,
        mut map: A,
        nested: bool,
    ) -> Outcome<Self, A::Error> {
        let mut fields = Self::default();
        let mut name = String::new();
        let table = state.table;
        while map.next_key_seed(Key(&mut name))?.is_some() {
            let found = if nested { item_role(&name, table) } else { role(name.as_bytes(), table) };
            // A query in a query's list and a rank of a judgment are ignored.
            let found = found.filter(|(role, _)| match role {
                Role::Query | Role::List => !nested,
                Role::Rank => table == Table::Run,
                Role::Label => !nested && state.collector.labelled,
                Role::Document | Role::Value => true,
            });
            fields.names.push(name.clone());
            let Some((role, place)) = found else {
                if !nested && table == Table::Qrels && matches!(name.as_str(), "id" | "_id") {
                    fields.id = map.next_value::<MaybeId>()?.0;
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
                continue;
            };
            let kept = match role {
                Role::Query => fields.query.as_ref().map(|(place, _)| *place),
                Role::Document => fields.document.as_ref().map(|(place, _)| *place),
                Role::Value => fields.number.map(|(place, _)| place),
                Role::Rank => fields.rank.map(|(place, _)| place),
                Role::Label => fields.label.as_ref().map(|(place, _)| *place),
                Role::List => fields.list.map(|(place, ())| place),
            };
            match kept {
                Some(kept) if kept == place => {
                    let found = format!("duplicate field {}", quoted(name.as_bytes()));
                    return Err(state.stop(Error::statement(Kind::Format, found)));
                }
                Some(kept) if kept < place => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
                _ => {}
            }
            match role {
                Role::Query => fields.query = Some((place, map.next_value_seed(Any(Id(state)))?)),
                Role::Document => fields.document = Some((place, map.next_value_seed(Any(Id(state)))?)),
                Role::Value => fields.number = Some((place, map.next_value_seed(Any(Number(state, table)))?)),
                Role::Label => fields.label = Some((place, map.next_value_seed(Any(Id(state)))?)),
                Role::Rank => {
                    fields.rank = Some((place, map.next_value_seed(Any(Number(state, Table::Run)))?))
                }
                Role::List => {
                    state.items.clear();
                    fields.list = Some((place, map.next_value_seed(Any(ItemList(state)))?));
                }
            }
        }
        Ok(fields)
    }
}
