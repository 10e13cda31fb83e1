//! Places in slices that are right by construction.

use std::slice::SliceIndex;

/// Access to elements and parts of a slice whose place is right by construction.
///
/// `get` with a default would make a bug a plausible number. A wrong place panics here.
pub trait Known<T> {
    fn known<I: SliceIndex<[T]>>(&self, place: I) -> &I::Output;
    fn known_mut<I: SliceIndex<[T]>>(&mut self, place: I) -> &mut I::Output;
}

#[allow(clippy::indexing_slicing)]
impl<T> Known<T> for [T] {
    #[inline(always)]
    #[track_caller]
    fn known<I: SliceIndex<[T]>>(&self, place: I) -> &I::Output {
        &self[place]
    }

    #[inline(always)]
    #[track_caller]
    fn known_mut<I: SliceIndex<[T]>>(&mut self, place: I) -> &mut I::Output {
        &mut self[place]
    }
}

#[cfg(test)]
mod tests {
    use super::Known;

    #[test]
    fn a_known_place_is_returned() {
        let mut values = [1, 2, 3];
        *values.known_mut(1) += 5;
        assert_eq!((*values.known(1), values.known(1..)), (7, &[7, 3][..]));
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn a_wrong_range_panics() {
        [1, 2, 3].known(2..5);
    }
}
