//! The table of one run, with one row per query.

use std::collections::BTreeSet;

use super::Plan;
use super::contradictions::Contradictions;
use super::measurer::{Measurer, NOTHING};
use super::outcome::{EXAMPLES, ExtraQueries, Outcome};
use super::rankings::Rankings;
use crate::convention::{Extra, Missing, Rounding};
use crate::error::{Code, Error, Kind, Result, quoted};
use crate::judgments::{Judgments, Loader};
use crate::known::Known;
use crate::spans::SpanPlace;

/// The numbers of queries of an evaluation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Queries with judgments.
    pub judged: u64,
    /// Judged queries in the table.
    pub evaluated: u64,
    /// Judged queries that the run lacks.
    pub missing: u64,
    /// Queries of the run without judgments.
    pub extra: u64,
    pub contradictions: Contradictions,
}

/// Rows of another evaluation, of queries that no other piece has.
#[derive(Debug, Default)]
pub struct TablePart {
    pub ids: Vec<Vec<u8>>,
    /// Row by row, with the columns of the plan.
    pub values: Vec<f64>,
    /// Row by row, one per measure.
    pub flags: Vec<u8>,
    pub counts: Counts,
    pub tag: Vec<u8>,
    pub unmatched: Unmatched,
}

/// The first ids of queries that only the judgments have, and only the run, in byte order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unmatched {
    pub missing: Vec<Vec<u8>>,
    pub extra: Vec<Vec<u8>>,
}

/// The rows of one run, one per query, in byte order of the query ids. The rows are not moved, only indexed
/// in that order.
#[derive(Debug, Default)]
pub struct Table {
    /// Numbers of the queries in the judgments.
    pub queries: Vec<u32>,
    /// For each query, its part and its row there.
    places: Vec<(u32, u32)>,
    /// The rows of the workers.
    parts: Vec<Outcome>,
    width: usize,
    measures: usize,
    pub counts: Counts,
    /// The tag of the last line of a run in TREC text; empty where the run has none.
    pub tag: Vec<u8>,
    /// For a part of a collection, the queries without a row: judged queries that the run lacks, by number,
    /// and queries of the run without judgments.
    pub left_out: Vec<u32>,
    pub unmatched: Unmatched,
    /// Of the first queries without a judged document in the first ranks, the documents.
    pub unjudged: Vec<(u32, Vec<Vec<u8>>)>,
    pub extra: Vec<Vec<u8>>,
}

/// The number of queries whose unjudged documents are kept.
const UNJUDGED: usize = 3;

