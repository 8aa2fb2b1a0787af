//! The borrow check: steps in; what the builder makes of them, and which slots are left, out.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::{Builder, MAX_STEPS, Rejected};
use crate::step::Sequence;
use crate::testing::{lines, op, push, world};
use crate::text::text;

/// Shows the steps that were appended, refused steps with the reason after `//`, and the slots that
/// are live at the end. A live slot that must not be looked at stands in parentheses.
fn check(steps: &str, expected: Expect) {
    let world = world();
    let mut builder = Builder::new(&world);
    let mut out = String::new();
    for line in lines(steps) {
        let n_before = builder.steps().len();
        let pushed = push(&world, &mut builder, line);
        let steps = builder.steps()[n_before..].into();
        out += &text(&world, &Sequence { steps });
        if let Err(why) = pushed {
            let _ = writeln!(out, "// {line}: {}", reason(why));
        }
    }
    out += "live:";
    for slot in builder.live() {
        let _ = match builder.is_observable(slot) {
            true => write!(out, " s{}", slot.0),
            false => write!(out, " (s{})", slot.0),
        };
    }
    expected.assert_eq(&out);
}

fn reason(why: Rejected) -> String {
    format!("{why:?}")
        .replace("SlotIdx(", "s")
        .replace("))", ")")
}

