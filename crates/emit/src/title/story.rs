//! One case: the call that it is about, the receiver of that call, and its outcome.

use std::collections::BTreeSet;
use std::ops::Range;

use testsmith_api::{
    Form, GenericArg, Operation, OperationId, Origin, Side, Ty, collects, last_segment,
};
use testsmith_protocol::{Use, Value};
use testsmith_sequence::{Arg, SlotIdx, Step};

use super::words::{
    argument_word, module_word, own_type_word, phrase, type_word, whole_phrase, word,
};
use crate::call::n_rivals;
use crate::case::{Check, Subject, TestCase, TestKind};
use crate::cx::{Cx, type_args};
use crate::names::snake_case;

/// The most letters of a phrase that says how a call fails.
const MAX_FAILURE: usize = 42;

pub(super) struct Story<'a> {
    cx: Cx<'a>,
    case: &'a TestCase,
    printed: &'a [bool],
    /// The steps that belong to the case.
    steps: Range<usize>,
    /// The call that the case is about.
    last: Option<&'a Operation>,
    args: &'a [Arg],
    out: Option<SlotIdx>,
    /// The slot that the call is made on, if it is a method or a field.
    on: Option<SlotIdx>,
    /// The index of the observer's check, if the call is an observer.
    observed: Option<usize>,
    /// What the test says of the error that the call gives, if it gives one.
    failure: Option<String>,
}

/// An observer's answer, which was checked besides the result.
pub(super) struct Answer<'a> {
    /// The observer's name.
    pub(super) verb: String,
    /// `is` for a field, else `returns`.
    pub(super) link: &'static str,
    pub(super) value: &'a Value,
}

impl<'a> Story<'a> {
    /// The stories of a test, one for each of its cases.
    pub(super) fn all(cx: Cx<'a>, case: &'a TestCase, printed: &'a [bool]) -> Vec<Story<'a>> {
        let n_steps = case.sequence.steps().len();
        if let [] | [_] = &case.acts[..] {
            let about = case.acts.first().map(|act| act.op);
            let mut story = Story::of(cx, case, printed, 0..n_steps, about);
            story.failure = story.failure();
            if story.failure.is_none() && about.is_none() {
                story.ask_observer();
            }
            return vec![story];
        }
        let ends = case.acts.iter().skip(1).map(|act| usize::from(act.first.0));
        let ends = ends.chain([n_steps]);
        let acts = case.acts.iter().zip(ends);
        acts.map(|(act, end)| {
            let steps = usize::from(act.first.0)..end;
            Story::of(cx, case, printed, steps, Some(act.op))
        })
        .collect()
    }

    fn of(
        cx: Cx<'a>,
        case: &'a TestCase,
        printed: &'a [bool],
        steps: Range<usize>,
        about: Option<OperationId>,
    ) -> Story<'a> {
        let mut story = Story {
            cx,
            case,
            printed,
            steps,
            last: None,
            args: &[],
            out: None,
            on: None,
            observed: None,
            failure: None,
        };
        for step in story.steps() {
            if let Step::Call { op: id, args, out } = step {
                let op = cx.world.catalogue.operation(*id);
                let is_callable = matches!(op.origin, Origin::Callable(_));
                if about.map_or(is_callable, |about| about == *id) || story.last.is_none() {
                    story.last = Some(op);
                    story.args = args;
                    story.out = Some(*out);
                    story.on = receiver(op, args);
                }
            }
        }
        story
    }

