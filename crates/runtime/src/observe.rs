//! Describing a value: its structure where the generated code can see it, else its `Debug` text.
//!
//! The description is written straight in the protocol's byte form; its digest is the value's
//! fingerprint.

use std::fmt::{self, Write as _};
use std::hash::{Hash, Hasher};

use testsmith_protocol::{Fingerprint, Notion, Writer, digest, tag};

/// The most bytes of a description.
const MAX_BYTES: usize = 4096;
/// How many elements of a collection are described.
const MAX_ELEMENTS: usize = 64;
/// Numbers above this are not worth building upon.
const LARGE: u128 = 1 << 20;

/// Collects one description.
#[derive(Default)]
pub struct Observer {
    bytes: Vec<u8>,
    saw_debug: bool,
    saw_nothing: bool,
    /// `Debug` text with an address in it was met, and nothing else told such values apart.
    saw_address: bool,
    /// What is known of the value beside its description.
    salt: u64,
    barren: bool,
    /// Elements still allowed in the whole description; guards against cyclic public structures.
    room: usize,
}

impl Observer {
    /// Forget the last description.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.saw_debug = false;
        self.saw_nothing = false;
        self.saw_address = false;
        self.salt = 0;
        self.barren = false;
        self.room = 512;
    }

    /// The description.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Null-like, or a very large number.
    pub fn is_barren(&self) -> bool {
        self.barren
    }

    /// The description's digest.
    pub fn fingerprint(&self) -> Fingerprint {
        let notion = match (self.saw_nothing || self.saw_address, self.saw_debug) {
            (true, _) => Notion::None,
            (false, true) => Notion::Debug,
            (false, false) => Notion::Structure,
        };
        Fingerprint {
            notion,
            hash: digest(&self.bytes) ^ self.salt,
        }
    }

    fn is_top(&self) -> bool {
        self.bytes.is_empty()
    }

    /// `()`
    pub fn unit(&mut self) {
        self.bytes.u8(tag::UNIT);
    }

    /// `bool`
    pub fn bool(&mut self, value: bool) {
        self.bytes.u8(tag::BOOL);
        self.bytes.u8(u8::from(value));
    }

    /// `char`
    pub fn char(&mut self, value: char) {
        self.bytes.u8(tag::CHAR);
        self.bytes.u32(u32::from(value));
    }

    /// A signed integer.
    pub fn int(&mut self, value: i128) {
        self.barren |= self.is_top() && value.unsigned_abs() > LARGE;
        self.bytes.u8(tag::INT);
        self.bytes.u128(value as u128);
    }

    /// An unsigned integer.
    pub fn uint(&mut self, value: u128) {
        self.barren |= self.is_top() && value > LARGE;
        self.bytes.u8(tag::UINT);
        self.bytes.u128(value);
    }

    /// `f32`; every NaN is the same, because the bits of a computed NaN are not defined.
    pub fn f32(&mut self, value: f32) {
        self.bytes.u8(tag::F32);
        let value = if value.is_nan() { f32::NAN } else { value };
        self.bytes.u32(value.to_bits());
    }

    /// `f64`, as [`Observer::f32`].
    pub fn f64(&mut self, value: f64) {
        self.bytes.u8(tag::F64);
        let value = if value.is_nan() { f64::NAN } else { value };
        self.bytes.u64(value.to_bits());
    }

    /// `str`
    pub fn str(&mut self, value: &str) {
        if value.len() > MAX_BYTES {
            return self.cut(value.len());
        }
        self.bytes.u8(tag::STR);
        self.bytes.text(value);
    }

    /// The start of a tuple of `n` parts.
    pub fn tuple(&mut self, n: usize) {
        self.bytes.u8(tag::TUPLE);
        self.bytes.u32(n as u32);
    }

    /// The start of a struct or variant of `n` fields; each is announced by [`Observer::field`].
    pub fn named(&mut self, path: &str, n: usize) {
        self.barren |= self.is_top() && matches!(path, "None" | "Err");
        self.bytes.u8(tag::NAMED);
        self.bytes.text(path);
        self.bytes.u32(n as u32);
    }

    /// The next field's name; its value follows.
    pub fn field(&mut self, name: &str) {
        self.bytes.text(name);
    }

    /// A sequence of values. `describe` is called on each.
    pub fn list<T>(
        &mut self,
        values: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        describe: impl FnMut(T, &mut Observer),
    ) {
        self.elements(tag::LIST, values.into_iter(), describe);
    }

    /// The elements of a hash table; sorted by their description.
    pub fn unordered<T>(
        &mut self,
        values: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        mut describe: impl FnMut(T, &mut Observer),
    ) {
        let mut parts: Vec<Vec<u8>> = Vec::new();
        let outer = std::mem::take(&mut self.bytes);
        let mut values = values.into_iter();
        let n = values.len();
        if n > MAX_ELEMENTS {
            self.bytes = outer;
            return self.cut(n);
        }
        for value in &mut values {
            self.bytes.push(0);
            describe(value, self);
            let mut part = std::mem::take(&mut self.bytes);
            part.remove(0);
            parts.push(part);
        }
        parts.sort();
        self.bytes = outer;
        self.bytes.u8(tag::UNORDERED);
        self.bytes.u32(parts.len() as u32);
        parts.iter().for_each(|part| self.bytes.raw(part));
    }

    fn elements<T>(
        &mut self,
        tag: u8,
        values: impl ExactSizeIterator<Item = T>,
        mut describe: impl FnMut(T, &mut Observer),
    ) {
        let n = values.len();
        if n > MAX_ELEMENTS || n > self.room || self.bytes.len() > MAX_BYTES {
            self.barren |= self.is_top();
            return self.cut(n);
        }
        self.room -= n;
        self.bytes.u8(tag);
        self.bytes.u32(n as u32);
        for value in values {
            describe(value, self);
        }
    }

    /// Too much to describe, `n` parts of it: it counts as like anything else that is too much, so that
    /// what only grows is not new for ever.
    fn cut(&mut self, n: usize) {
        self.bytes.u8(tag::CUT);
        self.saw_nothing |= n == 0;
        self.saw_debug = true;
    }

    /// Nothing can be seen.
    pub fn opaque(&mut self) {
        self.saw_nothing = true;
        self.bytes.u8(tag::OPAQUE);
    }

    /// The `Debug` text.
    pub fn debug<T: fmt::Debug + ?Sized>(&mut self, value: &T) {
        self.saw_debug = true;
        self.bytes.u8(tag::DEBUG);
        let at = self.bytes.len();
        self.bytes.u32(0);
        let mut text = Capped(&mut self.bytes, at + 4 + MAX_BYTES);
        if write!(text, "{value:?}").is_err() {
            self.bytes.truncate(at - 1);
            return self.cut(1);
        }
        // An address differs from run to run, so it must not be part of a fingerprint.
        if mask_addresses(&mut self.bytes[at + 4..]) {
            self.salt = self.salt.rotate_left(1) ^ digest(&self.bytes[at + 4..]);
            self.saw_address = true;
            self.bytes.truncate(at - 1);
            return self.bytes.u8(tag::OPAQUE);
        }
        let n = (self.bytes.len() - at - 4) as u32;
        self.bytes[at..at + 4].copy_from_slice(&n.to_le_bytes());
    }

    /// Does the description have a value that only its address tells apart from others?
    fn is_vague(&self) -> bool {
        self.saw_address
    }

    /// A container's size tells it from others, even if its text does not show what is in it.
    pub fn size(&mut self, size: usize) {
        self.salt = self.salt.rotate_left(1) ^ digest(&size.to_le_bytes());
    }

    /// The value's own hash tells it from others.
    fn stir(&mut self, hash: u64) {
        self.salt = self.salt.rotate_left(1) ^ hash;
        self.saw_address = false;
    }
}

