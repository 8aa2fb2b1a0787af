//! Classes of regions: a signature in, the lifetimes that share a class out.

use expect_test::{Expect, expect};

use super::RegionClasses;
use crate::testing::{op, world_of};

/// Shows for each lifetime the first one of its class, and `!` if the class must outlive
/// everything.
fn check(signature: &str, expected: Expect) {
    let world = world_of(&format!("fn f{signature}"));
    let signature = world.signature(op(&world, "f"));
    let classes = RegionClasses::of(signature);
    let shown: Vec<String> = (0..signature.n_regions)
        .map(|var| {
            let class = classes.class(testsmith_api::RegionIdx(var));
            let mark = if classes.is_static[class] { "!" } else { "" };
            format!("'{class}{mark}")
        })
        .collect();
    expected.assert_eq(&shown.join(" "));
}

#[test]
fn regions_without_bounds_stand_alone() {
    check("<'a, 'b>(&'a u8, &'b u8) -> ()", expect!["'0 '1"]);
}

#[test]
fn outlives_bounds_join_regions_in_chains() {
    check(
        "<'a: 'b, 'b: 'c, 'c, 'd>(&'a u8, &'b u8, &'c u8, &'d u8) -> ()",
        expect!["'2 '2 '2 '3"],
    );
}

#[test]
fn demand_for_static_holds_for_the_whole_class() {
    check(
        "<'a: 'static, 'b: 'a, 'c>(&'a u8, &'b u8, &'c u8) -> ()",
        expect!["'0! '0! '2"],
    );
    check(
        "<'a: 'b, 'b: 'static, 'c>(&'a u8, &'b u8, &'c u8) -> ()",
        expect!["'1! '1! '2"],
    );
}

#[test]
fn argument_keeps_only_what_an_invariant_region_lets_in() {
    let world = world_of(
        "fn f<'a>(&'a u8, Bag<'a>, std::vec::Vec<&'a u8>, &mut std::vec::Vec<&'a u8>) -> ()",
    );
    let signature = world.signature(op(&world, "f"));
    let classes = RegionClasses::of(signature);
    let class = classes.class(testsmith_api::RegionIdx(0));
    let keeps: Vec<bool> = signature
        .inputs
        .iter()
        .map(|input| classes.invariant_in(input, class))
        .collect();
    assert_eq!(keeps, [false, true, false, true]);
}
