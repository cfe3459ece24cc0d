//! An allocator that counts, for tests that nothing is allocated. Included by `#[path]` in test programs of
//! several crates: each has an allocator of its own.

#![allow(unsafe_code, reason = "counting allocations takes a global allocator, an unsafe trait")]

use core::cell::Cell;
use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, counting what each thread asks of it.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // A thread that is ending has no counter any more.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call goes to the system's allocator unchanged; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        unsafe { System.dealloc(old, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often this thread allocates in `work`.
pub(crate) fn allocations<R>(work: impl FnOnce() -> R) -> usize {
    let before = COUNT.get();
    core::hint::black_box(work());
    COUNT.get() - before
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| 1 + 1), 0);
    assert_eq!(allocations(|| vec![1_u8; 100]), 1);
    assert_eq!(allocations(|| vec![0_u8; 100]), 1);
    let mut list = vec![1];
    list.shrink_to_fit();
    assert!(allocations(|| list.push(2)) >= 1);
    assert_eq!(allocations(|| Box::new(list.clone())), 2);
}
