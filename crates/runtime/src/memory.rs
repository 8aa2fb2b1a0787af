//! The guest's allocator: counts what a program has, and ends the process when it is too much.
//!
//! What the zygote allocates for itself (messages, answers) comes from a region of its own that is
//! emptied after every batch. So the heap that a child inherits is the same for every batch in
//! every guest, and with it the addresses that programs see.
//!
//! **The same heap for every child.** Some values show their address. The zygote keeps its own data
//! in a region that is emptied after each batch, randomisation of addresses is off, so addresses
//! repeat; but they are shifted by the seed, `Debug` text with an address in it is not what a value
//! is known by (its `Hash` is), and test binaries are checked with randomisation on.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::os::{self, Reason, die};

static LIVE: AtomicU64 = AtomicU64::new(0);
/// What programs asked for up to now, in the unit of fuel.
static ASKED: AtomicU64 = AtomicU64::new(0);
static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);

/// Limits the heap to this many bytes more than are allocated now.
pub(crate) fn arm(heap_bytes: u64) {
    LIMIT.store(
        LIVE.load(Ordering::Relaxed).saturating_add(heap_bytes),
        Ordering::Relaxed,
    );
}

/// What allocating has cost up to now, in the unit of fuel. Code of dependencies has no fuel; where it
/// takes long, as sums of large numbers do, it most often allocates.
pub(crate) fn asked() -> u64 {
    ASKED.load(Ordering::Relaxed)
}

/// What an allocation costs, in the unit of fuel, beside its size.
const ASKING: u64 = 16;
/// So many bytes cost as much as a turn of a loop.
const BYTES_PER_TURN: u64 = 16;

/// Lifts the limit while the guest's own bookkeeping runs.
pub(crate) fn disarm() {
    LIMIT.store(u64::MAX, Ordering::Relaxed);
}

/// The size of the zygote's own region. It is only address space until it is used.
const REGION_BYTES: usize = 1 << 30;
/// Beyond this size, memory that a large batch has used is given back.
const KEEP_BYTES: usize = 16 << 20;

static IS_ZYGOTE: AtomicBool = AtomicBool::new(false);
static REGION: AtomicUsize = AtomicUsize::new(0);
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Lets this process allocate in its own region from here on, as the zygote does.
pub(crate) fn become_zygote() {
    if let Some(at) = os::reserve(REGION_BYTES) {
        REGION.store(at, Ordering::Relaxed);
        NEXT.store(at, Ordering::Relaxed);
        IS_ZYGOTE.store(true, Ordering::Relaxed);
    }
}

/// From here on this process is a child. The heap begins a little elsewhere for another seed, so
/// that what depends on addresses shows.
pub(crate) fn become_child(seed: u64) {
    IS_ZYGOTE.store(false, Ordering::Relaxed);
    let shift = (seed % 61) as usize * 64 + 64;
    if let Ok(layout) = Layout::from_size_align(shift, 16) {
        // SAFETY: a layout of some size; the memory is never used nor freed.
        unsafe { System.alloc(layout) };
    }
}

/// How far the region is filled.
pub(crate) fn mark() -> usize {
    NEXT.load(Ordering::Relaxed)
}

/// Empties the region down to a mark.
///
/// # Safety
/// Nothing that was allocated since is used any more.
pub(crate) unsafe fn release(mark: usize) {
    let used = NEXT.swap(mark, Ordering::Relaxed) - mark;
    if used > KEEP_BYTES {
        os::give_back(mark, used);
    }
}

fn is_in_region(pointer: *mut u8) -> bool {
    let first = REGION.load(Ordering::Relaxed);
    (pointer as usize).wrapping_sub(first) < REGION_BYTES && first != 0
}

/// Allocates in the zygote's region; null if it is full.
fn bump(layout: Layout) -> *mut u8 {
    let at = NEXT
        .load(Ordering::Relaxed)
        .next_multiple_of(layout.align());
    let end = at + layout.size();
    if end > REGION.load(Ordering::Relaxed) + REGION_BYTES {
        return std::ptr::null_mut();
    }
    NEXT.store(end, Ordering::Relaxed);
    at as *mut u8
}

/// The system's allocator, counted. Limits that depend on bytes asked for, not on what the system
/// has left, end a program at the same step on every machine.
pub struct Counting;

impl Counting {
    fn grow(&self, bytes: usize) {
        let live = LIVE.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        let cost = ASKING + bytes as u64 / BYTES_PER_TURN;
        ASKED.fetch_add(cost, Ordering::Relaxed);
        if live > LIMIT.load(Ordering::Relaxed) {
            die(Reason::OutOfMemory);
        }
    }

    fn shrink(&self, bytes: usize) {
        LIVE.fetch_sub(bytes as u64, Ordering::Relaxed);
    }
}

// SAFETY: every call is passed on to the system's allocator unchanged, or, while this process is the
// zygote, served from a region that is ours alone. The zygote has one thread, so that `bump` hands out
// every byte once between releases. A pointer says by its address which of the two it came from.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if IS_ZYGOTE.load(Ordering::Relaxed) {
            return bump(layout);
        }
        self.grow(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if is_in_region(pointer) {
            return;
        }
        self.shrink(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if IS_ZYGOTE.load(Ordering::Relaxed) {
            let at = bump(layout);
            if !at.is_null() {
                // SAFETY: fresh room of this size.
                unsafe { at.write_bytes(0, layout.size()) };
            }
            return at;
        }
        self.grow(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if is_in_region(pointer) || IS_ZYGOTE.load(Ordering::Relaxed) {
            // SAFETY: as the caller promises.
            return unsafe { self.move_to_new(pointer, layout, new_size) };
        }
        self.grow(new_size);
        self.shrink(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

impl Counting {
    /// # Safety
    /// As for `realloc`.
    unsafe fn move_to_new(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let is_last = NEXT.load(Ordering::Relaxed) == pointer as usize + layout.size();
        let in_place = is_in_region(pointer) && is_last && IS_ZYGOTE.load(Ordering::Relaxed);
        let Ok(new_layout) = Layout::from_size_align(new_size, layout.align()) else {
            return std::ptr::null_mut();
        };
        if in_place && pointer as usize + new_size <= REGION.load(Ordering::Relaxed) + REGION_BYTES
        {
            NEXT.store(pointer as usize + new_size, Ordering::Relaxed);
            return pointer;
        }
        // SAFETY: as the caller promises; both hold the bytes that are copied.
        unsafe {
            let at = self.alloc(new_layout);
            if !at.is_null() {
                at.copy_from_nonoverlapping(pointer, layout.size().min(new_size));
                self.dealloc(pointer, layout);
            }
            at
        }
    }
}

#[cfg(test)]
mod tests;
