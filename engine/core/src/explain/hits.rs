//! Accounts of the other measures: which documents count as relevant, and the value down to each rank.

use super::account::{Content, Document, Rank};
use super::{LISTED, Query};
use crate::convention::Convention;
use crate::error::{Error, Kind, Result};
use crate::measures::{Cwl, Documents, Gain, Groups, Kernel, Measure, Scale, View, Within, multiple_of};

pub(super) fn content(query: &Query<'_>) -> Result<Content> {
    let Query { question, view, ranked, .. } = query;
    let measure = question.measure;
    refuse_counts(measure)?;
    // R-precision looks at the first R documents or a multiple; the others at the first k.
    let cutoff = match measure.kernel {
        Kernel::RPrecision { rel } => Some(view.relevant(rel)),
        Kernel::RPrecisionMultiple { rel, multiple } => Some(multiple_of(view.relevant(rel), multiple)),
        _ => measure.cutoff,
    };
    let listed = query.question.depth.or(cutoff).unwrap_or(LISTED).min(ranked.documents.len());
    let counts = counts(&measure.kernel);
    let mut ranks = Vec::with_capacity(listed);
    for index in 0..listed {
        let rank = index + 1;
        let own = ranked.rank(index);
        let grade = view.grades.get(index).copied().unwrap_or(f64::NAN);
        let relevant = counts.map(|counts| counts(&measure.kernel, grade));
        let above = cutoff.is_none_or(|cutoff| rank <= cutoff);
        ranks.push(Rank {
            relevant,
            precision: match measure.kernel {
                Kernel::AveragePrecision { rel, .. } if above && relevant == Some(true) => {
                    value(query, Kernel::Precision { rel }, view, Some(rank))?
                }
                _ => f64::NAN,
            },
            running: if above { running(query, rank)? } else { f64::NAN },
            ..own
        });
    }
    let documents = if question.ranks_alone { Vec::new() } else { documents(query) };
    Ok(Content { parts: None, ranks, ideal: Vec::new(), documents })
}

fn refuse_counts(measure: &Measure) -> Result<()> {
    let no_rank = matches!(
        measure.kernel,
        Kernel::NumQ | Kernel::NumRet | Kernel::NumRel { .. } | Kernel::Utility { .. }
    );
    if no_rank || measure.kernel.needs_preferences().is_some() {
        return Err(Error::new(
            Kind::Measure,
            format!("{}, to which no rank adds", measure.name),
            "a measure that looks at ranks",
        )
        .hint(
            "nDCG, DCG, IDCG and CG have an account term by term; P, AP, RR and all that look at ranks one \
             rank by rank",
        ));
    }
    Ok(())
}

type Counts = fn(&Kernel, f64) -> bool;

/// Whether a grade counts as relevant; `None` for measures that do not ask.
fn counts(kernel: &Kernel) -> Option<Counts> {
    match kernel {
        Kernel::Judged | Kernel::Unjudged | Kernel::RbpResidual { .. } | Kernel::NumNonrelRet { .. } => None,
        Kernel::G(_) | Kernel::NdcgOverRelevant(_) | Kernel::NdcgAtLevels { .. } => {
            Some(|kernel, grade| gain(kernel).is_some_and(|gain| gain.of(grade) > 0.0))
        }
        _ => Some(|kernel, grade| match kernel.level() {
            Some(rel) => grade >= rel && grade >= 0.0,
            None => grade > gainless(kernel),
        }),
    }
}

/// The gain that a measure of gains other than a DCG goes by.
fn gain(kernel: &Kernel) -> Option<&Gain> {
    match kernel {
        Kernel::G(gain) | Kernel::NdcgOverRelevant(gain) | Kernel::NdcgAtLevels { gain, .. } => Some(gain),
        _ => None,
    }
}

/// The highest grade that gains nothing.
fn gainless(kernel: &Kernel) -> f64 {
    match kernel {
        Kernel::Cwl(Cwl { scale: Scale::Linear { least, .. }, .. }) => least.max(0.0),
        _ => 0.0,
    }
}

