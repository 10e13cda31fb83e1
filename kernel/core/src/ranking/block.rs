//! One query of a run, the input of the ranker.

use super::{BlockIds, Ids};
use crate::convention::Order;
use crate::error::{Error, Kind, Result};
use crate::rows::QueryRows;

/// One query of a run, from any source.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    pub query: &'a [u8],
    pub ids: BlockIds<'a>,
    /// The keys, larger first: scores or negated ranks. Empty if the documents are in order.
    pub keys: &'a [f64],
}

/// An error in a row of a block.
#[derive(Debug)]
pub struct RowFault {
    pub row: usize,
    pub error: Box<Error>,
    /// The error concerns the block, and further rows could resolve it.
    pub whole: bool,
}

impl<'a> Block<'a> {
    /// The block of a stored query.
    pub fn of(rows: &QueryRows<'a>, order: Order, scored: bool, negated: &'a mut Vec<f64>) -> Self {
        let keys: &[f64] = match order {
            _ if !scored => &[],
            Order::Given => &[],
            Order::Score => rows.values,
            Order::Rank => {
                negated.clear();
                negated.extend(rows.ranks.iter().map(|rank| -rank));
                negated
            }
        };
        let ids = BlockIds::Bytes(Ids { arena: rows.arena, spans: rows.documents });
        Self { query: rows.id, ids, keys }
    }

    /// The block of a query without documents.
    #[must_use]
    pub fn without_rows(query: &'a [u8]) -> Self {
        Self { query, ids: BlockIds::Bytes(Ids { arena: &[], spans: &[] }), keys: &[] }
    }
}

/// Refuses an order that a run cannot have.
pub fn check_order(order: Order, has_ranks: bool) -> Result<()> {
    if order == Order::Rank && !has_ranks {
        return Err(Error::statement(Kind::Convention, "order=rank needs a run with ranks")
            .hint("order=score and order=given need no ranks"));
    }
    Ok(())
}
