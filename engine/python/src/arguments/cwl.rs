//! Measures of the C/W/L framework, as `Measure.kernel()` writes them.

use gainful_core::measures::{Cwl, CwlModel, Quantity, Scale, Stopping};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{need, number, unknown, word};

/// A model of the user with its parameters, and what is asked of it.
pub fn measure(values: &Bound<'_, PyDict>) -> PyResult<Cwl> {
    let get = |key: &str| number(values, key);
    let stopping = |target: &str, intercept: &str, steepness: &str| -> PyResult<Stopping> {
        Ok(Stopping { target: get(target)?, intercept: get(intercept)?, steepness: get(steepness)? })
    };
    let model = match word(values, "model")?.as_str() {
        "P" => CwlModel::Precision,
        "RBP" => CwlModel::RankBiased { p: get("p")? },
        "SDCG" => CwlModel::Discounted,
        "RR" => CwlModel::ReciprocalRank,
        "AP" => CwlModel::AveragePrecision,
        "INSQ" => CwlModel::Insq { target: get("T")? },
        "INST" => CwlModel::Inst { target: get("T")? },
        "BPM" => CwlModel::Bejeweled {
            target: get("T")?,
            by_gain: get("hb")?,
            by_cost: get("hc")?,
            median: get("gain_med")?,
        },
        "NERR8" => CwlModel::NearlyErr8,
        "NERR9" => CwlModel::NearlyErr9,
        "NERR10" => CwlModel::NearlyErr10 { p: get("p")? },
        "NERR11" => CwlModel::NearlyErr11 { target: get("T")? },
        "TBG" => CwlModel::TimeBiased { halflife: get("halflife")? },
        "U" => CwlModel::UMeasure { length: get("L")? },
        "IFT" => {
            let stops = word(values, "stops")?;
            let goal = if stops == "rate" { None } else { Some(stopping("T", "b1", "R1")?) };
            let rate = if stops == "goal" { None } else { Some(stopping("A", "b2", "R2")?) };
            CwlModel::Foraging { goal, rate }
        }
        other => return unknown("model", other),
    };
    let scale = match values.get_item("rel")? {
        Some(rel) => Scale::Binary { rel: rel.extract()? },
        None => Scale::Linear {
            least: get("min_rel")?,
            most: get("max_rel")?,
            clip: need(values, "clip")?.extract()?,
        },
    };
    let quantity = match word(values, "quantity")?.as_str() {
        "EU" => Quantity::Utility,
        "ETU" => Quantity::TotalUtility,
        "EC" => Quantity::Cost,
        "ETC" => Quantity::TotalCost,
        "ED" => Quantity::Depth,
        other => return unknown("quantity", other),
    };
    Ok(Cwl { model, scale, quantity, depth: number(values, "depth")? as usize })
}
