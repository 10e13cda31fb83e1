//! Hits of several indices of a search engine, whose documents are known by index and id.

use crate::error::{Error, Kind, Result, quoted};
use crate::roles::Value;

/// The indices of the hits in records: one, or several.
#[derive(Default)]
pub(super) struct Indices {
    first: Option<Vec<u8>>,
    several: bool,
}

impl Indices {
    /// Looks at the hits of one of the first records.
    pub(super) fn see(&mut self, record: &Value) {
        let Self { first, several } = self;
        visit(record, &mut |index| *several |= first.get_or_insert_with(|| index.to_vec()) != index);
    }

    /// The record, in which ids follow their index if there are several.
    pub(super) fn name(&self, record: Value) -> Value {
        if self.several { named(record) } else { record }
    }

    /// As `name`, for a record after the first ones.
    pub(super) fn name_later(&mut self, record: Value) -> Result<Value> {
        let before = self.several;
        self.see(&record);
        if self.several == before {
            return Ok(self.name(record));
        }
        let index = quoted(self.first.as_deref().unwrap_or_default());
        Err(Error::new(
            Kind::Format,
            "hits of another index",
            format!("all of {index}, as in the first records"),
        )
        .hint("put records of several indices first: their ids are then INDEX/ID"))
    }
}

fn visit(value: &Value, see: &mut impl FnMut(&[u8])) {
    match value {
        Value::List(items) => items.iter().for_each(|item| visit(item, see)),
        Value::Object(members) => match (value.get("_index"), value.get("_id")) {
            (Some(Value::Text(index)), Some(_)) => see(index),
            _ => members.iter().for_each(|(_, member)| visit(member, see)),
        },
        _ => {}
    }
}

fn named(value: Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.into_iter().map(named).collect()),
        Value::Object(members) => {
            let index = members.iter().find_map(|(name, value)| match value {
                Value::Text(index) if name == "_index" => Some(index.clone()),
                _ => None,
            });
            let member = |(name, value): (String, Value)| match (&index, value) {
                (Some(index), Value::Text(id)) if name == "_id" => {
                    (name, Value::Text([index.as_slice(), &id].join(&b'/')))
                }
                (Some(_), value) => (name, value),
                (None, value) => (name, named(value)),
            };
            Value::Object(members.into_iter().map(member).collect())
        }
        value => value,
    }
}
