//! Where a test holds, as far as its types, values and text tell: a `cfg` predicate leaves it out
//! elsewhere.
//!
//! What is seen on this machine is true of builds like its own. A test is guarded if it pins what
//! has another value elsewhere: a number that `usize` does not hold on 32 bits, a path with
//! separators, a message of the operating system, a digest of values whose bytes are in the
//! machine's order. A guard too many costs a machine one test; one too few costs its owner a suite
//! that fails.

use std::collections::BTreeSet;

use testsmith_api::{Fields, Form, OperationId, Prim, Shape, Ty};
use testsmith_protocol::Value;
use testsmith_sequence::{Arg, Step, World};

use crate::case::{Check, Subject, TestCase, TestKind};
use crate::cx::Cx;
use crate::imports::Imports;

/// A condition on which a test holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Guard {
    /// The compiler keeps debug assertions.
    Checked,
    /// The lowest byte of a number comes first.
    LittleEndian,
    /// `usize` has 64 bits.
    Wide,
    /// The operating system's messages are those of Linux.
    Linux,
    /// Paths and common messages are those of Unix.
    Unix,
}

impl Guard {
    fn predicate(self) -> &'static str {
        match self {
            Guard::Checked => "debug_assertions",
            Guard::LittleEndian => "target_endian = \"little\"",
            Guard::Wide => "target_pointer_width = \"64\"",
            Guard::Linux => "target_os = \"linux\"",
            Guard::Unix => "unix",
        }
    }
}

/// The predicate for all of these; `None` if there are none.
pub(crate) fn condition(guards: &BTreeSet<Guard>) -> Option<String> {
    let predicates: Vec<&str> = guards.iter().map(|guard| guard.predicate()).collect();
    match &predicates[..] {
        [] => None,
        [only] => Some((*only).to_owned()),
        several => Some(format!("all({})", several.join(", "))),
    }
}

/// Leaves out checks that only 64 bits give, if the case holds on 32 bits without them and asserts
/// something else in the same place, and says how many. A test that anybody can run is worth more.
/// `of_width` says whether the crate's code depends on how wide a pointer is.
pub fn narrow(world: &World, case: &mut TestCase, of_width: bool) -> usize {
    let imports = Imports::scratch();
    // A table is guarded as a whole: its rows have the same assertions.
    if case.acts.len() > 1 {
        return 0;
    }
    let cx = Cx {
        world,
        imports: &imports,
        holes: None,
    };
    let is_narrow = |case: &TestCase| {
        let printed = vec![true; case.checks.len()];
        let facts = Facts {
            cx,
            case,
            printed: &printed,
        };
        !(facts.needs_width() || of_width && facts.shows_words())
    };
    let with = |checks: Vec<Check>| TestCase {
        checks,
        ..case.clone()
    };
    let (narrow, wide): (Vec<Check>, Vec<Check>) =
        (case.checks.iter().cloned()).partition(|check| is_narrow(&with(vec![check.clone()])));
    let has_other = |wide: &Check| narrow.iter().any(|it| it.after == wide.after);
    if wide.is_empty() || !wide.iter().all(has_other) || !is_narrow(&with(narrow.clone())) {
        return 0;
    }
    case.checks = narrow;
    wide.len()
}

/// Attributes of a file some of whose tests are left out elsewhere, with what only they use.
pub(crate) fn unused_elsewhere(guards: &BTreeSet<Guard>) -> String {
    condition(guards).map_or_else(String::new, |condition| {
        format!("#![cfg_attr(not({condition}), allow(dead_code, unused_imports))]\n")
    })
}

