//! Tests of the copy of the fixture `inside` where nothing can be seen through generic parameters.

use std::rc::Rc;

use inside::__testsmith::{IS_OPAQUE, Snapshot, restore, snapshot};
use inside::{Bead, Handle, Meter, Person, Shape, Shelf, Station, Tally, Twins, Words};

fn seen<T: Snapshot + ?Sized>(value: &T) -> (u8, Vec<u8>) {
    let mut bytes = Vec::new();
    let flags = snapshot(value, &mut bytes);
    (flags, bytes)
}

fn restored<T: Snapshot>(value: &T) {
    let (flags, bytes) = seen(value);
    assert_eq!(flags, 0);
    let again: T = restore(&bytes).expect("it can be restored");
    assert!(seen(&again) == (flags, bytes), "another snapshot");
}

#[test]
fn private_state_is_seen_and_restored() {
    assert!(seen(&Meter::of(&[3])) != seen(&Meter::of(&[1, 2])));
    assert!(seen(&Twins::one("a")) != seen(&Twins::two("a")));
    let mut tally = Tally::default();
    tally.count("one");
    restored(&tally);
    restored(&vec![Meter::of(&[3]), Meter::of(&[])]);
    restored(&(Twins::one("a"), Twins::two("b")));
    restored(&Words::of("one two"));
    let parent: Rc<Person> = Person::new("a");
    parent.adopt(Person::new("b"));
    restored(&parent);
    restored(&Bead::row(&[1, 2], false));
}

#[test]
fn what_is_generic_is_opaque() {
    assert_eq!(seen(&Shelf::<u8>::new([1])).0, IS_OPAQUE);
    assert_eq!(seen(&Shape::Polygon { corners: vec![(1u8, 2)], r#type: true }).0, IS_OPAQUE);
    restored(&Shape::<u8>::Circle(1.0));
    assert_eq!(seen(&Handle::dangling(1)).0, IS_OPAQUE);
}
