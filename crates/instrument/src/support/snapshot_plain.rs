// Without specialisation, a value whose type is a generic parameter cannot be looked into.

pub use self::std::marker::PhantomData;

/// A value that is written out whole if its type is known to be a `Snapshot`, and as opaque otherwise.
pub struct Seen<'s, T: ?Sized>(pub &'s T);

pub trait WriteKnown {
    fn write(&self, out: &mut Out);
}

impl<'r, 's, T: Snapshot + ?Sized> WriteKnown for &'r Seen<'s, T> {
    fn write(&self, out: &mut Out) {
        self.0.snapshot(out);
    }
}

pub trait WriteOpaque {
    fn write(&self, out: &mut Out);
}

impl<'s, T: ?Sized> WriteOpaque for Seen<'s, T> {
    fn write(&self, out: &mut Out) {
        out.opaque(self::std::any::type_name::<T>());
    }
}

#[macro_export]
#[doc(hidden)]
macro_rules! __testsmith_field {
    ($out:ident, $name:literal, $value:ident) => {{
        use crate::__testsmith::{WriteKnown as _, WriteOpaque as _};
        $out.name($name);
        (&&crate::__testsmith::Seen($value)).write($out);
    }};
}

/// Writes out a value of any type; the harness, which uses the crate, calls this.
#[macro_export]
#[doc(hidden)]
macro_rules! __testsmith_state {
    ($value:expr, $bytes:expr) => {{
        use $crate::__testsmith::{WriteKnown as _, WriteOpaque as _};
        let value = $value;
        $crate::__testsmith::written($bytes, |out| (&&$crate::__testsmith::Seen(value)).write(out))
    }};
}

/// Writes out the whole value: equalities are not monitored, so all of it counts as read.
#[macro_export]
#[doc(hidden)]
macro_rules! __testsmith_read {
    ($value:expr, $compare:expr, $bytes:expr) => {
        $crate::__testsmith_state!($value, $bytes)
    };
}

/// A value that is built again if its type is known to be a `Snapshot`.
pub struct Part<T>(pub PhantomData<T>);

pub trait ReadKnown {
    type Value;
    fn read(&self, from: &mut In<'_>) -> Option<Self::Value>;
}

impl<'r, T: Snapshot> ReadKnown for &'r Part<T> {
    type Value = T;
    fn read(&self, from: &mut In<'_>) -> Option<T> {
        from.field()
    }
}

pub trait ReadOpaque {
    type Value;
    fn read(&self, from: &mut In<'_>) -> Option<Self::Value>;
}

impl<T> ReadOpaque for Part<T> {
    type Value = T;
    fn read(&self, from: &mut In<'_>) -> Option<T> {
        None
    }
}

#[macro_export]
#[doc(hidden)]
macro_rules! __testsmith_part {
    ($from:ident, $type:ty) => {{
        use crate::__testsmith::{ReadKnown as _, ReadOpaque as _};
        (&&crate::__testsmith::Part::<$type>(crate::__testsmith::PhantomData)).read($from)
    }};
}

impl<T: ?Sized> Snapshot for PhantomData<T> {
    fn snapshot(&self, out: &mut Out) {
        out.scalar(&[]);
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        from.scalar::<0>().map(|_| PhantomData)
    }
}

impl<'a, T: Snapshot + Boxed + ?Sized> Snapshot for &'a T {
    fn snapshot(&self, out: &mut Out) {
        out.shared(&**self);
    }

    fn restore(from: &mut In<'_>) -> Option<Self> {
        restore_reference(from)
    }
}