impl Table {
    /// Combines the workers' rows and handles the queries that the run lacks.
    pub fn assemble(outcomes: Vec<Outcome>, judgments: &Judgments<'_>, plan: &Plan) -> Result<Self> {
        let rows = judgments.rows();
        let width = plan.width();
        let measures = plan.measures.len();
        let mut places = vec![(u32::MAX, 0u32); rows.queries()];
        let mut extra = ExtraQueries::default();
        let mut parts = Vec::with_capacity(outcomes.len());
        let mut tag = Vec::new();
        let mut contradictions = Contradictions::default();
        let mut unjudged = Vec::new();
        let (mut has_places, mut has_documents, mut met) = (false, false, false);
        for (number, mut outcome) in outcomes.into_iter().enumerate() {
            for (row, &query) in outcome.queries.iter().enumerate() {
                *places.known_mut(query as usize) = (count(number), count(row));
            }
            extra.merge(std::mem::take(&mut outcome.extra));
            contradictions.add(outcome.contradictions);
            unjudged.append(&mut outcome.unjudged);
            has_places |= outcome.has_places;
            has_documents |= outcome.has_documents;
            met |= outcome.met;
            if !outcome.tag.is_empty() {
                tag = std::mem::take(&mut outcome.tag);
            }
            outcome.queries = Vec::new();
            parts.push(outcome);
        }
        unjudged.sort_unstable_by_key(|(query, _)| *query);
        if has_places && has_documents {
            let found = "some queries have offsets in judgments and run, and others have none";
            return Err(Error::statement(Kind::Match, found).hint(
                "give every row a start and an end, or compare whole documents with ⟪ignore_offsets=True⟫",
            ));
        }
        if has_places {
            if !met && !plan.partial {
                check_documents(&unjudged, judgments)?;
            }
            unjudged.clear();
        }
        unjudged.truncate(UNJUDGED);
        let missing = places.iter().filter(|(part, _)| *part == u32::MAX).count();
        if missing == rows.queries() && !plan.partial {
            return Err(no_overlap(judgments, &extra));
        }
        if plan.convention.extra == Extra::Error && !extra.is_empty() {
            return Err(extra_queries(&extra));
        }
        let mut table = Self {
            queries: Vec::with_capacity(rows.queries()),
            places: Vec::with_capacity(rows.queries()),
            parts: Vec::new(),
            width,
            measures,
            counts: Counts {
                judged: rows.queries() as u64,
                evaluated: 0,
                missing: missing as u64,
                extra: extra.count() as u64,
                contradictions,
            },
            tag,
            left_out: Vec::new(),
            unmatched: Unmatched { missing: Vec::new(), extra: extra.examples().to_vec() },
            unjudged,
            extra: extra.names(),
        };
        let mut measurer = Measurer::default();
        let mut empty = Outcome::default();
        for &query in rows.sorted() {
            let mut place = places.get(query as usize).copied().unwrap_or((u32::MAX, 0));
            if place.0 == u32::MAX {
                if table.unmatched.missing.len() < EXAMPLES {
                    table.unmatched.missing.push(rows.query_id(query as usize).to_vec());
                }
                match plan.convention.missing {
                    Missing::Skip => {
                        if plan.partial {
                            table.left_out.push(query);
                        }
                        continue;
                    }
                    Missing::Error => return Err(missing_query(rows.query_id(query as usize), missing)),
                    Missing::Empty => {
                        measurer.empty(query as usize, judgments, plan)?;
                        place = (count(parts.len()), count(empty.queries.len()));
                        empty.push(query as usize, &measurer);
                    }
                }
            }
            table.places.push(place);
            table.queries.push(query);
        }
        parts.push(empty);
        table.parts = parts;
        table.counts.evaluated = table.queries.len() as u64;
        Ok(table)
    }

    /// Combines the rows of several evaluations, and returns the ids of their queries, which the table refers
    /// to by number: in byte order, so that results do not depend on the pieces, or with `as_given` in the
    /// order of the pieces and their rows.
    pub fn joined(pieces: Vec<TablePart>, plan: &Plan, as_given: bool) -> Result<(Self, Vec<Vec<u8>>)> {
        let (width, measures) = (plan.width(), plan.measures.len());
        let mut counts = Counts::default();
        let mut tags = Vec::new();
        let (mut missing, mut extra) = (Vec::new(), Vec::new());
        let mut found = Vec::new();
        let mut parts = Vec::with_capacity(pieces.len());
        for (number, piece) in pieces.into_iter().enumerate() {
            let rows = piece.ids.len();
            if piece.values.len() != rows * width || piece.flags.len() != rows * measures {
                return Err(Error::new(
                    Kind::Parameter,
                    format!("{} values and {} flags for {rows} rows", piece.values.len(), piece.flags.len()),
                    format!("{width} values and {measures} flags per row"),
                ));
            }
            counts.judged += piece.counts.judged;
            counts.evaluated += rows as u64;
            counts.missing += piece.counts.missing;
            counts.extra += piece.counts.extra;
            counts.contradictions.add(piece.counts.contradictions);
            tags.push(piece.tag);
            missing.extend(piece.unmatched.missing.into_iter().map(|id| (id, count(number))));
            extra.extend(piece.unmatched.extra);
            let before = found.len();
            found.extend(
                (piece.ids.into_iter().enumerate())
                    .map(|(row, id)| (id, (count(number), count(row)), count(before + row))),
            );
            parts.push(Outcome { values: piece.values, flags: piece.flags, ..Outcome::default() });
        }
        found.sort_unstable();
        if let Some([(id, ..), _]) =
            found.windows(2).find(|pair| matches!(pair, [(a, ..), (b, ..)] if a == b))
        {
            return Err(Error::statement(Kind::Match, "the query is in two evaluations")
                .code(Code::QueryInTwoParts)
                .query(id));
        }
        tags.dedup();
        // Another piece may have the rows of a query that is missing in one.
        missing.retain(|(id, piece): &(Vec<u8>, u32)| {
            let place = found.binary_search_by(|(known, ..)| known.cmp(id)).ok();
            place.and_then(|place| found.get(place)).is_none_or(|(_, (part, _), _)| part == piece)
        });
        let first = |mut ids: Vec<Vec<u8>>| {
            ids.sort_unstable();
            ids.dedup();
            ids.truncate(EXAMPLES);
            ids
        };
        let missing = first(missing.into_iter().map(|(id, _)| id).collect());
        let unmatched = Unmatched { missing, extra: first(extra) };
        let places = found.iter().map(|&(_, place, _)| place).collect();
        let queries = if as_given {
            let queries = found.iter().map(|&(_, _, given)| given).collect();
            found.sort_unstable_by_key(|&(_, _, given)| given);
            queries
        } else {
            (0..count(found.len())).collect()
        };
        let ids = found.into_iter().map(|(id, ..)| id).collect();
        let table = Self {
            queries,
            places,
            parts,
            width,
            measures,
            counts,
            tag: if tags.len() == 1 { tags.pop().unwrap_or_default() } else { Vec::new() },
            unmatched,
            unjudged: Vec::new(),
            ..Self::default()
        };
        Ok((table, ids))
    }

