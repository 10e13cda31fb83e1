//! A record of any source, and its shape.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::shape::{Field, Kinds};
use crate::error::quoted;

/// A value of JSON, of an object in memory, or a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Whole(i128),
    Float(f64),
    Text(Vec<u8>),
    List(Vec<Value>),
    /// The keys differ.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// The member of an object.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The values at a path, which may go through lists, as in `output[].provenance`: then they are one list.
    #[must_use]
    pub fn through(&self, path: &str) -> Option<Cow<'_, Self>> {
        let Some((outer, inner)) = path.split_once("[].") else { return self.at(path).map(Cow::Borrowed) };
        let Self::List(items) = self.at(outer)? else { return None };
        let mut values = Vec::new();
        for value in items.iter().filter_map(|item| item.through(inner)) {
            match value.into_owned() {
                Self::List(inner) => values.extend(inner),
                value => values.push(value),
            }
        }
        Some(Cow::Owned(Self::List(values)))
    }

    /// The value at a path of keys between dots; a key with dots of its own comes first.
    #[must_use]
    pub fn at(&self, path: &str) -> Option<&Self> {
        self.get(path).or_else(|| {
            let (first, rest) = path.split_once('.')?;
            self.get(first)?.at(rest)
        })
    }

    /// Whether it is an object of numbers, of which the keys are ids. In tables, the objects of all rows have
    /// the same keys, some without a number.
    #[must_use]
    pub fn is_mapping(&self) -> bool {
        let is_number = |value: &Self| matches!(value, Self::Whole(_) | Self::Float(_));
        let Self::Object(members) = self else { return false };
        members.iter().all(|(_, value)| is_number(value) || value.is_nothing())
            && (members.is_empty() || members.iter().any(|(_, value)| is_number(value)))
    }

    /// Whether it is null, NaN or empty text, which are one thing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Float(number) => number.is_nan(),
            Self::Text(text) => text.is_empty(),
            _ => false,
        }
    }

    /// Adds what is seen of the members of a record to the shape of its table.
    pub fn show(&self, fields: &mut Field, record: u64) {
        let Self::Object(members) = self else { return };
        for (name, value) in members {
            value.see(fields.member(name, record), record);
        }
    }

    /// Adds what is seen of a value to the shape of its field.
    pub fn see(&self, field: &mut Field, record: u64) {
        match self {
            _ if self.is_nothing() => field.see(Kinds::NULL),
            Self::Bool(_) => field.see(Kinds::BOOL),
            Self::Whole(_) => field.see(Kinds::NUMBER),
            Self::Float(number) => field.see_number(*number),
            Self::Text(text) => {
                field.see(if has_space(text) { Kinds::TEXT.with(Kinds::SENTENCES) } else { Kinds::TEXT })
            }
            Self::Object(_) => {
                field.see(Kinds::OBJECT);
                if !self.is_mapping() {
                    self.show(field, record);
                }
            }
            Self::List(items) => {
                field.see(list_kinds(items));
                let is_number = |item: &Self| matches!(item, Self::Whole(_) | Self::Float(_));
                if items.iter().any(is_number)
                    && items.iter().all(|item| is_number(item) || item.is_nothing())
                {
                    field.see(Kinds::NUMBERS);
                }
                for item in items {
                    item.show(field, record);
                    // Groups of objects.
                    if let Self::List(inner) = item {
                        inner.iter().for_each(|item| item.show(field, record));
                    }
                }
            }
            Self::Null => {}
        }
    }
}

fn has_space(text: &[u8]) -> bool {
    text.trim_ascii().iter().any(u8::is_ascii_whitespace)
}

fn list_kinds(items: &[Value]) -> Kinds {
    let id = |item: &Value| matches!(item, Value::Text(_) | Value::Whole(_));
    let pair = |item: &Value| match item {
        Value::List(parts) => {
            matches!(
                parts.as_slice(),
                [Value::Text(_), Value::Whole(_) | Value::Float(_)] | [Value::Whole(_), Value::Float(_)]
            )
        }
        _ => false,
    };
    if items.is_empty() {
        Kinds::EMPTY
    } else if items.iter().all(id) {
        let sentences = items.iter().any(|item| matches!(item, Value::Text(text) if has_space(text)));
        if sentences { Kinds::IDS.with(Kinds::SENTENCES) } else { Kinds::IDS }
    } else if items.iter().all(|item| matches!(item, Value::Object(_))) {
        Kinds::OBJECTS
    } else if items.iter().all(pair) {
        Kinds::PAIRS
    } else if items.iter().all(|item| matches!(item, Value::List(_))) {
        Kinds::LISTS
    } else {
        Kinds::MIXED
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_any(Any(&|| None))
    }
}

/// Reads any value. The function returns the text of the number that was just read, if it is known: the parser
/// rounds integers beyond 64 bits, which are kept as text.
#[derive(Clone, Copy)]
pub struct Any<'t>(pub &'t dyn Fn() -> Option<Vec<u8>>);

impl<'de> DeserializeSeed<'de> for Any<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Any<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Whole(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Whole(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        let digits = |text: &Vec<u8>| text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
        let long = if number.abs() < 9.2e18 { None } else { (self.0)().filter(digits) };
        Ok(long.map_or(Value::Float(number), Value::Text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.as_bytes().to_vec()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::Text(text.into_bytes()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members: Vec<(String, Value)> = Vec::new();
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = map.next_value_seed(self)?;
            // Few keys are compared one by one.
            let twice = if members.len() < 16 {
                members.iter().any(|(other, _)| *other == key)
            } else {
                if keys.is_empty() {
                    keys.extend(members.iter().map(|(other, _)| other.clone()));
                }
                !keys.insert(key.clone())
            };
            if twice {
                return Err(A::Error::custom(format_args!("duplicate key {}", quoted(key.as_bytes()))));
            }
            members.push((key, value));
        }
        Ok(Value::Object(members))
    }
}
