// What code asks the processor for.

/// Does the processor seem to have no features that code can ask for by name?
pub static PLAIN: self::std::sync::atomic::AtomicBool = self::std::sync::atomic::AtomicBool::new(false);

/// Is there a feature?
#[cold]
#[inline(never)]
pub fn has(feature: bool) -> bool {
    feature && !PLAIN.load(Ordering::Relaxed)
}

/// Somebody asks for what differs elsewhere. The guest notices questions to the system.
#[cold]
#[inline(never)]
pub fn ask() {
    #[cfg(unix)]
    let _ = self::std::os::unix::process::parent_id();
}
