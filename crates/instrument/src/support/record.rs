// Calls from outside the crate, written down with the state of their arguments.

/// Are calls recorded? 0 until that is known, then [`OFF`] or [`ON`].
static RECORDING: AtomicU32 = AtomicU32::new(0);
const OFF: u32 = 1;
const ON: u32 = 2;
/// Where calls are written to.
static RECORDER: self::std::sync::Mutex<Option<Recorder>> = self::std::sync::Mutex::new(None);

impl Call {
    /// Is it a call from outside the crate, and is it to be written down?
    #[inline(always)]
    pub fn is_recorded(&self) -> bool {
        self.caller == 0 && RECORDING.load(Ordering::Relaxed) != OFF && is_recording()
    }
}

/// Writes a call down if it comes from outside the crate: no function of the crate is running.
fn record_outside<W: FnOnce(&mut Out)>(region: u32, write: W) {
    if RECORDING.load(Ordering::Relaxed) == OFF || !is_recording() {
        return;
    }
    if running() == 0 {
        // Functions that are called to write the arguments are not called from outside.
        set_running(region + 1);
        record(region, write);
        set_running(0);
    }
}

#[cold]
fn is_recording() -> bool {
    if RECORDING.load(Ordering::Relaxed) == 0 {
        let file = self::std::env::var_os(RECORD_VARIABLE).and_then(|dir| {
            let name = self::std::format!("{}.calls", self::std::process::id());
            let mut options = self::std::fs::OpenOptions::new();
            let path = self::std::path::Path::new(&dir).join(name);
            options.append(true).create(true).open(path).ok()
        });
        let state = if file.is_some() { ON } else { OFF };
        if file.is_some() {
            // A process that is killed does not get here: what it entered is not known.
            // SAFETY: `write_entered` is an `extern "C" fn()` that lives as long as the code of the
            // process, and it touches nothing but statics.
            unsafe { atexit(write_entered) };
        }
        if let Ok(mut recorder) = RECORDER.lock() {
            *recorder = file.map(|file| Recorder {
                file,
                known: self::std::collections::HashSet::new(),
                threads: self::std::collections::HashSet::new(),
                once: self::std::env::var_os(RECORD_ONCE_VARIABLE)
                    .map(|_| self::std::collections::HashSet::new()),
                n_bytes: 0,
            });
            if let Some(recorder) = &mut *recorder {
                recorder.put(BEGINNING, 0, 0, COPY_VERSION as u64, &[]);
            }
        }
        RECORDING.store(state, Ordering::Relaxed);
    }
    RECORDING.load(Ordering::Relaxed) == ON
}

// SAFETY: this is how the C library declares it; a registered function is called without arguments.
unsafe extern "C" {
    fn atexit(then: extern "C" fn()) -> i32;
}

/// Writes down all regions that were entered.
extern "C" fn write_entered() {
    let mut entered = Vec::new();
    for (region, n) in REGIONS.iter().enumerate() {
        if n.load(Ordering::Relaxed) > 0 {
            entered.extend_from_slice(&(region as u32).to_le_bytes());
        }
    }
    if let Ok(mut recorder) = RECORDER.lock() {
        if let Some(recorder) = &mut *recorder {
            recorder.put(ENTERED, 0, 0, 0, &entered);
        }
    }
}

