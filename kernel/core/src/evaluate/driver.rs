//! Evaluates a run in parts, and once more as a whole if the rows of a query are in several places.
//!
//! The consecutive rows of a query are evaluated as soon as another query begins. If the query comes again, or
//! further rows could resolve an error, the parts are read again: rows are dealt to partitions by query.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Plan;
use super::measurer::Measurer;
use super::outcome::Outcome;
use super::partitions::{Dealt, Room, measure};
use crate::error::{Earliest, Result, keep_earliest};
use crate::judgments::Judgments;
use crate::parallel::Pace;
use crate::ranking::{Block, RowFault};

/// What follows from the consecutive rows of a query.
pub(super) enum Verdict {
    Continue,
    /// The query has more rows, or may have: only regrouping has all of them.
    Regroup,
    /// A row is wrong, whatever rows follow.
    Stop(RowFault),
}

/// What the rows of a part gave.
#[derive(Default)]
pub(super) struct Part {
    pub outcome: Outcome,
    pub earliest: Earliest,
    /// Of rows that were dealt: judged queries without documents.
    pub empty: Vec<usize>,
}

/// What all parts gave.
#[derive(Default)]
pub(super) struct Driven {
    pub outcomes: Vec<Outcome>,
    pub earliest: Earliest,
    /// Whether the rows of a query were in several places.
    pub scattered: bool,
}

/// The state that the readers of the parts share.
pub(super) struct Driver<'a> {
    pub plan: &'a Plan,
    pub judgments: &'a Judgments<'a>,
    /// Whether the keys of rows are scores; otherwise they are ranks.
    pub scored: bool,
    /// For each judged query, whether rows of it have been evaluated.
    seen: Vec<AtomicBool>,
    scattered: AtomicBool,
    room: Room,
    /// The rows that threads collected and do not add to at the moment.
    idle: Mutex<Vec<Dealt>>,
}

impl<'a> Driver<'a> {
    /// `memory` is how many bytes dealt rows may take before they go to disk.
    pub(super) fn new(
        plan: &'a Plan,
        judgments: &'a Judgments<'a>,
        scored: bool,
        memory: usize,
        threads: usize,
    ) -> Self {
        Self {
            plan,
            judgments,
            scored,
            seen: (0..judgments.rows().queries()).map(|_| AtomicBool::new(false)).collect(),
            scattered: AtomicBool::new(false),
            room: Room::new(memory / threads.max(1)),
            idle: Mutex::default(),
        }
    }

    pub(super) fn is_scattered(&self) -> bool {
        self.scattered.load(Ordering::Relaxed)
    }

    /// Requests that all rows are regrouped.
    pub(super) fn regroup(&self) -> Verdict {
        self.scattered.store(true, Ordering::Relaxed);
        Verdict::Regroup
    }

    /// Evaluates the consecutive rows of a query with `measure`; `judged` is its number in the judgments.
    #[inline(always)]
    pub(super) fn evaluate(
        &self,
        query: &[u8],
        judged: Option<usize>,
        measurer: &mut Measurer,
        outcome: &mut Outcome,
        measure: impl FnOnce(&mut Measurer, usize) -> std::result::Result<(), RowFault>,
    ) -> Verdict {
        let Some(judged) = judged else {
            outcome.extra.add(query, self.plan.partial);
            return Verdict::Continue;
        };
        if self.seen.get(judged).is_some_and(|seen| seen.swap(true, Ordering::Relaxed)) {
            return self.regroup();
        }
        match measure(measurer, judged) {
            Ok(()) => {
                outcome.push(judged, measurer);
                Verdict::Continue
            }
            Err(fault) if fault.whole => self.regroup(),
            Err(fault) => Verdict::Stop(fault),
        }
    }

    /// Deals the rows of one part to partitions; `read` returns the error that ended it.
    pub(super) fn deal(&self, read: impl FnOnce(&mut Dealt, &mut Part) -> Result<Earliest>) -> Result<Part> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut part = Part::default();
        let kept = idle().pop();
        let mut rows = kept.unwrap_or_else(|| Dealt::new(&self.room));
        let read = read(&mut rows, &mut part);
        let ended = rows.end_chunk();
        idle().push(rows);
        part.earliest = read?;
        ended.map(|()| part)
    }

    /// Evaluates all parts as they are read; `None` if they have to be regrouped.
    pub(super) fn evaluated(
        &self,
        evaluate: impl FnOnce(&Self, &mut Pace<'_>) -> Result<Vec<Part>>,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Driven>> {
        let parts = evaluate(self, pace);
        if !self.is_scattered() {
            return Ok(Some(combined(parts?).0));
        }
        if parts.is_err() {
            pace.progress.advance(0)?;
        }
        pace.progress.done.store(0, Ordering::Relaxed);
        Ok(None)
    }

    /// Deals the rows of all parts, and evaluates them.
    pub(super) fn regrouped(
        self,
        deal: impl FnOnce(&Self, &mut Pace<'_>) -> Result<Vec<Part>>,
        pace: &mut Pace<'_>,
    ) -> Result<Driven> {
        let (mut driven, mut empty) = combined(deal(&self, pace)?);
        let Self { plan, judgments, scored, .. } = self;
        let dealt = self.idle.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (measured, earliest) = measure(dealt, driven.earliest.take(), plan, judgments, scored, pace)?;
        driven.earliest = earliest;
        driven.scattered = self.scattered.into_inner();
        driven.outcomes.extend(measured);
        empty.sort_unstable();
        empty.dedup();
        let (mut measurer, mut outcome) = (Measurer::default(), Outcome::default());
        for query in driven.outcomes.iter().flat_map(|outcome| &outcome.queries) {
            if let Ok(place) = empty.binary_search(&(*query as usize)) {
                empty.remove(place);
            }
        }
        for judged in empty {
            match measurer.block(
                &Block::without_rows(judgments.rows().query_id(judged)),
                judged,
                judgments,
                plan,
            ) {
                Ok(()) => outcome.push(judged, &measurer),
                Err(fault) => keep_earliest(&mut driven.earliest, Some((0, fault.error))),
            }
        }
        driven.outcomes.push(outcome);
        Ok(driven)
    }
}

fn combined(parts: Vec<Part>) -> (Driven, Vec<usize>) {
    let (mut driven, mut empty) = (Driven::default(), Vec::new());
    for part in parts {
        driven.outcomes.push(part.outcome);
        keep_earliest(&mut driven.earliest, part.earliest);
        empty.extend(part.empty);
    }
    (driven, empty)
}
