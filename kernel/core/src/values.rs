//! Plain values by name, wherever they come from: parameters of measures, options of readers.

use crate::error::{Error, Kind, Result};

#[derive(Debug, Clone, PartialEq)]
pub enum Parameter {
    Flag(bool),
    Whole(usize),
    Number(f64),
    Word(String),
    /// A word with a number, such as a discount with its base.
    Named(String, f64),
    Words(Vec<String>),
    Numbers(Vec<f64>),
    Pairs(Vec<(f64, f64)>),
}

/// Parameters by name.
pub trait Values {
    /// `None` for a parameter that is not set.
    fn get(&self, key: &str) -> Result<Option<Parameter>>;
}

/// An error of the caller of the kernel; the checks of Python catch those of users.
#[cold]
pub fn illegal<T>(key: &str, found: &Parameter) -> Result<T> {
    Err(Error::new(Kind::Parameter, format!("{key}={found:?}"), "a valid value"))
}

impl dyn Values + '_ {
    pub fn need(&self, key: &str) -> Result<Parameter> {
        let missing = || Error::statement(Kind::Parameter, format!("no value for {key}"));
        self.get(key)?.ok_or_else(missing)
    }

    pub fn number(&self, key: &str) -> Result<f64> {
        match self.need(key)? {
            Parameter::Number(number) => Ok(number),
            Parameter::Whole(whole) => Ok(whole as f64),
            other => illegal(key, &other),
        }
    }

    pub fn whole(&self, key: &str) -> Result<Option<usize>> {
        match self.get(key)? {
            None => Ok(None),
            Some(Parameter::Whole(whole)) => Ok(Some(whole)),
            Some(other) => illegal(key, &other),
        }
    }

    pub fn numbers(&self, key: &str) -> Result<Vec<f64>> {
        match self.need(key)? {
            Parameter::Numbers(numbers) => Ok(numbers),
            other => illegal(key, &other),
        }
    }

    /// A flag that is not set is false.
    pub fn flag(&self, key: &str) -> Result<bool> {
        match self.get(key)? {
            None => Ok(false),
            Some(Parameter::Flag(flag)) => Ok(flag),
            Some(other) => illegal(key, &other),
        }
    }

    pub fn word(&self, key: &str) -> Result<String> {
        match self.need(key)? {
            Parameter::Word(word) => Ok(word),
            other => illegal(key, &other),
        }
    }

    /// No words where none are set.
    pub fn words(&self, key: &str) -> Result<Vec<String>> {
        match self.get(key)? {
            None => Ok(Vec::new()),
            Some(Parameter::Words(words)) => Ok(words),
            Some(other) => illegal(key, &other),
        }
    }

    /// What a word stands for.
    pub fn choice<T: Clone>(&self, key: &str, choices: &[(&str, T)]) -> Result<T> {
        let word = self.word(key)?;
        let chosen = choices.iter().find(|(own, _)| *own == word).map(|(_, choice)| choice.clone());
        chosen.map_or_else(|| illegal(key, &Parameter::Word(word)), Ok)
    }

    /// What a word stands for; the default where none is set.
    pub fn choice_or<T: Clone>(&self, key: &str, choices: &[(&str, T)], default: T) -> Result<T> {
        if self.get(key)?.is_none() { Ok(default) } else { self.choice(key, choices) }
    }
}
