//! Names of tests: the last call and what came of it.

use std::collections::BTreeSet;

use testsmith_api::{Form, Operation, OperationId, Origin, Prim, Ty, last_segment};
use testsmith_protocol::{Use, Value};
use testsmith_sequence::{Arg, SlotIdx, Step};

use crate::cx::{Cx, head};
use crate::names::snake_case;
use crate::{Subject, TestCase, TestKind};

/// Longer names are cut at a word.
const MAX_LENGTH: usize = 70;

/// A name for the test that is not taken yet.
pub(crate) fn title(
    cx: Cx<'_>,
    case: &TestCase,
    printed: &[bool],
    taken: &mut BTreeSet<String>,
) -> String {
    let story = Story::of(cx, case, printed);
    if let Some(law) = story.law() {
        return numbered(&shorten(&law), taken);
    }
    if !case.acts.is_empty() {
        return numbered(&shorten(&story.acts()), taken);
    }
    let base = shorten(&format!("{}_{}", story.action(), story.outcome()));
    let detailed = story
        .detail()
        .map(|detail| shorten(&format!("{}_{detail}_{}", story.action(), story.outcome())));
    for candidate in [Some(base.clone()), detailed].into_iter().flatten() {
        if taken.insert(candidate.clone()) {
            return candidate;
        }
    }
    numbered(&base, taken)
}

fn numbered(base: &str, taken: &mut BTreeSet<String>) -> String {
    if taken.insert(base.to_owned()) {
        return base.to_owned();
    }
    let mut n = 2;
    loop {
        let candidate = format!("{base}_{n}");
        if taken.insert(candidate.clone()) {
            return candidate;
        }
        n += 1;
    }
}

fn shorten(name: &str) -> String {
    let mut words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
    while words.join("_").len() > MAX_LENGTH && words.len() > 1 {
        words.remove(words.len() / 2);
    }
    words.join("_")
}

struct Story<'a> {
    cx: Cx<'a>,
    case: &'a TestCase,
    printed: &'a [bool],
    /// The call the test is about.
    last: Option<&'a Operation>,
    args: &'a [Arg],
    out: Option<SlotIdx>,
    /// The slot it is called on, if it is a method or a field.
    on: Option<SlotIdx>,
    /// The check of the observer, if that is the last call.
    observed: Option<usize>,
}

impl<'a> Story<'a> {
    fn of(cx: Cx<'a>, case: &'a TestCase, printed: &'a [bool]) -> Story<'a> {
        let mut story = Story {
            cx,
            case,
            printed,
            last: None,
            args: &[],
            out: None,
            on: None,
            observed: None,
        };
        for step in case.sequence.steps() {
            if let Step::Call { op, args, out } = step {
                let op = cx.world.catalogue.operation(*op);
                if matches!(op.origin, Origin::Callable(_)) || story.last.is_none() {
                    story.last = Some(op);
                    story.args = args;
                    story.out = Some(*out);
                    story.on = receiver(op, args);
                }
            }
        }
        let last_check = (0..case.checks.len()).rev().find(|idx| printed[*idx]);
        let asks_of_result = story.check_of_result().is_some();
        if let Some(idx) = last_check
            && !asks_of_result
            && let Subject::Observer { op, slot } = &case.checks[idx].subject
        {
            story.last = Some(cx.world.catalogue.operation(*op));
            story.args = &[];
            story.out = None;
            story.on = Some(*slot);
            story.observed = Some(idx);
        }
        story
    }

    /// A test that shows how a law is broken is named after it.
    fn law(&self) -> Option<String> {
        let Some(Step::Call { op, .. }) = self.case.sequence.steps().last() else {
            return None;
        };
        let op = self.operation(*op);
        matches!(op.form, Form::Law(_)).then(|| self.verb(op))
    }

    /// A test of several cases is named after the calls they are about.
    fn acts(&self) -> String {
        let mut verbs: Vec<String> = Vec::new();
        for op in &self.case.acts {
            let verb = self.verb(self.operation(*op));
            if !verbs.contains(&verb) {
                verbs.push(verb);
            }
        }
        let n = self.case.acts.len();
        match self.operation(self.case.acts[0]).form {
            Form::Inherent {
                ref self_ty,
                has_self: true,
                ..
            }
            | Form::Trait {
                ref self_ty,
                has_self: true,
                ..
            } => {
                let word = type_word(self_ty);
                let rest = verbs.join("_and_");
                match rest.starts_with(&word) {
                    true => format!("{rest}_in_{n}_cases"),
                    false => format!("{word}_{rest}_in_{n}_cases"),
                }
            }
            _ => format!("{}_in_{n}_cases", verbs.join("_and_")),
        }
    }

    /// The last printed check on what the last call gave back, unwrapped or not.
    fn check_of_result(&self) -> Option<usize> {
        let mut result = vec![self.out?];
        for step in self.case.sequence.steps() {
            if let Step::Call { op, args, out } = step
                && matches!(self.operation(*op).form, Form::Unwrap(_))
                && let [Arg::Slot(from, _)] = &args[..]
                && result.contains(from)
            {
                result.push(*out);
            }
        }
        (0..self.case.checks.len()).rev().find(|idx| {
            self.printed[*idx]
                && matches!(&self.case.checks[*idx].subject, Subject::Slot(slot) if result.contains(slot))
        })
    }

    fn operation(&self, op: OperationId) -> &'a Operation {
        self.cx.world.catalogue.operation(op)
    }

