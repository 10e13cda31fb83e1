//! Computes CG, DCG, IDCG and nDCG of one or more lists of grades without documents.
//!
//! A list is in rank order, or scores order it. The sums are those of [`measures`](crate::measures); this
//! module selects their input. With a cutoff k, these are the k best scores and those that tie with the last
//! of them, and the k best grades for the ideal: the rest is not sorted.

mod checks;
mod lists;
mod order;
mod top;

use self::checks::{check_grades, check_scores, finite};
use self::lists::FEW;
pub use self::lists::{LARGEST_GRADE, Lists, NumberLists, Scratch};
use crate::convention::{Negative, NothingRelevant, Ties};
use crate::error::{Error, Kind, Result};
pub use crate::measures::Sum;
use crate::measures::{Cumulative, Discount, Gain, Ideal, TieMode, View};
use crate::parallel::{self, Pace};

/// The relative rounding error by which a sum may exceed its upper bound.
const TOLERANCE: f64 = 1e-12;

/// Up to this length, `plain` does not allocate.
const SHORT: usize = 32;

/// A formula with all its options.
#[derive(Debug, Clone, PartialEq)]
pub struct ListFormula {
    pub sum: Sum,
    /// `Ideal::Judged` sorts the ideal, `Ideal::GivenOrder` uses the given order.
    pub cumulative: Cumulative,
    pub cutoff: Option<usize>,
    /// The order of equal scores. There are no ids, so no policy on ids.
    pub ties: Ties,
    pub negative: Negative,
    pub nothing_relevant: NothingRelevant,
}

impl ListFormula {
    /// Refuses undefined combinations before reading numbers.
    pub fn check(&self) -> Result<()> {
        if self.ties == Ties::AverageRank && matches!(self.cumulative.discount, Discount::Table(_)) {
            return Err(Error::statement(
                Kind::Convention,
                "ties='average-rank' is not defined for a table of discounts",
            )
            .hint("a table has no entry for rank 2.5; use ties='expected'"));
        }
        Ok(())
    }

    /// One value per list, on the calling thread.
    pub fn values(&self, lists: &Lists<'_>) -> Result<Vec<f64>> {
        let mut scratch = Scratch::default();
        (0..lists.grades.rows()).map(|row| self.value(lists, row, &mut scratch)).collect()
    }

    /// One value per list, on several threads; the values do not depend on their number.
    pub fn values_in_parallel(&self, lists: &Lists<'_>, pace: &mut Pace<'_>) -> Result<Vec<f64>> {
        let rows = lists.grades.rows();
        let together = (FEW / (lists.grades.cells() / rows.max(1)).max(1)).max(1);
        let parts = parallel::run(rows.div_ceil(together), pace, Scratch::default, |scratch, part| {
            let first = part * together;
            (first..rows.min(first + together)).map(|row| self.value(lists, row, scratch)).collect()
        })?;
        Ok(parts.into_iter().collect::<Vec<Vec<f64>>>().concat())
    }

    /// The value of one list.
    pub fn value(&self, lists: &Lists<'_>, row: usize, scratch: &mut Scratch) -> Result<f64> {
        lists.grades.read(row, &mut scratch.grades);
        check_grades(self.negative, &mut scratch.grades, lists, row, "grades")?;
        let depth = self.cutoff.unwrap_or(usize::MAX);
        let mut ties = TieMode::Settled;
        if let Some(scores) = lists.scores.filter(|_| self.sum != Sum::Idcg) {
            scores.read(row, &mut scratch.scores);
            check_scores(scores, scratch, lists, row)?;
            self.rank(scratch, lists, row)?;
            ties = TieMode::of(self.ties, &scratch.group_ends);
        }
        if matches!(self.sum, Sum::Idcg | Sum::Ndcg) {
            if let Some(ideals) = lists.ideals {
                ideals.read(row, &mut scratch.pool);
                check_grades(self.negative, &mut scratch.pool, lists, row, "ideal")?;
                if self.cumulative.ideal == Ideal::Judged {
                    scratch.pool.sort_unstable_by(|a, b| b.total_cmp(a));
                }
            } else if self.cumulative.gain.is_increasing() {
                top::largest(&scratch.grades, depth, &mut scratch.pool);
            } else {
                // A table may give a smaller grade a larger gain: all grades are candidates.
                scratch.pool.clone_from(&scratch.grades);
            }
        }
        let grades =
            if lists.scores.is_some() && self.sum != Sum::Idcg { &scratch.ranked } else { &scratch.grades };
        let list = View::list(grades, &scratch.group_ends, ties);
        let view = View { pool: &scratch.pool, pool_given: &scratch.pool, ..list };
        self.finish(&view, lists, row)
    }

