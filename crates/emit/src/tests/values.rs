//! Literals and assertions of many types, judged by rustc.

use expect_test::expect;
use testsmith_api::{Prim, Region, Ty};
use testsmith_protocol::Value;
use testsmith_sequence::World;

use super::judge::judge;
use crate::check::{Shown, assertion};
use crate::cx::Cx;
use crate::expr::Expr;
use crate::imports::Imports;
use crate::literal::{Mode, literal};

fn static_ref(to: Ty) -> Ty {
    Ty::Ref {
        region: Region::Static,
        mutable: false,
        to: Box::new(to),
    }
}

fn std_ty<const N: usize>(path: &str, args: [&Ty; N]) -> Ty {
    Ty::adt(&format!("std::{path}"), args.map(Ty::clone))
}

fn side(name: &str, value: Value) -> Value {
    Value::Named {
        path: name.into(),
        fields: vec![("0".into(), value)],
    }
}

#[test]
fn every_literal_and_assertion_compiles_and_holds() {
    let byte = Ty::Prim(Prim::U8);
    let float = Ty::Prim(Prim::F64);
    let string = || std_ty("string::String", []);
    let str_ = || static_ref(Ty::Str);
    let bytes = || static_ref(Ty::Slice(Box::new(Ty::Prim(Prim::U8))));
    let option = |ty: Ty| std_ty("option::Option", [&ty]);
    let vec = |ty: Ty| std_ty("vec::Vec", [&ty]);
    let n = Value::UInt;
    let text = |text: &str| Value::Str(text.into());
    let list = Value::List;
    let x = |x: f64| Value::F64(x.to_bits());
    let table: Vec<(Ty, Value)> = vec![
        (byte.clone(), n(5)),
        (byte.clone(), n(255)),
        (Ty::Prim(Prim::I128), Value::Int(i128::MIN)),
        (Ty::Prim(Prim::I8), Value::Int(-3)),
        (Ty::Prim(Prim::Bool), Value::Bool(true)),
        (Ty::Prim(Prim::Bool), Value::Bool(false)),
        (Ty::Prim(Prim::Char), Value::Char('\n')),
        (float.clone(), x(-0.0)),
        (float.clone(), x(-1.0 / 3.0)),
        (float.clone(), x(2e20 / 3.0)),
        (float.clone(), x(1e308)),
        (float.clone(), x(f64::MIN)),
        (float.clone(), x(f64::NEG_INFINITY)),
        (float.clone(), x(f64::NAN)),
        (Ty::Prim(Prim::F32), Value::F32(0.1f32.to_bits())),
        (str_(), text("it's \"quoted\"")),
        (string(), text("a\tb")),
        (string(), text("")),
        (static_ref(byte.clone()), n(7)),
        (static_ref(static_ref(byte.clone())), n(7)),
        (static_ref(Ty::Prim(Prim::Bool)), Value::Bool(false)),
        (static_ref(str_()), text("x")),
        (std_ty("boxed::Box", [&byte]), n(7)),
        (std_ty("boxed::Box", [&Ty::Str]), text("boxed")),
        (std_ty("borrow::Cow", [&Ty::Str]), text("moo")),
        (option(byte.clone()), Value::some(n(1))),
        (option(byte.clone()), Value::none()),
        (option(str_()), Value::some(text("a"))),
        (option(string()), Value::some(text("a"))),
        (option(string()), Value::none()),
        (option(bytes()), Value::some(list(vec![n(1), n(2)]))),
        (option(bytes()), Value::some(list(vec![]))),
        (option(static_ref(byte.clone())), Value::some(n(3))),
        (option(option(byte.clone())), Value::some(Value::none())),
        (option(float.clone()), Value::some(x(f64::NAN))),
        (
            std_ty("result::Result", [&byte, &string()]),
            side("Ok", n(2)),
        ),
        (
            std_ty("result::Result", [&byte, &string()]),
            side("Err", text("no")),
        ),
        (
            std_ty("result::Result", [&string(), &byte]),
            side("Ok", text("yes")),
        ),
        (
            std_ty("result::Result", [&Ty::unit(), &byte]),
            side("Ok", Value::Unit),
        ),
        (vec(byte.clone()), list(vec![n(1), n(2)])),
        (vec(byte.clone()), list(vec![])),
        (vec(byte.clone()), list(vec![n(0); 50])),
        (vec(string()), list(vec![text("a"), text("b")])),
        (vec(str_()), list(vec![text("a")])),
        (
            vec(vec(byte.clone())),
            list(vec![list(vec![]), list(vec![n(1)])]),
        ),
        (
            vec(option(byte.clone())),
            list(vec![Value::none(), Value::none()]),
        ),
        (vec(float), list(vec![x(f64::NAN), x(1.0)])),
        (bytes(), list(vec![n(1), n(2)])),
        (bytes(), list(vec![])),
        (
            Ty::Array(Box::new(byte.clone()), "2".into()),
            list(vec![n(1), n(2)]),
        ),
        (static_ref(vec(byte.clone())), list(vec![n(4)])),
        (
            Ty::Tuple(vec![byte.clone(), str_(), Ty::Prim(Prim::Bool)]),
            Value::Tuple(vec![n(1), text("two"), Value::Bool(true)]),
        ),
        (std_ty("collections::BTreeSet", [&byte]), list(vec![n(1)])),
        (
            std_ty("collections::BTreeMap", [&byte, &string()]),
            list(vec![Value::Tuple(vec![n(1), text("one")])]),
        ),
        (
            std_ty("collections::HashSet", [&byte]),
            Value::Unordered(vec![n(1), n(2)]),
        ),
        (
            std_ty("collections::HashMap", [&byte, &byte]),
            Value::Unordered(vec![]),
        ),
        (std_ty("collections::VecDeque", [&byte]), list(vec![n(1)])),
        (
            std_ty("cmp::Ordering", []),
            Value::Named {
                path: "std::cmp::Ordering::Less".into(),
                fields: vec![],
            },
        ),
        (
            std_ty("ops::Range", [&byte]),
            Value::Named {
                path: "std::ops::Range".into(),
                fields: vec![("start".into(), n(1)), ("end".into(), n(2))],
            },
        ),
    ];

    let world = World::default();
    let imports = Imports::new(2021, Default::default(), None);
    let cx = Cx {
        world: &world,
        imports: &imports,
        holes: None,
    };
    let mut body = String::new();
    let mut shown = String::new();
    for (i, (ty, value)) in table.iter().enumerate() {
        let known = literal(cx, ty, value, Mode::KNOWN).expect("it can be written");
        let typed = literal(cx, ty, value, Mode::TYPED).expect("it can be written");
        let see = |expr: &str, owned| {
            let seen = Shown {
                expr: Expr::atom(expr),
                ty,
                owned,
            };
            assertion(cx, &seen, value)
                .unwrap_or_else(|| panic!("{value:?} can be asserted"))
                .0
        };
        let held = see("x", false);
        let asked = see(&format!("make{i}()"), true);
        let name = cx.ty(ty);
        let name = name
            .replace('&', "&'static ")
            .replace("Cow<", "Cow<'static, ");
        // Temporaries in a literal of a reference type are promoted or leaked.
        let made = match ty {
            Ty::Ref { to, .. } if !to.is_unsized() => {
                let to = literal(cx, to, value, Mode::KNOWN).expect("it can be written");
                format!("Box::leak(Box::new({}))", to.text)
            }
            _ => known.text.clone(),
        };
        body.push_str(&format!(
            "fn make{i}() -> {name} {{\n    {made}\n}}\n\
             #[test]\nfn bound{i}() {{\n    let x = make{i}();\n    {held};\n}}\n\
             #[test]\nfn asked{i}() {{\n    {asked};\n}}\n\
             #[test]\nfn typed{i}() {{\n    let y = {};\n    let _: {} = y;\n}}\n",
            typed.text,
            cx.ty(ty)
        ));
        shown.push_str(&format!("{held}\n"));
    }
    judge(&format!(
        "#![allow(clippy::all)]\n{}\n{body}",
        imports.lines()
    ));
    expect![[r##"
        assert_eq!(x, 5)
        assert_eq!(x, u8::MAX)
        assert_eq!(x, i128::MIN)
        assert_eq!(x, -3)
        assert!(x)
        assert!(!x)
        assert_eq!(x, '\n')
        assert_eq!(x, -0.0)
        assert!((x + 0.3333333333333333).abs() < 1e-10)
        assert!((x - 6.666666666666666e19).abs() < 1e9)
        assert_eq!(x, 1e308)
        assert_eq!(x, f64::MIN)
        assert_eq!(x, f64::NEG_INFINITY)
        assert!(x.is_nan())
        assert_eq!(x, 0.1)
        assert_eq!(x, r#"it's "quoted""#)
        assert_eq!(x, "a\tb")
        assert_eq!(x, "")
        assert_eq!(*x, 7)
        assert_eq!(**x, 7)
        assert!(!*x)
        assert_eq!(*x, "x")
        assert_eq!(*x, 7)
        assert_eq!(&*x, "boxed")
        assert_eq!(x, "moo")
        assert_eq!(x, Some(1))
        assert_eq!(x, None)
        assert_eq!(x, Some("a"))
        assert_eq!(x.as_deref(), Some("a"))
        assert_eq!(x, None)
        assert_eq!(x, Some(&[1, 2][..]))
        assert_eq!(x, Some(&[] as &[u8]))
        assert_eq!(x, Some(&3))
        assert_eq!(x, Some(None))
        assert_eq!(format!("{x:?}"), "Some(NaN)")
        assert_eq!(x, Ok(2))
        assert_eq!(x, Err(String::from("no")))
        assert_eq!(x.as_deref(), Ok("yes"))
        assert_eq!(x, Ok(()))
        assert_eq!(x, [1, 2])
        assert!(x.is_empty())
        assert_eq!(x, [0; 50])
        assert_eq!(x, ["a", "b"])
        assert_eq!(x, ["a"])
        assert_eq!(x, [Vec::<u8>::new(), vec![1]])
        assert_eq!(x, [None, None])
        assert_eq!(format!("{x:?}"), "[NaN, 1.0]")
        assert_eq!(x, [1, 2])
        assert!(x.is_empty())
        assert_eq!(x, [1, 2])
        assert_eq!(*x, [4])
        assert_eq!(x, (1, "two", true))
        assert_eq!(x, BTreeSet::from([1]))
        assert_eq!(x, BTreeMap::from([(1, String::from("one"))]))
        assert_eq!(x, HashSet::from([1, 2]))
        assert!(x.is_empty())
        assert_eq!(x, [1])
        assert_eq!(x, Ordering::Less)
        assert_eq!(x, 1..2)
    "##]]
    .assert_eq(&shown);
}
