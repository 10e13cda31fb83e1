//! Encodes the rows of one query as bytes, and decodes them.
//!
//! The bytes are, in this order and little-endian: the values (64 bits each); the lengths of the document ids
//! (32 bits each); if rows have labels, the number of each row's label within the query, the lengths of the
//! label names (32 bits each), and the names; the document ids.

use std::fs::File;

use super::{DiskExtent, read_exactly, unreadable};
use crate::error::Result;
use crate::memory;
use crate::rows::{QueryRows, Span};

/// A buffer with the rows of one query.
#[derive(Debug, Default)]
pub struct DiskBlock {
    bytes: Vec<u8>,
    documents: Vec<Span>,
    values: Vec<f64>,
    labels: Vec<u32>,
    label_names: Vec<Span>,
}

impl DiskBlock {
    pub(super) fn read(&mut self, file: &File, extent: DiskExtent) -> Result<()> {
        let length = usize::try_from(extent.length).map_err(|_| unreadable("it is too long"))?;
        memory::resize(&mut self.bytes, length, 0)?;
        read_exactly(file, &mut self.bytes, extent.at)?;
        self.decode(extent).ok_or_else(|| unreadable("other bytes than were written"))
    }

    /// Decodes bytes that were written with an extent.
    pub(super) fn fill(&mut self, bytes: &[u8], extent: DiskExtent) -> Result<()> {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        self.decode(extent).ok_or_else(|| unreadable("other bytes than were written"))
    }

    fn decode(&mut self, extent: DiskExtent) -> Option<()> {
        let Self { bytes, documents, values, labels, label_names } = self;
        let (rows, names) = (extent.rows as usize, extent.labels as usize);
        let mut rest = bytes.as_slice();
        values.clear();
        let encoded = rest.split_off(..rows.checked_mul(8)?)?;
        values.extend(encoded.as_chunks().0.iter().map(|&value| f64::from_le_bytes(value)));
        let lengths = rest.split_off(..rows * 4)?;
        labels.clear();
        label_names.clear();
        if names > 0 {
            let encoded = rest.split_off(..rows * 4)?;
            labels.extend(encoded.as_chunks().0.iter().map(|&label| u32::from_le_bytes(label)));
            let lengths = rest.split_off(..names.checked_mul(4)?)?;
            let first = bytes.len() - rest.len();
            let end = add_spans(lengths, first, label_names);
            rest = bytes.get(end..)?;
        }
        documents.clear();
        let end = add_spans(lengths, bytes.len() - rest.len(), documents);
        (end == bytes.len()).then_some(())
    }

    /// Returns the rows. `id` is the id of their query.
    pub(super) fn rows<'b>(&'b self, id: &'b [u8]) -> QueryRows<'b> {
        QueryRows {
            id,
            arena: &self.bytes,
            documents: &self.documents,
            values: &self.values,
            ranks: &[],
            labels: &self.labels,
            label_names: &self.label_names,
        }
    }
}

/// Appends the spans of consecutive ids; returns where they end.
fn add_spans(lengths: &[u8], first: usize, into: &mut Vec<Span>) -> usize {
    let mut at = first as u64;
    for &length in lengths.as_chunks().0 {
        let length = u32::from_le_bytes(length);
        into.push(Span { at, length });
        at += u64::from(length);
    }
    usize::try_from(at).unwrap_or(usize::MAX)
}

/// Appends the bytes of a query's rows; returns the number of distinct labels.
pub(super) fn encode(rows: &QueryRows<'_>, bytes: &mut Vec<u8>) -> u32 {
    bytes.extend(rows.values.iter().flat_map(|value| value.to_le_bytes()));
    bytes.extend(rows.documents.iter().flat_map(|span| { span.length }.to_le_bytes()));
    let mut used: Vec<u32> = rows.labels.to_vec();
    used.sort_unstable();
    used.dedup();
    let number = |label: &u32| u32::try_from(used.binary_search(label).unwrap_or(0)).unwrap_or(u32::MAX);
    bytes.extend(rows.labels.iter().flat_map(|label| number(label).to_le_bytes()));
    let names = || used.iter().filter_map(|&label| rows.label_names.get(label as usize));
    bytes.extend(names().flat_map(|span| { span.length }.to_le_bytes()));
    names().for_each(|span| bytes.extend_from_slice(span.of(rows.arena)));
    rows.documents.iter().for_each(|span| bytes.extend_from_slice(span.of(rows.arena)));
    u32::try_from(used.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::RowsBuilder;

    fn sample(labelled: bool) -> crate::rows::Rows {
        let mut builder = RowsBuilder::new(false);
        for (label, document, value) in
            [("b", "x", 1.0), ("a", "", -0.0), ("c", "\u{e9}", 2.5), ("a", "x", 0.0)]
        {
            if labelled {
                builder.label(label.as_bytes());
            }
            builder.push(b"q", document.as_bytes(), value, f64::NAN, 0);
        }
        builder.build()
    }

    #[test]
    fn decoding_restores_encoded_rows() {
        for labelled in [false, true] {
            let rows = sample(labelled);
            let query = rows.query(0);
            let mut bytes = Vec::new();
            let labels = encode(&query, &mut bytes);
            assert_eq!(labels, if labelled { 3 } else { 0 });
            let extent = DiskExtent { at: 0, length: bytes.len() as u64, rows: 4, labels };
            let mut block = DiskBlock::default();
            block.fill(&bytes, extent).unwrap();
            let decoded = block.rows(b"q");
            assert!(decoded.values.iter().zip(query.values).all(|(a, b)| a.to_bits() == b.to_bits()));
            for row in 0..4 {
                assert_eq!(
                    (decoded.document(row), decoded.label(row)),
                    (query.document(row), query.label(row))
                );
            }
            for cut in 0..bytes.len() {
                assert!(block.fill(&bytes[..cut], extent).is_err());
            }
        }
    }
}
