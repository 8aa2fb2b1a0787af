//! Sequences as text.

use expect_test::expect;

use super::text;
use crate::testing::{sequence, world};

#[test]
fn every_way_of_use_has_its_own_sign() {
    let world = world();
    let steps = "number()
         double(s0)
         double(7)
         text()
         grow(&mut s3)
         len(&s3)
         edit(&mut s3)
         grow(&*s6)
         lock(&s3)
         eat(move s3)
         trim(\"x\")";
    expect![[r#"
        s0 = number()
        s1 = double(s0)
        s2 = double(UInt(7))
        s3 = text()
        s4 = grow(&mut s3)
        s5 = len(&s3)
        s6 = edit(&mut s3)
        s7 = grow(&*s6)
        s8 = lock(&s3)
        drop(s8)
        s9 = eat(move s3)
        s10 = trim(Str("x"))
    "#]]
    .assert_eq(&text(&world, &sequence(&world, steps)));
}
