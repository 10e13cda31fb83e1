//! The input of formulas.

/// Integer grades beyond this are not distinct as 64-bit floats.
pub const LARGEST_GRADE: f64 = 9_007_199_254_740_992.0;

/// Below this many numbers, threads take longer than they save.
pub(super) const FEW: usize = 1 << 15;

/// Lists of numbers from any source.
pub trait NumberLists: Sync {
    /// The number of lists.
    fn rows(&self) -> usize;

    /// The total number of numbers.
    fn cells(&self) -> usize;

    /// Whether the numbers were integers, which 64-bit floats represent exactly only up to 2^53.
    fn whole(&self) -> bool;

    /// Replaces `values` with a list.
    fn read(&self, row: usize, values: &mut Vec<f64>);
}

/// The input of a formula; `scores` and `ideals` have as many lists as `grades`.
pub struct Lists<'a> {
    pub grades: &'a dyn NumberLists,
    pub scores: Option<&'a dyn NumberLists>,
    pub ideals: Option<&'a dyn NumberLists>,
    /// The name of a list in messages: "row", "group", or empty for a single list.
    pub unit: &'static str,
}

impl Lists<'_> {
    /// Whether threads would help.
    #[must_use]
    pub fn are_many(&self) -> bool {
        self.grades.rows() > 1 && self.grades.cells() > FEW
    }

    /// "row 3, position 5 of the grades (counted from 0)".
    pub(super) fn place(&self, row: usize, position: Option<usize>, what: &str) -> String {
        let mut place = String::new();
        if !self.unit.is_empty() {
            place = format!("{} {row}", self.unit);
        }
        if let Some(position) = position {
            let comma = if place.is_empty() { "" } else { ", " };
            place = format!("{place}{comma}position {position} of the {what}");
        } else if place.is_empty() {
            return format!("the {what}");
        }
        format!("{place} (counted from 0)")
    }
}

/// The buffers of one thread.
#[derive(Default)]
pub struct Scratch {
    pub(super) grades: Vec<f64>,
    pub(super) scores: Vec<f64>,
    /// The part of the ideal list that counts.
    pub(super) pool: Vec<f64>,
    pub(super) best: Vec<f64>,
    /// Scores with their positions, in rank order.
    pub(super) order: Vec<(f64, u32)>,
    pub(super) level: Vec<(f64, u32)>,
    pub(super) ranked: Vec<f64>,
    pub(super) group_ends: Vec<u32>,
}
