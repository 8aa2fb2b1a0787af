use std::collections::HashSet;

use testsmith_protocol::{Reader, Value};

use super::*;

fn observed(describe: impl Fn(&mut Observer)) -> Observer {
    let mut observer = Observer::default();
    observer.clear();
    describe(&mut observer);
    observer
}

/// The description as the host reads it.
fn value(observer: &Observer) -> Value {
    Value::decode(&mut Reader::new(observer.bytes())).expect("it is a description")
}

#[test]
fn addresses_are_masked_and_other_numbers_are_not() {
    let mask = |text: &str| {
        let mut bytes = text.as_bytes().to_vec();
        let found = mask_addresses(&mut bytes);
        (String::from_utf8(bytes).expect("still text"), found)
    };
    let plain = "Color(0xff00ff) at 0x8, 0x";
    assert_eq!(mask(plain), (plain.to_owned(), false));
    assert_eq!(
        mask("Set { data: 0x00005555557a9ac0, n: 0x10 }"),
        ("Set { data: 0x________________, n: 0x10 }".to_owned(), true)
    );
}

#[test]
fn description_is_what_the_host_reads() {
    let pair = observed(|it| {
        it.tuple(2);
        it.int(-1);
        it.list(["a", "b"], |text, it| it.str(text));
    });
    let texts = ["a", "b"].map(|text| Value::Str(text.into()));
    let expected = Value::Tuple(vec![Value::Int(-1), Value::List(texts.into())]);
    assert_eq!(value(&pair), expected);
    assert_eq!(pair.fingerprint().notion, Notion::Structure);
}

#[test]
fn every_nan_is_the_same() {
    let of = |value: f64| observed(|it| it.f64(value)).fingerprint();
    assert_eq!(of(f64::NAN), of(-f64::NAN));
    assert_ne!(of(0.0), of(-0.0));
}

#[test]
fn order_of_a_hash_table_does_not_show() {
    let of = |values: [u8; 3]| {
        let it = observed(|it| it.unordered(values, |n, it| it.uint(n.into())));
        (it.fingerprint(), it.bytes().to_vec())
    };
    assert_eq!(of([1, 2, 3]), of([3, 1, 2]));
    assert_ne!(of([1, 2, 3]), of([1, 2, 2]));
}

#[test]
fn none_errors_and_large_numbers_are_barren_only_at_the_top() {
    let none = |it: &mut Observer| it.named("None", 0);
    assert!(observed(none).is_barren());
    assert!(observed(|it| it.uint(LARGE + 1)).is_barren());
    assert!(!observed(|it| it.uint(LARGE)).is_barren());
    let inside = observed(|it| {
        it.tuple(1);
        none(it);
    });
    assert!(!inside.is_barren());
}

#[test]
fn long_collection_is_cut_and_so_is_long_text() {
    let list = |n: usize| observed(|it| it.list(vec![0; n], |n, it| it.int(n)));
    assert_eq!(list(MAX_ELEMENTS).bytes()[0], tag::LIST);
    assert_eq!(list(MAX_ELEMENTS + 1).bytes(), [tag::CUT]);
    let text = |n: usize| observed(|it| it.debug(&"x".repeat(n)));
    assert_eq!(text(MAX_BYTES - 2).bytes()[0], tag::DEBUG);
    assert_eq!(text(MAX_BYTES).bytes(), [tag::CUT]);
}

#[test]
fn value_that_shows_its_address_is_known_by_its_hash_alone() {
    #[derive(Hash)]
    struct Shown(u8);
    impl fmt::Debug for Shown {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Shown(0x00005555557a9ac0)")
        }
    }
    let without_hash = observed(|it| it.debug(&Shown(1)));
    assert_eq!(without_hash.fingerprint().notion, Notion::None);
    assert_eq!(without_hash.bytes(), [tag::OPAQUE]);
    let of = |value: Shown| {
        let it = observed(|it| {
            Look(&value).look(it);
            Look(&value).stir(it);
        });
        it.fingerprint()
    };
    assert_eq!(of(Shown(1)).notion, Notion::Debug);
    assert_eq!(of(Shown(1)), of(Shown(1)));
    assert_ne!(of(Shown(1)), of(Shown(2)));
}

#[test]
fn value_without_debug_is_opaque() {
    struct Hidden;
    let it = observed(|it| Look(&Hidden).look(it));
    assert_eq!(it.fingerprint().notion, Notion::None);
    let it = observed(|it| Look(&1u8).look(it));
    assert_eq!(it.fingerprint().notion, Notion::Debug);
}

#[test]
fn size_tells_containers_apart_whose_text_is_the_same() {
    let of = |n: usize| {
        let it = observed(|it| {
            it.debug("..");
            it.size(n);
        });
        it.fingerprint().hash
    };
    assert_eq!(
        [1, 2, 1].map(of).into_iter().collect::<HashSet<_>>().len(),
        2
    );
}
