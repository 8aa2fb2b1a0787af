// What functions return, if the environment asks for it: a digest of all values that each returned.

use self::std::collections::hash_map::DefaultHasher as Digest;
use self::std::hash::Hasher;

/// Are returned values noted?
static RETURNS: self::std::sync::atomic::AtomicBool = self::std::sync::atomic::AtomicBool::new(false);
/// The digests, by the regions of functions.
static RETURNED: [AtomicU64; N_REGIONS] = [const { AtomicU64::new(0) }; N_REGIONS];
/// Is a returned value being looked at? Functions that are called to look at it are not noted.
static IS_LOOKING: self::std::sync::atomic::AtomicBool =
    self::std::sync::atomic::AtomicBool::new(false);

/// How often in a row no code of the crate was run to look at what a function returned.
static PLAIN_LOOKS: [self::std::sync::atomic::AtomicU8; N_REGIONS] =
    [const { self::std::sync::atomic::AtomicU8::new(0) }; N_REGIONS];
/// After this many it is no longer expected that code of the crate is run.
const MANY_LOOKS: u8 = 16;

/// Items of a list that are looked at.
const MAX_ITEMS: usize = 64;

#[inline(always)]
pub fn returned<T>(region: usize, value: T) -> T {
    // SAFETY: an atomic has the layout of its value, so this is a `bool`. It is written once, when the
    // first thread gets its fuel; a thread that races with that write reads the old value or the new.
    if unsafe { *(&raw const RETURNS as *const bool) } {
        note_returned(region, &value);
    }
    value
}

#[cold]
#[inline(never)]
fn note_returned<T>(region: usize, value: &T) {
    if IS_LOOKING.swap(true, Ordering::Relaxed) {
        return;
    }
    // Code of the crate may hash the value. It is not a test that calls it, so it counts for nothing.
    let n_plain = PLAIN_LOOKS[region].load(Ordering::Relaxed);
    let mut counts = Vec::new();
    if n_plain < MANY_LOOKS {
        counts.extend(REGIONS.iter().map(|it| it.load(Ordering::Relaxed)));
    }
    let fuel = fuel_left();
    let mut digest = Digest::new();
    digest.write_u64(RETURNED[region].load(Ordering::Relaxed));
    value.look(&mut digest);
    RETURNED[region].store(digest.finish(), Ordering::Relaxed);
    if fuel_left() == fuel {
        PLAIN_LOOKS[region].store(n_plain.saturating_add(1), Ordering::Relaxed);
    } else {
        PLAIN_LOOKS[region].store(0, Ordering::Relaxed);
        set_fuel(fuel);
        for (region, n) in REGIONS.iter().zip(counts) {
            region.store(n, Ordering::Relaxed);
        }
    }
    IS_LOOKING.store(false, Ordering::Relaxed);
}

/// Notes from now on what functions return, if the environment asks for it.
fn note_returns() {
    let asked = self::std::env::var_os(RETURNS_VARIABLE).is_some();
    RETURNS.store(asked, Ordering::Relaxed);
}

/// Writes the digests down.
fn write_returned() {
    if RETURNS.load(Ordering::Relaxed) {
        write_numbers(&RETURNED, RETURNED_ENDING);
    }
}

/// A value of any type, as far as that can be looked at.
trait Look {
    fn look(&self, digest: &mut Digest);
}

/// A value that can be hashed, perhaps.
trait Hashed {
    fn hashed(&self, digest: &mut Digest);
}

impl<T: ?Sized> Hashed for T {
    default fn hashed(&self, _: &mut Digest) {}
}

impl<T: ?Sized + Hash> Hashed for T {
    fn hashed(&self, digest: &mut Digest) {
        self.hash(digest);
    }
}

impl<T: ?Sized> Look for T {
    default fn look(&self, digest: &mut Digest) {
        self.hashed(digest);
    }
}

impl<T> Look for T {
    default fn look(&self, digest: &mut Digest) {
        // A type that is no enum has one discriminant, which is always the same.
        self::std::mem::discriminant(self).hash(digest);
        self.hashed(digest);
    }
}

impl<T: ?Sized> Look for &T {
    fn look(&self, digest: &mut Digest) {
        (**self).look(digest);
    }
}

impl<T: ?Sized> Look for &mut T {
    fn look(&self, digest: &mut Digest) {
        (**self).look(digest);
    }
}

impl<T: ?Sized> Look for Box<T> {
    fn look(&self, digest: &mut Digest) {
        (**self).look(digest);
    }
}

impl<T> Look for Option<T> {
    fn look(&self, digest: &mut Digest) {
        digest.write_u8(self.is_some() as u8);
        if let Some(it) = self {
            it.look(digest);
        }
    }
}

impl<T, E> Look for Result<T, E> {
    fn look(&self, digest: &mut Digest) {
        digest.write_u8(self.is_ok() as u8);
        match self {
            Ok(it) => it.look(digest),
            Err(it) => it.look(digest),
        }
    }
}

impl<T> Look for [T] {
    fn look(&self, digest: &mut Digest) {
        digest.write_usize(self.len());
        for item in self.iter().take(MAX_ITEMS) {
            item.look(digest);
        }
    }
}

impl<T> Look for Vec<T> {
    fn look(&self, digest: &mut Digest) {
        self.as_slice().look(digest);
    }
}

impl<A, B> Look for (A, B) {
    fn look(&self, digest: &mut Digest) {
        self.0.look(digest);
        self.1.look(digest);
    }
}

impl<A, B, C> Look for (A, B, C) {
    fn look(&self, digest: &mut Digest) {
        self.0.look(digest);
        self.1.look(digest);
        self.2.look(digest);
    }
}

impl Look for f32 {
    fn look(&self, digest: &mut Digest) {
        digest.write_u32(self.to_bits());
    }
}

impl Look for f64 {
    fn look(&self, digest: &mut Digest) {
        digest.write_u64(self.to_bits());
    }
}
