//! Ranks all queries under one convention, for use by many measures.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use super::space::Data;
use crate::convention::{Convention, Extra, Missing, Negative, Rounding, Unjudged};
use crate::error::Result;
use crate::evaluate::{ExtraQueries, extra_queries, missing_query, no_overlap};
use crate::formats::Loaded;
use crate::judgments::{Judgments, Pool};
use crate::known::Known;
use crate::measures::spans::refuse_places;
use crate::measures::{Documents, TieMode, View, single_document};
use crate::ranking::{Block, Ranker, check_order};
use crate::rows::Rows;

/// One query's ranking.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    /// The number of its run.
    pub run: usize,
    /// Its number in the judgments.
    pub query: usize,
    /// Whether the run lacks the query.
    pub missing: bool,
    grades: Vec<f64>,
    /// The grades before unjudged documents get one; None if equal to `grades`.
    given: Option<Vec<f64>>,
    group_ends: Vec<u32>,
    copies: Vec<u32>,
    /// The judgment of the document at each rank; empty unless a measure needs documents.
    judgments: Vec<u32>,
    judged: Vec<u32>,
}

/// The rankings of all judged queries, run by run, in byte order of their ids.
pub(super) struct RankedRuns<'a> {
    pub convention: Convention,
    /// The judgments of each run; they differ if queries of the run count as judged.
    judgments: Vec<Judgments<'a>>,
    pub rankings: Vec<Ranking>,
    /// The end of the rankings of each run.
    pub ends: Vec<usize>,
    /// Equal for conventions under which all measures have the same values.
    pub fingerprint: u64,
    /// Equal for conventions under which ideals that depend on the judgments alone are the same.
    pub pools: u64,
    /// Whether a duplicate document counts again in the ideal of any query.
    pub copies: bool,
}

impl<'a> RankedRuns<'a> {
    /// Ranks every query. Errors are those of an evaluation under this convention.
    pub(super) fn new(data: &Data<'a>, convention: &Convention, documents: bool) -> Result<Self> {
        let mut ranked = Self {
            convention: convention.clone(),
            judgments: Vec::new(),
            rankings: Vec::new(),
            ends: Vec::new(),
            fingerprint: 0,
            pools: 0,
            copies: false,
        };
        for &(run, scored) in data.runs {
            ranked.add_run(data.judgments, run, scored, documents)?;
        }
        ranked.copies = ranked.rankings.iter().any(|ranking| !ranking.copies.is_empty());
        (ranked.fingerprint, ranked.pools) = ranked.hashes();
        Ok(ranked)
    }

    fn add_run(&mut self, known: &'a Rows, run: &Rows, scored: bool, documents: bool) -> Result<()> {
        let convention = &self.convention;
        let number = self.ends.len();
        let judgments = match convention.extra {
            Extra::NoRelevant => {
                let rows = known.with_queries_of(run);
                Judgments::shared(Arc::new(Loaded::new(rows, true)), convention)?
            }
            Extra::Ignore | Extra::Error => Judgments::new(known, convention)?,
        };
        let judged = judgments.rows();
        check_order(convention.order, run.has_ranks())?;
        let mut ranker = Ranker::default();
        ranker.wants_documents = documents;
        let mut places: Vec<Option<Ranking>> = (0..judged.queries()).map(|_| None).collect();
        let mut extra = ExtraQueries::default();
        let mut negated = Vec::new();
        for rows in run.iter() {
            let Some(query) = judged.find(rows.id) else {
                extra.add(rows.id, false);
                continue;
            };
            let block = Block::of(&rows, convention.order, scored, &mut negated);
            let pool = judgments.pool(query);
            refuse_places(&pool, "a comparison of conventions")?;
            ranker.rank(&block, &pool, convention).map_err(|fault| fault.error)?;
            *places.known_mut(query) = Some(Ranking::of(&ranker, number, query, false, convention));
        }
        let missing = places.iter().filter(|place| place.is_none()).count();
        if missing == places.len() {
            return Err(no_overlap(&judgments, &extra));
        }
        if convention.extra == Extra::Error && !extra.is_empty() {
            return Err(extra_queries(&extra));
        }
        let mut rankings = Vec::with_capacity(places.len());
        for &query in judged.sorted() {
            let query = query as usize;
            rankings.push(match places.get_mut(query).and_then(Option::take) {
                Some(ranking) => ranking,
                None if convention.missing == Missing::Error => {
                    return Err(missing_query(judged.query_id(query), missing));
                }
                None => {
                    ranker.empty(&judgments.pool(query), convention);
                    Ranking::of(&ranker, number, query, true, convention)
                }
            });
        }
        if convention.refuse_single
            && let Some(single) = rankings.iter().find(|ranking| ranking.grades.len() == 1)
        {
            let query = judged.query_id(single.query);
            return Err(single_document().query(query));
        }
        self.rankings.append(&mut rankings);
        self.ends.push(self.rankings.len());
        self.judgments.push(judgments);
        Ok(())
    }

