//! A column of grades, scores or ranks of any Arrow type.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Float16Type, Float32Type, Float64Type,
};
use arrow_array::{Array, BooleanArray, Float16Array};
use arrow_schema::DataType;

use super::ids::{Integers, each};
use crate::known::Known;
use crate::read::number::{LARGEST_GRADE, float};

/// The values of a column of numbers, borrowed.
pub enum Numbers<'a> {
    F16(&'a Float16Array),
    F32(&'a [f32]),
    F64(&'a [f64]),
    Integers(Integers<'a>),
    Booleans(&'a BooleanArray),
    Decimals(&'a dyn Array),
}

impl<'a> Numbers<'a> {
    /// Whether a type can be read as numbers.
    #[must_use]
    pub fn takes(kind: &DataType) -> bool {
        kind.is_numeric() || *kind == DataType::Boolean
    }

    /// `None` for a type that cannot be read as numbers.
    pub fn of(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Float16 => Self::F16(array.as_primitive::<Float16Type>()),
            DataType::Float32 => Self::F32(array.as_primitive::<Float32Type>().values()),
            DataType::Float64 => Self::F64(array.as_primitive::<Float64Type>().values()),
            DataType::Boolean => Self::Booleans(array.as_boolean()),
            DataType::Decimal32(..)
            | DataType::Decimal64(..)
            | DataType::Decimal128(..)
            | DataType::Decimal256(..) => Self::Decimals(array),
            _ => Self::Integers(Integers::of(array)?),
        })
    }

    /// Copies the numbers of a range. Returns the position of the first number that is not finite, or not
    /// within ±2^53 for an integer or if `bounded`.
    pub fn fill(&self, rows: Range<usize>, bounded: bool, into: &mut [f64]) -> Option<usize> {
        let bound = if bounded { LARGEST_GRADE } else { f64::MAX };
        match self {
            Self::F64(values) => {
                let values = values.known(rows);
                into.known_mut(..values.len()).copy_from_slice(values);
            }
            Self::F32(values) => {
                for (value, slot) in values.known(rows).iter().zip(&mut *into) {
                    *slot = f64::from(*value);
                }
            }
            Self::F16(array) => {
                for (value, slot) in array.values().known(rows).iter().zip(&mut *into) {
                    *slot = value.to_f64();
                }
            }
            Self::Booleans(array) => {
                for (row, slot) in rows.zip(&mut *into) {
                    *slot = f64::from(u8::from(array.value(row)));
                }
            }
            Self::Decimals(array) => {
                for (row, slot) in rows.zip(&mut *into) {
                    *slot = float(decimal(*array, row).as_bytes()).unwrap_or(f64::NAN);
                }
            }
            Self::Integers(integers) => {
                return each!(integers, slice => {
                    let values = slice.known(rows);
                    for (&value, slot) in values.iter().zip(&mut *into) {
                        *slot = value as f64;
                    }
                    // Beyond 2^53 not every integer is a float, and the float may already be rounded.
                    first_beyond(into, LARGEST_GRADE - 1.0).and_then(|_| {
                        values.iter().position(|&value| i128::from(value).unsigned_abs() > 1 << 53)
                    })
                });
            }
        }
        first_beyond(into, bound)
    }
}

fn first_beyond(values: &[f64], bound: f64) -> Option<usize> {
    // Without an early exit, this takes a few vector instructions per row.
    let fine = |value: &f64| value.abs() <= bound;
    let all = values.iter().fold(true, |all, value| all & fine(value));
    if all { None } else { values.iter().position(|value| !fine(value)) }
}

fn decimal(array: &dyn Array, row: usize) -> String {
    match array.data_type() {
        DataType::Decimal32(..) => array.as_primitive::<Decimal32Type>().value_as_string(row),
        DataType::Decimal64(..) => array.as_primitive::<Decimal64Type>().value_as_string(row),
        DataType::Decimal128(..) => array.as_primitive::<Decimal128Type>().value_as_string(row),
        _ => array.as_primitive::<Decimal256Type>().value_as_string(row),
    }
}