/// What a printed case depends on. `text` is the test, `printed` says which checks are in it, and
/// `of_width` whether the crate's code depends on how wide a pointer is.
pub(crate) fn guards(
    cx: Cx<'_>,
    case: &TestCase,
    printed: &[bool],
    text: &str,
    of_width: bool,
) -> BTreeSet<Guard> {
    let facts = Facts { cx, case, printed };
    let mut guards = BTreeSet::new();
    if matches!(
        case.kind,
        TestKind::ShouldPanic {
            only_checked: true,
            ..
        }
    ) {
        guards.insert(Guard::Checked);
    }
    if facts.needs_width() || text.lines().any(names_width) || of_width && facts.shows_words() {
        guards.insert(Guard::Wide);
    }
    if facts.depends_on_bytes() {
        guards.extend([Guard::Wide, Guard::LittleEndian]);
    }
    if facts.names(&["ne_bytes", "_ne", "NativeEndian", "native_endian"]) {
        guards.insert(Guard::LittleEndian);
    }
    guards.extend(text.lines().filter_map(of_message).min());
    if facts.has_paths() && text.contains(['/', '\\']) {
        guards.insert(Guard::Unix);
    }
    if guards.contains(&Guard::Linux) {
        guards.remove(&Guard::Unix);
    }
    guards
}

/// Numbers that are the same on all Unixes, with the same text.
const OF_UNIX: std::ops::RangeInclusive<u32> = 1..=34;
/// Among these, the one that the BSDs have another number for.
const AGAIN: u32 = 11;

/// The guard of a line that shows a message of the operating system.
fn of_message(line: &str) -> Option<Guard> {
    let is_made = line.contains("from_raw_os_error(");
    let number = line.split_once("(os error ").map(|(_, rest)| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or(u32::MAX)
    });
    match number {
        Some(n) if OF_UNIX.contains(&n) && n != AGAIN => Some(Guard::Unix),
        Some(_) => Some(Guard::Linux),
        None => is_made.then_some(Guard::Linux),
    }
}

/// Does a line write down what only 64 bits give: `usize::MAX` in digits, or its own width?
fn names_width(line: &str) -> bool {
    let telling = [
        "18446744073709551615",
        "18446744073709551614",
        "9223372036854775807",
        "9223372036854775808",
        "usize::BITS",
        "isize::BITS",
    ];
    let is_sized = |word: &str| line.contains(word);
    telling.iter().any(|word| is_sized(word))
        && ["usize", "isize"].iter().any(|word| is_sized(word))
}

/// A case as guards look at it.
struct Facts<'a> {
    cx: Cx<'a>,
    case: &'a TestCase,
    printed: &'a [bool],
}

