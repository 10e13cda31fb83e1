//! Sets of positions, as disjoint intervals in order.

use crate::known::Known;

/// A half-open interval of a document, which is a number within the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Interval {
    pub document: u32,
    pub start: u64,
    pub end: u64,
}

impl Interval {
    pub(super) fn length(self) -> u64 {
        self.end - self.start
    }
}

#[derive(Debug, Default)]
pub(super) struct Set {
    /// By document, then by start; no two overlap.
    parts: Vec<Interval>,
}

impl Set {
    pub(super) fn new(intervals: impl Iterator<Item = Interval>) -> Self {
        let mut parts: Vec<Interval> = intervals.filter(|interval| interval.length() > 0).collect();
        parts.sort_unstable_by_key(|part| (part.document, part.start));
        parts.dedup_by(|part, before| {
            let joins = part.document == before.document && part.start <= before.end;
            if joins {
                before.end = before.end.max(part.end);
            }
            joins
        });
        Self { parts }
    }

    pub(super) fn length(&self) -> u64 {
        self.parts.iter().map(|part| part.length()).fold(0, u64::saturating_add)
    }

    /// The parts of an interval that are in the set.
    pub(super) fn within(&self, interval: Interval) -> impl Iterator<Item = Interval> + '_ {
        let Interval { document, start, end } = interval;
        let first = self.parts.partition_point(|part| (part.document, part.end) <= (document, start));
        let parts = self.parts.known(first..).iter();
        parts
            .take_while(move |part| part.document == document && part.start < end)
            .map(move |part| Interval { document, start: part.start.max(start), end: part.end.min(end) })
    }

    /// How much of an interval is in the set.
    pub(super) fn overlap(&self, interval: Interval) -> u64 {
        self.within(interval).map(Interval::length).sum()
    }
}
