//! G and its binary form (C. Buckley, trec_eval 2008): gains discounted by the gain missed above them, not by
//! rank.

use super::cumulative::ideal_levels;
use super::formula::*;
use super::gain::{Gain, log2};
use super::view::{TieMode, View, is_relevant};
use crate::known::Known;

/// 1/R × Σ over the relevant of 1 / log2(2 + non-relevant above).
pub(super) fn binary(view: &View<'_>, rel: f64) -> (f64, bool) {
    let relevant = view.relevant(rel);
    let mut sum = 0.0;
    if view.ties == TieMode::Settled {
        let mut found = 0usize;
        view.each(None, |index, grade| {
            if is_relevant(grade, rel) {
                found += 1;
                sum += 1.0 / log2((3 + index - found) as f64);
            }
        });
    } else {
        let mut above = 0usize;
        for (start, end) in view.groups() {
            let group = view.grades.known(start..end);
            let own = group.iter().filter(|&&grade| is_relevant(grade, rel)).count();
            let others = group.len() - own;
            if own > 0 {
                // Each of them has 0..=others non-relevant ones of its group above it, all as likely.
                let total =
                    (0..=others).fold(0.0, |total, more| total + 1.0 / log2((2 + above + more) as f64));
                sum += own as f64 * total / (others + 1) as f64;
            }
            above += others;
        }
    }
    (if relevant == 0 { 0.0 } else { sum / relevant as f64 }, relevant == 0)
}

/// Σ gain / log2(2 + cost − gain so far), over the sum of the ideal ranking's gains. The cost of a rank
/// is the gain that the ideal ranking has there, and at least 1.
#[derive(Debug, Clone, PartialEq)]
pub struct G {
    pub gain: Gain,
}

impl Formula for G {
    fn parse(_: &str, values: &dyn Values, signed: bool) -> Result<Self> {
        Ok(Self { gain: Gain::parse(values, signed)? })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: Reads::Grades,
            relevant: Relevant::WithGain(self.gain.clone()),
            ties: TieSupport::Settled,
            cutoffs: Cutoffs::Any,
            range: Range::Exceptional { infinite: self.gain.never_ideal, undefined: false },
            ranks: Ranks::Ended,
            bounds: Extremes::Unknown,
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let (view, gain) = (question.view, &self.gain);
        let ideal = ideal_levels(gain, view);
        let whole = ideal.iter().fold(0.0, |sum, gain| sum + gain);
        if whole <= 0.0 {
            return Ok(Raw::of(0.0, true));
        }
        let (mut gained, mut cost, mut sum) = (0.0, 0.0, 0.0);
        let mut ideal = ideal.into_iter();
        for &grade in view.grades {
            let own = gain.of(grade);
            gained += own;
            cost += ideal.next().map_or(1.0, |gain: f64| gain.max(1.0));
            if own != 0.0 {
                sum += own / log2(2.0 + cost - gained);
            }
        }
        Ok(Raw::of(sum / whole, false))
    }
}
