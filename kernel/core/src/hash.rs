//! A hash for ids, most of which are short.

use std::hash::{BuildHasher, Hasher};

/// Seeded in every process, so that no file can be prepared whose ids collide.
#[derive(Debug, Clone)]
pub(crate) struct IdHasher {
    seeds: [u64; 2],
    long: foldhash::fast::RandomState,
}

impl Default for IdHasher {
    fn default() -> Self {
        let random = foldhash::quality::RandomState::default();
        Self {
            seeds: [random.hash_one(1u8), random.hash_one(2u8) | 1],
            long: foldhash::fast::RandomState::default(),
        }
    }
}

impl IdHasher {
    /// Up to 16 bytes are read as two words, which may overlap, and multiplied once; longer ids use foldhash.
    #[inline(always)]
    #[must_use]
    pub(crate) fn hash(&self, id: &[u8]) -> u64 {
        let length = id.len();
        if (4..=8).contains(&length)
            && let (Some(first), Some(last)) = (id.first_chunk(), id.last_chunk())
        {
            let both = u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last));
            return self.mix(both, length as u64);
        }
        if (9..=16).contains(&length)
            && let (Some(first), Some(last)) = (id.first_chunk(), id.last_chunk())
        {
            return self
                .mix(u64::from_le_bytes(*first), u64::from_le_bytes(*last).rotate_left(32) ^ length as u64);
        }
        let mut hasher = self.long.build_hasher();
        hasher.write(id);
        hasher.finish()
    }

    /// The hash of an integer, which differs from that of its text.
    #[inline(always)]
    #[must_use]
    pub(crate) fn hash_number(&self, bits: u64) -> u64 {
        self.mix(bits, 0)
    }

    #[inline(always)]
    fn mix(&self, a: u64, b: u64) -> u64 {
        let [first, second] = self.seeds;
        let wide = u128::from(a ^ first) * u128::from(b ^ second);
        (wide as u64) ^ (wide >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn spreads_similar_ids() {
        let hasher = IdHasher::default();
        for name in ["{}", "d{}", "doc-{}", "clueweb12-0000tw-00-{}", "LA{}-0000"] {
            let ids: Vec<String> =
                (0..20_000).map(|number| name.replace("{}", &number.to_string())).collect();
            // The table uses the lowest bits for the position and the upper half to compare ids.
            let upper: HashSet<u64> = ids.iter().map(|id| hasher.hash(id.as_bytes()) >> 32).collect();
            assert!(upper.len() > 19_950, "{name}: {}", upper.len());
            let mut load = vec![0u32; 4096];
            for id in &ids {
                load[hasher.hash(id.as_bytes()) as usize & 4095] += 1;
            }
            assert!(load.iter().max() < Some(&40), "{name}: {:?}", load.iter().max());
        }
    }
}
