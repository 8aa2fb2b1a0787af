//! Compares values by `==`, so that only one of each class that `==` does not tell apart is built
//! upon.
//!
//! A value that may be new is first compared with one of every class. That takes calls, and a type
//! may have very many classes, so only some are kept. A value that equals none of them is new.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::{FxHashMap, FxHashSet};
use testsmith_api::{OperationId, TypeIdx};
use testsmith_protocol::{Execution, Outcome, Use, Value};
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, World};
use testsmith_states::equalities;

use crate::ask::Ask;
use crate::classes::digest;

/// The most classes of a type that values are compared with.
const MAX_CLASSES: usize = 96;
/// The most values that wait to be compared.
const MAX_WAITING: usize = 4_000;

/// A value that may be new.
#[derive(Clone, Debug)]
pub(crate) struct Doubtful {
    pub(crate) ty: TypeIdx,
    pub(crate) sequence: Sequence,
    pub(crate) slot: SlotIdx,
    /// A digest of everything that was seen of it.
    pub(crate) look: u64,
    /// A digest of its state, if all of it could be seen.
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
    /// Types of which a value is being compared at the moment.
    busy: FxHashSet<TypeIdx>,
    /// By a digest of the comparing sequence, the value that is compared, and the slots of the
    /// answers.
    asked: FxHashMap<u64, (Doubtful, Vec<SlotIdx>)>,
}

impl Pairs {
    pub(crate) fn of(world: &World) -> Pairs {
        Pairs {
            equalities: equalities(world),
            ..Pairs::default()
        }
    }

    /// Does the type have `==`?
    pub(crate) fn has_equality(&self, ty: TypeIdx) -> bool {
        self.equalities.contains_key(&ty)
    }

    /// Can values of this type be compared, and is there room for another class?
    pub(crate) fn compares(&self, ty: TypeIdx) -> bool {
        let classes = self.classes.get(&ty);
        self.has_equality(ty) && classes.is_none_or(|it| it.len() < MAX_CLASSES)
    }

    /// Lets a value wait to be compared with others of its type.
    pub(crate) fn add(&mut self, value: Doubtful) {
        if self.waiting.len() < MAX_WAITING {
            self.waiting.push_back(value);
        }
    }

    /// Proposes a comparison of the next value with one of each class. A value that cannot be
    /// compared with any is new, and handed out at once.
    pub(crate) fn propose(
        &mut self,
        world: &World,
        mut is_new: impl FnMut(Doubtful),
    ) -> Option<Ask> {
        for _ in 0..self.waiting.len() {
            let value = self.waiting.pop_front()?;
            // Two values of a type at the same time would not be compared with each other.
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

    /// The value that this execution compared, if it is new because it equals no other. The outer
    /// `None` means that the execution is no comparison.
    pub(crate) fn answer(&mut self, ask: &Ask, execution: &Execution) -> Option<Option<Doubtful>> {
        if self.asked.is_empty() {
            return None;
        }
        let (value, answers) = self.asked.remove(&digest(&ask.sequence))?;
        self.busy.remove(&value.ty);
        let is_equal = execution.effects.iter().any(|effect| {
            answers.contains(&SlotIdx(effect.slot)) && effect.value == Some(Value::Bool(true))
        });
        // A failing `==` says nothing about the value. Other sequences find that failure.
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