    /// The rows in the order of the judgments; `None` if that is byte order.
    #[must_use]
    pub fn as_judged(&self) -> Option<Vec<u32>> {
        if self.queries.is_sorted() {
            return None;
        }
        // The numbers are distinct, so each row has a place, and nothing is sorted.
        let numbers = self.queries.iter().max().map_or(0, |&last| last as usize + 1);
        let mut rows = vec![u32::MAX; numbers];
        for (row, &query) in self.queries.iter().enumerate() {
            *rows.known_mut(query as usize) = count(row);
        }
        rows.retain(|&row| row != u32::MAX);
        Some(rows)
    }

    /// One row: the values of a query.
    #[must_use]
    pub fn row(&self, row: usize) -> &[f64] {
        let (part, row) = *self.places.known(row);
        let start = row as usize * self.width;
        self.parts.known(part as usize).values.known(start..start + self.width)
    }

    /// The flags of a query, one per measure.
    #[must_use]
    pub fn row_flags(&self, row: usize) -> &[u8] {
        let (part, row) = *self.places.known(row);
        let start = row as usize * self.measures;
        self.parts.known(part as usize).flags.known(start..start + self.measures)
    }

    /// One column, top to bottom.
    pub fn column(&self, column: usize) -> impl Iterator<Item = f64> + '_ {
        self.places.iter().map(move |&(part, row)| {
            *self.parts.known(part as usize).values.known(row as usize * self.width + column)
        })
    }

    /// A measure's flags, top to bottom.
    pub fn flags(&self, measure: usize) -> impl Iterator<Item = u8> + '_ {
        self.places.iter().map(move |&(part, row)| {
            *self.parts.known(part as usize).flags.known(row as usize * self.measures + measure)
        })
    }

    /// The first documents of each query, one character each, top to bottom; empty texts unless the plan
    /// needs them.
    pub fn relevance(&self) -> impl Iterator<Item = &str> + '_ {
        self.places.iter().map(move |&(part, row)| {
            self.parts
                .get(part as usize)
                .and_then(|part| part.relevance.get(row as usize))
                .map_or("", String::as_str)
        })
    }

    /// The ranking of a row: the rankings that have it, and its number there.
    #[must_use]
    pub fn ranking(&self, row: usize) -> (&Rankings, usize) {
        let (part, row) = *self.places.known(row);
        (&self.parts.known(part as usize).rankings, row as usize)
    }

    /// The table without its rankings, with the values of measures that were computed from them: for each, its
    /// number, the rows, and their values.
    #[must_use]
    pub fn completed(&self, columns: &[(usize, Vec<usize>, Vec<f64>)], rounding: Rounding) -> Self {
        let without = |part: &Outcome| Outcome {
            values: part.values.clone(),
            flags: part.flags.clone(),
            relevance: part.relevance.clone(),
            ..Outcome::default()
        };
        let mut table = Self {
            queries: self.queries.clone(),
            places: self.places.clone(),
            parts: self.parts.iter().map(without).collect(),
            counts: self.counts.clone(),
            tag: self.tag.clone(),
            left_out: self.left_out.clone(),
            unmatched: self.unmatched.clone(),
            unjudged: self.unjudged.clone(),
            extra: self.extra.clone(),
            ..*self
        };
        for (measure, rows, values) in columns {
            for (&row, &value) in rows.iter().zip(values) {
                let (part, row) = *table.places.known(row);
                let place = row as usize * table.width + measure;
                *table.parts.known_mut(part as usize).values.known_mut(place) = rounding.query(value);
            }
        }
        table
    }

    /// The sums of columns of whole numbers, in one pass and in no particular order, which is faster.
    #[must_use]
    pub fn totals(&self, columns: &[usize]) -> Vec<f64> {
        let mut sums = vec![0.0; columns.len()];
        for row in self.parts.iter().flat_map(|part| part.values.chunks_exact(self.width.max(1))) {
            for (sum, &column) in sums.iter_mut().zip(columns) {
                *sum += *row.known(column);
            }
        }
        sums
    }

    /// The number of queries without relevant documents for a measure.
    #[must_use]
    pub fn no_relevant(&self, measure: usize) -> usize {
        let flags = |part: &'_ Outcome| {
            let own = part.flags.iter().skip(measure).step_by(self.measures.max(1));
            own.filter(|&flags| flags & NOTHING != 0).count()
        };
        self.parts.iter().map(flags).sum()
    }

    /// One column in no particular order, which is faster.
    pub fn unordered(&self, column: usize) -> impl Iterator<Item = f64> + '_ {
        let width = self.width.max(1);
        self.parts.iter().flat_map(move |part| part.values.iter().skip(column).step_by(width).copied())
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn list(ids: impl Iterator<Item = Vec<u8>>) -> String {
    ids.map(|id| quoted(&id)).collect::<Vec<_>>().join(", ")
}

