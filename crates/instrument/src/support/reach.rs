// What a process has entered, if the environment asks for it.

// SAFETY: this is how the C library declares it.
unsafe extern "C" {
    fn _exit(code: i32) -> !;
}

/// Has the regions written at the end of the process, if the environment names a directory.
#[cold]
fn note_at_exit() {
    if self::std::env::var_os(REACH_VARIABLE).is_some() {
        // A process that is killed does not get here: what it entered is not known.
        // SAFETY: `write_reached` is an `extern "C" fn()` that lives as long as the code of the process,
        // and it touches nothing but statics.
        unsafe { atexit(write_reached) };
        note_returns();
    }
}

/// Writes down how often each region was entered, of those that were.
extern "C" fn write_reached() {
    write_numbers(&REGIONS, REACH_ENDING);
    write_returned();
}

/// Writes down the numbers that are not 0, each after its position.
fn write_numbers(numbers: &[AtomicU64], ending: &str) {
    let mut bytes = self::std::vec::Vec::new();
    bytes.extend_from_slice(&BEGINNING.to_le_bytes());
    bytes.extend_from_slice(&(COPY_VERSION as u64).to_le_bytes());
    for (position, n) in numbers.iter().enumerate() {
        let n = n.load(Ordering::Relaxed);
        if n > 0 {
            bytes.extend_from_slice(&(position as u32).to_le_bytes());
            bytes.extend_from_slice(&n.to_le_bytes());
        }
    }
    if let Some(dir) = self::std::env::var_os(REACH_VARIABLE) {
        let name = self::std::format!("{}.{ending}", self::std::process::id());
        let _ = self::std::fs::write(self::std::path::Path::new(&dir).join(name), bytes);
    }
}

/// Does a thread that has used up its fuel end the process? It must not unwind through code that
/// could not panic before, nor be taken for a panic that a test expects.
fn ends_at_once() -> bool {
    self::std::env::var_os(EXHAUSTED_VARIABLE).is_some()
}

