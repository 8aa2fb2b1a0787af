// How values of the standard library's types are written out, and built again.

macro_rules! scalars {
    ($($scalar:ty),*) => {$(
        impl Snapshot for $scalar {
            fn snapshot(&self, out: &mut Out) { out.scalar(&self.to_le_bytes()); }
            fn restore(from: &mut In<'_>) -> Option<Self> { Some(<$scalar>::from_le_bytes(from.scalar()?)) }
        }
    )*};
}
scalars!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64);

/// Types that are written as another type: how to get that, and how to make the type from it.
macro_rules! views {
    ($($(<$($of:ident),*>)* $view:ty as $other:ty: $get:expr, $make:expr;)*) => {$(
        impl $(<$($of: Snapshot),*>)* Snapshot for $view {
            fn snapshot(&self, out: &mut Out) {
                let get: fn(&$view) -> $other = $get;
                get(self).snapshot(out)
            }
            fn restore(from: &mut In<'_>) -> Option<Self> {
                let make: fn($other) -> Option<$view> = $make;
                make(<$other>::restore(from)?)
            }
        }
    )*};
}

views! {
    bool as u8: |it| *it as u8, |it| Some(it == 1);
    char as u32: |it| *it as u32, |it| self::std::char::from_u32(it);
    self::std::time::Duration as (u64, u32): |it| (it.as_secs(), it.subsec_nanos()),
        |it| Some(self::std::time::Duration::new(it.0, it.1));
    self::std::net::Ipv4Addr as [u8; 4]: |it| it.octets(), |it| Some(it.into());
    self::std::net::Ipv6Addr as [u8; 16]: |it| it.octets(), |it| Some(it.into());
}

macro_rules! non_zeros {
    ($($name:ident $scalar:ty,)*) => {views! {$(
        self::std::num::$name as $scalar: |it| it.get(), |it| self::std::num::$name::new(it);
    )*}};
}
non_zeros! {
    NonZeroU8 u8, NonZeroU16 u16, NonZeroU32 u32, NonZeroU64 u64, NonZeroU128 u128, NonZeroUsize usize,
    NonZeroI8 i8, NonZeroI16 i16, NonZeroI32 i32, NonZeroI64 i64, NonZeroI128 i128, NonZeroIsize isize,
}

macro_rules! atomics {
    ($($name:ident $scalar:ty,)*) => {views! {$(
        self::std::sync::atomic::$name as $scalar: |it| it.load(Ordering::SeqCst),
            |it| Some(self::std::sync::atomic::$name::new(it));
    )*}};
}
atomics! {
    AtomicBool bool, AtomicU8 u8, AtomicU16 u16, AtomicU32 u32, AtomicU64 u64, AtomicUsize usize,
    AtomicI8 i8, AtomicI16 i16, AtomicI32 i32, AtomicI64 i64, AtomicIsize isize,
}

/// Types whose constructors and fields everybody may name.
macro_rules! open {
    ($(<$($of:ident),*> $type:ty, $($number:literal $name:literal $($path:ident)::+ { $($field:tt $bound:ident),* }),*;)*) => {$(
        impl<$($of: Snapshot),*> Snapshot for $type {
            fn snapshot(&self, out: &mut Out) {
                match *self {$(
                    $($path)::+ { $($field: ref $bound),* } => if out.begin($number, $name) {
                        $(out.field(stringify!($field), $bound);)*
                        out.end();
                    },
                )*}
            }
            fn restore(from: &mut In<'_>) -> Option<Self> {
                let made = match from.begin()? {
                    $($number => $($path)::+ { $($field: from.field()?),* },)*
                    _ => return None,
                };
                from.end()?;
                Some(made)
            }
        }
    )*};
}

