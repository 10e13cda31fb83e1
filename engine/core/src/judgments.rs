//! Judgments as a convention sees them.

mod labelled;

use std::sync::Arc;

use crate::convention::{Convention, Fractions, Negative};
use crate::error::{Error, Kind, Result};
use crate::formats::Loaded;
use crate::rows::{Rows, Span};

use labelled::Labelled;
pub use labelled::{Entry, Labels};

/// The grades of a table of judgments after the convention's policies.
pub struct Judgments<'a> {
    source: Source<'a>,
    /// One a row, or with labels one a document; NaN where the policy says "as if unjudged".
    grades: Vec<f64>,
    /// The same without the NaN, in descending order within each query.
    descending: Vec<f64>,
    /// Of each query, how many of its rows (documents, with labels) count as judged.
    judged: Vec<usize>,
    labelled: Option<Labelled>,
}

/// Where the rows stand that the grades belong to.
enum Source<'a> {
    Borrowed(&'a Rows),
    /// For who keeps them from one call to the next.
    Shared(Arc<Loaded>),
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
    pub fn new(rows: &'a Rows, convention: &Convention) -> Result<Self> {
        Self::of(Source::Borrowed(rows), convention)
    }

    fn of(source: Source<'a>, convention: &Convention) -> Result<Self> {
        let rows = source.rows();
        let mut grades = Vec::with_capacity(rows.len());
        let mut descending = Vec::with_capacity(rows.len());
        let mut judged = Vec::with_capacity(rows.queries());
        let labelled =
            if rows.has_labels() { Some(Labelled::new(rows, convention, &mut grades)?) } else { None };
        for (number, query) in rows.iter().enumerate() {
            let own = match &labelled {
                Some(labelled) => labelled.pool(number),
                None => {
                    let first = grades.len();
                    for (row, &grade) in query.values.iter().enumerate() {
                        let grade = effective(grade, convention)
                            .map_err(|error| error.query(query.id).document(query.document(row)))?;
                        grades.push(grade);
                    }
                    first..grades.len()
                }
            };
            let first = descending.len();
            descending.extend_from_slice(grades.get(own).unwrap_or_default());
            let own = descending.get_mut(first..).unwrap_or_default();
            // NaN last: they are the rows that count as unjudged.
            own.sort_unstable_by(|a, b| match (a.is_nan(), b.is_nan()) {
                (false, false) => b.total_cmp(a),
                (a, b) => a.cmp(&b),
            });
            judged.push(own.iter().take_while(|grade| !grade.is_nan()).count());
        }
        Ok(Self { source, grades, descending, judged, labelled })
    }

    #[must_use]
    pub fn rows(&self) -> &Rows {
        self.source.rows()
    }

    #[must_use]
    pub fn pool(&self, query: usize) -> Pool<'_> {
        let group = self.rows().groups().get(query).copied().unwrap_or_default();
        let rows = self.rows().query(query);
        let judged = self.judged.get(query).copied().unwrap_or_default();
        let (range, documents, raw, labels) = match &self.labelled {
            None => (group.first..group.first + group.count, rows.documents, rows.values, Labels::default()),
            Some(labelled) => {
                let range = labelled.pool(query);
                let documents = labelled.documents.get(range.clone()).unwrap_or_default();
                let raw = labelled.raw.get(range.clone()).unwrap_or_default();
                (range, documents, raw, labelled.labels(query))
            }
        };
        Pool {
            query: rows.id,
            arena: rows.arena,
            documents,
            grades: self.grades.get(range.clone()).unwrap_or_default(),
            raw,
            descending: self.descending.get(range.start..range.start + judged).unwrap_or_default(),
            labels,
        }
    }
}

impl Judgments<'static> {
    /// As `new`, of rows that others use too.
    pub fn shared(loaded: Arc<Loaded>, convention: &Convention) -> Result<Self> {
        Self::of(Source::Shared(loaded), convention)
    }
}

impl Source<'_> {
    fn rows(&self) -> &Rows {
        match self {
            Self::Borrowed(rows) => rows,
            Self::Shared(loaded) => &loaded.rows,
        }
    }
}

/// One grade under the convention's policies on fractions and negative grades.
pub fn effective(grade: f64, convention: &Convention) -> Result<f64> {
    let grade = match convention.fractions {
        Fractions::Keep => grade,
        Fractions::Truncate => grade.trunc(),
        Fractions::Error if grade.fract() != 0.0 => {
            return Err(Error::new(Kind::Grade, format!("grade {grade}"), "a whole number")
                .hint("the convention refuses fractions; fractions=keep uses them, fractions=truncate cuts them off"));
        }
        Fractions::Error => grade,
    };
    if let Some(largest) = convention.largest_grade.filter(|&largest| grade > largest) {
        return Err(Error::new(
            Kind::Grade,
            format!("grade {grade}"),
            format!("a grade of {largest} or less"),
        )
        .hint("the convention refuses larger grades; largest_grade=any takes them"));
    }
    if grade < 0.0 {
        match convention.negative {
            Negative::Zero | Negative::Signed => {}
            Negative::Unjudged | Negative::Drop => return Ok(f64::NAN),
            Negative::Error => {
                return Err(Error::new(Kind::Grade, format!("grade {grade}"), "a grade of 0 or more")
                    .hint("the convention refuses negative grades; negative=zero gives them no gain"));
            }
        }
    }
    // Minus zero would come out of a truncated -0.5.
    Ok(grade + 0.0)
}
