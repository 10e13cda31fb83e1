//! Computes a digest of 256 bits that does not depend on the order of rows.

use sha2::{Digest, Sha256};

use super::{QueryRows, Rows, SortKey};

/// Goes in first, so that another way to write rows down gives other digests.
const HEAD: &[u8] = b"gainful rows 1";
/// Bytes are hashed in pieces of this size or a little more.
const MOST_BYTES: usize = 1 << 16;

impl Rows {
    /// SHA-256 of the content: queries in byte order of their ids, their rows in byte order of document
    /// and label. With `scored` false the rows are in their given order, and their values do not count.
    ///
    /// Two tables have the same digest if [`Rows::same`] finds them equal. So ranks of scored runs are not
    /// included.
    #[must_use]
    pub fn digest(&self, scored: bool) -> [u8; 32] {
        let mut digested = Digested::new(scored);
        for &number in self.sorted() {
            digested.add(&self.query(number as usize));
        }
        digested.finish()
    }
}

/// A digest in the making, of queries that come in byte order of their ids.
pub(super) struct Digested {
    hash: Sha256,
    scored: bool,
    rows: Vec<SortKey>,
    /// Not yet hashed.
    bytes: Vec<u8>,
}

impl Digested {
    pub(super) fn new(scored: bool) -> Self {
        let mut hash = Sha256::new();
        hash.update(HEAD);
        hash.update([u8::from(scored)]);
        Self { hash, scored, rows: Vec::new(), bytes: Vec::new() }
    }

    pub(super) fn add(&mut self, query: &QueryRows<'_>) {
        let Self { hash, scored, rows, bytes } = self;
        bytes.clear();
        text(bytes, query.id);
        query.pairs(rows, *scored);
        length(bytes, rows.len());
        for pair in &*rows {
            text(bytes, query.document(pair.row));
            match query.label(pair.row) {
                None => bytes.push(0),
                Some(label) => {
                    bytes.push(1);
                    text(bytes, label);
                }
            }
            if *scored {
                // Adding 0 turns -0.0 into 0.0, which equals it.
                bytes.extend_from_slice(&(pair.value + 0.0).to_le_bytes());
            }
            if bytes.len() >= MOST_BYTES {
                hash.update(&*bytes);
                bytes.clear();
            }
        }
        hash.update(&*bytes);
    }

    pub(super) fn finish(self) -> [u8; 32] {
        self.hash.finalize().into()
    }
}

/// With its length before it, so that no two sequences of texts give the same bytes.
fn text(bytes: &mut Vec<u8>, text: &[u8]) {
    length(bytes, text.len());
    bytes.extend_from_slice(text);
}

fn length(bytes: &mut Vec<u8>, length: usize) {
    bytes.extend_from_slice(&(length as u64).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::RowsBuilder;

    const ROWS: [(&str, &str, f64); 4] = [("b", "x", 1.0), ("a", "", 2.5), ("b", "y", 0.0), ("c", "x", -3.0)];

    fn rows(given: &[(&str, &str, f64)]) -> Rows {
        let mut builder = RowsBuilder::new(false);
        for &(query, document, value) in given {
            builder.push(query.as_bytes(), document.as_bytes(), value, f64::NAN, 0);
        }
        builder.build()
    }

    #[test]
    fn order_of_rows_with_scores_does_not_matter() {
        let mut turned = ROWS;
        turned.reverse();
        assert_eq!(rows(&ROWS).digest(true), rows(&turned).digest(true));
        assert_ne!(rows(&ROWS).digest(false), rows(&turned).digest(false));
        assert_ne!(rows(&ROWS).digest(true), rows(&ROWS).digest(false));
    }

    #[test]
    fn both_zeros_are_equal() {
        let mut other = ROWS;
        other[2].2 = -0.0;
        assert_eq!(rows(&ROWS).digest(true), rows(&other).digest(true));
    }

    #[test]
    fn any_difference_changes_the_digest() {
        let mut digests = vec![rows(&ROWS).digest(true), rows(&ROWS[..3]).digest(true)];
        for (at, (query, document, value)) in
            [(0, ("b", "z", 1.0)), (0, ("bx", "", 1.0)), (0, ("b", "x", 1.5)), (3, ("d", "x", -3.0))]
        {
            let mut other = ROWS;
            other[at] = (query, document, value);
            digests.push(rows(&other).digest(true));
        }
        let mut builder = RowsBuilder::new(false);
        rows(&ROWS).iter().for_each(|query| builder.copy(&query, 0..query.values.len()));
        builder.query(b"nothing judged");
        digests.push(builder.build().digest(true));
        let mut builder = RowsBuilder::new(false);
        builder.label(b"");
        for (query, document, value) in ROWS {
            builder.push(query.as_bytes(), document.as_bytes(), value, f64::NAN, 0);
        }
        digests.push(builder.build().digest(true));
        let all = digests.len();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), all);
    }

    #[test]
    fn digest_is_stable_across_versions() {
        let hex: String = rows(&ROWS).digest(true).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "5c55fc9be3b2d6ae3e59ae0f70cd0527bdbb5905f41faf045f5df22c2475a8da");
    }
}
