//! How little a case tells of the call that it is about.
//!
//! A test of `insert` on a set that was given nothing, of an offset of zero, or of one item where the order
//! matters passes with many a broken implementation, and whoever reads it does not learn what the call does.
//! Such a case may stand beside a better one, for what only it shows, but not in place of it.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::{CallableId, Form, OperationId, Pass, Ty};
use testsmith_emit::{Check, Subject};
use testsmith_protocol::{Use, Value};
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step, World};

use super::Candidate;
use super::duty::{Duty, Side, about, callable, side};
use super::telling::{is_incidental, is_sorted, method, tells_text_only};
use super::usual::{is_limit, leaves_of, literals};

/// A float that takes more letters than this is not reckoned in one's head.
const FAR_DIGITS: usize = 9;

/// What methods are called that add to a value.
pub(super) const ADDING: [&str; 9] = [
    "insert",
    "push",
    "push_back",
    "add",
    "set",
    "append",
    "put",
    "enqueue",
    "extend",
];

/// What is weak about a case.
pub(super) struct Weak {
    /// How many items its values were given, if the call is made on a value: 0, 1 or more.
    pub(super) few: Option<usize>,
    /// It finds nothing.
    pub(super) is_bare: bool,
    /// What comes out went in.
    pub(super) is_unchanged: bool,
    /// Two things that are given are the same.
    pub(super) is_doubled: bool,
    /// A value meets itself.
    pub(super) is_of_itself: bool,
    /// A list of one item is all that it finds.
    pub(super) is_single: bool,
    /// It asserts private text.
    pub(super) is_text: bool,
    /// Items are put into an order.
    pub(super) is_sorted: bool,
    /// A number is expected that nobody reckons in his head.
    pub(super) is_far: bool,
    /// It asserts how much room a value has, which nothing in the case says.
    pub(super) is_incidental: bool,
    /// It asks a value about what another one gave.
    pub(super) is_foreign: bool,
    /// All that it asks had the same answer before the call.
    pub(super) is_idle: bool,
    /// Zeros and nothings that are given.
    n_nothings: usize,
}

impl Weak {
    pub(super) fn of(world: &World, case: &Candidate) -> Weak {
        let sequence = &case.case.sequence;
        let checks = &case.case.checks;
        let form = &world.catalogue.operation(about(world, case)).form;
        let has_receiver = matches!(
            form,
            Form::Inherent { has_self: true, .. } | Form::Trait { has_self: true, .. }
        );
        let texts_in = literals(sequence).filter(|it| matches!(it, Value::Str(_)));
        let is_single = |value: &Value| match value {
            Value::List(items) | Value::Unordered(items) => items.len() == 1,
            _ => false,
        };
        let mut leaves = Vec::new();
        literals(sequence).for_each(|it| leaves_of(it, &mut leaves));
        // Whether a value is empty is asked of one that is.
        let is_of_empty = side(case) == Some(Side::True)
            && matches!(form, Form::Inherent { name, .. } if &**name == "is_empty");
        let has_few = has_receiver && !is_of_empty;
        Weak {
            few: has_few.then(|| n_given(world, sequence).min(2)),
            is_far: checks.iter().any(|it| it.value.any(&mut |it| is_far(it))),
            is_incidental: checks.iter().any(|it| {
                is_incidental(world, it) && !is_nothing(&it.value) && !leaves.contains(&&it.value)
            }),
            is_bare: checks.iter().all(|it| finds_nothing(world, it)),
            is_unchanged: texts_in
                .into_iter()
                .any(|it| checks.iter().any(|check| check.value == *it)),
            is_doubled: sequence.steps().iter().any(is_doubled),
            is_of_itself: repeats_argument(sequence),
            is_single: checks.iter().any(|it| is_single(&it.value)),
            is_text: tells_text_only(world, case),
            is_sorted: is_sorted(world, case.operation),
            is_foreign: is_foreign(world, sequence),
            is_idle: !checks.is_empty()
                && case.unmoved.len() == checks.len()
                && !case.unmoved.contains(&false),
            n_nothings: leaves.into_iter().filter(|it| is_nothing(it)).count(),
        }
    }

    /// Is it no weaker than what people write?
    pub(super) fn is_fair(&self) -> bool {
        self.few.is_none_or(|few| few > 1)
            && !self.is_text
            && !self.is_of_itself
            && !self.is_foreign
    }

    /// The more, the weaker.
    pub(super) fn grade(&self) -> usize {
        let few = self.few.map_or(0, |few| [4, 1, 0][few]);
        few + 8 * usize::from(self.is_text)
            + 4 * usize::from(self.is_of_itself || self.is_idle || self.is_foreign)
            + 2 * usize::from(self.is_bare || self.is_unchanged || self.is_doubled)
            + usize::from(self.is_single)
            + usize::from(self.is_sorted)
            + usize::from(self.n_nothings > 0)
            + usize::from(self.is_far)
            + usize::from(self.is_incidental)
    }
}

