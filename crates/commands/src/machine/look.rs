//! Looks at values through their observers: sees what each observer answers, and which values are
//! the same.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use testsmith_api::OperationId;
use testsmith_explore::Ask;
use testsmith_harness::GuestError;
use testsmith_protocol::{Effect, Notion, Outcome, Value};
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, World};

use testsmith_equip::{Executor, Setting};

/// A value: the sequence that makes it, and the slot that it is in.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Held {
    pub(super) sequence: Sequence,
    pub(super) slot: SlotIdx,
}

/// What an observer answers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Reply {
    Value(Value),
    Panics,
    /// The observer could not be asked.
    Nothing,
}

/// Everything that is seen of a value.
#[derive(Clone, Debug)]
pub(super) struct Sight {
    /// Values with equal keys are the same.
    pub(super) key: u64,
    /// The answer of each observer.
    pub(super) seen: Vec<Reply>,
    /// The value itself, as its fields and variants or its `Debug` text show it.
    pub(super) own: Value,
}

/// An observer's index, the slot of its answer, and the index of the step that asks it.
type Asked = (usize, SlotIdx, usize);

/// The observers, and what is known about asking them.
pub(super) struct Lookout<'w> {
    world: &'w World,
    pub(super) observers: Vec<OperationId>,
    /// Observers that sometimes panic. Each is asked alone.
    fallible: BTreeSet<usize>,
    /// Observers that are not asked any more, with the reason.
    pub(super) bad: BTreeMap<usize, &'static str>,
}

/// The setting in which values show their private state.
pub(super) fn with_states(setting: Setting) -> Setting {
    Setting {
        states: true,
        ..setting
    }
}

/// The digest of a value whose private state is seen whole.
pub(super) fn whole_key(effects: &[Effect], slot: SlotIdx) -> Option<u64> {
    let mut at_end = effects.iter().filter(|it| it.at_end);
    let effect = at_end.find(|it| it.slot == slot.0)?;
    effect
        .state
        .as_ref()
        .filter(|it| it.whole)
        .map(|it| it.hash)
}

