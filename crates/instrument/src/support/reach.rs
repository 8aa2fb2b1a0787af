// What a process has entered, for whoever asks.

unsafe extern "C" {
    fn _exit(code: i32) -> !;
}

/// Whoever wants to know names a directory.
#[cold]
fn note_at_exit() {
    if self::std::env::var_os("TESTSMITH_REACH").is_some() {
        // What a process that dies has entered is not known.
        unsafe { atexit(write_reached) };
    }
}

/// Writes down how often every region was entered that was.
extern "C" fn write_reached() {
    let mut reached = self::std::vec::Vec::new();
    for (region, n) in REGIONS.iter().enumerate() {
        let n = n.load(Ordering::Relaxed);
        if n > 0 {
            reached.extend_from_slice(&(region as u32).to_le_bytes());
            reached.extend_from_slice(&n.to_le_bytes());
        }
    }
    if let Some(dir) = self::std::env::var_os("TESTSMITH_REACH") {
        let name = self::std::format!("{}.reach", self::std::process::id());
        let _ = self::std::fs::write(self::std::path::Path::new(&dir).join(name), reached);
    }
}

/// Does a thread that has used up its fuel end the process? It must not unwind through code that
/// could not panic before, nor be taken for a panic that a test expects.
fn ends_at_once() -> bool {
    self::std::env::var_os("TESTSMITH_EXHAUSTED_ENDS").is_some()
}

/// How the process ends then.
const EXHAUSTED_CODE: i32 = 86;
