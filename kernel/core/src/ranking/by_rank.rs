//! Orders documents by ranks instead of scores.

use super::{Block, BlockIds, Ids, Numbers, RowFault};
use crate::error::{Error, Kind};
use crate::known::Known;
use crate::rows::Span;

/// Orders the documents of a query by their ranks; keeps its buffers between queries.
#[derive(Default)]
pub struct ByRank {
    order: Vec<u32>,
    bits: Vec<u64>,
    spans: Vec<Span>,
}

impl ByRank {
    /// The block with its documents in order and without keys. Its keys are the ranks so far, which must
    /// be numbers and differ.
    pub fn order<'a>(&'a mut self, block: &Block<'a>) -> std::result::Result<Block<'a>, RowFault> {
        self.order.clear();
        let sorted = Block { keys: &[], ..*block };
        if block.keys.windows(2).all(|pair| matches!(pair, [a, b] if a < b))
            && !block.keys.first().is_some_and(|rank| rank.is_nan())
        {
            return Ok(sorted);
        }
        let rank = |row: u32| *block.keys.known(row as usize);
        self.order.extend(0..u32::try_from(block.keys.len()).unwrap_or(u32::MAX));
        self.order.sort_by(|&a, &b| rank(a).total_cmp(&rank(b)));
        let wrong = self.order.iter().find(|&&row| rank(row).is_nan());
        let again = || {
            self.order.windows(2).find_map(|pair| match *pair {
                [a, b] if rank(a) == rank(b) => Some((a.max(b), "duplicate rank")),
                _ => None,
            })
        };
        if let Some((row, found)) = wrong.map(|&row| (row, "the rank is not a number")).or_else(again) {
            let row = row as usize;
            let error =
                Error::statement(Kind::Format, found).query(block.query).document(&block.ids.get(row));
            return Err(RowFault { row, error, whole: false });
        }
        let rows = self.order.iter().map(|&row| row as usize);
        let ids = match block.ids {
            BlockIds::Numbers(ids) => {
                self.bits.clear();
                self.bits.extend(rows.map(|row| *ids.bits.known(row)));
                BlockIds::Numbers(Numbers { bits: &self.bits, ..ids })
            }
            BlockIds::Bytes(ids) => {
                self.spans.clear();
                self.spans.extend(rows.map(|row| *ids.spans.known(row)));
                BlockIds::Bytes(Ids { spans: &self.spans, ..ids })
            }
        };
        Ok(Block { ids, ..sorted })
    }

    /// The original row of a row in the last block.
    #[must_use]
    pub fn before(&self, row: usize) -> usize {
        self.order.get(row).map_or(row, |&before| before as usize)
    }
}
