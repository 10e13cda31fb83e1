//! Conventions and measures, as `Convention.engine()` and `Measure.kernel()` write them.

mod cwl;

use gainful_core::convention::{
    Convention, Duplicates, Extra, Fractions, Missing, Negative, NothingRelevant, Order, Rounding, Ties,
    Unjudged,
};
use gainful_core::measures::preferences::{Count, Number, Pairs, TieOrder};
use gainful_core::measures::{
    Cumulative, Discount, Gain, Groups, Ideal, Interpolation, Kernel, Measure, MinMax, Novelty, Over,
    Patience, Shape, Within, Worth,
};
use gainful_core::read::trec::{Dialect, Labels};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

fn need<'py>(dict: &Bound<'py, PyDict>, key: &str) -> PyResult<Bound<'py, PyAny>> {
    dict.get_item(key)?.ok_or_else(|| PyKeyError::new_err(key.to_owned()))
}

fn number(dict: &Bound<'_, PyDict>, key: &str) -> PyResult<f64> {
    need(dict, key)?.extract()
}

fn word(dict: &Bound<'_, PyDict>, key: &str) -> PyResult<String> {
    need(dict, key)?.extract()
}

/// What `gainful.conventions` validates never gets here; this is for callers of the engine.
fn unknown<T>(key: &str, value: &str) -> PyResult<T> {
    Err(PyValueError::new_err(format!("{key}={value}")))
}