/// Is the call given one literal twice?
fn is_doubled(step: &Step) -> bool {
    let Step::Call { args, .. } = step else {
        return false;
    };
    (1..args.len()).any(|i| match &args[i] {
        Arg::Literal(value) => !is_nothing(value) && args[..i].contains(&args[i]),
        Arg::Slot(..) => false,
    })
}

/// Is it a number of many digits, or a float with a long part after the point?
fn is_far(value: &Value) -> bool {
    let is_long = |x: f64| x.is_finite() && format!("{x:e}").len() > FAR_DIGITS;
    match value {
        Value::F32(bits) => {
            is_long(f64::from(f32::from_bits(*bits)))
                && f32::from_bits(*bits).to_string().len() > FAR_DIGITS
        }
        Value::F64(bits) => is_long(f64::from_bits(*bits)),
        Value::Int(n) => is_long_number(n.unsigned_abs()),
        Value::UInt(n) => is_long_number(*n),
        _ => false,
    }
}

/// Limits of integer types are written by name.
fn is_long_number(n: u128) -> bool {
    n >= 1_000_000 && !n.is_multiple_of(1_000) && !is_limit(n)
}

/// Is it what one has before anything was done: zero, nothing, an empty list?
pub(super) fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Int(0) | Value::UInt(0) => true,
        Value::F32(bits) => f32::from_bits(*bits) == 0.0,
        Value::F64(bits) => f64::from_bits(*bits) == 0.0,
        Value::Str(text) => text.is_empty(),
        Value::List(items) | Value::Unordered(items) => items.is_empty(),
        Value::Named { path, .. } => path == "None",
        Value::Tuple(parts) => parts.iter().all(is_nothing),
        _ => false,
    }
}

/// Is the call made on one value of a type, and given a handle that another one of that type gave?
fn is_foreign(world: &World, sequence: &Sequence) -> bool {
    let Some(Step::Call { args, .. }) = sequence.steps().last() else {
        return false;
    };
    let slots: Vec<SlotIdx> = args.iter().filter_map(slot_of).collect();
    let Some((receiver, others)) = slots.split_first() else {
        return false;
    };
    let Some(own) = name_of(world, sequence, *receiver) else {
        return false;
    };
    others.iter().any(|it| {
        let (_, args) = sequence.maker(*it);
        let giver = args.first().and_then(slot_of);
        giver.is_some_and(|giver| {
            giver != *receiver && giver != *it && name_of(world, sequence, giver) == Some(own)
        })
    })
}

fn slot_of(arg: &Arg) -> Option<SlotIdx> {
    match arg {
        Arg::Slot(slot, _) => Some(*slot),
        Arg::Literal(_) => None,
    }
}

/// The name of a value's type, whatever it is an instance of.
fn name_of<'w>(world: &'w World, sequence: &Sequence, slot: SlotIdx) -> Option<&'w str> {
    let ty = world.signature(sequence.maker(slot).0).output.ty;
    match &world.catalogue.types.get(ty).ty {
        Ty::Adt { path, .. } => Some(path),
        _ => None,
    }
}

/// Does a check say that there is nothing: zero, an empty list, what is like a new value?
fn finds_nothing(world: &World, check: &Check) -> bool {
    match (&check.subject, &check.value) {
        (Subject::Equals { op, args, .. }, Value::Bool(true)) => {
            let name = method(world, *op);
            let is_method = matches!(
                world.catalogue.operation(*op).form,
                Form::Inherent { has_self: true, .. } | Form::Trait { has_self: true, .. }
            );
            !is_method && (args.is_empty() || is_about_room(name))
        }
        (Subject::Observer { op, .. }, Value::Bool(is_empty)) => {
            *is_empty && method(world, *op) == "is_empty"
        }
        (_, Value::Str(text)) => matches!(text.as_str(), "" | "[]" | "{}" | "()"),
        (_, value) => is_nothing(value),
    }
}

/// How many items the value was given that the last call is made on; if the call takes others of its type, the
/// one that was given least counts: a set that meets an empty one shows little of what sets do.
pub(super) fn n_given(world: &World, sequence: &Sequence) -> usize {
    let (last, before) = sequence.steps().split_last().expect("there is a call");
    let Step::Call { args, .. } = last else {
        return 0;
    };
    let slots = args.iter().filter_map(slot_of);
    let ty = |slot| world.signature(sequence.maker(slot).0).output.ty;
    let slots: Vec<SlotIdx> = slots.collect();
    let alike = slots.iter().filter(|it| ty(**it) == ty(slots[0]));
    let given = alike.map(|it| n_given_to(world, before, *it));
    given.min().unwrap_or(0)
}

