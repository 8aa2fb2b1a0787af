// Comparisons, which are noted while the active mutant is `WATCHING`.

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

/// The last comparisons that were noted, in a ring; `N_COMPARED` says where it ends.
pub static mut COMPARISONS: [Compared; N_COMPARISONS] = [Compared { site: 0, kind: 0, sides: [[0; 16]; 2] }; N_COMPARISONS];
pub const N_COMPARISONS: usize = 256;
pub static N_COMPARED: AtomicU32 = AtomicU32::new(0);

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
            let i = N_COMPARED.fetch_add(1, Ordering::Relaxed) as usize % N_COMPARISONS;
            // SAFETY: the position is one of the ring, and no reference to the ring exists: the runtime
            // reads it through a pointer, between calls. Each thread gets a position of its own; only
            // one that comes around the ring while another still writes can mix two entries, and any
            // bytes are an entry.
            unsafe { COMPARISONS[i] = Compared { site, kind, sides: [left, right] } };
        }
    }
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
