//! What was found: combinations that give the number, the nearest others, and how many are near.

use hashbrown::HashMap;

use super::classes::Refusal;
use super::space::Target;
use crate::error::Error;

/// What an unusual cutoff costs at least.
pub const UNUSUAL: u32 = 40_000;

/// One combination, by numbers in the space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Member {
    /// Policies in which it differs from the nearest known convention.
    pub far: u8,
    pub cost: u32,
    /// That known convention.
    pub preset: usize,
    pub convention: usize,
    pub series: usize,
    pub way: usize,
    /// The place of the cutoff in the series.
    pub cutoff: usize,
    pub value: f64,
}

impl Member {
    /// The most plausible first: an unusual cutoff counts like a policy that differs, and more than one
    /// that does.
    fn key(&self) -> impl Ord + use<> {
        let unusual = u8::from(self.cost >= UNUSUAL);
        let changes = self.far.saturating_add(unusual);
        (changes, unusual, self.cost, self.preset, self.series, self.cutoff, self.way, self.convention)
    }
}

/// Combinations that are the same query by query, but for the rounding of the values.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    pub best: Member,
    /// Other known conventions among them.
    pub also: Vec<Member>,
    /// How many there are.
    pub count: u64,
}

/// The outcome of a search.
#[derive(Debug, Default)]
pub struct Found {
    /// Combinations that were measured. Rankings that are the same count once.
    pub searched: u64,
    /// Combinations that give the number.
    pub matching: u64,
    /// Combinations that give it but not the known values of queries.
    pub contradicted: u64,
    /// How many groups those fall into, query by query.
    pub groups: usize,
    /// The most plausible of these groups.
    pub best: Vec<Group>,
    /// The nearest others, one a distinct number, from the nearest; those that give the number but not
    /// the known values of queries are among them.
    pub nearest: Vec<Member>,
    /// Distinct numbers around the target, without those that match.
    pub around: usize,
    /// In how many policies combinations may differ from the nearest known convention to be searched,
    /// and whether all do.
    pub farthest: u8,
    pub whole: bool,
    /// What conventions have against the data.
    pub refused: Vec<Refusal>,
    /// Convention, series and what the measure has against it.
    pub undefined: Vec<(usize, usize, Box<Error>)>,
}

/// What is being found.
pub struct Finds<'a> {
    target: &'a Target,
    searched: u64,
    matching: u64,
    contradicted: u64,
    groups: HashMap<u64, Group, foldhash::fast::RandomState>,
    nearest: Vec<Member>,
    around: Vec<f64>,
    /// So many numbers around are sorted out next.
    full: usize,
    undefined: Vec<(usize, usize, Box<Error>)>,
}

const FULL: usize = 1 << 16;
/// Numbers that differ by less are one.
const SAME: f64 = 1e-12;

impl<'a> Finds<'a> {
    pub fn new(target: &'a Target) -> Self {
        Self {
            target,
            searched: 0,
            matching: 0,
            contradicted: 0,
            groups: HashMap::default(),
            nearest: Vec::new(),
            around: Vec::new(),
            full: FULL,
            undefined: Vec::new(),
        }
    }

    pub fn target(&self) -> &'a Target {
        self.target
    }

    pub fn searched(&mut self, count: u64) {
        self.searched += count;
    }

    pub fn contradicted(&mut self) {
        self.contradicted += 1;
    }

    pub fn refuse(&mut self, conventions: impl Iterator<Item = usize>, series: usize, error: &Error) {
        self.undefined.extend(conventions.map(|number| (number, series, Box::new(error.clone()))));
    }

    /// Whether a number matches, is around, or nearer than the nearest so far; nobody asks for others.
    #[inline]
    pub fn wants(&mut self, value: f64) -> bool {
        let distance = self.target.distance(value);
        if distance == 0.0 {
            return true;
        }
        if distance <= self.target.near {
            self.around.push(value);
            if self.around.len() >= self.full {
                distinct(&mut self.around);
                self.full = FULL.max(2 * self.around.len());
            }
        }
        let last = self.nearest.last().map_or(f64::INFINITY, |last| self.target.distance(last.value));
        distance < last || (self.nearest.len() < self.target.nearest && distance.is_finite())
    }

    pub fn found(&mut self, fingerprint: u64, member: Member) {
        self.matching += 1;
        self.add(fingerprint, member, 1);
    }

    fn add(&mut self, fingerprint: u64, member: Member, count: u64) {
        self.groups
            .entry(fingerprint)
            .and_modify(|group| {
                group.count += count;
                if member.key() < group.best.key() {
                    let before = std::mem::replace(&mut group.best, member);
                    remember(&mut group.also, before);
                } else {
                    remember(&mut group.also, member);
                }
            })
            .or_insert_with(|| Group { best: member, also: Vec::new(), count });
    }

    /// Another known convention that a combination found before is, too.
    pub fn also(&mut self, fingerprint: u64, member: Member) {
        if let Some(group) = self.groups.get_mut(&fingerprint) {
            if member.key() < group.best.key() {
                let before = std::mem::replace(&mut group.best, member);
                remember(&mut group.also, before);
            } else {
                remember(&mut group.also, member);
            }
        }
    }

    pub fn near(&mut self, member: Member) {
        let distance = |member: &Member| self.target.distance(member.value);
        let own = distance(&member);
        if let Some(known) = self.nearest.iter_mut().find(|known| (known.value - member.value).abs() <= SAME)
        {
            if member.key() < known.key() {
                *known = member;
            }
            return;
        }
        let place = self.nearest.partition_point(|known| {
            let known_at = distance(known);
            known_at < own || (known_at == own && known.key() <= member.key())
        });
        self.nearest.insert(place, member);
        self.nearest.truncate(self.target.nearest);
    }

    pub fn merge(&mut self, other: Self) {
        self.searched += other.searched;
        self.matching += other.matching;
        self.contradicted += other.contradicted;
        for (fingerprint, group) in other.groups {
            self.add(fingerprint, group.best, group.count);
            for member in group.also {
                self.also(fingerprint, member);
            }
        }
        for member in other.nearest {
            self.near(member);
        }
        self.around.extend(other.around);
        if self.around.len() >= self.full {
            distinct(&mut self.around);
            self.full = FULL.max(2 * self.around.len());
        }
        self.undefined.extend(other.undefined);
    }

    pub fn finish(mut self, refused: Vec<Refusal>) -> Found {
        distinct(&mut self.around);
        let groups = self.groups.len();
        let mut best: Vec<Group> = self.groups.into_values().collect();
        best.sort_by_key(|group| group.best.key());
        best.truncate(self.target.groups);
        Found {
            searched: self.searched,
            matching: self.matching,
            contradicted: self.contradicted,
            groups,
            best,
            nearest: self.nearest,
            around: self.around.len(),
            farthest: 0,
            whole: true,
            refused,
            undefined: self.undefined,
        }
    }
}

/// Keeps a known convention once, under its most plausible measure.
fn remember(also: &mut Vec<Member>, member: Member) {
    if member.far > 0 {
        return;
    }
    match also.iter_mut().find(|known| known.preset == member.preset) {
        Some(known) if member.key() < known.key() => *known = member,
        Some(_) => {}
        None => also.push(member),
    }
}

fn distinct(values: &mut Vec<f64>) {
    values.sort_unstable_by(f64::total_cmp);
    values.dedup_by(|a, b| (*a - *b).abs() <= SAME);
}
