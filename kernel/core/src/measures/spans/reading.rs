//! The places that a ranking reads, and those that the judgments name.

use hashbrown::HashTable;

use super::set::Interval;
use crate::error::{Error, Kind, Result, quoted};
use crate::hash::IdHasher;
use crate::judgments::Pool;
use crate::known::Known;
use crate::ranking::{Block, BlockIds};
use crate::spans::{SpanPlace, Unit, is_span};

/// The place at one rank.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunk {
    pub place: Interval,
    pub tokens: Option<u64>,
}

/// A part of a chunk that is in no chunk above it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fresh {
    /// Its index (rank - 1).
    pub index: usize,
    pub part: Interval,
}

/// The places of one query, as its measures need them; keeps its buffers from one query to the next.
#[derive(Debug)]
pub struct Reading {
    unit: Unit,
    /// In rank order, down to the last rank that a measure looks at.
    pub(super) chunks: Vec<Chunk>,
    /// In rank order.
    pub(super) fresh: Vec<Fresh>,
    /// By row of the pool.
    pub(super) gold: Vec<Interval>,
    /// Whether a chunk is from a document of the judgments.
    pub met: bool,
    hasher: IdHasher,
    numbers: HashTable<u32>,
    /// What was read of each document: disjoint intervals in order.
    read: Vec<Vec<(u64, u64)>>,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            unit: Unit::Character,
            chunks: Vec::new(),
            fresh: Vec::new(),
            gold: Vec::new(),
            met: false,
            hasher: IdHasher::default(),
            numbers: HashTable::new(),
            read: Vec::new(),
        }
    }
}

/// Whether judgments name places. An error if only some do.
pub(super) fn names_places(pool: &Pool<'_>) -> Result<bool> {
    let id = |row: usize| pool.documents.get(row).map_or(&[][..], |span| span.of(pool.arena));
    let places = pool.documents.first().is_some_and(|_| is_span(id(0)));
    // The end of a place is a digit.
    let looks = |id: &[u8]| id.last().is_some_and(u8::is_ascii_digit) && is_span(id);
    match (1..pool.documents.len()).find(|&row| looks(id(row)) != places) {
        Some(row) if places == is_span(id(row)) => Ok(places),
        Some(row) => {
            let (with, without) = if places { (0, row) } else { (row, 0) };
            Err(mixed("the judgments", id(with), id(without)))
        }
        None => Ok(places),
    }
}

/// Whether the first document of a ranking is a place.
#[must_use]
pub fn reads_places(block: &Block<'_>, order: &[u32]) -> bool {
    match block.ids {
        BlockIds::Bytes(ids) => order.first().is_some_and(|&row| is_span(ids.get(row as usize))),
        BlockIds::Numbers(_) => false,
    }
}

#[cold]
fn mixed(which: &str, with: &[u8], without: &[u8]) -> Box<Error> {
    let found = format!("{which} have offsets for {} and none for {}", quoted(with), quoted(without));
    Error::statement(Kind::Match, found).hint("give every row a start and an end, or none")
}

/// Numbers documents from 0.
struct Numbered<'a, 'b> {
    hasher: &'b IdHasher,
    numbers: &'b mut HashTable<u32>,
    names: Vec<&'a [u8]>,
}

impl<'a> Numbered<'a, '_> {
    fn number(&mut self, document: &'a [u8]) -> u32 {
        let Self { hasher, numbers, names } = self;
        let of = |number: u32| *names.known(number as usize);
        let hash = hasher.hash(document);
        if let Some(&number) = numbers.find(hash, |&number| of(number) == document) {
            return number;
        }
        let number = u32::try_from(names.len()).unwrap_or(u32::MAX);
        numbers.insert_unique(hash, number, |&number| hasher.hash(of(number)));
        names.push(document);
        number
    }
}

