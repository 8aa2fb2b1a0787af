//! Reads what test binaries print, one line at a time.

/// What a line says about a test. Names are without ` - should panic`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Line<'l> {
    /// `name: test`, as in a list of tests.
    Listed(&'l str),
    /// A test has begun and the line stops there: the output that follows comes from a process that
    /// is about to end.
    Begun(&'l str),
    /// The test passed.
    Passed(&'l str),
    /// The test failed.
    Failed(&'l str),
    /// The test was not run.
    Ignored(&'l str),
    /// The line says nothing about a single test.
    Other,
}

impl<'l> Line<'l> {
    /// Reads a line that is given without its line break.
    pub(crate) fn of(line: &'l str) -> Line<'l> {
        if let Some(name) = line.strip_suffix(": test") {
            return Line::Listed(name);
        }
        let Some(rest) = line.strip_prefix("test ") else {
            return Line::Other;
        };
        let Some((name, said)) = rest.rsplit_once(" ... ") else {
            return Line::Other;
        };
        let name = name.strip_suffix(" - should panic").unwrap_or(name);
        match said {
            "" => Line::Begun(name),
            "ok" => Line::Passed(name),
            "FAILED" => Line::Failed(name),
            _ if said.starts_with("ignored") => Line::Ignored(name),
            _ => Line::Other,
        }
    }
}

/// Is this the last line of libtest's list of tests? Binaries with a harness of their own do not
/// print it.
pub(crate) fn ends_list(line: &str) -> bool {
    line.ends_with("benchmarks") || line.ends_with("1 benchmark")
}

/// Is this the summary of a run? A process that prints it has run all of its tests.
pub(crate) fn is_summary(line: &str) -> bool {
    line.contains("test result:")
}

/// What a failed test printed, cut out of all that the process printed.
pub(crate) fn printed_by<'t>(name: &str, text: &'t str) -> &'t str {
    let marker = format!("---- {name} stdout ----");
    let section = text.split(&marker).nth(1).unwrap_or_default();
    section.split("\n---- ").next().unwrap_or_default()
}

/// The name of an example in a line that rustdoc prints about it. After the name more may follow.
pub(crate) fn example(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("test ")?;
    let name = rest.rsplit_once(" ... ")?.0;
    let end = name.rfind(')')?;
    Some(&name[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_what_became_of_a_test() {
        for (line, said) in [
            ("test a::b ... ok", Line::Passed("a::b")),
            ("test a - should panic ... ok", Line::Passed("a")),
            ("test a - should panic ... FAILED", Line::Failed("a")),
            ("test a ... ", Line::Begun("a")),
            ("test a ... ignored", Line::Ignored("a")),
            ("test a ... ignored, takes long", Line::Ignored("a")),
            ("a::b: test", Line::Listed("a::b")),
            ("a: benchmark", Line::Other),
            ("test result: ok. 1 passed; 0 failed", Line::Other),
            ("test of the emergency system", Line::Other),
            ("", Line::Other),
        ] {
            assert_eq!(Line::of(line), said, "{line:?}");
        }
    }

    #[test]
    fn lists_of_libtest_end_with_their_numbers() {
        assert!(ends_list("3 tests, 0 benchmarks"));
        assert!(ends_list("0 tests, 1 benchmark"));
        assert!(!ends_list("usage: my-harness [--list]"));
    }

    #[test]
    fn what_a_test_printed_ends_where_that_of_the_next_begins() {
        let text = "failures:\n\n---- a stdout ----\nat a.rs:3:1\n\n---- b stdout ----\nother\n";
        assert_eq!(printed_by("a", text), "\nat a.rs:3:1\n");
        assert_eq!(printed_by("c", text), "");
    }

    #[test]
    fn names_of_examples_end_with_their_lines() {
        let name = "src/lib.rs - f (line 3)";
        for said in ["ok", "ignored"] {
            let line = format!("test {name} ... {said}");
            assert_eq!(example(&line), Some(name));
        }
        let line = format!("test {name} - compile fail ... ok");
        assert_eq!(example(&line), Some(name));
        assert_eq!(example("test a ... ok"), None);
    }
}
