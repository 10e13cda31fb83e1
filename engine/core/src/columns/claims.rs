//! What the pages of a Parquet file claim to have, checked against what they can have. The library allocates
//! for what they claim, and where a machine has less memory the process would end.

use std::sync::Arc;

use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;

use super::headers::Headers;
use super::pages::Bytewise;

/// One row group of a file.
pub(super) struct RowGroup {
    pub reader: Arc<Bytewise>,
    pub metadata: Arc<ParquetMetaData>,
    pub number: usize,
}

impl RowGroups for RowGroup {
    fn num_rows(&self) -> usize {
        self.row_groups().map(|group| usize::try_from(group.num_rows()).unwrap_or(0)).sum()
    }

    fn column_chunks(&self, column: usize) -> Result<Box<dyn PageIterator>> {
        let own = self.row_groups().next().and_then(|group| group.columns().get(column));
        let own = own.ok_or_else(|| claimed("a row group without one of its columns"))?;
        let reader = Headers::new(self.reader.clone(), own.compression());
        let pages = SerializedPageReader::new(Arc::new(reader), own, self.num_rows(), None)?;
        let rows = self.num_rows() as u64;
        let pages: Box<dyn PageReader> = Box::new(Pages { pages, limits: Limits::of(own, rows) });
        Ok(Box::new(Once(Some(pages))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(self.metadata.row_groups().get(self.number).into_iter())
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// The pages of the one row group.
struct Once(Option<Box<dyn PageReader>>);

impl Iterator for Once {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(Ok)
    }
}

impl PageIterator for Once {}

/// The pages of a column, of which none claims what cannot be.
struct Pages<P> {
    pages: P,
    limits: Limits,
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

/// What the pages of a column can hold at most. Only columns without lists are read, whose values are no
/// more than their rows.
struct Limits {
    rows: u64,
    /// Whether there are definition levels before the values.
    nullable: bool,
    /// Whether values have no bytes.
    empty: bool,
}

impl Limits {
    fn of(column: &ColumnChunkMetaData, rows: u64) -> Self {
        let kind = column.column_descr();
        let empty = kind.physical_type() == Type::FIXED_LEN_BYTE_ARRAY && kind.type_length() == 0;
        Self { rows, nullable: kind.max_def_level() > 0, empty }
    }

    /// Lets a page pass that claims no more than can be.
    fn within(&self, page: Option<Page>) -> Result<Option<Page>> {
        let Some(page) = page else { return Ok(None) };
        let (count, bytes) = (u64::from(page.num_values()), page.buffer());
        match &page {
            Page::DictionaryPage { .. } => {
                let most = if self.empty { self.rows } else { bytes.len() as u64 };
                if count > most {
                    return Err(claimed("a dictionary of more values than its page has bytes"));
                }
            }
            Page::DataPage { .. } | Page::DataPageV2 { .. } => {
                if count > self.rows {
                    return Err(claimed("a page of more values than its row group has rows"));
                }
                let lengths = match page.encoding() {
                    Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
                    Encoding::DELTA_BYTE_ARRAY => 2,
                    _ => 0,
                };
                let mut rest = bytes.get(self.levels(&page)..).unwrap_or_default();
                for _ in 0..lengths {
                    let after = past_lengths(rest, count);
                    rest = after.ok_or_else(|| claimed("a page of more lengths than it can hold"))?;
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
                    // A bit for each.
                    num_values.div_ceil(8) as usize
                }
            }
            _ => 0,
        }
    }
}

/// What follows a list of lengths, of which the differences are stored in blocks of some blocks each; `None`
/// where there are more than so many lengths, or fewer bytes than they take.
fn past_lengths(mut bytes: &[u8], most: u64) -> Option<&[u8]> {
    let (block, blocks, count, _first) =
        (integer(&mut bytes)?, integer(&mut bytes)?, integer(&mut bytes)?, integer(&mut bytes)?);
    let values = block.checked_div(blocks).filter(|values| (1..=MOST_IN_A_BLOCK).contains(values))?;
    if count > most {
        return None;
    }
    let mut left = count.saturating_sub(1);
    while left > 0 {
        let _least = integer(&mut bytes)?;
        let (widths, after) = bytes.split_at_checked(usize::try_from(blocks).ok()?)?;
        let mut length = 0_u64;
        for &width in widths {
            // Of blocks that have no values there is only the width.
            if left > 0 {
                length += u64::from(width) * values / 8;
                left = left.saturating_sub(values);
            }
        }
        bytes = after.get(usize::try_from(length).ok()?..)?;
    }
    Some(bytes)
}

/// Writers put 32 or 64 values into a block of a block.
const MOST_IN_A_BLOCK: u64 = 1 << 16;

/// An integer, seven bits a byte.
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

#[cold]
pub(super) fn claimed(found: &str) -> ParquetError {
    ParquetError::General(found.to_owned())
}
