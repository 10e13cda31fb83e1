//! Parses conventions and the rules for reading files.

use gainful_core::convention::{
    Convention, Duplicates, Extra, Fractions, Missing, Negative, NothingRelevant, Order, Rounding, Ties,
    Unjudged, Unretrieved, Unweighted,
};
use gainful_core::read::trec::Dialect;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{choice, need, number, word};

pub fn convention(dict: &Bound<'_, PyDict>) -> PyResult<Convention> {
    /// Returns the choice that the value of a key names.
    fn chosen<T: Clone>(dict: &Bound<'_, PyDict>, key: &str, choices: &[(&str, T)]) -> PyResult<T> {
        choice(key, &word(dict, key)?, choices)
    }
    let ties = [
        ("doc-id-desc", Ties::IdDescending),
        ("doc-id-asc", Ties::IdAscending),
        ("given", Ties::Given),
        ("reverse", Ties::Reverse),
        ("expected", Ties::Expected),
        ("average-rank", Ties::AverageRank),
        ("average-rank-down", Ties::AverageRankDown),
        ("optimistic", Ties::Optimistic),
        ("pessimistic", Ties::Pessimistic),
        ("random", Ties::Random(need(dict, "seed")?.extract()?)),
        ("error", Ties::Error),
    ];
    let unjudged = [
        ("zero", Unjudged::Zero),
        ("condense", Unjudged::Condense),
        ("grade", Unjudged::Grade(number(dict, "unjudged_grade")?)),
    ];
    let negative = [
        ("zero", Negative::Zero),
        ("signed", Negative::Signed),
        ("unjudged", Negative::Unjudged),
        ("drop", Negative::Drop),
        ("error", Negative::Error),
    ];
    let fractions =
        [("keep", Fractions::Keep), ("truncate", Fractions::Truncate), ("error", Fractions::Error)];
    let unweighted = [("nothing", Unweighted::Nothing), ("no-relevant", Unweighted::NoRelevant)];
    Ok(Convention {
        order: order(&word(dict, "order")?)?,
        ties: chosen(dict, "ties", &ties)?,
        float32: chosen(dict, "precision", &[("float64", false), ("float32", true)])?,
        unjudged: chosen(dict, "unjudged", &unjudged)?,
        unretrieved: chosen(
            dict,
            "unretrieved",
            &[("absent", Unretrieved::Absent), ("last", Unretrieved::Last)],
        )?,
        largest_grade: need(dict, "largest_grade")?.extract()?,
        refuse_single: chosen(dict, "single", &[("keep", false), ("error", true)])?,
        unweighted: chosen(dict, "unweighted", &unweighted)?,
        negative: chosen(dict, "negative", &negative)?,
        fractions: chosen(dict, "fractions", &fractions)?,
        duplicates: duplicates(&word(dict, "duplicates")?)?,
        drop_same_id: chosen(dict, "same_id", &[("keep", false), ("drop", true)])?,
        nothing_relevant: no_relevant(&word(dict, "no_relevant")?, number(dict, "no_relevant_value")?)?,
        missing: missing(&word(dict, "missing")?)?,
        extra: chosen(dict, "extra", &[("ignore", Extra::Ignore), ("error", Extra::Error)])?,
        rounding: rounding(&word(dict, "rounding")?, need(dict, "digits")?.extract()?)?,
    })
}

pub fn order(word: &str) -> PyResult<Order> {
    choice("order", word, &[("score", Order::Score), ("rank", Order::Rank), ("given", Order::Given)])
}

pub fn no_relevant(word: &str, value: f64) -> PyResult<NothingRelevant> {
    let choices = [
        ("value", NothingRelevant::Value(value)),
        ("agree", NothingRelevant::Agree),
        ("skip", NothingRelevant::Skip),
        ("error", NothingRelevant::Error),
    ];
    choice("no_relevant", word, &choices)
}

pub fn missing(word: &str) -> PyResult<Missing> {
    choice("missing", word, &[("empty", Missing::Empty), ("skip", Missing::Skip), ("error", Missing::Error)])
}

pub fn rounding(word: &str, digits: u32) -> PyResult<Rounding> {
    let choices = [
        ("none", Rounding::None),
        ("term", Rounding::Term(digits)),
        ("term-down", Rounding::TermDown(digits)),
        ("query", Rounding::Query(digits)),
        ("mean", Rounding::Mean(digits)),
    ];
    choice("rounding", word, &choices)
}

pub fn duplicates(word: &str) -> PyResult<Duplicates> {
    choice("duplicates", word, &Duplicates::NAMES)
}

pub fn dialect(word: &str) -> PyResult<Dialect> {
    choice("dialect", word, &Dialect::NAMES)
}
