//! Removes unjudged documents for measures with `judged_only`.

use super::view::{Documents, View};
use crate::ranking::{condense_groups, condense_indices};

/// A ranking without the documents that have no grade; keeps its buffers from one query to the next.
#[derive(Debug, Default)]
pub struct Condensed {
    grades: Vec<f64>,
    judgments: Vec<u32>,
    group_ends: Vec<u32>,
    copies: Vec<u32>,
}

impl Condensed {
    /// Copies the documents of a ranking that have a grade.
    pub fn fill(&mut self, view: &View<'_>) {
        self.grades.clear();
        self.grades.extend(view.given.iter().filter(|grade| !grade.is_nan()));
        self.group_ends.clear();
        self.group_ends.extend_from_slice(view.group_ends);
        condense_groups(view.given, &mut self.group_ends);
        condense_indices(view.given, view.copies, &mut self.copies);
        self.judgments.clear();
        let judgments = view.documents.judgments.iter().zip(view.given);
        self.judgments.extend(judgments.filter(|(_, grade)| !grade.is_nan()).map(|(&judgment, _)| judgment));
    }

    /// The same query with only these documents.
    #[must_use]
    pub fn view<'a>(&'a self, view: &View<'a>) -> View<'a> {
        View {
            copies: &self.copies,
            documents: Documents { judgments: &self.judgments, ..view.documents },
            ..view.with(&self.grades, &self.grades, &self.group_ends)
        }
    }
}
