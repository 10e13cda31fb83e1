//! Evaluates one query under several labelings.

use crate::convention::Convention;
use crate::error::Result;
use crate::measures::{Measure, View};

pub(super) struct Trial<'a> {
    pub measure: &'a Measure,
    /// The ranking without labels.
    pub view: &'a View<'a>,
    convention: &'a Convention,
    /// Indices (rank - 1) of the documents that get labels, ascending.
    pub places: &'a [usize],
    grades: Vec<f64>,
    pool: Vec<f64>,
    low: f64,
    high: f64,
    undefined: bool,
}

impl<'a> Trial<'a> {
    pub(super) fn new(
        measure: &'a Measure,
        view: &'a View<'a>,
        convention: &'a Convention,
        places: &'a [usize],
    ) -> Self {
        let (grades, pool) = (view.grades.to_vec(), Vec::with_capacity(view.pool.len() + places.len()));
        let (low, high) = (f64::INFINITY, f64::NEG_INFINITY);
        Self { measure, view, convention, places, grades, pool, low, high, undefined: false }
    }

    /// Evaluates the query and adds the value to the interval. `label` returns the label of a place by its
    /// number among the places.
    pub(super) fn add_labels(&mut self, label: impl Fn(usize) -> f64) -> Result<()> {
        if let Some(value) = self.value(label)? {
            self.undefined |= value.is_nan();
            self.low = self.low.min(value);
            self.high = self.high.max(value);
        }
        Ok(())
    }

    /// Evaluates the query with a label for each place; returns None if the query does not count. A document
    /// whose label is NaN stays unjudged.
    pub(super) fn value(&mut self, label: impl Fn(usize) -> f64) -> Result<Option<f64>> {
        self.pool.clear();
        self.pool.extend_from_slice(self.view.pool);
        for (number, &place) in self.places.iter().enumerate() {
            let label = label(number);
            // A document that was not returned has a place beyond the ranking.
            if let Some(grade) = self.grades.get_mut(place) {
                *grade = label;
            }
            if !label.is_nan() {
                self.pool.push(label);
            }
        }
        // A stable sort is faster here, because it merges parts that are sorted already.
        self.pool.sort_by(|a, b| b.total_cmp(a));
        let view = View {
            grades: &self.grades,
            given: &self.grades,
            pool: &self.pool,
            judged: None,
            level: None,
            ..*self.view
        };
        let raw = self.measure.raw(&view, self.convention)?;
        if raw.nothing {
            let policy = self.convention.nothing_relevant;
            let value = self.measure.without_relevant(raw.value, policy, view.grades.is_empty());
            return Ok(value.map(|value| self.convention.rounding.query(value)));
        }
        Ok(Some(self.measure.settle(raw, &view, self.convention)?.value))
    }

    /// Returns the least and the greatest value so far; NaN if any value was undefined.
    pub(super) fn interval(&self) -> (f64, f64) {
        if self.undefined || self.low > self.high { (f64::NAN, f64::NAN) } else { (self.low, self.high) }
    }
}
