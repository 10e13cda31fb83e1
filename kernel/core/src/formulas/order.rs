//! Orders grades by their scores, with ties by the policy.

use super::{ListFormula, Lists, Scratch, top};
use crate::convention::Ties;
use crate::error::{Error, Kind, Result};
use crate::known::Known;

impl ListFormula {
    /// Orders grades by their scores, down to the cutoff.
    pub(super) fn rank(&self, scratch: &mut Scratch, lists: &Lists<'_>, row: usize) -> Result<()> {
        let Scratch { grades, scores, best, order, level, ranked, group_ends, .. } = scratch;
        order.clear();
        ranked.clear();
        group_ends.clear();
        let depth = self.cutoff.unwrap_or(usize::MAX);
        let sort = |order: &mut Vec<(f64, u32)>| {
            order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        };
        // Equal scores are refused at any rank, so all are sorted.
        if depth < scores.len() && self.ties != Ties::Error {
            top::largest(scores, depth, best);
            let least = best.last().copied().unwrap_or(f64::INFINITY);
            level.clear();
            top::at_least(scores, least, |position, score| {
                let entry = (score, u32::try_from(position).unwrap_or(u32::MAX));
                if score > least { order.push(entry) } else { level.push(entry) }
            });
            sort(order);
            order.append(level);
        } else {
            order.extend(scores.iter().copied().zip(0..));
            sort(order);
        }
        for group in order.chunk_by_mut(|a, b| a.0 == b.0) {
            if group.len() > 1 {
                self.order_ties(group, grades, lists, row)?;
            }
            ranked.extend(group.iter().map(|&(_, position)| *grades.known(position as usize)));
            group_ends.push(u32::try_from(ranked.len()).unwrap_or(u32::MAX));
        }
        Ok(())
    }

    fn order_ties(
        &self,
        group: &mut [(f64, u32)],
        grades: &[f64],
        lists: &Lists<'_>,
        row: usize,
    ) -> Result<()> {
        let gain = |entry: &(f64, u32)| self.cumulative.gain.of(*grades.known(entry.1 as usize));
        match self.ties {
            // The groups are in the given order.
            Ties::Given
            | Ties::Expected
            | Ties::AverageRank
            | Ties::AverageRankDown
            | Ties::IdAscending
            | Ties::IdDescending => {}
            Ties::Reverse => group.reverse(),
            Ties::Optimistic => group.sort_by(|a, b| gain(b).total_cmp(&gain(a))),
            Ties::Pessimistic => group.sort_by(|a, b| gain(a).total_cmp(&gain(b))),
            Ties::Random(seed) => {
                group.sort_by_key(|entry| draw(seed, row as u64, u64::from(entry.1)));
            }
            Ties::Error => {
                if let [(score, first), (_, second), ..] = *group {
                    return Err(Error::statement(
                        Kind::Tie,
                        format!(
                            "score {score} at {} equals that at position {first}",
                            lists.place(row, Some(second as usize), "scores")
                        ),
                    )
                    .hint("ties='expected' computes the mean over all orders of equal scores"));
                }
            }
        }
        Ok(())
    }
}

/// A number that depends only on seed, row and position (`SplitMix64`): the same order on every machine and
/// for any number of threads.
fn draw(seed: u64, row: u64, position: u64) -> u64 {
    [row, position].into_iter().fold(seed, |state, next| {
        let mut mixed = (state ^ next).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}