    fn type_word(&self, op: &Operation) -> String {
        let types = &self.cx.world.catalogue.types;
        type_word(&types.get(op.signature.output.ty).ty)
    }

    fn action(&self) -> String {
        let Some(last) = self.last else {
            return "nothing".to_owned();
        };
        let verb = self.verb(last);
        let Some(on) = self.on else {
            return verb;
        };
        // The latest call that changed the receiver, else the one that made it.
        let mut changed = None;
        let mut made = None;
        for step in self.case.sequence.steps() {
            let Step::Call { op, args, out } = step else {
                continue;
            };
            if self.observed.is_none() && Some(*out) == self.out {
                break;
            }
            let op = self.operation(*op);
            if *out == on {
                made = Some((op, args));
            }
            let mutates = args
                .iter()
                .any(|arg| matches!(arg, Arg::Slot(slot, Use::Mut) if *slot == on));
            if mutates && matches!(op.origin, Origin::Callable(_)) {
                changed = Some(op);
            }
        }
        if let Some(changed) = changed {
            let before = self.verb(changed);
            return if before == verb {
                format!("{verb}_again")
            } else {
                format!("{before}_then_{verb}")
            };
        }
        let Some((mut maker, mut args)) = made else {
            return verb;
        };
        while let (Form::Unwrap(_), [Arg::Slot(from, _)]) = (&maker.form, &args[..]) {
            let Some(Step::Call { op, args: of, .. }) = self
                .case
                .sequence
                .steps()
                .iter()
                .find(|step| matches!(step, Step::Call { out, .. } if out == from))
            else {
                break;
            };
            maker = self.operation(*op);
            args = of;
        }
        self.on_made(&verb, maker)
    }

    /// `pop_on_new_stack`
    fn on_made(&self, verb: &str, maker: &Operation) -> String {
        let own = |ty: &Ty| type_word(ty);
        match &maker.form {
            Form::Inherent {
                self_ty,
                name,
                has_self: false,
                ..
            }
            | Form::Trait {
                self_ty,
                name,
                has_self: false,
                ..
            } => {
                let ty = own(self_ty);
                match &**name {
                    "new" | "default" | "empty" => format!("{verb}_on_{name}_{ty}"),
                    "parse" | "from_str" => format!("{verb}_on_parsed_{ty}"),
                    "from" | "try_from" | "from_iter" => format!("{verb}_on_converted_{ty}"),
                    name => format!("{verb}_on_{ty}_{}", snake_case(name)),
                }
            }
            Form::AssocConst { self_ty, name } => {
                format!("{verb}_on_{}_{}", snake_case(name), own(self_ty))
            }
            Form::Variant { self_ty, name, .. } => {
                format!("{verb}_on_{}_{}", snake_case(name), own(self_ty))
            }
            Form::StructLiteral { self_ty, .. } => format!("{verb}_on_{}", own(self_ty)),
            Form::Function { path, .. } | Form::Const { path } => {
                format!("{verb}_on_{}", snake_case(last_segment(path)))
            }
            Form::Inherent { .. } | Form::Trait { .. } => {
                let before = self.verb(maker);
                if before == verb {
                    format!("{verb}_again")
                } else {
                    format!("{before}_then_{verb}")
                }
            }
            Form::Field { name } => format!("{name}_then_{verb}"),
            _ => verb.to_owned(),
        }
    }

