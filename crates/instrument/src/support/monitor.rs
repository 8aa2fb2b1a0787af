// What a monitored equality calls where it reads a value.

/// Notes that a value is read.
pub trait Noted {
    fn note(&self);
    /// Notes that some items of it are read, which are noted themselves.
    fn note_base(&self);
}

impl<T: ?Sized> Noted for T {
    default fn note(&self) {
        note_place(self);
    }

    // To find an item, a type may read any part of itself.
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

/// Notes that a place is read.
pub fn read<T: ?Sized>(place: &T) -> &T {
    Noted::note(place);
    place
}

/// Notes that an item of a place is looked for.
pub fn base<T: ?Sized>(place: &T) -> &T {
    Noted::note_base(place);
    place
}