impl Reading {
    /// Takes the places of a query: its judgments, and the first ranks of its run.
    pub fn fill(
        &mut self,
        pool: &Pool<'_>,
        block: Option<&Block<'_>>,
        order: &[u32],
        ranks: Option<usize>,
    ) -> Result<()> {
        let Self { unit, chunks, fresh, gold, met, hasher, numbers, read } = self;
        chunks.clear();
        fresh.clear();
        gold.clear();
        numbers.clear();
        *met = false;
        let mut documents = Numbered { hasher, numbers, names: Vec::with_capacity(order.len()) };
        let mut known = None;
        for span in pool.documents {
            let id = span.of(pool.arena);
            let place = parse(id)?;
            same_unit(*known.get_or_insert(place.unit), place.unit, "the judgments", "the judgments")?;
            let (start, end) = (place.start, place.end);
            gold.push(Interval { document: documents.number(place.document), start, end });
        }
        *unit = known.unwrap_or(Unit::Character);
        let judged = documents.names.len();
        let Some(block) = block else { return Ok(()) };
        for &row in order.iter().take(ranks.unwrap_or(usize::MAX)) {
            let BlockIds::Bytes(ids) = block.ids else { continue };
            let place = parse(ids.get(row as usize))?;
            same_unit(*known.get_or_insert(place.unit), place.unit, "the judgments", "the run")?;
            *unit = place.unit;
            let (start, end, tokens) = (place.start, place.end, place.tokens);
            let place = Interval { document: documents.number(place.document), start, end };
            chunks.push(Chunk { place, tokens });
        }
        let names = documents.names.len();
        read.iter_mut().take(names).for_each(Vec::clear);
        read.resize_with(names.max(read.len()), Vec::new);
        for (index, chunk) in chunks.iter().enumerate() {
            *met |= (chunk.place.document as usize) < judged;
            add(read.known_mut(chunk.place.document as usize), chunk.place, |part| {
                fresh.push(Fresh { index, part });
            });
        }
        Ok(())
    }

    pub(super) fn unit(&self) -> Unit {
        self.unit
    }
}

/// Adds an interval to disjoint ones, and calls with each part that is new.
fn add(read: &mut Vec<(u64, u64)>, place: Interval, mut call: impl FnMut(Interval)) {
    if place.length() == 0 {
        return;
    }
    let first = read.partition_point(|&(_, end)| end < place.start);
    let (mut low, mut high, mut open) = (place.start, place.end, place.start);
    let mut last = first;
    while let Some(&(start, end)) = read.get(last)
        && start <= place.end
    {
        if open < start {
            call(Interval { start: open, end: start, ..place });
        }
        (low, high, open) = (low.min(start), high.max(end), open.max(end));
        last += 1;
    }
    if open < place.end {
        call(Interval { start: open, ..place });
    }
    read.splice(first..last, [(low, high)]);
}

fn parse(id: &[u8]) -> Result<SpanPlace<'_>> {
    let bad = |error: Box<Error>| error.document(id);
    SpanPlace::parse(id).map_err(bad)?.ok_or_else(|| {
        Error::statement(Kind::Match, format!("the document {} has no offsets, and others have", quoted(id)))
            .hint("give every row a start and an end, or none")
    })
}

fn same_unit(first: Unit, second: Unit, one: &str, other: &str) -> Result<()> {
    if first == second {
        return Ok(());
    }
    let (a, b) = (first.plural(), second.plural());
    let found = if one == other {
        format!("the offsets of {one} count {a} and {b}")
    } else {
        format!("the offsets of {one} count {a}, and those of {other} {b}")
    };
    Err(Error::statement(Kind::Match, found)
        .hint("offsets are comparable only in one unit; convert one of them"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_new_parts_are_fresh() {
        let mut read = Vec::new();
        let mut fresh = |start, end| {
            let mut parts = Vec::new();
            add(&mut read, Interval { document: 0, start, end }, |part| parts.push((part.start, part.end)));
            parts
        };
        assert_eq!(fresh(10, 20), [(10, 20)]);
        assert_eq!(fresh(10, 20), []);
        assert_eq!(fresh(30, 40), [(30, 40)]);
        assert_eq!(fresh(5, 35), [(5, 10), (20, 30)]);
        assert_eq!(fresh(12, 12), []);
        assert_eq!(fresh(40, 50), [(40, 50)]);
        assert_eq!(fresh(0, 60), [(0, 5), (50, 60)]);
        assert_eq!(read, [(0, 60)]);
    }
}