    fn finish(&self, view: &View<'_>, lists: &Lists<'_>, row: usize) -> Result<f64> {
        let dcg = if self.sum == Sum::Idcg { 0.0 } else { self.cumulative.dcg(view, self.cutoff) };
        if matches!(self.sum, Sum::Cg | Sum::Dcg) {
            return finite(dcg, lists, row);
        }
        let idcg = finite(self.cumulative.idcg(view, self.cutoff), lists, row)?;
        if self.sum == Sum::Idcg {
            return Ok(idcg);
        }
        let dcg = finite(dcg, lists, row)?;
        if dcg - idcg > TOLERANCE * dcg.abs().max(idcg.abs()) {
            if lists.ideals.is_some() {
                return Err(Error::statement(
                    Kind::Parameter,
                    format!(
                        "the DCG of {}, {dcg}, exceeds that of the ideal, {idcg}",
                        lists.place(row, None, "list")
                    ),
                )
                .hint(match self.cumulative.ideal {
                    Ideal::GivenOrder => "ideal_order='sorted' sorts the ideal",
                    _ => "the ideal needs the grades of all judged documents",
                }));
            }
            if !self.ties.shares_ranks() {
                return Err(Error::statement(
                    Kind::Parameter,
                    format!(
                        "the DCG of {}, {dcg}, exceeds that of the sorted list, {idcg}",
                        lists.place(row, None, "list")
                    ),
                )
                .hint("the multipliers of a discount table must not increase with the rank"));
            }
        }
        if idcg <= 0.0 {
            return match self.nothing_relevant {
                NothingRelevant::Value(value) => Ok(value),
                NothingRelevant::Agree => Ok(f64::from(u8::from(view.grades.is_empty()))),
                NothingRelevant::Skip | NothingRelevant::Error => Err(Error::statement(
                    Kind::Grade,
                    format!("no relevant document in {}", lists.place(row, None, "ideal list")),
                )
                .hint("no_relevant=0.0, 1.0 or nan sets the value of such a list")),
            };
        }
        Ok(quotient(dcg, idcg))
    }
}

/// nDCG from its parts. If DCG cannot exceed IDCG, rounding does not lift it above 1.
fn quotient(dcg: f64, idcg: f64) -> f64 {
    let quotient = dcg / idcg;
    if quotient > 1.0 && quotient <= 1.0 + 2.0 * TOLERANCE { 1.0 } else { quotient }
}

