// With specialisation, the type that a generic parameter stands for decides how a value is written.

#[macro_export]
#[doc(hidden)]
macro_rules! __testsmith_field {
    ($out:ident, $name:literal, $value:ident) => {
        $out.field($name, $value)
    };
}

/// Writes out a value of any type; the harness, which uses the crate, calls this.
#[macro_export]
#[doc(hidden)]
macro_rules! __testsmith_state {
    ($value:expr, $bytes:expr) => {
        $crate::__testsmith::snapshot($value, $bytes)
    };
}

/// Writes out what a comparison of a value of any type with itself reads of it.
#[macro_export]
#[doc(hidden)]
macro_rules! __testsmith_read {
    ($value:expr, $compare:expr, $bytes:expr) => {
        $crate::__testsmith::read_of($value, $compare, $bytes)
    };
}

#[macro_export]
#[doc(hidden)]
macro_rules! __testsmith_part {
    ($from:ident, $type:ty) => {
        $from.field()
    };
}

impl<T: ?Sized> Snapshot for T {
    default fn snapshot(&self, out: &mut Out) {
        match self::std::mem::size_of_val(self) {
            // All values of a type without size are equal. (For a trait object `needs_drop` is always true.)
            0 if !self::std::mem::needs_drop::<T>() => out.scalar(&[]),
            _ => out.opaque(self::std::any::type_name::<T>()),
        }
    }

    default fn restore(from: &mut In<'_>) -> Option<Self>
    where
        Self: Sized,
    {
        match self::std::mem::size_of::<Self>() {
            0 if !self::std::mem::needs_drop::<Self>() => {
                from.scalar::<0>()?;
                // SAFETY: a type without size has no bytes that could be invalid, and it has values: the
                // bytes were written from one. That there may be two of them is not checked; a type
                // whose own unsafe code relies on being unique would not be safe here.
                Some(unsafe { self::std::mem::MaybeUninit::uninit().assume_init() })
            }
            _ => None,
        }
    }
}

impl<T: ?Sized> Boxed for T {
    default fn restore_box(from: &mut In<'_>) -> Option<Box<Self>> {
        None
    }

    default fn restore_rc(from: &mut In<'_>) -> Option<Rc<Self>> {
        None
    }

    default fn restore_arc(from: &mut In<'_>) -> Option<Arc<Self>> {
        None
    }
}

impl<'a, T: ?Sized> Snapshot for &'a T {
    default fn snapshot(&self, out: &mut Out) {
        out.shared(&**self);
    }

    default fn restore(from: &mut In<'_>) -> Option<Self> {
        restore_reference(from)
    }
}

// Which of two equal values a reference leads to matters only if they can change behind it.
impl<'a, T: ?Sized + self::std::marker::Freeze> Snapshot for &'a T {
    fn snapshot(&self, out: &mut Out) {
        out.node(&**self);
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        let value: &'a T = Box::leak(T::restore_box(from)?);
        Some(value)
    }
}
