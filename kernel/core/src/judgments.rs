//! Judgments as a convention sees them.

mod grades;
mod labelled;

use std::sync::Arc;

use crate::convention::Convention;
use crate::error::Result;
use crate::formats::Loaded;
use crate::rows::{DiskBlock, DiskRows, QueryRows, Rows, Span};

use grades::Policies;
pub use grades::effective;
use labelled::Labelled;
pub use labelled::{Entry, Labels};

/// The grades of a table of judgments after the convention's policies.
pub struct Judgments<'a> {
    source: Source<'a>,
    /// Of all queries, where they are kept; empty where they are made when a query is measured.
    graded: Graded,
    /// By which they are made then.
    policies: Option<Policies>,
}

/// Grades of queries that follow each other.
#[derive(Debug, Default)]
struct Graded {
    /// One a row, or with labels one a document; NaN where the policy says "as if unjudged".
    grades: Vec<f64>,
    /// The same without the NaN, in descending order within each query.
    descending: Vec<f64>,
    /// Of each query, where its grades begin, and how many of them count as judged.
    queries: Vec<(usize, usize)>,
    labelled: Option<Labelled>,
}

/// What a thread needs for the judgments of one query after the other.
#[derive(Debug, Default)]
pub struct Loader {
    graded: Graded,
    block: DiskBlock,
}

/// Where the rows stand that the grades belong to.
enum Source<'a> {
    Borrowed(&'a Rows),
    /// For who keeps them from one call to the next.
    Shared(Arc<Loaded>),
    Disk(&'a DiskRows),
}

/// The judged documents of one query.
#[derive(Debug, Clone, Copy)]
pub struct Pool<'a> {
    pub query: &'a [u8],
    pub arena: &'a [u8],
    pub documents: &'a [Span],
    /// In the order given; NaN counts as unjudged.
    pub grades: &'a [f64],
    /// The same as they were given, before the convention's policies.
    pub raw: &'a [f64],
    /// Descending, judged ones only.
    pub descending: &'a [f64],
    /// What each document has under each label. Its grade above is then the largest of these.
    pub labels: Labels<'a>,
}

impl<'a> Judgments<'a> {
    /// With the grades of all queries.
    pub fn new(rows: &'a Rows, convention: &Convention) -> Result<Self> {
        Self::kept(Source::Borrowed(rows), convention)
    }

    /// Whose grades are made when their query is measured, which takes no memory.
    pub fn measured_once(rows: &'a Rows, convention: &Convention) -> Result<Self> {
        let policies = Policies::of(convention);
        if policies.refuse(rows.values()) {
            rows.iter().try_for_each(|query| policies.check(&query))?;
        }
        Ok(Self { source: Source::Borrowed(rows), graded: Graded::default(), policies: Some(policies) })
    }

    /// Of rows on disk, which are read when their query is measured.
    pub fn on_disk(rows: &'a DiskRows, convention: &Convention) -> Result<Self> {
        let policies = Policies::of(convention);
        let facts = rows.facts();
        if policies.refuse(&[facts.least, facts.most, facts.fraction.unwrap_or_default()]) {
            let mut block = DiskBlock::default();
            for query in 0..rows.queries().queries() {
                policies.check(&rows.load(query, &mut block)?)?;
            }
        }
        Ok(Self { source: Source::Disk(rows), graded: Graded::default(), policies: Some(policies) })
    }

    fn kept(source: Source<'a>, convention: &Convention) -> Result<Self> {
        let mut graded = Graded::default();
        graded.clear(source.rows().has_labels());
        let policies = Policies::of(convention);
        for query in source.rows().iter() {
            graded.add(&query, &policies)?;
        }
        Ok(Self { source, graded, policies: None })
    }

    /// The rows; of those on disk, the queries alone.
    #[must_use]
    pub fn rows(&self) -> &Rows {
        self.source.rows()
    }

    #[must_use]
    pub fn has_labels(&self) -> bool {
        match &self.source {
            Source::Disk(rows) => rows.has_labels(),
            source => source.rows().has_labels(),
        }
    }

    /// The judgments of a query, where those of all are kept.
    #[must_use]
    pub fn pool(&self, query: usize) -> Pool<'_> {
        self.graded.pool(query, &self.rows().query(query))
    }

    /// The judgments of a query, wherever they are.
    pub fn load<'b>(&'b self, query: usize, loader: &'b mut Loader) -> Result<Pool<'b>> {
        let Some(policies) = &self.policies else { return Ok(self.pool(query)) };
        let Loader { graded, block } = loader;
        let rows = match &self.source {
            Source::Disk(rows) => rows.load(query, block)?,
            source => source.rows().query(query),
        };
        graded.clear(self.has_labels());
        graded.add(&rows, policies)?;
        Ok(graded.pool(0, &rows))
    }
}

impl Judgments<'static> {
    /// As `new`, of rows that others use too.
    pub fn shared(loaded: Arc<Loaded>, convention: &Convention) -> Result<Self> {
        Self::kept(Source::Shared(loaded), convention)
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
        match &mut self.labelled {
            Some(labelled) => labelled.add(query, policies, &mut self.grades)?,
            None => {
                for (row, &grade) in query.values.iter().enumerate() {
                    self.grades.push(policies.grade(grade, query, row)?);
                }
            }
        }
        self.descending.extend_from_slice(self.grades.get(first..).unwrap_or_default());
        let own = self.descending.get_mut(first..).unwrap_or_default();
        // NaN last: they are the rows that count as unjudged.
        own.sort_unstable_by(|a, b| match (a.is_nan(), b.is_nan()) {
            (false, false) => b.total_cmp(a),
            (a, b) => a.cmp(&b),
        });
        self.queries.push((first, own.iter().take_while(|grade| !grade.is_nan()).count()));
        Ok(())
    }

    /// What is known of a query; its rows are those that were added.
    fn pool<'b>(&'b self, query: usize, rows: &QueryRows<'b>) -> Pool<'b> {
        let (first, judged) = self.queries.get(query).copied().unwrap_or_default();
        let (count, documents, raw, labels) = match &self.labelled {
            None => (rows.documents.len(), rows.documents, rows.values, Labels::default()),
            Some(labelled) => {
                let range = labelled.pool(query);
                let documents = labelled.documents.get(range.clone()).unwrap_or_default();
                let raw = labelled.raw.get(range).unwrap_or_default();
                (documents.len(), documents, raw, labelled.labels(query))
            }
        };
        Pool {
            query: rows.id,
            arena: rows.arena,
            documents,
            grades: self.grades.get(first..first + count).unwrap_or_default(),
            raw,
            descending: self.descending.get(first..first + judged).unwrap_or_default(),
            labels,
        }
    }
}

impl Source<'_> {
    fn rows(&self) -> &Rows {
        match self {
            Self::Borrowed(rows) => rows,
            Self::Shared(loaded) => &loaded.rows,
            Self::Disk(rows) => rows.queries(),
        }
    }
}
