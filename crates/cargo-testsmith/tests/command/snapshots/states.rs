//! Tests of the copy of the fixture `inside`: what is seen of values that look the same.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use inside::__testsmith::{IS_CUT, IS_OPAQUE, restore, snapshot};
use inside::tight::{Either, Packed};
use inside::{Bead, Chain, Handle, Meter, Named, Person, Shape, Shelf, Station, Tally, Twins, Words, Writers};

fn seen<T: ?Sized>(value: &T) -> (u8, Vec<u8>) {
    let mut bytes = Vec::new();
    let flags = snapshot(value, &mut bytes);
    (flags, bytes)
}

/// The snapshot is whole, and what is restored has the same.
fn restored<T>(value: &T) -> T {
    let (flags, bytes) = seen(value);
    assert_eq!(flags, 0);
    let again: T = restore(&bytes).expect("it can be restored");
    assert!(seen(&again) == (flags, bytes), "another snapshot");
    again
}

#[test]
fn private_state_is_seen_and_restored() {
    let (one, other) = (Meter::of(&[3]), Meter::of(&[1, 2]));
    assert_eq!(format!("{one:?}"), format!("{other:?}"));
    assert!(seen(&one) != seen(&other));
    assert!(seen(&one) == seen(&Meter::of(&[3])));
    assert_eq!(restored(&other).last(), Some(2));

    let secret = inside::secret(7, 'x');
    assert!(seen(&secret) != seen(&inside::secret(7, 'y')));
    assert_eq!(restored(&secret).n(), 7);
}

