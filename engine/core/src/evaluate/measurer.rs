//! From one query's block to one row of the table.

use super::Plan;
use crate::convention::Unjudged;
use crate::error::{Error, Kind, Result};
use crate::judgments::{Judgments, Loader, Pool};
use crate::measures::preferences::{Asked, Preferences, TieOrder};
use crate::measures::{
    Condensed, Documents, Level, Measure, Range, Raw, Sums, TieMode, Value, View, is_relevant,
};
use crate::ranking::{Block, ByRank, Ids, Ranker, RowFault};
use crate::unjudged::Places;

/// The measure was left out of the mean, or had nothing relevant to measure.
pub const SKIPPED: u8 = 2;
pub const NOTHING: u8 = 1;

/// So many measures find the judged documents faster by themselves than by a list of them.
const FEW: usize = 2;

/// Measures blocks; keeps its buffers between them.
#[derive(Default)]
pub struct Measurer {
    pub ranker: Ranker,
    loader: Loader,
    by_rank: ByRank,
    counted: Vec<f64>,
    condensed: Condensed,
    unjudged: Places,
    /// Indices of the documents that have a grade, and of those that are relevant at the plan's level.
    judged: Vec<u32>,
    relevant: Vec<u32>,
    /// One measure at several cutoffs.
    sums: Sums,
    raws: Vec<Raw>,
    /// The row of the query measured last.
    pub row: Vec<f64>,
    pub flags: Vec<u8>,
    /// Its first documents, a character each, if the plan asks for them.
    pub relevance: Option<String>,
}

impl Measurer {
    /// Ranks and measures one query of a run; `judged` is its number in the judgments.
    pub fn block(
        &mut self,
        block: &Block<'_>,
        judged: usize,
        judgments: &Judgments<'_>,
        plan: &Plan,
    ) -> std::result::Result<(), RowFault> {
        self.ranker.wants_documents = plan.documents;
        self.ranker.depth = plan.depth;
        let fault = |error, whole| RowFault { row: 0, error, whole };
        self.with_pool(judged, judgments, |measurer, pool| {
            let pool = pool.map_err(|error| fault(error, false))?;
            measurer.ranker.rank(block, &pool, &plan.convention)?;
            measurer.measure(&pool, plan).map_err(|error| fault(error, true))
        })
    }

    /// As `block`, where the keys of the block are ranks unless they are `scored`.
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

    /// Measures a query of which nothing was retrieved.
    pub fn empty(&mut self, judged: usize, judgments: &Judgments<'_>, plan: &Plan) -> Result<()> {
        self.ranker.wants_documents = plan.documents;
        self.with_pool(judged, judgments, |measurer, pool| {
            let pool = pool?;
            measurer.ranker.empty(&pool, &plan.convention);
            measurer.measure(&pool, plan)
        })
    }

    /// Does something with the judgments of a query.
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

