//! Numbers in text.

use crate::error::{Error, Kind, Result, quoted};
use crate::known::Known;

/// The largest magnitude of a grade: beyond it, consecutive integers are not distinct as floats.
pub const LARGEST_GRADE: f64 = 9_007_199_254_740_992.0;

/// Writes the decimal text of an integer at the end of `digits`, and returns where it starts.
#[inline]
pub fn decimal(magnitude: u64, negative: bool, digits: &mut [u8; 20]) -> usize {
    let mut rest = magnitude;
    let mut start = digits.len();
    loop {
        start -= 1;
        if let Some(digit) = digits.get_mut(start) {
            *digit = b'0' + (rest % 10) as u8;
        }
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if negative {
        start -= 1;
        if let Some(sign) = digits.get_mut(start) {
            *sign = b'-';
        }
    }
    start
}

/// Parses a decimal number, NaN or an infinity.
#[inline]
#[must_use]
pub fn float(text: &[u8]) -> Option<f64> {
    match plain(text) {
        Some(value) => Some(value),
        None => fast_float2::parse::<f64, _>(text).ok(),
    }
}

/// Powers of ten that are exact in 64 bits and that `plain` needs.
const TENS: [f64; 17] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16];

/// Parses the form of nearly every score: an optional minus, digits, and optionally a point and more digits.
/// With up to 15 digits they are exact below 2^53, the power of ten is exact, and so the one division rounds
/// correctly (Clinger 1990). The parser handles all other numbers.
#[inline(always)]
fn plain(text: &[u8]) -> Option<f64> {
    let (negative, unsigned) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    // At most 15 digits and a point.
    if unsigned.len() > 16 {
        return None;
    }
    let mut whole = 0u64;
    let mut rest = unsigned;
    while let [byte, after @ ..] = rest {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        whole = whole * 10 + u64::from(digit);
        rest = after;
    }
    let fraction = match rest {
        [] if unsigned.len() < 16 => rest,
        [b'.', fraction @ ..] => fraction,
        _ => return None,
    };
    if unsigned.len() == 1 && !rest.is_empty() || unsigned.is_empty() {
        return None;
    }
    let digits = match unsigned.last_chunk() {
        Some(chunk) if fraction.len() <= 8 => {
            whole * POWERS.get(fraction.len())? + last_digits(chunk, fraction.len())?
        }
        _ => {
            let mut digits = whole;
            for byte in fraction {
                let digit = byte.wrapping_sub(b'0');
                if digit > 9 {
                    return None;
                }
                digits = digits * 10 + u64::from(digit);
            }
            digits
        }
    };
    // From a signed integer the conversion is one instruction; the digits fit.
    let value = digits.cast_signed() as f64 / TENS.get(fraction.len())?;
    Some(if negative { -value } else { value })
}

const POWERS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Parses the last few of eight bytes at once: pairs of digits, then fours, then eight.
#[inline(always)]
fn last_digits(chunk: &[u8; 8], count: usize) -> Option<u64> {
    const EACH: u64 = 0x0101_0101_0101_0101;
    if count == 0 {
        return Some(0);
    }
    // The preceding, lower bytes become zeros.
    let digits = (u64::from_le_bytes(*chunk) ^ (EACH * 0x30)) & (u64::MAX << (64 - 8 * count));
    // All bytes 0 to 9: neither they nor they plus 6 reach the upper four bits.
    if (digits | digits.wrapping_add(EACH * 6)) & (EACH * 0xf0) != 0 {
        return None;
    }
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    Some(fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff)
}

/// A score: any finite number.
#[inline(always)]
pub fn score(text: &[u8]) -> Result<f64> {
    // The result of `plain` is finite; a check would wait for the division.
    if let Some(value) = plain(text) {
        return Ok(value);
    }
    match fast_float2::parse::<f64, _>(text).ok() {
        Some(value) if value.is_finite() && is_rounded(text, value) => Err(rounded(text)),
        Some(value) if value.is_finite() => Ok(value),
        value => Err(bad_score(text, value)),
    }
}

/// Whether the text is an integer, and the float is another number.
#[must_use]
pub fn is_rounded(text: &[u8], value: f64) -> bool {
    if value.abs() < LARGEST_GRADE {
        return false;
    }
    let unsigned = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let zeros = unsigned.iter().take_while(|digit| **digit == b'0').count();
    let digits = unsigned.known(zeros..);
    digits.iter().all(u8::is_ascii_digit) && format!("{:.0}", value.abs()).as_bytes() != digits
}

const ROUNDED: &str = "is rounded to another number, since integers are exact up to 2^53";

/// A rank in text.
pub fn rank(text: &[u8]) -> Result<f64> {
    match float(text) {
        Some(value) if value.is_finite() && !is_rounded(text, value) => Ok(value),
        _ => Err(bad_rank(text)),
    }
}

