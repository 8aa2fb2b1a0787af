//! Finds what a caller could have known: an index that was given, an operator, an end of a type.
//!
//! None of it excuses a function that can say no.

use testsmith_api::{Form, OperationId, last_segment};
use testsmith_explore::Failure;
use testsmith_sequence::{Step, World};

use super::given::{
    given, given_to_maker, has_endless_product, has_extreme_float, has_foreign_place,
    has_great_number, has_number_of_another, is_extreme, is_filled_beyond,
    is_given_float_beyond_integers, is_last, names_extreme, names_near_beyond, names_one_of,
    names_place_in_rows,
};
use super::judged::Judged;
use super::nature::Nature;
use super::{MUCH, callable};

/// Why the caller could have known that the call fails, if so.
pub(super) fn excuse(world: &World, failure: &Failure, nature: Nature) -> Option<Judged> {
    let given = given(world, failure);
    let is_absent = matches!(nature, Nature::Unwrap | Nature::Expect);
    let is_beyond = matches!(nature, Nature::Index | Nature::Slice);
    if (is_beyond || nature == Nature::CharBoundary) && names_one_of(&failure.message, &given) {
        let reason = "the index that is out of bounds is the one that was given";
        return Some(Judged::callers(reason));
    }
    if is_beyond && names_near_beyond(&failure.message, &given) {
        let reason = "the index that is out of bounds was computed of the one that was given";
        return Some(Judged::callers(reason));
    }
    if is_beyond && names_place_in_rows(world, failure) {
        let reason = "the index that is out of bounds was computed of one in a list that was given";
        return Some(Judged::callers(reason));
    }
    if is_beyond && names_extreme(&failure.message) {
        let reason = "the index that is out of bounds is at the end of its type";
        return Some(Judged::callers(reason));
    }
    if (is_beyond || is_absent) && is_indexing(world, failure.operation) {
        let reason = "indexing, and that of the standard library does the same";
        return Some(Judged::callers(reason));
    }
    let overflows = nature == Nature::Overflow;
    let is_far = |n: &u128| is_extreme(*n);
    let is_given_far = given.iter().any(is_far) || overflows && has_great_number(world, failure);
    if overflows && (is_given_far || given_to_maker(world, failure).iter().any(is_far))
        || is_absent && given.iter().any(|n| is_last(*n))
    {
        let reason = "it was given a number at the end of its type";
        return Some(Judged::arguable(reason));
    }
    if (is_absent || overflows) && has_extreme_float(&failure.sequence) {
        let reason = "it was given a float at the end of its type";
        return Some(Judged::arguable(reason));
    }
    if (is_absent || overflows) && is_given_float_beyond_integers(failure) {
        let reason = "it was given a float that is no integer of 32 bits";
        return Some(Judged::arguable(reason));
    }
    if overflows && is_filled_beyond(world, failure, MUCH) {
        let reason =
            "its fields are public, and whoever fills them with such a number answers for it";
        return Some(Judged::arguable(reason));
    }
    if overflows && let Some(done) = undoes(world, failure) {
        let reason = format!("it undoes what `{done}` does, which nobody called");
        return Some(Judged::arguable(reason));
    }
    let multiplies = overflows && failure.message.contains("multiply");
    if multiplies && has_endless_product(world, failure) {
        return Some(Judged::arguable("it was asked for so much at once"));
    }
    let is_about_places = is_beyond || is_absent || overflows || nature == Nature::Assertion;
    if is_about_places && has_foreign_place(world, failure) {
        return Some(Judged::callers("it was given a place in something else"));
    }
    let message = failure.message.to_lowercase();
    let says_so = nature.is_check() && (message.contains("overflow") || message.contains("zero"));
    let computes = overflows || nature == Nature::Division || says_so;
    if computes && is_operator(world, failure.operation) {
        let reason = "an operator, and those of the standard library's numbers do the same";
        return Some(Judged::callers(reason));
    }
    if nature == Nature::Division && given.contains(&0) {
        return Some(Judged::callers("it was given the zero to divide by"));
    }
    let is_much = || {
        let mut all = given.iter().copied().chain(given_to_maker(world, failure));
        all.any(|n| n > 1 << 32) || has_number_of_another(world, failure)
    };
    if nature == Nature::Capacity && is_much() {
        return Some(Judged::callers("it was asked for so much memory"));
    }
    None
}

/// What is done, and how it is undone.
const PAIRS: [[&str; 2]; 10] = [
    ["acquire", "release"],
    ["begin", "end"],
    ["enter", "exit"],
    ["enter", "leave"],
    ["inc", "dec"],
    ["increment", "decrement"],
    ["indent", "dedent"],
    ["lock", "unlock"],
    ["open", "close"],
    ["start", "finish"],
];

/// The method whose effect the called one undoes, if no step calls it.
fn undoes(world: &World, failure: &Failure) -> Option<&'static str> {
    let name = |op: OperationId| callable(world, op).map(|it| last_segment(&it.key));
    let called = name(failure.operation)?;
    let [done, _] = PAIRS.iter().find(|it| it[1] == called)?;
    let mut steps = failure.sequence.steps().iter();
    let is_done =
        steps.any(|step| matches!(step, Step::Call { op, .. } if name(*op) == Some(done)));
    let mut callables = world.catalogue.api.callables.iter();
    let is_there = callables.any(|it| last_segment(&it.key) == *done);
    (is_there && !is_done && failure.message.contains("subtract")).then_some(done)
}

/// Is it an operation like `a[i]`?
fn is_indexing(world: &World, op: OperationId) -> bool {
    matches!(&world.catalogue.operation(op).form, Form::Trait { trait_, .. }
        if matches!(&*trait_.path, "std::ops::Index" | "std::ops::IndexMut"))
}

/// Is it `+`, `*=`, `pow` or their like?
pub(super) fn is_operator(world: &World, op: OperationId) -> bool {
    match &world.catalogue.operation(op).form {
        Form::Trait { trait_, .. } => {
            let path = &*trait_.path;
            let is_sum = matches!(path, "std::iter::Sum" | "std::iter::Product");
            let is_of_numbers =
                path.starts_with("num_traits::pow::") || path.starts_with("num_traits::sign::");
            let is_of_std = path.starts_with("std::ops::") && !path.ends_with("Index");
            is_sum || is_of_std || is_of_numbers
        }
        Form::Inherent { name, .. } => &**name == "pow",
        _ => false,
    }
}
