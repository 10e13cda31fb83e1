//! Computes one row of the table from the block of a query.

use super::Plan;
use super::contradictions::COMPARED;
use super::rankings::Rankings;
use crate::convention::Unjudged;
use crate::error::{Kind, Result};
use crate::judgments::{Judgments, Loader, Pool};
use crate::known::Known;
use crate::measures::preferences::{Asked, Preferences, TieOrder};
use crate::measures::spans::{Reading, Sides, reads_places, refuse_places};
use crate::measures::{
    Condensed, Level, Measure, QueryValue, Range, Ranks, Raw, Sums, TieMode, View, is_relevant,
};
use crate::ranking::{Block, ByRank, Ranker, RowFault};
use crate::unjudged::UnjudgedPlaces;

/// The query is left out of the mean of the measure, or has no relevant documents for it.
pub const SKIPPED: u8 = 2;
pub(super) const NOTHING: u8 = 1;

/// Of queries with no judged document in so many ranks, so many ids are kept.
const FIRST: usize = 10;
const KEPT: usize = 100;

/// Up to this many measures, finding the judged documents in each is faster than listing them once.
const FEW: usize = 2;

/// Evaluates blocks; keeps its buffers between them.
#[derive(Default)]
pub struct Measurer {
    pub ranker: Ranker,
    loader: Loader,
    by_rank: ByRank,
    grades: Grades,
    condensed: Condensed,
    /// The places of the last query, if it has offsets.
    pub reading: Reading,
    unjudged: UnjudgedPlaces,
    /// The row of the last query.
    pub row: MeasuredRow,
    /// Whether its judgments and run have offsets; `None` if it has neither.
    pub has_places: Option<bool>,
    /// Its first documents, one character each, if the plan needs them.
    pub relevance: Option<String>,
    /// Its ranking, if the plan needs it.
    pub ranking: Rankings,
    /// Its first documents, if none in the first ranks is judged.
    pub unjudged_ids: Vec<Vec<u8>>,
}

/// The documents of a ranking that measures look for.
#[derive(Default)]
struct Grades {
    counted: Vec<f64>,
    /// Indices of the documents that have a grade, and of those that are relevant at the plan's level.
    judged: Vec<u32>,
    relevant: Vec<u32>,
}

/// The values of one query.
#[derive(Default)]
pub struct MeasuredRow {
    pub values: Vec<f64>,
    pub flags: Vec<u8>,
    /// DCG and IDCG of each nDCG.
    parts: Vec<f64>,
    /// One measure at several cutoffs.
    sums: Sums,
    raws: Vec<Raw>,
}

impl Measurer {
    /// Ranks and evaluates one query of a run; `judged` is its number in the judgments.
    pub fn block(
        &mut self,
        block: &Block<'_>,
        judged: usize,
        judgments: &Judgments<'_>,
        plan: &Plan,
    ) -> std::result::Result<(), RowFault> {
        self.ranker.wants_documents = plan.documents;
        self.ranker.depth = plan.depth;
        self.ranker.ranks = plan.ranks;
        // A chunk that is returned twice is read twice.
        self.ranker.allows_repeats = reads_places(block, &[0]);
        let fault = |error, whole| RowFault { row: 0, error, whole };
        self.with_pool(judged, judgments, |measurer, pool| {
            let pool = pool.map_err(|error| fault(error, false))?;
            measurer.ranker.rank(block, &pool, &plan.convention)?;
            measurer.keep_unjudged(block, judged);
            measurer.keep_ranking(Some(block), &pool, plan);
            measurer.measure(&pool, Some(block), plan).map_err(|error| fault(error, true))
        })
    }

    /// Keeps the ids of one of the first queries if none of the first documents is judged.
    #[inline]
    fn keep_unjudged(&mut self, block: &Block<'_>, judged: usize) {
        self.unjudged_ids.clear();
        if judged < COMPARED && self.ranker.grades().iter().take(FIRST).all(|grade| grade.is_nan()) {
            let rows = self.ranker.order().iter().take(KEPT);
            self.unjudged_ids.extend(rows.map(|&row| block.ids.get(row as usize).to_vec()));
        }
    }

    /// Keeps the ranking for measures that are computed outside the kernel.
    #[inline]
    fn keep_ranking(&mut self, block: Option<&Block<'_>>, pool: &Pool<'_>, plan: &Plan) {
        if plan.rankings.is_some() {
            self.ranking.clear();
            self.ranking.add(&self.ranker, block, pool, plan);
        }
    }

    /// As `block`; the keys of the block are ranks unless `scored`.
    pub fn keyed(
        &mut self,
        block: &Block<'_>,
        scored: bool,
        judged: usize,
        judgments: &Judgments<'_>,
        plan: &Plan,
    ) -> std::result::Result<(), RowFault> {
        if scored {
            return self.block(block, judged, judgments, plan);
        }
        let mut by_rank = std::mem::take(&mut self.by_rank);
        let measured = by_rank.order(block).map(|block| self.block(&block, judged, judgments, plan));
        let measured = match measured {
            Ok(Err(fault)) => Err(RowFault { row: by_rank.before(fault.row), ..fault }),
            Ok(Ok(())) => Ok(()),
            Err(fault) => Err(fault),
        };
        self.by_rank = by_rank;
        measured
    }