#[cold]
#[must_use]
pub fn bad_rank(text: &[u8]) -> Box<Error> {
    let is_finite = float(text).is_some_and(f64::is_finite);
    let what = if is_finite { ROUNDED } else { "is not a finite number" };
    Error::statement(Kind::Format, format!("rank {} {what}", quoted(text)))
}

/// The error of an integer score that is not a float.
#[cold]
#[must_use]
pub fn rounded(text: &[u8]) -> Box<Error> {
    let found = format!("score {} {ROUNDED}", quoted(text));
    Error::statement(Kind::Format, found).hint("write it with a decimal point if equal scores may result")
}

#[cold]
fn bad_score(text: &[u8], value: Option<f64>) -> Box<Error> {
    let error = |what| Error::statement(Kind::Format, format!("score {} is not {what}", quoted(text)));
    match value {
        Some(value) if value.is_nan() => {
            error("finite").hint("NaN cannot be ranked; check how the system computed it")
        }
        Some(_) => error("finite").hint("infinite scores tie with each other; write a large finite number"),
        None => decimal_comma(text).unwrap_or_else(|| error("a number")),
    }
}

/// The error for a number with a decimal comma, if the text is one.
#[cold]
#[must_use]
pub fn decimal_comma(text: &[u8]) -> Option<Box<Error>> {
    let comma = memchr::memchr(b',', text)?;
    let (whole, fraction) = (text.get(..comma)?, text.get(comma + 1..)?);
    let digits = whole.strip_prefix(b"-").or_else(|| whole.strip_prefix(b"+")).unwrap_or(whole);
    let numeric = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    if !numeric(digits) || !numeric(fraction) {
        return None;
    }
    let found = format!("{} has a decimal comma", quoted(text));
    Some(Error::statement(Kind::Format, found).hint("export numbers with decimal points, as in 0.5"))
}

/// A grade: a finite number within ±2^53, or a word such as yes or no.
#[inline]
pub fn grade(text: &[u8]) -> Result<f64> {
    match float(text) {
        Some(value) if value.abs() <= LARGEST_GRADE && !is_rounded(text, value) => Ok(value),
        _ => label(text).ok_or_else(|| bad_grade(text)),
    }
}

/// Words that are grades for everyone.
const LABELS: [(&str, f64); 10] = [
    ("y", 1.0),
    ("n", 0.0),
    ("true", 1.0),
    ("false", 0.0),
    ("yes", 1.0),
    ("no", 0.0),
    ("relevant", 1.0),
    ("irrelevant", 0.0),
    ("not relevant", 0.0),
    ("nonrelevant", 0.0),
];

#[cold]
fn label(text: &[u8]) -> Option<f64> {
    let known = LABELS.iter().find(|(label, _)| text.eq_ignore_ascii_case(label.as_bytes()));
    known.map(|(_, grade)| *grade)
}

#[cold]
fn bad_grade(text: &[u8]) -> Box<Error> {
    let what = if float(text).is_some() { "a finite number within ±2^53" } else { "a number" };
    let error = || Error::statement(Kind::Format, format!("grade {} is not {what}", quoted(text)));
    decimal_comma(text).unwrap_or_else(error)
}

/// Parses like C's `atof`: the number at the start of a word, decimal or hexadecimal, an infinity, a NaN, or
/// 0.
#[must_use]
pub fn atof(text: &[u8]) -> f64 {
    let (negative, unsigned) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let value = match unsigned {
        [b'0', b'x' | b'X', digits @ ..] => hexadecimal(digits),
        // The parser would accept a second sign.
        [b'+' | b'-', ..] => 0.0,
        _ => fast_float2::parse_partial::<f64, _>(unsigned).map_or(0.0, |(value, _)| value),
    };
    if negative { -value } else { value }
}

/// Parses the hexadecimal number at the start: `1.8p3` is 12.
fn hexadecimal(text: &[u8]) -> f64 {
    let (mut digits, mut exponent) = (0u64, 0i32);
    let (mut any, mut fraction) = (false, false);
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        if let Some(digit) = char::from(*byte).to_digit(16) {
            any = true;
            exponent -= if fraction { 4 } else { 0 };
            if digits >> 60 == 0 {
                digits = digits << 4 | u64::from(digit);
            } else {
                // Beyond 64 bits, a digit moves the point and sets a sticky bit for rounding.
                digits |= u64::from(digit != 0);
                exponent = exponent.saturating_add(4);
            }
        } else if *byte == b'.' && !fraction {
            fraction = true;
        } else {
            break;
        }
        rest = after;
    }
    if let [b'p' | b'P', after @ ..] = rest
        && any
    {
        exponent = exponent.saturating_add(i32::try_from(atol(after)).unwrap_or(i32::MAX));
    }
    // In two steps, since the power of two may be out of range although the product is not.
    let half = exponent.clamp(-2400, 2400) / 2;
    digits as f64 * 2f64.powi(half) * 2f64.powi(exponent.clamp(-2400, 2400) - half)
}

