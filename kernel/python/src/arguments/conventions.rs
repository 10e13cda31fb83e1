//! Conventions, and the rules by which files are read.

use gainful_core::convention::{
    Convention, Duplicates, Extra, Fractions, Missing, Negative, NothingRelevant, Order, Rounding, Ties,
    Unjudged, Unretrieved, Unweighted,
};
use gainful_core::read::trec::Dialect;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{need, number, unknown, word};

pub fn order(name: &str) -> PyResult<Order> {
    Ok(match name {
        "score" => Order::Score,
        "rank" => Order::Rank,
        "given" => Order::Given,
        other => return unknown("order", other),
    })
}

pub fn convention(dict: &Bound<'_, PyDict>) -> PyResult<Convention> {
    let digits = || -> PyResult<u32> { need(dict, "digits")?.extract() };
    Ok(Convention {
        order: order(&word(dict, "order")?)?,
        ties: match word(dict, "ties")?.as_str() {
            "doc-id-desc" => Ties::IdDescending,
            "doc-id-asc" => Ties::IdAscending,
            "given" => Ties::Given,
            "reverse" => Ties::Reverse,
            "expected" => Ties::Expected,
            "average-rank" => Ties::AverageRank,
            "average-rank-down" => Ties::AverageRankDown,
            "optimistic" => Ties::Optimistic,
            "pessimistic" => Ties::Pessimistic,
            "random" => Ties::Random(need(dict, "seed")?.extract()?),
            "error" => Ties::Error,
            other => return unknown("ties", other),
        },
        float32: match word(dict, "precision")?.as_str() {
            "float64" => false,
            "float32" => true,
            other => return unknown("precision", other),
        },
        unjudged: match word(dict, "unjudged")?.as_str() {
            "zero" => Unjudged::Zero,
            "condense" => Unjudged::Condense,
            "grade" => Unjudged::Grade(number(dict, "unjudged_grade")?),
            other => return unknown("unjudged", other),
        },
        unretrieved: match word(dict, "unretrieved")?.as_str() {
            "absent" => Unretrieved::Absent,
            "last" => Unretrieved::Last,
            other => return unknown("unretrieved", other),
        },
        largest_grade: need(dict, "largest_grade")?.extract()?,
        refuse_single: match word(dict, "single")?.as_str() {
            "keep" => false,
            "error" => true,
            other => return unknown("single", other),
        },
        unweighted: match word(dict, "unweighted")?.as_str() {
            "nothing" => Unweighted::Nothing,
            "no-relevant" => Unweighted::NoRelevant,
            other => return unknown("unweighted", other),
        },
        negative: match word(dict, "negative")?.as_str() {
            "zero" => Negative::Zero,
            "signed" => Negative::Signed,
            "unjudged" => Negative::Unjudged,
            "drop" => Negative::Drop,
            "error" => Negative::Error,
            other => return unknown("negative", other),
        },
        fractions: match word(dict, "fractions")?.as_str() {
            "keep" => Fractions::Keep,
            "truncate" => Fractions::Truncate,
            "error" => Fractions::Error,
            other => return unknown("fractions", other),
        },
        duplicates: duplicates(&word(dict, "duplicates")?)?,
        drop_same_id: match word(dict, "same_id")?.as_str() {
            "keep" => false,
            "drop" => true,
            other => return unknown("same_id", other),
        },
        nothing_relevant: match word(dict, "no_relevant")?.as_str() {
            "value" => NothingRelevant::Value(number(dict, "no_relevant_value")?),
            "agree" => NothingRelevant::Agree,
            "skip" => NothingRelevant::Skip,
            "error" => NothingRelevant::Error,
            other => return unknown("no_relevant", other),
        },
        missing: match word(dict, "missing")?.as_str() {
            "empty" => Missing::Empty,
            "skip" => Missing::Skip,
            "error" => Missing::Error,
            other => return unknown("missing", other),
        },
        extra: match word(dict, "extra")?.as_str() {
            "ignore" => Extra::Ignore,
            "error" => Extra::Error,
            other => return unknown("extra", other),
        },
        rounding: match word(dict, "rounding")?.as_str() {
            "none" => Rounding::None,
            "term" => Rounding::Term(digits()?),
            "term-down" => Rounding::TermDown(digits()?),
            "query" => Rounding::Query(digits()?),
            "mean" => Rounding::Mean(digits()?),
            other => return unknown("rounding", other),
        },
    })
}

pub fn duplicates(name: &str) -> PyResult<Duplicates> {
    named("duplicates", name, &Duplicates::NAMES)
}

pub fn dialect(name: &str) -> PyResult<Dialect> {
    named("dialect", name, &Dialect::NAMES)
}

fn named<T: Copy>(key: &str, name: &str, names: &[(&str, T)]) -> PyResult<T> {
    let found = names.iter().find(|(own, _)| *own == name);
    found.map_or_else(|| unknown(key, name), |&(_, value)| Ok(value))
}
