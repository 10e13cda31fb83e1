//! Ranks a run in memory query by query, and finds its unjudged documents.

use super::UnjudgedPlaces;
use crate::convention::{Convention, Missing};
use crate::error::Result;
use crate::evaluate::missing_query;
use crate::judgments::{Judgments, Pool};
use crate::measures::View;
use crate::measures::spans::refuse_places;
use crate::parallel::{Pace, run};
use crate::ranking::{Block, Ids, Ranker, check_order};
use crate::rows::Rows;

/// The number of queries per job.
const QUERIES_PER_JOB: usize = 16;

/// A run in memory.
#[derive(Clone, Copy)]
pub struct Retrieved<'a> {
    pub rows: &'a Rows,
    pub scored: bool,
}

/// The ranking of one query.
pub(super) struct Ranked<'a> {
    /// Its number in the judgments.
    pub number: usize,
    pub view: &'a View<'a>,
    pub pool: &'a Pool<'a>,
    pub unjudged: &'a UnjudgedPlaces,
    /// The rows of the documents in rank order.
    order: &'a [u32],
    ids: Ids<'a>,
}

impl Ranked<'_> {
    /// Returns the id of the document at an index (rank - 1).
    pub(super) fn id(&self, place: usize) -> &[u8] {
        self.order.get(place).map_or(b"", |&row| self.ids.get(row as usize))
    }
}

#[derive(Default)]
struct Buffers {
    ranker: Ranker,
    unjudged: UnjudgedPlaces,
}

/// Calls a function with each judged query, in byte order of the ids. The convention decides on queries that
/// are missing from the run.
pub(super) fn each_query<T: Send>(
    judgments: &Judgments<'_>,
    retrieved: Retrieved<'_>,
    convention: &Convention,
    pace: &mut Pace<'_>,
    call: impl Fn(&Ranked<'_>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    check_order(convention.order, retrieved.rows.has_ranks())?;
    let mut queries: Vec<(u32, Option<usize>)> = Vec::new();
    for &number in judgments.rows().sorted() {
        let id = judgments.rows().query_id(number as usize);
        match (retrieved.rows.find(id), convention.missing) {
            (None, Missing::Skip) => {}
            (None, Missing::Error) => return Err(missing_query(id, 1)),
            (found, _) => queries.push((number, found)),
        }
    }
    let jobs = queries.len().div_ceil(QUERIES_PER_JOB);
    let results = run(jobs, pace, Buffers::default, |buffers, job| {
        let queries = queries.iter().skip(job * QUERIES_PER_JOB).take(QUERIES_PER_JOB);
        queries
            .map(|&(number, found)| {
                let number = number as usize;
                let pool = judgments.pool(number);
                one_query(buffers, number, &pool, found.map(|found| (retrieved, found)), convention, &call)
                    .map_err(|error| if error.query.is_some() { error } else { error.query(pool.query) })
            })
            .collect::<Result<Vec<T>>>()
    })?;
    Ok(results.into_iter().flatten().collect())
}

fn one_query<T>(
    buffers: &mut Buffers,
    number: usize,
    pool: &Pool<'_>,
    found: Option<(Retrieved<'_>, usize)>,
    convention: &Convention,
    call: &impl Fn(&Ranked<'_>) -> Result<T>,
) -> Result<T> {
    let Buffers { ranker, unjudged } = buffers;
    refuse_places(pool, "the effect of labels of unjudged documents")?;
    ranker.wants_documents = true;
    let (mut negated, mut ids) = (Vec::new(), Ids { arena: &[], spans: &[] });
    match found {
        None => ranker.empty(pool, convention),
        Some((retrieved, found)) => {
            let rows = retrieved.rows.query(found);
            let block = Block::of(&rows, convention.order, retrieved.scored, &mut negated);
            ids = Ids { arena: rows.arena, spans: rows.documents };
            ranker.rank(&block, pool, convention).map_err(|fault| fault.error)?;
        }
    }
    let view = View::of(ranker, pool, convention);
    unjudged.find(&view);
    unjudged.check(ranker.duplicates(), convention)?;
    call(&Ranked { number, view: &view, pool, unjudged, order: ranker.order(), ids })
}
