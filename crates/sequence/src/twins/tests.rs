//! Doing the same twice, and noticing it.

use expect_test::{Expect, expect};

use super::{doubled, twins};
use crate::step::SlotIdx;
use crate::testing::{op, sequence, world};
use crate::text::text;

/// Shows the half of a sequence, and the slot in it that both last arguments come from.
fn check(steps: &str, expected: Expect) {
    let world = world();
    let shown = match twins(&sequence(&world, steps)) {
        Some((half, slot)) => format!("{}s{}", text(&world, &half), slot.0),
        None => "none".to_owned(),
    };
    expected.assert_eq(&shown);
}

#[test]
fn halves_that_do_the_same_are_twins() {
    check(
        "text()
         grow(&mut s0)
         text()
         grow(&mut s2)
         same(&s0, &s2)",
        expect![[r#"
            s0 = text()
            s1 = grow(&mut s0)
            s0"#]],
    );
}

#[test]
fn halves_that_differ_in_a_step_are_no_twins() {
    check(
        "text()
         grow(&mut s0)
         text()
         len(&s2)
         same(&s0, &s2)",
        expect!["none"],
    );
}

#[test]
fn halves_of_different_literals_are_no_twins() {
    check(
        "double(1)
         text()
         double(2)
         text()
         same(&s1, &s3)",
        expect!["none"],
    );
}

#[test]
fn last_call_must_ask_for_the_same_value_of_both_halves() {
    check(
        "text()
         text()
         text()
         text()
         same(&s0, &s3)",
        expect!["none"],
    );
    check("text()\ntext()\nlen(&s0)", expect!["none"]);
    check("", expect!["none"]);
}

#[test]
fn half_may_end_values() {
    check(
        "text()
         lock(&s0)
         grow(&mut s0)
         text()
         lock(&s3)
         grow(&mut s3)
         same(&s0, &s3)",
        expect![[r#"
            s0 = text()
            s1 = lock(&s0)
            drop(s1)
            s2 = grow(&mut s0)
            s0"#]],
    );
}

#[test]
fn doubled_sequence_has_its_half_as_twins() {
    let world = world();
    let half = sequence(&world, "number()\ntext()\nlock(&s1)\ngrow(&mut s1)");
    let both = doubled(&world, &half, SlotIdx(1), op(&world, "swap")).expect("it is valid");
    expect![[r#"
        s0 = number()
        s1 = text()
        s2 = lock(&s1)
        drop(s2)
        s3 = grow(&mut s1)
        s4 = number()
        s5 = text()
        s6 = lock(&s5)
        drop(s6)
        s7 = grow(&mut s5)
        s8 = swap(&mut s1, &mut s5)
    "#]]
    .assert_eq(&text(&world, &both));
    assert_eq!(twins(&both), Some((half, SlotIdx(1))));
}

#[test]
fn value_of_another_type_is_not_doubled() {
    let world = world();
    let half = sequence(&world, "number()");
    assert_eq!(doubled(&world, &half, SlotIdx(0), op(&world, "same")), None);
}
