//! infNDCG and xinfAP: nDCG and AP inferred from judgments of a random sample of each stratum of the
//! pool (Yilmaz, Kanoulas and Aslam, SIGIR 2008), as NIST's sample_eval computes them.
//!
//! The pool is all documents in the judgments; the label of a document is its stratum. Documents with a
//! negative grade were not sampled; only their stratum is known.

use super::formula::*;
use super::gain::Gain;
use super::view::View;
use crate::error::{Error, Kind};
use crate::known::Known;

/// The contents of one stratum.
#[derive(Debug, Clone, Copy, Default)]
struct SampledStratum {
    documents: f64,
    sampled: f64,
    relevant: f64,
}

impl SampledStratum {
    fn add(&mut self, grade: f64, rel: f64) {
        self.documents += 1.0;
        self.sampled += f64::from(u8::from(grade >= 0.0));
        self.relevant += f64::from(u8::from(grade >= 0.0 && grade >= rel));
    }
}

/// For each document of the pool, the number of its stratum and the given grade.
struct Strata {
    of: Vec<(usize, f64)>,
    count: usize,
}

impl Strata {
    fn new(view: &View<'_>) -> Result<Self> {
        let labels = view.documents.labels;
        let mut of = Vec::with_capacity(view.documents.raw.len());
        for (document, &raw) in view.documents.raw.iter().enumerate() {
            let stratum = match labels.of(document) {
                [] => 0,
                [entry] => entry.label as usize,
                several => {
                    let found = format!("the document is in {} strata, not in one", several.len());
                    return Err(
                        Error::statement(Kind::Grade, found).document(view.documents.ids.get(document))
                    );
                }
            };
            of.push((stratum, raw));
        }
        Ok(Self { of, count: labels.names.len().max(1) })
    }

    fn all(&self, rel: f64) -> Vec<SampledStratum> {
        let mut strata = vec![SampledStratum::default(); self.count];
        for &(number, grade) in &self.of {
            if let Some(stratum) = strata.get_mut(number) {
                stratum.add(grade, rel);
            }
        }
        strata
    }

    /// The stratum and grade of the document at each rank, if it is in the pool.
    fn ranked<'a>(
        &'a self,
        view: &'a View<'_>,
        cutoff: Option<usize>,
    ) -> impl Iterator<Item = Option<(usize, f64)>> + 'a {
        let depth = cutoff.unwrap_or(usize::MAX);
        view.documents
            .judgments
            .iter()
            .take(depth)
            .map(|&judgment| (judgment as usize).checked_sub(1).and_then(|row| self.of.get(row).copied()))
    }
}

/// The gain of each stratum's sampled documents above the cutoff, scaled up to all of its documents
/// there, divided by the DCG of the estimated ideal.
#[derive(Debug, Clone, PartialEq)]
pub struct StratifiedNdcg {
    pub gain: Gain,
}

impl Formula for StratifiedNdcg {
    fn parse(_: &str, values: &dyn Values, _: bool) -> Result<Self> {
        Ok(Self { gain: Gain::parse(values, false)? })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: Reads::Strata,
            relevant: Relevant::WithGain(self.gain.clone()),
            ties: TieSupport::Settled,
            cutoffs: Cutoffs::Any,
            range: Range::Finite,
            ranks: Ranks::Cut,
            bounds: Extremes::Unknown,
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let Question { view, cutoff, .. } = *question;
        let gain = &self.gain;
        let pool = Strata::new(view)?;
        let ideal = ideal(&pool, gain, cutoff);
        let mut seen = vec![(SampledStratum::default(), 0.0); pool.count];
        for (index, found) in pool.ranked(view, cutoff).enumerate() {
            let Some((number, grade)) = found else { continue };
            let Some((stratum, gained)) = seen.get_mut(number) else { continue };
            stratum.add(grade, 1.0);
            if grade >= 0.0 {
                *gained += gain.of(grade) / ((index + 2) as f64).log2();
            }
        }
        let estimate = seen.iter().filter(|(stratum, _)| stratum.sampled > 0.0);
        let dcg =
            estimate.fold(0.0, |sum, (stratum, gained)| sum + stratum.documents * gained / stratum.sampled);
        Ok(Raw::of(dcg / ideal, ideal <= 0.0))
    }
}

/// The DCG of the estimated number of documents of each grade, rounded.
fn ideal(pool: &Strata, gain: &Gain, cutoff: Option<usize>) -> f64 {
    let strata = pool.all(1.0);
    let mut sampled: Vec<(f64, usize)> = pool
        .of
        .iter()
        .filter(|&&(_, grade)| grade >= 0.0 && gain.of(grade) > 0.0)
        .map(|&(number, grade)| (grade, number))
        .collect();
    sampled.sort_by(|a, b| {
        let by_gain = gain.of(b.0).total_cmp(&gain.of(a.0));
        by_gain.then(b.0.total_cmp(&a.0)).then(a.1.cmp(&b.1))
    });
    let mut sum = 0.0;
    let mut rank = 0usize;
    for alike in sampled.chunk_by(|a, b| a.0 == b.0) {
        let gained = alike.first().map_or(0.0, |&(grade, _)| gain.of(grade));
        let promised = alike.chunk_by(|a, b| a.1 == b.1).fold(0.0, |sum, own| {
            let stratum =
                own.first().and_then(|&(_, number)| strata.get(number)).copied().unwrap_or_default();
            sum + own.len() as f64 * stratum.documents / stratum.sampled
        });
        for _ in 0..(promised + 0.5) as usize {
            if cutoff.is_some_and(|cutoff| rank >= cutoff) {
                return sum;
            }
            rank += 1;
            sum += gained / ((rank + 1) as f64).log2();
        }
    }
    sum
}

/// The mean over strata of the expected precision at their relevant documents, each stratum weighted by its
/// estimated number of relevant documents.
pub(super) fn average_precision(view: &View<'_>, cutoff: Option<usize>, rel: f64) -> Result<(f64, bool)> {
    // Avoids 0 / 0 in strata with few samples, as in sample_eval.
    const SMALL: (f64, f64) = (0.00001, 0.00003);
    let pool = Strata::new(view)?;
    let all = pool.all(rel);
    let mut above = vec![SampledStratum::default(); pool.count];
    let mut sums = vec![0.0; pool.count];
    let mut pooled = 0.0;
    for (index, found) in pool.ranked(view, cutoff).enumerate() {
        let Some((number, grade)) = found else { continue };
        let rank = (index + 1) as f64;
        if grade >= 0.0 && grade >= rel {
            let mut precision = 0.0;
            for stratum in above.iter().filter(|stratum| stratum.documents > 0.0) {
                let share = (stratum.relevant + SMALL.0) / (stratum.sampled + SMALL.1);
                precision += stratum.documents / pooled * share;
            }
            *sums.known_mut(number) += 1.0 / rank + pooled / rank * precision;
        }
        if let Some(stratum) = above.get_mut(number) {
            stratum.add(grade, rel);
        }
        pooled += 1.0;
    }
    let (mut value, mut promised) = (0.0, 0.0);
    for (stratum, sum) in all.iter().zip(sums).filter(|(stratum, _)| stratum.sampled > 0.0) {
        promised += stratum.relevant * stratum.documents / stratum.sampled;
        value += stratum.documents / stratum.sampled * sum;
    }
    Ok((value / promised, promised == 0.0))
}
