//! Weighs what speaks for and against a bug when a call panics.

use testsmith_api::{
    Callable, CallableKind, Docs, Form, GenericArg, OperationId, Prim, STAND_INS, Shape, Ty,
    last_segment,
};
use testsmith_explore::Failure;
use testsmith_protocol::Use;
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step, World};

use super::around::{is_passed_on, passes_on};
use super::condition::{Argument, Facts, What, len_in};
use super::excuse::excuse;
use super::fit::{Fit, Happened, fit};
use super::given::{given, has_extreme_float, has_receiver, is_extreme};
use super::judged::{Evidence, Judged};
use super::nature::Nature;
use super::said::{
    announced, announced_of_sibling, demand, demanded, denied, forewarned, is_helper, trusted,
};
use super::{Court, callable, docs, is_asked_for, is_receiver_filled};
use crate::path::relative;

/// What was seen of a panic.
struct Seen<'a> {
    court: Court<'a>,
    failure: &'a Failure,
    called: Option<&'a Callable>,
    nature: Nature,
    /// Was it raised in the function that was called?
    is_own: bool,
    /// Was it raised in the harness, because the function blames its caller?
    is_blamed: bool,
    /// The source line that raised it.
    line: Option<String>,
    /// What the result is, if it can say no.
    no: Option<&'static str>,
    announced: Option<Fit>,
    denied: Option<&'a str>,
    forewarned: Option<String>,
    /// Was it raised by what the function, or what it passes its own on to, checks before all else?
    checks_first: bool,
    /// What checks its parameters and raised the panic, if the function passes its own on.
    checker: Option<String>,
    /// The function whose result is unwrapped there.
    unwrapped: Option<String>,
    /// Does what it computes decide what unsafe code does?
    is_unsafe: bool,
    /// What a public function says that it called, and that raised the panic.
    passed_on: Option<String>,
    demanded: Option<String>,
    /// What made a value, or is called, without a check, and says so.
    trusted: Option<String>,
}

/// Judges a panic that was raised at this place.
pub(super) fn judge(
    court: Court<'_>,
    failure: &Failure,
    file: &str,
    line: u32,
    column: u32,
) -> Judged {
    let world = court.world;
    if is_asked_for(failure) {
        let reason = "the closure that it was given panics";
        return Judged::documented(reason).with(Evidence::default());
    }
    if is_polled_again(world, failure) {
        let reason = "a future that was ready may panic when it is polled again";
        return Judged::documented(reason).with(Evidence::default());
    }
    if is_own_error(world, failure) {
        let reason = "it is of an error that no function of the crate gave";
        return Judged::callers(reason).with(Evidence::default());
    }
    let called = callable(world, failure.operation);
    let nature = Nature::at(&court.sources.at(file, line, column), &failure.message);
    let facts = facts(world, failure);
    let happened = Happened {
        nature,
        message: &failure.message,
        facts: &facts,
    };
    let own_docs = docs(world, failure.operation);
    let checker = checker(court, called, file, line);
    let is_own = own_docs.is_some_and(|docs| stands_in(docs, file, line));
    let checks_own = || is_own && court.sources.around(file).checker(line).is_some();
    let seen = Seen {
        court,
        failure,
        called,
        nature,
        is_own,
        is_blamed: relative(file).is_none(),
        line: court.sources.line(file, line),
        no: called.and_then(|called| can_say_no(world, failure.operation, called)),
        announced: announced(world, failure.operation).and_then(|said| fit(said, &happened)),
        denied: denied(world, failure.operation),
        forewarned: forewarned(world, failure, &happened),
        checks_first: checker.is_some() || checks_own(),
        checker,
        unwrapped: court.sources.unwrapped(file, line, column),
        is_unsafe: court.sources.around(file).is_unsafe(line),
        passed_on: passed_on(court, failure, file, line, &happened),
        demanded: demanded(world, failure, &facts)
            .or_else(|| announced_of_sibling(world, failure, &facts)),
        trusted: trusted(world, &failure.sequence),
    };
    seen.decide().with(seen.evidence())
}

