//! Stand-ins that tests name.

use expect_test::expect;
use testsmith_api::{Form, Prim, STAND_INS, StandIn};
use testsmith_protocol::Value;

use super::check;
use super::model::*;

#[test]
fn what_stands_in_is_defined_once_at_the_end() {
    let mut model = Model::new();
    let api = &mut model.world.catalogue.api;
    let definition = |name: &str, items: &[&str]| StandIn {
        name: name.into(),
        about: format!("Is {name}.").into(),
        items: items.iter().map(|it| (*it).to_owned()).collect(),
        traits: Vec::new(),
        wanted: name.into(),
    };
    api.stand_ins = vec![
        definition(
            "SampleSink",
            &[
                "#[derive(Debug)] pub struct SampleSink { pub n: ::std::vec::Vec<u8> }",
                "impl ::std::default::Default for SampleSink { fn default() -> Self { SampleSink { n: ::stand_ins::of(1) } } }",
            ],
        ),
        definition(
            "of",
            &["pub fn of(n: u8) -> ::std::vec::Vec<u8> { vec![n] }"],
        ),
        definition("Unused", &["pub struct Unused;"]),
    ];
    api.dependencies = vec![STAND_INS.into()];
    let bytes = vec(prim(Prim::U8));
    let form = Form::Recipe {
        template: "stand_ins::SampleSink::default().n".into(),
    };
    let of = model.recipe(form, vec![], bytes);
    let case = || {
        model.case(
            &[(of, &[])],
            vec![is(0, 0, Value::List(vec![Value::UInt(1)]))],
        )
    };
    check(
        &model,
        &[case(), case()],
        expect![[r#"
            #[test]
            fn vec() {
                assert_eq!(SampleSink::default().n, [1]);
            }

            #[test]
            fn vec_returns_1_item() {
                assert_eq!(SampleSink::default().n, [1]);
            }

            /// Is SampleSink.
            #[derive(Debug)] struct SampleSink { n: Vec<u8> }

            impl Default for SampleSink { fn default() -> Self { SampleSink { n: of(1) } } }

            /// Is of.
            fn of(n: u8) -> Vec<u8> { vec![n] }
        "#]],
    );
}
