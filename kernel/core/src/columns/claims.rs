//! Checks the sizes that the pages of a Parquet file declare. The library allocates these sizes, which would
//! end the process on a machine with less memory.

use std::sync::Arc;

use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::Result;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;

use super::batches::Batches;
use super::headers::Headers;
use super::pages::Bytewise;

/// One row group of a file.
pub(super) struct RowGroup {
    pub reader: Arc<Bytewise>,
    pub metadata: Arc<ParquetMetaData>,
    pub number: usize,
    pub batches: Arc<Batches>,
}

impl RowGroups for RowGroup {
    fn num_rows(&self) -> usize {
        self.row_groups().map(|group| usize::try_from(group.num_rows()).unwrap_or(0)).sum()
    }

    fn column_chunks(&self, column: usize) -> Result<Box<dyn PageIterator>> {
        let own = self.row_groups().next().and_then(|group| group.columns().get(column));
        let own = own.ok_or_else(|| self.batches.refuse("a row group lacks a column"))?;
        let reader = Headers::new(self.reader.clone(), own.compression(), self.batches.clone());
        let pages = SerializedPageReader::new(Arc::new(reader), own, self.num_rows(), None)?;
        let rows = self.num_rows() as u64;
        let pages: Box<dyn PageReader> =
            Box::new(Pages { pages, limits: PageLimits::of(own, rows, self.batches.clone()) });
        Ok(Box::new(OneChunk(Some(pages))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(self.metadata.row_groups().get(self.number).into_iter())
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// The pages of the one row group.
struct OneChunk(Option<Box<dyn PageReader>>);

impl Iterator for OneChunk {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(Ok)
    }
}

impl PageIterator for OneChunk {}

/// The pages of a column, with checked sizes.
struct Pages<P> {
    pages: P,
    limits: PageLimits,
}

impl<P: PageReader> Iterator for Pages<P> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl<P: PageReader> PageReader for Pages<P> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.limits.within(self.pages.get_next_page()?)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn supports_deferred_dictionary(&self) -> bool {
        self.pages.supports_deferred_dictionary()
    }

    fn take_deferred_dictionary(&mut self) -> Result<Option<Page>> {
        self.limits.within(self.pages.take_deferred_dictionary()?)
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

/// The limits of the pages of a column. Only columns without lists are read, which have at most one value per
/// row.
struct PageLimits {
    rows: u64,
    /// Whether there are definition levels before the values.
    nullable: bool,
    /// Whether values have no bytes.
    empty: bool,
    /// Whether values have any number of bytes.
    text: bool,
    batches: Arc<Batches>,
}

impl PageLimits {
    fn of(column: &ColumnChunkMetaData, rows: u64, batches: Arc<Batches>) -> Self {
        let kind = column.column_descr();
        let empty = kind.physical_type() == Type::FIXED_LEN_BYTE_ARRAY && kind.type_length() == 0;
        let text = kind.physical_type() == Type::BYTE_ARRAY;
        Self { rows, nullable: kind.max_def_level() > 0, empty, text, batches }
    }

    /// Returns a page whose sizes are possible.
    fn within(&self, page: Option<Page>) -> Result<Option<Page>> {
        let Some(page) = page else { return Ok(None) };
        let (count, bytes) = (u64::from(page.num_values()), page.buffer());
        match &page {
            Page::DictionaryPage { .. } => {
                let most = if self.empty { self.rows } else { bytes.len() as u64 };
                if count > most {
                    return Err(self.batches.refuse("a dictionary has more values than its page has bytes"));
                }
                if self.text {
                    self.batches.fit(longest_of(bytes, count))?;
                }
            }
            Page::DataPage { .. } | Page::DataPageV2 { .. } => {
                if count > self.rows {
                    return Err(self.batches.refuse("a page has more values than its row group has rows"));
                }
                let lengths = match page.encoding() {
                    Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
                    Encoding::DELTA_BYTE_ARRAY => 2,
                    _ => 0,
                };
                let mut rest = bytes.get(self.levels(&page)..).unwrap_or_default();
                let mut longest = 0_u64;
                for _ in 0..lengths {
                    let after = past_lengths(rest, count);
                    let after = after
                        .ok_or_else(|| self.batches.refuse("a page has more lengths than it has room for"));
                    let (after, own) = after?;
                    longest = longest.saturating_add(own);
                    rest = after;
                }
                // Values that share a prefix with the previous value take more room than the page has.
                if lengths == 2 {
                    self.batches.fit(longest)?;
                }
            }
        }
        Ok(Some(page))
    }

    /// Where in a data page the values begin.
    fn levels(&self, page: &Page) -> usize {
        match page {
            Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
                (*def_levels_byte_len as usize).saturating_add(*rep_levels_byte_len as usize)
            }
            Page::DataPage { buf, def_level_encoding, num_values, .. } if self.nullable => {
                if *def_level_encoding == Encoding::RLE {
                    let length = buf.first_chunk().map_or(0, |four| u32::from_le_bytes(*four));
                    4 + length as usize
                } else {
                    // One bit per value.
                    num_values.div_ceil(8) as usize
                }
            }
            _ => 0,
        }
    }
}

/// The length of the longest value; each value follows its length in four bytes.
fn longest_of(mut bytes: &[u8], count: u64) -> u64 {
    let mut longest = 0;
    for _ in 0..count {
        let Some((length, rest)) = bytes.split_first_chunk() else { break };
        let length = u32::from_le_bytes(*length);
        longest = longest.max(length);
        bytes = rest.get(length as usize..).unwrap_or_default();
    }
    u64::from(longest)
}

/// The bytes after a list of delta-encoded lengths, and the largest length; `None` if there are more than
/// `most` lengths or too few bytes.
fn past_lengths(mut bytes: &[u8], most: u64) -> Option<(&[u8], u64)> {
    let (block, blocks, count, first) =
        (integer(&mut bytes)?, integer(&mut bytes)?, integer(&mut bytes)?, integer(&mut bytes)?);
    let values = block.checked_div(blocks).filter(|values| (1..=MOST_IN_A_BLOCK).contains(values))?;
    if count > most {
        return None;
    }
    let mut length = signed(first);
    let mut longest = length;
    let mut left = count.saturating_sub(1);
    while left > 0 {
        let least = signed(integer(&mut bytes)?);
        let (widths, mut packed) = bytes.split_at_checked(usize::try_from(blocks).ok()?)?;
        for &width in widths {
            // Blocks without values have only a width.
            if left > 0 {
                let taken = usize::try_from(u64::from(width) * values / 8).ok()?;
                let (own, rest) = packed.split_at_checked(taken)?;
                differences(own, u32::from(width), values.min(left), |difference| {
                    length = length.wrapping_add(least).wrapping_add(difference);
                    longest = longest.max(length);
                })?;
                packed = rest;
                left = left.saturating_sub(values);
            }
        }
        bytes = packed;
    }
    Some((bytes, u64::try_from(longest).unwrap_or(0)))
}

/// Bit-packed numbers, truncated to 32 bits; `None` for an invalid width.
fn differences(bytes: &[u8], width: u32, count: u64, mut take: impl FnMut(i32)) -> Option<()> {
    let mask = (1_u128 << width.min(64)) - 1;
    let (mut bits, mut have, mut bytes) = (0_u128, 0, bytes.iter());
    for _ in 0..count {
        while have < width {
            bits |= u128::from(*bytes.next()?) << have;
            have += 8;
        }
        take((bits & mask) as i32);
        bits >>= width;
        have -= width;
    }
    (width <= 64).then_some(())
}

/// Decodes a zigzag integer, truncated to 32 bits.
fn signed(value: u64) -> i32 {
    ((value >> 1) as i64 ^ -((value & 1) as i64)) as i32
}

/// Writers put 32 or 64 values into a block of a block.
const MOST_IN_A_BLOCK: u64 = 1 << 16;

/// A variable-length integer, seven bits per byte.
fn integer(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}
