//! One test binary of several files.

use expect_test::expect;
use testsmith_api::{Form, Prim};
use testsmith_protocol::Value;

use super::judge::{beside, judge_in};
use super::model::{
    A::{S, V},
    *,
};
use crate::{EmitOptions, Module, TestCase, TestFile, emit_modules};

/// Two modules, each with a case about the same call.
fn printed(dir: &str, options: &EmitOptions<'_>) -> TestFile {
    let mut model = Model::new();
    let (new, pop) = (model.stack_new(), model.pop());
    let form = Form::Function {
        path: "stack::join".into(),
        turbofish: vec![],
    };
    let inputs = vec![In::Value(vec(string())), In::Value(prim(Prim::Char))];
    let join = model.op(form, inputs, string());
    let pops = model.case(&[(new, &[]), (pop, &[S(0)])], vec![is(1, 1, Value::none())]);
    let joins = model.case(
        &[(
            join,
            &[
                V(Value::List(vec![Value::Str("a".into())])),
                V(Value::Char('+')),
            ],
        )],
        vec![is(0, 0, Value::Str("a".into()))],
    );
    let cases: Vec<TestCase> = vec![joins, pops.clone(), pops];
    let module = |name: &str, cases: &[usize]| Module {
        name: name.to_owned(),
        about: format!("Tests of `stack::{name}`."),
        cases: cases.to_vec(),
    };
    let modules = [module("heap", &[1]), module("crate_root", &[0, 2])];
    emit_modules(&model.world, &cases, &modules, dir, options)
}

#[test]
fn every_module_has_a_file_with_its_own_imports_and_names() {
    let options = EmitOptions {
        header: vec!["Regression tests.".into()],
        condition: Some("unix".into()),
        ..EmitOptions::default()
    };
    let file = printed("regression", &options);
    expect![[r##"
        //! Regression tests.

        #![cfg(unix)]

        #[path = "regression/crate_root.rs"]
        mod crate_root;
        #[path = "regression/heap.rs"]
        mod heap;
    "##]]
    .assert_eq(&file.text);
    let texts: Vec<&str> = file.modules.iter().map(|module| &*module.text).collect();
    expect![[r#"
        //! Tests of `stack::heap`.

        use stack::Stack;

        #[test]
        fn pop() {
            let mut stack = Stack::new();
            assert_eq!(stack.pop(), None);
        }

        //! Tests of `stack::crate_root`.

        use stack::{Stack, join};

        #[test]
        fn test_join() {
            assert_eq!(join(vec![String::from("a")], '+'), "a");
        }

        #[test]
        fn pop() {
            let mut stack = Stack::new();
            assert_eq!(stack.pop(), None);
        }
    "#]]
    .assert_eq(&texts.join("\n"));
    let tests = file.tests.iter();
    let places: Vec<_> = tests
        .map(|it| (&*it.name, it.module, it.first_line, it.case))
        .collect();
    assert_eq!(
        places,
        [
            ("heap::pop", Some(0), 5, 1),
            ("crate_root::test_join", Some(1), 5, 0),
            ("crate_root::pop", Some(1), 10, 2),
        ]
    );
}

#[test]
fn files_of_modules_compile_in_every_edition() {
    for edition in ["2015", "2018", "2021", "2024"] {
        let name = format!("regression_{edition}");
        let options = EmitOptions {
            edition: edition.parse().expect("a year"),
            ..EmitOptions::default()
        };
        let file = printed(&name, &options);
        let dir = beside(&name);
        for module in &file.modules {
            let path = dir.join(format!("{}.rs", module.name));
            std::fs::write(path, &module.text).expect("the temporary directory is writable");
        }
        judge_in(edition, &file.text);
    }
}