    /// The call's own name, with its type where the name alone says too little.
    fn verb(&self, op: &Operation) -> String {
        match &op.form {
            Form::Function { path, .. } | Form::Const { path } => snake_case(last_segment(path)),
            Form::Inherent {
                name,
                has_self: true,
                ..
            } => snake_case(name),
            Form::Trait {
                self_ty,
                name,
                has_self: true,
                ..
            } if matches!(
                &**name,
                "eq" | "ne" | "lt" | "le" | "gt" | "ge" | "cmp" | "fmt"
            ) =>
            {
                format!("{}_{name}", type_word(self_ty))
            }
            Form::Trait {
                name,
                has_self: true,
                ..
            } => snake_case(name),
            Form::Inherent { self_ty, name, .. } | Form::Trait { self_ty, name, .. } => {
                let name = if **name == *"from_str" { "parse" } else { name };
                format!("{}_{}", type_word(self_ty), snake_case(name))
            }
            Form::StructLiteral { self_ty, .. } => type_word(self_ty),
            Form::Variant { self_ty, name, .. } => {
                format!("{}_{}", type_word(self_ty), snake_case(name))
            }
            Form::AssocConst { self_ty, name } => {
                format!("{}_{}", type_word(self_ty), snake_case(name))
            }
            Form::Field { name } => match name.parse::<u32>() {
                Ok(n) => format!("field_{n}"),
                Err(_) => snake_case(name),
            },
            Form::Recipe { template } if template.ends_with(".to_string()") => {
                "to_string".to_owned()
            }
            Form::Recipe { template } if template.contains("{:?}") => "debug_text".to_owned(),
            Form::Recipe { template } if template.starts_with("format!") => "format".to_owned(),
            Form::Closure { .. } => "closure".to_owned(),
            Form::Law(law) => {
                let name = law.name.split(" with ").next().unwrap_or_default();
                let name = name.replace(|c: char| !c.is_alphanumeric(), "_");
                format!("{}_breaks_{}", type_word(&law.of), snake_case(&name))
            }
            Form::Unwrap(_) | Form::Literal | Form::Recipe { .. } => self.type_word(op),
        }
    }

    fn outcome(&self) -> String {
        match &self.case.kind {
            TestKind::ShouldPanic { .. } => return "panics".to_owned(),
            TestKind::Failure { reason } if reason.contains("panic") => {
                return "panics".to_owned();
            }
            TestKind::Failure { .. } => return "fails".to_owned(),
            TestKind::Regression => {}
        }
        if let Some(idx) = self.observed.or_else(|| self.check_of_result()) {
            let is_place = matches!(
                self.last.map(|op| &op.form),
                Some(Form::Field { .. } | Form::Const { .. } | Form::AssocConst { .. })
            );
            let link = if is_place { "is" } else { "returns" };
            return phrase(&self.case.checks[idx].value, link);
        }
        let last_check = (0..self.case.checks.len())
            .rev()
            .find(|idx| self.printed[*idx]);
        match last_check.map(|idx| &self.case.checks[idx]) {
            Some(check) => match &check.subject {
                Subject::Slot(slot) => {
                    let (op, _) = self.case.sequence.maker(*slot);
                    format!("gives_{}", self.type_word(self.operation(op)))
                }
                Subject::Observer { op, .. } => {
                    let seen = self.verb(self.operation(*op));
                    format!("and_{seen}_{}", phrase(&check.value, "returns"))
                }
                Subject::Equals { op, .. } => {
                    format!("equals_{}", self.verb(self.operation(*op)))
                }
            },
            None => "succeeds".to_owned(),
        }
    }

    /// What the call was given, where that is short: tells namesakes apart.
    fn detail(&self) -> Option<String> {
        self.args.iter().find_map(|arg| match arg {
            Arg::Literal(value) => word(value).map(|word| format!("of_{word}")),
            Arg::Slot(..) => None,
        })
    }
}

