//! Small allocations of an exhausted allocator take from its spare memory.

#![allow(clippy::unwrap_used, unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use gainful_core::memory::spare::{Spare, is_in_use};
use gainful_core::parallel::Progress;

/// The size of the spare block.
const BLOCK: usize = 4 << 20;

/// An allocator that has so many bytes left.
struct Few(AtomicUsize);

// SAFETY: all calls go to the allocator of the system, or fail.
unsafe impl GlobalAlloc for Few {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let taken = self.0.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(layout.size()));
        // SAFETY: the caller guarantees what the allocator of the system requires.
        if taken.is_ok() { unsafe { System.alloc(layout) } } else { null_mut() }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        self.0.fetch_add(layout.size(), SeqCst);
        // SAFETY: the caller guarantees what the allocator of the system requires.
        unsafe { System.dealloc(at, layout) }
    }
}

#[test]
fn small_allocations_take_from_the_spare_memory() {
    let spare = Spare::new(Few(AtomicUsize::new(BLOCK + 50)));
    let progress = Progress::default();
    assert!(spare.renew());
    let (small, large) = (Layout::array::<u8>(100).unwrap(), Layout::array::<u8>(2 << 20).unwrap());
    // SAFETY: sizes are not 0, and what is freed is from this allocator with this layout.
    unsafe {
        // The caller of a large allocation gets the error.
        assert!(spare.alloc(large).is_null());
        assert!(!is_in_use());
        let first = spare.alloc(small);
        assert!(!first.is_null());
        assert!(is_in_use());
        let error = progress.advance(0).unwrap_err();
        assert_eq!(error.found, "not enough memory for the data");
        assert!(progress.advance_stream(0).is_err());
        // There is no second block, but room in the first one.
        assert!(!spare.renew());
        let second = spare.alloc_zeroed(small);
        let moved = spare.realloc(second, small, 200);
        assert!(!moved.is_null());
        spare.dealloc(first, small);
        spare.dealloc(moved, Layout::array::<u8>(200).unwrap());
        assert!(spare.renew());
        assert!(!is_in_use());
        progress.advance(0).unwrap();
        // Returns the block.
        spare.dealloc(spare.alloc(small), small);
    }
    assert!(is_in_use());
}
