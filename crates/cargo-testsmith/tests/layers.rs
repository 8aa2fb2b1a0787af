//! The table of dependencies between our crates, as ARCHITECTURE.md has it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Crate and what it may use. `dev-dependencies` count: a test that needs more is in the wrong room.
const TABLE: &[(&str, &[&str])] = &[
    ("api", &[]),
    ("protocol", &[]),
    ("project", &[]),
    ("instrument", &[]),
    ("picture", &[]),
    ("report", &[]),
    ("runtime", &["protocol"]),
    ("sequence", &["api", "protocol"]),
    (
        "harness",
        &["api", "instrument", "project", "protocol", "sequence"],
    ),
    ("explore", &["api", "protocol", "sequence", "states"]),
    ("emit", &["api", "protocol", "sequence"]),
    ("states", &["api", "protocol", "sequence"]),
    (
        "pipeline",
        &[
            "api", "emit", "explore", "harness", "picture", "project", "protocol", "sequence",
            "states",
        ],
    ),
    (
        "cargo-testsmith",
        &["pipeline", "harness", "project", "report"],
    ),
];

#[test]
fn dependencies_point_one_way() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let allowed: BTreeMap<&str, BTreeSet<&str>> = TABLE
        .iter()
        .map(|(name, uses)| (*name, uses.iter().copied().collect()))
        .collect();
    let mut n_seen = 0;
    for entry in fs::read_dir(&crates).expect("the crates are there") {
        let dir = entry.expect("readable").path();
        let name = dir
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let manifest = fs::read_to_string(dir.join("Cargo.toml")).expect("every crate has one");
        let used: BTreeSet<&str> = manifest
            .lines()
            .filter_map(|line| line.strip_prefix("testsmith-"))
            .filter_map(|rest| rest.split(['.', ' ', '=']).next())
            .collect();
        let may = allowed
            .get(name.as_str())
            .unwrap_or_else(|| panic!("{name} is not in the table"));
        let extra: Vec<_> = used.difference(may).collect();
        assert!(extra.is_empty(), "{name} may not use {extra:?}");
        n_seen += 1;
    }
    assert_eq!(n_seen, TABLE.len(), "the table names crates that are gone");
}

#[test]
fn what_is_compiled_into_the_guest_depends_on_nothing_else() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in ["protocol", "runtime"] {
        let manifest =
            fs::read_to_string(crates.join(name).join("Cargo.toml")).expect("it is there");
        let section = manifest.split("[dependencies]").nth(1).unwrap_or_default();
        let section = section.split("\n[").next().unwrap_or_default();
        for line in section.lines().filter(|line| line.contains('=')) {
            assert!(line.starts_with("testsmith-protocol"), "{name} uses {line}");
        }
    }
}
