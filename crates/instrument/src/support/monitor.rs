// What a monitored equality calls where it reads something.

/// How it is noted that something is read.
pub trait Noted {
    fn note(&self);
    /// One item of it is read, or some.
    fn note_base(&self);
}

impl<T: ?Sized> Noted for T {
    default fn note(&self) {
        note_place(self);
    }

    // Whoever looks for an item may look at anything.
    default fn note_base(&self) {
        note_place(self);
    }
}

impl<T> Noted for [T] {
    fn note(&self) {
        let size = self::std::mem::size_of_val(self);
        note_slice(self.as_ptr() as usize, size, self::std::any::type_name::<T>());
    }

    fn note_base(&self) {}
}

impl Noted for str {
    fn note(&self) {
        note_slice(self.as_ptr() as usize, self.len(), "str");
    }

    fn note_base(&self) {}
}

impl Noted for String {
    fn note_base(&self) {}
}

impl<T> Noted for Vec<T> {
    fn note_base(&self) {}
}

impl<T, const N: usize> Noted for [T; N] {
    fn note_base(&self) {}
}

impl<T> Noted for VecDeque<T> {
    fn note_base(&self) {}
}

impl<T: ?Sized> Noted for Box<T> {
    fn note_base(&self) {
        (**self).note_base();
    }
}

impl<'a, T: ?Sized> Noted for &'a T {
    fn note_base(&self) {
        (**self).note_base();
    }
}

impl<'a, T: ?Sized> Noted for &'a mut T {
    fn note_base(&self) {
        (**self).note_base();
    }
}

/// A place is read.
pub fn read<T: ?Sized>(place: &T) -> &T {
    Noted::note(place);
    place
}

/// Something is looked for in it.
pub fn base<T: ?Sized>(place: &T) -> &T {
    Noted::note_base(place);
    place
}
