use super::*;

#[test]
fn storage_is_aligned_and_does_not_overlap() {
    let mut arena = Arena::new();
    let mut taken: Vec<(usize, usize)> = Vec::new();
    for (size, align) in [
        (1, 1),
        (24, 8),
        (3, 1),
        (64, 64),
        (0, 1),
        (16, 16),
        (200_000, 4),
    ] {
        for _ in 0..50 {
            let at = arena.allocate(size, align) as usize;
            assert_eq!(at % align, 0);
            let is_apart = |(other, n): &(usize, usize)| at + size <= *other || other + n <= at;
            assert!(taken.iter().all(is_apart));
            taken.push((at, size));
        }
    }
}

#[test]
fn storage_is_used_again_after_a_reset() {
    let mut arena = Arena::new();
    let mut run = || {
        arena.reset();
        [(8, 8), (CHUNK_BYTES, 8), (8, 8)].map(|(size, align)| arena.allocate(size, align))
    };
    assert_eq!(run(), run());
}

#[test]
fn value_larger_than_a_chunk_has_room() {
    let mut arena = Arena::new();
    let n = 3 * CHUNK_BYTES;
    let at = arena.allocate(n, 4096);
    // SAFETY: that much was asked for.
    unsafe { at.write_bytes(1, n) };
    assert_eq!(at as usize % 4096, 0);
}
