//! The table of dependencies between our crates in ARCHITECTURE.md is what the manifests say.

#![expect(clippy::disallowed_methods, reason = "it reads the manifests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// What each crate may use, as the table in ARCHITECTURE.md has it. `dev-dependencies` count: a test
/// that needs more is in the wrong room.
fn table() -> BTreeMap<String, BTreeSet<String>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let after = page.split("| crate | may use |").nth(1);
    let after = after.expect("the page has the table");
    let rows = after.lines().skip(1).take_while(|it| it.starts_with('|'));
    let mut table = BTreeMap::new();
    for row in rows.filter(|it| !it.starts_with("|---")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        let [names, uses] = cells[..] else {
            panic!("a row has two cells: {row}");
        };
        let uses = quoted(uses);
        for name in quoted(names) {
            let known = table.insert(name.clone(), uses.clone());
            assert!(known.is_none(), "{name} stands in two rows");
        }
    }
    table
}

/// The names between backticks.
fn quoted(cell: &str) -> BTreeSet<String> {
    let parts = cell.split('`').skip(1).step_by(2);
    parts.map(str::to_owned).collect()
}

#[test]
fn dependencies_point_one_way() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let allowed = table();
    let mut seen = BTreeSet::new();
    for entry in fs::read_dir(&crates).expect("the crates are there") {
        let dir = entry.expect("readable").path();
        let name = dir.file_name().expect("a name");
        let name = name.to_string_lossy().into_owned();
        let manifest = fs::read_to_string(dir.join("Cargo.toml")).expect("every crate has one");
        let used: BTreeSet<String> = manifest
            .lines()
            .filter_map(|line| line.strip_prefix("testsmith-"))
            .filter_map(|rest| rest.split(['.', ' ', '=']).next())
            .map(str::to_owned)
            .collect();
        let may = allowed.get(&name);
        let may = may.unwrap_or_else(|| panic!("{name} is not in the table"));
        let extra: Vec<_> = used.difference(may).collect();
        assert!(extra.is_empty(), "{name} may not use {extra:?}");
        let unused: Vec<_> = may.difference(&used).collect();
        assert!(
            unused.is_empty(),
            "the table lets {name} use {unused:?}, and it does not"
        );
        seen.insert(name);
    }
    let known: BTreeSet<String> = allowed.into_keys().collect();
    assert_eq!(known, seen, "the table names crates that are gone");
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

#[test]
fn files_that_the_page_names_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("ARCHITECTURE.md")).expect("the page is there");
    let crates: BTreeSet<String> = table().into_keys().collect();
    let mut n_found = 0;
    for named in quoted(&page) {
        // `suite/choose/` stands for a directory of a crate's source.
        let (first, rest) = named.split_once('/').unwrap_or((&named, ""));
        let is_path = named.contains('/') && !named.contains(' ');
        let path = match first {
            "crates" | "docs" | "fixtures" | "scripts" => root.join(&named),
            _ if crates.contains(first) => root.join(format!("crates/{first}/src/{rest}")),
            _ => continue,
        };
        if is_path {
            assert!(
                path.exists(),
                "the page names `{named}`, which is not there"
            );
            n_found += 1;
        }
    }
    assert!(n_found > 50, "only {n_found} paths were recognised");
}
