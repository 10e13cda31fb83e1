//! nDCG averaged over ranks (C. Buckley, trec_eval 2008): over those of the relevant documents, and over
//! those where the gain of the ideal ranking decreases.

use super::cumulative::ideal_levels;
use super::formula::*;
use super::gain::{Discount, Gain};
use super::view::{TieMode, View};

/// The DCG of an ideal ranking down to each rank; beyond its end the last one.
struct LevelIdeal {
    gains: Vec<f64>,
    sums: Vec<f64>,
}

impl LevelIdeal {
    fn new(gain: &Gain, view: &View<'_>) -> Self {
        let gains = ideal_levels(gain, view);
        let mut sum = 0.0;
        let mut sums = Vec::with_capacity(gains.len());
        for (index, &gain) in gains.iter().enumerate() {
            sum += discounted(gain, index);
            sums.push(sum);
        }
        Self { gains, sums }
    }

    fn dcg(&self, index: usize) -> f64 {
        self.sums.get(index).or(self.sums.last()).copied().unwrap_or_default()
    }
}

fn discounted(gain: f64, index: usize) -> f64 {
    Discount::Log2.apply(gain, (index + 1) as f64)
}

/// The mean of DCG/IDCG over all documents with a gain: at their ranks, or at the end of the ranking if they
/// were not returned.
#[derive(Debug, Clone, PartialEq)]
pub struct NdcgOverRelevant {
    pub gain: Gain,
}

impl Formula for NdcgOverRelevant {
    fn parse(_: &str, values: &dyn Values, signed: bool) -> Result<Self> {
        Ok(Self { gain: Gain::parse(values, signed)? })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: Reads::Grades,
            relevant: Relevant::WithGain(self.gain.clone()),
            // Below 0 it is cut off.
            ties: if self.gain.may_lose() { TieSupport::Settled } else { TieSupport::Expected },
            cutoffs: Cutoffs::Any,
            range: Range::Finite,
            ranks: Ranks::Ended,
            bounds: Extremes::Unknown,
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let (view, gain) = (question.view, &self.gain);
        let ideal = LevelIdeal::new(gain, view);
        let relevant = ideal.gains.len();
        if relevant == 0 {
            return Ok(Raw::of(0.0, true));
        }
        let (mut dcg, mut sum, mut found) = (0.0, 0.0, 0usize);
        if view.ties == TieMode::Settled {
            view.each(None, |index, grade| {
                let own = gain.of(grade);
                if own != 0.0 {
                    dcg += discounted(own, index);
                }
                if own > 0.0 {
                    sum += dcg / ideal.dcg(index);
                    found += 1;
                }
            });
        } else {
            for (start, end) in view.groups() {
                let gains: Vec<f64> = view
                    .grades
                    .get(start..end)
                    .unwrap_or_default()
                    .iter()
                    .map(|&grade| gain.of(grade))
                    .collect();
                let size = gains.len() as f64;
                let total = gains.iter().fold(0.0, |total, gain| total + gain);
                let positive = gains.iter().filter(|&&gain| gain > 0.0);
                let (own, own_gain) = positive.fold((0.0, 0.0), |(own, sum), gain| (own + 1.0, sum + gain));
                // The expected gain of another rank of the group, times the probability that this one has a
                // gain.
                let neighbor =
                    if size > 1.0 { (own * total - own_gain) / (size * (size - 1.0)) } else { 0.0 };
                let mut weights = 0.0;
                let before = dcg;
                for index in start..end {
                    let here = own / size * before + neighbor * weights + discounted(own_gain / size, index);
                    sum += here / ideal.dcg(index);
                    weights += discounted(1.0, index);
                }
                dcg += total / size * weights;
                found += own as usize;
            }
        }
        sum += (relevant as f64 - found as f64) * dcg / ideal.dcg(relevant);
        Ok(Raw::of(if sum > 0.0 { sum / relevant as f64 } else { 0.0 }, false))
    }
}

/// The mean of DCG/IDCG over the ranks after which the ideal ranking gains less, and over the whole
/// ranking, where that is longer than the ideal one by two or more. `undefined`: relevant documents
/// that gain nothing make it 0/0, as trec_eval has it, and not 0.
#[derive(Debug, Clone, PartialEq)]
pub struct NdcgAtLevels {
    pub gain: Gain,
    pub rel: f64,
    pub undefined: bool,
}

impl Formula for NdcgAtLevels {
    fn parse(_: &str, values: &dyn Values, signed: bool) -> Result<Self> {
        let gain = Gain::parse(values, signed)?;
        Ok(Self { gain, rel: values.number("rel")?, undefined: values.flag("undefined")? })
    }

    fn needs(&self) -> Needs {
        Needs {
            reads: Reads::Grades,
            relevant: Relevant::WithGain(self.gain.clone()),
            ties: TieSupport::Any,
            cutoffs: Cutoffs::Any,
            range: Range::Exceptional { infinite: false, undefined: self.undefined },
            ranks: Ranks::Ended,
            bounds: Extremes::Unknown,
        }
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let (view, gain) = (question.view, &self.gain);
        let ideal = LevelIdeal::new(gain, view);
        let relevant = view.relevant(self.rel);
        if ideal.gains.is_empty() || relevant == 0 {
            return Ok(Raw::of(if self.undefined && relevant > 0 { f64::NAN } else { 0.0 }, true));
        }
        let returned = view.grades.len();
        let ends = ideal
            .gains
            .iter()
            .enumerate()
            .filter_map(|(index, gain)| (ideal.gains.get(index + 1) != Some(gain)).then_some(index + 1));
        let end = (returned >= ideal.gains.len() + 2).then_some(returned);
        let (mut sum, mut points) = (0.0, 0.0);
        for depth in ends.chain(end) {
            let dcg = view.additive(
                Some(depth),
                |grade| gain.of(grade),
                |gain, rank| Discount::Log2.apply(gain, rank),
            );
            sum += dcg / ideal.dcg(depth - 1);
            points += 1.0;
        }
        Ok(Raw::of(sum / points, false))
    }
}