fn receiver(op: &Operation, args: &[Arg]) -> Option<SlotIdx> {
    let is_method = match &op.form {
        Form::Inherent { has_self, .. } | Form::Trait { has_self, .. } => *has_self,
        Form::Field { .. } => true,
        _ => false,
    };
    match args.first() {
        Some(Arg::Slot(slot, _)) if is_method => Some(*slot),
        _ => None,
    }
}

/// The type in a word.
fn type_word(ty: &Ty) -> String {
    match (head(ty), ty) {
        (Some("std::option::Option" | "std::result::Result" | "std::boxed::Box"), _) => {
            crate::cx::type_args(ty)
                .first()
                .map_or_else(|| "value".to_owned(), |ty| type_word(ty))
        }
        (Some(path), _) => snake_case(last_segment(path)),
        (None, Ty::Prim(Prim::Never)) => "never".to_owned(),
        (None, Ty::Prim(prim)) => prim.name().to_owned(),
        (None, Ty::Ref { to, .. }) => type_word(to),
        (None, Ty::Str) => "str".to_owned(),
        (None, Ty::Slice(_) | Ty::Array(..)) => "items".to_owned(),
        (None, Ty::Tuple(parts)) if parts.is_empty() => "unit".to_owned(),
        (None, Ty::Tuple(_)) => "tuple".to_owned(),
        _ => "value".to_owned(),
    }
}

/// What came of it: `is_true`, `returns_none`, `returns_3`.
fn phrase(value: &Value, link: &str) -> String {
    match value {
        Value::Bool(value) => format!("is_{value}"),
        Value::Named { path, .. } => {
            format!("{link}_{}", snake_case(last_segment(path)))
        }
        Value::F32(bits) => format!("{link}_{}", float_word(f64::from(f32::from_bits(*bits)))),
        Value::F64(bits) => format!("{link}_{}", float_word(f64::from_bits(*bits))),
        Value::Tuple(_) => format!("{link}_tuple"),
        Value::List(parts) | Value::Unordered(parts) => match parts.len() {
            0 => format!("{link}_empty"),
            1 => format!("{link}_1_item"),
            n => format!("{link}_{n}_items"),
        },
        Value::Str(text) if text.is_empty() => format!("{link}_empty_string"),
        Value::Str(text) => match word(value) {
            Some(word) if text.len() <= 16 => format!("{link}_{word}"),
            _ => format!("{link}_string"),
        },
        Value::Unit | Value::Opaque | Value::Cut => "succeeds".to_owned(),
        Value::Debug(_) => "has_debug_text".to_owned(),
        _ => match word(value) {
            Some(word) => format!("{link}_{word}"),
            None => format!("{link}_value"),
        },
    }
}

fn float_word(x: f64) -> String {
    if x.is_nan() {
        "nan".to_owned()
    } else if x.is_infinite() {
        "infinity".to_owned()
    } else if x == x.trunc() && x.abs() < 1e6 {
        let sign = if x.is_sign_negative() { "minus_" } else { "" };
        format!("{sign}{}", x.abs())
    } else {
        "float".to_owned()
    }
}

/// A small value in a word.
fn word(value: &Value) -> Option<String> {
    Some(match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(0) | Value::UInt(0) => "zero".to_owned(),
        Value::Int(n) if n.unsigned_abs() < 1_000_000 => {
            let sign = if *n < 0 { "minus_" } else { "" };
            format!("{sign}{}", n.unsigned_abs())
        }
        Value::UInt(n) if *n < 1_000_000 => n.to_string(),
        Value::Int(n) if *n < 0 => "large_negative_number".to_owned(),
        Value::Int(_) | Value::UInt(_) => "large_number".to_owned(),
        Value::Char(c) if c.is_ascii_alphanumeric() => c.to_lowercase().to_string(),
        Value::Str(text) if text.is_empty() => "empty_string".to_owned(),
        Value::Str(text) if text.len() <= 24 => {
            let words: String = text
                .chars()
                .map(|c| {
                    if c.is_ascii_alphanumeric() {
                        c.to_ascii_lowercase()
                    } else {
                        '_'
                    }
                })
                .collect();
            let words: Vec<&str> = words.split('_').filter(|word| !word.is_empty()).collect();
            if words.is_empty() {
                return None;
            }
            words.join("_")
        }
        Value::List(parts) if parts.is_empty() => "empty_list".to_owned(),
        Value::Named { path, fields } if fields.is_empty() => snake_case(last_segment(path)),
        _ => return None,
    })
}
