use super::*;

fn bytes<const N: usize>(seed: u64) -> [u8; N] {
    let state = AtomicU64::new(start_of(seed));
    let mut buffer = [0; N];
    // SAFETY: the buffer is that long.
    unsafe { fill_from(&state, buffer.as_mut_ptr(), N) };
    buffer
}

#[test]
fn equal_seeds_give_equal_bytes_and_others_do_not() {
    assert_eq!(bytes::<16>(7), bytes::<16>(7));
    assert_ne!(bytes::<16>(7), bytes::<16>(8));
}

#[test]
fn buffer_is_filled_as_if_byte_by_byte() {
    let state = AtomicU64::new(start_of(7));
    let mut buffer = [0u8; 16];
    for at in &mut buffer {
        // SAFETY: it is one byte.
        unsafe { fill_from(&state, at, 1) };
    }
    assert_eq!(buffer, bytes::<16>(7));
}
