//! The lexer: finds the words of a line.
//!
//! A word is a run of bytes other than ASCII white space (space, tab, newline, vertical tab, form feed,
//! carriage return). No other byte separates words: ids are any UTF-8 and may contain a no-break space.
//!
//! Nearly every line is short and has single spaces between its words. Such a line is split at once: one bit
//! per byte marks white space, and the edges of the words are computed from the bits, without branches that
//! depend on their lengths. Other lines are split byte by byte.
#![allow(unsafe_code)]

use std::ops::Range;

/// A word: its start and end in the buffered bytes.
pub type Word = Range<usize>;

#[inline(always)]
#[must_use]
pub fn is_space(byte: u8) -> bool {
    byte == b' ' || byte.wrapping_sub(b'\t') < 5
}

/// Whether two words are the same; for the short ones that ids are, faster than a call. Two loads of
/// a fixed size overlap where the length is no power of two.
#[inline(always)]
#[must_use]
pub fn same(a: &[u8], b: &[u8]) -> bool {
    fn ends<const N: usize>(text: &[u8]) -> Option<(&[u8; N], &[u8; N])> {
        Some((text.first_chunk()?, text.last_chunk()?))
    }
    let length = a.len();
    if length != b.len() {
        return false;
    }
    match length {
        4..=8 => ends::<4>(a) == ends::<4>(b),
        9..=16 => ends::<8>(a) == ends::<8>(b),
        _ => a == b,
    }
}

/// The number of bytes per mask.
const STEP: usize = 64;

/// One bit per byte, lowest first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Masks {
    space: u64,
    newline: u64,
    nul: bool,
}

/// Computes masks for a kind of processor.
pub(super) trait Machine: Copy {
    fn masks(self, bytes: &[u8; STEP]) -> Masks;
}

/// Any processor.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[derive(Debug, Clone, Copy)]
pub(super) struct Portable;

#[cfg(any(test, not(target_arch = "x86_64")))]
impl Machine for Portable {
    #[inline(always)]
    fn masks(self, bytes: &[u8; STEP]) -> Masks {
        let mut masks = Masks { space: 0, newline: 0, nul: false };
        for (bit, &byte) in bytes.iter().enumerate() {
            masks.space |= u64::from(is_space(byte)) << bit;
            masks.newline |= u64::from(byte == b'\n') << bit;
            masks.nul |= byte == 0;
        }
        masks
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Sse2};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Machine, Masks, STEP};

    // '\t'..='\r' are 9..=13. Adding 119 (wrapping) sends them, as signed bytes, to -128..=-124,
    // below every other byte.
    const SHIFT: i8 = 119;
    const LIMIT: i8 = -123;

    /// Every x86-64 processor.
    #[derive(Debug, Clone, Copy)]
    pub(in crate::read) struct Sse2;

    impl Machine for Sse2 {
        #[inline(always)]
        fn masks(self, bytes: &[u8; STEP]) -> Masks {
            let (mut space, mut newline) = (0, 0);
            // SAFETY: SSE2 is part of x86-64. `bytes` is a reference to 64 bytes, and the four
            // unaligned loads read bytes 0..16, 16..32, 32..48 and 48..64 of it. All other
            // intrinsics work on values.
            unsafe {
                let mut nul = _mm_setzero_si128();
                for quarter in 0..4 {
                    let chunk = _mm_loadu_si128(bytes.as_ptr().add(quarter * 16).cast());
                    let moved = _mm_add_epi8(chunk, _mm_set1_epi8(SHIFT));
                    let control = _mm_cmplt_epi8(moved, _mm_set1_epi8(LIMIT));
                    let blank = _mm_or_si128(_mm_cmpeq_epi8(chunk, _mm_set1_epi8(0x20)), control);
                    let line_feed = _mm_cmpeq_epi8(chunk, _mm_set1_epi8(0x0a));
                    nul = _mm_or_si128(nul, _mm_cmpeq_epi8(chunk, _mm_setzero_si128()));
                    let bits = |mask| u64::from(_mm_movemask_epi8(mask).cast_unsigned() & 0xffff);
                    space |= bits(blank) << (quarter * 16);
                    newline |= bits(line_feed) << (quarter * 16);
                }
                Masks { space, newline, nul: _mm_movemask_epi8(nul) != 0 }
            }
        }
    }

    /// Proof that the processor has AVX2, BMI1 and BMI2.
    #[derive(Debug, Clone, Copy)]
    pub(in crate::read) struct Avx2(());

    impl Avx2 {
        pub(in crate::read) fn detect() -> Option<Self> {
            let detected = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2");
            detected.then_some(Self(()))
        }
    }

    impl Machine for Avx2 {
        #[inline(always)]
        fn masks(self, bytes: &[u8; STEP]) -> Masks {
            // SAFETY: only `detect` makes a value of this type, on a processor with AVX2. `bytes` is a
            // reference to 64 bytes, and the two unaligned loads read bytes 0..32 and 32..64 of it. All
            // other intrinsics work on values.
            unsafe {
                let low = _mm256_loadu_si256(bytes.as_ptr().cast());
                let high = _mm256_loadu_si256(bytes.as_ptr().add(32).cast());
                let bits = |mask| u64::from(_mm256_movemask_epi8(mask).cast_unsigned());
                let both = |low, high| bits(low) | bits(high) << 32;
                let blank = |chunk| {
                    let moved = _mm256_add_epi8(chunk, _mm256_set1_epi8(SHIFT));
                    let control = _mm256_cmpgt_epi8(_mm256_set1_epi8(LIMIT), moved);
                    _mm256_or_si256(_mm256_cmpeq_epi8(chunk, _mm256_set1_epi8(0x20)), control)
                };
                let line_feed = |chunk| _mm256_cmpeq_epi8(chunk, _mm256_set1_epi8(0x0a));
                let smallest = _mm256_min_epu8(low, high);
                let nul = _mm256_cmpeq_epi8(smallest, _mm256_setzero_si256());
                Masks {
                    space: both(blank(low), blank(high)),
                    newline: both(line_feed(low), line_feed(high)),
                    nul: bits(nul) != 0,
                }
            }
        }
    }
}