pub fn convention(dict: &Bound<'_, PyDict>) -> PyResult<Convention> {
    let digits = || -> PyResult<u32> { need(dict, "digits")?.extract() };
    Ok(Convention {
        order: match word(dict, "order")?.as_str() {
            "score" => Order::Score,
            "rank" => Order::Rank,
            "given" => Order::Given,
            other => return unknown("order", other),
        },
        ties: match word(dict, "ties")?.as_str() {
            "doc-id-desc" => Ties::IdDescending,
            "doc-id-asc" => Ties::IdAscending,
            "given" => Ties::Given,
            "reverse" => Ties::Reverse,
            "expected" => Ties::Expected,
            "average-rank" => Ties::AverageRank,
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
        negative: match word(dict, "negative")?.as_str() {
            "zero" => Negative::Zero,
            "signed" => Negative::Signed,
            "unjudged" => Negative::Unjudged,
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
            "query" => Rounding::Query(digits()?),
            "mean" => Rounding::Mean(digits()?),
            other => return unknown("rounding", other),
        },
    })
}

/// What stands between query and document of a judgment.
pub fn labels(word: &str) -> PyResult<Labels> {
    Ok(match word {
        "ignored" => Labels::Ignored,
        "one" => Labels::One,
        "two" => Labels::Two,
        other => return unknown("labels", other),
    })
}

pub fn duplicates(word: &str) -> PyResult<Duplicates> {
    Ok(match word {
        "error" => Duplicates::Error,
        "first" => Duplicates::First,
        "last" => Duplicates::Last,
        "best" => Duplicates::Best,
        "count" => Duplicates::Count,
        other => return unknown("duplicates", other),
    })
}

pub fn dialect(word: &str) -> PyResult<Dialect> {
    Ok(match word {
        "gainful" => Dialect::Gainful,
        "trec_eval" => Dialect::TrecEval,
        "trec_eval_levels" => Dialect::TrecEvalLevels,
        other => return unknown("dialect", other),
    })
}

/// A measure from its name, its kernel and the kernel's parameters.
pub fn measure(
    name: String,
    kernel: &str,
    values: &Bound<'_, PyDict>,
    convention: &Convention,
) -> PyResult<Measure> {
    let rel = || number(values, "rel");
    let geometric = matches!(kernel, "gm_ap" | "gm_bpref");
    let signed = convention.negative == gainful_core::convention::Negative::Signed;
    let kernel = match kernel {
        "cg" => Kernel::Cg(gain_of(values, signed)?),
        "dcg" => Kernel::Dcg(cumulative(values, signed, false)?),
        "idcg" => Kernel::Idcg(cumulative(values, signed, true)?),
        "ndcg" => Kernel::Ndcg(cumulative(values, signed, true)?),
        "p" => Kernel::Precision { rel: rel()? },
        "r" => Kernel::Recall { rel: rel()?, capped: need(values, "capped")?.extract()? },
        "ap" => {
            let norm = word(values, "norm")?;
            Kernel::AveragePrecision { rel: rel()?, capped: norm == "capped" }
        }
        "rr" => Kernel::ReciprocalRank { rel: rel()? },
        "rprec" => Kernel::RPrecision { rel: rel()? },
        "f" => Kernel::F { rel: rel()?, weight: number(values, "weight")? },
        "success" => Kernel::Success { rel: rel()? },
        "err" => Kernel::Err { max_grade: number(values, "max_grade")? },
        "rbp" => {
            let worth = match values.get_item("max_grade")?.filter(|value| !value.is_none()) {
                Some(word) if word.is_instance_of::<PyString>() => Worth::GradedByQuery,
                Some(max_grade) => Worth::Graded { max_grade: max_grade.extract()? },
                None => Worth::Binary { rel: rel()? },
            };
            Kernel::Rbp { p: number(values, "p")?, worth }
        }
        "rbp_residual" => {
            Kernel::RbpResidual { p: number(values, "p")?, closed: word(values, "tail")? == "unjudged" }
        }
        "bpref" => Kernel::Bpref { rel: rel()? },
        "judged" => Kernel::Judged,
        "unjudged" => Kernel::Unjudged,
        "num_q" => Kernel::NumQ,
        "num_ret" => Kernel::NumRet,
        "num_rel" => Kernel::NumRel { rel: rel()? },
        "num_rel_ret" => Kernel::NumRelRet { rel: rel()? },
        "nerr" => Kernel::NormalisedErr { max_grade: number(values, "max_grade")? },
        "cwl" => Kernel::Cwl(cwl::measure(values)?),
        "min_max_ndcg" => Kernel::MinMaxNdcg(MinMax {
            gain: gain(&need(values, "gain")?, true)?,
            discount: discount(&need(values, "discount")?)?,
        }),
        "compat" => Kernel::Compatibility {
            p: number(values, "p")?,
            normalise: need(values, "normalize")?.extract()?,
        },
        "accuracy" => Kernel::Accuracy { rel: rel()? },
        "inferred_ndcg" => Kernel::InferredNdcg(gain(&need(values, "gain")?, false)?),
        "inferred_ap" => Kernel::InferredPrecision { rel: rel()? },
        "alpha_dcg" | "err_ia" | "nrbp" => Kernel::Novelty(Novelty {
            rel: rel()?,
            alpha: number(values, "alpha")?,
            patience: match kernel {
                "alpha_dcg" => Patience::Log2,
                "err_ia" => Patience::Reciprocal,
                _ => Patience::Geometric(number(values, "beta")?),
            },
            normalised: need(values, "normalised")?.extract()?,
        }),
        "groups" => Kernel::Groups(Groups {
            within: match word(values, "within")?.as_str() {
                "ap" => Within::AveragePrecision,
                "p" => Within::Precision,
                "success" => Within::Success,
                "rprec_mult" => Within::PrecisionAtMultiple(number(values, "multiple")?),
                other => return unknown("within", other),
            },
            over: match word(values, "over")?.as_str() {
                "relevant" => Over::Relevant,
                "all" => Over::All,
                other => return unknown("over", other),
            },
            rel: rel()?,
        }),
        "prefs" => Kernel::Prefs {
            count: match word(values, "count")?.as_str() {
                "simp" => Count::Simple,
                "pair" => Count::Pair,
                "avgjg" => Count::Group,
                "avgjg_Rnonrel" => Count::GroupEven,
                other => return unknown("count", other),
            },
            pairs: match word(values, "pairs")?.as_str() {
                "all" => Pairs::All,
                "ret" => Pairs::Retrieved,
                "imp" => Pairs::Implied,
                other => return unknown("pairs", other),
            },
            ties: tie_order(values)?,
        },
        "num_prefs" => Kernel::NumPrefs {
            of: match word(values, "of")?.as_str() {
                "poss" => Number::Possible,
                "ful" => Number::Fulfilled,
                "ful_ret" => Number::FulfilledRetrieved,
                other => return unknown("of", other),
            },
            ties: tie_order(values)?,
        },
        "num_nonrel_ret" => Kernel::NumNonrelRet { rel: rel()? },
        "gm_ap" => Kernel::AveragePrecision { rel: rel()?, capped: false },
        "gm_bpref" => Kernel::Bpref { rel: rel()? },
        "iprec" => Kernel::InterpolatedPrecision(interpolation(values)?, number(values, "recall")?),
        "iap" => Kernel::InterpolatedAverage(interpolation(values)?, need(values, "recalls")?.extract()?),
        "infap" => Kernel::InferredAp { rel: rel()? },
        "rprec_mult" => Kernel::RPrecisionMultiple { rel: rel()?, multiple: number(values, "multiple")? },
        "relative_p" => Kernel::RelativePrecision { rel: rel()? },
        "set_ap" => Kernel::SetAp { rel: rel()? },
        "utility" => Kernel::Utility {
            rel: rel()?,
            weights: [number(values, "a")?, number(values, "b")?, number(values, "c")?, number(values, "d")?],
            collection: number(values, "collection")?,
        },
        "bin_g" => Kernel::BinaryG { rel: rel()? },
        "g" => Kernel::G(gain_of(values, signed)?),
        "ndcg_rel" => Kernel::NdcgOverRelevant(gain_of(values, signed)?),
        "rndcg" => Kernel::NdcgAtLevels {
            gain: gain_of(values, signed)?,
            rel: rel()?,
            undefined: wants(values, "undefined")?,
        },
        "yaap" => Kernel::LogOddsAp { rel: rel()? },
        other => return unknown("measure", other),
    };
    let cutoff = match values.get_item("cutoff")? {
        Some(cutoff) => cutoff.extract()?,
        None => None,
    };
    let judged_only = match values.get_item("judged_only")? {
        Some(only) => only.extract()?,
        None => false,
    };
    Ok(Measure { kernel, cutoff, judged_only, geometric, name })
}

/// Whether the caller wants what only the drop-in for trec_eval asks for.
fn wants(values: &Bound<'_, PyDict>, key: &str) -> PyResult<bool> {
    values.get_item(key)?.map_or(Ok(false), |value| value.extract())
}

fn interpolation(values: &Bound<'_, PyDict>) -> PyResult<Interpolation> {
    Ok(Interpolation {
        rel: number(values, "rel")?,
        nearest: word(values, "rounding")? == "nearest",
        undefined: wants(values, "undefined")?,
    })
}

fn tie_order(values: &Bound<'_, PyDict>) -> PyResult<TieOrder> {
    match word(values, "ties")?.as_str() {
        "convention" => Ok(TieOrder::Convention),
        "doc-id-asc" => Ok(TieOrder::IdAscending),
        other => unknown("ties", other),
    }
}

fn cumulative(values: &Bound<'_, PyDict>, signed: bool, with_ideal: bool) -> PyResult<Cumulative> {
    Ok(Cumulative {
        gain: gain_of(values, signed)?,
        discount: discount(&need(values, "discount")?)?,
        ideal: if with_ideal { ideal(&need(values, "ideal")?)? } else { Ideal::Judged },
    })
}

/// The gain that a measure's values name.
fn gain_of(values: &Bound<'_, PyDict>, signed: bool) -> PyResult<Gain> {
    let never_ideal = wants(values, "never_ideal")?;
    Ok(Gain { never_ideal, ..gain(&need(values, "gain")?, signed)? })
}

pub fn gain(value: &Bound<'_, PyAny>, signed: bool) -> PyResult<Gain> {
    let shape = if let Ok(name) = value.cast::<PyString>() {
        match name.to_str()? {
            "linear" => Shape::Linear,
            "exponential" => Shape::Exponential,
            other => return unknown("gain", other),
        }
    } else {
        let mut table: Vec<(f64, f64)> = value.extract()?;
        for (grade, _) in &mut table {
            *grade += 0.0;
        }
        table.sort_by(|a, b| a.0.total_cmp(&b.0));
        Shape::Table(table)
    };
    Ok(Gain { shape, signed, never_ideal: false })
}

pub fn discount(value: &Bound<'_, PyAny>) -> PyResult<Discount> {
    if let Ok(name) = value.cast::<PyString>() {
        return Ok(match name.to_str()? {
            "log2" => Discount::Log2,
            "reciprocal" => Discount::Reciprocal,
            "none" => Discount::None,
            other => return unknown("discount", other),
        });
    }
    if let Ok(pair) = value.cast::<PyTuple>()
        && let Ok((_, base)) = pair.extract::<(String, f64)>()
    {
        return Ok(Discount::JarvelinKekalainen(base));
    }
    Ok(Discount::Table(value.extract()?))
}

pub fn ideal(value: &Bound<'_, PyAny>) -> PyResult<Ideal> {
    if let Ok(name) = value.cast::<PyString>() {
        return Ok(match name.to_str()? {
            "judged" => Ideal::Judged,
            "judged-uncut" => Ideal::JudgedUncut,
            "judged-to-depth" => Ideal::JudgedToDepth,
            "list" => Ideal::List,
            "list-cut" => Ideal::ListCut,
            "given-order" => Ideal::GivenOrder,
            other => return unknown("ideal", other),
        });
    }
    if let Ok(pair) = value.cast::<PyTuple>()
        && let Ok((_, grade)) = pair.extract::<(String, f64)>()
    {
        return Ok(Ideal::MaxGrade(grade));
    }
    Ok(Ideal::Grades(value.extract()?))
}
