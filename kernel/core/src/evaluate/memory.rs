//! Evaluates a run in memory.
//!
//! Rows in memory are grouped, and batches that Python gathers (`stream.rs`) have whole queries: no query can be
//! scattered. So neither uses the driver, of which only the verdicts to continue and to stop would remain.

use super::Plan;
use super::contradictions::Contradictions;
use super::measurer::Measurer;
use super::outcome::Outcome;
use super::table::Table;
use crate::error::Result;
use crate::judgments::Judgments;
use crate::known::Known;
use crate::parallel::{Pace, run};
use crate::ranking::{Block, check_order};
use crate::rows::Rows;

/// The minimum number of rows for a thread.
const ROWS_PER_JOB: usize = 20_000;

pub fn evaluate_rows(
    plan: &Plan,
    judgments: &Judgments<'_>,
    rows: &Rows,
    scored: bool,
    pace: &mut Pace<'_>,
) -> Result<Table> {
    check_order(plan.convention.order, rows.has_ranks())?;
    let jobs = jobs(rows);
    let outcomes = run(jobs.len(), pace, Measurer::default, |measurer, job| {
        let (first, last) = *jobs.known(job);
        let mut outcome = Outcome::default();
        let mut negated = Vec::new();
        for number in first..last {
            let query = rows.query(number);
            let Some(judged) = judgments.rows().find(query.id) else {
                outcome.extra.add(query.id, plan.partial);
                continue;
            };
            let block = Block::of(&query, plan.convention.order, scored, &mut negated);
            measurer.block(&block, judged, judgments, plan).map_err(|fault| fault.error)?;
            outcome.push(judged, measurer);
            if scored && Contradictions::compares(judged, plan.convention.order) {
                outcome.contradictions.compare(query.ranks, query.values);
            }
        }
        Ok(outcome)
    })?;
    Table::assemble(outcomes, judgments, plan)
}

/// Jobs of consecutive queries with about the same number of rows.
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
