// Values written out as graphs of bytes, and built again: the format, its reader and its writer.

use self::std::borrow::{Cow, ToOwned};
use self::std::boxed::Box;
use self::std::collections::{BTreeMap, BTreeSet, BinaryHeap, LinkedList, VecDeque};
use self::std::collections::{HashMap, HashSet};
use self::std::hash::{BuildHasher, BuildHasherDefault, Hash};
use self::std::iter::Iterator;
use self::std::marker::Sized;
pub use self::std::option::Option::{self, None, Some};
use self::std::rc::Rc;
use self::std::result::Result::{self, Err, Ok};
use self::std::string::String;
use self::std::sync::Arc;
use self::std::vec::Vec;

/// A flag: some part of the value cannot be looked into, so equal bytes do not mean equal values.
pub const IS_OPAQUE: u8 = 1;
/// A flag: the value was too deep or too large, and the rest is missing.
pub const IS_CUT: u8 = 2;

/// How deep values within values are followed.
const MAX_DEPTH: u32 = 400;
/// How many bytes a snapshot has at most, about.
const MAX_SIZE: usize = 1 << 20;

// What a node begins with. A smaller number is a scalar of so many bytes.
const TEXT: u8 = 32;
const LIST: u8 = 33;
/// A constructor: its number, its name, fields up to an end.
const NAMED: u8 = 34;
const FIELD: u8 = 35;
const END: u8 = 36;
/// What cannot be looked into: the name of its type.
const OPAQUE: u8 = 37;
const CUT: u8 = 38;
/// A value that others may refer to: its number is how many such values came before it.
const SHARED: u8 = 39;
/// A reference to a value that was shared before: its number.
const AGAIN: u8 = 40;
/// A value that was not read, in a snapshot of what was read.
const UNREAD: u8 = 41;
/// Parts of a list or a text that were read, each with its position from 1, up to 0.
const PARTS: u8 = 42;

/// A value that can be written out whole, and built again.
pub trait Snapshot {
    fn snapshot(&self, out: &mut Out);

    /// `None` if it cannot be built, or the bytes are something else's.
    fn restore(from: &mut In<'_>) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
}

/// A snapshot that is being written.
pub struct Out {
    bytes: Vec<u8>,
    flags: u8,
    depth: u32,
    /// Places of what is shared and whether only parts of it are written, and their numbers.
    shared: BTreeMap<(Place, bool), u64>,
    /// What was read, if only that is written.
    sieve: Option<Sieve>,
}

impl Out {
    fn new(bytes: Vec<u8>) -> Out {
        Out { bytes, flags: 0, depth: 0, shared: BTreeMap::new(), sieve: None }
    }

    fn number(&mut self, mut n: u64) {
        while n >= 128 {
            self.bytes.push(n as u8 | 128);
            n >>= 7;
        }
        self.bytes.push(n as u8);
    }

