//! A run that stands in memory.

use super::Plan;
use super::measurer::Measurer;
use super::outcome::Outcome;
use super::table::Table;
use crate::convention::Order;
use crate::error::{Error, Kind, Result};
use crate::judgments::Judgments;
use crate::parallel::{Pace, run};
use crate::ranking::{Block, Ids};
use crate::rows::{QueryRows, Rows};

/// Rows that are worth a thread.
const ROWS_PER_JOB: usize = 20_000;

pub fn evaluate_rows(
    plan: &Plan,
    judgments: &Judgments<'_>,
    rows: &Rows,
    scored: bool,
    pace: &mut Pace<'_>,
) -> Result<Table> {
    check_order(plan.convention.order, rows)?;
    let jobs = jobs(rows);
    let outcomes = run(jobs.len(), pace, Measurer::default, |measurer, job| {
        let (first, last) = jobs.get(job).copied().unwrap_or_default();
        let mut outcome = Outcome::default();
        let mut keys = Vec::new();
        for number in first..last {
            let query = rows.query(number);
            let Some(judged) = judgments.rows().find(query.id) else {
                outcome.extra.add(query.id);
                continue;
            };
            let keys = keys_of(&query, plan.convention.order, scored, &mut keys);
            let ids = Ids { arena: query.arena, spans: query.documents };
            let block = Block { query: query.id, ids, keys };
            measurer.block(&block, &judgments.pool(judged), plan).map_err(|fault| fault.error)?;
            outcome.push(judged, measurer);
        }
        Ok(outcome)
    })?;
    Table::assemble(outcomes, judgments, plan)
}

/// Refuses an order that a run cannot have.
pub fn check_order(order: Order, rows: &Rows) -> Result<()> {
    if order == Order::Rank && !rows.has_ranks() {
        return Err(Error::new(Kind::Convention, "order=rank for a run without a rank column", "ranks")
            .hint("order=score and order=given need none"));
    }
    Ok(())
}

/// What orders the documents of a query, larger first; empty where they stand in order.
pub fn keys_of<'a>(
    query: &QueryRows<'a>,
    order: Order,
    scored: bool,
    negated: &'a mut Vec<f64>,
) -> &'a [f64] {
    match order {
        _ if !scored => &[],
        Order::Given => &[],
        Order::Score => query.values,
        Order::Rank => {
            negated.clear();
            negated.extend(query.ranks.iter().map(|rank| -rank));
            negated
        }
    }
}

/// Consecutive queries with about the same number of rows a job.
fn jobs(rows: &Rows) -> Vec<(usize, usize)> {
    let mut jobs = Vec::new();
    let (mut first, mut count) = (0, 0);
    for (number, group) in rows.groups().iter().enumerate() {
        count += group.count + 1;
        if count >= ROWS_PER_JOB {
            jobs.push((first, number + 1));
            (first, count) = (number + 1, 0);
        }
    }
    if first < rows.queries() {
        jobs.push((first, rows.queries()));
    }
    jobs
}
