//! What published crates are made of: other editions, macros, build scripts, features, items that
//! are hidden or deprecated.

use crate::run::{
    copy_fixture, expect_all_reached, expect_tests_pass, expect_texts, record_at, scratch, stderr,
    tests_of, testsmith,
};

#[test]
fn tests_are_written_in_the_edition_of_their_package() {
    let dir = scratch("editions");
    copy_fixture("editions", &dir);
    let args = ["--workspace", "--calls", "10000", "--json", "record.json"];
    let output = testsmith(&dir, &args);
    assert!(output.status.success(), "{}", stderr(&output));
    for (name, texts) in [
        (
            "e2015",
            &[
                "extern crate e2015;",
                "use e2015::try::{longer, twice, Kind};",
                "= async(",
                "Task {",
                " async: ",
                ".await(",
                ".try()",
                ".dyn",
                "Kind::Timed { await: ",
                "gen(",
            ][..],
        ),
        (
            "e2018",
            &[
                "use std::convert::TryFrom;",
                "use e2018::gen::gen;",
                ".gen()",
                ".r#try()",
                "r#async: ",
                "Bed::gen { r#dyn: ",
            ],
        ),
        (
            "e2021",
            &[
                "use e2021::{gen, Gen};",
                ".gen(",
                ".r#match(",
                "::from_iter(",
            ],
        ),
        (
            "e2024",
            &[
                "use e2024::r#struct::{Item, Pick, r#try};",
                "use e2024::{r#enum, r#gen, r#static};",
                "r#gen(",
                "r#type: ",
                ".r#where()",
                "Item::r#loop(",
                "r#enum::r#do { r#as: ",
                "r#enum::r#yield",
            ],
        ),
    ] {
        expect_all_reached(&record_at(&dir.join(format!("record-{name}.json"))));
        expect_texts(&tests_of(&dir.join(name)), texts);
    }
    expect_tests_pass(&dir);
}