impl<'a> Facts<'a> {
    fn checks(&self) -> impl Iterator<Item = &'a Check> {
        let checks = self.case.checks.iter().zip(self.printed);
        checks
            .filter(|(_, printed)| **printed)
            .map(|(check, _)| check)
    }

    fn operations(&self) -> impl Iterator<Item = OperationId> {
        let steps = self.case.sequence.steps().iter();
        let of_steps = steps.filter_map(|step| match step {
            Step::Call { op, .. } => Some(*op),
            Step::Drop(_) => None,
        });
        of_steps.chain(self.checks().filter_map(|check| match &check.subject {
            Subject::Slot(_) => None,
            Subject::Observer { op, .. } | Subject::Equals { op, .. } => Some(*op),
        }))
    }

    fn ty(&self, idx: testsmith_api::TypeIdx) -> &'a Ty {
        &self.cx.world.catalogue.types.get(idx).ty
    }

    fn inputs(&self, op: OperationId) -> impl Iterator<Item = &'a Ty> {
        let signature = self.cx.world.signature(op);
        let types = &self.cx.world.catalogue.types;
        signature.inputs.iter().map(|it| &types.get(it.ty.ty).ty)
    }

    fn output(&self, op: OperationId) -> &'a Ty {
        self.ty(self.cx.world.signature(op).output.ty)
    }

    /// The type that a check's value has.
    fn seen(&self, check: &Check) -> &'a Ty {
        match &check.subject {
            Subject::Slot(slot) | Subject::Equals { slot, .. } => {
                self.output(self.case.sequence.maker(*slot).0)
            }
            Subject::Observer { op, then, .. } => self.output(then.unwrap_or(*op)),
        }
    }

    /// Every value that is written down, with its type.
    fn values(&self) -> Vec<(&'a Ty, &'a Value)> {
        let mut values: Vec<(&Ty, &Value)> = Vec::new();
        let mut add = |op: OperationId, args: &'a [Arg]| {
            let given = self.inputs(op).zip(args);
            values.extend(given.filter_map(|(ty, arg)| match arg {
                Arg::Literal(value) => Some((ty, &**value)),
                Arg::Slot(..) => None,
            }));
        };
        for step in self.case.sequence.steps() {
            if let Step::Call { op, args, .. } = step {
                add(*op, args);
            }
        }
        for check in self.checks() {
            if let Subject::Equals { op, args, .. } = &check.subject {
                add(*op, args);
            }
        }
        let seen = self.checks().map(|check| (self.seen(check), &check.value));
        values.extend(seen);
        values
    }

    /// Is there a number that `usize` does not hold on 32 bits, or one that comes of its greatest?
    fn needs_width(&self) -> bool {
        let values = self.values();
        let of_width = |ty: &Ty| has_width(self.cx, ty, 0);
        if values.iter().any(|(ty, it)| is_wide(it) && of_width(ty)) {
            return true;
        }
        let has_limit = values.iter().any(|(ty, it)| is_limit(it) && of_width(ty));
        let pinned = || self.checks().filter(|it| !of_width(self.seen(it)));
        let is_large = |value: &Value| is_wide(value) || is_limit(value);
        if has_limit && pinned().any(|it| is_large(&it.value)) {
            return true;
        }
        let is_number = |check: &Check| matches!(check.value, Value::UInt(1..) | Value::Int(_));
        let sized = |op: OperationId| self.is_about_width(op);
        self.checks().any(is_number) && self.operations().any(sized)
    }

    /// Does it pin several numbers as wide as a pointer at once? In a crate that packs things into
    /// words of that width, they are the words, or sizes in words.
    fn shows_words(&self) -> bool {
        self.checks().any(|check| {
            let ty = self.seen(check);
            let is_list = matches!(check.value, Value::List(_) | Value::Tuple(_));
            is_list && ty.any(&mut is_of_width)
        })
    }

    /// Does the operation say how large something is in memory, or what the bits of a `usize` are?
    fn is_about_width(&self, op: OperationId) -> bool {
        let operation = self.cx.world.catalogue.operation(op);
        let key = operation.key.to_string();
        let name = key.rsplit("::").next().unwrap_or_default();
        let of_memory = ["size_of", "heap_", "memory", "mem_", "allocat", "align_of"];
        let of_bits = [
            "zeros",
            "ones",
            "rotate",
            "swap_bytes",
            "reverse_bits",
            "to_be",
        ];
        let of_bits = of_bits.iter().any(|word| name.contains(word))
            || matches!(name, "BITS" | "bits" | "bytes");
        let self_ty = match &operation.form {
            Form::Trait { self_ty, .. }
            | Form::Inherent { self_ty, .. }
            | Form::AssocConst { self_ty, .. } => Some(self_ty),
            _ => None,
        };
        let is_prim = self_ty.is_some_and(|ty| ty.any(&mut is_of_width));
        of_memory.iter().any(|word| name.contains(word)) || is_prim && of_bits
    }

    /// Does it pin a digest of values whose bytes depend on the machine?
    fn depends_on_bytes(&self) -> bool {
        let feeds = |op: OperationId| {
            let form = &self.cx.world.catalogue.operation(op).form;
            matches!(form, Form::Trait { trait_, name, .. }
                if trait_.path.starts_with("std::hash::")
                    && (matches!(&**name, "hash" | "hash_slice" | "hash_one")
                        || name.starts_with("write_")))
        };
        let is_digest = |check: &Check| matches!(check.value, Value::UInt(_) | Value::Int(_));
        self.operations().any(feeds) && self.checks().any(is_digest)
    }

    /// Does an operation's name have one of these words?
    fn names(&self, words: &[&str]) -> bool {
        self.operations().any(|op| {
            let key = self.cx.world.catalogue.operation(op).key.to_string();
            words
                .iter()
                .any(|word| key.ends_with(word) || word.len() > 3 && key.contains(word))
        })
    }

    /// Is there a path, or text of the operating system?
    fn has_paths(&self) -> bool {
        let is_path = |ty: &Ty| {
            matches!(ty, Ty::Adt { path, .. }
                if path.starts_with("std::path::") || path.starts_with("std::ffi::Os"))
        };
        self.operations().any(|op| {
            let mut types = self.inputs(op).chain([self.output(op)]);
            types.any(|ty| ty.any(&mut |part| is_path(part)))
        })
    }
}

