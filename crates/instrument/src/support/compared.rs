// Comparisons, which are noted while the active mutant is `WATCHING`: for each place and each order of the
// sides, the one whose sides were nearest. That tells how near a program came to every branch.

use self::std::any::TypeId;

/// Two values that were compared.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Compared {
    /// The first mutant of the comparison; 0 is none.
    pub site: u32,
    /// How the values are to be read: `AS_SIGNED`, `AS_UNSIGNED`, `AS_FLOAT` or `AS_TEXT`.
    pub kind: u32,
    /// The sides; of a text its bytes, as many as there is room for, and then zeros.
    pub sides: [[u8; 16]; 2],
}

pub const AS_SIGNED: u32 = 1;
pub const AS_UNSIGNED: u32 = 2;
pub const AS_FLOAT: u32 = 3;
pub const AS_TEXT: u32 = 4;

/// The comparisons that are kept; `N_COMPARED` says how many.
pub static mut COMPARISONS: [Compared; N_COMPARISONS] = [Compared { site: 0, kind: 0, sides: [[0; 16]; 2] }; N_COMPARISONS];
pub const N_COMPARISONS: usize = 512;
pub static N_COMPARED: AtomicU32 = AtomicU32::new(0);
/// Where comparisons stand, by a hash of place and order. What is left of an earlier program points behind
/// the last comparison, or to one that does not belong there.
static PLACES: [AtomicU32; N_PLACES] = [const { AtomicU32::new(u32::MAX) }; N_PLACES];
const N_PLACES: usize = 2048;
/// How many places a comparison may have.
const N_PROBES: usize = 8;

/// As [`at`], for two values that are compared.
#[inline(always)]
pub fn compare<L: ?Sized, R: ?Sized>(first: u32, n: u32, left: &L, right: &R) -> u32 {
    // SAFETY: as in `at`.
    if unsafe { *(&raw const ACTIVE as *const u32) } == WATCHING {
        note_comparison(first, left, right);
        return 0;
    }
    at(first, n)
}

#[cold]
#[inline(never)]
fn note_comparison<L: ?Sized, R: ?Sized>(site: u32, left: &L, right: &R) {
    if let (Some((kind, left)), Some((other, right))) = (side(left), side(right)) {
        if kind == other {
            keep(Compared { site, kind, sides: [left, right] });
        }
    }
}

/// Keeps a comparison if it is the nearest of its place and order.
fn keep(new: Compared) {
    let (order, distance) = apart(&new);
    let home = home(new.site, order);
    for probe in 0..N_PROBES {
        let at = (home + probe) % N_PLACES;
        let known = PLACES[at].load(Ordering::Relaxed) as usize;
        let n = N_COMPARED.load(Ordering::Relaxed) as usize;
        if known < n && known < N_COMPARISONS {
            // SAFETY: the position is one of the array, and no reference to the array exists: the runtime
            // reads it through a pointer, between calls. Threads that write one entry at once can mix
            // two, and any bytes are an entry.
            let old = unsafe { COMPARISONS[known] };
            let (its, least) = apart(&old);
            if old.site == new.site && its == order {
                if distance < least {
                    // SAFETY: as above.
                    unsafe { COMPARISONS[known] = new };
                }
                return;
            }
            let belongs = (at + N_PLACES - self::home(old.site, its)) % N_PLACES < N_PROBES;
            if belongs {
                continue;
            }
        }
        let i = N_COMPARED.fetch_add(1, Ordering::Relaxed) as usize;
        if i >= N_COMPARISONS {
            N_COMPARED.store(N_COMPARISONS as u32, Ordering::Relaxed);
            return;
        }
        // SAFETY: as above, and each thread gets a position of its own.
        unsafe { COMPARISONS[i] = new };
        PLACES[at].store(i as u32, Ordering::Relaxed);
        return;
    }
}

fn home(site: u32, order: u8) -> usize {
    ((site * 4 + order as u32).wrapping_mul(0x9E37_79B9) >> 21) as usize
}

