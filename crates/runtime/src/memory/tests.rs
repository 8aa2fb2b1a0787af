//! The allocator is called by hand: the tests' own memory is the system's.

use super::*;

#[test]
fn allocator_counts_the_bytes_that_are_asked_for() {
    let layout = Layout::from_size_align(100, 8).expect("a layout");
    let live = || LIVE.load(Ordering::Relaxed);
    let before = live();
    // SAFETY: a layout of some size, and the memory is given back with the layout it has then.
    unsafe {
        let at = Counting.alloc_zeroed(layout);
        assert_eq!(live() - before, 100);
        at.write(7);
        let at = Counting.realloc(at, layout, 250);
        assert_eq!((live() - before, at.read()), (250, 7));
        let layout = Layout::from_size_align(250, 8).expect("a layout");
        Counting.dealloc(at, layout);
    }
    assert_eq!(live(), before);
}