/// The fast path for linear gains and the log2 discount of grades in rank order; `None` for invalid input,
/// which the general path reports.
#[must_use]
pub fn plain(sum: Sum, grades: &[f64], cutoff: Option<usize>) -> Option<f64> {
    if grades.is_empty() || !grades.iter().all(|grade| grade.abs() <= LARGEST_GRADE) {
        return None;
    }
    let discount = if sum == Sum::Cg { Discount::None } else { Discount::Log2 };
    let cumulative = Cumulative { gain: Gain::linear(), discount, ideal: Ideal::Judged };
    let (mut stack, mut heap) = ([0.0; SHORT], Vec::new());
    let pool = match stack.get_mut(..grades.len()) {
        Some(pool) => {
            pool.copy_from_slice(grades);
            pool
        }
        None => {
            heap.extend_from_slice(grades);
            heap.as_mut_slice()
        }
    };
    if matches!(sum, Sum::Idcg | Sum::Ndcg) {
        pool.sort_unstable_by(|a, b| b.total_cmp(a));
    }
    let view = View { pool, ..View::list(grades, &[], TieMode::Settled) };
    match sum {
        Sum::Cg | Sum::Dcg => Some(cumulative.dcg(&view, cutoff)),
        Sum::Idcg => Some(cumulative.idcg(&view, cutoff)),
        Sum::Ndcg => {
            let idcg = cumulative.idcg(&view, cutoff);
            Some(if idcg > 0.0 { quotient(cumulative.dcg(&view, cutoff), idcg) } else { 0.0 })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::Progress;

    struct Matrix(Vec<Vec<f64>>);

    impl NumberLists for Matrix {
        fn rows(&self) -> usize {
            self.0.len()
        }
        fn cells(&self) -> usize {
            self.0.iter().map(Vec::len).sum()
        }
        fn whole(&self) -> bool {
            false
        }
        fn read(&self, row: usize, values: &mut Vec<f64>) {
            values.clone_from(&self.0[row]);
        }
    }

    fn formula(sum: Sum, ties: Ties, cutoff: Option<usize>) -> ListFormula {
        ListFormula {
            sum,
            cumulative: Cumulative { gain: Gain::linear(), discount: Discount::Log2, ideal: Ideal::Judged },
            cutoff,
            ties,
            negative: Negative::Zero,
            nothing_relevant: NothingRelevant::Value(0.0),
        }
    }

    fn value(formula: &ListFormula, grades: &[f64], scores: &[f64]) -> Result<f64> {
        let (grades, scores) = (Matrix(vec![grades.to_vec()]), Matrix(vec![scores.to_vec()]));
        let lists = Lists { grades: &grades, scores: Some(&scores), ideals: None, unit: "" };
        formula.values(&lists).map(|values| values[0])
    }

    #[test]
    fn ties_under_each_policy() {
        let (grades, scores) = ([0.0, 1.0, 3.0, 2.0], [1.0, 1.0, 1.0, 0.5]);
        for (ties, expected) in [
            (Ties::Expected, 0.596_666_001_4),
            (Ties::Given, 0.447_499_501_1),
            (Ties::Reverse, 0.762_502_494_7),
            (Ties::Optimistic, 0.762_502_494_7),
            (Ties::Pessimistic, 0.447_499_501_1),
        ] {
            let found = value(&formula(Sum::Ndcg, ties, Some(3)), &grades, &scores).unwrap();
            assert!((found - expected).abs() < 1e-9, "{ties:?}: {found}");
        }
        let error = value(&formula(Sum::Ndcg, Ties::Error, Some(3)), &grades, &scores).unwrap_err();
        assert_eq!(error.kind, Kind::Tie);
    }

    #[test]
    fn cutoffs_agree_with_a_full_sort() {
        let grades: Vec<f64> = (0..200).map(|index| f64::from(index * 7 % 5)).collect();
        let scores: Vec<f64> = (0..200).map(|index| f64::from(index * 37 % 11)).collect();
        for ties in [Ties::Expected, Ties::Given, Ties::Reverse, Ties::AverageRank, Ties::Random(7)] {
            let whole = formula(Sum::Dcg, ties, None);
            for k in [1, 5, 30, 100, 199] {
                let mut cut = formula(Sum::Dcg, ties, Some(k));
                let fast = value(&cut, &grades, &scores).unwrap();
                // The same cutoff as weights, which needs every rank.
                cut.cutoff = None;
                if ties != Ties::AverageRank {
                    cut.cumulative.discount =
                        Discount::Table((1..=k).map(|rank| Discount::Log2.weight(rank)).collect());
                    let slow = value(&cut, &grades, &scores).unwrap();
                    assert!((fast - slow).abs() < 1e-12, "{ties:?} at {k}: {fast} {slow}");
                }
                assert!(fast <= value(&whole, &grades, &scores).unwrap());
            }
        }
    }

    #[test]
    fn results_do_not_depend_on_threads() {
        let grades =
            Matrix((0..500).map(|row| (0..200).map(|c| f64::from((row * c) % 4)).collect()).collect());
        let scores =
            Matrix((0..500).map(|row| (0..200).map(|c| f64::from((row + c) % 9)).collect()).collect());
        let lists = Lists { grades: &grades, scores: Some(&scores), ideals: None, unit: "row" };
        assert!(lists.are_many());
        let formula = formula(Sum::Ndcg, Ties::Expected, Some(10));
        let alone = formula.values(&lists).unwrap();
        let (progress, mut tick) = (Progress::default(), |_: &Progress| true);
        let mut pace = Pace { threads: 3, progress: &progress, tick: &mut tick };
        assert_eq!(formula.values_in_parallel(&lists, &mut pace).unwrap(), alone);
    }

    #[test]
    fn fast_path_agrees_with_the_general_formula() {
        let grades = [3.0, 2.0, 3.0, 0.0, 1.0];
        let matrix = Matrix(vec![grades.to_vec()]);
        let lists = Lists { grades: &matrix, scores: None, ideals: None, unit: "" };
        for sum in [Sum::Cg, Sum::Dcg, Sum::Idcg, Sum::Ndcg] {
            for cutoff in [None, Some(1), Some(3), Some(9)] {
                let mut long = formula(sum, Ties::Expected, cutoff);
                if sum == Sum::Cg {
                    long.cumulative.discount = Discount::None;
                }
                assert_eq!(plain(sum, &grades, cutoff), Some(long.values(&lists).unwrap()[0]));
            }
        }
        assert_eq!(plain(Sum::Ndcg, &[f64::NAN], None), None);
    }
}
