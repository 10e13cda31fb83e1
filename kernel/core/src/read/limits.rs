//! Limits decompression, so that a small file cannot fill memory or disk.
//!
//! Two environment variables set the limits, for files and addresses, text and columns alike.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::compression::errors::{refused_by_decoder, unread};
use crate::error::{Error, Kind, Result, quoted};

/// Sets the largest size after decompression, for each byte of compressed data.
pub const RATIO: &str = "GAINFUL_MAX_RATIO";

/// Sets the largest size after decompression, in bytes.
pub const SIZE: &str = "GAINFUL_MAX_SIZE";

/// The defaults. Runs compress by a factor of 5 to 70, and tables of zeros by up to 150.
const DEFAULT_RATIO: u64 = 200;
const DEFAULT_SIZE: u64 = 64_000_000_000;

/// Up to this size the ratio does not matter: small files of repeated lines compress very well.
const SMALL: u64 = 8 << 20;

/// The limits of decompression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes for each compressed byte; applies above 8 MiB.
    pub ratio: u64,
    /// Bytes in total.
    pub size: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { ratio: DEFAULT_RATIO, size: DEFAULT_SIZE }
    }
}

impl Limits {
    /// The limits of the environment, or the defaults.
    pub fn of_environment() -> Result<Self> {
        let of = |name, default, units| match std::env::var_os(name) {
            Some(text) if !text.is_empty() => {
                number(&text.to_string_lossy(), units).ok_or_else(|| refused(name, &text.to_string_lossy()))
            }
            _ => Ok(default),
        };
        Ok(Self { ratio: of(RATIO, DEFAULT_RATIO, false)?, size: of(SIZE, DEFAULT_SIZE, true)? })
    }

    /// Refuses data that expand, or declare to expand, beyond the limits.
    pub fn check(self, compressed: u64, expanded: u64) -> Result<()> {
        if expanded > SMALL && expanded > self.ratio.saturating_mul(compressed) {
            let found = format!("{} in {} of compressed data", Bytes(expanded), Bytes(compressed));
            let expected = format!("at most {} times the compressed size", self.ratio);
            return Err(Error::new(Kind::Source, found, expected).hint(raise(RATIO, "1000")));
        }
        self.check_size(expanded)
    }

    /// Refuses data that are, or declare to be, larger than the limit, compressed or not.
    pub fn check_size(self, size: u64) -> Result<()> {
        if size <= self.size {
            return Ok(());
        }
        let found = format!("the file has more than {} of data", Bytes(self.size));
        Err(Error::statement(Kind::Source, found).hint(raise(SIZE, "200GB")))
    }
}

#[cold]
fn raise(name: &str, value: &str) -> String {
    format!("if you trust the file, raise the limit: {name}={value}")
}

#[cold]
fn refused(name: &str, text: &str) -> Box<Error> {
    let example = if name == RATIO { "a number such as 1000" } else { "a number of bytes such as 200GB" };
    Error::new(Kind::Parameter, quoted(text.as_bytes()), format!("{example}, or none")).file(name)
}

/// Parses an integer of 1 or more, with an optional unit of bytes; `none` is no limit.
fn number(text: &str, units: bool) -> Option<u64> {
    let text = text.trim().to_ascii_uppercase();
    if text == "NONE" {
        return Some(u64::MAX);
    }
    let digits = text.trim_end_matches(['B', 'K', 'M', 'G', 'T', ' ']);
    let unit: u64 = match text.get(digits.len()..)?.trim() {
        "" => 1,
        _ if !units => return None,
        "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        _ => return None,
    };
    let whole: u64 = digits.parse().ok()?;
    whole.checked_mul(unit).filter(|&product| product > 0)
}

/// Displays a number of bytes with a unit.
struct Bytes(u64);

impl fmt::Display for Bytes {
    #[allow(clippy::cast_precision_loss)] // three digits are shown
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("KB", 1e3)];
        match units.iter().find(|(_, unit)| self.0 as f64 >= *unit) {
            Some((name, unit)) => {
                let value = self.0 as f64 / unit;
                write!(f, "{value:.*} {name}", usize::from(value < 10.0))
            }
            None => write!(f, "{} bytes", self.0),
        }
    }
}

/// A stream of compressed bytes, which counts them and marks its errors, since decoders pass them on.
pub(super) struct CountedStream<R> {
    pub stream: R,
    pub count: Arc<AtomicU64>,
}

impl<R: Read> Read for CountedStream<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(into).map_err(unread)?;
        self.count.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// A stream of decompressed bytes that ends with an error beyond the limits.
pub(super) struct Limited<R> {
    pub stream: R,
    pub limits: Limits,
    /// How many compressed bytes were read for it.
    pub compressed: Arc<AtomicU64>,
    pub expanded: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(into).map_err(refused_by_decoder)?;
        self.expanded += read as u64;
        let compressed = self.compressed.load(Ordering::Relaxed);
        self.limits.check(compressed, self.expanded).map_err(|error| io::Error::other(*error))?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn numbers_have_units_where_they_are_sizes() {
        assert_eq!(number("1000", false), Some(1000));
        assert_eq!(number(" 2 gb", true), Some(2_000_000_000));
        assert_eq!(number("none", false), Some(u64::MAX));
        for bad in ["", "0", "-1", "1.5", "2XB", "GB", "99999999TB"] {
            assert_eq!(number(bad, true), None, "{bad}");
        }
        assert_eq!(number("2GB", false), None);
    }

    #[test]
    fn ratio_is_checked_only_above_a_size() {
        let limits = Limits { ratio: 10, size: 1 << 30 };
        limits.check(1, SMALL).unwrap();
        limits.check(1 << 26, 1 << 29).unwrap();
        let error = limits.check(1000, SMALL + 1).unwrap_err();
        assert_eq!(error.found, "8.4 MB in 1.0 KB of compressed data");
        assert_eq!(error.expected, "at most 10 times the compressed size");
        assert_eq!(
            limits.check(1 << 30, (1 << 30) + 1).unwrap_err().found,
            "the file has more than 1.1 GB of data"
        );
    }

    #[test]
    fn a_stream_ends_at_the_limit() {
        let limits = Limits { ratio: 10, size: 100 };
        let compressed = Arc::new(AtomicU64::new(1 << 20));
        let mut limited = Limited { stream: io::repeat(0), limits, compressed, expanded: 0 };
        let mut buffer = [0; 64];
        assert_eq!(limited.read(&mut buffer).unwrap(), 64);
        assert!(limited.read(&mut buffer).unwrap_err().get_ref().unwrap().is::<Error>());
    }
}
