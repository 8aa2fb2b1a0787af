//! The guest's allocator: counts what a program has, and ends the process when it is too much.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::os::{Reason, die};

static LIVE: AtomicU64 = AtomicU64::new(0);
static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);

/// Allow this much more than is allocated now.
pub(crate) fn arm(heap_bytes: u64) {
    LIMIT.store(
        LIVE.load(Ordering::Relaxed).saturating_add(heap_bytes),
        Ordering::Relaxed,
    );
}

/// No limit: our own bookkeeping runs.
pub(crate) fn disarm() {
    LIMIT.store(u64::MAX, Ordering::Relaxed);
}

/// The system's allocator, counted. Limits that depend on bytes asked for, not on what the system
/// has left, end a program at the same step on every machine.
pub struct Counting;

impl Counting {
    fn grow(&self, bytes: usize) {
        let live = LIVE.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        if live > LIMIT.load(Ordering::Relaxed) {
            die(Reason::OutOfMemory);
        }
    }

    fn shrink(&self, bytes: usize) {
        LIVE.fetch_sub(bytes as u64, Ordering::Relaxed);
    }
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.grow(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        self.shrink(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.grow(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        self.grow(new_size);
        self.shrink(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}
