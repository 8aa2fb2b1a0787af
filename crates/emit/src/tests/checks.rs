//! Assertions, attributes, and cases that cannot be written.

use expect_test::expect;
use testsmith_api::{Docs, Form, Prim, Side};
use testsmith_protocol::Value;

use super::judge::judge;
use super::model::{
    A::{S, V},
    *,
};
use super::{check, named};
use crate::{EmitOptions, TestCase, TestKind, assertable, emit, narrow};

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
            fn figure_segment() {
                let figure = Figure::Segment(Point { x: 1, y: 2 }, Point { x: 3, y: 4 });
                assert!(matches!(figure, Figure::Segment(Point { x: 1, y: 2 }, Point { x: 3, y: 4 })));
            }

            #[test]
            fn figure_dot() {
                let figure = Figure::Dot;
                assert!(matches!(figure, Figure::Dot));
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
                only_checked: false,
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
            fn at_panics() {
                let stack = Stack::new();
                stack.at(0);
            }

            // panics: index out of bounds: the len is 0
            #[test]
            #[ignore = "panics: index out of bounds: the len is 0"]
            fn at_on_new_stack() {
                let stack = Stack::new();
                stack.at(0);
            }

            #[test]
            #[allow(deprecated)]
            fn size() {
                let stack = Stack::new();
                assert_eq!(stack.size(), 0);
            }

            #[test]
            fn stack_parse() {
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
            fn len() {
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
    let format = |text: &str| Some(super::judge::rustfmt(text));
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
        fn test_join() {
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
                name: "test_join",
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
                condition: None,
            },
        ]"#]].assert_eq(&format!("{}{:#?}", file.text, file.tests));
}

#[test]
fn numbers_that_32_bits_do_not_hold_leave_a_test_out_there() {
    let mut model = Model::new();
    let new = model.stack_new();
    let len = model.method("len", prim(Prim::Usize));
    let of = |n: u128| {
        let is = is(1, 1, Value::UInt(n));
        model.case(&[(new, &[]), (len, &[S(0)])], vec![is])
    };
    // The stack holds neither number, so the text is not run.
    let file = emit(
        &model.world,
        &[of(7), of(5_000_000_000)],
        &EmitOptions::default(),
    );
    expect![[r##"
        #![cfg_attr(not(target_pointer_width = "64"), allow(dead_code, unused_imports))]

        use stack::Stack;

        #[test]
        fn len() {
            let stack = Stack::new();
            assert_eq!(stack.len(), 7);
        }

        #[cfg(target_pointer_width = "64")]
        #[test]
        fn len_on_new_stack() {
            let stack = Stack::new();
            assert_eq!(stack.len(), 5_000_000_000);
        }
    "##]]
    .assert_eq(&file.text);
    let mut case = of(5_000_000_000);
    case.checks.push(is(1, 1, Value::UInt(7)));
    assert_eq!(narrow(&model.world, &mut case, false), 1);
    assert_eq!(case.checks.len(), 1);
    assert_eq!(narrow(&model.world, &mut of(5_000_000_000), false), 0);
}