    /// Evaluates a query without retrieved documents.
    pub fn empty(&mut self, judged: usize, judgments: &Judgments<'_>, plan: &Plan) -> Result<()> {
        self.ranker.wants_documents = plan.documents;
        self.with_pool(judged, judgments, |measurer, pool| {
            let pool = pool?;
            measurer.ranker.empty(&pool, &plan.convention);
            measurer.keep_ranking(None, &pool, plan);
            measurer.measure(&pool, None, plan)
        })
    }

    /// Calls a function with the judgments of a query.
    fn with_pool<T>(
        &mut self,
        judged: usize,
        judgments: &Judgments<'_>,
        act: impl FnOnce(&mut Self, Result<Pool<'_>>) -> T,
    ) -> T {
        let mut loader = std::mem::take(&mut self.loader);
        let done = act(self, judgments.load(judged, &mut loader));
        self.loader = loader;
        done
    }

    fn measure(&mut self, pool: &Pool<'_>, block: Option<&Block<'_>>, plan: &Plan) -> Result<()> {
        // Other errors concern the judgments, not a line of the run.
        self.fill_row(pool, block, plan).map_err(|error| match error.kind {
            Kind::Convention | Kind::Measure | Kind::Match | Kind::Format => error.query(pool.query),
            _ => error.file("judgments").query(pool.query),
        })
    }

    #[inline(always)]
    fn fill_row(&mut self, pool: &Pool<'_>, block: Option<&Block<'_>>, plan: &Plan) -> Result<()> {
        let Self { ranker, grades, condensed, reading, unjudged, row, .. } = self;
        let sides = Sides {
            measures: &plan.measures,
            convention: &plan.convention,
            pool,
            run: block.map(|block| (block, ranker.order())),
            ranks: plan.ranks,
        };
        let reading = sides.read(reading)?;
        let is_known = !pool.documents.is_empty() || !ranker.order().is_empty();
        self.has_places = is_known.then_some(reading.is_some());
        if plan.bounds.is_some() {
            refuse_places(pool, "a bound over labels of unjudged documents")?;
        }
        let mut view = grades.view(ranker, pool, plan);
        view.documents.reading = reading;
        let (by_convention, by_id) = preferences(&view, ranker, plan)?;
        view.documents.preferences = Asked { by_convention: by_convention.as_ref(), by_id: by_id.as_ref() };
        self.relevance = plan.relevance.map(|depth| relevance(&view, depth));
        let without_unjudged = plan.measures.iter().any(|measure| measure.judged_only).then(|| {
            condensed.fill(&view);
            condensed.view(&view)
        });
        row.measure(&view, without_unjudged.as_ref().unwrap_or(&view), plan)?;
        if !plan.counts {
            return Ok(());
        }
        row.count(&view, ranker, plan);
        if let Some(bounds) = &plan.bounds {
            unjudged.find(&view);
            unjudged.check(ranker.duplicates(), &plan.convention)?;
            for measure in &plan.measures {
                let (low, high) = unjudged.interval(measure, &view, &plan.convention, bounds)?;
                row.values.extend([low, high]);
            }
        }
        for measure in plan.sums() {
            if let Ranks::Terms(sum) = &measure.needs.ranks {
                row.values.push(sum.idcg(&view, measure.cutoff));
            }
        }
        Ok(())
    }
}

impl Grades {
    /// The query as its measures see it, still without preferences.
    #[inline(always)]
    fn view<'a>(&'a mut self, ranker: &'a Ranker, pool: &Pool<'a>, plan: &Plan) -> View<'a> {
        let Self { counted, judged, relevant } = self;
        let given = ranker.grades();
        let grades = if let Unjudged::Grade(grade) = plan.convention.unjudged {
            counted.clear();
            counted.extend(given.iter().map(|&own| if own.is_nan() { grade } else { own }));
            counted
        } else {
            given
        };
        judged.clear();
        let written = plan.measures.len() > FEW;
        if written {
            let own = given.iter().zip(0..).filter(|(grade, _)| !grade.is_nan());
            judged.extend(own.map(|(_, index)| index));
        }
        let mut view =
            View { grades, judged: written.then_some(judged), ..View::of(ranker, pool, &plan.convention) };
        if let Some(rel) = plan.level.filter(|_| view.ties == TieMode::Settled) {
            relevant.clear();
            view.each(None, |index, grade| {
                if is_relevant(grade, rel) {
                    relevant.push(u32::try_from(index).unwrap_or(u32::MAX));
                }
            });
            view.level = Some(Level { rel, relevant: view.relevant(rel), returned: relevant });
        }
        view
    }
}