#[test]
fn generic_types_are_looked_through() {
    let shelf: Shelf<Meter> = Shelf::new([Meter::of(&[3])]);
    let other: Shelf<Meter> = Shelf::new([Meter::of(&[1, 2])]);
    assert!(seen(&shelf) != seen(&other));
    let before = seen(&shelf);
    shelf.look(0);
    assert!(before != seen(&shelf), "a look is counted");
    assert_eq!(restored(&shelf).look(0).and_then(Meter::last), Some(3));

    let corners = vec![(1u8, 2), (3, 4)];
    let shape = Shape::Stack(
        Box::new(Shape::Circle(f64::NAN)),
        Box::new(Shape::Polygon { corners, r#type: true }),
    );
    assert!(matches!(restored(&shape), Shape::Stack(a, _) if matches!(*a, Shape::Circle(_))));
    assert!(seen(&Shape::<u8>::Circle(0.0)) != seen(&Shape::<u8>::Circle(-0.0)));
    restored(&Shape::<Shelf<Rc<str>, 3>>::Point);
}

#[test]
fn what_is_shared_is_not_what_is_equal() {
    let (one, two) = (Twins::one("a"), Twins::two("a"));
    assert!(seen(&one) != seen(&two));
    assert!(seen(&one) == seen(&Twins::one("a")));
    assert_eq!(restored(&two).texts(), ("a", "a"));
    let again = restored(&one);
    assert_eq!(again.texts().0.as_ptr(), again.texts().1.as_ptr());

    let (a, b) = (Cell::new(1), Cell::new(1));
    let on_one = Writers { one: &a, other: &a };
    let on_two = Writers { one: &a, other: &b };
    assert!(seen(&on_one) != seen(&on_two));
    let again = restored(&on_one);
    again.one.set(5);
    assert_eq!(again.other.get(), 5);

    // Shared between entries that have no order.
    let rc = Rc::new(5);
    let map = |n: u8| (0..n).map(|i| (i, if i % 2 == 0 { rc.clone() } else { Rc::new(5) }));
    let (up, down): (HashMap<u8, _>, HashMap<u8, _>) = (map(20).collect(), map(20).rev_collect());
    assert!(seen(&up) == seen(&down));
    restored(&up);
}

trait RevCollect: Iterator {
    fn rev_collect<C: FromIterator<Self::Item>>(self) -> C;
}

impl<I: Iterator> RevCollect for I {
    fn rev_collect<C: FromIterator<I::Item>>(self) -> C {
        let items: Vec<I::Item> = self.collect();
        items.into_iter().rev().collect()
    }
}

#[test]
fn cycles_end_and_are_cycles_again() {
    let parent = Person::new("a");
    parent.adopt(Person::new("b"));
    parent.adopt(Person::new("c"));
    let again = restored(&parent);
    drop(parent);
    let names = again.children().into_iter().map(|child| child.parent());
    assert!(names.eq([Some("a".to_owned()), Some("a".to_owned())]));

    let ring = Bead::row(&[1, 2, 3], true).expect("a bead");
    let row = Bead::row(&[1, 2, 3], false).expect("a bead");
    assert!(seen(&ring) != seen(&row));
    let again = restored(&ring);
    let third = again.next().and_then(|it| it.next()).expect("three beads");
    assert!(Rc::ptr_eq(&third.next().expect("a ring"), &again));
    third.cut();
    ring.cut();

    // Nobody but the snapshot owns what this leads to.
    let owner = Rc::new(1u8);
    let (flags, bytes) = seen(&Rc::downgrade(&owner));
    assert_eq!(flags, 0);
    assert!(restore::<Weak<u8>>(&bytes).is_none());
    restored(&(owner.clone(), Rc::downgrade(&owner)));
    restored(&(Rc::downgrade(&owner), owner));
    restored(&Weak::<u8>::new());
}

#[test]
fn what_cannot_be_looked_into_says_so() {
    let handle = Handle::dangling(9);
    let (flags, bytes) = seen(&handle);
    assert_eq!(flags, IS_OPAQUE);
    assert!(restore::<Handle>(&bytes).is_none());
    assert_eq!(seen(&Packed(1, 2)).0, IS_OPAQUE);
    assert_eq!(seen(&Either { whole: 1 }).0, IS_OPAQUE);
    assert_eq!(seen(&inside::Patchy::default()).0, IS_OPAQUE);
    let function: fn(u32) -> Handle = Handle::dangling;
    assert_eq!(seen(&(1, function)).0, IS_OPAQUE);
    let object: Box<dyn Fn(u8) -> u8> = Box::new(|n| n);
    assert_eq!(seen(&Some(object)).0, IS_OPAQUE, "who knows which it is");
    assert_eq!(seen(&|n: u8| n).0, 0, "the type has no other value");

    assert_eq!(seen(&Chain::of(100)).0, 0);
    let (flags, bytes) = seen(&Chain::of(100_000));
    assert_eq!(flags, IS_CUT);
    assert!(restore::<Chain>(&bytes).is_none());
    assert_eq!(seen(&vec![(); usize::MAX]).0, IS_CUT);
    let cell = std::cell::RefCell::new(1u8);
    let borrowed = cell.borrow_mut();
    assert_eq!(seen(&cell).0, IS_OPAQUE);
    drop(borrowed);
    restored(&cell);
}

#[test]
fn borrowed_state_is_followed() {
    let mut words = Words::of("one two");
    let before = seen(&words);
    words.next();
    assert!(before != seen(&words));
    assert_eq!(restored(&words).next().as_deref(), Some("two"));

    let named: &Named<[u8]> = &Named { name: 1, thing: [2, 3] };
    assert_eq!(seen(named).0, 0);
    assert!(seen(named) != seen::<Named<[u8]>>(&Named { name: 1, thing: [2, 4] }));
}

/// A small generator of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn list<T>(&mut self, make: impl Fn(&mut Random) -> T) -> Vec<T> {
        (0..self.below(6)).map(|_| make(self)).collect()
    }

    fn text(&mut self) -> String {
        self.list(|it| ['a', 'b', ' ', 'ß', '猫'][it.below(5) as usize]).into_iter().collect()
    }

    fn meter(&mut self) -> Meter {
        Meter::of(&self.list(|it| it.below(1 << 32) as u32))
    }

    fn shape(&mut self) -> Shape<i16> {
        match self.below(5) {
            0 => Shape::Point,
            1 => Shape::Circle(f64::from_bits(self.below(u64::MAX))),
            2 => Shape::Stack(self.shape().into(), self.shape().into()),
            n => Shape::Polygon {
                corners: self.list(|it| (it.below(9) as i16 - 4, it.below(1 << 16) as i16)),
                r#type: n == 3,
            },
        }
    }

    fn person(&mut self, depth: u64) -> Rc<Person> {
        let person = Person::new(&self.text());
        for _ in 0..self.below(depth + 1) {
            person.adopt(self.person(depth - 1));
        }
        person
    }

    fn check(&mut self) {
        match self.below(9) {
            0 => drop(restored(&self.meter())),
            1 => drop(restored(&self.shape())),
            2 => drop(restored(&Shelf::<Meter, 3>::new(self.list(Random::meter)))),
            3 => drop(restored(&self.person(3))),
            4 => {
                let row = Bead::row(&self.list(|it| it.below(256) as u8), self.below(2) == 0);
                let again = restored(&row);
                row.inspect(|it| it.cut());
                again.inspect(|it| it.cut());
            }
            5 => {
                let mut tally = Tally::default();
                self.list(Random::text).iter().for_each(|word| tally.count(word));
                restored(&tally);
            }
            6 => {
                let twins = [Twins::one(&self.text()), Twins::two(&self.text())];
                restored(&self.list(|it| twins[it.below(2) as usize].clone()));
            }
            7 => drop(restored(&self.list(|it| Shelf::<char>::new(it.text().chars())))),
            _ => {
                let text = self.text();
                let mut words = Words::of(&text);
                self.list(|_| ()).iter().for_each(|()| drop(words.next()));
                restored(&words);
            }
        }
    }
}

#[test]
fn random_values_are_restored() {
    let n = std::env::var("N_VALUES").ok().and_then(|it| it.parse().ok());
    let mut random = Random(88172645463325252);
    for _ in 0..n.unwrap_or(20_000) {
        random.check();
    }
}
