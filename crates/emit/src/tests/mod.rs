//! The printer as a whole: a sequence in, a test out; rustc has the last word.

mod judge;
mod model;
mod modules;
mod stand_ins;
mod values;

use expect_test::{Expect, expect};
use testsmith_api::{Docs, Form, OperationId, Prim, Side, Ty};
use testsmith_protocol::Value;
use testsmith_sequence::{SlotIdx, StepIdx};

use crate::{Act, Check, EmitOptions, Subject, TestCase, TestKind, assertable, emit};
use judge::judge;
use model::{
    A::{self, S, V},
    *,
};

/// Print the cases, have rustc judge the file, and compare.
fn check(model: &Model, cases: &[TestCase], expected: Expect) {
    let file = emit(&model.world, cases, &EmitOptions::default());
    expected.assert_eq(&file.text);
    judge(&file.text);
    for test in &file.tests {
        assert_eq!(test.n_assertions as usize, test.assertion_lines.len());
    }
}

fn named(path: &str, fields: &[(&str, Value)]) -> Value {
    Value::Named {
        path: path.into(),
        fields: fields
            .iter()
            .map(|(name, value)| ((*name).into(), value.clone()))
            .collect(),
    }
}

#[test]
fn a_result_that_is_only_asserted_stands_in_its_assertion() {
    let mut model = Model::new();
    let (new, push, pop) = (model.stack_new(), model.push(), model.pop());
    let case = model.case(
        &[(new, &[]), (push, &[S(0), uint(3)]), (pop, &[S(0)])],
        vec![is(2, 2, Value::some(Value::UInt(3)))],
    );
    check(
        &model,
        &[case],
        expect![[r#"
        use stack::Stack;

        #[test]
        fn push_then_pop_returns_some() {
            let mut stack = Stack::new();
            stack.push(3);
            assert_eq!(stack.pop(), Some(3));
        }
    "#]],
    );
}

/// Calls, and what the last of them gave.
type Case<'c> = (&'c [(OperationId, &'c [A])], &'c [Value]);

/// Cases one after the other in one test, each about its last call.
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
    assert_eq!(
        name_of(&model, &pops),
        "stack_pop_returns_none_when_new_else_some"
    );
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
    assert_eq!(
        name_of(&model, &empties),
        "stack_is_empty_is_true_when_new_else_false"
    );
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
    assert_eq!(name_of(&model, &lengths), "stack_len_returns_zero_or_1");
    let err = || named("Err", &[("0", Value::Debug("ParseError".into()))]);
    let parses = several(
        &model,
        &[
            (&[(parse, &[text("-1")])], &[err()]),
            (&[(parse, &[text("x y")])], &[err()]),
        ],
    );
    assert_eq!(name_of(&model, &parses), "stack_parse_returns_err");
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
        fn pop_on_new_stack_returns_none() {
            let mut stack = Stack::new();
            assert_eq!(stack.pop(), None);
        }

        #[test]
        fn len_on_new_stack_returns_zero() {
            let stack = Stack::new();
            assert_eq!(stack.len(), 0);
        }

        #[test]
        fn len_on_parsed_stack_returns_3() {
            let stack = Stack::parse("123").unwrap();
            assert_eq!(stack.len(), 3);
        }

        #[test]
        fn stack_parse_returns_err() {
            assert_eq!(format!("{:?}", Stack::parse("x y")), "Err(ParseError)");
        }

        #[test]
        fn stack_parse_of_1_returns_err() {
            assert_eq!(format!("{:?}", Stack::parse("-1")), "Err(ParseError)");
        }

        #[test]
        fn stack_parse_returns_err_2() {
            assert_eq!(format!("{:?}", Stack::parse("-1")), "Err(ParseError)");
        }
    "#]],
    );
}

#[test]
fn unused_results_are_not_bound() {
    let mut model = Model::new();
    let (new, push, pop) = (model.stack_new(), model.push(), model.pop());
    let must_use = Docs {
        must_use: true,
        ..Docs::default()
    };
    let len = model.documented(
        inherent(stack(), "len", true),
        vec![In::Shared(stack())],
        prim(Prim::Usize),
        must_use,
    );
    let empty = model.method("is_empty", prim(Prim::Bool));
    let case = model.case(
        &[
            (new, &[]),
            (push, &[S(0), uint(255)]),
            (pop, &[S(0)]),
            (len, &[S(0)]),
        ],
        vec![observed(3, empty, 0, Value::Bool(true))],
    );
    check(
        &model,
        &[case],
        expect![[r#"
        use stack::Stack;

        #[test]
        fn pop_then_is_empty_is_true() {
            let mut stack = Stack::new();
            stack.push(u8::MAX);
            stack.pop();
            let _ = stack.len();
            assert!(stack.is_empty());
        }
    "#]],
    );
}

#[test]
fn constructors_are_written_where_they_are_used() {
    let mut model = Model::new();
    let parse = model.parse();
    let ok = model.unwrap(Side::Ok, result(), stack());
    let form = Form::AssocConst {
        self_ty: stack(),
        name: "EMPTY".into(),
    };
    let empty = model.op(form, vec![], stack());
    let inputs = vec![In::Shared(stack()), In::Shared(stack())];
    let starts = model.op(
        inherent(stack(), "starts_with", true),
        inputs,
        prim(Prim::Bool),
    );
    let new = model.stack_new();
    let inputs = vec![In::Value(stack()), In::Value(prim(Prim::U8))];
    let with = model.op(inherent(stack(), "with", true), inputs, stack());
    let inputs = vec![In::Value(stack())];
    let into_vec = model.op(
        inherent(stack(), "into_vec", true),
        inputs,
        vec(prim(Prim::U8)),
    );
    let cases = [
        model.case(
            &[
                (parse, &[text("12")]),
                (ok, &[S(0)]),
                (parse, &[text("1")]),
                (ok, &[S(2)]),
                (starts, &[S(1), S(3)]),
            ],
            vec![is(4, 4, Value::Bool(true))],
        ),
        model.case(
            &[(new, &[]), (empty, &[]), (starts, &[S(0), S(1)])],
            vec![is(2, 2, Value::Bool(true))],
        ),
        model.case(
            &[
                (new, &[]),
                (with, &[S(0), uint(1)]),
                (with, &[S(1), uint(2)]),
                (into_vec, &[S(2)]),
            ],
            vec![is(3, 3, Value::List(vec![Value::UInt(1), Value::UInt(2)]))],
        ),
    ];
    check(
        &model,
        &cases,
        expect![[r#"
        use stack::Stack;

        #[test]
        fn starts_with_on_parsed_stack_is_true() {
            let stack = Stack::parse("12").unwrap();
            assert!(stack.starts_with(&Stack::parse("1").unwrap()));
        }

        #[test]
        fn starts_with_on_new_stack_is_true() {
            let stack = Stack::new();
            assert!(stack.starts_with(&Stack::EMPTY));
        }

        #[test]
        fn with_then_into_vec_returns_2_items() {
            assert_eq!(Stack::new().with(1).with(2).into_vec(), [1, 2]);
        }
    "#]],
    );
}

#[test]
fn std_traits_are_written_as_operators() {
    let mut model = Model::new();
    let point_of = model.point_literal();
    let by_value = || vec![In::Value(point()), In::Value(point())];
    let add = model.op(
        in_trait(point(), "std::ops::Add", &[point()], "add", true),
        by_value(),
        point(),
    );
    let neg = model.op(
        in_trait(point(), "std::ops::Neg", &[], "neg", true),
        vec![In::Value(point())],
        point(),
    );
    let eq = model.op(
        in_trait(point(), "std::cmp::PartialEq", &[point()], "eq", true),
        vec![In::Shared(point()), In::Shared(point())],
        prim(Prim::Bool),
    );
    let add_assign = model.op(
        in_trait(
            point(),
            "std::ops::AddAssign",
            &[prim(Prim::I32)],
            "add_assign",
            true,
        ),
        vec![In::Mut(point()), In::Value(prim(Prim::I32))],
        Ty::unit(),
    );
    let index = model.op(
        in_trait(
            point(),
            "std::ops::Index",
            &[prim(Prim::Usize)],
            "index",
            true,
        ),
        vec![In::Shared(point()), In::Value(prim(Prim::Usize))],
        reference(prim(Prim::I32), false),
    );
    let clone = model.op(
        in_trait(point(), "std::clone::Clone", &[], "clone", true),
        vec![In::Shared(point())],
        point(),
    );
    let x = model.field("x");
    let whole = |x, y| {
        named(
            "stack::Point",
            &[("x", Value::Int(x)), ("y", Value::Int(y))],
        )
    };
    let cases = [
        model.case(
            &[
                (point_of, &[int(1), int(-2)]),
                (add, &[S(0), S(0)]),
                (neg, &[S(1)]),
                (eq, &[S(0), S(1)]),
                (eq, &[S(0), S(0)]),
                (clone, &[S(0)]),
            ],
            vec![
                is(1, 1, whole(2, -4)),
                is(2, 2, whole(-2, 4)),
                is(3, 3, Value::Bool(false)),
                is(4, 4, Value::Bool(true)),
                is(5, 5, whole(1, -2)),
            ],
        ),
        model.case(
            &[
                (point_of, &[int(i128::from(i32::MIN)), int(7)]),
                (add_assign, &[S(0), int(5)]),
                (index, &[S(0), uint(1)]),
                (x, &[S(0)]),
            ],
            vec![
                is(2, 2, Value::Int(12)),
                is(3, 3, Value::Int(i128::from(i32::MIN) + 5)),
            ],
        ),
    ];
    check(
        &model,
        &cases,
        expect![[r#"
        use stack::Point;

        #[test]
        fn clone_on_point_returns_point() {
            let point = Point { x: 1, y: -2 };
            let point2 = point + point;
            assert_eq!(point2, Point { x: 2, y: -4 });
            assert_eq!(-point2, Point { x: -2, y: 4 });
            assert!(point != point2);
            assert!(point.eq(&point));
            assert_eq!(point.clone(), Point { x: 1, y: -2 });
        }

        #[test]
        fn add_assign_then_x_is_large_negative_number() {
            let mut point = Point { x: i32::MIN, y: 7 };
            point += 5;
            assert_eq!(point[1], 12);
            assert_eq!(point.x, -2147483643);
        }
    "#]],
    );
}

#[test]
fn traits_are_imported_and_hidden_methods_written_in_full() {
    let mut model = Model::new();
    let new = model.stack_new();
    let _inherent = model.method("len", prim(Prim::Usize));
    let of_trait = |name, has_self| in_trait(stack(), "stack::Area", &[], name, has_self);
    let area = model.op(
        of_trait("area", true),
        vec![In::Shared(stack())],
        prim(Prim::U32),
    );
    let unit = model.op(of_trait("unit", false), vec![], stack());
    let len = model.op(
        of_trait("len", true),
        vec![In::Shared(stack())],
        prim(Prim::Usize),
    );
    let from_str = model.op(
        in_trait(stack(), "std::str::FromStr", &[], "from_str", false),
        vec![In::Value(reference(Ty::Str, false))],
        result(),
    );
    let ok = model.unwrap(Side::Ok, result(), stack());
    let default = model.op(
        in_trait(stack(), "std::default::Default", &[], "default", false),
        vec![],
        stack(),
    );
    let equals = Check {
        after: StepIdx(0),
        subject: Subject::Equals {
            slot: SlotIdx(0),
            op: new,
            args: Box::new([]),
        },
        value: Value::Bool(true),
    };
    let cases = [
        model.case(
            &[(new, &[]), (area, &[S(0)])],
            vec![is(1, 1, Value::UInt(0))],
        ),
        model.case(
            &[(unit, &[]), (len, &[S(0)])],
            vec![is(1, 1, Value::UInt(1))],
        ),
        model.case(
            &[(from_str, &[text("9")]), (ok, &[S(0)]), (area, &[S(1)])],
            vec![is(2, 2, Value::UInt(1))],
        ),
        model.case(&[(default, &[])], vec![equals]),
    ];
    check(
        &model,
        &cases,
        expect![[r#"
        use stack::{Area, Stack};

        #[test]
        fn area_on_new_stack_returns_zero() {
            let stack = Stack::new();
            assert_eq!(stack.area(), 0);
        }

        #[test]
        fn len_on_stack_unit_returns_1() {
            let stack = Stack::unit();
            assert_eq!(Area::len(&stack), 1);
        }

        #[test]
        fn area_on_parsed_stack_returns_1() {
            let stack = "9".parse::<Stack>().unwrap();
            assert_eq!(stack.area(), 1);
        }

        #[test]
        fn stack_default_equals_stack_new() {
            let stack = Stack::default();
            assert_eq!(stack, Stack::new());
        }
    "#]],
    );
}

#[test]
fn generics_are_pinned_where_inference_has_nothing() {
    let mut model = Model::new();
    let pair = || Ty::adt("stack::Pair", [prim(Prim::U8)]);
    let new = model.op(inherent(pair(), "new", false), vec![], pair());
    let inputs = vec![In::Generic(prim(Prim::U8)), In::Generic(prim(Prim::U8))];
    let of = model.op(inherent(pair(), "of", false), inputs, pair());
    let inputs = vec![In::Shared(pair())];
    let count = model.op(inherent(pair(), "count", true), inputs, prim(Prim::Usize));
    let cases = [
        model.case(
            &[(new, &[]), (count, &[S(0)])],
            vec![is(1, 1, Value::UInt(0))],
        ),
        model.case(
            &[(of, &[uint(1), uint(255)]), (count, &[S(0)])],
            vec![is(1, 1, Value::UInt(2))],
        ),
    ];
    check(
        &model,
        &cases,
        expect![[r#"
        use stack::Pair;

        #[test]
        fn count_on_new_pair_returns_zero() {
            let pair = Pair::<u8>::new();
            assert_eq!(pair.count(), 0);
        }

        #[test]
        fn count_on_pair_of_returns_2() {
            let pair = Pair::of(1u8, u8::MAX);
            assert_eq!(pair.count(), 2);
        }
    "#]],
    );
}

#[test]
fn functions_constants_literals_and_recipes() {
    let mut model = Model::new();
    let slice = reference(Ty::Slice(Box::new(prim(Prim::F64))), false);
    let form = Form::Function {
        path: "stack::average".into(),
        turbofish: vec![],
    };
    let average = model.op(form, vec![In::Value(slice)], prim(Prim::F64));
    let form = Form::Function {
        path: "stack::join".into(),
        turbofish: vec![],
    };
    let inputs = vec![In::Value(vec(string())), In::Value(prim(Prim::Char))];
    let join = model.op(form, inputs, string());
    let form = Form::Const {
        path: "stack::LIMIT".into(),
    };
    let limit = model.op(form, vec![], prim(Prim::Usize));
    let bytes = vec(prim(Prim::U8));
    let literal = model.recipe(Form::Literal, vec![In::Value(bytes.clone())], bytes.clone());
    let form = Form::Recipe {
        template: "{0}.as_slice()".into(),
    };
    let slice = reference(Ty::Slice(Box::new(prim(Prim::U8))), false);
    let as_slice = model.recipe(form, vec![In::Shared(bytes)], slice.clone());
    let form = inherent(stack(), "from_slice", false);
    let from_slice = model.op(form, vec![In::Value(slice)], stack());
    let form = Form::Recipe {
        template: "vec![{0}, {1}]".into(),
    };
    let strings = model.recipe(
        form,
        vec![In::Value(string()), In::Value(string())],
        vec(string()),
    );
    let label = model.method("label", string());
    let float = |x: f64| Value::F64(x.to_bits());
    let cases = [
        model.case(
            &[
                (average, &[V(Value::List(vec![]))]),
                (average, &[V(Value::List(vec![float(1.0), float(2.0)]))]),
            ],
            vec![is(0, 0, float(f64::NAN)), is(1, 1, float(1.5))],
        ),
        model.case(
            &[
                (strings, &[text("a"), text("b\n")]),
                (join, &[S(0), V(Value::Char('\''))]),
            ],
            vec![is(1, 1, Value::Str("a'b\n".into()))],
        ),
        model.case(&[(limit, &[])], vec![is(0, 0, Value::UInt(7))]),
        model.case(
            &[
                (
                    literal,
                    &[V(Value::List(vec![Value::UInt(1), Value::UInt(2)]))],
                ),
                (as_slice, &[S(0)]),
                (from_slice, &[S(1)]),
                (label, &[S(2)]),
            ],
            vec![is(3, 3, Value::Str("[1, 2]".into()))],
        ),
    ];
    check(
        &model,
        &cases,
        expect![[r#"
            use stack::{LIMIT, Stack, average, join};

            #[test]
            fn average_returns_float() {
                assert!(average(&[]).is_nan());
                assert_eq!(average(&[1.0, 2.0]), 1.5);
            }

            #[test]
            fn join_returns_a_b() {
                assert_eq!(join(vec![String::from("a"), String::from("b\n")], '\''), "a'b\n");
            }

            #[test]
            fn limit_is_7() {
                assert_eq!(LIMIT, 7);
            }

            #[test]
            fn label_on_stack_from_slice_returns_1_2() {
                let item: Vec<u8> = vec![1, 2];
                let stack = Stack::from_slice(&item);
                assert_eq!(stack.label(), "[1, 2]");
            }
        "#]],
    );
}

#[test]
fn recipes_are_typed_only_where_nothing_else_is() {
    let mut model = Model::new();
    let byte = || prim(Prim::U8);
    let template = |template: &str| Form::Recipe {
        template: template.into(),
    };
    let bytes = model.recipe(
        template("vec![{0}, {1}]"),
        vec![In::Generic(byte()), In::Generic(byte())],
        vec(byte()),
    );
    let empty = model.recipe(template("vec![]"), vec![], vec(byte()));
    let slice = reference(Ty::Slice(Box::new(byte())), false);
    let as_slice = model.recipe(
        template("{0}.as_slice()"),
        vec![In::Shared(vec(byte()))],
        slice.clone(),
    );
    let from_slice = model.op(
        inherent(stack(), "from_slice", false),
        vec![In::Value(slice)],
        stack(),
    );
    let len = model.method("len", prim(Prim::Usize));
    let millis = model.recipe(
        template("std::time::Duration::from_millis({0})"),
        vec![In::Generic(prim(Prim::U64))],
        Ty::adt("std::time::Duration", []),
    );
    let deque_ty = Ty::adt("std::collections::VecDeque", [byte()]);
    let deque = model.recipe(
        template("std::collections::VecDeque::from([{0}])"),
        vec![In::Generic(byte())],
        deque_ty.clone(),
    );
    let front = model.recipe(
        template("{0}.iter().next().copied()"),
        vec![In::Shared(deque_ty)],
        option(byte()),
    );
    let form = Form::Variant {
        self_ty: figure(),
        name: "Segment".into(),
        fields: segment_fields(),
    };
    let segment = model.op(form, vec![In::Value(point()), In::Value(point())], figure());
    let point_of = model.point_literal();
    let ends = model.recipe(
        template("match {0} { stack::Figure::Segment(value0, value1) => Some((value0, value1)), _ => None }"),
        vec![In::Value(figure())],
        option(Ty::Tuple(vec![point(), point()])),
    );
    let whole = |x, y| {
        named(
            "stack::Point",
            &[("x", Value::Int(x)), ("y", Value::Int(y))],
        )
    };
    let cases = [
        model.case(
            &[
                (bytes, &[uint(1), uint(2)]),
                (as_slice, &[S(0)]),
                (from_slice, &[S(1)]),
                (len, &[S(2)]),
            ],
            vec![is(3, 3, Value::UInt(2))],
        ),
        model.case(
            &[
                (empty, &[]),
                (as_slice, &[S(0)]),
                (from_slice, &[S(1)]),
                (len, &[S(2)]),
            ],
            vec![is(3, 3, Value::UInt(0))],
        ),
        model.case(
            &[(millis, &[uint(5)])],
            vec![is(0, 0, Value::Debug("5ms".into()))],
        ),
        model.case(
            &[(deque, &[uint(3)]), (front, &[S(0)])],
            vec![is(1, 1, Value::some(Value::UInt(3)))],
        ),
        model.case(
            &[
                (point_of, &[int(1), int(2)]),
                (segment, &[S(0), S(0)]),
                (ends, &[S(1)]),
            ],
            vec![is(
                2,
                2,
                Value::some(Value::Tuple(vec![whole(1, 2), whole(1, 2)])),
            )],
        ),
    ];
    check(
        &model,
        &cases,
        expect![[r#"
            use std::collections::VecDeque;
            use std::time::Duration;

            use stack::{Figure, Point, Stack};

            #[test]
            fn len_on_stack_from_slice_returns_2() {
                let item = vec![1u8, 2u8];
                let stack = Stack::from_slice(&item);
                assert_eq!(stack.len(), 2);
            }

            #[test]
            fn len_on_stack_from_slice_returns_zero() {
                let item: Vec<u8> = vec![];
                let stack = Stack::from_slice(&item);
                assert_eq!(stack.len(), 0);
            }

            #[test]
            fn duration_has_debug_text() {
                assert_eq!(format!("{:?}", Duration::from_millis(5)), "5ms");
            }

            #[test]
            fn vec_deque_gives_u8() {
                let item: VecDeque<u8> = VecDeque::from([3]);
                assert_eq!(item.iter().next().copied(), Some(3));
            }

            #[test]
            fn figure_segment_gives_tuple() {
                let point = Point { x: 1, y: 2 };
                let figure = Figure::Segment(point, point);
                let pair = match figure { Figure::Segment(value0, value1) => Some((value0, value1)), _ => None };
                assert_eq!(pair, Some((Point { x: 1, y: 2 }, Point { x: 1, y: 2 })));
            }
        "#]],
    );
}

#[test]
fn what_cannot_be_compared_is_matched() {
    let mut model = Model::new();
    let form = Form::Variant {
        self_ty: figure(),
        name: "Segment".into(),
        fields: segment_fields(),
    };
    let segment = model.op(form, vec![In::Value(point()), In::Value(point())], figure());
    let form = Form::Variant {
        self_ty: figure(),
        name: "Dot".into(),
        fields: testsmith_api::Fields::Unit,
    };
    let dot = model.op(form, vec![], figure());
    let point_of = model.point_literal();
    let whole = |x, y| {
        named(
            "stack::Point",
            &[("x", Value::Int(x)), ("y", Value::Int(y))],
        )
    };
    let value = named(
        "stack::Figure::Segment",
        &[("0", whole(1, 2)), ("1", whole(3, 4))],
    );
    let cases = [
        model.case(
            &[
                (point_of, &[int(1), int(2)]),
                (point_of, &[int(3), int(4)]),
                (segment, &[S(0), S(1)]),
            ],
            vec![is(2, 2, value)],
        ),
        model.case(
            &[(dot, &[])],
            vec![is(0, 0, named("stack::Figure::Dot", &[]))],
        ),
    ];
    check(
        &model,
        &cases,
        expect![[r#"
        use stack::{Figure, Point};

        #[test]
        fn figure_segment_returns_segment() {
            let figure = Figure::Segment(Point { x: 1, y: 2 }, Point { x: 3, y: 4 });
            assert!(matches!(figure, Figure::Segment(Point { x: 1, y: 2 }, Point { x: 3, y: 4 })));
        }

        #[test]
        fn figure_dot_returns_dot() {
            let figure = Figure::Dot;
            assert!(matches!(figure, Figure::Dot));
        }
    "#]],
    );
}

#[test]
fn borrows_and_drops_are_written_out() {
    let mut model = Model::new();
    let (new, push) = (model.stack_new(), model.push());
    let peek = model.method("peek", option(reference(prim(Prim::U8), false)));
    let first_mut = model.op(
        inherent(stack(), "first_mut", true),
        vec![In::Mut(stack())],
        option(reference(prim(Prim::U8), true)),
    );
    let some = model.unwrap(
        Side::Some,
        option(reference(prim(Prim::U8), true)),
        reference(prim(Prim::U8), true),
    );
    let form = Form::Recipe {
        template: "std::mem::replace({0}, {1})".into(),
    };
    let replace = model.recipe(
        form,
        vec![In::Mut(prim(Prim::U8)), In::Value(prim(Prim::U8))],
        prim(Prim::U8),
    );
    let drain_ty = Ty::Adt {
        path: "stack::Drain".into(),
        args: vec![testsmith_api::GenericArg::Region(
            testsmith_api::Region::Var(testsmith_api::RegionIdx(0)),
        )],
    };
    let drain = model.op(
        inherent(stack(), "drain", true),
        vec![In::Mut(stack())],
        drain_ty.clone(),
    );
    let next = model.op(
        in_trait(drain_ty.clone(), "std::iter::Iterator", &[], "next", true),
        vec![In::Mut(drain_ty)],
        option(prim(Prim::U8)),
    );
    let len = model.method("len", prim(Prim::Usize));
    let cases = [
        model.case(
            &[
                (new, &[]),
                (push, &[S(0), uint(1)]),
                (push, &[S(0), uint(2)]),
                (drain, &[S(0)]),
                (next, &[S(3)]),
                (len, &[S(0)]),
            ],
            vec![
                is(4, 4, Value::some(Value::UInt(2))),
                is(6, 5, Value::UInt(0)),
            ],
        ),
        model.case(
            &[
                (new, &[]),
                (push, &[S(0), uint(1)]),
                (first_mut, &[S(0)]),
                (some, &[S(2)]),
                (replace, &[S(3), uint(9)]),
                (peek, &[S(0)]),
            ],
            vec![
                is(4, 4, Value::UInt(1)),
                is(5, 5, Value::some(Value::UInt(9))),
            ],
        ),
    ];
    check(
        &model,
        &cases,
        expect![[r#"
        use stack::Stack;

        #[test]
        fn drain_then_len_returns_zero() {
            let mut stack = Stack::new();
            stack.push(1);
            stack.push(2);
            let mut drain = stack.drain();
            assert_eq!(drain.next(), Some(2));
            drop(drain);
            assert_eq!(stack.len(), 0);
        }

        #[test]
        fn first_mut_then_peek_returns_some() {
            let mut stack = Stack::new();
            stack.push(1);
            let first_mut = stack.first_mut().unwrap();
            assert_eq!(std::mem::replace(&mut *first_mut, 9), 1);
            assert_eq!(stack.peek(), Some(&9));
        }
    "#]],
    );
}

#[test]
fn panics_failures_and_deprecated_calls_carry_attributes() {
    let mut model = Model::new();
    let (new, parse) = (model.stack_new(), model.parse());
    let inputs = vec![In::Shared(stack()), In::Value(prim(Prim::Usize))];
    let at = model.op(inherent(stack(), "at", true), inputs, prim(Prim::U8));
    let ok = model.unwrap(Side::Ok, result(), stack());
    let deprecated = Docs {
        deprecated: true,
        ..Docs::default()
    };
    let size = model.documented(
        inherent(stack(), "size", true),
        vec![In::Shared(stack())],
        prim(Prim::Usize),
        deprecated,
    );
    let panics = model.case(&[(new, &[]), (at, &[S(0), uint(0)])], vec![]);
    let cases = [
        TestCase {
            kind: TestKind::ShouldPanic {
                expected: Some("index out of bounds".into()),
            },
            ..panics.clone()
        },
        TestCase {
            kind: TestKind::Failure {
                reason: "panics: index out of bounds:\nthe len is 0".into(),
            },
            ..panics
        },
        model.case(
            &[(new, &[]), (size, &[S(0)])],
            vec![is(1, 1, Value::UInt(0))],
        ),
        model.case(&[(parse, &[text("1")]), (ok, &[S(0)])], vec![]),
    ];
    check(
        &model,
        &cases,
        expect![[r#"
        use stack::Stack;

        #[test]
        #[should_panic(expected = "index out of bounds")]
        fn at_on_new_stack_panics() {
            let stack = Stack::new();
            stack.at(0);
        }

        // panics: index out of bounds: the len is 0
        #[test]
        #[ignore = "panics: index out of bounds: the len is 0"]
        fn at_on_new_stack_of_zero_panics() {
            let stack = Stack::new();
            stack.at(0);
        }

        #[test]
        #[allow(deprecated)]
        fn size_on_new_stack_returns_zero() {
            let stack = Stack::new();
            assert_eq!(stack.size(), 0);
        }

        #[test]
        fn stack_parse_succeeds() {
            let _ = Stack::parse("1").unwrap();
        }
    "#]],
    );
}

#[test]
fn a_deprecated_type_is_written_in_full() {
    let mut model = Model::new();
    let (new, len) = (model.stack_new(), model.method("len", prim(Prim::Usize)));
    for adt in model.world.catalogue.api.adts.values_mut() {
        adt.deprecated = *adt.path == *"stack::Stack";
    }
    let cases = [model.case(
        &[(new, &[]), (len, &[S(0)])],
        vec![is(1, 1, Value::UInt(0))],
    )];
    check(
        &model,
        &cases,
        expect![[r#"
        #[test]
        #[allow(deprecated)]
        fn len_on_new_stack_returns_zero() {
            let stack = stack::Stack::new();
            assert_eq!(stack.len(), 0);
        }
    "#]],
    );
}

#[test]
fn strength_says_how_much_an_assertion_shows() {
    let mut model = Model::new();
    let op = model.parse();
    let ty = model.world.signature(op).output.ty;
    let side = |path: &str, value| named(path, &[("0", value)]);
    let strength = |value: &Value| assertable(&model.world, ty, value);
    assert_eq!(strength(&side("Err", Value::Debug("ParseError".into()))), 2);
    assert_eq!(
        strength(&side("Err", Value::Debug("at 0x7ffdeadbeef".into()))),
        1
    );
    assert_eq!(strength(&side("Ok", Value::Opaque)), 1);
    assert_eq!(strength(&Value::Opaque), 0);
    assert_eq!(strength(&Value::Unit), 0);
}

#[test]
fn a_case_that_cannot_be_written_is_left_out() {
    let mut model = Model::new();
    let literal = model.recipe(Form::Literal, vec![In::Value(stack())], stack());
    let len = model.method("len", prim(Prim::Usize));
    let new = model.stack_new();
    let cases = [
        model.case(&[(literal, &[V(Value::Opaque)]), (len, &[S(0)])], vec![]),
        model.case(&[(new, &[])], vec![observed(0, len, 0, Value::UInt(0))]),
    ];
    let file = emit(&model.world, &cases, &EmitOptions::default());
    let kept: Vec<_> = file.tests.iter().map(|test| test.case).collect();
    assert_eq!(kept, [1]);
}

#[test]
fn lines_are_found_again_after_formatting() {
    let mut model = Model::new();
    let form = Form::Function {
        path: "stack::join".into(),
        turbofish: vec![],
    };
    let inputs = vec![In::Value(vec(string())), In::Value(prim(Prim::Char))];
    let join = model.op(form, inputs, string());
    let word = Value::Str("a rather long piece of text".into());
    let case = model.case(
        &[(join, &[V(Value::List(vec![word; 3])), V(Value::Char('+'))])],
        vec![
            is(0, 0, Value::Opaque),
            is(0, 0, Value::Str("a rather long piece of text+a rather long piece of text+a rather long piece of text".into())),
        ],
    );
    let format = |text: &str| Some(judge::rustfmt(text));
    let options = EmitOptions {
        header: vec!["Written by a tool.".into()],
        format: Some(&format),
        ..EmitOptions::default()
    };
    let file = emit(&model.world, &[case], &options);
    judge(&file.text);
    expect![[r#"
        //! Written by a tool.

        use stack::join;

        #[test]
        fn join_returns_string() {
            assert_eq!(
                join(
                    vec![
                        String::from("a rather long piece of text"),
                        String::from("a rather long piece of text"),
                        String::from("a rather long piece of text")
                    ],
                    '+'
                ),
                "a rather long piece of text+a rather long piece of text+a rather long piece of text"
            );
        }
        [
            EmittedTest {
                name: "join_returns_string",
                module: None,
                first_line: 5,
                last_line: 18,
                n_calls: 1,
                n_assertions: 1,
                assertion_lines: [
                    (
                        7,
                        1,
                    ),
                ],
                case: 0,
            },
        ]"#]].assert_eq(&format!("{}{:#?}", file.text, file.tests));
}
