//! How types are written.

use super::*;

/// Leaves lifetimes out.
struct Short;

impl Names for Short {
    fn path(&self, path: &str) -> String {
        last_segment(path).to_owned()
    }
    fn region(&self, _: Region) -> Option<String> {
        None
    }
    fn lasting(&self) -> Option<String> {
        Some("'static".to_owned())
    }
}

#[test]
fn what_a_closure_gives_is_not_taken_for_one_of_its_inputs() {
    let text = |region| Ty::Ref {
        region,
        mutable: false,
        to: Box::new(Ty::Str),
    };
    let given = |region| Ty::Dyn {
        traits: vec![TraitRef {
            path: "std::ops::Fn".into(),
            args: vec![GenericArg::Type(Ty::Tuple(vec![
                text(Region::Bound(0)),
                text(Region::Static),
            ]))],
            assoc: vec![("Output".into(), text(region))],
        }],
        bound: Region::Static,
    };
    let lasting = given(Region::Static).render(&Short);
    assert_eq!(lasting, "dyn Fn(&str, &str) -> &'static str");
    assert_eq!(
        given(Region::Bound(0)).render(&Short),
        "dyn Fn(&str, &str) -> &str"
    );
    let full = given(Region::Static).render(&FullNames);
    assert!(full.ends_with("-> &'static str + 'static"), "{full}");
}
