//! Gains of grades and discounts of ranks.

use std::sync::LazyLock;

use crate::error::Result;
use crate::values::{Parameter, Values};

/// From grade to gain.
#[derive(Debug, Clone, PartialEq)]
pub struct Gain {
    pub shape: Shape,
    /// Negative grades have the gain of the shape; otherwise 0.
    pub signed: bool,
    /// A table's gains of negative grades apply to returned documents only, not to the ideal.
    pub never_ideal: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// The grade itself (Järvelin and Kekäläinen 2002).
    Linear,
    /// 2^grade − 1 (Burges et al. 2005).
    Exponential,
    /// 2^(grade + 1) − 1 from grade 0 on, so that grade 0 gains 1.
    ExponentialPlusOne,
    /// 1 for a grade above 0.
    Binary,
    /// 1 for every judged document.
    Judged,
    /// Pairs of grade and gain, ascending; for other grades the gain is the grade.
    Table(Vec<(f64, f64)>),
}

impl Gain {
    pub fn parse(values: &dyn Values, signed: bool) -> Result<Self> {
        let shape = match values.need("gain")? {
            Parameter::Pairs(mut table) => {
                // Turns -0.0 into 0.0.
                table.iter_mut().for_each(|(grade, _)| *grade += 0.0);
                table.sort_by(|a, b| a.0.total_cmp(&b.0));
                Shape::Table(table)
            }
            _ => values.choice(
                "gain",
                &[
                    ("linear", Shape::Linear),
                    ("exponential", Shape::Exponential),
                    ("exponential+1", Shape::ExponentialPlusOne),
                    ("binary", Shape::Binary),
                    ("judged", Shape::Judged),
                ],
            )?,
        };
        Ok(Self { shape, signed, never_ideal: values.flag("never_ideal")? })
    }

    #[must_use]
    pub fn linear() -> Self {
        Self { shape: Shape::Linear, signed: false, never_ideal: false }
    }

    #[must_use]
    pub fn exponential() -> Self {
        Self { shape: Shape::Exponential, signed: false, never_ideal: false }
    }

    /// The gain of a grade; 0 for NaN.
    #[inline]
    #[must_use]
    pub fn of(&self, grade: f64) -> f64 {
        if grade.is_nan() {
            return 0.0;
        }
        match &self.shape {
            Shape::Linear if grade < 0.0 && !self.signed => 0.0,
            Shape::Linear => grade,
            Shape::Exponential if grade < 0.0 && !self.signed => 0.0,
            Shape::Exponential => exp2(grade) - 1.0,
            Shape::ExponentialPlusOne if grade < 0.0 => 0.0,
            Shape::ExponentialPlusOne => exp2(grade + 1.0) - 1.0,
            Shape::Binary => f64::from(u8::from(grade > 0.0)),
            Shape::Judged => 1.0,
            Shape::Table(table) => {
                match table.binary_search_by(|(entry, _)| entry.total_cmp(&(grade + 0.0))) {
                    Ok(found) => table.get(found).map_or(0.0, |&(_, gain)| gain),
                    Err(_) if grade < 0.0 && !self.signed => 0.0,
                    Err(_) => grade,
                }
            }
        }
    }

    /// The gain of a judged document in an ideal ranking.
    #[must_use]
    pub fn ideal_of(&self, grade: f64) -> f64 {
        if self.never_ideal && grade < 0.0 { 0.0 } else { self.of(grade) }
    }

    /// Whether any judged document has a positive gain.
    #[must_use]
    pub fn any(&self, grades: &[f64]) -> bool {
        match self.shape {
            Shape::Table(_) => grades.iter().any(|&grade| self.ideal_of(grade) > 0.0),
            // Descending grades, increasing gain: the first decides.
            _ => grades.first().is_some_and(|&grade| self.of(grade) > 0.0),
        }
    }

    /// Whether a grade can have a negative gain.
    #[must_use]
    pub fn may_lose(&self) -> bool {
        match &self.shape {
            Shape::Linear | Shape::Exponential => self.signed,
            Shape::ExponentialPlusOne | Shape::Binary | Shape::Judged => false,
            Shape::Table(table) => self.signed || table.iter().any(|&(_, gain)| gain < 0.0),
        }
    }

    /// Whether the gain never decreases with the grade.
    #[must_use]
    pub fn is_increasing(&self) -> bool {
        !matches!(self.shape, Shape::Table(_))
    }
}

/// 2^grade; exact for integers without the library.
#[inline]
fn exp2(grade: f64) -> f64 {
    let whole = grade as u8;
    if whole < 64 && f64::from(whole) == grade { (1u64 << whole) as f64 } else { grade.exp2() }
}

