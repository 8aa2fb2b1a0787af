//! Rust in, sequences out, for a map with two instances and items around it.

use testsmith_api::{
    Api, CallableId, Catalogue, Form, GenericArg, Input, Operation, Origin, Pass, Prim, Region,
    RegionIdx, Regioned, Side, Signature, Ty,
};
use testsmith_protocol::Caps;
use testsmith_sequence::{World, text};

use super::{Seeds, Sources, Why, lift};

/// `Map<u8>` and `Map<String>`, `Point { x, y }`, and `parse`.
struct Model {
    catalogue: Catalogue,
    caps: Vec<(u32, Caps)>,
}

impl Model {
    fn intern(&mut self, ty: &Ty) -> Regioned {
        self.catalogue.types.intern(ty)
    }

    fn add(&mut self, key: &str, form: Form, inputs: &[(&Ty, Pass)], output: &Ty) {
        let is_generic = |ty: &Ty| matches!(form, Form::Inherent { .. }) && ty.to_text() != "usize";
        let inputs = inputs
            .iter()
            .map(|(ty, pass)| Input {
                name: "x".into(),
                ty: self.catalogue.types.intern(ty),
                pass: *pass,
                generic: is_generic(ty),
            })
            .collect();
        let output = self.intern(output);
        let origin = match form {
            Form::Recipe { .. } | Form::Unwrap(_) | Form::Literal => Origin::Recipe,
            _ => Origin::Callable(CallableId(0)),
        };
        self.catalogue.operations.push(Operation {
            key: key.into(),
            origin,
            form,
            signature: Signature {
                n_regions: 1,
                inputs,
                output,
                outlives: Vec::new(),
            },
            opaque: false,
            formatter: None,
            reading: None,
        });
    }
}

trait ToText {
    fn to_text(&self) -> String;
}

impl ToText for Ty {
    fn to_text(&self) -> String {
        self.render(&testsmith_api::KeyNames)
    }
}

const SHARED: Pass = Pass::Shared(Region::Var(RegionIdx(0)));
const MUT: Pass = Pass::Mut(Region::Var(RegionIdx(0)));

fn adt(path: &str, of: Option<&Ty>) -> Ty {
    Ty::Adt {
        path: path.into(),
        args: of.cloned().map(GenericArg::Type).into_iter().collect(),
    }
}

fn world() -> World {
    let mut model = Model {
        catalogue: Catalogue {
            api: Api::default(),
            ..Catalogue::default()
        },
        caps: Vec::new(),
    };
    let (byte, size) = (Ty::Prim(Prim::U8), Ty::Prim(Prim::Usize));
    let string = adt("std::string::String", None);
    let str_ = Ty::Ref {
        region: Region::Static,
        mutable: false,
        to: Box::new(Ty::Str),
    };
    let unit = Ty::unit();
    let literal = Caps(Caps::LITERAL.0 | Caps::COPY.0);
    for (ty, caps) in [
        (&byte, literal),
        (&size, literal),
        (&str_, literal),
        (&string, Caps::LITERAL),
    ] {
        let idx = model.intern(ty).ty;
        model.caps.push((idx.0, caps));
        model.add(
            &format!("literal {}", ty.to_text()),
            Form::Literal,
            &[(ty, Pass::Value)],
            ty,
        );
    }
    let inherent = |self_ty: &Ty, name: &str, has_self| Form::Inherent {
        self_ty: self_ty.clone(),
        name: name.into(),
        turbofish: Vec::new(),
        has_self,
    };
    for of in [&byte, &string] {
        let map = adt("krate::Map", Some(of));
        let option = adt("std::option::Option", Some(of));
        let key = |name: &str| format!("Map<{}>::{name}", of.to_text());
        model.add(&key("new"), inherent(&map, "new", false), &[], &map);
        let inputs = [(&map, MUT), (of, Pass::Value)];
        model.add(
            &key("insert"),
            inherent(&map, "insert", true),
            &inputs,
            &unit,
        );
        let inputs = [(&map, SHARED), (&size, Pass::Value)];
        model.add(&key("get"), inherent(&map, "get", true), &inputs, &option);
        model.add(
            &key("len"),
            inherent(&map, "len", true),
            &[(&map, SHARED)],
            &size,
        );
        model.add(
            "unwrap",
            Form::Unwrap(Side::Some),
            &[(&option, Pass::Value)],
            of,
        );
        model.add(
            &key("into_len"),
            inherent(&map, "into_len", true),
            &[(&map, Pass::Value)],
            &size,
        );
    }
    let map = adt("krate::Map", Some(&string));
    let function = Form::Function {
        path: "krate::parse".into(),
        turbofish: Vec::new(),
    };
    model.add("parse", function, &[(&str_, Pass::Value)], &map);
    let Model { catalogue, caps } = model;
    let mut by_type = vec![Caps::default(); catalogue.types.len()];
    for (idx, caps) in caps {
        by_type[idx as usize] = caps;
    }
    World {
        catalogue,
        caps: by_type,
    }
}

fn of_example(source: &str) -> (String, Seeds) {
    let world = world();
    let sources = Sources {
        examples: vec![source.to_owned()],
        ..Sources::default()
    };
    let seeds = lift(&world, &sources);
    let longest = seeds.sequences.iter().max_by_key(|it| it.steps().len());
    let shown = longest.map(|it| text(&world, it)).unwrap_or_default();
    (shown, seeds)
}