/// The order of the sides, from 0 to 2, and how far apart they are; 3 if they have no order.
fn apart(compared: &Compared) -> (u8, u128) {
    let [left, right] = compared.sides;
    let (order, distance) = match compared.kind {
        AS_SIGNED => {
            let (left, right) = (i128::from_le_bytes(left), i128::from_le_bytes(right));
            (left.partial_cmp(&right), left.abs_diff(right))
        }
        AS_UNSIGNED => {
            let (left, right) = (u128::from_le_bytes(left), u128::from_le_bytes(right));
            (left.partial_cmp(&right), left.abs_diff(right))
        }
        AS_FLOAT => {
            let float = |side: [u8; 16]| {
                let mut bytes = [0; 8];
                bytes.copy_from_slice(&side[..8]);
                f64::from_le_bytes(bytes)
            };
            let (left, right) = (float(left), float(right));
            // Of positive floats the greater one has the greater bits.
            (left.partial_cmp(&right), (left - right).abs().to_bits() as u128)
        }
        _ => {
            let n_alike = left.iter().zip(&right).take_while(|(left, right)| left == right).count();
            (left.partial_cmp(&right), 16 - n_alike as u128)
        }
    };
    (order.map_or(3, |it| (it as i8 + 1) as u8), distance)
}

/// A value as it is noted, if its type is known here.
fn side<T: ?Sized>(value: &T) -> Option<(u32, [u8; 16])> {
    let ty = type_of::<T>();
    let at = value as *const T as *const u8;
    macro_rules! numbers {
        ($($number:ty, $kind:ident, $wide:ty;)*) => {
            $(if ty == TypeId::of::<$number>() {
                // SAFETY: the type is this one, so the value that is borrowed is such a number.
                let number = unsafe { *(at as *const $number) } as $wide;
                let mut bytes = [0; 16];
                let number = number.to_le_bytes();
                bytes[..number.len()].copy_from_slice(&number);
                return Some(($kind, bytes));
            })*
        };
    }
    numbers! {
        u8, AS_UNSIGNED, u128; u16, AS_UNSIGNED, u128; u32, AS_UNSIGNED, u128; u64, AS_UNSIGNED, u128;
        u128, AS_UNSIGNED, u128; usize, AS_UNSIGNED, u128; char, AS_UNSIGNED, u128; bool, AS_UNSIGNED, u128;
        i8, AS_SIGNED, i128; i16, AS_SIGNED, i128; i32, AS_SIGNED, i128; i64, AS_SIGNED, i128;
        i128, AS_SIGNED, i128; isize, AS_SIGNED, i128;
        f32, AS_FLOAT, f64; f64, AS_FLOAT, f64;
    }
    let text: Option<&str> = if ty == TypeId::of::<&str>() {
        // SAFETY: the type is `&str` with some lifetime. The text outlives `value`, which is borrowed
        // until this function returns, and nothing of the text but copied bytes is returned.
        Some(unsafe { *(at as *const &str) })
    } else if ty == TypeId::of::<self::std::string::String>() {
        // SAFETY: the type is `String`, and `value` is borrowed until this function returns.
        Some(unsafe { (*(at as *const self::std::string::String)).as_str() })
    } else {
        None
    };
    text.map(|text| {
        let mut bytes = [0; 16];
        let n = text.len().min(16);
        bytes[..n].copy_from_slice(&text.as_bytes()[..n]);
        (AS_TEXT, bytes)
    })
}

/// The type's id; types that differ in lifetimes only have the same one.
fn type_of<T: ?Sized>() -> TypeId {
    trait Typed {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T: ?Sized> Typed for self::std::marker::PhantomData<T> {
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }
    let marker = self::std::marker::PhantomData::<T>;
    let marker: &dyn Typed = &marker;
    // SAFETY: only the lifetime bound of the trait object changes, which has no effect on its layout. The
    // method reads nothing of the marker and returns an id, in which there are no lifetimes.
    let marker: &(dyn Typed + 'static) = unsafe { self::std::mem::transmute(marker) };
    marker.id()
}
