//! The lexer: finds where words start and end, 64 bytes at a time.
//!
//! A word is a run of bytes other than ASCII white space (space, tab, newline, vertical tab, form
//! feed, carriage return). No other byte separates: ids are any UTF-8 and may hold a no-break space.
#![allow(unsafe_code)]
#![allow(clippy::indexing_slicing)] // every index below is bounded by the loop that makes it

/// Bytes looked at in one step.
const STEP: usize = 64;

#[inline(always)]
#[must_use]
pub fn is_space(byte: u8) -> bool {
    byte == b' ' || byte.wrapping_sub(b'\t') < 5
}

/// One bit a byte, lowest first: set where the byte is white space. The second value tells whether
/// there is a NUL among the bytes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn space_mask(bytes: &[u8; STEP]) -> (u64, bool) {
    use std::arch::x86_64::{
        _mm_add_epi8, _mm_cmpeq_epi8, _mm_cmplt_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_or_si128,
        _mm_set1_epi8, _mm_setzero_si128,
    };
    // SAFETY: SSE2 is part of x86_64. `bytes` is a reference to 64 bytes and the four unaligned
    // loads read bytes 0..16, 16..32, 32..48 and 48..64 of it. All other intrinsics work on values.
    unsafe {
        let blank = _mm_set1_epi8(0x20);
        // '\t'..='\r' are 9..=13. Adding 119 (wrapping) sends them, as signed bytes, to
        // -128..=-124, below every other byte.
        let shift = _mm_set1_epi8(119);
        let limit = _mm_set1_epi8(-123);
        let mut nul = _mm_setzero_si128();
        let mut mask = 0u64;
        for quarter in 0..4 {
            let chunk = _mm_loadu_si128(bytes.as_ptr().add(quarter * 16).cast());
            let control = _mm_cmplt_epi8(_mm_add_epi8(chunk, shift), limit);
            let space = _mm_or_si128(_mm_cmpeq_epi8(chunk, blank), control);
            nul = _mm_or_si128(nul, _mm_cmpeq_epi8(chunk, _mm_setzero_si128()));
            let bits = _mm_movemask_epi8(space).cast_unsigned() & 0xffff;
            mask |= u64::from(bits) << (quarter * 16);
        }
        (mask, _mm_movemask_epi8(nul) != 0)
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn space_mask(bytes: &[u8; STEP]) -> (u64, bool) {
    let mut mask = 0u64;
    let mut nul = false;
    for (bit, &byte) in bytes.iter().enumerate() {
        mask |= u64::from(is_space(byte)) << bit;
        nul |= byte == 0;
    }
    (mask, nul)
}

/// Walks over the words of a buffer of whole lines.
pub struct Words<'a> {
    bytes: &'a [u8],
    /// Offset of the next 64 bytes to look at.
    next: usize,
    /// Offset to which bit 0 of `edges` belongs.
    base: usize,
    /// Bits where a word begins or ends, not yet handed out.
    edges: u64,
    /// 1 if the last byte looked at was white space.
    after_space: u64,
    /// Offset of the first 64 bytes in which a NUL was seen.
    pub nul_near: Option<usize>,
}

impl<'a> Words<'a> {
    /// Starts at `from`, which must be the start of a line.
    #[must_use]
    pub fn new(bytes: &'a [u8], from: usize) -> Self {
        Self { bytes, next: from, base: from, edges: 0, after_space: 1, nul_near: None }
    }

    /// The offset of the next edge: alternately where a word starts and where it ends. The end of
    /// the buffer ends a word; after that there are no more edges.
    #[inline(always)]
    pub fn edge(&mut self) -> Option<usize> {
        while self.edges == 0 {
            if !self.load() {
                return None;
            }
        }
        let offset = self.base + self.edges.trailing_zeros() as usize;
        self.edges &= self.edges - 1;
        Some(offset)
    }

    #[inline(always)]
    fn load(&mut self) -> bool {
        let rest = &self.bytes[self.next.min(self.bytes.len())..];
        let (mask, nul) = if let Some(chunk) = rest.first_chunk::<STEP>() {
            space_mask(chunk)
        } else {
            if self.next > self.bytes.len() || (rest.is_empty() && self.after_space == 1) {
                return false;
            }
            // The last bytes, padded with blanks; the padding also ends the last word.
            let mut padded = [b' '; STEP];
            padded[..rest.len()].copy_from_slice(rest);
            space_mask(&padded)
        };
        if nul && self.nul_near.is_none() {
            self.nul_near = Some(self.next);
        }
        self.base = self.next;
        self.next += STEP;
        self.edges = mask ^ (mask << 1 | self.after_space);
        self.after_space = mask >> 63;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &[u8]) -> Vec<&[u8]> {
        let mut found = Vec::new();
        let mut walk = Words::new(text, 0);
        while let Some(start) = walk.edge() {
            let end = walk.edge().unwrap_or(usize::MAX);
            found.push(&text[start..end]);
        }
        found
    }

    #[test]
    fn agrees_with_splitting_byte_by_byte() {
        // Every length around the step, every white-space byte, words across the step.
        let alphabet = [b'a', b' ', 0xc2, 0xa0, b'\t', b'\n', 11, 12, b'\r', b'z', 8, 14, 0x1f, 0x85];
        let mut state = 1u32;
        for length in 0..300 {
            let text: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    alphabet[(state >> 16) as usize % alphabet.len()]
                })
                .collect();
            let expected: Vec<&[u8]> =
                text.split(|&byte| is_space(byte)).filter(|word| !word.is_empty()).collect();
            assert_eq!(words(&text), expected, "{text:?}");
        }
    }

    #[test]
    fn tells_of_nul() {
        let mut text = vec![b'a'; 200];
        text[130] = 0;
        let mut walk = Words::new(&text, 0);
        while walk.edge().is_some() {}
        assert_eq!(walk.nul_near, Some(128));
    }
}
