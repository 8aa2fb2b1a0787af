//! Executions that ask about a value after one change: cleared and then looked into, retained and then counted.
//!
//! A method that changes two things is shown by its own test to change one of them. That the other one changed,
//! too, is seen by whoever asks for it afterwards, and the question is as plain as the change.

use std::collections::BTreeMap;

use testsmith_api::{Form, OperationId, Pass, TypeIdx};
use testsmith_protocol::Use;
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, Step};

use super::literal::diagonal;
use super::{ASKED, Choice, Shown};

/// The most changes of values of one type.
const MAX_CHANGES: usize = 12;
/// The most questions about each.
const MAX_QUESTIONS: usize = 24;
/// In how many ways a change is made, and a question asked.
const MAX_WAYS: usize = 2;

/// Methods of one type.
#[derive(Default)]
struct Methods {
    changing: Vec<OperationId>,
    asking: Vec<OperationId>,
}

impl Shown<'_> {
    /// Sequences that end in a question about a changed value, with the question.
    pub(super) fn sequels(&mut self, operations: &[OperationId]) -> Vec<(OperationId, Sequence)> {
        let mut found = Vec::new();
        for methods in self.methods(operations).into_values() {
            for change in methods.changing.iter().take(MAX_CHANGES) {
                for changed in self.ways(*change) {
                    for question in methods.asking.iter().take(MAX_QUESTIONS) {
                        let asked = self.asked(&changed, *question);
                        found.extend(asked.into_iter().map(|it| (*question, it)));
                    }
                }
            }
        }
        found
    }

    /// Methods that change values of a type, and such that only look.
    fn methods(&self, operations: &[OperationId]) -> BTreeMap<TypeIdx, Methods> {
        let mut found: BTreeMap<TypeIdx, Methods> = BTreeMap::new();
        for op in operations {
            let operation = self.world.catalogue.operation(*op);
            let Form::Inherent { has_self: true, .. } = &operation.form else {
                continue;
            };
            let Some(receiver) = operation.signature.inputs.first() else {
                continue;
            };
            let of_type = found.entry(receiver.ty.ty).or_default();
            let output = &self
                .world
                .catalogue
                .types
                .get(operation.signature.output.ty);
            match receiver.pass {
                Pass::Mut(_) => of_type.changing.push(*op),
                Pass::Shared(_) if !output.ty.is_unit() => of_type.asking.push(*op),
                _ => {}
            }
        }
        found
    }

    /// A few ways to make the change to the first value that there is.
    fn ways(&mut self, change: OperationId) -> Vec<Sequence> {
        let mut choices = self.choices(change, &ASKED);
        if let Some(receivers) = choices.first_mut() {
            receivers.truncate(1);
        }
        let picked = diagonal(&choices.iter().map(Vec::len).collect::<Vec<_>>(), MAX_WAYS);
        let ways = picked.into_iter().filter_map(|at| {
            let args: Vec<&Choice> = at.iter().zip(&choices).map(|(i, all)| &all[*i]).collect();
            self.call(change, &args)
        });
        ways.collect()
    }

    /// A few ways to ask the question, if it takes nothing but literals.
    fn asked(&mut self, changed: &Sequence, question: OperationId) -> Vec<Sequence> {
        let Some(receiver) = receiver(changed) else {
            return Vec::new();
        };
        let mut choices = self.choices(question, &ASKED);
        if choices.is_empty() {
            return Vec::new();
        }
        let others = choices.split_off(1);
        let picked = diagonal(&others.iter().map(Vec::len).collect::<Vec<_>>(), MAX_WAYS);
        let asked = picked.into_iter().filter_map(|at| {
            let mut builder = Builder::new(self.world);
            builder.append(changed).ok()?;
            let input = &self.world.signature(question).inputs[0];
            let usage = self.world.usage(input, builder.ty(receiver))?;
            let mut args = vec![Arg::Slot(receiver, usage)];
            for (i, all) in at.into_iter().zip(&others) {
                let Choice::Literal(value) = &all[i] else {
                    return None;
                };
                args.push(Arg::Literal(std::sync::Arc::new(value.clone())));
            }
            builder.push_gently(question, args).ok()?;
            Some(builder.finish())
        });
        asked.collect()
    }
}

/// The value that the last call changes.
fn receiver(sequence: &Sequence) -> Option<SlotIdx> {
    match sequence.steps().last()? {
        Step::Call { args, .. } => match args.first()? {
            Arg::Slot(slot, Use::Mut) => Some(*slot),
            _ => None,
        },
        Step::Drop(_) => None,
    }
}
