//! The measures: the share and the number of preferences that a ranking fulfills.

use super::{Count, PairCount, Pairs, TieOrder};
use crate::measures::formula::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefs {
    pub count: Count,
    pub pairs: Pairs,
    pub ties: TieOrder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumPrefs {
    pub of: PairCount,
    pub ties: TieOrder,
}

impl Formula for Prefs {
    fn parse(_: &str, values: &dyn Values, _: bool) -> Result<Self> {
        let counts = [
            ("simp", Count::Simple),
            ("pair", Count::Pair),
            ("avgjg", Count::Group),
            ("avgjg_Rnonrel", Count::GroupEven),
        ];
        let pairs = [("all", Pairs::All), ("ret", Pairs::Retrieved), ("imp", Pairs::Implied)];
        let (count, pairs) = (values.choice("count", &counts)?, values.choice("pairs", &pairs)?);
        Ok(Self { count, pairs, ties: TieOrder::parse(values)? })
    }

    fn needs(&self) -> Needs {
        needs(self.ties)
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let own = question.view.documents.preferences.of(self.ties);
        Ok(own.map_or((0.0, true), |own| own.share(self.count, self.pairs)).into())
    }
}

impl Formula for NumPrefs {
    fn parse(_: &str, values: &dyn Values, _: bool) -> Result<Self> {
        let numbers = [
            ("poss", PairCount::Possible),
            ("ful", PairCount::Fulfilled),
            ("ful_ret", PairCount::FulfilledRetrieved),
        ];
        Ok(Self { of: values.choice("of", &numbers)?, ties: TieOrder::parse(values)? })
    }

    fn needs(&self) -> Needs {
        needs(self.ties)
    }

    fn value(&self, question: &Question<'_>) -> Result<Raw> {
        let own = question.view.documents.preferences.of(self.ties);
        Ok(Raw::of(own.map_or(0.0, |own| own.number(self.of)), false))
    }
}

fn needs(ties: TieOrder) -> Needs {
    Needs {
        reads: Reads::Preferences(ties),
        relevant: Relevant::Unasked,
        // Between tied documents a preference is fulfilled in some orders only.
        ties: if ties == TieOrder::Convention { TieSupport::Settled } else { TieSupport::Any },
        cutoffs: Cutoffs::Any,
        range: Range::Finite,
        ranks: Ranks::Nothing,
        bounds: Extremes::Unknown,
    }
}