impl Seen<'_> {
    fn decide(&self) -> Judged {
        if self.failure.dropping {
            return self.decide_drop();
        }
        if let Some(said) = self.denied {
            let reason = format!("its documentation says: {said}");
            return Judged::suspicious(reason, 3);
        }
        if let Some(judged) = contract(&self.failure.message, self.called) {
            return judged;
        }
        let is_check = self.nature.is_check();
        match &self.announced {
            Some(Fit::Yes(said)) => return Judged::documented(announces(said)),
            // A function that announces panics checks for what it announces.
            Some(Fit::Unclear(said)) if is_check && (self.is_own || self.is_blamed) => {
                return Judged::documented(announces(said));
            }
            _ => {}
        }
        if self.is_unsafe && self.nature == Nature::Overflow {
            let reason = "what overflows is used by unsafe code, which goes on without checks";
            return Judged::suspicious(reason, 0);
        }
        if let Some(said) = &self.trusted {
            return Judged::callers(said);
        }
        match self.no {
            Some(_) => self.decide_who_can_say_no(),
            None => self.decide_others(),
        }
    }

    /// What is said of the function that made a value is not said of its drop, unless it says so.
    fn decide_drop(&self) -> Judged {
        let is_meant = |said: &&String| said.contains("drop");
        if let Some(Fit::Yes(said) | Fit::Unclear(said)) = &self.announced
            && is_meant(&said)
        {
            return Judged::documented(announces(said));
        }
        match self.forewarned.as_ref().filter(is_meant) {
            Some(said) => Judged::callers(said),
            None => Judged::suspicious("it panics while it is dropped", 1),
        }
    }

    /// Whatever a function was given that can say no, it does not panic.
    fn decide_who_can_say_no(&self) -> Judged {
        let asks_for_memory =
            self.nature == Nature::Capacity && !self.called.is_some_and(may_refuse);
        if asks_for_memory && let Some(judged) = excuse(self.court.world, self.failure, self.nature)
        {
            return Judged::arguable(judged.reason);
        }
        let is_check = self.nature.is_check();
        let is_told = self.demanded.as_ref().or(self.forewarned.as_ref());
        if let Some(said) = is_told.filter(|_| is_check) {
            return Judged::arguable(said);
        }
        let is_meant = is_check && !self.called.is_some_and(may_refuse);
        if is_meant && self.checks_first {
            let reason = "it begins by checking what it is given, and panics there on purpose";
            return Judged::arguable(reason);
        }
        let is_far = || {
            let given = given(self.court.world, self.failure);
            given.iter().any(|n| is_extreme(*n)) || has_extreme_float(&self.failure.sequence)
        };
        if is_meant_to_be_checked(&self.unwrapped) && is_far() {
            let reason = "it was given a number at the end of its type, and checks for that";
            return Judged::arguable(reason);
        }
        let rank = match is_meant {
            true => 3,
            false => 2,
        };
        Judged::suspicious("it could have said no, and panics instead", rank)
    }

    fn decide_others(&self) -> Judged {
        let world = self.court.world;
        let is_check = self.nature.is_check();
        if let Some(Fit::Unclear(said)) = &self.announced {
            return match is_check {
                true => Judged::callers(announces(said)),
                false => Judged::arguable(announces(said)),
            };
        }
        let told = [&self.forewarned, &self.demanded, &self.passed_on];
        if let Some(said) = told.into_iter().flatten().next() {
            return Judged::callers(said);
        }
        let is_unnamed = self.called.is_some_and(|called| is_helper(world, called));
        if self.nature == Nature::Overflow && is_unnamed {
            let reason = "nobody says what it is for, as is said of nearly all others";
            return Judged::arguable(reason);
        }
        if let Some(judged) = excuse(world, self.failure, self.nature) {
            return judged;
        }
        // A panic that is raised in the harness is passed on by `#[track_caller]`.
        if self.is_blamed {
            return Judged::callers("the function blames its caller");
        }
        if let Some(checker) = self.checker.as_ref().filter(|_| is_check) {
            let reason =
                format!("`{checker}` checks first what it is given, and that is passed on");
            return Judged::callers(reason);
        }
        if is_check && is_receiver_filled(world, self.failure) {
            let reason = "its fields are public, and whoever fills them answers for them";
            return Judged::arguable(reason);
        }
        if self.is_own && self.compares_lengths() {
            let reason = "it copies what it is given, and that has another length";
            return Judged::callers(reason);
        }
        if self.is_own && is_check {
            let is_inside = self.nature != Nature::Explicit
                && self.called.zip(self.line.as_ref()).is_some_and(|it| {
                    let said = format!("{} {}", self.failure.message, it.1);
                    is_about_the_inside(world, it.0, &said)
                });
            return match is_inside {
                true => {
                    let reason = "an assertion about what only the crate can see does not hold";
                    Judged::suspicious(reason, 4)
                }
                false => Judged::callers("the function itself checks for it"),
            };
        }
        if self.nature == Nature::Explicit {
            return Judged::arguable("it panics on purpose, with a message");
        }
        let (reason, rank) = self.nature.suspicion();
        Judged::suspicious(reason, rank)
    }

    /// Did the standard library refuse to copy an argument over something of another length?
    fn compares_lengths(&self) -> bool {
        let (Some(called), Some(line)) = (self.called, &self.line) else {
            return false;
        };
        let names = own_names(called);
        let copies = ["copy_from_slice", "clone_from_slice", "swap_with_slice"];
        copies.iter().any(|it| passes_on(line, it, &names))
    }

    /// All that was seen, whatever decided.
    fn evidence(&self) -> Evidence {
        let operation = self.failure.operation;
        let said = announced(self.court.world, operation).or(self.denied);
        let mut evidence = Evidence {
            documentation: said.map(str::to_owned),
            ..Evidence::default()
        };
        let for_it = &mut evidence.says_bug;
        for_it.extend(
            self.denied
                .map(|said| format!("its documentation says: {said}")),
        );
        for_it.extend(
            self.no
                .map(|what| format!("it gives {what}, and could have said no")),
        );
        if !self.nature.is_check() {
            for_it.push(self.nature.suspicion().0.to_owned());
        }
        if let Some(Fit::No(said)) = &self.announced {
            let other = format!("its documentation announces another panic: {said}");
            for_it.push(other);
        }
        let against = &mut evidence.says_none;
        if let Some(Fit::Yes(said) | Fit::Unclear(said)) = &self.announced {
            against.push(announces(said));
        }
        against.extend(self.trusted.clone());
        against.extend(self.demanded.clone());
        against.extend(self.forewarned.clone());
        against.extend(self.passed_on.clone());
        let excused = excuse(self.court.world, self.failure, self.nature);
        against.extend(excused.map(|it| it.reason));
        if self.is_blamed {
            against.push("the function blames its caller".to_owned());
        } else if self.nature.is_check() {
            let what = match self.is_own {
                true => "the function itself checks for it",
                false => "somebody wrote down that it panics here",
            };
            against.push(what.to_owned());
        }
        evidence
    }
}

