//! Evaluates all queries of a run: the plan, the row of each query, and the table.

mod columns;
mod contradictions;
mod driver;
mod gathered;
mod measurer;
mod memory;
mod outcome;
mod partitions;
mod rankings;
mod seams;
mod short_ids;
mod spool;
mod stream;
mod summary;
mod table;
mod text;

pub use columns::{Columnar, ColumnarRun, evaluate_columns};
pub use contradictions::Contradictions;
pub use measurer::{Measurer, SKIPPED};
pub use memory::evaluate_rows;
pub(crate) use outcome::ExtraQueries;
pub use outcome::Outcome;
pub use rankings::Rankings;
pub use stream::{BatchEvaluator, QueryBatch, evaluate_stream};
pub use summary::{LEAST, Summary, median, summarise};
pub use table::{Counts, Table, TablePart, Unmatched};
pub(crate) use table::{extra_queries, missing_query, no_overlap};
pub use text::{TextRun, evaluate_text};

use crate::convention::{Convention, Unretrieved};
use crate::error::Result;
use crate::judgments::Judgments;
use crate::known::Known;
use crate::measures::preferences::TieOrder;
use crate::measures::{Measure, Range};
use crate::rows::{DiskRows, Rows};
use crate::unjudged::Bounds;

/// What to compute for every query.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    pub convention: Convention,
    pub measures: Vec<Measure>,
    /// The distinct cutoffs of the measures, ascending.
    pub cutoffs: Vec<usize>,
    /// The number of documents of each query to look at, after ordering.
    pub depth: Option<usize>,
    /// The number of documents of each query whose grades the table has as text.
    pub relevance: Option<usize>,
    /// The number of ranks of each query that are kept, for measures that are computed outside the kernel;
    /// `None` for no rankings.
    pub rankings: Option<usize>,
    /// Whether a measure needs to know which document is at a rank.
    pub documents: bool,
    /// The number of ranks that the measures look at; `None` for all.
    pub ranks: Option<usize>,
    /// Whether the table has the data checks of each query, in addition to the measures.
    pub counts: bool,
    /// The level of relevance that most measures use, if several do.
    pub level: Option<f64>,
    /// For each measure, whether it is the previous one with a larger cutoff, which has the same value if
    /// both cutoffs are beyond all documents.
    pub deeper: Vec<bool>,
    /// For each measure, how many from it on are one measure of cumulated gain at ascending cutoffs, which
    /// takes one pass over the ranks; 1 for a single measure.
    pub together: Vec<usize>,
    /// The cutoff of each measure; used if several are computed in one pass.
    pub depths: Vec<usize>,
    /// The orders of tied documents in which measures count preferences.
    pub preferences: Vec<TieOrder>,
    /// The grades that unjudged documents may have, if bounds are requested.
    pub bounds: Option<Bounds>,
    /// Whether these are only some of the queries. The caller then checks whether there are rows and common
    /// queries.
    pub partial: bool,
}

impl Plan {
    pub fn new(convention: Convention, measures: Vec<Measure>) -> Result<Self> {
        for measure in &measures {
            measure.check(&convention)?;
        }
        let mut cutoffs: Vec<usize> = measures.iter().filter_map(|measure| measure.cutoff).collect();
        cutoffs.sort_unstable();
        cutoffs.dedup();
        let documents = measures.iter().any(|measure| measure.needs.reads.documents());
        let mut preferences = Vec::new();
        for order in measures.iter().filter_map(|measure| measure.needs.reads.preferences()) {
            if !preferences.contains(&order) {
                preferences.push(order);
            }
        }
        let ranks = measures.iter().map(Measure::ranks).try_fold(0, |most, own| Some(most.max(own?)));
        let level = common_level(&measures);
        let mut before: Option<&Measure> = None;
        let deeper = measures
            .iter()
            .map(|measure| before.replace(measure).is_some_and(|before| is_deeper(measure, before)))
            .collect();
        let together = together(&measures);
        let depths = measures.iter().map(|measure| measure.cutoff.unwrap_or(usize::MAX)).collect();
        Ok(Self {
            convention,
            measures,
            cutoffs,
            documents,
            ranks,
            counts: true,
            level,
            deeper,
            together,
            depths,
            preferences,
            ..Self::default()
        })
    }

    /// The plan, with the bounds of each measure over the labels of unjudged documents.
    pub fn with_bounds(self, bounds: Bounds) -> Result<Self> {
        for measure in &self.measures {
            measure.check_bounds(&self.convention)?;
        }
        Ok(Self { documents: true, bounds: Some(bounds), ..self })
    }

    /// The columns of a measure's bounds.
    #[must_use]
    pub fn bounds_columns(&self, measure: usize) -> [usize; 2] {
        let first = self.width() - self.sums().count() - 2 * self.measures.len() + 2 * measure;
        [first, first + 1]
    }

