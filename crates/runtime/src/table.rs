//! The tables that the generated harness fills in.

use std::marker::PhantomData;

use testsmith_protocol::{Caps, Reader, WireError};

use crate::glue::Args;
use crate::literal::Literal;
use crate::observe::Observer;
use crate::probes::Probes;

/// Everything that the generated harness says about itself.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    pub(crate) operations: &'static [Operation],
    pub(crate) types: &'static [Type],
    pub(crate) probes: Probes,
}

/// One callable operation.
pub struct Operation {
    /// Calls it; `false` means that it refused. The output is written only when it did not.
    ///
    /// # Safety
    /// Arguments and output as the operation's signature says.
    pub call: unsafe fn(Args, *mut u8) -> bool,
    /// The index of its output's type.
    pub output: u32,
}

/// What a slot can hold.
pub struct Type {
    /// Size of a value in bytes.
    pub size: usize,
    /// Alignment of a value.
    pub align: usize,
    /// Drop glue, where there is any.
    pub drop: Option<unsafe fn(*mut u8)>,
    /// Describes a value.
    pub observe: unsafe fn(*const u8, &mut Observer),
    /// Builds a value from a literal.
    pub decode: Option<Decode>,
    /// Its capabilities.
    pub caps: Caps,
    /// Writes its private state out, where a rewritten copy of the crate can.
    pub state: Option<WriteState>,
    /// Writes out what `==` reads of it, where it has that, too.
    pub read: Option<WriteState>,
}

/// Writes out a value's private state; anything but zero says that parts are missing.
pub(crate) type WriteState = unsafe fn(*const u8, &mut Vec<u8>) -> u8;

/// Compares a value with itself.
pub(crate) type Same = unsafe fn(*const u8);

/// Writes a decoded literal to uninitialised storage.
pub(crate) type Decode = unsafe fn(&mut Reader<'_>, *mut u8) -> Result<(), WireError>;

impl Type {
    /// Stands for a type that no slot can hold.
    pub const NONE: Type = Type {
        size: 0,
        align: 1,
        drop: None,
        observe: observe_nothing,
        decode: None,
        caps: Caps(0),
        state: None,
        read: None,
    };

    /// The entry of a type; capabilities come from [`Probe`].
    pub const fn of<T>(
        observe: unsafe fn(*const u8, &mut Observer),
        decode: Option<Decode>,
        caps: Caps,
    ) -> Type {
        Type {
            size: size_of::<T>(),
            align: align_of::<T>(),
            drop: if std::mem::needs_drop::<T>() {
                Some(drop_erased::<T>)
            } else {
                None
            },
            observe,
            decode,
            caps: caps
                .with(Caps::when(std::mem::needs_drop::<T>(), Caps::DROP))
                .with(Caps::when(decode.is_some(), Caps::LITERAL)),
            state: None,
            read: None,
        }
    }

    /// The same entry, with a function that writes out the private state.
    pub const fn with_state(self, state: WriteState) -> Type {
        Type {
            state: Some(state),
            ..self
        }
    }

    /// The same entry, with a function that writes out what `==` reads, if the type has `==`.
    pub const fn with_read(self, same: Option<Same>, read: WriteState) -> Type {
        Type {
            read: match same {
                Some(_) => Some(read),
                None => None,
            },
            ..self
        }
    }
}

unsafe fn observe_nothing(_: *const u8, observer: &mut Observer) {
    observer.opaque();
}

unsafe fn drop_erased<T>(value: *mut u8) {
    // SAFETY: the runtime calls it once, on a live value of this type.
    unsafe { value.cast::<T>().drop_in_place() }
}

/// Asks the compiler, at a concrete type, whether a bound holds: an inherent constant wins over a
/// trait's, but only where its `impl` applies.
pub struct Probe<T: ?Sized>(PhantomData<T>);

/// The constants that are used where no inherent constant applies.
#[expect(missing_docs, reason = "each constant is the trait of that name")]
pub trait Fallback {
    const COPY: Caps = Caps(0);
    const CLONE: Caps = Caps(0);
    const DEBUG: Caps = Caps(0);
    const EQ: Caps = Caps(0);
    const SAME: Option<Same> = None;
    const DECODE: Option<Decode> = None;
}

impl<T: ?Sized> Fallback for Probe<T> {}

#[expect(missing_docs, reason = "each constant is the trait of that name")]
impl<T: Copy> Probe<T> {
    pub const COPY: Caps = Caps::COPY;
}

#[expect(missing_docs, reason = "each constant is the trait of that name")]
impl<T: Clone> Probe<T> {
    pub const CLONE: Caps = Caps::CLONE;
}

#[expect(missing_docs, reason = "each constant is the trait of that name")]
impl<T: std::fmt::Debug> Probe<T> {
    pub const DEBUG: Caps = Caps::DEBUG;
}

#[expect(missing_docs, reason = "each constant is the trait of that name")]
impl<T: PartialEq> Probe<T> {
    pub const EQ: Caps = Caps::EQ;
    pub const SAME: Option<Same> = Some(same_erased::<T>);
}

unsafe fn same_erased<T: PartialEq>(value: *const u8) {
    // SAFETY: the runtime passes a live value of this type that nobody has borrowed mutably.
    let value = unsafe { &*value.cast::<T>() };
    #[expect(clippy::eq_op, reason = "what it reads is wanted, not what it says")]
    std::hint::black_box(*value == *value);
}

impl<T: Literal> Probe<T> {
    /// Builds a value from a literal.
    pub const DECODE: Option<Decode> = Some(decode_erased::<T>);
}

unsafe fn decode_erased<T: Literal>(
    reader: &mut Reader<'_>,
    out: *mut u8,
) -> Result<(), WireError> {
    let value = T::decode(reader)?;
    // SAFETY: the runtime passes uninitialised storage of this type's size and alignment.
    unsafe { out.cast::<T>().write(value) };
    Ok(())
}
