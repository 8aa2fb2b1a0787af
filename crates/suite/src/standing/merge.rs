//! Puts new tests into a file that is there, beside those that they are like, and changes nothing else.
//!
//! A new test stands behind the last one whose name begins with the same words: names begin with the
//! type and the call that a test is about. Imports that are lacking are added one to a line, because a
//! line that is added says more in a review than a list that is longer.

use testsmith_emit::EmittedTest;

use super::seal;
use super::text::StandingFile;

/// A file with new tests in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Merged {
    /// The whole text, without a new seal.
    pub(crate) text: String,
    /// The new tests, with their lines in that text.
    pub(crate) tests: Vec<EmittedTest>,
    /// The text of each new test.
    pub(crate) added: Vec<String>,
}

/// Lines that are put before a line of the file.
struct Insertion {
    before: usize,
    lines: Vec<String>,
    /// The index of the new test that they are.
    test: Option<usize>,
}

/// Puts the tests of a printed file into one that is there. `text` is the text of `file`, or one in
/// which some lines are blank.
pub(crate) fn merge(
    file: &StandingFile,
    text: &str,
    printed: &StandingFile,
    tests: &[EmittedTest],
) -> Merged {
    let mut insertions = imports(file, text, printed);
    for (i, test) in printed.tests.iter().enumerate() {
        let own = test.text.lines().map(str::to_owned);
        insertions.push(Insertion {
            before: behind(file, &test.name),
            lines: std::iter::once(String::new()).chain(own).collect(),
            test: Some(i),
        });
    }
    let end = text[..seal::place(text).start].lines().count();
    let known = |name: &String| file.items.contains_key(name);
    let items = printed.items.iter().filter(|(name, _)| !known(name));
    for item in items.flat_map(|(_, items)| items) {
        let own = item.lines().map(str::to_owned);
        insertions.push(Insertion {
            before: end,
            lines: std::iter::once(String::new()).chain(own).collect(),
            test: None,
        });
    }
    insertions.sort_by_key(|it| it.before);
    carried_out(text, insertions, printed, tests)
}

fn carried_out(
    text: &str,
    insertions: Vec<Insertion>,
    printed: &StandingFile,
    tests: &[EmittedTest],
) -> Merged {
    let mut merged = Merged::default();
    let mut lines: Vec<String> = Vec::new();
    let mut insertions = insertions.into_iter().peekable();
    let old: Vec<&str> = text.lines().collect();
    for i in 0..=old.len() {
        while let Some(insertion) = insertions.next_if(|it| it.before == i) {
            if let Some(test) = insertion.test {
                let first = lines.len() as u32 + 2;
                let emitted = tests.iter().find(|it| own_name(it) == printed.tests[test].name);
                merged.tests.extend(emitted.map(|it| moved(it, first)));
                merged.added.push(printed.tests[test].text.clone());
            }
            lines.extend(insertion.lines);
        }
        lines.extend(old.get(i).map(|line| (*line).to_owned()));
    }
    merged.text = lines.join("\n") + "\n";
    merged
}

/// The function's name of a test that may be in a module.
fn own_name(test: &EmittedTest) -> &str {
    test.name.rsplit("::").next().unwrap_or(&test.name)
}

/// The test with its lines as they are if it begins on this one.
fn moved(test: &EmittedTest, first: u32) -> EmittedTest {
    let by = |line: u32| line - test.first_line + first;
    EmittedTest {
        first_line: first,
        last_line: by(test.last_line),
        assertion_lines: test
            .assertion_lines
            .iter()
            .map(|(line, check)| (by(*line), *check))
            .collect(),
        ..test.clone()
    }
}

/// The line behind the test that a new one belongs to.
fn behind(file: &StandingFile, name: &str) -> usize {
    let n_shared = |other: &str| {
        let words = name.split('_').zip(other.split('_'));
        words.take_while(|(a, b)| a == b).count()
    };
    let like = file.tests.iter().max_by_key(|it| n_shared(&it.name));
    match like.filter(|it| n_shared(&it.name) > 0).or(file.tests.last()) {
        Some(test) => test.lines.end,
        None => file.after_imports,
    }
}

/// Imports that are lacking, each where rustfmt would have it among those of its crate.
fn imports(file: &StandingFile, text: &str, printed: &StandingFile) -> Vec<Insertion> {
    let lines: Vec<&str> = text.lines().collect();
    let is_lacking = |(name, path): &(&String, &String)| file.imports.get(*name) != Some(path);
    let lacking = printed.imports.iter().filter(is_lacking);
    let lacking = lacking.map(|(name, path)| match name.ends_with(" as _") {
        true => format!("use {name};"),
        false => format!("use {path};"),
    });
    let mut insertions: Vec<Insertion> = lacking
        .map(|line| {
            let root = |line: &str| line.split("::").next().unwrap_or(line).to_owned();
            let head = lines[..file.after_imports].iter().enumerate();
            let alike = head.filter(|(_, other)| root(other) == root(&line));
            let earlier = alike.filter(|(_, other)| ***other < *line).last();
            Insertion {
                before: earlier.map_or(file.after_imports, |(i, other)| end_of(&lines, i, other)),
                lines: vec![line],
                test: None,
            }
        })
        .collect();
    if file.imports.is_empty()
        && let Some(first) = insertions.first_mut()
    {
        first.lines.insert(0, String::new());
    }
    insertions
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

    fn file(text: &str) -> StandingFile {
        let path = Path::new("tests/t.rs");
        StandingFile::parse(path, None, text.to_owned()).expect("it is Rust")
    }

    fn merged(old: &str, new: &str) -> Merged {
        let (old, new) = (file(old), file(new));
        let tests: Vec<EmittedTest> = new
            .tests
            .iter()
            .enumerate()
            .map(|(i, test)| EmittedTest {
                name: test.name.clone(),
                module: None,
                first_line: test.lines.start as u32 + 1,
                last_line: test.lines.end as u32,
                n_calls: 1,
                n_assertions: 1,
                assertion_lines: vec![(test.lines.end as u32 - 1, 0)],
                case: i,
            })
            .collect();
        merge(&old, &old.text, &new, &tests)
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
        .assert_eq(&merged.text);
        let [test] = &merged.tests[..] else {
            panic!("there is one new test")
        };
        assert_eq!((test.first_line, test.last_line), (11, 14));
        assert_eq!(test.assertion_lines, [(13, 0)]);
        assert_eq!(merged.added, ["#[test]\nfn b_push() {\n    assert!(c());\n}"]);
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
        .assert_eq(&merged.text);
    }
}
