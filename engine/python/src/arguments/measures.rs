//! Measures: from the name of a kernel and its parameters to its variant.

use gainful_core::convention::{Convention, Negative};
use gainful_core::measures::preferences::{Count, Number, Pairs, TieOrder};
use gainful_core::measures::{
    Groups, Interpolation, Kernel, Measure, MinMax, Novelty, Over, Patience, Within, Worth,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::gains::{cumulative, discount, gain, gain_of};
use super::{cwl, need, number, unknown, wants, word};

/// A measure from its name, its kernel and the kernel's parameters.
pub fn measure(
    name: String,
    kernel: &str,
    values: &Bound<'_, PyDict>,
    convention: &Convention,
) -> PyResult<Measure> {
    let rel = || number(values, "rel");
    let geometric = matches!(kernel, "gm_ap" | "gm_bpref");
    let signed = convention.negative == Negative::Signed;
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