/// Whether the measure looks at whole rankings: it has no cutoff, or one that says how far the user
/// would go.
fn whole(kernel: &Kernel) -> bool {
    matches!(
        kernel,
        Kernel::Bpref { .. }
            | Kernel::InterpolatedPrecision(..)
            | Kernel::InterpolatedAverage(..)
            | Kernel::InferredAp { .. }
            | Kernel::SetAp { .. }
            | Kernel::BinaryG { .. }
            | Kernel::G(_)
            | Kernel::NdcgOverRelevant(_)
            | Kernel::NdcgAtLevels { .. }
            | Kernel::LogOddsAp { .. }
            | Kernel::Cwl(_)
            | Kernel::Compatibility { .. }
            | Kernel::Groups(Groups { within: Within::PrecisionAtMultiple(_), .. })
    )
}

/// The measure's value had it been cut at this rank. R-precision is the precision so far, and a measure
/// of whole rankings looks at the ranking as if it ended here; inside a group of documents whose order
/// is not settled that has no meaning.
fn running(query: &Query<'_>, rank: usize) -> Result<f64> {
    let view = &query.view;
    match &query.question.measure.kernel {
        Kernel::RPrecision { rel } | Kernel::RPrecisionMultiple { rel, .. } => {
            value(query, Kernel::Precision { rel: *rel }, view, Some(rank))
        }
        kernel if whole(kernel) => {
            let groups = view.group_ends.iter().take_while(|&&end| end as usize <= rank).count();
            let group_ends = view.group_ends.get(..groups).unwrap_or_default();
            if group_ends.last().is_some_and(|&end| (end as usize) < rank)
                || (group_ends.is_empty() && !view.group_ends.is_empty())
            {
                return Ok(f64::NAN);
            }
            let above = |grades| <[f64]>::get(grades, ..rank).unwrap_or_default();
            let judgments = view.documents.judgments.get(..rank).unwrap_or_default();
            let cut = View {
                documents: Documents { judgments, ..view.documents },
                ..view.with(above(view.grades), above(view.given), group_ends)
            };
            value(query, kernel.clone(), &cut, query.question.measure.cutoff)
        }
        kernel => value(query, kernel.clone(), view, Some(rank)),
    }
}

fn value(query: &Query<'_>, kernel: Kernel, view: &View<'_>, cutoff: Option<usize>) -> Result<f64> {
    let measure = Measure {
        kernel,
        cutoff,
        judged_only: false,
        geometric: false,
        name: query.question.measure.name.clone(),
    };
    // The ranking is longer than what is looked at here.
    let convention = Convention { refuse_single: false, ..query.question.convention.clone() };
    measure.value(view, &convention).map(|value| value.value).map_err(|error| error.query(query.pool.query))
}

/// The relevant documents of the judgments, in the order of their grades, then of the ranking.
fn documents(query: &Query<'_>) -> Vec<Document> {
    let Some(counts) = counts(&query.question.measure.kernel) else { return Vec::new() };
    let ranks = query.ranked.ranks();
    let judged = query.pool.documents.iter().zip(query.pool.grades);
    let mut documents: Vec<Document> = judged
        .filter(|&(_, &grade)| counts(&query.question.measure.kernel, grade))
        .map(|(span, &grade)| {
            let id = span.of(query.pool.arena);
            Document {
                id: id.to_vec(),
                grade,
                gain: f64::NAN,
                rank: ranks.get(id).copied(),
                ideal_rank: None,
                contribution: f64::NAN,
                ideal_contribution: f64::NAN,
            }
        })
        .collect();
    documents.sort_by(|a, b| {
        let place = |document: &Document| document.rank.unwrap_or(usize::MAX);
        let by_grade = b.grade.total_cmp(&a.grade);
        by_grade.then(place(a).cmp(&place(b))).then_with(|| a.id.cmp(&b.id))
    });
    documents
}