#[test]
fn moved_slot_is_not_offered_again() {
    check(
        "text()
         eat(move s0)
         len(&s0)
         eat(move s0)",
        expect![[r#"
            s0 = text()
            s1 = eat(move s0)
            // len(&s0): Gone(s0)
            // eat(move s0): Gone(s0)
            live: s1"#]],
    );
}

#[test]
fn copy_type_stays_after_it_was_passed() {
    check(
        "number()
         double(s0)
         sum(s0, s0)
         double(s0)",
        expect![[r#"
            s0 = number()
            s1 = double(s0)
            s2 = sum(s0, s0)
            s3 = double(s0)
            live: s0 s1 s2 s3"#]],
    );
}

#[test]
fn copy_of_a_lent_value_does_not_end_the_loan() {
    check(
        "number()
         byte(&s0)
         double(s0)",
        expect![[r#"
            s0 = number()
            s1 = byte(&s0)
            s2 = double(s0)
            live: s0 s1 s2"#]],
    );
}

#[test]
fn type_without_copy_cannot_be_copied() {
    check(
        "plain()
         use_up(s0)
         use_up(move s0)",
        expect![[r#"
            s0 = plain()
            // use_up(s0): Type
            s1 = use_up(move s0)
            live: s1"#]],
    );
}

#[test]
fn arguments_must_have_the_type_number_and_use_of_the_inputs() {
    check(
        "text()
         number()
         len(&s1)
         len(move s0)
         grow(&s0)
         same(&s0)
         bag()
         use_up(7)
         double(7)",
        expect![[r#"
            s0 = text()
            s1 = number()
            // len(&s1): Type
            // len(move s0): Type
            // grow(&s0): Type
            // same(&s0): Type
            s2 = bag()
            // use_up(7): Type
            s3 = double(UInt(7))
            live: s0 s1 s2 s3"#]],
    );
}

#[test]
fn same_slot_twice_is_fine_only_for_shared_borrows() {
    check(
        "text()
         same(&s0, &s0)
         swap(&mut s0, &mut s0)
         copy_to(&s0, &mut s0)",
        expect![[r#"
            s0 = text()
            s1 = same(&s0, &s0)
            // swap(&mut s0, &mut s0): Aliased(s0)
            // copy_to(&s0, &mut s0): Aliased(s0)
            live: s0 s1"#]],
    );
}

#[test]
fn shared_loan_without_glue_ends_silently_at_a_mutable_use() {
    check(
        "text()
         first(&s0)
         len(&s0)
         grow(&mut s0)
         len(&*s1)",
        expect![[r#"
            s0 = text()
            s1 = first(&s0)
            s2 = len(&s0)
            s3 = grow(&mut s0)
            // len(&*s1): Gone(s1)
            live: s0 s2 s3"#]],
    );
}

#[test]
fn slot_that_is_lent_mutably_is_not_observable_and_its_use_ends_the_loan() {
    check(
        "text()
         edit(&mut s0)",
        expect![[r#"
            s0 = text()
            s1 = edit(&mut s0)
            live: (s0) s1"#]],
    );
    check(
        "text()
         edit(&mut s0)
         gently len(&s0)
         len(&s0)
         grow(&*s1)",
        expect![[r#"
            s0 = text()
            s1 = edit(&mut s0)
            // gently len(&s0): WouldEnd(s1)
            s2 = len(&s0)
            // grow(&*s1): Gone(s1)
            live: s0 s2"#]],
    );
}

#[test]
fn reborrow_of_a_mutable_reference_lends_it_on() {
    check(
        "text()
         edit(&mut s0)
         edit(&*s1)
         grow(&*s2)",
        expect![[r#"
            s0 = text()
            s1 = edit(&mut s0)
            s2 = edit(&*s1)
            s3 = grow(&*s2)
            live: (s0) (s1) s2 s3"#]],
    );
    check(
        "text()
         edit(&mut s0)
         edit(&*s1)
         grow(&*s1)
         grow(&*s2)",
        expect![[r#"
            s0 = text()
            s1 = edit(&mut s0)
            s2 = edit(&*s1)
            s3 = grow(&*s1)
            // grow(&*s2): Gone(s2)
            live: (s0) s1 s3"#]],
    );
}

#[test]
fn shared_reference_is_copied_not_lent_on() {
    check(
        "text()
         first(&s0)
         first(&*s1)
         len(&*s1)
         drop(s1)
         len(&*s2)",
        expect![[r#"
            s0 = text()
            s1 = first(&s0)
            s2 = first(&*s1)
            s3 = len(&*s1)
            s4 = len(&*s2)
            live: s0 s2 s3 s4"#]],
    );
}

#[test]
fn shared_reference_does_not_give_a_mutable_one() {
    check(
        "text()
         first(&s0)
         grow(&*s1)",
        expect![[r#"
            s0 = text()
            s1 = first(&s0)
            // grow(&*s1): Type
            live: s0 s1"#]],
    );
}

#[test]
fn holder_with_drop_glue_is_dropped_before_a_conflicting_use() {
    check(
        "text()
         lock(&s0)
         grow(&mut s0)
         peek(&s1)",
        expect![[r#"
            s0 = text()
            s1 = lock(&s0)
            drop(s1)
            s2 = grow(&mut s0)
            // peek(&s1): Gone(s1)
            live: s0 s2"#]],
    );
}

#[test]
fn move_of_the_owner_ends_what_borrows_from_it() {
    check(
        "text()
         lock(&s0)
         first(&s0)
         eat(move s0)",
        expect![[r#"
            s0 = text()
            s1 = lock(&s0)
            s2 = first(&s0)
            drop(s1)
            s3 = eat(move s0)
            live: s3"#]],
    );
}

#[test]
fn gentle_call_is_refused_where_it_would_end_a_value() {
    check(
        "text()
         lock(&s0)
         gently len(&s0)
         gently grow(&mut s0)",
        expect![[r#"
            s0 = text()
            s1 = lock(&s0)
            s2 = len(&s0)
            // gently grow(&mut s0): WouldEnd(s1)
            live: s0 s1 s2"#]],
    );
    // The same holds for a signature that keeps what it borrows.
    check(
        "text()
         lock(&s0)
         gently first(&s0)
         gently edit(&mut s0)",
        expect![[r#"
            s0 = text()
            s1 = lock(&s0)
            s2 = first(&s0)
            // gently edit(&mut s0): WouldEnd(s1)
            live: s0 s1 s2"#]],
    );
}

#[test]
fn drop_of_a_value_drops_first_what_borrows_from_it() {
    check(
        "text()
         lock(&s0)
         drop(s0)
         drop(s0)",
        expect![[r#"
            s0 = text()
            s1 = lock(&s0)
            drop(s1)
            drop(s0)
            // drop(s0): Gone(s0)
            live:"#]],
    );
}

#[test]
fn value_without_glue_ends_without_a_step() {
    check(
        "plain()
         drop(s0)
         use_up(move s0)",
        expect![[r#"
            s0 = plain()
            // use_up(move s0): Gone(s0)
            live:"#]],
    );
}

#[test]
fn argument_cannot_be_ended_by_the_call_that_uses_it() {
    check(
        "text()
         first(&s0)
         copy_to(&*s1, &mut s0)",
        expect![[r#"
            s0 = text()
            s1 = first(&s0)
            // copy_to(&*s1, &mut s0): Aliased(s1)
            live: s0 s1"#]],
    );
}

#[test]
fn loan_flows_into_an_argument_that_shares_an_invariant_region() {
    check(
        "text()
         bag()
         put(&mut s1, &s0)
         bag_len(&s1)
         grow(&mut s0)
         bag_len(&s1)",
        expect![[r#"
            s0 = text()
            s1 = bag()
            s2 = put(&mut s1, &s0)
            s3 = bag_len(&s1)
            s4 = grow(&mut s0)
            // bag_len(&s1): Gone(s1)
            live: s0 s2 s3 s4"#]],
    );
}

#[test]
fn loan_flows_into_the_result_only_through_its_region() {
    check(
        "text()
         text()
         longer(&s0, &s1)
         grow(&mut s1)
         len(&*s2)
         grow(&mut s0)
         len(&*s2)",
        expect![[r#"
            s0 = text()
            s1 = text()
            s2 = longer(&s0, &s1)
            s3 = grow(&mut s1)
            s4 = len(&*s2)
            s5 = grow(&mut s0)
            // len(&*s2): Gone(s2)
            live: s0 s1 s3 s4 s5"#]],
    );
}

#[test]
fn outlives_bound_joins_the_regions() {
    check(
        "text()
         text()
         bounded(&s0, &s1)
         grow(&mut s0)",
        expect![[r#"
            s0 = text()
            s1 = text()
            s2 = bounded(&s0, &s1)
            s3 = grow(&mut s0)
            live: s0 s1 s3"#]],
    );
}

#[test]
fn loan_flows_through_a_borrower_into_what_it_borrows_from() {
    // The cursor is gone when the text changes, but the bag has kept what was put at the cursor.
    check(
        "text()
         bag()
         cursor(&mut s1)
         put_at(&mut s2, &s0)
         bag_len(&s1)
         grow(&mut s0)
         bag_len(&s1)",
        expect![[r#"
            s0 = text()
            s1 = bag()
            s2 = cursor(&mut s1)
            s3 = put_at(&mut s2, &s0)
            s4 = bag_len(&s1)
            s5 = grow(&mut s0)
            // bag_len(&s1): Gone(s1)
            live: s0 s3 s4 s5"#]],
    );
}

#[test]
fn bags_that_were_poured_into_each_other_share_later_loans() {
    check(
        "text()
         bag()
         bag()
         pour(&mut s1, &mut s2)
         put(&mut s1, &s0)
         grow(&mut s0)
         bag_len(&s2)",
        expect![[r#"
            s0 = text()
            s1 = bag()
            s2 = bag()
            s3 = pour(&mut s1, &mut s2)
            s4 = put(&mut s1, &s0)
            s5 = grow(&mut s0)
            // bag_len(&s2): Gone(s2)
            live: s0 s3 s4 s5"#]],
    );
}

#[test]
fn value_that_would_borrow_from_itself_is_refused() {
    check(
        "bag()
         view(&s0)
         bag_len(&s0)",
        expect![[r#"
            s0 = bag()
            // view(&s0): Cyclic(s0)
            s1 = bag_len(&s0)
            live: s0 s1"#]],
    );
}

#[test]
fn value_with_glue_must_be_younger_than_what_it_borrows() {
    check(
        "text()
         sack()
         text()
         pack(&mut s1, &s0)
         pack(&mut s1, &s2)",
        expect![[r#"
            s0 = text()
            s1 = sack()
            s2 = text()
            s3 = pack(&mut s1, &s0)
            // pack(&mut s1, &s2): Outlives(s1)
            live: s0 s1 s2 s3"#]],
    );
    // Without drop glue the order does not matter.
    check(
        "bag()
         text()
         put(&mut s0, &s1)",
        expect![[r#"
            s0 = bag()
            s1 = text()
            s2 = put(&mut s0, &s1)
            live: s0 s1 s2"#]],
    );
}

#[test]
fn holder_of_a_covariant_region_keeps_its_loan_until_it_is_dropped() {
    check(
        "text()
         share(&s0)
         share_len(&s1)
         grow(&mut s0)",
        expect![[r#"
            s0 = text()
            s1 = share(&s0)
            s2 = share_len(&s1)
            drop(s1)
            s3 = grow(&mut s0)
            live: s0 s2 s3"#]],
    );
}

#[test]
fn demand_for_static_refuses_what_holds_or_makes_a_loan() {
    check(
        "text()
         keep_static(&s0)
         bag()
         put(&mut s1, &s0)
         spawn(move s1)
         as_str(&s0)
         leak(s3)",
        expect![[r#"
            s0 = text()
            // keep_static(&s0): NeedsStatic(s0)
            s1 = bag()
            s2 = put(&mut s1, &s0)
            // spawn(move s1): NeedsStatic(s1)
            s3 = as_str(&s0)
            // leak(s3): NeedsStatic(s3)
            live: s0 s1 s2 s3"#]],
    );
    check(
        "bag()
         spawn(move s0)
         leak(\"x\")",
        expect![[r#"
            s0 = bag()
            s1 = spawn(move s0)
            s2 = leak(Str("x"))
            live: s1 s2"#]],
    );
}

#[test]
fn literal_is_not_borrowed_for_longer_than_its_statement() {
    check(
        "len(\"x\")
         grow(\"x\")
         first(\"x\")
         keep_static(\"x\")
         bag()
         put(&mut s2, \"x\")
         trim(\"x\")",
        expect![[r#"
            s0 = len(Str("x"))
            s1 = grow(Str("x"))
            // first("x"): Temporary
            // keep_static("x"): Temporary
            s2 = bag()
            // put(&mut s2, "x"): Temporary
            s3 = trim(Str("x"))
            live: s0 s1 s2 s3"#]],
    );
}

#[test]
fn rejected_step_leaves_the_builder_as_it_was() {
    // The guard would have to be dropped first, but the sack is too old for the text.
    check(
        "sack()
         text()
         lock_mut(&mut s1)
         pack(&mut s0, &s1)
         peek(&s2)",
        expect![[r#"
            s0 = sack()
            s1 = text()
            s2 = lock_mut(&mut s1)
            // pack(&mut s0, &s1): Outlives(s0)
            s3 = peek(&s2)
            live: s0 (s1) s2 s3"#]],
    );
}

#[test]
fn appended_sequence_gets_slots_behind_those_that_are_there() {
    let world = world();
    let half = crate::testing::sequence(&world, "text()\nlock(&s0)\ngrow(&mut s0)");
    let mut builder = Builder::new(&world);
    let offsets = [builder.append(&half), builder.append(&half)];
    assert_eq!(offsets, [Ok(0), Ok(3)]);
    expect![[r#"
        s0 = text()
        s1 = lock(&s0)
        drop(s1)
        s2 = grow(&mut s0)
        s3 = text()
        s4 = lock(&s3)
        drop(s4)
        s5 = grow(&mut s3)
    "#]]
    .assert_eq(&text(&world, &builder.finish()));
}

#[test]
fn sequence_has_a_greatest_length() {
    let world = world();
    let mut builder = Builder::new(&world);
    for _ in 0..MAX_STEPS {
        builder
            .push(op(&world, "number"), Vec::new())
            .expect("it is not full");
    }
    let one_more = builder.push(op(&world, "number"), Vec::new());
    assert_eq!(one_more, Err(Rejected::TooLong));
}