    fn steps(&self) -> &'a [Step] {
        &self.case.sequence.steps()[self.steps.clone()]
    }

    /// The checks of the case that are printed.
    fn checks(&self) -> impl DoubleEndedIterator<Item = (usize, &'a Check)> + '_ {
        let checks = self.case.checks.iter().enumerate();
        checks.filter(|(idx, check)| {
            self.printed[*idx] && self.steps.contains(&usize::from(check.after.0))
        })
    }

    /// If no check is about the result itself, the test is about the first observer that it calls.
    fn ask_observer(&mut self) {
        let says_result = self.check_of_result().is_some() && !self.is_written();
        if says_result || self.case.kind != TestKind::Regression {
            return;
        }
        let asked = self.checks().find_map(|(idx, check)| match &check.subject {
            Subject::Observer { op, slot, .. } => Some((idx, *op, *slot)),
            _ => None,
        });
        if let Some((idx, op, slot)) = asked {
            self.last = Some(self.operation(op));
            self.args = &[];
            self.out = None;
            self.on = Some(slot);
            self.observed = Some(idx);
        }
    }

    /// A phrase like `fails_with_unexpected_end_of_input`, if the call gives an error and the test says
    /// which.
    fn failure(&self) -> Option<String> {
        if self.side() != Some("err") || self.case.kind != TestKind::Regression {
            return None;
        }
        let words = self.error_words()?;
        let mut phrase = "fails_with".to_owned();
        for word in words {
            let longer = format!("{phrase}_{word}");
            if longer.len() > MAX_FAILURE {
                break;
            }
            phrase = longer;
        }
        (phrase != "fails_with").then_some(phrase)
    }

    /// The name after a law, for a test that shows how the law is broken.
    fn law(&self) -> Option<String> {
        let Some(Step::Call { op, .. }) = self.steps().last() else {
            return None;
        };
        let op = self.operation(*op);
        matches!(op.form, Form::Law(_)).then(|| self.verb(op))
    }

    /// The call's name as people would say it, with its type where others have a call of that name.
    pub(super) fn plain(&self, shared: &BTreeSet<String>) -> String {
        // What text a value has is told of how it was made, if that is what the crate is there for.
        if let Some(Form::Recipe { template }) = self.last.map(|op| &op.form)
            && template.ends_with(".to_string()")
            && let Receiver::Made(maker) = self.receiver()
        {
            match &maker.form {
                Form::Function { .. } => return self.verb(maker),
                Form::Inherent { name, .. } if !matches!(&**name, "new" | "default") => {
                    return self.verb(maker);
                }
                _ => {}
            }
        }
        let verb = self.own_verb();
        let is_of_trait = matches!(
            self.last.map(|op| &op.form),
            Some(Form::Trait { .. } | Form::Recipe { .. } | Form::Field { .. })
        );
        match is_of_trait || shared.contains(&verb) {
            true => self.typed_verb(),
            false => verb,
        }
    }

    /// Is the call made more than once?
    fn is_asked_again(&self) -> bool {
        let calls = self.steps().iter().filter(|step| {
            matches!(step, Step::Call { op, .. }
                if self.last.is_some_and(|last| std::ptr::eq(last, self.operation(*op))))
        });
        calls.count() > 1
    }

    /// Names for a test that shows only this case, the shortest first. `plain` is the call's name.
    pub(super) fn names(&self, plain: &str) -> Vec<String> {
        if let Some(law) = self.law() {
            return vec![law];
        }
        let (action, outcome) = (self.action(), self.outcome());
        let mut names = Vec::new();
        let fails = self.failure.is_some() || outcome == "panics";
        match (fails, self.side()) {
            (true, _) => names.push(format!("{plain}_{outcome}")),
            (false, Some("err")) => names.push(format!("{plain}_fails")),
            (false, _) => names.push(plain.to_owned()),
        }
        // What made it so says more than what came of it.
        let conditions = self.conditions().into_iter();
        names.extend(conditions.map(|it| format!("{plain}_{it}")));
        if !is_vague(&outcome) && !self.is_asked_again() {
            names.push(format!("{plain}_{outcome}"));
        }
        // An outcome that is only a kind of value says nothing that the call does not say.
        if is_vague(&outcome) && action.contains('_') {
            names.push(action.clone());
        }
        if is_vague(&outcome) {
            let details = [self.detail(), self.given().map(|it| format!("given_{it}"))];
            names.extend(
                details
                    .into_iter()
                    .flatten()
                    .map(|it| format!("{plain}_{it}")),
            );
        }
        names.push(format!("{action}_{outcome}"));
        let detail = self.detail();
        let is_given = detail.is_some();
        names.extend(detail.map(|detail| format!("{action}_{detail}_{outcome}")));
        for answer in self.answers().skip(usize::from(self.observed.is_some())) {
            let seen = format!("{}_{}", answer.verb, phrase(answer.value, answer.link));
            names.push(format!("{action}_{outcome}_and_{seen}"));
        }
        let instance = self.instance().map(|it| format!("for_{it}"));
        let given = self.given().filter(|_| !is_given);
        let given = given.map(|it| format!("given_{it}"));
        for detail in instance.into_iter().chain(given) {
            names.push(format!("{action}_{outcome}_{detail}"));
        }
        // A name without the receiver, for when the others are too long.
        names.push(format!("{}_{outcome}", self.typed_verb()));
        names.push(format!("{}_{outcome}", self.own_verb()));
        names
    }

    /// The answers of observers, in order.
    pub(super) fn answers(&self) -> impl Iterator<Item = Answer<'a>> + '_ {
        self.checks().filter_map(|(_, check)| match &check.subject {
            Subject::Observer { op, .. } => {
                let op = self.operation(*op);
                let link = match op.form {
                    Form::Field { .. } => "is",
                    _ => "returns",
                };
                Some(Answer {
                    verb: self.verb(op),
                    link,
                    value: &check.value,
                })
            }
            _ => None,
        })
    }

    /// The value that the call gave, unwrapped or not.
    pub(super) fn result(&self) -> Option<&'a Value> {
        self.check_of_result()
            .map(|idx| &self.case.checks[idx].value)
    }

    /// Which of `Some`, `None`, `Ok` and `Err` the call gave.
    pub(super) fn side(&self) -> Option<&'static str> {
        let mut unwraps = self.steps().iter().filter_map(|step| match step {
            Step::Call { op, args, .. } => match (&self.operation(*op).form, &args[..]) {
                (Form::Unwrap(side), [Arg::Slot(from, _)]) if Some(*from) == self.out => {
                    Some(*side)
                }
                _ => None,
            },
            Step::Drop(_) => None,
        });
        if let Some(side) = unwraps.next() {
            return Some(match side {
                Side::Some => "some",
                Side::Ok => "ok",
                Side::Err => "err",
            });
        }
        let of_result = self.checks().find_map(|(_, check)| match &check.subject {
            Subject::Slot(slot) if Some(*slot) == self.out => Some(&check.value),
            _ => None,
        });
        match of_result {
            Some(Value::Named { path, .. }) => match &**path {
                "Some" => Some("some"),
                "None" => Some("none"),
                "Ok" => Some("ok"),
                "Err" => Some("err"),
                _ => None,
            },
            _ => None,
        }
    }

    /// The words of an error's message, or the name of its variant.
    pub(super) fn error_words(&self) -> Option<Vec<String>> {
        let named = |value: &Value| match value {
            Value::Named { path, .. } => Some(vec![snake_case(last_segment(path))]),
            _ => None,
        };
        if let Some(result) = self.result() {
            match result {
                Value::Named { path, fields } if path == "Err" => {
                    if let [(_, payload)] = &fields[..] {
                        return named(payload);
                    }
                }
                other => return named(other),
            }
        }
        let mut texts = self.answers().filter(|answer| answer.verb == "to_string");
        match texts.next()?.value {
            Value::Str(text) => {
                let words = text.split(|c: char| !c.is_ascii_alphanumeric());
                let words = words.filter(|word| !word.is_empty());
                Some(words.map(str::to_ascii_lowercase).collect())
            }
            _ => None,
        }
    }

    /// A word for the type of the result.
    pub(super) fn output_word(&self) -> String {
        self.last
            .map_or_else(String::new, |last| self.type_word(last))
    }

    /// Is the call a variant or a struct literal, so that its result is known from its text?
    pub(super) fn is_written(&self) -> bool {
        let form = self.last.map(|last| &last.form);
        matches!(
            form,
            Some(Form::Variant { .. } | Form::StructLiteral { .. })
        )
    }

    /// The type argument of a generic type of the crate: as a rule, the item of a container.
    pub(super) fn instance(&self) -> Option<String> {
        let (Form::Inherent { self_ty, .. } | Form::Trait { self_ty, .. }) = &self.last?.form
        else {
            return None;
        };
        type_args(self_ty).first().map(|ty| type_word(ty))
    }

    /// A short literal of the case, the latest first.
    pub(super) fn given(&self) -> Option<String> {
        let calls = self.steps().iter().rev().filter_map(|step| match step {
            Step::Call { args, .. } => Some(args),
            Step::Drop(_) => None,
        });
        let literals = calls.flatten().filter_map(|arg| match arg {
            Arg::Literal(value) => word(value),
            Arg::Slot(..) => None,
        });
        let mut short = literals.filter(|word| word.len() <= 16);
        short.next()
    }

    /// Another call that the result equals.
    pub(super) fn equal(&self) -> Option<String> {
        self.checks().find_map(|(_, check)| match &check.subject {
            Subject::Equals { op, .. } if check.value != Value::Bool(false) => {
                Some(self.verb(self.operation(*op)))
            }
            _ => None,
        })
    }

    /// The call's name.
    pub(super) fn own_verb(&self) -> String {
        self.last
            .map_or_else(|| "nothing".to_owned(), |op| self.verb(op))
    }

    /// The call's name with the type that it belongs to.
    pub(super) fn typed_verb(&self) -> String {
        let verb = self.own_verb();
        let self_ty = match self.last.map(|op| &op.form) {
            Some(
                Form::Inherent {
                    self_ty,
                    has_self: true,
                    ..
                }
                | Form::Trait {
                    self_ty,
                    has_self: true,
                    ..
                },
            ) => Some(self_ty),
            // Other recipes are named after the type that they are about.
            Some(Form::Recipe { .. } | Form::Field { .. }) if !matches!(self.last, Some(op) if verb == self.type_word(op)) =>
            {
                let inputs = self.last.and_then(|op| op.signature.inputs.first());
                inputs.map(|input| &self.cx.world.catalogue.types.get(input.ty.ty).ty)
            }
            _ => None,
        };
        let word = match self.last.map(|op| &op.form) {
            Some(Form::Function { path, .. }) => module_word(path),
            _ => self_ty.map(|ty| own_type_word(self.cx, ty)),
        };
        match word {
            Some(word) if !starts_with_words(&verb, &word) => format!("{word}_{verb}"),
            _ => verb,
        }
    }

    /// What is special about the call, in the words of a condition.
    pub(super) fn conditions(&self) -> Vec<String> {
        let mut found = Vec::new();
        match self.receiver() {
            Receiver::Changed(by) => found.push(format!("after_{}", self.verb(by))),
            Receiver::Made(maker) => match &maker.form {
                Form::Inherent {
                    name,
                    has_self: false,
                    ..
                }
                | Form::Trait {
                    name,
                    has_self: false,
                    ..
                } if matches!(&**name, "new" | "default" | "empty") => {
                    found.push(format!("on_{name}_{}", self.type_word(maker)));
                }
                Form::AssocConst { name, .. } | Form::Variant { name, .. } => {
                    found.push(format!("when_{}", snake_case(name)));
                }
                _ => {}
            },
            Receiver::None => {}
        }
        let others = self.args.iter().skip(1);
        let is_itself = |arg: &Arg| matches!(arg, Arg::Slot(slot, _) if Some(*slot) == self.on);
        if self.on.is_some() && others.clone().any(is_itself) {
            found.push("with_itself".to_owned());
        }
        let mut literals = self.args.iter().filter_map(|arg| match arg {
            Arg::Literal(value) => Some(&**value),
            Arg::Slot(..) => None,
        });
        if let (Some(only), None) = (literals.next(), literals.next()) {
            let is_plain = match only {
                Value::Int(n) => *n == 0,
                Value::UInt(n) => *n == 0,
                Value::Str(text) => text.is_empty(),
                Value::List(parts) => parts.is_empty(),
                Value::Named { fields, .. } => fields.is_empty(),
                Value::Bool(_) => true,
                _ => false,
            };
            let word = word(only).filter(|_| is_plain);
            found.extend(word.map(|word| format!("of_{word}")));
        }
        found
    }

    /// The last printed check on what the last call gave back, unwrapped or not.
    fn check_of_result(&self) -> Option<usize> {
        let mut result = vec![self.out?];
        for step in self.steps() {
            let passes_on = |form: &Form| matches!(form, Form::Unwrap(_)) || collects(form);
            if let Step::Call { op, args, out } = step
                && passes_on(&self.operation(*op).form)
                && let [Arg::Slot(from, _)] = &args[..]
                && result.contains(from)
            {
                result.push(*out);
            }
        }
        let is_of_result =
            |check: &Check| matches!(&check.subject, Subject::Slot(slot) if result.contains(slot));
        let mut checks = self.checks().rev();
        checks
            .find(|(_, check)| is_of_result(check))
            .map(|(idx, _)| idx)
    }

    fn operation(&self, op: OperationId) -> &'a Operation {
        self.cx.world.catalogue.operation(op)
    }

    fn type_word(&self, op: &Operation) -> String {
        let types = &self.cx.world.catalogue.types;
        type_word(&types.get(op.signature.output.ty).ty)
    }

    /// A phrase for the call and its receiver.
    pub(super) fn action(&self) -> String {
        let Some(last) = self.last else {
            return "nothing".to_owned();
        };
        let verb = self.verb(last);
        if self.failure.is_some() && self.on.is_none() {
            return verb;
        }
        match self.receiver() {
            Receiver::Changed(by) => self.after(&verb, by),
            Receiver::Made(maker) => self.on_made(&verb, maker),
            Receiver::None => match last.form {
                Form::Recipe { .. } => self.typed_verb(),
                _ => verb,
            },
        }
    }

    fn after(&self, verb: &str, before: &Operation) -> String {
        let before = self.verb(before);
        if before == verb {
            format!("{verb}_again")
        } else {
            format!("{before}_then_{verb}")
        }
    }

    /// The latest call that changed the receiver, else the one that made it.
    fn receiver(&self) -> Receiver<'a> {
        let Some(on) = self.on else {
            return Receiver::None;
        };
        let mut changed = None;
        let mut made = None;
        for step in self.steps() {
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
            return Receiver::Changed(changed);
        }
        let Some((mut maker, mut args)) = made else {
            return Receiver::None;
        };
        while let (Form::Unwrap(_), [Arg::Slot(from, _)]) = (&maker.form, &args[..]) {
            let mut steps = self.steps().iter();
            let Some(Step::Call { op, args: of, .. }) =
                steps.find(|step| matches!(step, Step::Call { out, .. } if out == from))
            else {
                break;
            };
            maker = self.operation(*op);
            args = of;
        }
        Receiver::Made(maker)
    }

    /// A phrase like `pop_on_new_stack`.
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
                    "from" | "try_from" => format!("{verb}_on_converted_{ty}"),
                    "from_iter" => format!("{verb}_on_collected_{ty}"),
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
            Form::Inherent { .. } | Form::Trait { .. } => self.after(verb, maker),
            Form::Field { name } => format!("{name}_then_{verb}"),
            _ => verb.to_owned(),
        }
    }

    /// The name of an operation, with its type if the name alone says too little.
    fn verb(&self, op: &Operation) -> String {
        let verb = self.bare_verb(op);
        // One of several impls is told from the others by what it takes: `from_char`.
        match &op.form {
            Form::Trait {
                self_ty, trait_, ..
            } if n_rivals(self.cx, op, |_| true) > 1 => {
                let args = trait_.args.iter().filter_map(|arg| match arg {
                    GenericArg::Type(ty) if ty != self_ty => Some(argument_word(ty)),
                    _ => None,
                });
                let words: Vec<String> = std::iter::once(verb).chain(args).collect();
                words.join("_")
            }
            _ => verb,
        }
    }

    fn bare_verb(&self, op: &Operation) -> String {
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
                format!("{}_{}", own_type_word(self.cx, self_ty), snake_case(name))
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
        if let Some(failure) = &self.failure {
            return failure.clone();
        }
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
            return whole_phrase(&self.case.checks[idx].value, link);
        }
        match self.checks().next_back() {
            Some((_, check)) => match &check.subject {
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

    /// A short literal that the call was given, which tells tests of the same name apart.
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
        Form::Recipe { template } => {
            template.ends_with(".to_string()") || template.contains("{:?}")
        }
        _ => false,
    };
    match args.first() {
        Some(Arg::Slot(slot, _)) if is_method => Some(*slot),
        _ => None,
    }
}

/// How the receiver of a call came to be in its state.
enum Receiver<'a> {
    Changed(&'a Operation),
    Made(&'a Operation),
    None,
}

/// Does the outcome say no more than what kind of value there is?
fn is_vague(outcome: &str) -> bool {
    let kinds = [
        "_item",
        "_items",
        "_pair",
        "_tuple",
        "_string",
        "_value",
        "_number",
        "debug_text",
    ];
    let sides = ["_some", "_ok", "is_true", "is_false"];
    outcome.starts_with("gives_")
        || outcome.ends_with(|c: char| c.is_ascii_digit())
        || kinds
            .iter()
            .chain(&sides)
            .any(|kind| outcome.ends_with(kind))
}

/// Does the name begin with these words?
fn starts_with_words(name: &str, words: &str) -> bool {
    let rest = name.strip_prefix(words);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}
