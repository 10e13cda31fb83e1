//! Positions of documents and groups of ties after removing unjudged documents.

use crate::known::Known;

/// The indices of documents after removing unjudged ones.
pub fn condense_indices(grades: &[f64], indices: &[u32], condensed: &mut Vec<u32>) {
    condensed.clear();
    let mut unjudged = 0;
    let mut from = 0;
    for &index in indices {
        let above = grades.known(from..index as usize);
        unjudged += above.iter().filter(|grade| grade.is_nan()).count();
        from = index as usize;
        if grades.get(from).is_some_and(|grade| !grade.is_nan()) {
            condensed.push(index - u32::try_from(unjudged).unwrap_or(index));
        }
    }
}

/// Moves the ends of tie groups after removing unjudged documents.
pub fn condense_groups(grades: &[f64], ends: &mut Vec<u32>) {
    let mut start = 0;
    let mut judged = 0;
    ends.retain_mut(|end| {
        let group = grades.known(start..*end as usize);
        let own = group.iter().filter(|grade| !grade.is_nan()).count();
        start = *end as usize;
        judged += own;
        *end = u32::try_from(judged).unwrap_or(u32::MAX);
        own > 0
    });
}
