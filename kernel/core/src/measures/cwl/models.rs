//! User models: the probability to continue from a rank to the next.

use crate::error::Result;
use crate::known::Known;
use crate::values::{Parameter, Values, illegal};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Model {
    /// Inspects the first k documents.
    Precision,
    /// Continues with probability p (Moffat and Zobel, TOIS 2008).
    RankBiased {
        p: f64,
    },
    /// Inspects rank r with a weight of 1/log2(r + 1), up to k (Järvelin and Kekäläinen, TOIS 2002).
    Discounted,
    /// Stops at the first document with a gain (Kantor and Voorhees 2000).
    ReciprocalRank,
    /// Stops at one of the documents with a gain, with equal probability (Robertson, SIGIR 2008).
    AveragePrecision,
    /// Has a target gain of T, independent of the gains so far (Moffat, Scholer and Thomas, ADCS 2012).
    Insq {
        target: f64,
    },
    /// Has a target gain of T, and depends on the missing gain (Moffat et al., ADCS 2015).
    Inst {
        target: f64,
    },
    /// Stops when the gain or the cost has reached its target; each document moves the targets (Zhang
    /// et al., SIGIR 2017).
    Bejeweled {
        target: f64,
        by_gain: f64,
        by_cost: f64,
        median: f64,
    },
    /// Nearly ERR, equations 8 to 11 (Azzopardi, Mackenzie and Moffat, ICTIR 2021).
    NearlyErr8,
    NearlyErr9,
    NearlyErr10 {
        p: f64,
    },
    NearlyErr11 {
        target: f64,
    },
    /// Weights halve with every `halflife` of cost (Smucker and Clarke, SIGIR 2012).
    TimeBiased {
        halflife: f64,
    },
    /// Weights decrease linearly to 0 at a cost of `length` (Sakai and Dou, SIGIR 2013).
    UMeasure {
        length: f64,
    },
    /// Information foraging (Azzopardi, Thomas and Craswell, SIGIR 2018).
    Foraging {
        goal: Option<Stopping>,
        rate: Option<Stopping>,
    },
}

/// A probability that decreases as a value approaches and passes a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stopping {
    pub target: f64,
    pub intercept: f64,
    pub steepness: f64,
}

impl Stopping {
    /// 1 + b · e^((target − value) · R).
    fn odds(&self, value: f64) -> f64 {
        1.0 + self.intercept * ((self.target - value) * self.steepness).exp()
    }
}

fn squared(value: f64) -> f64 {
    value * value
}

impl Model {
    pub(super) fn parse(values: &dyn Values) -> Result<Self> {
        let get = |key: &str| values.number(key);
        let stopping = |target, intercept, steepness| -> Result<Stopping> {
            Ok(Stopping { target: get(target)?, intercept: get(intercept)?, steepness: get(steepness)? })
        };
        Ok(match values.word("model")?.as_str() {
            "P" => Self::Precision,
            "RBP" => Self::RankBiased { p: get("p")? },
            "SDCG" => Self::Discounted,
            "RR" => Self::ReciprocalRank,
            "AP" => Self::AveragePrecision,
            "INSQ" => Self::Insq { target: get("T")? },
            "INST" => Self::Inst { target: get("T")? },
            "BPM" => Self::Bejeweled {
                target: get("T")?,
                by_gain: get("hb")?,
                by_cost: get("hc")?,
                median: get("gain_med")?,
            },
            "NERR8" => Self::NearlyErr8,
            "NERR9" => Self::NearlyErr9,
            "NERR10" => Self::NearlyErr10 { p: get("p")? },
            "NERR11" => Self::NearlyErr11 { target: get("T")? },
            "TBG" => Self::TimeBiased { halflife: get("halflife")? },
            "U" => Self::UMeasure { length: get("L")? },
            "IFT" => {
                let stops = values.word("stops")?;
                let goal = if stops == "rate" { None } else { Some(stopping("T", "b1", "R1")?) };
                let rate = if stops == "goal" { None } else { Some(stopping("A", "b2", "R2")?) };
                Self::Foraging { goal, rate }
            }
            other => return illegal("model", &Parameter::Word(other.to_owned())),
        })
    }

