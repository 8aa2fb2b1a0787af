//! A failure as a report for the tracker of the crate: what somebody needs who knows nothing of us.

use std::fmt::Write as _;

use testsmith_record::{FailureKind, FailureReport, Report};

/// The report. `line` is the source line that panics, if it is the crate's; `toolchain` is what `rustc
/// -vV` says.
pub(super) fn issue(
    report: &Report,
    failure: &FailureReport,
    line: Option<&str>,
    toolchain: &str,
) -> String {
    let name = name(&failure.operation);
    let mut out = format!("{}\n\n", title(failure, &name));
    let host = toolchain.lines().find_map(|it| it.strip_prefix("host: "));
    let rustc = toolchain.lines().next().unwrap_or("rustc");
    let host = host.map(|it| format!(", {it}")).unwrap_or_default();
    let _ = writeln!(
        out,
        "**Versions:** {} {}, {rustc}{host}\n",
        report.package, report.version
    );
    if let Some(main) = &failure.main {
        let _ = writeln!(out, "```rust\n{}\n```\n", main.trim_end());
    }
    let _ = writeln!(out, "**What happens:** {}\n", happens(failure));
    if let Some(line) = line {
        let _ = writeln!(
            out,
            "`{}:{}`:\n\n```rust\n{}\n```\n",
            failure.file,
            failure.line,
            line.trim()
        );
    }
    let says = match &failure.documentation {
        Some(said) => quoted(said),
        None => format!(" nothing of panics ({}).", failure.reason),
    };
    let what = match failure.kind {
        FailureKind::Contract => format!("**What should be:** {}.", failure.reason),
        _ => format!("**What the documentation of `{name}` says:**{says}"),
    };
    let _ = writeln!(out, "{what}");
    if !failure.others.is_empty() {
        let others = failure
            .others
            .iter()
            .map(|it| format!("`{}`", self::name(it)));
        let others: Vec<String> = others.collect();
        let _ = writeln!(out, "\nThe same happens in {}.", others.join(", "));
    }
    out
}

/// One line that says what is wrong.
fn title(failure: &FailureReport, name: &str) -> String {
    let message = failure.message.lines().next().unwrap_or_default();
    match failure.kind {
        FailureKind::Panic if failure.dropping => {
            format!("What `{name}` gives panics when dropped: {message}")
        }
        FailureKind::Panic => format!("`{name}` panics: {message}"),
        FailureKind::Contract => format!("`{name}`: {}", failure.reason),
        FailureKind::Timeout => format!("`{name}` does not end"),
        FailureKind::OutOfMemory => format!("`{name}` fills the memory"),
        FailureKind::StackOverflow => format!("`{name}` overflows the stack"),
        other => format!("`{name}` ends the process ({other})"),
    }
}

fn happens(failure: &FailureReport) -> String {
    let place = match failure.file.is_empty() {
        true => String::new(),
        false => format!(" at `{}:{}`", failure.file, failure.line),
    };
    match failure.kind {
        FailureKind::Panic => format!("it panics{place}:\n\n```text\n{}\n```", failure.message),
        FailureKind::Contract => {
            let lines = failure.message.lines().map(str::trim);
            let is_side = |it: &&str| it.starts_with("left:") || it.starts_with("right:");
            let sides: Vec<&str> = lines.filter(is_side).collect();
            match sides.is_empty() {
                true => "an assertion of the program does not hold.".to_owned(),
                false => format!(
                    "an assertion of the program does not hold:\n\n```text\n{}\n```",
                    sides.join("\n")
                ),
            }
        }
        other => format!("the program ends by {other}."),
    }
}

fn quoted(said: &str) -> String {
    let lines = said.lines().map(|line| format!("> {}", line.trim()));
    format!("\n\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// The operation without the types that it was tried at.
fn name(operation: &str) -> String {
    let cut = operation.find("::<").filter(|at| {
        // `<a::B as c::D>::e::<T = u8>` has its instance at the end.
        operation.ends_with('>') && !operation[..*at].is_empty()
    });
    operation[..cut.unwrap_or(operation.len())].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_has_all_that_somebody_needs_who_knows_nothing_of_us() {
        let report = Report {
            package: "arena".to_owned(),
            version: "0.6.1".to_owned(),
            ..Report::default()
        };
        let failure = FailureReport {
            operation: "arena::Arena<T>::get2_mut::<T = u8>".to_owned(),
            kind: FailureKind::Panic,
            message: "mid > len".to_owned(),
            file: "src/arena.rs".to_owned(),
            line: 424,
            documentation: Some("Panics if the two are\nequal.".to_owned()),
            main: Some("fn main() {\n    get2_mut();\n}\n".to_owned()),
            others: vec!["arena::get3".to_owned()],
            ..FailureReport::default()
        };
        let line = Some("    self.split_at_mut(n)");
        let found = issue(&report, &failure, line, "rustc 1.95.0\nhost: here\n");
        let expected = "\
`arena::Arena<T>::get2_mut` panics: mid > len

**Versions:** arena 0.6.1, rustc 1.95.0, here

```rust
fn main() {
    get2_mut();
}
```

**What happens:** it panics at `src/arena.rs:424`:

```text
mid > len
```

`src/arena.rs:424`:

```rust
self.split_at_mut(n)
```

**What the documentation of `arena::Arena<T>::get2_mut` says:**

> Panics if the two are
> equal.

The same happens in `arena::get3`.
";
        assert_eq!(found, expected);
    }
}
