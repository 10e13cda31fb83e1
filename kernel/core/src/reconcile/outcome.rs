//! Collects the combinations that match the target, the nearest others, and the number of near ones.

use hashbrown::HashMap;

use super::classes::RefusedClass;
use super::space::Target;
use crate::error::Error;

/// The minimum cost of an unusual cutoff.
pub(super) const UNUSUAL: u32 = 40_000;

/// A combination of convention, series, cutoff and way, by their numbers in the space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Member {
    /// The number of policies in which it differs from the nearest known convention.
    pub far: u8,
    pub cost: u32,
    /// The nearest known convention.
    pub preset: usize,
    pub convention: usize,
    pub series: usize,
    pub way: usize,
    /// The index of the cutoff in the series.
    pub cutoff: usize,
    pub value: f64,
}

impl Member {
    /// Returns the sort key, the most plausible first. An unusual cutoff counts as one more differing policy;
    /// of combinations with equally many, those with an unusual cutoff come last.
    fn key(&self) -> impl Ord + use<> {
        let Complexity { changes, unusual, .. } = self.complexity();
        (changes, unusual, self.cost, self.preset, self.series, self.cutoff, self.way, self.convention)
    }

    fn complexity(&self) -> Complexity {
        Complexity::new(self.far, self.cost)
    }
}

/// How plausible a combination is; the least is the most plausible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Complexity {
    /// The number of differing policies; an unusual cutoff counts as one.
    pub changes: u8,
    unusual: bool,
    /// The cost of the cutoff, in classes.
    class: u32,
}

/// Cutoffs with costs of one class are equally plausible.
const CLASS: u32 = 100;

impl Complexity {
    pub(super) fn new(far: u8, cost: u32) -> Self {
        let unusual = cost >= UNUSUAL;
        Self { changes: far.saturating_add(u8::from(unusual)), unusual, class: cost / CLASS }
    }
}

/// Combinations with equal values for every query, apart from rounding.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberGroup {
    pub best: Member,
    /// Other known conventions in the group.
    pub also: Vec<Member>,
    /// The number of combinations.
    pub count: u64,
    /// For each interval of the target, the number of distinct values in it that are at least as plausible as
    /// `best`, without those that match.
    pub around: Vec<usize>,
}

/// The outcome of a search.
#[derive(Debug, Default)]
pub struct SearchOutcome {
    /// The number of combinations that were evaluated. Equal rankings count once.
    pub searched: u64,
    /// The number of combinations that match the target.
    pub matching: u64,
    /// The number of combinations that match the target but not the known values of queries.
    pub contradicted: u64,
    /// The number of groups of matching combinations.
    pub groups: usize,
    /// The most plausible of these groups.
    pub best: Vec<MemberGroup>,
    /// The nearest other combinations, one per distinct value, the nearest first. Includes those that match
    /// the target but not the known values of queries.
    pub nearest: Vec<Member>,
    /// The number of distinct values in the narrowest interval of the target, without those that match.
    pub around: usize,
    /// The search covered combinations that differ from the nearest known convention in up to this many
    /// policies.
    pub farthest: u8,
    /// Whether the search covered all combinations.
    pub whole: bool,
    /// Conventions that refuse the data, with their errors.
    pub refused: Vec<RefusedClass>,
    /// Convention, series, and the error of the measure under that convention.
    pub undefined: Vec<(usize, usize, Box<Error>)>,
}

/// Collects the outcome of a search.
pub(super) struct MatchCollector<'a> {
    target: &'a Target,
    searched: u64,
    matching: u64,
    contradicted: u64,
    groups: HashMap<u64, MemberGroup, foldhash::fast::RandomState>,
    nearest: Vec<Member>,
    around: Vec<(f64, Complexity)>,
    /// Once `around` has this many values, duplicates are removed.
    full: usize,
    undefined: Vec<(usize, usize, Box<Error>)>,
}

/// The minimum of `full`.
const FULL: usize = 1 << 16;
/// Values that differ by at most this are equal.
const TOLERANCE: f64 = 1e-12;

impl<'a> MatchCollector<'a> {
    pub(super) fn new(target: &'a Target) -> Self {
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

    pub(super) fn target(&self) -> &'a Target {
        self.target
    }

    pub(super) fn count_searched(&mut self, count: u64) {
        self.searched += count;
    }

    pub(super) fn count_contradicted(&mut self) {
        self.contradicted += 1;
    }

    pub(super) fn refuse(&mut self, conventions: impl Iterator<Item = usize>, series: usize, error: &Error) {
        self.undefined.extend(conventions.map(|number| (number, series, Box::new(error.clone()))));
    }