/// Compares the longest sequence, its lines trimmed and joined.
fn check(source: &str, expected: &str) {
    let (shown, _) = of_example(source);
    let lines = |text: &str| {
        text.lines()
            .map(str::trim)
            .filter(|it| !it.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(lines(&shown), lines(expected), "{source}");
}

#[test]
fn foreign_bytes_of_sources_teach_something_or_nothing() {
    let world = world();
    let sources = [include_str!("tests.rs"), include_str!("../literals.rs")];
    let example = "let mut map = Map::new();\nassert_eq!(map.insert(3_u8, \"a\".into()), None);\n";
    let samples = sources.into_iter().chain([example]);
    let samples: Vec<_> = samples.map(|it| it.as_bytes().to_vec()).collect();
    testsmith_noise::throw("sources", &samples, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let mut literals = crate::Literals::default();
        literals.mine(&text);
        literals.mine_example(CallableId(0), &text);
        literals.settle();
        let sources = Sources {
            examples: vec![text.clone().into_owned()],
            tests: vec![text.into_owned()],
            ..Sources::default()
        };
        let seeds = lift(&world, &sources);
        let n_texts = literals.texts().count();
        format!("{n_texts} {} {:?}", seeds.sequences.len(), seeds.left)
    });
}

#[test]
fn what_is_nested_very_deep_is_passed_over() {
    let nested = |n: usize| format!("let x = {}parse(\"1\").len();", "-".repeat(n));
    let left = |n: usize| of_example(&nested(n)).1.left;
    assert!(!left(20).contains_key(&Why::TooMuch));
    assert_eq!(left(300).get(&Why::TooMuch), Some(&1));
}

#[test]
fn the_instance_is_chosen_by_what_comes_later() {
    check(
        r#"let mut map = krate::Map::new(); map.insert("a".to_string()); assert_eq!(map.len(), 1);"#,
        "s0 = Map<std::string::String>::new()
         s1 = Map<std::string::String>::insert(&mut s0, Str(\"a\"))
         s2 = Map<std::string::String>::len(&s0)",
    );
    check(
        "let mut map = Map::<u8>::new(); map.insert(7); map.get(0).unwrap();",
        "s0 = Map<u8>::new()
         s1 = Map<u8>::insert(&mut s0, UInt(7))
         s2 = Map<u8>::get(&s0, UInt(0))
         s3 = unwrap(move s2)",
    );
}

#[test]
fn a_literal_of_another_kind_stands_in_only_where_the_parameter_is_generic() {
    // The harness has no map of characters.
    check(
        "let mut map = Map::new(); map.insert('a'); map.get(0);",
        "s0 = Map<u8>::new()
         s1 = Map<u8>::insert(&mut s0, UInt(97))
         s2 = Map<u8>::get(&s0, UInt(0))",
    );
    let (_, seeds) = of_example("let map = Map::new(); map.get('a'); map.len();");
    assert_eq!(seeds.left[&Why::Unfit], 1);
    assert_eq!(seeds.examples.n_lifted_statements, 2);
}

#[test]
fn what_depends_on_a_statement_that_is_not_lifted_is_passed_over() {
    let (shown, seeds) = of_example(
        "let mut map = Map::new();
         let key = if true { 1 } else { 2 };
         map.insert(key);
         map.insert(3);
         let other = unknown();
         other.insert(4);
         map.retain(|it| *it > 2);",
    );
    assert_eq!(
        shown,
        "s0 = Map<u8>::new()\ns1 = Map<u8>::insert(&mut s0, UInt(3))\n"
    );
    assert_eq!(seeds.examples.n_statements, 7);
    assert_eq!(seeds.examples.n_lifted_statements, 2);
    let left: Vec<(Why, u64)> = seeds.left.into_iter().collect();
    assert_eq!(
        left,
        [(Why::ControlFlow, 1), (Why::Unknown, 2), (Why::Lost, 2)]
    );
}

#[test]
fn assertions_blocks_loops_over_literals_and_short_functions_are_written_out() {
    check(
        "const FIRST: u8 = 1;
         fn filled(key: u8) -> Map<u8> { parse(\"x\") }
         fn check(map: &Map<String>) { assert!(!map.get(0).is_none()); }
         fn main() {
             let mut map = Map::new();
             for i in 0..2 { map.insert(FIRST + i); }
             { let map = filled(5); check(&map); }
             assert_eq!(2, map.into_len());
             map.len();
         }",
        "s0 = Map<u8>::new()
         s1 = Map<u8>::insert(&mut s0, UInt(1))
         s2 = Map<u8>::insert(&mut s0, UInt(2))
         s3 = parse(Str(\"x\"))
         s4 = Map<std::string::String>::get(&s3, UInt(0))
         s5 = Map<u8>::into_len(move s0)",
    );
}

#[test]
fn test_functions_are_found_in_modules_and_seeds_are_what_each_call_needs() {
    let world = world();
    let sources = Sources {
        tests: vec![
            "fn not_a_test() { Map::new().insert(9); }
             #[cfg(test)]
             mod tests {
                 use super::Map as M;
                 #[test]
                 fn two_maps() {
                     let (mut a, mut b) = (M::new(), M::new());
                     a.insert(1);
                     b.insert(2);
                     a.len();
                 }
             }"
            .to_owned(),
            "this is not Rust".to_owned(),
        ],
        ..Sources::default()
    };
    let seeds = lift(&world, &sources);
    assert_eq!(
        (seeds.tests.n_found, seeds.tests.n_lifted, seeds.n_unread),
        (1, 1, 1)
    );
    let shown: Vec<String> = seeds.sequences.iter().map(|it| text(&world, it)).collect();
    assert!(shown.contains(
        &"s0 = Map<u8>::new()\ns1 = Map<u8>::insert(&mut s0, UInt(1))\ns2 = Map<u8>::len(&s0)\n".to_owned()
    ), "{shown:?}");
    assert!(!shown.iter().any(|it| it.contains("UInt(9)")));
}
