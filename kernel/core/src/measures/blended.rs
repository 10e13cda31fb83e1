//! Q, O and P+: measures of the blended ratio, by which T. Sakai combines precision with cumulated gain.

use super::cumulative::ideal_levels;
use super::formula::*;
use super::gain::Gain;

/// Means of the blended ratio (β × gain so far + hits so far) / (β × ideal gain so far + rank).
#[derive(Debug, Clone, PartialEq)]
pub struct Blended {
    mean: Mean,
    gain: Gain,
    beta: f64,
}

/// The relevant documents whose ratios are averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mean {
    /// Q: all judged ones, at most k.
    All,
    /// O: the first one.
    First,
    /// P+: those down to the first with the largest gain of the ranking.
    ToBest,
}

impl Formula for Blended {
    fn parse(name: &str, values: &dyn Values, signed: bool) -> Result<Self> {
        let mean = match name {
            "o_measure" => Mean::First,
            "p_plus" => Mean::ToBest,
            _ => Mean::All,
        };
        Ok(Self { mean, gain: Gain::parse(values, signed)?, beta: values.number("beta")? })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: Reads::Grades,
            relevant: Relevant::WithGain(self.gain.clone()),
            ties: TieSupport::Settled,
            cutoffs: Cutoffs::Settling,
            range: Range::Finite,
            ranks: if self.mean == Mean::ToBest { Ranks::Ended } else { Ranks::Cut },
            bounds: Extremes::Unknown,
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let Question { view, cutoff, .. } = *question;
        let ideal = ideal_levels(&self.gain, view);
        let mut best_gains = ideal.iter();
        let (mut gained, mut best_gained) = (0.0, 0.0);
        let (mut hits, mut sum) = (0.0, 0.0);
        // The largest gain so far, and the mean of the ratios down to it.
        let (mut most, mut to_best) = (0.0, 0.0);
        for (index, &grade) in view.top(cutoff).iter().enumerate() {
            best_gained += best_gains.next().unwrap_or(&0.0);
            let gain = self.gain.of(grade);
            if gain <= 0.0 {
                continue;
            }
            gained += gain;
            hits += 1.0;
            sum += (self.beta * gained + hits) / (self.beta * best_gained + (index + 1) as f64);
            if self.mean == Mean::First {
                break;
            }
            if gain > most {
                (most, to_best) = (gain, sum / hits);
            }
        }
        let value = match self.mean {
            Mean::First => sum,
            Mean::ToBest => to_best,
            Mean::All if ideal.is_empty() => 0.0,
            Mean::All => sum / ideal.len().min(cutoff.unwrap_or(usize::MAX)) as f64,
        };
        Ok(Raw::of(value, ideal.is_empty()))
    }
}