open! {
    <T> Option<T>, 0 "None" Option::None {}, 1 "Some" Option::Some { 0 a };
    <T, E> Result<T, E>, 0 "Ok" Result::Ok { 0 a }, 1 "Err" Result::Err { 0 a };
    <> self::std::cmp::Ordering, 0 "Less" self::std::cmp::Ordering::Less {},
        1 "Equal" self::std::cmp::Ordering::Equal {}, 2 "Greater" self::std::cmp::Ordering::Greater {};
    <T> self::std::cmp::Reverse<T>, 0 "Reverse" self::std::cmp::Reverse { 0 a };
    <T> self::std::num::Wrapping<T>, 0 "Wrapping" self::std::num::Wrapping { 0 a };
    <T> self::std::ops::Range<T>, 0 "Range" self::std::ops::Range { start a, end b };
    <T> self::std::ops::RangeFrom<T>, 0 "RangeFrom" self::std::ops::RangeFrom { start a };
    <T> self::std::ops::RangeTo<T>, 0 "RangeTo" self::std::ops::RangeTo { end a };
    <T> self::std::ops::RangeToInclusive<T>, 0 "RangeToInclusive" self::std::ops::RangeToInclusive { end a };
    <T> self::std::ops::Bound<T>, 0 "Included" self::std::ops::Bound::Included { 0 a },
        1 "Excluded" self::std::ops::Bound::Excluded { 0 a }, 2 "Unbounded" self::std::ops::Bound::Unbounded {};
    <B, C> self::std::ops::ControlFlow<B, C>, 0 "Continue" self::std::ops::ControlFlow::Continue { 0 a },
        1 "Break" self::std::ops::ControlFlow::Break { 0 a };
    <T> self::std::task::Poll<T>, 0 "Ready" self::std::task::Poll::Ready { 0 a },
        1 "Pending" self::std::task::Poll::Pending {};
    <> self::std::net::IpAddr, 0 "V4" self::std::net::IpAddr::V4 { 0 a }, 1 "V6" self::std::net::IpAddr::V6 { 0 a };
}

impl<T: Snapshot> Snapshot for self::std::ops::RangeInclusive<T> {
    fn snapshot(&self, out: &mut Out) {
        let is_over = match self::std::ops::RangeBounds::end_bound(self) {
            self::std::ops::Bound::Excluded(_) => 1,
            _ => 0,
        };
        if out.begin(is_over, "RangeInclusive") {
            out.field("start", self.start());
            out.field("end", self.end());
            out.end();
        }
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        if from.begin()? != 0 {
            return None;
        }
        let range = from.field()?..=from.field()?;
        from.end()?;
        Some(range)
    }
}

impl Snapshot for () {
    fn snapshot(&self, out: &mut Out) {
        out.scalar(&[]);
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        from.scalar::<0>().map(|_| ())
    }
}

macro_rules! tuples {
    ($($n:literal $($name:ident)*;)*) => {$(
        impl<$($name: Snapshot),*> Snapshot for ($($name,)*) {
            fn snapshot(&self, out: &mut Out) {
                #[allow(non_snake_case)]
                let ($($name,)*) = self;
                out.bytes.extend_from_slice(&[LIST, $n]);
                $(out.node($name);)*
            }
            fn restore(from: &mut In<'_>) -> Option<Self> {
                from.is(LIST)?;
                from.is($n)?;
                Some(($($name::restore(from)?,)*))
            }
        }
    )*};
}
tuples! {
    1 A; 2 A B; 3 A B C; 4 A B C D; 5 A B C D E; 6 A B C D E F; 7 A B C D E F G; 8 A B C D E F G H;
    9 A B C D E F G H I; 10 A B C D E F G H I J; 11 A B C D E F G H I J K; 12 A B C D E F G H I J K L;
}

impl<T: Snapshot, const N: usize> Snapshot for [T; N] {
    fn snapshot(&self, out: &mut Out) {
        out.list(N, self.iter());
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        self::std::convert::TryFrom::try_from(from.list()?).ok()
    }
}

impl<T: Snapshot> Snapshot for [T] {
    fn snapshot(&self, out: &mut Out) {
        out.list(self.len(), self.iter());
    }
}

impl Snapshot for str {
    fn snapshot(&self, out: &mut Out) {
        out.text(self.as_bytes());
    }
}

impl Snapshot for String {
    fn snapshot(&self, out: &mut Out) {
        out.text(self.as_bytes());
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        from.text().map(String::from)
    }
}