    #[must_use]
    pub(super) fn pool(&self, ranking: &Ranking) -> Pool<'_> {
        self.judgments.known(ranking.run).pool(ranking.query)
    }

    /// Returns the view of a query that measures take.
    pub(super) fn view<'b>(&'b self, ranking: &'b Ranking, rounding: Rounding) -> View<'b> {
        let pool = self.pool(ranking);
        let given = ranking.given.as_deref().unwrap_or(&ranking.grades);
        View {
            grades: &ranking.grades,
            given,
            judged: Some(&ranking.judged),
            level: None,
            group_ends: &ranking.group_ends,
            ties: TieMode::of(self.convention.ties, &ranking.group_ends),
            pool: pool.descending,
            pool_given: pool.grades,
            copies: &ranking.copies,
            rounding,
            documents: Documents::of(&ranking.judgments, &pool),
        }
    }

    /// Returns the approximate size of the rankings in bytes.
    #[must_use]
    pub(super) fn size(&self) -> usize {
        let numbers = |ranking: &Ranking| {
            8 * (ranking.grades.len() + ranking.given.as_ref().map_or(0, Vec::len))
                + 4 * (ranking.group_ends.len() + ranking.judgments.len() + ranking.judged.len())
        };
        self.rankings.iter().map(numbers).sum::<usize>()
            + self.judgments.iter().map(|judgments| 24 * judgments.rows().len()).sum::<usize>()
    }

    fn hashes(&self) -> (u64, u64) {
        let seeded = |seed| foldhash::quality::FixedState::with_seed(seed).build_hasher();
        let (mut hasher, mut pools) = (seeded(1), seeded(2));
        let mut loses = false;
        for ranking in &self.rankings {
            let pool = self.pool(ranking);
            loses |= pool.descending.last().is_some_and(|&grade| grade < 0.0)
                || ranking.grades.iter().any(|&grade| grade < 0.0);
            floats(&mut hasher, &ranking.grades);
            floats(&mut hasher, ranking.given.as_deref().unwrap_or_default());
            floats(&mut hasher, pool.grades);
            floats(&mut pools, pool.grades);
            wholes(&mut hasher, &ranking.group_ends);
            wholes(&mut hasher, &ranking.copies);
            wholes(&mut hasher, &ranking.judgments);
        }
        let convention = &self.convention;
        let signed = u8::from(loses && convention.negative == Negative::Signed);
        pools.write_u8(signed);
        // Policies that affect measures in addition to the ranking.
        hasher.write_u8(signed);
        let labelled = self.judgments.iter().any(|judgments| judgments.rows().has_labels());
        hasher.write_u8(u8::from(labelled && convention.unjudged == Unjudged::Condense));
        hasher.write_u8(TieMode::of(convention.ties, &[0]) as u8);
        (hasher.finish(), pools.finish())
    }
}

fn floats(hasher: &mut impl Hasher, values: &[f64]) {
    hasher.write_usize(values.len());
    values.iter().for_each(|value| hasher.write_u64(value.to_bits()));
}

fn wholes(hasher: &mut impl Hasher, values: &[u32]) {
    hasher.write_usize(values.len());
    values.iter().for_each(|&value| hasher.write_u32(value));
}

impl Ranking {
    fn of(ranker: &Ranker, run: usize, query: usize, missing: bool, convention: &Convention) -> Self {
        let given = ranker.grades();
        let judged = given.iter().zip(0..).filter(|(grade, _)| !grade.is_nan());
        let judged = judged.map(|(_, index)| index).collect();
        let filled =
            |grade: f64| given.iter().map(|&known| if known.is_nan() { grade } else { known }).collect();
        let (grades, given) = match convention.unjudged {
            Unjudged::Grade(grade) => (filled(grade), Some(given.to_vec())),
            _ => (given.to_vec(), None),
        };
        Self {
            run,
            query,
            missing,
            grades,
            given,
            group_ends: ranker.group_ends().to_vec(),
            copies: ranker.copies().to_vec(),
            judgments: ranker.judgments().to_vec(),
            judged,
        }
    }

    /// Whether the ranking has no documents.
    #[must_use]
    pub(super) fn is_empty(&self) -> bool {
        self.grades.is_empty()
    }
}
