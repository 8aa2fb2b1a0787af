//! What gets a variable, and where other results are written.

use expect_test::expect;
use testsmith_api::{Docs, Form, Prim, Side, Ty};
use testsmith_protocol::Value;

use super::model::{A::S, *};
use super::{check, named};

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
            fn pop() {
                let mut stack = Stack::new();
                stack.push(3);
                assert_eq!(stack.pop(), Some(3));
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
            fn is_empty() {
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
            fn starts_with() {
                let stack = Stack::parse("12").unwrap();
                assert!(stack.starts_with(&Stack::parse("1").unwrap()));
            }

            #[test]
            fn starts_with_on_new_stack() {
                let stack = Stack::new();
                assert!(stack.starts_with(&Stack::EMPTY));
            }

            #[test]
            fn into_vec() {
                assert_eq!(Stack::new().with(1).with(2).into_vec(), [1, 2]);
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
            fn len() {
                let item = vec![1u8, 2u8];
                let stack = Stack::from_slice(&item);
                assert_eq!(stack.len(), 2);
            }

            #[test]
            fn len_returns_zero() {
                let item: Vec<u8> = vec![];
                let stack = Stack::from_slice(&item);
                assert_eq!(stack.len(), 0);
            }

            #[test]
            fn duration() {
                assert_eq!(format!("{:?}", Duration::from_millis(5)), "5ms");
            }

            #[test]
            fn vec_deque() {
                let item: VecDeque<u8> = VecDeque::from([3]);
                assert_eq!(item.iter().next().copied(), Some(3));
            }

            #[test]
            fn figure_segment() {
                let point = Point { x: 1, y: 2 };
                let figure = Figure::Segment(point, point);
                let pair = match figure { Figure::Segment(value0, value1) => Some((value0, value1)), _ => None };
                assert_eq!(pair, Some((Point { x: 1, y: 2 }, Point { x: 1, y: 2 })));
            }
        "#]],
    );
}

#[test]
fn the_payload_of_a_variant_is_taken_out_in_one_statement() {
    let mut model = Model::new();
    let new = model.stack_new();
    let pop_figure = model.method("figure", figure());
    let payload = model.recipe(
        Form::Recipe {
            template: "match {0} { stack::Figure::Pile(value0) => Some(value0), _ => None }".into(),
        },
        vec![In::Value(figure())],
        option(stack()),
    );
    let some = model.unwrap(Side::Some, option(stack()), stack());
    let push = model.push();
    let len = model.method("len", prim(Prim::Usize));
    let case = model.case(
        &[
            (new, &[]),
            (pop_figure, &[S(0)]),
            (payload, &[S(1)]),
            (some, &[S(2)]),
            (push, &[S(3), uint(7)]),
            (len, &[S(3)]),
        ],
        vec![is(5, 5, Value::UInt(1))],
    );
    check(
        &model,
        &[case],
        expect![[r#"
        use stack::{Figure, Stack};

        #[test]
        fn len() {
            let stack = Stack::new();
            let Figure::Pile(mut stack2) = stack.figure() else { panic!("not Figure::Pile") };
            stack2.push(7);
            assert_eq!(stack2.len(), 1);
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
            fn len() {
                let mut stack = Stack::new();
                stack.push(1);
                stack.push(2);
                let mut drain = stack.drain();
                assert_eq!(drain.next(), Some(2));
                drop(drain);
                assert_eq!(stack.len(), 0);
            }

            #[test]
            fn peek() {
                let mut stack = Stack::new();
                stack.push(1);
                let first_mut = stack.first_mut().unwrap();
                assert_eq!(std::mem::replace(&mut *first_mut, 9), 1);
                assert_eq!(stack.peek(), Some(&9));
            }
        "#]],
    );
}
