//! The preferences of one group: between classes of documents of one level if it has one subgroup, otherwise a
//! table of which document is preferred to which.

use super::bits::Bits;
use crate::known::Known;

/// Which preferences are counted, by whether their documents were retrieved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairs {
    /// All; one between documents that were not retrieved counts as not fulfilled.
    All,
    /// Those of which both documents were retrieved.
    Retrieved,
    /// Those of which at least one document was retrieved.
    Implied,
}

/// The level that one subgroup of one group gives to a document.
#[derive(Debug, Clone, Copy)]
pub struct JudgedLevel<'a> {
    pub group: &'a [u8],
    pub subgroup: &'a [u8],
    /// The document, as its place among the judged ones: those retrieved in rank order, then the
    /// others in byte order of their ids.
    pub place: u32,
    pub level: f64,
}

/// The kinds of contradictions in a group, with the places of the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contradiction {
    /// One subgroup gives a document two levels.
    TwoLevels(u32),
    /// One group says both that a document is relevant and that it is not.
    TwoRelevances(u32),
    /// Two documents of a group are each preferred to the other.
    Mutual(u32, u32),
}

/// The number of preferences, and how many the ranking fulfills.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub fulfilled: u64,
    pub possible: u64,
}

impl Tally {
    pub(super) fn and(self, other: Self) -> Self {
        Self { fulfilled: self.fulfilled + other.fulfilled, possible: self.possible + other.possible }
    }

    pub(super) fn share(self) -> f64 {
        self.fulfilled as f64 / self.possible as f64
    }
}

/// The preferences of one group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Preferred {
    /// Both documents were retrieved; fulfilled if they are in the right order.
    retrieved: Tally,
    /// One of them was; fulfilled if it is the preferred one.
    implied: Tally,
    /// Neither was.
    pub unretrieved: u64,
}

impl Preferred {
    pub(super) fn of(&self, pairs: Pairs) -> Tally {
        let known = self.retrieved.and(self.implied);
        match pairs {
            Pairs::Retrieved => self.retrieved,
            Pairs::Implied => known,
            Pairs::All => Tally { possible: known.possible + self.unretrieved, ..known },
        }
    }
}

/// A group.
#[derive(Debug, Clone)]
pub(super) struct PreferenceGroup {
    /// The documents by place, ascending; those of classes with duplicates.
    places: Vec<u32>,
    /// The last given level of each.
    levels: Vec<f64>,
    relation: Relation,
    /// The number of documents that were retrieved.
    end: usize,
}

/// Which document of a group is preferred to which.
#[derive(Debug, Clone)]
enum Relation {
    /// The class of each document; those of lower classes have higher levels.
    Classes(Vec<usize>),
    /// Set where the document of the row is preferred to that of the column.
    Table(Bits),
}

