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
use crate::read::number::{LARGEST_GRADE, float, is_rounded};

/// The values of a column of numbers, borrowed.
pub enum NumberColumn<'a> {
    F16(&'a Float16Array),
    F32(&'a [f32]),
    F64(&'a [f64]),
    Integers(Integers<'a>),
    Booleans(&'a BooleanArray),
    Decimals(&'a dyn Array),
}

impl<'a> NumberColumn<'a> {
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

    /// The text of a number in a column of integers or decimals.
    pub fn text(&self, row: usize) -> Option<String> {
        match self {
            Self::Integers(integers) => Some(integers.get(row).to_string()),
            Self::Decimals(array) => Some(decimal(*array, row)),
            _ => None,
        }
    }

    /// Copies the numbers of a range. Returns the position of the first number that is not finite, not within
    /// ±2^53 if `bounded`, or an integer that is another number as a float.
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
                let mut rounded = None;
                for (place, (row, slot)) in rows.zip(&mut *into).enumerate() {
                    let text = decimal(*array, row);
                    *slot = float(text.as_bytes()).unwrap_or(f64::NAN);
                    if is_rounded(text.as_bytes(), *slot) {
                        rounded.get_or_insert(place);
                    }
                }
                let beyond = first_beyond(into, bound);
                return [rounded, beyond].into_iter().flatten().min();
            }
            Self::Integers(integers) => {
                return each!(integers, slice => {
                    let values = slice.known(rows);
                    for (&value, slot) in values.iter().zip(&mut *into) {
                        *slot = value as f64;
                    }
                    first_beyond(into, LARGEST_GRADE - 1.0).and_then(|_| {
                        let bad = |value: i128| value as f64 as i128 != value || (value as f64).abs() > bound;
                        values.iter().position(|&value| bad(i128::from(value)))
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
