// Types are told apart when the code is generated: what a generic parameter stands for is looked into.

impl<T: ?Sized> Snapshot for T {
    default fn snapshot(&self, out: &mut Out) {
        match self::std::mem::size_of_val(self) {
            // There is nothing that could be different. (A trait object always might be dropped.)
            0 if !self::std::mem::needs_drop::<T>() => out.scalar(&[]),
            _ => out.opaque(self::std::any::type_name::<T>()),
        }
    }

    default fn restore(from: &mut In<'_>) -> Option<Self>
    where
        Self: Sized,
    {
        match self::std::mem::size_of::<Self>() {
            // There was one when the bytes were written, so there can be one.
            0 if !self::std::mem::needs_drop::<Self>() => {
                from.scalar::<0>()?;
                Some(unsafe { self::std::mem::MaybeUninit::uninit().assume_init() })
            }
            _ => None,
        }
    }
}

/// What is built on the heap, whether its size is known or not.
trait Boxed {
    fn restore_boxed(from: &mut In<'_>) -> Option<Box<Self>>;
}

impl<T: ?Sized> Boxed for T {
    default fn restore_boxed(from: &mut In<'_>) -> Option<Box<Self>> {
        None
    }
}

impl<T> Boxed for T {
    fn restore_boxed(from: &mut In<'_>) -> Option<Box<Self>> {
        T::restore(from).map(Box::new)
    }
}

impl<T> Boxed for [T] {
    fn restore_boxed(from: &mut In<'_>) -> Option<Box<Self>> {
        from.list().map(Vec::into_boxed_slice)
    }
}

impl Boxed for str {
    fn restore_boxed(from: &mut In<'_>) -> Option<Box<Self>> {
        from.text().map(Box::from)
    }
}

impl<T: ?Sized> Snapshot for Box<T> {
    fn snapshot(&self, out: &mut Out) {
        (**self).snapshot(out);
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        T::restore_boxed(from)
    }
}

// Which of two equal things a reference leads to can matter only if they can change behind it.
impl<'a, T: ?Sized> Snapshot for &'a T {
    default fn snapshot(&self, out: &mut Out) {
        out.shared(&**self);
    }

    default fn restore(from: &mut In<'_>) -> Option<Self> {
        if let Met::Again(n) = from.met()? {
            return from.kept(n);
        }
        let n = from.reserve();
        let value: &'a T = Box::leak(T::restore_boxed(from)?);
        from.put(n, value, release::<&'a T>);
        Some(value)
    }
}

impl<'a, T: ?Sized + self::std::marker::Freeze> Snapshot for &'a T {
    fn snapshot(&self, out: &mut Out) {
        (**self).snapshot(out);
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        let value: &'a T = Box::leak(T::restore_boxed(from)?);
        Some(value)
    }
}

impl<'a, T: ?Sized> Snapshot for &'a mut T {
    fn snapshot(&self, out: &mut Out) {
        (**self).snapshot(out);
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        T::restore_boxed(from).map(|it| Box::leak(it))
    }
}

macro_rules! shared_through {
    ($($pointer:ident $restore:ident $release:ident;)*) => {$(
        impl<T: ?Sized> Snapshot for $pointer<T> {
            fn snapshot(&self, out: &mut Out) { out.shared(&**self); }
            default fn restore(from: &mut In<'_>) -> Option<Self> {
                if let Met::Again(n) = from.met()? {
                    return from.kept(n);
                }
                let n = from.reserve();
                let value: $pointer<T> = T::restore_boxed(from)?.into();
                from.put(n, $pointer::clone(&value), $release::<T>);
                Some(value)
            }
        }
        impl<T> Snapshot for $pointer<T> {
            fn restore(from: &mut In<'_>) -> Option<Self> { $restore(from) }
        }
    )*};
}
shared_through! {
    Rc restore_rc release_rc;
    Arc restore_arc release_arc;
}

impl<'a, B: ToOwned + ?Sized> Snapshot for Cow<'a, B> {
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

impl<K, V> Snapshot for BTreeMap<K, V> {
    fn snapshot(&self, out: &mut Out) {
        out.entries(self.len(), self.iter());
    }

    default fn restore(from: &mut In<'_>) -> Option<Self> {
        None
    }
}

impl<K: Ord, V> Snapshot for BTreeMap<K, V> {
    fn restore(from: &mut In<'_>) -> Option<Self> {
        Some(from.settled::<(K, V)>()?.into_iter().collect())
    }
}

impl<T> Snapshot for BTreeSet<T> {
    fn snapshot(&self, out: &mut Out) {
        out.list(self.len(), self.iter());
    }

    default fn restore(from: &mut In<'_>) -> Option<Self> {
        None
    }
}

impl<T: Ord> Snapshot for BTreeSet<T> {
    fn restore(from: &mut In<'_>) -> Option<Self> {
        Some(from.settled::<T>()?.into_iter().collect())
    }
}

impl<T> Snapshot for BinaryHeap<T> {
    fn snapshot(&self, out: &mut Out) {
        out.list(self.len(), self.iter());
    }

    default fn restore(from: &mut In<'_>) -> Option<Self> {
        None
    }
}

impl<T: Ord> Snapshot for BinaryHeap<T> {
    fn restore(from: &mut In<'_>) -> Option<Self> {
        from.settled::<T>().map(BinaryHeap::from)
    }
}

impl<K, V, S> Snapshot for HashMap<K, V, S> {
    fn snapshot(&self, out: &mut Out) {
        self.hasher().snapshot(out);
        out.unordered(self.iter(), |entry, out| out.entry(entry.0, entry.1));
    }

    default fn restore(from: &mut In<'_>) -> Option<Self> {
        None
    }
}

impl<K: Eq + Hash, V, S: BuildHasher> Snapshot for HashMap<K, V, S> {
    fn restore(from: &mut In<'_>) -> Option<Self> {
        let mut map = HashMap::with_hasher(S::restore(from)?);
        map.extend(from.settled::<(K, V)>()?);
        Some(map)
    }
}

impl<T, S> Snapshot for HashSet<T, S> {
    fn snapshot(&self, out: &mut Out) {
        self.hasher().snapshot(out);
        out.unordered(self.iter(), |item, out| (**item).snapshot(out));
    }

    default fn restore(from: &mut In<'_>) -> Option<Self> {
        None
    }
}

impl<T: Eq + Hash, S: BuildHasher> Snapshot for HashSet<T, S> {
    fn restore(from: &mut In<'_>) -> Option<Self> {
        let mut set = HashSet::with_hasher(S::restore(from)?);
        set.extend(from.settled::<T>()?);
        Some(set)
    }
}