pub(crate) fn no_overlap(judgments: &Judgments<'_>, extra: &ExtraQueries) -> Box<Error> {
    let rows = judgments.rows();
    let judged = list((0..rows.queries().min(3)).map(|query| rows.query_id(query).to_vec()));
    let run = if extra.examples().is_empty() {
        "the run has no queries".to_owned()
    } else {
        format!("the run has queries such as {}", list(extra.first()))
    };
    Error::statement(
        Kind::Match,
        format!("no query in common: {run}, the judgments have queries such as {judged}"),
    )
    .hint("are these the judgments of another collection, or are the ids written differently?")
}

/// Refuses chunks of other documents than those of the judgments, of any query.
#[cold]
fn check_documents(read: &[(u32, Vec<Vec<u8>>)], judgments: &Judgments<'_>) -> Result<()> {
    let mut loader = Loader::default();
    let mut judged = BTreeSet::new();
    for query in 0..judgments.rows().queries() {
        let pool = judgments.load(query, &mut loader)?;
        for span in pool.documents {
            if let Some(place) = SpanPlace::parse(span.of(pool.arena))? {
                judged.insert(place.document.to_vec());
            }
        }
    }
    let mut first = None;
    for id in read.iter().flat_map(|(_, ids)| ids) {
        let Some(place) = SpanPlace::parse(id)? else { continue };
        if judged.contains(place.document) {
            return Ok(());
        }
        first = first.or(Some(place.document));
    }
    let (Some(document), Some(other)) = (first, judged.first()) else { return Ok(()) };
    let found = format!(
        "no document in common: the run has chunks of documents such as {}, the judgments have spans of documents \
         such as {}",
        quoted(document),
        quoted(other)
    );
    Err(Error::statement(Kind::Match, found).hint("are the ids of documents written differently?"))
}

