//! Accuracy: how often a returned relevant document is ranked above a non-relevant one.

use super::view::{TieMode, View, is_relevant};
use crate::known::Known;

/// The share of all pairs of a relevant and another document above k in which the relevant one comes
/// first. `nothing` where no relevant document was returned above k; 1 where nothing else was.
pub(super) fn value(view: &View<'_>, cutoff: Option<usize>, rel: f64) -> (f64, bool) {
    let relevant = |grade: f64| is_relevant(grade, rel);
    let depth = cutoff.unwrap_or(usize::MAX).min(view.grades.len());
    let mut seen = Seen::default();
    if view.ties == TieMode::Settled {
        for &grade in view.top(cutoff) {
            if relevant(grade) {
                seen.wrong += seen.others;
                seen.relevant += 1.0;
            } else {
                seen.others += 1.0;
            }
        }
        return (seen.accuracy(), seen.relevant == 0.0);
    }
    for (start, end) in view.groups().take_while(|&(start, _)| start < depth) {
        let group = view.grades.known(start..end);
        let hits = group.iter().filter(|&&grade| relevant(grade)).count();
        if end > depth {
            let nothing = seen.relevant == 0.0 && hits == 0;
            return (seen.cut(group.len(), hits, depth - start), nothing);
        }
        seen = seen.and(hits as f64, (group.len() - hits) as f64);
    }
    (seen.accuracy(), seen.relevant == 0.0)
}

/// The counts above a rank; `wrong` counts the pairs with the relevant document below the other.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    relevant: f64,
    others: f64,
    wrong: f64,
}

impl Seen {
    fn accuracy(self) -> f64 {
        if self.relevant == 0.0 {
            0.0
        } else if self.others == 0.0 {
            1.0
        } else {
            1.0 - self.wrong / (self.others * self.relevant)
        }
    }

    /// Adds a group of tied documents; on average over all orders, half of its pairs are wrong.
    fn and(self, relevant: f64, others: f64) -> Self {
        Self {
            relevant: self.relevant + relevant,
            others: self.others + others,
            wrong: self.wrong + self.others * relevant + relevant * others / 2.0,
        }
    }

    /// The mean over all choices of `taken` documents of a group of m of which `hits` are relevant,
    /// where the cutoff leaves no room for more. Their number follows a hypergeometric distribution.
    fn cut(self, m: usize, hits: usize, taken: usize) -> f64 {
        // chances[x]: that x of those taken so far are relevant.
        let mut chances = vec![0.0; taken + 1];
        if let Some(first) = chances.first_mut() {
            *first = 1.0;
        }
        for drawn in 0..taken {
            let left = (m - drawn) as f64;
            for x in (0..=drawn + 1).rev() {
                let hit_before = if x == 0 { 0.0 } else { *chances.known(x - 1) };
                let hit = hit_before * (hits as f64 - (x as f64 - 1.0)).max(0.0) / left;
                let misses_left = (m - hits) as f64 - (drawn as f64 - x as f64);
                let miss = *chances.known(x) * misses_left.max(0.0) / left;
                *chances.known_mut(x) = hit + miss;
            }
        }
        chances.iter().enumerate().fold(0.0, |sum, (x, chance)| {
            if *chance == 0.0 {
                sum
            } else {
                sum + chance * self.and(x as f64, (taken - x) as f64).accuracy()
            }
        })
    }
}
