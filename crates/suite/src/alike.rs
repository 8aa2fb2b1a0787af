//! Says which broken laws have one cause.
//!
//! A law is asked of every type and every instance, and some laws follow from others: `len` is made
//! of `size_hint`, `Keys` and `Values` are made of `Iter`, `x /= y` for each integer type is one piece
//! of code, and where `==` overlooks something, equal values have different hashes. So what a law is about, and the container that an iterator is of, are the cause; who else
//! breaks it is named with it.

use testsmith_api::{Law, Ty};
use testsmith_explore::Failure;
use testsmith_sequence::{SlotIdx, World};

use crate::verdict::given::{origins, slots};

/// Laws about how many items are left; all follow from the first.
const COUNTS: [&str; 3] = ["size-hint", "exact-size", "count"];

/// What broken laws with one cause share.
pub(crate) fn cause(world: &World, failure: &Failure, law: &Law) -> String {
    let of = path(&law.of);
    key(&law.name, of, || container(world, failure, of))
}

fn key<'p>(law: &str, of: &'p str, container: impl FnOnce() -> &'p str) -> String {
    let mut words = law.split(' ');
    let first = words.next().unwrap_or_default();
    match first {
        _ if COUNTS.contains(&first) => format!("how many items {}", container()),
        "double-ended" => format!("from the back {}", container()),
        "operator-assign" | "operator-reference" | "twins" => {
            format!("{} {of}", words.next().unwrap_or_default())
        }
        // Values that are equal and should not be show it by whatever is asked of both.
        "eq-contents" | "eq-answers" | "hash" => format!("equality {of}"),
        // A clone of what is not equal to itself is not equal to it, and what is shown is often serialized.
        "eq-reflexive" | "clone" => format!("reflexive {of}"),
        "from-str" | "serde" => format!("read again {of}"),
        "operator-refuses" => format!("refuses {} {of}", words.next().unwrap_or_default()),
        _ => format!("{law} {of}"),
    }
}

/// Is the law broken because one before it in its family is?
pub(crate) fn is_victim(law: &Law) -> bool {
    let first = law.name.split(' ').next().unwrap_or_default();
    COUNTS[1..].contains(&first)
        || matches!(
            first,
            "operator-reference" | "eq-answers" | "hash" | "clone" | "serde"
        )
}

/// The type of the crate that the value of a law was made from, or its own if there is none.
fn container<'w>(world: &'w World, failure: &'w Failure, of: &'w str) -> &'w str {
    let sequence = &failure.sequence;
    let slots = slots(failure).into_iter();
    let mut origins = slots.flat_map(|slot| origins(sequence, slot));
    let path_of = |slot: SlotIdx| {
        let ty = world.signature(sequence.maker(slot).0).output.ty;
        path(&world.catalogue.types.get(ty).ty)
    };
    let found = origins.find_map(|slot| {
        let path = path_of(slot);
        let is_own = world.catalogue.api.adts.contains_key(path);
        (is_own && path != of).then_some(path)
    });
    found.unwrap_or(of)
}

/// The path of a type, whatever it is of; empty if it has none.
fn path(ty: &Ty) -> &str {
    match ty {
        Ty::Adt { path, .. } => path,
        Ty::Ref { to, .. } => path(to),
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_have_one_cause_if_they_are_about_one_thing() {
        let key = |law: &str, of: &'static str| key(law, of, || "a::Map");
        let hint = key("size-hint", "a::Keys");
        assert_eq!(hint, key("exact-size from the back", "a::Values"));
        assert_ne!(hint, key("double-ended", "a::Keys"));
        let divided = key("operator-assign Div with u8", "a::Number");
        assert_eq!(
            divided,
            key("operator-reference Div 2 with i64", "a::Number")
        );
        assert_ne!(divided, key("operator-assign Rem with u8", "a::Number"));
        assert_ne!(key("hash", "a::Keys"), key("hash", "a::Values"));
        assert_eq!(key("hash", "a::Map"), key("eq-contents", "a::Map"));
    }
}