pub(crate) fn extra_queries(extra: &ExtraQueries) -> Box<Error> {
    Error::statement(
        Kind::Match,
        match (extra.count(), list(extra.first())) {
            (1, query) => format!("query {query} has no judgments"),
            (count, some) => format!("{count} queries have no judgments, such as {some}"),
        },
    )
    .policy("extra")
    .hint("the convention has extra=error; extra=ignore leaves such queries out")
}

pub(crate) fn missing_query(id: &[u8], missing: usize) -> Box<Error> {
    Error::statement(
        Kind::Match,
        match missing {
            1 => format!("the run has no ranking for the judged query {}", quoted(id)),
            _ => format!("the run has no ranking for {missing} judged queries, such as {}", quoted(id)),
        },
    )
    .policy("missing")
    .hint("the convention has missing=error; missing=empty scores an empty ranking, missing=skip leaves the query out")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convention::Convention;
    use crate::measures::{AnyFormula, Counted, Measure};

    fn plan() -> Plan {
        let measure = Measure::new(AnyFormula::Counted(Counted::Returned), "NumRet".to_owned());
        Plan { counts: false, ..Plan::new(Convention::default(), vec![measure]).unwrap() }
    }

    fn piece(rows: &[(&str, f64)]) -> TablePart {
        TablePart {
            ids: rows.iter().map(|(id, _)| id.as_bytes().to_vec()).collect(),
            values: rows.iter().map(|&(_, value)| value).collect(),
            flags: vec![0; rows.len()],
            counts: Counts { judged: 3, missing: 1, ..Counts::default() },
            tag: b"bm25".to_vec(),
            unmatched: Unmatched { missing: vec![b"a".to_vec(), b"c".to_vec()], extra: vec![b"d".to_vec()] },
        }
    }

    #[test]
    fn rows_are_in_byte_order_of_their_queries() {
        let pieces = || [piece(&[("b", 2.0), ("a", 0.5)]), piece(&[]), piece(&[("B", 4.0)])];
        let (forwards, ids) = Table::joined(pieces().into(), &plan(), false).unwrap();
        assert_eq!(ids, [b"B", b"a", b"b"]);
        assert_eq!(forwards.column(0).collect::<Vec<_>>(), [4.0, 0.5, 2.0]);
        assert_eq!(forwards.counts, Counts { judged: 9, evaluated: 3, missing: 3, ..Counts::default() });
        assert_eq!(forwards.tag, b"bm25");
        // The first piece has rows of a, and says that the run lacks it; so do the others.
        assert_eq!(forwards.unmatched.missing, [b"a", b"c"]);
        assert_eq!(forwards.unmatched.extra, [b"d"]);
        let mut turned = Vec::from(pieces());
        turned.reverse();
        let (backwards, others) = Table::joined(turned, &plan(), false).unwrap();
        assert_eq!(others, ids);
        assert_eq!(backwards.column(0).collect::<Vec<_>>(), [4.0, 0.5, 2.0]);
        assert_eq!(backwards.as_judged(), None);
    }

    #[test]
    fn rows_keep_their_given_order() {
        let (table, ids) = Table::joined(vec![piece(&[("b", 2.0), ("a", 0.5)])], &plan(), true).unwrap();
        assert_eq!(ids, [b"b", b"a"]);
        assert_eq!(table.column(0).collect::<Vec<_>>(), [0.5, 2.0]);
        assert_eq!(table.as_judged(), Some(vec![1, 0]));
    }

    #[test]
    fn inconsistent_inputs_are_refused() {
        let twice = Table::joined(vec![piece(&[("a", 1.0)]), piece(&[("a", 1.0)])], &plan(), false);
        assert_eq!(twice.unwrap_err().query.as_deref(), Some(b"a".as_slice()));
        let mut short = piece(&[("a", 1.0), ("b", 1.0)]);
        short.values.pop();
        assert_eq!(Table::joined(vec![short], &plan(), false).unwrap_err().kind, Kind::Parameter);
    }
}
