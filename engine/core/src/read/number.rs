//! Numbers in text.

use crate::error::{Error, Kind, Result, quoted};

/// The largest magnitude of a grade: beyond it neighbouring whole numbers are no longer told apart.
pub const LARGEST_GRADE: f64 = 9_007_199_254_740_992.0;

/// A decimal number; NaN and infinities come through as such.
#[inline]
#[must_use]
pub fn float(text: &[u8]) -> Option<f64> {
    fast_float2::parse::<f64, _>(text).ok()
}

/// A score: any finite number.
#[inline]
pub fn score(text: &[u8]) -> Result<f64> {
    match float(text) {
        Some(value) if value.is_finite() => Ok(value),
        value => Err(bad_score(text, value)),
    }
}

#[cold]
fn bad_score(text: &[u8], value: Option<f64>) -> Box<Error> {
    let error = Error::new(Kind::Format, quoted(text), "a score (a finite number)");
    match value {
        Some(value) if value.is_nan() => {
            error.hint("a NaN score has no place in an order; find out where the system made it")
        }
        Some(_) => {
            error.hint("an infinite score ties with every other infinite one; write a large finite number")
        }
        None => error,
    }
}

/// A grade: a finite number within ±2^53.
#[inline]
pub fn grade(text: &[u8]) -> Result<f64> {
    match float(text) {
        Some(value) if value.abs() <= LARGEST_GRADE => Ok(value),
        _ => Err(Error::new(Kind::Format, quoted(text), "a grade (a finite number within ±2^53)")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores() {
        assert_eq!(score(b"-1.5e3").ok(), Some(-1500.0));
        assert_eq!(score(b"17").ok(), Some(17.0));
        for text in [&b"nan"[..], b"inf", b"-inf", b"1e999", b"abc", b"", b"1.5x", b"0x10"] {
            assert!(score(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn grades() {
        assert_eq!(grade(b"0.5").ok(), Some(0.5));
        assert_eq!(grade(b"-2").ok(), Some(-2.0));
        assert!(grade(b"99999999999999999999").is_err());
        assert!(grade(b"nan").is_err());
    }
}
