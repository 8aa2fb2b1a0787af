//! How calls are written: operators, imports, paths and type arguments.

use expect_test::expect;
use testsmith_api::{Form, Prim, Side, Ty};
use testsmith_protocol::Value;
use testsmith_sequence::{SlotIdx, StepIdx};

use super::model::{
    A::{S, V},
    *,
};
use super::{check, named};
use crate::{Check, Subject};

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
            fn point_clone() {
                let point = Point { x: 1, y: -2 };
                let point2 = point + point;
                assert_eq!(point2, Point { x: 2, y: -4 });
                assert_eq!(-point2, Point { x: -2, y: 4 });
                assert!(point != point2);
                assert!(point.eq(&point));
                assert_eq!(Clone::clone(&point), Point { x: 1, y: -2 });
            }

            #[test]
            fn point_x() {
                let mut point = Point { x: i32::MIN, y: 7 };
                point += 5;
                assert_eq!(point[1], 12);
                assert_eq!(point.x, -2_147_483_643);
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
            fn stack_area() {
                let stack = Stack::new();
                assert_eq!(stack.area(), 0);
            }

            #[test]
            fn stack_len() {
                let stack = Stack::unit();
                assert_eq!(Area::len(&stack), 1);
            }

            #[test]
            fn area_on_parsed_stack() {
                let stack = "9".parse::<Stack>().unwrap();
                assert_eq!(stack.area(), 1);
            }

            #[test]
            fn stack_default() {
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
            fn count() {
                let pair = Pair::<u8>::new();
                assert_eq!(pair.count(), 0);
            }

            #[test]
            fn count_on_pair_of() {
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
            fn test_average() {
                assert!(average(&[]).is_nan());
                assert_eq!(average(&[1.0, 2.0]), 1.5);
            }

            #[test]
            fn test_join() {
                assert_eq!(join(vec![String::from("a"), String::from("b\n")], '\''), "a'b\n");
            }

            #[test]
            fn limit() {
                assert_eq!(LIMIT, 7);
            }

            #[test]
            fn label() {
                let item: Vec<u8> = vec![1, 2];
                let stack = Stack::from_slice(&item);
                assert_eq!(stack.label(), "[1, 2]");
            }
        "#]],
    );
}