    fn words(&mut self, text: &[u8]) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text);
    }

    fn scalar(&mut self, bytes: &[u8]) {
        self.bytes.push(bytes.len() as u8);
        self.bytes.extend_from_slice(bytes);
    }

    fn text(&mut self, text: &[u8]) {
        if self.sifts() {
            return self.excerpts(text);
        }
        self.bytes.push(TEXT);
        let end = text.len().min(MAX_SIZE);
        self.words(&text[..end]);
        if end < text.len() {
            self.flags |= IS_CUT;
        }
    }

    fn opaque(&mut self, name: &str) {
        self.flags |= IS_OPAQUE;
        self.bytes.push(OPAQUE);
        self.words(name.as_bytes());
    }

    /// Is there no room for more?
    fn is_full(&mut self) -> bool {
        let is_full = self.depth > MAX_DEPTH || self.bytes.len() > MAX_SIZE;
        if is_full {
            self.flags |= IS_CUT;
        }
        is_full
    }

    fn list<'i, T: Snapshot + 'i>(&mut self, n: usize, items: impl Iterator<Item = &'i T>) {
        if self.sifts() {
            return self.items(items);
        }
        self.bytes.push(LIST);
        self.number(n as u64);
        for item in items {
            if self.is_full() {
                break;
            }
            self.node(item);
        }
    }

    /// Entries that have an order.
    fn entries<'i, K: Snapshot + 'i, V: Snapshot + 'i>(
        &mut self,
        n: usize,
        entries: impl Iterator<Item = (&'i K, &'i V)>,
    ) {
        self.bytes.push(LIST);
        self.number(n as u64);
        for (key, value) in entries {
            if self.is_full() {
                break;
            }
            self.entry(key, value);
        }
    }

    /// Writes an entry as a pair is written.
    fn entry<K: Snapshot, V: Snapshot>(&mut self, key: &K, value: &V) {
        self.bytes.extend_from_slice(&[LIST, 2]);
        self.node(key);
        self.node(value);
    }

    /// Entries that have no order are written in that of their bytes.
    fn unordered<E>(&mut self, entries: impl Iterator<Item = E>, write: impl Fn(&E, &mut Out)) {
        let (begin, n_shared) = (self.bytes.len(), self.shared.len() as u64);
        let (mut size, mut is_shared) = (begin, false);
        let mut found: Vec<(Vec<u8>, E)> = Vec::new();
        for entry in entries {
            write(&entry, self);
            let bytes = self.bytes.split_off(begin);
            size += bytes.len();
            is_shared |= self.shared.len() as u64 > n_shared;
            self.shared.retain(|_, n| *n < n_shared);
            found.push((bytes, entry));
            if size > MAX_SIZE {
                self.flags |= IS_CUT;
                break;
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        self.bytes.push(LIST);
        self.number(found.len() as u64);
        for (bytes, entry) in found {
            // Numbers of what is shared depend on the order.
            match is_shared {
                true => write(&entry, self),
                false => self.bytes.extend_from_slice(&bytes),
            }
        }
    }

    /// Begins a constructor; `false` if it has no room.
    pub fn begin(&mut self, variant: u32, name: &'static str) -> bool {
        if self.is_full() {
            self.bytes.push(CUT);
            return false;
        }
        self.depth += 1;
        self.bytes.push(NAMED);
        self.number(u64::from(variant));
        self.words(name.as_bytes());
        true
    }

    /// A field of the constructor.
    pub fn field<T: Snapshot + ?Sized>(&mut self, name: &'static str, value: &T) {
        self.name(name);
        self.node(value);
    }

    /// Ends the constructor.
    pub fn end(&mut self) {
        self.depth -= 1;
        self.bytes.push(END);
    }

    /// Begins a field.
    pub fn name(&mut self, name: &'static str) {
        self.bytes.push(FIELD);
        self.words(name.as_bytes());
    }

    /// Writes a value that others may refer to: whole at first, then as its number.
    fn shared<T: Snapshot + ?Sized>(&mut self, value: &T) {
        let key = (place(value), self.sifts());
        if let Some(n) = self.shared.get(&key).copied() {
            self.bytes.push(AGAIN);
            return self.number(n);
        }
        let n = self.shared.len() as u64;
        self.shared.insert(key, n);
        self.bytes.push(SHARED);
        self.node(value);
    }
}

/// A snapshot that is read.
pub struct In<'b> {
    bytes: &'b [u8],
    shared: Vec<Kept>,
    /// Has a value been referred to before it was there?
    is_cyclic: bool,
}

/// A shared value that is restored: an `Rc`, an `Arc` or a reference, in a box.
struct Kept {
    pointer: *mut (),
    name: &'static str,
    is_there: bool,
    /// Drops the box, and says whether its value has another owner.
    release: fn(*mut ()) -> bool,
}

/// Drops a box whose value needs no other owner. The pointer must come from `In::keep::<P>`, and is not
/// used afterwards.
fn release<P>(kept: *mut ()) -> bool {
    // SAFETY: `In` keeps the pointer together with this function for the type that it boxed, and takes
    // both out of its list before it calls the function, so this happens once.
    drop(unsafe { Box::from_raw(kept as *mut P) });
    true
}

/// Whether a shared value is met for the first time.
enum Met {
    First,
    Again(usize),
}

impl<'b> In<'b> {
    fn new(bytes: &'b [u8]) -> In<'b> {
        In { bytes, shared: Vec::new(), is_cyclic: false }
    }

    fn take(&mut self, n: usize) -> Option<&'b [u8]> {
        if n > self.bytes.len() {
            return None;
        }
        let (taken, rest) = self.bytes.split_at(n);
        self.bytes = rest;
        Some(taken)
    }

    fn tag(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    fn is(&mut self, tag: u8) -> Option<()> {
        match self.tag()? == tag {
            true => Some(()),
            false => None,
        }
    }

    fn number(&mut self) -> Option<u64> {
        let mut n = 0;
        for shift in 0..9 {
            let byte = self.tag()?;
            n |= u64::from(byte & 127) << (7 * shift);
            if byte < 128 {
                return Some(n);
            }
        }
        None
    }

    fn words(&mut self) -> Option<&'b [u8]> {
        let n = self.number()?;
        self.take(n as usize)
    }