/// The preferences of a query with tied documents ordered by the convention, and by their ids, if the plan
/// needs them.
fn preferences(
    view: &View<'_>,
    ranker: &Ranker,
    plan: &Plan,
) -> Result<(Option<Preferences>, Option<Preferences>)> {
    let (mut by_convention, mut by_id) = (None, None);
    for order in &plan.preferences {
        let (kept, keys) = match order {
            TieOrder::Convention => (&mut by_convention, None),
            TieOrder::IdAscending => (&mut by_id, Some(ranker.keys())),
        };
        *kept = Some(Preferences::ranked(&view.documents, keys)?);
    }
    Ok((by_convention, by_id))
}

impl MeasuredRow {
    /// All measures; those with `judged_only` see a view without unjudged documents.
    #[inline(always)]
    fn measure(&mut self, view: &View<'_>, condensed: &View<'_>, plan: &Plan) -> Result<()> {
        self.values.clear();
        self.flags.clear();
        self.parts.clear();
        let documents = view.given.len().max(view.pool.len() + view.copies.len());
        // The measure before, if its cutoff was below all documents.
        let mut settled: Option<QueryValue> = None;
        let mut at = 0;
        while let Some(measure) = plan.measures.get(at) {
            let view = if measure.judged_only { condensed } else { view };
            let count = *plan.together.known(at);
            if count > 1 && view.copies.is_empty() {
                self.one_pass(view, at..at + count, documents, plan)?;
                settled = None;
                at += count;
                continue;
            }
            let value = match settled {
                Some(value) if plan.deeper.get(at) == Some(&true) => value,
                _ if plan.rankings.is_some() && measure.is_outside() => {
                    measure.placeholder(view, &plan.convention)?
                }
                _ => measure.value(view, &plan.convention)?,
            };
            settled = measure.cutoff.is_some_and(|cutoff| cutoff >= documents).then_some(value);
            self.put(measure, value, plan);
            at += 1;
        }
        Ok(())
    }

    /// One measure at several cutoffs.
    fn one_pass(
        &mut self,
        view: &View<'_>,
        places: std::ops::Range<usize>,
        documents: usize,
        plan: &Plan,
    ) -> Result<()> {
        let measures = plan.measures.known(places.clone());
        let mut depths = plan.depths.known(places);
        let Some(first) = measures.first() else { return Ok(()) };
        if first.needs.cutoffs.settle() && !first.judged_only {
            // From the first cutoff beyond all documents on, the values are equal.
            let above = depths.partition_point(|&depth| depth < documents);
            depths = depths.get(..=above).unwrap_or(depths);
        }
        first.at_cutoffs(view, depths, &mut self.sums, &mut self.raws);
        let mut settled = None;
        for (index, measure) in measures.iter().enumerate() {
            let value = match (self.raws.get(index), settled) {
                (Some(&raw), _) => measure.settle(raw, view, &plan.convention)?,
                (None, Some(value)) => value,
                (None, None) => break,
            };
            settled = Some(value);
            self.put(measure, value, plan);
        }
        Ok(())
    }

    #[inline(always)]
    fn put(&mut self, measure: &Measure, value: QueryValue, plan: &Plan) {
        self.values.push(value.value);
        self.flags.push(u8::from(value.nothing) * NOTHING + u8::from(value.skipped) * SKIPPED);
        if plan.counts && measure.needs.range == Range::Parts {
            self.parts.extend([value.dcg, value.idcg]);
        }
    }

    /// The parts of the measures, and the data checks of the query.
    #[inline(always)]
    fn count(&mut self, view: &View<'_>, ranker: &Ranker, plan: &Plan) {
        let given = view.given.len();
        // Judged spans are judgments of all text.
        let all_judged = view.documents.reading.is_some();
        let judged_above = |above: usize| if all_judged { above } else { view.judged_above(above) };
        let retrieved = given - ranker.appended().min(given);
        self.values.extend_from_slice(&self.parts);
        self.values.extend([
            retrieved as f64,
            view.relevant(1.0) as f64,
            judged_above(retrieved) as f64,
            ranker.tied() as f64,
            ranker.duplicates() as f64,
        ]);
        for &cutoff in &plan.cutoffs {
            let above = cutoff.min(given);
            let judged = judged_above(above);
            let tied = f64::from(u8::from(ranker.tie_straddles(cutoff)));
            self.values.extend([judged as f64, (above - judged) as f64, tied]);
        }
    }
}

/// The first documents of a ranking, one character each: the grade from 0 to 9, `>` above 9, `.` for a
/// negative grade and `-` for none.
fn relevance(view: &View<'_>, depth: usize) -> String {
    let documents = view.given.iter().zip(view.documents.judgments).take(depth);
    let characters = documents.map(|(&grade, &judgment)| match grade {
        _ if grade >= 10.0 => '>',
        // Grades are truncated, as in trec_eval.
        _ if grade >= 0.0 => char::from(b'0' + grade as u8),
        _ if judgment == 0 => '-',
        _ => '.',
    });
    characters.collect()
}
