//! What generated glue calls: the one place where types are erased and restored.
//!
//! **Raw slots behind a table.** Moving a `Box` would invalidate borrows derived from it. Values
//! live in an arena that never moves; glue functions read, borrow and write them through pointers.
//! Erasure happens in the glue only; the function beside it is ordinary, lifetime-polymorphic Rust.

/// The arguments of one call, one pointer each: to a value that is moved or copied out, or to the
/// value that is borrowed.
#[derive(Clone, Copy)]
pub struct Args(pub(crate) *const *mut u8);

/// An argument by value.
///
/// # Safety
/// The `i`-th pointer points at a valid `T` that nobody uses or drops afterwards unless `T: Copy`.
pub unsafe fn take<T>(args: Args, i: usize) -> T {
    // SAFETY: as the caller promises.
    unsafe { (*args.0.add(i)).cast::<T>().read() }
}

/// An argument by shared reference.
///
/// # Safety
/// The `i`-th pointer points at a valid `T` that lives and is not mutated for `'a`: the host's
/// borrow check sees to it.
pub unsafe fn shared<'a, T>(args: Args, i: usize) -> &'a T {
    // SAFETY: as the caller promises.
    unsafe { &*(*args.0.add(i)).cast::<T>() }
}

/// An argument by mutable reference.
///
/// # Safety
/// As [`shared`], and nobody else uses the value for `'a`.
pub unsafe fn exclusive<'a, T>(args: Args, i: usize) -> &'a mut T {
    // SAFETY: as the caller promises.
    unsafe { &mut *(*args.0.add(i)).cast::<T>() }
}

/// The result into its slot.
///
/// # Safety
/// `out` points at uninitialised storage of `T`'s size and alignment.
pub unsafe fn put<T>(out: *mut u8, value: T) {
    // SAFETY: as the caller promises.
    unsafe { out.cast::<T>().write(value) }
}
