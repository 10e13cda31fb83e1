//! Conventions from plain values: the words that `Convention.spec()` in Python returns. A test in Python compares
//! them with `gainful.policies`.

use super::{
    Convention, Duplicates, Extra, Fractions, Missing, Negative, NothingRelevant, Order, Rounding, Ties,
    Unjudged, Unretrieved, Unweighted,
};
use crate::error::Result;
use crate::values::{Parameter, Values, illegal};

impl Order {
    pub const NAMES: [(&str, Self); 3] =
        [("score", Self::Score), ("rank", Self::Rank), ("given", Self::Given)];
}

impl Ties {
    #[must_use]
    pub fn names(seed: u64) -> [(&'static str, Self); 11] {
        [
            ("doc-id-desc", Self::IdDescending),
            ("doc-id-asc", Self::IdAscending),
            ("given", Self::Given),
            ("reverse", Self::Reverse),
            ("expected", Self::Expected),
            ("average-rank", Self::AverageRank),
            ("average-rank-down", Self::AverageRankDown),
            ("optimistic", Self::Optimistic),
            ("pessimistic", Self::Pessimistic),
            ("random", Self::Random(seed)),
            ("error", Self::Error),
        ]
    }
}

impl Negative {
    pub const NAMES: [(&str, Self); 5] = [
        ("zero", Self::Zero),
        ("signed", Self::Signed),
        ("unjudged", Self::Unjudged),
        ("drop", Self::Drop),
        ("error", Self::Error),
    ];
}

impl Duplicates {
    pub const NAMES: [(&str, Self); 9] = [
        ("error", Self::Error),
        ("first", Self::First),
        ("last", Self::Last),
        ("best", Self::Best),
        ("max", Self::Best),
        ("mean", Self::Mean),
        ("count", Self::Count),
        ("copies", Self::Copies),
        ("blank", Self::Blank),
    ];
}

impl NothingRelevant {
    #[must_use]
    pub fn names(value: f64) -> [(&'static str, Self); 4] {
        [("value", Self::Value(value)), ("agree", Self::Agree), ("skip", Self::Skip), ("error", Self::Error)]
    }
}

impl Missing {
    pub const NAMES: [(&str, Self); 3] =
        [("empty", Self::Empty), ("skip", Self::Skip), ("error", Self::Error)];
}

impl Rounding {
    #[must_use]
    pub fn names(digits: u32) -> [(&'static str, Self); 5] {
        [
            ("none", Self::None),
            ("term", Self::Term(digits)),
            ("term-down", Self::TermDown(digits)),
            ("query", Self::Query(digits)),
            ("mean", Self::Mean(digits)),
        ]
    }
}

impl Convention {
    /// The convention with these policies. Each is set, except a largest grade and a value that is NaN.
    pub fn parse(values: &dyn Values) -> Result<Self> {
        let unjudged = [
            ("zero", Unjudged::Zero),
            ("condense", Unjudged::Condense),
            ("grade", Unjudged::Grade(values.number("unjudged_grade")?)),
        ];
        let unretrieved = [("absent", Unretrieved::Absent), ("last", Unretrieved::Last)];
        let fractions =
            [("keep", Fractions::Keep), ("truncate", Fractions::Truncate), ("error", Fractions::Error)];
        let unweighted = [("nothing", Unweighted::Nothing), ("no-relevant", Unweighted::NoRelevant)];
        let optional = |key| values.get(key)?.map(|_| values.number(key)).transpose();
        let nothing_relevant = NothingRelevant::names(optional("no_relevant_value")?.unwrap_or(f64::NAN));
        let digits = u32::try_from(whole(values, "digits")?).unwrap_or(u32::MAX);
        Ok(Self {
            order: values.choice("order", &Order::NAMES)?,
            ties: values.choice("ties", &Ties::names(whole(values, "seed")? as u64))?,
            float32: values.choice("precision", &[("float64", false), ("float32", true)])?,
            unjudged: values.choice("unjudged", &unjudged)?,
            unretrieved: values.choice("unretrieved", &unretrieved)?,
            negative: values.choice("negative", &Negative::NAMES)?,
            fractions: values.choice("fractions", &fractions)?,
            largest_grade: optional("largest_grade")?,
            duplicates: values.choice("duplicates", &Duplicates::NAMES)?,
            drop_same_id: values.choice("same_id", &[("keep", false), ("drop", true)])?,
            refuse_single: values.choice("single", &[("keep", false), ("error", true)])?,
            nothing_relevant: values.choice("no_relevant", &nothing_relevant)?,
            missing: values.choice("missing", &Missing::NAMES)?,
            extra: values.choice(
                "extra",
                &[("ignore", Extra::Ignore), ("no-relevant", Extra::NoRelevant), ("error", Extra::Error)],
            )?,
            unweighted: values.choice("unweighted", &unweighted)?,
            rounding: values.choice("rounding", &Rounding::names(digits))?,
        })
    }
}

fn whole(values: &dyn Values, key: &str) -> Result<usize> {
    match values.need(key)? {
        Parameter::Whole(whole) => Ok(whole),
        other => illegal(key, &other),
    }
}