/// How many items one operation puts into a value, or into what it is made of: calls with a literal that add to a
/// value or give it back, or the length of a list. A value that is made of something else is no container, and has
/// all that it needs.
fn n_given_to(world: &World, before: &[Step], slot: SlotIdx) -> usize {
    let mut made_of = BTreeSet::from([slot]);
    let mut items: BTreeMap<OperationId, usize> = BTreeMap::new();
    for step in before.iter().rev() {
        let Step::Call { op, args, out } = step else {
            continue;
        };
        let slots = || {
            args.iter().filter_map(|arg| match arg {
                Arg::Slot(slot, usage) => Some((*slot, *usage)),
                Arg::Literal(_) => None,
            })
        };
        let is_changing =
            |(slot, usage)| matches!(usage, Use::Mut | Use::Reborrow) && made_of.contains(&slot);
        if !made_of.contains(out) && !slots().any(is_changing) {
            continue;
        }
        let operation = world.catalogue.operation(*op);
        if matches!(&operation.form, Form::Recipe { template } if template.starts_with("vec!")) {
            *items.entry(*op).or_default() += args.len();
            continue;
        }
        made_of.extend(slots().map(|(slot, _)| slot));
        let puts = match &operation.form {
            Form::Inherent {
                name,
                has_self: true,
                ..
            }
            | Form::Trait {
                name,
                has_self: true,
                ..
            } => {
                let is_back = operation.signature.inputs.first().is_some_and(|it| {
                    matches!(it.pass, Pass::Value) && it.ty.ty == operation.signature.output.ty
                });
                is_back || ADDING.iter().any(|it| name.starts_with(it))
            }
            Form::Inherent { name, .. } => !is_about_room(name),
            _ => true,
        };
        let is_method = matches!(
            &operation.form,
            Form::Inherent { has_self: true, .. } | Form::Trait { has_self: true, .. }
        );
        let of_args = args.iter().filter(|_| puts).map(|arg| match arg {
            Arg::Literal(value) => match &**value {
                Value::List(items) => items.len(),
                _ if is_method => 1,
                _ => 2,
            },
            Arg::Slot(..) => 0,
        });
        *items.entry(*op).or_default() += of_args.max().unwrap_or(0);
    }
    items.into_values().max().unwrap_or(0)
}

/// Does something of this name have to do with how much room there is, and not with what is in it?
pub(super) fn is_about_room(name: &str) -> bool {
    name.contains("capacity") || name.starts_with("cap")
}

/// Is any call given one value twice?
pub(super) fn repeats_argument(sequence: &Sequence) -> bool {
    sequence.steps().iter().any(|step| match step {
        Step::Call { args, .. } => (1..args.len()).any(|i| {
            matches!(&args[i], Arg::Slot(slot, _) if args[..i].iter().any(
                |before| matches!(before, Arg::Slot(other, _) if other == slot)
            ))
        }),
        Step::Drop(_) => false,
    })
}

/// For each callable and side of its answer, how weak the strongest case is.
pub(super) struct Strongest(BTreeMap<(CallableId, Option<Side>), usize>);

impl Strongest {
    /// Of cases, with what is weak about each.
    pub(super) fn of(world: &World, cases: &[Candidate], weak: &[Weak]) -> Strongest {
        let mut found = BTreeMap::new();
        for (case, weak) in cases.iter().zip(weak) {
            let Some(about) = callable(world, about(world, case)) else {
                continue;
            };
            for side in [None, side(case)] {
                let least = found.entry((about, side)).or_insert(usize::MAX);
                *least = weak.grade().min(*least);
            }
        }
        Strongest(found)
    }

    /// Leaves a case those duties only that no stronger case has: a callable's test is the strongest of
    /// those that could be written.
    pub(super) fn leave(
        &self,
        world: &World,
        case: &Candidate,
        weak: &Weak,
        duties: &mut Vec<Duty>,
    ) {
        let Some(about) = callable(world, about(world, case)) else {
            return;
        };
        let is_strong = |side| {
            self.0
                .get(&(about, side))
                .is_none_or(|it| weak.grade() <= *it)
        };
        duties.retain(|duty| match duty {
            Duty::Call(called) => *called != about || is_strong(None),
            Duty::Side(called, side) => *called != about || is_strong(Some(*side)),
            _ => true,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_near_if_it_is_reckoned_in_the_head() {
        let float = |x: f64| Value::F64(x.to_bits());
        for near in [
            float(2.5),
            float(1e9),
            float(-0.125),
            Value::UInt(86_400),
            Value::Int(5_000_000),
        ] {
            assert!(!is_far(&near), "{near:?}");
        }
        for far in [
            float(4.450_147_717e-300),
            float(1.0 / 3.0),
            Value::UInt(9_007_199_254_740_993),
        ] {
            assert!(is_far(&far), "{far:?}");
        }
        assert!(!is_far(&Value::UInt(u128::from(u64::MAX))));
    }

    #[test]
    fn zeros_and_empty_values_are_nothing() {
        for nothing in [
            Value::UInt(0),
            Value::F64(0),
            Value::Str(String::new()),
            Value::none(),
        ] {
            assert!(is_nothing(&nothing), "{nothing:?}");
        }
        assert!(!is_nothing(&Value::some(Value::UInt(0))));
        assert!(!is_nothing(&Value::Bool(false)));
    }
}