/// Parses like C's `atol`: the integer at the start of a word, or 0.
#[must_use]
pub fn atol(text: &[u8]) -> i64 {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let mut value = 0i64;
    for digit in digits.iter().map(|byte| byte.wrapping_sub(b'0')).take_while(|&digit| digit < 10) {
        value = value.saturating_mul(10).saturating_add(i64::from(digit));
    }
    if negative { -value } else { value }
}

/// Parses a score like trec_eval; refuses NaN.
pub fn score_prefix(text: &[u8]) -> Result<f64> {
    let value = atof(text);
    if value.is_nan() { Err(bad_score(text, Some(value))) } else { Ok(value) }
}

/// Parses a grade like trec_eval: the integer at the start of a word. All negative grades become -2, since it
/// does not distinguish them.
pub fn grade_prefix(text: &[u8]) -> Result<f64> {
    match atol(text) {
        ..0 => Ok(-2.0),
        value if value as f64 <= LARGEST_GRADE => Ok(value as f64),
        _ => label(text).ok_or_else(|| bad_grade(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores() {
        assert_eq!(score(b"-1.5e3").ok(), Some(-1500.0));
        assert_eq!(score(b"17").ok(), Some(17.0));
        assert_eq!(score(b"-.5").ok(), Some(-0.5));
        assert_eq!(score(b"-1152921504606846976").ok(), Some(-(2f64.powi(60))));
        assert_eq!(score(b"340282366920938463463374607431768211456").ok(), Some(2f64.powi(128)));
        assert_eq!(score(b"9007199254740993.0").ok(), Some(LARGEST_GRADE));
        assert_eq!(score(b"123456789012345.").ok(), Some(123_456_789_012_345.0));
        for text in [
            &b"nan"[..],
            b"inf",
            b"-inf",
            b"1e999",
            b"abc",
            b"",
            b".",
            b"-",
            b"-.",
            b"1.5x",
            b"1.5.2",
            b"..",
            b"0x10",
            b"1/2",
            b"1:2",
            b"\xb1\xb2",
            b"9007199254740993",
            b"-9007199254740993",
            b"+0010000000000000000000000001",
            b"1000000000000000000000000000000000000000000001",
        ] {
            assert!(score(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn prefixes() {
        for (text, value) in [
            ("12abc", 12.0),
            ("-1.5e3", -1500.0),
            ("+.5", 0.5),
            ("1e", 1.0),
            ("1e+", 1.0),
            ("0x10", 16.0),
            ("-0x1.8p3z", -12.0),
            ("0x", 0.0),
            ("0x.8", 0.5),
            ("0xfffffffffffff8p0", 72_057_594_037_927_928.0),
            ("abc", 0.0),
            ("", 0.0),
            (".", 0.0),
            ("--5", 0.0),
            ("+-5", 0.0),
            ("1,5", 1.0),
            ("inf", f64::INFINITY),
            ("-Infinityx", f64::NEG_INFINITY),
            ("1e400", f64::INFINITY),
            ("infant", f64::INFINITY),
        ] {
            assert_eq!(atof(text.as_bytes()), value, "{text}");
        }
        assert!(score_prefix(b"NaN").is_err() && score_prefix(b"-nan(1)").is_err());
        assert_eq!(["0.7", "abc", "1e2", "-3", "+4x"].map(|text| atol(text.as_bytes())), [0, 0, 1, -3, 4]);
        assert_eq!(grade_prefix(b"-7").ok(), Some(-2.0));
        assert!(grade_prefix(b"99999999999999999999").is_err());
    }

    #[test]
    fn fast_path_agrees_with_the_parser() {
        let mut state = 7u64;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let digits = (state >> 8) % 10u64.pow(1 + (state >> 60) as u32);
            let text = match state % 4 {
                0 => format!("{digits}"),
                1 => format!("-{}.{:03}", digits / 1000, digits % 1000),
                2 => format!(".{digits}"),
                _ => format!("{digits}."),
            };
            let expected: f64 = fast_float2::parse(&text).unwrap();
            assert_eq!(float(text.as_bytes()).map(f64::to_bits), Some(expected.to_bits()), "{text}");
        }
    }

    #[test]
    fn grades() {
        assert_eq!(grade(b"0.5").ok(), Some(0.5));
        assert_eq!(grade(b"-2").ok(), Some(-2.0));
        assert_eq!(grade(b"-9007199254740992").ok(), Some(-LARGEST_GRADE));
        for text in [&b"9007199254740993"[..], b"99999999999999999999", b"nan"] {
            assert!(grade(text).is_err(), "{text:?}");
        }
    }
}
