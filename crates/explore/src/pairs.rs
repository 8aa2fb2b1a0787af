//! Values that `==` does not tell apart: one of each class is built upon.
//!
//! A value that may be new is compared with one of every class first. That takes calls, and a type may
//! have very many classes, so only some are kept; what is equal to none of these is new.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::{FxHashMap, FxHashSet};
use testsmith_api::{OperationId, TypeIdx};
use testsmith_protocol::{Execution, Outcome, Use, Value};
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, World};
use testsmith_states::equalities;

use crate::ask::Ask;
use crate::classes::digest;

/// Classes of a type that values are compared with.
const MAX_CLASSES: usize = 96;
/// Values that wait to be compared.
const MAX_WAITING: usize = 4_000;

/// A value that may be new.
#[derive(Clone, Debug)]
pub(crate) struct Doubtful {
    pub(crate) ty: TypeIdx,
    pub(crate) sequence: Sequence,
    pub(crate) slot: SlotIdx,
    /// A digest of all that was seen of it.
    pub(crate) look: u64,
    /// A digest of all that is inside, if all of it could be seen.
    pub(crate) state: Option<u64>,
    pub(crate) is_barren: bool,
    pub(crate) is_seed: bool,
}

/// Compares values.
#[derive(Default)]
pub(crate) struct Pairs {
    equalities: BTreeMap<TypeIdx, OperationId>,
    /// One value of each class.
    classes: FxHashMap<TypeIdx, Vec<(Sequence, SlotIdx)>>,
    waiting: VecDeque<Doubtful>,
    /// Types of which a value is being compared.
    busy: FxHashSet<TypeIdx>,
    /// By a digest of the sequence that compares it: a value, and where the answers will be.
    asked: FxHashMap<u64, (Doubtful, Vec<SlotIdx>)>,
}

impl Pairs {
    pub(crate) fn of(world: &World) -> Pairs {
        Pairs {
            equalities: equalities(world),
            ..Pairs::default()
        }
    }

    /// Has the type an `==`?
    pub(crate) fn has_equality(&self, ty: TypeIdx) -> bool {
        self.equalities.contains_key(&ty)
    }

    /// Can values of this type be compared, and is it worth it?
    pub(crate) fn compares(&self, ty: TypeIdx) -> bool {
        let classes = self.classes.get(&ty);
        self.has_equality(ty) && classes.is_none_or(|it| it.len() < MAX_CLASSES)
    }

    /// A value is to be compared with the others of its type.
    pub(crate) fn add(&mut self, value: Doubtful) {
        if self.waiting.len() < MAX_WAITING {
            self.waiting.push_back(value);
        }
    }

    /// Compares the next value with one of each class. Values that there is nothing to compare with
    /// are new, and handed out at once.
    pub(crate) fn propose(
        &mut self,
        world: &World,
        mut is_new: impl FnMut(Doubtful),
    ) -> Option<Ask> {
        for _ in 0..self.waiting.len() {
            let value = self.waiting.pop_front()?;
            // Two at once would not be compared with each other.
            if self.busy.contains(&value.ty) {
                self.waiting.push_back(value);
                continue;
            }
            match self.question(world, &value) {
                Some((ask, answers)) => {
                    self.busy.insert(value.ty);
                    self.asked.insert(digest(&ask.sequence), (value, answers));
                    return Some(ask);
                }
                None => {
                    self.found(&value);
                    is_new(value);
                }
            }
        }
        None
    }

    fn question(&self, world: &World, value: &Doubtful) -> Option<(Ask, Vec<SlotIdx>)> {
        let equals = *self.equalities.get(&value.ty)?;
        let classes = self.classes.get(&value.ty)?;
        let mut builder = Builder::new(world);
        builder.append(&value.sequence).ok()?;
        let watch_from = SlotIdx(builder.n_slots());
        let mut answers = Vec::new();
        for (sequence, slot) in classes {
            let mut longer = builder.clone();
            let answer = longer.append(sequence).ok().and_then(|offset| {
                let other = SlotIdx(slot.0 + offset);
                let args = [value.slot, other].map(|it| Arg::Slot(it, Use::Shared));
                longer.push(equals, args.to_vec()).ok()
            });
            if let Some(answer) = answer {
                builder = longer;
                answers.push(answer);
            }
        }
        let ask = Ask {
            sequence: builder.finish(),
            watch_from,
            watch_end: Vec::new(),
            traced: None,
            values: true,
            watched: false,
            traced_on: false,
        };
        (!answers.is_empty()).then_some((ask, answers))
    }

    /// Was it asked by us? Then whether the value is new: nothing said that it is equal to another.
    pub(crate) fn answer(&mut self, ask: &Ask, execution: &Execution) -> Option<Option<Doubtful>> {
        if self.asked.is_empty() {
            return None;
        }
        let (value, answers) = self.asked.remove(&digest(&ask.sequence))?;
        self.busy.remove(&value.ty);
        let is_equal = execution.effects.iter().any(|effect| {
            answers.contains(&SlotIdx(effect.slot)) && effect.value == Some(Value::Bool(true))
        });
        // An `==` that fails says nothing; it is found out elsewhere.
        if is_equal || execution.outcome != Outcome::Returned {
            return Some(None);
        }
        self.found(&value);
        Some(Some(value))
    }

    fn found(&mut self, value: &Doubtful) {
        let classes = self.classes.entry(value.ty).or_default();
        if classes.len() < MAX_CLASSES {
            classes.push((value.sequence.clone(), value.slot));
        }
    }
}
