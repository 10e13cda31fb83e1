//! The header of the rows of a query in the file.

/// The size of a header in bytes.
pub(super) const HEADER: usize = 24;

/// The header of a query's rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowsHeader {
    pub query: u32,
    pub rows: u32,
    pub labels: u32,
    /// Whether the places of the rows follow.
    pub placed: bool,
    /// The size of the rows in bytes.
    pub length: u64,
}

impl RowsHeader {
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let (words, length) = bytes.split_at_checked(HEADER - 8)?;
        let &[query, rows, labels, placed] = words.as_chunks().0 else { return None };
        let length = u64::from_le_bytes(length.try_into().ok()?);
        let [query, rows, labels, placed] = [query, rows, labels, placed].map(u32::from_le_bytes);
        Some(Self { query, rows, labels, placed: placed != 0, length })
    }

    pub(super) fn bytes(self) -> impl Iterator<Item = u8> {
        let words = [self.query, self.rows, self.labels, u32::from(self.placed)];
        words.into_iter().flat_map(u32::to_le_bytes).chain(self.length.to_le_bytes())
    }

    /// Returns the size of the places in bytes.
    pub(super) fn places(self) -> u64 {
        if self.placed { 8 * u64::from(self.rows) } else { 0 }
    }
}