/// Writes down a call: the region of the function, a number for the thread, flags, a digest of its
/// arguments as one graph and of the types it is called at, and how many bytes of the graph follow:
/// none if they were written before, or are too many. A region of ones says that there was no more
/// room; the one before it, that what follows is the thread's name; the one before that, that what
/// follows are the regions that were entered, at the end of the process.
#[cold]
#[inline(never)]
pub fn record<W: FnOnce(&mut Out)>(region: u32, write: W) {
    use self::std::hash::{Hash, Hasher};
    let mut out = Out::new(self::std::vec![0]);
    if out.begin(0, "call") {
        write(&mut out);
        out.end();
    }
    out.bytes[0] = out.flags;
    let current = self::std::thread::current();
    let mut thread = self::std::collections::hash_map::DefaultHasher::new();
    current.id().hash(&mut thread);
    let thread = thread.finish();
    let mut state = self::std::collections::hash_map::DefaultHasher::new();
    // The closure's name has the types that its function is called at.
    (region, self::std::any::type_name::<W>(), &out.bytes).hash(&mut state);
    if let Ok(mut recorder) = RECORDER.lock() {
        if let Some(recorder) = &mut *recorder {
            if recorder.threads.insert(thread) {
                let name = current.name().unwrap_or_default().as_bytes();
                recorder.put(NAME, thread, 0, 0, name);
            }
            recorder.write(region, thread, state.finish(), &out.bytes);
        }
    }
}

/// A formatter, or a type of the crate that has the same name. What a formatter writes to cannot be
/// looked into, so only its options are written.
pub struct Formatted<'f, F: ?Sized>(pub &'f F);

impl Formatted<'_, self::std::fmt::Formatter<'_>> {
    pub fn write_options(&self, out: &mut Out) {
        let f = self.0;
        let align = match f.align() {
            None => 0,
            Some(self::std::fmt::Alignment::Left) => 1,
            Some(self::std::fmt::Alignment::Right) => 2,
            Some(self::std::fmt::Alignment::Center) => 3,
        };
        let flags = (f.sign_plus(), f.sign_minus(), f.alternate(), f.sign_aware_zero_pad());
        let options = (f.fill(), align, f.width(), f.precision(), flags);
        out.name("formatter");
        out.text(self::std::format!("{:?}", options).as_bytes());
    }
}

/// Writes any other type of that name.
pub trait WriteOptions {
    fn write_options(&self, out: &mut Out);
}

impl<F: ?Sized> WriteOptions for Formatted<'_, F> {
    fn write_options(&self, out: &mut Out) {
        out.name("formatter");
        out.opaque("formatter");
    }
}

struct Recorder {
    file: self::std::fs::File,
    /// Digests of what was written whole.
    known: self::std::collections::HashSet<u64>,
    /// Threads whose name was written.
    threads: self::std::collections::HashSet<u64>,
    /// Digests of calls that were written, if each is to be written once.
    once: Option<self::std::collections::HashSet<u64>>,
    n_bytes: usize,
}

/// States with more bytes than this are written as their digest alone.
const MAX_STATE: usize = 4096;
/// After this many bytes calls are written without states.
const MUCH: usize = 64 << 20;
/// After this many bytes no calls are written.
const FULL: usize = 192 << 20;

impl Recorder {
    fn write(&mut self, region: u32, thread: u64, state: u64, bytes: &[u8]) {
        if let Some(once) = &mut self.once {
            if !once.insert(state) {
                return;
            }
        }
        let is_new = bytes.len() <= MAX_STATE && self.n_bytes < MUCH && self.known.insert(state);
        let whole: &[u8] = if is_new { bytes } else { &[] };
        self.put(region, thread, bytes[0], state, whole);
    }

    fn put(&mut self, region: u32, thread: u64, flags: u8, state: u64, whole: &[u8]) {
        use self::std::io::Write;
        if self.n_bytes > FULL {
            return;
        }
        let mut line = self::std::vec::Vec::with_capacity(whole.len() + 25);
        line.extend_from_slice(&region.to_le_bytes());
        line.extend_from_slice(&thread.to_le_bytes());
        line.push(flags);
        line.extend_from_slice(&state.to_le_bytes());
        line.extend_from_slice(&(whole.len() as u32).to_le_bytes());
        line.extend_from_slice(whole);
        self.n_bytes += line.len();
        if self.n_bytes > FULL {
            line = self::std::vec![0; 25];
            line[..4].copy_from_slice(&NO_ROOM.to_le_bytes());
        }
        // A call that cannot be written is missing in the record, and changes nothing else.
        let _ = self.file.write_all(&line);
    }
}