/// The words of the line that starts at `at`, and where the next line starts, if the line has exactly
/// `N` words with one white-space byte between them, none before the first, and ends within 128 bytes
/// in a newline (after a carriage return, if any) right after the last.
#[inline(always)]
#[must_use]
pub(super) fn regular_line<const N: usize, M: Machine>(
    machine: M,
    bytes: &[u8],
    at: usize,
) -> Option<([Word; N], usize)> {
    let rest = bytes.get(at..)?;
    let low = machine.masks(rest.first_chunk()?);
    if low.newline != 0 && !low.nul {
        return words(rest, at, low.space, low.newline);
    }
    long_line(machine, rest, at, low)
}

#[inline(always)]
fn long_line<const N: usize, M: Machine>(
    machine: M,
    rest: &[u8],
    at: usize,
    low: Masks,
) -> Option<([Word; N], usize)> {
    let high = machine.masks(rest.get(STEP..)?.first_chunk()?);
    let newline = u128::from(high.newline) << 64 | u128::from(low.newline);
    if newline == 0 || low.nul || high.nul {
        return None;
    }
    words(rest, at, u128::from(high.space) << 64 | u128::from(low.space), newline)
}

/// A set of bits, one per byte.
trait LineBits: Copy {
    /// The lowest one; the number of bits when there is none.
    fn first(self) -> usize;
    fn without_first(self) -> Self;
    /// Whether two neighbours are set below the lowest bit of `end`, or the lowest bit of all is.
    fn has_neighbours_before(self, end: Self) -> bool;
}

macro_rules! bits {
    ($($integer:ty),*) => {$(
        impl LineBits for $integer {
            #[inline(always)]
            fn first(self) -> usize {
                self.trailing_zeros() as usize
            }
            #[inline(always)]
            fn without_first(self) -> Self {
                self & self.wrapping_sub(1)
            }
            #[inline(always)]
            fn has_neighbours_before(self, end: Self) -> bool {
                let below = end.wrapping_sub(1) & !end;
                self & (self << 1 | 1) & below != 0
            }
        }
    )*};
}
bits!(u64, u128);

