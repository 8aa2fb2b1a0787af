// Calls from outside the crate, written down with the state of their arguments.

/// Not known yet, no, or yes.
static RECORDING: AtomicU32 = AtomicU32::new(0);
const OFF: u32 = 1;
const ON: u32 = 2;
/// Where calls are written to.
static RECORDER: self::std::sync::Mutex<Option<self::std::fs::File>> =
    self::std::sync::Mutex::new(None);

impl Call {
    /// Is it a call from outside the crate, and is it to be written down?
    #[inline(always)]
    pub fn is_recorded(&self) -> bool {
        self.caller == 0 && RECORDING.load(Ordering::Relaxed) != OFF && is_recording()
    }
}

#[cold]
fn is_recording() -> bool {
    if RECORDING.load(Ordering::Relaxed) == 0 {
        let file = self::std::env::var_os("TESTSMITH_RECORD").and_then(|dir| {
            let name = self::std::format!("{}.calls", self::std::process::id());
            let mut options = self::std::fs::OpenOptions::new();
            let path = self::std::path::Path::new(&dir).join(name);
            options.append(true).create(true).open(path).ok()
        });
        let state = if file.is_some() { ON } else { OFF };
        if let Ok(mut recorder) = RECORDER.lock() {
            *recorder = file;
        }
        RECORDING.store(state, Ordering::Relaxed);
    }
    RECORDING.load(Ordering::Relaxed) == ON
}

/// Writes down a call: its length, the region of the function, a number for the thread, and its
/// arguments as one graph.
#[cold]
#[inline(never)]
pub fn record(region: u32, write: impl FnOnce(&mut Out)) {
    use self::std::hash::{Hash, Hasher};
    use self::std::io::Write;
    let mut out = Out::new(self::std::vec![0]);
    if out.begin(0, "call") {
        write(&mut out);
        out.end();
    }
    out.bytes[0] = out.flags;
    let mut thread = self::std::collections::hash_map::DefaultHasher::new();
    self::std::thread::current().id().hash(&mut thread);
    let mut line = self::std::vec::Vec::with_capacity(out.bytes.len() + 16);
    line.extend_from_slice(&(out.bytes.len() as u32).to_le_bytes());
    line.extend_from_slice(&region.to_le_bytes());
    line.extend_from_slice(&thread.finish().to_le_bytes());
    line.extend_from_slice(&out.bytes);
    if let Ok(mut recorder) = RECORDER.lock() {
        if let Some(file) = &mut *recorder {
            // A call that cannot be written is missing in the record, and changes nothing else.
            let _ = file.write_all(&line);
        }
    }
}
