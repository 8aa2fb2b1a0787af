//! Puts new tests into a file that is there, beside those that they are like, and changes nothing else.
//!
//! A new test stands behind the last one whose name begins with the same words: names begin with the
//! type and the call that a test is about. Imports that are lacking are added one to a line, because a
//! line that is added says more in a review than a list that is longer.

use super::seal;
use super::text::{Declared, Edit, StandingFile, edited};

/// The text of a file with the tests of a printed one in it. It has no new seal yet.
pub(crate) fn merge(file: &StandingFile, printed: &StandingFile) -> String {
    let mut edits = declarations(file, &printed.declared);
    edits.extend(imports(file, printed));
    for test in &printed.tests {
        let own = test.text.lines().map(str::to_owned);
        edits.push(at(
            behind(file, &test.name),
            std::iter::once(String::new()).chain(own),
        ));
    }
    let end = file.text[..seal::place(&file.text).start].lines().count();
    let items = printed.items.iter();
    let lacking = items.filter(|(name, _)| !file.items.contains_key(*name));
    let mut pieces: Vec<_> = lacking.flat_map(|(_, pieces)| pieces).collect();
    pieces.sort_by_key(|it| it.lines.start);
    for piece in pieces {
        let own = piece.text.lines().map(str::to_owned);
        edits.push(at(end, std::iter::once(String::new()).chain(own)));
    }
    edited(&file.text, edits)
}

/// The declarations that a file lacks, each behind the last of an earlier name.
pub(crate) fn declarations(file: &StandingFile, declared: &[Declared]) -> Vec<Edit> {
    let is_known = |it: &&Declared| file.declared.iter().any(|own| own.name == it.name);
    let lacking = declared.iter().filter(|it| !is_known(it));
    let edits = lacking.map(|new| {
        let mut earlier = file.declared.iter().rev();
        let earlier = earlier.find(|it| it.name < new.name);
        let lines = new.piece.text.lines().map(str::to_owned);
        match (earlier, file.declared.first()) {
            (Some(earlier), _) => at(earlier.piece.lines.end, lines),
            (None, Some(first)) => at(first.piece.lines.start, lines),
            (None, None) => at(file.after_head, std::iter::once(String::new()).chain(lines)),
        }
    });
    edits.collect()
}

fn at(line: usize, with: impl Iterator<Item = String>) -> Edit {
    Edit {
        lines: line..line,
        with: with.collect(),
    }
}

/// The line behind the test that a new one belongs to.
fn behind(file: &StandingFile, name: &str) -> usize {
    let n_shared = |other: &str| {
        let words = name.split('_').zip(other.split('_'));
        words.take_while(|(a, b)| a == b).count()
    };
    let tests = || file.tests.iter().filter(|it| !it.name.contains("::"));
    let like = tests().max_by_key(|it| n_shared(&it.name));
    match like
        .filter(|it| n_shared(&it.name) > 0)
        .or(tests().next_back())
    {
        Some(test) => test.lines.end,
        None => file.after_imports,
    }
}

/// Imports that are lacking, each where rustfmt would have it among those of its crate.
fn imports(file: &StandingFile, printed: &StandingFile) -> Vec<Edit> {
    let lines: Vec<&str> = file.text.lines().collect();
    let is_lacking = |(name, path): &(&String, &String)| file.imports.get(*name) != Some(path);
    let lacking = printed.imports.iter().filter(is_lacking);
    let lacking = lacking.map(|(name, path)| match name.ends_with(" as _") {
        true => format!("use {name};"),
        false => format!("use {path};"),
    });
    let root = |line: &str| line.split("::").next().unwrap_or(line).to_owned();
    let mut edits: Vec<Edit> = lacking
        .map(|line| {
            let head = lines[..file.after_imports].iter().enumerate();
            let mut alike = head.filter(|(_, other)| root(other) == root(&line));
            let earlier = alike.rfind(|(_, other)| ***other < *line);
            let place = earlier.map_or(file.after_imports, |(i, it)| end_of(&lines, i, it));
            at(place, std::iter::once(line))
        })
        .collect();
    if file.imports.is_empty()
        && let Some(first) = edits.first_mut()
    {
        first.with.insert(0, String::new());
    }
    edits
}

/// The line behind an import that begins on a line and may go on for several.
fn end_of(lines: &[&str], first: usize, line: &str) -> usize {
    let mut rest = lines[first..].iter();
    match line.ends_with(';') {
        true => first + 1,
        false => first + rest.position(|it| it.ends_with(';')).unwrap_or(0) + 1,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use expect_test::expect;

    use super::*;

    fn merged(old: &str, new: &str) -> String {
        let file = |text: &str| {
            let path = Path::new("tests/t.rs");
            StandingFile::parse("t", path, None, text.to_owned()).expect("it is Rust")
        };
        merge(&file(old), &file(new))
    }

    #[test]
    fn a_new_test_stands_behind_those_about_the_same() {
        let merged = merged(
            "//! T.\n\nuse a::B;\nuse a::Z;\n\n#[test]\nfn b_new() {}\n\n#[test]\nfn z_new() {\n}\n\n// testsmith: wrote 00000001\n",
            "use a::{B, C};\nuse f::F as _;\n\n#[test]\nfn b_push() {\n    assert!(c());\n}\n\n/// Odd.\nstruct Odd;\n",
        );
        expect![[r"
            //! T.

            use a::B;
            use a::C;
            use a::Z;
            use f::F as _;

            #[test]
            fn b_new() {}

            #[test]
            fn b_push() {
                assert!(c());
            }

            #[test]
            fn z_new() {
            }

            /// Odd.
            struct Odd;

            // testsmith: wrote 00000001
        "]]
        .assert_eq(&merged);
    }

    #[test]
    fn the_first_test_of_a_file_stands_below_its_head() {
        let merged = merged("//! T.\n", "use a::B;\n\n#[test]\nfn b() {}\n");
        expect![[r"
            //! T.

            use a::B;

            #[test]
            fn b() {}
        "]]
        .assert_eq(&merged);
    }

    #[test]
    fn a_module_is_declared_in_order() {
        let merged = merged(
            "//! T.\n\nmod makers;\n\n#[path = \"t/a.rs\"]\nmod a;\n#[path = \"t/c.rs\"]\nmod c;\n",
            "#[path = \"t/b.rs\"]\nmod b;\n#[path = \"t/c.rs\"]\nmod c;\n",
        );
        let expected = "mod a;\n#[path = \"t/b.rs\"]\nmod b;\n#[path = \"t/c.rs\"]\nmod c;\n";
        assert!(merged.ends_with(expected), "{merged}");
    }
}
