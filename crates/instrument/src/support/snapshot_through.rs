// What a generic parameter stands for is known when code is generated: specialisation sees it then.

#[macro_export]
#[doc(hidden)]
macro_rules! __testsmith_field {
    ($out:ident, $name:literal, $value:ident) => {
        $out.field($name, $value)
    };
}

/// Writes out a value of any type, for whoever uses the crate.
#[macro_export]
#[doc(hidden)]
macro_rules! __testsmith_state {
    ($value:expr, $bytes:expr) => {
        $crate::__testsmith::snapshot($value, $bytes)
    };
}

/// Writes out what is read of a value of any type by whoever compares it with itself.
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

// Which of two equal things a reference leads to can matter only if they can change behind it.
impl<'a, T: ?Sized + self::std::marker::Freeze> Snapshot for &'a T {
    fn snapshot(&self, out: &mut Out) {
        out.node(&**self);
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        let value: &'a T = Box::leak(T::restore_box(from)?);
        Some(value)
    }
}
