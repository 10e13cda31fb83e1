//! The documents of the ideal ranking; the measure defines its gains.

use super::account::IdealRank;
use super::ranked::Query;
use crate::measures::{Cumulative, Ideal, ideal_gains};

/// A candidate for the ideal ranking.
struct Candidate<'a> {
    id: &'a [u8],
    grade: f64,
    gain: f64,
    rank: usize,
}

/// The ideal ranking: its gains are the measure's; among documents of equal gain the higher grade
/// comes first, then the retrieved in rank order, then the others by id.
pub(super) fn ranking(query: &Query<'_>, sum: &Cumulative) -> Vec<IdealRank> {
    let view = &query.view;
    let gains = ideal_gains(&sum.gain, &sum.ideal, view, query.question.measure.cutoff);
    let mut candidates = candidates(query, sum);
    if !matches!(sum.ideal, Ideal::GivenOrder | Ideal::GradesInOrder(_)) {
        candidates.sort_by(|a, b| {
            let by_gain = b.gain.total_cmp(&a.gain).then(b.grade.total_cmp(&a.grade));
            by_gain.then(a.rank.cmp(&b.rank)).then_with(|| a.id.cmp(b.id))
        });
    }
    let documented = !matches!(sum.ideal, Ideal::MaxGrade(_) | Ideal::Grades(_) | Ideal::GradesInOrder(_));
    let mut candidates = candidates.into_iter();
    let mut running = 0.0;
    let mut ideal = Vec::with_capacity(gains.len());
    for (index, gain) in gains.into_iter().enumerate() {
        let candidate = candidates.next();
        let contribution =
            if gain == 0.0 { 0.0 } else { view.rounding.term(sum.discount.apply(gain, (index + 1) as f64)) };
        running += contribution;
        ideal.push(IdealRank {
            document: candidate.as_ref().filter(|_| documented).map(|candidate| candidate.id.to_vec()),
            grade: match (&sum.ideal, candidate) {
                (Ideal::MaxGrade(grade), _) => *grade,
                (_, candidate) => candidate.map_or(f64::NAN, |candidate| candidate.grade),
            },
            gain,
            contribution,
            running,
        });
    }
    ideal
}

fn candidates<'a>(query: &'a Query<'_>, sum: &'a Cumulative) -> Vec<Candidate<'a>> {
    let Query { view, pool, ranked, .. } = query;
    let candidate =
        |id: &'a [u8], grade: f64, rank: usize| Candidate { id, grade, gain: sum.gain.of(grade), rank };
    match &sum.ideal {
        Ideal::Judged | Ideal::JudgedUncut | Ideal::JudgedToDepth | Ideal::GivenOrder | Ideal::Ones => {
            let ranks = ranked.ranks();
            let judged = pool.documents.iter().zip(pool.grades).map(|(span, &grade)| {
                let id = span.of(pool.arena);
                candidate(id, grade, ranks.get(id).copied().unwrap_or(usize::MAX))
            });
            let again = match sum.ideal {
                Ideal::GivenOrder => &[],
                _ => view.copies_above(query.question.measure.cutoff),
            };
            let again = again.iter().filter_map(|&index| {
                let index = index as usize;
                Some(candidate(ranked.documents.get(index)?, *view.given.get(index)?, index + 1))
            });
            judged.chain(again).filter(|candidate| !candidate.grade.is_nan()).collect()
        }
        Ideal::List | Ideal::ListCut => {
            let depth = match sum.ideal {
                Ideal::ListCut => query.question.measure.cutoff.unwrap_or(usize::MAX),
                _ => usize::MAX,
            };
            let listed = ranked.documents.iter().zip(view.grades).take(depth).enumerate();
            listed.map(|(index, (id, &grade))| candidate(id, grade, index + 1)).collect()
        }
        Ideal::Grades(grades) | Ideal::GradesInOrder(grades) => {
            grades.iter().map(|&grade| candidate(&[], grade, 0)).collect()
        }
        Ideal::MaxGrade(_) => Vec::new(),
    }
}
