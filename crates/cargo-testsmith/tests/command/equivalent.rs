//! Mutants that compile to the same code.

use testsmith_harness::{Asking, Equivalents, Instrument, MutantId, Purpose, copy, equivalent};
use testsmith_project::{Features, Scratch, locate};

use crate::run::{copy_fixture, scratch};

/// All mutants of the fixture that change nothing, and no other.
const SAME: &[&str] = &[
    "clamp: relational `x > 0` -> `x >= 0`",
    "clamp_to_one: literal `0` -> `1`",
    "larger: relational `x > y` -> `x >= y`",
    "sum_of_clamped: relational `*x > 0` -> `(*x) >= 0`",
    "twice_nothing: return `twice_nothing` -> `return 0`",
];

#[test]
fn mutants_that_change_nothing_are_told_from_those_that_only_seem_to() {
    let dir = scratch("equivalent");
    copy_fixture("equivalent", &dir);
    let mut package = locate(Some(&dir.join("Cargo.toml")), None).expect("it is there");
    package.target_dir = dir.join("target");
    let scratch = Scratch::create(&package, &Features::default()).expect("writable");
    let instrument = Instrument {
        wrapper: env!("CARGO_BIN_EXE_cargo-testsmith").into(),
        krate: package.krate.clone(),
        copy: None,
    };
    let copied = copy(
        &scratch,
        &package.name,
        &instrument,
        Purpose::Mutants,
        &mut |_, _| {},
    )
    .expect("it compiles");
    let ids = (1..=copied.mutants.len() as u32).map(MutantId);
    let ids: Vec<MutantId> = ids.filter(|id| !copied.dropped.contains_key(id)).collect();
    let ask = |max_builds| -> Equivalents {
        let asking = Asking {
            jobs: 2,
            max_builds,
        };
        let name = &package.name;
        let progress = &mut |_, _| {};
        equivalent(&scratch, name, &instrument, &copied, &ids, asking, progress).expect("it builds")
    };

    let found = ask(100);
    let name = |id: &MutantId| {
        let name = &copied.mutant(*id).name;
        name.trim_start_matches("src/lib.rs ").to_owned()
    };
    let mut same: Vec<String> = found.same.keys().map(name).collect();
    same.sort();
    assert_eq!(same, SAME);
    // What is another function in tests is not asked about.
    let not_asked: Vec<String> = found.not_asked.keys().map(name).collect();
    assert!(!not_asked.is_empty());
    assert!(not_asked.iter().all(|it| it.starts_with("in_tests")));

    let few = ask(1);
    assert!(few.n_builds < found.n_builds);
    let is_known = |id: &&MutantId| !few.not_asked.contains_key(id);
    assert!(few.same.keys().all(|id| is_known(&id)));
    assert!(few.same.keys().all(|id| found.same.contains_key(id)));
    assert!(ids.iter().filter(is_known).count() < ids.len() / 2);
}
