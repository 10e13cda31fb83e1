//! Parameters of measures and policies in JSON.

use gainful_core::values::{Parameter, Values};
use gainful_core::{Error, Kind, Result};
use serde_json::{Map, Value};

pub(crate) struct Object(pub Map<String, Value>);

impl Values for Object {
    fn get(&self, key: &str) -> Result<Option<Parameter>> {
        let Some(value) = self.0.get(key).filter(|value| !value.is_null()) else { return Ok(None) };
        let illegal = || Error::new(Kind::Argument, format!("{key}={value}"), "a valid value");
        parameter(value).map(Some).ok_or_else(illegal)
    }
}

fn parameter(value: &Value) -> Option<Parameter> {
    match value {
        Value::Bool(flag) => Some(Parameter::Flag(*flag)),
        Value::String(word) => Some(Parameter::Word(word.clone())),
        // JavaScript writes 1.0 as 1; a parameter that wants a number takes a whole one.
        Value::Number(number) => {
            let whole = number.as_u64().and_then(|whole| usize::try_from(whole).ok());
            whole.map(Parameter::Whole).or_else(|| number.as_f64().map(Parameter::Number))
        }
        Value::Array(items) => list(items),
        Value::Null | Value::Object(_) => None,
    }
}

fn list(items: &[Value]) -> Option<Parameter> {
    if let [Value::String(word), Value::Number(number)] = items {
        return Some(Parameter::Named(word.clone(), number.as_f64()?));
    }
    let numbers: Option<Vec<f64>> = items.iter().map(Value::as_f64).collect();
    let pair = |item: &Value| match item.as_array().map(Vec::as_slice) {
        Some([first, second]) => Some((first.as_f64()?, second.as_f64()?)),
        _ => None,
    };
    let word = |item: &Value| item.as_str().map(str::to_owned);
    numbers
        .map(Parameter::Numbers)
        .or_else(|| items.iter().map(pair).collect::<Option<_>>().map(Parameter::Pairs))
        .or_else(|| items.iter().map(word).collect::<Option<_>>().map(Parameter::Words))
}