/// Text of the system's.
macro_rules! system_text {
    ($($borrowed:ty, $owned:ty;)*) => {$(
        impl Snapshot for $borrowed {
            fn snapshot(&self, out: &mut Out) {
                let text: &self::std::ffi::OsStr = self.as_ref();
                out.text(text.as_encoded_bytes());
            }
        }
        impl Snapshot for $owned {
            fn snapshot(&self, out: &mut Out) { out.node(&**self); }
            fn restore(from: &mut In<'_>) -> Option<Self> { from.text().map(<$owned>::from) }
        }
    )*};
}
system_text! {
    self::std::ffi::OsStr, self::std::ffi::OsString;
    self::std::path::Path, self::std::path::PathBuf;
}

macro_rules! lists {
    ($($list:ident)*) => {$(
        impl<T: Snapshot> Snapshot for $list<T> {
            fn snapshot(&self, out: &mut Out) { out.list(self.len(), self.iter()); }
            fn restore(from: &mut In<'_>) -> Option<Self> { Some(from.list()?.into_iter().collect()) }
        }
    )*};
}
lists!(Vec VecDeque LinkedList);

impl<T: Snapshot> Snapshot for self::std::vec::IntoIter<T> {
    fn snapshot(&self, out: &mut Out) {
        self.as_slice().snapshot(out);
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        from.list().map(Vec::into_iter)
    }
}

impl<'a, T: Snapshot> Snapshot for self::std::slice::Iter<'a, T> {
    fn snapshot(&self, out: &mut Out) {
        self.as_slice().snapshot(out);
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        let items: &'a [T] = Box::leak(from.list()?.into_boxed_slice());
        Some(items.iter())
    }
}

impl<'a> Snapshot for self::std::str::Chars<'a> {
    fn snapshot(&self, out: &mut Out) {
        self.as_str().snapshot(out);
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        let text: &'a str = Box::leak(Box::from(from.text()?));
        Some(text.chars())
    }
}

impl<T: Snapshot> Snapshot for self::std::cell::Cell<T> {
    fn snapshot(&self, out: &mut Out) {
        // SAFETY: a `Cell` is used by one thread, and that thread writes the snapshot: it reads fields
        // and calls no code of the crate that could set the cell.
        out.node(unsafe { &*self.as_ptr() });
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        T::restore(from).map(self::std::cell::Cell::new)
    }
}

impl<T: Snapshot> Snapshot for self::std::cell::RefCell<T> {
    fn snapshot(&self, out: &mut Out) {
        match self.try_borrow() {
            Ok(value) => out.node(&*value),
            Err(_) => out.opaque("a RefCell that is borrowed"),
        }
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        T::restore(from).map(self::std::cell::RefCell::new)
    }
}

impl<T: Snapshot> Snapshot for self::std::cell::OnceCell<T> {
    fn snapshot(&self, out: &mut Out) {
        self.get().snapshot(out);
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        let value: Option<T> = Snapshot::restore(from)?;
        Some(value.map_or_else(Self::new, Self::from))
    }
}

/// Locks. One that is held is opaque, so that no snapshot waits.
macro_rules! locks {
    ($($lock:ident $name:literal $now:ident;)*) => {$(
        impl<T: Snapshot> Snapshot for self::std::sync::$lock<T> {
            fn snapshot(&self, out: &mut Out) {
                let (is_poisoned, value) = match self.$now() {
                    Ok(value) => (0, value),
                    Err(self::std::sync::TryLockError::Poisoned(value)) => (1, value.into_inner()),
                    Err(self::std::sync::TryLockError::WouldBlock) => return out.opaque("a lock that is held"),
                };
                if out.begin(is_poisoned, $name) {
                    out.field("0", &*value);
                    out.end();
                }
            }
            fn restore(from: &mut In<'_>) -> Option<Self> {
                if from.begin()? != 0 {
                    return None;
                }
                let made = self::std::sync::$lock::new(from.field()?);
                from.end()?;
                Some(made)
            }
        }
    )*};
}
locks! {
    Mutex "Mutex" try_lock;
    RwLock "RwLock" try_read;
}

impl<P: Snapshot> Snapshot for self::std::pin::Pin<P> {
    fn snapshot(&self, out: &mut Out) {
        // SAFETY: `Pin` is `repr(transparent)` over its pointer. What it points to is only read, so it
        // is not moved.
        out.node(unsafe { &*(self as *const Self as *const P) });
    }
}

/// Raw pointers: only whether one is null is written, as what it points to may be gone.
macro_rules! pointers {
    ($($pointer:ty),*) => {$(
        impl<T: ?Sized> Snapshot for $pointer {
            fn snapshot(&self, out: &mut Out) {
                out.opaque(match self.is_null() {
                    true => "a pointer to nothing",
                    false => "a pointer",
                });
            }
        }
    )*};
}
pointers!(*const T, *mut T);

impl<T: ?Sized> Snapshot for self::std::ptr::NonNull<T> {
    fn snapshot(&self, out: &mut Out) {
        out.opaque("a pointer");
    }
}

impl Snapshot for self::std::collections::hash_map::RandomState {
    fn snapshot(&self, out: &mut Out) {
        // Its keys are nothing that a program may rely upon.
        out.scalar(&[]);
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        from.scalar::<0>().map(|_| Self::new())
    }
}

impl<H: self::std::default::Default> Snapshot for BuildHasherDefault<H> {
    fn snapshot(&self, out: &mut Out) {
        out.scalar(&[]);
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        from.scalar::<0>().map(|_| self::std::default::Default::default())
    }
}

/// What is built behind a pointer, whether its size is known or not.
pub trait Boxed {
    fn restore_box(from: &mut In<'_>) -> Option<Box<Self>>;
    fn restore_rc(from: &mut In<'_>) -> Option<Rc<Self>>;
    fn restore_arc(from: &mut In<'_>) -> Option<Arc<Self>>;
}

impl<T: Snapshot> Boxed for T {
    fn restore_box(from: &mut In<'_>) -> Option<Box<Self>> {
        T::restore(from).map(Box::new)
    }

    fn restore_rc(from: &mut In<'_>) -> Option<Rc<Self>> {
        restore_rc(from)
    }

    fn restore_arc(from: &mut In<'_>) -> Option<Arc<Self>> {
        restore_arc(from)
    }
}

impl<T: Snapshot> Boxed for [T] {
    fn restore_box(from: &mut In<'_>) -> Option<Box<Self>> {
        from.list().map(Vec::into_boxed_slice)
    }

    fn restore_rc(from: &mut In<'_>) -> Option<Rc<Self>> {
        restore_unsized_rc(from)
    }

    fn restore_arc(from: &mut In<'_>) -> Option<Arc<Self>> {
        restore_unsized_arc(from)
    }
}

impl Boxed for str {
    fn restore_box(from: &mut In<'_>) -> Option<Box<Self>> {
        from.text().map(Box::from)
    }

    fn restore_rc(from: &mut In<'_>) -> Option<Rc<Self>> {
        restore_unsized_rc(from)
    }

    fn restore_arc(from: &mut In<'_>) -> Option<Arc<Self>> {
        restore_unsized_arc(from)
    }
}

/// A reference to what others may refer to; it lives for ever.
fn restore_reference<'a, T: Boxed + ?Sized>(from: &mut In<'_>) -> Option<&'a T> {
    if let Met::Again(n) = from.met()? {
        return from.kept(n);
    }
    let n = from.reserve();
    let value: &'a T = Box::leak(T::restore_box(from)?);
    from.put(n, value, release::<&'a T>);
    Some(value)
}

impl<T: Snapshot + Boxed + ?Sized> Snapshot for Box<T> {
    fn snapshot(&self, out: &mut Out) {
        out.node(&**self);
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        T::restore_box(from)
    }
}

impl<'a, T: Snapshot + Boxed + ?Sized> Snapshot for &'a mut T {
    fn snapshot(&self, out: &mut Out) {
        out.node(&**self);
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        T::restore_box(from).map(|it| Box::leak(it))
    }
}

impl<'a, B: ToOwned + Snapshot + Boxed + ?Sized> Snapshot for Cow<'a, B>
where
    B::Owned: Snapshot,
{
    fn snapshot(&self, out: &mut Out) {
        let (variant, name) = match *self {
            Cow::Borrowed(_) => (0, "Borrowed"),
            Cow::Owned(_) => (1, "Owned"),
        };
        if out.begin(variant, name) {
            match *self {
                Cow::Borrowed(ref it) => out.field("0", it),
                Cow::Owned(ref it) => out.field("0", it),
            }
            out.end();
        }
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        let made = match from.begin()? {
            0 => Cow::Borrowed(from.field()?),
            _ => Cow::Owned(from.field()?),
        };
        from.end()?;
        Some(made)
    }
}

impl<K: Snapshot + Ord, V: Snapshot> Snapshot for BTreeMap<K, V> {
    fn snapshot(&self, out: &mut Out) {
        out.entries(self.len(), self.iter());
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        Some(from.settled::<(K, V)>()?.into_iter().collect())
    }
}

macro_rules! ordered {
    ($($list:ident)*) => {$(
        impl<T: Snapshot + Ord> Snapshot for $list<T> {
            fn snapshot(&self, out: &mut Out) { out.list(self.len(), self.iter()); }
            fn restore(from: &mut In<'_>) -> Option<Self> { Some(from.settled::<T>()?.into_iter().collect()) }
        }
    )*};
}
ordered!(BTreeSet BinaryHeap);

impl<K: Snapshot + Eq + Hash, V: Snapshot, S: Snapshot + BuildHasher> Snapshot for HashMap<K, V, S> {
    fn snapshot(&self, out: &mut Out) {
        self.hasher().snapshot(out);
        out.unordered(self.iter(), |entry, out| out.entry(entry.0, entry.1));
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        let mut map = HashMap::with_hasher(S::restore(from)?);
        map.extend(from.settled::<(K, V)>()?);
        Some(map)
    }
}

impl<T: Snapshot + Eq + Hash, S: Snapshot + BuildHasher> Snapshot for HashSet<T, S> {
    fn snapshot(&self, out: &mut Out) {
        self.hasher().snapshot(out);
        out.unordered(self.iter(), |item, out| out.node(*item));
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        let mut set = HashSet::with_hasher(S::restore(from)?);
        set.extend(from.settled::<T>()?);
        Some(set)
    }
}

/// `Rc` and `Arc`.
macro_rules! shared {
    ($($pointer:ident $restore:ident $unsized:ident $release:ident $weak:ident;)*) => {$(
        impl<T: Snapshot + Boxed + ?Sized> Snapshot for $pointer<T> {
            fn snapshot(&self, out: &mut Out) { out.shared(&**self); }
            fn restore(from: &mut In<'_>) -> Option<Self> { T::$restore(from) }
        }

        fn $unsized<T: Boxed + ?Sized>(from: &mut In<'_>) -> Option<$pointer<T>> {
            if let Met::Again(n) = from.met()? {
                return from.kept(n);
            }
            let n = from.reserve();
            let value: $pointer<T> = T::restore_box(from)?.into();
            from.put(n, $pointer::clone(&value), $release::<T>);
            Some(value)
        }

        fn $restore<T: Snapshot>(from: &mut In<'_>) -> Option<$pointer<T>> {
            if let Met::Again(n) = from.met()? {
                return from.kept(n);
            }
            let place = $pointer::new(self::std::mem::MaybeUninit::<T>::uninit());
            // A value in a cycle is referred to before it is there.
            // SAFETY: `MaybeUninit<T>` has the layout of `T`. Until the value is written, only counters
            // are used: `kept` clones pointers, and `settled` refuses to compare or hash items once a
            // value was referred to that is not there. If `restore` fails, the place stays leaked in its
            // `ManuallyDrop`, so the missing value is never dropped. What does not hold: if `restore`
            // fails after a part of the value was built that has a `Drop` of its own, that code runs,
            // and could look through a pointer of the cycle.
            let place = self::std::mem::ManuallyDrop::new(unsafe {
                $pointer::from_raw($pointer::into_raw(place) as *const T)
            });
            let n = from.keep($pointer::clone(&place), false, $release::<T>);
            let value = T::restore(from)?;
            // SAFETY: the place was made above for one `T`, it has no value yet, and nothing borrows it.
            unsafe { ($pointer::as_ptr(&place) as *mut T).write(value) };
            from.shared[n].is_there = true;
            Some(self::std::mem::ManuallyDrop::into_inner(place))
        }

        fn $release<T: ?Sized>(kept: *mut ()) -> bool {
            // SAFETY: as in `release`.
            let kept = unsafe { Box::from_raw(kept as *mut $pointer<T>) };
            $pointer::strong_count(&kept) > 1
        }

        fn $weak<T: Snapshot>(weak: Option<$pointer<T>>, out: &mut Out) {
            if out.begin(weak.is_some() as u32, "Weak") {
                if let Some(value) = weak {
                    out.name("0");
                    out.shared(&*value);
                }
                out.end();
            }
        }
    )*};
}
shared! {
    Rc restore_rc restore_unsized_rc release_rc snapshot_weak_rc;
    Arc restore_arc restore_unsized_arc release_arc snapshot_weak_arc;
}

macro_rules! weak {
    ($($pointer:ident $weak:path, $snapshot:ident $restore:ident;)*) => {$(
        impl<T: Snapshot> Snapshot for $weak {
            fn snapshot(&self, out: &mut Out) { $snapshot(self.upgrade(), out); }
            fn restore(from: &mut In<'_>) -> Option<Self> {
                let weak = match from.begin()? {
                    0 => <$weak>::new(),
                    _ => {
                        from.name()?;
                        $pointer::downgrade(&$restore::<T>(from)?)
                    }
                };
                from.end()?;
                Some(weak)
            }
        }
    )*};
}
weak! {
    Rc self::std::rc::Weak<T>, snapshot_weak_rc restore_rc;
    Arc self::std::sync::Weak<T>, snapshot_weak_arc restore_arc;
}