impl<'w> Lookout<'w> {
    pub(super) fn new(world: &'w World, observers: Vec<OperationId>) -> Lookout<'w> {
        Lookout {
            world,
            observers,
            fallible: BTreeSet::new(),
            bad: BTreeMap::new(),
        }
    }

    /// Looks at values. A value is not seen if it is not there when its sequence runs again.
    pub(super) fn look(
        &mut self,
        executor: &mut Executor,
        setting: Setting,
        places: &[Held],
    ) -> Result<Vec<Option<Sight>>, GuestError> {
        let setting = with_states(setting);
        let mut sights: Vec<Option<Sight>> = places.iter().map(|_| None).collect();
        let mut todo: Vec<usize> = (0..places.len()).collect();
        while !todo.is_empty() {
            let together: Vec<usize> = (0..self.observers.len())
                .filter(|it| !self.fallible.contains(it) && !self.bad.contains_key(it))
                .collect();
            let (asks, slots): (Vec<Ask>, Vec<_>) = todo
                .iter()
                .map(|at| self.ask(&places[*at], &together))
                .unzip();
            let runs = executor.run(self.world, setting, asks)?;
            let mut again = Vec::new();
            for ((at, slots), (_, execution)) in todo.into_iter().zip(slots).zip(runs) {
                let culprit = |step: u16| {
                    let mut asked = slots.iter();
                    let asked = asked.find(|it| it.2 == usize::from(step));
                    asked.map(|(observer, ..)| *observer)
                };
                if let Some(touch) = execution.touch {
                    if let Some(observer) = culprit(touch.at) {
                        self.bad.insert(observer, "reaches for the world outside");
                        again.push(at);
                    }
                    continue;
                }
                match execution.outcome {
                    Outcome::Returned => {
                        sights[at] = self.sight(&places[at], &slots, &execution.effects);
                    }
                    Outcome::Panicked { at: step, .. } => {
                        if let Some(observer) = culprit(step) {
                            self.fallible.insert(observer);
                            again.push(at);
                        }
                    }
                    Outcome::Died { at: step, .. } => {
                        if let Some(observer) = culprit(step) {
                            self.bad
                                .insert(observer, "ends the process, or does not end");
                            again.push(at);
                        }
                    }
                    Outcome::Refused { .. } | Outcome::Malformed(_) => {}
                }
            }
            todo = again;
        }
        self.ask_fallible(executor, setting, places, &mut sights)?;
        for sight in sights.iter_mut().flatten() {
            if sight.key == 0 {
                let mut hasher = FxHasher::default();
                (&sight.seen, &sight.own).hash(&mut hasher);
                sight.key = hasher.finish();
            }
        }
        Ok(sights)
    }

    /// Asks observers that sometimes panic, each alone.
    fn ask_fallible(
        &mut self,
        executor: &mut Executor,
        setting: Setting,
        places: &[Held],
        sights: &mut [Option<Sight>],
    ) -> Result<(), GuestError> {
        for observer in self.fallible.clone() {
            let seen: Vec<usize> = (0..places.len())
                .filter(|it| sights[*it].is_some())
                .collect();
            let asks = seen.iter().map(|at| self.ask(&places[*at], &[observer]).0);
            let runs = executor.run(self.world, setting, asks.collect())?;
            for (at, (_, execution)) in seen.into_iter().zip(runs) {
                let slot = places[at].sequence.n_slots();
                let answer = match execution.outcome {
                    Outcome::Returned => answer(&execution.effects, SlotIdx(slot)),
                    Outcome::Panicked { .. } => Reply::Panics,
                    _ => Reply::Nothing,
                };
                if let Some(sight) = &mut sights[at] {
                    sight.seen[observer] = answer;
                }
            }
        }
        Ok(())
    }

    /// Makes the value and asks observers about it; also gives where each answer will be.
    fn ask(&self, place: &Held, observers: &[usize]) -> (Ask, Vec<Asked>) {
        let mut builder = Builder::new(self.world);
        let built = builder.append(&place.sequence);
        built.expect("a sequence can be built again");
        let mut slots = Vec::new();
        for observer in observers {
            let op = self.observers[*observer];
            let input = &self.world.signature(op).inputs[0];
            if let Some(usage) = self.world.usage(input, builder.ty(place.slot))
                // The observer's result may borrow from the value. That is no obstacle: without
                // drop glue, a borrow ends when it is no longer used.
                && let Ok(slot) = builder.push(op, vec![Arg::Slot(place.slot, usage)])
            {
                slots.push((*observer, slot, builder.steps().len() - 1));
            }
        }
        let ask = Ask {
            sequence: builder.finish(),
            watch_from: SlotIdx(place.sequence.n_slots()),
            watch_end: vec![place.slot],
            traced: None,
            values: true,
            watched: false,
            traced_on: false,
        };
        (ask, slots)
    }

    fn sight(&self, place: &Held, slots: &[Asked], effects: &[Effect]) -> Option<Sight> {
        let mut seen = vec![Reply::Nothing; self.observers.len()];
        for (observer, slot, _) in slots {
            seen[*observer] = answer(effects, *slot);
        }
        let mut at_end = effects.iter().filter(|it| it.at_end);
        let own = at_end.find(|it| it.slot == place.slot.0)?;
        // A value is known by its private state, or else by its structure, or else by all that is
        // seen of it.
        let key = match whole_key(effects, place.slot) {
            Some(key) => key,
            None if own.fingerprint.notion == Notion::Structure => own.fingerprint.hash,
            None => 0,
        };
        Some(Sight {
            key,
            seen,
            own: own.value.clone().unwrap_or(Value::Opaque),
        })
    }
}

fn answer(effects: &[Effect], slot: SlotIdx) -> Reply {
    let mut at_birth = effects.iter().filter(|it| !it.at_end);
    let effect = at_birth.find(|it| it.slot == slot.0);
    match effect.and_then(|it| it.value.clone()) {
        Some(value) => Reply::Value(value),
        None => Reply::Nothing,
    }
}