fn is_of_width(ty: &Ty) -> bool {
    matches!(ty, Ty::Prim(Prim::Usize | Prim::Isize))
}

/// More types inside one another are not looked into.
const MAX_DEPTH: usize = 4;

/// Has the type a part that is as wide as a pointer?
fn has_width(cx: Cx<'_>, ty: &Ty, depth: usize) -> bool {
    ty.any(&mut |part| {
        let Ty::Adt { path, .. } = part else {
            return is_of_width(part);
        };
        let Some(adt) = cx.adt(path).filter(|_| depth < MAX_DEPTH) else {
            return false;
        };
        let within = |fields: &Fields| {
            let mut fields = fields.list().iter();
            fields.any(|field| has_width(cx, &field.ty, depth + 1))
        };
        match &adt.shape {
            Shape::Struct { fields, .. } => within(fields),
            Shape::Enum { variants, .. } => variants.iter().any(|it| within(&it.fields)),
            _ => false,
        }
    })
}

/// Is there a number that 32 bits do not hold, and that is not the greatest or least of 64?
fn is_wide(value: &Value) -> bool {
    value.any(&mut |part| match part {
        Value::UInt(n) => *n > u128::from(u32::MAX) && *n != u128::from(u64::MAX),
        Value::Int(n) => {
            i32::try_from(*n).is_err() && i64::try_from(*n).is_ok_and(|n| !is_extreme(n))
        }
        _ => false,
    })
}

fn is_extreme(n: i64) -> bool {
    n == i64::MAX || n == i64::MIN
}

/// Is there the greatest or least number of 64 bits?
fn is_limit(value: &Value) -> bool {
    value.any(&mut |part| match part {
        Value::UInt(n) => *n == u128::from(u64::MAX),
        Value::Int(n) => i64::try_from(*n).is_ok_and(is_extreme),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_the_system_are_guarded_by_how_common_they_are() {
        let line = |n: &str| format!("assert_eq!(e.to_string(), \"No such file (os error {n})\")");
        assert_eq!(of_message(&line("2")), Some(Guard::Unix));
        assert_eq!(of_message(&line("11")), Some(Guard::Linux));
        assert_eq!(of_message(&line("107")), Some(Guard::Linux));
        assert_eq!(of_message("assert_eq!(x, 2)"), None);
    }

    #[test]
    fn several_guards_are_one_predicate() {
        let guards = BTreeSet::from([Guard::Wide, Guard::Unix]);
        assert_eq!(
            condition(&guards).as_deref(),
            Some("all(target_pointer_width = \"64\", unix)")
        );
        assert_eq!(condition(&BTreeSet::new()), None);
    }

    #[test]
    fn numbers_beyond_32_bits_are_wide_but_for_the_limits() {
        assert!(is_wide(&Value::some(Value::UInt(1 << 32))));
        assert!(!is_wide(&Value::UInt(u128::from(u32::MAX))));
        assert!(!is_wide(&Value::UInt(u128::from(u64::MAX))));
        assert!(is_limit(&Value::UInt(u128::from(u64::MAX))));
        assert!(is_wide(&Value::Int(-(1 << 31) - 1)));
    }
}