/// What checks its parameters on this line, if the function passes some of its own on to it.
fn checker(court: Court<'_>, called: Option<&Callable>, file: &str, line: u32) -> Option<String> {
    let called = called?;
    let around = court.sources.around(file);
    let checker = around.checker(line)?;
    let own = court.sources.around(called.docs.file.as_deref()?);
    is_passed_on([&own, &around], called.docs.end, checker).then(|| checker.to_owned())
}

/// The parameters, without `self`.
fn own_names(called: &Callable) -> Vec<&str> {
    let names = called.inputs.iter().map(|it| &*it.name);
    names.filter(|it| *it != "self").collect()
}

/// Does it say by its name that it gives nothing rather than a wrong number?
fn is_meant_to_be_checked(unwrapped: &Option<String>) -> bool {
    unwrapped
        .as_ref()
        .is_some_and(|it| it.starts_with("checked_"))
}

fn announces(said: &str) -> String {
    format!("its documentation announces it: {said}")
}

/// What is known of the last call.
fn facts<'a>(world: &'a World, failure: &'a Failure) -> Facts<'a> {
    let sequence = &failure.sequence;
    let mut facts = Facts {
        len: len_in(&failure.message),
        ..Facts::default()
    };
    let Some(Step::Call { op, args, .. }) = sequence.steps().last() else {
        return facts;
    };
    let Some(called) = callable(world, *op) else {
        return facts;
    };
    let operation = world.catalogue.operation(*op);
    let has_receiver = has_receiver(world, *op);
    for (n, arg) in args.iter().enumerate() {
        let parameter = called.inputs.get(operation.parameter(n));
        let ty = operation.signature.inputs.get(n);
        let (Some(parameter), Some(ty)) = (parameter, ty) else {
            continue;
        };
        if n == 0 && has_receiver {
            if let Arg::Slot(slot, _) = arg {
                facts.is_fresh = is_fresh(world, sequence, *slot);
            }
            continue;
        }
        facts.arguments.push(Argument {
            name: &parameter.name,
            ty: ty.ty.ty.0,
            what: match arg {
                Arg::Literal(value) => What::Value(value),
                Arg::Slot(slot, _) => What::Slot(slot.0),
            },
        });
    }
    facts
}