    /// Counts a value near the target.
    pub(super) fn add_around(&mut self, value: f64, complexity: Complexity) {
        self.around.push((value, complexity));
        if self.around.len() >= self.full {
            remove_duplicates(&mut self.around);
            self.full = FULL.max(2 * self.around.len());
        }
    }

    /// Returns whether a value matches or is among the nearest so far; other combinations need not be added.
    #[inline]
    pub(super) fn is_candidate(&self, value: f64) -> bool {
        let distance = self.target.distance(value);
        if distance == 0.0 {
            return true;
        }
        let last = self.nearest.last().map_or(f64::INFINITY, |last| self.target.distance(last.value));
        distance < last || (self.nearest.len() < self.target.nearest && distance.is_finite())
    }

    pub(super) fn add_match(&mut self, fingerprint: u64, member: Member) {
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
                    add_known(&mut group.also, before);
                } else {
                    add_known(&mut group.also, member);
                }
            })
            .or_insert_with(|| MemberGroup { best: member, also: Vec::new(), count, around: Vec::new() });
    }

    /// Adds another known convention that equals a matching combination.
    pub(super) fn add_preset(&mut self, fingerprint: u64, member: Member) {
        if let Some(group) = self.groups.get_mut(&fingerprint) {
            if member.key() < group.best.key() {
                let before = std::mem::replace(&mut group.best, member);
                add_known(&mut group.also, before);
            } else {
                add_known(&mut group.also, member);
            }
        }
    }

    pub(super) fn add_near(&mut self, member: Member) {
        let distance = |member: &Member| self.target.distance(member.value);
        let own_distance = distance(&member);
        if let Some(known) =
            self.nearest.iter_mut().find(|known| (known.value - member.value).abs() <= TOLERANCE)
        {
            if member.key() < known.key() {
                *known = member;
            }
            return;
        }
        let place = self.nearest.partition_point(|known| {
            let known_at = distance(known);
            known_at < own_distance || (known_at == own_distance && known.key() <= member.key())
        });
        self.nearest.insert(place, member);
        self.nearest.truncate(self.target.nearest);
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.searched += other.searched;
        self.matching += other.matching;
        self.contradicted += other.contradicted;
        for (fingerprint, group) in other.groups {
            self.add(fingerprint, group.best, group.count);
            for member in group.also {
                self.add_preset(fingerprint, member);
            }
        }
        for member in other.nearest {
            self.add_near(member);
        }
        self.around.extend(other.around);
        if self.around.len() >= self.full {
            remove_duplicates(&mut self.around);
            self.full = FULL.max(2 * self.around.len());
        }
        self.undefined.extend(other.undefined);
    }

    pub(super) fn finish(mut self, refused: Vec<RefusedClass>) -> SearchOutcome {
        remove_duplicates(&mut self.around);
        let groups = self.groups.len();
        let mut best: Vec<MemberGroup> = self.groups.into_values().collect();
        best.sort_by_key(|group| group.best.key());
        best.truncate(self.target.groups);
        let distance = |value: f64| self.target.distance(value);
        for group in &mut best {
            let own = group.best.complexity();
            let counted = self.around.iter().filter(|(_, complexity)| *complexity <= own);
            group.around = vec![0; self.target.near.len()];
            for &(value, _) in counted {
                let inside = self.target.near.iter().map(|&near| distance(value) <= near);
                for (count, inside) in group.around.iter_mut().zip(inside) {
                    *count += usize::from(inside);
                }
            }
        }
        let nearest = self.target.near.first().copied().unwrap_or(0.0);
        let around = self.around.iter().filter(|(value, _)| distance(*value) <= nearest).count();
        SearchOutcome {
            searched: self.searched,
            matching: self.matching,
            contradicted: self.contradicted,
            groups,
            best,
            nearest: self.nearest,
            around,
            farthest: 0,
            whole: true,
            refused,
            undefined: self.undefined,
        }
    }
}

/// Adds a known convention, or replaces its entry if this one is more plausible.
fn add_known(also: &mut Vec<Member>, member: Member) {
    if member.far > 0 {
        return;
    }
    match also.iter_mut().find(|known| known.preset == member.preset) {
        Some(known) if member.key() < known.key() => *known = member,
        Some(_) => {}
        None => also.push(member),
    }
}

/// Keeps the most plausible of equal values.
fn remove_duplicates(values: &mut Vec<(f64, Complexity)>) {
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    values.dedup_by(|later, kept| {
        let equal = (later.0 - kept.0).abs() <= TOLERANCE;
        if equal {
            kept.1 = kept.1.min(later.1);
        }
        equal
    });
}
