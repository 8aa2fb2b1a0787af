//! Literals of calls that led through code where their operation had not been. Values near them may
//! lead further.

use rustc_hash::FxHashMap;
use testsmith_api::OperationId;
use testsmith_protocol::Value;
use testsmith_sequence::{Arg, Sequence, Step};

use crate::rng::Rng;

/// The most literals for one operation. A new one replaces the oldest.
const MAX_PER_OPERATION: usize = 48;
/// The most literals that all operations share.
const MAX_SHARED: usize = 256;
/// Text that is longer than this is not kept.
const MAX_STRING: usize = 200;

/// The last items that were added.
#[derive(Clone, Debug)]
struct Ring<T> {
    items: Vec<T>,
    next: usize,
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Ring {
            items: Vec::new(),
            next: 0,
        }
    }
}

impl<T: PartialEq> Ring<T> {
    fn add(&mut self, item: T, max: usize) {
        if self.items.contains(&item) {
            return;
        }
        if self.items.len() < max {
            self.items.push(item);
        } else {
            self.items[self.next] = item;
            self.next = (self.next + 1) % max;
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Pool {
    strings: Ring<String>,
    integers: Ring<i128>,
}

impl Pool {
    fn add(&mut self, value: &Value, max: usize) {
        match value {
            Value::Str(text) if text.len() <= MAX_STRING => self.strings.add(text.clone(), max),
            Value::Int(value) => self.integers.add(*value, max),
            Value::UInt(value) => {
                if let Ok(value) = i128::try_from(*value) {
                    self.integers.add(value, max);
                }
            }
            Value::Tuple(parts) | Value::List(parts) => {
                parts.iter().for_each(|part| self.add(part, max));
            }
            Value::Named { fields, .. } => {
                fields.iter().for_each(|(_, part)| self.add(part, max));
            }
            _ => {}
        }
    }
}

/// Lively literals of each operation, and those that all operations share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lively {
    by_operation: FxHashMap<OperationId, Pool>,
    shared: Pool,
}

impl Lively {
    /// Adds the literals of a sequence's last call, which went where its operation had not been.
    /// Literals in slots of their own count as well.
    pub(crate) fn add(&mut self, sequence: &Sequence) {
        let Some(Step::Call { op, args, .. }) = sequence.steps().last() else {
            return;
        };
        let pool = self.by_operation.entry(*op).or_default();
        for arg in args {
            let value = match arg {
                Arg::Literal(value) => value,
                Arg::Slot(slot, _) => match sequence.maker(*slot).1 {
                    [Arg::Literal(value)] => value,
                    _ => continue,
                },
            };
            pool.add(value, MAX_PER_OPERATION);
            self.shared.add(value, MAX_SHARED);
        }
    }

    /// A lively string of the operation, or now and then one of another operation.
    pub(crate) fn string(&self, operation: OperationId, rng: &mut Rng) -> Option<&str> {
        let own = self.own(operation, rng).map(|pool| &pool.strings.items);
        let own = own.filter(|items| !items.is_empty());
        let items = own.unwrap_or(&self.shared.strings.items);
        rng.pick(items).map(|text| &**text)
    }

    /// Does the same as [`Lively::string`] for integers.
    pub(crate) fn integer(&self, operation: OperationId, rng: &mut Rng) -> Option<i128> {
        let own = self.own(operation, rng).map(|pool| &pool.integers.items);
        rng.pick(own?).copied()
    }

    fn own(&self, operation: OperationId, rng: &mut Rng) -> Option<&Pool> {
        let pool = self.by_operation.get(&operation)?;
        rng.chance(75).then_some(pool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_ring_replaces_its_oldest() {
        let mut ring = Ring::default();
        for item in [1, 2, 2, 3, 4, 5] {
            ring.add(item, 3);
        }
        assert_eq!(ring.items, [4, 5, 3]);
    }
}
