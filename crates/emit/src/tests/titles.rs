//! Names of tests.

use expect_test::expect;
use testsmith_api::{OperationId, Prim, Side};
use testsmith_protocol::Value;
use testsmith_sequence::StepIdx;

use super::model::{
    A::{self, S},
    *,
};
use super::{check, named};
use crate::{Act, EmitOptions, TestCase, emit};

/// Calls, and what the last of them gave.
type Case<'c> = (&'c [(OperationId, &'c [A])], &'c [Value]);

/// One test of several cases, one after another, each about its last call.
fn several(model: &Model, cases: &[Case<'_>]) -> TestCase {
    let mut calls = Vec::new();
    let mut checks = Vec::new();
    let mut acts = Vec::new();
    for (steps, values) in cases {
        acts.push(Act {
            op: steps[steps.len() - 1].0,
            first: StepIdx(calls.len() as u16),
        });
        calls.extend_from_slice(steps);
        let last = calls.len() as u16 - 1;
        checks.extend(values.iter().map(|value| is(last, last, value.clone())));
    }
    TestCase {
        acts,
        ..model.case(&calls, checks)
    }
}

/// The name of a test.
fn name_of(model: &Model, case: &TestCase) -> String {
    let file = emit(
        &model.world,
        std::slice::from_ref(case),
        &EmitOptions::default(),
    );
    file.tests[0].name.clone()
}

#[test]
fn names_of_several_cases_say_what_they_share_or_contrast() {
    let mut model = Model::new();
    let (new, push, pop, parse) = (model.stack_new(), model.push(), model.pop(), model.parse());
    let len = model.method("len", prim(Prim::Usize));
    let is_empty = model.method("is_empty", prim(Prim::Bool));
    let some = |n| Value::some(Value::UInt(n));
    let pops = several(
        &model,
        &[
            (&[(new, &[]), (pop, &[S(0)])], &[Value::none()]),
            (
                &[(new, &[]), (push, &[S(2), uint(3)]), (pop, &[S(2)])],
                &[some(3)],
            ),
        ],
    );
    assert_eq!(name_of(&model, &pops), "pop");
    let empties = several(
        &model,
        &[
            (&[(new, &[]), (is_empty, &[S(0)])], &[Value::Bool(true)]),
            (
                &[(new, &[]), (push, &[S(2), uint(3)]), (is_empty, &[S(2)])],
                &[Value::Bool(false)],
            ),
        ],
    );
    assert_eq!(name_of(&model, &empties), "is_empty");
    let lengths = several(
        &model,
        &[
            (&[(new, &[]), (len, &[S(0)])], &[Value::UInt(0)]),
            (
                &[(new, &[]), (push, &[S(2), uint(3)]), (len, &[S(2)])],
                &[Value::UInt(1)],
            ),
        ],
    );
    assert_eq!(name_of(&model, &lengths), "len");
    let err = || named("Err", &[("0", Value::Debug("ParseError".into()))]);
    let parses = several(
        &model,
        &[
            (&[(parse, &[text("-1")])], &[err()]),
            (&[(parse, &[text("x y")])], &[err()]),
        ],
    );
    assert_eq!(name_of(&model, &parses), "stack_parse_fails");
    let both = several(
        &model,
        &[
            (&[(new, &[]), (len, &[S(0)])], &[Value::UInt(0)]),
            (&[(new, &[]), (pop, &[S(2)])], &[Value::none()]),
        ],
    );
    assert_eq!(name_of(&model, &both), "stack_len_and_pop");
}

#[test]
fn names_tell_the_story_and_never_clash() {
    let mut model = Model::new();
    let (new, pop, parse) = (model.stack_new(), model.pop(), model.parse());
    let len = model.method("len", prim(Prim::Usize));
    let ok = model.unwrap(Side::Ok, result(), stack());
    let err = || named("Err", &[("0", Value::Debug("ParseError".into()))]);
    let cases = [
        model.case(&[(new, &[]), (pop, &[S(0)])], vec![is(1, 1, Value::none())]),
        model.case(&[(new, &[])], vec![observed(0, len, 0, Value::UInt(0))]),
        model.case(
            &[(parse, &[text("123")]), (ok, &[S(0)]), (len, &[S(1)])],
            vec![is(2, 2, Value::UInt(3))],
        ),
        model.case(&[(parse, &[text("x y")])], vec![is(0, 0, err())]),
        model.case(&[(parse, &[text("-1")])], vec![is(0, 0, err())]),
        model.case(&[(parse, &[text("-1")])], vec![is(0, 0, err())]),
    ];
    check(
        &model,
        &cases,
        expect![[r#"
            use stack::Stack;

            #[test]
            fn pop() {
                let mut stack = Stack::new();
                assert_eq!(stack.pop(), None);
            }

            #[test]
            fn len() {
                let stack = Stack::new();
                assert_eq!(stack.len(), 0);
            }

            #[test]
            fn len_on_parsed_stack() {
                let stack = Stack::parse("123").unwrap();
                assert_eq!(stack.len(), 3);
            }

            #[test]
            fn stack_parse_fails() {
                assert_eq!(format!("{:?}", Stack::parse("x y")), "Err(ParseError)");
            }

            #[test]
            fn stack_parse_returns_err() {
                assert_eq!(format!("{:?}", Stack::parse("-1")), "Err(ParseError)");
            }

            #[test]
            fn stack_parse_of_1_returns_err() {
                assert_eq!(format!("{:?}", Stack::parse("-1")), "Err(ParseError)");
            }
        "#]],
    );
}