/// From rank to weight.
#[derive(Debug, Clone, PartialEq)]
pub enum Discount {
    /// 1 / log2(rank + 1).
    Log2,
    /// 1 / ln(rank + 1).
    Ln,
    /// 1 up to rank b, then 1 / log_b(rank) (Järvelin and Kekäläinen 2002).
    JarvelinKekalainen(f64),
    /// 1 / rank.
    Reciprocal,
    None,
    /// The weight of each rank; 0 beyond.
    Table(Vec<f64>),
}

const TABLED: usize = 1024;

/// log2(rank + 1) at index rank, as the C library computes it: `f64::log2` calls it.
static LOG2: LazyLock<Vec<f64>> =
    LazyLock::new(|| (0..=TABLED).map(|rank| ((rank + 1) as f64).log2()).collect());

#[inline]
fn log2_after(rank: f64) -> f64 {
    let whole = rank as usize;
    if whole as f64 == rank
        && let Some(&log) = LOG2.get(whole)
    {
        return log;
    }
    log2(rank + 1.0)
}

/// Not inlined: the optimizer would otherwise compute the logarithm even if the table has it or another
/// discount is used.
#[inline(never)]
pub(super) fn log2(value: f64) -> f64 {
    value.log2()
}

#[inline(never)]
fn ln(value: f64) -> f64 {
    value.ln()
}

impl Discount {
    pub fn parse(values: &dyn Values) -> Result<Self> {
        let words =
            [("log2", Self::Log2), ("ln", Self::Ln), ("reciprocal", Self::Reciprocal), ("none", Self::None)];
        match values.need("discount")? {
            Parameter::Named(_, base) => Ok(Self::JarvelinKekalainen(base)),
            Parameter::Numbers(weights) => Ok(Self::Table(weights)),
            _ => values.choice("discount", &words),
        }
    }

    /// A gain at a rank (counted from 1). The gain is divided, not multiplied by a reciprocal, for the last
    /// digit of trec_eval.
    #[inline]
    #[must_use]
    pub fn apply(&self, gain: f64, rank: f64) -> f64 {
        match self {
            Self::Log2 => gain / log2_after(rank),
            Self::Ln => gain / ln(rank + 1.0),
            Self::JarvelinKekalainen(base) if rank <= *base => gain,
            Self::JarvelinKekalainen(base) => gain / (log2_after(rank - 1.0) / log2(*base)),
            Self::Reciprocal => gain / rank,
            Self::None => gain,
            Self::Table(weights) => gain * weights.get(rank as usize - 1).copied().unwrap_or(0.0),
        }
    }

    /// The weight of a rank for display.
    #[must_use]
    pub fn weight(&self, rank: usize) -> f64 {
        self.apply(1.0, rank as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains() {
        assert_eq!(Gain::linear().of(3.0), 3.0);
        assert_eq!(Gain::linear().of(-1.0), 0.0);
        assert_eq!(Gain { signed: true, ..Gain::linear() }.of(-1.0), -1.0);
        assert_eq!(Gain::exponential().of(3.0), 7.0);
        assert_eq!(Gain::exponential().of(f64::NAN), 0.0);
        let plus_one = Gain { shape: Shape::ExponentialPlusOne, signed: true, ..Gain::linear() };
        assert_eq!((plus_one.of(0.0), plus_one.of(2.0), plus_one.of(-1.0)), (1.0, 7.0, 0.0));
        let binary = Gain { shape: Shape::Binary, ..Gain::linear() };
        assert_eq!((binary.of(0.5), binary.of(0.0), binary.of(-2.0)), (1.0, 0.0, 0.0));
        let judged = Gain { shape: Shape::Judged, ..Gain::linear() };
        assert_eq!((judged.of(0.0), judged.of(-2.0), judged.of(f64::NAN)), (1.0, 1.0, 0.0));
        let table = Gain { shape: Shape::Table(vec![(1.0, 0.5), (2.0, 9.0)]), ..Gain::linear() };
        assert_eq!((table.of(1.0), table.of(2.0), table.of(3.0)), (0.5, 9.0, 3.0));
    }

    #[test]
    fn discounts() {
        assert_eq!(Discount::Log2.weight(1), 1.0);
        assert_eq!(Discount::Ln.weight(1), 1.0 / 2f64.ln());
        assert_eq!(Discount::Log2.weight(3), 0.5);
        assert_eq!(Discount::Log2.apply(1.0, 4096.0), 1.0 / 4097f64.log2());
        let spared = Discount::JarvelinKekalainen(2.0);
        assert_eq!((spared.weight(1), spared.weight(2), spared.weight(4)), (1.0, 1.0, 0.5));
        assert_eq!(Discount::Table(vec![1.0, 0.25]).weight(2), 0.25);
        assert_eq!(Discount::Table(vec![1.0, 0.25]).weight(3), 0.0);
    }
}
