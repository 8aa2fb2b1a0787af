//! Cases that differ in literals only, as a table.

use expect_test::expect;
use testsmith_api::{OperationId, Prim, Side, Ty};
use testsmith_protocol::Value;
use testsmith_sequence::StepIdx;

use super::check;
use super::model::{
    A::{self, S},
    *,
};
use crate::{Act, Check, TestCase, is_table};

/// Calls, and what is asserted about them.
type Case<'c> = (&'c [(OperationId, &'c [A])], Vec<Check>);

/// One test of several cases.
fn joined(model: &Model, cases: &[Case<'_>]) -> TestCase {
    let (mut calls, mut checks, mut acts) = (Vec::new(), Vec::new(), Vec::new());
    for (steps, own) in cases {
        acts.push(Act {
            op: steps[steps.len() - 1].0,
            first: StepIdx(calls.len() as u16),
        });
        calls.extend_from_slice(steps);
        checks.extend(own.iter().cloned());
    }
    TestCase {
        acts,
        ..model.case(&calls, checks)
    }
}

#[test]
fn what_differs_becomes_columns() {
    let mut model = Model::new();
    let (new, push, pop) = (model.stack_new(), model.push(), model.pop());
    let len = model.method("len", prim(Prim::Usize));
    let is_empty = model.method("is_empty", prim(Prim::Bool));
    let (parse, ok) = (model.parse(), model.unwrap(Side::Ok, result(), stack()));
    let some = |n| Value::some(Value::UInt(n));
    let parses = joined(
        &model,
        &[
            (
                &[(parse, &[text("")]), (ok, &[S(0)])],
                vec![
                    observed(1, len, 1, Value::UInt(0)),
                    observed(1, is_empty, 1, Value::Bool(true)),
                ],
            ),
            (
                &[(parse, &[text("123")]), (ok, &[S(2)])],
                vec![
                    observed(3, len, 3, Value::UInt(3)),
                    observed(3, is_empty, 3, Value::Bool(false)),
                ],
            ),
        ],
    );
    let pops = joined(
        &model,
        &[
            (
                &[(new, &[]), (push, &[S(0), uint(7)]), (pop, &[S(0)])],
                vec![
                    is(2, 2, some(7)),
                    observed(2, is_empty, 0, Value::Bool(true)),
                ],
            ),
            (
                &[(new, &[]), (push, &[S(3), uint(9)]), (pop, &[S(3)])],
                vec![
                    is(5, 5, some(9)),
                    observed(5, is_empty, 3, Value::Bool(true)),
                ],
            ),
        ],
    );
    check(
        &model,
        &[parses, pops],
        expect![[r#"
            use stack::Stack;

            #[test]
            fn stack() {
                for (item, len, is_empty) in [
                    ("", 0, true),
                    ("123", 3, false),
                ] {
                    let stack = Stack::parse(item).unwrap();
                    assert_eq!(stack.len(), len, "{item:?}");
                    assert_eq!(stack.is_empty(), is_empty, "{item:?}");
                }
            }

            #[test]
            fn pop() {
                for (item, expected) in [
                    (7, Some(7)),
                    (9, Some(9)),
                ] {
                    let mut stack = Stack::new();
                    stack.push(item);
                    assert_eq!(stack.pop(), expected, "{item:?}");
                    assert!(stack.is_empty(), "{item:?}");
                }
            }
        "#]],
    );
}

#[test]
fn a_text_that_comes_out_as_it_went_in_is_one_column() {
    let mut model = Model::new();
    let (parse, ok) = (model.parse(), model.unwrap(Side::Ok, result(), stack()));
    let digits = model.method("digits", Ty::adt("std::string::String", []));
    let steps = |at: u16, word: &str| {
        let calls = vec![(parse, vec![text(word)]), (ok, vec![S(at)])];
        let check = observed(at + 1, digits, at + 1, Value::Str(word.into()));
        (calls, check)
    };
    let (first, first_check) = steps(0, "12");
    let (second, second_check) = steps(2, "34");
    let first: Vec<(OperationId, &[A])> = first.iter().map(|(op, args)| (*op, &args[..])).collect();
    let second: Vec<(OperationId, &[A])> =
        second.iter().map(|(op, args)| (*op, &args[..])).collect();
    let test = joined(
        &model,
        &[(&first, vec![first_check]), (&second, vec![second_check])],
    );
    check(
        &model,
        &[test],
        expect![[r#"
        use stack::Stack;

        #[test]
        fn stack() {
            for item in [
                "12",
                "34",
            ] {
                let stack = Stack::parse(item).unwrap();
                assert_eq!(stack.digits(), item, "{item:?}");
            }
        }
    "#]],
    );
}

#[test]
fn cases_of_other_shapes_are_no_table() {
    let mut model = Model::new();
    let (new, push, pop) = (model.stack_new(), model.push(), model.pop());
    let empty = model.case(&[(new, &[]), (pop, &[S(0)])], vec![is(1, 1, Value::none())]);
    let full = |n| {
        let some = Value::some(Value::UInt(n));
        model.case(
            &[(new, &[]), (push, &[S(0), uint(n)]), (pop, &[S(0)])],
            vec![is(2, 2, some)],
        )
    };
    assert!(is_table(&model.world, &[&full(1), &full(2)]));
    assert!(!is_table(&model.world, &[&full(1), &empty]));
    assert!(
        !is_table(&model.world, &[&full(1), &full(1)]),
        "nothing differs"
    );
}
