//! Evaluates runs that are not grouped by query, and runs that can be read only once.
//!
//! Rows are distributed over partitions by query, in memory up to a limit and then on disk, and each
//! partition is sorted into queries. Extra queries are counted and dropped.

use std::io::Read;
use std::sync::{Mutex, PoisonError};

use super::Plan;
use super::outcome::{ExtraQueries, Outcome};
use super::partitions::{Dealt, Room, measure};
use super::short_ids::ShortIds;
use super::text::{TextRun, key, reader};
use crate::error::{Error, Kind, Result};
use crate::judgments::Judgments;
use crate::known::Known;
use crate::parallel::{Pace, run};
use crate::read::place::{Place, Places, pack, unpack};
use crate::read::scan::same;
use crate::read::segments::Segment;
use crate::read::source::Opened;
use crate::read::trec::{Dialect, Fault, Flow, Line, Sink, drive};
use crate::read::window::Window;

/// What one segment has in addition to its rows.
#[derive(Default)]
struct Segmented {
    extra: ExtraQueries,
    tag: Vec<u8>,
    /// The error that ended the segment; its rows before that may have earlier errors.
    broken: Option<(u64, Box<Error>)>,
}

pub(super) fn regroup(
    plan: &Plan,
    judgments: &Judgments<'_>,
    text: &TextRun,
    segments: &[Segment],
    streams: &[Mutex<Option<Opened>>],
    pace: &mut Pace<'_>,
) -> Result<Vec<Outcome>> {
    let progress = pace.progress;
    let room = Room::new(text.memory / pace.threads.max(1));
    let queries = ShortIds::new(judgments);
    // The rows that threads collected and do not add to at the moment.
    let idle: Mutex<Vec<Dealt>> = Mutex::default();
    let locked = || idle.lock().unwrap_or_else(PoisonError::into_inner);
    let dealt = run(
        segments.len(),
        pace,
        || (),
        |(), job| {
            let Some(segment) = segments.get(job) else {
                return Err(Error::interrupted());
            };
            let kept = locked().pop();
            let mut rows = kept.unwrap_or_else(|| Dealt::new(&room));
            let to = Deal {
                plan,
                judgments,
                queries: &queries,
                dialect: text.dialect,
                places: Places::new(segment.source, segment.start, false),
                query: Vec::new(),
                judged: None,
                fresh: true,
                rows: &mut rows,
                dealt: Segmented::default(),
            };
            let dealt = deal(segment, text, streams, to, |bytes| progress.advance(bytes));
            let ended = rows.end_chunk();
            locked().push(rows);
            ended.and(dealt)
        },
    )?;
    let mut broken: Option<(u64, Box<Error>)> = None;
    for one in &dealt {
        if let Some((place, error)) = &one.broken
            && broken.as_ref().is_none_or(|(first, _)| place < first)
        {
            broken = Some((*place, error.clone()));
        }
    }
    let rows = idle.into_inner().unwrap_or_else(PoisonError::into_inner);
    let measured = measure(rows, broken, plan, judgments, true, pace)?;
    let mut results = measured.map_err(|(place, error)| {
        let (source, within) = unpack(place);
        let counted = segments.iter().any(|segment| segment.source == source && segment.file.is_none());
        let place = if counted { Place::Line(within) } else { Place::Offset(within) };
        text.locate(source, place, error)
    })?;
    results.extend(dealt.into_iter().map(|one| Outcome {
        extra: one.extra,
        tag: one.tag,
        ..Outcome::default()
    }));
    Ok(results)
}

fn deal(
    segment: &Segment,
    text: &TextRun,
    streams: &[Mutex<Option<Opened>>],
    mut sink: Deal<'_>,
    mut go_on: impl FnMut(u64) -> Result<()>,
) -> Result<Segmented> {
    let (source, counted) = reader(segment, streams);
    let length = segment.end.saturating_sub(segment.start);
    let mut window = Window::new(source.take(length), segment.start, counted);
    sink.places = Places::new(segment.source, segment.start, counted);
    let result = drive(
        &mut window,
        text.layout(),
        &mut sink,
        |bytes| go_on(bytes as u64),
        |error| text.failed(segment.source, error),
    );
    let mut dealt = sink.dealt;
    if let Err((place, error)) = result {
        if error.kind == Kind::Interrupted {
            return Err(error);
        }
        dealt.broken = Some((pack(segment.source, place), error));
    }
    Ok(dealt)
}

struct Deal<'a> {
    plan: &'a Plan,
    judgments: &'a Judgments<'a>,
    queries: &'a ShortIds,
    dialect: Dialect,
    places: Places,
    query: Vec<u8>,
    judged: Option<usize>,
    fresh: bool,
    rows: &'a mut Dealt,
    dealt: Segmented,
}

impl Sink for Deal<'_> {
    fn line(&mut self, bytes: &[u8], line: &Line) -> std::result::Result<Flow, Fault> {
        let query = bytes.known(line.query.clone());
        if self.fresh || !same(query, &self.query) {
            self.fresh = false;
            self.query.clear();
            self.query.extend_from_slice(query);
            self.judged = self.queries.find(query, self.judgments);
            if self.judged.is_none() {
                self.dealt.extra.add(query, self.plan.partial);
            }
        }
        let key = key(self.plan.convention.order, self.dialect, bytes, line)?;
        let Some(judged) = self.judged else { return Ok(Flow::On) };
        let place = self.places.of(bytes, line.query.start);
        let document = bytes.known(line.document.clone());
        let dealt = self.rows.put(judged, place, key, document);
        dealt.map_err(|error| Fault { offset: line.query.start, error })?;
        Ok(Flow::On)
    }

    fn keep(&self) -> Option<usize> {
        self.places.keep()
    }

    fn passed(&mut self, bytes: &[u8]) {
        self.places.pass(bytes);
    }

    fn tag(&mut self, tag: &[u8]) {
        tag.clone_into(&mut self.dealt.tag);
    }

    fn moved(&mut self, by: usize, at: u64) {
        self.places.moved(by, at);
    }
}