/// What is announced by another public function that raised the panic on purpose: whoever collects
/// ranges into a map inserts them.
fn passed_on(
    court: Court<'_>,
    failure: &Failure,
    file: &str,
    line: u32,
    happened: &Happened<'_>,
) -> Option<String> {
    // What is checked and unwrapped at once is a check as an assertion is.
    let unwraps_checked = || {
        let text = court.sources.line(file, line).unwrap_or_default();
        happened.nature == Nature::Unwrap && text.contains("checked_")
    };
    if !happened.nature.is_check() && !unwraps_checked() {
        return None;
    }
    let world = court.world;
    let called = callable(world, failure.operation)?;
    let mut others = world.catalogue.api.callables.iter();
    others.find_map(|it| {
        let said = it.docs.panics.as_deref().or_else(|| demand(&it.docs, it))?;
        if it.key == called.key || !stands_in(&it.docs, file, line) {
            return None;
        }
        // Nothing is known of what it was given.
        let happened = Happened {
            facts: &Facts::default(),
            ..*happened
        };
        match fit(said, &happened)? {
            Fit::Yes(said) | Fit::Unclear(said) => Some(format!(
                "`{}`, which it calls, announces it: {said}",
                it.key
            )),
            Fit::No(_) => None,
        }
    })
}

/// Was the value made by `new` or the like, and nothing put into it before the last call?
fn is_fresh(world: &World, sequence: &Sequence, slot: SlotIdx) -> bool {
    let (maker, _) = sequence.maker(slot);
    let is_made_empty = callable(world, maker).is_some_and(|it| {
        matches!(
            last_segment(&it.key),
            "new" | "default" | "with_capacity" | "empty"
        )
    });
    let Some((_, before)) = sequence.steps().split_last() else {
        return false;
    };
    is_made_empty && !before.iter().any(|step| step.uses(slot, Use::Mut))
}

/// Functions whose `Option` is what was there before: that there was nothing is no refusal.
const EXCHANGE: [&str; 7] = [
    "insert",
    "insert_full",
    "push",
    "put",
    "replace",
    "set",
    "swap",
];

/// What a function gives that can say no instead of panicking.
fn can_say_no(world: &World, op: OperationId, called: &Callable) -> Option<&'static str> {
    let is_about_others = answers_otherwise(called) || is_of_a_sink(called);
    let found = gives(world, op, called).filter(|_| !is_about_others)?;
    let exchanges = EXCHANGE.contains(&last_segment(&called.key));
    (found == "`Result`" || !exchanges).then_some(found)
}

/// Is it a method of the standard library's whose `Result` or `Option` is no answer to what it was given? The error
/// of a formatter is for the place that it writes to, and an iterator that gives nothing has ended.
fn answers_otherwise(called: &Callable) -> bool {
    let CallableKind::Trait { trait_, .. } = &called.kind else {
        return false;
    };
    let of_iterators = ["std::iter::Iterator", "std::iter::DoubleEndedIterator"];
    trait_.path.starts_with("std::fmt::") || of_iterators.contains(&&*trait_.path)
}

/// How functions begin that take what they are given apart, so that an error of theirs is about it.
const TAKES_APART: [&str; 7] = ["check", "decode", "load", "parse", "read", "seek", "skip"];

/// Is its error that of the place which it writes to? Who writes there gives no other answer.
fn is_of_a_sink(called: &Callable) -> bool {
    let Ty::Adt { path, args } = &called.output else {
        return false;
    };
    let types = args.iter().filter_map(|arg| match arg {
        GenericArg::Type(ty) => Some(ty),
        _ => None,
    });
    let types: Vec<&Ty> = types.collect();
    let [given, Ty::Adt { path: error, .. }] = &types[..] else {
        return false;
    };
    let name = last_segment(&called.key);
    let takes_apart = TAKES_APART.iter().any(|start| name.starts_with(start));
    let says_nothing =
        matches!(given, Ty::Tuple(parts) if parts.is_empty()) || **given == Ty::Prim(Prim::Usize);
    let is_sink = match &**error {
        "std::fmt::Error" => true,
        "std::io::Error" => says_nothing && !takes_apart,
        _ => false,
    };
    &**path == "std::result::Result" && is_sink
}

fn gives(world: &World, op: OperationId, called: &Callable) -> Option<&'static str> {
    let output = world.signature(op).output.ty;
    let output = &world.catalogue.types.get(output).ty;
    maybe(&called.output)
        .or_else(|| maybe(output))
        .or_else(|| own_none(world, output))
}