    pub(super) fn adapts(&self) -> bool {
        !matches!(
            self,
            Self::Precision
                | Self::RankBiased { .. }
                | Self::Discounted
                | Self::Insq { .. }
                | Self::TimeBiased { .. }
                | Self::UMeasure { .. }
        )
    }

    pub(super) fn walk(&self, gains: &[f64], cutoff: Option<usize>, depth: usize) -> Walk {
        let mut rest = Vec::new();
        if *self == Self::AveragePrecision {
            // rest[i]: the sum of gain / rank from the i-th rank on, summed from the end.
            rest = vec![0.0; gains.len() + 1];
            let mut sum = 0.0;
            for (index, gain) in gains.iter().enumerate().rev() {
                sum += gain / (index + 1) as f64;
                *rest.known_mut(index) = sum;
            }
        }
        let k = cutoff.unwrap_or(depth);
        let (target, patience) = match self {
            Self::Bejeweled { target, .. } => (*target, cutoff.map_or(f64::INFINITY, |k| k as f64)),
            _ => (f64::INFINITY, f64::INFINITY),
        };
        Walk { model: *self, depth, k, gained: 0.0, rest, target, patience }
    }
}

/// The state of a user at a rank.
pub(super) struct Walk {
    model: Model,
    depth: usize,
    k: usize,
    gained: f64,
    rest: Vec<f64>,
    /// For BPM: the gain and cost at which to stop, as adjusted by the documents so far.
    target: f64,
    patience: f64,
}

impl Walk {
    /// The probability to continue after the document at an index with this gain; called in rank order.
    pub(super) fn goes_on(&mut self, index: usize, gain: f64) -> f64 {
        let rank = (index + 1) as f64;
        self.gained += gain;
        let within = index + 1 < self.k;
        let last = index + 1 >= self.depth;
        match self.model {
            Model::Precision => f64::from(u8::from(within)),
            Model::RankBiased { p } => p,
            Model::Discounted if within => (rank + 1.0).log2() / (rank + 2.0).log2(),
            Model::ReciprocalRank => f64::from(u8::from(gain <= 0.0)),
            Model::AveragePrecision => {
                let from = self.rest.get(index).copied().unwrap_or(0.0);
                let after = self.rest.get(index + 1).copied().unwrap_or(0.0);
                if after > 0.0 { after / from } else { 0.0 }
            }
            Model::Insq { target } => lasting(rank, 2.0 * target),
            Model::Inst { target } => {
                let lacking = target - self.gained;
                squared((rank + target + lacking - 1.0) / (rank + target + lacking))
            }
            Model::Bejeweled { by_gain, by_cost, median, .. } => {
                let goes_on = self.gained < self.target && rank < self.patience;
                self.target += by_gain * (gain - median);
                self.patience += by_cost * (gain - median);
                f64::from(u8::from(goes_on))
            }
            Model::NearlyErr8 if within => 1.0 - gain,
            Model::NearlyErr9 if within => (rank / (rank + 1.0)) * (1.0 - gain),
            Model::NearlyErr10 { p } => p * (1.0 - gain),
            Model::NearlyErr11 { target } => lasting(rank, 2.0 * target) * (1.0 - gain),
            Model::TimeBiased { halflife } if !last => (-1.0 / halflife).exp2(),
            // cwl_eval gives the last rank no weight.
            Model::UMeasure { length } if index + 2 < self.depth => {
                let from = (1.0 - (rank - 1.0) / length).max(0.0);
                let after = (1.0 - rank / length).max(0.0);
                if from > 0.0 { after / from } else { 0.0 }
            }
            Model::Foraging { goal, rate } => {
                let goal = goal.map_or(1.0, |curve| 1.0 - 1.0 / curve.odds(self.gained));
                let rate = rate.map_or(1.0, |curve| 1.0 / curve.odds(self.gained / rank));
                goal * rate
            }
            Model::Discounted
            | Model::NearlyErr8
            | Model::NearlyErr9
            | Model::TimeBiased { .. }
            | Model::UMeasure { .. } => 0.0,
        }
    }
}

/// ((r + 2T − 1) / (r + 2T))².
fn lasting(rank: f64, twice: f64) -> f64 {
    squared((rank + twice - 1.0) / (rank + twice))
}
