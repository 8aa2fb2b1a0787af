//! The table at the end of a command about several packages: a line for each.

use std::fmt::Write as _;

/// One package's line.
pub(crate) struct Row {
    name: String,
    pub(crate) code: u8,
    text: String,
}

impl Row {
    /// The line of a package with which all went well.
    pub(crate) fn done(package: &str, text: String) -> Row {
        Row::ended(package, 0, text)
    }

    /// The line of a package that ended with this exit code.
    pub(crate) fn ended(package: &str, code: u8, text: String) -> Row {
        Row {
            name: package.to_owned(),
            code,
            text,
        }
    }

    /// The line of a package that failed. Of the message, only the first line has room in a table.
    pub(crate) fn failed(package: &str, code: u8, message: &str) -> Row {
        let text = message.lines().next().unwrap_or_default();
        Row::ended(package, code, text.to_owned())
    }
}

/// The table, and below it the messages about members of the workspace that have no library.
pub(crate) fn table(rows: &[Row], without_library: &[String]) -> String {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let mut out = format!("\n{:width$}  exit  result\n", "");
    for row in rows {
        let _ = writeln!(out, "{:width$}  {:>4}  {}", row.name, row.code, row.text);
    }
    for message in without_library {
        let _ = writeln!(out, "passed over: {message}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_aligned_and_a_message_has_one_line() {
        let rows = [
            Row::done("a", "3 types".to_owned()),
            Row::failed("longer", 130, "interrupted\nby somebody"),
        ];
        let without_library = ["package `tool` has no library".to_owned()];
        let expected = [
            "",
            "        exit  result",
            "a          0  3 types",
            "longer   130  interrupted",
            "passed over: package `tool` has no library",
            "",
        ];
        assert_eq!(table(&rows, &without_library), expected.join("\n"));
    }
}
