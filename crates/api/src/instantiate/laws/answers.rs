//! Questions: what is asked twice has one answer, and equal values have the same.

use super::super::Draft;
use super::iterator::is_comparable;
use super::twins::{gives_items, iter, methods};
use super::{PARTIAL_EQ, Subject, given, let_, then};

/// The most questions of a type that are asked twice.
const MAX_QUESTIONS: usize = 16;

/// A method whose name begins like this may change what it is lent: a counter, a table behind a lock.
const CHANGES: [&str; 79] = [
    "acquire", "add", "advance", "alloc", "append", "apply", "build", "call", "cancel", "choose",
    "clear", "close", "compare", "consume", "create", "dec", "dispatch", "drain", "draw",
    "elapsed", "emit", "enter", "exchange", "execute", "fetch", "flip", "flush", "fresh", "gen",
    "inc", "insert", "intern", "leave", "load", "lock", "log", "make", "mark", "new", "next",
    "notify", "now", "open", "pick", "poll", "pop", "push", "put", "rand", "random", "read",
    "record", "recv", "register", "release", "remove", "replace", "reset", "roll", "run", "sample",
    "send", "set", "shuffle", "spawn", "start", "step", "stop", "store", "swap", "take", "tick",
    "toggle", "touch", "try", "unique", "update", "visit", "wait",
];

/// Questions about what a value is, and not about how it is kept: whether it is sorted, full or on
/// the heap may differ, and so may what is first if the order does not count.
const ABOUT_WHAT_IT_IS: [&str; 11] = [
    "len",
    "count",
    "is_empty",
    "is_zero",
    "is_one",
    "is_integer",
    "min",
    "max",
    "get",
    "contains",
    "contains_key",
];

pub(super) fn laws(subject: &Subject<'_>) -> Vec<Draft> {
    let mut laws = again(subject);
    if subject.is_comparable() {
        laws.extend(of_equals(subject));
    }
    laws
}

/// Nothing changes between two calls that only look.
fn again(subject: &Subject<'_>) -> Vec<Draft> {
    let methods = methods(subject);
    let questions = methods.iter().filter_map(|method| {
        let first = method.name.split('_').next().unwrap_or_default();
        let is_asked = !CHANGES.contains(&first) && !method.output().is_unit();
        if !is_asked || !is_comparable(subject, method.output()) {
            return None;
        }
        let (inputs, call) = method.call(subject)?;
        // What is no number is never the same.
        let clauses = vec![
            let_("once", call.clone()),
            given("PartialEq::eq(&once, &once)"),
            then(format!("assert!(once == {call})")),
        ];
        let says = format!(
            "`{}` must answer the same when it is asked again",
            method.name
        );
        let name = format!("again {}", method.name);
        // It may be meant to change something that it shares.
        Some(subject.guess(&name, &says, inputs, clauses))
    });
    questions.take(MAX_QUESTIONS).collect()
}

/// Equal values hold the same, and answer the same.
fn of_equals(subject: &Subject<'_>) -> Vec<Draft> {
    let methods = methods(subject);
    let mut laws = Vec::new();
    let are_equal = || given("*{0} == *{1}");
    if iter(subject, &methods).is_some_and(|it| gives_items(subject, it.output())) {
        let same = "assert!({0}.iter().all(|item| {1}.iter().any(|other| item == other)))";
        let inputs = vec![subject.lent(0), subject.lent(1)];
        let says = "values that are equal must hold the same";
        laws.push(subject.law(
            "eq-contents",
            says,
            1,
            inputs,
            vec![are_equal(), then(same)],
        ));
    }
    if subject.is_derived(PARTIAL_EQ) {
        return laws;
    }
    let asked = methods
        .iter()
        .filter(|it| ABOUT_WHAT_IT_IS.contains(&&**it.name));
    for method in asked.filter(|it| is_comparable(subject, it.output())) {
        // The second value stands after what is passed.
        let Some((mut inputs, call)) = method.call(subject) else {
            continue;
        };
        let n = inputs.len();
        inputs.insert(1, subject.lent(n as u32));
        let call = (1..n).rev().fold(call, |call, i| {
            call.replace(&format!("{{{i}}}"), &format!("{{{}}}", i + 1))
        });
        let other = call.replace("{0}", "{1}");
        let clauses = vec![are_equal(), then(format!("assert!({call} == {other})"))];
        let says = format!(
            "values that are equal must give the same for `{}`",
            method.name
        );
        let name = format!("eq-answers {}", method.name);
        laws.push(subject.law(&name, &says, 2, inputs, clauses));
    }
    laws
}