/// Overwrites the digits of what can only be an address: 11 to 16 significant digits after `0x`.
/// Answers whether there were any.
fn mask_addresses(text: &mut [u8]) -> bool {
    const DIGITS: std::ops::RangeInclusive<usize> = 11..=16;
    let mut found = false;
    let mut at = 0;
    while at + 2 < text.len() {
        if &text[at..at + 2] != b"0x" {
            at += 1;
            continue;
        }
        let digits = &mut text[at + 2..];
        let n = digits
            .iter()
            .take_while(|byte| byte.is_ascii_hexdigit())
            .count();
        let n_significant = n - digits[..n].iter().take_while(|byte| **byte == b'0').count();
        if DIGITS.contains(&n_significant) {
            digits[..n].fill(b'_');
            found = true;
        }
        at += 2 + n;
    }
    found
}

/// Hashes the same in every run.
struct Plain(u64);

impl Hasher for Plain {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = self.0.rotate_left(7) ^ digest(bytes);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Refuses text past its limit, so that a huge value's `Debug` stops early.
struct Capped<'a>(&'a mut Vec<u8>, usize);

impl fmt::Write for Capped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > self.1 {
            return Err(fmt::Error);
        }
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

/// A value that may or may not have `Debug`; method resolution decides at the concrete type.
pub struct Look<'a, T: ?Sized>(pub &'a T);

/// The method that is used for a value without `Debug`.
pub trait NoDebug {
    /// Says that nothing can be seen.
    fn look(&self, observer: &mut Observer) {
        observer.opaque();
    }
}

impl<T: ?Sized> NoDebug for Look<'_, T> {}

impl<T: fmt::Debug + ?Sized> Look<'_, T> {
    /// Writes the `Debug` text.
    pub fn look(&self, observer: &mut Observer) {
        observer.debug(self.0);
    }
}

/// The method that is used for a value without a hash.
pub trait NoHash {
    /// Adds nothing.
    fn stir(&self, _observer: &mut Observer) {}
}

impl<T: ?Sized> NoHash for Look<'_, T> {}

impl<T: Hash + ?Sized> Look<'_, T> {
    /// Adds the value's hash, if its text says too little.
    pub fn stir(&self, observer: &mut Observer) {
        if observer.is_vague() {
            let mut hasher = Plain(0);
            self.0.hash(&mut hasher);
            observer.stir(hasher.finish());
        }
    }
}

#[cfg(test)]
mod tests;
