//! Spare memory for small allocations, whose callers expect that they succeed.
//!
//! Rust ends the process when a vector that only grows by a few items, or the text of an error, gets no memory.
//! [`Spare`] keeps a block that nobody uses. When an allocation fails, it returns the block to the system and
//! tries again. From then on [`is_in_use`] is true, and running work ends with an error, see
//! [`Progress::advance`](crate::parallel::Progress::advance).

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// The size of the block: more than the threads of a call allocate until they check for the end of the work.
const BLOCK: Layout = match Layout::from_size_align(4 << 20, 16) {
    Ok(layout) => layout,
    Err(_) => Layout::new::<u128>(),
};

/// Larger allocations follow from the size of data. They are reserved with functions that return an error.
const SMALL: usize = 1 << 20;

static IN_USE: AtomicBool = AtomicBool::new(false);

/// Whether an allocation had to take from the spare memory, since it was last renewed.
#[must_use]
pub fn is_in_use() -> bool {
    IN_USE.load(Ordering::Relaxed)
}

/// An allocator with spare memory.
#[derive(Debug)]
pub struct Spare<A> {
    inner: A,
    block: AtomicPtr<u8>,
}

impl<A: GlobalAlloc> Spare<A> {
    #[must_use]
    pub const fn new(inner: A) -> Self {
        Self { inner, block: AtomicPtr::new(null_mut()) }
    }

    /// Takes a block from the system unless there is one. Returns whether there is one now.
    pub fn renew(&self) -> bool {
        if self.block.load(Ordering::Acquire).is_null() {
            // SAFETY: the size of the layout is not 0.
            let block = unsafe { self.inner.alloc(BLOCK) };
            if block.is_null() {
                return false;
            }
            let placed = self.block.compare_exchange(null_mut(), block, Ordering::AcqRel, Ordering::Acquire);
            if placed.is_err() {
                // Another thread was faster.
                // SAFETY: the block is from this allocator with this layout, and nobody else has it.
                unsafe { self.inner.dealloc(block, BLOCK) };
            }
        }
        IN_USE.store(false, Ordering::Relaxed);
        true
    }

    /// Returns the block to the system. Returns whether it is worthwhile to try an allocation again.
    #[cold]
    fn make_room(&self) -> bool {
        let block = self.block.swap(null_mut(), Ordering::AcqRel);
        if block.is_null() {
            // Another thread has just returned it.
            return is_in_use();
        }
        IN_USE.store(true, Ordering::Relaxed);
        // SAFETY: the block is from this allocator with this layout, and the swap gave it to this thread alone.
        unsafe { self.inner.dealloc(block, BLOCK) };
        true
    }

    /// The result of an allocation of a size, which is tried again if there is room then.
    fn or_again(&self, at: *mut u8, size: usize, again: impl FnOnce() -> *mut u8) -> *mut u8 {
        if at.is_null() && size <= SMALL && self.make_room() { again() } else { at }
    }
}

// SAFETY: all calls go to the allocator inside. A failed call has no effect, so it can be repeated.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Spare<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees what the allocator inside requires.
        let call = || unsafe { self.inner.alloc(layout) };
        self.or_again(call(), layout.size(), call)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees what the allocator inside requires.
        let call = || unsafe { self.inner.alloc_zeroed(layout) };
        self.or_again(call(), layout.size(), call)
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller guarantees what the allocator inside requires.
        unsafe { self.inner.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller guarantees what the allocator inside requires; a failed call leaves the block.
        let call = || unsafe { self.inner.realloc(at, layout, size) };
        self.or_again(call(), size, call)
    }
}