/// Words between single spaces: the first starts at 0, each of the others after a space, the last ends
/// where the line does.
#[inline(always)]
fn words<const N: usize, B: LineBits>(
    rest: &[u8],
    at: usize,
    space: B,
    newline: B,
) -> Option<([Word; N], usize)> {
    if space.has_neighbours_before(newline) {
        return None;
    }
    let mut spaces = space;
    let (mut start, mut end, mut last) = (0, 0, 0);
    let found = std::array::from_fn(|_| {
        last = start;
        end = spaces.first();
        spaces = spaces.without_first();
        let word = at + start..at + end;
        start = end + 1;
        word
    });
    let newline = newline.first();
    if last == end || end != newline && !(end + 1 == newline && rest.get(end) == Some(&b'\r')) {
        return None;
    }
    Some((found, at + newline + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of `regular_line`, computed byte by byte.
    fn plainly(text: &[u8]) -> Option<(Vec<Vec<u8>>, usize)> {
        let newline = text.iter().position(|&byte| byte == b'\n')?;
        let line = &text[..newline];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let words: Vec<Vec<u8>> = line.split(|&byte| is_space(byte)).map(<[u8]>::to_vec).collect();
        let regular = words.len() == 3 && words.iter().all(|word| !word.is_empty());
        (regular && !text.contains(&0)).then_some((words, newline + 1))
    }

    #[cfg(target_arch = "x86_64")]
    fn avx2(machine: Avx2, text: &[u8]) -> Option<([Word; 3], usize)> {
        #[target_feature(enable = "avx2")]
        fn compiled_for_it(machine: Avx2, text: &[u8]) -> Option<([Word; 3], usize)> {
            regular_line(machine, text, 0)
        }
        // SAFETY: the value proves that the processor has AVX2.
        unsafe { compiled_for_it(machine, text) }
    }

    #[test]
    fn agrees_with_splitting_byte_by_byte() {
        let alphabet = [b'a', b' ', 0xc2, 0xa0, b'\t', b'z', b'z', b'z', b'z', 8, 14, 0x1f, 0x85, b'\r', 11];
        let mut state = 1u32;
        let mut regular = 0;
        // Miri takes a thousand times longer.
        let (lines, least) = if cfg!(miri) { (300, 10) } else { (200_000, 1000) };
        for _ in 0..lines {
            let mut random = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 16) as usize
            };
            let length = random() % 20;
            let long = random() % 9 == 0;
            let mut text: Vec<u8> = (0..length).map(|_| alphabet[random() % alphabet.len()]).collect();
            if long {
                text.splice(length / 2..length / 2, vec![b'y'; random() % 120]);
            }
            text.extend_from_slice(b"\n");
            let expected = plainly(&text);
            text.resize(text.len() + 200, b'q');
            let owned = |found: Option<([Word; 3], usize)>| {
                found.map(|(words, next)| {
                    (words.iter().map(|word| text[word.clone()].to_vec()).collect::<Vec<_>>(), next)
                })
            };
            let found = owned(regular_line(Portable, &text, 0));
            #[cfg(target_arch = "x86_64")]
            {
                assert_eq!(owned(regular_line(Sse2, &text, 0)), found, "{text:?}");
                if let Some(machine) = Avx2::detect() {
                    assert_eq!(owned(avx2(machine, &text)), found, "{text:?}");
                }
            }
            // Lines of more than 128 bytes are not regular.
            if expected.as_ref().is_none_or(|(_, next)| *next <= 128) {
                assert_eq!(found, expected, "{text:?}");
            }
            regular += usize::from(found.is_some());
        }
        assert!(regular > least);
    }

    #[test]
    fn compares_words() {
        let text = b"abcdefghijklmnopqrstuvwxyz";
        for length in 0..20 {
            for other in 0..20 {
                assert_eq!(same(&text[..length], &text[..other]), length == other);
            }
            let mut changed = text[..length].to_vec();
            for at in 0..length {
                changed[at] ^= 1;
                assert!(!same(&text[..length], &changed));
                changed[at] ^= 1;
            }
        }
    }
}