/// The crate's own kind of `Option`, as `LocalResult` of chrono is one.
fn own_none(world: &World, output: &Ty) -> Option<&'static str> {
    let Ty::Adt { path, .. } = output else {
        return None;
    };
    let Shape::Enum { variants, .. } = &world.catalogue.api.adts.get(path)?.shape else {
        return None;
    };
    let mut names = variants.iter().map(|it| &*it.name);
    let says_no = names.any(|it| matches!(it, "None" | "Err"));
    says_no.then_some("what has a `None` or `Err`")
}

fn maybe(ty: &Ty) -> Option<&'static str> {
    match ty {
        Ty::Adt { path, .. } if &**path == "std::option::Option" => Some("`Option`"),
        Ty::Adt { path, .. } if &**path == "std::result::Result" => Some("`Result`"),
        Ty::Tuple(parts) => parts.iter().find_map(maybe),
        _ => None,
    }
}

/// Is the function there to refuse? Its name says so.
fn may_refuse(called: &Callable) -> bool {
    let name = last_segment(&called.key);
    let is_for_that = ["try_", "checked_", "parse", "get"];
    is_for_that.iter().any(|start| name.starts_with(start)) || name == "from_str"
}

/// What the panic of a contract means that was written with the `contracts` crate, by the words of
/// its message.
fn contract(message: &str, called: Option<&Callable>) -> Option<Judged> {
    let (kind, rest) = message.split_once(" of ")?;
    let (name, _) = rest.split_once(" violated")?;
    let is_own = called.is_some_and(|it| last_segment(&it.key) == name);
    Some(match kind {
        "Pre-condition" if is_own => Judged::callers("its precondition does not hold"),
        "Pre-condition" => Judged::suspicious("it breaks the precondition of what it calls", 4),
        "Post-condition" => Judged::suspicious("its postcondition does not hold", 1),
        _ if kind.starts_with("Invariant") => Judged::suspicious("the invariant does not hold", 1),
        _ => return None,
    })
}

/// Does an assertion mention a private member, and none of the arguments?
fn is_about_the_inside(world: &World, called: &Callable, said: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words: Vec<&str> = said.split(|c| !is_word(c)).collect();
    let mut parameters = called.inputs.iter().filter(|it| &*it.name != "self");
    if parameters.any(|it| words.contains(&&*it.name)) {
        return false;
    }
    let is_public = |name: &str| {
        let mut callables = world.catalogue.api.callables.iter();
        callables.any(|it| {
            it.key.ends_with(&format!("::{name}")) || it.key.ends_with(&format!(".{name}"))
        })
    };
    let members = said.split("self.").skip(1);
    let mut members = members.map(|rest| rest.split(|c| !is_word(c)).next().unwrap_or_default());
    members.any(|name| !name.is_empty() && !is_public(name))
}

/// Is the receiver an error that the caller filled in?
fn is_own_error(world: &World, failure: &Failure) -> bool {
    let receiver = world.signature(failure.operation).inputs.first();
    let ty = receiver.map(|it| &world.catalogue.types.get(it.ty.ty).ty);
    let mut impls = world.catalogue.api.impls.iter();
    let is_error = impls.any(|it| {
        let same = match (&it.self_ty, ty) {
            (Ty::Adt { path: of, .. }, Some(Ty::Adt { path, .. })) => of == path,
            _ => false,
        };
        same && &*it.trait_.path == "std::error::Error"
    });
    is_error && is_receiver_filled(world, failure)
}

/// Is it a future that was polled before? `Future::poll` says that a future may panic once it was
/// ready.
fn is_polled_again(world: &World, failure: &Failure) -> bool {
    let form = |op: OperationId| &world.catalogue.operation(op).form;
    let is_poll = |op: OperationId| {
        matches!(form(op), Form::Trait { trait_, name, .. }
            if &*trait_.path == "std::future::Future" && &**name == "poll")
    };
    let drives = |op: OperationId| matches!(form(op), Form::Recipe { template } if template.starts_with(STAND_INS));
    let steps = failure.sequence.steps().iter();
    let polls = steps.filter(|step| matches!(step, Step::Call { op, .. } if is_poll(*op)));
    match is_poll(failure.operation) {
        true => polls.count() > 1,
        false => drives(failure.operation) && polls.count() > 0,
    }
}

/// Was the panic raised in the function itself?
fn stands_in(docs: &Docs, file: &str, line: u32) -> bool {
    let same_file = docs.file.as_deref().and_then(relative) == relative(file);
    same_file && (docs.line..=docs.end).contains(&line)
}