    fn scalar<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.is(N as u8)?;
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N)?);
        Some(bytes)
    }

    fn text(&mut self) -> Option<&'b str> {
        self.is(TEXT)?;
        self::std::str::from_utf8(self.words()?).ok()
    }

    fn list<T: Snapshot>(&mut self) -> Option<Vec<T>> {
        self.is(LIST)?;
        let n = self.number()?;
        let mut items = Vec::new();
        for _ in 0..n {
            items.push(T::restore(self)?);
        }
        Some(items)
    }

    /// Begins a constructor and gives its number.
    pub fn begin(&mut self) -> Option<u32> {
        self.is(NAMED)?;
        let variant = self.number()?;
        self.words()?;
        Some(variant as u32)
    }

    /// A field of the constructor.
    pub fn field<T: Snapshot>(&mut self) -> Option<T> {
        self.name()?;
        T::restore(self)
    }

    /// Ends the constructor.
    pub fn end(&mut self) -> Option<()> {
        self.is(END)
    }

    fn name(&mut self) -> Option<()> {
        self.is(FIELD)?;
        self.words().map(|_| ())
    }

    fn met(&mut self) -> Option<Met> {
        match self.tag()? {
            SHARED => Some(Met::First),
            AGAIN => Some(Met::Again(self.number()? as usize)),
            _ => None,
        }
    }

    /// Keeps a shared value for later references to it, and gives its number.
    fn keep<P>(&mut self, pointer: P, is_there: bool, release: fn(*mut ()) -> bool) -> usize {
        let name = self::std::any::type_name::<P>();
        let pointer = Box::into_raw(Box::new(pointer)) as *mut ();
        self.shared.push(Kept { pointer, name, is_there, release });
        self.shared.len() - 1
    }

    /// Reserves the number of a shared value that comes later.
    fn reserve(&mut self) -> usize {
        self.keep((), false, release::<()>)
    }

    /// Keeps a shared value under a number that was reserved.
    fn put<P>(&mut self, n: usize, pointer: P, release: fn(*mut ()) -> bool) {
        self.keep(pointer, true, release);
        let kept = self.shared.swap_remove(n);
        (kept.release)(kept.pointer);
    }

    /// The shared value that was restored under this number.
    fn kept<P: Clone>(&mut self, n: usize) -> Option<P> {
        let kept = self.shared.get(n)?;
        self.is_cyclic |= !kept.is_there;
        match kept.name == self::std::any::type_name::<P>() {
            // SAFETY: the pointer is a box of a type with this name, until `release`. Types that differ
            // in lifetimes have the same name and the same layout. (So may types of two versions of one
            // package: the bytes were written by this program at the same place of the same types, so
            // a number leads to the type that it led to when they were written.) The clone of an `Rc`
            // or `Arc` reads its counters only, not the value, which may not be there yet.
            true => Some(unsafe { (*(kept.pointer as *const P)).clone() }),
            false => None,
        }
    }

    /// Items that will be compared or hashed: all that they refer to must be there.
    fn settled<T: Snapshot>(&mut self) -> Option<Vec<T>> {
        let items = self.list()?;
        match self.is_cyclic {
            true => None,
            false => Some(items),
        }
    }

    /// Drops the boxes of shared values; `None` if one of the values has no other owner.
    fn release(&mut self) -> Option<()> {
        let mut all = true;
        for kept in self.shared.drain(..) {
            all &= (kept.release)(kept.pointer);
        }
        match all {
            true => Some(()),
            false => None,
        }
    }
}

impl<'b> self::std::ops::Drop for In<'b> {
    fn drop(&mut self) {
        self.release();
    }
}

/// Writes a value out, and returns its flags, [`IS_OPAQUE`] and [`IS_CUT`], which are the first byte, too.
pub fn snapshot<T: Snapshot + ?Sized>(value: &T, bytes: &mut Vec<u8>) -> u8 {
    written(bytes, |out| value.snapshot(out))
}

/// Writes out what `write` writes, as [`snapshot`].
pub fn written(bytes: &mut Vec<u8>, write: impl FnOnce(&mut Out)) -> u8 {
    bytes.clear();
    bytes.push(0);
    let mut out = Out::new(self::std::mem::take(bytes));
    write(&mut out);
    *bytes = out.bytes;
    bytes[0] = out.flags;
    out.flags
}

/// Builds a value of its snapshot; `None` if that cannot be done.
pub fn restore<T: Snapshot>(bytes: &[u8]) -> Option<T> {
    let mut from = In::new(bytes);
    from.is(0)?;
    let value = T::restore(&mut from)?;
    match from.bytes.is_empty() {
        true => from.release().map(|_| value),
        false => None,
    }
}
