//! The accounts of all queries of a run at once.

use super::{Account, Question, Ranking, explain};
use crate::error::Result;
use crate::judgments::Judgments;
use crate::parallel::{Pace, run};
use crate::rows::Rows;

/// The number of queries per job.
const QUERIES_PER_JOB: usize = 64;

/// The accounts of all judged queries, in the order of the judgments.
pub fn explain_all(
    question: Question<'_>,
    judgments: &Judgments<'_>,
    rows: &Rows,
    scored: bool,
    pace: &mut Pace<'_>,
) -> Result<Vec<Account>> {
    let queries = judgments.rows().queries();
    let outcomes = run(
        queries.div_ceil(QUERIES_PER_JOB),
        pace,
        || (),
        |(), job| {
            let first = job * QUERIES_PER_JOB;
            let last = queries.min(first + QUERIES_PER_JOB);
            let mut accounts = Vec::with_capacity(last - first);
            for query in first..last {
                let id = judgments.rows().query_id(query);
                let ranking = rows.find(id).map(|number| Ranking { rows: rows.query(number), scored });
                accounts.push(explain(question, judgments, query, ranking)?);
            }
            Ok(accounts)
        },
    )?;
    Ok(outcomes.into_iter().flatten().collect())
}