impl PreferenceGroup {
    /// From judgments in order of subgroup and, within it, of level and place, the highest level first. The
    /// documents of the first `retrieved` places were retrieved.
    pub(super) fn new(judged: &[JudgedLevel<'_>], retrieved: u32) -> Result<Self, Contradiction> {
        let divided = judged.windows(2).any(|two| matches!(two, [a, b] if a.subgroup != b.subgroup));
        let (places, levels, relation) = if divided { table(judged)? } else { classes(judged)? };
        let end = places.partition_point(|&place| place < retrieved);
        Ok(Self { places, levels, relation, end })
    }

    pub(super) fn places(&self) -> &[u32] {
        &self.places
    }

    /// Whether a preference may be in the group twice.
    pub(super) fn repeats(&self) -> bool {
        self.places.windows(2).any(|two| matches!(two, [a, b] if a == b))
    }

    pub(super) fn prefers(&self, one: usize, other: usize) -> bool {
        match &self.relation {
            Relation::Classes(classes) => classes.known(one) < classes.known(other),
            Relation::Table(table) => table.get(one, other),
        }
    }

    pub(super) fn preferred(&self) -> Preferred {
        self.count(|_| true)
    }

    /// The preferences between some of the documents.
    fn count(&self, kept: impl Fn(usize) -> bool) -> Preferred {
        let kept: Vec<usize> = (0..self.places.len()).filter(|&index| kept(index)).collect();
        let (seen, unseen) = kept.split_at(kept.partition_point(|&index| index < self.end));
        let mut counted = Preferred::default();
        match &self.relation {
            Relation::Classes(classes) => {
                let class = |index: &usize| *classes.known(*index);
                let sizes = |indices: &[usize]| {
                    let mut sizes = vec![0_u64; kept.iter().map(class).max().map_or(0, |last| last + 1)];
                    indices.iter().for_each(|index| *sizes.known_mut(class(index)) += 1);
                    sizes
                };
                // Pairs of documents of two classes, in both orders.
                let across = |a: &[u64], b: &[u64]| {
                    let within: u64 = a.iter().zip(b).map(|(one, other)| one * other).sum();
                    a.iter().sum::<u64>() * b.iter().sum::<u64>() - within
                };
                let (all_seen, all_unseen) = (sizes(seen), sizes(unseen));
                let mut above = vec![0_u64; all_seen.len()];
                for index in seen {
                    counted.retrieved.fulfilled += above.known(..class(index)).iter().sum::<u64>();
                    *above.known_mut(class(index)) += 1;
                }
                let implied = unseen.iter().map(|index| above.known(..class(index)).iter().sum::<u64>());
                counted.implied.fulfilled = implied.sum();
                counted.retrieved.possible = across(&all_seen, &all_seen) / 2;
                counted.implied.possible = across(&all_seen, &all_unseen);
                counted.unretrieved = across(&all_unseen, &all_unseen) / 2;
            }
            Relation::Table(table) => {
                let ones = |row: usize, columns: &[usize]| {
                    columns.iter().filter(|&&column| table.get(row, column)).count() as u64
                };
                for (rank, &row) in seen.iter().enumerate() {
                    let implied = ones(row, unseen);
                    counted.retrieved.fulfilled += ones(row, seen.known(rank..));
                    counted.retrieved.possible += ones(row, seen);
                    counted.implied.fulfilled += implied;
                    counted.implied.possible += implied;
                }
                for &row in unseen {
                    counted.implied.possible += ones(row, seen);
                    counted.unretrieved += ones(row, unseen);
                }
            }
        }
        counted
    }

    /// The preferences as if the group had as many documents that are not relevant as it has relevant ones, of
    /// all documents or of those that were retrieved.
    pub(super) fn even(&self, preferred: &Preferred, pairs: Pairs) -> Tally {
        let is_nonrelevant = |level: f64| match self.relation {
            Relation::Classes(_) => level <= 0.0,
            Relation::Table(_) => level == 0.0,
        };
        let relevant = |end: usize| self.levels.known(..end).iter().filter(|&&level| level > 0.0).count();
        let end = if pairs == Pairs::Retrieved { self.end } else { self.places.len() };
        let own = relevant(end);
        let others = self.levels.known(..end).iter().filter(|&&level| is_nonrelevant(level)).count();
        if own >= others {
            // Documents that are not relevant are added, below all that were retrieved.
            let more = (own - others) as u64;
            let fulfilled = relevant(self.end) as u64 * more;
            return preferred
                .of(pairs)
                .and(Tally { fulfilled, possible: relevant(self.places.len()) as u64 * more });
        }
        match &self.relation {
            Relation::Classes(classes) => self.even_classes(classes, pairs, own, end),
            Relation::Table(_) => {
                // Only the first few of the documents that are not relevant.
                let nonrelevant = (0..self.levels.len()).filter(|&index| *self.levels.known(index) == 0.0);
                let left_out: Vec<usize> = nonrelevant.skip(relevant(self.places.len())).collect();
                self.count(|index| left_out.binary_search(&index).is_err()).of(pairs)
            }
        }
    }

    /// The preferences if the lowest class, of documents that are not relevant, had only the first few of
    /// them.
    ///
    /// trec_eval compares those few with all classes, their own included, where no document is
    /// preferred to another; a published number has these comparisons in it.
    fn even_classes(&self, classes: &[usize], pairs: Pairs, few: usize, end: usize) -> Tally {
        let last = classes.iter().copied().max().unwrap_or(0);
        let mut tally = self.count(|index| *classes.known(index) < last).of(pairs);
        for index in (0..end).filter(|&index| *classes.known(index) == last).take(few) {
            let place = *self.places.known(index);
            let before = self.places.partition_point(|&other| other < place);
            tally.fulfilled += before.min(self.end) as u64;
            tally.possible += end as u64;
        }
        tally
    }
}

type LevelParts = (Vec<u32>, Vec<f64>, Relation);

/// Classes of documents of one level, each preferred to all that are lower.
fn classes(judged: &[JudgedLevel<'_>]) -> Result<LevelParts, Contradiction> {
    let mut levels: Vec<f64> = judged.iter().map(|own| own.level + 0.0).collect();
    levels.dedup();
    let class = |level: f64| levels.partition_point(|&other| other > level);
    let mut entries: Vec<(u32, usize, f64)> =
        judged.iter().map(|own| (own.place, class(own.level), own.level)).collect();
    entries.sort_by_key(|&(place, class, _)| (place, class));
    // The first of several such documents, from the highest level down.
    let twice = entries.windows(2).filter_map(|two| match two {
        [a, b] if a.0 == b.0 && a.1 != b.1 => Some((a.1, b.1, a.0)),
        _ => None,
    });
    match twice.min() {
        Some((.., place)) => Err(Contradiction::TwoLevels(place)),
        None => Ok((
            entries.iter().map(|entry| entry.0).collect(),
            entries.iter().map(|entry| entry.2).collect(),
            Relation::Classes(entries.iter().map(|entry| entry.1).collect()),
        )),
    }
}

/// The preferences of several subgroups, completed by transitivity.
fn table(judged: &[JudgedLevel<'_>]) -> Result<LevelParts, Contradiction> {
    let mut places: Vec<u32> = judged.iter().map(|own| own.place).collect();
    places.sort_unstable();
    places.dedup();
    let index = |own: &JudgedLevel<'_>| places.partition_point(|&other| other < own.place);
    let mut levels = vec![f64::NAN; places.len()];
    let mut preferred = Bits::new(places.len());
    for own in judged {
        let level = levels.known_mut(index(own));
        if (*level > 0.0 && own.level == 0.0) || (*level == 0.0 && own.level > 0.0) {
            return Err(Contradiction::TwoRelevances(own.place));
        }
        *level = own.level;
    }
    for subgroup in judged.chunk_by(|a, b| a.subgroup == b.subgroup) {
        let rows: Vec<(usize, f64)> = subgroup.iter().map(|own| (index(own), own.level)).collect();
        for &(one, level) in &rows {
            for &(other, _) in rows.iter().filter(|(_, lower)| *lower < level) {
                preferred.set(one, other, true);
            }
        }
    }
    preferred.close();
    for row in 0..places.len() {
        // A document that is preferred to itself, because a subgroup gives it two adjacent levels, is ignored.
        if preferred.get(row, row) {
            preferred.set(row, row, false);
            let mutual = |&other: &usize| preferred.get(row, other) && preferred.get(other, row);
            if let Some(other) = (0..places.len()).find(mutual) {
                return Err(Contradiction::Mutual(*places.known(row), *places.known(other)));
            }
        }
    }
    Ok((places, levels, Relation::Table(preferred)))
}
