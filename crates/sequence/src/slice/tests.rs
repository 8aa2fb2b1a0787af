//! Slices and sequences with a part replaced: text in, text out.

use expect_test::{Expect, expect};
use testsmith_protocol::Value;

use super::{slice, with_literal, with_maker, with_slot, without};
use crate::builder::World;
use crate::step::{Sequence, SlotIdx};
use crate::testing::{sequence, world};
use crate::text::text;

fn check(steps: &str, change: impl Fn(&World, &Sequence) -> Option<Sequence>, expected: Expect) {
    let world = world();
    let changed = change(&world, &sequence(&world, steps));
    let shown = changed.map_or("none".to_owned(), |it| text(&world, &it));
    expected.assert_eq(&shown);
}

#[test]
fn slice_keeps_what_made_and_changed_the_arguments_of_the_last_call() {
    check(
        "text()
         text()
         grow(&mut s0)
         grow(&mut s1)
         len(&s1)
         len(&s0)",
        slice,
        expect![[r#"
            s0 = text()
            s1 = grow(&mut s0)
            s2 = len(&s0)
        "#]],
    );
}

#[test]
fn slice_keeps_a_change_through_a_mutable_reference_but_no_look_through_it() {
    check(
        "text()
         edit(&mut s0)
         grow(&*s1)
         len(&*s1)
         edit(&*s1)",
        slice,
        expect![[r#"
            s0 = text()
            s1 = edit(&mut s0)
            s2 = grow(&*s1)
            s3 = edit(&*s1)
        "#]],
    );
}

#[test]
fn slice_puts_in_the_drop_that_is_still_necessary() {
    check(
        "text()
         lock(&s0)
         grow(&mut s0)",
        slice,
        expect![[r#"
            s0 = text()
            s1 = grow(&mut s0)
        "#]],
    );
    check(
        "text()
         lock_mut(&mut s0)
         grow(&mut s0)",
        slice,
        expect![[r#"
            s0 = text()
            s1 = lock_mut(&mut s0)
            drop(s1)
            s2 = grow(&mut s0)
        "#]],
    );
}

#[test]
fn step_that_later_ones_need_cannot_be_left_out() {
    let steps = "text()\nnumber()\ngrow(&mut s0)";
    check(steps, |world, it| without(world, it, 0), expect!["none"]);
    check(
        steps,
        |world, it| without(world, it, 1),
        expect![[r#"
        s0 = text()
        s1 = grow(&mut s0)
    "#]],
    );
}

#[test]
fn other_maker_stands_before_the_rest_and_the_old_one_is_gone() {
    check(
        "number()
         text()
         grow(&mut s1)
         len(&s1)",
        |world, it| {
            let maker = sequence(world, "text()\nlen(&s0)\ntext()");
            with_maker(world, it, SlotIdx(1), &maker)
        },
        expect![[r#"
            s0 = text()
            s1 = len(&s0)
            s2 = text()
            s3 = number()
            s4 = grow(&mut s2)
            s5 = len(&s2)
        "#]],
    );
}

#[test]
fn maker_without_calls_or_of_another_type_gives_no_sequence() {
    let steps = "text()\nlen(&s0)";
    for maker in ["", "number()"] {
        check(
            steps,
            |world, it| with_maker(world, it, SlotIdx(0), &sequence(world, maker)),
            expect!["none"],
        );
    }
}

#[test]
fn literal_is_replaced_in_place_and_never_in_a_drop() {
    let steps = "double(1)\ntext()\nlock(&s1)\ngrow(&mut s1)";
    let to_nine =
        |step| move |world: &World, it: &Sequence| with_literal(world, it, step, 0, Value::UInt(9));
    check(
        steps,
        to_nine(0),
        expect![[r#"
        s0 = double(UInt(9))
        s1 = text()
        s2 = lock(&s1)
        drop(s2)
        s3 = grow(&mut s1)
    "#]],
    );
    check(steps, to_nine(3), expect!["none"]);
    // The new literal would be lent for longer than its statement.
    check(steps, to_nine(2), expect!["none"]);
}

#[test]
fn an_earlier_slot_takes_the_place_of_one_that_is_like_it() {
    check(
        "text()
         text()
         grow(&mut s0)
         len(&s1)",
        |world, sequence| with_slot(world, sequence, SlotIdx(1), SlotIdx(0)),
        expect![[r#"
            s0 = text()
            s1 = grow(&mut s0)
            s2 = len(&s0)
        "#]],
    );
    check(
        "text()
         text()
         len(&s0)",
        |world, sequence| with_slot(world, sequence, SlotIdx(0), SlotIdx(1)),
        expect!["none"],
    );
}
