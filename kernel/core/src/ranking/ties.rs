//! Orders documents with equal keys. The order does not depend on the given order unless the policy uses it:
//! ids decide where the policy leaves documents equal.

use super::judged_rows::JudgedRows;
use super::{Block, Ids, RowFault};
use crate::convention::Ties;
use crate::error::{Error, Kind, quoted};
use crate::judgments::Pool;
use crate::known::Known;

/// Whether documents have different grades; unjudged ones have grade 0.
pub(super) fn differ(group: &[u32], grade_of: &JudgedRows) -> bool {
    let mut grades = group.iter().map(|&row| grade_of.get(row)).map(counted);
    let first = grades.next();
    grades.any(|grade| Some(grade) != first)
}

/// An unjudged document has the gain of grade 0.
fn counted(grade: f64) -> f64 {
    if grade.is_nan() { 0.0 } else { grade }
}

pub(super) fn order_ties(
    group: &mut [u32],
    block: &Block<'_>,
    ties: Ties,
    grade_of: &JudgedRows,
) -> std::result::Result<(), RowFault> {
    let ids = &block.ids;
    let by_id = |a: u32, b: u32| ids.compare(a as usize, b as usize);
    let by_default = |a: u32, b: u32| by_id(b, a).then(a.cmp(&b));
    let grade = |row: u32| counted(grade_of.get(row));
    match ties {
        Ties::IdDescending | Ties::Expected | Ties::AverageRank | Ties::AverageRankDown => {
            group.sort_unstable_by(|&a, &b| by_default(a, b));
        }
        Ties::IdAscending => group.sort_unstable_by(|&a, &b| by_id(a, b).then(a.cmp(&b))),
        Ties::Given => group.sort_unstable(),
        Ties::Reverse => group.sort_unstable_by(|a, b| b.cmp(a)),
        Ties::Optimistic => {
            group.sort_unstable_by(|&a, &b| grade(b).total_cmp(&grade(a)).then_with(|| by_default(a, b)));
        }
        Ties::Pessimistic => {
            group.sort_unstable_by(|&a, &b| grade(a).total_cmp(&grade(b)).then_with(|| by_default(a, b)));
        }
        Ties::Random(seed) => {
            group.sort_by_cached_key(|&row| (shuffle_key(seed, block.query, &ids.get(row as usize)), row));
        }
        Ties::Error => {
            group.sort_unstable();
            if let [first, second, ..] = *group {
                let key = *block.keys.known(first as usize);
                let (first, second) = (ids.get(first as usize), (second as usize, ids.get(second as usize)));
                return Err(RowFault {
                    row: second.0,
                    error: Error::statement(
                        Kind::Tie,
                        format!("the score {key} equals that of document {}", quoted(&first)),
                    )
                    .query(block.query)
                    .document(&second.1)
                    .policy("ties")
                    .hint("the convention has ties=error; other policies order equal scores"),
                    whole: false,
                });
            }
        }
    }
    Ok(())
}

/// The order of judged documents that were not retrieved (rows of the judgments, counted from 1). They have
/// no scores, so `error` does not apply.
pub(super) fn order_unretrieved(group: &mut [u32], ids: &Ids<'_>, pool: &Pool<'_>, ties: Ties) {
    let place = |judgment: u32| judgment as usize - 1;
    let by_id = |a: u32, b: u32| ids.compare(place(a), place(b));
    let grade = |judgment: u32| *pool.grades.known(place(judgment));
    match ties {
        Ties::IdDescending | Ties::Expected | Ties::AverageRank | Ties::AverageRankDown => {
            group.sort_unstable_by(|&a, &b| by_id(b, a).then(a.cmp(&b)));
        }
        Ties::IdAscending => group.sort_unstable_by(|&a, &b| by_id(a, b).then(a.cmp(&b))),
        Ties::Reverse => group.reverse(),
        Ties::Optimistic => group.sort_by(|&a, &b| grade(b).total_cmp(&grade(a)).then_with(|| by_id(b, a))),
        Ties::Pessimistic => group.sort_by(|&a, &b| grade(a).total_cmp(&grade(b)).then_with(|| by_id(b, a))),
        Ties::Random(seed) => {
            group.sort_by_cached_key(|&row| (shuffle_key(seed, pool.query, ids.get(place(row))), row));
        }
        Ties::Given | Ties::Error => {}
    }
}

/// A number that depends only on seed, query and document: the same order on every machine, for any number of
/// threads, however the file is sorted. FNV-1a over the bytes, mixed by `SplitMix64`.
fn shuffle_key(seed: u64, query: &[u8], document: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64 ^ seed;
    for &byte in query.iter().chain(&[0]).chain(document) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    let mut mixed = hash.wrapping_add(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