    /// The column of the ideal value of a sum of gains.
    #[must_use]
    pub fn ideal_column(&self, measure: usize) -> Option<usize> {
        let measure = self.measures.get(measure)?;
        let place = self.sums().position(|sum| std::ptr::eq(sum, measure))?;
        Some(self.width() - self.sums().count() + place)
    }

    /// The plan, with the grades of the first documents of each query as text.
    #[must_use]
    pub fn with_relevance(self, relevance: Option<usize>) -> Self {
        Self { documents: self.documents || relevance.is_some(), relevance, ..self }
    }

    /// The plan, with the rankings that measures outside the kernel are computed from.
    #[must_use]
    pub fn with_rankings(self) -> Self {
        let outside = self.measures.iter().filter(|measure| measure.is_outside());
        let rankings = outside.map(|measure| measure.cutoff.unwrap_or(usize::MAX)).max();
        let unretrieved = rankings.is_some() && self.convention.unretrieved == Unretrieved::Last;
        Self { rankings, documents: self.documents || unretrieved, ..self }
    }

    /// The judgments under the convention, if the measures are defined for them.
    pub fn judgments<'a>(&self, rows: &'a Rows) -> Result<Judgments<'a>> {
        // Queries without judgments, of a part of a collection, have no labels either.
        for measure in self.measures.iter().filter(|_| !rows.is_empty()) {
            measure.fits(rows.has_labels(), || rows.one_grade())?;
        }
        Judgments::measured_once(rows, &self.convention)
    }

    /// As `judgments`, for rows on disk.
    pub fn judgments_on_disk<'a>(&self, rows: &'a DiskRows) -> Result<Judgments<'a>> {
        for measure in &self.measures {
            measure.fits(rows.has_labels(), || rows.one_grade())?;
        }
        Judgments::on_disk(rows, &self.convention)
    }

    /// Measures that come with their DCG and IDCG.
    #[must_use]
    pub fn with_parts(&self) -> usize {
        self.measures.iter().filter(|measure| measure.needs.range == Range::Parts).count()
    }

    /// Sums of gains, which come with their ideal values if rows have counts.
    pub fn sums(&self) -> impl Iterator<Item = &Measure> {
        self.measures.iter().filter(|measure| self.counts && measure.needs.range == Range::Sum)
    }

    /// Values in a query's row: each measure; DCG and IDCG of each nDCG; retrieved, relevant, judged,
    /// tied, duplicates; judged, unjudged and a tie at each cutoff; with bounds those of each measure;
    /// and the ideal value of each sum of gains. Without counts, each measure.
    #[must_use]
    pub fn width(&self) -> usize {
        if !self.counts {
            return self.measures.len();
        }
        let bounds = if self.bounds.is_some() { 2 * self.measures.len() } else { 0 };
        let with_counts = self.measures.len() + 2 * self.with_parts() + 5 + 3 * self.cutoffs.len();
        with_counts + bounds + self.sums().count()
    }
}

/// Whether a measure is another one with a larger cutoff, with equal values beyond the end.
fn is_deeper(measure: &Measure, other: &Measure) -> bool {
    measure.needs.cutoffs.settle()
        && measure.cutoff > other.cutoff
        && other.cutoff.is_some()
        && !measure.judged_only
        && !other.judged_only
        && measure.formula == other.formula
}

/// For each measure, how many from it on are the same at ascending cutoffs.
fn together(measures: &[Measure]) -> Vec<usize> {
    let follows = |measure: &Measure, before: &Measure| {
        before.cutoff.is_some()
            && measure.cutoff >= before.cutoff
            && measure.judged_only == before.judged_only
            && measure.formula == before.formula
    };
    let mut counts = vec![1; measures.len()];
    for at in (1..measures.len()).rev() {
        if let (Some(before), Some(measure)) = (measures.get(at - 1), measures.get(at))
            && measure.needs.cutoffs.are_one_pass()
            && follows(measure, before)
        {
            let count = *counts.known(at);
            *counts.known_mut(at - 1) = count + 1;
        }
    }
    counts
}

/// The level that most measures use; `None` if fewer than three use it.
fn common_level(measures: &[Measure]) -> Option<f64> {
    let levels: Vec<f64> = measures
        .iter()
        .filter(|measure| !measure.judged_only)
        .filter_map(|measure| measure.needs.relevant.level())
        .filter(|&rel| rel >= 0.0)
        .collect();
    let uses = |rel: f64| levels.iter().filter(|&&other| other == rel).count();
    let most = levels.iter().copied().max_by_key(|&rel| uses(rel))?;
    (uses(most) > 2).then_some(most)
}