    fn measure(&mut self, pool: &Pool<'_>, plan: &Plan) -> Result<()> {
        // What neither the ranker nor a policy objects to is a matter of the judgments, not of a line of
        // the run.
        let blamed = |error: Box<Error>| match error.kind {
            Kind::Convention => error.query(pool.query),
            _ => error.file("judgments").query(pool.query),
        };
        let convention = &plan.convention;
        let given = self.ranker.grades();
        let ties = TieMode::of(convention.ties, self.ranker.group_ends());
        let counted = if let Unjudged::Grade(grade) = convention.unjudged {
            self.counted.clear();
            self.counted.extend(given.iter().map(|&own| if own.is_nan() { grade } else { own }));
            self.counted.as_slice()
        } else {
            given
        };
        self.judged.clear();
        let written = plan.measures.len() > FEW;
        if written {
            let judged = given.iter().zip(0..).filter(|(grade, _)| !grade.is_nan());
            self.judged.extend(judged.map(|(_, index)| index));
        }
        let mut view = View {
            grades: counted,
            given,
            judged: written.then_some(self.judged.as_slice()),
            level: None,
            group_ends: self.ranker.group_ends(),
            ties,
            pool: pool.descending,
            pool_given: pool.grades,
            copies: self.ranker.copies(),
            rounding: convention.rounding,
            documents: Documents {
                judgments: self.ranker.judgments(),
                ids: Ids { arena: pool.arena, spans: pool.documents },
                raw: pool.raw,
                labels: pool.labels,
                preferences: Asked::default(),
            },
        };
        if let Some(rel) = plan.level.filter(|_| ties == TieMode::Settled) {
            self.relevant.clear();
            let relevant = &mut self.relevant;
            view.each(None, |index, grade| {
                if is_relevant(grade, rel) {
                    relevant.push(u32::try_from(index).unwrap_or(u32::MAX));
                }
            });
            view.level = Some(Level { rel, relevant: view.relevant(rel), returned: &self.relevant });
        }
        let (mut by_convention, mut by_id) = (None, None);
        for order in &plan.preferences {
            let (kept, keys) = match order {
                TieOrder::Convention => (&mut by_convention, None),
                TieOrder::IdAscending => (&mut by_id, Some(self.ranker.keys())),
            };
            let preferences = Preferences::ranked(&view.documents, keys);
            *kept = Some(preferences.map_err(blamed)?);
        }
        view.documents.preferences = Asked { by_convention: by_convention.as_ref(), by_id: by_id.as_ref() };
        self.relevance = plan.relevance.map(|depth| relevance(&view, depth));
        let mut condensed = None;
        if plan.measures.iter().any(|measure| measure.judged_only) {
            self.condensed.fill(&view);
            condensed = Some(self.condensed.view(&view));
        }
        self.row.resize(plan.measures.len(), 0.0);
        self.flags.resize(plan.measures.len(), 0);
        let mut slots = self.row.iter_mut().zip(&mut self.flags);
        let mut parts = Vec::new();
        let mut put = |measure: &Measure, value: Value| {
            if let Some((slot, flag)) = slots.next() {
                *slot = value.value;
                *flag = u8::from(value.nothing) * NOTHING + u8::from(value.skipped) * SKIPPED;
            }
            if plan.counts && measure.needs.range == Range::Parts {
                parts.push((value.dcg, value.idcg));
            }
        };
        let documents = given.len().max(view.pool.len() + view.copies.len());
        // The measure before, if its cutoff was below all documents.
        let mut settled: Option<Value> = None;
        let mut at = 0;
        while let Some(measure) = plan.measures.get(at) {
            let view = if measure.judged_only { condensed.as_ref().unwrap_or(&view) } else { &view };
            let count = plan.together.get(at).copied().unwrap_or(1);
            if count > 1 && view.copies.is_empty() {
                let end = at + count;
                let mut depths = plan.depths.get(at..end).unwrap_or_default();
                if measure.needs.cutoffs.settle() && !measure.judged_only {
                    // From the first cutoff below all documents on, the values are one.
                    let above = depths.partition_point(|&depth| depth < documents);
                    depths = depths.get(..=above).unwrap_or(depths);
                }
                measure.at_cutoffs(view, depths, &mut self.sums, &mut self.raws);
                let mut raws = self.raws.iter();
                for measure in plan.measures.get(at..end).unwrap_or_default() {
                    let value = match (raws.next(), settled) {
                        (Some(&raw), _) => measure.settle(raw, view, convention).map_err(blamed)?,
                        (None, Some(value)) => value,
                        (None, None) => break,
                    };
                    settled = Some(value);
                    put(measure, value);
                }
                settled = None;
                at = end;
                continue;
            }
            let value = match settled {
                Some(value) if plan.deeper.get(at) == Some(&true) => value,
                _ => measure.value(view, convention).map_err(blamed)?,
            };
            settled =
                if measure.cutoff.is_some_and(|cutoff| cutoff >= documents) { Some(value) } else { None };
            put(measure, value);
            at += 1;
        }
        if !plan.counts {
            return Ok(());
        }
        self.row.extend(parts.iter().flat_map(|&(dcg, idcg)| [dcg, idcg]));
        let retrieved = given.len() - self.ranker.appended().min(given.len());
        let judged = view.judged_above(retrieved);
        self.row.extend([
            retrieved as f64,
            view.relevant(1.0) as f64,
            judged as f64,
            self.ranker.tied() as f64,
            self.ranker.duplicates() as f64,
        ]);
        for &cutoff in &plan.cutoffs {
            let above = cutoff.min(given.len());
            let judged = view.judged_above(above);
            self.row.extend([
                judged as f64,
                (above - judged) as f64,
                f64::from(u8::from(self.ranker.tie_straddles(cutoff))),
            ]);
        }
        if let Some(bounds) = &plan.bounds {
            self.unjudged.find(&view);
            self.unjudged.check(self.ranker.duplicates(), convention).map_err(blamed)?;
            for measure in &plan.measures {
                let interval = self.unjudged.interval(measure, &view, convention, bounds);
                let (low, high) = interval.map_err(blamed)?;
                self.row.extend([low, high]);
            }
        }
        Ok(())
    }
}

/// The first documents of a ranking, a character each: the grade from 0 to 9, `>` above 9, `.` for a
/// negative grade and `-` for none.
fn relevance(view: &View<'_>, depth: usize) -> String {
    let documents = view.given.iter().zip(view.documents.judgments).take(depth);
    let characters = documents.map(|(&grade, &judgment)| match grade {
        _ if grade >= 10.0 => '>',
        // Grades with a fraction are cut off, as they are where trec_eval reads them.
        _ if grade >= 0.0 => char::from(b'0' + grade as u8),
        _ if judgment == 0 => '-',
        _ => '.',
    });
    characters.collect()
}
