//! Judgments under a convention.

mod grades;
mod labelled;

use std::sync::Arc;

use crate::convention::Convention;
use crate::error::Result;
use crate::formats::Loaded;
use crate::memory;
use crate::rows::{DiskBlock, DiskRows, QueryRows, Rows, Span};

use crate::known::Known;
use grades::Policies;
pub use grades::effective;
use labelled::Labelled;
pub use labelled::{Entry, Labels};

/// The grades of a table of judgments after the convention's policies.
pub struct Judgments<'a> {
    source: JudgmentSource<'a>,
    /// The grades of all queries, if kept; empty if computed for each query.
    graded: Graded,
    /// The policies to compute them with.
    policies: Option<Policies>,
}

/// Grades of consecutive queries.
#[derive(Debug, Default)]
struct Graded {
    /// One per row, or with labels one per document; NaN if the policy treats the document as unjudged.
    grades: Vec<f64>,
    /// The same without the NaN, in descending order within each query.
    descending: Vec<f64>,
    /// For each query, the start of its grades, and how many count as judged.
    queries: Vec<(usize, usize)>,
    labelled: Option<Labelled>,
}

/// The buffers of a thread for judgments.
#[derive(Debug, Default)]
pub struct Loader {
    graded: Graded,
    block: DiskBlock,
}

/// The rows that the grades belong to.
enum JudgmentSource<'a> {
    Borrowed(&'a Rows),
    /// For reuse from one call to the next.
    Shared(Arc<Loaded>),
    Disk(&'a DiskRows),
}

/// The judged documents of one query.
#[derive(Debug, Clone, Copy)]
pub struct Pool<'a> {
    pub query: &'a [u8],
    pub arena: &'a [u8],
    pub documents: &'a [Span],
    /// In the given order; NaN counts as unjudged.
    pub grades: &'a [f64],
    /// The given grades, before the convention's policies.
    pub raw: &'a [f64],
    /// Descending, judged ones only.
    pub descending: &'a [f64],
    /// The grades of each document by label. Its grade above is the largest of these.
    pub labels: Labels<'a>,
}

impl<'a> Judgments<'a> {
    /// Computes the grades of all queries.
    pub fn new(rows: &'a Rows, convention: &Convention) -> Result<Self> {
        Self::kept(JudgmentSource::Borrowed(rows), convention)
    }

    /// Computes grades when their query is evaluated, which takes no memory.
    pub fn measured_once(rows: &'a Rows, convention: &Convention) -> Result<Self> {
        let policies = Policies::of(convention);
        if policies.refuse(rows.values()) {
            rows.iter().try_for_each(|query| policies.check(&query))?;
        }
        Ok(Self {
            source: JudgmentSource::Borrowed(rows),
            graded: Graded::default(),
            policies: Some(policies),
        })
    }

    /// Reads rows on disk when their query is evaluated.
    pub fn on_disk(rows: &'a DiskRows, convention: &Convention) -> Result<Self> {
        let policies = Policies::of(convention);
        let facts = rows.facts();
        if policies.refuse(&[facts.least, facts.most, facts.fraction.unwrap_or_default()]) {
            let mut block = DiskBlock::default();
            for query in 0..rows.queries().queries() {
                policies.check(&rows.load(query, &mut block)?)?;
            }
        }
        Ok(Self { source: JudgmentSource::Disk(rows), graded: Graded::default(), policies: Some(policies) })
    }

    fn kept(source: JudgmentSource<'a>, convention: &Convention) -> Result<Self> {
        let mut graded = Graded::default();
        graded.clear(source.rows().has_labels());
        let policies = Policies::of(convention);
        for query in source.rows().iter() {
            graded.add(&query, &policies)?;
        }
        Ok(Self { source, graded, policies: None })
    }

    /// The rows; for rows on disk, only the queries.
    #[must_use]
    pub fn rows(&self) -> &Rows {
        self.source.rows()
    }

    #[must_use]
    pub fn has_labels(&self) -> bool {
        match &self.source {
            JudgmentSource::Disk(rows) => rows.has_labels(),
            source => source.rows().has_labels(),
        }
    }

    /// The judgments of a query, if all are kept.
    #[must_use]
    pub fn pool(&self, query: usize) -> Pool<'_> {
        self.graded.pool(query, &self.rows().query(query))
    }

    /// The judgments of a query from any source.
    pub fn load<'b>(&'b self, query: usize, loader: &'b mut Loader) -> Result<Pool<'b>> {
        let Some(policies) = &self.policies else { return Ok(self.pool(query)) };
        let Loader { graded, block } = loader;
        let rows = match &self.source {
            JudgmentSource::Disk(rows) => rows.load(query, block)?,
            source => source.rows().query(query),
        };
        graded.clear(self.has_labels());
        graded.add(&rows, policies)?;
        Ok(graded.pool(0, &rows))
    }
}

impl Judgments<'static> {
    /// As `new`, for shared rows.
    pub fn shared(loaded: Arc<Loaded>, convention: &Convention) -> Result<Self> {
        Self::kept(JudgmentSource::Shared(loaded), convention)
    }
}

impl Graded {
    fn clear(&mut self, labelled: bool) {
        self.grades.clear();
        self.descending.clear();
        self.queries.clear();
        self.labelled = labelled.then(Labelled::default);
    }

    fn add(&mut self, query: &QueryRows<'_>, policies: &Policies) -> Result<()> {
        let first = self.grades.len();
        memory::reserve(&mut self.grades, query.values.len())?;
        memory::reserve(&mut self.descending, query.values.len())?;
        match &mut self.labelled {
            Some(labelled) => labelled.add(query, policies, &mut self.grades)?,
            None => {
                for (row, &grade) in query.values.iter().enumerate() {
                    self.grades.push(policies.grade(grade, query, row)?);
                }
            }
        }
        self.descending.extend_from_slice(self.grades.known(first..));
        let own = self.descending.known_mut(first..);
        // NaN last: they are the rows that count as unjudged.
        own.sort_unstable_by(|a, b| match (a.is_nan(), b.is_nan()) {
            (false, false) => b.total_cmp(a),
            (a, b) => a.cmp(&b),
        });
        self.queries.push((first, own.iter().take_while(|grade| !grade.is_nan()).count()));
        Ok(())
    }

    /// A query whose rows were added.
    fn pool<'b>(&'b self, query: usize, rows: &QueryRows<'b>) -> Pool<'b> {
        let (first, judged) = *self.queries.known(query);
        let (count, documents, raw, labels) = match &self.labelled {
            None => (rows.documents.len(), rows.documents, rows.values, Labels::default()),
            Some(labelled) => {
                let range = labelled.pool(query);
                let documents = labelled.documents.known(range.clone());
                let raw = labelled.raw.known(range);
                (documents.len(), documents, raw, labelled.labels(query))
            }
        };
        Pool {
            query: rows.id,
            arena: rows.arena,
            documents,
            grades: self.grades.known(first..first + count),
            raw,
            descending: self.descending.known(first..first + judged),
            labels,
        }
    }
}

impl JudgmentSource<'_> {
    fn rows(&self) -> &Rows {
        match self {
            Self::Borrowed(rows) => rows,
            Self::Shared(loaded) => &loaded.rows,
            Self::Disk(rows) => rows.queries(),
        }
    }
}
