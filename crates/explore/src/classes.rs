//! Kinds of values: what a person would call a different case.
//!
//! A boundary of a class is a guess at a branch. Exploration keeps executions of different kinds,
//! and tests are chosen to show as many kinds as they can.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use testsmith_protocol::Value;
use testsmith_sequence::{Arg, Sequence, Use};

/// The kind of an argument. For a literal, that is its class; for a slot, the operation that made
/// it with the kinds of its arguments, and how often it was changed since.
pub fn argument_class(sequence: &Sequence, arg: &Arg, depth: u32) -> u64 {
    match arg {
        Arg::Literal(value) => class(value, 2),
        Arg::Slot(slot, _) => {
            let (maker, args) = sequence.maker(*slot);
            let inner: Vec<u64> = match depth {
                0 => Vec::new(),
                _ => args
                    .iter()
                    .map(|arg| argument_class(sequence, arg, depth - 1))
                    .collect(),
            };
            let n_changes = sequence
                .steps()
                .iter()
                .filter(|step| step.uses(*slot, Use::Mut))
                .count();
            digest(&(maker, inner, n_changes.min(3)))
        }
    }
}

/// A digest of anything that can be hashed; the same in every run.
pub fn digest(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A coarser class, for the answer of an observer: empty or not, which variant, which sign.
pub fn coarse(value: &Value) -> u64 {
    match value {
        Value::Int(value) => digest(&(value.signum(), value.unsigned_abs() > 1)),
        Value::UInt(value) => digest(&(*value).min(2)),
        Value::Str(text) => digest(&text.is_empty()),
        Value::List(parts) | Value::Unordered(parts) => digest(&parts.len().min(2)),
        Value::Named { path, fields } => {
            let inner: Vec<u64> = fields.iter().map(|(_, v)| coarse(v)).collect();
            digest(&(path, inner))
        }
        other => class(other, 0),
    }
}

/// The coarse kind of a value: what a person would call a different case.
pub fn class(value: &Value, depth: u32) -> u64 {
    let bucket = |n: u128| match n {
        0..=2 => n as u64,
        3..=7 => 3,
        8..=63 => 4,
        64..=255 => 5,
        256..=65535 => 6,
        _ => 7,
    };
    match value {
        Value::Unit | Value::Opaque | Value::Cut => 0,
        Value::Bool(value) => digest(value),
        Value::Char(c) => digest(&(c.is_alphabetic(), c.is_ascii(), c.is_numeric())),
        Value::Int(value) => digest(&(*value < 0, bucket(value.unsigned_abs()))),
        Value::UInt(value) => digest(&bucket(*value)),
        Value::F32(bits) => class(
            &Value::F64(f64::from(f32::from_bits(*bits)).to_bits()),
            depth,
        ),
        Value::F64(bits) => {
            let value = f64::from_bits(*bits);
            digest(&(
                value.is_nan(),
                value > 0.0,
                value < 0.0,
                value.abs() < 1.0,
                value.is_finite(),
            ))
        }
        Value::Str(text) => {
            let shape: BTreeSet<char> = text
                .chars()
                .map(|c| {
                    if c.is_alphabetic() {
                        'a'
                    } else if c.is_numeric() {
                        '0'
                    } else {
                        c
                    }
                })
                .collect();
            digest(&(bucket(text.chars().count() as u128), shape))
        }
        Value::Debug(text) => {
            let head: String = text.chars().take_while(|c| c.is_alphanumeric()).collect();
            digest(&(head, bucket(text.len() as u128)))
        }
        Value::Tuple(parts) => digest(&parts.iter().map(|p| class(p, depth)).collect::<Vec<_>>()),
        Value::List(parts) | Value::Unordered(parts) => {
            let head = parts.iter().take(if depth > 0 { 1 } else { 0 });
            let head: Vec<u64> = head.map(|part| class(part, depth - 1)).collect();
            digest(&(bucket(parts.len() as u128), head))
        }
        Value::Named { path, fields } => {
            let inner: Vec<u64> = match depth {
                0 => Vec::new(),
                _ => fields.iter().map(|(_, v)| class(v, depth - 1)).collect(),
            };
            digest(&(path, inner))
        }
    }
}
